//! Learned evaluators of EinStein: feature slots, n-tuple kernels, network features and kernels.
//!
//! Model files call the game `einstein-5x5`: classic rules and a fair die on the standard board.

#[cfg(target_arch = "x86_64")]
mod lane_sums;
pub mod network;
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "what its kernels use")
)]
pub mod ntuple;
mod steps;
pub mod weights;

use super::{MAX_STONES, Position, Standard};
use crate::core::{game::Seat, random::RandomStream};
use crate::learned::{
    inputs::{Cell, CellGroup, Learnable, NamedTuples, TupleCandidates},
    name_set::NameSet,
};
use network::{
    EinSteinNetwork,
    inputs::{self, FeatureGroup},
};
use ntuple::EinSteinTuples;
use std::ops::{Range, RangeInclusive};

pub use network::Network;

/// Name of the game in model files.
pub(crate) const MODEL_GAME: &str = "einstein-5x5";

/// The position in a seat's perspective: its own stones as the mover's.
fn seen_by(position: &Position, seat: Seat) -> Position {
    if seat == position.seat() {
        *position
    } else {
        position.passed()
    }
}

impl Learnable for Standard {
    type Tuples = EinSteinTuples;
    type Network = EinSteinNetwork;
    type Group = FeatureGroup;
    const PHASE_UNIT: &'static str = "living stones";
    const DEFAULT_FEATURES: &'static [FeatureGroup] = &[
        FeatureGroup::Mobility,
        FeatureGroup::Turns,
        FeatureGroup::Alive,
    ];

    fn training_rules(&self) -> Self {
        Self::default()
    }

    fn model_name(&self) -> String {
        MODEL_GAME.to_owned()
    }

    fn from_model_name(name: &str) -> Option<Self> {
        (name == MODEL_GAME).then(Self::default)
    }

    fn cells(&self) -> &[CellGroup] {
        &ntuple::GROUPS
    }

    fn write_symbols(&self, position: &Position, seat: Seat, symbols: &mut [u8]) {
        let seen = ntuple::symbols(&seen_by(position, seat));
        symbols.copy_from_slice(&seen[..symbols.len()]);
    }

    fn remaining_range(&self) -> RangeInclusive<usize> {
        2..=2 * MAX_STONES
    }

    fn tuple_sets(&self) -> &'static [NamedTuples<Self>] {
        &ntuple::SETS
    }

    fn transform_cell(&self, cell: Cell, symmetry: usize) -> Cell {
        ntuple::image(cell, symmetry)
    }

    fn tuple_candidates(&self, random: &mut RandomStream) -> Vec<TupleCandidates> {
        ntuple::kinds(random)
    }

    fn feature_slots(&self, groups: NameSet<FeatureGroup>) -> Vec<Range<usize>> {
        inputs::runs(groups)
    }

    #[inline]
    fn active_features(
        &self,
        groups: NameSet<FeatureGroup>,
        position: &Position,
        seat: Seat,
        rows: &mut [u16],
    ) {
        inputs::fill(groups, &seen_by(position, seat), rows);
    }

    fn feature_schema(&self, groups: NameSet<FeatureGroup>) -> String {
        inputs::layout(groups)
    }
}
