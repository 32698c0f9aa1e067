//! Exact values of positions with a few stones more than the tables know.
//!
//! A move that takes no stone brings one nearer to its goal, and one that does leaves fewer stones:
//! so the positions that can be reached stand in layers, by stones and then by total progress, and
//! every move leads to a later layer or into the tables. They are listed from the first layer on
//! and valued from the last one back. An outcome that permits a win is worth 1, and what else it
//! permits is not followed. Invariant: a value is a mean of values of the tables, so it errs no more
//! than they do; of the position that is asked about all moves have values.

use super::{Tables, index::progress};
use crate::core::game::Game;
use crate::games::einstein::{GONE, MAX_STONES, Move, MoveList, Position, Standard};

/// More than the total progress of any position.
const LAYERS: usize = 97;
/// Positions of a layer whose look-ups in the tables are made together.
const TOGETHER: usize = 1 << 14;
/// What each move of a position is worth, in list order; 0 for those that were not followed.
type Rated = [f64; 3 * MAX_STONES];

impl Tables {
    /// Every move of a position that is not over, and its value for the side that makes it: from
    /// the tables, or by solving at most `limit` positions with more stones; `None` if that is not
    /// enough.
    ///
    /// # Panics
    /// If `game` is not the game of these tables, which [`Self::answers`] says.
    #[must_use]
    pub fn moves_within(
        &self,
        game: &Standard,
        position: &Position,
        limit: usize,
    ) -> Option<Vec<(Move, f32)>> {
        assert!(
            self.answers(game),
            "tables of one variant do not know another"
        );
        let stones = position.stones() as usize;
        let beyond = stones.saturating_sub(self.stones);
        let mut region = Region {
            game,
            tables: self,
            stones,
            layers: vec![Layer::default(); beyond * LAYERS],
        };
        region.add(position, true);
        let mut found = 1;
        for layer in 0..region.layers.len() {
            let mut positions = std::mem::take(&mut region.layers[layer].positions);
            positions.sort_unstable_by_key(Position::bits);
            positions.dedup();
            found += positions.len();
            if found > limit {
                return None;
            }
            for position in &positions {
                region.add(position, false);
            }
            region.layers[layer].positions = positions;
        }
        for layer in (0..region.layers.len()).rev() {
            let positions = region.layers[layer].positions.chunks(TOGETHER);
            let values = positions.flat_map(|positions| region.values(positions));
            region.layers[layer].values = values.collect();
        }
        let rated = region.rate(std::slice::from_ref(position), true);
        let rated = rated.iter().flatten().map(|&value| value as f32);
        Some(
            game.all_moves(position)
                .iter()
                .copied()
                .zip(rated)
                .collect(),
        )
    }
}

/// Some positions of the same stones and total progress, and, once they are known, their values for
/// the side to move.
#[derive(Clone, Default)]
struct Layer {
    /// Sorted, once they are all there.
    positions: Vec<Position>,
    values: Vec<f64>,
}

/// What can be reached from a position and the tables do not know.
struct Region<'a> {
    game: &'a Standard,
    tables: &'a Tables,
    /// Stones of the first position.
    stones: usize,
    layers: Vec<Layer>,
}

impl Region<'_> {
    /// The layer of a position; `None` where the tables know it.
    fn layer(&self, position: &Position) -> Option<usize> {
        let stones = position.stones() as usize;
        let sides = [position.mover(), position.other()].into_iter();
        let squares = sides.flat_map(|side| side.squares());
        let squares = squares.filter(|&square| square != GONE);
        (stones > self.tables.stones)
            .then(|| (self.stones - stones) * LAYERS + squares.map(progress).sum::<usize>())
    }

    /// Adds what a position leads to; `all` moves of it, or those that matter for its value.
    fn add(&mut self, position: &Position, all: bool) {
        let (game, moves) = (self.game, self.game.all_moves(position));
        follow(game, position, &moves, all, |_, after| {
            if let Some(after) = after
                && let Some(layer) = self.layer(&after)
            {
                self.layers[layer].positions.push(after);
            }
        });
    }

    /// The values of positions whose successors are known.
    fn values(&self, positions: &[Position]) -> Vec<f64> {
        let rated = self.rate(positions, false);
        let value = |(position, rated): (&Position, Rated)| {
            let moves = self.game.all_moves(position);
            let outcomes = self.game.outcomes(position, &moves);
            let value = outcomes.iter().map(|outcome| {
                // Whole sixths: weights have no more than seven digits.
                (f64::from(outcome.weight) * 6.0).round()
                    * rated[outcome.run()].iter().copied().fold(0.0, f64::max)
            });
            value.sum::<f64>() / 6.0
        };
        positions.iter().zip(rated).map(value).collect()
    }

    fn rate(&self, positions: &[Position], all: bool) -> Vec<Rated> {
        let game = self.game;
        let mut queried = Vec::new();
        for position in positions {
            follow(
                game,
                position,
                &game.all_moves(position),
                all,
                |_, after| {
                    queried.extend(after.filter(|after| self.layer(after).is_none()));
                },
            );
        }
        let mut found_values = vec![None; queried.len()];
        self.tables.values(&queried, &mut found_values);
        let mut found_values = found_values.into_iter();
        let rate = |position: &Position| {
            let mut rated = [0.0; 3 * MAX_STONES];
            follow(
                game,
                position,
                &game.all_moves(position),
                all,
                |move_index, after| {
                    rated[move_index] = 1.0
                        - after.map_or(0.0, |after| match self.layer(&after) {
                            None => found_values.next().flatten().map_or(f64::NAN, f64::from),
                            Some(layer) => self.layers[layer].value(&after),
                        });
                },
            );
            rated
        };
        positions.iter().map(rate).collect()
    }
}

impl Layer {
    fn value(&self, position: &Position) -> f64 {
        let found = self
            .positions
            .binary_search_by_key(&position.bits(), Position::bits);
        found.map_or(f64::NAN, |move_index| self.values[move_index])
    }
}

/// Visits moves by their places in the list, with what they lead to, nothing where they win: all of
/// them, or those that win or that an outcome permits which permits no win.
fn follow(
    game: &Standard,
    position: &Position,
    moves: &MoveList,
    all: bool,
    mut visit: impl FnMut(usize, Option<Position>),
) {
    let win = |move_index: usize| game.urgency(position, moves[move_index]) == 3;
    let mut relevant = [all; 3 * MAX_STONES];
    for outcome in game.outcomes(position, moves).iter() {
        if !outcome.run().any(win) {
            relevant[outcome.run()].fill(true);
        }
    }
    for (move_index, &mv) in moves.iter().enumerate() {
        if win(move_index) {
            visit(move_index, None);
        } else if relevant[move_index] {
            visit(move_index, Some(game.play(position, mv)));
        }
    }
}
