//! Hand-made evaluators of backgammon, whose values are expected payoffs.
//!
//! Weights and slopes were fitted by logistic regression to the results of 20,000 games of
//! `positional` against itself one ply deep, with one random play in thirty, in eight rounds that
//! each began with the weights of the round before.

use super::{Backgammon, Men, Position, bearoff::one_sided_win, men::BAR, structure::Structure};
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
        |arguments, _| calibrated(arguments, PositionalWithBearoff, Positional::CALIBRATION),
    ),
    EvaluatorEntry::new(
        "pips",
        "pip count of the other side minus that of the mover",
        |arguments, _| calibrated(arguments, Pips, Pips::CALIBRATION),
    ),
];

/// Evaluator whose score is the pip count of the other side minus that of the mover.
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

const ON_ROLL_BONUS: f32 = 0.055;

const RACE_SLOPE: f32 = 1.12;

/// Evaluator whose score is the log odds of the expected payoff: a linear function of the structure
/// of both sides, in a race a formula of the pip counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Positional;

impl Positional {
    /// Converts a score to an expected payoff.
    pub const CALIBRATION: Calibration = Calibration::logistic(1.0, 0.0);
}

/// Quantities that [`Positional`] weights, of the men of `seat`, each about 0 to 1.
pub fn positional_terms(position: &Position, seat: usize) -> [f32; NUM_TERMS] {
    let (own, other) = (position.men(seat), position.men(1 - seat));
    let structure = Structure::new(own, other);
    let points = |set: u32| set.count_ones() as f32;
    [
        structure.pips as f32 / 167.0,
        points(structure.home_points) / 6.0,
        structure.prime.min(6).pow(2) as f32 / 36.0,
        f32::from(structure.anchors != 0),
        f32::from(structure.anchors & 0b111 != 0),
        structure.blots as f32 / 4.0,
        own.count_on(BAR).min(3) as f32 / 2.0,
        structure.back_men as f32 / 4.0,
        (36 - structure.escapes) as f32 / 36.0,
        structure.shots as f32 / 36.0,
        own.borne_off() as f32 / 15.0,
        points(structure.home_points) * other.count_on(BAR).min(2) as f32 / 12.0,
    ]
}

/// Log odds of the expected payoff in a race. The probability of a win follows the mover's lead
/// over the root of the pips left (Kleinman 1980); that of a gammon, the rolls that the loser needs
/// to bear off a man and the winner to bear off all.
fn race_score(position: &Position) -> f32 {
    let (mover, other) = (position.mover(), position.other());
    let pips = [mover, other].map(|men| men.pips() as f32);
    let spread = (pips[0] + pips[1] - 4.0).max(1.0).sqrt();
    let win = logistic(RACE_SLOPE * (pips[1] - pips[0] + 4.0) / spread);
    let gammons = gammon_margin(mover, other).map_or(0.0, |margin| gammon_chance(margin + 1.0))
        - gammon_margin(other, mover).map_or(0.0, gammon_chance);
    log_odds(2.0 * win - 1.0 + gammons)
}

/// Number of rolls that `loser` needs to bear off a man, minus those of `winner` to bear off all;
/// `None` if the loser has borne off one. On average a roll has 8 1/6 pips and bears off at most
/// 7/3 men.
pub fn gammon_margin(winner: Men, loser: Men) -> Option<f32> {
    let rolls = |men: Men| men.pips() as f32 * 6.0 / 49.0 + 1.0;
    let outside = Men(loser.0 >> 24);
    let finish = rolls(winner).max(winner.in_play() as f32 * 3.0 / 7.0);
    (loser.borne_off() == 0).then(|| rolls(outside) - finish)
}

fn gammon_chance(margin: f32) -> f32 {
    logistic(GAMMON_SLOPE * margin + GAMMON_OFFSET)
}

const GAMMON_SLOPE: f32 = 1.3;
const GAMMON_OFFSET: f32 = 0.5;

