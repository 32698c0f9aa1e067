//! Supervised training, from samples to the exported model. An interrupted training resumes from
//! `checkpoint.bin` in its directory, to the last bit.

#[cfg(feature = "burn")]
mod burn_network;
mod checkpoint;
mod epoch;
mod network;
mod ntuple;
mod td;

pub use crate::training_arguments::{TdTrainingRun, TrainingRun};
pub use crate::training_results::{Family, TdReport, TrainingReport};
pub use td::{check_seats, train_td};

use crate::Error;
use crate::backend::Backend;
use crate::batch::prediction_samples;
use crate::config::{Schedule, TrainConfig};
use crate::curve::{CurvePoint, format_csv};
use crate::dataset::{self, Samples, UsedLabel};
use crate::export::{export, parity_positions};
use crate::models::{cpu::CpuNetwork, result_loss::expected_payoff};
use crate::progress::resume_at;
use crate::sample::Sample;
use alea_core::calibration::logistic;
use alea_learned::{
    inputs::Learnable,
    model_file::{Model, ModelFile},
    network::ResultPayoffs,
};
#[cfg(feature = "burn")]
use burn_network::BurnNetwork;
use checkpoint::{Checkpoint, Header};
use epoch::{EpochProgress, train_epoch, validate};
use network::NetworkLearner;
use ntuple::NTupleLearner;
use serde_json::Value;
use std::{
    path::Path,
    time::{Duration, Instant},
};

/// Key of model metadata: the checksum of the model whose weights a training began with.
const INITIAL_WEIGHTS_KEY: &str = "initial_weights";

/// Number of samples predicted at once, few enough for a GPU's memory in burn.
const PREDICTION_BATCH: usize = 4096;

/// Trains or resumes training, and exports the model with the lowest validation loss.
///
/// # Errors
/// If a setting is unusable, samples cannot be read, a loss becomes infinite or NaN, the directory
/// belongs to another training, a file cannot be written, or the engine's predictions differ from
/// the trainer's.
pub fn train<G: Learnable>(run: &TrainingRun<'_, G>) -> Result<TrainingReport, Error> {
    let config = &run.config.resolve(run.samples.game())?;
    let backend = Backend::from_name(&config.training.backend)?;
    create_directory(run.directory)?;
    let run = TrainingRun { config, ..*run };
    match (run.family, backend) {
        (Family::NTuple, _) => run_epochs(
            &run,
            NTupleLearner::new(run.samples.game(), &config.ntuple)?,
        ),
        (Family::Network, Backend::Cpu) => {
            let learner =
                NetworkLearner::new(run.samples.game(), config, CpuNetwork::from_weights)?;
            run_epochs(&run, learner)
        }
        #[cfg(feature = "burn")]
        (Family::Network, Backend::Burn(device)) => run_epochs(
            &run,
            NetworkLearner::new(run.samples.game(), config, |shape, weights| {
                BurnNetwork::new(shape, &weights, config.network.gradient_norm, device)
            })?,
        ),
    }
}

/// Checks that a training of `family` can begin with the weights of `initial`.
///
/// # Errors
/// If a setting is unusable, or the model has another shape than the settings describe.
pub fn check_initial_model<G: Learnable>(
    game: &G,
    config: &TrainConfig,
    family: Family,
    initial: &ModelFile<G>,
) -> Result<(), Error> {
    let rules = &game.training_rules();
    let config = &config.resolve(rules)?;
    let initial = &initial.model;
    match family {
        Family::NTuple => NTupleLearner::new(rules, &config.ntuple)?.set_initial_weights(initial),
        Family::Network => NetworkLearner::new(rules, config, CpuNetwork::from_weights)?
            .set_initial_weights(initial),
    }
}

fn create_directory(directory: &Path) -> Result<(), Error> {
    let what = format!("cannot create the directory {}", directory.display());
    std::fs::create_dir_all(directory).map_err(Error::with_prefix(what))
}

impl<G: Learnable> TrainingRun<'_, G> {
    fn learning_rate(&self, start: f64, epoch: usize, batch: usize, batches: usize) -> f64 {
        let training = &self.config.training;
        let done = ((epoch - 1) * batches + batch) as f64 / (training.epochs * batches) as f64;
        start * training.schedule.factor(done, training.final_rate)
    }
}

fn divergence_error(what: &str, loss: f64, epoch: usize, batch: usize) -> Error {
    Error::Divergence(format!(
        "the {what} became {loss} in epoch {epoch}, batch {batch}: lower the learning rate"
    ))
}

