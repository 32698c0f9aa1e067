//! Solves positions with a few more stones than the tables have.
//!
//! Every move adds progress or removes a stone, so the reachable positions form layers: listed
//! forwards, solved backwards. Errors do not exceed those of the tables.

use super::{Tables, index::steps_from_start};
use crate::{GONE, MAX_STONES, Move, MoveList, Position, Standard};
use alea_core::{game::Game, search_game::SearchHints};

/// Layers per number of stones: twelve stones have a total progress of at most 96.
const MAX_LAYERS: usize = 97;
const BATCH_SIZE: usize = 1 << 14;
type MoveValues = [f64; 3 * MAX_STONES];

impl Tables {
    /// All moves of an unfinished position, with the mover's win probability; `None` if more than
    /// `limit` positions outside the tables are needed. Panics unless [`Self::matches_rules`].
    pub fn solve_moves_within(
        &self,
        game: &Standard,
        position: &Position,
        limit: usize,
    ) -> Option<Vec<(Move, f32)>> {
        assert!(
            self.matches_rules(game),
            "tables of one variant do not know another"
        );
        let stones = position.num_stones() as usize;
        let outside = stones.saturating_sub(self.stones);
        let mut extension = Extension {
            game,
            tables: self,
            stones,
            layers: vec![Layer::default(); outside * MAX_LAYERS],
        };
        extension.add_successors(position, true);
        let mut found = 1;
        for layer in 0..extension.layers.len() {
            let mut positions = std::mem::take(&mut extension.layers[layer].positions);
            positions.sort_unstable_by_key(Position::bits);
            positions.dedup();
            found += positions.len();
            if found > limit {
                return None;
            }
            for position in &positions {
                extension.add_successors(position, false);
            }
            extension.layers[layer].positions = positions;
        }
        for layer in (0..extension.layers.len()).rev() {
            let positions = extension.layers[layer].positions.chunks(BATCH_SIZE);
            let values = positions.flat_map(|positions| extension.values(positions));
            extension.layers[layer].values = values.collect();
        }
        let values_of_moves = extension.move_values(std::slice::from_ref(position), true);
        let values_of_moves = values_of_moves.iter().flatten().map(|&value| value as f32);
        Some(
            game.all_moves(position)
                .iter()
                .copied()
                .zip(values_of_moves)
                .collect(),
        )
    }
}

#[derive(Clone, Default)]
struct Layer {
    positions: Vec<Position>,
    values: Vec<f64>,
}

struct Extension<'a> {
    game: &'a Standard,
    tables: &'a Tables,
    stones: usize,
    layers: Vec<Layer>,
}

impl Extension<'_> {
    fn layer_index(&self, position: &Position) -> Option<usize> {
        let stones = position.num_stones() as usize;
        let sides = [position.mover(), position.other()].into_iter();
        let squares = sides.flat_map(|side| side.squares());
        let squares = squares.filter(|&square| square != GONE);
        (stones > self.tables.stones).then(|| {
            (self.stones - stones) * MAX_LAYERS + squares.map(steps_from_start).sum::<usize>()
        })
    }

    fn add_successors(&mut self, position: &Position, all: bool) {
        let (game, moves) = (self.game, self.game.all_moves(position));
        visit_moves(game, position, &moves, all, |_, after| {
            if let Some(after) = after
                && let Some(layer) = self.layer_index(&after)
            {
                self.layers[layer].positions.push(after);
            }
        });
    }

    fn values(&self, positions: &[Position]) -> Vec<f64> {
        let values_of_moves = self.move_values(positions, false);
        let value = |(position, values_of_moves): (&Position, MoveValues)| {
            let moves = self.game.all_moves(position);
            let outcomes = self.game.outcomes(position, &moves);
            let value = outcomes.iter().map(|outcome| {
                // Exact sixths: single-precision weights have only seven digits.
                (f64::from(outcome.weight) * 6.0).round()
                    * values_of_moves[outcome.move_range()]
                        .iter()
                        .copied()
                        .fold(0.0, f64::max)
            });
            value.sum::<f64>() / 6.0
        };
        positions.iter().zip(values_of_moves).map(value).collect()
    }

    fn move_values(&self, positions: &[Position], all: bool) -> Vec<MoveValues> {
        let game = self.game;
        let mut queried = Vec::new();
        for position in positions {
            visit_moves(
                game,
                position,
                &game.all_moves(position),
                all,
                |_, after| {
                    queried.extend(after.filter(|after| self.layer_index(after).is_none()));
                },
            );
        }
        let mut found_values = vec![None; queried.len()];
        self.tables.values(&queried, &mut found_values);
        let mut found_values = found_values.into_iter();
        let rate = |position: &Position| {
            let mut values_of_moves = [0.0; 3 * MAX_STONES];
            visit_moves(
                game,
                position,
                &game.all_moves(position),
                all,
                |move_index, after| {
                    values_of_moves[move_index] = 1.0
                        - after.map_or(0.0, |after| match self.layer_index(&after) {
                            None => found_values.next().flatten().map_or(f64::NAN, f64::from),
                            Some(layer) => self.layers[layer].value(&after),
                        });
                },
            );
            values_of_moves
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

/// `visit` gets each move's index and successor (`None` for a win); unless `all`, moves whose every
/// roll also allows an immediate win are skipped.
fn visit_moves(
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
