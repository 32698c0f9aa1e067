//! Measuring: match statistics, arena, tournaments, studies of random play, plots and reports.
//!
//! The modules in reading order: each uses only those above it, and the engine.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod statistics;

pub mod arena;

pub mod zero_sum;

pub mod chunks;

pub mod setup_study;

pub mod external;

pub mod tournament;

pub mod sheet;

pub mod playouts;

pub mod suite;

pub mod plot;

pub mod page;

pub mod opening;

pub mod strength;

pub mod search_bench;

pub mod reproduce;

pub mod regret;

pub mod report;

#[cfg(test)]
mod test_players;
