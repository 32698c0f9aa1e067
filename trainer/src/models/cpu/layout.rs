//! Layout of all tensors in one array, the same for weights, gradients and moments. Tensors after
//! the first layer contain those of all buckets in order; tensors of absent layers are empty.

use alea_learned::{inputs::Learnable, named_set::NamedSet, network::MAX_HIDDEN};
use std::ops::Range;

pub(super) const NUM_TENSORS: usize = 8;

const FIRST_LAYER_TENSORS: usize = 2;

/// Size of the first layer's one-hot input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SparseInputs {
    /// Number of rows, one for each input feature.
    pub rows: usize,
    /// Number of active rows for each position.
    pub active: usize,
}

impl SparseInputs {
    /// The inputs of a game with these optional input groups.
    #[must_use]
    pub fn of<G: Learnable>(game: &G, groups: NamedSet<G::Group>) -> Self {
        let runs = game.feature_slots(groups);
        Self {
            rows: runs.iter().map(|run| run.end).max().unwrap_or(0),
            active: runs.len(),
        }
    }
}

/// Layer widths of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    sparse: SparseInputs,
    hidden: [usize; MAX_HIDDEN],
    buckets: usize,
}

/// Weights and bias of a hidden layer after the first.
#[derive(Clone, Copy)]
pub(super) struct Layer<T> {
    pub(super) weights: T,
    pub(super) bias: T,
}

/// An item for each tensor, in the order of the array.
pub(super) struct Tensors<T> {
    pub(super) sparse: T,
    pub(super) first_bias: T,
    pub(super) hidden: [Layer<T>; MAX_HIDDEN - 1],
    pub(super) output: T,
    pub(super) output_bias: T,
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
    /// Creates a shape with one bucket and hidden layers of these widths.
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
        }
    }

    /// Sets the number of output buckets.
    #[must_use]
    pub fn with_buckets(self, buckets: usize) -> Self {
        Self { buckets, ..self }
    }

    /// Number of output buckets.
    #[must_use]
    pub fn buckets(&self) -> usize {
        self.buckets
    }

    /// Size of the first layer's input.
    #[must_use]
    pub fn sparse(&self) -> SparseInputs {
        self.sparse
    }

    /// Width of each hidden layer.
    #[must_use]
    pub fn hidden(&self) -> &[usize] {
        let layers = self.hidden.iter().take_while(|width| **width > 0).count();
        &self.hidden[..layers]
    }

    fn lengths(&self) -> [usize; NUM_TENSORS] {
        let [first, second, third] = self.hidden;
        let last = self.hidden().last().copied().unwrap_or_default();
        // The odd-sized output biases come last, which keeps the others aligned for vectors.
        let mut lengths = [
            self.sparse.rows * first,
            first,
            first * second,
            second,
            second * third,
            third,
            last,
            1,
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

    /// Number of weights and biases.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.lengths().iter().sum()
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

    /// Splits an array into its tensors, or into their parts for `bucket`.
    pub(super) fn split<'a>(&self, all: &'a [f32], bucket: Option<usize>) -> Tensors<&'a [f32]> {
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
