//! Hand-made evaluators of backgammon, which say the expected payoff.
//!
//! Weights and slopes were fitted by logistic regression to the results of 20,000 games of
//! `positional` against itself one ply deep, with one random play in thirty, in eight rounds that
//! each began with the weights of the round before.

use super::{
    Backgammon, Position,
    bearoff::{ONE_SIDED, is_bearoff},
    men::BAR,
    structure::Structure,
};
use alea_core::{
    calibration::{Calibration, logistic},
    evaluator::Score,
};
use alea_play::registry::{EvaluatorEntry, calibrated};

pub(super) static EVALUATORS: [EvaluatorEntry<Backgammon>; 3] = [
    EvaluatorEntry::new(
        "positional",
        "race, points, primes, anchors, blots, men on the bar",
        |arguments, _| calibrated(arguments, Positional, Positional::CALIBRATION),
    ),
    EvaluatorEntry::new(
        "bearoff",
        "positional, in bear-offs of both sides by the distributions of their rolls",
        |arguments, _| calibrated(arguments, Bearoff, Positional::CALIBRATION),
    ),
    EvaluatorEntry::new(
        "pips",
        "pip count of the other side minus that of the mover",
        |arguments, _| calibrated(arguments, Pips, Pips::CALIBRATION),
    ),
];

/// Score: pip count of the other side minus that of the mover.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pips;

impl Pips {
    /// Converts a score to an expected payoff.
    pub const CALIBRATION: Calibration = Calibration::logistic(0.0148, 0.065);
}

impl Score<Backgammon> for Pips {
    #[inline]
    fn score(&self, _: &Backgammon, position: &Position) -> f32 {
        position.other().pips() as f32 - position.mover().pips() as f32
    }
}

/// Number of weights of one side of [`Positional`].
const NUM_TERMS: usize = 12;

/// Weights of the mover's terms, then of the other side's; `positional_terms` has their meaning.
const WEIGHTS: [[f32; NUM_TERMS]; 2] = [
    [
        -1.156, 0.271, 0.209, -0.041, 0.080, -0.009, 0.163, -0.217, -0.213, 0.121, 1.291, 0.226,
    ],
    [
        1.142, -0.250, -0.229, 0.121, -0.102, 0.080, 0.076, 0.112, 0.155, -0.021, -1.374, -0.474,
    ],
];

/// Log odds of being on roll.
const ON_ROLL: f32 = 0.055;

const RACE_SLOPE: f32 = 1.12;

/// Score in log odds of the expected payoff: a linear function of the structure of both sides, in a
/// race a formula of the pip counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Positional;

impl Positional {
    /// Converts a score to an expected payoff.
    pub const CALIBRATION: Calibration = Calibration::logistic(1.0, 0.0);
}

/// Terms of one side, about 0 to 1 each.
pub fn positional_terms(position: &Position, seat: usize) -> [f32; NUM_TERMS] {
    let (own, other) = (position.men(seat), position.men(1 - seat));
    let structure = Structure::new(own, other);
    let points = |set: u32| set.count_ones() as f32;
    [
        structure.pips as f32 / 167.0,
        points(structure.home) / 6.0,
        structure.prime.min(6).pow(2) as f32 / 36.0,
        f32::from(structure.anchors != 0),
        f32::from(structure.anchors & 0b111 != 0),
        structure.blots as f32 / 4.0,
        own.on(BAR).min(3) as f32 / 2.0,
        structure.back as f32 / 4.0,
        (36 - structure.escapes) as f32 / 36.0,
        structure.shots as f32 / 36.0,
        own.borne_off() as f32 / 15.0,
        points(structure.home) * other.on(BAR).min(2) as f32 / 12.0,
    ]
}

/// Log odds of the payoff where men of the sides cannot meet: the probability of a single win
/// follows the mover's lead over the root of the pips left (Kleinman 1980).
fn race_score(position: &Position) -> f32 {
    let [mover, other] = [position.mover(), position.other()].map(|men| men.pips() as f32);
    let spread = (mover + other - 4.0).max(1.0).sqrt();
    single_game_log_odds(logistic(RACE_SLOPE * (other - mover + 4.0) / spread))
}

