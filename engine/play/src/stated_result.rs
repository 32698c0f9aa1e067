//! Results of two-seat games as files state them: in SGF `B+R`, `W+T`, `B+5`, `B+2R` (two points by
//! resignation, as GNU Backgammon writes them), `0`; in GGF, for the first seat, `+64.00:r`.

use super::points::Points;
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
    /// Points of the winner; `None` if they are not stated, and in a draw. Games without points
    /// ignore them.
    pub points: Option<u16>,
}

/// Whole number of a text such as `12` or `64.00`; `None` for other texts.
fn parse_points(text: &str) -> Option<u16> {
    let points: f64 = text.parse().ok()?;
    let is_whole = (0.0..=f64::from(u16::MAX)).contains(&points) && points.fract() == 0.0;
    is_whole.then_some(points as u16)
}

impl StatedResult {
    /// A win of unstated size against `seat`, which resigned.
    #[must_use]
    pub fn by_resignation(seat: Seat) -> Self {
        Self {
            ending: Ending::Resigned,
            winner: Some(1 - seat),
            points: None,
        }
    }

    /// Result of a game with these payoffs; `None` if they are neither a draw nor what a win pays.
    #[must_use]
    pub fn from_payoffs(ending: Ending, payoffs: Payoffs, points: Option<Points>) -> Option<Self> {
        let winner = (0..2).find(|&seat| payoffs[seat] > 0.5);
        let final_points = |seat| Some(points?.final_points(f64::from(payoffs[seat])) as u16);
        let stated = Self {
            ending,
            winner,
            points: winner.and_then(final_points),
        };
        let expected = stated.payoffs(points).into_iter();
        let mut pairs = expected.zip(payoffs);
        // Other programs may round a third in another way.
        let is_equal = pairs.all(|(one, other)| (one - other).abs() < 1e-6);
        is_equal.then_some(stated)
    }

    /// A draw by agreement.
    pub const DRAW: Self = Self {
        ending: Ending::Agreed,
        winner: None,
        points: None,
    };

    fn from_winner(winner: Option<Seat>) -> Self {
        winner.map_or(Self::DRAW, |_| Self {
            ending: Ending::Awarded,
            winner,
            points: None,
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
        let reason = reason.trim();
        let digits = reason.trim_end_matches(['r', 't']);
        let points = parse_points(digits);
        let ending = match reason.strip_prefix(digits).filter(|_| points.is_some()) {
            Some("r") => Ending::Resigned,
            Some("t") => Ending::Time,
            _ => match reason {
                "r" | "resign" => Ending::Resigned,
                "t" | "time" => Ending::Time,
                _ => plain.ending,
            },
        };
        Some(Self {
            ending,
            points,
            ..plain
        })
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
        let points = self.points.map_or(String::new(), |won| won.to_string());
        let won = |seat| format!("{}+{points}{reason}", colour(seat));
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
        let points = parse_points(&score.abs().to_string()).filter(|_| winner.is_some());
        Some(Self {
            ending,
            winner,
            points,
        })
    }

    /// Formats GGF's `RE`; a winner without stated points has all `squares`.
    #[must_use]
    pub fn to_ggf(self, squares: usize) -> String {
        let points = self.points.map_or(squares, usize::from);
        let flag = match self.ending {
            Ending::Resigned => "r",
            Ending::Time => "t",
            Ending::Agreed | Ending::Limit => "s",
            Ending::Awarded | Ending::Played => "l",
        };
        match self.winner {
            Some(0) => format!("+{points}:{flag}"),
            Some(_) => format!("-{points}:{flag}"),
            None => format!("0:{flag}"),
        }
    }

    /// Payoff of each seat; `points` are those of the game, if it has any.
    #[must_use]
    pub fn payoffs(self, points: Option<Points>) -> Payoffs {
        let Some(winner) = self.winner else {
            return DRAW;
        };
        let mut payoffs = win_for(winner);
        if let Some(points) = points {
            let won = self.points.map_or(points.default_win, f64::from);
            // Payoffs of two seats add up to 1 exactly.
            payoffs[winner] = points.to_payoff(won.min(points.max)) as f32;
            payoffs[1 - winner] = 1.0 - payoffs[winner];
        }
        payoffs
    }

    /// Checks that the payoffs `other` have the same winner; `whose` introduces them in the error.
    ///
    /// # Errors
    /// If the winners differ.
    pub fn check_winner(self, other: Payoffs, whose: &str) -> Result<(), String> {
        let winner = |payoffs: Payoffs| match payoffs {
            [first, ..] if first > 0.5 => "a win of the first side",
            [first, ..] if first < 0.5 => "a win of the second side",
            _ => "a draw",
        };
        let (own, other) = (winner(self.payoffs(None)), winner(other));
        if own == other {
            return Ok(());
        }
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
            ("W+2R", Some(("resigned", Some(0)))),
            ("B+12", Some(("awarded", Some(1)))),
            ("B+3t", Some(("time", Some(1)))),
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

    const POINTS: Points = Points {
        unit: "points",
        max: 3.0,
        default_win: 1.0,
        results: &[],
    };

    #[test]
    fn stated_points_are_paid() {
        let won = |text| StatedResult::from_sgf(text, 0).unwrap();
        let points = ["B+R", "B+1R", "B+2R", "B+3", "B+9", "W+2R", "0"].map(|text| {
            let payoffs = won(text).payoffs(Some(POINTS));
            assert_eq!(payoffs[0] + payoffs[1], 1.0, "{text}");
            POINTS.final_points(payoffs[0].into())
        });
        assert_eq!(points, [1.0, 1.0, 2.0, 3.0, 3.0, -2.0, 0.0]);
        assert_eq!(won("B+2R").payoffs(None), win_for(0));
        for text in ["B+1R", "W+2T", "B+3", "0"] {
            let (ending, payoffs) = (won(text).ending, won(text).payoffs(Some(POINTS)));
            let again = StatedResult::from_payoffs(ending, payoffs, Some(POINTS));
            assert_eq!(again, Some(won(text)), "{text}");
            let plain = StatedResult::from_payoffs(ending, won(text).payoffs(None), None);
            let unpaid = StatedResult {
                points: None,
                ..won(text)
            };
            assert_eq!(plain, Some(unpaid), "{text}");
        }
        let mut half = DRAW;
        half[0] = 0.75;
        assert_eq!(StatedResult::from_payoffs(Ending::Agreed, half, None), None);
    }

    #[test]
    fn a_result_fits_the_moves_or_not() {
        let white = StatedResult::by_resignation(0);
        assert_eq!(white.check_winner(win_for(1), "the moves"), Ok(()));
        let by_points = white.payoffs(Some(POINTS));
        let black = StatedResult::by_resignation(1);
        assert_eq!(white.check_winner(by_points, "the moves"), Ok(()));
        assert!(black.check_winner(by_points, "the moves").is_err());
        let problem = white.check_winner(DRAW, "the moves lead to").unwrap_err();
        assert_eq!(
            problem,
            "the result is a win of the second side, the moves lead to a draw"
        );
    }
}
