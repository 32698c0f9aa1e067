//! Layout of all tensors in one array, the same for weights, gradients and moments.
//!
//! Absent layers have empty tensors. Tensors after the first layer are concatenated over buckets.

use engine::learned::{inputs::Learnable, name_set::NameSet, network::MAX_HIDDEN};
use std::ops::Range;

/// Number of tensors, empty ones included.
pub(super) const NUM_TENSORS: usize = 8;

/// Number of tensors of the first layer.
const FIRST_LAYER_TENSORS: usize = 2;

/// Sparse inputs: active rows of the first layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SparseInputs {
    /// Rows of the first layer.
    pub rows: usize,
    /// Number of active rows.
    pub active: usize,
}

impl SparseInputs {
    /// The inputs of a game with these groups.
    #[must_use]
    pub fn of<G: Learnable>(game: &G, groups: NameSet<G::Group>) -> Self {
        let runs = game.feature_slots(groups);
        Self {
            rows: runs.iter().map(|run| run.end).max().unwrap_or(0),
            active: runs.len(),
        }
    }
}

/// Widths of a network. Invariant: at least one hidden layer, and none after one of width 0.
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

/// One item per tensor, in their order.
pub(super) struct Tensors<T> {
    pub(super) sparse: T,
    pub(super) first_bias: T,
    /// Layers after the first, absent ones included.
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
    /// A network with these inputs and one to three hidden layers.
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

    /// Sets the number of buckets.
    #[must_use]
    pub fn with_buckets(self, buckets: usize) -> Self {
        Self { buckets, ..self }
    }

    /// Number of buckets.
    #[must_use]
    pub fn buckets(&self) -> usize {
        self.buckets
    }

    /// Sparse inputs.
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
        // Tensors read sixteen numbers at a time precede the single numbers.
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

    /// Number of parameters.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.lengths().iter().sum()
    }

    /// Range of a bucket within each tensor, or the complete tensor.
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

    /// Splits an array into its tensors, of one bucket or all.
    pub(super) fn split<'a>(&self, all: &'a [f32], bucket: Option<usize>) -> Tensors<&'a [f32]> {
        let mut bucket_ranges = self.bucket_ranges(bucket).into_iter();
        let part = |range: Range<usize>| &all[range][bucket_ranges.next().unwrap_or_default()];
        Tensors::of(self.tensor_ranges().map(part))
    }

    /// Splits an array into mutable tensors.
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
