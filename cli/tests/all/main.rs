//! Tests of the command from outside, in one binary.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod console;
mod support;

mod data;
mod links;
#[cfg(target_os = "linux")]
mod memory;
mod positions;
mod protocols;
mod shards;
mod test_game;
mod texts;
#[cfg(unix)]
mod transcripts;
#[cfg(target_os = "linux")]
mod trust;
mod web;
