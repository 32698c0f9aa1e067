//! A seat's time for a game, and what of it a move may take.
//!
//! Main time first; when it is used up, byo-yomi: periods of overtime, each for so many moves, as GTP
//! has them (Canadian), or of one move each (`byoyomi` of KGS). Invariant: no move is given more than
//! a quarter of the main time or what one move of a period may take, whichever is more, and in
//! byo-yomi none more than is left of its period.

use std::time::Duration;

/// The time that a seat has left.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    /// Of the main time, or of the period if `moves` are still to be made in it.
    left: Duration,
    moves: u32,
    overtime: Option<Overtime>,
}

/// What follows the main time.
#[derive(Clone, Copy)]
pub(crate) struct Overtime {
    /// How long a period is.
    pub(crate) period: Duration,
    /// The moves to be made in each, at least one.
    pub(crate) moves: u32,
    /// Whether a referee that counts stones counts periods: each is for one move then.
    pub(crate) counts_periods: bool,
}

/// Kept back for what comes between deciding and being heard.
const RESERVE: Duration = Duration::from_millis(30);
/// Of what is left at least one in so many is kept back, too.
const RESERVED: u32 = 20;
/// A move takes at most one in so many of the main time that is left.
const MAX_FRACTION: u32 = 4;
/// Less time is given to no move.
const MIN_TIME: Duration = Duration::from_millis(1);

/// A time without what is kept back of it.
fn usable(time: Duration) -> Duration {
    time.saturating_sub(RESERVE.max(time / RESERVED))
}

impl Clock {
    /// The time of a whole game.
    pub(crate) fn new(main: Duration, overtime: Option<Overtime>) -> Self {
        let mut clock = Self {
            left: main,
            moves: 0,
            overtime,
        };
        clock.tell(main, 0);
        clock
    }

    /// What is left, as a referee says: with `stones` above 0 it is that of a period, in which so many
    /// moves, or after which so many periods are to come.
    pub(crate) fn tell(&mut self, left: Duration, stones: u32) {
        (self.left, self.moves) = (left, stones);
        match self.overtime {
            Some(overtime) if stones > 0 => {
                // Some count main time in here; a period is never longer than it was agreed to be.
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

    /// What the next move may take, if about so many are to come.
    pub(crate) fn share(&self, to_come: u32) -> Duration {
        let share = match (self.moves, self.overtime) {
            (0, None) => usable(self.left / to_come.max(1)).min(self.left / MAX_FRACTION),
            (0, Some(overtime)) => {
                // Where the main time ends, the first period begins.
                let later = usable(overtime.period / overtime.moves);
                let most = (self.left / MAX_FRACTION).max(later);
                (self.left / to_come.max(1) + later).min(most)
            }
            (moves, _) => usable(self.left / moves),
        };
        share.max(MIN_TIME)
    }

    /// Takes away what a move has taken.
    pub(crate) fn spend(&mut self, time: Duration) {
        let left = self.left.saturating_sub(time);
        match (self.moves, self.overtime) {
            (0, _) => self.tell(left, 0),
            (1, Some(overtime)) => (self.left, self.moves) = (overtime.period, overtime.moves),
            // A period of which nobody said how long it is.
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
    fn a_move_takes_its_share_and_never_more_than_is_stated() {
        let absolute = |main| Clock::new(ms(main), None);
        let canadian = |main, period, moves| Clock::new(ms(main), overtime(period, moves, false));
        let japanese = |main, period| Clock::new(ms(main), overtime(period, 1, true));
        // A clock, what a referee says of it, moves to come, and what a move may take.
        for (number, (mut clock, left, to_come, budget)) in [
            (absolute(100_000), None, 20, 4_750),
            (absolute(100_000), Some((60_000, 0)), 20, 2_850),
            // The last move takes a quarter.
            (absolute(100_000), Some((60_000, 0)), 1, 15_000),
            (absolute(100_000), Some((60_000, 0)), 0, 15_000),
            (absolute(100_000), Some((40, 0)), 1, 10),
            (absolute(100_000), Some((0, 0)), 20, 1),
            // Ten minutes, then 25 moves in five minutes each time.
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
            // In byo-yomi nothing is beyond a period, whatever is said to be left.
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
            // Of KGS the stones are periods: one move is made in each.
            (japanese(600_000, 30_000), None, 60, 10_000 + 28_500),
            (japanese(600_000, 30_000), Some((30_000, 5)), 60, 28_500),
            (japanese(600_000, 30_000), Some((10_000, 2)), 60, 9_500),
            (japanese(0, 30_000), None, 60, 28_500),
            // Nobody said how long a period is.
            (absolute(0), Some((60_000, 4)), 60, 14_250),
        ]
        .into_iter()
        .enumerate()
        {
            if let Some((left, stones)) = left {
                clock.tell(ms(left), stones);
            }
            assert_eq!(clock.share(to_come), ms(budget), "clock {number}");
        }
    }

    #[test]
    fn moves_spend_main_time_and_then_periods() {
        let mut clock = Clock::new(ms(100_000), None);
        clock.spend(ms(170_000));
        assert_eq!(clock.share(1), MIN_TIME);
        let mut clock = Clock::new(ms(600_000), overtime(300_000, 25, false));
        clock.spend(ms(600_000));
        assert_eq!((clock.left, clock.moves), (ms(300_000), 25));
        clock.spend(ms(60_000));
        assert_eq!((clock.left, clock.moves), (ms(240_000), 24));
        clock.tell(ms(8_000), 1);
        clock.spend(ms(8_000));
        assert_eq!((clock.left, clock.moves), (ms(300_000), 25));
        let mut clock = Clock::new(ms(0), overtime(30_000, 1, true));
        for _ in 0..3 {
            assert_eq!(clock.share(60), ms(28_500));
            clock.spend(ms(29_000));
        }
    }
}
