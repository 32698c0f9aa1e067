//! Batched evaluation of all successors of a position.
//!
//! The tuples of the position in the enemy's perspective are looked up once. A move changes two
//! squares, the square of a stone, and at most the fate of another: only tuples with these cells
//! are looked up again. Captures that also change the mobility of other stones, or the phase, are
//! evaluated as positions of their own. Invariant: batched values have the bits of single ones, as
//! sums are exact.

use super::{EinSteinTuples, NTuple, TupleSet, differences, tuples_by_cell::TuplesByCell};
use crate::games::einstein::{
    MAX_STONES, Move, Position, Standard,
    learned::steps::{LOST, Listed, Logits, Step, Steps},
};
use crate::learned::tuples::{MAX_TUPLES, TupleKernels};

/// Cached moves of a side: most positions of a search differ from the one before in the enemy's
/// stones only.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    steps: Steps,
}

/// Position whose successors are evaluated.
pub(super) struct Parent<'a> {
    pub(super) set: &'a TupleSet,
    pub(super) tuples_by_cell: &'a TuplesByCell,
    /// In the enemy's perspective: stones 0–5 are the enemy's, 6–11 the mover's.
    pub(super) flipped: Position,
    /// For each square in the enemy's perspective the stone on it, from 1; 0 for none. Squares
    /// beyond the board are arbitrary.
    stone_on: [u8; 32],
}

impl Parent<'_> {
    /// Square, in the enemy's perspective, that a step leaves.
    #[inline]
    pub(super) fn left_by(&self, step: Step) -> usize {
        usize::from(
            Standard::GOAL.wrapping_sub(self.flipped.other().square(usize::from(step.stone))) & 31,
        )
    }

    /// Stone that a step captures, from 1; 0 for none.
    #[inline]
    pub(super) fn captured_by(&self, step: Step) -> usize {
        usize::from(self.stone_on[usize::from(step.square & 31)])
    }

    /// Tuples from 64 · `part` on whose rows a step may change, one bit each.
    #[inline]
    pub(super) fn watched_by(&self, step: Step, part: usize) -> u64 {
        let tuples_by_cell = self.tuples_by_cell;
        let squares = tuples_by_cell.of_square[self.left_by(step)][part]
            | tuples_by_cell.of_square[usize::from(step.square & 31)][part];
        if !tuples_by_cell.stones {
            return squares;
        }
        let stone = (MAX_STONES + usize::from(step.stone)) % 16;
        squares
            | tuples_by_cell.of_stone[stone][part]
            | tuples_by_cell.of_loss[self.captured_by(step) % 16][part]
    }
}

/// Value of [`crate::core::evaluator::Evaluator::one_ply`].
#[inline]
pub(super) fn value_successors(
    network: &NTuple,
    game: &Standard,
    position: &Position,
    own: &mut Successors,
) -> f32 {
    if !own.steps.belong_to(position.mover()) {
        own.steps.refill(game, position.mover());
    }
    let mut sums = Logits::default();
    let steps = own.steps.list();
    sums_after(network, position, steps, &mut sums);
    #[cfg(target_arch = "x86_64")]
    if network.set().kernels().are_vectors() {
        return super::vectors::one_ply(network.set(), network.quantized(), &own.steps, &mut sums);
    }
    own.steps
        .one_ply(&mut sums, |sum| network.quantized().win_probability(sum))
}

/// Scores of [`crate::core::evaluator::Evaluator::score_successors`].
#[inline]
pub(super) fn rate_successors(
    network: &NTuple,
    position: &Position,
    moves: &[Move],
    scores: &mut [f32],
) {
    let listed = Listed::new(position, moves, scores);
    let mut sums = Logits::default();
    sums_after(network, position, listed.list(), &mut sums);
    listed.score(&sums, |sum| network.quantized().log_odds(sum), scores);
}

/// The enemy's sum after each step, bias included; [`LOST`] without stones.
#[inline]
fn sums_after(network: &NTuple, position: &Position, steps: &[Step], sums: &mut Logits) {
    let flipped = position.passed();
    let mut parent = Parent {
        set: network.set(),
        tuples_by_cell: &network.set().kernels().tuples_by_cell,
        flipped,
        stone_on: [0; 32],
    };
    for stone in 0..MAX_STONES {
        parent.stone_on[usize::from(flipped.mover().square(stone) & 31)] = stone as u8 + 1;
        let seen_by_enemy = Standard::GOAL.wrapping_sub(flipped.other().square(stone)) & 31;
        // No step goes to the marks of gone stones.
        parent.stone_on[usize::from(seen_by_enemy)] = (stone + MAX_STONES) as u8 + 1;
    }
    changed_sums(network, &parent, steps, sums);
    let sums = &mut sums[..steps.len()];
    if network.set().kernels().tuples_by_cell.mobility
        || network.set().is_phase_limit(flipped.stones() as usize)
    {
        for (&step, sum) in steps
            .iter()
            .zip(sums.iter_mut())
            .filter(|(step, _)| parent.captured_by(**step) != 0)
        {
            *sum = EinSteinTuples::sum(
                network,
                &Position::new(
                    flipped.mover().without(step.square),
                    step.applied_to(flipped.other()),
                    flipped.seat(),
                ),
            );
        }
    }
    if flipped.mover().count() > 1 {
        return;
    }
    let captures = |step| (1..=MAX_STONES).contains(&parent.captured_by(step));
    for (_, sum) in steps.iter().zip(sums).filter(|(step, _)| captures(**step)) {
        *sum = LOST;
    }
}

/// Sums after steps, bias included, which change only cells of the stones that move or are
/// captured.
#[inline]
fn changed_sums(network: &NTuple, parent: &Parent<'_>, steps: &[Step], sums: &mut Logits) {
    #[cfg(target_arch = "x86_64")]
    if network.set().kernels().are_wide() {
        return super::vectors::successors(parent, network.quantized(), steps, sums);
    }
    // Tuples of most sets: less memory to clear.
    const FEW: usize = 64;
    if network.set().tuples() <= FEW {
        differences::successors::<FEW>(parent, network.quantized(), steps, sums);
    } else {
        differences::successors::<MAX_TUPLES>(parent, network.quantized(), steps, sums);
    }
}
