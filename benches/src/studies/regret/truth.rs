//! What every move of a position is worth: by the endgame tables, or by whoever labelled a suite.
//!
//! Invariant: values are those of the side that makes the move, after it and before the next roll;
//! a move that ends the game is worth exactly 1.

use super::FACES;
use crate::error::Result;
use engine::core::game::{Game, Outcome};
use engine::games::einstein::{MoveList, Position, Standard, tables::Tables};
use rayon::prelude::*;

/// Most moves of a position.
pub(crate) const MOST_MOVES: usize = 18;

/// A position before the roll, all its moves and what they are worth.
#[derive(Clone, Debug)]
pub struct Labelled {
    /// The position.
    pub position: Position,
    /// Every move that some face permits.
    pub moves: MoveList,
    /// The value of each of the moves, in their order; what follows means nothing.
    pub values: [f32; MOST_MOVES],
}

impl Labelled {
    /// The outcomes of the position; faces that permit the same moves are one.
    #[must_use]
    pub fn outcomes(&self, game: &Standard) -> <Standard as Game>::Outcomes {
        game.outcomes(&self.position, &self.moves)
    }

    /// The value of the best move that an outcome permits.
    #[must_use]
    pub fn best(&self, outcome: &Outcome) -> f32 {
        let permitted = self.values[outcome.run()].iter().copied();
        permitted.fold(0.0, f32::max)
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
        let (known, variant) = (tables.stones(), tables.variant());
        let position = game.format_position(position, None);
        format!("the endgame tables know at most {known} stones and these rules as '{variant:?}'; this position is beyond them: {position}").into()
    };
    let answers = tables.answers(game);
    let label = |position: &Position| {
        let known = answers.then(|| label_one(game, tables, position));
        known.flatten().ok_or_else(|| unknown(position))
    };
    positions.par_iter().with_min_len(256).map(label).collect()
}

fn label_one(game: &Standard, tables: &Tables, position: &Position) -> Option<Labelled> {
    let mut labelled = Labelled {
        position: *position,
        moves: MoveList::default(),
        values: [0.0; MOST_MOVES],
    };
    game.moves(position, &mut labelled.moves);
    // The tables are only asked about positions that are not over.
    let (mut asked, mut places, mut count) = ([*position; MOST_MOVES], [0; MOST_MOVES], 0);
    for (place, &mv) in labelled.moves.iter().enumerate() {
        let after = game.play(position, mv);
        match game.payoff(&after, position.seat()) {
            Some(payoff) => labelled.values[place] = payoff,
            None => {
                (asked[count], places[count]) = (after, place);
                count += 1;
            }
        }
    }
    let mut known = [None; MOST_MOVES];
    tables.values(&asked[..count], &mut known[..count]);
    for (value, place) in known.into_iter().zip(places).take(count) {
        labelled.values[place] = 1.0 - value?;
    }
    Some(labelled)
}
