//! EinStein's n-tuple networks (Chu et al., TAAI 2017), with SIMD kernels for one position or all
//! its successors.

mod cells;
mod incremental;
mod mobility;
mod sets;
#[cfg(target_arch = "x86_64")]
mod simd;
mod successors;
mod symbols;
mod tuple_blocks;

pub(crate) use cells::{CELL_GROUPS, transform_cell};
pub(crate) use sets::{SETS, candidates};
pub use successors::Successors;

use crate::{Move, Position, Standard};
use alea_core::simd::{Instructions, SimdLevel};
use alea_learned::inputs::Cell;
use alea_learned::tuples::{TupleKernels, TupleNetwork, sum_by_rows};
use cells::{CELLS, MOBILE_START, OWNERS_START, SQUARES, SQUARES_START, STONES};
use symbols::Symbols;
use tuple_blocks::SimdLayout;

/// An n-tuple network for EinStein.
pub type NTuple = TupleNetwork<Standard>;

/// A set of EinStein's tuples.
pub type TupleSet = alea_learned::tuples::TupleSet<Standard>;

pub(crate) fn symbols(position: &Position) -> [u8; CELLS] {
    #[cfg(target_arch = "x86_64")]
    if let Some(symbols) = simd::symbols(position) {
        return symbols;
    }
    *Symbols::new(position).symbols()
}

/// SIMD kernels of EinStein's n-tuple networks.
#[derive(Clone, Debug)]
pub struct EinSteinTupleKernels {
    plan: SimdLayout,
    /// Whether any tuple has square, distance or alive cells.
    stones: bool,
    owners: bool,
    mobility: bool,
    instructions: Instructions,
}

impl EinSteinTupleKernels {
    #[inline]
    fn uses_simd(&self) -> bool {
        self.instructions != Instructions::PORTABLE
    }
}

impl TupleKernels<Standard> for EinSteinTupleKernels {
    type Cache = Successors;
    const BATCHES_SUCCESSORS: bool = true;

    fn new(tuples: &[Vec<Cell>], bases: &[u32]) -> Self {
        let any = |first: usize, count: usize| {
            let mut cells = tuples.iter().flatten();
            cells.any(|cell| (first..first + count).contains(&cell.index()))
        };
        Self {
            plan: SimdLayout::new(tuples, bases),
            stones: any(SQUARES_START, 3 * STONES),
            owners: any(OWNERS_START, SQUARES),
            mobility: any(MOBILE_START, SQUARES),
            instructions: Instructions::PORTABLE,
        }
        .with_instructions(Instructions::detect())
    }

    fn with_instructions(&self, instructions: Instructions) -> Self {
        Self {
            instructions: instructions.widest_of(&[SimdLevel::Avx2]),
            ..self.clone()
        }
    }

    fn row_indices(set: &TupleSet, position: &Position, out: &mut [u32]) {
        #[cfg(target_arch = "x86_64")]
        if set.kernels().uses_simd() {
            return simd::table_rows(set, position, out);
        }
        let view = if set.kernels().plan.has_compact_alphabet() {
            Symbols::new(position)
        } else {
            Symbols::without_compact(position)
        };
        set.rows_from_view(position, view.symbols(), out);
    }

    fn sum(network: &NTuple, position: &Position) -> i32 {
        #[cfg(target_arch = "x86_64")]
        if network.tuple_set().kernels().uses_simd() {
            let quantized_weights = network.quantized_weights();
            return quantized_weights.bias
                + simd::weight_sum(network.tuple_set(), position, &quantized_weights.weights);
        }
        sum_by_rows(network, position)
    }

    fn one_ply(
        network: &NTuple,
        game: &Standard,
        position: &Position,
        cache: &mut Successors,
    ) -> f32 {
        successors::value_successors(network, game, position, cache)
    }

    fn score_successors(
        network: &NTuple,
        _: &Standard,
        position: &Position,
        moves: &[Move],
        scores: &mut [f32],
    ) {
        successors::score_successors(network, position, moves, scores);
    }
}

#[cfg(test)]
mod tests;
