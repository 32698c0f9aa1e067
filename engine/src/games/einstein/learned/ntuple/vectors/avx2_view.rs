//! The view of a position in its pieces of 16 bytes.
//!
//! Invariant: each symbol is below the number of symbols of its cell, whatever the bits of the
//! position; nothing but this file makes such views, and rows of tables follow from them without
//! further checks.

use super::super::{
    cell::{ALIVE, CELLS, DISTANCES, SQUARES, STONE_SQUARES, STONES},
    mobility::MIN_SYMBOLS,
};
use super::{DISTANCE, OWNER, avx2::load, permitted_by_other_numbers};
use crate::games::einstein::{MAX_STONES, Position, Standard};
use std::arch::x86_64::*;

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

/// The pieces, each twice; the reduced alphabets are 0 unless they are asked for.
pub(super) struct View([__m256i; 8]);

impl View {
    /// That of a position, whatever its bits: the board has a stone or nothing, squares are cut
    /// off at [`SQUARES`], and all else is looked up.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn new<const REDUCED: bool>(position: &Position) -> Self {
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
        let shuffle = |vector, bytes| _mm256_shuffle_epi8(vector, twice(bytes));
        let first = _mm256_permute2x128_si256::<0x00>(board, board);
        let second = _mm256_or_si256(
            _mm256_permute2x128_si256::<0x11>(board, board),
            shuffle(squares, const { moved(0, 9, 7) }),
        );
        let third = _mm256_or_si256(
            shuffle(squares, const { moved(7, 0, 5) }),
            shuffle(distances, const { moved(0, 5, 11) }),
        );
        let fourth = _mm256_or_si256(
            shuffle(distances, const { moved(11, 0, 1) }),
            shuffle(alive, const { moved(0, 1, 12) }),
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
                shuffle(numbers, [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]),
                bits,
            );
            // One is added by taking away -1.
            let mobile = _mm256_sub_epi8(twice(MIN_SYMBOLS), _mm256_cmpeq_epi8(spread, bits));
            let mobile = _mm256_shuffle_epi8(mobile, board);
            pieces[4] = _mm256_permute2x128_si256::<0x00>(owners, owners);
            pieces[5] = _mm256_permute2x128_si256::<0x11>(owners, owners);
            pieces[6] = _mm256_permute2x128_si256::<0x00>(mobile, mobile);
            pieces[7] = _mm256_permute2x128_si256::<0x11>(mobile, mobile);
        }
        Self(pieces)
    }

    /// The symbols by place.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn symbols(&self) -> [u8; CELLS] {
        let mut symbols = [0; CELLS];
        for (symbols, &piece) in symbols.as_chunks_mut::<16>().0.iter_mut().zip(&self.0) {
            // SAFETY: there are 16 bytes; the store needs no alignment.
            unsafe { _mm_storeu_si128(symbols.as_mut_ptr().cast(), _mm256_castsi256_si128(piece)) };
        }
        symbols
    }

    #[inline(always)]
    pub(super) fn pieces(&self) -> &[__m256i; 8] {
        &self.0
    }
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
