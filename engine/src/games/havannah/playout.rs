//! Playouts of Havannah.
use super::Havannah;
use crate::play::registry::{PlayerEntry, PlayoutEntry};
pub(super) static PLAYERS: [PlayerEntry<Havannah>; 0] = [];
pub(super) static PLAYOUTS: [PlayoutEntry<Havannah>; 0] = [];
