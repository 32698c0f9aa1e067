//! Tests of the engine from outside, in one binary: each would instantiate the engine again.

#![allow(clippy::unwrap_used, reason = "test helpers outside of test functions")]

mod exact_solver;
mod reference;
mod support;
mod toy_games;

mod allocation;
mod architecture;
mod chance;
mod evaluators;
mod exact;
mod havannah;
mod images;
mod mcts;
mod mcts_options;
mod model_files;
mod notation;
mod perfect_play;
mod players;
mod policies;
mod ponder;
mod published;
mod published_savings;
mod quantized_weights;
mod random_play;
mod reversi;
mod reversixt;
mod rollouts;
mod rules;
mod search;
mod seats;
mod star;
mod stop;
mod tablebase;
mod vectors;
