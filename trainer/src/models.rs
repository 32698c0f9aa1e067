//! Trainable models in burn, and their faster CPU training. Initial weights come from the crate's
//! random streams, never from burn's global generator.

pub mod cpu;

#[cfg(feature = "burn")]
pub(crate) mod network;

#[cfg(feature = "burn")]
pub(crate) mod ntuple;

mod prefetch;
#[cfg(feature = "burn")]
pub(crate) mod tensors;
pub mod tuple_optimizer;

#[cfg(feature = "burn")]
use tensors::{embedding_bag, parameter, uniform, values};
