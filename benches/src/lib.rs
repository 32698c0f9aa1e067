//! Measuring: matches and their statistics, plots and reports of any game, and studies of one.
//!
//! The modules in reading order: each uses only those above it, and the engine. Invariant: only
//! [`studies`] names a game.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod error;

pub mod statistics;

pub mod text_table;

pub mod plot;

pub mod page;

pub mod arena;

#[cfg(unix)]
pub mod external;

pub mod studies;

#[cfg(test)]
mod test_faults;
#[cfg(test)]
mod test_players;
