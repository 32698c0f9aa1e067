//! Trainable models as burn modules.
//!
//! Invariant: parameters are initialized from streams of the project's own generator in the order
//! of the fields, never from burn's global generator.

pub mod fused;

#[cfg(feature = "burn")]
pub(crate) mod network;

#[cfg(feature = "burn")]
pub(crate) mod ntuple;

pub mod online;
mod prefetch;
#[cfg(feature = "burn")]
pub(crate) mod tensors;

#[cfg(feature = "burn")]
use tensors::{bag, parameter, uniform, values};
