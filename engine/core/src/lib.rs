//! Game model, evaluators, oracles and utilities, independent of any search, player or game.

pub mod game;

pub mod chance_bounds;

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

pub mod model_names;

pub mod pages;
pub mod probcut;

pub mod fallible_allocation;

pub mod mapped_file;

pub mod shutdown_cleanup;

pub mod journal;

pub mod job_array;

pub mod monotonic_clock;

pub mod simd;

pub mod text;
