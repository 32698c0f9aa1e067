//! Rules, search, evaluators and players. Each module is a crate of its own: a change of one game
//! compiles only that game and the list of games again.

pub use alea_core as core;
pub use alea_learned as learned;
pub use alea_play as play;
pub use alea_search as search;

pub mod games;
