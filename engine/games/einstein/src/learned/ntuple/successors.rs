//! Batched evaluation of a position's successors: the position is evaluated once in the enemy's
//! perspective, then each move updates the tuples of changed cells. Captures that change other
//! stones' mobility or the phase are evaluated anew.

use super::{EinSteinTupleKernels, NTuple, TupleSet, incremental};
use crate::{
    MAX_STONES, Move, Position, Standard,
    learned::move_logits::{LOST_LOGIT, Logits, NonGoalMoves, SideMove, SideMoves},
};
use alea_learned::tuples::{MAX_TUPLES, TupleKernels};

/// Cache of a side's moves, reused while that side's stones stay the same.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    steps: SideMoves,
}

pub(super) struct Parent<'a> {
    pub(super) set: &'a TupleSet,
    /// The position with the enemy to move; stones 0–5 are the enemy's, 6–11 the mover's.
    pub(super) flipped: Position,
    /// Stone + 1 on each square in the enemy's perspective, or 0; arbitrary off the board.
    stone_on: [u8; 32],
}

impl Parent<'_> {
    #[inline]
    pub(super) fn source_of(&self, step: SideMove) -> usize {
        usize::from(
            Standard::GOAL.wrapping_sub(self.flipped.other().square(usize::from(step.stone))) & 31,
        )
    }

    #[inline]
    pub(super) fn capture_of(&self, step: SideMove) -> usize {
        usize::from(self.stone_on[usize::from(step.square & 31)])
    }
}

#[inline]
pub(super) fn value_successors(
    network: &NTuple,
    game: &Standard,
    position: &Position,
    own: &mut Successors,
) -> f32 {
    if !own.steps.is_for(position.mover()) {
        own.steps.rebuild(game, position.mover());
    }
    let mut sums = Logits::default();
    let steps = own.steps.as_slice();
    successor_sums(network, position, steps, &mut sums);
    own.steps.one_ply(&mut sums, |sum| {
        network.quantized_weights().win_probability(sum)
    })
}

#[inline]
pub(super) fn score_successors(
    network: &NTuple,
    position: &Position,
    moves: &[Move],
    scores: &mut [f32],
) {
    let listed = NonGoalMoves::new(position, moves, scores);
    let mut sums = Logits::default();
    successor_sums(network, position, listed.as_slice(), &mut sums);
    listed.score(
        &sums,
        |sum| network.quantized_weights().log_odds(sum),
        scores,
    );
}

/// Writes the enemy's sum after each move, bias included; [`LOST_LOGIT`] if no enemy stone is left.
#[inline]
fn successor_sums(network: &NTuple, position: &Position, steps: &[SideMove], sums: &mut Logits) {
    let flipped = position.pass_turn();
    let mut parent = Parent {
        set: network.tuple_set(),
        flipped,
        stone_on: [0; 32],
    };
    for stone in 0..MAX_STONES {
        parent.stone_on[usize::from(flipped.mover().square(stone) & 31)] = stone as u8 + 1;
        let seen_by_enemy = Standard::GOAL.wrapping_sub(flipped.other().square(stone)) & 31;
        // No step goes to the index of captured stones.
        parent.stone_on[usize::from(seen_by_enemy)] = (stone + MAX_STONES) as u8 + 1;
    }
    incremental_sums(network, &parent, steps, sums);
    let sums = &mut sums[..steps.len()];
    if network.tuple_set().kernels().mobility
        || network
            .tuple_set()
            .is_phase_boundary(flipped.num_stones() as usize)
    {
        for (&step, sum) in steps
            .iter()
            .zip(sums.iter_mut())
            .filter(|(step, _)| parent.capture_of(**step) != 0)
        {
            *sum = EinSteinTupleKernels::sum(
                network,
                &Position::new(
                    flipped.mover().without_stone_on(step.square),
                    step.apply_to(flipped.other()),
                    flipped.seat(),
                ),
            );
        }
    }
    if flipped.mover().num_stones() > 1 {
        return;
    }
    let captures = |step| (1..=MAX_STONES).contains(&parent.capture_of(step));
    for (_, sum) in steps.iter().zip(sums).filter(|(step, _)| captures(**step)) {
        *sum = LOST_LOGIT;
    }
}

/// Writes sums that assume that only cells of the moved and captured stones change.
#[inline]
fn incremental_sums(network: &NTuple, parent: &Parent<'_>, steps: &[SideMove], sums: &mut Logits) {
    // Enough for most sets, with less memory to clear.
    const SMALL_SET_TUPLES: usize = 64;
    if network.tuple_set().tuple_count() <= SMALL_SET_TUPLES {
        incremental::successors::<SMALL_SET_TUPLES>(
            parent,
            network.quantized_weights(),
            steps,
            sums,
        );
    } else {
        incremental::successors::<MAX_TUPLES>(parent, network.quantized_weights(), steps, sums);
    }
}
