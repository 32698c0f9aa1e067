//! The games; each is an implementation of [`crate::core::game::Game`].

pub mod einstein;
pub mod havannah;
pub mod reversi;
pub mod reversixt;
