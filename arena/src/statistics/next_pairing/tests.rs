//! Simulated leagues of contestants with known strengths.

use super::*;
use crate::statistics::{QUANTILE_95, score_of_elo};
use alea_core::{moments::Moments, random::RandomStream};

const ELO_GAPS: [f64; 9] = [20.0, 40.0, 60.0, 120.0, 80.0, 30.0, 100.0, 50.0, 100.0];

const BATCH_PAIRS: usize = 10;

/// Far above what a league needs.
const MAX_GAMES: usize = 1_000_000;

struct League {
    strengths: Vec<f64>,
    means: Vec<Moments>,
    random: RandomStream,
    games: usize,
}

impl League {
    fn new(seed: u64) -> Self {
        let mut random = RandomStream::new(seed);
        let mut gaps = ELO_GAPS;
        random.shuffle(&mut gaps);
        let mut strengths = vec![300.0];
        for gap in gaps {
            strengths.push(strengths[strengths.len() - 1] - gap);
        }
        assert_eq!(strengths[9], -300.0);
        random.shuffle(&mut strengths);
        Self {
            means: vec![Moments::default(); strengths.len().pow(2)],
            strengths,
            random,
            games: 0,
        }
    }

    fn count(&self) -> usize {
        self.strengths.len()
    }

    fn play(&mut self, a: usize, b: usize) {
        let fraction = score_of_elo(self.strengths[a] - self.strengths[b]);
        for _ in 0..BATCH_PAIRS {
            let mut won = || f64::from(u8::from(self.random.uniform_f64() < fraction));
            let mean = (won() + won()) / 2.0;
            let count = self.count();
            self.means[a * count + b].add(mean);
        }
        self.games += 2 * BATCH_PAIRS;
    }

    fn records(&self) -> Vec<MatchRecord> {
        let count = self.count();
        let all = self.means.iter().enumerate();
        let met = all.filter(|(_, means)| means.sample_count() > 0.0);
        met.map(|(at, means)| MatchRecord::from_means(at / count, at % count, means))
            .collect()
    }

    fn ratings(&self) -> Ratings {
        ratings(self.count(), &self.records()).unwrap()
    }

    fn play_on(&mut self) -> Ratings {
        let any = |_, _| true;
        while let Some((a, b)) =
            next_pairing(self.count(), &self.records(), BATCH_PAIRS as f64, 0.0, any)
        {
            self.play(a, b);
            assert!(self.games < MAX_GAMES, "the league does not end");
        }
        self.ratings()
    }

    fn play_round_robins(&mut self) -> Ratings {
        loop {
            for a in 0..self.count() {
                for b in a + 1..self.count() {
                    self.play(a, b);
                }
            }
            let ratings = self.ratings();
            if open_differences(&ratings, 0.0, |_| true).is_empty() {
                return ratings;
            }
            assert!(self.games < MAX_GAMES, "the round robins do not end");
        }
    }

    fn is_right(&self, ratings: &Ratings) -> bool {
        let pairings = (0..self.count()).flat_map(|a| (0..self.count()).map(move |b| (a, b)));
        let mut order = pairings.filter(|&(a, b)| {
            a != b && ratings.elo[a] > ratings.elo[b] && are_apart(ratings, a, b)
        });
        order.all(|(a, b)| self.strengths[a] > self.strengths[b])
    }

    fn count_covered(&self, ratings: &Ratings) -> usize {
        let mean = self.strengths.iter().sum::<f64>() / self.count() as f64;
        (0..self.count())
            .filter(|&one| {
                let interval = ratings.interval(one, QUANTILE_95);
                interval.contains(self.strengths[one] - mean)
            })
            .count()
    }
}

fn simulate(leagues: u64) -> [f64; 4] {
    let (mut right, mut held, mut games, mut robins) = (0, 0, 0, 0);
    for seed in 0..leagues {
        let mut league = League::new(seed);
        let ratings = league.play_on();
        right += usize::from(league.is_right(&ratings));
        held += league.count_covered(&ratings);
        games += league.games;
        let mut all = League::new(seed);
        all.play_round_robins();
        robins += all.games;
    }
    let all = leagues as f64;
    [
        right as f64 / all,
        held as f64 / (10.0 * all),
        games as f64 / all,
        robins as f64 / all,
    ]
}

