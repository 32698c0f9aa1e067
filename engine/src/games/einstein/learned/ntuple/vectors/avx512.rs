//! Rows and sums of n-tuples by AVX-512 with permutations of bytes.

use super::super::cell::{ALIVE, DISTANCES, SQUARES, STONE_SQUARES, STONES};
use super::super::mobility::LEAST;
use super::super::plan::{Block, LANES, Plan, Step};
use super::{DISTANCE, OWNER, permitted_by_other_numbers};
use crate::games::einstein::{MAX_STONES, Position, Standard};
use std::arch::x86_64::*;

/// 64 bytes of an array of numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn load<T: Copy>(numbers: &[T]) -> __m512i {
    assert!(size_of_val(numbers) >= 64);
    // SAFETY: so many bytes are there; the load needs no alignment, and any bits are a vector.
    unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) }
}

/// The numbers of a vector.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn numbers(vector: __m512i) -> [u32; LANES] {
    let mut numbers = [0; LANES];
    // SAFETY: sixteen numbers of four bytes are a vector; the store needs no alignment.
    unsafe { _mm512_storeu_si512(numbers.as_mut_ptr().cast(), vector) };
    numbers
}

/// An array of 16 bytes, four times.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn four_times(bytes: [u8; 16]) -> __m512i {
    // SAFETY: the array has 16 bytes; the load needs no alignment.
    _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
}

/// Which bits of a position each of 64 bytes begins with: those of stone `byte % 16`.
const BITS: [u8; 64] = {
    let mut bits = [0; 64];
    let mut byte = 0;
    while byte < 64 {
        bits[byte] = if byte % 16 < STONES {
            (5 * (byte % 16)) as u8
        } else {
            0
        };
        byte += 1;
    }
    bits
};

/// 0–24, and in the upper half the same squares as the other side counts them; 255 elsewhere.
const COUNTED: [u8; 64] = {
    let mut numbers = [255; 64];
    let mut square = 0;
    while square < SQUARES {
        numbers[square] = square as u8;
        numbers[32 + square] = Standard::GOAL - square as u8;
        square += 1;
    }
    numbers
};

/// For a stone of either side, one in each half: which it is, and its symbol.
const STONE: [[[u8; 64]; 2]; MAX_STONES] = {
    let mut tables = [[[0; 64]; 2]; MAX_STONES];
    let mut stone = 0;
    while stone < MAX_STONES {
        let mut at = 0;
        while at < 64 {
            let which = (stone + at / 32 * MAX_STONES) as u8;
            tables[stone][0][at] = which;
            tables[stone][1][at] = which + 1;
            at += 1;
        }
        stone += 1;
    }
    tables
};

/// The stone of each place of the view from the squares of stones on.
const OF_PLACE: [u8; 64] = {
    let mut stones = [0; 64];
    let mut place = STONE_SQUARES;
    while place < ALIVE + STONES {
        stones[place] = ((place - STONE_SQUARES) % STONES) as u8;
        place += 1;
    }
    stones
};

/// A bit for each of twelve places.
const fn zone(first: usize) -> u64 {
    ((1 << STONES) - 1) << first
}

/// The view: its first 64 places, and the reduced alphabets.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn view<const REDUCED: bool>(position: &Position) -> [__m512i; 2] {
    let bits = _mm512_set1_epi64(position.bits() as i64);
    let squares = _mm512_and_si512(
        _mm512_multishift_epi64_epi8(load(&BITS), bits),
        _mm512_set1_epi8(31),
    );
    let counted = load(&COUNTED);
    let mut board = _mm512_setzero_si512();
    for [which, symbol] in &STONE {
        let there = _mm512_cmpeq_epi8_mask(_mm512_permutexvar_epi8(load(which), squares), counted);
        board = _mm512_mask_max_epu8(board, there, board, load(symbol));
    }
    // The other side's stones have the greater symbols.
    let board = _mm256_max_epu8(
        _mm512_castsi512_si256(board),
        _mm512_extracti64x4_epi64::<1>(board),
    );
    let gone = _mm512_set1_epi8(SQUARES as i8);
    let squares = _mm512_min_epu8(_mm512_permutexvar_epi8(load(&OF_PLACE), squares), gone);
    let distances = _mm512_permutexvar_epi8(squares, load(&DISTANCE));
    let alive = _mm512_mask_cmpneq_epi8_mask(const { zone(ALIVE) }, squares, gone);
    let view = _mm512_mask_mov_epi8(
        _mm512_zextsi256_si512(board),
        const { zone(STONE_SQUARES) },
        squares,
    );
    let view = _mm512_mask_mov_epi8(view, const { zone(DISTANCES) }, distances);
    let view = _mm512_mask_mov_epi8(view, alive, _mm512_set1_epi8(1));
    if !REDUCED {
        return [view, _mm512_setzero_si512()];
    }
    let more = _mm512_mask_add_epi8(
        four_times(LEAST),
        numbers_of(position),
        four_times(LEAST),
        _mm512_set1_epi8(1),
    );
    let tables = _mm512_mask_mov_epi8(four_times(OWNER), u64::from(u32::MAX) << 32, more);
    [
        view,
        _mm512_shuffle_epi8(tables, _mm512_broadcast_i64x4(board)),
    ]
}

