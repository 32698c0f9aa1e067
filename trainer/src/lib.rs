//! Game records, training samples, and training of evaluators, on the CPU or with burn.
//!
//! Each module uses only those above it; blank lines keep the order.

mod error;

pub use error::Error;

pub mod progress;

// Records and self-play, which produces them.
pub mod codec;

pub mod shard;

pub mod labeller;

mod manifest;

pub mod selfplay;

// Operations on sets of records.
pub mod data;

pub mod calibrate;

pub mod probcut;

// Settings and samples of a training.
pub mod config;

pub mod sample;

pub mod dataset;

pub mod loader;

pub mod batch;

mod backend;

// Models.
pub mod models;

// Output of a training.
mod tensorboard_events;

pub mod curve;

mod export;

mod training_results;

mod training_arguments;

pub mod training;

// Search for tuples.
pub mod tuple_search;
