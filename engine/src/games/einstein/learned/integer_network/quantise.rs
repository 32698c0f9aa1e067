//! From trained weights to integers.
//!
//! Invariant: every weight is rounded to the nearest multiple of its tensor's unit; one that has no
//! place there is refused, not cut, for then the network would be another one. Trainings hold
//! weights within [`FloatWeights::limits`].

use super::inputs::SideGroups;
use super::{
    FULL, HIDDEN_SCALE, IntegerError, IntegerWeights, LOGIT_SCALE, OUTPUT_SCALE, ROW_SCALE, SHIFT,
};

/// The weights of an [`super::IntegerNetwork`] in floating point, with the same sizes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FloatWeights {
    /// Which inputs there are beside the squares.
    pub groups: SideGroups,
    /// `[2 · rows of a side × first width]`.
    pub rows: Vec<f32>,
    /// `[first width]`.
    pub bias: Vec<f32>,
    /// `[first width × second width]`.
    pub hidden: Vec<f32>,
    /// `[second width]`.
    pub hidden_bias: Vec<f32>,
    /// `[second width]`.
    pub output: Vec<f32>,
    /// The bias of the logit.
    pub output_bias: f32,
}

impl FloatWeights {
    /// The largest magnitudes of a row's weight, a weight of the second layer and one of the
    /// output.
    #[must_use]
    pub fn limits() -> [f32; 3] {
        [
            i16::MAX as f32 / ROW_SCALE as f32,
            127.0 / HIDDEN_SCALE as f32,
            i16::MAX as f32 / OUTPUT_SCALE as f32,
        ]
    }

    /// Holds the first layer where no sum of it can overflow, and answers whether that changed
    /// anything: for each neuron the largest weight of each set of rows of which one is on, and the
    /// bias, may add up to so much; where they do not, all weights above a level are cut to it, the
    /// highest that is low enough. Likewise at the other end.
    ///
    /// A training that does so after every step stays among the networks that can be exported. What
    /// is cut are weights of rows that are hardly ever on: activations end at 1, the sums may reach 16.
    #[must_use]
    pub fn hold_first_layer(&mut self) -> bool {
        let width = self.bias.len();
        let runs: Vec<_> = {
            let (side, runs) = (self.groups.rows(), self.groups.runs());
            [0, side]
                .into_iter()
                .flat_map(|offset| {
                    runs.iter()
                        .map(move |run| run.start + offset..run.end + offset)
                        .collect::<Vec<_>>()
                })
                .collect()
        };
        // Rounding may add half a unit for each row, and half a step.
        let room = f32::from(i16::MAX) - 0.5 * (runs.len() + 1) as f32 - (1 << (SHIFT - 1)) as f32;
        let most = room / ROW_SCALE as f32;
        let mut changed = false;
        let mut extremes = vec![[0.0f32; 2]; runs.len() * width];
        for (run, extremes) in runs.iter().zip(extremes.chunks_exact_mut(width)) {
            extremes.fill([f32::INFINITY, f32::NEG_INFINITY]);
            for weights in self.rows[run.start * width..run.end * width].chunks_exact(width) {
                for (extreme, &weight) in extremes.iter_mut().zip(weights) {
                    *extreme = [extreme[0].min(weight), extreme[1].max(weight)];
                }
            }
        }
        for neuron in 0..width {
            let bias = &mut self.bias[neuron];
            let held = bias.clamp(-0.5 * most, 0.5 * most);
            changed |= held != *bias;
            *bias = held;
            let of = |end: usize| {
                extremes
                    .iter()
                    .skip(neuron)
                    .step_by(width)
                    .map(move |extreme| extreme[end])
            };
            let floor = -level(of(0).map(|least| -least).collect(), most + held);
            let ceiling = level(of(1).collect(), most - held);
            if floor.is_infinite() && ceiling.is_infinite() {
                continue;
            }
            changed = true;
            self.rows
                .iter_mut()
                .skip(neuron)
                .step_by(width)
                .for_each(|weight| *weight = weight.clamp(floor, ceiling));
        }
        changed
    }

