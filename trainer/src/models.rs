//! Trainable models: CPU training of both families, and the neural network in burn.

#[cfg(feature = "burn")]
pub(crate) mod burn_operations;
mod cache_prefetch;
pub mod cpu;
#[cfg(feature = "burn")]
pub(crate) mod network;
pub mod tuple_optimizer;
