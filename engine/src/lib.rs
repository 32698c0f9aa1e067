//! The engine of Alea: rules, chance, search, evaluators and players.
//!
//! The modules in reading order: each uses only those above it. The blank lines keep the order.

// What search may know of a game, and what follows from that alone.
pub mod game;

pub mod chance;

// Exact knowledge, as far as a search asks for it.
pub mod oracle;

// Randomness, and the games that are played with it.
pub mod random;

pub mod dice;

pub mod games;

// Files that appear complete or not at all.
pub mod files;

// Exact endgames.
pub mod tablebase;

// What a position is worth: without search, learned weights read from files, and with search.
pub mod eval;

pub mod weights;

pub mod search;

// Who plays, what a game leaves behind, and the one game loop.
pub mod player;

pub mod record;

pub mod play;
