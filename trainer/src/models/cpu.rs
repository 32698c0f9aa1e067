//! Hand-written CPU training of the neural network, several times as fast as burn's. Any number of
//! threads and any instruction set give the same bits: gradients of blocks of fixed size are summed
//! in order.

mod adam;
mod backprop;
pub(crate) mod fake_quantization;
mod instructions;
mod layout;
pub(super) mod matrix;
mod simd_vector;

pub use backprop::BatchView;
pub use layout::{Shape, SparseInputs};

use adam::{AdamChunk, StepParams, clip_factor};
use alea_core::simd::Instructions;
use backprop::{Weights, Workspace};
use rayon::prelude::*;
use std::ops::Range;

const BLOCK_SIZE: usize = 512;

/// A multiple of the vector size that fits the second-level cache.
const WEIGHTS_PER_TASK: usize = 1 << 14;

/// A neural network and its Adam optimizer, with all tensors in one array.
#[derive(Clone, Debug)]
pub struct CpuNetwork {
    shape: Shape,
    weights: Vec<f32>,
    /// Mean gradients of all weights, then mean squared gradients.
    moments: Vec<f32>,
    steps: u64,
    instructions: Instructions,
    workspace: Vec<Workspace>,
}

impl CpuNetwork {
    /// Creates a network from weights and bias of each layer in turn. `moments` are Adam's mean
    /// gradients, then mean squared gradients, initially 0; `steps` counts past steps.
    ///
    /// # Panics
    /// If a length does not fit the shape, or a hidden width is not a multiple of 16.
    #[must_use]
    pub fn new(shape: Shape, weights: Vec<f32>, moments: Vec<f32>, steps: u64) -> Self {
        assert!(
            shape
                .hidden()
                .iter()
                .all(|width| width % simd_vector::LANES == 0),
            "hidden layers are multiples of 16"
        );
        assert_eq!(
            (weights.len(), moments.len()),
            (shape.parameters(), 2 * shape.parameters()),
            "the numbers of the shape"
        );
        Self {
            shape,
            weights,
            moments,
            steps,
            instructions: Instructions::detect(),
            workspace: Vec::new(),
        }
    }

    /// Creates an untrained network; `weights` are those of [`Self::new`].
    #[must_use]
    pub fn from_weights(shape: Shape, weights: Vec<f32>) -> Self {
        Self::new(shape, weights, vec![0.0; 2 * shape.parameters()], 0)
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// Overrides the best available instruction set.
    #[must_use]
    pub fn with_instructions(self, instructions: Instructions) -> Self {
        Self {
            instructions,
            ..self
        }
    }

    /// Weights and biases as in [`Self::new`].
    #[must_use]
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Moments as in [`Self::new`], and past steps.
    pub fn optimizer_state(&self) -> (&[f32], u64) {
        (&self.moments, self.steps)
    }

    /// Makes an Adam step, with each tensor's gradient clipped to the norm `max_norm`. Returns the
    /// sum of the losses before it, in nats; if not finite, the weights stay unchanged.
    pub fn adam_step(&mut self, batch: BatchView<'_>, learning_rate: f64, max_norm: f32) -> f64 {
        let loss = self.compute_gradient(batch);
        if !loss.is_finite() {
            return loss;
        }
        self.steps += 1;
        let (params, instructions) = (
            StepParams::new(learning_rate, self.steps),
            self.instructions,
        );
        let (means, squares) = self.moments.split_at_mut(self.weights.len());
        for range in self.shape.tensor_ranges() {
            let gradient = &self.workspace[0].gradient[range.clone()];
            let factor = clip_factor(instructions::norm(instructions, gradient), max_norm);
            (self.weights[range.clone()].par_chunks_mut(WEIGHTS_PER_TASK))
                .zip(gradient.par_chunks(WEIGHTS_PER_TASK))
                .zip(means[range.clone()].par_chunks_mut(WEIGHTS_PER_TASK))
                .zip(squares[range].par_chunks_mut(WEIGHTS_PER_TASK))
                .for_each(|(((weights, gradient), means), squares)| {
                    let chunk = AdamChunk {
                        weights,
                        gradient,
                        means,
                        squares,
                    };
                    instructions::adam(instructions, chunk, params, factor);
                });
        }
        loss
    }

    /// Clamps the weights to the engine's integer range. `one_hot_slots`, ranges of first-layer
    /// rows, also keeps the first layer's sums within 16 bits.
    pub fn clamp_to_range(&mut self, one_hot_slots: Option<&[Range<usize>]>) {
        fake_quantization::clamp_to_range(self.shape, one_hot_slots, &mut self.weights);
    }

    /// Writes the mean loss's gradient to `workspace[0]`; returns the sum of the losses.
    fn compute_gradient(&mut self, batch: BatchView<'_>) -> f64 {
        let blocks: Vec<BatchView<'_>> = batch.split_blocks(BLOCK_SIZE, self.shape).collect();
        if self.workspace.len() < blocks.len().max(1) {
            self.workspace
                .resize(blocks.len().max(1), Workspace::default());
        }
        let all = &*fake_quantization::fake_quantize(self.shape, &self.weights);
        let hidden = self.shape.hidden();
        let layers = self.shape.split(all, None).hidden;
        let of_layer = |(layer, pair): (layout::Layer<&[f32]>, &[usize])| -> Vec<f32> {
            let buckets = layer.weights.chunks_exact(pair[0] * pair[1]);
            buckets
                .flat_map(|bucket| matrix::transpose(bucket, pair[1]))
                .collect()
        };
        let layers = layers.into_iter().zip(hidden.windows(2));
        let transposed: Vec<Vec<f32>> = layers.map(of_layer).collect();
        let weights = Weights {
            shape: self.shape,
            all,
            transposed: &transposed,
        };
        let scale = 1.0 / batch.targets.len() as f32;
        let (workspace, instructions) = (&mut self.workspace[..blocks.len()], self.instructions);
        workspace
            .par_iter_mut()
            .zip(blocks)
            .with_max_len(1)
            .for_each(|(workspace, block)| {
                instructions::gradient(instructions, weights, block, scale, workspace)
            });
        let Some((first, others)) = workspace.split_first_mut() else {
            return 0.0;
        };
        let pieces = first.gradient.par_chunks_mut(WEIGHTS_PER_TASK).enumerate();
        pieces.for_each(|(number, sum)| {
            for other in &*others {
                let addend = &other.gradient[number * WEIGHTS_PER_TASK..][..sum.len()];
                instructions::add(instructions, sum, addend);
            }
        });
        for other in others {
            first.loss += other.loss;
        }
        first.loss
    }

    /// Log odds of a win.
    #[must_use]
    pub fn predict_logits(&self, batch: BatchView<'_>) -> Vec<f32> {
        let blocks: Vec<BatchView<'_>> = batch.split_blocks(BLOCK_SIZE, self.shape).collect();
        let weights = Weights {
            shape: self.shape,
            all: &fake_quantization::fake_quantize(self.shape, &self.weights),
            transposed: &[],
        };
        let parts = blocks
            .into_par_iter()
            .map_init(Workspace::default, |workspace, block| {
                let mut logits = Vec::with_capacity(block.targets.len());
                instructions::predict_logits(
                    self.instructions,
                    weights,
                    block,
                    workspace,
                    &mut logits,
                );
                logits
            });
        parts.collect::<Vec<_>>().concat()
    }
}

#[cfg(test)]
mod tests;
