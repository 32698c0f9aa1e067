//! The games; each is an implementation of [`crate::game::Game`].

pub mod einstein;