fn is_checkpoint_due(config: &TrainConfig, written: Instant) -> bool {
    let minutes = config.training.checkpoint_minutes;
    minutes > 0.0
        && written.elapsed() >= Duration::try_from_secs_f64(60.0 * minutes).unwrap_or(Duration::MAX)
}

/// Error for an initial model of another shape than `own`, which has the shape of the settings.
fn initial_weights_mismatch<G: Learnable>(own: &Model<G>, initial: &Model<G>) -> Error {
    let [own, initial] =
        [own, initial].map(|model| format!("{} ({})", model.kind(), model.summary()));
    Error::new(format!(
        "the initial weights are of another {initial} than the settings describe: {own}"
    ))
}

fn checkpoint_mismatch() -> Error {
    Error::new(
        "the checkpoint does not fit the model: it has another size; remove it to train from the start",
    )
}

type BatchFunction<P, B> = Box<dyn Fn(&[Sample<P>]) -> B + Sync>;

#[derive(Clone, Copy)]
struct StepSettings {
    batch: usize,
    learning_rate: f64,
}

/// Trainable model with its optimizer, saved and restored to the last bit.
trait Learner<G: Learnable> {
    type Batch: Send;
    fn batcher(&self, lambda: f32) -> BatchFunction<G::Position, Self::Batch>;
    fn step_settings(&self) -> StepSettings;
    fn train_step(&mut self, batch: Self::Batch, learning_rate: f64) -> Result<f64, Error>;
    /// Logits `[batch, outputs]`.
    fn predict_logits(&self, batch: Self::Batch) -> Result<Vec<f32>, Error>;
    /// Results that have an output each; `None` if the only output is that of a win.
    fn results(&self) -> Option<ResultPayoffs> {
        None
    }
    fn state(&self) -> Result<[Vec<u8>; 2], Error>;
    /// Replaces the weights by those of `model`; an error if it has another shape.
    fn set_initial_weights(&mut self, model: &Model<G>) -> Result<(), Error>;
    /// Restores [`Self::state`]; `None` leaves the optimizer unchanged.
    fn restore(&mut self, model: Vec<u8>, optimizer: Option<Vec<u8>>) -> Result<(), Error>;
    fn export(&self) -> Result<Model<G>, Error>;
}

fn run_epochs<G: Learnable>(
    run: &TrainingRun<'_, G>,
    mut learner: impl Learner<G>,
) -> Result<TrainingReport, Error> {
    let mut checkpoint = Checkpoint::open(
        run.directory,
        run.family.name(),
        run.config,
        run.samples.fingerprint(),
        run.initial_model,
        (run.samples.game(), &mut learner),
    )?;
    let begun = checkpoint.header.epoch_progress.as_ref();
    let done = checkpoint.header.curve.len() * run.samples.num_training()
        + begun.map_or(0, |begun| begun.samples);
    let all = run.config.training.epochs * run.samples.num_training();
    run.observer.progress.set_length(all as u64);
    if !is_finished(run.config, &checkpoint.header) {
        resume_at(run.observer.progress, done as u64);
    }
    if let Some(shorter) = &checkpoint.shorter {
        let (epochs, patience) = (checkpoint.header.curve.len(), run.config.training.patience);
        run.observer
            .progress
            .println(match is_finished(run.config, &checkpoint.header) {
                true => format!("training.patience = {patience} has ended it after epoch {epochs}"),
                false => describe_longer_epochs(shorter, run.config, epochs),
            });
    }
    while !is_finished(run.config, &checkpoint.header) {
        let epoch = checkpoint.header.curve.len() + 1;
        let begun = checkpoint.header.epoch_progress.take().unwrap_or_default();
        let mut written = Instant::now();
        let progress = train_epoch(run, &mut learner, epoch, begun, |learner, progress| {
            if is_checkpoint_due(run.config, written) {
                checkpoint.capture_state(learner)?;
                checkpoint.header.epoch_progress = Some(progress.clone());
                checkpoint.write(run.directory)?;
                written = Instant::now();
            }
            Ok(())
        })?;
        let trained = Instant::now();
        let validation = validate(run, &learner)?;
        let validation_loss = validation.loss;
        if !validation_loss.is_finite() {
            return Err(divergence_error(
                "validation loss",
                validation_loss,
                epoch,
                0,
            ));
        }
        checkpoint.capture_state(&learner)?;
        let header = &mut checkpoint.header;
        header.epoch_progress = None;
        if header
            .best_point()
            .is_none_or(|best| validation_loss < best.validation_loss)
        {
            header.best_epoch = epoch;
            checkpoint.best.clone_from(&checkpoint.model);
        }
        header.curve.push(CurvePoint {
            epoch,
            training_loss: progress.loss / progress.samples as f64,
            validation_loss,
            validation_by_phase: validation.by_phase,
            learning_rate: progress.learning_rate,
            samples_per_second: progress.samples as f64 / progress.seconds.max(1e-9),
            seconds: progress.seconds + trained.elapsed().as_secs_f64(),
        });
        // Before the checkpoint: if training stops in between, the curve is written again.
        let remaining = run.samples.game().remaining_range();
        let table = format_csv(&checkpoint.header.curve, remaining);
        run.observer.write_curve(run.directory, &table)?;
        checkpoint.write(run.directory)?;
    }
    run.observer.progress.finish();
    let header = checkpoint.header;
    learner.restore(checkpoint.best, None)?;
    export_best(run, &learner, &header)
}

