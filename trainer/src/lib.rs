//! Fitting of evaluators from self-play, with burn.
//!
//! The modules in reading order: each uses only those above it.

// What is asked for, of what, and where.
pub mod config;

pub mod sample;

pub mod backend;

// What is fitted.
pub mod models;

// What is seen while it runs.
pub mod curve;

pub mod progress;

// From samples to a model file.
pub mod export;

pub mod fit;
