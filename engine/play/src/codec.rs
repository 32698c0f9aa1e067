//! Binary encoding and symmetries of positions.

use super::position_text::GameText;

/// Binary encoding and symmetries of a game's positions; by default their text, and the identity
/// alone.
pub trait Codec: GameText {
    /// Appends the encoding of a position; different positions have different bytes.
    fn encode(&self, position: &Self::Position, bytes: &mut Vec<u8>) {
        let text = self.format_position(position, None);
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.into_bytes());
    }

    /// Decodes a position at the front of `bytes`, and removes it.
    fn decode(&self, bytes: &mut &[u8]) -> Result<Self::Position, String> {
        let split = bytes.split_first_chunk();
        let split = split
            .and_then(|(&length, rest)| rest.split_at_checked(u32::from_le_bytes(length) as usize));
        let (text, rest) = split.ok_or("the text of a position is cut off")?;
        let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
        let (position, _) = self
            .parse_position(text)
            .map_err(|error| error.to_string())?;
        *bytes = rest;
        Ok(position)
    }

    /// Number of symmetries that preserve values, including the identity.
    fn symmetries(&self) -> usize {
        1
    }

    /// Image of a position under a symmetry, 0 being the identity.
    fn transform_position(&self, position: &Self::Position, symmetry: usize) -> Self::Position {
        let _ = symmetry;
        *position
    }

    /// Number of a chance outcome's image: it allows the images of the moves that `outcome` allows.
    fn transform_outcome(&self, outcome: u8, symmetry: usize) -> u8 {
        let _ = symmetry;
        outcome
    }

    /// Number of a move's image, unique in the position, and the symmetry of positions after the
    /// move; `None` if moves have no numbers.
    fn transform_move(&self, mv: Self::Move, symmetry: usize) -> Option<(u32, usize)> {
        let _ = (mv, symmetry);
        None
    }

    /// Swaps colours and side to move, which preserves outcomes, move numbers and value; no change
    /// if rules treat seats differently.
    fn swap_colours(&self, position: &Self::Position) -> Self::Position {
        *position
    }

    /// Whether a position or an image of it is reserved for tests and must not be trained on.
    fn is_held_out(&self, position: &Self::Position) -> bool {
        let _ = position;
        false
    }
}
