//! What every room may use: the rules of a game as far as search may know them, what follows from
//! that alone, and what has nothing to do with games at all.
//!
//! Invariant: nothing here names a search, a player or a game.

// A game, its chance, and what positions are worth.
pub mod game;

pub mod chance;

pub mod evaluator;

pub mod calibration;

// What a simulation ends with.
pub mod leaf;

pub mod search_game;

// Exact knowledge, as far as a search asks for it.
pub mod oracle;

// When an answer is wanted at once.
pub mod limits;

// What samples say of a mean.
pub mod moments;

// What a game leaves behind.
pub mod record;

pub(crate) mod arrays;
pub(crate) mod bits;

// Randomness, and files that appear complete or not at all.
pub mod random;

pub mod files;

pub mod pages;

pub mod memory;

pub mod mapping;

pub mod shutdown;

// What long work has done so far.
pub mod journal;

// Which of it a process does.
pub mod task_slice;

pub mod clock;

// Instructions that inner loops are compiled for.
pub mod simd;

// Lines, and what is wrong with a text.
pub mod text;
