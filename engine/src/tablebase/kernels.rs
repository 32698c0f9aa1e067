//! The inner loops of the builder, over all label patterns of a block at once.
//!
//! They are written so that the compiler makes vector instructions of them, and compiled for several instruction sets,
//! of which one is chosen at run time. Invariant: all give the same bits; minima are exact, and every sum is a whole
//! number below 2^24, exact in single precision in whatever order it is added. Only [`rounded`] rounds, once, by one
//! multiplication.

#![allow(unsafe_code, reason = "calls code compiled for instructions that were found at run time")]

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

/// Everything about a class that the loops need.
#[derive(Debug)]
pub(super) struct Shape {
    /// Cells of a block.
    pub(super) cells: usize,
    /// Patterns of the enemy, the length of a row.
    pub(super) lanes: usize,
    /// For each cell how many faces permit only stone i (entry 2i) or either i or i + 1 (2i + 1).
    pub(super) weights: Vec<Vec<f32>>,
}

/// `least = min(least, source)` for all cells of a block.
#[inline(always)]
fn take_least(shape: &Shape, least: &mut Block, source: &Source<'_>) {
    match (source.rows, source.places) {
        (None, None) => {
            for (least, &value) in least[..shape.cells].iter_mut().zip(source.cells) {
                *least = (*least).min(value);
            }
        }
        (Some(rows), None) => match shape.lanes {
            1 => least_of_rows::<1>(least, source.cells, rows),
            6 => least_of_rows::<6>(least, source.cells, rows),
            15 => least_of_rows::<15>(least, source.cells, rows),
            _ => least_of_rows::<20>(least, source.cells, rows),
        },
        (rows, Some((places, length))) => {
            for (row, least) in least[..shape.cells].chunks_exact_mut(shape.lanes).enumerate() {
                let from = rows.map_or(row, |rows| usize::from(rows[row]));
                let values = &source.cells[from * length..][..length];
                if let [value] = *values {
                    least.iter_mut().for_each(|least| *least = (*least).min(value));
                } else {
                    for (least, &place) in least.iter_mut().zip(places) {
                        *least = (*least).min(values[usize::from(place)]);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn least_of_rows<const LANES: usize>(least: &mut Block, cells: &[u16], rows: &[u8]) {
    for (least, &row) in least.chunks_exact_mut(LANES).zip(rows) {
        let values = &cells[usize::from(row) * LANES..][..LANES];
        if LANES < 8 {
            (0..LANES).for_each(|lane| least[lane] = least[lane].min(values[lane]));
        } else {
            // Vectors of eight; the last overlaps the one before, which does a minimum no harm.
            (0..LANES / 8).for_each(|eight| least_of_eight(least, values, 8 * eight));
            least_of_eight(least, values, LANES - 8);
        }
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
fn expect<const STONES: usize>(shape: &Shape, least: &[Block; 5], values: &mut Block) {
    let weights: [&[f32]; 9] = std::array::from_fn(|index| &shape.weights[index.min(2 * STONES - 2)][..shape.cells]);
    let least: [&[u16]; STONES] = std::array::from_fn(|stone| &least[stone][..shape.cells]);
    let values = &mut values[..shape.cells];
    for cell in 0..values.len() {
        let mut sum = 0.0;
        for stone in 0..STONES {
            let alone = least[stone][cell];
            sum += weights[2 * stone][cell] * f32::from(alone);
            if stone + 1 < STONES {
                sum += weights[2 * stone + 1][cell] * f32::from(alone.min(least[stone + 1][cell]));
            }
        }
        values[cell] = rounded(sum);
    }
}

#[inline(always)]
fn solve_body<const STONES: usize>(shape: &Shape, sources: &[(u8, Source<'_>)], won: u8, scratch: &mut Scratch) {
    for (stone, least) in scratch.least[..STONES].iter_mut().enumerate() {
        // The enemy's worst result is 0; a stone that wins outright needs no successor.
        least[..shape.cells].fill(if won >> stone & 1 == 1 { 0 } else { WON });
    }
    for (stone, source) in sources {
        take_least(shape, &mut scratch.least[usize::from(*stone)], source);
    }
    expect::<STONES>(shape, &scratch.least, &mut scratch.values);
}

/// What the loops work on.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    least: [Block; 5],
    /// The values of the block solved last, the mover's pattern outside.
    pub(super) values: Block,
}

impl Default for Scratch {
    fn default() -> Self {
        Self { least: [[0; MOST_CELLS]; 5], values: [0; MOST_CELLS] }
    }
}

macro_rules! for_stones {
    ($stones:expr, $function:ident($($argument:expr),*)) => {
        match $stones {
            1 => $function::<1>($($argument),*),
            2 => $function::<2>($($argument),*),
            3 => $function::<3>($($argument),*),
            4 => $function::<4>($($argument),*),
            _ => $function::<5>($($argument),*),
        }
    };
}

/// The values of a block whose mover has `stones` stones, into `scratch.values`. `sources` are the successors of each
/// stone; bit i of `won` says that stone i wins outright.
#[inline]
pub(super) fn solve(
    instructions: Instructions,
    stones: usize,
    shape: &Shape,
    sources: &[(u8, Source<'_>)],
    won: u8,
    scratch: &mut Scratch,
) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn avx2(stones: usize, shape: &Shape, sources: &[(u8, Source<'_>)], won: u8, scratch: &mut Scratch) {
            for_stones!(stones, solve_body(shape, sources, won, scratch));
        }
        #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
        fn avx512(stones: usize, shape: &Shape, sources: &[(u8, Source<'_>)], won: u8, scratch: &mut Scratch) {
            for_stones!(stones, solve_body(shape, sources, won, scratch));
        }
        match instructions {
            Instructions::Portable => {}
            // SAFETY: only `Instructions::available` gives this value out, on machines that have the instructions; the
            // function itself is safe code.
            Instructions::Avx2 => return unsafe { avx2(stones, shape, sources, won, scratch) },
            // SAFETY: as above.
            Instructions::Avx512 => return unsafe { avx512(stones, shape, sources, won, scratch) },
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let Instructions::Portable = instructions;
    for_stones!(stones, solve_body(shape, sources, won, scratch));
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
