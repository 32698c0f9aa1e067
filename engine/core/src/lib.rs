//! Game model, evaluators, oracles and utilities, independent of any search, player or game.

pub mod game;

pub mod chance;

pub mod evaluator;

pub mod calibration;

pub mod leaf;

pub mod search_game;

pub mod oracle;

pub mod limits;

pub mod moments;

pub mod record;

pub mod arrays;
pub mod bits;

pub mod random;

pub mod files;

pub mod shipped_files;

pub mod pages;

pub mod memory;

pub mod mapping;

pub mod shutdown;

pub mod journal;

pub mod task_slice;

pub mod monotonic_clock;

pub mod simd;

pub mod text;
