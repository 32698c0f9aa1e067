//! Test support of the evaluators: random positions, one-ply references, and a plain board parsed
//! from a position's text alone.

use crate::{
    MAX_STONES, Move, Position, RED, Standard, Variant,
    dice::{DiceStream, Die, RandomStream},
    position::Side,
};
use alea_core::{
    chance_bounds::expectation,
    evaluator::{Evaluator, Score},
    game::Game,
};
use std::collections::HashMap;

pub(crate) fn position(text: &str) -> Position {
    Standard::default().parse_position(text).unwrap().0
}

pub(crate) fn test_rules() -> [Standard; 2] {
    let die = Die::with_weights(&[0.1, 0.3, 0.05, 0.05, 0.3, 0.2]).unwrap();
    [
        Standard::default(),
        Standard::new(Variant::NearestOnly, die),
    ]
}

pub(crate) fn chi_squared(counts: &[u32]) -> f64 {
    let expected = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
    let deviation = |&count: &u32| (f64::from(count) - expected).powi(2) / expected;
    counts.iter().map(deviation).sum()
}

pub(crate) fn check_board(
    rating: impl Fn(&Position) -> f32,
    tolerance: f32,
    expected: &[(&str, f32)],
) {
    for (text, expected) in expected {
        let found = rating(&position(text));
        assert!((found - expected).abs() < tolerance, "{text}: {found}");
    }
}

pub(crate) fn reference_one_ply<E: Evaluator<Standard>>(
    evaluator: &E,
    game: &Standard,
    position: &Position,
) -> f32 {
    let moves = game.all_moves(position);
    let outcomes = game.outcomes(position, &moves);
    let values: Vec<f32> = moves
        .iter()
        .map(|&mv| {
            let next = game.play(position, mv);
            game.payoff(&next, position.seat())
                .unwrap_or_else(|| 1.0 - evaluator.value_of(game, &next))
        })
        .collect();
    expectation(&outcomes, &values)
}

/// Checks that a score is minus the successor's log odds, or infinite for a win.
pub(crate) fn check_scores(
    evaluator: &impl Evaluator<Standard>,
    game: &Standard,
    position: &Position,
    moves: &[Move],
    log_odds: impl Fn(&Position) -> f32,
) {
    let mut scores = vec![f32::NAN; moves.len()];
    evaluator.score_successors(game, position, moves, &mut scores);
    for (&mv, score) in moves.iter().zip(scores) {
        let next = game.play(position, mv);
        let expected = match game.winner(&next) {
            Some(_) => f32::INFINITY,
            None => -log_odds(&next),
        };
        assert_eq!(score, expected, "{position:?} {mv:?}");
    }
}

/// The position after an enemy move without a capture, the mover still to move; `None` if every
/// such move ends the game.
pub(crate) fn with_another_enemy(game: &Standard, position: &Position) -> Option<Position> {
    let turned = position.pass_turn();
    let moves = game.all_moves(&turned);
    let mut after = moves.iter().map(|&mv| game.play(&turned, mv));
    after.find(|next| game.winner(next).is_none() && next.mover() == position.mover())
}

