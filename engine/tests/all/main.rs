//! Tests of the engine from outside. One binary, since each would instantiate the engine again.

#![allow(clippy::unwrap_used, reason = "test helpers outside of test functions")]

mod reference_rules;
mod reference_solver;
mod support;
mod toy_games;

mod allocation;
mod alpha_beta;
mod architecture;
mod backgammon;
mod backgammon_mat;
mod chance_bounds;
mod einstein_rules;
mod evaluators;
mod filtered_star;
mod havannah;
mod learned_parity;
mod mcts;
mod mcts_options;
mod model_files;
mod multi_seat_evaluator;
mod multiplayer_search;
mod notation;
mod openspiel;
mod player_notation;
mod playout_policies;
mod ponder;
mod published_savings;
mod published_values;
mod random_play_statistics;
mod reversi;
mod reversixt;
mod rollouts;
mod search;
mod separate_outcomes;
mod softmax_player;
mod star;
mod star_by_outcome;
mod stop;
mod symmetries;
mod tablebase;
mod tablebase_search;
mod tuple_quantization;
