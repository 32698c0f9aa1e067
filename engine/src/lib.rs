//! The engine of Alea: rules, chance, search, evaluators and players.
//!
//! The rooms in reading order: each uses only those above it.

// What search may know of a game, and what follows from that alone.
pub mod core;

pub mod search;

// Learned weights, and how they are kept in files.
pub mod learned;

// The games, each with its evaluators.
pub mod games;

// Who plays, what a game leaves behind, and the one game loop.
pub mod play;
