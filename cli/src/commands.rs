//! One file a command.

pub(crate) mod analyse;
pub(crate) mod arena;
pub(crate) mod bench;
pub(crate) mod calibrate;
pub(crate) mod data;
pub(crate) mod evaluate;
pub(crate) mod gate;
pub(crate) mod improve;
pub(crate) mod map;
pub(crate) mod models;
pub(crate) mod moves;
pub(crate) mod network;
pub(crate) mod perft;
pub(crate) mod pipeline;
pub(crate) mod probe;
pub(crate) mod prove;
pub(crate) mod regret;
pub(crate) mod report;
pub(crate) mod reproduce;
pub(crate) mod selfplay;
pub(crate) mod setups;
pub(crate) mod solve;
pub(crate) mod tournament;
pub(crate) mod train;
pub(crate) mod tuples;

/// Most games that one command plays: what is kept of each of them has to fit into memory.
pub(crate) const MOST_GAMES: u64 = 100_000_000;
