//! Learned evaluators: what games declare of their positions, n-tuple networks and neural networks
//! over it, and their files.

pub mod container;
pub mod files;
pub mod inputs;
pub mod names;
pub mod network;
pub mod tuples;
