//! Simulated sequential tests, for error rates and durations.

use super::{
    PairCounts, Tally,
    normalized::ELO_PER_DEVIATION,
    score_of_elo,
    sequential::{EloModel, Evidence, SequentialTest, Verdict},
};
use alea_core::random::RandomStream;

/// Probabilities that A wins 0, 1 or 2 games of a pair, without draws.
pub type PairDistribution = [f64; 3];

/// Distribution of pairs at the Elo difference `elo` if the fraction `split` of pairs is split:
/// each side wins one game.
///
/// # Panics
/// If so many split pairs leave no room for the score.
#[must_use]
pub fn pair_distribution(elo: f64, model: EloModel, split: f64) -> PairDistribution {
    let excess = match model {
        EloModel::Logistic => score_of_elo(elo) - 0.5,
        // A win pays 1 point, a loss -1.
        EloModel::Points => elo / 2.0,
        EloModel::Normalized => {
            // excess = ratio · deviation of a game, and a pair has the variance (1 - split)/4 -
            // excess².
            let ratio = elo / ELO_PER_DEVIATION;
            let squared = 2.0 * ratio * ratio;
            (squared * (1.0 - split) / 4.0 / (1.0 + squared))
                .sqrt()
                .copysign(elo)
        }
    };
    let pair_distribution = [
        (1.0 - split) / 2.0 - excess,
        split,
        (1.0 - split) / 2.0 + excess,
    ];
    assert!(
        pair_distribution.iter().all(|&fraction| fraction >= 0.0),
        "{pair_distribution:?} is no law"
    );
    pair_distribution
}

/// Simulates a test on up to `max_pairs` random pairs, evaluated after every `every` pairs; returns
/// verdict and number of pairs.
pub fn simulate_pair_test(
    test: &SequentialTest,
    every: u64,
    pair_distribution: &PairDistribution,
    max_pairs: u64,
    random: &mut RandomStream,
) -> (Verdict, u64) {
    let mut counts = PairCounts::default();
    until_decided(test, every, max_pairs, |look| {
        let draw = random.uniform_f64();
        let won = [
            pair_distribution[0],
            pair_distribution[0] + pair_distribution[1],
        ]
        .map(|below| f64::from(u8::from(draw >= below)));
        counts.add(won);
        look.then(|| test.pair_evidence(&counts))
    })
}

/// Simulates a test on up to `max_pairs` random single games (not pairs), which A wins with
/// probability `score`; returns verdict and number of games.
pub fn simulate_test(
    test: &SequentialTest,
    score: f64,
    max_pairs: u64,
    random: &mut RandomStream,
) -> (Verdict, u64) {
    let mut counts = [0; 2];
    until_decided(test, 1, max_pairs, |look| {
        counts[usize::from(random.uniform_f64() < score)] += 1;
        look.then(|| test.evidence(&Tally { counts }, 1.0))
    })
}

