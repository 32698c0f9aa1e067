//! Comparison of players: matches, tournaments and leagues with statistics, reports and plots;
//! regret against reference values; other programs as players.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod error;

mod progress_bar;

pub mod statistics;

pub mod text_table;

pub mod plot;

pub mod document;

pub mod matches;

pub mod pipeline_report;

pub mod tournament;

pub mod league;

pub mod command_line;

#[cfg(unix)]
pub mod external;

pub mod setup_starts;

pub mod regret;

pub mod results_report;

#[cfg(test)]
mod journal_fault_injection;
#[cfg(test)]
mod test_players;
