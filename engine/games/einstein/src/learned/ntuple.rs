//! EinStein's n-tuple networks (Chu et al., TAAI 2017).

mod cells;
mod incremental;
mod mobility;
mod sets;
mod successors;
mod symbols;

pub(crate) use cells::{CELL_GROUPS, transform_cell};
pub(crate) use sets::{SETS, candidates};
pub use successors::Successors;

use crate::{Move, Position, Standard};
use alea_learned::inputs::Cell;
use alea_learned::tuples::{TupleKernels, TupleNetwork};
use cells::{MOBILE_START, OWNERS_START, SQUARES, SQUARES_START, STONES};
pub(crate) use symbols::Symbols;

/// An EinStein n-tuple network.
pub type NTuple = TupleNetwork<Standard>;

/// The tuples of an EinStein n-tuple network.
pub type TupleSet = alea_learned::tuples::TupleSet<Standard>;

/// Inference kernels that update only tuples with cells that a move changes.
#[derive(Clone, Debug)]
pub struct EinSteinTupleKernels {
    /// Whether any tuple has square, distance or alive cells.
    stones: bool,
    owners: bool,
    mobility: bool,
}

impl EinSteinTupleKernels {
    #[inline]
    fn symbols(&self, position: &Position) -> Symbols {
        if self.owners || self.mobility {
            Symbols::new(position)
        } else {
            Symbols::without_compact(position)
        }
    }
}

impl TupleKernels<Standard> for EinSteinTupleKernels {
    type Cache = Successors;
    const BATCHES_SUCCESSORS: bool = true;

    fn new(tuples: &[Vec<Cell>]) -> Self {
        let any = |first: usize, count: usize| {
            let mut cells = tuples.iter().flatten();
            cells.any(|cell| (first..first + count).contains(&cell.index()))
        };
        Self {
            stones: any(SQUARES_START, 3 * STONES),
            owners: any(OWNERS_START, SQUARES),
            mobility: any(MOBILE_START, SQUARES),
        }
    }

    fn row_indices(set: &TupleSet, position: &Position, out: &mut [u32]) {
        set.rows_from_view(position, set.kernels().symbols(position).symbols(), out);
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
