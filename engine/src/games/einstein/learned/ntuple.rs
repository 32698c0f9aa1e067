//! EinStein's n-tuples: cells, named sets, and kernels for one position or all its successors.
//!
//! Source: for EinStein Chu et al. (TAAI 2017). Invariant: the bits of
//! [`crate::learned::tuples::GenericKernels`].

mod cell;
mod differences;
mod mobility;
mod plan;
mod sets;
mod successors;
mod tuples_by_cell;
#[cfg(target_arch = "x86_64")]
mod vectors;
mod view;

pub(crate) use cell::{GROUPS, image};
pub(crate) use sets::{SETS, kinds};
pub use successors::Successors;

use crate::core::simd::{Instructions, Level};
use crate::games::einstein::{Move, Position, Standard};
use crate::learned::inputs::Cell;
use crate::learned::tuples::{TupleKernels, TupleNetwork, sum_by_rows};
use cell::CELLS;
use plan::Plan;
use tuples_by_cell::TuplesByCell;
use view::View;

/// N-tuple network of EinStein.
pub type NTuple = TupleNetwork<Standard>;

/// Tuple set of EinStein.
pub type TupleSet = crate::learned::tuples::TupleSet<Standard>;

/// Symbols of all cells of a position, by cell index.
pub(crate) fn symbols(position: &Position) -> [u8; CELLS] {
    #[cfg(target_arch = "x86_64")]
    if let Some(symbols) = vectors::symbols(position) {
        return symbols;
    }
    *View::new(position).symbols()
}

/// Kernel data of EinStein's tuples.
#[derive(Clone, Debug)]
pub struct EinSteinTuples {
    plan: Plan,
    tuples_by_cell: Box<TuplesByCell>,
    instructions: Instructions,
}

impl EinSteinTuples {
    fn with_instructions(&self, instructions: Instructions) -> Self {
        Self {
            // AVX-512 here needs byte permutations.
            instructions: instructions.among(&[Level::Avx2, Level::Avx512Vbmi]),
            ..self.clone()
        }
    }

    #[inline]
    fn are_vectors(&self) -> bool {
        self.instructions != Instructions::PORTABLE
    }

    /// Whether the instructions are AVX-512 with byte permutations.
    #[inline]
    fn are_wide(&self) -> bool {
        self.instructions.level() == Level::Avx512Vbmi
    }
}

impl TupleSet {
    /// The set with other instructions; all give the same rows.
    #[must_use]
    pub fn with_instructions(self, instructions: Instructions) -> Self {
        let kernels = self.kernels().with_instructions(instructions);
        self.with_kernels(kernels)
    }
}

impl NTuple {
    /// The network with other instructions; all give the same bits.
    #[must_use]
    pub fn with_instructions(self, instructions: Instructions) -> Self {
        let kernels = self.set().kernels().with_instructions(instructions);
        self.with_kernels(kernels)
    }
}

impl TupleKernels<Standard> for EinSteinTuples {
    type Cache = Successors;
    const BATCHES_SUCCESSORS: bool = true;

    fn new(tuples: &[Vec<Cell>], bases: &[u32]) -> Self {
        Self {
            plan: Plan::new(tuples, bases),
            tuples_by_cell: Box::new(TuplesByCell::new(tuples)),
            instructions: Instructions::PORTABLE,
        }
        .with_instructions(Instructions::detect())
    }

    #[inline]
    fn rows(set: &TupleSet, position: &Position, out: &mut [u32]) {
        #[cfg(target_arch = "x86_64")]
        if set.kernels().are_vectors() {
            return vectors::rows(set, position, out);
        }
        let view = if set.kernels().plan.is_reduced() {
            View::new(position)
        } else {
            View::plain(position)
        };
        set.rows_from_view(position, view.symbols(), out);
    }

    #[inline]
    fn sum(network: &NTuple, position: &Position) -> i32 {
        #[cfg(target_arch = "x86_64")]
        if network.set().kernels().are_vectors() {
            let quantized_weights = network.quantized();
            return quantized_weights.bias
                + vectors::sum(network.set(), position, &quantized_weights.weights);
        }
        sum_by_rows(network, position)
    }

    #[inline]
    fn one_ply(
        network: &NTuple,
        game: &Standard,
        position: &Position,
        cache: &mut Successors,
    ) -> f32 {
        successors::value_successors(network, game, position, cache)
    }

    #[inline]
    fn score_successors(
        network: &NTuple,
        _: &Standard,
        position: &Position,
        moves: &[Move],
        scores: &mut [f32],
    ) {
        successors::rate_successors(network, position, moves, scores);
    }
}

#[cfg(test)]
mod tests;
