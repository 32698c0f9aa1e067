//! The engine of Alea: rules, chance, search, evaluators and players.
//!
//! The modules in reading order: each uses only those above it.

pub mod chance;
pub mod dice;
pub mod eval;
pub mod files;
pub mod game;
pub mod games;
pub mod play;
pub mod player;
pub mod record;
pub mod search;
pub mod weights;
