//! A position of Havannah as a picture.
use super::{Havannah, Position};
pub(super) fn text(game: &Havannah, position: &Position) -> String {
    game.format_position(position)
}
pub(super) fn svg(game: &Havannah, position: &Position) -> String {
    game.format_position(position)
}
