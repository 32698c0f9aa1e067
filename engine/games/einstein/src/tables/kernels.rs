//! SIMD loops that solve a block: all label patterns of one arrangement of stones.
//!
//! In *working order* the mover's pattern is the row and the enemy's the column, as in successors
//! without a capture. All instruction sets give the same bits: only [`round_to_units`] rounds.

use super::label_patterns::NUM_PATTERNS;
use alea_core::arrays::build_array;
use alea_core::simd::multiversion;

pub(super) const WON_UNITS: u16 = u16::MAX;
const SIX_WON_UNITS: f32 = 6.0 * 65535.0;

pub(super) const MAX_BLOCK_CELLS: usize = 416;
pub(super) type BlockValues = [u16; MAX_BLOCK_CELLS];

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SuccessorValues<'a> {
    /// The enemy's win probabilities in units of 1/65535, at `[mover's pattern][enemy's pattern]`.
    pub(super) cells: &'a [u16],
    /// Row of `cells` for each pattern of the mover's labels; `None` if it is the pattern's index.
    pub(super) rows: Option<&'a [u8]>,
    /// Column of `cells` for each pattern of the enemy's labels, and the number of columns; `None`
    /// if it is the pattern's index.
    pub(super) permutation: Option<(&'a [u8], usize)>,
}

/// Number of faces that allow only the mover's stone i (`[2i][cell]`), or both i and i + 1 (`[2i +
/// 1][cell]`), zero-padded to [`padded_len`].
pub(super) type FaceWeights = Vec<Vec<f32>>;

pub(super) const fn padded_len(cells: usize) -> usize {
    cells.next_multiple_of(32)
}

