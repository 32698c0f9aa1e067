//! The models as burn modules: what is fitted, checkpointed and exported.
//!
//! Invariant: parameters are made at once, from streams of the project's own generator and in the
//! order of the fields; burn's global generator is never asked.

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
