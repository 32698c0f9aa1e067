//! Reference values of all moves of a position, from an oracle or a suite: win probabilities of the
//! side that makes the move, before the next outcome of chance.

use crate::error::{MeasuringError, Result};
use alea_core::{game::Outcome, oracle::Oracle};
use alea_play::playable::Playable;
use std::ops::Range;

/// A position before chance, with the reference values of all its moves.
#[derive(Clone, Debug)]
pub struct Labelled<G: Playable> {
    /// Position before an outcome of chance.
    pub position: G::Position,
    /// All moves that some outcome of chance allows.
    pub moves: Vec<G::Move>,
    /// Win probability after each of `moves`, for the side that makes it.
    pub values: Vec<f32>,
    /// Values by the first and the second half of the rollouts, with mean `values`; equal if exact.
    pub(super) split: [Vec<f32>; 2],
    pub(super) errors: Vec<f32>,
}

impl<G: Playable> Labelled<G> {
    pub(super) fn new(game: &G, position: &G::Position) -> Self {
        let moves = game.legal_moves(position, None).to_vec();
        let zeros = vec![0.0; moves.len()];
        Self {
            position: *position,
            moves,
            values: zeros.clone(),
            split: [zeros.clone(), zeros.clone()],
            errors: zeros,
        }
    }

    /// Outcomes of chance with their ranges of `moves`; outcomes that allow the same moves are
    /// merged.
    #[must_use]
    pub fn outcomes(&self, game: &G) -> G::Outcomes {
        game.outcomes(&self.position, &self.moves)
    }

    /// Value of the best move that `outcome` allows, for the side to move. One half of the rollouts
    /// chooses the move and the other values it; the result is the mean of both ways.
    #[must_use]
    pub fn best_value(&self, outcome: &Outcome) -> f32 {
        let [one, other] = &self.split;
        let crossed = [(one, other), (other, one)];
        let crossed =
            crossed.map(|(chosen, valued)| valued[first_best(chosen, outcome.move_range())]);
        (crossed[0] + crossed[1]) / 2.0
    }

    pub(super) fn loss_error(&self, outcome: &Outcome, index: usize) -> f32 {
        match first_best(&self.values, outcome.move_range()) {
            best if best == index => 0.0,
            best => self.errors[best].hypot(self.errors[index]),
        }
    }

    /// Reference win probability of the side to move, before chance.
    #[must_use]
    pub fn value(&self, game: &G) -> f64 {
        let decisions = decisions_per_position(game);
        self.outcomes(game)
            .iter()
            .map(|outcome| {
                merged_outcome_count(outcome, decisions) / decisions
                    * f64::from(self.best_value(outcome))
            })
            .sum()
    }
}

pub(super) fn decisions_per_position<G: Playable>(game: &G) -> f64 {
    f64::from(game.outcome_numbers().count() as u32)
}

/// Number of a position's `decisions` (one for each face of the die) merged in `outcome`, rounded
/// if almost an integer.
#[must_use]
pub(super) fn merged_outcome_count(outcome: &Outcome, decisions: f64) -> f64 {
    let share = f64::from(outcome.weight) * decisions;
    match share.round() {
        rounded if (share - rounded).abs() < 1e-3 => rounded,
        _ => share,
    }
}

/// Labels positions with the values of all their moves by an oracle; the order is kept.
///
/// # Errors
/// If a position is not covered by the oracle.
pub fn label_exactly<G: Playable>(
    game: &G,
    oracle: &dyn Oracle<G>,
    positions: &[G::Position],
) -> Result<Vec<Labelled<G>>> {
    let unknown = |position: &G::Position| {
        let (rules, position) = (game.notation(), game.format_position(position, None));
        format!("exact knowledge of {rules} does not reach this position: {position}")
    };
    let blocks: Vec<_> = positions.chunks(BLOCK_POSITIONS).collect();
    let labelled = alea_parallel::try_map(blocks.len(), |index| {
        let block = blocks[index];
        let is_unknown = |position: &&G::Position| oracle.value(game, position).is_none();
        label_block(game, oracle, block).ok_or_else(|| {
            MeasuringError::from(unknown(block.iter().find(is_unknown).unwrap_or(&block[0])))
        })
    })?;
    Ok(labelled.concat())
}

const BLOCK_POSITIONS: usize = 1024;

fn label_block<G: Playable>(
    game: &G,
    oracle: &dyn Oracle<G>,
    block: &[G::Position],
) -> Option<Vec<Labelled<G>>> {
    let labelled = block.iter().map(|position| Labelled::new(game, position));
    let mut labelled: Vec<Labelled<G>> = labelled.collect();
    let exact = |requested: &[G::Position]| oracle.values(game, requested).into_iter().collect();
    let (_, rated) = rate_moves(game, &labelled, Vec::new(), exact)?;
    for (labelled, values) in labelled.iter_mut().zip(rated) {
        labelled.split = [values.clone(), values.clone()];
        labelled.values = values;
    }
    Some(labelled)
}

/// Values of `requested` and of all moves of `of`, in one call of `values`, which gets no finished
/// positions. `None` if `values` returns `None`.
pub(super) fn rate_moves<G: Playable>(
    game: &G,
    of: &[Labelled<G>],
    mut requested: Vec<G::Position>,
    values: impl FnOnce(&[G::Position]) -> Option<Vec<f32>>,
) -> Option<(Vec<f32>, Vec<Vec<f32>>)> {
    let (first, mut open) = (requested.len(), Vec::new());
    let zeros = |labelled: &Labelled<G>| vec![0.0; labelled.moves.len()];
    let mut rated: Vec<Vec<f32>> = of.iter().map(zeros).collect();
    for (number, labelled) in of.iter().enumerate() {
        let seat = game.to_move(&labelled.position);
        for (index, &mv) in labelled.moves.iter().enumerate() {
            let after = game.play(&labelled.position, mv);
            match game.payoff(&after, seat) {
                Some(payoff) => rated[number][index] = payoff,
                None => {
                    open.push((number, index, game.to_move(&after) == seat));
                    requested.push(after);
                }
            }
        }
    }
    let mut exact = values(&requested)?;
    for ((number, index, is_own), value) in open.into_iter().zip(exact.drain(first..)) {
        rated[number][index] = if is_own { value } else { 1.0 - value };
    }
    Some((exact, rated))
}

pub(super) fn first_best(values: &[f32], run: Range<usize>) -> usize {
    let start = run.start;
    let better = |best, index| {
        if values[index] > values[best] {
            index
        } else {
            best
        }
    };
    run.fold(start, better)
}
