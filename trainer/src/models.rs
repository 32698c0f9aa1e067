//! The models as burn modules: what is fitted, checkpointed and exported.

pub mod bag;