fn until_decided(
    test: &SequentialTest,
    every: u64,
    max_pairs: u64,
    mut one_more: impl FnMut(bool) -> Option<Evidence>,
) -> (Verdict, u64) {
    for sample in 1..=max_pairs {
        let evidence = one_more(sample.is_multiple_of(every));
        let verdict = evidence.map_or(Verdict::Open, |evidence| test.verdict(&evidence));
        if verdict != Verdict::Open {
            return (verdict, sample);
        }
    }
    (Verdict::Open, max_pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alea_core::moments::Moments;

    #[test]
    fn distributions_have_the_stated_elo() {
        for split in [0.3, 0.5, 0.7] {
            let counts = |pair_distribution: PairDistribution| Tally {
                counts: pair_distribution.map(|fraction| (fraction * 1e9).round() as u64),
            };
            assert!(
                (counts(pair_distribution(25.0, EloModel::Logistic, split)).elo() - 25.0).abs()
                    < 1e-3
            );
            assert!(
                (counts(pair_distribution(-25.0, EloModel::Normalized, split)).normalized_elo(2.0)
                    + 25.0)
                    .abs()
                    < 1e-3
            );
        }
    }

    #[track_caller]
    fn assert_error_rates(
        model: EloModel,
        mut simulate: impl FnMut(&SequentialTest, f64, &mut RandomStream) -> Verdict,
    ) {
        let test = SequentialTest::new(0.0, 30.0, 0.05, 0.05, model).unwrap();
        let mut random = RandomStream::new(2);
        for (elo, wrong) in [(0.0, Verdict::Accepted), (30.0, Verdict::Rejected)] {
            let errors = (0..3000)
                .filter(|_| simulate(&test, elo, &mut random) == wrong)
                .count();
            let rate = errors as f64 / 3000.0;
            assert!((0.04..0.06).contains(&rate), "{model:?} at {elo}: {rate}");
        }
    }

    #[test]
    fn tests_of_pairs_are_wrong_as_often_as_they_say() {
        for model in [EloModel::Logistic, EloModel::Normalized] {
            assert_error_rates(model, |test, elo, random| {
                simulate_pair_test(
                    test,
                    1,
                    &pair_distribution(elo, model, 0.5),
                    100_000,
                    random,
                )
                .0
            });
        }
    }

    #[test]
    fn tests_of_games_are_wrong_as_often_as_they_say() {
        assert_error_rates(EloModel::Logistic, |test, elo, random| {
            simulate_test(test, score_of_elo(elo), 100_000, random).0
        });
    }

    #[test]
    fn tests_in_batches_are_wrong_as_often_as_they_say() {
        for batch in [1, 50] {
            assert_error_rates(EloModel::Logistic, |test, elo, random| {
                let test = test.in_batches(batch).unwrap();
                let pair_distribution = pair_distribution(elo, EloModel::Logistic, 0.5);
                simulate_pair_test(&test, batch, &pair_distribution, 100_000, random).0
            });
        }
    }

    /// Probabilities of -3, -2, -1, 1, 2 and 3 points with this mean, about those of backgammon.
    fn points_distribution(mean: f64) -> [(f64, f64); 6] {
        let tilted = |tilt: f64| {
            let even = [
                (-3.0, 0.01),
                (-2.0, 0.13),
                (-1.0, 0.36),
                (1.0, 0.36),
                (2.0, 0.13),
                (3.0, 0.01),
            ];
            let weights = even.map(|(points, weight)| (points, weight * f64::exp(tilt * points)));
            let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
            weights.map(|(points, weight)| (points, weight / sum))
        };
        let mean_of = |tilt| {
            tilted(tilt)
                .iter()
                .map(|(points, p)| points * p)
                .sum::<f64>()
        };
        let (mut low, mut high) = (0.0, 2.0);
        while high - low > 1e-9 {
            let middle = (low + high) / 2.0;
            *if mean_of(middle) < mean {
                &mut low
            } else {
                &mut high
            } = middle;
        }
        tilted(low)
    }

    /// With the variance of the samples alone, 8 to 15 % of the tests were wrong.
    #[test]
    fn tests_of_points_are_wrong_no_more_often_than_they_say() {
        let to_payoff = |points: f64| (points / 3.0 + 1.0) / 2.0;
        let mut random = RandomStream::new(4);
        for points1 in [1.0, 0.5, 0.2] {
            let test = SequentialTest::new(0.0, points1, 0.05, 0.05, EloModel::Points).unwrap();
            for (mean, wrong) in [(0.0, Verdict::Accepted), (points1, Verdict::Rejected)] {
                let distribution = points_distribution(mean);
                let mut game = || {
                    let mut draw = random.uniform_f64();
                    let drawn = distribution.iter().find(|(_, probability)| {
                        draw -= probability;
                        draw < 0.0
                    });
                    to_payoff(drawn.unwrap_or(&distribution[5]).0)
                };
                let mut is_wrong = || {
                    let mut means = Moments::default();
                    let (verdict, _) = until_decided(&test, 1, 100_000, |_| {
                        means.add((game() + game()) / 2.0);
                        Some(test.mean_evidence(&means, to_payoff))
                    });
                    verdict == wrong
                };
                let rate = (0..2000).filter(|_| is_wrong()).count() as f64 / 2000.0;
                assert!(rate < 0.055, "{points1} points, {mean}: {rate}");
            }
        }
    }

    #[test]
    #[ignore = "minutes; prints the table of benches/results/matches.md"]
    fn ten_thousand_tests_in_batches() {
        const BATCH_SIZES: [u64; 3] = [50, 200, 1000];
        let plain = SequentialTest::new(0.0, 10.0, 0.05, 0.05, EloModel::Logistic).unwrap();
        let mut rules = vec![(plain, 1)];
        for batch in BATCH_SIZES {
            rules.extend([(plain, batch), (plain.in_batches(batch).unwrap(), batch)]);
        }
        let mut random = RandomStream::new(3);
        for (test, every) in rules {
            for (elo, wrong) in [(0.0, Verdict::Accepted), (10.0, Verdict::Rejected)] {
                let pair_distribution = pair_distribution(elo, EloModel::Logistic, 0.5);
                let (mut ends, mut errors) = (Vec::new(), 0.0);
                let tests = if every == 1 { 4_000 } else { 10_000 };
                for _ in 0..tests {
                    let (verdict, end) = simulate_pair_test(
                        &test,
                        every,
                        &pair_distribution,
                        1_000_000,
                        &mut random,
                    );
                    errors += f64::from(u8::from(verdict == wrong));
                    ends.push(end);
                }
                let to_end = |of: u64| {
                    let ends = ends.iter().map(|end| end.next_multiple_of(of));
                    ends.sum::<u64>() / tests
                };
                let (rate, batch) = (errors / tests as f64, test.batch);
                let (pairs, played) = (to_end(1), BATCH_SIZES.map(to_end));
                println!(
                    "{elo} Elo, {every} {batch:?}: wrong {rate:.4}, {pairs} pairs, {played:?}"
                );
                assert!(batch.is_none() || (rate - 0.05).abs() < 0.0065);
            }
        }
    }
}
