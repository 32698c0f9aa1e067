//! Rows and sums of n-tuples for x86-64 by vectors: AVX2, and AVX-512 with permutations of bytes.
//!
//! The view is made in registers: every stone compared with all squares at once; of two stones on a square, which no game
//! has, the last counts, as in `view.rs`. The symbols of four cells of sixteen tuples are one look-up (AVX-512) or one
//! for each piece of the view (AVX2), their rows two instructions more (`plan.rs`), their weights gathers. Invariant: the
//! rows of [`super::TupleSet::indices`] and the bits of [`super::add_lanes`].
#![allow(unsafe_code)]

/// Instructions that n-tuples are computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// What every machine has: the definition.
    Portable,
    /// x86-64 with 256-bit vectors.
    Avx2,
    /// x86-64 with 512-bit vectors and permutations of bytes (VBMI).
    Avx512,
}

impl Instructions {
    /// All of them, the fastest last.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// The fastest this machine has.
    #[must_use]
    pub fn detect() -> Self {
        Self::ALL.into_iter().rev().find(|set| set.is_available()).unwrap_or(Self::Portable)
    }

    /// Whether this machine has it.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512bw")
                    && std::arch::is_x86_feature_detected!("avx512vbmi")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// The name, for tables of measurements.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{rows, sum};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::cell::{ALIVE, DISTANCES, SQUARES, STONE_SQUARES, STONES};
    use super::super::mobility::{LEAST, permitted_by_others};
    use super::super::plan::{LANES, Plan, Step};
    use super::super::set::TupleSet;
    use super::Instructions;
    use crate::games::einstein::{MAX_STONES, Position, Standard};
    use std::arch::x86_64::*;

    /// The sum of the weights of a position's rows; never with portable instructions.
    #[inline]
    pub(in super::super) fn sum(set: &TupleSet, position: &Position, weights: &[f32]) -> f32 {
        // Of the position's phase, and as many as its rows may say.
        let weights = &weights[set.offset(position) as usize..][..set.rows_of_a_phase()];
        // SAFETY: a set only holds instructions of which `is_available` said that the processor has them
        // (`TupleSet::on`, `Instructions::detect`); and there is a weight for each row of a phase.
        unsafe {
            match (set.instructions(), set.is_reduced()) {
                (Instructions::Avx512, false) => avx512::sum::<false>(set.plan(), position, weights),
                (Instructions::Avx512, true) => avx512::sum::<true>(set.plan(), position, weights),
                (_, false) => avx2::sum::<false>(set.plan(), position, weights),
                (_, true) => avx2::sum::<true>(set.plan(), position, weights),
            }
        }
    }

    /// The rows of a position; never with portable instructions.
    #[inline]
    pub(in super::super) fn rows(set: &TupleSet, position: &Position, out: &mut [u32]) {
        let first = set.offset(position);
        // SAFETY: as above.
        unsafe {
            match (set.instructions(), set.is_reduced()) {
                (Instructions::Avx512, false) => avx512::rows::<false>(set.plan(), position, first, out),
                (Instructions::Avx512, true) => avx512::rows::<true>(set.plan(), position, first, out),
                (_, false) => avx2::rows::<false>(set.plan(), position, first, out),
                (_, true) => avx2::rows::<true>(set.plan(), position, first, out),
            }
        }
    }

    /// For each square the distance to the goal, 0 for [`SQUARES`], which stands for a stone that is gone.
    const DISTANCE: [u8; 64] = {
        let mut table = [0; 64];
        let mut square = 0;
        while square < SQUARES {
            let (row, column) = (4 - square / 5, 4 - square % 5);
            table[square] = if row > column { row } else { column } as u8;
            square += 1;
        }
        table
    };

    /// For each symbol of the board whose stone it is.
    const OWNER: [u8; 16] = [0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 0, 0, 0];

    /// For each symbol of the board one bit, set if it is a stone that other numbers than its own permit.
    #[inline]
    fn permitted_by_other_numbers(position: &Position) -> u16 {
        let [mover, other] = [position.mover(), position.other()].map(|side| u16::from(permitted_by_others(side.alive())));
        mover << 1 | other << (1 + MAX_STONES)
    }

