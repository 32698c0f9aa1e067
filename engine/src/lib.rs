//! The engine: rules, search, evaluators and players. Modules are crates, so that a change of one
//! game recompiles only its crate and the list of games.

pub use alea_core as core;
pub use alea_learned as learned;
pub use alea_play as play;
pub use alea_search as search;

pub mod games;
