//! Players and their notation, the game loop, and the records, texts and traits of games.

pub mod analysis;
pub mod player;

pub mod notation;

pub mod game_info;

pub mod rules;

pub mod game_text;

pub mod codec;

pub mod chance_outcomes;

pub mod playable;

pub mod properties;

pub mod sgf;

pub mod registry;

pub mod random;

pub mod perft;

pub mod picture;

pub mod stated_result;

pub mod fingerprint;

pub mod game_line;

pub mod plugins;

pub mod rollout_player;

pub mod search_player;

pub mod simple;

pub mod build;

pub mod game_loop;
