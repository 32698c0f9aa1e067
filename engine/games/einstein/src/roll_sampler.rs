//! Samples the stones that a roll allows, by thresholds per set of living stones; equal to
//! [`alea_core::game::sample_outcome`] for all random bits.

use super::dice_rules::StoneOutcomes;
use crate::MAX_OUTCOMES;
use alea_core::game::sample_outcome;

#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
struct Thresholds {
    /// Bits above `up_to[i]` sample outcome `i + 1` or a later one.
    up_to: [u32; MAX_OUTCOMES - 1],
    /// Each outcome's first stone (from 0) and, from bit 4 on, its last.
    ends: [u8; MAX_OUTCOMES],
}

#[derive(Clone, Debug)]
pub(super) struct OutcomeSampler(Box<[Thresholds; 64]>);

impl OutcomeSampler {
    pub(super) fn new(runs: &[StoneOutcomes; 64]) -> Self {
        Self(Box::new(runs.each_ref().map(Thresholds::new)))
    }

    #[inline]
    pub(super) fn sample(&self, alive: u8, bits: u32) -> (u8, u8) {
        let sampler = &self.0[usize::from(alive & 63)];
        let number: usize = sampler
            .up_to
            .iter()
            .map(|&up_to| usize::from(bits > up_to))
            .sum();
        (sampler.ends[number] & 15, sampler.ends[number] >> 4)
    }
}

impl Thresholds {
    fn new(runs: &StoneOutcomes) -> Self {
        let mut sampler = Self {
            up_to: [u32::MAX; MAX_OUTCOMES - 1],
            ends: [0; MAX_OUTCOMES],
        };
        for (number, run) in runs.iter().enumerate() {
            sampler.ends[number] = run.start as u8 | (run.end as u8 - 1) << 4;
            if let Some(up_to) = sampler.up_to.get_mut(number)
                && number + 1 < runs.len()
            {
                *up_to = threshold_of(runs, number);
            }
        }
        sampler
    }
}

fn threshold_of(runs: &StoneOutcomes, number: usize) -> u32 {
    let is_later = |bits: u32| sample_outcome(&runs[..], bits) > number;
    if !is_later(u32::MAX) {
        return u32::MAX;
    }
    let (mut not_later, mut later) = (0, u32::MAX);
    while later - not_later > 1 {
        let middle = not_later + (later - not_later) / 2;
        if is_later(middle) {
            later = middle
        } else {
            not_later = middle
        }
    }
    not_later
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        EinStein, MoveList, Standard, Variant, dice::Die, dice_rules::outcomes_by_alive_set,
    };
    use alea_core::{
        game::{Game, uniform_index},
        random::RandomStream,
        search_game::Playouts,
    };

    fn dice() -> [Die; 3] {
        [
            Die::fair(),
            Die::with_faces(4).unwrap(),
            Die::with_weights(&[1e-7, 3.0, 0.0, 1.0, 1.0, 1e-9]).unwrap(),
        ]
    }

    fn check_against_lists<const COLUMNS: usize, const ROWS: usize>(
        rules: EinStein<COLUMNS, ROWS>,
        seed: u64,
    ) {
        let mut random = RandomStream::new(seed);
        for _ in 0..200 {
            let mut position = rules.random_start(&mut random, 0);
            while rules.winner(&position).is_none() {
                let mut sampler = MoveList::default();
                let moves = rules.all_moves(&position);
                let outcomes = rules.outcomes(&position, &moves);
                for bits in [0, u64::MAX, random.next_u64(), random.next_u64()] {
                    let start = rules.roll_moves(&position, bits as u32, &mut sampler);
                    let run = outcomes[sample_outcome(&outcomes, bits as u32)].move_range();
                    assert_eq!(
                        (start, &sampler[..]),
                        (run.start, &moves[run]),
                        "{position:?}"
                    );
                    let outcome = sample_outcome(&outcomes, (bits >> 32) as u32);
                    let permitted = &moves[outcomes[outcome].move_range()];
                    assert_eq!(
                        rules.sample_move(&position, bits),
                        permitted[uniform_index(permitted.len(), bits as u32)],
                        "{position:?}"
                    );
                }
                position = rules.play(&position, rules.sample_move(&position, random.next_u64()));
            }
        }
    }

    #[test]
    fn sampled_moves_equal_those_of_the_lists() {
        for (seed, die) in (1..).zip(dice()) {
            for variant in [Variant::Classic, Variant::NearestOnly] {
                check_against_lists(Standard::new(variant, die), seed);
                check_against_lists(Standard::new(variant, die).with_unmerged_faces(), seed);
                check_against_lists(EinStein::<3, 3>::with_stones(variant, die, 3), seed);
            }
        }
    }

    #[test]
    fn the_outcome_is_the_one_that_is_sampled() {
        let mut random = RandomStream::new(5);
        for die in dice() {
            for variant in [Variant::Classic, Variant::NearestOnly] {
                let each_face = outcomes_by_alive_set(variant, die, |runs, face| runs.push(face));
                for runs in [each_face, Standard::new(variant, die).runs] {
                    let sampler = OutcomeSampler::new(&runs);
                    for alive in 1..64u8 {
                        let runs = &runs[usize::from(alive)];
                        let near = sampler.0[usize::from(alive)]
                            .up_to
                            .into_iter()
                            .flat_map(|bits| [bits, bits.saturating_add(1)]);
                        let any: Vec<u32> = (0..500).map(|_| random.next_u64() as u32).collect();
                        for bits in near.chain([0, 1, u32::MAX - 1, u32::MAX]).chain(any) {
                            let run = runs[sample_outcome(&runs[..], bits)];
                            assert_eq!(
                                sampler.sample(alive, bits),
                                (run.start as u8, run.end as u8 - 1),
                                "{die:?} {alive:06b} {bits}"
                            );
                        }
                    }
                }
            }
        }
    }
}
