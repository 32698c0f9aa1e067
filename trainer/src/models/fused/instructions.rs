//! Inner loops of a training step, compiled for several instruction sets and dispatched at run
//! time.
//!
//! Invariant: all give the same bits: the loops fix the order of every sum, and nothing fuses
//! multiplication and addition.

#[cfg(target_arch = "x86_64")]
use super::vector::{Avx2, Avx512};
use super::{
    adam::{self, Piece, Rates},
    block::{self, Inputs, Weights, Work},
    vector::Plain,
};
use engine::core::simd::dispatched;

// AVX-512 has registers for more rows of a product.
dispatched! {
    /// See [`block::gradient`].
    pub(super) fn gradient(weights: Weights<'_>, inputs: Inputs<'_>, scale: f32, work: &mut Work) {
        Avx512 => block::gradient::<Avx512, 8>,
        Avx2 => block::gradient::<Avx2, 4>,
        Portable => block::gradient::<Plain, 4>,
    }
}

dispatched! {
    /// See [`block::outputs`].
    pub(super) fn outputs(
        weights: Weights<'_>,
        inputs: Inputs<'_>,
        work: &mut Work,
        logits: &mut Vec<f32>,
    ) {
        Avx512 => block::outputs::<Avx512, 8>,
        Avx2 => block::outputs::<Avx2, 4>,
        Portable => block::outputs::<Plain, 4>,
    }
}

dispatched! {
    /// See [`adam::step`].
    pub(super) fn adam(piece: Piece<'_>, rates: Rates, factor: f32) {
        Avx512 => adam::step::<Avx512>,
        Avx2 => adam::step::<Avx2>,
        Portable => adam::step::<Plain>,
    }
}

dispatched! {
    /// See [`adam::add`].
    pub(super) fn add(sum: &mut [f32], addend: &[f32]) {
        Avx512 => adam::add::<Avx512>,
        Avx2 => adam::add::<Avx2>,
        Portable => adam::add::<Plain>,
    }
}

dispatched! {
    /// See [`adam::norm`].
    pub(super) fn norm(gradient: &[f32]) -> f32 {
        any => adam::norm,
    }
}