    /// The nearest integers.
    ///
    /// # Errors
    /// [`IntegerError::Weight`] if one is no number or out of range.
    pub fn quantise(&self) -> Result<IntegerWeights, IntegerError> {
        let [row_limit, hidden_limit, output_limit] = Self::limits();
        let biases = i32::MAX as f32 / 2.0;
        let rows = integers("rows", &self.rows, ROW_SCALE, row_limit)?;
        let bias = integers("hidden1.bias", &self.bias, ROW_SCALE, row_limit)?;
        let hidden = integers("hidden2.weight", &self.hidden, HIDDEN_SCALE, hidden_limit)?;
        let output = integers("output.weight", &self.output, OUTPUT_SCALE, output_limit)?;
        let output_bias = integers(
            "output.bias",
            &[self.output_bias],
            LOGIT_SCALE,
            biases / LOGIT_SCALE as f32,
        )?;
        // The first layer's shift rounds down; half a step more makes that the nearest.
        let half = 1 << (SHIFT - 1);
        Ok(IntegerWeights {
            groups: self.groups,
            rows: rows.into_iter().map(|weight| weight as i16).collect(),
            bias: bias
                .into_iter()
                .map(|weight| (weight + half).min(i32::from(i16::MAX)) as i16)
                .collect(),
            hidden: hidden.into_iter().map(|weight| weight as i8).collect(),
            hidden_bias: integers(
                "hidden2.bias",
                &self.hidden_bias,
                FULL,
                biases / FULL as f32,
            )?,
            output: output.into_iter().map(|weight| weight as i16).collect(),
            output_bias: output_bias[0],
        })
    }
}

/// The highest level at which numbers have to be cut so that they add up to at most `room`, which
/// is positive; infinite if they need not be.
fn level(mut numbers: Vec<f32>, room: f32) -> f32 {
    if numbers.iter().sum::<f32>() <= room {
        return f32::INFINITY;
    }
    numbers.sort_by(|a, b| b.total_cmp(a));
    let mut rest: f32 = numbers.iter().sum();
    for (cut, &number) in numbers.iter().enumerate() {
        // All before this one are cut to a level that is not below it.
        if cut > 0 && rest + cut as f32 * number <= room {
            return (room - rest) / cut as f32;
        }
        rest -= number;
    }
    room / numbers.len() as f32
}

fn integers(
    tensor: &'static str,
    weights: &[f32],
    scale: i32,
    limit: f32,
) -> Result<Vec<i32>, IntegerError> {
    let one = |(index, &weight): (usize, &f32)| {
        if weight.is_nan() || weight.abs() > limit {
            return Err(IntegerError::Weight {
                tensor,
                index,
                weight,
                limit,
            });
        }
        // In 32 bits, as in training.
        Ok((weight * scale as f32).round_ties_even() as i32)
    };
    weights.iter().enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::random::RandomStream;
    use crate::games::einstein::learned::integer_network::IntegerNetwork;

    #[test]
    fn numbers_are_cut_at_the_level_that_fits() {
        assert_eq!(level(vec![1.0, 2.0, 3.0], 6.0), f32::INFINITY);
        // 2 + 2 + 1, 1.5 + 1.5 + 1, and all three alike.
        assert_eq!(level(vec![3.0, 1.0, 2.0], 5.0), 2.0);
        assert_eq!(level(vec![3.0, 1.0, 2.0], 4.0), 1.5);
        assert_eq!(level(vec![3.0, 1.0, 2.0], 1.5), 0.5);
        // Negative ones give room to others.
        assert_eq!(level(vec![5.0, -1.0], 2.0), 3.0);
    }

    #[test]
    fn a_first_layer_that_could_overflow_is_held() {
        let groups = SideGroups::ALL;
        let mut random = RandomStream::new(8);
        let mut uniform = |count: usize, most: f32| -> Vec<f32> {
            (0..count)
                .map(|_| (random.unit() as f32 - 0.5) * 2.0 * most)
                .collect()
        };
        let wild = FloatWeights {
            groups,
            rows: uniform(2 * groups.rows() * 64, 2.0),
            bias: uniform(64, 12.0),
            hidden: uniform(64 * 16, 1.0),
            hidden_bias: uniform(16, 1.0),
            output: uniform(16, 1.0),
            output_bias: 0.25,
        };
        assert!(matches!(
            IntegerNetwork::new(wild.quantise().unwrap()),
            Err(IntegerError::Overflow { .. })
        ));
        let mut held = wild.clone();
        assert!(held.hold_first_layer());
        assert!(IntegerNetwork::new(held.quantise().unwrap()).is_ok());
        // Only weights that were too large, and none further than needed: what is held needs no
        // holding.
        assert!(
            held.rows
                .iter()
                .zip(&wild.rows)
                .all(|(held, wild)| held == wild || held.abs() < wild.abs())
        );
        let mut again = held.clone();
        let changed = again.hold_first_layer();
        assert!(
            !changed
                || again
                    .rows
                    .iter()
                    .zip(&held.rows)
                    .all(|(a, b)| (a - b).abs() < 1e-5)
        );
        let mut tame = FloatWeights {
            rows: wild.rows.iter().map(|weight| weight / 10.0).collect(),
            bias: vec![0.0; 64],
            ..wild.clone()
        };
        assert!(!tame.hold_first_layer());
    }
}
