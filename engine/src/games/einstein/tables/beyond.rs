//! Exact values of positions with a few stones more than the tables.
//!
//! A move without capture brings a stone nearer to its goal, one with a capture leaves fewer
//! stones: so the reachable positions form layers, by stones and then by total progress, and every
//! move leads to a later layer or into the tables. Layers are listed forwards and valued backwards;
//! an outcome that allows a win is worth 1 without further search. Invariant: a value is a mean of
//! table values, so its error is at most theirs; in the first position all moves have values.

use super::{Tables, index::progress};
use crate::core::{game::Game, search_game::SearchHints};
use crate::games::einstein::{GONE, MAX_STONES, Move, MoveList, Position, Standard};

/// Bound of a position's total progress.
const LAYERS: usize = 97;
/// Positions of a layer whose table probes are batched.
const TOGETHER: usize = 1 << 14;
/// Value of each move in list order; 0 for unsearched ones.
type Rated = [f64; 3 * MAX_STONES];

impl Tables {
    /// All moves of an unfinished position with their values for the side that makes them: from the
    /// tables, or by solving at most `limit` positions with more stones; `None` beyond the limit.
    ///
    /// # Panics
    ///
    /// If `game` is not the game of these tables ([`Self::answers`]).
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

/// Positions of equal stones and total progress, and later their values for the side to move.
#[derive(Clone, Default)]
struct Layer {
    /// Sorted once complete.
    positions: Vec<Position>,
    values: Vec<f64>,
}

/// Positions reachable from one, beyond the tables.
struct Region<'a> {
    game: &'a Standard,
    tables: &'a Tables,
    /// Stones of the first position.
    stones: usize,
    layers: Vec<Layer>,
}

impl Region<'_> {
    /// Layer of a position; `None` within the tables.
    fn layer(&self, position: &Position) -> Option<usize> {
        let stones = position.stones() as usize;
        let sides = [position.mover(), position.other()].into_iter();
        let squares = sides.flat_map(|side| side.squares());
        let squares = squares.filter(|&square| square != GONE);
        (stones > self.tables.stones)
            .then(|| (self.stones - stones) * LAYERS + squares.map(progress).sum::<usize>())
    }

    /// Adds the successors of a position: of `all` moves, or of those that matter for its value.
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

    /// Values of positions whose successors have values.
    fn values(&self, positions: &[Position]) -> Vec<f64> {
        let rated = self.rate(positions, false);
        let value = |(position, rated): (&Position, Rated)| {
            let moves = self.game.all_moves(position);
            let outcomes = self.game.outcomes(position, &moves);
            let value = outcomes.iter().map(|outcome| {
                // Sixths; weights have no more than seven digits.
                (f64::from(outcome.weight) * 6.0).round()
                    * rated[outcome.move_range()]
                        .iter()
                        .copied()
                        .fold(0.0, f64::max)
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

/// Visits moves by index with their successors, `None` where they win: `all` of them, or those that
/// win or belong to an outcome without a win.
fn follow(
    game: &Standard,
    position: &Position,
    moves: &MoveList,
    all: bool,
    mut visit: impl FnMut(usize, Option<Position>),
) {
    let win = |move_index: usize| game.move_class(position, moves[move_index]) == 3;
    let mut relevant = [all; 3 * MAX_STONES];
    for outcome in game.outcomes(position, moves).iter() {
        if !outcome.move_range().any(win) {
            relevant[outcome.move_range()].fill(true);
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
