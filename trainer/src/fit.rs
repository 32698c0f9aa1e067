//! Training: from samples to an exported model file.
//!
//! A training has a directory with `checkpoint.bin`, written after each epoch and every few
//! minutes, `curve.csv` and its picture, `config.toml`, and finally the model. With the same
//! samples and configuration it resumes from the checkpoint. Invariant: losses are a function of
//! samples and configuration, not of threads and interruptions; the weights of the epoch with the
//! lowest validation loss are exported.

mod checkpoint;
mod epoch;
mod network;
mod ntuple;
mod temporal;

pub use crate::reports::{Family, TdReport, TrainingReport};
pub use temporal::train_td;

use crate::config::TrainConfig;
use crate::curve::{CurvePoint, Observer, format_csv};
use crate::dataset::{self, Samples, UsedLabel};
use crate::export::{export, parity_positions};
use crate::sample::Sample;
use crate::{Error, backend};
use checkpoint::{Checkpoint, Header};
use engine::learned::{
    inputs::Learnable,
    model_file::{Model, ModelFile},
};
use epoch::{Passed, learn_epoch, validate};
use network::NetworkLearner;
use ntuple::NTupleLearner;
use serde_json::Value;
use std::{
    path::Path,
    time::{Duration, Instant},
};

/// Trains and exports a model. `provenance` describes the origin of the samples, as JSON or plain
/// text.
///
/// # Errors
/// If a setting is unusable, samples cannot be read, a loss becomes infinite or NaN, the directory
/// belongs to another training, a file cannot be written, or the engine disagrees with the
/// trainer.
pub fn fit<'a, G: Learnable>(
    config: &TrainConfig,
    family: Family,
    samples: &Samples<G>,
    provenance: &str,
    directory: &Path,
    watch: impl Into<Observer<'a>>,
) -> Result<TrainingReport, Error> {
    let config = &config.resolve(samples.game())?;
    let device = backend::device(&config.training.backend)?;
    make(directory)?;
    let run = Run {
        config,
        family,
        samples,
        provenance,
        directory,
        watch: watch.into(),
    };
    match family {
        Family::Network => {
            let fused = config.training.backend == "flex";
            train(&run, NetworkLearner::new(&run, device, fused)?)
        }
        Family::NTuple => train(
            &run,
            NTupleLearner::new(samples.game(), &config.ntuple, device)?,
        ),
    }
}

/// Creates the directory of a training.
fn make(directory: &Path) -> Result<(), Error> {
    let what = format!("cannot create the directory {}", directory.display());
    std::fs::create_dir_all(directory).map_err(Error::with_prefix(what))
}

/// Settings and data of a training run.
struct Run<'a, G: Learnable> {
    config: &'a TrainConfig,
    family: Family,
    samples: &'a Samples<G>,
    provenance: &'a str,
    directory: &'a Path,
    watch: Observer<'a>,
}

impl<G: Learnable> Run<'_, G> {
    /// Learning rate of a batch, from 0, in an epoch, from 1.
    fn learning_rate(&self, start: f64, epoch: usize, batch: usize, batches: usize) -> f64 {
        let training = &self.config.training;
        let done = ((epoch - 1) * batches + batch) as f64 / (training.epochs * batches) as f64;
        start * training.schedule.factor(done, training.final_rate)
    }
}

/// Error of a diverged training; batches count from 1, 0 stands for the end of the epoch.
fn ran_away(what: &str, loss: f64, epoch: usize, batch: usize) -> Error {
    Error::new(format!(
        "the {what} became {loss} in epoch {epoch}, batch {batch}: lower the learning rate"
    ))
}

/// Whether a checkpoint is due, `written` being the time of the last one.
fn wants_checkpoint(config: &TrainConfig, written: Instant) -> bool {
    let minutes = config.training.checkpoint_minutes;
    minutes > 0.0
        && written.elapsed() >= Duration::try_from_secs_f64(60.0 * minutes).unwrap_or(Duration::MAX)
}

