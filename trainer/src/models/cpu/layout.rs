//! Layout of all tensors in one array, for weights, gradients and moments. Tensors after the first
//! layer contain all buckets in order; absent layers have empty tensors.

use alea_core::random::RandomStream;
use alea_learned::{
    inputs::Learnable,
    named_set::NamedSet,
    network::{FloatWeights, MAX_HIDDEN, ResultPayoffs},
};
use std::ops::Range;

pub(super) const NUM_TENSORS: usize = 8;

const FIRST_LAYER_TENSORS: usize = 2;

/// Size of the first layer's one-hot input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SparseInputs {
    /// Number of rows, one per input feature.
    pub rows: usize,
    /// Number of rows active in each position.
    pub active: usize,
}

impl SparseInputs {
    /// Input size of `game` with the optional input groups `groups`.
    #[must_use]
    pub fn for_game<G: Learnable>(game: &G, groups: NamedSet<G::Group>) -> Self {
        let one_hot_slots = game.feature_slots(groups);
        Self {
            rows: one_hot_slots.iter().map(|run| run.end).max().unwrap_or(0),
            active: one_hot_slots.len(),
        }
    }
}

/// Shape of a network: input size, hidden layer widths, number of output buckets and outputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    sparse: SparseInputs,
    hidden: [usize; MAX_HIDDEN],
    buckets: usize,
    results: Option<ResultPayoffs>,
}

/// Weights and biases of a hidden layer after the first.
#[derive(Clone, Copy)]
pub(in crate::models) struct Layer<T> {
    pub(in crate::models) weights: T,
    pub(in crate::models) bias: T,
}

pub(in crate::models) struct Tensors<T> {
    pub(in crate::models) sparse: T,
    pub(in crate::models) first_bias: T,
    pub(in crate::models) hidden: [Layer<T>; MAX_HIDDEN - 1],
    pub(in crate::models) output: T,
    pub(in crate::models) output_bias: T,
}

impl<T> Tensors<T> {
    fn of(tensors: [T; NUM_TENSORS]) -> Self {
        let [
            sparse,
            first_bias,
            second,
            second_bias,
            third,
            third_bias,
            output,
            output_bias,
        ] = tensors;
        let hidden = [
            Layer {
                weights: second,
                bias: second_bias,
            },
            Layer {
                weights: third,
                bias: third_bias,
            },
        ];
        Self {
            sparse,
            first_bias,
            hidden,
            output,
            output_bias,
        }
    }
}

impl Shape {
    /// Creates a shape with one output bucket, one output and hidden layers of the given widths.
    ///
    /// # Panics
    /// If there are no hidden layers, more than three, or one of width 0.
    #[must_use]
    pub fn new(sparse: SparseInputs, widths: &[usize]) -> Self {
        assert!(
            (1..=MAX_HIDDEN).contains(&widths.len()),
            "one to three hidden layers"
        );
        assert!(!widths.contains(&0), "hidden layers have neurons");
        let mut hidden = [0; MAX_HIDDEN];
        hidden[..widths.len()].copy_from_slice(widths);
        Self {
            sparse,
            hidden,
            buckets: 1,
            results: None,
        }
    }

    /// Sets the number of output buckets.
    #[must_use]
    pub fn with_buckets(self, buckets: usize) -> Self {
        Self { buckets, ..self }
    }

    /// Sets the results that have an output each; with `None` the only output is that of a win.
    #[must_use]
    pub fn with_results(self, results: Option<ResultPayoffs>) -> Self {
        Self { results, ..self }
    }

    pub(super) fn without_rows(self) -> Self {
        let sparse = SparseInputs {
            rows: 0,
            ..self.sparse
        };
        Self { sparse, ..self }
    }

    /// Number of output buckets.
    #[must_use]
    pub fn buckets(&self) -> usize {
        self.buckets
    }

    /// Results that have an output each; `None` if the only output is that of a win.
    #[must_use]
    pub fn results(&self) -> Option<&ResultPayoffs> {
        self.results.as_ref()
    }

