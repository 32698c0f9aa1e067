//! Search for tuple sets by greedy forward selection. Each round screens candidates by how much
//! they explain of the current set's residuals, trains the set with each of the best few, and adds
//! the one of lowest validation loss.

mod screen;
mod short_training;
mod state;
mod tuple_orbits;

pub use state::{AddedTuples, SearchReport};
pub use tuple_orbits::{Candidate, candidates};

use crate::Error;
use crate::config::{TrainConfig, check_at_least_one, check_range};
use crate::dataset::Samples;
use crate::progress::resume_at;
use crate::sample::Sample;
use alea_core::random::{RandomStream, SeedSpace, derive_seed};
use alea_learned::{
    inputs::Learnable,
    tuples::{MAX_ROWS, MAX_TUPLES, TupleSet},
};
use indicatif::ProgressBar;
use screen::Residuals;
use serde::{Deserialize, Serialize};
use short_training::{TrainedSet, train_set};
use state::State;
use std::path::Path;

const PARTS_STREAM: u64 = 10;
const ORDER_STREAM: u64 = 11;
const CANDIDATE_STREAM: u64 = 12;

const MAX_SCREENING_SAMPLES: usize = 400_000;

const MAX_VALIDATION_SAMPLES: usize = 200_000;

/// Limits of a tuple search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchOptions {
    /// Maximum number of table rows of the resulting set, over all phases.
    pub rows: usize,
    /// Maximum number of training samples.
    pub samples: usize,
    /// Number of epochs of each short training.
    pub epochs: usize,
    /// Number of candidates, best by screening, that each round trains.
    pub refitted: usize,
    /// Maximum number of candidates of each kind of tuple, drawn at random if there are more.
    pub candidates: usize,
    /// Minimum decrease of the validation loss for which tuples are added, in nats.
    #[serde(rename = "least_gain")]
    pub min_gain: f64,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            rows: 500_000,
            samples: 1_000_000,
            epochs: 2,
            refitted: 4,
            candidates: 100,
            min_gain: 2e-5,
        }
    }
}

/// Searches a tuple set and writes `config` with it to `path`; resumes an interrupted search from
/// the state beside `path`.
///
/// # Errors
/// If a setting is unusable, samples cannot be read, the state belongs to another search, no tuple
/// gains enough, or a file cannot be written.
pub fn search<G: Learnable>(
    config: &TrainConfig,
    options: &SearchOptions,
    samples: &Samples<G>,
    path: &Path,
    progress: &ProgressBar,
) -> Result<SearchReport, Error> {
    let config = &config.resolve(samples.game())?;
    check(options)?;
    let mut state = State::open(path, config, options, samples.fingerprint())?;
    let search = Search::new(config, options, samples)?;
    progress.set_length(options.rows as u64);
    resume_at(progress, state.total_rows() as u64);
    let mut current_network = search.current_network(&state)?;
    while !state.finished {
        progress.set_position(state.total_rows() as u64);
        progress.set_message(format!(
            "{} tuples, validation {:.5} nats",
            state.tuples().len(),
            state.loss()
        ));
        match search.search_round(&state, current_network.as_ref())? {
            Some((addition, fitted)) => {
                state.additions.push(addition);
                current_network = Some(fitted);
            }
            None => state.finished = true,
        }
        state.write(path)?;
    }
    progress.finish();
    if state.additions.is_empty() {
        let SearchOptions { min_gain, rows, .. } = options;
        return Err(Error::new(format!(
            "no tuple gains {min_gain} nats within {rows} rows; allow more rows, or give more games"
        )));
    }
    state.finish(path, config)
}

fn check(options: &SearchOptions) -> Result<(), Error> {
    let &SearchOptions {
        rows,
        samples,
        epochs,
        refitted,
        candidates,
        min_gain,
    } = options;
    check_range(
        "rows",
        rows,
        (1..=MAX_ROWS).contains(&rows),
        &format!("in 1 to {MAX_ROWS}"),
    )?;
    check_range("samples", samples, samples >= 2, "at least 2")?;
    check_at_least_one("epochs", epochs)?;
    check_at_least_one("refitted", refitted)?;
    check_at_least_one("candidates", candidates)?;
    let good = min_gain.is_finite() && min_gain >= 0.0;
    check_range("least gain", min_gain, good, "at least 0")
}

struct Search<'a, G: Learnable> {
    game: &'a G,
    config: &'a TrainConfig,
    options: &'a SearchOptions,
    candidates: Vec<Candidate>,
    /// Samples of random shards, in game order within a shard.
    training: Vec<Sample<G::Position>>,
    validation: Vec<Sample<G::Position>>,
    /// Validation loss and logit of the constant prediction, the mean training target.
    baseline: (f64, f32),
}

