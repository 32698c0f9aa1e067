//! Tests of the command from outside, in one binary.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod shell_transcripts;
mod support;

mod columns_game;
mod parquet;
mod links;
#[cfg(target_os = "linux")]
mod resource_limits;
mod cross_checks;
mod protocols;
mod sharding;
mod line_endings;
#[cfg(unix)]
mod transcripts;
#[cfg(target_os = "linux")]
mod untrusted_input;
mod web;
