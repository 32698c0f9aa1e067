//! Results of two-seat games as files state them: in SGF `B+R`, `W+T`, `B+5.5`, `0`; in GGF, for
//! the first seat, `+64.00:r`.

use alea_core::{
    game::{DRAW, Payoffs, Seat, win_for},
    record::Ending,
};

/// Result that a file states for a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatedResult {
    /// Reason of the end; never [`Ending::Played`].
    pub ending: Ending,
    /// Winning seat; `None` for a draw.
    pub winner: Option<Seat>,
}

impl StatedResult {
    /// A win against `seat`, which resigned.
    #[must_use]
    pub fn by_resignation(seat: Seat) -> Self {
        Self {
            ending: Ending::Resigned,
            winner: Some(1 - seat),
        }
    }

    /// A draw by agreement.
    pub const DRAW: Self = Self {
        ending: Ending::Agreed,
        winner: None,
    };

    fn from_winner(winner: Option<Seat>) -> Self {
        winner.map_or(Self::DRAW, |_| Self {
            ending: Ending::Awarded,
            winner,
        })
    }

    /// Parses SGF's `RE`; `black` is the seat of Black. `None` for `Void`, `?` and invalid text.
    #[must_use]
    pub fn from_sgf(text: &str, black: Seat) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        if ["0", "draw", "jigo"].contains(&&*text) {
            return Some(Self::DRAW);
        }
        let (colour, reason) = text.split_once('+').unwrap_or((&text, ""));
        let winner = match colour.trim() {
            "b" | "black" => black,
            "w" | "white" => 1 - black,
            _ => return None,
        };
        let plain = Self::from_winner(Some(winner));
        let ending = match reason.trim() {
            "r" | "resign" => Ending::Resigned,
            "t" | "time" => Ending::Time,
            _ => plain.ending,
        };
        Some(Self { ending, ..plain })
    }

    /// Formats SGF's `RE`; `black` is the seat of Black.
    #[must_use]
    pub fn to_sgf(self, black: Seat) -> String {
        let reason = match self.ending {
            Ending::Resigned => "R",
            Ending::Time => "T",
            _ => "",
        };
        let colour = |seat| if seat == black { "B" } else { "W" };
        let won = |seat| format!("{}+{reason}", colour(seat));
        self.winner.map_or("0".to_owned(), won)
    }

    /// Parses GGF's `RE`; `None` for other text, such as `?`.
    #[must_use]
    pub fn from_ggf(text: &str) -> Option<Self> {
        let (score, flag) = text.split_once(':').unwrap_or((text, ""));
        let score: f64 = score.trim().parse().ok()?;
        let winner = match score {
            _ if score > 0.0 => Some(0),
            _ if score < 0.0 => Some(1),
            _ if score == 0.0 => None,
            _ => return None,
        };
        let ending = match flag.trim() {
            "r" => Ending::Resigned,
            "t" => Ending::Time,
            "s" => Ending::Agreed,
            "l" => Ending::Awarded,
            _ => Self::from_winner(winner).ending,
        };
        Some(Self { ending, winner })
    }

    /// Formats GGF's `RE`; the winner's score is all `squares`.
    #[must_use]
    pub fn to_ggf(self, squares: usize) -> String {
        let flag = match self.ending {
            Ending::Resigned => "r",
            Ending::Time => "t",
            Ending::Agreed | Ending::Limit => "s",
            Ending::Awarded | Ending::Played => "l",
        };
        match self.winner {
            Some(0) => format!("+{squares}:{flag}"),
            Some(_) => format!("-{squares}:{flag}"),
            None => format!("0:{flag}"),
        }
    }

    /// Payoff of each seat.
    #[must_use]
    pub fn payoffs(self) -> Payoffs {
        self.winner.map_or(DRAW, win_for)
    }

    /// Checks that the payoffs `other` have the same winner; `whose` introduces them in the error.
    ///
    /// # Errors
    /// If the winners differ.
    pub fn check_winner(self, other: Payoffs, whose: &str) -> Result<(), String> {
        let winner = |payoffs: Payoffs| match payoffs {
            payoffs if payoffs == win_for(0) => "a win of the first side",
            payoffs if payoffs == win_for(1) => "a win of the second side",
            _ => "a draw",
        };
        if self.payoffs() == other {
            return Ok(());
        }
        let (own, other) = (winner(self.payoffs()), winner(other));
        Err(format!("the result is {own}, {whose} {other}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(result: Option<StatedResult>) -> Option<(&'static str, Option<Seat>)> {
        result.map(|result| (result.ending.name(), result.winner))
    }

    #[test]
    fn results_of_sgf_are_read_and_written() {
        for (text, expected) in [
            ("B+R", Some(("resigned", Some(1)))),
            ("w+Resign", Some(("resigned", Some(0)))),
            ("B+T", Some(("time", Some(1)))),
            (" W+Time ", Some(("time", Some(0)))),
            ("W+F", Some(("awarded", Some(0)))),
            ("B+", Some(("awarded", Some(1)))),
            ("B", Some(("awarded", Some(1)))),
            ("W+12.5", Some(("awarded", Some(0)))),
            ("0", Some(("agreed", None))),
            ("Draw", Some(("agreed", None))),
            ("Void", None),
            ("?", None),
            ("", None),
            ("x+R", None),
        ] {
            let read = StatedResult::from_sgf(text, 1);
            assert_eq!(parts(read), expected, "{text}");
            let again = read.and_then(|read| StatedResult::from_sgf(&read.to_sgf(1), 1));
            assert_eq!(again, read, "{text}");
        }
    }

    #[test]
    fn results_of_ggf_are_read_and_written() {
        for (text, expected) in [
            ("+64.00:r", Some(("resigned", Some(0)))),
            ("-2:r", Some(("resigned", Some(1)))),
            ("-64.000:t", Some(("time", Some(1)))),
            ("0.000:s", Some(("agreed", None))),
            ("+4.00:s", Some(("agreed", Some(0)))),
            ("+1:l", Some(("awarded", Some(0)))),
            ("14", Some(("awarded", Some(0)))),
            ("0", Some(("agreed", None))),
            ("-0.00:t", Some(("time", None))),
            ("?", None),
            ("", None),
            ("nan:r", None),
        ] {
            let read = StatedResult::from_ggf(text);
            assert_eq!(parts(read), expected, "{text}");
            let again = read.and_then(|read| StatedResult::from_ggf(&read.to_ggf(64)));
            assert_eq!(again, read, "{text}");
        }
    }

    #[test]
    fn a_result_fits_the_moves_or_not() {
        let white = StatedResult::by_resignation(0);
        assert_eq!(white.check_winner(win_for(1), "the moves"), Ok(()));
        let problem = white.check_winner(DRAW, "the moves lead to").unwrap_err();
        assert_eq!(
            problem,
            "the result is a win of the second side, the moves lead to a draw"
        );
    }
}