/// Creates batches of samples.
type Prepare<P, B> = Box<dyn Fn(&[Sample<P>]) -> B + Sync>;

/// Batch size and learning rate of a learner.
#[derive(Clone, Copy)]
struct Plan {
    /// Samples per batch.
    batch: usize,
    /// Initial learning rate.
    learning_rate: f64,
}

/// A trainable model whose state can be stored and restored to the last bit.
trait Learner<G: Learnable> {
    /// Inputs and targets of some samples.
    type Batch: Send;
    /// Returns the batch function for other threads, with this weight of search values in targets.
    fn prepare(&self, lambda: f32) -> Prepare<G::Position, Self::Batch>;
    /// Batch size and learning rate.
    fn plan(&self) -> Plan;
    /// Trains on a batch; returns the sum of the losses before the updates, in nats.
    fn learn(&mut self, batch: Self::Batch, learning_rate: f64) -> Result<f64, Error>;
    /// Log odds of a win for each sample of a batch.
    fn outputs(&self, batch: Self::Batch) -> Result<Vec<f32>, Error>;
    /// Burn records of model and optimizer.
    fn records(&self) -> Result<[Vec<u8>; 2], Error>;
    /// Restores the model and, if given, the optimizer.
    fn load(&mut self, model: Vec<u8>, optimiser: Option<Vec<u8>>) -> Result<(), Error>;
    /// Win probabilities of the side to move, computed by burn.
    fn values(&self, positions: &[G::Position]) -> Result<Vec<f32>, Error>;
    /// The model in the engine's form.
    fn export(&self) -> Result<Model<G>, Error>;
}

fn train<G: Learnable>(
    run: &Run<'_, G>,
    mut learner: impl Learner<G>,
) -> Result<TrainingReport, Error> {
    let mut checkpoint = Checkpoint::open(
        run.directory,
        run.family.name(),
        run.config,
        run.samples.fingerprint(),
        &mut learner,
    )?;
    let done = checkpoint.header.curve.len() * run.samples.training()
        + checkpoint
            .header
            .begun
            .as_ref()
            .map_or(0, |begun| begun.samples);
    run.watch
        .progress
        .set_length((run.config.training.epochs * run.samples.training()) as u64);
    run.watch.progress.set_position(done as u64);
    run.watch.progress.reset_eta();
    while !is_over(run.config, &checkpoint.header) {
        let epoch = checkpoint.header.curve.len() + 1;
        let begun = checkpoint.header.begun.take().unwrap_or_default();
        let mut written = Instant::now();
        let passed = learn_epoch(run, &mut learner, epoch, begun, |learner, passed| {
            if wants_checkpoint(run.config, written) {
                checkpoint.take(learner)?;
                checkpoint.header.begun = Some(passed.clone());
                checkpoint.write(run.directory)?;
                written = Instant::now();
            }
            Ok(())
        })?;
        let learned = Instant::now();
        let validated = validate(run, &learner)?;
        let validation_loss = validated.loss;
        if !validation_loss.is_finite() {
            return Err(ran_away("validation loss", validation_loss, epoch, 0));
        }
        checkpoint.take(&learner)?;
        let header = &mut checkpoint.header;
        header.begun = None;
        if header
            .best()
            .is_none_or(|best| validation_loss < best.validation_loss)
        {
            header.best_epoch = epoch;
            checkpoint.best.clone_from(&checkpoint.model);
        }
        header.curve.push(CurvePoint {
            epoch,
            training_loss: passed.loss / passed.samples as f64,
            validation_loss,
            validation_by_phase: validated.by_phase,
            learning_rate: passed.learning_rate,
            samples_per_second: passed.samples as f64 / passed.seconds.max(1e-9),
            seconds: passed.seconds + learned.elapsed().as_secs_f64(),
        });
        // The curve precedes the checkpoint: if it is ahead after an interruption, it is written
        // again.
        let remaining = run.samples.game().remaining_range();
        let table = format_csv(&checkpoint.header.curve, remaining);
        run.watch.show(run.directory, &table)?;
        checkpoint.write(run.directory)?;
    }
    run.watch.progress.finish();
    let header = checkpoint.header;
    learner.load(checkpoint.best, None)?;
    finish(run, &learner, &header)
}

