//! Who plays: players, their notation, and the one game loop.

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

// What a game registers under names.
pub(crate) mod properties;

pub(crate) mod sgf;

pub mod registry;

pub mod random;

// How many games there are.
pub mod perft;

pub(crate) mod picture;

// What other programs say of a game's result.
pub mod stated_result;

// What was played, up to symmetry.
pub mod fingerprint;

// A game as a line of text.
pub mod game_line;

pub mod provided;

pub mod rolling;

pub mod searching;

pub mod simple;

pub mod build;

pub mod game_loop;
