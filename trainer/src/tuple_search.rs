//! A search for sets of tuples: greedy addition by validation loss.
//!
//! Candidates are groups of tuples that symmetries turn into each other (`candidates.rs`). Each
//! round screens all of them by how much of the present network's residuals their rows explain on
//! samples that they were not fitted to (`screen.rs`), trains the present set with each of the best
//! few from scratch (`refit.rs`), and keeps the one with the lowest validation loss, until the rows
//! are used up or nothing gains. Invariant: every round is a function of samples, settings and the
//! additions before it, so a search that was killed goes on to the same result. Source: greedy
//! forward selection; for n-tuples by their rows' errors, Krawiec and Szubert 2011 evolve them
//! instead.

mod candidates;
mod refit;
mod screen;
mod state;

pub use candidates::{Candidate, candidates};
pub use state::{Addition, SearchReport};

use crate::Error;
use crate::config::{TrainConfig, check_at_least_one, require};
use crate::dataset::Samples;
use crate::sample::Sample;
use engine::core::random::{RandomStream, SeedSpace, derive_seed};
use engine::learned::{
    inputs::Learnable,
    tuples::{MAX_ROWS, MAX_TUPLES, TupleSet},
};
use indicatif::ProgressBar;
use rayon::prelude::*;
use refit::{Fitted, refit};
use screen::Residuals;
use serde::{Deserialize, Serialize};
use state::State;
use std::path::Path;

/// Streams of the training seed space.
const PARTS: u64 = 10;
const ORDER: u64 = 11;
const CANDIDATES: u64 = 12;

/// Samples by which candidates are screened, at most.
const SCREENED: usize = 400_000;

/// Validation samples that a set is judged by, at most.
const JUDGED: usize = 200_000;

/// What a search may spend, and when it ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchOptions {
    /// Most rows of the set that is looked for, over all phases.
    pub rows: usize,
    /// Most training samples that sets are trained on.
    pub samples: usize,
    /// Passes over them.
    pub epochs: usize,
    /// How many of the best candidates are trained in each round.
    pub refitted: usize,
    /// Candidates of each kind; if there are more, so many are drawn.
    pub candidates: usize,
    /// The validation loss, in nats, that an addition must gain.
    pub least_gain: f64,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            rows: 500_000,
            samples: 1_000_000,
            epochs: 2,
            refitted: 4,
            candidates: 100,
            least_gain: 2e-5,
        }
    }
}

