//! How to choose a set-up at random so that no choice of the opponent does better: an equilibrium
//! over classes.
//!
//! Both sides choose without seeing the other's choice, and either begins: a symmetric zero-sum
//! game. Because symmetries keep its payoffs, there is an equilibrium that gives all members of a
//! class the same share, so it is solved for classes. Single meetings of classes are few games;
//! taken as they are, an equilibrium of mere luck would come out. So a meeting counts as what the
//! two classes' rates predict, plus a part of what it was seen to differ from that: as large a part
//! as there is reason to believe (empirical Bayes: the variance of differences beyond that of
//! dice). Invariant: shares add up to 1, and members of a class have the same share.

use super::classes::{CLASSES, Classes};
use crate::statistics::PairCounts;
use crate::studies::zero_sum::{best_row, solve};
use engine::games::einstein::setup::SETUPS;
use serde::{Deserialize, Serialize};

/// A mix of set-ups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetupMix {
    /// The share of each of the 720 set-ups.
    pub shares: Vec<f64>,
    /// What the best single answer wins above 50 % in the payoffs the mix was computed from.
    pub exploitability: f64,
    /// The same if the mix is always the best class, and if all set-ups are equally likely.
    pub exploitability_of_best: f64,
    /// See above.
    pub exploitability_of_random: f64,
    /// Standard deviation of what two classes score against each other beyond what their rates
    /// predict, without that of the dice; 0 if luck explains all.
    pub interaction: f64,
    /// The mean part of the seen differences that was believed.
    pub believed: f64,
}

/// Rounds of the solver, and how good is good enough: a hundredth of a percent.
const ROUNDS: usize = 20_000;
const CLOSE_ENOUGH: f64 = 1e-4;

/// Shares smaller than this are left out: a class once in a thousand games is the solver's
/// remainder.
const SMALLEST_SHARE: f64 = 1e-3;

/// The mix of a study; `meetings[a * CLASSES + b]` counts for class `a` its pairs against `b`.
/// `None` unless every class met every other.
pub(super) fn mix(
    classes: &Classes,
    of_classes: &[PairCounts],
    meetings: &[PairCounts],
) -> Option<SetupMix> {
    let met = (0..CLASSES * CLASSES)
        .all(|cell| cell / CLASSES == cell % CLASSES || meetings[cell].pairs() > 0);
    if !met {
        return None;
    }
    let strengths: Vec<f64> = of_classes
        .iter()
        .map(|counts| counts.tally().score() - 0.5)
        .collect();
    let (payoffs, interaction, believed) = payoffs(&strengths, meetings);
    let solution = solve(&payoffs, 2.0 * CLOSE_ENOUGH, ROUNDS);
    // Rows and columns are the same player: the mean of two equilibrium mixes is one.
    let mut of_class: Vec<f64> = solution
        .rows
        .iter()
        .zip(&solution.columns)
        .map(|(row, column)| (row + column) / 2.0)
        .collect();
    of_class
        .iter_mut()
        .filter(|share| **share < SMALLEST_SHARE)
        .for_each(|share| *share = 0.0);
    let total: f64 = of_class.iter().sum();
    of_class.iter_mut().for_each(|share| *share /= total);
    let best = (0..CLASSES).max_by(|&left, &right| strengths[left].total_cmp(&strengths[right]))?;
    let mut single = [0.0; CLASSES];
    single[best] = 1.0;
    Some(SetupMix {
        shares: (0..SETUPS)
            .map(|setup| of_class[classes.of[setup]] / 4.0)
            .collect(),
        exploitability: best_row(&payoffs, &of_class),
        exploitability_of_best: best_row(&payoffs, &single),
        exploitability_of_random: best_row(&payoffs, &[1.0 / CLASSES as f64; CLASSES]),
        interaction,
        believed,
    })
}

/// Payoffs above even, how much classes interact, and the part of differences that was believed.
fn payoffs(strengths: &[f64], meetings: &[PairCounts]) -> (Vec<Vec<f64>>, f64, f64) {
    let count = strengths.len();
    // Variance of the mean of a pair, over all pairs.
    let of_pair = meetings.iter().sum::<PairCounts>().tally().variance();
    let difference = |a: usize, b: usize| {
        meetings[a * count + b].tally().score() - 0.5 - (strengths[a] - strengths[b])
    };
    let noise = |a: usize, b: usize| of_pair / meetings[a * count + b].pairs().max(1) as f64;
    let others =
        || (0..count).flat_map(|a| (0..count).filter(move |&b| a != b).map(move |b| (a, b)));
    let cells = (count * (count - 1)).max(1) as f64;
    let beyond = others()
        .map(|(a, b)| difference(a, b).powi(2) - noise(a, b))
        .sum::<f64>()
        / cells;
    let interaction = beyond.max(0.0);
    let part =
        |a: usize, b: usize| interaction / (interaction + noise(a, b)).max(f64::MIN_POSITIVE);
    let believed = others().map(|(a, b)| part(a, b)).sum::<f64>() / cells;
    let payoff = |a: usize, b: usize| {
        if a == b {
            0.0
        } else {
            strengths[a] - strengths[b] + part(a, b) * difference(a, b)
        }
    };
    (
        (0..count)
            .map(|a| (0..count).map(|b| payoff(a, b)).collect())
            .collect(),
        interaction.sqrt(),
        believed,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts of many pairs that score so much.
    fn scores(score: f64) -> PairCounts {
        let won = (score * 1e6).round() as u64;
        PairCounts::without_draws(1_000_000 - won, 0, won)
    }

    #[test]
    fn rates_that_explain_everything_leave_nothing_else() {
        let strengths = [0.04, 0.01, -0.05];
        let meeting = |a: usize, b: usize| scores(0.5 + strengths[a] - strengths[b]);
        let meetings: Vec<PairCounts> = (0..9).map(|cell| meeting(cell / 3, cell % 3)).collect();
        let (payoffs, interaction, believed) = payoffs(&strengths, &meetings);
        assert_eq!((interaction, believed), (0.0, 0.0));
        assert!((payoffs[0][2] - 0.09).abs() < 1e-9 && (payoffs[2][0] + 0.09).abs() < 1e-9);
        assert!((best_row(&payoffs, &[0.0, 1.0, 0.0]) - 0.03).abs() < 1e-9);
        assert!(best_row(&payoffs, &[1.0, 0.0, 0.0]).abs() < 1e-9);
    }

    #[test]
    fn a_circle_of_equals_is_believed_if_many_games_show_it() {
        // Rock, paper, scissors: rates say nothing, meetings all.
        let meeting = |a: usize, b: usize| scores([0.5, 0.4, 0.6][(3 + b - a) % 3]);
        let meetings: Vec<PairCounts> = (0..9).map(|cell| meeting(cell / 3, cell % 3)).collect();
        let (payoffs, interaction, believed) = payoffs(&[0.0; 3], &meetings);
        assert!(
            (interaction - 0.1).abs() < 1e-3 && believed > 0.999,
            "{interaction} {believed}"
        );
        let solution = solve(&payoffs, 1e-5, 100_000);
        assert!(
            solution
                .rows
                .iter()
                .all(|share| (share - 1.0 / 3.0).abs() < 2e-3),
            "{solution:?}"
        );
        // Ten pairs each with the same scores are luck.
        let few: Vec<PairCounts> = meetings
            .iter()
            .map(|found| PairCounts::without_draws(found.lost / 100_000, 0, found.won / 100_000))
            .collect();
        assert_eq!(super::payoffs(&[0.0; 3], &few).1, 0.0);
    }
}
