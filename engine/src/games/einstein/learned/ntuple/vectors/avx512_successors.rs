//! What moves change of a sum by AVX-512: only the tuples that look at cells that change are looked
//! up again.
//!
//! A move is four selections of bytes of the view. From the view after it the rows of all tuples
//! would follow in a few instructions a block, but each weight costs a read; so the rows of tuples
//! that are watchers are moved together, those of all moves one after the other, and the weights of
//! the others are taken from the position before. Invariant: the sums of `differences.rs`.

use super::super::cell::{
    ALIVE, BOARD, CELLS, DISTANCES, MOBILE, OWNERS, SQUARES, STONE_SQUARES, STONES,
};
use super::super::mobility;
use super::super::plan::{self, LANES};
use super::super::successors::Parent;
use super::avx512::{lanes_of, load, look_up, numbers, quads, view};
use super::{DISTANCE, OWNER};
use crate::games::einstein::learned::lane_sums;
use crate::games::einstein::learned::steps::{Logits, MOST, Step};
use crate::games::einstein::{MAX_STONES, Standard};
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// Bytes of half a view, all bits set at some places.
const fn marks(places: &[usize]) -> [[u8; 64]; 2] {
    let mut bytes = [[0; 64]; 2];
    let mut at = 0;
    while at < places.len() {
        bytes[places[at] / 64][places[at] % 64] = 0xFF;
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
static STONE: Aligned<[[u8; 64]; 8]> = {
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
static STANDING: Aligned<[[u8; 64]; 32]> = {
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

/// Blocks whose tuples are moved together: one word of bits says which of them are watchers.
const GROUP: usize = 4;

/// Room for the rows of a group after all moves, and for one vector more.
const ROOM: usize = MOST * GROUP * LANES + LANES;

/// Numbers that are not there until they are stored.
struct Numbers([MaybeUninit<u32>; ROOM]);

impl Numbers {
    /// Sixteen numbers are stored from `at` on.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn store(&mut self, at: usize, numbers: __m512i) {
        let room = &mut self.0[at..][..LANES];
        // SAFETY: sixteen numbers of four bytes are a vector; the store needs no alignment.
        unsafe { _mm512_storeu_si512(room.as_mut_ptr().cast(), numbers) }
    }

    /// Puts in the place of each of the first `count` rows the sum of the weights of all rows up to
    /// it, modulo 2³²: of all moves together it may be larger.
    ///
    /// One load after the other: gathers take longer. What a move finds is the difference of two of
    /// these sums, so that nothing depends on how many rows a move has, which no processor
    /// foresees.
    ///
    /// # Safety
    /// As many rows were stored, and there is a weight for each.
    #[inline]
    unsafe fn add_up(&mut self, count: usize, weights: &[i32]) {
        let mut sum = 0;
        for number in &mut self.0[..count] {
            // SAFETY: the caller's promise.
            sum = i32::wrapping_add(sum, unsafe {
                *weights.get_unchecked(number.assume_init() as usize)
            });
            number.write(sum as u32);
        }
    }

    /// The sum of the first `count` weights, modulo 2³².
    ///
    /// # Safety
    /// Those of as many rows have been added up.
    #[inline]
    unsafe fn sum_of(&self, count: usize) -> i32 {
        if count == 0 {
            0
        } else {
            // SAFETY: the caller's promise.
            unsafe { self.0[count - 1].assume_init() as i32 }
        }
    }
}

/// The view after a step.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn view_after<const REDUCED: bool>(
    before: &[__m512i; 2],
    parent: &Parent<'_>,
    step: Step,
    mobility: &[u8; 16],
) -> [__m512i; 2] {
    let (stone, left, to) = (
        usize::from(step.stone) % 8,
        parent.left_by(step),
        usize::from(step.square & 31),
    );
    // The symbol of a stone, whatever the step says.
    let symbol = (MAX_STONES + stone + 1).min(STONES);
    let [mut first, mut second] = *before;
    first = select(
        load(&SQUARE.0[to][0]),
        _mm512_set1_epi8(symbol as i8),
        clear(load(&SQUARE.0[left][0]), first),
    );
    if parent.watchers.stones {
        let own = Standard::GOAL.wrapping_sub(step.square) & 31;
        first = select(
            load(&STONE.0[stone]),
            load(&STANDING.0[usize::from(own)]),
            first,
        );
        first = select(
            load(&LOSS.0[parent.captured_by(step) % 16]),
            load(&STANDING.0[SQUARES]),
            first,
        );
    }
    if REDUCED {
        let owner = _mm256_set1_epi8(OWNER[symbol] as i8);
        let symbols = _mm512_inserti64x4::<1>(
            _mm512_castsi256_si512(owner),
            _mm256_set1_epi8(mobility[symbol] as i8),
        );
        second = select(
            load(&SQUARE.0[to][1]),
            symbols,
            clear(load(&SQUARE.0[left][1]), second),
        );
    }
    [first, second]
}

/// Sixteen tuples, kept in registers.
#[derive(Clone, Copy)]
struct Block<'a> {
    bases: __m512i,
    places: __m512i,
    within_pairs: __m512i,
    pairs: __m512i,
    /// For tuples of more than four cells.
    more: &'a [plan::Step],
    /// The lanes that have a tuple.
    lanes: __mmask16,
}

impl Block<'_> {
    /// The rows of the tuples in a view.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn rows<const REDUCED: bool, const LONG: bool>(&self, view: &[__m512i; 2]) -> __m512i {
        let symbols = look_up::<REDUCED>(view, self.places);
        let mut rows = _mm512_add_epi32(
            self.bases,
            _mm512_madd_epi16(_mm512_maddubs_epi16(symbols, self.within_pairs), self.pairs),
        );
        for step in if LONG { self.more } else { &[] } {
            rows = _mm512_add_epi32(
                rows,
                _mm512_mullo_epi32(quads::<REDUCED>(view, step), load(&step.strides)),
            );
        }
        rows
    }
}

