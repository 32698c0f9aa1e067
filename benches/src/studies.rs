//! Studies of EinStein: positions and set-ups, published tables and the searches they used.
//!
//! Nobody needs to read them to understand the rest; the modules in reading order.

pub mod setups;

pub mod zero_sum;

pub mod setup_study;

pub mod playouts;

pub mod suite;

pub mod opening;

pub mod strength;

pub mod search_bench;

pub mod reproduce;

pub mod regret;

pub mod results;
