//! Rows and sums of n-tuples by AVX2.

use super::super::cell::{ALIVE, DISTANCES, SQUARES, STONE_SQUARES, STONES};
use super::super::mobility::LEAST;
use super::super::plan::{LANES, Plan, Step};
use super::{DISTANCE, OWNER, permitted_by_other_numbers};
use crate::games::einstein::{MAX_STONES, Position, Standard};
use std::arch::x86_64::*;

/// 32 bytes of an array of numbers, from `32 · part`.
#[inline]
#[target_feature(enable = "avx2")]
fn load<T: Copy>(numbers: &[T], part: usize) -> __m256i {
    assert!(32 * (part + 1) <= size_of_val(numbers));
    // SAFETY: so many bytes are there; the load needs no alignment, and any bits are a vector.
    unsafe { _mm256_loadu_si256(numbers.as_ptr().cast::<__m256i>().add(part)) }
}

/// An array of 16 bytes, twice.
#[inline]
#[target_feature(enable = "avx2")]
fn twice(bytes: [u8; 16]) -> __m256i {
    // SAFETY: the array has 16 bytes; the load needs no alignment.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
}

/// For each stone the byte of a position in which its lane begins, and that after it.
const BYTES: [u8; 32] = {
    let mut bytes = [0x80; 32];
    let mut stone = 0;
    while stone < STONES {
        bytes[2 * stone] = (5 * stone / 8) as u8;
        bytes[2 * stone + 1] = (5 * stone / 8 + 1) as u8;
        stone += 1;
    }
    bytes
};

/// What shifts a stone's lane to the upper end of 16 bits.
const UPWARDS: [u16; 16] = {
    let mut factors = [0; 16];
    let mut stone = 0;
    while stone < STONES {
        factors[stone] = 1 << (11 - 5 * stone % 8);
        stone += 1;
    }
    factors
};

/// 0 to 31, and 24 minus that.
const COUNTED: [[u8; 32]; 2] = {
    let mut numbers = [[0; 32]; 2];
    let mut square = 0;
    while square < 32 {
        let seen = Standard::GOAL.wrapping_sub(square as u8);
        // No square is 255.
        numbers[0][square] = if square < SQUARES { square as u8 } else { 255 };
        numbers[1][square] = if square < SQUARES { seen } else { 255 };
        square += 1;
    }
    numbers
};

/// Of 16 bytes those from `from` on, put to `to` and after it; 0 elsewhere.
const fn moved(from: usize, to: usize, count: usize) -> [u8; 16] {
    let mut bytes = [0x80; 16];
    let mut at = 0;
    while at < count {
        bytes[to + at] = (from + at) as u8;
        at += 1;
    }
    bytes
}

/// The view in its pieces of 16 bytes, each twice.
#[inline]
#[target_feature(enable = "avx2")]
fn view<const REDUCED: bool>(position: &Position) -> [__m256i; 8] {
    let bits = _mm256_set1_epi64x(position.bits() as i64);
    let lanes = _mm256_mullo_epi16(
        _mm256_shuffle_epi8(bits, load(&BYTES, 0)),
        load(&UPWARDS, 0),
    );
    let lanes = _mm256_srli_epi16::<11>(lanes);
    // Stones 0–7, then 8–11, in both halves.
    let squares = _mm256_permute4x64_epi64::<0b1000_1000>(_mm256_packus_epi16(lanes, lanes));
    // One for each side, so that neither waits for the other.
    let mut boards = [_mm256_setzero_si256(); 2];
    let counted = [load(&COUNTED[0], 0), load(&COUNTED[1], 0)];
    for stone in 0..STONES {
        let square = _mm256_shuffle_epi8(squares, _mm256_set1_epi8(stone as i8));
        let there = _mm256_cmpeq_epi8(square, counted[stone / MAX_STONES]);
        let board = &mut boards[stone / MAX_STONES];
        *board = _mm256_max_epu8(
            *board,
            _mm256_and_si256(there, _mm256_set1_epi8(stone as i8 + 1)),
        );
    }
    let board = _mm256_max_epu8(boards[0], boards[1]);
    let gone = _mm256_set1_epi8(SQUARES as i8);
    let squares = _mm256_min_epu8(squares, gone);
    // A table of 25 bytes is two look-ups; an index with its upper bit set finds 0.
    let low = _mm256_shuffle_epi8(
        twice(NEAR_START),
        _mm256_adds_epu8(squares, _mm256_set1_epi8(0x70)),
    );
    let high = _mm256_sub_epi8(squares, _mm256_set1_epi8(16));
    let distances = _mm256_or_si256(
        low,
        _mm256_shuffle_epi8(
            twice(NEAR_GOAL),
            _mm256_adds_epu8(high, _mm256_set1_epi8(0x70)),
        ),
    );
    let alive = _mm256_andnot_si256(_mm256_cmpeq_epi8(squares, gone), _mm256_set1_epi8(1));
    const { assert!(STONE_SQUARES == 25 && DISTANCES == 37 && ALIVE == 49) };
    let place = |vector, bytes| _mm256_shuffle_epi8(vector, twice(bytes));
    let first = _mm256_permute2x128_si256::<0x00>(board, board);
    let second = _mm256_or_si256(
        _mm256_permute2x128_si256::<0x11>(board, board),
        place(squares, const { moved(0, 9, 7) }),
    );
    let third = _mm256_or_si256(
        place(squares, const { moved(7, 0, 5) }),
        place(distances, const { moved(0, 5, 11) }),
    );
    let fourth = _mm256_or_si256(
        place(distances, const { moved(11, 0, 1) }),
        place(alive, const { moved(0, 1, 12) }),
    );
    let nothing = _mm256_setzero_si256();
    let mut pieces = [
        first, second, third, fourth, nothing, nothing, nothing, nothing,
    ];
    if REDUCED {
        let owners = _mm256_shuffle_epi8(twice(OWNER), board);
        let numbers = _mm256_set1_epi16(permitted_by_other_numbers(position) as i16);
        let bits = _mm256_set1_epi64x(0x8040_2010_0804_0201u64 as i64);
        let spread = _mm256_and_si256(
            place(numbers, [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]),
            bits,
        );
        // One is added by taking away -1.
        let mobile = _mm256_sub_epi8(twice(LEAST), _mm256_cmpeq_epi8(spread, bits));
        let mobile = _mm256_shuffle_epi8(mobile, board);
        pieces[4] = _mm256_permute2x128_si256::<0x00>(owners, owners);
        pieces[5] = _mm256_permute2x128_si256::<0x11>(owners, owners);
        pieces[6] = _mm256_permute2x128_si256::<0x00>(mobile, mobile);
        pieces[7] = _mm256_permute2x128_si256::<0x11>(mobile, mobile);
    }
    pieces
}

