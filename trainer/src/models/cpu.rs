//! CPU training of the neural network, several times as fast as burn's. Gradients of blocks of
//! fixed size are summed in order, so the number of threads does not change a bit.

mod adam;
mod backprop;
pub(crate) mod fake_quantization;
mod instructions;
mod layout;
pub(super) mod matrix;
mod simd_vector;
pub(crate) mod weight_ranges;

pub use backprop::BatchView;
pub use layout::{Shape, SparseInputs};

use adam::{AdamChunk, StepParams, TensorGradient, clip_factor};
use alea_core::simd::Instructions;
use backprop::{Block, FirstLayer, Weights, Workspace};
use matrix::{AlignedBuffer, lanes};
use rayon::prelude::*;
use simd_vector::LANES;
use std::{cell::RefCell, ops::Range};

const BLOCK_SIZE: usize = 512;

/// Weights per parallel task: a multiple of the vector size that fits the second-level cache.
const WEIGHTS_PER_TASK: usize = 1 << 14;

thread_local! {
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

/// Neural network and its Adam optimizer; all tensors are in one array.
#[derive(Clone, Debug)]
pub struct CpuNetwork {
    shape: Shape,
    weights: Vec<f32>,
    /// Mean gradient of each weight, then mean squared gradient of each weight.
    moments: Vec<f32>,
    steps: u64,
    instructions: Instructions,
    blocks: Vec<Block>,
    first_slopes: AlignedBuffer,
    gradient: AlignedBuffer,
    rounded: AlignedBuffer,
}

impl CpuNetwork {
    /// Creates a network from weights and bias of each layer in turn. `moments` are Adam's mean
    /// gradients, then mean squared gradients, all 0 at first; `steps` is the number of past steps.
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
            blocks: Vec::new(),
            first_slopes: AlignedBuffer::default(),
            gradient: AlignedBuffer::default(),
            rounded: AlignedBuffer::default(),
        }
    }

    /// Creates a network with an unused optimizer; `weights` as in [`Self::new`].
    #[must_use]
    pub fn from_weights(shape: Shape, weights: Vec<f32>) -> Self {
        Self::new(shape, weights, vec![0.0; 2 * shape.parameters()], 0)
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// Uses `instructions` instead of the best available instruction set.
    #[must_use]
    pub fn with_instructions(self, instructions: Instructions) -> Self {
        Self {
            instructions,
            ..self
        }
    }

    /// Weights and biases in the order of [`Self::new`].
    #[must_use]
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Moments as in [`Self::new`], and the number of past steps.
    pub fn optimizer_state(&self) -> (&[f32], u64) {
        (&self.moments, self.steps)
    }

    /// Makes an Adam step, with each tensor's gradient scaled to at most the norm `max_norm`.
    /// Returns the sum of the losses before the step, in nats; if not finite, the weights stay
    /// unchanged.
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
        for (number, range) in self.shape.tensor_ranges().into_iter().enumerate() {
            let width = if number == 0 {
                self.shape.hidden()[0]
            } else {
                LANES
            };
            let gradient = &lanes(&self.gradient)[range.start / LANES..range.end.div_ceil(LANES)];
            let gradient = TensorGradient::new(gradient, width / LANES);
            let factor = clip_factor(instructions::norm(instructions, gradient), max_norm);
            let rows_per_task = WEIGHTS_PER_TASK / width;
            (self.weights[range.clone()].par_chunks_mut(rows_per_task * width))
                .zip(means[range.clone()].par_chunks_mut(rows_per_task * width))
                .zip(squares[range].par_chunks_mut(rows_per_task * width))
                .enumerate()
                .for_each(|(number, ((weights, means), squares))| {
                    let chunk = AdamChunk {
                        weights,
                        means,
                        squares,
                        gradient,
                        first_row: number * rows_per_task,
                    };
                    instructions::adam(instructions, chunk, params, factor);
                });
        }
        loss
    }

    /// Clamps the weights to the engine's integer ranges. With `one_hot_slots`, ranges of
    /// first-layer rows of which one each is active, first-layer sums also fit 16 bits.
    pub fn clamp_to_range(&mut self, one_hot_slots: Option<&[Range<usize>]>) {
        weight_ranges::clamp_to_range(self.shape, one_hot_slots, &mut self.weights);
    }

    fn compute_gradient(&mut self, batch: BatchView<'_>) -> f64 {
        let views: Vec<BatchView<'_>> = batch.split_blocks(BLOCK_SIZE, self.shape).collect();
        self.blocks.resize(views.len(), Block::default());
        fake_quantization::fake_quantize(self.shape, &self.weights, &mut self.rounded);
        let all = &*self.rounded;
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
        let (shape, instructions) = (self.shape, self.instructions);
        let (num_rows, width) = (shape.sparse().rows, hidden[0]);
        self.first_slopes.resize(batch.targets.len() * width);
        (views.par_iter().zip(&mut self.blocks))
            .zip(self.first_slopes.par_chunks_mut(BLOCK_SIZE * width))
            .with_max_len(1)
            .for_each(|((view, block), slopes)| {
                WORKSPACE.with_borrow_mut(|workspace| {
                    instructions::gradient(
                        instructions,
                        weights,
                        *view,
                        scale,
                        workspace,
                        block,
                        slopes,
                    );
                });
            });
        // Zeros fill the last vector.
        self.gradient
            .resize(shape.parameters().next_multiple_of(LANES));
        let (table, others) = self.gradient.split_at_mut(num_rows * width);
        let (bias, others) = others.split_at_mut(width);
        let (blocks, slopes) = (&*self.blocks, &*self.first_slopes);
        (table.par_chunks_mut(num_rows * LANES))
            .zip(bias.par_chunks_mut(LANES))
            .enumerate()
            .with_max_len(1)
            .for_each(|(column, (table, bias))| {
                let inputs = FirstLayer {
                    shape,
                    views: &views,
                    blocks,
                    slopes,
                };
                WORKSPACE.with_borrow_mut(|workspace| {
                    instructions::column_gradient(
                        instructions,
                        inputs,
                        column,
                        workspace,
                        table,
                        bias,
                    );
                });
            });
        let pieces = others.par_chunks_mut(WEIGHTS_PER_TASK).enumerate();
        pieces.for_each(|(number, sums)| {
            sums.fill(0.0);
            for block in blocks {
                let addend = &block.gradient[width + number * WEIGHTS_PER_TASK..];
                let count = sums.len().min(addend.len());
                instructions::add(instructions, &mut sums[..count], &addend[..count]);
            }
        });
        blocks.iter().map(|block| block.loss).sum()
    }

    /// Logit of each output, `[samples, outputs]`; a single one is the log odds of a win for the side
    /// to move.
    #[must_use]
    pub fn predict_logits(&self, batch: BatchView<'_>) -> Vec<f32> {
        let blocks: Vec<BatchView<'_>> = batch.split_blocks(BLOCK_SIZE, self.shape).collect();
        let mut rounded = AlignedBuffer::default();
        fake_quantization::fake_quantize(self.shape, &self.weights, &mut rounded);
        let weights = Weights {
            shape: self.shape,
            all: &rounded,
            transposed: &[],
        };
        let parts = blocks.into_par_iter().map(|block| {
            WORKSPACE.with_borrow_mut(|workspace| {
                instructions::predict_logits(self.instructions, weights, block, workspace)
            })
        });
        parts.collect::<Vec<_>>().concat()
    }
}

#[cfg(test)]
mod tests;
