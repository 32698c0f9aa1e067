//! What protocols have to know of each game beyond [`Playable`].

use engine::games::{
    einstein::Standard, havannah::Havannah, reversi::Reversi, reversixt::ReversiXt,
};
use engine::play::playable::Playable;

/// A game as protocols speak of it.
pub trait Spoken: Playable {
    /// The parameter that says how large the board is, if there are several.
    const SIZED_BY: Option<&'static str> = None;

    /// What a Monte-Carlo search that is to prove something is told besides.
    const PROVING: &'static str = "";

    /// How large the board is; `None` if no number says that.
    fn size(&self) -> Option<usize>;

    /// A move in the other coordinates that are in use, or (`back`) from there; `None` if there are
    /// none, or that is no move.
    fn on_grid(&self, mv: &str, back: bool) -> Option<String> {
        let _ = (mv, back);
        None
    }
}

impl Spoken for Standard {
    const PROVING: &'static str = "tablebase=4";

    fn size(&self) -> Option<usize> {
        Some(5)
    }
}

impl Spoken for Reversi {
    const SIZED_BY: Option<&'static str> = Some("size");
    const PROVING: &'static str = "endgame=8";

    fn size(&self) -> Option<usize> {
        Some(Self::size(self))
    }
}

impl Spoken for ReversiXt {
    fn size(&self) -> Option<usize> {
        None
    }
}

impl Spoken for Havannah {
    const SIZED_BY: Option<&'static str> = Some("base");

    fn size(&self) -> Option<usize> {
        Some(self.base())
    }

    /// Little Golem counts the numbers of each letter from 1.
    fn on_grid(&self, mv: &str, back: bool) -> Option<String> {
        if mv.eq_ignore_ascii_case("swap") {
            return Some(mv.to_owned());
        }
        let letter = mv.chars().next()?.to_ascii_lowercase();
        let (column, number) = (u32::from(letter).checked_sub(u32::from('a'))?, mv.get(1..)?);
        let number: u32 = number.parse().ok()?;
        let before = (column + 1).saturating_sub(self.base() as u32);
        let number = match back {
            true => number.checked_add(before)?,
            false => number.checked_sub(before).filter(|&number| number > 0)?,
        };
        Some(format!("{letter}{number}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Base 4 has the letters a to g; the column of the middle, d, has numbers 1 to 7, and the last
    /// one, g, those from 4 on.
    #[test]
    fn little_golem_counts_from_one() {
        let game = Havannah::new(4, false);
        for (ours, golem) in [("d7", "d7"), ("e2", "e1"), ("g4", "g1"), ("g7", "g4")] {
            assert_eq!(game.on_grid(ours, false).as_deref(), Some(golem));
            assert_eq!(game.on_grid(golem, true).as_deref(), Some(ours));
        }
        assert_eq!(game.on_grid("swap", true).as_deref(), Some("swap"));
        for wrong in ["", "g", "4", "é1", "g3"] {
            assert_eq!(game.on_grid(wrong, false), None, "{wrong}");
        }
    }
}