/// The distances of squares 0–15, and of those after them.
const NEAR_START: [u8; 16] = distances_from(0);
const NEAR_GOAL: [u8; 16] = distances_from(16);

const fn distances_from(first: usize) -> [u8; 16] {
    let mut distances = [0; 16];
    let mut at = 0;
    while at < 16 {
        distances[at] = DISTANCE[first + at];
        at += 1;
    }
    distances
}

/// What the symbols of eight tuples, half of a step, add to their rows, before its strides.
#[inline]
#[target_feature(enable = "avx2")]
fn quads(pieces: &[__m256i; 8], step: &Step, half: usize) -> __m256i {
    let places = load(&step.places, half);
    let mut symbols = _mm256_setzero_si256();
    for (number, &piece) in pieces.iter().enumerate() {
        if step.pieces >> number & 1 == 1 {
            // Places of other pieces wrap or go beyond 15, and find 0.
            let within = _mm256_sub_epi8(places, _mm256_set1_epi8(16 * number as i8));
            let found =
                _mm256_shuffle_epi8(piece, _mm256_adds_epu8(within, _mm256_set1_epi8(0x70)));
            symbols = _mm256_or_si256(symbols, found);
        }
    }
    let pairs = _mm256_maddubs_epi16(symbols, load(&step.within_pairs, half));
    _mm256_madd_epi16(pairs, load(&step.pairs, half))
}

/// The rows of half of a block's tuples, given its steps.
#[inline]
#[target_feature(enable = "avx2")]
fn half_block(pieces: &[__m256i; 8], bases: &[u32; LANES], steps: &[Step], half: usize) -> __m256i {
    let mut rows = _mm256_add_epi32(load(bases, half), quads(pieces, &steps[0], half));
    for step in &steps[1..] {
        rows = _mm256_add_epi32(
            rows,
            _mm256_mullo_epi32(quads(pieces, step, half), load(&step.strides, half)),
        );
    }
    rows
}

/// # Safety
/// There is a weight for each row that the plan may lead to.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn sum<const REDUCED: bool>(
    plan: &Plan,
    position: &Position,
    weights: &[i32],
) -> i32 {
    let pieces = view::<REDUCED>(position);
    let mut sums = [_mm256_setzero_si256(); 2];
    let mut steps = &plan.steps[..];
    for block in &plan.blocks {
        let (own, rest) = steps.split_at(block.steps);
        steps = rest;
        for (half, sum) in sums.iter_mut().enumerate() {
            let rows = half_block(&pieces, &block.bases, own, half);
            let mask = load(&block.mask, half);
            // SAFETY: every symbol is below its cell's number of symbols, so the rows of lanes with
            // a tuple are rows of the plan, for which the caller has weights; the other lanes are
            // not read. Rows are below 2²⁶.
            let found = unsafe {
                _mm256_mask_i32gather_epi32::<4>(
                    _mm256_setzero_si256(),
                    weights.as_ptr(),
                    rows,
                    mask,
                )
            };
            *sum = _mm256_add_epi32(*sum, found);
        }
    }
    fold(_mm256_add_epi32(sums[0], sums[1]))
}

#[target_feature(enable = "avx2")]
pub(super) fn rows<const REDUCED: bool>(
    plan: &Plan,
    position: &Position,
    first: u32,
    out: &mut [u32],
) {
    let pieces = view::<REDUCED>(position);
    let mut steps = &plan.steps[..];
    for (block, out) in plan.blocks.iter().zip(out.chunks_mut(LANES)) {
        let (own, rest) = steps.split_at(block.steps);
        steps = rest;
        let mut found = [0u32; LANES];
        for (half, found) in found.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let rows = half_block(&pieces, &block.bases, own, half);
            let rows = _mm256_add_epi32(rows, _mm256_set1_epi32(first as i32));
            // SAFETY: eight numbers of four bytes are a vector; the store needs no alignment.
            unsafe { _mm256_storeu_si256(found.as_mut_ptr().cast(), rows) };
        }
        out.copy_from_slice(&found[..out.len()]);
    }
}

/// The sum of eight lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn fold(sums: __m256i) -> i32 {
    let four = _mm_add_epi32(
        _mm256_castsi256_si128(sums),
        _mm256_extracti128_si256::<1>(sums),
    );
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b1110>(four));
    _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<1>(two)))
}
