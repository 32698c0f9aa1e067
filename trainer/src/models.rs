//! Trainable models: CPU training of both families, and the neural network in burn.

#[cfg(feature = "burn")]
pub(crate) mod burn_network;
#[cfg(feature = "burn")]
pub(crate) mod burn_operations;
mod cache_prefetch;
pub mod cpu;
pub(crate) mod result_loss;
pub mod tuple_optimizer;
