//! Conclusions from the values of set-ups: advantage of the first side, best set-ups, equilibria.
//! The first side is the one that begins; values are its win probability unless stated otherwise.

use super::{
    arrangements::{Rows, text},
    fit::HeldOutFit,
    stronger_play::Improvement,
};
use crate::{
    Estimate, mean,
    zero_sum::{Mixes, max_row_payoff, min_column_payoff, mix_value, solve, square_matrix},
};
use arena::statistics::Interval;
use serde::{Deserialize, Serialize};

/// Set-ups of first and second side if one chooses best and the other sees it and responds best.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BestResponse {
    pub first: String,
    pub second: String,
    pub value: Estimate,
}

/// Class of symmetric set-ups, which have equal mean values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassValue {
    /// Members, each as the stones on a5 b5 c5 a4 b4 a3.
    pub orders: Vec<String>,
    /// Win probability as first side against a random set-up.
    pub first: f64,
    /// Win probability as second side against a random set-up.
    pub second: f64,
    pub score: f64,
    /// Probability in the first side's equilibrium strategy.
    #[serde(rename = "share_first")]
    pub weight_first: f64,
    /// Probability in the second side's equilibrium strategy.
    #[serde(rename = "share_second")]
    pub weight_second: f64,
    /// Probability in the equilibrium strategy if chance decides afterwards who begins.
    #[serde(rename = "share")]
    pub weight: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitReport {
    pub deviation: f64,
    /// Standard deviation of the fitted values over all meetings.
    pub spread: f64,
    /// Standard error of a class's mean value on one side.
    pub class_error: f64,
    pub held_out: Vec<HeldOutFit>,
    pub taken: usize,
    /// Factor, 0 to 1, by which the model multiplies each meeting's residual; 0 if it has none.
    pub shrinkage: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SetupValues {
    pub stones: usize,
    pub game: String,
    pub source: String,
    pub seed: u64,
    /// Number of games; 0 if values are exact.
    pub games: u64,
    /// Maximum error of exact values; `None` for values from games.
    pub within: Option<f64>,
    /// Value if both set-ups are random.
    pub random: Estimate,
    /// Value if both sides choose simultaneously, in equilibrium.
    pub equilibrium: Estimate,
    /// From the value that the first side's equilibrium strategy guarantees to the one that the
    /// second side's allows.
    pub assured: Interval,
    /// Best response of the second side if it sees the first side's choice.
    pub second_sees: BestResponse,
    /// Best response of the first side if it sees the second side's choice.
    pub first_sees: BestResponse,
    /// Win probability below ½ of a random set-up against the best response if chance decides who
    /// begins.
    pub random_deficit: f64,
    pub classes: Vec<ClassValue>,
    pub fit: Option<FitReport>,
    /// Changes of values with a stronger player, from random and from equilibrium set-ups.
    pub better: Vec<Improvement>,
}

const MAX_SOLVER_ROUNDS: usize = 100_000;
const EQUILIBRIUM_GAP: f64 = 1e-5;

const MIN_MIX_WEIGHT: f64 = 1e-4;

pub(super) struct Analysis {
    /// Strategies of both sides: random, in equilibrium, if the second side sees the first side's
    /// set-up, and if the first side sees the second side's.
    pub(super) mixes: [Mixes; 4],
    pub(super) values: [f64; 4],
    assured: Interval,
    mix: Vec<f64>,
    random_deficit: f64,
}

fn drop_small_weights(mut mix: Vec<f64>) -> Vec<f64> {
    mix.iter_mut()
        .filter(|weight| **weight < MIN_MIX_WEIGHT)
        .for_each(|weight| *weight = 0.0);
    let total: f64 = mix.iter().sum();
    mix.iter_mut().for_each(|weight| *weight /= total);
    mix
}

impl Analysis {
    pub(super) fn new(values: &[Vec<f64>]) -> Self {
        let count = values.len();
        let alone = |row: usize| {
            let mut mix = vec![0.0; count];
            mix[row] = 1.0;
            mix
        };
        let random = vec![1.0 / count as f64; count];
        let equilibrium = solve(values, EQUILIBRIUM_GAP, MAX_SOLVER_ROUNDS).map(drop_small_weights);
        let best_by = |of: &dyn Fn(usize) -> f64| {
            (0..count)
                .min_by(|&one, &other| of(one).total_cmp(&of(other)))
                .unwrap_or(0)
        };
        let answer = |first: usize| best_by(&|second| values[first][second]);
        let displayed = best_by(&|first| -values[first][answer(first)]);
        let reply = |second: usize| best_by(&|first| -values[first][second]);
        let reply_second = best_by(&|second| values[reply(second)][second]);
        let even = square_matrix(count, |one, other| {
            (values[one][other] - values[other][one]) / 2.0
        });
        let [rows, columns] = solve(&even, EQUILIBRIUM_GAP, MAX_SOLVER_ROUNDS);
        // In a symmetric game, the mean of both equilibrium strategies is one, too.
        let pairs = rows.iter().zip(columns);
        let mean = pairs.map(|(one, other)| (one + other) / 2.0);
        let mixes = [
            [random.clone(), random.clone()],
            equilibrium,
            [alone(displayed), alone(answer(displayed))],
            [alone(reply(reply_second)), alone(reply_second)],
        ];
        Self {
            values: mixes.each_ref().map(|mixes| mix_value(values, mixes)),
            assured: Interval {
                lower: min_column_payoff(values, &mixes[1][0]),
                upper: max_row_payoff(values, &mixes[1][1]),
            },
            mix: drop_small_weights(mean.collect()),
            random_deficit: max_row_payoff(&even, &random),
            mixes,
        }
    }

    pub(super) fn setup_values(
        &self,
        rows: &Rows,
        values: &[Vec<f64>],
        errors: [f64; 4],
    ) -> SetupValues {
        let estimate = |best_by: usize| Estimate {
            value: self.values[best_by],
            error: errors[best_by],
        };
        let answered = |best_by: usize| {
            let order = |side: &Vec<f64>| {
                let row = side.iter().position(|weight| *weight == 1.0);
                text(&rows.orders[row.unwrap_or(0)])
            };
            let [first, second] = self.mixes[best_by].each_ref().map(order);
            BestResponse {
                first,
                second,
                value: estimate(best_by),
            }
        };
        let of_first: Vec<f64> = values.iter().map(|row| mean(row)).collect();
        let won = |second: usize| values.iter().map(|row| row[second]).sum::<f64>();
        let of_second = (0..rows.len()).map(|second| 1.0 - won(second) / rows.len() as f64);
        let of_second: Vec<f64> = of_second.collect();
        let class = |class: usize| {
            let members: Vec<usize> = (0..rows.len())
                .filter(|&row| rows.class[row] == class)
                .collect();
            let sum = |of: &[f64]| members.iter().map(|&row| of[row]).sum::<f64>();
            let mean = |of: &[f64]| sum(of) / members.len() as f64;
            let (first, second) = (mean(&of_first), mean(&of_second));
            ClassValue {
                orders: rows.of_class(class).iter().map(text).collect(),
                first,
                second,
                score: (first + second) / 2.0,
                weight_first: sum(&self.mixes[1][0]),
                weight_second: sum(&self.mixes[1][1]),
                weight: sum(&self.mix),
            }
        };
        let mut classes: Vec<ClassValue> = (0..rows.classes.len()).map(class).collect();
        classes.sort_by(|one, other| other.score.total_cmp(&one.score));
        SetupValues {
            random: estimate(0),
            equilibrium: estimate(1),
            assured: self.assured,
            second_sees: answered(2),
            first_sees: answered(3),
            random_deficit: self.random_deficit,
            classes,
            ..SetupValues::default()
        }
    }
}
