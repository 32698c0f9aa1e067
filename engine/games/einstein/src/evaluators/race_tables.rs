//! The race without captures: a side's own turns until one of its stones reaches the goal.
//!
//! A stone is reduced to its distance to the goal in king's moves (1–4; 0 if captured). Each turn
//! one of the allowed stones comes a step closer, chosen to minimise the expected number of turns.
//! The expectation is the Schwarz table of Rock'n'Roll (Schäfer 2006), the distribution that of
//! Zweistein (Hsueh and Hsu 2025).
//!
//! Invariant: a turn lowers one distance by one, so no race takes more than 6 · 3 + 1 = 19 turns.

use crate::{MAX_STONES, Standard, Variant, allowed_stones, dice::Die, position::Side};
use alea_core::arrays::map_array;
use std::sync::{Arc, OnceLock};

/// Length of distributions over a race's number of turns, 0 to 19.
pub const DISTRIBUTION_LEN: usize = 20;

/// Number of vectors of six distances, each 0–4.
pub const NUM_DISTANCE_VECTORS: usize = 15_625;

const TIE_MARGIN: f64 = 1e-12;

const DISTANCE_STRIDES: [usize; MAX_STONES] = [1, 5, 25, 125, 625, 3125];

const GOAL_DISTANCE: [u8; 32] = {
    let mut distances = [0; 32];
    let mut square = 0;
    while square < Standard::SQUARES as usize {
        distances[square] = distances_to_goal(square as u8).0;
        square += 1;
    }
    distances
};

/// Distance from `square` (owner's perspective) to the goal: in king's moves, and in rows plus
/// columns.
#[inline]
pub const fn distances_to_goal(square: u8) -> (u8, u8) {
    let (rows, columns) = (4 - square / 5, 4 - square % 5);
    (if rows > columns { rows } else { columns }, rows + columns)
}

const DISTANCE_INDEX_TERMS: [[u16; 32]; MAX_STONES] = {
    let mut index = [[0; 32]; MAX_STONES];
    let mut stone = 0;
    while stone < MAX_STONES {
        let mut square = 0;
        while square < 32 {
            index[stone][square] = GOAL_DISTANCE[square] as u16 * DISTANCE_STRIDES[stone] as u16;
            square += 1;
        }
        stone += 1;
    }
    index
};

/// Distance from `square` (owner's perspective) to the goal in king's moves; 0 for [`crate::GONE`].
#[inline]
pub fn distance(square: u8) -> u8 {
    GOAL_DISTANCE[usize::from(square & 31)]
}

/// Index of a side's six distances in [`RaceTables`]: Σ (distance of stone i) · 5^i, 0 for captured
/// stones.
#[inline]
pub fn distance_index(side: Side) -> usize {
    let mut index = 0;
    for (stone, table) in DISTANCE_INDEX_TERMS.iter().enumerate() {
        index += usize::from(table[usize::from(side.square(stone))]);
    }
    index
}

/// Term of `stone` (from 0) on `square` (owner's perspective) in [`distance_index`].
#[inline]
pub fn distance_index_term(stone: usize, square: u8) -> usize {
    usize::from(DISTANCE_INDEX_TERMS[stone][usize::from(square & 31)])
}

/// Distances of stones 0–5 by [`distance_index`], which is below [`NUM_DISTANCE_VECTORS`].
pub fn index_to_distances(index: usize) -> [u8; MAX_STONES] {
    map_array(DISTANCE_STRIDES, |stride| (index / stride % 5) as u8)
}

/// A side's own turns to the goal without captures: expectation and distribution by
/// [`distance_index`].
#[derive(Debug)]
pub struct RaceTables {
    exact: Box<[f64]>,
    expected: Box<[f32]>,
    cumulative: Box<[[f32; DISTRIBUTION_LEN]]>,
}

