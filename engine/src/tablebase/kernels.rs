//! The inner loops of the builder, over all label patterns of a block at once.
//!
//! They are written so that the compiler makes vector instructions of them, and compiled for several instruction sets,
//! of which one is chosen at run time. Invariant: all give the same bits; minima are exact, and every sum is a whole
//! number below 2^24, exact in single precision in whatever order it is added. Only [`rounded`] rounds, once, by one
//! multiplication.

#![allow(unsafe_code, reason = "calls code compiled for instructions that were found at run time")]

use super::patterns::PATTERNS;

/// The value of a won position, in units.
pub(super) const WON: u16 = u16::MAX;
/// Six won positions.
const ALL_WON: f32 = 6.0 * 65535.0;

/// Most cells in a block (20 patterns of three stones a side), and some that vectors may spill into.
pub(super) const MOST_CELLS: usize = 416;
/// Cells of a block, working order: the mover's pattern outside.
pub(super) type Block = [u16; MOST_CELLS];

/// How the loops are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instructions {
    /// What every machine of this kind has.
    Portable,
    /// x86-64 with 256-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// x86-64 with 512-bit vectors of 16-bit numbers.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Instructions {
    /// The widest that this machine has.
    pub(super) fn best() -> Self {
        Self::available().pop().unwrap_or(Self::Portable)
    }

    /// Those that this machine has, the widest last.
    pub(super) fn available() -> Vec<Self> {
        let mut sets = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx2") {
                sets.push(Self::Avx2);
            }
            if std::arch::is_x86_feature_detected!("avx512f")
                && std::arch::is_x86_feature_detected!("avx512bw")
                && std::arch::is_x86_feature_detected!("avx512vl")
            {
                sets.push(Self::Avx512);
            }
        }
        sets
    }
}

/// Values of one successor, and how its cells match those of the block that is being solved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    /// The values, for the enemy: rows of the mover's patterns, in them the enemy's.
    pub(super) cells: &'a [u16],
    /// For each pattern of the mover the row of the successor; `None` if they agree.
    pub(super) rows: Option<&'a [u8]>,
    /// For each pattern of the enemy its place in a row of the successor, and the length of such a row; `None` if they
    /// agree.
    pub(super) places: Option<(&'a [u8], usize)>,
}

/// How many faces permit which stones, for every cell of a block in working order.
#[derive(Debug)]
pub(super) struct Weights {
    /// How many faces permit only stone i (entry 2i), or either i or i + 1 (2i + 1).
    pub(super) terms: Vec<Vec<f32>>,
}