/// Log odds of the payoff that equals `points` (−2 to 2) expected points, by their series, with an
/// error below 1e-4.
fn log_odds(points: f32) -> f32 {
    let odd = points / 3.0;
    let series = (0..9).rev().fold(0.0, |sum, term| {
        sum * odd * odd + 1.0 / (2 * term + 1) as f32
    });
    2.0 * odd * series
}

/// Evaluator with the score of [`Positional`]; once all men of both sides are at home, with the log
/// odds of a win by the one-sided bear-off table.
#[derive(Clone, Copy, Debug, Default)]
pub struct PositionalWithBearoff;

impl Score<Backgammon> for PositionalWithBearoff {
    fn score(&self, game: &Backgammon, position: &Position) -> f32 {
        let win = one_sided_win(position);
        win.map_or_else(
            || Positional.score(game, position),
            |win| log_odds(2.0 * win - 1.0),
        )
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
        weighted.fold(ON_ROLL_BONUS, |sum, (term, weight)| sum + term * weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Plays, WHITE,
        bearoff::{MAX_TWO_SIDED_MEN, home_positions, single_game_payoff, two_sided_win},
        rolls::sample_roll,
    };
    use alea_core::{game::Game, random::RandomStream};

    const GAME: Backgammon = Backgammon;

    fn payoff(score: impl Score<Backgammon>, calibration: Calibration, position: &Position) -> f32 {
        calibration.value(score.score(&GAME, position))
    }

    #[test]
    fn the_side_on_roll_is_ahead_at_the_start_and_equal_positions_have_equal_scores() {
        let [white, black] = [0, 1].map(|seat| Positional.score(&GAME, &GAME.start(seat)));
        assert!(white == black && (0.0..0.3).contains(&white), "{white}");
        assert_eq!(Pips.score(&GAME, &GAME.start(WHITE)), 0.0);
        let gammon = Position::new(Men(1), Men(15 << 52), WHITE);
        let value = payoff(Positional, Positional::CALIBRATION, &gammon);
        assert!((value - 5.0 / 6.0).abs() < 2e-3, "{value}");
    }

    #[test]
    fn values_of_races_are_near_exact_ones() {
        let [mut error, mut distribution_error] = [0.0; 2];
        let positions = home_positions(MAX_TWO_SIDED_MEN);
        for index in 1..=200 {
            let position = Position::new(positions[index * 4], positions[index * 3], WHITE);
            let exact = single_game_payoff(two_sided_win(&position).unwrap());
            let found = payoff(Positional, Positional::CALIBRATION, &position);
            let by_rolls = payoff(PositionalWithBearoff, Positional::CALIBRATION, &position);
            error += (found - exact).abs() / 200.0;
            distribution_error += (by_rolls - exact).abs() / 200.0;
        }
        assert!(
            error < 0.04 && distribution_error < 0.002,
            "{error} {distribution_error}"
        );
    }

    #[test]
    fn structure_beats_the_pip_count() {
        let (mut random, mut plays, mut sum) = (RandomStream::new(8), Plays::new(), 0.0);
        for number in 0..40 {
            let (mut position, mut plies) = (GAME.start(number % 2), 0);
            while GAME.payoffs(&position).is_none() && plies < 400 {
                GAME.moves_for(&position, sample_roll(random.next_u64() as u32), &mut plays);
                let value = |after: &Position| match GAME.payoff(after, position.seat()) {
                    Some(payoff) => payoff,
                    _ if position.seat() == WHITE => {
                        -payoff(Positional, Positional::CALIBRATION, after)
                    }
                    _ => -payoff(Pips, Pips::CALIBRATION, after),
                };
                let after = plays.iter().map(|&play| GAME.play(&position, play));
                position = after
                    .max_by(|one, other| value(one).total_cmp(&value(other)))
                    .unwrap();
                plies += 1;
            }
            sum += GAME.payoff(&position, WHITE).unwrap_or(0.5);
        }
        assert!(sum > 28.0, "{sum} of 40");
    }
}
