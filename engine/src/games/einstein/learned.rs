//! What of EinStein is learned: its inputs, its kernels for n-tuples, its network in integers.
//!
//! Model files call it `einstein-5x5`: classic rules and a fair die on the standard board.

pub mod integer_network;
#[cfg(target_arch = "x86_64")]
mod lane_sums;
#[cfg(test)]
mod network_tests;
pub mod ntuple;
mod steps;
pub mod weights;

use super::{
    MAX_STONES, Position, Standard,
    inputs::{self, DenseFeatures},
};
use crate::core::{game::Seat, random::RandomStream};
use crate::learned::inputs::{Cell, CellGroup, Learnable, NamedTuples, TupleKind};
use integer_network::IntegerNetwork;
use ntuple::{EinSteinTuples, View};
use std::ops::RangeInclusive;

/// A network of EinStein.
pub type Network = crate::learned::network::Network<Standard>;

/// What model files call the game.
pub(crate) const MODEL_GAME: &str = "einstein-5x5";

/// The position as a seat sees it: its own stones the mover's.
fn seen_by(position: &Position, seat: Seat) -> Position {
    if seat == position.seat() {
        *position
    } else {
        position.passed()
    }
}

impl Learnable for Standard {
    type Tuples = EinSteinTuples;
    type Dense = DenseFeatures;
    type Integer = IntegerNetwork;
    const PHASES_BY: &'static str = "living stones";
    const OUTCOMES: usize = 6;
    const USUAL_DENSE: &'static [&'static str] =
        &["mobility", "race_summary", "attack", "material"];

    fn as_learned(&self) -> Self {
        Self::default()
    }

    fn model_game(&self) -> String {
        MODEL_GAME.to_owned()
    }

    fn of_model(name: &str) -> Option<Self> {
        (name == MODEL_GAME).then(Self::default)
    }

    fn cells(&self) -> &[CellGroup] {
        &ntuple::GROUPS
    }

    fn look(&self, position: &Position, seat: Seat, symbols: &mut [u8]) {
        let view = View::new(&seen_by(position, seat));
        symbols.copy_from_slice(&view.symbols()[..symbols.len()]);
    }

    fn remaining_range(&self) -> RangeInclusive<usize> {
        2..=2 * MAX_STONES
    }

    fn tuple_sets(&self) -> &'static [NamedTuples<Self>] {
        &ntuple::SETS
    }

    fn cell_image(&self, cell: Cell, symmetry: usize) -> Cell {
        ntuple::image(cell, symmetry)
    }

    fn tuple_kinds(&self, random: &mut RandomStream) -> Vec<TupleKind> {
        ntuple::kinds(random)
    }

    fn network_cells(&self) -> CellGroup {
        ntuple::GROUPS[1]
    }

    #[inline]
    fn sparse(&self, position: &Position, seat: Seat, rows: &mut [u16]) {
        rows.copy_from_slice(&inputs::sparse(&seen_by(position, seat)));
    }

    fn sparse_layout(&self) -> String {
        inputs::SPARSE_LAYOUT.to_owned()
    }
}
