//! Trainable models as burn modules.
//!
//! Invariant: parameters are initialized from streams of the project's own generator in the order
//! of the fields, never from burn's global generator.

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
