//! What the tests of the evaluators share: random positions, a ply made move by move, and a board
//! that knows nothing of the engine's packed positions, perspectives and tables, so that slow
//! references can be written on it from formulas.
//!
//! Invariant: a board goes in and out by the notation alone; rows and columns count from the upper
//! left corner.

use crate::core::{chance::expectation, evaluator::Evaluator, game::Game};
use crate::games::einstein::{
    MAX_STONES, MoveList, Position, RED, Standard, Variant,
    dice::{DiceStream, RandomStream},
    position::Side,
};
use std::collections::HashMap;

/// The value of a position one ply deep from the value of each successor, as search has it.
pub(crate) fn one_ply_by_successors<E: Evaluator<Standard>>(
    evaluator: &E,
    game: &Standard,
    position: &Position,
) -> f32 {
    let mut moves = MoveList::default();
    game.moves(position, &mut moves);
    let outcomes = game.outcomes(position, &moves);
    let values: Vec<f32> = moves
        .iter()
        .map(|&mv| {
            let next = game.play(position, mv);
            game.payoff(&next, position.seat()).unwrap_or_else(|| {
                let mut cache = E::Cache::default();
                evaluator.refresh(game, &next, &mut cache);
                1.0 - evaluator.value(game, &next, &cache)
            })
        })
        .collect();
    expectation(&outcomes, &values)
}

/// Positions that no game has: any squares, several stones on one, some beyond the board.
pub(crate) fn impossible_positions(count: usize) -> Vec<Position> {
    let mut random = RandomStream::new(91);
    let mut side = |most: usize| Side::new([0; MAX_STONES].map(|_| random.below(most) as u8));
    (0..count)
        .map(|number| {
            Position::new(
                side(32),
                side(if number % 2 == 0 { 32 } else { 4 }),
                number % 2,
            )
        })
        .collect()
}

/// A stone on the board.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stone {
    pub(crate) red: bool,
    /// 1–6.
    pub(crate) label: usize,
    pub(crate) row: i32,
    pub(crate) column: i32,
}

/// All stones and who is to move.
#[derive(Clone, Debug)]
pub(crate) struct Board {
    pub(crate) stones: Vec<Stone>,
    pub(crate) red_to_move: bool,
}

impl Board {
    pub(crate) fn of(game: &Standard, position: &Position) -> Self {
        let text = game.format_position(position, None);
        let mut fields = text.split(' ');
        let mut stones = Vec::new();
        for (row, line) in (0..).zip(fields.next().unwrap().split('/')) {
            for (column, character) in (0..).zip(line.chars()) {
                match character {
                    '1'..='6' => stones.push(Stone {
                        red: true,
                        label: character as usize - '0' as usize,
                        row,
                        column,
                    }),
                    'a'..='f' => stones.push(Stone {
                        red: false,
                        label: 1 + character as usize - 'a' as usize,
                        row,
                        column,
                    }),
                    _ => {}
                }
            }
        }
        Self {
            stones,
            red_to_move: fields.next() == Some("r"),
        }
    }

    pub(crate) fn position(&self, game: &Standard) -> Position {
        let mut rows = vec![vec!['.'; 5]; 5];
        for stone in &self.stones {
            let first = if stone.red { b'1' } else { b'a' };
            rows[stone.row as usize][stone.column as usize] =
                (first + stone.label as u8 - 1) as char;
        }
        let rows: Vec<String> = rows
            .into_iter()
            .map(|row| row.into_iter().collect())
            .collect();
        let text = format!(
            "{} {} -",
            rows.join("/"),
            if self.red_to_move { 'r' } else { 'b' }
        );
        game.parse_position(&text).unwrap().0
    }

    /// The stones of one colour.
    pub(crate) fn side(&self, red: bool) -> Vec<Stone> {
        self.stones
            .iter()
            .copied()
            .filter(|stone| stone.red == red)
            .collect()
    }

    /// The stones of the side to move, and of the other side.
    pub(crate) fn sides(&self) -> (Vec<Stone>, Vec<Stone>) {
        (self.side(self.red_to_move), self.side(!self.red_to_move))
    }

    /// The same board with the other side to move.
    pub(crate) fn passed(&self) -> Self {
        Self {
            red_to_move: !self.red_to_move,
            ..self.clone()
        }
    }

    fn mapped(&self, map: impl Fn(Stone) -> Stone) -> Self {
        Self {
            stones: self.stones.iter().map(|&stone| map(stone)).collect(),
            ..self.clone()
        }
    }

    fn transposed(&self) -> Self {
        self.mapped(|stone| Stone {
            row: stone.column,
            column: stone.row,
            ..stone
        })
    }

    fn relabelled(&self, red: bool) -> Self {
        self.mapped(|stone| Stone {
            label: if stone.red == red {
                7 - stone.label
            } else {
                stone.label
            },
            ..stone
        })
    }

    fn turned(&self) -> Self {
        let turned = self.mapped(|stone| Stone {
            red: !stone.red,
            row: 4 - stone.row,
            column: 4 - stone.column,
            ..stone
        });
        turned.passed()
    }
}

impl Stone {
    /// King's moves to the goal of the stone's side.
    pub(crate) fn distance(self) -> i32 {
        let goal = if self.red { 4 } else { 0 };
        (self.row - goal).abs().max((self.column - goal).abs())
    }