/// `least = min(least, source)` for all cells of a block of a mover with `OWN` stones and an enemy with `ENEMY`.
#[inline(always)]
fn take_least<const OWN: usize, const ENEMY: usize>(least: &mut Block, source: &Source<'_>) {
    let (rows, lanes) = const { (PATTERNS[OWN], PATTERNS[ENEMY]) };
    match (source.rows, source.places) {
        (None, None) => {
            let cells = &source.cells[..rows * lanes];
            (0..rows * lanes).for_each(|cell| least[cell] = least[cell].min(cells[cell]));
        }
        (Some(from), None) => {
            for (least, &row) in least.chunks_exact_mut(lanes).zip(&from[..rows]) {
                least_of_row(least, &source.cells[usize::from(row) * lanes..][..lanes]);
            }
        }
        (from, Some((places, length))) => {
            for (row, least) in least[..rows * lanes].chunks_exact_mut(lanes).enumerate() {
                let from = from.map_or(row, |from| usize::from(from[row]));
                let values = &source.cells[from * length..][..length];
                if let [value] = *values {
                    least.iter_mut().for_each(|least| *least = (*least).min(value));
                } else {
                    for (least, &place) in least.iter_mut().zip(&places[..lanes]) {
                        *least = (*least).min(values[usize::from(place)]);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn least_of_row(least: &mut [u16], values: &[u16]) {
    let lanes = least.len();
    if lanes < 8 {
        least.iter_mut().zip(values).for_each(|(least, &value)| *least = (*least).min(value));
    } else {
        // Vectors of eight; the last overlaps the one before, which does a minimum no harm.
        (0..lanes / 8).for_each(|eight| least_of_eight(least, values, 8 * eight));
        least_of_eight(least, values, lanes - 8);
    }
}

#[inline(always)]
fn least_of_eight(least: &mut [u16], values: &[u16], at: usize) {
    let (least, values) = (&mut least[at..at + 8], &values[at..at + 8]);
    (0..8).for_each(|lane| least[lane] = least[lane].min(values[lane]));
}

/// 65535 − `sum` / 6, for a whole number `sum` of 0 to 6 · 65535, rounded to the nearest number, halves up, but kept
/// off 0 and 65535 unless exactly that.
#[inline(always)]
fn rounded(sum: f32) -> u16 {
    // A quarter above the half moves halves, and nothing else, off the boundary; 1 / 6 and the product err by less than
    // 0.01 together. Adding 2^23 leaves the rounded number in the lowest bits.
    const TO_WHOLE: f32 = 8_388_608.0;
    let value = (ALL_WON + 0.25 - sum) * (1.0 / 6.0);
    let least = if sum == ALL_WON { 0.0 } else { 1.0 };
    let most = if sum == 0.0 { 65535.0 } else { 65534.0 };
    let value = if value < least { least } else { value };
    let value = if value > most { most } else { value };
    (value + TO_WHOLE).to_bits() as u16
}

/// From the least value of each stone's successors, for the enemy, the value for the mover.
#[inline(always)]
fn expect<const OWN: usize, const ENEMY: usize>(weights: &Weights, least: &[Block; 5], values: &mut Block) {
    let cells = const { PATTERNS[OWN] * PATTERNS[ENEMY] };
    let weights: [&[f32]; 9] = std::array::from_fn(|term| &weights.terms[term.min(2 * OWN - 2)][..cells]);
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

#[inline(always)]
fn solve_body<const OWN: usize, const ENEMY: usize>(weights: &Weights, sources: &[(u8, Source<'_>)], won: u8, scratch: &mut Scratch) {
    for (stone, least) in scratch.least[..OWN].iter_mut().enumerate() {
        // The enemy's worst result is 0; a stone that wins outright needs no successor.
        least[..const { PATTERNS[OWN] * PATTERNS[ENEMY] }].fill(if won >> stone & 1 == 1 { 0 } else { WON });
    }
    for (stone, source) in sources {
        take_least::<OWN, ENEMY>(&mut scratch.least[usize::from(*stone)], source);
    }
    expect::<OWN, ENEMY>(weights, &scratch.least, &mut scratch.values);
}

/// What the loops work on.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    least: [Block; 5],
    /// The values of the block solved last, in working order.
    values: Block,
}

impl Default for Scratch {
    fn default() -> Self {
        Self { least: [[0; MOST_CELLS]; 5], values: [0; MOST_CELLS] }
    }
}

/// The values of a block of a mover with `OWN` stones and an enemy with `ENEMY`, into `scratch`. `sources` are the
/// successors of each stone; bit i of `won` says that stone i wins outright.
#[inline(always)]
pub(super) fn solve<const OWN: usize, const ENEMY: usize>(
    instructions: Instructions,
    weights: &Weights,
    sources: &[(u8, Source<'_>)],
    won: u8,
    scratch: &mut Scratch,
) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn avx2<const OWN: usize, const ENEMY: usize>(weights: &Weights, sources: &[(u8, Source<'_>)], won: u8, scratch: &mut Scratch) {
            solve_body::<OWN, ENEMY>(weights, sources, won, scratch);
        }
        #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
        fn avx512<const OWN: usize, const ENEMY: usize>(weights: &Weights, sources: &[(u8, Source<'_>)], won: u8, scratch: &mut Scratch) {
            solve_body::<OWN, ENEMY>(weights, sources, won, scratch);
        }
        match instructions {
            Instructions::Portable => {}
            // SAFETY: only `Instructions::available` makes this value, on machines that have the instructions; the
            // function itself is safe code.
            Instructions::Avx2 => return unsafe { avx2::<OWN, ENEMY>(weights, sources, won, scratch) },
            // SAFETY: as above.
            Instructions::Avx512 => return unsafe { avx512::<OWN, ENEMY>(weights, sources, won, scratch) },
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let Instructions::Portable = instructions;
    solve_body::<OWN, ENEMY>(weights, sources, won, scratch);
}

/// Writes the solved block as it is stored, the enemy's patterns outside; `order` is where each of them stands in
/// working order.
#[inline(always)]
pub(super) fn store<const OWN: usize, const ENEMY: usize>(scratch: &Scratch, order: &[u8], stored: &mut [u16]) {
    let (rows, lanes) = const { (PATTERNS[OWN], PATTERNS[ENEMY]) };
    let stored = &mut stored[..rows * lanes];
    for (cells, &lane) in stored.chunks_exact_mut(rows).zip(&order[..lanes]) {
        let column = &scratch.values[usize::from(lane)..][..(rows - 1) * lanes + 1];
        (0..rows).for_each(|row| cells[row] = column[row * lanes]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_that_of_whole_numbers_for_every_sum() {
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
