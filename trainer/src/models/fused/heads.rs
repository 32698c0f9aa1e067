//! Forward and backward through the heads of a network, on what the layers before them have found.
//!
//! Of the outcomes of chance only the one that came is computed and learned. Invariant: as in [`super::block`]
//! every sum has one order, that of samples or lanes; and a head that is not there costs nothing.

use super::{
    block::{Inputs, dot},
    layout::Tensors,
    matrix::{lanes, lanes_mut},
    vector::{Lanes, Vector},
};
use crate::models::heads::Losses;
use engine::core::calibration::exponential;

/// What heads say of some samples, and then the derivatives of the loss by that.
#[derive(Clone, Debug, Default)]
pub(super) struct HeadWork {
    /// Logits of a win after the outcome that came; 0 where none is known.
    pub(super) rolls: Vec<f32>,
    /// Plies over 16.
    pub(super) plies: Vec<f32>,
}

/// What the heads say, from the values of the last hidden layer, `width` times sixteen a sample.
#[inline(always)]
pub(super) fn forward<V: Vector>(
    tensors: &Tensors<&[f32]>,
    inputs: Inputs<'_>,
    values: &[Lanes],
    width: usize,
    work: &mut HeadWork,
) {
    work.rolls.clear();
    for (values, &outcome) in values.chunks_exact(width).zip(inputs.outcomes) {
        work.rolls.push(match usize::from(outcome).checked_sub(1) {
            Some(outcome) => {
                tensors.rolls_bias[outcome]
                    + dot::<V>(values, &lanes(tensors.rolls)[outcome * width..][..width])
            }
            None => 0.0,
        });
    }
    work.plies.clear();
    for (values, _) in values.chunks_exact(width).zip(inputs.plies) {
        work.plies
            .push(tensors.moves_to_go_bias[0] + dot::<V>(values, lanes(tensors.moves_to_go)));
    }
}

/// Adds the losses, and turns what was said into `scale` times the derivative of the weighted loss
/// by it.
#[inline(always)]
pub(super) fn losses(work: &mut HeadWork, inputs: Inputs<'_>, scale: f32, sums: &mut Losses) {
    for ((logit, &outcome), &target) in work.rolls.iter_mut().zip(inputs.outcomes).zip(inputs.rolls)
    {
        if outcome == 0 {
            continue;
        }
        let z = *logit;
        let small = exponential(-z.abs());
        sums.rolls
            .add(f64::from(z.max(0.0) - target * z) + f64::from(small).ln_1p());
        let value = (if z >= 0.0 { 1.0 } else { small }) / (1.0 + small);
        *logit = (value - target) * scale * inputs.head_weights[0];
    }
    for (plies, &target) in work.plies.iter_mut().zip(inputs.plies) {
        let error = *plies - target;
        let known = target >= 0.0;
        if known {
            sums.moves_to_go.add(f64::from(error) * f64::from(error));
        }
        *plies = if known {
            2.0 * error * scale * inputs.head_weights[1]
        } else {
            0.0
        };
    }
}

/// Adds to the gradient of the heads, and to the slopes of the last hidden layer.
#[inline(always)]
pub(super) fn backward<V: Vector>(
    tensors: &Tensors<&[f32]>,
    gradient: &mut Tensors<&mut [f32]>,
    work: &HeadWork,
    inputs: Inputs<'_>,
    values: &[Lanes],
    slopes: &mut [Lanes],
    width: usize,
) {
    let samples = || values.chunks_exact(width);
    for (((&derivative, &outcome), values), slopes) in work
        .rolls
        .iter()
        .zip(inputs.outcomes)
        .zip(samples())
        .zip(slopes.chunks_exact_mut(width))
    {
        if let Some(outcome) = usize::from(outcome).checked_sub(1) {
            let rows = outcome * width..(outcome + 1) * width;
            follow::<V>(
                derivative,
                &lanes(tensors.rolls)[rows.clone()],
                values,
                slopes,
                &mut lanes_mut(gradient.rolls)[rows],
            );
            gradient.rolls_bias[outcome] += derivative;
        }
    }
    for ((&derivative, values), slopes) in work
        .plies
        .iter()
        .zip(samples())
        .zip(slopes.chunks_exact_mut(width))
    {
        follow::<V>(
            derivative,
            lanes(tensors.moves_to_go),
            values,
            slopes,
            lanes_mut(gradient.moves_to_go),
        );
        gradient.moves_to_go_bias[0] += derivative;
    }
}

/// One sample's part through one linear output.
#[inline(always)]
fn follow<V: Vector>(
    derivative: f32,
    weights: &[Lanes],
    values: &[Lanes],
    slopes: &mut [Lanes],
    gradient: &mut [Lanes],
) {
    let derivative = V::splat(derivative);
    for at in 0..slopes.len() {
        V::load(&weights[at])
            .times(derivative)
            .add_to(&mut slopes[at]);
        V::load(&values[at])
            .times(derivative)
            .add_to(&mut gradient[at]);
    }
}
