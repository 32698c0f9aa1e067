//! An analysis board: positions, values, moves and reviews of games, requested as JSON.
//!
//! [`answer::answer`] turns a request into its answer; the [`server`] and other transports pass both on
//! unchanged. Invariant: a request names no file, no program and no model, and its cost is limited
//! ([`limits::RequestLimits`]).

pub mod answer;
pub mod api;
#[cfg(not(target_family = "wasm"))]
mod connections;
pub mod games;
#[cfg(not(target_family = "wasm"))]
pub mod gtp_http;
pub mod limits;
pub mod move_values;
#[cfg(not(target_family = "wasm"))]
pub mod page;
pub mod puzzles;
pub mod review;
#[cfg(not(target_family = "wasm"))]
mod search_queue;
#[cfg(not(target_family = "wasm"))]
pub mod server;
#[cfg(target_family = "wasm")]
pub mod worker;
