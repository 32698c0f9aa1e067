//! Players and their notation, the game loop, and the records, texts and traits of games.

pub mod analysis;
pub mod player;

pub mod player_notation;

pub mod game_info;

pub mod own_scale;

pub mod rules;

pub mod points;
pub mod position_text;

pub mod codec;

pub mod chance_sources;

pub mod playable;

pub mod sgf_properties;

pub mod sgf;

pub mod registry;

pub mod random_evaluator;

pub mod multi_seat_evaluator;

pub mod perft;

pub mod drawing_helpers;

pub mod stated_result;

pub mod canonical_game_hash;

pub mod game_jsonl;

pub mod player_plugins;

pub mod rollout_player;

pub mod search_player;

pub mod random_player;

pub mod softmax_player;

pub mod build;

pub mod game_loop;
