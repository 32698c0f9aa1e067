//! Alea as an engine in the line protocols that other programs speak: GTP, TCGA, UBGI and NBoard.
//!
//! A protocol hears lines and says lines; where they come from and go to is the caller's business
//! ([`protocol::Outside`]), and what a line may name and cost, too ([`session::Terms`]). Invariant:
//! whatever is heard, what is said is well formed and the session goes on until it is told to quit.

pub mod clock;
pub mod games;
pub mod gtp;
pub mod nboard;
pub mod protocol;
pub mod session;
pub mod sitting;
pub mod tcga;
pub mod ubgi;