    /// The squares (row, column) it may step to.
    pub(crate) fn steps(self) -> Vec<(i32, i32)> {
        let sign = if self.red { 1 } else { -1 };
        [(0, 1), (1, 0), (1, 1)]
            .into_iter()
            .map(|(down, right)| (self.row + sign * down, self.column + sign * right))
            .filter(|(row, column)| (0..5).contains(row) && (0..5).contains(column))
            .collect()
    }
}

/// The labels that a face permits among the living ones.
pub(crate) fn permitted_labels(variant: Variant, living: &[usize], face: usize) -> Vec<usize> {
    if living.contains(&face) {
        return vec![face];
    }
    let lower = living.iter().copied().filter(|&label| label < face).max();
    let higher = living.iter().copied().filter(|&label| label > face).min();
    let mut labels: Vec<usize> = lower.into_iter().chain(higher).collect();
    if variant == Variant::NearestOnly {
        let nearest = labels
            .iter()
            .map(|label| label.abs_diff(face))
            .min()
            .unwrap();
        labels.retain(|label| label.abs_diff(face) == nearest);
    }
    labels
}

/// Distributions of the number of own turns, by recursion over lists of (label, distance).
pub(crate) struct SlowRace<'a> {
    pub(crate) game: &'a Standard,
    known: HashMap<Vec<(usize, i32)>, Vec<f64>>,
}

impl<'a> SlowRace<'a> {
    pub(crate) fn new(game: &'a Standard) -> Self {
        Self {
            game,
            known: HashMap::new(),
        }
    }

    /// Probability of needing exactly 0, 1, … turns, up to 20.
    pub(crate) fn distribution(&mut self, stones: &[Stone]) -> Vec<f64> {
        let mut list: Vec<(usize, i32)> = stones
            .iter()
            .map(|stone| (stone.label, stone.distance()))
            .collect();
        list.sort_unstable();
        self.solve(list)
    }

    fn solve(&mut self, list: Vec<(usize, i32)>) -> Vec<f64> {
        if let Some(known) = self.known.get(&list) {
            return known.clone();
        }
        let mut total = vec![0.0; 21];
        if list.iter().any(|&(_, distance)| distance == 0) {
            total[0] = 1.0;
            return total;
        }
        let living: Vec<usize> = list.iter().map(|&(label, _)| label).collect();
        for face in 1..=usize::from(self.game.die().faces()) {
            let mut best: Option<Vec<f64>> = None;
            for label in permitted_labels(self.game.variant(), &living, face) {
                let next = list
                    .iter()
                    .map(|&(other, distance)| (other, distance - i32::from(other == label)))
                    .collect();
                let rest = self.solve(next);
                if best
                    .as_ref()
                    .is_none_or(|best| mean(&rest) < mean(best) - 1e-12)
                {
                    best = Some(rest);
                }
            }
            for (turns, probability) in best.unwrap().iter().enumerate().take(20) {
                total[turns + 1] += self.game.die().probability(face as u8) * probability;
            }
        }
        self.known.insert(list, total.clone());
        total
    }
}

/// Mean of a distribution over 0, 1, 2, …
pub(crate) fn mean(distribution: &[f64]) -> f64 {
    distribution
        .iter()
        .enumerate()
        .map(|(turns, probability)| turns as f64 * probability)
        .sum()
}

/// At least `count` positions that are not over, met in random games from random set-ups.
pub(crate) fn random_positions(game: &Standard, seed: u64, count: usize) -> Vec<Position> {
    let mut random = RandomStream::new(seed);
    let mut dice = DiceStream::new(seed + 1, game.die());
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut position = game.random_start(&mut random, RED);
        while game.winner(&position).is_none() {
            positions.push(position);
            let legal = game.legal_moves(&position, dice.roll());
            position = game.play(&position, legal[random.below(legal.len())]);
        }
    }
    positions
}

/// Asserts on random positions that a rating equals a slow one written on the board.
pub(crate) fn check_reference(
    game: &Standard,
    rating: impl Fn(&Position) -> f32,
    mut reference: impl FnMut(&Board) -> f64,
) {
    for position in random_positions(game, 5, 600) {
        let (fast, slow) = (
            f64::from(rating(&position)),
            reference(&Board::of(game, &position)),
        );
        assert!(
            (fast - slow).abs() <= 1e-5 * slow.abs().max(1.0),
            "{}: {fast} but {slow}",
            game.format_position(&position, None)
        );
    }
}

/// Asserts that a rating is the same on the transposed board, with either side's labels reversed
/// (fair die only) and after a half turn that swaps the sides.
pub(crate) fn check_symmetries(game: &Standard, rating: impl Fn(&Position) -> f32) {
    for position in random_positions(game, 6, 400) {
        let board = Board::of(game, &position);
        assert_eq!(board.position(game), position);
        let expected = rating(&position);
        for same in [
            board.transposed(),
            board.relabelled(true),
            board.relabelled(false),
            board.turned(),
        ] {
            let same = same.position(game);
            let found = rating(&same);
            assert!(
                (found - expected).abs() <= 1e-5 * expected.abs().max(1.0),
                "{} {expected}, {} {found}",
                game.format_position(&position, None),
                game.format_position(&same, None)
            );
        }
    }
}

/// Asserts that passing the turn negates a score.
pub(crate) fn check_antisymmetry(game: &Standard, score: impl Fn(&Position) -> f32) {
    for position in random_positions(game, 7, 400) {
        let passed = Board::of(game, &position).passed().position(game);
        assert!(
            (score(&position) + score(&passed)).abs() < 1e-5,
            "{}",
            game.format_position(&position, None)
        );
    }
}
