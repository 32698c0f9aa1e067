//! Learned evaluators of EinStein: n-tuple networks, neural networks, and their files.

pub mod integer_network;
pub mod network;
pub mod ntuple;
mod steps;
#[cfg(target_arch = "x86_64")]
mod totals;
pub mod weights;