#[allow(clippy::print_stdout, reason = "the long test is run for its figures")]
fn check(leagues: u64) {
    let [right, held, games, robins] = simulate(leagues);
    let decided = format!(
        "{leagues} leagues: {right:.3} right, {held:.3} of intervals hold, {games:.0} games, {robins:.0} in round robins"
    );
    println!("{decided}");
    assert!(right >= 0.95, "{decided}");
    assert!((0.92..=0.98).contains(&held), "{decided}");
    assert!(games <= 0.7 * robins, "{decided}");
}

#[test]
fn leagues_find_known_strengths_in_fewer_games() {
    check(50);
}

#[test]
#[ignore = "seconds, twenty times the test above; prints the figures of benches/results/matches.md"]
fn a_thousand_leagues_find_known_strengths() {
    check(1000);
}

#[test]
fn pairings_connect_all_first_and_end_when_the_order_is_clear() {
    let record = |a, b, score: f64, samples| MatchRecord {
        a,
        b,
        samples,
        score,
        variance: score * (1.0 - score) / 2.0,
    };
    let next =
        |records: &[MatchRecord], precision| next_pairing(3, records, 10.0, precision, |_, _| true);
    assert_eq!(next(&[], 0.0), Some((0, 1)));
    let first = record(0, 1, 0.9, 100.0);
    assert_eq!(next(&[first], 0.0), Some((1, 2)));
    let close = record(1, 2, 0.51, 100.0);
    assert_eq!(next(&[first, close], 0.0), Some((1, 2)));
    assert_eq!(next(&[first, close], 60.0), None);
    assert_eq!(next(&[first, close], 40.0), Some((1, 2)));
    let clear = record(1, 2, 0.7, 100.0);
    assert_eq!(next(&[first, clear], 0.0), None);
    let without = |a, b| [a, b] != [0, 1];
    assert_eq!(
        super::next_pairing(3, &[], 10.0, 0.0, without),
        Some((1, 2))
    );
    let second = record(1, 2, 0.9, 100.0);
    assert_eq!(
        super::next_pairing(3, &[second], 10.0, 0.0, without),
        Some((0, 2))
    );
    let third = record(0, 2, 0.5, 4.0);
    let gone = |a, b| [a, b] == [0, 2];
    let all = [first, second, third];
    assert_eq!(super::next_pairing(3, &all, 10.0, 0.0, gone), None);
    assert_eq!(
        super::next_pairing(3, &[third, record(0, 1, 0.5, 4.0)], 10.0, 0.0, gone),
        Some((0, 2))
    );
}

#[test]
fn the_next_pairing_reduces_the_variances_of_open_differences_most() {
    let mut random = RandomStream::new(11);
    let mut compared = 0;
    for _ in 0..300 {
        let strengths = [(); 4].map(|()| 200.0 * random.uniform_f64());
        // A match whose score and variance are those of independent games.
        let record = |a: usize, b: usize, samples| {
            let score = score_of_elo(strengths[a] - strengths[b]);
            MatchRecord {
                a,
                b,
                samples,
                score,
                variance: score * (1.0 - score) / 2.0,
            }
        };
        let pairings: Vec<(usize, usize)> = (0..4)
            .flat_map(|a| (a + 1..4).map(move |b| (a, b)))
            .collect();
        let mut records = Vec::new();
        for &(a, b) in &pairings {
            if b == a + 1 || random.uniform_f64() < 0.5 {
                records.push(record(a, b, 5.0 + (100.0 * random.uniform_f64()).floor()));
            }
        }
        let pairs = 1.0 + (100.0 * random.uniform_f64()).floor();
        let before = ratings(4, &records).unwrap();
        let open = open_differences(&before, 0.0, |_| true);
        let chosen = next_pairing(4, &records, pairs, 0.0, |_, _| true);
        assert_eq!(chosen.is_none(), open.is_empty());
        let Some(chosen) = chosen else { continue };
        let reduction = |&(a, b): &(usize, usize)| {
            let after = [&records[..], &[record(a, b, pairs)]].concat();
            let after = ratings(4, &after).unwrap();
            let remaining = |&(c, d): &(usize, usize)| {
                (after.difference_error(c, d) / before.difference_error(c, d)).powi(2)
            };
            open.iter().map(|pair| 1.0 - remaining(pair)).sum::<f64>()
        };
        let best = pairings.iter().map(reduction).fold(0.0, f64::max);
        let found = reduction(&chosen);
        assert!(found > best - 1e-9, "{chosen:?}: {found} instead of {best}");
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
}
