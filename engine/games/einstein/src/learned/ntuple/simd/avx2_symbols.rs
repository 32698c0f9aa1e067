//! A position's symbols in AVX2 vectors: for any bits of the position each is in its cell's
//! alphabet, on which unchecked loads rely.

use super::super::{
    cells::{ALIVE_START, CELLS, DISTANCES_START, SQUARES, SQUARES_START, STONES},
    mobility::OWN_NUMBER_SYMBOLS,
};
use super::{GOAL_DISTANCE, SYMBOL_OWNER, allowed_by_other_numbers, avx2::load};
use crate::{MAX_STONES, Position, Standard};
use std::arch::x86_64::*;

#[inline]
#[target_feature(enable = "avx2")]
fn broadcast_16_bytes(bytes: [u8; 16]) -> __m256i {
    // SAFETY: the array has 16 bytes; unaligned load.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
}

/// The two bytes of a position that hold each stone's square.
const STONE_BYTES: [u8; 32] = {
    let mut bytes = [0x80; 32];
    let mut stone = 0;
    while stone < STONES {
        bytes[2 * stone] = (5 * stone / 8) as u8;
        bytes[2 * stone + 1] = (5 * stone / 8 + 1) as u8;
        stone += 1;
    }
    bytes
};

/// Factors that shift a stone's five bits to the upper end of 16.
const STONE_SHIFT_FACTORS: [u16; 16] = {
    let mut factors = [0; 16];
    let mut stone = 0;
    while stone < STONES {
        factors[stone] = 1 << (11 - 5 * stone % 8);
        stone += 1;
    }
    factors
};

/// Squares in the mover's, then in the other side's perspective; 255 elsewhere.
const BOARD_SQUARES: [[u8; 32]; 2] = {
    let mut numbers = [[0; 32]; 2];
    let mut square = 0;
    while square < 32 {
        let seen = Standard::GOAL.wrapping_sub(square as u8);
        numbers[0][square] = if square < SQUARES { square as u8 } else { 255 };
        numbers[1][square] = if square < SQUARES { seen } else { 255 };
        square += 1;
    }
    numbers
};

/// A shuffle that moves `count` bytes; 0 elsewhere.
const fn shuffle_to(from: usize, to: usize, count: usize) -> [u8; 16] {
    let mut bytes = [0x80; 16];
    let mut at = 0;
    while at < count {
        bytes[to + at] = (from + at) as u8;
        at += 1;
    }
    bytes
}

/// Pieces of 16 symbols, each twice; compact alphabets' cells are 0 unless requested.
pub(super) struct SymbolVectors([__m256i; 8]);

impl SymbolVectors {
    /// Symbols of a position; clamps squares to [`SQUARES`].
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn new<const COMPACT: bool>(position: &Position) -> Self {
        let bits = _mm256_set1_epi64x(position.bits() as i64);
        let lanes = _mm256_mullo_epi16(
            _mm256_shuffle_epi8(bits, load(&STONE_BYTES, 0)),
            load(&STONE_SHIFT_FACTORS, 0),
        );
        let lanes = _mm256_srli_epi16::<11>(lanes);
        // Squares of stones 0–7, then 8–11, in both halves.
        let squares = _mm256_permute4x64_epi64::<0b1000_1000>(_mm256_packus_epi16(lanes, lanes));
        // One board per side, for independent dependency chains.
        let mut boards = [_mm256_setzero_si256(); 2];
        let counted = [load(&BOARD_SQUARES[0], 0), load(&BOARD_SQUARES[1], 0)];
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
        // A table of 25 bytes takes two look-ups; an index with its highest bit set gives 0.
        let low = _mm256_shuffle_epi8(
            broadcast_16_bytes(LOW_SQUARE_DISTANCES),
            _mm256_adds_epu8(squares, _mm256_set1_epi8(0x70)),
        );
        let high = _mm256_sub_epi8(squares, _mm256_set1_epi8(16));
        let distances = _mm256_or_si256(
            low,
            _mm256_shuffle_epi8(
                broadcast_16_bytes(HIGH_SQUARE_DISTANCES),
                _mm256_adds_epu8(high, _mm256_set1_epi8(0x70)),
            ),
        );
        let alive = _mm256_andnot_si256(_mm256_cmpeq_epi8(squares, gone), _mm256_set1_epi8(1));
        const { assert!(SQUARES_START == 25 && DISTANCES_START == 37 && ALIVE_START == 49) };
        let shuffle = |vector, bytes| _mm256_shuffle_epi8(vector, broadcast_16_bytes(bytes));
        let first = _mm256_permute2x128_si256::<0x00>(board, board);
        let second = _mm256_or_si256(
            _mm256_permute2x128_si256::<0x11>(board, board),
            shuffle(squares, const { shuffle_to(0, 9, 7) }),
        );
        let third = _mm256_or_si256(
            shuffle(squares, const { shuffle_to(7, 0, 5) }),
            shuffle(distances, const { shuffle_to(0, 5, 11) }),
        );
        let fourth = _mm256_or_si256(
            shuffle(distances, const { shuffle_to(11, 0, 1) }),
            shuffle(alive, const { shuffle_to(0, 1, 12) }),
        );
        let nothing = _mm256_setzero_si256();
        let mut pieces = [
            first, second, third, fourth, nothing, nothing, nothing, nothing,
        ];
        if COMPACT {
            let owners = _mm256_shuffle_epi8(broadcast_16_bytes(SYMBOL_OWNER), board);
            let numbers = _mm256_set1_epi16(allowed_by_other_numbers(position) as i16);
            let bits = _mm256_set1_epi64x(0x8040_2010_0804_0201u64 as i64);
            let spread = _mm256_and_si256(
                shuffle(numbers, [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]),
                bits,
            );
            let mobile = _mm256_sub_epi8(
                broadcast_16_bytes(OWN_NUMBER_SYMBOLS),
                _mm256_cmpeq_epi8(spread, bits),
            );
            let mobile = _mm256_shuffle_epi8(mobile, board);
            pieces[4] = _mm256_permute2x128_si256::<0x00>(owners, owners);
            pieces[5] = _mm256_permute2x128_si256::<0x11>(owners, owners);
            pieces[6] = _mm256_permute2x128_si256::<0x00>(mobile, mobile);
            pieces[7] = _mm256_permute2x128_si256::<0x11>(mobile, mobile);
        }
        Self(pieces)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn symbols(&self) -> [u8; CELLS] {
        let mut symbols = [0; CELLS];
        for (symbols, &piece) in symbols.as_chunks_mut::<16>().0.iter_mut().zip(&self.0) {
            // SAFETY: 16 bytes are writable; unaligned store.
            unsafe { _mm_storeu_si128(symbols.as_mut_ptr().cast(), _mm256_castsi256_si128(piece)) };
        }
        symbols
    }

    #[inline(always)]
    pub(super) fn pieces(&self) -> &[__m256i; 8] {
        &self.0
    }
}

const LOW_SQUARE_DISTANCES: [u8; 16] = goal_distances_from(0);
const HIGH_SQUARE_DISTANCES: [u8; 16] = goal_distances_from(16);

const fn goal_distances_from(first: usize) -> [u8; 16] {
    let mut distances = [0; 16];
    let mut at = 0;
    while at < 16 {
        distances[at] = GOAL_DISTANCE[first + at];
        at += 1;
    }
    distances
}
