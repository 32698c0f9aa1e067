//! EinStein for learned evaluators: classic rules and a fair die on the standard board, named
//! `einstein-5x5` in model files.

pub mod model_types;
mod move_logits;
pub mod network;
pub mod ntuple;

use super::{MAX_STONES, Position, Standard};
use alea_core::{game::Seat, random::RandomStream};
use alea_learned::{
    inputs::{Cell, CellGroup, Learnable, NamedTuples, TupleCandidates, TupleInputs},
    named_set::NamedSet,
};
use network::{
    EinSteinNetKernels,
    features::{self, FeatureGroup},
};
use ntuple::EinSteinTupleKernels;
use std::ops::{Range, RangeInclusive};

pub use network::Network;

pub(crate) const MODEL_GAME: &str = "einstein-5x5";

fn from_perspective(position: &Position, seat: Seat) -> Position {
    if seat == position.seat() {
        *position
    } else {
        position.pass_turn()
    }
}

impl Learnable for Standard {
    type Tuples = EinSteinTupleKernels;

    type Network = EinSteinNetKernels;

    type Group = FeatureGroup;

    const DEFAULT_FEATURES: &'static [FeatureGroup] = &[
        FeatureGroup::Mobility,
        FeatureGroup::Turns,
        FeatureGroup::Alive,
    ];

    fn training_rules(&self) -> Self {
        Self::default()
    }

    fn model_game_name(&self) -> String {
        MODEL_GAME.to_owned()
    }

    fn from_model_game_name(name: &str) -> Option<Self> {
        (name == MODEL_GAME).then(Self::default)
    }

    fn feature_slots(&self, groups: NamedSet<FeatureGroup>) -> Vec<Range<usize>> {
        features::feature_slots(groups)
    }

    #[inline]
    fn active_features(
        &self,
        groups: NamedSet<FeatureGroup>,
        position: &Position,
        seat: Seat,
        rows: &mut [u16],
    ) {
        features::fill(groups, &from_perspective(position, seat), rows);
    }

    fn feature_schema(&self, groups: NamedSet<FeatureGroup>) -> String {
        features::layout_text(groups)
    }
}

impl TupleInputs for Standard {
    fn cell_groups(&self) -> &[CellGroup] {
        &ntuple::CELL_GROUPS
    }

    fn write_symbols(&self, position: &Position, seat: Seat, symbols: &mut [u8]) {
        let seen = ntuple::Symbols::new(&from_perspective(position, seat));
        symbols.copy_from_slice(&seen.symbols()[..symbols.len()]);
    }

    fn remaining_range(&self) -> RangeInclusive<usize> {
        2..=2 * MAX_STONES
    }

    fn tuple_sets(&self) -> &'static [NamedTuples<Self>] {
        &ntuple::SETS
    }

    fn transform_cell(&self, cell: Cell, symmetry: usize) -> Cell {
        ntuple::transform_cell(cell, symmetry)
    }

    fn tuple_candidates(&self, random: &mut RandomStream) -> Vec<TupleCandidates> {
        ntuple::candidates(random)
    }
}
