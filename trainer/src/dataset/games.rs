//! What of a shard becomes samples, and for which part of the split.
//!
//! The search that chose a move valued the position it leads to with the chance that follows
//! averaged out. A label says the same of that position, and of the start, where there was no move.
//! Invariant: a game is all in training or all in validation, and with it all that are equal to it
//! but for symmetry: by the seed and what was played alone.

use super::SampleOptions;
use crate::Error;
use crate::sample::{Sample, weight};
use crate::shard::{self, Label, PlayedGame};
use engine::core::{
    files::{self, FileKind},
    game::Seat,
    random::{SeedSpace, derive_seed},
};
use engine::play::playable::Playable;
use serde::Serialize;
use std::path::Path;

/// A label, and how many samples have their value from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UsedLabel {
    /// What it is called and who made it.
    #[serde(flatten)]
    pub label: Label,
    /// Of training and validation together.
    pub samples: usize,
}

pub(super) struct Part<P> {
    pub(super) game: String,
    /// What tells its shard from others.
    pub(super) checksum: u64,
    /// What tells each of its games from those that are no images of it.
    pub(super) prints: Vec<u64>,
    /// Which of its games validate.
    pub(super) validates: Vec<bool>,
    pub(super) training: Vec<Sample<P>>,
    pub(super) validation: Vec<Sample<P>>,
    /// Positions that are kept for judging.
    pub(super) held_out: usize,
    /// All labels of the shard, used or not.
    pub(super) labels: Vec<UsedLabel>,
}

/// Which labels of a shard count, by their number.
struct Wanted<'a> {
    options: &'a SampleOptions,
    /// Instead of the search value.
    value: Option<usize>,
    /// Instead of search value and result.
    exact: Vec<usize>,
}

impl<'a> Wanted<'a> {
    fn new(labels: &[Label], options: &'a SampleOptions) -> Self {
        let numbers = (0..labels.len()).filter(|&number| options.exact && labels[number].exact);
        let value = labels
            .iter()
            .position(|label| Some(&label.name) == options.label.as_ref());
        Self {
            options,
            value,
            exact: numbers.collect(),
        }
    }
}

/// The samples of a shard, which games validate being told if it was read before: it takes some
/// time to find out.
pub(super) fn split<G: Playable>(
    rules: &G,
    path: &Path,
    options: &SampleOptions,
    read_before: Option<&[bool]>,
) -> Result<Part<G::Position>, Error> {
    let bytes = files::read(path, FileKind::Data)?;
    let (header, games) = shard::decode::<G>(path, &bytes)?;
    let wanted = Wanted::new(&header.labels, options);
    let (mut training, mut validation) = (Vec::with_capacity(games.len() * 16), Vec::new());
    let (mut used, mut held_out) = (vec![0; header.labels.len()], 0);
    let mut prints = Vec::new();
    let validates: Vec<bool> = match read_before {
        Some(validates) => validates.to_vec(),
        None => {
            let all = games.iter().map(|game| game.canonical_fingerprint(rules));
            prints = all.collect();
            let validates = |&print: &u128| validates(options, print);
            prints.iter().map(validates).collect()
        }
    };
    for (game, &validates) in games.iter().zip(&validates) {
        let part = if validates {
            &mut validation
        } else {
            &mut training
        };
        held_out += add_samples(rules, game, &wanted, &mut used, part);
    }
    let labels = header
        .labels
        .into_iter()
        .zip(used)
        .map(|(label, samples)| UsedLabel { label, samples })
        .collect();
    Ok(Part {
        game: header.game,
        checksum: shard::checksum(&bytes),
        prints: prints.into_iter().map(|print| print as u64).collect(),
        validates,
        training,
        validation,
        held_out,
        labels,
    })
}

