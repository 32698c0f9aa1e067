//! A seat's time for a game, and what of it a move may take.
//!
//! Main time first; when it is used up, periods of overtime for so many moves each, as GTP has them.
//! Invariant: no move is given more than is left, but for the last of the main time.

use std::time::Duration;

/// The time that a seat has left.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    /// Of the main time, or of the period if `moves` are still to be made in it.
    left: Duration,
    moves: u32,
    /// A period and the moves to be made in it; 0 without overtime.
    period: (Duration, u32),
}

/// Kept back for what comes between deciding and being heard.
const RESERVE: Duration = Duration::from_millis(30);
/// Less time is given to no move.
const LEAST: Duration = Duration::from_millis(1);

impl Clock {
    /// The time of a whole game.
    pub(crate) fn new(main: Duration, period: Duration, moves: u32) -> Self {
        let mut clock = Self {
            left: main,
            moves: 0,
            period: (period, moves),
        };
        clock.tell(main, 0);
        clock
    }

    /// What is left, as a referee says: with `moves` above 0 it is that of a period.
    pub(crate) fn tell(&mut self, left: Duration, moves: u32) {
        (self.left, self.moves) = (left, moves);
        if moves == 0 && left.is_zero() && self.period.1 > 0 {
            (self.left, self.moves) = self.period;
        }
    }

    /// What the next move may take, if about so many are to come.
    pub(crate) fn share(&self, to_come: u32) -> Duration {
        let most = self.left.saturating_sub(RESERVE.max(self.left / 20));
        let share = match (self.moves, self.period) {
            (0, (_, 0)) => (self.left / to_come.max(1)).min(most),
            (0, (period, moves)) => self.left / to_come.max(1) + period / moves,
            (moves, _) => (self.left / moves).min(most),
        };
        share.max(LEAST)
    }

    /// Takes away what a move has taken.
    pub(crate) fn spend(&mut self, time: Duration) {
        let left = self.left.saturating_sub(time);
        match self.moves {
            0 => self.tell(left, 0),
            1 => (self.left, self.moves) = self.period,
            _ => (self.left, self.moves) = (left, self.moves - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_shared_out_and_never_exceeded() {
        let seconds = Duration::from_secs;
        let mut clock = Clock::new(seconds(100), Duration::ZERO, 0);
        assert_eq!(clock.share(20), seconds(5));
        clock.spend(seconds(40));
        // The last move may take all but a twentieth.
        assert_eq!(clock.share(1), seconds(57));
        clock.spend(seconds(70));
        assert_eq!(clock.share(1), LEAST);
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