#[inline(always)]
fn take_minima<const OWN: usize, const ENEMY: usize>(
    minima: &mut BlockValues,
    source: &SuccessorValues<'_>,
) {
    let (rows, lanes) = const { (NUM_PATTERNS[OWN], NUM_PATTERNS[ENEMY]) };
    match (source.rows, source.permutation) {
        (None, None) => {
            elementwise_minima(&mut minima[..rows * lanes], &source.cells[..rows * lanes])
        }
        (Some(from), None) => {
            for (minima, &row) in minima.chunks_exact_mut(lanes).zip(&from[..rows]) {
                elementwise_minima(minima, &source.cells[usize::from(row) * lanes..][..lanes]);
            }
        }
        (from, Some((permutation, length))) => {
            for (row, minima) in minima[..rows * lanes].chunks_exact_mut(lanes).enumerate() {
                let from = from.map_or(row, |from| usize::from(from[row]));
                let values = &source.cells[from * length..][..length];
                if let [value] = *values {
                    minima
                        .iter_mut()
                        .for_each(|minimum| *minimum = (*minimum).min(value));
                } else {
                    for (minimum, &source_lane) in minima.iter_mut().zip(&permutation[..lanes]) {
                        *minimum = (*minimum).min(values[usize::from(source_lane)]);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn elementwise_minima(minima: &mut [u16], values: &[u16]) {
    let length = minima.len();
    if length >= 32 {
        // First the overlap: loading what was just stored in part is slow.
        for at in [length - 32]
            .into_iter()
            .chain((0..length - 32).step_by(32))
        {
            let smaller = lane_minima::<32>(minima, values, at);
            minima[at..at + 32].copy_from_slice(&smaller);
        }
    } else if length >= 16 {
        let (first, second, last) = (
            lane_minima::<8>(minima, values, 0),
            lane_minima::<8>(minima, values, 8),
            lane_minima::<8>(minima, values, length - 8),
        );
        minima[..8].copy_from_slice(&first);
        minima[8..16].copy_from_slice(&second);
        minima[length - 8..].copy_from_slice(&last);
    } else if length >= 8 {
        let (first, last) = (
            lane_minima::<8>(minima, values, 0),
            lane_minima::<8>(minima, values, length - 8),
        );
        minima[..8].copy_from_slice(&first);
        minima[length - 8..].copy_from_slice(&last);
    } else {
        minima
            .iter_mut()
            .zip(values)
            .for_each(|(minimum, &value)| *minimum = (*minimum).min(value));
    }
}

#[inline(always)]
fn lane_minima<const LANES: usize>(minima: &[u16], values: &[u16], at: usize) -> [u16; LANES] {
    let (minima, values) = (&minima[at..at + LANES], &values[at..at + LANES]);
    // A loop: closures are not compiled for their caller's instructions.
    let mut smaller = [0; LANES];
    for lane in 0..LANES {
        smaller[lane] = minima[lane].min(values[lane]);
    }
    smaller
}

/// 65535 − `sum` / 6, to nearest, halves up, but 0 and 65535 only if exact; `sum` is an integer of
/// 0 to 6 · 65535.
#[inline(always)]
fn round_to_units(sum: f32) -> u16 {
    // A quarter more moves halves off the boundary; 1 / 6 and the product err by less than 0.01.
    // Adding 2^23 puts the rounded number into the lowest bits.
    const ROUNDING_BIAS: f32 = 8_388_608.0;
    let value = (SIX_WON_UNITS + 0.25 - sum) * (1.0 / 6.0);
    let minimum = if sum == SIX_WON_UNITS { 0.0 } else { 1.0 };
    let limit = if sum == 0.0 { 65535.0 } else { 65534.0 };
    let value = if value < minimum { minimum } else { value };
    let value = if value > limit { limit } else { value };
    (value + ROUNDING_BIAS).to_bits() as u16
}

/// Writes win probabilities before the roll, by the enemy's value after each stone's best move.
#[inline(always)]
fn expected_values<const OWN: usize, const ENEMY: usize>(
    weights: &[Vec<f32>],
    minima: &[BlockValues; 5],
    values: &mut BlockValues,
) {
    let cells = const { padded_len(NUM_PATTERNS[OWN] * NUM_PATTERNS[ENEMY]) };
    let weights: [&[f32]; 9] = build_array(|term| &weights[term.min(2 * OWN - 2)][..cells]);
    for cell in 0..cells {
        let mut sum = 0.0;
        for stone in 0..OWN {
            let alone = minima[stone][cell];
            sum += weights[2 * stone][cell] * f32::from(alone);
            if stone + 1 < OWN {
                sum += weights[2 * stone + 1][cell] * f32::from(alone.min(minima[stone + 1][cell]));
            }
        }
        values[cell] = round_to_units(sum);
    }
}

/// Copies to storage order, with the enemy's pattern outside; `order`: its rank in working order.
#[inline(always)]
fn store_transposed<const OWN: usize, const ENEMY: usize>(
    values: &BlockValues,
    order: &[u8],
    stored: &mut BlockValues,
) {
    let (rows, lanes) = const { (NUM_PATTERNS[OWN], NUM_PATTERNS[ENEMY]) };
    for lane in 0..lanes {
        let column = &values[usize::from(order[lane])..][..(rows - 1) * lanes + 1];
        let cells = &mut stored[lane * rows..][..rows];
        for row in 0..rows {
            cells[row] = column[row * lanes];
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct BlockTask<'a> {
    pub(super) weights: &'a [Vec<f32>],
    pub(super) successors: &'a [(u8, SuccessorValues<'a>)],
    pub(super) won: u8,
    pub(super) order: &'a [u8],
}

#[inline(always)]
fn solve_body<const OWN: usize, const ENEMY: usize>(task: &BlockTask<'_>, scratch: &mut Scratch) {
    for (stone, minima) in scratch.minima[..OWN].iter_mut().enumerate() {
        // The enemy's worst value is 0: a stone that wins at once needs no successor.
        minima[..const { padded_len(NUM_PATTERNS[OWN] * NUM_PATTERNS[ENEMY]) }].fill(
            if task.won >> stone & 1 == 1 {
                0
            } else {
                WON_UNITS
            },
        );
    }
    for (stone, source) in task.successors {
        take_minima::<OWN, ENEMY>(&mut scratch.minima[usize::from(*stone)], source);
    }
    expected_values::<OWN, ENEMY>(task.weights, &scratch.minima, &mut scratch.values);
    store_transposed::<OWN, ENEMY>(&scratch.values, task.order, &mut scratch.stored);
}

#[derive(Clone, Debug)]
pub(super) struct Scratch {
    minima: [BlockValues; 5],
    values: BlockValues,
    pub(super) stored: BlockValues,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            minima: [[0; MAX_BLOCK_CELLS]; 5],
            values: [0; MAX_BLOCK_CELLS],
            stored: [0; MAX_BLOCK_CELLS],
        }
    }
}

multiversion! {
    pub(super) fn solve_block<const OWN: usize, const ENEMY: usize>(
        task: &BlockTask<'_>,
        scratch: &mut Scratch,
    ) {
        any => solve_body::<OWN, ENEMY>,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_equals_integer_arithmetic() {
        for sum in 0..=6 * 65535u32 {
            let nearest = (6 * 65535 - sum + 3) / 6;
            let expected = match sum {
                0 => 65535,
                393_210 => 0,
                _ => nearest.clamp(1, 65534),
            };
            assert_eq!(u32::from(round_to_units(sum as f32)), expected, "{sum}");
        }
    }
}