    mod avx2 {
        use super::*;

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
            let lanes = _mm256_mullo_epi16(_mm256_shuffle_epi8(bits, load(&BYTES, 0)), load(&UPWARDS, 0));
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
                *board = _mm256_max_epu8(*board, _mm256_and_si256(there, _mm256_set1_epi8(stone as i8 + 1)));
            }
            let board = _mm256_max_epu8(boards[0], boards[1]);
            let gone = _mm256_set1_epi8(SQUARES as i8);
            let squares = _mm256_min_epu8(squares, gone);
            // A table of 25 bytes is two look-ups; an index with its upper bit set finds 0.
            let low = _mm256_shuffle_epi8(twice(NEAR_START), _mm256_adds_epu8(squares, _mm256_set1_epi8(0x70)));
            let high = _mm256_sub_epi8(squares, _mm256_set1_epi8(16));
            let distances = _mm256_or_si256(low, _mm256_shuffle_epi8(twice(NEAR_GOAL), _mm256_adds_epu8(high, _mm256_set1_epi8(0x70))));
            let alive = _mm256_andnot_si256(_mm256_cmpeq_epi8(squares, gone), _mm256_set1_epi8(1));
            const { assert!(STONE_SQUARES == 25 && DISTANCES == 37 && ALIVE == 49) };
            let place = |vector, bytes| _mm256_shuffle_epi8(vector, twice(bytes));
            let first = _mm256_permute2x128_si256::<0x00>(board, board);
            let second = _mm256_or_si256(_mm256_permute2x128_si256::<0x11>(board, board), place(squares, const { moved(0, 9, 7) }));
            let third = _mm256_or_si256(place(squares, const { moved(7, 0, 5) }), place(distances, const { moved(0, 5, 11) }));
            let fourth = _mm256_or_si256(place(distances, const { moved(11, 0, 1) }), place(alive, const { moved(0, 1, 12) }));
            let nothing = _mm256_setzero_si256();
            let mut pieces = [first, second, third, fourth, nothing, nothing, nothing, nothing];
            if REDUCED {
                let owners = _mm256_shuffle_epi8(twice(OWNER), board);
                let numbers = _mm256_set1_epi16(permitted_by_other_numbers(position) as i16);
                let bits = _mm256_set1_epi64x(0x8040_2010_0804_0201u64 as i64);
                let spread = _mm256_and_si256(place(numbers, [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]), bits);
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
                    let found = _mm256_shuffle_epi8(piece, _mm256_adds_epu8(within, _mm256_set1_epi8(0x70)));
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
                rows = _mm256_add_epi32(rows, _mm256_mullo_epi32(quads(pieces, step, half), load(&step.strides, half)));
            }
            rows
        }

        /// # Safety
        /// There is a weight for each row that the plan may lead to.
        #[target_feature(enable = "avx2")]
        pub(super) unsafe fn sum<const REDUCED: bool>(plan: &Plan, position: &Position, weights: &[f32]) -> f32 {
            let pieces = view::<REDUCED>(position);
            let mut sums = [_mm256_setzero_ps(); 2];
            let mut steps = &plan.steps[..];
            for block in &plan.blocks {
                let (own, rest) = steps.split_at(block.steps);
                steps = rest;
                for (half, sum) in sums.iter_mut().enumerate() {
                    let rows = half_block(&pieces, &block.bases, own, half);
                    let mask = _mm256_castsi256_ps(load(&block.mask, half));
                    // SAFETY: every symbol is below its cell's number of symbols, so the rows of lanes with a tuple are rows
                    // of the plan, for which the caller has weights; the other lanes are not read. Rows are below 2²⁶.
                    let found = unsafe { _mm256_mask_i32gather_ps::<4>(_mm256_setzero_ps(), weights.as_ptr(), rows, mask) };
                    *sum = _mm256_add_ps(*sum, found);
                }
            }
            fold(_mm256_add_ps(sums[0], sums[1]))
        }

        #[target_feature(enable = "avx2")]
        pub(super) fn rows<const REDUCED: bool>(plan: &Plan, position: &Position, first: u32, out: &mut [u32]) {
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

        /// The sum of eight lanes, halves first.
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) fn fold(sums: __m256) -> f32 {
            let four = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps::<1>(sums));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
        }
    }

    mod avx512 {
        use super::*;

        /// 64 bytes of an array of numbers.
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
        fn load<T: Copy>(numbers: &[T]) -> __m512i {
            assert!(size_of_val(numbers) >= 64);
            // SAFETY: so many bytes are there; the load needs no alignment, and any bits are a vector.
            unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) }
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
                bits[byte] = if byte % 16 < STONES { (5 * (byte % 16)) as u8 } else { 0 };
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
        fn view<const REDUCED: bool>(position: &Position) -> [__m512i; 2] {
            let bits = _mm512_set1_epi64(position.bits() as i64);
            let squares = _mm512_and_si512(_mm512_multishift_epi64_epi8(load(&BITS), bits), _mm512_set1_epi8(31));
            let counted = load(&COUNTED);
            let mut board = _mm512_setzero_si512();
            for [which, symbol] in &STONE {
                let there = _mm512_cmpeq_epi8_mask(_mm512_permutexvar_epi8(load(which), squares), counted);
                board = _mm512_mask_max_epu8(board, there, board, load(symbol));
            }
            // The other side's stones have the greater symbols.
            let board = _mm256_max_epu8(_mm512_castsi512_si256(board), _mm512_extracti64x4_epi64::<1>(board));
            let gone = _mm512_set1_epi8(SQUARES as i8);
            let squares = _mm512_min_epu8(_mm512_permutexvar_epi8(load(&OF_PLACE), squares), gone);
            let distances = _mm512_permutexvar_epi8(squares, load(&DISTANCE));
            let alive = _mm512_mask_cmpneq_epi8_mask(const { zone(ALIVE) }, squares, gone);
            let view = _mm512_mask_mov_epi8(_mm512_zextsi256_si512(board), const { zone(STONE_SQUARES) }, squares);
            let view = _mm512_mask_mov_epi8(view, const { zone(DISTANCES) }, distances);
            let view = _mm512_mask_mov_epi8(view, alive, _mm512_set1_epi8(1));
            if !REDUCED {
                return [view, _mm512_setzero_si512()];
            }
            let more = _mm512_mask_add_epi8(four_times(LEAST), numbers_of(position), four_times(LEAST), _mm512_set1_epi8(1));
            let tables = _mm512_mask_mov_epi8(four_times(OWNER), u64::from(u32::MAX) << 32, more);
            [view, _mm512_shuffle_epi8(tables, _mm512_broadcast_i64x4(board))]
        }

        /// For each symbol of the board whether other numbers permit it, in each of four parts.
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
        fn numbers_of(position: &Position) -> u64 {
            u64::from(permitted_by_other_numbers(position)) * 0x0001_0001_0001_0001
        }

        /// What the symbols of sixteen tuples add to their rows, before the step's strides.
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
        fn quads<const REDUCED: bool>(view: &[__m512i; 2], step: &Step) -> __m512i {
            let places = load(&step.places);
            let symbols =
                if REDUCED { _mm512_permutex2var_epi8(view[0], places, view[1]) } else { _mm512_permutexvar_epi8(places, view[0]) };
            _mm512_madd_epi16(_mm512_maddubs_epi16(symbols, load(&step.within_pairs)), load(&step.pairs))
        }

        /// The rows of a block's tuples, given its steps.
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
        fn block<const REDUCED: bool>(view: &[__m512i; 2], bases: &[u32; LANES], steps: &[Step]) -> __m512i {
            let mut rows = _mm512_add_epi32(load(bases), quads::<REDUCED>(view, &steps[0]));
            for step in &steps[1..] {
                rows = _mm512_add_epi32(rows, _mm512_mullo_epi32(quads::<REDUCED>(view, step), load(&step.strides)));
            }
            rows
        }

        /// # Safety
        /// There is a weight for each row that the plan may lead to.
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
        pub(super) unsafe fn sum<const REDUCED: bool>(plan: &Plan, position: &Position, weights: &[f32]) -> f32 {
            let view = view::<REDUCED>(position);
            let mut sums = _mm512_setzero_ps();
            let mut steps = &plan.steps[..];
            for one in &plan.blocks {
                let (own, rest) = steps.split_at(one.steps);
                steps = rest;
                let rows = block::<REDUCED>(&view, &one.bases, own);
                let mask = lanes_of(load(&one.mask));
                // SAFETY: every symbol is below its cell's number of symbols, so the rows of lanes with a tuple are rows of
                // the plan, for which the caller has weights; the other lanes are not read. Rows are below 2²⁶.
                let found = unsafe { _mm512_mask_i32gather_ps::<4>(_mm512_setzero_ps(), mask, rows, weights.as_ptr().cast()) };
                sums = _mm512_add_ps(sums, found);
            }
            let high = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(sums)));
            avx2::fold(_mm256_add_ps(_mm512_castps512_ps256(sums), high))
        }

        /// The lanes with all bits set.
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
        fn lanes_of(lanes: __m512i) -> __mmask16 {
            _mm512_test_epi32_mask(lanes, lanes)
        }

        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
        pub(super) fn rows<const REDUCED: bool>(plan: &Plan, position: &Position, first: u32, out: &mut [u32]) {
            let view = view::<REDUCED>(position);
            let mut steps = &plan.steps[..];
            for (one, out) in plan.blocks.iter().zip(out.chunks_mut(LANES)) {
                let (own, rest) = steps.split_at(one.steps);
                steps = rest;
                let rows = _mm512_add_epi32(block::<REDUCED>(&view, &one.bases, own), _mm512_set1_epi32(first as i32));
                let mut found = [0u32; LANES];
                // SAFETY: sixteen numbers of four bytes are a vector; the store needs no alignment.
                unsafe { _mm512_storeu_si512(found.as_mut_ptr().cast(), rows) };
                out.copy_from_slice(&found[..out.len()]);
            }
        }
    }
}