impl<'a, G: Learnable> Search<'a, G> {
    fn new(
        config: &'a TrainConfig,
        options: &'a SearchOptions,
        samples: &'a Samples<G>,
    ) -> Result<Self, Error> {
        let seed = |stream| derive_seed(config.seed, SeedSpace::Training, &[stream]);
        let mut parts: Vec<usize> = (0..samples.num_parts()).collect();
        RandomStream::new(seed(PARTS_STREAM)).shuffle(&mut parts);
        let mut training = Vec::new();
        for part in parts {
            if training.len() < options.samples {
                training.extend(samples.read_part(part)?);
            }
        }
        training.truncate(options.samples);
        let step = samples
            .validation()
            .len()
            .div_ceil(MAX_VALIDATION_SAMPLES)
            .max(1);
        let validation: Vec<Sample<_>> =
            samples.validation().iter().step_by(step).copied().collect();
        let lambda = config.target.last_lambda();
        let mean = |samples: &[Sample<G::Position>]| {
            samples
                .iter()
                .map(|sample| f64::from(sample.target(lambda)))
                .sum::<f64>()
                / samples.len() as f64
        };
        let base = mean(&training).clamp(1e-6, 1.0 - 1e-6);
        let validation_mean = mean(&validation);
        let loss = -(validation_mean * base.ln() + (1.0 - validation_mean) * (1.0 - base).ln());
        let candidates = candidates(samples.game(), options.candidates, seed(CANDIDATE_STREAM));
        Ok(Self {
            game: samples.game(),
            config,
            options,
            candidates,
            training,
            validation,
            baseline: (loss, (base / (1.0 - base)).ln() as f32),
        })
    }

    fn tuple_set(&self, tuples: &[String]) -> Result<TupleSet<G>, Error> {
        TupleSet::parse_custom(self.game, tuples)
            .and_then(|set| set.with_phases(self.config.ntuple.phases.clone()))
            .map_err(Error::new)
    }

    fn train(&self, tuples: &[String]) -> Result<TrainedSet<G>, Error> {
        let seed = derive_seed(self.config.seed, SeedSpace::Training, &[ORDER_STREAM]);
        Ok(train_set(
            self.config,
            self.options.epochs,
            seed,
            self.tuple_set(tuples)?,
            &self.training,
            &self.validation,
        ))
    }

    fn current_network(&self, state: &State) -> Result<Option<TrainedSet<G>>, Error> {
        if state.finished || state.additions.is_empty() {
            Ok(None)
        } else {
            Ok(Some(self.train(&state.tuples())?))
        }
    }

    fn search_round(
        &self,
        state: &State,
        current_network: Option<&TrainedSet<G>>,
    ) -> Result<Option<(AddedTuples, TrainedSet<G>)>, Error> {
        let tuples = state.tuples();
        let loss = if state.additions.is_empty() {
            self.baseline.0
        } else {
            state.loss()
        };
        let screened = self.screen(&tuples, state.total_rows(), current_network)?;
        let train_set = |index: usize| {
            let (number, explained) = screened[index];
            let added = &self.candidates[number].tuples;
            let fitted = self.train(&[&tuples[..], added].concat())?;
            Ok::<_, Error>((number, explained, fitted))
        };
        let refitted = screened.len().min(self.options.refitted);
        let tried = alea_parallel::try_map(refitted, train_set)?;
        let best = tried
            .into_iter()
            .min_by(|a, b| a.2.validation_loss.total_cmp(&b.2.validation_loss));
        let Some((number, explained, fitted)) =
            best.filter(|best| loss - best.2.validation_loss > self.options.min_gain)
        else {
            return Ok(None);
        };
        let Candidate { kind, tuples } = self.candidates[number].clone();
        let addition = AddedTuples {
            kind: kind.to_owned(),
            rows: self.tuple_set(&tuples)?.row_count(),
            tuples,
            explained,
            validation_loss: fitted.validation_loss,
            gain: loss - fitted.validation_loss,
        };
        Ok(Some((addition, fitted)))
    }

    /// Index and explained loss, best first, of candidates that fit and explain anything.
    fn screen(
        &self,
        tuples: &[String],
        rows: usize,
        current_network: Option<&TrainedSet<G>>,
    ) -> Result<Vec<(usize, f64)>, Error> {
        let step = self.training.len().div_ceil(MAX_SCREENING_SAMPLES).max(1);
        let samples: Vec<Sample<_>> = self.training.iter().step_by(step).copied().collect();
        let logits = current_network.map_or_else(
            || vec![self.baseline.1; samples.len()],
            |fitted| fitted.logits(&samples),
        );
        let residuals = Residuals::new(&samples, &logits, self.config.target.last_lambda());
        let explained = |number: usize| {
            let candidate = &self.candidates[number];
            let new = candidate.tuples.iter().all(|tuple| !tuples.contains(tuple));
            let set = self.tuple_set(&candidate.tuples)?;
            let fits = rows + set.row_count() <= self.options.rows
                && tuples.len() + set.tuple_count() <= MAX_TUPLES;
            Ok::<_, Error>((
                number,
                if new && fits {
                    residuals.explained_loss(&set)
                } else {
                    0.0
                },
            ))
        };
        let mut good = alea_parallel::try_map(self.candidates.len(), explained)?;
        good.retain(|(_, explained)| *explained > 0.0);
        good.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(good)
    }
}

#[cfg(test)]
mod tests;
