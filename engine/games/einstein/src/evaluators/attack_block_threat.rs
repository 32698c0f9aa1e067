//! Attack, block and threat: the evaluation of the NTU agent (CSIE5138 project, after CCDC 2015).
//!
//! A stone's mobility M is six times the probability that its side's roll allows it; its positional
//! value P is 2^(5 − d), d being its distance to the goal; MT is the largest P among the enemy
//! stones that it can capture, or 0. For a side p against q, f(p) = 2 · ATT_p ∓ ATT_q + 0.05 · THT,
//! where ATT_p = Σ M·P over the stones of p, and THT = Σ M·MT over those of p or of q.

use super::{race_tables::distances_to_goal, schwarz_odds::maximum};
use crate::{GONE, MAX_STONES, Position, Standard, position::Side};
use alea_core::arrays::map_array;
use alea_core::{calibration::Calibration, evaluator::Score};
use alea_play::registry::{EvaluatorEntry, calibrated};

/// Choices where the published formula is unclear; the default plays well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Adds the enemy's attack term, as printed, instead of subtracting it.
    pub adds_block: bool,
    /// Sums threats by the enemy's stones, as printed, instead of by the own.
    pub enemy_threats: bool,
    /// Scores −f of the side that has just moved, not f of the side to move.
    pub just_moved: bool,
}

const ATTACK_WEIGHT: f32 = 2.0;
const BLOCK_WEIGHT: f32 = 1.0;
const THREAT_WEIGHT: f32 = 0.05;

const POSITIONAL_VALUE: [f32; 32] = {
    let mut values = [0.0; 32];
    let mut square = 0;
    while square < Standard::SQUARES as usize {
        values[square] = (1u32 << (5 - distances_to_goal(square as u8).0)) as f32;
        square += 1;
    }
    values
};

/// Square that stands for captured enemies: no move's destination.
const GONE_ENEMY_SQUARE: u8 = 30;

/// Evaluator: the NTU agent's attack, block and threat.
#[derive(Clone, Debug)]
pub struct AttackBlockThreat {
    options: Options,
    mobility: Box<[[f32; MAX_STONES]; 64]>,
}

impl AttackBlockThreat {
    /// Calibration fitted by `alea calibrate --games 200000 --seed 1 --eval "abt(…)"` for each
    /// `adds_block` and `just_moved`.
    pub fn calibration(options: Options) -> Calibration {
        let (slope, offset) = match (options.adds_block, options.just_moved) {
            (false, false) => (0.0294, -0.613),
            (false, true) => (0.0134, 0.540),
            (true, false) => (0.0042, -0.302),
            (true, true) => (0.0042, 0.302),
        };
        Calibration::logistic(slope, offset)
    }

    /// The evaluator for the variant and die of `game`.
    pub fn new(game: &Standard, options: Options) -> Self {
        let mut mobility = Box::new([[0.0; MAX_STONES]; 64]);
        for (alive, row) in (0u8..).zip(mobility.iter_mut()).skip(1) {
            *row = game
                .move_probabilities(alive)
                .map(|probability| 6.0 * probability);
        }
        Self { options, mobility }
    }
}

/// Attack of `side`: Σ mobility · 2^(5 − distance to the goal) over its stones.
#[inline]
pub fn attack(mobility: &[f32; MAX_STONES], side: Side) -> f32 {
    let mut sum = 0.0;
    for (stone, mobility) in mobility.iter().enumerate() {
        sum += mobility * POSITIONAL_VALUE[usize::from(side.square(stone))];
    }
    sum
}

/// Threat of `side`: Σ mobility · largest 2^(5 − distance to the goal) of an enemy stone that the
/// stone can capture.
#[inline]
pub fn threat(mobility: &[f32; MAX_STONES], side: Side, enemy: Side) -> f32 {
    let mut worth = [0.0_f32; 32];
    for square in enemy.squares() {
        let seen = if square == GONE {
            GONE_ENEMY_SQUARE
        } else {
            Standard::GOAL - square
        };
        worth[usize::from(seen & 31)] = POSITIONAL_VALUE[usize::from(square & 31)];
    }
    let mut sum = 0.0;
    for (stone, mobility) in mobility.iter().enumerate() {
        let targets = Standard::destinations(side.square(stone));
        let [one, two, three] = map_array(targets, |target| worth[usize::from(target & 31)]);
        sum += mobility * maximum(maximum(one, two), three);
    }
    sum
}

pub(super) const ENTRY: EvaluatorEntry<Standard> = EvaluatorEntry {
    name: "attack_block_threat",
    aliases: &["abt"],
    parameters: "block, threat, view",
    help: "attack, block and threat (the NTU agent)",
    make: |arguments, game| {
        let options = Options {
            adds_block: arguments.choice("block", &[("subtract", false), ("add", true)])?,
            enemy_threats: arguments.choice("threat", &[("own", false), ("enemy", true)])?,
            just_moved: arguments.choice("view", &[("to_move", false), ("just_moved", true)])?,
        };
        let fitted = AttackBlockThreat::calibration(options);
        calibrated(arguments, AttackBlockThreat::new(game, options), fitted)
    },
};

