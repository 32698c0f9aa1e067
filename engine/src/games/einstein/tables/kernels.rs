//! Inner loops of the builder over all label patterns of a block.
//!
//! The compiler vectorises them for several instruction sets, of which one is chosen at run time.
//! Invariant: all give the same bits; minima are exact, and every sum is an integer below 2^24,
//! exact in single precision in any order. Only [`rounded`] rounds, once, by one multiplication.

use super::patterns::PATTERNS;
use crate::core::arrays::by_index;
use crate::core::simd::dispatched;

/// Value of a won position, in units.
pub(super) const WON: u16 = u16::MAX;
/// Six won positions, one for each face.
const ALL_WON: f32 = 6.0 * 65535.0;

/// Maximum cells of a block (20 patterns of three stones a side), with room for the last vector.
pub(super) const MAX_CELLS: usize = 416;
/// Cells of a block in working order: the mover's pattern outside.
pub(super) type Block = [u16; MAX_CELLS];

/// Values of one successor, and their arrangement relative to the block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Source<'a> {
    /// Values for the enemy: rows of the mover's patterns, each with the enemy's.
    pub(super) cells: &'a [u16],
    /// For each pattern of the mover the row of the successor; `None` for the same order.
    pub(super) rows: Option<&'a [u8]>,
    /// For each pattern of the enemy its index in a row of the successor, and the length of such a
    /// row; `None` for the same order.
    pub(super) permutation: Option<(&'a [u8], usize)>,
}

/// Number of faces that allow certain stones, for every cell of a block in working order,
/// [`padded`] with zeros: only stone i (entry 2i), or either i or i + 1 (2i + 1).
pub(super) type Weights = Vec<Vec<f32>>;

/// Cells of a block, rounded up to vectors.
pub(super) const fn padded(cells: usize) -> usize {
    cells.next_multiple_of(32)
}

/// `least = min(least, source)` for all cells of a block of `OWN` against `ENEMY` stones.
#[inline(always)]
fn take_least<const OWN: usize, const ENEMY: usize>(least: &mut Block, source: &Source<'_>) {
    let (rows, lanes) = const { (PATTERNS[OWN], PATTERNS[ENEMY]) };
    match (source.rows, source.permutation) {
        (None, None) => least_of(&mut least[..rows * lanes], &source.cells[..rows * lanes]),
        (Some(from), None) => {
            for (least, &row) in least.chunks_exact_mut(lanes).zip(&from[..rows]) {
                least_of(least, &source.cells[usize::from(row) * lanes..][..lanes]);
            }
        }
        (from, Some((permutation, length))) => {
            for (row, least) in least[..rows * lanes].chunks_exact_mut(lanes).enumerate() {
                let from = from.map_or(row, |from| usize::from(from[row]));
                let values = &source.cells[from * length..][..length];
                if let [value] = *values {
                    least
                        .iter_mut()
                        .for_each(|least| *least = (*least).min(value));
                } else {
                    for (least, &source_lane) in least.iter_mut().zip(&permutation[..lanes]) {
                        *least = (*least).min(values[usize::from(source_lane)]);
                    }
                }
            }
        }
    }
}

/// Minima of two slices, in vectors of which the last overlaps the one before, which leaves no
/// remainder.
#[inline(always)]
fn least_of(least: &mut [u16], values: &[u16]) {
    let length = least.len();
    if length >= 32 {
        // The overlapping vector first: loading one that was just stored in part is slow.
        for at in [length - 32]
            .into_iter()
            .chain((0..length - 32).step_by(32))
        {
            let smaller = smaller::<32>(least, values, at);
            least[at..at + 32].copy_from_slice(&smaller);
        }
    } else if length >= 16 {
        let (first, second, last) = (
            smaller::<8>(least, values, 0),
            smaller::<8>(least, values, 8),
            smaller::<8>(least, values, length - 8),
        );
        least[..8].copy_from_slice(&first);
        least[8..16].copy_from_slice(&second);
        least[length - 8..].copy_from_slice(&last);
    } else if length >= 8 {
        let (first, last) = (
            smaller::<8>(least, values, 0),
            smaller::<8>(least, values, length - 8),
        );
        least[..8].copy_from_slice(&first);
        least[length - 8..].copy_from_slice(&last);
    } else {
        least
            .iter_mut()
            .zip(values)
            .for_each(|(least, &value)| *least = (*least).min(value));
    }
}

