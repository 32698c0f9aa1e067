//! A seat's time for a game, and what of it a move may take.
//!
//! Main time first; when it is used up, periods of overtime for so many moves each, as GTP has them.
//! Invariant: no move is given more than is left.

use std::time::Duration;

/// The time that a seat has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Of the main time, or of the period if `moves` are to be made in it.
    left: Duration,
    /// Moves that are still to be made in this period; 0 in the main time.
    moves: u32,
    /// How long a period is, and how many moves are made in it; 0 moves without overtime.
    period: (Duration, u32),
}

/// Kept back for what comes between deciding and being heard.
const RESERVE: Duration = Duration::from_millis(30);
/// Less time is given to no move.
const LEAST: Duration = Duration::from_millis(1);

impl Clock {
    /// The time of a whole game; `moves` of 0 are no overtime.
    #[must_use]
    pub fn new(main: Duration, period: Duration, moves: u32) -> Self {
        let mut clock = Self {
            left: main,
            moves: 0,
            period: (period, moves),
        };
        clock.turn_over();
        clock
    }

    /// What is left, as a referee says: with `moves` above 0 it is that of a period.
    pub fn tell(&mut self, left: Duration, moves: u32) {
        (self.left, self.moves) = (left, moves);
        self.turn_over();
    }

    /// What the next move may take, if about so many are to come.
    #[must_use]
    pub fn share(&self, to_come: u32) -> Duration {
        let (period, moves) = self.period;
        let share = match self.moves {
            0 => self.left / to_come.max(1) + period / moves.max(1) * u32::from(moves > 0),
            moves => self.left / moves,
        };
        let most = self.left.saturating_sub(RESERVE.max(self.left / 20));
        // The last of the main time may be exceeded, into the first period.
        let most = match (self.moves, moves) {
            (0, 1..) => share,
            _ => most,
        };
        share.min(most).max(LEAST)
    }

    /// Takes away what a move has taken.
    pub fn spend(&mut self, time: Duration) {
        if self.moves == 0 {
            self.left = self.left.saturating_sub(time);
            self.turn_over();
            return;
        }
        self.left = self.left.saturating_sub(time);
        self.moves -= 1;
        if self.moves == 0 {
            (self.left, self.moves) = self.period;
        }
    }

    /// Begins overtime when the main time is over.
    fn turn_over(&mut self) {
        if self.moves == 0 && self.left.is_zero() {
            (self.left, self.moves) = match self.period {
                (_, 0) => (Duration::ZERO, 0),
                period => period,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_main_time_is_shared_out_and_never_exceeded() {
        let mut clock = Clock::new(seconds(100), Duration::ZERO, 0);
        assert_eq!(clock.share(20), seconds(5));
        clock.spend(seconds(40));
        assert_eq!(clock.share(20), seconds(3));
        // The last move may take all but a twentieth.
        assert_eq!(clock.share(1), seconds(57));
        clock.spend(seconds(70));
        assert_eq!(clock.share(1), LEAST);
    }

    #[test]
    fn a_period_of_overtime_is_for_all_its_moves() {
        // Ten minutes, then 25 moves in five minutes each time.
        let mut clock = Clock::new(seconds(600), seconds(300), 25);
        assert_eq!(clock.share(30), seconds(20 + 12));
        clock.spend(seconds(600));
        assert_eq!(clock.share(30), seconds(12));
        clock.spend(seconds(60));
        assert_eq!(clock.share(30), seconds(10));
        clock.tell(seconds(8), 1);
        clock.spend(seconds(8));
        assert_eq!(clock.share(30), seconds(12));
    }
}