/// A position, its moves, and what is found of their sums so far.
struct Moves<'a, 'b> {
    parent: &'a Parent<'b>,
    weights: &'a [i32],
    steps: &'a [Step],
    before: [__m512i; 2],
    /// For each symbol of the board how mobile it is, if tuples look at that.
    mobility: [u8; 16],
    /// For the position itself, bias included, sixteen parts.
    whole: __m512i,
    /// What each move adds to that, as soon as a group of blocks was added.
    changes: [MaybeUninit<__m512i>; MOST],
}

/// Adds what a group of blocks finds, the `part`-th of the set: the rows of all moves first, then
/// all weights, then the sums, so that nothing is read soon after it was stored, and no move waits
/// for the one before.
///
/// # Safety
/// There is a weight for each row of a phase of the set. All groups before this one, beginning with
/// 0, have been added to the same moves.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,popcnt")]
unsafe fn add_group<const REDUCED: bool, const LONG: bool, const BLOCKS: usize>(
    moves: &mut Moves<'_, '_>,
    part: usize,
) {
    let nothing = _mm512_setzero_si512();
    let mut blocks = [Block {
        bases: nothing,
        places: nothing,
        within_pairs: nothing,
        pairs: nothing,
        more: &[],
        lanes: 0,
    }; BLOCKS];
    let mut held = [[0u32; LANES]; BLOCKS];
    for (at, (block, held)) in blocks.iter_mut().zip(&mut held).enumerate() {
        let (one, steps) = moves.parent.set.kernels().plan.block(GROUP * part + at);
        let step = &steps[0];
        let (places, within_pairs, pairs) = (
            load(&step.places),
            load(&step.within_pairs),
            load(&step.pairs),
        );
        *block = Block {
            bases: load(&one.bases),
            places,
            within_pairs,
            pairs,
            more: &steps[1..],
            lanes: lanes_of(load(&one.mask)),
        };
        // Lanes without a tuple have a row that there is.
        *held = numbers(_mm512_maskz_mov_epi32(
            block.lanes,
            block.rows::<REDUCED, LONG>(&moves.before),
        ));
    }
    let mut rows = Numbers([const { MaybeUninit::uninit() }; ROOM]);
    let (mut ends, mut watchers) = ([0; MOST], [0; MOST]);
    let mut filled = 0;
    for ((&step, watchers), end) in moves.steps.iter().zip(&mut watchers).zip(&mut ends) {
        let after = view_after::<REDUCED>(&moves.before, moves.parent, step, &moves.mobility);
        *watchers = moves.parent.watched_by(step, part);
        for (at, block) in blocks.iter().enumerate() {
            let mask = (*watchers >> (LANES * at)) as u16;
            rows.store(
                filled,
                _mm512_maskz_compress_epi32(mask, block.rows::<REDUCED, LONG>(&after)),
            );
            filled += mask.count_ones() as usize;
        }
        *end = filled;
    }
    // Else the compiler takes them out of registers one by one, which costs more than loads.
    let held = std::hint::black_box(&mut held);
    // SAFETY: all of them were stored, and all that are held. They are rows of tuples, for which
    // the caller has weights: every symbol is one of its cell, also where a step has put it into
    // the view.
    unsafe {
        for row in held.as_flattened_mut() {
            *row = *moves.weights.get_unchecked(*row as usize) as u32;
        }
        rows.add_up(filled, moves.weights);
    }
    let mut held = held.each_ref().map(|held| load(held));
    for (held, block) in held.iter_mut().zip(&blocks) {
        *held = _mm512_maskz_mov_epi32(block.lanes, *held);
        moves.whole = _mm512_add_epi32(moves.whole, *held);
    }
    let mut before = 0;
    for (index, change) in moves.changes.iter_mut().enumerate().take(moves.steps.len()) {
        let mut vector = if part == 0 {
            nothing
        } else {
            // SAFETY: the first group has written it.
            unsafe { change.assume_init() }
        };
        for (at, &held) in held.iter().enumerate() {
            vector = _mm512_mask_sub_epi32(
                vector,
                (watchers[index] >> (LANES * at)) as u16,
                vector,
                held,
            );
        }
        // SAFETY: all that are filled were added up, and that is where the last one ends.
        let found = unsafe { rows.sum_of(ends[index]) };
        change.write(_mm512_add_epi32(
            vector,
            one_lane(found.wrapping_sub(before)),
        ));
        before = found;
    }
}

