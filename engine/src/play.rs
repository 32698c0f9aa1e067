//! Players, their notation, the game loop, and the traits of a game for all but search.

pub mod analysis;
pub mod player;

pub mod notation;

// A game for everything but search: small traits, from constants to the bundle.
pub mod game_info;

pub mod rules;

pub mod game_text;

pub mod codec;

pub mod chance_outcomes;

pub mod playable;

// Games as properties: SGF and GGF.
pub(crate) mod properties;

pub(crate) mod sgf;

pub mod registry;

pub mod random;

// Counts of positions by plies.
pub mod perft;

pub(crate) mod picture;

// Results as other programs write them.
pub mod stated_result;

// Hashes of games up to symmetry.
pub mod fingerprint;

// A game as a line of text.
pub mod game_line;

pub mod provided;

pub mod rolling;

pub mod searching;

pub mod simple;

pub mod build;

pub mod game_loop;
