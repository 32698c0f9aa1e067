//! Hand-made evaluators of EinStein, one per file, each with its source.

pub mod attack_block_threat;
pub mod farmer_boy;
pub mod greedy;
pub mod mrmonte;
pub mod race;
pub mod race_tables;
pub mod reciprocal;
pub mod schwarz;
pub mod schwarz_odds;
#[cfg(test)]
pub(crate) mod test_support;

use super::Standard;
use alea_play::registry::EvaluatorEntry;

pub(super) static EVALUATORS: [EvaluatorEntry<Standard>; 7] = [
    schwarz_odds::ENTRY,
    race::ENTRY,
    attack_block_threat::ENTRY,
    farmer_boy::ENTRY,
    greedy::ENTRY,
    reciprocal::ENTRY,
    mrmonte::ENTRY,
];
