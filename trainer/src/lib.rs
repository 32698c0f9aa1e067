//! Self-play records, and the fitting of evaluators to them with burn.
//!
//! The modules in reading order: each uses only those above it. The blank lines keep the order.

mod error;

pub use error::Error;

// Records: how they are kept, and the games that fill them.
pub mod codec;

pub mod shard;

pub mod label;

mod manifest;

pub mod selfplay;

// Sets of records: looked at, checked, made of one another.
pub mod data;

pub mod calibrate;

// What is asked for, of what, and where.
pub mod config;

pub mod sample;

pub mod dataset;

pub mod loader;

pub mod batch;

#[cfg(feature = "burn")]
mod backend;

// What is fitted.
pub mod models;

// What is seen while it runs, and what comes of it.
pub mod curve;

pub mod progress;

#[cfg(feature = "burn")]
mod export;

mod reports;

#[cfg(feature = "burn")]
pub mod fit;
#[cfg(not(feature = "burn"))]
#[path = "no_fit.rs"]
pub mod fit;

// Which tuples to fit at all.
pub mod tuples;
