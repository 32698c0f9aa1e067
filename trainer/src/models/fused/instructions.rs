//! The inner loops of a training step, compiled for several instruction sets and chosen at run
//! time.
//!
//! `unsafe` is for calling a function compiled for instructions that the machine might not have.
//! Invariant: all of them give the same bits, because the loops fix the order of every sum and Rust
//! never contracts a product and a sum into one rounding.
#![allow(unsafe_code)]

use super::adam::{self, Rates, Tensor};
use super::block::{self, Inputs, Weights, Work};
use crate::models::heads::Outputs;
use engine::games::einstein::learned::network::InstructionSet;

/// Defines a function that runs a loop on the given instruction set: `name(set, arguments…)` calls
/// `body(arguments…)`. The wider set of registers of AVX-512 holds more rows of a product.
macro_rules! dispatched {
    ($(#[$documentation:meta])* fn $name:ident = $portable:expr, $wide:expr; ($($argument:ident: $type:ty),*)) => {
        $(#[$documentation])*
        pub(super) fn $name(set: InstructionSet, $($argument: $type),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn avx2($($argument: $type),*) {
                    $portable($($argument),*)
                }
                #[target_feature(enable = "avx512f")]
                fn avx512($($argument: $type),*) {
                    $wide($($argument),*)
                }
                // An assertion and not a debug one: the set is public to choose, and this is once a
                // block.
                assert!(set.is_available(), "this machine has no {set:?}");
                match set {
                    InstructionSet::Portable => {}
                    // SAFETY: the assertion above found the processor to have the instructions; the
                    // function itself is safe code.
                    InstructionSet::Avx2 => return unsafe { avx2($($argument),*) },
                    // SAFETY: as above.
                    InstructionSet::Avx512 => return unsafe { avx512($($argument),*) },
                }
            }
            #[cfg(not(target_arch = "x86_64"))]
            let _ = set;
            $portable($($argument),*)
        }
    };
}

dispatched! {
    /// See [`block::gradient`].
    fn gradient = block::gradient::<4>, block::gradient::<8>;
    (weights: Weights<'_>, inputs: Inputs<'_>, scale: f32, work: &mut Work)
}

dispatched! {
    /// See [`block::outputs`].
    fn outputs = block::outputs::<4>, block::outputs::<8>;
    (weights: Weights<'_>, inputs: Inputs<'_>, work: &mut Work, outputs: &mut Outputs)
}

dispatched! {
    /// See [`adam::step`].
    fn adam = adam::step, adam::step;
    (tensor: Tensor<'_>, rates: Rates, longest: f32)
}

dispatched! {
    /// See [`adam::add`].
    fn add = adam::add, adam::add;
    (sum: &mut [f32], addend: &[f32])
}
