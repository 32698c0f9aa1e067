//! Compiles the inner loops for several instruction sets and selects one at run time. None uses
//! fused multiply-add, so all give the same bits.

#[cfg(target_arch = "x86_64")]
use super::simd_vector::{Avx2, Avx512};
use super::{
    adam::{self, AdamChunk, StepParams},
    backprop::{self, BatchView, Weights, Workspace},
    simd_vector::Scalar,
};
use alea_core::simd::multiversion;

// AVX-512 has more registers, so products take more rows at a time.
multiversion! {
    pub(super) fn gradient(weights: Weights<'_>, inputs: BatchView<'_>, scale: f32, workspace: &mut Workspace) {
        Avx512 => backprop::gradient::<Avx512, 8>,
        Avx2 => backprop::gradient::<Avx2, 4>,
        Portable => backprop::gradient::<Scalar, 4>,
    }
}

multiversion! {
    pub(super) fn predict_logits(
        weights: Weights<'_>,
        inputs: BatchView<'_>,
        workspace: &mut Workspace,
        logits: &mut Vec<f32>,
    ) {
        Avx512 => backprop::predict_logits::<Avx512, 8>,
        Avx2 => backprop::predict_logits::<Avx2, 4>,
        Portable => backprop::predict_logits::<Scalar, 4>,
    }
}

multiversion! {
    pub(super) fn adam(chunk: AdamChunk<'_>, params: StepParams, factor: f32) {
        Avx512 => adam::step::<Avx512>,
        Avx2 => adam::step::<Avx2>,
        Portable => adam::step::<Scalar>,
    }
}

multiversion! {
    pub(super) fn add(sum: &mut [f32], addend: &[f32]) {
        Avx512 => adam::add::<Avx512>,
        Avx2 => adam::add::<Avx2>,
        Portable => adam::add::<Scalar>,
    }
}

multiversion! {
    pub(super) fn norm(gradient: &[f32]) -> f32 {
        any => adam::norm,
    }
}
