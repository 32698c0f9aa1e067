//! All tests of the command from outside, in one program.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

mod data;
mod gate;
mod improve;
#[cfg(unix)]
mod interruptions;
mod matches;
mod network;
mod pipeline;
mod positions;
mod protocols;
mod refusals;
mod regret;
mod report;
mod search_bench;
mod shards;
mod studies;
mod tables;
mod train;
#[cfg(unix)]
mod transcripts;
mod web;
