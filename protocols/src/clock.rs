//! Clock of a seat: main time, then byo-yomi: periods of overtime for a number of moves each
//! (Canadian, as in GTP) or for one move (`byoyomi` of KGS).
//!
//! No move gets more than a quarter of the main time left or its fraction of a byo-yomi period,
//! whichever is more.

use std::time::Duration;

#[derive(Clone, Copy)]
pub(crate) struct Clock {
    /// Time left of the current period if `moves` is above 0, else of the main time.
    left: Duration,
    moves: u32,
    overtime: Option<Overtime>,
}

#[derive(Clone, Copy)]
pub(crate) struct Overtime {
    pub(crate) period: Duration,
    pub(crate) moves: u32,
    /// True if `stones` in a referee's report counts periods of one move each, not moves.
    pub(crate) counts_periods: bool,
}

const MIN_OVERHEAD: Duration = Duration::from_millis(30);
const OVERHEAD_DIVISOR: u32 = 20;
const MAX_MOVE_DIVISOR: u32 = 4;
const MIN_MOVE_TIME: Duration = Duration::from_millis(1);

fn usable_time(time: Duration) -> Duration {
    time.saturating_sub(MIN_OVERHEAD.max(time / OVERHEAD_DIVISOR))
}

impl Clock {
    pub(crate) fn new(main: Duration, overtime: Option<Overtime>) -> Self {
        let mut clock = Self {
            left: main,
            moves: 0,
            overtime,
        };
        clock.set_left(main, 0);
        clock
    }

    /// Sets the clock by a referee's report: `left` is main time if `stones` is 0, else the rest of
    /// a period for so many moves.
    pub(crate) fn set_left(&mut self, left: Duration, stones: u32) {
        (self.left, self.moves) = (left, stones);
        match self.overtime {
            Some(overtime) if stones > 0 => {
                // Some referees include the main time in `left`.
                self.left = left.min(overtime.period);
                if overtime.counts_periods {
                    self.moves = 1;
                }
            }
            Some(overtime) if left.is_zero() => {
                (self.left, self.moves) = (overtime.period, overtime.moves);
            }
            _ => {}
        }
    }

    /// Time for the next move if `expected_moves_left` moves, including that one, are left in the
    /// game.
    pub(crate) fn move_time(&self, expected_moves_left: u32) -> Duration {
        let time = match (self.moves, self.overtime) {
            (0, None) => usable_time(self.left / expected_moves_left.max(1))
                .min(self.left / MAX_MOVE_DIVISOR),
            (0, Some(overtime)) => {
                let of_period = usable_time(overtime.period / overtime.moves);
                let max = (self.left / MAX_MOVE_DIVISOR).max(of_period);
                (self.left / expected_moves_left.max(1) + of_period).min(max)
            }
            (moves, _) => usable_time(self.left / moves),
        };
        time.max(MIN_MOVE_TIME)
    }

    pub(crate) fn subtract_move_time(&mut self, time: Duration) {
        let left = self.left.saturating_sub(time);
        match (self.moves, self.overtime) {
            (0, _) => self.set_left(left, 0),
            (1, Some(overtime)) => (self.left, self.moves) = (overtime.period, overtime.moves),
            (1, None) => {}
            (moves, _) => (self.left, self.moves) = (left, moves - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(time: u64) -> Duration {
        Duration::from_millis(time)
    }

    fn overtime(period: u64, moves: u32, counts_periods: bool) -> Option<Overtime> {
        Some(Overtime {
            period: ms(period),
            moves,
            counts_periods,
        })
    }

    #[test]
    fn a_move_gets_its_part_and_no_more_than_the_limits() {
        let absolute = |main| Clock::new(ms(main), None);
        let canadian = |main, period, moves| Clock::new(ms(main), overtime(period, moves, false));
        let japanese = |main, period| Clock::new(ms(main), overtime(period, 1, true));
        for (number, (mut clock, report, expected_moves_left, expected)) in [
            (absolute(100_000), None, 20, 4_750),
            (absolute(100_000), Some((60_000, 0)), 20, 2_850),
            (absolute(100_000), Some((60_000, 0)), 1, 15_000),
            (absolute(100_000), Some((60_000, 0)), 0, 15_000),
            (absolute(100_000), Some((40, 0)), 1, 10),
            (absolute(100_000), Some((0, 0)), 20, 1),
            (canadian(600_000, 300_000, 25), None, 30, 20_000 + 11_400),
            (canadian(600_000, 300_000, 25), None, 2, 150_000),
            (canadian(600_000, 300_000, 25), Some((1_000, 0)), 30, 11_400),
            (canadian(600_000, 300_000, 25), Some((0, 0)), 30, 11_400),
            (
                canadian(600_000, 300_000, 25),
                Some((60_000, 5)),
                30,
                11_400,
            ),
            (
                canadian(600_000, 300_000, 25),
                Some((60_000, 1)),
                30,
                57_000,
            ),
            (canadian(600_000, 300_000, 25), Some((100, 1)), 30, 70),
            (canadian(0, 300_000, 25), None, 30, 11_400),
            (
                canadian(1_800_000, 20_000, 1),
                Some((1_917_000, 1)),
                40,
                19_000,
            ),
            (
                canadian(1_800_000, 20_000, 1),
                Some((20_000, 1)),
                40,
                19_000,
            ),
            (canadian(1_800_000, 20_000, 1), Some((3_000, 1)), 40, 2_850),
            (
                canadian(1_800_000, 20_000, 1),
                Some((1_800_000, 0)),
                40,
                45_000 + 19_000,
            ),
            (
                canadian(1_800_000, 20_000, 1),
                Some((1_800_000, 0)),
                1,
                450_000,
            ),
            (japanese(600_000, 30_000), None, 60, 10_000 + 28_500),
            (japanese(600_000, 30_000), Some((30_000, 5)), 60, 28_500),
            (japanese(600_000, 30_000), Some((10_000, 2)), 60, 9_500),
            (japanese(0, 30_000), None, 60, 28_500),
            (absolute(0), Some((60_000, 4)), 60, 14_250),
        ]
        .into_iter()
        .enumerate()
        {
            if let Some((left, stones)) = report {
                clock.set_left(ms(left), stones);
            }
            let time = clock.move_time(expected_moves_left);
            assert_eq!(time, ms(expected), "clock {number}");
        }
    }

    #[test]
    fn moves_use_main_time_and_then_periods() {
        let mut clock = Clock::new(ms(100_000), None);
        clock.subtract_move_time(ms(170_000));
        assert_eq!(clock.move_time(1), MIN_MOVE_TIME);
        let mut clock = Clock::new(ms(600_000), overtime(300_000, 25, false));
        clock.subtract_move_time(ms(600_000));
        assert_eq!((clock.left, clock.moves), (ms(300_000), 25));
        clock.subtract_move_time(ms(60_000));
        assert_eq!((clock.left, clock.moves), (ms(240_000), 24));
        clock.set_left(ms(8_000), 1);
        clock.subtract_move_time(ms(8_000));
        assert_eq!((clock.left, clock.moves), (ms(300_000), 25));
        let mut clock = Clock::new(ms(0), overtime(30_000, 1, true));
        for _ in 0..3 {
            assert_eq!(clock.move_time(60), ms(28_500));
            clock.subtract_move_time(ms(29_000));
        }
    }
}
