//! The training step of the small network on the CPU, written by hand: forward, backward and Adam
//! without tensors.
//!
//! `network.rs` defines the network; this computes the same several times as fast, and tests
//! hold every weight of its steps against burn's. Invariant: the result is a function of weights
//! and batch alone. A batch is cut into blocks of fixed size whose gradients are added in their
//! order, whatever thread computed them, and all instruction sets give the same bits.

mod adam;
mod block;
pub(crate) mod grid;
mod instructions;
mod layout;
pub(super) mod matrix;
mod vector;

pub use block::Inputs;
pub use layout::{Shape, Sparse};

use adam::{Piece, Rates, shortening};
use block::{Weights, Work};
use engine::core::simd::Instructions;
use rayon::prelude::*;
use std::ops::Range;

/// Samples whose gradient one task computes.
const BLOCK: usize = 512;

/// Weights that one task sums, rounds or changes: a multiple of the lanes, some of which fit a
/// second-level cache with all that belongs to them.
const PIECE: usize = 1 << 14;

/// A network with its optimiser, all tensors in one array.
#[derive(Clone, Debug)]
pub struct FusedNetwork {
    shape: Shape,
    weights: Vec<f32>,
    /// Of Adam: the mean of the gradients of each weight, then the means of their squares.
    moments: Vec<f32>,
    steps: u64,
    instructions: Instructions,
    work: Vec<Work>,
}

impl FusedNetwork {
    /// A network of these weights, in the order rows, first bias, weights and biases of
    /// each further hidden layer, output, its bias.
    /// `moments` are twice as many numbers, 0 at the start, and `steps` how many steps were done.
    ///
    /// # Panics
    /// If the weights or moments are not as many as the shape has, or a hidden layer is no multiple
    /// of 16.
    #[must_use]
    pub fn new(shape: Shape, weights: Vec<f32>, moments: Vec<f32>, steps: u64) -> Self {
        assert!(
            shape
                .hidden()
                .iter()
                .all(|width| width % vector::LANES == 0),
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
            work: Vec::new(),
        }
    }

    /// The same on other instructions.
    #[must_use]
    pub fn on(self, instructions: Instructions) -> Self {
        Self {
            instructions,
            ..self
        }
    }

    /// The weights, in the order of [`Self::new`].
    #[must_use]
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Adam's moments, and the steps done.
    pub fn optimiser(&self) -> (&[f32], u64) {
        (&self.moments, self.steps)
    }

    /// One step of Adam on a batch, the gradient of each tensor shortened to the norm `longest`;
    /// the sum of the losses before the step, in nats. If it is not finite, nothing changes.
    pub fn step(&mut self, batch: Inputs<'_>, learning_rate: f64, longest: f32) -> f64 {
        let loss = self.compute_gradient(batch);
        if !loss.is_finite() {
            return loss;
        }
        self.steps += 1;
        let (rates, instructions) = (Rates::new(learning_rate, self.steps), self.instructions);
        let (means, squares) = self.moments.split_at_mut(self.weights.len());
        for place in self.shape.places() {
            let gradient = &self.work[0].gradient[place.clone()];
            let factor = shortening(instructions::norm(instructions, gradient), longest);
            (self.weights[place.clone()].par_chunks_mut(PIECE))
                .zip(gradient.par_chunks(PIECE))
                .zip(means[place.clone()].par_chunks_mut(PIECE))
                .zip(squares[place].par_chunks_mut(PIECE))
                .for_each(|(((weights, gradient), means), squares)| {
                    let piece = Piece {
                        weights,
                        gradient,
                        means,
                        squares,
                    };
                    instructions::adam(instructions, piece, rates, factor);
                });
        }
        loss
    }

    /// Holds the weights where the engine takes them; if there are runs of rows, so that sums of the
    /// first layer over them fit 16 bits.
    pub fn hold(&mut self, runs: Option<&[Range<usize>]>) {
        grid::hold(self.shape, runs, &mut self.weights);
    }

    /// The gradient of the mean loss, into the first block's, and the sum of the losses.
    fn compute_gradient(&mut self, batch: Inputs<'_>) -> f64 {
        let blocks: Vec<Inputs<'_>> = batch.pieces(BLOCK, self.shape).collect();
        if self.work.len() < blocks.len().max(1) {
            self.work.resize(blocks.len().max(1), Work::default());
        }
        let all = &*grid::on_grid(self.shape, &self.weights);
        let hidden = self.shape.hidden();
        let layers = self.shape.split(all, None).hidden;
        let of_layer = |(layer, pair): (layout::Layer<&[f32]>, &[usize])| -> Vec<f32> {
            let buckets = layer.weights.chunks_exact(pair[0] * pair[1]);
            buckets
                .flat_map(|bucket| matrix::transposed(bucket, pair[1]))
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
        let (work, instructions) = (&mut self.work[..blocks.len()], self.instructions);
        work.par_iter_mut()
            .zip(blocks)
            .with_max_len(1)
            .for_each(|(work, block)| {
                instructions::gradient(instructions, weights, block, scale, work)
            });
        let Some((first, others)) = work.split_first_mut() else {
            return 0.0;
        };
        let pieces = first.gradient.par_chunks_mut(PIECE).enumerate();
        pieces.for_each(|(number, sum)| {
            for other in &*others {
                let addend = &other.gradient[number * PIECE..][..sum.len()];
                instructions::add(instructions, sum, addend);
            }
        });
        for other in others {
            first.loss += other.loss;
        }
        first.loss
    }

    /// Log odds of a win of samples.
    #[must_use]
    pub fn outputs(&self, batch: Inputs<'_>) -> Vec<f32> {
        let blocks: Vec<Inputs<'_>> = batch.pieces(BLOCK, self.shape).collect();
        let weights = Weights {
            shape: self.shape,
            all: &grid::on_grid(self.shape, &self.weights),
            transposed: &[],
        };
        let parts = blocks
            .into_par_iter()
            .map_init(Work::default, |work, block| {
                let mut logits = Vec::with_capacity(block.targets.len());
                instructions::outputs(self.instructions, weights, block, work, &mut logits);
                logits
            });
        parts.collect::<Vec<_>>().concat()
    }
}

#[cfg(test)]
#[cfg(feature = "flex")]
mod tests;
