//! Trainable models: CPU training of both families, and the neural network in burn, the reference
//! of its CPU step, which trains on other devices.

#[cfg(feature = "burn")]
pub(crate) mod burn_operations;
mod cache_prefetch;
pub mod cpu;
#[cfg(feature = "burn")]
pub(crate) mod network;
pub mod tuple_optimizer;
