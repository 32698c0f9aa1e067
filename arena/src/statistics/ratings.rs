//! Ratings of many contestants from all their matches, by the model of Bradley and Terry (1952):
//! the difference of two ratings predicts the score between them.
//!
//! Ratings maximise the likelihood and have mean 0; scores are clamped as in [`Tally::elo`], so
//! that ratings are finite. Errors come from the variance of pairs of games, by the "sandwich"
//! estimator of White (1982).

use super::{Interval, Tally, dot};
use alea_core::moments::Moments;

pub(super) const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MatchRecord {
    /// Contestant whose points `score` counts; `b` is the opponent.
    pub a: usize,
    pub b: usize,
    /// Number of pairs.
    pub samples: f64,
    /// Mean score of `a`, in `(0, 1)`.
    pub score: f64,
    /// Variance of a pair's mean score.
    pub variance: f64,
}

const VARIANCE_PRIOR_PAIRS: f64 = 10.0;

impl MatchRecord {
    pub(crate) fn from_tally(a: usize, b: usize, tally: &Tally<5>) -> Self {
        Self {
            a,
            b,
            samples: tally.samples(),
            score: tally.bounded_score(),
            variance: tally.positive_variance(),
        }
    }

    /// Record of a match from the mean scores of its pairs. The variance is averaged with that of
    /// independent games, since after a few equal pairs it would be too small.
    pub(crate) fn from_means(a: usize, b: usize, means: &Moments) -> Self {
        let samples = means.sample_count();
        let edge = 0.25 / samples.max(1.0);
        let expected = (means.mean() * samples + 1.0) / (samples + 2.0);
        let expected = (expected * (1.0 - expected) / 2.0).max(0.0);
        let observed = means.deviation().powi(2);
        Self {
            a,
            b,
            samples,
            score: means.mean().clamp(edge, 1.0 - edge),
            variance: (observed * samples + expected * VARIANCE_PRIOR_PAIRS)
                / (samples + VARIANCE_PRIOR_PAIRS),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ratings {
    pub elo: Vec<f64>,
    /// Covariances in Elo squared.
    pub covariance: Vec<Vec<f64>>,
}

impl Ratings {
    pub(crate) fn interval(&self, contestant: usize, quantile: f64) -> Interval {
        let half_width = quantile * self.covariance[contestant][contestant].max(0.0).sqrt();
        Interval::from_center(self.elo[contestant], half_width)
    }

    pub(crate) fn difference_error(&self, a: usize, b: usize) -> f64 {
        let covariance = &self.covariance;
        (covariance[a][a] + covariance[b][b] - 2.0 * covariance[a][b])
            .max(0.0)
            .sqrt()
    }
}

pub(crate) fn ratings(contestants: usize, records: &[MatchRecord]) -> Option<Ratings> {
    if contestants == 0 || reachable_from(contestants, records, 0).contains(&false) {
        return None;
    }
    let records: Vec<&MatchRecord> = records
        .iter()
        .filter(|record| record.a != record.b && record.samples > 0.0)
        .collect();
    let likelihood = |strengths: &[f64]| -> f64 {
        let one = |record: &&MatchRecord| {
            let difference = strengths[record.a] - strengths[record.b];
            let won = -(-difference).exp().ln_1p();
            let lost = -difference.exp().ln_1p();
            record.samples * (record.score * won + (1.0 - record.score) * lost)
        };
        records.iter().map(one).sum()
    };
    let mut strengths = vec![0.0; contestants];
    let mut best = likelihood(&strengths);
    for _ in 0..200 {
        let mut slope = vec![0.0; contestants];
        for record in &records {
            let excess = record.samples * (record.score - expected_score(&strengths, record));
            slope[record.a] += excess;
            slope[record.b] -= excess;
        }
        let inverse = invert(curvature(&strengths, &records))?;
        let step: Vec<f64> = inverse.iter().map(|row| dot(row, &slope)).collect();
        let mut length = 1.0;
        let moved = loop {
            let tried: Vec<f64> = strengths
                .iter()
                .zip(&step)
                .map(|(strength, step)| strength + length * step)
                .collect();
            let actual = likelihood(&tried);
            if actual > best {
                (strengths, best) = (tried, actual);
                break length;
            }
            length /= 2.0;
            if length < 1e-6 {
                break 0.0;
            }
        };
        if moved
            * step
                .iter()
                .fold(0.0_f64, |largest, step| largest.max(step.abs()))
            < 1e-10
        {
            break;
        }
    }
    let bread = invert(curvature(&strengths, &records))?;
    // The matrix of ones in `curvature` does not affect the errors, so the middle factor omits it.
    let filling = weighted_laplacian(contestants, &records, |record| record.variance);
    let covariance = product(&product(&bread, &filling), &bread);
    let mean = strengths.iter().sum::<f64>() / contestants as f64;
    Some(Ratings {
        elo: strengths
            .iter()
            .map(|strength| ELO_PER_LOGIT * (strength - mean))
            .collect(),
        covariance: covariance
            .into_iter()
            .map(|row| {
                row.into_iter()
                    .map(|entry| ELO_PER_LOGIT * ELO_PER_LOGIT * entry)
                    .collect()
            })
            .collect(),
    })
}

fn expected_score(strengths: &[f64], record: &MatchRecord) -> f64 {
    1.0 / (1.0 + (strengths[record.b] - strengths[record.a]).exp())
}

type Matrix = Vec<Vec<f64>>;

/// Sum over records of samples · weight · (e_a − e_b)(e_a − e_b)ᵀ.
fn weighted_laplacian(
    contestants: usize,
    records: &[&MatchRecord],
    weight: impl Fn(&MatchRecord) -> f64,
) -> Matrix {
    let mut matrix = vec![vec![0.0; contestants]; contestants];
    for record in records {
        let entry = record.samples * weight(record);
        matrix[record.a][record.a] += entry;
        matrix[record.b][record.b] += entry;
        matrix[record.a][record.b] -= entry;
        matrix[record.b][record.a] -= entry;
    }
    matrix
}

/// Negative Hessian of the log likelihood, made invertible by a multiple of the matrix of ones.
fn curvature(strengths: &[f64], records: &[&MatchRecord]) -> Matrix {
    let contestants = strengths.len();
    let mut matrix = weighted_laplacian(contestants, records, |record| {
        let fraction = expected_score(strengths, record);
        fraction * (1.0 - fraction)
    });
    let scale = (0..contestants)
        .map(|index| matrix[index][index])
        .fold(0.0_f64, f64::max)
        .max(1e-300);
    matrix
        .iter_mut()
        .flatten()
        .for_each(|entry| *entry += scale / contestants as f64);
    matrix
}

fn invert(mut matrix: Matrix) -> Option<Matrix> {
    let size = matrix.len();
    for (row, entries) in matrix.iter_mut().enumerate() {
        entries.resize(2 * size, 0.0);
        entries[size + row] = 1.0;
    }
    for column in 0..size {
        let magnitude = |row: usize| matrix[row][column].abs();
        let pivot =
            (column..size).max_by(|&left, &right| magnitude(left).total_cmp(&magnitude(right)))?;
        if matrix[pivot][column] == 0.0 {
            return None;
        }
        matrix.swap(column, pivot);
        let scale = 1.0 / matrix[column][column];
        matrix[column].iter_mut().for_each(|entry| *entry *= scale);
        let pivot_row = matrix[column].clone();
        for row in (0..size).filter(|&row| row != column) {
            let factor = matrix[row][column];
            let entries = matrix[row].iter_mut().zip(&pivot_row);
            entries.for_each(|(entry, pivot)| *entry -= factor * pivot);
        }
    }
    Some(matrix.into_iter().map(|row| row[size..].to_vec()).collect())
}

fn product(left: &Matrix, right: &Matrix) -> Matrix {
    let column = |at: usize| right.iter().map(|row| row[at]).collect::<Vec<_>>();
    let columns: Matrix = (0..right.len()).map(column).collect();
    let row = |row: &Vec<f64>| columns.iter().map(|column| dot(row, column)).collect();
    left.iter().map(row).collect()
}

pub(super) fn reachable_from(
    contestants: usize,
    records: &[MatchRecord],
    from: usize,
) -> Vec<bool> {
    let mut reached = vec![false; contestants];
    reached[from] = true;
    for _ in 0..contestants {
        for record in records.iter().filter(|record| record.samples > 0.0) {
            let either = reached[record.a] || reached[record.b];
            (reached[record.a], reached[record.b]) = (either, either);
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{PairCounts, QUANTILE_95};
    use alea_core::random::RandomStream;

    /// Wins of the rows against the columns, American League East 1987 (Agresti, Categorical Data
    /// Analysis): Milwaukee, Detroit, Toronto, New York, Boston, Cleveland, Baltimore.
    const BASEBALL: [[u64; 7]; 7] = [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ];

    fn match_record(a: usize, b: usize, [lost, split, won]: [u64; 3]) -> MatchRecord {
        let tally = PairCounts::without_draws(lost, split, won).tally();
        MatchRecord::from_tally(a, b, &tally)
    }

    #[test]
    fn ratings_of_a_published_league() {
        let wins = |a: usize, b: usize| BASEBALL[a][b];
        let pairings = (0..7).flat_map(|a| (a + 1..7).map(move |b| (a, b)));
        let records: Vec<_> = pairings
            .map(|(a, b)| match_record(a, b, [wins(b, a), 0, wins(a, b)]))
            .collect();
        let actual = ratings(7, &records).unwrap();
        let published = [
            (1.581, 0.343),
            (1.436, 0.340),
            (1.294, 0.337),
            (1.248, 0.336),
            (1.108, 0.334),
            (0.684, 0.332),
        ];
        for (team, (ability, error)) in published.into_iter().enumerate() {
            assert!(
                ((actual.elo[team] - actual.elo[6]) / ELO_PER_LOGIT - ability).abs() < 0.001,
                "{team}"
            );
            let ratio = actual.difference_error(team, 6) / ELO_PER_LOGIT / error;
            assert!((0.85..1.15).contains(&ratio), "{team}: {ratio}");
        }
        assert!(actual.elo.iter().sum::<f64>().abs() < 1e-9);
    }

    #[test]
    fn two_contestants_differ_by_the_elo_of_their_match() {
        for counts in [
            [10, 20, 40],
            [0, 0, 30],
            [7, 0, 0],
            [0, 4, 0],
            [1, 0, 999_999],
        ] {
            let [lost, split, won] = counts;
            let tally = PairCounts::without_draws(lost, split, won).tally();
            let actual = ratings(2, &[match_record(1, 0, counts)]).unwrap();
            assert!(
                (actual.elo[1] - actual.elo[0] - tally.elo()).abs() < 1e-6,
                "{counts:?}: {actual:?}"
            );
            assert!(actual.difference_error(0, 1).is_finite());
        }
        let record = match_record(0, 1, [10, 20, 40]);
        let tally = PairCounts::without_draws(10, 20, 40).tally();
        let score = tally.score();
        let by_hand = ELO_PER_LOGIT * tally.standard_error() / (score * (1.0 - score));
        let actual = ratings(2, &[record]).unwrap();
        assert!((actual.difference_error(0, 1) - by_hand).abs() < 1e-6);
    }

    #[test]
    fn one_sided_leagues_are_finite_and_unconnected_ones_have_no_ratings() {
        let won = |(a, b)| match_record(a, b, [0, 0, 50]);
        let pairings = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        let actual = ratings(4, &pairings.map(won)).unwrap();
        assert!(
            actual.elo.windows(2).all(|pair| pair[0] > pair[1])
                && actual.elo.iter().all(|elo| elo.is_finite()),
            "{actual:?}"
        );
        assert!((0..4).all(|index| actual.interval(index, QUANTILE_95).half_width().is_finite()));
        assert_eq!(ratings(4, &[won((0, 1)), won((2, 3))]), None);
        assert_eq!(ratings(2, &[match_record(0, 1, [0; 3])]), None);
        assert_eq!(ratings(0, &[]), None);
    }

    #[test]
    fn intervals_hold_the_true_rating_as_often_as_they_say() {
        // The games of a pair share luck: with probability 0.4 it is split whatever the strengths.
        let strengths = [0.6, 0.2, 0.0, -0.3, -0.5];
        let mut random = RandomStream::new(5);
        let (mut inside, mut all) = (0, 0);
        for _ in 0..400 {
            let mut records = Vec::new();
            for a in 0..5 {
                for b in a + 1..5 {
                    let fraction = 1.0 / (1.0 + f64::exp(strengths[b] - strengths[a]));
                    let rest = (fraction - 0.2) / 0.6;
                    let mut counts = [0; 3];
                    for _ in 0..100 {
                        let is_split = random.uniform_f64() < 0.4;
                        let mut won = || 2 * usize::from(random.uniform_f64() < rest);
                        counts[if is_split { 1 } else { won() }] += 1;
                    }
                    records.push(match_record(a, b, counts));
                }
            }
            let actual = ratings(5, &records).unwrap();
            for (index, strength) in strengths.iter().enumerate() {
                inside += usize::from(
                    actual
                        .interval(index, QUANTILE_95)
                        .contains(ELO_PER_LOGIT * strength),
                );
                all += 1;
            }
        }
        let fraction = f64::from(inside as u32) / f64::from(all);
        assert!((0.93..0.97).contains(&fraction), "{fraction}");
    }
}
