//! Kernels of lockstep playouts, compiled for each instruction set over its operations. Byte
//! shuffles reach sixteen table entries, so squares have codes ([`lane_square`]) and the allowed
//! stones are computed by arithmetic.
#![allow(unsafe_code)]

macro_rules! table {
    (|$index:ident| $entry:expr) => {{
        let mut table = [0u8; 16];
        let mut $index: u8 = 0;
        while $index < 16 {
            table[$index as usize] = $entry;
            $index += 1;
        }
        table
    }};
}

#[macro_use]
mod operations;
#[cfg(target_arch = "x86_64")]
mod avx2_ops;
#[cfg(target_arch = "x86_64")]
mod avx512_ops;
#[cfg(target_arch = "aarch64")]
mod neon_ops;

use super::{ByteLanes, LANES, LaneRandom, SideRows, Starts, Status, Tally, lane_square};
use crate::{
    Standard,
    playout::{lockstep::PLIES_PER_BATCH, random_bits::NUM_CODES},
};

/// Shuffles look up a code c = 3 · face + step (0–17) at `CODE_BASE` − c: the low four bits are
/// 17 − c. For c = 0 and 1 the highest bit is set, and shuffles give 0, the right entry.
const CODE_BASE: u8 = 0x80 + 1;

/// Three times the rolled face (from 0), by [`CODE_BASE`] − code.
static FACE_TIMES_3: [u8; 16] = table!(|rest| (NUM_CODES as u8 - 1 - rest) / 3 * 3);
static STONES_BELOW: [u8; 16] = table!(|rest| (1u8 << ((NUM_CODES as u8 - 1 - rest) / 3)) - 1);
static HIGHEST: [u8; 16] = table!(|set| if set == 0 { 0 } else { 1 << set.ilog2() });

/// 32 · (1 − c) by stone choice c. The last allowed stone moves if the bit of the first (0 unless
/// it has a single step) exceeds this, plus 32 if the last has a single step.
static COINS: [u8; 16] = table!(|choice| 32u8.wrapping_sub(choice << 5));

const SIDEWAYS: u8 = lane_square(1) - lane_square(0);
const FORWARD: u8 = lane_square(5) - lane_square(0);
/// What a step adds beyond [`SIDEWAYS`], by 3 · column + step; 0 in the last row, whose squares
/// have the highest bit set.
static BEYOND_SIDEWAYS: [u8; 16] = table!(|index| match (index / 3, index % 3) {
    (4.., _) | (_, 2) => FORWARD - SIDEWAYS,
    (_, 0) => FORWARD,
    _ => 0,
});
/// 0xFF by square code if several steps are possible, else 0.
static SEVERAL_STEPS: [u8; 16] = table!(|index| if index < 12 { 0xFF } else { 0 });

fn sixteen_from(bytes: &[u8; LANES], start: usize) -> &[u8; 16] {
    bytes[start..].first_chunk().unwrap_or(&[0; 16])
}