/// Whether the games of a fingerprint only validate; depends on it and the seed alone, so it stays
/// so when games are added.
fn validates(options: &SampleOptions, print: u128) -> bool {
    let [low, high] = [print as u64, (print >> 64) as u64];
    let draw = derive_seed(options.seed, SeedSpace::Training, &[0x5EED, low, high]);
    ((draw >> 11) as f64 / (1u64 << 53) as f64) < options.validation_share
}

/// Adds the samples of one game: every position before chance of which a search or a wanted label
/// says something, or where results alone are learned every one, unless it is kept for judging; how many are.
fn add_samples<G: Playable>(
    rules: &G,
    game: &PlayedGame<G>,
    wanted: &Wanted<'_>,
    used: &mut [usize],
    samples: &mut Vec<Sample<G::Position>>,
) -> usize {
    let mut held_out = 0;
    let record = &game.record;
    let mut position = record.start;
    let mut searched = None;
    for (number, ply) in record.plies.iter().enumerate() {
        let label = |label: usize| game.estimate(label, number).map(|said| (label, said));
        let seat = rules.to_move(&position);
        let seen = |(by, value): (Seat, f32)| if by == seat { value } else { 1.0 - value };
        let result = record.payoffs[seat];
        let exact = wanted.exact.iter().find_map(|&wanted| label(wanted));
        let labelled = wanted.value.and_then(label);
        let sample = if rules.is_held_out(&position) {
            let said = exact.is_some() || labelled.is_some() || searched.is_some();
            let said = said || wanted.options.results;
            held_out += usize::from(said);
            None
        } else if let Some((label, said)) = exact {
            used[label] += 1;
            Some(Sample::exact(position, said.value))
        } else if let Some((label, said)) = labelled {
            used[label] += 1;
            Some(Sample {
                result,
                weight: weight(said.error.unwrap_or(0.0), wanted.options.error_scale),
                ..Sample::exact(position, said.value)
            })
        } else {
            // The value of a position of which nobody says one does not count.
            let result_alone = wanted.options.results.then_some(result);
            searched.map(seen).or(result_alone).map(|value| Sample {
                result,
                ..Sample::exact(position, value)
            })
        };
        if let Some(sample) = sample {
            samples.push(sample);
        }
        position = rules.play(&position, ply.mv);
        // The value is the mover's; the next sample is seen by the seat that moves next. After the
        // last ply there is none.
        searched = ply.value.map(|value| (seat, value));
    }
    held_out
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::core::{
        game::Game,
        random::RandomStream,
        record::{GameRecord, Ply},
    };
    use engine::games::einstein::Standard;

    #[test]
    fn positions_of_suites_are_no_samples_however_they_are_turned() {
        let rules = Standard::default();
        let wanted = Wanted {
            options: &SampleOptions::played(0.0, 0),
            value: Some(0),
            exact: Vec::new(),
        };
        let mut random = RandomStream::new(1);
        let suite = include_str!("../../../data/suites/stones-9.jsonl");
        for (number, line) in suite.lines().skip(1).take(40).enumerate() {
            let text = line.split('"').nth(3).unwrap();
            let start = rules.parse_position(text).unwrap().0;
            let mut record = GameRecord {
                start: rules.image(&start, number % 8),
                plies: Vec::new(),
                payoffs: Default::default(),
                ending: Default::default(),
            };
            let mut position = record.start;
            while rules.payoffs(&position).is_none() {
                let mv = rules.random_move(&position, random.next_u64());
                record.plies.push(Ply {
                    outcome: 1,
                    mv,
                    value: None,
                    explored: false,
                });
                position = rules.play(&position, mv);
            }
            let plies = record.plies.len();
            let mut game = PlayedGame::new(record, vec![0; 2]);
            game.set_label(0, 1, vec![Some(0.5.into()); plies]);
            let mut samples = Vec::new();
            let held_out = add_samples(&rules, &game, &wanted, &mut [0], &mut samples);
            assert!(held_out >= 1 && samples.len() + held_out == plies);
            let mut positions = samples.iter().map(|sample| &sample.position);
            assert!(!positions.any(|position| rules.is_held_out(position)));
        }
    }
}
