//! The hand-made evaluators of EinStein, one a file, each with its source.

pub mod any;
pub mod attack_block_threat;
pub mod farmer_boy;
pub mod greedy;
pub mod mrmonte;
pub mod open_dice;
pub mod race;
pub mod race_tables;
pub mod random;
pub mod reciprocal;
pub mod schwarz;
pub mod schwarz_odds;
#[cfg(test)]
pub(crate) mod test_support;
