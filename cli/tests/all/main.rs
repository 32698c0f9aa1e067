//! Tests of the command from outside, in one binary.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

// Transcripts use a Unix shell.
#[cfg_attr(not(unix), allow(dead_code, unused_variables))]
mod shell_transcripts;
mod support;

#[cfg(feature = "test-game")]
mod commands_on_example_game;
#[cfg(unix)]
mod document_transcripts;
mod improve;
mod independent_checks;
mod line_endings;
mod links;
mod parquet;
mod protocols;
#[cfg(target_os = "linux")]
mod resource_limits;
mod same_values;
mod sharding;
#[cfg(target_os = "linux")]
mod untrusted_input;
mod web;
