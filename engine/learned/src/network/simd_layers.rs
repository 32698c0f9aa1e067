//! SIMD inference of networks with two hidden layers. Accumulators are 16-bit first-layer sums;
//! complete ones fit (partial ones wrap).

use super::{MAX_OUTPUTS, NetworkWeights, simd};
use alea_core::simd::{Instructions, SimdLevel, multiversion};

/// Widths of two hidden layers for which there are kernels.
pub const SIMD_WIDTHS: [[usize; 2]; 8] = [
    [64, 16],
    [64, 32],
    [128, 16],
    [128, 32],
    [256, 16],
    [256, 32],
    [512, 16],
    [512, 32],
];

/// Group of four first-layer neurons at `index` after packing 16-bit sums to bytes, which
/// interleaves 128-bit lanes.
fn packed_order(instructions: Instructions, index: usize) -> usize {
    let fours = match instructions.level() {
        SimdLevel::Avx2 => 32 / 4,
        level if level > SimdLevel::Avx2 => 64 / 4,
        _ => return index,
    };
    let (part, of_second, rest) = (index % fours / 4, index / 2 % 2, index % 2);
    index / fours * fours + of_second * fours / 2 + 2 * part + rest
}

/// 64 aligned bytes of numbers; no vector load crosses two lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct CacheLine<T: Copy, const COUNT: usize>(pub [T; COUNT]);

/// First-layer sums or weights of 32 neurons.
pub type I16Line = CacheLine<i16, 32>;

/// Weights from four inputs to each of sixteen neurons.
pub(super) type I8Line = CacheLine<i8, 64>;

/// A zero accumulator, long enough for all [`SIMD_WIDTHS`].
pub static ZERO_ACCUMULATOR: [I16Line; 512 / 32] = [CacheLine([0; 32]); 512 / 32];

/// Copies values; those after the last complete line are left out.
pub fn to_cache_lines<T: Copy, const COUNT: usize>(values: &[T]) -> Vec<CacheLine<T, COUNT>> {
    let lines = values.as_chunks::<COUNT>().0.iter();
    lines.map(|&line| CacheLine(line)).collect()
}

/// Inputs between widenings: two 16-bit sums of eight products each.
pub(super) const I16_SUM_INPUTS: usize = 16;

#[derive(Clone, Debug)]
pub(super) struct Layers {
    /// Weights from every four inputs, in packed order.
    pub(super) hidden: Vec<I8Line>,
    /// Whether 16-bit sums over [`I16_SUM_INPUTS`] inputs cannot overflow.
    pub(super) i16_sums_fit: bool,
    pub(super) bias: Vec<CacheLine<i32, 16>>,
    pub(super) output: Vec<CacheLine<i32, 16>>,
    /// Biases of all outputs, then zeros.
    pub(super) output_bias: [i32; MAX_OUTPUTS],
}

impl Layers {
    fn for_buckets(weights: &NetworkWeights, instructions: Instructions) -> Vec<Self> {
        let (first, buckets) = (weights.bias.len(), weights.buckets());
        let layer = &weights.hidden[0];
        let second = layer.bias.len() / buckets;
        let bucket = |number: usize| {
            let hidden = &layer.weights[number * first * second..][..first * second];
            let fours: Vec<&[i8]> = hidden.chunks_exact(4 * second).collect();
            let packed: Vec<i8> = (0..first / 4)
                .flat_map(|index| fours[packed_order(instructions, index)])
                .copied()
                .collect();
            let mut hidden = Vec::with_capacity(packed.len());
            for rows in packed.chunks_exact(4 * second) {
                for neuron in 0..second {
                    hidden.extend((0..4).map(|input| rows[input * second + neuron]));
                }
            }
            let outputs = weights.outputs;
            let output = weights.output[number * outputs * second..][..outputs * second].iter();
            let output: Vec<i32> = output.map(|&weight| i32::from(weight)).collect();
            let mut output_bias = [0; MAX_OUTPUTS];
            output_bias[..outputs]
                .copy_from_slice(&weights.output_bias[number * outputs..][..outputs]);
            Self {
                hidden: to_cache_lines(&hidden),
                i16_sums_fit: do_i16_sums_fit(&packed, second),
                bias: to_cache_lines(&layer.bias[number * second..][..second]),
                output: to_cache_lines(&output),
                output_bias,
            }
        };
        (0..buckets).map(bucket).collect()
    }
}

