//! One epoch of any learner: all training samples once, then the validation samples.

use super::{Inputs, Learner, Run, TrainError};
use crate::curve::{STONES, StonesLoss};
use crate::loader::{Pass, Shuffle};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Samples of a validation step.
const VALIDATION_BATCH: usize = 16_384;

/// What happened in an epoch so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Passed {
    pub(super) batches: usize,
    pub(super) samples: usize,
    /// Summed over samples.
    pub(super) loss: f64,
    /// Of the last step.
    pub(super) learning_rate: f64,
    /// What learning took.
    pub(super) seconds: f64,
}

/// Learns the rest of an epoch (from 1) of which some batches may have `passed` before. After each batch `pause` is
/// called.
pub(super) fn learn_epoch<L: Learner>(
    run: &Run<'_>,
    learner: &mut L,
    epoch: usize,
    mut passed: Passed,
    mut pause: impl FnMut(&L, &Passed) -> Result<(), TrainError>,
) -> Result<Passed, TrainError> {
    let training = &run.config.training;
    let shuffle = Shuffle { seed: run.config.seed, epoch, window: training.window, symmetries: training.symmetries };
    let size = learner.batch_size();
    let pass = Pass::training(run.samples, size, shuffle, passed.batches);
    let inputs = learner.inputs();
    let search_share = run.config.target.search_share_of(epoch, training.epochs);
    let (before, started) = (passed.seconds, Instant::now());
    pass.each(
        |samples| inputs.batch(samples, search_share),
        |number, batch| {
            passed.learning_rate = run.learning_rate(learner.learning_rate(), epoch, number, pass.batches());
            let loss = learner.learn(batch, passed.learning_rate)?;
            if !loss.is_finite() {
                return Err(TrainError::NotFinite { what: "training loss", epoch, batch: number + 1, loss });
            }
            let samples = size.min(run.samples.training() - passed.samples);
            passed.batches += 1;
            passed.samples += samples;
            passed.loss += loss;
            passed.seconds = before + started.elapsed().as_secs_f64();
            run.progress.inc(samples as u64);
            run.progress.set_message(format!("epoch {epoch}/{} loss {:.5}", training.epochs, passed.loss / passed.samples as f64));
            pause(&*learner, &passed)
        },
    )?;
    Ok(passed)
}

/// Mean cross-entropy of the validation samples in nats, over all and by stones left. Their targets are mixed as in the
/// last epoch, so that the losses of all epochs can be compared.
pub(super) fn validate<L: Learner>(run: &Run<'_>, learner: &L) -> Result<(f64, Vec<StonesLoss>), TrainError> {
    let validation = run.samples.validation();
    let inputs = learner.inputs();
    let search_share = run.config.target.last_search_share();
    let mut sums = [(0usize, 0.0f64); 1 + *STONES.end()];
    Pass::validation(run.samples, VALIDATION_BATCH).each(
        |samples| inputs.batch(samples, search_share),
        |number, batch| {
            let logits = learner.logits(batch)?;
            for (sample, logit) in validation[number * VALIDATION_BATCH..].iter().zip(logits) {
                let stones = (sample.position.mover().count() + sample.position.other().count()) as usize;
                let (samples, loss) = &mut sums[stones];
                *samples += 1;
                *loss += cross_entropy(f64::from(logit), f64::from(sample.target(search_share)));
            }
            Ok::<(), TrainError>(())
        },
    )?;
    let all = sums.iter().map(|(_, loss)| loss).sum::<f64>() / validation.len() as f64;
    let with_samples = sums.into_iter().enumerate().filter(|(_, (samples, _))| *samples > 0);
    Ok((all, with_samples.map(|(stones, (samples, loss))| StonesLoss { stones, samples, loss: loss / samples as f64 }).collect()))
}

/// Of a win probability given as a logit against a target.
fn cross_entropy(logit: f64, target: f64) -> f64 {
    logit.max(0.0) - target * logit + (-logit.abs()).exp().ln_1p()
}
