//! A position's symbols in two AVX-512 registers, also after a move: for any bits of the position
//! and any step each is in its cell's alphabet, on which unchecked loads rely.

use super::super::{
    cells::{
        ALIVE_START, BOARD_START, CELLS, DISTANCES_START, MOBILE_START, OWNERS_START, SQUARES,
        SQUARES_START, STONES,
    },
    mobility::{Mobility, OWN_NUMBER_SYMBOLS},
    successors::Parent,
};
use super::{GOAL_DISTANCE, SYMBOL_OWNER, allowed_by_other_numbers, avx512::load};
use crate::{MAX_STONES, Position, Standard, learned::move_logits::SideMove};
use std::arch::x86_64::*;

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn broadcast_16_bytes(bytes: [u8; 16]) -> __m512i {
    // SAFETY: the array has 16 bytes; unaligned load.
    _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
}

/// First bit, in a position, of the square of stone `byte % 16`.
const LANE_BITS: [u8; 64] = {
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

/// Squares in the mover's, from byte 32 in the other side's perspective; 255 elsewhere.
const BOARD_SQUARES: [u8; 64] = {
    let mut numbers = [255; 64];
    let mut square = 0;
    while square < SQUARES {
        numbers[square] = square as u8;
        numbers[32 + square] = Standard::GOAL - square as u8;
        square += 1;
    }
    numbers
};

/// Index and symbol of stone `i` of each side (one side per half).
const STONE_INDEX_AND_SYMBOL: [[[u8; 64]; 2]; MAX_STONES] = {
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

const CELL_STONES: [u8; 64] = {
    let mut stones = [0; 64];
    let mut cell_index = SQUARES_START;
    while cell_index < ALIVE_START + STONES {
        stones[cell_index] = ((cell_index - SQUARES_START) % STONES) as u8;
        cell_index += 1;
    }
    stones
};

const fn stone_cell_mask(first: usize) -> u64 {
    ((1 << STONES) - 1) << first
}

/// Masks of cells; those below 64 are in the first array.
const fn byte_masks(cell_indices: &[usize]) -> [[u8; 64]; 2] {
    let mut bytes = [[0; 64]; 2];
    let mut at = 0;
    while at < cell_indices.len() {
        bytes[cell_indices[at] / 64][cell_indices[at] % 64] = 0xFF;
        at += 1;
    }
    bytes
}

#[repr(align(64))]
struct Aligned<T>(T);

static SQUARE_CELL_MASKS: Aligned<[[[u8; 64]; 2]; 32]> = {
    let mut tables = [[[0; 64]; 2]; 32];
    let mut square = 0;
    while square < SQUARES {
        tables[square] = byte_masks(&[
            BOARD_START + square,
            OWNERS_START + square,
            MOBILE_START + square,
        ]);
        square += 1;
    }
    Aligned(tables)
};

/// By stone of the side that moved: its square and distance cells.
static MOVED_MASKS: Aligned<[[u8; 64]; 8]> = {
    let mut tables = [[0; 64]; 8];
    let mut stone = 0;
    while stone < MAX_STONES {
        tables[stone] = byte_masks(&[
            SQUARES_START + MAX_STONES + stone,
            DISTANCES_START + MAX_STONES + stone,
        ])[0];
        stone += 1;
    }
    Aligned(tables)
};

/// By stone, from 1: its square, distance and alive cells; empty for 0.
static CAPTURED_MASKS: Aligned<[[u8; 64]; 16]> = {
    let mut tables = [[0; 64]; 16];
    let mut stone = 0;
    while stone < STONES {
        tables[stone + 1] = byte_masks(&[
            SQUARES_START + stone,
            DISTANCES_START + stone,
            ALIVE_START + stone,
        ])[0];
        stone += 1;
    }
    Aligned(tables)
};

/// By square in the owner's perspective ([`SQUARES`] for a gone stone) and cell: symbol of each
/// stone's square, distance and alive cell; 0 for other cells.
static STONE_SYMBOLS: Aligned<[[u8; 64]; 32]> = {
    let mut tables = [[0; 64]; 32];
    let mut square = 0;
    while square <= SQUARES {
        let mut stone = 0;
        while stone < STONES {
            tables[square][SQUARES_START + stone] = square as u8;
            tables[square][DISTANCES_START + stone] = GOAL_DISTANCE[square];
            tables[square][ALIVE_START + stone] = (square < SQUARES) as u8;
            stone += 1;
        }
        square += 1;
    }
    Aligned(tables)
};

const _: () =
    assert!(CELLS == 128 && ALIVE_START + STONES <= 64 && OWNERS_START == 64 && MOBILE_START == 96);

/// Symbols of the first 64 cells, then of compact alphabets, which are 0 unless `COMPACT`.
#[derive(Clone, Copy)]
pub(super) struct SymbolVectors<const COMPACT: bool>([__m512i; 2]);

impl<const COMPACT: bool> SymbolVectors<COMPACT> {
    /// Symbols of a position; stones beyond [`SQUARES`] count as gone.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn new(position: &Position) -> Self {
        let bits = _mm512_set1_epi64(position.bits() as i64);
        let squares = _mm512_and_si512(
            _mm512_multishift_epi64_epi8(load(&LANE_BITS), bits),
            _mm512_set1_epi8(31),
        );
        let counted = load(&BOARD_SQUARES);
        let mut board = _mm512_setzero_si512();
        for [which, symbol] in &STONE_INDEX_AND_SYMBOL {
            let there =
                _mm512_cmpeq_epi8_mask(_mm512_permutexvar_epi8(load(which), squares), counted);
            board = _mm512_mask_max_epu8(board, there, board, load(symbol));
        }
        // Of two stones on a square the other side's counts: its symbol is greater.
        let board = _mm256_max_epu8(
            _mm512_castsi512_si256(board),
            _mm512_extracti64x4_epi64::<1>(board),
        );
        let gone = _mm512_set1_epi8(SQUARES as i8);
        let squares = _mm512_min_epu8(_mm512_permutexvar_epi8(load(&CELL_STONES), squares), gone);
        let distances = _mm512_permutexvar_epi8(squares, load(&GOAL_DISTANCE));
        let alive =
            _mm512_mask_cmpneq_epi8_mask(const { stone_cell_mask(ALIVE_START) }, squares, gone);
        let view = _mm512_mask_mov_epi8(
            _mm512_zextsi256_si512(board),
            const { stone_cell_mask(SQUARES_START) },
            squares,
        );
        let view =
            _mm512_mask_mov_epi8(view, const { stone_cell_mask(DISTANCES_START) }, distances);
        let view = _mm512_mask_mov_epi8(view, alive, _mm512_set1_epi8(1));
        if !COMPACT {
            return Self([view, _mm512_setzero_si512()]);
        }
        let more = _mm512_mask_add_epi8(
            broadcast_16_bytes(OWN_NUMBER_SYMBOLS),
            allowed_mask(position),
            broadcast_16_bytes(OWN_NUMBER_SYMBOLS),
            _mm512_set1_epi8(1),
        );
        let tables = _mm512_mask_mov_epi8(
            broadcast_16_bytes(SYMBOL_OWNER),
            u64::from(u32::MAX) << 32,
            more,
        );
        let reduced = _mm512_shuffle_epi8(tables, _mm512_broadcast_i64x4(board));
        Self([view, reduced])
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn after_move(
        &self,
        parent: &Parent<'_>,
        step: SideMove,
        mobility: &Mobility,
    ) -> Self {
        let (stone, left, to) = (
            usize::from(step.stone) % 8,
            parent.source_of(step),
            usize::from(step.square & 31),
        );
        // A valid stone symbol for any step.
        let symbol = (MAX_STONES + stone + 1).min(STONES);
        let [mut first, mut second] = self.0;
        first = select(
            load(&SQUARE_CELL_MASKS.0[to][0]),
            _mm512_set1_epi8(symbol as i8),
            clear_masked(load(&SQUARE_CELL_MASKS.0[left][0]), first),
        );
        if parent.tuples_by_cell.stones {
            let own = Standard::GOAL.wrapping_sub(step.square) & 31;
            first = select(
                load(&MOVED_MASKS.0[stone]),
                load(&STONE_SYMBOLS.0[usize::from(own)]),
                first,
            );
            first = select(
                load(&CAPTURED_MASKS.0[parent.capture_of(step) % 16]),
                load(&STONE_SYMBOLS.0[SQUARES]),
                first,
            );
        }
        if COMPACT {
            let owner = _mm256_set1_epi8(SYMBOL_OWNER[symbol] as i8);
            let symbols = _mm512_inserti64x4::<1>(
                _mm512_castsi256_si512(owner),
                _mm256_set1_epi8(mobility.symbol_of(symbol) as i8),
            );
            second = select(
                load(&SQUARE_CELL_MASKS.0[to][1]),
                symbols,
                clear_masked(load(&SQUARE_CELL_MASKS.0[left][1]), second),
            );
        }
        Self([first, second])
    }

    /// Symbols of cells, which must be below 64 without `COMPACT`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn gather(&self, cell_indices: __m512i) -> __m512i {
        if COMPACT {
            _mm512_permutex2var_epi8(self.0[0], cell_indices, self.0[1])
        } else {
            _mm512_permutexvar_epi8(cell_indices, self.0[0])
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn select(mask: __m512i, chosen: __m512i, others: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0xCA>(mask, chosen, others)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn clear_masked(mask: __m512i, others: __m512i) -> __m512i {
    _mm512_andnot_si512(mask, others)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn allowed_mask(position: &Position) -> u64 {
    u64::from(allowed_by_other_numbers(position)) * 0x0001_0001_0001_0001
}
