//! Tests of the engine from outside, in one binary: each would instantiate the engine again.

#![allow(clippy::unwrap_used, reason = "test helpers outside of test functions")]

mod exact_solver;
mod reference_rules;
mod support;
mod toy_games;

mod allocation;
mod architecture;
mod chance_bounds;
mod evaluators;
mod exact_values;
mod havannah;
mod symmetries;
mod mcts;
mod mcts_options;
mod model_files;
mod notation;
mod tablebase_search;
mod player_notation;
mod playout_policies;
mod ponder;
mod star_by_outcome;
mod published_savings;
mod tuple_quantization;
mod random_play_statistics;
mod reversi;
mod reversixt;
mod rollouts;
mod einstein_rules;
mod search;
mod multiplayer_search;
mod star;
mod stop;
mod tablebase;
mod openspiel;
