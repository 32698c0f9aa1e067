//! Stratified first draw: each thread simulates its own stratum of what chance can bring first, while
//! no other one falls behind.
//!
//! Threads that search the same positions fetch each other's cache lines all the time. So each
//! draws from an equal part of its own of what the first draw of a simulation can bring: other
//! faces of the die, thus mostly other positions. All parts together are the draw that one thread
//! makes, as long as each has its turn equally often. Invariants: every simulation of the budget is
//! claimed once; of a limited number of simulations each part gets its share, to one; without a
//! limit, and before the end, parts are [`AHEAD`] apart at most, or one in [`ONE_IN`], and what is
//! claimed from one look to the next. Source: stratified sampling; dividing work by what it touches
//! is that of transposition-driven scheduling (Romein, Plaat, Bal and Schaeffer 1999).

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A part may be so many simulations ahead of another before its thread helps that one out.
const AHEAD: u64 = 128;

/// Or one in so many of those that the other has.
const ONE_IN: u64 = 256;

/// Claims until a thread looks at the other parts, and while it helps another one; else there are
/// not fewer from one look to the next than threads, for so many are looked at.
const BETWEEN_LOOKS: usize = 8;

/// The parts of the draw, and how many simulations have been claimed of each.
#[derive(Debug)]
pub(super) struct WorkSplit {
    parts: Vec<WorkPart>,
    budget: u64,
}

/// On cache lines of its own: mostly one thread writes to it.
#[derive(Debug)]
#[repr(align(128))]
struct WorkPart {
    draws: Draws,
    quota: u64,
    claimed: AtomicU64,
}

#[derive(Debug)]
pub(super) struct Turn {
    own: usize,
    /// The part it draws from at present.
    part: usize,
    /// Claims until it looks at the other parts.
    left: usize,
    /// Simulations that it knows to be claimed, of all parts.
    known: u64,
}

/// Simulations to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Claim {
    pub(super) count: u64,
    pub(super) draws: Draws,
}

/// A part of what 32 random bits can say: `width` numbers from `first` on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Draws {
    first: u64,
    width: u64,
}

impl Draws {
    pub(super) const ALL: Self = Self {
        first: 0,
        width: 1 << 32,
    };

    /// One of so many equal parts.
    fn part(part: usize, parts: usize) -> Self {
        let begin = |part: usize| ((part as u128) << 32) / parts as u128;
        let first = begin(part) as u64;
        Self {
            first,
            width: begin(part + 1) as u64 - first,
        }
    }

    /// A number of the part from any number.
    #[inline]
    pub(super) fn number(self, any: u32) -> u32 {
        (self.first + ((u64::from(any) * self.width) >> 32)) as u32
    }
}

impl WorkSplit {
    /// For so many threads, and so many simulations of all together.
    pub(super) fn new(threads: usize, budget: u64) -> Self {
        // What is left over when the budget is divided is spread over all parts, not given to the
        // first faces.
        let up_to = |part: usize| (u128::from(budget) * part as u128 / threads as u128) as u64;
        let stride = stride(threads);
        let part = |part: usize| WorkPart {
            draws: Draws::part(part * stride % threads, threads),
            quota: up_to(part + 1) - up_to(part),
            claimed: AtomicU64::new(0),
        };
        Self {
            parts: (0..threads).map(part).collect(),
            budget,
        }
    }

    pub(super) fn turn(&self, number: usize) -> Turn {
        Turn {
            own: number,
            part: number,
            left: BETWEEN_LOOKS,
            known: 0,
        }
    }

    /// At most how many simulations are left to claim.
    pub(super) fn left(&self, turn: &Turn) -> u64 {
        self.budget - turn.known
    }

    /// The next simulations, at most `step`; `None` if all have been claimed.
    pub(super) fn claim(&self, turn: &mut Turn, step: u64) -> Option<Claim> {
        if turn.left == 0 {
            self.look_around(turn);
        }
        turn.left -= 1;
        loop {
            let part = &self.parts[turn.part];
            let before = part.claimed.fetch_add(step, Relaxed);
            if before < part.quota {
                let count = step.min(part.quota - before);
                turn.known += count;
                return Some(Claim {
                    count,
                    draws: part.draws,
                });
            }
            let left = |part: &WorkPart| part.quota - part.claimed();
            turn.part = (0..self.parts.len())
                .max_by_key(|&part| left(&self.parts[part]))
                .filter(|&part| left(&self.parts[part]) > 0)?;
        }
    }

    /// Simulations that have been claimed.
    pub(super) fn claimed(&self) -> u64 {
        self.parts.iter().map(WorkPart::claimed).sum()
    }

    /// Goes to the part that lags behind, if one does, else to its own.
    fn look_around(&self, turn: &mut Turn) {
        turn.left = BETWEEN_LOOKS.max(self.parts.len());
        if self.parts.len() == 1 {
            return;
        }
        turn.known = self.claimed();
        let claimed = |part: usize| self.parts[part].claimed();
        let last = (0..self.parts.len())
            .min_by_key(|&part| claimed(part))
            .unwrap_or(turn.own);
        let ahead = claimed(turn.own).saturating_sub(claimed(last));
        turn.part = turn.own;
        if ahead > AHEAD.max(claimed(last) / ONE_IN) {
            // Others may have seen that too.
            (turn.part, turn.left) = (last, BETWEEN_LOOKS);
        }
    }
}

