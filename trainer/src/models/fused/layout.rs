//! Where each tensor of the network stands in one array of numbers: weights, gradients and moments
//! are laid out alike.
//!
//! A layer that is not there has tensors without numbers. What comes after the first layer
//! there is once for each bucket, one after the other within its tensor.

use engine::learned::{inputs::Learnable, name_set::NameSet, network::MAX_HIDDEN};
use std::ops::Range;

/// Tensors of a network, with those that have no numbers.
pub(super) const TENSORS: usize = 8;

/// Of which those of the first layer.
const OF_FIRST: usize = 2;

/// What comes in: rows of the first layer, each on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sparse {
    /// Rows of the first layer.
    pub rows: usize,
    /// How many of them are on.
    pub active: usize,
}

impl Sparse {
    /// What a game declares of these groups.
    #[must_use]
    pub fn of<G: Learnable>(game: &G, groups: NameSet<G::Group>) -> Self {
        let runs = game.feature_slots(groups);
        Self {
            rows: runs.iter().map(|run| run.end).max().unwrap_or(0),
            active: runs.len(),
        }
    }
}

/// The widths of a network. Invariant: at least one hidden layer, and none after one of width 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    sparse: Sparse,
    hidden: [usize; MAX_HIDDEN],
    buckets: usize,
}

/// The weights of a hidden layer after the first, and its biases.
#[derive(Clone, Copy)]
pub(super) struct Layer<T> {
    pub(super) weights: T,
    pub(super) bias: T,
}

/// Something for each tensor, in the order in which they stand.
pub(super) struct Tensors<T> {
    pub(super) sparse: T,
    pub(super) first_bias: T,
    /// Of the layers after the first, also of those that are not there.
    pub(super) hidden: [Layer<T>; MAX_HIDDEN - 1],
    pub(super) output: T,
    pub(super) output_bias: T,
}

impl<T> Tensors<T> {
    fn of(tensors: [T; TENSORS]) -> Self {
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
    /// A network of these inputs, and one to three hidden layers of these widths.
    ///
    /// # Panics
    /// If there are no hidden layers, more than three, or one without neurons.
    #[must_use]
    pub fn new(sparse: Sparse, widths: &[usize]) -> Self {
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

    /// The same with so many buckets.
    #[must_use]
    pub fn with_buckets(self, buckets: usize) -> Self {
        Self { buckets, ..self }
    }

    /// How often there is what comes after the first layer.
    #[must_use]
    pub fn buckets(&self) -> usize {
        self.buckets
    }

    /// Sparse inputs.
    #[must_use]
    pub fn sparse(&self) -> Sparse {
        self.sparse
    }

    /// Neurons of each hidden layer.
    #[must_use]
    pub fn hidden(&self) -> &[usize] {
        let layers = self.hidden.iter().take_while(|width| **width > 0).count();
        &self.hidden[..layers]
    }

    fn lengths(&self) -> [usize; TENSORS] {
        let [first, second, third] = self.hidden;
        let last = self.hidden().last().copied().unwrap_or_default();
        // What is read sixteen at a time stands before the few numbers that are not.
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
        lengths[OF_FIRST..]
            .iter_mut()
            .for_each(|length| *length *= self.buckets);
        lengths
    }

    pub(super) fn places(&self) -> [Range<usize>; TENSORS] {
        let mut end = 0;
        self.lengths().map(|length| {
            end += length;
            end - length..end
        })
    }

    /// Numbers of all tensors together.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.lengths().iter().sum()
    }

    /// Where in each tensor that of a bucket is, or all of it.
    fn parts(&self, bucket: Option<usize>) -> [Range<usize>; TENSORS] {
        let mut number = 0;
        self.lengths().map(|length| {
            number += 1;
            match bucket {
                Some(bucket) if number > OF_FIRST => {
                    let part = length / self.buckets;
                    bucket * part..(bucket + 1) * part
                }
                _ => 0..length,
            }
        })
    }

    /// The tensors in an array of all, of a bucket or whole.
    pub(super) fn split<'a>(&self, all: &'a [f32], bucket: Option<usize>) -> Tensors<&'a [f32]> {
        let mut parts = self.parts(bucket).into_iter();
        let part = |place: Range<usize>| &all[place][parts.next().unwrap_or_default()];
        Tensors::of(self.places().map(part))
    }

    /// The tensors in an array of all, to be changed.
    pub(super) fn split_mut<'a>(
        &self,
        all: &'a mut [f32],
        bucket: Option<usize>,
    ) -> Tensors<&'a mut [f32]> {
        let mut parts = self.parts(bucket).into_iter();
        let mut rest = all;
        Tensors::of(self.lengths().map(|length| {
            let (tensor, after) = std::mem::take(&mut rest).split_at_mut(length);
            rest = after;
            &mut tensor[parts.next().unwrap_or_default()]
        }))
    }
}
