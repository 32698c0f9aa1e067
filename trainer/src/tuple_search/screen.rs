//! Estimates how much loss a candidate's table rows would save. To second order in a change δ of
//! its logit, a sample's cross-entropy falls by δ g − δ² h / 2, with g = target − value and h =
//! value (1 − value). The first half of the samples fits each row's δ = Σ g / (Σ h + prior); the
//! second half measures the gain, so rare rows gain nothing by chance.

use crate::sample::Sample;
use alea_core::calibration::logistic;
use alea_learned::{inputs::Learnable, tuples::TupleSet};

/// Prior added to a row's Σ h: eight even positions (h = ¼) with g = 0.
pub(super) const CURVATURE_PRIOR: f32 = 2.0;

/// Positions with gradient g and curvature h of a network's loss.
pub(super) struct Residuals<P> {
    positions: Vec<P>,
    gradient: Vec<f32>,
    curvature: Vec<f32>,
}

impl<P: Copy> Residuals<P> {
    pub(super) fn new(samples: &[Sample<P>], logits: &[f32], lambda: f32) -> Self {
        let values: Vec<f32> = logits.iter().map(|&logit| logistic(logit)).collect();
        Self {
            positions: samples.iter().map(|sample| sample.position).collect(),
            gradient: samples
                .iter()
                .zip(&values)
                .map(|(sample, value)| sample.target(lambda) - value)
                .collect(),
            curvature: values.iter().map(|value| value * (1.0 - value)).collect(),
        }
    }

    /// Loss that `set` would save, in nats per sample of the second half.
    pub(super) fn explained_loss<G: Learnable<Position = P>>(&self, set: &TupleSet<G>) -> f64 {
        let (tuples, count) = (set.tuple_count(), self.positions.len());
        let mut rows = vec![0u32; tuples * count];
        for (position, rows) in self.positions.iter().zip(rows.chunks_exact_mut(tuples)) {
            set.row_indices(position, rows);
        }
        let mut gradient = self.gradient.clone();
        let middle = count / 2;
        let mut changes = vec![(0.0f32, CURVATURE_PRIOR); set.row_count()];
        let mut explained = 0.0;
        for tuple in 0..tuples {
            let row = |sample: usize| rows[sample * tuples + tuple] as usize;
            for sample in 0..middle {
                let (sum, curvature) = &mut changes[row(sample)];
                *sum += gradient[sample];
                *curvature += self.curvature[sample];
            }
            for sample in 0..count {
                let (sum, total) = changes[row(sample)];
                let (change, curvature) = (sum / total, self.curvature[sample]);
                if sample >= middle {
                    explained += f64::from(change * (gradient[sample] - 0.5 * change * curvature));
                }
                gradient[sample] -= change * curvature;
            }
        }
        explained / (count - middle).max(1) as f64
    }
}
