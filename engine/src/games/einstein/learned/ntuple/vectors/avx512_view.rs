//! The view of a position in two registers, and after moves.
//!
//! Invariant: each symbol is below the number of symbols of its cell, whatever the bits of the
//! position and whatever the step; nothing but this file makes such views, and rows of tables
//! follow from them without further checks.

use super::super::{
    cell::{ALIVE, BOARD, CELLS, DISTANCES, MOBILE, OWNERS, SQUARES, STONE_SQUARES, STONES},
    mobility::{MIN_SYMBOLS, Mobility},
    successors::Parent,
};
use super::{DISTANCE, OWNER, avx512::load, permitted_by_other_numbers};
use crate::games::einstein::{MAX_STONES, Position, Standard, learned::steps::Step};
use std::arch::x86_64::*;

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
const CELL_MASKS: [u8; 64] = {
    let mut stones = [0; 64];
    let mut cell_index = STONE_SQUARES;
    while cell_index < ALIVE + STONES {
        stones[cell_index] = ((cell_index - STONE_SQUARES) % STONES) as u8;
        cell_index += 1;
    }
    stones
};

/// A bit for each of twelve places.
const fn zone(first: usize) -> u64 {
    ((1 << STONES) - 1) << first
}

/// Bytes of half a view, all bits set at some places.
const fn marks(cell_indices: &[usize]) -> [[u8; 64]; 2] {
    let mut bytes = [[0; 64]; 2];
    let mut at = 0;
    while at < cell_indices.len() {
        bytes[cell_indices[at] / 64][cell_indices[at] % 64] = 0xFF;
        at += 1;
    }
    bytes
}

/// Tables of vectors that lie as vectors like to.
#[repr(align(64))]
struct Aligned<T>(T);

/// A square of the board, in both halves of the view.
static SQUARE: Aligned<[[[u8; 64]; 2]; 32]> = {
    let mut tables = [[[0; 64]; 2]; 32];
    let mut square = 0;
    while square < SQUARES {
        tables[square] = marks(&[BOARD + square, OWNERS + square, MOBILE + square]);
        square += 1;
    }
    Aligned(tables)
};

/// By stone of the mover: where its square and its distance are.
static MOVED: Aligned<[[u8; 64]; 8]> = {
    let mut tables = [[0; 64]; 8];
    let mut stone = 0;
    while stone < MAX_STONES {
        tables[stone] = marks(&[
            STONE_SQUARES + MAX_STONES + stone,
            DISTANCES + MAX_STONES + stone,
        ])[0];
        stone += 1;
    }
    Aligned(tables)
};

/// By stone, from 1: all that is said of it; nothing for 0.
static LOSS: Aligned<[[u8; 64]; 16]> = {
    let mut tables = [[0; 64]; 16];
    let mut stone = 0;
    while stone < STONES {
        tables[stone + 1] = marks(&[STONE_SQUARES + stone, DISTANCES + stone, ALIVE + stone])[0];
        stone += 1;
    }
    Aligned(tables)
};

/// By square in the owner's perspective, or [`SQUARES`] for none: what is said of any stone there.
static STONE_ON: Aligned<[[u8; 64]; 32]> = {
    let mut tables = [[0; 64]; 32];
    let mut square = 0;
    while square <= SQUARES {
        let mut stone = 0;
        while stone < STONES {
            tables[square][STONE_SQUARES + stone] = square as u8;
            tables[square][DISTANCES + stone] = DISTANCE[square];
            tables[square][ALIVE + stone] = (square < SQUARES) as u8;
            stone += 1;
        }
        square += 1;
    }
    Aligned(tables)
};

const _: () = assert!(CELLS == 128 && ALIVE + STONES <= 64 && OWNERS == 64 && MOBILE == 96);

/// The view: its first 64 places, and the reduced alphabets, all 0 unless `REDUCED`.
#[derive(Clone, Copy)]
pub(super) struct View<const REDUCED: bool>([__m512i; 2]);

