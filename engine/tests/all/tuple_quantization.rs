//! Quantized weights of n-tuple networks: as many fractional bits as fit, and exact log odds.

use engine::core::calibration::logistic;
use engine::games::einstein::Standard;
use engine::learned::{
    ModelError,
    tuples::{QuantizedWeights, TupleSet},
};

fn quantize_weights(weights: &[f32], bias: f32) -> Result<QuantizedWeights, ModelError> {
    QuantizedWeights::new(
        &TupleSet::parse_custom(&Standard::default(), &["a0", "a1"]).unwrap(),
        weights,
        bias,
        None,
    )
}

#[test]
fn there_are_as_many_bits_as_fit() {
    // The limit depends on the maxima of both tables: 127 + 128 + 0.5 is below 2⁸ = 2³⁰⁻²².
    let weights = quantize_weights(&[127.0, 1.0, 0.25, -128.0], -0.5).unwrap();
    assert_eq!((weights.bits, weights.bias), (22, 8 - (1 << 21)));
    assert_eq!(weights.weights, [127 << 22, 1 << 22, 1 << 20, -(128 << 22)]);
    // Rounding counts: 2³⁰ - 64 is far enough, 2³⁰ - 1 is not.
    let little = 1.0 / 65536.0;
    for (weights, bits) in [
        ([128.0, 1.0, 0.25, -128.0], 21),
        ([128.0, 0.0, 128.0 - little, 0.0], 22),
        ([256.0 - little, 0.0, little - 1.0 / 4_194_304.0, 0.0], 21),
        ([2.0e6, 0.0, 2.0e6, 0.0], 8),
    ] {
        assert_eq!(
            quantize_weights(&weights, 0.0).unwrap().bits,
            bits,
            "{weights:?}"
        );
    }
    let error = quantize_weights(&[3.0e6, 0.0, 2.0e6, 0.0], 0.0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the log odds may reach 5000000; weights must keep them below 4194304"
    );
    assert!(quantize_weights(&[f32::MAX, 0.0, f32::MAX, 0.0], f32::MIN).is_err());
}

#[test]
fn the_phases_of_a_table_count_as_one() {
    let set = TupleSet::parse_custom(&Standard::default(), &["a0"])
        .unwrap()
        .with_phases([5])
        .unwrap();
    for (weights, bits) in [
        ([200.0, 1.0, 2.0, -200.0], 22),
        ([1.0, 2.0, -300.0, 1.0], 21),
    ] {
        let quantized = QuantizedWeights::new(&set, &weights, 0.0, None).unwrap();
        assert_eq!(quantized.bits, bits, "{weights:?}");
    }
}

#[test]
fn log_odds_are_on_the_grid() {
    let fine = quantize_weights(&[0.0; 4], 0.0).unwrap();
    assert_eq!(
        [fine.log_odds(3 << 22), fine.log_odds(15), fine.log_odds(-1)],
        [3.0, 0.0, -1.0 / 262_144.0]
    );
    assert_eq!(
        [-9, -8, 7, 8].map(|sum| fine.log_odds(fine.bias + sum) * 262_144.0),
        [-1.0, 0.0, 0.0, 1.0]
    );
    let coarse = quantize_weights(&[2.0e6, 0.0, 2.0e6, 0.0], 0.0).unwrap();
    assert_eq!(
        [coarse.log_odds(256), coarse.log_odds(-1)],
        [1.0, -1.0 / 256.0]
    );
}

#[test]
fn values_never_fall_when_sums_rise() {
    let fine = quantize_weights(&[0.0; 4], 0.0).unwrap();
    let mut last = -1.0;
    for coarse in -(90 << 18)..=90 << 18 {
        let value = logistic(coarse as f32 / 262_144.0);
        assert!(value >= last, "{coarse}: {value} after {last}");
        last = value;
    }
    assert_eq!(
        (
            last,
            fine.win_probability(0),
            fine.win_probability(i32::MAX)
        ),
        (1.0, 0.5, 1.0)
    );
}
