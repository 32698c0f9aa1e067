//! What protocols need of each game beyond [`Playable`].

use engine::games::{
    einstein::Standard, havannah::Havannah, reversi::Reversi, reversixt::ReversiXt,
};
use engine::play::playable::Playable;

/// A game of the protocols.
pub trait ProtocolGame: Playable {
    /// Exact knowledge for a Monte-Carlo search that solves: keys and values of its spec.
    const SOLVE_OPTIONS: &'static [(&'static str, &'static str)] = &[];

    /// The size of the board, and the parameter that sets it, if there are several.
    fn size(&self) -> Option<(usize, &'static str)> {
        None
    }

    /// A move's text in the other coordinates that are in use, if there are any.
    fn format_alt(&self, _mv: &str) -> Option<String> {
        None
    }

    /// The text of a move in the other coordinates.
    fn parse_alt(&self, _mv: &str) -> Option<String> {
        None
    }
}

impl ProtocolGame for ReversiXt {}

impl ProtocolGame for Standard {
    const SOLVE_OPTIONS: &'static [(&'static str, &'static str)] = &[("tablebase", "4")];

    fn size(&self) -> Option<(usize, &'static str)> {
        Some((5, ""))
    }
}

impl ProtocolGame for Reversi {
    const SOLVE_OPTIONS: &'static [(&'static str, &'static str)] = &[("endgame", "8")];

    fn size(&self) -> Option<(usize, &'static str)> {
        Some((Self::size(self), "size"))
    }
}

/// Little Golem numbers the cells of each letter from 1.
impl ProtocolGame for Havannah {
    fn size(&self) -> Option<(usize, &'static str)> {
        Some((self.base(), "base"))
    }

    fn format_alt(&self, mv: &str) -> Option<String> {
        convert(mv, || {
            Some(self.golem_name(self.parse_cell(mv, false).ok()?))
        })
    }

    fn parse_alt(&self, mv: &str) -> Option<String> {
        convert(mv, || Some(self.cell_name(self.parse_cell(mv, true).ok()?)))
    }
}

fn convert(mv: &str, cell: impl FnOnce() -> Option<String>) -> Option<String> {
    match mv.eq_ignore_ascii_case("swap") {
        true => Some(mv.to_owned()),
        false => cell(),
    }
}