impl RaceTables {
    /// Solves the race, in some tens of milliseconds. Of stones with equal expectation the one
    /// moves that is more likely to finish within k turns, at the smallest k where they differ.
    pub fn new(variant: Variant, die: Die) -> Self {
        let mut exact = vec![0.0_f64; NUM_DISTANCE_VECTORS];
        let mut cumulative = vec![[0.0_f64; DISTRIBUTION_LEN]; NUM_DISTANCE_VECTORS];
        exact[0] = DISTRIBUTION_LEN as f64;
        for index in 1..NUM_DISTANCE_VECTORS {
            let distances = index_to_distances(index);
            let alive = (0..MAX_STONES).fold(0u8, |set, stone| {
                set | u8::from(distances[stone] > 0) << stone
            });
            let left = |stone: u8| -> (f64, &[f64; DISTRIBUTION_LEN]) {
                if distances[usize::from(stone)] == 1 {
                    return (0.0, &[1.0; DISTRIBUTION_LEN]);
                }
                let next = index - DISTANCE_STRIDES[usize::from(stone)];
                (exact[next], &cumulative[next])
            };
            let mut expected = 1.0;
            let mut distribution = [0.0; DISTRIBUTION_LEN];
            for face in 1..=die.faces() {
                let weight = die.probability(face);
                let (first, last) = allowed_stones(variant, alive, face);
                let (low, high) = (left(first), left(last));
                let chosen = if finishes_earlier(high, low) {
                    high
                } else {
                    low
                };
                expected += weight * chosen.0;
                for (total, probability) in distribution[1..].iter_mut().zip(chosen.1) {
                    *total += weight * probability;
                }
            }
            exact[index] = expected;
            cumulative[index] = distribution;
        }
        Self {
            expected: std::iter::once(f32::INFINITY)
                .chain(exact[1..].iter().map(|&turns| turns as f32))
                .collect(),
            cumulative: cumulative
                .iter()
                .map(|row| map_array(*row, |probability| probability as f32))
                .collect(),
            exact: exact.into_boxed_slice(),
        }
    }

    /// The tables for the variant and die of `game`; those of the classic variant and fair die are
    /// computed once.
    pub fn for_game(game: &Standard) -> Arc<Self> {
        static DEFAULT: OnceLock<Arc<RaceTables>> = OnceLock::new();
        if game.variant() == Variant::Classic && game.die() == Die::fair() {
            Arc::clone(DEFAULT.get_or_init(|| Arc::new(Self::new(Variant::Classic, Die::fair()))))
        } else {
            Arc::new(Self::new(game.variant(), game.die()))
        }
    }

    /// Expected own turns to the goal by [`distance_index`], including the next turn; infinite at 0
    /// (no stones).
    #[inline]
    pub fn expected_turns(&self, index: usize) -> f32 {
        self.expected[index]
    }

    /// [`RaceTables::expected_turns`] in double precision, but 20 at index 0.
    pub fn expected_turns_f64(&self, index: usize) -> f64 {
        self.exact[index]
    }

    /// Entry k: probability of reaching the goal within k own turns, by [`distance_index`].
    #[inline]
    pub fn cumulative(&self, index: usize) -> &[f32; DISTRIBUTION_LEN] {
        &self.cumulative[index]
    }

    /// Entry k: probability of reaching the goal in exactly k own turns, by [`distance_index`].
    pub fn probabilities(&self, index: usize) -> [f32; DISTRIBUTION_LEN] {
        let mut probabilities = *self.cumulative(index);
        for turns in (1..DISTRIBUTION_LEN).rev() {
            probabilities[turns] -= probabilities[turns - 1];
        }
        probabilities
    }

    /// Probability that the side to move reaches its goal first, by both sides' [`distance_index`].
    #[inline]
    pub fn win_probability(&self, mover_index: usize, other_index: usize) -> f32 {
        let mover = &self.cumulative[mover_index];
        let other = &self.cumulative[other_index];
        // Σ P(mover takes k turns) · P(other takes at least k), in four sums that compile to one
        // vector.
        let mut lanes = [0.0_f32; 4];
        for turns in 1..DISTRIBUTION_LEN {
            lanes[turns % 4] += (mover[turns] - mover[turns - 1]) * (1.0 - other[turns - 1]);
        }
        ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])).clamp(0.0, 1.0)
    }
}