impl<const REDUCED: bool> View<REDUCED> {
    /// That of a position, whatever its bits: the board has a stone or nothing, squares are cut
    /// off at [`SQUARES`], and all else is looked up.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn new(position: &Position) -> Self {
        let bits = _mm512_set1_epi64(position.bits() as i64);
        let squares = _mm512_and_si512(
            _mm512_multishift_epi64_epi8(load(&BITS), bits),
            _mm512_set1_epi8(31),
        );
        let counted = load(&COUNTED);
        let mut board = _mm512_setzero_si512();
        for [which, symbol] in &STONE {
            let there =
                _mm512_cmpeq_epi8_mask(_mm512_permutexvar_epi8(load(which), squares), counted);
            board = _mm512_mask_max_epu8(board, there, board, load(symbol));
        }
        // The other side's stones have the greater symbols.
        let board = _mm256_max_epu8(
            _mm512_castsi512_si256(board),
            _mm512_extracti64x4_epi64::<1>(board),
        );
        let gone = _mm512_set1_epi8(SQUARES as i8);
        let squares = _mm512_min_epu8(_mm512_permutexvar_epi8(load(&CELL_MASKS), squares), gone);
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
            return Self([view, _mm512_setzero_si512()]);
        }
        let more = _mm512_mask_add_epi8(
            four_times(MIN_SYMBOLS),
            numbers_of(position),
            four_times(MIN_SYMBOLS),
            _mm512_set1_epi8(1),
        );
        let tables = _mm512_mask_mov_epi8(four_times(OWNER), u64::from(u32::MAX) << 32, more);
        let reduced = _mm512_shuffle_epi8(tables, _mm512_broadcast_i64x4(board));
        Self([view, reduced])
    }

    /// That after a step, whatever the step says: what is put into a place is a symbol of its cell,
    /// or 0.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn after(&self, parent: &Parent<'_>, step: Step, mobility: &Mobility) -> Self {
        let (stone, left, to) = (
            usize::from(step.stone) % 8,
            parent.left_by(step),
            usize::from(step.square & 31),
        );
        // The symbol of a stone, whatever the step says.
        let symbol = (MAX_STONES + stone + 1).min(STONES);
        let [mut first, mut second] = self.0;
        first = select(
            load(&SQUARE.0[to][0]),
            _mm512_set1_epi8(symbol as i8),
            clear(load(&SQUARE.0[left][0]), first),
        );
        if parent.tuples_by_cell.stones {
            let own = Standard::GOAL.wrapping_sub(step.square) & 31;
            first = select(
                load(&MOVED.0[stone]),
                load(&STONE_ON.0[usize::from(own)]),
                first,
            );
            first = select(
                load(&LOSS.0[parent.captured_by(step) % 16]),
                load(&STONE_ON.0[SQUARES]),
                first,
            );
        }
        if REDUCED {
            let owner = _mm256_set1_epi8(OWNER[symbol] as i8);
            let symbols = _mm512_inserti64x4::<1>(
                _mm512_castsi256_si512(owner),
                _mm256_set1_epi8(mobility.of(symbol) as i8),
            );
            second = select(
                load(&SQUARE.0[to][1]),
                symbols,
                clear(load(&SQUARE.0[left][1]), second),
            );
        }
        Self([first, second])
    }

    /// The symbols at some places; with `REDUCED` false only below 64.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn at(&self, cell_indices: __m512i) -> __m512i {
        if REDUCED {
            _mm512_permutex2var_epi8(self.0[0], cell_indices, self.0[1])
        } else {
            _mm512_permutexvar_epi8(cell_indices, self.0[0])
        }
    }
}

/// Bits of `chosen` where those of a mask are set, of `others` elsewhere.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn select(mask: __m512i, chosen: __m512i, others: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0xCA>(mask, chosen, others)
}

/// What `others` has where a mask has nothing.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn clear(mask: __m512i, others: __m512i) -> __m512i {
    _mm512_andnot_si512(mask, others)
}

/// For each symbol of the board whether other numbers permit it, in each of four parts.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn numbers_of(position: &Position) -> u64 {
    u64::from(permitted_by_other_numbers(position)) * 0x0001_0001_0001_0001
}
