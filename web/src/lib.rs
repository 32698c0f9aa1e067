//! An analysis board: positions, values, moves and judged games, asked for by JSON.
//!
//! One function, [`answer::answer`], goes from a request to its answer; whoever carries the two,
//! the [`server`] or another program, adds nothing to them. Invariant: a request names no file, no
//! program and no model, and what it may cost is bounded ([`bounds::Bounds`]).

pub mod answer;
pub mod api;
pub mod bounds;
#[cfg(not(target_family = "wasm"))]
mod connections;
#[cfg(not(target_family = "wasm"))]
pub mod exec;
pub mod games;
pub mod judge;
#[cfg(not(target_family = "wasm"))]
pub mod page;
pub mod puzzles;
pub mod rating;
#[cfg(not(target_family = "wasm"))]
pub mod server;
#[cfg(not(target_family = "wasm"))]
mod turns;
#[cfg(target_family = "wasm")]
pub mod worker;
