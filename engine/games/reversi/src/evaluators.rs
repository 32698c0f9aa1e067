//! Hand-made evaluators of Reversi.
//!
//! A logistic converts scores to win probabilities (a draw counts ½). Slopes were fitted to 4,000
//! games of each evaluator against itself one ply deep on 8×8, with one random move in ten; those
//! of `score=discs` by `alea calibrate --games 4000`.

use super::{
    Position, Reversi,
    bits::{COLUMNS, run_ends, squares_of},
};
use alea_core::{calibration::Calibration, evaluator::Score};
use alea_play::registry::{EvaluatorEntry, calibrated};

pub(super) static EVALUATORS: [EvaluatorEntry<Reversi>; 3] = [
    EvaluatorEntry::new(
        "squares",
        "discs weighted by square: corners are worth most",
        |arguments, game| calibrated(arguments, Squares::new(game), Squares::calibration(game)),
    ),
    EvaluatorEntry::new(
        "mobility",
        "own moves minus those of the other side",
        |arguments, game| calibrated(arguments, Mobility, Mobility::calibration(game)),
    ),
    EvaluatorEntry::new(
        "discs",
        "own discs minus those of the other side",
        |arguments, game| calibrated(arguments, Discs, Discs::calibration(game)),
    ),
];

/// Evaluator by own minus enemy discs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Discs;

impl Discs {
    /// Converts a score to a win probability or, by discs, to the expected payoff.
    pub fn calibration(game: &Reversi) -> Calibration {
        let slope = if game.is_by_discs() { 0.0257 } else { 0.060 };
        Calibration::logistic(slope, 0.0)
    }
}

impl Score<Reversi> for Discs {
    #[inline]
    fn score(&self, _game: &Reversi, position: &Position) -> f32 {
        position.disc_lead() as f32
    }
}

/// Evaluator by own minus enemy legal moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mobility;

impl Mobility {
    /// Converts a score to a win probability or, by discs, to the expected payoff.
    pub fn calibration(game: &Reversi) -> Calibration {
        let slope = if game.is_by_discs() { 0.052 } else { 0.087 };
        Calibration::logistic(slope, 0.0)
    }
}

impl Score<Reversi> for Mobility {
    #[inline]
    fn score(&self, game: &Reversi, position: &Position) -> f32 {
        let (own, enemy) = (position.own, position.enemy);
        let other = run_ends(enemy, own) & game.squares() & !(own | enemy);
        position.moves.count_ones() as f32 - other.count_ones() as f32
    }
}

/// Evaluator by own minus enemy discs, weighted by square (Norvig, *Paradigms of Artificial
/// Intelligence Programming*, chapter 18).
#[derive(Clone, Debug)]
pub struct Squares {
    groups: [(f32, u64); SQUARE_WEIGHTS.len()],
}

/// Weights, with their squares' distances from the nearest two sides, the smaller first.
const SQUARE_WEIGHTS: [(i8, &[(usize, usize)]); 8] = [
    (120, &[(0, 0)]),
    (-20, &[(0, 1)]),
    (20, &[(0, 2)]),
    (-40, &[(1, 1)]),
    (5, &[(0, 3)]),
    (-5, &[(1, 2), (1, 3)]),
    (15, &[(2, 2)]),
    (3, &[(2, 3), (3, 3)]),
];

impl Squares {
    /// Converts a score to a win probability or, by discs, to the expected payoff.
    pub fn calibration(game: &Reversi) -> Calibration {
        let slope = if game.is_by_discs() { 0.0017 } else { 0.0051 };
        Calibration::logistic(slope, 0.0)
    }

    /// Creates the evaluator with the weights for the board size of `game`.
    pub fn new(game: &Reversi) -> Self {
        let size = game.size();
        let from_side = |at: usize| at.min(size - 1 - at);
        let groups = SQUARE_WEIGHTS.map(|(weight, distances)| {
            let squares = squares_of(game.squares()).filter(|square| {
                let (row, column) = (from_side(square / COLUMNS), from_side(square % COLUMNS));
                distances.contains(&(row.min(column), row.max(column)))
            });
            let squares = squares.fold(0, |set, square| set | 1 << square);
            (f32::from(weight), squares)
        });
        Self { groups }
    }
}

impl Score<Reversi> for Squares {
    #[inline]
    fn score(&self, _game: &Reversi, position: &Position) -> f32 {
        let (own, enemy) = (position.own, position.enemy);
        let difference = |squares: u64| {
            (own & squares).count_ones() as i32 - (enemy & squares).count_ones() as i32
        };
        let weighed = |&(weight, squares)| weight * difference(squares) as f32;
        self.groups.iter().map(weighed).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_by_hand() {
        let game = Reversi::EIGHT;
        let read = |text: &str| game.parse_position(text).unwrap();
        let discs = "XX------/-O------/--O-----/--------/--------/--------/--------/--------";
        let [position, other] = ["X", "O"].map(|side| read(&format!("{discs} {side}")));
        assert_eq!(Discs.score(&game, &position), 0.0);
        let squares = Squares::new(&game);
        assert_eq!(squares.score(&game, &position), 120.0 - 20.0 + 40.0 - 15.0);
        assert_eq!(squares.score(&game, &other), -125.0);
        let mobility = [position, other, game.start()].map(|at| Mobility.score(&game, &at));
        assert_eq!((mobility[0], mobility[2]), (-mobility[1], 0.0));
    }

    #[test]
    fn every_square_has_one_weight() {
        for game in Reversi::ALL {
            let groups = Squares::new(&game).groups;
            let (mut all, mut count) = (0, 0);
            for (_, squares) in groups {
                all |= squares;
                count += squares.count_ones();
            }
            assert_eq!((all, count), (game.squares(), game.squares().count_ones()));
        }
    }
}
