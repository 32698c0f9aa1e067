//! One epoch of any learner: all training samples once, then the validation samples.

use super::{Learner, Plan, Run, ran_away};
use crate::Error;
use crate::batch::scaled_plies;
use crate::calibrate::logit_loss;
use crate::curve::PhaseLoss;
use crate::loader::{Pass, Shuffle};
use crate::models::heads::{Losses, Outputs};
use crate::sample::Sample;
use engine::learned::inputs::Learnable;
use serde::{Deserialize, Serialize};
use std::time::Instant;

const VALIDATION_BATCH: usize = 16_384;

/// What happened in an epoch so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Passed {
    pub(super) batches: usize,
    pub(super) samples: usize,
    /// Summed over samples.
    #[serde(flatten)]
    pub(super) losses: Losses,
    /// Of the last step.
    pub(super) learning_rate: f64,
    /// What learning took.
    pub(super) seconds: f64,
}

/// Learns the rest of an epoch (from 1) of which some batches may have `passed` before. After each
/// batch `pause` is called.
pub(super) fn learn_epoch<G: Learnable, L: Learner<G>>(
    run: &Run<'_, G>,
    learner: &mut L,
    epoch: usize,
    mut passed: Passed,
    mut pause: impl FnMut(&L, &Passed) -> Result<(), Error>,
) -> Result<Passed, Error> {
    let training = &run.config.training;
    let shuffle = Shuffle {
        seed: run.config.seed,
        epoch,
        window: training.window,
        symmetries: training.symmetries,
    };
    let Plan {
        batch: size,
        learning_rate,
        ..
    } = learner.plan();
    let pass = Pass::training(run.samples, size, shuffle, passed.batches);
    let search_share = run.config.target.search_share_of(epoch, training.epochs);
    let (before, started) = (passed.seconds, Instant::now());
    pass.each(learner.prepare(search_share), |number, batch| {
        passed.learning_rate = run.learning_rate(learning_rate, epoch, number, pass.batches());
        let losses = learner.learn(batch, passed.learning_rate)?;
        if !losses.are_finite() {
            let loss = losses.value + losses.rolls.sum + losses.moves_to_go.sum;
            return Err(ran_away("training loss", loss, epoch, number + 1));
        }
        let samples = size.min(run.samples.training() - passed.samples);
        passed.batches += 1;
        passed.samples += samples;
        passed.losses += losses;
        passed.seconds = before + started.elapsed().as_secs_f64();
        run.watch.progress.inc(samples as u64);
        run.watch.progress.set_message(format!(
            "epoch {epoch}/{} loss {:.5}",
            training.epochs,
            passed.losses.value / passed.samples as f64
        ));
        pause(&*learner, &passed)
    })?;
    Ok(passed)
}

pub(super) struct Validated {
    /// Mean cross-entropy of the value in nats.
    pub(super) loss: f64,
    /// The same by what remains of the game.
    pub(super) by_phase: Vec<PhaseLoss>,
    /// Sums, for the sake of the heads.
    pub(super) losses: Losses,
}

/// The losses of the validation samples. Their targets are mixed as in the last epoch, so that the
/// losses of all epochs can be compared.
pub(super) fn validate<G: Learnable, L: Learner<G>>(
    run: &Run<'_, G>,
    learner: &L,
) -> Result<Validated, Error> {
    let search_share = run.config.target.last_search_share();
    let mut losses = Losses::default();
    let game = run.samples.game();
    let mut sums = vec![(0usize, 0.0f64); 1 + game.remaining_range().end()];
    each_validated(run, learner, |sample, said| {
        let remaining = game.remaining(&sample.position).min(sums.len() - 1);
        let loss = logit_loss(said.logit, f64::from(sample.target(search_share)));
        let loss = f64::from(sample.weight) * loss;
        let (samples, sum) = &mut sums[remaining];
        *samples += 1;
        *sum += loss;
        if let Some(logit) = said.roll {
            losses.rolls.add(logit_loss(
                logit,
                f64::from(sample.continuation.target(search_share)),
            ));
        }
        if let Some((plies, expected)) = said.plies {
            losses.moves_to_go.add((plies - expected).powi(2));
        }
    })?;
    losses.value = sums.iter().map(|(_, loss)| loss).sum();
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
    Ok(Validated {
        loss: losses.value / run.samples.validation().len() as f64,
        by_phase,
        losses,
    })
}

/// What a model says of a validation sample.
pub(super) struct Said {
    /// Of a win.
    pub(super) logit: f64,
    /// Of a win after the outcome that came, if the model has that head and the outcome is known.
    pub(super) roll: Option<f64>,
    /// Plies to the end over 16 as the model has them and as they were, if it has that head and
    /// they are known.
    pub(super) plies: Option<(f64, f64)>,
}

/// Tells for each validation sample what the model says of it.
pub(super) fn each_validated<G: Learnable, L: Learner<G>>(
    run: &Run<'_, G>,
    learner: &L,
    mut tell: impl FnMut(&Sample<G::Position>, Said),
) -> Result<(), Error> {
    let validation = run.samples.validation();
    let search_share = run.config.target.last_search_share();
    Pass::validation(run.samples, VALIDATION_BATCH).each(
        learner.prepare(search_share),
        |number, batch| {
            let Outputs {
                logits,
                rolls,
                plies,
            } = learner.outputs(batch)?;
            for (place, (sample, logit)) in validation[number * VALIDATION_BATCH..]
                .iter()
                .zip(logits)
                .enumerate()
            {
                let after = sample.continuation;
                let roll = rolls
                    .get(place)
                    .filter(|_| after.outcome > 0)
                    .map(|&logit| f64::from(logit));
                let plies = plies.get(place).zip(scaled_plies(after.plies));
                let plies = plies.map(|(&plies, expected)| (f64::from(plies), f64::from(expected)));
                tell(
                    sample,
                    Said {
                        logit: f64::from(logit),
                        roll,
                        plies,
                    },
                );
            }
            Ok(())
        },
    )
}
