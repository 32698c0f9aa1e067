//! How good the heads of a trained network are, by the validation samples.
//!
//! A roll's probability is judged by what happened: the logistic that fits results best has slope 1
//! and offset 0 if it is calibrated. And the mean over the outcomes should be the value, although
//! nothing but the samples tells the network so.

use super::{Learner, Run, epoch::each_validated, validation_positions};
use crate::Error;
use crate::calibrate::fit_logistic;
use crate::reports::{HeadsReport, PliesReport, RollsReport};
use engine::learned::{
    inputs::Learnable,
    network::{Head, PLIES_SCALE},
};

pub(super) fn judge<G: Learnable, L: Learner<G>>(
    run: &Run<'_, G>,
    learner: &L,
) -> Result<HeadsReport, Error> {
    let mut report = HeadsReport::default();
    let heads = learner.plan().heads;
    if heads.is_empty() {
        return Ok(report);
    }
    let (mut rolls, mut values, mut plies) = (Vec::new(), Vec::new(), Vec::new());
    each_validated(run, learner, |sample, said| {
        if let Some(logit) = said.roll {
            rolls.push((logit as f32, sample.continuation.result));
            values.push((said.logit as f32, sample.continuation.result));
        }
        plies.extend(said.plies);
    })?;
    if heads.contains(Head::Rolls) && !rolls.is_empty() {
        let samples = rolls.len();
        let mean = |number: &dyn Fn(&(f32, f32)) -> f64| {
            rolls.iter().map(number).sum::<f64>() / samples as f64
        };
        let answers = learner.answers(&validation_positions(run.samples.validation()))?;
        let distances: Vec<f64> = answers
            .rolls
            .chunks_exact(G::OUTCOMES)
            .zip(&answers.values)
            .map(|(rolls, &value)| {
                rolls.iter().map(|&roll| f64::from(roll)).sum::<f64>() / G::OUTCOMES as f64
                    - f64::from(value)
            })
            .collect();
        report.rolls = Some(RollsReport {
            samples,
            predicted: mean(&|(logit, _)| 1.0 / (1.0 + (-f64::from(*logit)).exp())),
            won: mean(&|(_, won)| f64::from(*won)),
            calibration: fit_logistic(&rolls),
            value_calibration: fit_logistic(&values),
            distance_from_value: distances.iter().map(|distance| distance.abs()).sum::<f64>()
                / distances.len() as f64,
            bias_from_value: distances.iter().sum::<f64>() / distances.len() as f64,
        });
    }
    if heads.contains(Head::MovesToGo) && !plies.is_empty() {
        let (samples, scale) = (plies.len(), f64::from(PLIES_SCALE));
        let mean = |number: &dyn Fn(&(f64, f64)) -> f64| {
            plies.iter().map(number).sum::<f64>() / samples as f64
        };
        let centre = mean(&|(_, expected)| *expected);
        report.moves_to_go = Some(PliesReport {
            samples,
            error: scale * mean(&|(said, expected)| (said - expected).powi(2)).sqrt(),
            deviation: scale * mean(&|(_, expected)| (expected - centre).powi(2)).sqrt(),
        });
    }
    Ok(report)
}
