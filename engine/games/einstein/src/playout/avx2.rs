//! 64 playouts in lockstep by AVX2, one byte per game, in two halves. Byte shuffles reach only
//! sixteen table entries, so the allowed stones are computed by arithmetic.
#![allow(unsafe_code)]

use super::{
    byte_lanes::{ByteLanes, SideRows},
    lockstep::{PLIES_PER_ROUND, Status},
    random_bits::LaneRandom,
};
use crate::{MAX_STONES, Standard};
use std::arch::x86_64::*;

const HALF_BYTES: usize = 32;

#[inline]
#[target_feature(enable = "avx2")]
fn load<T: Copy, const COUNT: usize>(numbers: &[T; COUNT]) -> __m256i {
    const { assert!(size_of::<T>() * COUNT == HALF_BYTES) };
    // SAFETY: 32 bytes are readable; unaligned load.
    unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store<T: Copy, const COUNT: usize>(numbers: &mut [T; COUNT], vector: __m256i) {
    const { assert!(size_of::<T>() * COUNT == HALF_BYTES) };
    // SAFETY: 32 bytes are writable, any bits are integers; unaligned store.
    unsafe { _mm256_storeu_si256(numbers.as_mut_ptr().cast(), vector) }
}

const fn repeat_twice(entries: [u8; 16]) -> [u8; HALF_BYTES] {
    let mut both = [0; HALF_BYTES];
    let mut index = 0;
    while index < HALF_BYTES {
        both[index] = entries[index % 16];
        index += 1;
    }
    both
}

/// By rolled face (from 0): the set of stones with at most, then with at least, that number.
static STONES_UP_TO: [u8; HALF_BYTES] = repeat_twice([
    0x01, 0x03, 0x07, 0x0F, 0x1F, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);
static STONES_FROM: [u8; HALF_BYTES] = repeat_twice([
    0x3F, 0x3E, 0x3C, 0x38, 0x30, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);
/// By set of stones 1–4: its highest member, as a set.
static HIGHEST: [u8; HALF_BYTES] = repeat_twice([0, 1, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8]);
/// Offsets of most stones' three steps, from index 4 of the only step sideways, from 8 of the only
/// step forward.
static STEPS: [u8; HALF_BYTES] = repeat_twice([6, 1, 5, 0, 1, 1, 1, 0, 5, 5, 5, 0, 0, 0, 0, 0]);
/// Indices in [`STEPS`] by square, 0–15, then the others.
static STEP_KINDS_BELOW_16: [u8; HALF_BYTES] = repeat_twice(step_kinds_by_square(0));
static STEP_KINDS_FROM_16: [u8; HALF_BYTES] = repeat_twice(step_kinds_by_square(16));

const fn step_kinds_by_square(from: usize) -> [u8; 16] {
    let mut kinds = [0; 16];
    let mut index = 0;
    while index < 16 {
        let square = from + index;
        if square < Standard::SQUARES as usize && Standard::SINGLE_STEP_SQUARES >> square & 1 == 1 {
            let step = Standard::PLAYOUT_DESTINATIONS[square] - square as u8;
            kinds[index] = if step == 1 { 4 } else { 8 };
        }
        index += 1;
    }
    kinds
}

struct Side {
    stones: [__m256i; MAX_STONES],
    alive: __m256i,
    edge: __m256i,
}

impl Side {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(rows: &SideRows, half: usize) -> Self {
        let stone = |stone: usize| load(&rows.stones[stone].as_halves()[half]);
        let stones = [stone(0), stone(1), stone(2), stone(3), stone(4), stone(5)];
        Self {
            stones,
            alive: load(&rows.alive.as_halves()[half]),
            edge: load(&rows.edge.as_halves()[half]),
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn store(&self, rows: &mut SideRows, half: usize) {
        for (row, stone) in rows.stones.iter_mut().zip(self.stones) {
            store(&mut row.half_rows_mut()[half], stone);
        }
        store(&mut rows.alive.half_rows_mut()[half], self.alive);
        store(&mut rows.edge.half_rows_mut()[half], self.edge);
    }
}

struct Draws {
    /// Rolled face, from 0.
    face: __m256i,
    step: __m256i,
    coin: __m256i,
}

#[inline]
#[target_feature(enable = "avx2")]
fn equal_mask(a: __m256i, b: __m256i) -> __m256i {
    _mm256_cmpeq_epi8(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn step_kind_of(square: __m256i) -> __m256i {
    let below = _mm256_shuffle_epi8(load(&STEP_KINDS_BELOW_16), square);
    let above = _mm256_shuffle_epi8(load(&STEP_KINDS_FROM_16), square);
    // Bit 4 of the square, shifted to the highest bit, which the blend tests.
    _mm256_blendv_epi8(below, above, _mm256_slli_epi16::<3>(square))
}

/// Plays a ply; returns a mask of the lanes that `own` wins, arbitrary in idle ones.
#[inline]
#[target_feature(enable = "avx2")]
fn ply<const BY_STONES: bool>(own: &mut Side, other: &mut Side, draws: &Draws) -> __m256i {
    let stone_bit = |stone: usize| _mm256_set1_epi8(1 << stone);
    let zero = _mm256_setzero_si256();
    let below = _mm256_and_si256(
        own.alive,
        _mm256_shuffle_epi8(load(&STONES_UP_TO), draws.face),
    );
    let above = _mm256_and_si256(
        own.alive,
        _mm256_shuffle_epi8(load(&STONES_FROM), draws.face),
    );
    let high = _mm256_and_si256(below, _mm256_set1_epi8(0x30));
    let sixth = _mm256_and_si256(below, _mm256_set1_epi8(0x20));
    // Stone 6 if it is in the set, else stone 5 or none.
    let high = _mm256_blendv_epi8(high, sixth, _mm256_slli_epi16::<2>(below));
    let low = _mm256_shuffle_epi8(
        load(&HIGHEST),
        _mm256_and_si256(below, _mm256_set1_epi8(0x0F)),
    );
    let first = _mm256_or_si256(high, _mm256_and_si256(low, equal_mask(high, zero)));
    let last = _mm256_and_si256(above, _mm256_sub_epi8(zero, above));
    let two = _mm256_set1_epi8(2);
    let of_first = if BY_STONES {
        two
    } else {
        // The comparison is −1 for a single step.
        let first_edge = _mm256_cmpgt_epi8(_mm256_and_si256(own.edge, first), zero);
        let last_edge = _mm256_cmpgt_epi8(_mm256_and_si256(own.edge, last), zero);
        _mm256_sub_epi8(_mm256_add_epi8(two, first_edge), last_edge)
    };
    let takes_first = _mm256_cmpgt_epi8(of_first, draws.coin);
    let chosen = _mm256_blendv_epi8(last, first, takes_first);
    let chosen = _mm256_or_si256(
        chosen,
        _mm256_and_si256(_mm256_or_si256(first, last), equal_mask(chosen, zero)),
    );

    let mut square = zero;
    for stone in 0..MAX_STONES {
        let moves = equal_mask(chosen, stone_bit(stone));
        square = _mm256_or_si256(square, _mm256_and_si256(own.stones[stone], moves));
    }
    let kind = step_kind_of(square);
    let step = _mm256_shuffle_epi8(load(&STEPS), _mm256_or_si256(kind, draws.step));
    let to = _mm256_add_epi8(square, step);

    let goal = _mm256_set1_epi8(Standard::GOAL as i8);
    let mut captured = zero;
    for stone in 0..MAX_STONES {
        let moves = equal_mask(chosen, stone_bit(stone));
        let hit = equal_mask(own.stones[stone], to);
        captured = _mm256_or_si256(captured, _mm256_and_si256(hit, stone_bit(stone)));
        // A gone stone has all bits set.
        own.stones[stone] = _mm256_or_si256(
            _mm256_add_epi8(own.stones[stone], _mm256_and_si256(step, moves)),
            hit,
        );
    }
    own.alive = _mm256_andnot_si256(captured, own.alive);
    let one_step = _mm256_andnot_si256(equal_mask(step_kind_of(to), zero), chosen);
    own.edge = _mm256_or_si256(own.edge, one_step);

    let seen_by_other = _mm256_sub_epi8(goal, to);
    let mut captured = zero;
    for stone in 0..MAX_STONES {
        let hit = equal_mask(other.stones[stone], seen_by_other);
        captured = _mm256_or_si256(captured, _mm256_and_si256(hit, stone_bit(stone)));
        other.stones[stone] = _mm256_or_si256(other.stones[stone], hit);
    }
    other.alive = _mm256_andnot_si256(captured, other.alive);
    _mm256_or_si256(equal_mask(to, goal), equal_mask(other.alive, zero))
}

/// The half of a [`LaneRandom`] bank that serves 32 lanes.
struct Generators {
    low: __m256i,
    high: __m256i,
}

impl Generators {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn next(&mut self) -> __m256i {
        let output = _mm256_add_epi64(self.low, self.high);
        let mixed = _mm256_xor_si256(self.low, self.high);
        let low = _mm256_or_si256(
            _mm256_slli_epi64::<24>(self.low),
            _mm256_srli_epi64::<40>(self.low),
        );
        self.low = _mm256_xor_si256(_mm256_xor_si256(low, mixed), _mm256_slli_epi64::<16>(mixed));
        self.high = _mm256_or_si256(
            _mm256_slli_epi64::<37>(mixed),
            _mm256_srli_epi64::<27>(mixed),
        );
        output
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn draws_of(even: __m256i, odd: __m256i) -> Draws {
    let (six, three, coin) = (
        _mm256_set1_epi16(6),
        _mm256_set1_epi16(3),
        _mm256_set1_epi16(3),
    );
    let join = |even, odd| _mm256_or_si256(even, _mm256_slli_epi16::<8>(odd));
    let face = join(_mm256_mulhi_epu16(even, six), _mm256_mulhi_epu16(odd, six));
    // The product's fraction, times three, gives the step.
    let step_of = |draw| _mm256_mulhi_epu16(_mm256_mullo_epi16(draw, six), three);
    let step = join(step_of(even), step_of(odd));
    Draws {
        face,
        step,
        coin: join(_mm256_and_si256(even, coin), _mm256_and_si256(odd, coin)),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn lane_mask(set: u32) -> __m256i {
    static BYTE: [u8; HALF_BYTES] = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3,
        3, 3,
    ];
    static BIT: [u8; HALF_BYTES] = {
        let mut bits = [0; HALF_BYTES];
        let mut index = 0;
        while index < HALF_BYTES {
            bits[index] = 1 << (index % 8);
            index += 1;
        }
        bits
    };
    let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(set as i32), load(&BYTE));
    equal_mask(_mm256_and_si256(bytes, load(&BIT)), load(&BIT))
}

#[target_feature(enable = "avx2")]
pub(super) fn play_round<const BY_STONES: bool>(lanes: &mut ByteLanes, random: &mut LaneRandom) {
    let mut status = Status::default();
    for half in 0..2 {
        let [first_rows, other_rows] = &mut lanes.sides;
        let (mut first, mut other) = (Side::load(first_rows, half), Side::load(other_rows, half));
        let [low, high] = &mut random.state;
        let generators = |bank: usize| Generators {
            low: load(&low[bank].as_chunks::<4>().0[half]),
            high: load(&high[bank].as_chunks::<4>().0[half]),
        };
        let mut generators = [generators(0), generators(1)];
        let mut running = lane_mask((lanes.status.running >> (32 * half)) as u32);
        let mut first_won = lane_mask((lanes.status.first_won >> (32 * half)) as u32);
        let mut plies = load(&lanes.plies.as_halves()[half]);
        for _ in 0..PLIES_PER_ROUND / 2 {
            plies = _mm256_sub_epi8(plies, running);
            let draws = draws_of(generators[0].next(), generators[1].next());
            let won = ply::<BY_STONES>(&mut first, &mut other, &draws);
            first_won = _mm256_or_si256(first_won, _mm256_and_si256(won, running));
            running = _mm256_andnot_si256(won, running);
            plies = _mm256_sub_epi8(plies, running);
            let draws = draws_of(generators[0].next(), generators[1].next());
            running =
                _mm256_andnot_si256(ply::<BY_STONES>(&mut other, &mut first, &draws), running);
        }
        first.store(first_rows, half);
        other.store(other_rows, half);
        for (bank, generators) in generators.iter().enumerate() {
            store(&mut low[bank].as_chunks_mut::<4>().0[half], generators.low);
            store(
                &mut high[bank].as_chunks_mut::<4>().0[half],
                generators.high,
            );
        }
        store(&mut lanes.plies.half_rows_mut()[half], plies);
        status.running |= u64::from(_mm256_movemask_epi8(running) as u32) << (32 * half);
        status.first_won |= u64::from(_mm256_movemask_epi8(first_won) as u32) << (32 * half);
    }
    lanes.status = status;
}
