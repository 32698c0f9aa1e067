//! The engine of Alea: rules, chance, search, evaluators and players.
//!
//! The modules are in reading order: each uses only those before it.

pub mod core;

pub mod search;

pub mod play;

pub mod learned;

pub mod games;
