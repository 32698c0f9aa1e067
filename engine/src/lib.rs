//! The engine of Alea: rules, chance, search, evaluators and players.
//!
//! The modules in reading order: each uses only those above it. The blank lines keep the order.

// What search may know of a game, and what follows from that alone.
pub mod game;

pub mod chance;

// Randomness, and the games that are played with it.
pub mod random;

pub mod dice;

pub mod games;

// Files, and what is learned and kept in them.
pub mod files;

pub mod weights;

// What a position is worth: without search, and with it.
pub mod eval;

pub mod search;

// Who plays, what a game leaves behind, and the one game loop.
pub mod player;

pub mod record;

pub mod play;
