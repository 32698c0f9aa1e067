//! All tests of the engine from outside, in one program: each would instantiate the engine anew.

#![allow(clippy::unwrap_used, reason = "test helpers outside of test functions")]

// What tests share: slow references, games that are not in the engine, sources read, and small things.
mod exact_solver;
mod games;
mod reference;
mod sources;
mod support;

mod allocation;
mod architecture;
mod chance;
mod exact;
mod havannah;
mod images;
mod mcts;
mod mcts_options;
mod notation;
mod perfect_play;
mod players;
mod policies;
mod ponder;
mod published;
mod published_savings;
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
