//! Equilibria of zero-sum matrix games, by regret matching⁺ with alternating updates and linear
//! averaging (Tammelin 2014).

use arena::statistics::dot;

/// Mixed strategies of the row player, who maximizes, and of the column player.
pub(super) type Mixes = [Vec<f64>; 2];

/// Approximates an equilibrium, until [`nash_conv`] is at most `close_enough` or for `rounds`
/// rounds. `payoffs[row][column]` is the row player's payoff.
pub(super) fn solve(payoffs: &[Vec<f64>], close_enough: f64, rounds: usize) -> Mixes {
    let (height, width) = (payoffs.len(), payoffs.first().map_or(0, Vec::len));
    let mut rows = RegretMatcher::new(height);
    let mut columns = RegretMatcher::new(width);
    for round in 1..=rounds.max(1) {
        let weight = round as f64;
        let of_rows = row_payoffs(payoffs, &columns.mix);
        rows.learn(&of_rows, weight);
        let of_columns = column_payoffs(payoffs, &rows.mix).into_iter();
        columns.learn(
            &of_columns.map(|payoff| -payoff).collect::<Vec<_>>(),
            weight,
        );
        // Checked rarely, because it costs as much as two rounds.
        if round % 64 == 0
            && nash_conv(payoffs, &[&rows, &columns].map(RegretMatcher::average_mix))
                <= close_enough
        {
            break;
        }
    }
    [rows, columns].each_ref().map(RegretMatcher::average_mix)
}

pub(super) fn square_matrix(choices: usize, payoff: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    let row = |row| (0..choices).map(|column| payoff(row, column)).collect();
    (0..choices).map(row).collect()
}

pub(super) fn mix_value(payoffs: &[Vec<f64>], [rows, columns]: &Mixes) -> f64 {
    let chosen = payoffs
        .iter()
        .zip(rows)
        .filter(|(_, probability)| **probability > 0.0);
    chosen
        .map(|(row, probability)| probability * dot(row, columns))
        .sum()
}

/// Sum of both players' gains by best responses; 0 in equilibrium.
fn nash_conv(payoffs: &[Vec<f64>], [rows, columns]: &Mixes) -> f64 {
    max_row_payoff(payoffs, columns) - min_column_payoff(payoffs, rows)
}

pub(super) fn min_column_payoff(payoffs: &[Vec<f64>], rows: &[f64]) -> f64 {
    let payoffs = column_payoffs(payoffs, rows).into_iter();
    payoffs.fold(f64::INFINITY, f64::min)
}

pub(super) fn max_row_payoff(payoffs: &[Vec<f64>], columns: &[f64]) -> f64 {
    let payoffs = row_payoffs(payoffs, columns).into_iter();
    payoffs.fold(f64::NEG_INFINITY, f64::max)
}

fn row_payoffs(payoffs: &[Vec<f64>], columns: &[f64]) -> Vec<f64> {
    payoffs.iter().map(|row| dot(row, columns)).collect()
}

fn column_payoffs(payoffs: &[Vec<f64>], rows: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; payoffs.first().map_or(0, Vec::len)];
    for (row, probability) in payoffs.iter().zip(rows) {
        sums.iter_mut()
            .zip(row)
            .for_each(|(sum, payoff)| *sum += payoff * probability);
    }
    sums
}

struct RegretMatcher {
    regrets: Vec<f64>,
    mix: Vec<f64>,
    sum: Vec<f64>,
}

impl RegretMatcher {
    fn new(choices: usize) -> Self {
        Self {
            regrets: vec![0.0; choices],
            mix: vec![1.0 / choices as f64; choices],
            sum: vec![0.0; choices],
        }
    }

    fn learn(&mut self, payoffs: &[f64], weight: f64) {
        let got = dot(payoffs, &self.mix);
        self.regrets
            .iter_mut()
            .zip(payoffs)
            .for_each(|(regret, payoff)| *regret = (*regret + payoff - got).max(0.0));
        let total: f64 = self.regrets.iter().sum();
        if total > 0.0 {
            self.mix
                .iter_mut()
                .zip(&self.regrets)
                .for_each(|(probability, regret)| *probability = regret / total);
        }
        self.sum
            .iter_mut()
            .zip(&self.mix)
            .for_each(|(sum, probability)| *sum += weight * probability);
    }

    fn average_mix(&self) -> Vec<f64> {
        let total: f64 = self.sum.iter().sum();
        self.sum.iter().map(|sum| sum / total).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rock_paper_scissors(rock: f64, paper: f64, scissors: f64) -> Vec<Vec<f64>> {
        vec![
            vec![0.0, -paper, rock],
            vec![paper, 0.0, -scissors],
            vec![-rock, scissors, 0.0],
        ]
    }

    fn assert_solved(payoffs: &[Vec<f64>], expected: &[&[f64]; 2], value: f64) {
        let found = solve(payoffs, 1e-5, 200_000);
        for (found, expected) in found.iter().zip(expected) {
            let mut pairs = found.iter().zip(*expected);
            assert!(
                pairs.all(|(one, other)| (one - other).abs() < 2e-3),
                "{found:?}"
            );
        }
        assert!((mix_value(payoffs, &found) - value).abs() < 1e-4);
        assert!((-1e-12..1e-4).contains(&nash_conv(payoffs, &found)));
    }

    #[test]
    fn games_have_the_equilibria_computed_by_hand() {
        // In a 3×3 game with A = −Aᵀ, A·x = 0 has the solution x = (scissors, rock, paper) / sum.
        for (rock, paper, scissors) in [
            (1.0, 1.0, 1.0),
            (2.0, 1.0, 1.0),
            (1.0, 3.0, 2.0),
            (0.5, 0.2, 4.0),
        ] {
            let mix = [scissors, rock, paper].map(|stake| stake / (rock + paper + scissors));
            assert_solved(&rock_paper_scissors(rock, paper, scissors), &[&mix; 2], 0.0);
        }
        // Matching pennies with stakes 3, -1, -2, 1: q from 3q - (1 - q) = -2q + (1 - q), so q =
        // 2/7, p = 3/7, value 1/7.
        let pennies = [vec![3.0, -1.0], vec![-2.0, 1.0]];
        assert_solved(
            &pennies,
            &[&[3.0 / 7.0, 4.0 / 7.0], &[2.0 / 7.0, 5.0 / 7.0]],
            1.0 / 7.0,
        );
        let saddle = [vec![1.0, 5.0, 4.0], vec![2.0, 3.0, 6.0]];
        assert_solved(&saddle, &[&[0.0, 1.0], &[1.0, 0.0, 0.0]], 2.0);
        assert_eq!(solve(&[vec![0.5]], 0.0, 1), [[1.0]; 2]);
    }

    #[test]
    fn the_gap_is_what_the_best_answers_gain() {
        let game = rock_paper_scissors(1.0, 1.0, 1.0);
        let gap =
            |rows: [f64; 3], columns: [f64; 3]| nash_conv(&game, &[rows.into(), columns.into()]);
        assert_eq!(gap([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]), 2.0);
        assert_eq!(gap([0.5, 0.5, 0.0], [0.25, 0.25, 0.5]), 0.25 + 0.5);
    }
}
