//! Compiles the inner loops for several instruction sets and selects one at run time.

#[cfg(target_arch = "x86_64")]
use super::simd_vector::{Avx2, Avx512};
use super::{
    adam::{self, AdamChunk, StepParams, TensorGradient},
    backprop::{self, BatchView, Block, FirstLayer, Weights, Workspace},
    simd_vector::Baseline,
};
use alea_core::simd::multiversion;

// Sums of products fill the registers: 32 of AVX-512 and NEON, 16 of AVX2 and SSE2.
const BASELINE_ROWS: usize = if cfg!(target_arch = "aarch64") { 4 } else { 2 };

multiversion! {
    pub(super) fn gradient(
        weights: Weights<'_>,
        inputs: BatchView<'_>,
        scale: f32,
        workspace: &mut Workspace,
        block: &mut Block,
        slopes: &mut [f32],
    ) {
        Avx512 => backprop::gradient::<Avx512, 8>,
        Avx2 => backprop::gradient::<Avx2, 4>,
        Portable => backprop::gradient::<Baseline, BASELINE_ROWS>,
    }
}

multiversion! {
    pub(super) fn predict_logits(
        weights: Weights<'_>,
        inputs: BatchView<'_>,
        workspace: &mut Workspace,
    ) -> Vec<f32> {
        Avx512 => backprop::predict_logits::<Avx512, 8>,
        Avx2 => backprop::predict_logits::<Avx2, 4>,
        Portable => backprop::predict_logits::<Baseline, BASELINE_ROWS>,
    }
}

multiversion! {
    pub(super) fn adam(chunk: AdamChunk<'_>, params: StepParams, factor: f32) {
        Avx512 => adam::step::<Avx512>,
        Avx2 => adam::step::<Avx2>,
        Portable => adam::step::<Baseline>,
    }
}

multiversion! {
    pub(super) fn column_gradient(
        inputs: FirstLayer<'_>,
        column: usize,
        workspace: &mut Workspace,
        table: &mut [f32],
        bias: &mut [f32],
    ) {
        Avx512 => backprop::column_gradient::<Avx512>,
        Avx2 => backprop::column_gradient::<Avx2>,
        Portable => backprop::column_gradient::<Baseline>,
    }
}

multiversion! {
    pub(super) fn add(sum: &mut [f32], addend: &[f32]) {
        Avx512 => backprop::add::<Avx512>,
        Avx2 => backprop::add::<Avx2>,
        Portable => backprop::add::<Baseline>,
    }
}

multiversion! {
    pub(super) fn norm(gradient: TensorGradient<'_>) -> f32 {
        any => adam::norm,
    }
}
