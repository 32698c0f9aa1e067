//! What the heads of a network are judged by: sums of losses, and the same with burn's tensors.
//!
//! The head of rolls learns the outcome of chance that came and no other (cross-entropy in nats); the length of the
//! game is learned by the squared error of plies over
//! [`PLIES_SCALE`](engine::learned::network::PLIES_SCALE). Invariant: a sample that does not know what
//! came after it adds nothing to either.

#[cfg(feature = "burn")]
use crate::batch::HeadTargets;
#[cfg(feature = "burn")]
use burn::tensor::{Device, Tensor, TensorData, activation::log_sigmoid};
use engine::learned::network::Head;
use serde::{Deserialize, Serialize};

/// The losses of a head added up over samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeadLoss {
    /// In the head's own unit, without its weight.
    pub sum: f64,
    /// How many samples taught it.
    pub samples: u64,
}

impl HeadLoss {
    /// The mean loss; 0 if there were no samples.
    pub fn mean(&self) -> f64 {
        if self.samples > 0 {
            self.sum / self.samples as f64
        } else {
            0.0
        }
    }

    fn is_nothing(&self) -> bool {
        self.samples == 0
    }

    #[inline]
    pub(crate) fn add(&mut self, loss: f64) {
        self.sum += loss;
        self.samples += 1;
    }
}

/// Losses added up over the samples of a batch, or of many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Losses {
    /// Of the value, in nats.
    #[serde(rename = "loss")]
    pub value: f64,
    /// In nats.
    #[serde(default, skip_serializing_if = "HeadLoss::is_nothing")]
    pub rolls: HeadLoss,
    /// In squares of plies / 16.
    #[serde(default, skip_serializing_if = "HeadLoss::is_nothing")]
    pub moves_to_go: HeadLoss,
}

impl Losses {
    /// That of a head.
    pub fn head(&self, head: Head) -> HeadLoss {
        match head {
            Head::Rolls => self.rolls,
            Head::MovesToGo => self.moves_to_go,
        }
    }

    pub(crate) fn are_finite(&self) -> bool {
        [self.value, self.rolls.sum, self.moves_to_go.sum]
            .iter()
            .all(|sum| sum.is_finite())
    }
}

impl From<f64> for Losses {
    fn from(value: f64) -> Self {
        Self {
            value,
            ..Self::default()
        }
    }
}

impl std::ops::AddAssign for Losses {
    fn add_assign(&mut self, other: Self) {
        self.value += other.value;
        for (sum, other) in [
            (&mut self.rolls, other.rolls),
            (&mut self.moves_to_go, other.moves_to_go),
        ] {
            sum.sum += other.sum;
            sum.samples += other.samples;
        }
    }
}

/// What a model says of some samples, each a number a sample; a head that is not there or not asked
/// says nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outputs {
    /// Log odds of a win.
    pub logits: Vec<f32>,
    /// Log odds of a win after the face that came; where that is not known, 0.
    pub rolls: Vec<f32>,
    /// Plies to the end over 16.
    pub plies: Vec<f32>,
}

impl From<Vec<f32>> for Outputs {
    fn from(logits: Vec<f32>) -> Self {
        Self {
            logits,
            ..Self::default()
        }
    }
}

/// One in the column of the outcome that came, `[batch, outcomes]`, and 0 elsewhere.
#[cfg(feature = "burn")]
pub(crate) fn outcome_mask(targets: &HeadTargets, outcomes: usize, device: &Device) -> Tensor<2> {
    let samples = targets.outcomes.len();
    let mut mask = vec![0.0f32; samples * outcomes];
    for (row, &outcome) in mask.chunks_exact_mut(outcomes).zip(&targets.outcomes) {
        if let Some(column) = usize::from(outcome).checked_sub(1) {
            row[column] = 1.0;
        }
    }
    Tensor::from_data(TensorData::new(mask, [samples, outcomes]), device)
}

/// The sum of the cross-entropies of logits (`[batch, outcomes]`) in the column of the outcome that
/// came.
#[cfg(feature = "burn")]
pub(crate) fn roll_loss(logits: Tensor<2>, targets: &HeadTargets, device: &Device) -> Tensor<1> {
    let [_, outcomes] = logits.dims();
    let mask = outcome_mask(targets, outcomes, device);
    let came = (logits * mask.clone()).sum_dim(1);
    let expected = Tensor::from_data(
        TensorData::new(targets.rolls.clone(), [targets.rolls.len(), 1]),
        device,
    );
    let each: Tensor<2> = (expected.neg() + 1.0) * came.clone() - log_sigmoid(came);
    (each * mask.sum_dim(1)).sum()
}

#[cfg(feature = "burn")]
/// The sum of the squared errors of plies (`[batch, 1]`) where they are known.
pub(crate) fn plies_loss(plies: Tensor<2>, targets: &HeadTargets, device: &Device) -> Tensor<1> {
    let column = |values: Vec<f32>| {
        Tensor::<2>::from_data(TensorData::new(values, [targets.plies.len(), 1]), device)
    };
    let known = column(
        targets
            .plies
            .iter()
            .map(|&plies| f32::from(u8::from(plies >= 0.0)))
            .collect(),
    );
    let error = (plies - column(targets.plies.clone())) * known;
    (error.clone() * error).sum()
}

#[cfg(test)]
#[cfg(feature = "flex")]
mod tests {
    use super::*;

    #[test]
    fn losses_are_those_of_the_face_that_came_by_hand() {
        let device = Device::flex();
        let targets = HeadTargets {
            outcomes: vec![2, 0, 6],
            rolls: vec![0.25, 0.5, 1.0],
            plies: vec![0.5, -1.0, 1.0],
        };
        let mut logits = [[100.0f32; 6]; 3];
        (logits[0][1], logits[2][5]) = (2.0, 0.0);
        let found: f32 =
            roll_loss(Tensor::from_data(logits, &device), &targets, &device).into_scalar();
        let p = 1.0 / (1.0 + (-2.0f64).exp());
        let expected = -(0.25 * p.ln() + 0.75 * (1.0 - p).ln()) + 2.0f64.ln();
        assert!(
            (f64::from(found) - expected).abs() < 1e-5,
            "{found} {expected}"
        );
        let plies: Tensor<2> = Tensor::from_data([[1.0], [7.0], [1.5]], &device);
        let found: f32 = plies_loss(plies, &targets, &device).into_scalar();
        assert!((found - 0.5).abs() < 1e-6, "{found}");
    }

    #[test]
    fn sums_add_up_head_by_head() {
        let mut sums = Losses::from(2.0);
        sums += Losses {
            value: 1.0,
            rolls: HeadLoss {
                sum: 3.0,
                samples: 2,
            },
            moves_to_go: HeadLoss::default(),
        };
        sums.moves_to_go.add(5.0);
        assert_eq!(
            (
                sums.value,
                sums.head(Head::Rolls).mean(),
                sums.head(Head::MovesToGo).mean()
            ),
            (3.0, 1.5, 5.0)
        );
        assert_eq!(HeadLoss::default().mean(), 0.0);
        assert!(sums.are_finite() && !Losses::from(f64::NAN).are_finite());
    }
}