/// Whether all epochs are done or patience is exhausted.
fn is_over(config: &TrainConfig, header: &Header) -> bool {
    let (epochs, patience) = (header.curve.len(), config.training.patience);
    epochs >= config.training.epochs || (patience > 0 && epochs - header.best_epoch >= patience)
}

fn finish<G: Learnable>(
    run: &Run<'_, G>,
    learner: &impl Learner<G>,
    header: &Header,
) -> Result<TrainingReport, Error> {
    let best = header
        .best()
        .ok_or_else(|| dataset::empty_set_error("training"))?;
    let mut metadata = serde_json::json!({
        "family": run.family.name(),
        "data": data(run.provenance),
        "training_samples": run.samples.training(),
        "validation_samples": run.samples.validation().len(),
        "held_out": run.samples.held_out(),
        "duplicate_games": run.samples.duplicate_games(),
        // Exact labels restrict which claims of strength the model supports.
        "labels": used_labels(run.samples, false),
        "table_labels": used_labels(run.samples, true),
        "samples_xxh3": format!("{:016x}", header.fingerprint),
        "configuration": header.configuration,
        "seed": run.config.seed,
        "epochs": header.curve.len(),
        "best_epoch": best.epoch,
        "training_loss": best.training_loss,
        "validation_loss": best.validation_loss,
        "trainer": env!("CARGO_PKG_VERSION"),
    });
    if let Some(metadata) = metadata.as_object_mut() {
        metadata.retain(|key, value| match value {
            Value::Array(labels) => !key.ends_with("labels") || !labels.is_empty(),
            _ => true,
        });
    }
    let model = run
        .directory
        .join(run.family.name())
        .with_extension("safetensors");
    let positions = parity_positions(
        run.samples.game(),
        &validation_positions(run.samples.validation()),
    );
    let parity = export_model(learner, run.samples.game(), &metadata, &model, &positions)?;
    let (curve, samples) = (&header.curve, run.samples.training() as f64);
    let seconds = curve.iter().map(|point| samples / point.samples_per_second);
    let samples_per_second = samples * curve.len() as f64 / seconds.sum::<f64>();
    Ok(TrainingReport {
        curve: curve.clone(),
        family: run.family.name().to_owned(),
        epochs: curve.len(),
        best_epoch: best.epoch,
        training_loss: best.training_loss,
        validation_loss: best.validation_loss,
        samples_per_second,
        parity,
        parity_positions: positions.len(),
        model,
    })
}

/// Provenance as JSON, or as a JSON string if it is plain text.
fn data(provenance: &str) -> Value {
    serde_json::from_str(provenance).unwrap_or_else(|_| provenance.into())
}

/// Exports the model of a learner with metadata after the parity check; returns the largest
/// difference.
fn export_model<G: Learnable>(
    learner: &impl Learner<G>,
    game: &G,
    metadata: &Value,
    path: &Path,
    positions: &[G::Position],
) -> Result<f64, Error> {
    let file = ModelFile {
        provenance: metadata.to_string(),
        model: learner.export()?,
    };
    export(game, &file, path, positions, &learner.values(positions)?)
}

/// The labels that provide values of samples: exact ones, or the others.
fn used_labels<G: Learnable>(samples: &Samples<G>, from_tables: bool) -> Vec<&UsedLabel> {
    samples
        .labels()
        .iter()
        .filter(|used| used.label.exact == from_tables)
        .collect()
}

fn validation_positions<P: Copy>(samples: &[Sample<P>]) -> Vec<P> {
    samples.iter().map(|sample| sample.position).collect()
}

#[cfg(test)]
#[cfg(feature = "flex")]
mod tests;