/// For each symbol of the board whether other numbers permit it, in each of four parts.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn numbers_of(position: &Position) -> u64 {
    u64::from(permitted_by_other_numbers(position)) * 0x0001_0001_0001_0001
}

/// The symbols at some places.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn look_up<const REDUCED: bool>(view: &[__m512i; 2], places: __m512i) -> __m512i {
    if REDUCED {
        _mm512_permutex2var_epi8(view[0], places, view[1])
    } else {
        _mm512_permutexvar_epi8(places, view[0])
    }
}

/// What the symbols of sixteen tuples add to their rows, before the step's strides.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn quads<const REDUCED: bool>(view: &[__m512i; 2], step: &Step) -> __m512i {
    let symbols = look_up::<REDUCED>(view, load(&step.places));
    _mm512_madd_epi16(
        _mm512_maddubs_epi16(symbols, load(&step.within_pairs)),
        load(&step.pairs),
    )
}

/// The rows of a block's tuples, given its steps.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn block<const REDUCED: bool>(
    view: &[__m512i; 2],
    bases: &[u32; LANES],
    steps: &[Step],
) -> __m512i {
    let mut rows = _mm512_add_epi32(load(bases), quads::<REDUCED>(view, &steps[0]));
    for step in &steps[1..] {
        rows = _mm512_add_epi32(
            rows,
            _mm512_mullo_epi32(quads::<REDUCED>(view, step), load(&step.strides)),
        );
    }
    rows
}

/// # Safety
/// There is a weight for each row that the plan may lead to.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn sum<const REDUCED: bool>(
    plan: &Plan,
    position: &Position,
    weights: &[i32],
) -> i32 {
    let view = view::<REDUCED>(position);
    let mut sums = _mm512_setzero_si512();
    let mut steps = &plan.steps[..];
    for one in &plan.blocks {
        let (own, rest) = steps.split_at(one.steps);
        steps = rest;
        // SAFETY: the caller has weights for all rows of the plan, and the symbols are those of a
        // view.
        sums = _mm512_add_epi32(sums, unsafe {
            block_weights(one, block::<REDUCED>(&view, &one.bases, own), weights)
        });
    }
    _mm512_reduce_add_epi32(sums)
}

/// The weights of a block's tuples, given their rows; 0 in the lanes that have no tuple.
///
/// # Safety
/// There is a weight for each row in a lane that has a tuple.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn block_weights(block: &Block, rows: __m512i, weights: &[i32]) -> __m512i {
    // SAFETY: every symbol is below its cell's number of symbols, so the rows of lanes with a tuple
    // are rows of the plan, for which the caller has weights; the other lanes are not read. Rows
    // are below 2²⁶.
    unsafe {
        _mm512_mask_i32gather_epi32::<4>(
            _mm512_setzero_si512(),
            lanes_of(load(&block.mask)),
            rows,
            weights.as_ptr(),
        )
    }
}

/// The lanes with all bits set.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn lanes_of(lanes: __m512i) -> __mmask16 {
    _mm512_test_epi32_mask(lanes, lanes)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn rows<const REDUCED: bool>(
    plan: &Plan,
    position: &Position,
    first: u32,
    out: &mut [u32],
) {
    let view = view::<REDUCED>(position);
    let mut steps = &plan.steps[..];
    for (one, out) in plan.blocks.iter().zip(out.chunks_mut(LANES)) {
        let (own, rest) = steps.split_at(one.steps);
        steps = rest;
        let rows = _mm512_add_epi32(
            block::<REDUCED>(&view, &one.bases, own),
            _mm512_set1_epi32(first as i32),
        );
        out.copy_from_slice(&numbers(rows)[..out.len()]);
    }
}