/// Log odds of the payoff `(1 + win) / 3`, by their series, with an error below 2e-5.
fn single_game_log_odds(win: f32) -> f32 {
    let odd = (2.0 * win - 1.0) / 3.0;
    let square = odd * odd;
    2.0 * odd * (1.0 + square * (1.0 / 3.0 + square * (1.0 / 5.0 + square / 7.0)))
}

/// Score of [`Positional`]; once all men of both sides are at home, by the one-sided bear-off
/// distributions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bearoff;

impl Score<Backgammon> for Bearoff {
    fn score(&self, game: &Backgammon, position: &Position) -> f32 {
        let win = is_bearoff(position).then(|| ONE_SIDED.win_probability(position));
        win.flatten()
            .map_or_else(|| Positional.score(game, position), single_game_log_odds)
    }
}

impl Score<Backgammon> for Positional {
    fn score(&self, _: &Backgammon, position: &Position) -> f32 {
        if !position.has_contact() {
            return race_score(position);
        }
        let seats = [position.seat(), 1 - position.seat()];
        let sides = seats.map(|seat| positional_terms(position, seat));
        let weighted = sides.iter().flatten().zip(WEIGHTS.as_flattened());
        weighted.fold(ON_ROLL, |sum, (term, weight)| sum + term * weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Men, Plays, WHITE,
        bearoff::{TWO_SIDED, single_game_payoff},
        rolls::sample_roll,
    };
    use alea_core::{
        calibration::Calibrated, evaluator::Evaluator, game::Game, random::RandomStream,
    };

    fn calibrated<S: Score<Backgammon>>(score: S, calibration: Calibration) -> Calibrated<S> {
        Calibrated { score, calibration }
    }

    #[test]
    fn the_side_on_roll_is_ahead_at_the_start_and_equal_positions_have_equal_scores() {
        let game = Backgammon;
        let [white, black] = [0, 1].map(|seat| Positional.score(&game, &game.start(seat)));
        assert!(white == black && (0.0..0.3).contains(&white), "{white}");
        assert_eq!(Pips.score(&game, &game.start(WHITE)), 0.0);
    }

    #[test]
    fn values_of_races_are_near_exact_ones() {
        let (game, mut random) = (Backgammon, RandomStream::new(6));
        let [mut error, mut distribution_error] = [0.0; 2];
        for _ in 0..200 {
            let sides = [(); 2].map(|()| {
                let mut counts = [0; 25];
                (0..1 + random.below(6)).for_each(|_| counts[random.below(6)] += 1);
                Men::from_counts(counts).unwrap()
            });
            let position = Position::new(sides[0], sides[1], WHITE);
            let exact = single_game_payoff(TWO_SIDED.win_probability(&position).unwrap());
            let value = |value: f32| (value - exact).abs() / 200.0;
            error +=
                value(calibrated(Positional, Positional::CALIBRATION).value_of(&game, &position));
            distribution_error +=
                value(calibrated(Bearoff, Positional::CALIBRATION).value_of(&game, &position));
        }
        assert!(
            error < 0.04 && distribution_error < 0.002,
            "{error} {distribution_error}"
        );
    }

    #[test]
    fn structure_beats_the_pip_count() {
        let game = Backgammon;
        let positional = calibrated(Positional, Positional::CALIBRATION);
        let pips = calibrated(Pips, Pips::CALIBRATION);
        let (mut random, mut plays, mut sum) = (RandomStream::new(8), Plays::new(), 0.0);
        for number in 0..40 {
            let mut position = game.start(number % 2);
            let mut plies = 0;
            while game.payoffs(&position).is_none() && plies < 400 {
                game.moves_for(&position, sample_roll(random.next_u64() as u32), &mut plays);
                let value = |&play: &_| match position.seat() {
                    WHITE => positional.successor_value(&game, &position, play, &mut ()),
                    _ => pips.successor_value(&game, &position, play, &mut ()),
                };
                let best = plays
                    .iter()
                    .copied()
                    .max_by(|one, other| value(one).total_cmp(&value(other)));
                position = game.play(&position, best.unwrap());
                plies += 1;
            }
            sum += game.payoff(&position, WHITE).unwrap_or(0.5);
        }
        assert!(sum > 28.0, "{sum} of 40");
    }
}