/// A number and fifteen zeros.
#[inline]
#[target_feature(enable = "avx512f")]
fn one_lane(number: i32) -> __m512i {
    _mm512_zextsi128_si512(_mm_cvtsi32_si128(number))
}

/// All sums after steps, of which there are at most [`MOST`], bias included.
///
/// # Safety
/// There is a weight for each row of a phase of the set.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,popcnt")]
pub(super) unsafe fn successors<const REDUCED: bool, const LONG: bool>(
    parent: &Parent<'_>,
    weights: &[i32],
    bias: i32,
    steps: &[Step],
    sums: &mut Logits,
) {
    let before = view::<REDUCED>(&parent.turned);
    let mobility = if REDUCED {
        mobility::symbols(parent.turned.mover().alive(), parent.turned.other().alive())
    } else {
        [0; 16]
    };
    let mut moves = Moves {
        parent,
        weights,
        steps,
        before,
        mobility,
        whole: one_lane(bias),
        changes: [const { MaybeUninit::uninit() }; MOST],
    };
    let blocks = parent.set.kernels().plan.blocks.len();
    assert!(blocks > 0);
    for part in 0..blocks.div_ceil(GROUP) {
        // SAFETY: the caller's promise, and groups are added in order.
        unsafe {
            match blocks - GROUP * part {
                1 => add_group::<REDUCED, LONG, 1>(&mut moves, part),
                2 => add_group::<REDUCED, LONG, 2>(&mut moves, part),
                3 => add_group::<REDUCED, LONG, 3>(&mut moves, part),
                _ => add_group::<REDUCED, LONG, GROUP>(&mut moves, part),
            }
        }
    }
    for (changes, out) in moves.changes[..steps.len()]
        .chunks(lane_sums::TOGETHER)
        .zip(sums.as_chunks_mut().0)
    {
        let mut four = [moves.whole; lane_sums::TOGETHER];
        for (sum, change) in four.iter_mut().zip(changes) {
            // SAFETY: there is one group of blocks at least, and it has written those of all steps.
            *sum = _mm512_add_epi32(*sum, unsafe { change.assume_init() });
        }
        lane_sums::store(out, lane_sums::of_sixteens(four));
    }
}