macro_rules! kernels {
    ($name:ident, $features:literal, $operations:ident) => {
        pub(in super::super) mod $name {
            use super::$operations::{self as v, Mask, Vector};
            use super::*;

            struct Draws {
                /// Bit set of stones up to the rolled number; `below`: less than it.
                up_to: Vector,
                below: Vector,
                step: Vector,
                coin: Vector,
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn next(low: &mut [u64; 8], high: &mut [u64; 8]) -> Vector {
                let (a, b) = (v::load(low), v::load(high));
                let mixed = v::xor(a, b);
                let changed = v::xor(
                    v::xor(v::rotate_left::<24, 40>(a), mixed),
                    v::shl64::<16>(mixed),
                );
                v::store(changed, low);
                v::store(v::rotate_left::<37, 27>(mixed), high);
                v::add64(a, b)
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn draws_of(even: Vector, odd: Vector) -> Draws {
                let upper = v::splat16(0xFF00);
                let even_codes = v::mulhi16(even, v::splat16(NUM_CODES));
                // The factor 256 puts the code into the upper byte.
                let odd_codes = v::mulhi16(odd, v::splat16(256 * NUM_CODES));
                let code = v::or(even_codes, v::and(odd_codes, upper));
                let coins = v::or(v::andnot(upper, even), v::shl16::<8>(odd));
                let index = v::sub8(v::splat(CODE_BASE), code);
                let below = v::shuffle(v::table(&STONES_BELOW), index);
                Draws {
                    up_to: v::or(v::add8(below, below), v::splat(1)),
                    below,
                    step: v::sub8(code, v::shuffle(v::table(&FACE_TIMES_3), index)),
                    coin: v::shuffle(v::table(&COINS), v::and(coins, v::splat(3))),
                }
            }

            /// Plays a ply; returns the mask of lanes that `own` wins, arbitrary in idle lanes.
            #[inline]
            #[target_feature(enable = $features)]
            fn ply<const BY_STONES: bool>(
                own: &mut SideRows,
                other: &mut SideRows,
                draws: &Draws,
            ) -> Mask {
                let zero = v::splat(0);
                let (alive, edge) = (v::load(&own.alive.0), v::load(&own.edge.0));
                let up_to = v::and(alive, draws.up_to);
                let from = v::andnot(draws.below, alive);
                // Stone 6, 5 or none.
                let high = v::min8(v::and(up_to, v::splat(0x30)), v::splat(0x20));
                let first = v::max8(v::shuffle(v::table(&HIGHEST), up_to), high);
                let last = v::and(from, v::sub8(zero, from));
                let (first_single, limit) = if BY_STONES {
                    (zero, draws.coin)
                } else {
                    let last_single = v::equal(v::and(edge, last), last);
                    let limit = v::add8(draws.coin, v::masked(last_single, v::splat(32)));
                    (v::and(edge, first), limit)
                };
                // Where only one stone is allowed, it moves.
                let chosen = v::blend(
                    v::greater(first_single, limit),
                    v::max8(first, last),
                    v::or(first, v::masked(v::equal(up_to, zero), last)),
                );

                let moves = [
                    v::equal(chosen, v::splat(1)),
                    v::equal(chosen, v::splat(2)),
                    v::equal(chosen, v::splat(4)),
                    v::equal(chosen, v::splat(8)),
                    v::equal(chosen, v::splat(16)),
                    v::equal(chosen, v::splat(32)),
                ];
                let square = |stone: usize| v::load(&own.stones[stone].0);
                let four = v::or(
                    v::merge(v::masked(moves[0], square(0)), moves[1], square(1)),
                    v::merge(v::masked(moves[2], square(2)), moves[3], square(3)),
                );
                let two = v::merge(v::masked(moves[4], square(4)), moves[5], square(5));
                let index = v::add8(four, v::add8(two, draws.step));
                let beyond = v::shuffle(v::table(&BEYOND_SIDEWAYS), index);
                let sideways = v::add8(v::or(four, two), v::splat(SIDEWAYS));
                let to = v::add8(sideways, beyond);
                let opposite = v::sub8(
                    v::splat(lane_square(0) + lane_square(Standard::GOAL)),
                    sideways,
                );
                let opposite = v::sub8(opposite, beyond);

                // Captured stones keep their squares: capturing them again changes nothing.
                let (mut captured, mut captured_other) = (zero, zero);
                for stone in [0, 2, 4] {
                    let [bit, next_bit] = [v::splat(1 << stone), v::splat(2 << stone)];
                    let [square, next] = [
                        v::load(&own.stones[stone].0),
                        v::load(&own.stones[stone + 1].0),
                    ];
                    captured = v::or3(
                        captured,
                        v::masked(v::equal(square, to), bit),
                        v::masked(v::equal(next, to), next_bit),
                    );
                    v::store(v::blend(moves[stone], to, square), &mut own.stones[stone].0);
                    v::store(
                        v::blend(moves[stone + 1], to, next),
                        &mut own.stones[stone + 1].0,
                    );
                    let [square, next] = [
                        v::load(&other.stones[stone].0),
                        v::load(&other.stones[stone + 1].0),
                    ];
                    captured_other = v::or3(
                        captured_other,
                        v::masked(v::equal(square, opposite), bit),
                        v::masked(v::equal(next, opposite), next_bit),
                    );
                }
                v::store(v::andnot(captured, alive), &mut own.alive.0);
                let single = v::andnot(v::shuffle(v::table(&SEVERAL_STEPS), to), chosen);
                v::store(v::or(edge, single), &mut own.edge.0);
                let other_alive = v::andnot(captured_other, v::load(&other.alive.0));
                v::store(other_alive, &mut other.alive.0);
                v::either(
                    v::equal(to, v::splat(lane_square(Standard::GOAL))),
                    v::equal(other_alive, zero),
                )
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn play_plies<const BY_STONES: bool>(
                lanes: &mut ByteLanes,
                random: &mut LaneRandom,
            ) {
                let [first, other] = &mut lanes.sides;
                let [[low0, low1], [high0, high1]] = &mut random.state;
                let mut running = v::mask_of(lanes.status.running);
                let mut first_won = v::mask_of(lanes.status.first_won);
                let mut plies = v::load(&lanes.plies.0);
                for _ in 0..PLIES_PER_BATCH / 2 {
                    plies = v::increment(plies, running);
                    let draws = draws_of(next(low0, high0), next(low1, high1));
                    let won = ply::<BY_STONES>(first, other, &draws);
                    first_won = v::either(first_won, v::both(won, running));
                    running = v::without(running, won);
                    plies = v::increment(plies, running);
                    let draws = draws_of(next(low0, high0), next(low1, high1));
                    running = v::without(running, ply::<BY_STONES>(other, first, &draws));
                }
                v::store(plies, &mut lanes.plies.0);
                lanes.status = Status {
                    running: v::bits_of(running),
                    first_won: v::bits_of(first_won),
                };
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn load_starts(lanes: &mut ByteLanes, free: u64, starts: &Starts) {
                let (mask, expansion) = (v::mask_of(free), v::Expansion::new(free));
                let stones = starts.next_squares();
                for (side, rows) in lanes.sides.iter_mut().enumerate() {
                    for (row, start) in rows.stones.iter_mut().zip(stones[side]) {
                        v::store(expansion.expand(start, v::load(&row.0)), &mut row.0);
                    }
                    for (row, set) in [
                        (&mut rows.alive, starts.alive[side]),
                        (&mut rows.edge, starts.edge[side]),
                    ] {
                        v::store(v::blend(mask, v::splat(set), v::load(&row.0)), &mut row.0);
                    }
                }
                let plies = v::blend(mask, v::splat(0), v::load(&lanes.plies.0));
                v::store(plies, &mut lanes.plies.0);
                lanes.status.mark_running(free);
            }

            #[target_feature(enable = $features)]
            pub(in super::super) fn count_plies(lanes: &ByteLanes, over: u64, tally: &mut Tally) {
                let mut plies = [0u8; LANES];
                let masked = v::masked(v::mask_of(over), v::load(&lanes.plies.0));
                v::store(masked, &mut plies);
                let (mut sum, mut squares) = (0, 0);
                for plies in plies {
                    sum += u32::from(plies);
                    squares += u32::from(plies) * u32::from(plies);
                }
                tally.plies += u64::from(sum);
                tally.squared_plies += u64::from(squares);
                if v::bits_of(v::greater(masked, v::splat(tally.longest as u8))) != 0 {
                    tally.longest = plies.into_iter().max().map_or(0, u64::from);
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
kernels!(avx512, "avx2,avx512f,avx512bw,avx512vbmi2", avx512_ops);
#[cfg(target_arch = "x86_64")]
kernels!(avx2, "avx2,popcnt", avx2_ops);
#[cfg(target_arch = "aarch64")]
kernels!(neon, "neon", neon_ops);