    /// Number of outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.results.as_ref().map_or(1, ResultPayoffs::len)
    }

    /// Size of the first layer's input.
    #[must_use]
    pub fn sparse(&self) -> SparseInputs {
        self.sparse
    }

    /// Widths of the hidden layers.
    #[must_use]
    pub fn hidden(&self) -> &[usize] {
        let layers = self.hidden.iter().take_while(|width| **width > 0).count();
        &self.hidden[..layers]
    }

    fn lengths(&self) -> [usize; NUM_TENSORS] {
        let [first, second, third] = self.hidden;
        let last = self.hidden().last().copied().unwrap_or_default();
        // The odd-sized output biases come last, to keep the others aligned for vectors.
        let mut lengths = [
            self.sparse.rows * first,
            first,
            first * second,
            second,
            second * third,
            third,
            last * self.outputs(),
            self.outputs(),
        ];
        lengths[FIRST_LAYER_TENSORS..]
            .iter_mut()
            .for_each(|length| *length *= self.buckets);
        lengths
    }

    pub(super) fn tensor_ranges(&self) -> [Range<usize>; NUM_TENSORS] {
        let mut end = 0;
        self.lengths().map(|length| {
            end += length;
            end - length..end
        })
    }

    /// Total number of weights and biases.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.lengths().iter().sum()
    }

    /// Random weights in this layout, uniform within ±1/√(active inputs of the layer); output
    /// biases are 0.
    #[must_use]
    pub fn initial_weights(&self, random: &mut RandomStream) -> Vec<f32> {
        let [first, second, _] = self.hidden;
        let last = self.hidden().last().copied().unwrap_or_default();
        let active = self.sparse.active;
        let inputs = [active, active, first, first, second, second, last, 0];
        let mut weights = Vec::with_capacity(self.parameters());
        for (length, inputs) in self.lengths().into_iter().zip(inputs) {
            if inputs == 0 {
                weights.resize(weights.len() + length, 0.0);
                continue;
            }
            let bound = 1.0 / (inputs as f64).sqrt();
            let uniform = (0..length).map(|_| ((2.0 * random.uniform_f64() - 1.0) * bound) as f32);
            weights.extend(uniform);
        }
        weights
    }

    /// Converts weights in this layout to those of a network file.
    pub(crate) fn float_weights(&self, weights: &[f32]) -> FloatWeights {
        let tensors = self.split(weights, None);
        let layers = tensors.hidden.iter().take(self.hidden().len() - 1);
        FloatWeights {
            rows: tensors.sparse.to_vec(),
            bias: tensors.first_bias.to_vec(),
            hidden: layers
                .map(|layer| alea_learned::network::Layer {
                    weights: layer.weights.to_vec(),
                    bias: layer.bias.to_vec(),
                })
                .collect(),
            outputs: self.outputs(),
            output: tensors.output.to_vec(),
            output_bias: tensors.output_bias.to_vec(),
        }
    }

    /// Converts weights of a network file to this layout, the inverse of [`Self::float_weights`].
    pub(crate) fn flat_weights(&self, file: &FloatWeights) -> Vec<f32> {
        let layers = file
            .hidden
            .iter()
            .flat_map(|layer| [&layer.weights, &layer.bias]);
        let tensors = [&file.rows, &file.bias].into_iter().chain(layers);
        tensors
            .chain([&file.output, &file.output_bias])
            .flatten()
            .copied()
            .collect()
    }

    fn bucket_ranges(&self, bucket: Option<usize>) -> [Range<usize>; NUM_TENSORS] {
        let mut number = 0;
        self.lengths().map(|length| {
            number += 1;
            match bucket {
                Some(bucket) if number > FIRST_LAYER_TENSORS => {
                    let part = length / self.buckets;
                    bucket * part..(bucket + 1) * part
                }
                _ => 0..length,
            }
        })
    }

    /// Splits an array into tensors; with `bucket`, only this bucket's slices of later layers.
    pub(in crate::models) fn split<'a>(
        &self,
        all: &'a [f32],
        bucket: Option<usize>,
    ) -> Tensors<&'a [f32]> {
        let mut bucket_ranges = self.bucket_ranges(bucket).into_iter();
        let part = |range: Range<usize>| &all[range][bucket_ranges.next().unwrap_or_default()];
        Tensors::of(self.tensor_ranges().map(part))
    }

    pub(super) fn split_mut<'a>(
        &self,
        all: &'a mut [f32],
        bucket: Option<usize>,
    ) -> Tensors<&'a mut [f32]> {
        let mut bucket_ranges = self.bucket_ranges(bucket).into_iter();
        let mut rest = all;
        Tensors::of(self.lengths().map(|length| {
            let (tensor, after) = std::mem::take(&mut rest).split_at_mut(length);
            rest = after;
            &mut tensor[bucket_ranges.next().unwrap_or_default()]
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_determines_the_initial_weights() {
        let sparse = SparseInputs {
            rows: 30,
            active: 4,
        };
        let shape = Shape::new(sparse, &[16, 32]).with_buckets(2);
        let weights = |seed| shape.initial_weights(&mut RandomStream::new(seed));
        assert_eq!(weights(1), weights(1));
        assert_ne!(weights(1), weights(2));
        for (range, bound) in shape.tensor_ranges().into_iter().zip([
            0.5,
            0.5,
            0.25,
            0.25,
            0.0,
            0.0,
            1.0 / 32f32.sqrt(),
            0.0,
        ]) {
            let largest = weights(1)[range]
                .iter()
                .fold(0.0f32, |max, weight| max.max(weight.abs()));
            assert!(
                largest <= bound && largest >= 0.9 * bound,
                "{largest} {bound}"
            );
        }
    }

    #[test]
    fn a_network_file_has_the_tensors_of_present_layers() {
        let sparse = SparseInputs { rows: 2, active: 1 };
        let shape = Shape::new(sparse, &[1, 2]);
        let weights: Vec<f32> = (0..shape.parameters())
            .map(|number| number as f32)
            .collect();
        let file = shape.float_weights(&weights);
        assert_eq!(shape.flat_weights(&file), weights);
        assert_eq!((&file.rows, &file.bias), (&vec![0.0, 1.0], &vec![2.0]));
        assert_eq!(file.hidden.len(), 1);
        assert_eq!(file.hidden[0].weights, [3.0, 4.0]);
        assert_eq!(file.hidden[0].bias, [5.0, 6.0]);
        assert_eq!(
            (&file.output, &file.output_bias),
            (&vec![7.0, 8.0], &vec![9.0])
        );
        assert_eq!(shape.flat_weights(&file), weights);
    }
}
