//! The inner loops of a training step, compiled for several instruction sets and chosen at run
//! time.
//!
//! Invariant: all of them give the same bits, because the loops fix the order of every sum and Rust
//! never contracts a product and a sum into one rounding.

use super::adam::{self, Rates, Tensor};
use super::block::{self, Inputs, Weights, Work};
use crate::models::heads::Outputs;
use engine::core::simd::dispatched;

// The wider set of registers of AVX-512 holds more rows of a product.
dispatched! {
    /// See [`block::gradient`].
    pub(super) fn gradient(weights: Weights<'_>, inputs: Inputs<'_>, scale: f32, work: &mut Work) {
        Avx512 => block::gradient::<8>,
        Avx2 => block::gradient::<4>,
        Portable => block::gradient::<4>,
    }
}

dispatched! {
    /// See [`block::outputs`].
    pub(super) fn outputs(
        weights: Weights<'_>,
        inputs: Inputs<'_>,
        work: &mut Work,
        outputs: &mut Outputs,
    ) {
        Avx512 => block::outputs::<8>,
        Avx2 => block::outputs::<4>,
        Portable => block::outputs::<4>,
    }
}

dispatched! {
    /// See [`adam::step`].
    pub(super) fn adam(tensor: Tensor<'_>, rates: Rates, longest: f32) {
        any => adam::step,
    }
}

dispatched! {
    /// See [`adam::add`].
    pub(super) fn add(sum: &mut [f32], addend: &[f32]) {
        any => adam::add,
    }
}