/// Searches a set for samples and writes it to `path` as a configuration of a training, `config`
/// with other tuples. Beside it stands the state, from which an interrupted search goes on.
///
/// # Errors
/// If a setting cannot be used, samples cannot be read, the state is of another search, nothing
/// gains, or a file cannot be written.
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
    let mut present = search.present(&state)?;
    while !state.finished {
        progress.set_position(state.rows() as u64);
        progress.set_message(format!(
            "{} tuples, validation {:.5} nats",
            state.tuples().len(),
            state.loss()
        ));
        match search.round(&state, present.as_ref())? {
            Some((addition, fitted)) => {
                state.additions.push(addition);
                present = Some(fitted);
            }
            None => state.finished = true,
        }
        state.write(path)?;
    }
    progress.finish();
    if state.additions.is_empty() {
        let SearchOptions {
            least_gain, rows, ..
        } = options;
        return Err(Error::new(format!(
            "no tuple gains {least_gain} nats within {rows} rows; allow more rows, or give more games"
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
        least_gain,
    } = options;
    require(
        "rows",
        rows,
        (1..=MAX_ROWS).contains(&rows),
        &format!("in 1 to {MAX_ROWS}"),
    )?;
    require("samples", samples, samples >= 2, "at least 2")?;
    check_at_least_one("epochs", epochs)?;
    check_at_least_one("refitted", refitted)?;
    check_at_least_one("candidates", candidates)?;
    let good = least_gain.is_finite() && least_gain >= 0.0;
    require("least gain", least_gain, good, "at least 0")
}

/// What does not change from round to round.
struct Search<'a, G: Learnable> {
    game: &'a G,
    config: &'a TrainConfig,
    options: &'a SearchOptions,
    candidates: Vec<Candidate>,
    /// Game after game.
    training: Vec<Sample<G::Position>>,
    validation: Vec<Sample<G::Position>>,
    /// Validation loss, and logit, of a network without tuples.
    nothing: (f64, f32),
}

impl<'a, G: Learnable> Search<'a, G> {
    fn new(
        config: &'a TrainConfig,
        options: &'a SearchOptions,
        samples: &'a Samples<G>,
    ) -> Result<Self, Error> {
        let seed = |stream| derive_seed(config.seed, SeedSpace::Training, &[stream]);
        let mut parts: Vec<usize> = (0..samples.parts()).collect();
        RandomStream::new(seed(PARTS)).shuffle(&mut parts);
        let mut training = Vec::new();
        for part in parts {
            if training.len() < options.samples {
                training.extend(samples.read(part)?);
            }
        }
        training.truncate(options.samples);
        let step = samples.validation().len().div_ceil(JUDGED).max(1);
        let validation: Vec<Sample<_>> =
            samples.validation().iter().step_by(step).copied().collect();
        let share = config.target.last_lambda();
        let mean = |samples: &[Sample<G::Position>]| {
            samples
                .iter()
                .map(|sample| f64::from(sample.target(share)))
                .sum::<f64>()
                / samples.len() as f64
        };
        let base = mean(&training).clamp(1e-6, 1.0 - 1e-6);
        let judged = mean(&validation);
        let loss = -(judged * base.ln() + (1.0 - judged) * (1.0 - base).ln());
        let candidates = candidates(samples.game(), options.candidates, seed(CANDIDATES));
        Ok(Self {
            game: samples.game(),
            config,
            options,
            candidates,
            training,
            validation,
            nothing: (loss, (base / (1.0 - base)).ln() as f32),
        })
    }

    /// A set of these tuples, in the phases of the configuration.
    fn set(&self, tuples: &[String]) -> Result<TupleSet<G>, Error> {
        TupleSet::custom(self.game, tuples)
            .and_then(|set| set.with_phases(&self.config.ntuple.phases))
            .map_err(Error::new)
    }

    fn refit(&self, tuples: &[String]) -> Result<Fitted<G>, Error> {
        let seed = derive_seed(self.config.seed, SeedSpace::Training, &[ORDER]);
        Ok(refit(
            self.config,
            self.options.epochs,
            seed,
            self.set(tuples)?,
            &self.training,
            &self.validation,
        ))
    }

    /// The network that a state has come to; a search that goes on trains it once more.
    fn present(&self, state: &State) -> Result<Option<Fitted<G>>, Error> {
        if state.finished || state.additions.is_empty() {
            Ok(None)
        } else {
            Ok(Some(self.refit(&state.tuples())?))
        }
    }

    /// The best addition, and the network with it; none if nothing gains.
    fn round(
        &self,
        state: &State,
        present: Option<&Fitted<G>>,
    ) -> Result<Option<(Addition, Fitted<G>)>, Error> {
        let tuples = state.tuples();
        let loss = if state.additions.is_empty() {
            self.nothing.0
        } else {
            state.loss()
        };
        let screened = self.screen(&tuples, state.rows(), present)?;
        let refit = |&(number, explained): &(usize, f64)| {
            let added = &self.candidates[number].tuples;
            let fitted = self.refit(&[&tuples[..], added].concat())?;
            Ok((number, explained, fitted))
        };
        let tried: Vec<(usize, f64, Fitted<G>)> = screened
            .par_iter()
            .take(self.options.refitted)
            .map(refit)
            .collect::<Result<_, Error>>()?;
        let best = tried
            .into_iter()
            .min_by(|a, b| a.2.validation_loss.total_cmp(&b.2.validation_loss));
        let Some((number, explained, fitted)) =
            best.filter(|best| loss - best.2.validation_loss > self.options.least_gain)
        else {
            return Ok(None);
        };
        let Candidate { kind, tuples } = self.candidates[number].clone();
        let addition = Addition {
            kind: kind.to_owned(),
            rows: self.set(&tuples)?.rows(),
            tuples,
            explained,
            validation_loss: fitted.validation_loss,
            gain: loss - fitted.validation_loss,
        };
        Ok(Some((addition, fitted)))
    }

    /// The candidates that fit and explain anything, by number, those that explain most first.
    fn screen(
        &self,
        tuples: &[String],
        rows: usize,
        present: Option<&Fitted<G>>,
    ) -> Result<Vec<(usize, f64)>, Error> {
        let step = self.training.len().div_ceil(SCREENED).max(1);
        let samples: Vec<Sample<_>> = self.training.iter().step_by(step).copied().collect();
        let logits = present.map_or_else(
            || vec![self.nothing.1; samples.len()],
            |fitted| fitted.logits(&samples),
        );
        let residuals = Residuals::new(&samples, &logits, self.config.target.last_lambda());
        let explained = |(number, candidate): (usize, &Candidate)| {
            let new = candidate.tuples.iter().all(|tuple| !tuples.contains(tuple));
            let set = self.set(&candidate.tuples)?;
            let fits =
                rows + set.rows() <= self.options.rows && tuples.len() + set.tuples() <= MAX_TUPLES;
            Ok((
                number,
                if new && fits {
                    residuals.explained(&set)
                } else {
                    0.0
                },
            ))
        };
        let mut good: Vec<(usize, f64)> = self
            .candidates
            .par_iter()
            .enumerate()
            .map(explained)
            .collect::<Result<_, Error>>()?;
        good.retain(|(_, explained)| *explained > 0.0);
        good.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(good)
    }
}

#[cfg(test)]
mod tests;