pub(crate) fn impossible_positions(count: usize) -> Vec<Position> {
    let mut random = RandomStream::new(91);
    let mut side = |bound: usize| Side::new([0; MAX_STONES].map(|_| random.below(bound) as u8));
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

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stone {
    pub(crate) red: bool,
    pub(crate) label: usize,
    pub(crate) row: i32,
    pub(crate) column: i32,
}

#[derive(Clone, Debug)]
pub(crate) struct Board {
    pub(crate) stones: Vec<Stone>,
    pub(crate) red_to_move: bool,
}

impl Board {
    pub(crate) fn from_position(game: &Standard, position: &Position) -> Self {
        let text = game.format_position(position, None);
        let mut fields = text.split(' ');
        let mut stones = Vec::new();
        for (row, line) in (0..).zip(fields.next().unwrap().split('/')) {
            for (column, character) in (0..).zip(line.chars()) {
                let (red, label) = match character {
                    '1'..='6' => (true, character as usize - '0' as usize),
                    'a'..='f' => (false, 1 + character as usize - 'a' as usize),
                    _ => continue,
                };
                stones.push(Stone {
                    red,
                    label,
                    row,
                    column,
                });
            }
        }
        Self {
            stones,
            red_to_move: fields.next() == Some("r"),
        }
    }

    pub(crate) fn position(&self) -> Position {
        let mut rows = [['.'; 5]; 5];
        for stone in &self.stones {
            let first = if stone.red { b'1' } else { b'a' };
            rows[stone.row as usize][stone.column as usize] =
                (first + stone.label as u8 - 1) as char;
        }
        let rows = rows.map(String::from_iter);
        let text = format!(
            "{} {} -",
            rows.join("/"),
            if self.red_to_move { 'r' } else { 'b' }
        );
        position(&text)
    }

    pub(crate) fn side(&self, red: bool) -> Vec<Stone> {
        self.stones
            .iter()
            .copied()
            .filter(|stone| stone.red == red)
            .collect()
    }

    pub(crate) fn sides(&self) -> (Vec<Stone>, Vec<Stone>) {
        (self.side(self.red_to_move), self.side(!self.red_to_move))
    }

    pub(crate) fn pass_turn(&self) -> Self {
        Self {
            red_to_move: !self.red_to_move,
            ..self.clone()
        }
    }

    fn map_stones(&self, map: impl Fn(Stone) -> Stone) -> Self {
        Self {
            stones: self.stones.iter().map(|&stone| map(stone)).collect(),
            ..self.clone()
        }
    }

    fn images(&self) -> [Self; 4] {
        let relabelled = |red: bool| {
            self.map_stones(|stone| Stone {
                label: if stone.red == red {
                    7 - stone.label
                } else {
                    stone.label
                },
                ..stone
            })
        };
        let transposed = self.map_stones(|stone| Stone {
            row: stone.column,
            column: stone.row,
            ..stone
        });
        let flipped = self.map_stones(|stone| {
            let (row, column) = stone.in_perspective(false);
            Stone {
                red: !stone.red,
                row,
                column,
                ..stone
            }
        });
        [
            transposed,
            relabelled(true),
            relabelled(false),
            flipped.pass_turn(),
        ]
    }
}

impl Stone {
    pub(crate) fn in_perspective(self, red: bool) -> (i32, i32) {
        if red {
            (self.row, self.column)
        } else {
            (4 - self.row, 4 - self.column)
        }
    }

    pub(crate) fn distance(self) -> i32 {
        let (row, column) = self.in_perspective(self.red);
        (4 - row).max(4 - column)
    }

    pub(crate) fn steps(self) -> Vec<(i32, i32)> {
        let sign = if self.red { 1 } else { -1 };
        [(0, 1), (1, 0), (1, 1)]
            .into_iter()
            .map(|(down, right)| (self.row + sign * down, self.column + sign * right))
            .filter(|(row, column)| (0..5).contains(row) && (0..5).contains(column))
            .collect()
    }
}

pub(crate) fn allowed_labels(variant: Variant, living: &[usize], face: usize) -> Vec<usize> {
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

pub(crate) type Distances = Vec<(usize, i32)>;

pub(crate) struct SlowRace<'a> {
    pub(crate) game: &'a Standard,
    cache: HashMap<Distances, Vec<f64>>,
}

impl<'a> SlowRace<'a> {
    pub(crate) fn new(game: &'a Standard) -> Self {
        Self {
            game,
            cache: HashMap::new(),
        }
    }

    pub(crate) fn distribution(&mut self, stones: &[Stone]) -> Vec<f64> {
        let mut list: Distances = stones
            .iter()
            .map(|stone| (stone.label, stone.distance()))
            .collect();
        list.sort_unstable();
        self.solve(&list)
    }

    pub(crate) fn solve(&mut self, list: &Distances) -> Vec<f64> {
        if let Some(cache) = self.cache.get(list) {
            return cache.clone();
        }
        let mut total = vec![0.0; 21];
        if list.iter().any(|&(_, distance)| distance == 0) {
            total[0] = 1.0;
            return total;
        }
        for face in 1..=self.game.die().faces() {
            let mut best: Option<Vec<f64>> = None;
            for next in self.turns(list, face) {
                let rest = self.solve(&next);
                if best
                    .as_ref()
                    .is_none_or(|best| mean(&rest) < mean(best) - 1e-12)
                {
                    best = Some(rest);
                }
            }
            for (turns, probability) in best.unwrap().iter().enumerate().take(20) {
                total[turns + 1] += self.game.die().probability(face) * probability;
            }
        }
        self.cache.insert(list.clone(), total.clone());
        total
    }

    pub(crate) fn turns(&self, list: &Distances, face: u8) -> Vec<Distances> {
        let living: Vec<usize> = list.iter().map(|&(label, _)| label).collect();
        let after = |label| {
            list.iter()
                .map(|&(other, distance)| (other, distance - i32::from(other == label)))
                .collect()
        };
        allowed_labels(self.game.variant(), &living, usize::from(face))
            .into_iter()
            .map(after)
            .collect()
    }
}

pub(crate) fn mean(distribution: &[f64]) -> f64 {
    distribution
        .iter()
        .enumerate()
        .map(|(turns, probability)| turns as f64 * probability)
        .sum()
}

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

pub(crate) fn check_reference(
    game: &Standard,
    rating: impl Fn(&Position) -> f32,
    mut reference: impl FnMut(&Board) -> f64,
) {
    for position in random_positions(game, 5, 600) {
        let (fast, slow) = (
            f64::from(rating(&position)),
            reference(&Board::from_position(game, &position)),
        );
        assert!(
            (fast - slow).abs() <= 1e-5 * slow.abs().max(1.0),
            "{}: {fast} but {slow}",
            game.format_position(&position, None)
        );
    }
}

/// Checks that the score is the own stones' `worth` minus the enemy's.
pub(crate) fn check_side_sums(
    game: &Standard,
    score: &impl Score<Standard>,
    mut worth: impl FnMut(&[Stone]) -> f64,
) {
    check_reference(
        game,
        |position| score.score(game, position),
        |board| {
            let (own, enemy) = board.sides();
            worth(&own) - worth(&enemy)
        },
    );
}

pub(crate) fn check_symmetries(game: &Standard, rating: impl Fn(&Position) -> f32) {
    for position in random_positions(game, 6, 400) {
        let board = Board::from_position(game, &position);
        assert_eq!(board.position(), position);
        let expected = rating(&position);
        for same in board.images().map(|image| image.position()) {
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

pub(crate) fn check_score(score: &impl Score<Standard>, tolerance: f32, expected: &[(&str, f32)]) {
    let game = &Standard::default();
    let score = |position: &Position| score.score(game, position);
    check_board(score, tolerance, expected);
    check_symmetries(game, score);
    for position in random_positions(game, 7, 400) {
        let passed = Board::from_position(game, &position).pass_turn().position();
        assert!(
            (score(&position) + score(&passed)).abs() < 1e-5,
            "{}",
            game.format_position(&position, None)
        );
    }
}