#[inline(always)]
fn smaller<const LANES: usize>(least: &[u16], values: &[u16], at: usize) -> [u16; LANES] {
    let (least, values) = (&least[at..at + LANES], &values[at..at + LANES]);
    // A loop, as closures are not compiled for the instructions of their caller.
    let mut smaller = [0; LANES];
    for lane in 0..LANES {
        smaller[lane] = least[lane].min(values[lane]);
    }
    smaller
}

/// 65535 − `sum` / 6, for an integer `sum` of 0 to 6 · 65535, rounded to nearest, halves up, but 0
/// and 65535 only if exact.
#[inline(always)]
fn rounded(sum: f32) -> u16 {
    // A quarter more than one half moves halves, and nothing else, off the boundary; 1 / 6 and the
    // product err by less than 0.01 together. Adding 2^23 leaves the rounded number in the lowest
    // bits.
    const ROUNDING_BIAS: f32 = 8_388_608.0;
    let value = (ALL_WON + 0.25 - sum) * (1.0 / 6.0);
    let least = if sum == ALL_WON { 0.0 } else { 1.0 };
    let limit = if sum == 0.0 { 65535.0 } else { 65534.0 };
    let value = if value < least { least } else { value };
    let value = if value > limit { limit } else { value };
    (value + ROUNDING_BIAS).to_bits() as u16
}

/// Computes the mover's values from the enemy's least value for each stone.
#[inline(always)]
fn expect<const OWN: usize, const ENEMY: usize>(
    weights: &[Vec<f32>],
    least: &[Block; 5],
    values: &mut Block,
) {
    // Complete vectors; cells behind the block have weights of 0.
    let cells = const { padded(PATTERNS[OWN] * PATTERNS[ENEMY]) };
    let weights: [&[f32]; 9] = by_index(|term| &weights[term.min(2 * OWN - 2)][..cells]);
    for cell in 0..cells {
        let mut sum = 0.0;
        for stone in 0..OWN {
            let alone = least[stone][cell];
            sum += weights[2 * stone][cell] * f32::from(alone);
            if stone + 1 < OWN {
                sum += weights[2 * stone + 1][cell] * f32::from(alone.min(least[stone + 1][cell]));
            }
        }
        values[cell] = rounded(sum);
    }
}

/// Copies the block in storage order, the enemy's patterns outside; `order` has the working order
/// of each.
#[inline(always)]
fn store<const OWN: usize, const ENEMY: usize>(values: &Block, order: &[u8], stored: &mut Block) {
    let (rows, lanes) = const { (PATTERNS[OWN], PATTERNS[ENEMY]) };
    for lane in 0..lanes {
        let column = &values[usize::from(order[lane])..][..(rows - 1) * lanes + 1];
        let cells = &mut stored[lane * rows..][..rows];
        for row in 0..rows {
            cells[row] = column[row * lanes];
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Task<'a> {
    pub(super) weights: &'a [Vec<f32>],
    /// Successors, each with the stone that moves.
    pub(super) sources: &'a [(u8, Source<'a>)],
    /// Bit i: stone i wins at once.
    pub(super) won: u8,
    /// Working order of each of the enemy's patterns.
    pub(super) order: &'a [u8],
}

#[inline(always)]
fn solve_body<const OWN: usize, const ENEMY: usize>(task: &Task<'_>, scratch: &mut Scratch) {
    for (stone, least) in scratch.least[..OWN].iter_mut().enumerate() {
        // The enemy's worst value is 0; a stone that wins at once needs no successor.
        least[..const { padded(PATTERNS[OWN] * PATTERNS[ENEMY]) }]
            .fill(if task.won >> stone & 1 == 1 { 0 } else { WON });
    }
    for (stone, source) in task.sources {
        take_least::<OWN, ENEMY>(&mut scratch.least[usize::from(*stone)], source);
    }
    expect::<OWN, ENEMY>(task.weights, &scratch.least, &mut scratch.values);
    store::<OWN, ENEMY>(&scratch.values, task.order, &mut scratch.stored);
}

#[derive(Clone, Debug)]
pub(super) struct Scratch {
    least: [Block; 5],
    values: Block,
    /// The last solved block in storage order.
    pub(super) stored: Block,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            least: [[0; MAX_CELLS]; 5],
            values: [0; MAX_CELLS],
            stored: [0; MAX_CELLS],
        }
    }
}

dispatched! {
    /// Computes a block of `OWN` against `ENEMY` stones into `scratch.stored`.
    pub(super) fn solve<const OWN: usize, const ENEMY: usize>(
        task: &Task<'_>,
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
            assert_eq!(u32::from(rounded(sum as f32)), expected, "{sum}");
        }
    }
}
