//! One file a command.

pub(crate) mod analyse;
pub(crate) mod arena;
pub(crate) mod bench;
pub(crate) mod calibrate;
pub(crate) mod evaluate;
pub(crate) mod models;
pub(crate) mod moves;
pub(crate) mod pipeline;
pub(crate) mod selfplay;
pub(crate) mod tournament;
pub(crate) mod train;