/// Message that a training goes on after epoch `done`, to more epochs than `shorter` has.
fn describe_longer_epochs(shorter: &TrainConfig, config: &TrainConfig, done: usize) -> String {
    let (before, epochs) = (shorter.training.epochs, config.training.epochs);
    let mut differences = Vec::new();
    if config.training.schedule != Schedule::Constant {
        differences.push("learning rates");
    }
    if config.target.lambda != config.target.last_lambda() {
        differences.push("search shares");
    }
    let line = format!("goes on after epoch {done}, to {epochs} epochs instead of {before}");
    describe_difference(line, &differences, &format!("{epochs} epochs"))
}

fn describe_difference(line: String, differences: &[&str], length: &str) -> String {
    match differences {
        [] => format!("{line}; the result is that of {length} from the start"),
        differences => format!(
            "{line}; the part before had the {} of the shorter training, so the result is not that of {length} from the start",
            differences.join(" and ")
        ),
    }
}

fn is_finished(config: &TrainConfig, header: &Header) -> bool {
    let (epochs, patience) = (header.curve.len(), config.training.patience);
    epochs >= config.training.epochs || (patience > 0 && epochs - header.best_epoch >= patience)
}

fn export_best<G: Learnable>(
    run: &TrainingRun<'_, G>,
    learner: &impl Learner<G>,
    header: &Header,
) -> Result<TrainingReport, Error> {
    let best = header
        .best_point()
        .ok_or_else(|| dataset::empty_set_error("training"))?;
    let mut metadata = serde_json::json!({
        "family": run.family.name(),
        "data": parse_provenance(run.provenance),
        "training_samples": run.samples.num_training(),
        "validation_samples": run.samples.validation().len(),
        "held_out": run.samples.num_held_out(),
        "duplicate_games": run.samples.duplicate_games(),
        "labels": used_labels(run.samples, false),
        "table_labels": used_labels(run.samples, true),
        "samples_xxh3": format!("{:016x}", header.fingerprint),
        INITIAL_WEIGHTS_KEY: header.initial_weights,
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
            Value::Null => key != INITIAL_WEIGHTS_KEY,
            _ => true,
        });
    }
    let model = run
        .directory
        .join(run.family.name())
        .with_extension("safetensors");
    let validation: Vec<_> = (run.samples.validation().iter())
        .map(|sample| sample.position)
        .collect();
    let positions = parity_positions(run.samples.game(), &validation);
    let parity = export_model(learner, run.samples.game(), &metadata, &model, &positions)?;
    let (curve, samples) = (&header.curve, run.samples.num_training() as f64);
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

fn predictions<G: Learnable>(
    learner: &impl Learner<G>,
    positions: &[G::Position],
) -> Result<Vec<f32>, Error> {
    let (batcher, mut values) = (learner.batcher(1.0), Vec::with_capacity(positions.len()));
    for positions in positions.chunks(PREDICTION_BATCH) {
        let logits = learner.predict_logits(batcher(&prediction_samples(positions)))?;
        match learner.results() {
            None => values.extend(logits.into_iter().map(logistic)),
            Some(results) => values.extend(
                (logits.chunks_exact(results.len()))
                    .map(|logits| expected_payoff(&results, logits)),
            ),
        }
    }
    Ok(values)
}

fn parse_provenance(provenance: &str) -> Value {
    serde_json::from_str(provenance).unwrap_or_else(|_| provenance.into())
}

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
    export(
        game,
        &file,
        path,
        positions,
        &predictions(learner, positions)?,
    )
}

/// Labels that replaced values: only exact ones if `from_tables`, else only the others.
fn used_labels<G: Learnable>(samples: &Samples<G>, from_tables: bool) -> Vec<&UsedLabel> {
    samples
        .used_labels()
        .iter()
        .filter(|used| used.label.exact == from_tables)
        .collect()
}

#[cfg(test)]
mod tests;
