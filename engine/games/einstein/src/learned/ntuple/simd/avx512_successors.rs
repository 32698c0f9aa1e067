//! Incremental sums after moves by AVX-512: only rows of tuples with changed cells are compacted
//! (for all moves, in order) and loaded.

use super::super::{
    mobility::Mobility,
    successors::Parent,
    tuple_blocks::{self, LANES},
};
use super::{
    avx512::{combine_four_cells, load, nonzero_lanes, to_numbers},
    avx512_symbols::SymbolVectors,
};
use crate::learned::move_logits::{Logits, MAX_STEPS, SideMove};
use alea_learned::horizontal_sums;
use std::{arch::x86_64::*, mem::MaybeUninit};

/// Blocks per group, whose changed tuples 64 bits mark.
const BLOCKS_PER_GROUP: usize = 4;

/// Rows of a group after all moves, plus one vector.
const ROWS_CAPACITY: usize = MAX_STEPS * BLOCKS_PER_GROUP * LANES + LANES;

struct RowBuffer([MaybeUninit<u32>; ROWS_CAPACITY]);

impl RowBuffer {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn store(&mut self, at: usize, numbers: __m512i) {
        let room = &mut self.0[at..][..LANES];
        // SAFETY: sixteen numbers of four bytes, a vector, fit; unaligned store.
        unsafe { _mm512_storeu_si512(room.as_mut_ptr().cast(), numbers) }
    }

    /// Replaces the first `count` rows by running sums of their weights, modulo 2³². A move's sum
    /// is then a difference of two, without a branch on its number of rows.
    ///
    /// # Safety
    /// `count` rows were stored, with a weight for each.
    #[inline]
    unsafe fn replace_by_prefix_sums(&mut self, count: usize, weights: &[i32]) {
        let mut sum = 0;
        for number in &mut self.0[..count] {
            // SAFETY: the caller has stored the row, and has a weight for it.
            sum = i32::wrapping_add(sum, unsafe {
                *weights.get_unchecked(number.assume_init() as usize)
            });
            number.write(sum as u32);
        }
    }

    /// Sum of the first `count` weights, modulo 2³².
    ///
    /// # Safety
    /// `replace_by_prefix_sums` was called with at least this `count`.
    #[inline]
    unsafe fn prefix_sum(&self, count: usize) -> i32 {
        if count == 0 {
            0
        } else {
            // SAFETY: `replace_by_prefix_sums` has written it.
            unsafe { self.0[count - 1].assume_init() as i32 }
        }
    }
}

#[derive(Clone, Copy)]
struct LoadedBlock<'a> {
    bases: __m512i,
    cell_indices: __m512i,
    within_pairs: __m512i,
    pairs: __m512i,
    more: &'a [tuple_blocks::LookupStep],
    lanes: __mmask16,
}

impl LoadedBlock<'_> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn rows<const COMPACT: bool, const LONG: bool>(
        &self,
        view: &SymbolVectors<COMPACT>,
    ) -> __m512i {
        let symbols = view.gather(self.cell_indices);
        let mut rows = _mm512_add_epi32(
            self.bases,
            _mm512_madd_epi16(_mm512_maddubs_epi16(symbols, self.within_pairs), self.pairs),
        );
        for step in if LONG { self.more } else { &[] } {
            rows = _mm512_add_epi32(
                rows,
                _mm512_mullo_epi32(combine_four_cells(view, step), load(&step.strides)),
            );
        }
        rows
    }
}

struct Moves<'a, 'b, const COMPACT: bool> {
    parent: &'a Parent<'b>,
    weights: &'a [i32],
    steps: &'a [SideMove],
    before: SymbolVectors<COMPACT>,
    mobility: Mobility,
    /// Bias included.
    parent_sum: __m512i,
    /// Each move's difference, initialised by the first group of blocks.
    changes: [MaybeUninit<__m512i>; MAX_STEPS],
}

