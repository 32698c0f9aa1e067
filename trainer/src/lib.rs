//! Fitting of evaluators from self-play.
//!
//! The modules in reading order: each uses only those above it.

pub mod models;
