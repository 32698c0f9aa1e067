//! 64 playouts in lockstep by AVX-512 with VBMI and VBMI2, one byte per game. Byte permutations
//! look up tables of 64 entries.
#![allow(unsafe_code)]

use super::{
    Tally,
    byte_lanes::{ByteLanes, SideRows},
    lockstep::{PLIES_PER_ROUND, Status},
    random_bits::{LaneRandom, NUM_CODES},
    start_queue::{GONE_BYTE, Starts},
};
use crate::{MAX_STONES, Standard};
use std::arch::x86_64::*;

#[inline]
#[target_feature(enable = "avx512f")]
fn load<T: Copy, const COUNT: usize>(numbers: &[T; COUNT]) -> __m512i {
    const { assert!(size_of::<T>() * COUNT == 64) };
    // SAFETY: 64 bytes are readable; unaligned load.
    unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store<T: Copy, const COUNT: usize>(numbers: &mut [T; COUNT], vector: __m512i) {
    const { assert!(size_of::<T>() * COUNT == 64) };
    // SAFETY: 64 bytes are writable, any bits are integers; unaligned store.
    unsafe { _mm512_storeu_si512(numbers.as_mut_ptr().cast(), vector) }
}

macro_rules! table {
    ($condition:expr, |$index:ident| $entry:expr) => {{
        let mut table = [0u8; 64];
        let mut $index = 0;
        while $index < 64 {
            if $condition {
                table[$index] = $entry;
            }
            $index += 1;
        }
        table
    }};
}

const CODE_LIMIT: usize = NUM_CODES as usize;
/// By `PlyBits::face_step_code`: the set of stones with at most, then with at least, the rolled
/// number.
static STONES_UP_TO: [u8; 64] = table!(code < CODE_LIMIT, |code| (2u8 << (code / 3)) - 1);
static STONES_FROM: [u8; 64] = table!(code < CODE_LIMIT, |code| 63 & !((1u8 << (code / 3)) - 1));
static STEP_OF_CODE: [u8; 64] = table!(code < CODE_LIMIT, |code| 32 * (code % 3) as u8);
/// By set of stones: its highest member alone, as a set; [`LOWEST`]: its lowest.
static HIGHEST: [u8; 64] = table!(set > 0, |set| 1 << (7 - (set as u8).leading_zeros()));
static LOWEST: [u8; 64] = table!(set > 0, |set| 1 << (set as u8).trailing_zeros());
/// By square: 0xFF if only one step is possible from it, else 0.
static SINGLE_STEP_MASKS: [u8; 64] = table!(square < 32, |square| {
    if Standard::SINGLE_STEP_SQUARES >> square & 1 == 1 {
        0xFF
    } else {
        0
    }
});
/// At index square + 32 · step.
static DESTINATIONS: [[u8; 64]; 2] = {
    let mut two_vectors = [[0; 64]; 2];
    let mut index = 0;
    while index < 128 {
        two_vectors[index / 64][index % 64] = Standard::PLAYOUT_DESTINATIONS[index];
        index += 1;
    }
    two_vectors
};

struct Side {
    stones: [__m512i; MAX_STONES],
    alive: __m512i,
    edge: __m512i,
}

impl Side {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(rows: &SideRows) -> Self {
        let stones = [
            load(&rows.stones[0].0),
            load(&rows.stones[1].0),
            load(&rows.stones[2].0),
            load(&rows.stones[3].0),
            load(&rows.stones[4].0),
            load(&rows.stones[5].0),
        ];
        Self {
            stones,
            alive: load(&rows.alive.0),
            edge: load(&rows.edge.0),
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store(&self, rows: &mut SideRows) {
        for (row, stone) in rows.stones.iter_mut().zip(self.stones) {
            store(&mut row.0, stone);
        }
        store(&mut rows.alive.0, self.alive);
        store(&mut rows.edge.0, self.edge);
    }
}

/// Plays a ply; returns a mask of the lanes that `own` wins, arbitrary in idle ones.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn ply<const BY_STONES: bool>(own: &mut Side, other: &mut Side, draws: __m512i) -> u64 {
    let stone_bit = |stone: usize| _mm512_set1_epi8(1 << stone);
    let up_to = _mm512_permutexvar_epi8(draws, load(&STONES_UP_TO));
    let from = _mm512_permutexvar_epi8(draws, load(&STONES_FROM));
    let first = _mm512_permutexvar_epi8(_mm512_and_si512(own.alive, up_to), load(&HIGHEST));
    let last = _mm512_permutexvar_epi8(_mm512_and_si512(own.alive, from), load(&LOWEST));
    let takes_last = if BY_STONES {
        // Whether `PlyBits::stone_choice`, in the two highest bits, is at least 2.
        _mm512_movepi8_mask(draws)
    } else {
        let coin_unit = _mm512_set1_epi8(64);
        let of_first = _mm512_set1_epi8(-128);
        let of_first = _mm512_mask_sub_epi8(
            of_first,
            _mm512_test_epi8_mask(own.edge, first),
            of_first,
            coin_unit,
        );
        let of_first = _mm512_mask_add_epi8(
            of_first,
            _mm512_test_epi8_mask(own.edge, last),
            of_first,
            coin_unit,
        );
        _mm512_cmpge_epu8_mask(draws, of_first)
    };
    // An only allowed stone moves; separate from the choice, for a shorter dependency chain.
    let (no_first, no_last) = (
        _mm512_testn_epi8_mask(first, first),
        _mm512_testn_epi8_mask(last, last),
    );
    let chosen = _mm512_mask_mov_epi8(first, no_first, last);
    let chosen = _mm512_mask_mov_epi8(
        chosen,
        takes_last,
        _mm512_mask_mov_epi8(last, no_last, first),
    );

    let moves: [__mmask64; MAX_STONES] = [
        _mm512_test_epi8_mask(chosen, stone_bit(0)),
        _mm512_test_epi8_mask(chosen, stone_bit(1)),
        _mm512_test_epi8_mask(chosen, stone_bit(2)),
        _mm512_test_epi8_mask(chosen, stone_bit(3)),
        _mm512_test_epi8_mask(chosen, stone_bit(4)),
        _mm512_test_epi8_mask(chosen, stone_bit(5)),
    ];
    let step = _mm512_permutexvar_epi8(draws, load(&STEP_OF_CODE));
    let low = _mm512_maskz_mov_epi8(moves[0], own.stones[0]);
    let low = _mm512_mask_mov_epi8(low, moves[1], own.stones[1]);
    let low = _mm512_mask_mov_epi8(low, moves[2], own.stones[2]);
    let high = _mm512_maskz_mov_epi8(moves[3], own.stones[3]);
    let high = _mm512_mask_mov_epi8(high, moves[4], own.stones[4]);
    let high = _mm512_mask_mov_epi8(high, moves[5], own.stones[5]);
    let index = _mm512_ternarylogic_epi64::<0xFE>(low, high, step);
    let to = _mm512_permutex2var_epi8(load(&DESTINATIONS[0]), index, load(&DESTINATIONS[1]));

    let gone = _mm512_set1_epi8(GONE_BYTE as i8);
    let goal = _mm512_set1_epi8(Standard::GOAL as i8);
    let mut captured = _mm512_setzero_si512();
    for (stone, (squares, moves)) in own.stones.iter_mut().zip(moves).enumerate() {
        let equal = _mm512_cmpeq_epi8_mask(*squares, to);
        captured = _mm512_mask_mov_epi8(captured, equal, stone_bit(stone));
        *squares = _mm512_mask_mov_epi8(*squares, equal, gone);
        *squares = _mm512_mask_mov_epi8(*squares, moves, to);
    }
    own.alive = _mm512_andnot_si512(captured, own.alive);
    // edge | chosen & a single step from the destination.
    own.edge = _mm512_ternarylogic_epi64::<0xF8>(
        own.edge,
        chosen,
        _mm512_permutexvar_epi8(to, load(&SINGLE_STEP_MASKS)),
    );

    let seen_by_other = _mm512_sub_epi8(goal, to);
    let mut captured = _mm512_setzero_si512();
    for (stone, squares) in other.stones.iter_mut().enumerate() {
        let equal = _mm512_cmpeq_epi8_mask(*squares, seen_by_other);
        captured = _mm512_mask_mov_epi8(captured, equal, stone_bit(stone));
        *squares = _mm512_mask_mov_epi8(*squares, equal, gone);
    }
    other.alive = _mm512_andnot_si512(captured, other.alive);
    _mm512_cmpeq_epi8_mask(to, goal) | _mm512_testn_epi8_mask(other.alive, other.alive)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn xoroshiro_next(low: &mut __m512i, high: &mut __m512i) -> __m512i {
    let output = _mm512_add_epi64(*low, *high);
    let mixed = _mm512_xor_si512(*low, *high);
    *low = _mm512_ternarylogic_epi64::<0x96>(
        _mm512_rol_epi64::<24>(*low),
        mixed,
        _mm512_slli_epi64::<16>(mixed),
    );
    *high = _mm512_rol_epi64::<37>(mixed);
    output
}

/// Draws by lane: `PlyBits::face_step_code`, with `PlyBits::stone_choice` in the two highest bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn draws_of(even: __m512i, odd: __m512i) -> __m512i {
    let even_codes = _mm512_mulhi_epu16(even, _mm512_set1_epi16(NUM_CODES as i16));
    // The factor 256 puts the code into the upper byte.
    let odd_codes = _mm512_mulhi_epu16(odd, _mm512_set1_epi16(256 * NUM_CODES as i16));
    let coins = _mm512_set1_epi16(0x00C0);
    // a & b | c
    let even = _mm512_ternarylogic_epi64::<0xEA>(_mm512_slli_epi16::<6>(even), coins, even_codes);
    let odd = _mm512_or_si512(odd_codes, _mm512_slli_epi16::<14>(odd));
    // a ? b : c; even lanes are the lower bytes.
    _mm512_ternarylogic_epi64::<0xCA>(_mm512_set1_epi16(0x00FF), even, odd)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn play_round<const BY_STONES: bool>(lanes: &mut ByteLanes, random: &mut LaneRandom) {
    let [first_rows, other_rows] = &mut lanes.sides;
    let (mut first, mut other) = (Side::load(first_rows), Side::load(other_rows));
    let [low, high] = &random.state;
    let mut low = [load(&low[0]), load(&low[1])];
    let mut high = [load(&high[0]), load(&high[1])];
    let Status {
        mut running,
        mut first_won,
    } = lanes.status;
    let mut plies = load(&lanes.plies.0);
    let one = _mm512_set1_epi8(1);
    for _ in 0..PLIES_PER_ROUND / 2 {
        plies = _mm512_mask_add_epi8(plies, running, plies, one);
        let draws = draws_of(
            xoroshiro_next(&mut low[0], &mut high[0]),
            xoroshiro_next(&mut low[1], &mut high[1]),
        );
        let won = ply::<BY_STONES>(&mut first, &mut other, draws);
        first_won |= won & running;
        running &= !won;
        plies = _mm512_mask_add_epi8(plies, running, plies, one);
        let draws = draws_of(
            xoroshiro_next(&mut low[0], &mut high[0]),
            xoroshiro_next(&mut low[1], &mut high[1]),
        );
        running &= !ply::<BY_STONES>(&mut other, &mut first, draws);
    }
    first.store(first_rows);
    other.store(other_rows);
    for bank in 0..2 {
        store(&mut random.state[0][bank], low[bank]);
        store(&mut random.state[1][bank], high[bank]);
    }
    store(&mut lanes.plies.0, plies);
    lanes.status = Status { running, first_won };
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
pub(super) fn load_starts(lanes: &mut ByteLanes, free: u64, starts: &Starts) {
    let stones = starts.next_squares();
    for (side, rows) in lanes.sides.iter_mut().enumerate() {
        for (row, start) in rows.stones.iter_mut().zip(stones[side]) {
            let expanded = _mm512_mask_expand_epi8(load(&row.0), free, load(start));
            store(&mut row.0, expanded);
        }
        let set = |row: &mut [u8; 64], value: u8| {
            let changed = _mm512_mask_mov_epi8(load(row), free, _mm512_set1_epi8(value as i8));
            store(row, changed);
        };
        set(&mut rows.alive.0, starts.alive[side]);
        set(&mut rows.edge.0, starts.edge[side]);
    }
    let plies = _mm512_maskz_mov_epi8(!free, load(&lanes.plies.0));
    store(&mut lanes.plies.0, plies);
    lanes.status.start_lanes(free);
}

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn count_plies(lanes: &ByteLanes, over: u64, tally: &mut Tally) {
    let plies = _mm512_maskz_mov_epi8(over, load(&lanes.plies.0));
    tally.plies += _mm512_reduce_add_epi64(_mm512_sad_epu8(plies, _mm512_setzero_si512())) as u64;
    // Plies are below 128, so bytes may be signed, and sums of two squares fit 16 bits.
    let pairs = _mm512_maddubs_epi16(plies, plies);
    let squares = _mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
    tally.squared_plies += _mm512_reduce_add_epi32(squares) as u64;
    if _mm512_cmpgt_epu8_mask(plies, _mm512_set1_epi8(tally.longest as i8)) != 0 {
        let mut row = [0u8; 64];
        store(&mut row, plies);
        let longest = row.into_iter().max().map_or(0, u64::from);
        tally.longest = tally.longest.max(longest);
    }
}
