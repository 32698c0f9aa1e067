//! Sets of squares as 64 bits: runs of discs along the eight directions, and symmetries.
//!
//! A square is `8 · row + column`, a1 being 0. Runs are found for a complete set by doubling (Kogge
//! and Stone's prefix network). Invariant: runs along rows and diagonals exclude the outer columns,
//! so none wraps around.

/// The squares of a set, in order.
pub(super) use alea_core::bits::members as squares_of;

/// Columns of a row of bits.
pub const COLUMNS: usize = 8;

/// Columns b to g: the interior of runs along rows and diagonals.
const INNER_COLUMNS: u64 = 0x7E7E_7E7E_7E7E_7E7E;

/// Step of each line, and the squares inside its runs.
const LINE_STEPS: [(u32, u64); 4] = [
    (1, INNER_COLUMNS),
    (7, INNER_COLUMNS),
    (8, u64::MAX),
    (9, INNER_COLUMNS),
];

/// The runs of `enemy` that begin next to `from`, on both sides of it along one line: towards
/// higher and towards lower squares. No run is longer than six.
#[inline(always)]
fn runs(from: u64, enemy: u64, step: u32) -> (u64, u64) {
    let mut up = enemy & from << step;
    let mut down = enemy & from >> step;
    up |= enemy & up << step;
    down |= enemy & down >> step;
    let up_pairs = enemy & enemy << step;
    let down_pairs = enemy & enemy >> step;
    up |= up_pairs & up << (2 * step);
    down |= down_pairs & down >> (2 * step);
    up |= up_pairs & up << (2 * step);
    down |= down_pairs & down >> (2 * step);
    (up, down)
}

/// The squares behind runs of enemy discs that begin next to an own disc, occupied ones and those
/// off a smaller board too.
#[inline]
pub fn run_ends(own: u64, enemy: u64) -> u64 {
    LINE_STEPS.into_iter().fold(0, |run_ends, (step, inner)| {
        let (up, down) = runs(own, enemy & inner, step);
        run_ends | up << step | down >> step
    })
}

/// The enemy discs that an own disc on a square flips.
#[inline]
pub fn flips(square: usize, own: u64, enemy: u64) -> u64 {
    // All bits if a run ends at an own disc.
    let closed = |end: u64| u64::from(own & end != 0).wrapping_neg();
    LINE_STEPS.into_iter().fold(0, |flips, (step, inner)| {
        let (up, down) = runs(1 << square, enemy & inner, step);
        flips | up & closed(up << step) | down & closed(down >> step)
    })
}

/// The image of a set on a board of `size` columns under one of eight symmetries; 0 is the
/// identity.
pub fn transform_set(mut set: u64, symmetry: usize, size: usize) -> u64 {
    let rest = COLUMNS - size;
    if symmetry & 1 != 0 {
        // Reverses the rows.
        set = set.swap_bytes() >> (COLUMNS * rest);
    }
    if symmetry & 2 != 0 {
        // Reverses the columns.
        set = set.reverse_bits().swap_bytes() >> rest;
    }
    if symmetry & 4 != 0 {
        // Transposes.
        set = squares_of(set).fold(0, |flips, square| {
            flips | 1 << (square % COLUMNS * COLUMNS + square / COLUMNS)
        });
    }
    set
}