/// A step around a ring of so many parts that comes to all of them and soon everywhere: about the
/// golden section. Threads begin in the order of their numbers, and should draw from everywhere at
/// once.
fn stride(parts: usize) -> usize {
    let common = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let far = |stride: usize| (stride as f64 - 0.618_034 * parts as f64).abs();
    (1..=parts)
        .filter(|&stride| common(stride, parts) == 1)
        .min_by(|&one, &other| far(one).total_cmp(&far(other)))
        .unwrap_or(1)
}

impl WorkPart {
    fn claimed(&self) -> u64 {
        self.claimed.load(Relaxed).min(self.quota)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_the_draw_are_the_whole_draw() {
        for parts in [1, 2, 3, 5, 6, 7, 128] {
            let mut next = 0;
            for part in 0..parts {
                let draws = Draws::part(part, parts);
                assert_eq!(u64::from(draws.number(0)), next);
                next = u64::from(draws.number(u32::MAX)) + 1;
                assert!(draws.width.abs_diff((1 << 32) / parts as u64) <= 1);
            }
            assert_eq!(next, 1 << 32);
        }
        assert_eq!(Draws::part(0, 1), Draws::ALL);
        assert_eq!(
            [0, 1, 12345, u32::MAX].map(|any| Draws::ALL.number(any)),
            [0, 1, 12345, u32::MAX]
        );
    }

    /// Claims of threads of which each is so many times as fast as the first, and at the end of
    /// each claim what all parts have.
    fn race(
        work_split: &WorkSplit,
        speeds: &[usize],
        step: u64,
        rounds: usize,
        mut each: impl FnMut(&[u64]),
    ) {
        let mut turns: Vec<Turn> = (0..speeds.len())
            .map(|number| work_split.turn(number))
            .collect();
        for _ in 0..rounds {
            for (turn, &speed) in turns.iter_mut().zip(speeds) {
                for _ in 0..speed {
                    if work_split.claim(turn, step).is_none() {
                        return;
                    }
                    each(
                        &work_split
                            .parts
                            .iter()
                            .map(WorkPart::claimed)
                            .collect::<Vec<_>>(),
                    );
                }
            }
        }
    }

    #[test]
    fn every_part_gets_its_share_of_a_budget_however_fast_threads_are() {
        for (budget, speeds) in [
            (100_000, &[1, 1][..]),
            (100_003, &[1, 5, 2]),
            (77, &[1, 1, 1, 1, 1]),
            (5_000, &[0, 1]),
        ] {
            let work_split = WorkSplit::new(speeds.len(), budget);
            race(&work_split, speeds, 16, usize::MAX, |_| {});
            let quotas: Vec<u64> = work_split.parts.iter().map(WorkPart::claimed).collect();
            assert_eq!(quotas.iter().sum::<u64>(), budget);
            assert!(
                quotas
                    .iter()
                    .all(|quota| quota.abs_diff(budget / speeds.len() as u64) <= 1),
                "{quotas:?}"
            );
        }
    }

    #[test]
    fn parts_that_follow_one_another_are_far_apart_and_what_is_left_over_is_spread() {
        for threads in 1..=256 {
            let stride = stride(threads);
            let mut places: Vec<usize> = (0..threads).map(|part| part * stride % threads).collect();
            if threads >= 6 {
                // Any six in a row meet half of the faces of a die or more.
                let faces = |six: &[usize]| {
                    six.iter()
                        .map(|place| 6 * place / threads)
                        .collect::<std::collections::HashSet<_>>()
                        .len()
                };
                assert!(
                    places.windows(6).all(|six| faces(six) >= 3),
                    "{threads}: {places:?}"
                );
            }
            places.sort_unstable();
            assert!(places.into_iter().eq(0..threads));
        }
        let quotas = |threads, budget| {
            WorkSplit::new(threads, budget)
                .parts
                .iter()
                .map(|part| part.quota)
                .collect::<Vec<_>>()
        };
        assert_eq!(quotas(8, 4), [0, 1, 0, 1, 0, 1, 0, 1]);
        assert_eq!(quotas(3, u64::MAX).iter().sum::<u64>(), u64::MAX);
    }

    #[test]
    fn without_a_limit_no_part_falls_behind() {
        for speeds in [&[1, 1][..], &[1, 3], &[0, 1], &[1, 2, 4, 1, 1, 9]] {
            let work_split = WorkSplit::new(speeds.len(), u64::MAX);
            let between_looks = (16 * BETWEEN_LOOKS * speeds.iter().sum::<usize>()) as u64;
            race(&work_split, speeds, 16, 20_000, |claimed| {
                let (least, most) = (claimed.iter().min().unwrap(), claimed.iter().max().unwrap());
                assert!(
                    most - least <= AHEAD.max(least / ONE_IN) + between_looks,
                    "{claimed:?}"
                );
            });
        }
    }

    #[test]
    fn one_thread_knows_what_is_left_and_others_know_no_less() {
        let work_split = WorkSplit::new(1, 1000);
        let mut turn = work_split.turn(0);
        let mut left = 1000;
        while let Some(claim) = work_split.claim(&mut turn, 16) {
            left -= claim.count;
            assert_eq!((work_split.left(&turn), claim.draws), (left, Draws::ALL));
        }
        assert_eq!((left, work_split.claimed()), (0, 1000));
        let work_split = WorkSplit::new(2, 1000);
        let mut turns = [work_split.turn(0), work_split.turn(1)];
        for number in [0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1] {
            work_split.claim(&mut turns[number], 16);
            assert!(
                turns
                    .iter()
                    .all(|turn| work_split.left(turn) >= 1000 - work_split.claimed())
            );
        }
    }
}
