//! Conversion of a shard's games to samples. A ply's search value belongs to the position after the
//! ply, a label to the position before.

use super::SampleOptions;
use crate::Error;
use crate::sample::{Sample, loss_weight};
use crate::shard::{self, Label, PlayedGame};
use alea_core::{
    files::{self, FileKind},
    game::Seat,
    random::{SeedSpace, derive_seed},
};
use alea_play::playable::Playable;
use serde::Serialize;
use std::path::Path;

/// Label with the number of samples that use it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UsedLabel {
    /// Label that replaced search values or results.
    #[serde(flatten)]
    pub label: Label,
    /// Number of training and validation samples that use the label.
    pub samples: usize,
}

pub(super) struct ShardSamples<P> {
    pub(super) game: String,
    pub(super) checksum: u64,
    /// Low halves of canonical fingerprints; empty if the split was given.
    pub(super) fingerprints: Vec<u64>,
    pub(super) is_validation: Vec<bool>,
    pub(super) training: Vec<Sample<P>>,
    pub(super) validation: Vec<Sample<P>>,
    pub(super) held_out: usize,
    pub(super) labels: Vec<UsedLabel>,
}

struct SelectedLabels<'a> {
    options: &'a SampleOptions,
    /// Index of the label that replaces search values; `None` if the shard lacks it.
    value: Option<usize>,
    exact: Vec<usize>,
}

impl<'a> SelectedLabels<'a> {
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

/// Reads a shard's samples; `read_before` has whether each game is for validation, if known.
pub(super) fn load_shard<G: Playable>(
    rules: &G,
    path: &Path,
    options: &SampleOptions,
    read_before: Option<&[bool]>,
) -> Result<ShardSamples<G::Position>, Error> {
    let bytes = files::read(path, FileKind::Data)?;
    let (header, games) = shard::decode::<G>(path, &bytes)?;
    let selected = SelectedLabels::new(&header.labels, options);
    let (mut training, mut validation) = (Vec::with_capacity(games.len() * 16), Vec::new());
    let (mut used, mut held_out) = (vec![0; header.labels.len()], 0);
    let mut fingerprints = Vec::new();
    let is_validation: Vec<bool> = match read_before {
        Some(is_validation) => is_validation.to_vec(),
        None => {
            let all = games.iter().map(|game| game.canonical_fingerprint(rules));
            fingerprints = all.collect();
            let is_validation = |&fingerprint: &u128| is_validation(options, fingerprint);
            fingerprints.iter().map(is_validation).collect()
        }
    };
    for (game, &is_validation) in games.iter().zip(&is_validation) {
        let part = if is_validation {
            &mut validation
        } else {
            &mut training
        };
        held_out += add_samples(rules, game, &selected, &mut used, part);
    }
    let labels = header
        .labels
        .into_iter()
        .zip(used)
        .map(|(label, samples)| UsedLabel { label, samples })
        .collect();
    Ok(ShardSamples {
        game: header.game,
        checksum: shard::stored_checksum(&bytes),
        fingerprints: fingerprints
            .into_iter()
            .map(|fingerprint| fingerprint as u64)
            .collect(),
        is_validation,
        training,
        validation,
        held_out,
        labels,
    })
}

fn is_validation(options: &SampleOptions, fingerprint: u128) -> bool {
    let [low, high] = [fingerprint as u64, (fingerprint >> 64) as u64];
    let draw = derive_seed(options.seed, SeedSpace::Training, &[0x5EED, low, high]);
    ((draw >> 11) as f64 / (1u64 << 53) as f64) < options.validation_fraction
}

/// Appends a game's samples; returns the number of benchmark positions left out.
fn add_samples<G: Playable>(
    rules: &G,
    game: &PlayedGame<G>,
    selected: &SelectedLabels<'_>,
    used: &mut [usize],
    samples: &mut Vec<Sample<G::Position>>,
) -> usize {
    let mut held_out = 0;
    let record = &game.record;
    let mut position = record.start;
    let mut searched = None;
    for (number, ply) in record.plies.iter().enumerate() {
        let label = |label: usize| {
            game.label_estimate(label, number)
                .map(|estimate| (label, estimate))
        };
        let seat = rules.to_move(&position);
        let from_view = |(by, value): (Seat, f32)| if by == seat { value } else { 1.0 - value };
        let result = record.payoffs[seat];
        let exact = selected.exact.iter().find_map(|&selected| label(selected));
        let labelled = selected.value.and_then(label);
        let sample = if rules.is_held_out(&position) {
            let has_value = exact.is_some() || labelled.is_some() || searched.is_some();
            let has_target = has_value || selected.options.results_only;
            held_out += usize::from(has_target);
            None
        } else if let Some((label, estimate)) = exact {
            used[label] += 1;
            Some(Sample::with_target(position, estimate.value))
        } else if let Some((label, estimate)) = labelled {
            used[label] += 1;
            Some(Sample {
                result,
                weight: loss_weight(estimate.error.unwrap_or(0.0), selected.options.error_scale),
                ..Sample::with_target(position, estimate.value)
            })
        } else {
            let result_alone = selected.options.results_only.then_some(result);
            searched
                .map(from_view)
                .or(result_alone)
                .map(|value| Sample {
                    result,
                    ..Sample::with_target(position, value)
                })
        };
        if let Some(sample) = sample {
            samples.push(sample);
        }
        position = rules.play(&position, ply.mv);
        // For this ply's mover; the next iteration converts the value.
        searched = ply.value.map(|value| (seat, value));
    }
    held_out
}

#[cfg(test)]
mod tests {
    use super::*;
    use alea_core::{
        game::Game,
        random::RandomStream,
        record::{GameRecord, Ply},
        search_game::Playouts,
    };
    use alea_play::playable::Codec;
    use engine::games::einstein::Standard;

    #[test]
    fn benchmark_positions_and_their_images_are_excluded() {
        let rules = Standard::default();
        let selected = SelectedLabels {
            options: &SampleOptions::without_labels(0.0, 0),
            value: Some(0),
            exact: Vec::new(),
        };
        let mut random = RandomStream::new(1);
        let suite = alea_data::regret_suite(9);
        for (number, line) in suite.lines().skip(1).take(40).enumerate() {
            let text = line.split('"').nth(3).unwrap();
            let start = rules.parse_position(text).unwrap().0;
            let mut record = GameRecord {
                start: rules.transform_position(&start, number % 8),
                plies: Vec::new(),
                payoffs: Default::default(),
                ending: Default::default(),
            };
            let mut position = record.start;
            while rules.payoffs(&position).is_none() {
                let mv = rules.sample_move(&position, random.next_u64());
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
            let held_out = add_samples(&rules, &game, &selected, &mut [0], &mut samples);
            assert!(held_out >= 1 && samples.len() + held_out == plies);
            let mut positions = samples.iter().map(|sample| &sample.position);
            assert!(!positions.any(|position| rules.is_held_out(position)));
        }
    }
}
