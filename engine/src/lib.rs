//! The engine of Alea: rules, chance, search, evaluators and players.
//!
//! The modules are in reading order: each uses only those before it.

// The game model, evaluators, oracles and utilities, on which searches depend.
pub mod core;

pub mod search;

// Players, their notation, the game loop and game records.
pub mod play;

// Learned evaluators and model files.
pub mod learned;

// The games, each with its evaluators.
pub mod games;