fn finishes_earlier(
    one: (f64, &[f64; DISTRIBUTION_LEN]),
    other: (f64, &[f64; DISTRIBUTION_LEN]),
) -> bool {
    if (one.0 - other.0).abs() >= TIE_MARGIN {
        return one.0 < other.0;
    }
    one.1
        .iter()
        .zip(other.1)
        .find(|(a, b)| (*a - *b).abs() >= TIE_MARGIN)
        .is_some_and(|(a, b)| a > b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        GONE, RED,
        dice::{DiceStream, RandomStream},
        evaluators::test_support::{Distances, SlowRace, mean},
    };

    fn stones_at(distances: [u8; MAX_STONES]) -> Distances {
        (1..)
            .zip(distances.map(i32::from))
            .filter(|&(_, distance)| distance > 0)
            .collect()
    }

    fn index_of(distances: [u8; MAX_STONES]) -> usize {
        let strides = distances.iter().zip(DISTANCE_STRIDES);
        strides
            .map(|(&distance, stride)| usize::from(distance) * stride)
            .sum()
    }

    fn classic_tables() -> RaceTables {
        RaceTables::new(Variant::Classic, Die::fair())
    }

    #[test]
    fn published_expectations_are_exact() {
        let tables = classic_tables();
        for (distances, numerator, denominator) in [
            ([4, 0, 0, 0, 0, 0], 4.0, 1.0),
            ([4, 0, 0, 0, 0, 4], 17_701.0, 3_888.0),
            ([0, 0, 4, 4, 0, 0], 93.0, 16.0),
            ([4, 4, 0, 0, 0, 0], 55_561.0, 11_664.0),
            ([1, 0, 0, 0, 0, 4], 259.0, 216.0),
            ([1, 1, 1, 1, 1, 1], 1.0, 1.0),
            ([2, 2, 2, 2, 2, 2], 1_223.0, 324.0),
        ] {
            let expected = tables.expected_turns_f64(index_of(distances));
            assert!(
                (expected - numerator / denominator).abs() < 1e-9,
                "{distances:?}: {expected}"
            );
        }
        for stone in 0..MAX_STONES {
            let mut triangle = [4; MAX_STONES];
            triangle[stone] = 3;
            let expected = tables.expected_turns_f64(index_of(triangle));
            assert!(
                (expected - 225_110_400_271.0 / 22_039_921_152.0).abs() < 1e-9
                    && (expected - 10.213_757).abs() < 1e-6,
                "{triangle:?}: {expected}"
            );
            for distance in 1..=4 {
                let mut alone = [0; MAX_STONES];
                alone[stone] = distance;
                assert_eq!(tables.expected_turns(index_of(alone)), f32::from(distance));
            }
        }
    }

    #[test]
    fn distances_are_kings_moves_to_the_last_square() {
        let squares = [0, 4, 20, 6, 12, 18, 19, 23, 24, GONE];
        assert_eq!(squares.map(distance), [4, 4, 4, 3, 2, 1, 1, 1, 0, 0]);
        let side = Side::new([0, 6, 12, 18, GONE, 23]);
        assert_eq!(distance_index(side), 4 + 3 * 5 + 2 * 25 + 125 + 3125);
        assert_eq!(index_to_distances(distance_index(side)), [4, 3, 2, 1, 0, 1]);
        let game = Standard::default();
        let start = game.random_start(&mut RandomStream::new(1), RED);
        let expected = classic_tables().expected_turns(distance_index(start.mover()));
        assert!(
            (expected - 10.213_757).abs() < 1e-6,
            "every set-up has five 4s and one 3"
        );
    }

    #[test]
    fn distributions_are_complete_and_agree_with_the_expectation() {
        for tables in [
            classic_tables(),
            RaceTables::new(
                Variant::NearestOnly,
                Die::with_weights(&[1.0, 2.0, 3.0, 0.0, 1.0, 5.0]).unwrap(),
            ),
        ] {
            for index in 1..NUM_DISTANCE_VECTORS {
                let probabilities = tables.probabilities(index);
                assert!(
                    (probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-5,
                    "no race takes more than 19 turns"
                );
                assert!(
                    probabilities
                        .iter()
                        .all(|&probability| probability >= -1e-6)
                        && probabilities[0] == 0.0
                );
                let expected = mean(&probabilities.map(f64::from));
                assert!(
                    (expected - tables.expected_turns_f64(index)).abs() < 1e-5,
                    "{:?}",
                    index_to_distances(index)
                );
                assert!(tables.expected_turns(index) < tables.expected_turns(0));
            }
        }
        assert_eq!(classic_tables().cumulative(0), &[0.0; DISTRIBUTION_LEN]);
    }

    #[test]
    fn labels_may_be_reversed_with_the_fair_die() {
        for variant in [Variant::Classic, Variant::NearestOnly] {
            let tables = RaceTables::new(variant, Die::fair());
            for index in 0..NUM_DISTANCE_VECTORS {
                let mut reversed = index_to_distances(index);
                reversed.reverse();
                let mirror = index_of(reversed);
                assert!(
                    (tables.expected_turns_f64(index) - tables.expected_turns_f64(mirror)).abs()
                        < 1e-10
                );
                for (one, other) in tables
                    .cumulative(index)
                    .iter()
                    .zip(tables.cumulative(mirror))
                {
                    assert!(
                        (one - other).abs() < 1e-6,
                        "{:?}",
                        index_to_distances(index)
                    );
                }
            }
        }
    }

    #[test]
    fn winning_the_race_sums_over_both_distributions() {
        let tables = classic_tables();
        let mut random = RandomStream::new(3);
        for _ in 0..2_000 {
            let (mover, other) = (
                1 + random.below(NUM_DISTANCE_VECTORS - 1),
                1 + random.below(NUM_DISTANCE_VECTORS - 1),
            );
            let (own, theirs) = (tables.probabilities(mover), tables.probabilities(other));
            let mut slow = 0.0;
            for (turns, probability) in own.iter().enumerate() {
                let later = theirs[turns..]
                    .iter()
                    .map(|&probability| f64::from(probability));
                slow += f64::from(*probability) * later.sum::<f64>();
            }
            assert!((slow - f64::from(tables.win_probability(mover, other))).abs() < 1e-5);
        }
        // One stone each: fewer steps win; on a tie, the side to move.
        let alone = |distance| index_of([0, distance, 0, 0, 0, 0]);
        assert_eq!(tables.win_probability(alone(3), alone(3)), 1.0);
        assert_eq!(tables.win_probability(alone(3), alone(2)), 0.0);
        assert_eq!(
            (
                tables.win_probability(alone(4), 0),
                tables.win_probability(0, alone(4))
            ),
            (1.0, 0.0)
        );
        // Stones 1 and 6 at distances 1 and 4: stone 1 moves on faces 1–5, so one turn with 5/6.
        assert!(
            (tables.win_probability(index_of([1, 0, 0, 0, 0, 4]), alone(1)) - 5.0 / 6.0).abs()
                < 1e-6
        );
    }

    #[test]
    fn every_variant_and_die_agrees_with_plain_recursion() {
        for variant in [Variant::Classic, Variant::NearestOnly] {
            for weights in [
                vec![1.0 / 6.0; 6],
                vec![0.1, 0.3, 0.05, 0.05, 0.3, 0.2],
                vec![0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
                vec![0.25; 4],
            ] {
                let game = Standard::new(variant, Die::with_weights(&weights).unwrap());
                let tables = RaceTables::new(variant, game.die());
                let mut race = SlowRace::new(&game);
                for index in (1..NUM_DISTANCE_VECTORS).step_by(13) {
                    let expected = mean(&race.solve(&stones_at(index_to_distances(index))));
                    assert!(
                        (expected - tables.expected_turns_f64(index)).abs() < 1e-9,
                        "{variant:?} {weights:?} {:?}",
                        index_to_distances(index)
                    );
                }
            }
        }
        // A die that always shows 3 moves stone 3; without it, the closer of stones 2 and 4.
        let tables = RaceTables::new(
            Variant::Classic,
            Die::with_weights(&[0.0, 0.0, 1.0]).unwrap(),
        );
        assert_eq!(tables.expected_turns(index_of([1, 1, 4, 1, 1, 1])), 4.0);
        assert_eq!(tables.expected_turns(index_of([1, 4, 0, 3, 1, 1])), 3.0);
        assert_eq!(
            tables.cumulative(index_of([1, 4, 0, 3, 1, 1]))[2..4],
            [0.0, 1.0]
        );
    }

    #[test]
    fn simulated_races_follow_the_distribution() {
        let die = Die::with_weights(&[0.1, 0.3, 0.05, 0.05, 0.3, 0.2]).unwrap();
        let game = Standard::new(Variant::Classic, die);
        let tables = RaceTables::new(Variant::Classic, die);
        let mut race = SlowRace::new(&game);
        for start in [[4, 3, 0, 2, 4, 0], [3, 0, 0, 3, 0, 3], [4, 4, 3, 4, 4, 4]] {
            let games = 20_000;
            let mut counts = [0u32; DISTRIBUTION_LEN];
            let mut dice = DiceStream::new(11, die);
            for _ in 0..games {
                let (mut now, mut turns) = (stones_at(start), 0);
                while now.iter().all(|&(_, distance)| distance > 0) {
                    let mut choices = race.turns(&now, dice.roll());
                    choices.sort_by_cached_key(|next| (mean(&race.solve(next)) * 1e12) as i64);
                    now = choices.swap_remove(0);
                    turns += 1;
                }
                counts[turns] += 1;
            }
            for (turns, probability) in tables.probabilities(index_of(start)).iter().enumerate() {
                let frequency = counts[turns] as f32 / games as f32;
                assert!(
                    (frequency - probability).abs() < 0.018,
                    "{start:?}, {turns} turns: {frequency} against {probability}"
                );
            }
        }
    }
}
