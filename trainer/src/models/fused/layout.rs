//! Where each tensor of the network stands in one array of numbers: weights, gradients and moments
//! are laid out alike.
//!
//! A layer that is not there has tensors without numbers, as have dense inputs and heads that are
//! not there.

use engine::learned::{
    inputs::{IntegerInputs, Learnable},
    integer::OneHot,
    network::{Head, Heads, MAX_HIDDEN},
};
use std::ops::Range;

/// Tensors of a network, with those that have no numbers.
pub(super) const TENSORS: usize = 13;

/// What comes in sparsely: a row for each symbol of each cell, of which one a cell is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sparse {
    /// Rows of the first layer.
    pub rows: usize,
    /// How many of them are on.
    pub active: usize,
    /// Outcomes of chance that heads tell apart.
    pub outcomes: usize,
}

impl Sparse {
    /// What a game declares, or its network in integers looks at.
    #[must_use]
    pub fn of<G: Learnable>(game: &G, integers: Option<IntegerInputs<G>>) -> Self {
        let (rows, active) = match integers.map(OneHot::runs) {
            Some(runs) => (runs.last().map_or(0, |run| run.end), runs.len()),
            None => (game.sparse_rows(), game.active()),
        };
        Self {
            rows,
            active,
            outcomes: G::OUTCOMES,
        }
    }
}

/// The widths of a network. Invariant: at least one hidden layer, and none after one of width 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    sparse: Sparse,
    dense: usize,
    hidden: [usize; MAX_HIDDEN],
    heads: Heads,
    integers: bool,
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
    pub(super) dense: T,
    pub(super) first_bias: T,
    /// Of the layers after the first, also of those that are not there.
    pub(super) hidden: [Layer<T>; MAX_HIDDEN - 1],
    pub(super) output: T,
    /// A row for each outcome of chance.
    pub(super) rolls: T,
    pub(super) moves_to_go: T,
    pub(super) output_bias: T,
    pub(super) rolls_bias: T,
    pub(super) moves_to_go_bias: T,
}

impl<T> Tensors<T> {
    fn of(tensors: [T; TENSORS]) -> Self {
        let [
            sparse,
            dense,
            first_bias,
            second,
            second_bias,
            third,
            third_bias,
            output,
            rolls,
            moves_to_go,
            biases @ ..,
        ] = tensors;
        let [output_bias, rolls_bias, moves_to_go_bias] = biases;
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
            dense,
            first_bias,
            hidden,
            output,
            rolls,
            moves_to_go,
            output_bias,
            rolls_bias,
            moves_to_go_bias,
        }
    }
}

impl Shape {
    /// A network of these sparse and so many dense inputs and one to three hidden layers of these widths.
    ///
    /// # Panics
    /// If there are no hidden layers, more than three, or one without neurons.
    #[must_use]
    pub fn new(sparse: Sparse, dense: usize, widths: &[usize]) -> Self {
        assert!(
            (1..=MAX_HIDDEN).contains(&widths.len()),
            "one to three hidden layers"
        );
        assert!(!widths.contains(&0), "hidden layers have neurons");
        let mut hidden = [0; MAX_HIDDEN];
        hidden[..widths.len()].copy_from_slice(widths);
        Self {
            sparse,
            dense,
            hidden,
            heads: Heads::NONE,
            integers: false,
        }
    }

    /// The same with these heads.
    #[must_use]
    pub fn with_heads(self, heads: Heads) -> Self {
        Self { heads, ..self }
    }

    /// The same as the engine has it in integers.
    pub fn rounded(self) -> Self {
        let [_, second, third] = self.hidden;
        assert!(
            self.dense == 0 && second > 0 && third == 0,
            "as [`super::grid`] has it"
        );
        Self {
            integers: true,
            ..self
        }
    }

    /// Whether it is rounded as in the engine.
    pub(crate) fn in_integers(&self) -> bool {
        self.integers
    }

    /// What it says beside the value.
    pub fn heads(&self) -> Heads {
        self.heads
    }

    /// Sparse inputs.
    #[must_use]
    pub fn sparse(&self) -> Sparse {
        self.sparse
    }

    /// Dense inputs.
    #[must_use]
    pub fn dense(&self) -> usize {
        self.dense
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
        let [rolls, moves] = [Head::Rolls, Head::MovesToGo].map(|head| {
            if self.heads.contains(head) {
                head.outputs(self.sparse.outcomes)
            } else {
                0
            }
        });
        // What is read sixteen at a time stands before the few numbers that are not.
        [
            self.sparse.rows * first,
            self.dense * first,
            first,
            first * second,
            second,
            second * third,
            third,
            last,
            rolls * last,
            moves * last,
            1,
            rolls,
            moves,
        ]
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
        Tensors::of(self.places().map(|place| &all[place]))
    }

    /// The tensors in an array of all, to be changed.
    pub(super) fn split_mut<'a>(&self, all: &'a mut [f32]) -> Tensors<&'a mut [f32]> {
        let mut rest = all;
        Tensors::of(self.lengths().map(|length| {
            let (tensor, after) = std::mem::take(&mut rest).split_at_mut(length);
            rest = after;
            tensor
        }))
    }
}
