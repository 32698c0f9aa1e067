//! `Codec`: positions as bytes, and symmetries of positions and moves.

use super::game_text::GameText;

/// A game whose positions have a binary form and images under symmetries.
///
/// Every item has a default: the text of a position as its bytes, and the identity as the only
/// symmetry. Decoding the bytes of a position gives the same position.
pub trait Codec: GameText {
    /// Appends the canonical bytes of a position.
    fn encode(&self, position: &Self::Position, bytes: &mut Vec<u8>) {
        let text = self.format_position(position, None);
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.into_bytes());
    }

    /// Decodes a position and removes its bytes from the front.
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

    /// Number of symmetries that preserve the value of every position, the identity included.
    fn symmetries(&self) -> usize {
        1
    }

    /// The image of a position under a symmetry below [`Codec::symmetries`]; 0 is the identity.
    fn transform_position(&self, position: &Self::Position, symmetry: usize) -> Self::Position {
        let _ = symmetry;
        *position
    }

    /// The number of the outcome whose allowed moves in the image are the images of the moves that
    /// `outcome` allows.
    fn transform_outcome(&self, outcome: u8, symmetry: usize) -> u8 {
        let _ = symmetry;
        outcome
    }

    /// The number of a move's image, unique in its position, and the symmetry of the positions
    /// after it; `None` if the game numbers no moves, so that no two of its games count as images.
    fn transform_move(&self, mv: Self::Move, symmetry: usize) -> Option<(u32, usize)> {
        let _ = (mv, symmetry);
        None
    }

    /// The position with colours and the seat to move swapped, if the rules treat seats alike; this
    /// preserves outcomes, numbers of moves and the value. Otherwise the same position.
    fn swap_colours(&self, position: &Self::Position) -> Self::Position {
        *position
    }

    /// Whether a position or an image of it is reserved for tests, so that training excludes it.
    fn is_held_out(&self, position: &Self::Position) -> bool {
        let _ = position;
        false
    }
}
