//! Analysis board for the browser: positions, values, moves and reviews of games in JSON
//! ([`answer::answer`]), over HTTP ([`server`]).
//!
//! Invariant: a request names no file, program or model, and [`limits::RequestLimits`] bounds its
//! cost.

pub mod answer;
pub mod api_types;
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
pub mod wasm_api;
