//! Tests of the command from outside, in one binary.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod console;
mod support;

mod columns_game;
mod data;
mod links;
#[cfg(target_os = "linux")]
mod memory;
mod positions;
mod protocols;
mod shards;
mod texts;
#[cfg(unix)]
mod transcripts;
#[cfg(target_os = "linux")]
mod trust;
mod web;
