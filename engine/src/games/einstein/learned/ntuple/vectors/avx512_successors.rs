//! What moves change of a sum by AVX-512: only the tuples that look at cells that change are looked
//! up again.
//!
//! A move is four selections of bytes of the view. From the view after it the rows of all tuples
//! would follow in a few instructions a block, but each weight costs a read; so the rows of tuples
//! that a step touches are moved together, those of all moves one after the other, and the weights of
//! the others are taken from the position before. Invariant: the sums of `differences.rs`.

use super::super::{
    mobility::Mobility,
    plan::{self, LANES},
    successors::Parent,
};
use super::{
    avx512::{lanes_of, load, numbers, quads},
    avx512_view::View,
};
use crate::games::einstein::learned::{
    lane_sums,
    steps::{Logits, MAX_STEPS, Step},
};
use std::{arch::x86_64::*, mem::MaybeUninit};

/// Blocks whose tuples are moved together: one word of bits says which of them a step touches.
const GROUP: usize = 4;

/// Room for the rows of a group after all moves, and for one vector more.
const ROOM: usize = MAX_STEPS * GROUP * LANES + LANES;

/// Numbers that are not there until they are stored.
struct Numbers([MaybeUninit<u32>; ROOM]);

impl Numbers {
    /// Sixteen numbers are stored from `at` on.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn store(&mut self, at: usize, numbers: __m512i) {
        let room = &mut self.0[at..][..LANES];
        // SAFETY: there is room for sixteen numbers of four bytes, a vector; the store needs no
        // alignment.
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
            // SAFETY: the caller has stored it, and has a weight for it.
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
            // SAFETY: the caller has had it added up, which wrote it.
            unsafe { self.0[count - 1].assume_init() as i32 }
        }
    }
}

/// Sixteen tuples, kept in registers.
#[derive(Clone, Copy)]
struct Block<'a> {
    bases: __m512i,
    cell_indices: __m512i,
    within_pairs: __m512i,
    pairs: __m512i,
    /// For tuples of more than four cells.
    more: &'a [plan::Step],
    /// The lanes that have a tuple.
    lanes: __mmask16,
}

impl Block<'_> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn rows<const REDUCED: bool, const LONG: bool>(&self, view: &View<REDUCED>) -> __m512i {
        let symbols = view.at(self.cell_indices);
        let mut rows = _mm512_add_epi32(
            self.bases,
            _mm512_madd_epi16(_mm512_maddubs_epi16(symbols, self.within_pairs), self.pairs),
        );
        for step in if LONG { self.more } else { &[] } {
            rows = _mm512_add_epi32(
                rows,
                _mm512_mullo_epi32(quads(view, step), load(&step.strides)),
            );
        }
        rows
    }
}

/// A position, its moves, and what is found of their sums so far.
struct Moves<'a, 'b, const REDUCED: bool> {
    parent: &'a Parent<'b>,
    weights: &'a [i32],
    steps: &'a [Step],
    before: View<REDUCED>,
    /// For each symbol of the board how mobile it is, if tuples look at that.
    mobility: Mobility,
    /// For the position itself, bias included, sixteen parts.
    parent_sum: __m512i,
    /// What each move adds to that, as soon as a group of blocks was added.
    changes: [MaybeUninit<__m512i>; MAX_STEPS],
}

