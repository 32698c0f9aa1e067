//! Where each tensor of the network stands in one array of numbers: weights, gradients and moments are laid out alike.

use engine::eval::features::SPARSE_ROWS;
use std::ops::Range;

/// Tensors of a network.
pub(super) const TENSORS: usize = 7;

/// The widths of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Dense inputs.
    pub dense: usize,
    /// Neurons of the two hidden layers, multiples of 16.
    pub hidden: [usize; 2],
}

/// Something for each tensor, in the order in which they stand.
pub(super) struct Tensors<T> {
    pub(super) sparse: T,
    pub(super) dense: T,
    pub(super) first_bias: T,
    pub(super) second: T,
    pub(super) second_bias: T,
    pub(super) output: T,
    pub(super) output_bias: T,
}

impl Shape {
    fn lengths(&self) -> [usize; TENSORS] {
        let [first, second] = self.hidden;
        // What is read sixteen at a time stands before the one number that is not.
        [SPARSE_ROWS * first, self.dense * first, first, first * second, second, second, 1]
    }

    /// The place of each tensor.
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

    /// The tensors in an array of all.
    pub(super) fn split<'a>(&self, all: &'a [f32]) -> Tensors<&'a [f32]> {
        let [sparse, dense, first_bias, second, second_bias, output, output_bias] = self.places().map(|place| &all[place]);
        Tensors { sparse, dense, first_bias, second, second_bias, output, output_bias }
    }

    /// The tensors in an array of all, to be changed.
    pub(super) fn split_mut<'a>(&self, all: &'a mut [f32]) -> Tensors<&'a mut [f32]> {
        let mut rest = all;
        let [sparse, dense, first_bias, second, second_bias, output, output_bias] = self.lengths().map(|length| {
            let (tensor, after) = std::mem::take(&mut rest).split_at_mut(length);
            rest = after;
            tensor
        });
        Tensors { sparse, dense, first_bias, second, second_bias, output, output_bias }
    }
}
