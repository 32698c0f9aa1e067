//! What protocols have to know of each game beyond [`Playable`].

use engine::games::{
    einstein::Standard, havannah::Havannah, reversi::Reversi, reversixt::ReversiXt,
};
use engine::play::playable::Playable;

/// A game as protocols speak of it.
pub trait ProtocolGame: Playable {
    /// What a Monte-Carlo search that is to prove something is told besides.
    const PROVING: &'static str = "";

    /// How large the board is, and the parameter that says so, if there are several.
    fn size(&self) -> Option<(usize, &'static str)> {
        None
    }

    /// A move in the other coordinates that are in use, or (`back`) from there; `None` if there are
    /// none, or that is no move.
    fn on_grid(&self, mv: &str, back: bool) -> Option<String> {
        let _ = (mv, back);
        None
    }
}

impl ProtocolGame for ReversiXt {}

impl ProtocolGame for Standard {
    const PROVING: &'static str = ", tablebase=4";

    fn size(&self) -> Option<(usize, &'static str)> {
        Some((5, ""))
    }
}

impl ProtocolGame for Reversi {
    const PROVING: &'static str = ", endgame=8";

    fn size(&self) -> Option<(usize, &'static str)> {
        Some((Self::size(self), "size"))
    }
}

impl ProtocolGame for Havannah {
    fn size(&self) -> Option<(usize, &'static str)> {
        Some((self.base(), "base"))
    }

    /// Little Golem counts the numbers of each letter from 1.
    fn on_grid(&self, mv: &str, back: bool) -> Option<String> {
        if mv.eq_ignore_ascii_case("swap") {
            return Some(mv.to_owned());
        }
        let cell = self.parse_cell(mv, back).ok()?;
        Some(match back {
            true => self.cell_name(cell),
            false => self.golem_name(cell),
        })
    }
}