/// Whether sums fit 16 bits in the worst case: activations of 127 for weights of one sign, 0 for
/// the other.
fn do_i16_sums_fit(hidden: &[i8], second: usize) -> bool {
    let max_weight = i32::from(i16::MAX) / 127;
    hidden.chunks_exact(I16_SUM_INPUTS * second).all(|inputs| {
        (0..2 * second).all(|sum| {
            let (half, neuron) = (sum / second, sum % second);
            let weights = (0..I16_SUM_INPUTS)
                .filter(|input| input / 2 % 2 == half)
                .map(|input| i32::from(inputs[input * second + neuron]));
            let (mut above, mut below) = (0, 0);
            weights.for_each(|weight| {
                if weight > 0 {
                    above += weight
                } else {
                    below -= weight
                }
            });
            above.max(below) <= max_weight
        })
    })
}

/// Rows of weights that a move subtracts from an accumulator, and those it adds.
#[derive(Clone, Copy, Debug)]
pub struct RowChanges<const COUNT: usize> {
    /// Rows to subtract.
    pub removed: [u16; COUNT],
    /// Rows to add.
    pub added: [u16; COUNT],
}

/// Indices of two accumulators to be added, the mover's and the other side's.
pub type AccumulatorIndices = [u8; 2];

macro_rules! dispatch_simd {
    (fn $name:ident<$(const $width:ident: $kind:ty),+>
        ($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;
    ) => {
        multiversion! {
            fn $name<$(const $width: $kind),+>($($argument: $type),*) $(-> $result)? {
                Avx512Vnni => simd::vnni::$name::<$($width),+>,
                Avx512 => simd::avx512::$name::<$($width),+>,
                Avx2 => simd::avx2::$name::<$($width),+>,
                Simd128 => simd::simd128::$name::<$($width),+>,
                NeonDotprod => simd::neon_dotprod::$name::<$($width),+>,
                Baseline => simd::baseline::$name::<$($width),+>,
            }
        }
    };
}

dispatch_simd! {
    fn logit<const FIRST: usize, const SECOND: usize, const COUNT: usize>(
        layers: &Layers,
        tables: &[&[I16Line]; 3],
        rows: &[[u16; COUNT]; 2],
        more_rows: &[u16],
    ) -> i32;
}

dispatch_simd! {
    fn sum_rows<const FIRST: usize, const COUNT: usize>(
        table: &[I16Line],
        rows: &[[u16; COUNT]],
        out: &mut [I16Line],
    );
}

dispatch_simd! {
    fn change_rows<const FIRST: usize, const COUNT: usize>(
        table: &[I16Line],
        before: &[I16Line],
        changes: &[RowChanges<COUNT>],
        out: &mut [I16Line],
    );
}

dispatch_simd! {
    fn logits<const FIRST: usize, const SECOND: usize>(
        layers: &Layers,
        movers: &[I16Line],
        others: &[I16Line],
        pairs: &[AccumulatorIndices],
        out: &mut [i32],
    );
}

dispatch_simd! {
    fn output_logits<const FIRST: usize, const SECOND: usize>(
        layers: &Layers,
        sums: &[I16Line],
        out: &mut [i32],
    );
}

multiversion! {
    fn add_rows(sums: &[&[I16Line]; 2], table: &[I16Line], rows: &[u16], out: &mut [I16Line]) {
        any => add_rows_body,
    }
}

#[inline(always)]
fn add_rows_body(sums: &[&[I16Line]; 2], table: &[I16Line], rows: &[u16], out: &mut [I16Line]) {
    let lines = out.len();
    for (line, out) in out.iter_mut().enumerate() {
        let [mut sum, other] = [sums[0][line].0, sums[1][line].0];
        let mut add = |addend: &[i16; 32]| {
            for neuron in 0..32 {
                sum[neuron] = sum[neuron].wrapping_add(addend[neuron]);
            }
        };
        add(&other);
        for row in rows {
            add(&table[usize::from(*row) * lines + line].0);
        }
        out.0 = sum;
    }
}

multiversion! {
    fn saturate(sums: &[i32], bias: &[i16], out: &mut [I16Line]) {
        any => saturate_body,
    }
}

#[inline(always)]
fn saturate_body(sums: &[i32], bias: &[i16], out: &mut [I16Line]) {
    let lines = sums.as_chunks::<32>().0.iter();
    for ((sums, bias), out) in lines.zip(bias.as_chunks::<32>().0).zip(out) {
        for neuron in 0..32 {
            let sum = sums[neuron] + i32::from(bias[neuron]);
            out.0[neuron] = sum.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        }
    }
}

/// A network of one of the [`SIMD_WIDTHS`]. Callers pass tables of first-layer weights, with
/// [`Self::lines`] lines per row.
#[derive(Clone, Debug)]
pub struct SimdLayers {
    shape: [usize; 2],
    buckets: Vec<Layers>,
    instructions: Instructions,
}

macro_rules! with_widths {
    ($layers:expr, $first:ident, $second:ident => $body:expr) => {
        match $layers.shape {
            [64, 16] => with_widths!(@ 64, 16, $first, $second, $body),
            [64, 32] => with_widths!(@ 64, 32, $first, $second, $body),
            [128, 16] => with_widths!(@ 128, 16, $first, $second, $body),
            [128, 32] => with_widths!(@ 128, 32, $first, $second, $body),
            [256, 16] => with_widths!(@ 256, 16, $first, $second, $body),
            [256, 32] => with_widths!(@ 256, 32, $first, $second, $body),
            [512, 16] => with_widths!(@ 512, 16, $first, $second, $body),
            _ => with_widths!(@ 512, 32, $first, $second, $body),
        }
    };
    (@ $one:literal, $two:literal, $first:ident, $second:ident, $body:expr) => {{
        const $first: usize = $one;
        const $second: usize = $two;
        $body
    }};
}

impl SimdLayers {
    /// Prepares the layers of a network; `None` if its widths are not in [`SIMD_WIDTHS`].
    pub fn new(weights: &NetworkWeights, instructions: Instructions) -> Option<Self> {
        let shape = <[usize; 2]>::try_from(weights.widths()).ok()?;
        SIMD_WIDTHS.contains(&shape).then(|| Self {
            shape,
            buckets: Layers::for_buckets(weights, instructions),
            instructions,
        })
    }

    /// Cache lines of an accumulator or row.
    #[inline]
    pub fn lines(&self) -> usize {
        self.shape[0] / 32
    }

    /// Whether 16 bits hold the sums of second-layer products in all buckets.
    pub fn i16_sums_fit(&self) -> bool {
        self.buckets.iter().all(|layers| layers.i16_sums_fit)
    }

    /// Writes an accumulator per item of `rows`, the sum of these rows.
    #[inline]
    pub fn sum_rows<const COUNT: usize>(
        &self,
        table: &[I16Line],
        rows: &[[u16; COUNT]],
        out: &mut [I16Line],
    ) {
        with_widths!(self, FIRST, _SECOND => sum_rows::<FIRST, COUNT>(self.instructions, table, rows, out));
    }

    /// Writes an accumulator per item of `changes`: `before` after this change.
    #[inline]
    pub fn change_rows<const COUNT: usize>(
        &self,
        table: &[I16Line],
        before: &[I16Line],
        changes: &[RowChanges<COUNT>],
        out: &mut [I16Line],
    ) {
        with_widths!(self, FIRST, _SECOND => change_rows::<FIRST, COUNT>(self.instructions, table, before, changes, out));
    }

    /// Writes the sum of two accumulators and the rows.
    pub fn add_rows(
        &self,
        sums: &[&[I16Line]; 2],
        table: &[I16Line],
        rows: &[u16],
        out: &mut [I16Line],
    ) {
        add_rows(self.instructions, sums, table, rows, out);
    }

    /// Logit of the sum of `rows[0]` in the first table, `rows[1]` in the second and `more_rows` in
    /// the third, which include the bias once.
    pub fn logit<const COUNT: usize>(
        &self,
        bucket: usize,
        tables: &[&[I16Line]; 3],
        rows: &[[u16; COUNT]; 2],
        more_rows: &[u16],
    ) -> i32 {
        let layers = &self.buckets[bucket];
        with_widths!(self, FIRST, SECOND => logit::<FIRST, SECOND, COUNT>(self.instructions, layers, tables, rows, more_rows))
    }

    /// Writes the logit of each pair of accumulators, whose sum includes the bias. `out` has a
    /// multiple of 4 items; those after the pairs' are arbitrary.
    pub fn logits(
        &self,
        bucket: usize,
        movers: &[I16Line],
        others: &[I16Line],
        pairs: &[AccumulatorIndices],
        out: &mut [i32],
    ) {
        let layers = &self.buckets[bucket];
        with_widths!(self, FIRST, SECOND => logits::<FIRST, SECOND>(self.instructions, layers, movers, others, pairs, out));
    }

    /// Logit of first-layer sums, to which the bias is added.
    pub fn logit_of_sums(&self, bucket: usize, sums: &[i32], bias: &[i16]) -> i32 {
        let mut accumulator = ZERO_ACCUMULATOR;
        let mut logits = [0; 4];
        self.saturate(sums, bias, &mut accumulator);
        self.logits(
            bucket,
            &accumulator,
            &ZERO_ACCUMULATOR,
            &[[0, 0]],
            &mut logits,
        );
        logits[0]
    }

    /// Writes an accumulator: first-layer sums plus `bias`, clipped to 16 bits, beyond which
    /// activations are 0 or 127 anyway.
    pub fn saturate(&self, sums: &[i32], bias: &[i16], accumulator: &mut [I16Line]) {
        saturate(self.instructions, sums, bias, accumulator);
    }

    /// Writes the logit of each output for first-layer sums, to which the bias is added.
    pub fn output_logits_of_sums(
        &self,
        bucket: usize,
        sums: &[i32],
        bias: &[i16],
        out: &mut [i32],
    ) {
        let (layers, mut accumulator) = (&self.buckets[bucket], ZERO_ACCUMULATOR);
        saturate(self.instructions, sums, bias, &mut accumulator);
        with_widths!(self, FIRST, SECOND => output_logits::<FIRST, SECOND>(self.instructions, layers, &accumulator, out));
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{ACTIVATION_MAX, Layer},
        *,
    };
    use alea_core::random::RandomStream;
    use std::array;

    const ROWS: usize = 50;

    fn numbers(random: &mut RandomStream, count: usize, max: i32) -> Vec<i32> {
        let number = |_| random.below(2 * max as usize + 1) as i32 - max;
        (0..count).map(number).collect()
    }

    fn random_weights(
        shape: [usize; 2],
        max_hidden: i32,
        random: &mut RandomStream,
    ) -> NetworkWeights {
        random_weights_of(shape, 1, max_hidden, random)
    }

    fn random_weights_of(
        shape: [usize; 2],
        outputs: usize,
        max_hidden: i32,
        random: &mut RandomStream,
    ) -> NetworkWeights {
        let [first, second] = shape;
        let to_i16 = |weights: Vec<i32>| weights.into_iter().map(|weight| weight as i16).collect();
        let hidden = numbers(random, 2 * first * second, max_hidden);
        NetworkWeights {
            rows: to_i16(numbers(random, ROWS * first, 900)),
            bias: to_i16(numbers(random, first, 2000)),
            hidden: vec![Layer {
                weights: hidden.into_iter().map(|weight| weight as i8).collect(),
                bias: numbers(random, 2 * second, 8000),
            }],
            outputs,
            output: to_i16(numbers(random, 2 * outputs * second, 2000)),
            output_bias: numbers(random, 2 * outputs, 16_000),
        }
    }

    fn sum(weights: &NetworkWeights, rows: &[u16]) -> Vec<i32> {
        let width = weights.bias.len();
        let weight =
            |neuron| move |row: &u16| i32::from(weights.rows[usize::from(*row) * width + neuron]);
        (0..width)
            .map(|neuron| rows.iter().map(weight(neuron)).sum())
            .collect()
    }

    fn defined_logit(weights: &NetworkWeights, bucket: usize, sums: &[i32]) -> i32 {
        defined_output_logit(weights, bucket, 0, sums)
    }

    fn defined_output_logit(
        weights: &NetworkWeights,
        bucket: usize,
        output: usize,
        sums: &[i32],
    ) -> i32 {
        let row = bucket * weights.outputs + output;
        let (layer, first) = (&weights.hidden[0], sums.len());
        let second = layer.bias.len() / 2;
        let inputs = sums.iter().zip(&weights.bias);
        let inputs: Vec<i32> = inputs
            .map(|(sum, bias)| ((sum + i32::from(*bias)) >> 4).clamp(0, 127))
            .collect();
        let neuron = |neuron: usize| {
            let weight =
                |input: usize| i32::from(layer.weights[(bucket * first + input) * second + neuron]);
            let products: i32 = inputs
                .iter()
                .zip(0..)
                .map(|(value, input)| value * weight(input))
                .sum();
            let activation =
                (products + layer.bias[bucket * second + neuron]).clamp(0, ACTIVATION_MAX);
            activation * i32::from(weights.output[row * second + neuron])
        };
        weights.output_bias[row] + (0..second).map(neuron).sum::<i32>()
    }

    #[test]
    fn all_instructions_give_the_logits_of_the_definition() {
        let random = &mut RandomStream::new(1);
        for (shape, max_hidden) in SIMD_WIDTHS.into_iter().zip([127, 30].into_iter().cycle()) {
            let weights = random_weights(shape, max_hidden, random);
            let table = to_cache_lines(&[&weights.bias[..], &weights.rows].concat());
            for round in 0..30 {
                let bucket = round % 2;
                let mut rows: [[u16; 9]; 6] =
                    array::from_fn(|_| array::from_fn(|_| 1 + random.below(ROWS) as u16));
                rows[..3].iter_mut().for_each(|rows| rows[0] = 0);
                let mut index = || random.below(3) as u8;
                let pairs: Vec<AccumulatorIndices> =
                    (0..1 + round % 7).map(|_| [index(), index()]).collect();
                let both = |[mover, other]: AccumulatorIndices| {
                    [rows[usize::from(mover)], rows[3 + usize::from(other)]]
                };
                let plain_sums = |pair| {
                    let rows = both(pair).concat().into_iter();
                    let rows: Vec<u16> = rows.filter_map(|row| row.checked_sub(1)).collect();
                    sum(&weights, &rows)
                };
                let logit = |&pair| defined_logit(&weights, bucket, &plain_sums(pair));
                let expected: Vec<i32> = pairs.iter().map(logit).collect();
                for instructions in Instructions::available() {
                    let layers = SimdLayers::new(&weights, instructions).unwrap();
                    let lines = layers.lines();
                    let mut sums = vec![CacheLine([0; 32]); 6 * lines];
                    layers.sum_rows(&table, &rows, &mut sums);
                    let mut changed = vec![CacheLine([0; 32]); lines];
                    let [removed, added] = [rows[0], rows[1]];
                    let changes = [RowChanges { removed, added }];
                    layers.change_rows(&table, &sums[..lines], &changes, &mut changed);
                    assert_eq!(changed, sums[lines..][..lines]);
                    let (movers, others) = sums.split_at(3 * lines);
                    let mut logits = [0; 8];
                    layers.logits(bucket, movers, others, &pairs, &mut logits);
                    assert_eq!(
                        logits[..pairs.len()],
                        expected,
                        "{instructions:?} {shape:?}"
                    );
                    let rows = both(pairs[0]);
                    let of_sums =
                        layers.logit_of_sums(bucket, &plain_sums(pairs[0]), &weights.bias);
                    let of_rows = layers.logit(bucket, &[&table; 3], &rows, &[]);
                    let zero = &ZERO_ACCUMULATOR[..lines];
                    layers.add_rows(&[zero; 2], &table, &rows.concat(), &mut changed);
                    layers.logits(bucket, &changed, zero, &[[0, 0]], &mut logits);
                    assert_eq!([of_sums, of_rows, logits[0]], [expected[0]; 3]);
                }
            }
        }
    }

    #[test]
    fn every_output_has_the_logit_of_the_definition() {
        let random = &mut RandomStream::new(4);
        for (shape, max_hidden) in SIMD_WIDTHS.into_iter().zip([127, 30].into_iter().cycle()) {
            for outputs in [1, 2, 6, MAX_OUTPUTS] {
                let weights = random_weights_of(shape, outputs, max_hidden, random);
                let sums = numbers(random, shape[0], 40_000);
                let logit = |output| defined_output_logit(&weights, 1, output, &sums);
                let expected: Vec<i32> = (0..outputs).map(logit).collect();
                let mut logits = vec![0; outputs];
                for instructions in Instructions::available() {
                    let layers = SimdLayers::new(&weights, instructions).unwrap();
                    layers.output_logits_of_sums(1, &sums, &weights.bias, &mut logits);
                    assert_eq!(logits, expected, "{instructions:?} {shape:?}");
                }
                let simd = SimdLayers::new(&weights, Instructions::PORTABLE).unwrap();
                let mut accumulator = ZERO_ACCUMULATOR;
                saturate(
                    Instructions::PORTABLE,
                    &sums,
                    &weights.bias,
                    &mut accumulator,
                );
                logits.fill(0);
                with_widths!(simd, FIRST, SECOND => {
                    simd::plain::output_logits::<FIRST, SECOND>(&simd.buckets[1], &accumulator, &mut logits);
                });
                assert_eq!(logits, expected);
            }
        }
    }

    #[test]
    fn loops_without_vectors_give_what_vectors_give() {
        let random = &mut RandomStream::new(3);
        for shape in SIMD_WIDTHS {
            let weights = random_weights(shape, 127, random);
            let table = to_cache_lines(&weights.rows);
            let simd = SimdLayers::new(&weights, Instructions::PORTABLE).unwrap();
            let (layers, lines) = (&simd.buckets[0], simd.lines());
            let [a, b] = [[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]];
            let [mut sums, mut changed, mut expected] =
                [(); 3].map(|()| vec![CacheLine([0; 32]); lines]);
            let (mut logits, mut expected_logits) = ([0; 8], [0; 8]);
            with_widths!(simd, FIRST, SECOND => {
                simd::plain::sum_rows::<FIRST, 5>(&table, &[a], &mut sums);
                let changes = [RowChanges { removed: a, added: b }];
                simd::plain::change_rows::<FIRST, 5>(&table, &sums, &changes, &mut changed);
                simd.sum_rows(&table, &[b], &mut expected);
                assert_eq!(changed, expected);
                let pairs = [[0, 0]; 5];
                simd::plain::logits::<FIRST, SECOND>(layers, &sums, &changed, &pairs, &mut logits);
                simd.logits(0, &sums, &changed, &pairs, &mut expected_logits);
                assert_eq!(logits[..5], expected_logits[..5]);
                let logit = simd::plain::logit::<FIRST, SECOND, 3>(layers, &[&table; 3], &[[3, 1, 4], [1, 5, 9]], &b[1..]);
                assert_eq!(logit, logits[0]);
            });
        }
    }

    #[test]
    fn sums_beyond_sixteen_bits_are_clipped_exactly() {
        let random = &mut RandomStream::new(2);
        for shape in SIMD_WIDTHS {
            let weights = random_weights(shape, 127, random);
            let sums = numbers(random, shape[0], 1_000_000);
            for instructions in Instructions::available() {
                let layers = SimdLayers::new(&weights, instructions).unwrap();
                let logit = layers.logit_of_sums(1, &sums, &weights.bias);
                assert_eq!(logit, defined_logit(&weights, 1, &sums));
            }
        }
    }
}
