//! Analysis board for the browser: a JSON API ([`answer::answer`]) and its HTTP server
//! ([`server`]).
//!
//! Invariant: requests cannot name files, programs or models except the user's own by name, and
//! [`limits::RequestLimits`] bounds their cost.

pub mod answer;
pub mod api_types;
#[cfg(not(target_family = "wasm"))]
mod connections;
pub mod game_names;
#[cfg(not(target_family = "wasm"))]
pub mod gtp_http;
pub mod limits;
#[cfg(not(target_family = "wasm"))]
pub mod page;
pub mod position_values;
pub mod puzzles;
pub mod review;
#[cfg(not(target_family = "wasm"))]
mod search_queue;
#[cfg(not(target_family = "wasm"))]
pub mod server;
mod transcripts;
#[cfg(target_family = "wasm")]
pub mod wasm_api;
