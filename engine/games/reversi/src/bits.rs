//! Sets of squares as 64 bits, bit `8 · row + column`: runs of discs, flips and symmetries.

pub(super) use alea_core::bits::bit_indices as squares_of;

/// Bits per row, on boards of all sizes.
pub const COLUMNS: usize = 8;

/// Columns b to g, where runs along rows and diagonals can be flipped.
const INNER_COLUMNS: u64 = 0x7E7E_7E7E_7E7E_7E7E;

/// Step of each axis in bits, and the squares that can be flipped along it.
const AXIS_STEPS_AND_MASKS: [(u32, u64); 4] = [
    (1, INNER_COLUMNS),
    (7, INNER_COLUMNS),
    (8, u64::MAX),
    (9, INNER_COLUMNS),
];

/// Runs of `enemy` next to `from`, of up to six discs, towards higher and towards lower squares.
#[inline(always)]
fn adjacent_runs(from: u64, enemy: u64, step: u32) -> (u64, u64) {
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

/// Squares behind runs of enemy discs next to an own disc; they may be occupied or off a smaller
/// board.
#[inline]
pub fn run_ends(own: u64, enemy: u64) -> u64 {
    AXIS_STEPS_AND_MASKS
        .into_iter()
        .fold(0, |run_ends, (step, inner)| {
            let (up, down) = adjacent_runs(own, enemy & inner, step);
            run_ends | up << step | down >> step
        })
}

/// Enemy discs that an own disc on `square` flips.
#[inline]
pub fn flips(square: usize, own: u64, enemy: u64) -> u64 {
    let closed = |end: u64| u64::from(own & end != 0).wrapping_neg();
    AXIS_STEPS_AND_MASKS
        .into_iter()
        .fold(0, |flips, (step, inner)| {
            let (up, down) = adjacent_runs(1 << square, enemy & inner, step);
            flips | up & closed(up << step) | down & closed(down >> step)
        })
}

/// Image of a set on a board of `size` columns under one of eight symmetries; 0 is the identity.
pub fn transform_set(mut set: u64, symmetry: usize, size: usize) -> u64 {
    let rest = COLUMNS - size;
    if symmetry & 1 != 0 {
        set = set.swap_bytes() >> (COLUMNS * rest);
    }
    if symmetry & 2 != 0 {
        set = set.reverse_bits().swap_bytes() >> rest;
    }
    if symmetry & 4 != 0 {
        set = squares_of(set).fold(0, |flips, square| {
            flips | 1 << (square % COLUMNS * COLUMNS + square / COLUMNS)
        });
    }
    set
}