impl Score<Standard> for AttackBlockThreat {
    #[inline]
    fn score(&self, _game: &Standard, position: &Position) -> f32 {
        let (side, enemy, sign) = if self.options.just_moved {
            (position.other(), position.mover(), -1.0)
        } else {
            (position.mover(), position.other(), 1.0)
        };
        let block = if self.options.adds_block {
            BLOCK_WEIGHT
        } else {
            -BLOCK_WEIGHT
        };
        let mobility = |side: Side| &self.mobility[usize::from(side.living_set())];
        let threat = if self.options.enemy_threats {
            threat(mobility(enemy), enemy, side)
        } else {
            threat(mobility(side), side, enemy)
        };
        sign * (ATTACK_WEIGHT * attack(mobility(side), side)
            + block * attack(mobility(enemy), enemy)
            + THREAT_WEIGHT * threat)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        race_tables::distance,
        test_support::{
            Board, Stone, allowed_labels, check_board, check_reference, check_symmetries,
            test_rules,
        },
    };
    use super::*;

    fn all_options() -> [Options; 8] {
        std::array::from_fn(|number| Options {
            adds_block: number & 1 != 0,
            enemy_threats: number & 2 != 0,
            just_moved: number & 4 != 0,
        })
    }

    #[test]
    fn positions_by_hand() {
        let game = Standard::default();
        // Red: stone 2 on c3 (P 8, M 4) and 5 on a5 (P 2, M 4): ATT 40. Blue: c on d2 (P 4, M 6):
        // ATT 24. 2 threatens c (THT 16), c threatens 2 (THT 48).
        let text = |seat| format!("5..../...../..2../...c./..... {seat} -");
        for (seat, [adds_block, enemy_threats, just_moved], expected) in [
            ('r', [false, false, false], 80.0 - 24.0 + 0.8),
            ('r', [true, true, false], 80.0 + 24.0 + 2.4),
            ('b', [false, false, false], 48.0 - 40.0 + 2.4),
            ('b', [true, false, true], -(80.0 + 24.0 + 0.8)),
        ] {
            let options = Options {
                adds_block,
                enemy_threats,
                just_moved,
            };
            let score = AttackBlockThreat::new(&game, options);
            let rating = |position: &Position| score.score(&game, position);
            check_board(rating, 1e-4, &[(&text(seat), expected)]);
        }
    }

    fn reference_score(game: &Standard, options: Options, board: &Board) -> f64 {
        let (mut side, mut enemy) = board.sides();
        let mut sign = 1.0;
        if options.just_moved {
            std::mem::swap(&mut side, &mut enemy);
            sign = -1.0;
        }
        let mobility = |stone: &Stone, side: &[Stone]| -> f64 {
            let living: Vec<usize> = side.iter().map(|stone| stone.label).collect();
            let faces = (1..=usize::from(game.die().faces())).filter(|&face| {
                allowed_labels(game.variant(), &living, face).contains(&stone.label)
            });
            6.0 * faces
                .map(|face| game.die().probability(face as u8))
                .sum::<f64>()
        };
        let positional = |stone: &Stone| 2.0_f64.powi(5 - stone.distance());
        let attack = |side: &[Stone]| {
            side.iter()
                .map(|stone| mobility(stone, side) * positional(stone))
                .sum::<f64>()
        };
        let threat = |side: &[Stone], enemy: &[Stone]| {
            side.iter()
                .map(|stone| {
                    let preys = enemy
                        .iter()
                        .filter(|prey| stone.steps().contains(&(prey.row, prey.column)));
                    mobility(stone, side) * preys.map(positional).fold(0.0, f64::max)
                })
                .sum::<f64>()
        };
        let block = if options.adds_block {
            attack(&enemy)
        } else {
            -attack(&enemy)
        };
        let threat = if options.enemy_threats {
            threat(&enemy, &side)
        } else {
            threat(&side, &enemy)
        };
        sign * (2.0 * attack(&side) + block + 0.05 * threat)
    }

    #[test]
    fn the_score_is_that_of_the_formula_on_the_board() {
        for game in test_rules() {
            for options in all_options() {
                let score = AttackBlockThreat::new(&game, options);
                check_reference(
                    &game,
                    |position| score.score(&game, position),
                    |board| reference_score(&game, options, board),
                );
            }
        }
    }

    #[test]
    fn symmetries() {
        let game = Standard::default();
        for options in all_options() {
            let score = AttackBlockThreat::new(&game, options);
            check_symmetries(&game, |position| score.score(&game, position));
        }
    }

    #[test]
    fn positional_values_follow_the_distance() {
        for square in 0..Standard::SQUARES {
            assert_eq!(
                POSITIONAL_VALUE[usize::from(square)],
                2.0_f32.powi(5 - i32::from(distance(square)))
            );
        }
    }
}
