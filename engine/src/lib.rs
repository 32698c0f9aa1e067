//! The engine of Alea: rules, chance, search, evaluators and players.
//!
//! The rooms in reading order: each uses only those above it.

// What search may know of a game, and what follows from that alone.
pub mod core;

pub mod search;

// Who plays, what a game leaves behind, and the one game loop; and what it takes to be played.
pub mod play;

// Learned weights, and how they are kept in files.
pub mod learned;

// The games, each with its evaluators.
pub mod games;
