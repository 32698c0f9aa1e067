//! One epoch: training on all samples, then validation.

use super::{Learner, StepSettings, TrainingRun, divergence_error};
use crate::Error;
use crate::batch::result_target;
use crate::calibrate::logit_loss;
use crate::curve::PhaseLoss;
use crate::loader::{DataLoader, Shuffle};
use crate::models::result_loss::result_loss;
use alea_learned::inputs::Learnable;
use serde::{Deserialize, Serialize};
use std::time::Instant;

const VALIDATION_BATCH: usize = 16_384;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct EpochProgress {
    pub(super) batches: usize,
    pub(super) samples: usize,
    pub(super) loss: f64,
    pub(super) learning_rate: f64,
    pub(super) seconds: f64,
}

/// Trains on the batches after those of `progress`; calls `pause` after each. `epoch` counts from
/// 1.
pub(super) fn train_epoch<G: Learnable, L: Learner<G>>(
    run: &TrainingRun<'_, G>,
    learner: &mut L,
    epoch: usize,
    mut progress: EpochProgress,
    mut pause: impl FnMut(&L, &EpochProgress) -> Result<(), Error>,
) -> Result<EpochProgress, Error> {
    let training = &run.config.training;
    let shuffle = Shuffle {
        seed: run.config.seed,
        epoch,
        buffer: training.window,
        symmetries: training.symmetries,
    };
    let StepSettings {
        batch: size,
        learning_rate,
        ..
    } = learner.step_settings();
    let loader = DataLoader::training(run.samples, size, shuffle, progress.batches);
    let lambda = run.config.target.lambda_in_epoch(epoch, training.epochs);
    let (before, started) = (progress.seconds, Instant::now());
    loader.for_each_batch(learner.batcher(lambda), |number, batch| {
        progress.learning_rate =
            run.learning_rate(learning_rate, epoch, number, loader.num_batches());
        let loss = learner.train_step(batch, progress.learning_rate)?;
        if !loss.is_finite() {
            return Err(divergence_error("training loss", loss, epoch, number + 1));
        }
        let samples = size.min(run.samples.num_training() - progress.samples);
        progress.batches += 1;
        progress.samples += samples;
        progress.loss += loss;
        progress.seconds = before + started.elapsed().as_secs_f64();
        run.observer.progress.inc(samples as u64);
        run.observer.progress.set_message(format!(
            "epoch {epoch}/{} loss {:.5}",
            training.epochs,
            progress.loss / progress.samples as f64
        ));
        pause(&*learner, &progress)
    })?;
    Ok(progress)
}

pub(super) struct ValidationLoss {
    pub(super) loss: f64,
    pub(super) by_phase: Vec<PhaseLoss>,
}

/// Validation loss with the last epoch's targets, so that all epochs are comparable.
pub(super) fn validate<G: Learnable, L: Learner<G>>(
    run: &TrainingRun<'_, G>,
    learner: &L,
) -> Result<ValidationLoss, Error> {
    let lambda = run.config.target.last_lambda();
    let game = run.samples.game();
    let mut sums = vec![(0usize, 0.0f64); 1 + game.remaining_range().end()];
    let (validation, results) = (run.samples.validation(), learner.results());
    let loader = DataLoader::validation(run.samples, VALIDATION_BATCH);
    loader.for_each_batch(learner.batcher(lambda), |number, batch| {
        let mut logits = learner.predict_logits(batch)?;
        let logits = logits.chunks_exact_mut(results.map_or(1, |results| results.len()));
        for (sample, logits) in validation[number * VALIDATION_BATCH..].iter().zip(logits) {
            let remaining = game.remaining_length(&sample.position).min(sums.len() - 1);
            let loss = match &results {
                None => logit_loss(f64::from(logits[0]), f64::from(sample.target(lambda))),
                Some(results) => {
                    let (target, probabilities) = result_target(results, sample, lambda);
                    result_loss(results, logits, &probabilities, target, 0.0)
                }
            };
            let (samples, sum) = &mut sums[remaining];
            *samples += 1;
            *sum += f64::from(sample.weight) * loss;
        }
        Ok(())
    })?;
    let loss: f64 = sums.iter().map(|(_, loss)| loss).sum();
    let with_samples = sums
        .into_iter()
        .enumerate()
        .filter(|(_, (samples, _))| *samples > 0);
    let by_phase = with_samples
        .map(|(remaining, (samples, loss))| PhaseLoss {
            remaining,
            samples,
            loss: loss / samples as f64,
        })
        .collect();
    Ok(ValidationLoss {
        loss: loss / validation.len() as f64,
        by_phase,
    })
}
