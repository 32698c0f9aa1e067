//! What a study of set-ups found: the rate of each set-up and of its class, and their mix.
//!
//! Invariant: all rates together average 50 %, because each pairing counts for both of its set-ups.

use super::{
    Chunk, Settings,
    classes::{CLASSES, Classes},
    mix::{SetupMix, mix},
};
use crate::statistics::{Interval, PairCounts, Tally};
use engine::games::einstein::setup::{SETUPS, setup_stones};
use serde::{Deserialize, Serialize};

/// One set-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetupRate {
    /// Its index, 0–719.
    pub setup: usize,
    /// Its stones over a5 b5 c5 a4 b4 a3.
    pub order: String,
    /// Pairs of games by how many it won.
    pub pair_counts: PairCounts,
    /// Share of games won.
    pub score: f64,
    /// Its 95 % interval.
    pub interval: Interval,
    /// Its class, 0–179.
    pub class: usize,
    /// Share of games won by it and its three images together.
    pub class_score: f64,
    /// Its 95 % interval.
    pub class_interval: Interval,
}

/// What a study found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyResult {
    /// The player, in notation.
    pub player: String,
    /// The seed.
    pub seed: u64,
    /// Opponents of each set-up.
    pub opponents: usize,
    /// Games for each two that met.
    pub games_per_pairing: u64,
    /// All games.
    pub games: u64,
    /// Plies a game.
    pub mean_plies: f64,
    /// Share of games won by who began.
    pub first_mover_share: f64,
    /// Its 95 % interval, from pairs.
    pub first_mover_interval: Interval,
    /// All 720, by index.
    pub setups: Vec<SetupRate>,
    /// Indices, best class first; within a class the one that scored best.
    pub ranking: Vec<usize>,
    /// How differently good classes are: the standard deviation of their rates, without that of the
    /// dice.
    pub deviation: f64,
    /// χ² of the members of classes against their classes, over its expectation: about 1 if members
    /// are worth the same.
    pub symmetry_ratio: f64,
    /// The mix, if every class met every other.
    pub mix: Option<SetupMix>,
}

impl StudyResult {
    pub(super) fn of<'a>(
        player: &str,
        settings: &Settings,
        pairings: &[[usize; 2]],
        chunks: impl Iterator<Item = &'a Chunk>,
    ) -> Self {
        let pairs = u64::from(settings.pairs.max(1));
        let classes = Classes::new();
        let mut counts = vec![PairCounts::default(); SETUPS];
        let mut of_classes = vec![PairCounts::default(); CLASSES];
        let mut meetings = vec![PairCounts::default(); CLASSES * CLASSES];
        let (mut first_mover, mut plies) = ([0; 3], 0);
        let mut pairing = pairings.iter();
        for chunk in chunks {
            first_mover
                .iter_mut()
                .zip(chunk.first_mover)
                .for_each(|(sum, count)| *sum += count);
            plies += chunk.plies;
            for (&[split, won], &[first, second]) in chunk.counts.iter().zip(&mut pairing) {
                let (split, won) = (u64::from(split), u64::from(won));
                let found = PairCounts::without_draws(pairs - split - won, split, won);
                for (own, other, found) in
                    [(first, second, found), (second, first, found.opposite())]
                {
                    let (class, other) = (classes.of[own], classes.of[other]);
                    counts[own].join(&found);
                    of_classes[class].join(&found);
                    meetings[class * CLASSES + other].join(&found);
                }
            }
        }
        let setups: Vec<SetupRate> = (0..SETUPS)
            .map(|setup| rate(setup, counts[setup], classes.of[setup], &of_classes))
            .collect();
        let games = 2 * pairs * pairings.len() as u64;
        let first_mover = Tally {
            counts: first_mover,
        };
        Self {
            player: player.to_owned(),
            seed: settings.seed,
            opponents: settings.opponents,
            games_per_pairing: 2 * pairs,
            games,
            mean_plies: plies as f64 / games as f64,
            first_mover_share: first_mover.score(),
            first_mover_interval: first_mover.interval(),
            ranking: ranking(&setups),
            deviation: deviation(&of_classes),
            symmetry_ratio: symmetry_ratio(&counts, &classes),
            mix: mix(&classes, &of_classes, &meetings),
            setups,
        }
    }

    /// The best `count` set-ups.
    #[must_use]
    pub fn best(&self, count: usize) -> &[usize] {
        &self.ranking[..count.min(self.ranking.len())]
    }

    /// The worst `count` set-ups, worst last.
    #[must_use]
    pub fn worst(&self, count: usize) -> &[usize] {
        &self.ranking[self.ranking.len().saturating_sub(count)..]
    }
}

fn rate(setup: usize, counts: PairCounts, class: usize, of_classes: &[PairCounts]) -> SetupRate {
    let (tally, of_class) = (counts.tally(), of_classes[class].tally());
    SetupRate {
        setup,
        order: order(setup),
        pair_counts: counts,
        score: tally.score(),
        interval: tally.interval(),
        class,
        class_score: of_class.score(),
        class_interval: of_class.interval(),
    }
}

/// The stones of a set-up over a5 b5 c5 a4 b4 a3.
#[must_use]
pub fn order(setup: usize) -> String {
    setup_stones(setup, 6)
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn ranking(setups: &[SetupRate]) -> Vec<usize> {
    let mut ranking: Vec<usize> = (0..setups.len()).collect();
    let key = |setup: usize| (setups[setup].class_score, setups[setup].score);
    // A class stays together, also beside another with the same score.
    ranking.sort_by(|&left, &right| {
        let ((class_left, left_score), (class_right, right_score)) = (key(left), key(right));
        let by_class = class_right
            .total_cmp(&class_left)
            .then(setups[left].class.cmp(&setups[right].class));
        by_class.then(right_score.total_cmp(&left_score))
    });
    ranking
}

/// The variance of measured rates is that of true ones and that of the dice.
fn deviation(of_classes: &[PairCounts]) -> f64 {
    let tallies: Vec<Tally<5>> = of_classes.iter().map(PairCounts::tally).collect();
    let count = tallies.len() as f64;
    let mean = tallies.iter().map(Tally::score).sum::<f64>() / count;
    let seen = tallies
        .iter()
        .map(|tally| (tally.score() - mean).powi(2))
        .sum::<f64>()
        / (count - 1.0);
    let noise = tallies
        .iter()
        .map(|tally| tally.standard_error().powi(2))
        .sum::<f64>()
        / count;
    (seen - noise).max(0.0).sqrt()
}

fn symmetry_ratio(counts: &[PairCounts], classes: &Classes) -> f64 {
    // One variance for all: a set-up alone may have too few pairs to tell its own.
    let variance = counts.iter().sum::<PairCounts>().tally().variance();
    let of_class = |members: &[usize; 4]| {
        let tallies = members.map(|member| counts[member].tally());
        let mean = tallies.iter().map(Tally::score).sum::<f64>() / 4.0;
        tallies
            .iter()
            .map(|tally| tally.samples() * (tally.score() - mean).powi(2))
            .sum::<f64>()
    };
    let squares: f64 = classes.members.iter().map(of_class).sum();
    // Three degrees of freedom a class.
    if variance > 0.0 {
        squares / variance / (3.0 * CLASSES as f64)
    } else {
        1.0
    }
}
