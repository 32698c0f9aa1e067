//! What every move of a position is worth: by the endgame tables, or by whoever labelled a suite.
//!
//! Invariant: values are those of the side that makes the move, after it and before the next roll;
//! a move that ends the game is worth exactly 1.

use super::FACES;
use crate::error::Result;
use engine::core::game::{Game, Outcome};
use engine::games::einstein::{MoveList, Position, Standard, tables::Tables};
use rayon::prelude::*;
use std::ops::Range;

/// Most moves of a position.
pub(crate) const MAX_STORED_MOVES: usize = 18;

/// A position before the roll, all its moves and what they are worth.
#[derive(Clone, Debug)]
pub struct Labelled {
    /// The position.
    pub position: Position,
    /// Every move that some face permits.
    pub moves: MoveList,
    /// The value of each of the moves, in their order; what follows means nothing.
    pub values: [f32; MAX_STORED_MOVES],
    /// The values by two halves of the evidence, whose mean they are; the same where they are exact.
    pub(super) split: [[f32; MAX_STORED_MOVES]; 2],
    /// Standard errors of the values; 0 where they are exact.
    pub(super) errors: [f32; MAX_STORED_MOVES],
}

impl Labelled {
    /// A position whose moves have no values yet.
    pub(super) fn new(game: &Standard, position: &Position) -> Self {
        Self {
            position: *position,
            moves: game.all_moves(position),
            values: [0.0; MAX_STORED_MOVES],
            split: [[0.0; MAX_STORED_MOVES]; 2],
            errors: [0.0; MAX_STORED_MOVES],
        }
    }

    /// The outcomes of the position; faces that permit the same moves are one.
    #[must_use]
    pub fn outcomes(&self, game: &Standard) -> <Standard as Game>::Outcomes {
        game.outcomes(&self.position, &self.moves)
    }

    /// The value of the best move that an outcome permits: the best by one half of the evidence, as
    /// the other half values it, both ways.
    #[must_use]
    pub fn best(&self, outcome: &Outcome) -> f32 {
        let [one, other] = &self.split;
        let crossed = [(one, other), (other, one)];
        let crossed =
            crossed.map(|(chosen, valued)| valued[first_best(chosen, outcome.move_range())]);
        (crossed[0] + crossed[1]) / 2.0
    }

    /// The standard error of what a move loses, as far as that of its label and of the best goes.
    pub(super) fn error(&self, outcome: &Outcome, index: usize) -> f32 {
        match first_best(&self.values, outcome.move_range()) {
            best if best == index => 0.0,
            best => self.errors[best].hypot(self.errors[index]),
        }
    }

    /// Win probability of the side to move, before the roll.
    #[must_use]
    pub fn value(&self, game: &Standard) -> f64 {
        self.outcomes(game)
            .iter()
            .map(|outcome| faces(outcome) / FACES * f64::from(self.best(outcome)))
            .sum()
    }
}

/// How many faces of the fair die an outcome stands for: a whole number, which its weight is only
/// up to rounding.
#[must_use]
pub fn faces(outcome: &Outcome) -> f64 {
    (f64::from(outcome.weight) * FACES).round()
}

/// The exact values of all moves of each position, in order.
///
/// # Errors
/// If the tables do not know a position.
pub fn label_exactly(
    game: &Standard,
    tables: &Tables,
    positions: &[Position],
) -> Result<Vec<Labelled>> {
    let unknown = |position: &Position| {
        let (exact, variant) = (tables.stones(), tables.variant());
        let position = game.format_position(position, None);
        format!("the endgame tables know at most {exact} stones and these rules as '{variant:?}'; this position is beyond them: {position}").into()
    };
    let answers = tables.matches_rules(game);
    let blocks = positions.par_chunks(BLOCK).map(|block| {
        let labelled = answers.then(|| label_block(game, tables, block)).flatten();
        let is_unknown = |position: &&Position| tables.value_of(position).is_none() || !answers;
        labelled.ok_or_else(|| unknown(block.iter().find(is_unknown).unwrap_or(&block[0])))
    });
    Ok(blocks.collect::<Result<Vec<_>>>()?.concat())
}

/// Positions whose moves are looked up together.
const BLOCK: usize = 1024;

/// `None` if the tables do not know all of them.
fn label_block(game: &Standard, tables: &Tables, block: &[Position]) -> Option<Vec<Labelled>> {
    let labelled = block.iter().map(|position| Labelled::new(game, position));
    let mut labelled: Vec<Labelled> = labelled.collect();
    let exact = |requested: &[Position]| {
        let mut exact = vec![None; requested.len()];
        tables.values(requested, &mut exact);
        exact.into_iter().collect()
    };
    let (_, rated) = rate_moves(game, &labelled, Vec::new(), exact)?;
    for (labelled, values) in labelled.iter_mut().zip(rated) {
        (labelled.values, labelled.split) = (values, [values; 2]);
    }
    Some(labelled)
}

/// What `values` says of some positions, and what it makes of all moves of others: it is asked
/// about everything together, but never about games that are over. `None` if it does not know.
pub(super) fn rate_moves(
    game: &Standard,
    of: &[Labelled],
    mut requested: Vec<Position>,
    values: impl FnOnce(&[Position]) -> Option<Vec<f32>>,
) -> Option<(Vec<f32>, Vec<[f32; MAX_STORED_MOVES]>)> {
    let (first, mut open) = (requested.len(), Vec::new());
    let mut rated = vec![[0.0; MAX_STORED_MOVES]; of.len()];
    for (number, labelled) in of.iter().enumerate() {
        for (index, &mv) in labelled.moves.iter().enumerate() {
            let after = game.play(&labelled.position, mv);
            match game.payoff(&after, labelled.position.seat()) {
                Some(payoff) => rated[number][index] = payoff,
                None => {
                    requested.push(after);
                    open.push((number, index));
                }
            }
        }
    }
    let mut exact = values(&requested)?;
    for ((number, index), value) in open.into_iter().zip(exact.drain(first..)) {
        rated[number][index] = 1.0 - value;
    }
    Some((exact, rated))
}

/// The first place of the largest value in a run.
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