/// Adds what a group of blocks finds, the `part`-th of the set: the rows of all moves first, then
/// all weights, then the sums, so that nothing is read soon after it was stored, and no move waits
/// for the one before.
///
/// # Safety
/// There are as many weights as [`plan::Plan::rows`], and one at least; `REDUCED` is what the plan
/// says. All groups before this one, beginning with 0, have been added to the same moves.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,popcnt")]
unsafe fn add_group<const REDUCED: bool, const LONG: bool, const BLOCKS: usize>(
    moves: &mut Moves<'_, '_, REDUCED>,
    part: usize,
) {
    let nothing = _mm512_setzero_si512();
    let mut blocks = [Block {
        bases: nothing,
        cell_indices: nothing,
        within_pairs: nothing,
        pairs: nothing,
        more: &[],
        lanes: 0,
    }; BLOCKS];
    let mut held = [[0u32; LANES]; BLOCKS];
    for at in 0..BLOCKS {
        let (one, steps) = moves.parent.set.kernels().plan.block(GROUP * part + at);
        let step = &steps[0];
        let (cell_indices, within_pairs, pairs) = (
            load(&step.cell_indices),
            load(&step.within_pairs),
            load(&step.pairs),
        );
        let block = Block {
            bases: load(&one.bases),
            cell_indices,
            within_pairs,
            pairs,
            more: &steps[1..],
            lanes: lanes_of(load(&one.mask)),
        };
        // Lanes without a tuple have a row that there is.
        held[at] = numbers(_mm512_maskz_mov_epi32(
            block.lanes,
            block.rows::<REDUCED, LONG>(&moves.before),
        ));
        blocks[at] = block;
    }
    let mut rows = Numbers([const { MaybeUninit::uninit() }; ROOM]);
    let (mut ends, mut tuple_refs) = ([0; MAX_STEPS], [0; MAX_STEPS]);
    let mut filled = 0;
    for index in 0..moves.steps.len().min(MAX_STEPS) {
        let step = moves.steps[index];
        let after = moves.before.after(moves.parent, step, &moves.mobility);
        tuple_refs[index] = moves.parent.watched_by(step, part);
        for (at, block) in blocks.iter().enumerate() {
            let mask = (tuple_refs[index] >> (LANES * at)) as u16;
            rows.store(
                filled,
                _mm512_maskz_compress_epi32(mask, block.rows::<REDUCED, LONG>(&after)),
            );
            filled += mask.count_ones() as usize;
        }
        ends[index] = filled;
    }
    // Else the compiler takes them out of registers one by one, which costs more than loads.
    let held = std::hint::black_box(&mut held);
    // SAFETY: the first `filled` numbers were stored: each store began where the last one's rows
    // ended. All rows, stored and held, are 0 or those of tuples, for lanes without one have no base
    // and no strides; and the symbols, also after a step, are a view's, each below the number of
    // symbols of its cell. So they are below `Plan::rows`: the caller has a weight for each. Without
    // `LONG` a row may lack parts, which only makes it smaller.
    unsafe {
        for rows in held.iter_mut() {
            for row in rows {
                *row = *moves.weights.get_unchecked(*row as usize) as u32;
            }
        }
        rows.add_up(filled, moves.weights);
    }
    let numbers = held;
    let mut held = [nothing; BLOCKS];
    for at in 0..BLOCKS {
        held[at] = _mm512_maskz_mov_epi32(blocks[at].lanes, load(&numbers[at]));
        moves.parent_sum = _mm512_add_epi32(moves.parent_sum, held[at]);
    }
    let mut before = 0;
    for (index, change) in moves.changes.iter_mut().enumerate().take(moves.steps.len()) {
        let mut vector = if part == 0 {
            nothing
        } else {
            // SAFETY: the first group, which the caller has added, has written it: of the same moves.
            unsafe { change.assume_init() }
        };
        for (at, &held) in held.iter().enumerate() {
            vector = _mm512_mask_sub_epi32(
                vector,
                (tuple_refs[index] >> (LANES * at)) as u16,
                vector,
                held,
            );
        }
        // SAFETY: a move's rows end where `filled` was after it, at most where it was in the end, and
        // so many were added up.
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

/// All sums after steps, of which there are at most [`MAX_STEPS`], bias included.
///
/// # Safety
/// There are as many weights as [`plan::Plan::rows`], and `REDUCED` is what the plan says.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,popcnt")]
pub(super) unsafe fn successors<const REDUCED: bool, const LONG: bool>(
    parent: &Parent<'_>,
    weights: &[i32],
    bias: i32,
    steps: &[Step],
    sums: &mut Logits,
) {
    let before = View::<REDUCED>::new(&parent.flipped);
    let mobility = if REDUCED {
        Mobility::new(
            parent.flipped.mover().alive(),
            parent.flipped.other().alive(),
        )
    } else {
        Mobility::UNKNOWN
    };
    let mut moves = Moves {
        parent,
        weights,
        steps,
        before,
        mobility,
        parent_sum: one_lane(bias),
        changes: [const { MaybeUninit::uninit() }; MAX_STEPS],
    };
    let blocks = parent.set.kernels().plan.blocks().len();
    assert!(blocks > 0);
    for part in 0..blocks.div_ceil(GROUP) {
        // SAFETY: the caller's promise; a plan with a block has a tuple, so a row and a weight; and
        // groups are added in order.
        unsafe {
            match blocks - GROUP * part {
                1 => add_group::<REDUCED, LONG, 1>(&mut moves, part),
                2 => add_group::<REDUCED, LONG, 2>(&mut moves, part),
                3 => add_group::<REDUCED, LONG, 3>(&mut moves, part),
                _ => add_group::<REDUCED, LONG, GROUP>(&mut moves, part),
            }
        }
    }
    let changes = &moves.changes[..steps.len()];
    for (number, out) in sums.as_chunks_mut().0.iter_mut().enumerate() {
        let first = lane_sums::TOGETHER * number;
        if first >= changes.len() {
            break;
        }
        let mut four = [moves.parent_sum; lane_sums::TOGETHER];
        for at in first..changes.len().min(first + lane_sums::TOGETHER) {
            // SAFETY: there is one group of blocks at least (asserted above), and each has written the
            // changes of all steps, of which there are no more than changes (the slice).
            let change = unsafe { changes[at].assume_init() };
            four[at - first] = _mm512_add_epi32(four[at - first], change);
        }
        lane_sums::store(out, lane_sums::of_sixteens(four));
    }
}
