//! Learned evaluators: what their files have in common.

pub mod container;