/// Adds a group's rows: first those of all moves, then all weights, then the sums, so that loads do
/// not wait for recent stores, nor moves for each other.
///
/// # Safety
/// `weights` has `SimdLayout::num_rows` entries, at least one; `COMPACT` is
/// `SimdLayout::has_compact_alphabet`. Groups are added in order from 0, to the same moves.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,popcnt")]
unsafe fn add_block_group<const COMPACT: bool, const LONG: bool, const BLOCKS: usize>(
    moves: &mut Moves<'_, '_, COMPACT>,
    part: usize,
) {
    let nothing = _mm512_setzero_si512();
    let mut blocks = [LoadedBlock {
        bases: nothing,
        cell_indices: nothing,
        within_pairs: nothing,
        pairs: nothing,
        more: &[],
        lanes: 0,
    }; BLOCKS];
    let mut current_rows = [[0u32; LANES]; BLOCKS];
    for at in 0..BLOCKS {
        let (one, steps) = moves
            .parent
            .set
            .kernels()
            .plan
            .block(BLOCKS_PER_GROUP * part + at);
        let step = &steps[0];
        let (cell_indices, within_pairs, pairs) = (
            load(&step.cell_indices),
            load(&step.within_pairs),
            load(&step.pairs),
        );
        let block = LoadedBlock {
            bases: load(&one.bases),
            cell_indices,
            within_pairs,
            pairs,
            more: &steps[1..],
            lanes: nonzero_lanes(load(&one.mask)),
        };
        // Lanes without a tuple get a valid row.
        current_rows[at] = to_numbers(_mm512_maskz_mov_epi32(
            block.lanes,
            block.rows::<COMPACT, LONG>(&moves.before),
        ));
        blocks[at] = block;
    }
    let mut rows = RowBuffer([const { MaybeUninit::uninit() }; ROWS_CAPACITY]);
    let (mut ends, mut tuple_refs) = ([0; MAX_STEPS], [0; MAX_STEPS]);
    let mut filled = 0;
    for index in 0..moves.steps.len().min(MAX_STEPS) {
        let step = moves.steps[index];
        let after = moves.before.after_move(moves.parent, step, &moves.mobility);
        tuple_refs[index] = moves.parent.tuples_changed_by(step, part);
        for (at, block) in blocks.iter().enumerate() {
            let mask = (tuple_refs[index] >> (LANES * at)) as u16;
            rows.store(
                filled,
                _mm512_maskz_compress_epi32(mask, block.rows::<COMPACT, LONG>(&after)),
            );
            filled += mask.count_ones() as usize;
        }
        ends[index] = filled;
    }
    let current_rows = std::hint::black_box(&mut current_rows);
    // SAFETY: the first `filled` numbers were stored: each store began at the end of the last one's
    // rows. All rows are 0 or those of tuples, since lanes without one have zero base and strides;
    // symbols are in their alphabets, also after a step. So rows are below `SimdLayout::rows`, the
    // number of weights. Without `LONG` a row may lack steps, which only makes it smaller.
    unsafe {
        for rows in current_rows.iter_mut() {
            for row in rows {
                *row = *moves.weights.get_unchecked(*row as usize) as u32;
            }
        }
        rows.replace_by_prefix_sums(filled, moves.weights);
    }
    let numbers = current_rows;
    let mut current_rows = [nothing; BLOCKS];
    for at in 0..BLOCKS {
        current_rows[at] = _mm512_maskz_mov_epi32(blocks[at].lanes, load(&numbers[at]));
        moves.parent_sum = _mm512_add_epi32(moves.parent_sum, current_rows[at]);
    }
    let mut before = 0;
    for (index, change) in moves.changes.iter_mut().enumerate().take(moves.steps.len()) {
        let mut vector = if part == 0 {
            nothing
        } else {
            // SAFETY: the first group has initialised it, for the same moves.
            unsafe { change.assume_init() }
        };
        for (at, &current_rows) in current_rows.iter().enumerate() {
            vector = _mm512_mask_sub_epi32(
                vector,
                (tuple_refs[index] >> (LANES * at)) as u16,
                vector,
                current_rows,
            );
        }
        // SAFETY: a move's rows end at the `filled` of its iteration, at most the final one; so
        // many were accumulated.
        let found = unsafe { rows.prefix_sum(ends[index]) };
        change.write(_mm512_add_epi32(
            vector,
            in_first_lane(found.wrapping_sub(before)),
        ));
        before = found;
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn in_first_lane(number: i32) -> __m512i {
    _mm512_zextsi128_si512(_mm_cvtsi32_si128(number))
}

/// The sum after each move (at most [`MAX_STEPS`]), bias included.
///
/// # Safety
/// `weights` has `SimdLayout::num_rows` entries, and `COMPACT` is
/// `SimdLayout::has_compact_alphabet`.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,popcnt")]
pub(super) unsafe fn successors<const COMPACT: bool, const LONG: bool>(
    parent: &Parent<'_>,
    weights: &[i32],
    bias: i32,
    steps: &[SideMove],
    sums: &mut Logits,
) {
    let before = SymbolVectors::<COMPACT>::new(&parent.flipped);
    let mobility = if COMPACT {
        Mobility::new(
            parent.flipped.mover().living_set(),
            parent.flipped.other().living_set(),
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
        parent_sum: in_first_lane(bias),
        changes: [const { MaybeUninit::uninit() }; MAX_STEPS],
    };
    let blocks = parent.set.kernels().plan.blocks().len();
    assert!(blocks > 0);
    for part in 0..blocks.div_ceil(BLOCKS_PER_GROUP) {
        // SAFETY: the caller's guarantee; a plan with a block has a tuple, so a row and a weight;
        // groups are added in order.
        unsafe {
            match blocks - BLOCKS_PER_GROUP * part {
                1 => add_block_group::<COMPACT, LONG, 1>(&mut moves, part),
                2 => add_block_group::<COMPACT, LONG, 2>(&mut moves, part),
                3 => add_block_group::<COMPACT, LONG, 3>(&mut moves, part),
                _ => add_block_group::<COMPACT, LONG, BLOCKS_PER_GROUP>(&mut moves, part),
            }
        }
    }
    let changes = &moves.changes[..steps.len()];
    for (number, out) in sums.as_chunks_mut().0.iter_mut().enumerate() {
        let first = horizontal_sums::NUM_VECTORS * number;
        if first >= changes.len() {
            break;
        }
        let mut four = [moves.parent_sum; horizontal_sums::NUM_VECTORS];
        for at in first..changes.len().min(first + horizontal_sums::NUM_VECTORS) {
            // SAFETY: at least one group exists (asserted above), and each initialises the
            // differences of all steps, which the slice does not exceed.
            let change = unsafe { changes[at].assume_init() };
            four[at - first] = _mm512_add_epi32(four[at - first], change);
        }
        horizontal_sums::store_totals(out, horizontal_sums::sums_of_sixteens(four));
    }
}
