//! Splits simulations among threads, a part each, by equal strata of the first chance draw, so that
//! threads mostly visit different nodes and cache lines (transposition-driven scheduling: Romein,
//! Plaat, Bal and Schaeffer 1999).
//!
//! With a budget, parts differ by at most 1; otherwise none leads another by more than
//! max([`MAX_LEAD`], claimed / [`LEAD_DIVISOR`]) plus one check interval.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Lead in simulations over the slowest part, above which a thread helps that part.
const MAX_LEAD: u64 = 128;

const LEAD_DIVISOR: u64 = 256;

const CHECK_INTERVAL: usize = 8;

#[derive(Debug)]
pub(super) struct WorkSplit {
    parts: Vec<WorkPart>,
    budget: u64,
}

#[derive(Debug)]
#[repr(align(128))]
struct WorkPart {
    draws: FirstDrawStratum,
    quota: u64,
    claimed: AtomicU64,
}

#[derive(Debug)]
pub(super) struct Cursor {
    own_part: usize,
    part: usize,
    left: usize,
    claimed_total: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Claim {
    pub(super) count: u64,
    pub(super) draws: FirstDrawStratum,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FirstDrawStratum {
    first: u64,
    width: u64,
}

impl FirstDrawStratum {
    pub(super) const ALL: Self = Self {
        first: 0,
        width: 1 << 32,
    };

    fn part(part: usize, parts: usize) -> Self {
        let begin = |part: usize| ((part as u128) << 32) / parts as u128;
        let first = begin(part) as u64;
        Self {
            first,
            width: begin(part + 1) as u64 - first,
        }
    }

    #[inline]
    pub(super) fn map_draw(self, any: u32) -> u32 {
        (self.first + ((u64::from(any) * self.width) >> 32)) as u32
    }
}

impl WorkSplit {
    pub(super) fn new(threads: usize, budget: u64) -> Self {
        let up_to = |part: usize| (u128::from(budget) * part as u128 / threads as u128) as u64;
        let stride = stride(threads);
        let part = |part: usize| WorkPart {
            draws: FirstDrawStratum::part(part * stride % threads, threads),
            quota: up_to(part + 1) - up_to(part),
            claimed: AtomicU64::new(0),
        };
        Self {
            parts: (0..threads).map(part).collect(),
            budget,
        }
    }

    pub(super) fn cursor(&self, own_part: usize) -> Cursor {
        Cursor {
            own_part,
            part: own_part,
            left: CHECK_INTERVAL,
            claimed_total: 0,
        }
    }

    pub(super) fn unclaimed(&self, cursor: &Cursor) -> u64 {
        self.budget - cursor.claimed_total
    }

    pub(super) fn claim(&self, cursor: &mut Cursor, step: u64) -> Option<Claim> {
        if cursor.left == 0 {
            self.rebalance(cursor);
        }
        cursor.left -= 1;
        loop {
            let part = &self.parts[cursor.part];
            let before = part.claimed.fetch_add(step, Relaxed);
            if before < part.quota {
                let count = step.min(part.quota - before);
                cursor.claimed_total += count;
                return Some(Claim {
                    count,
                    draws: part.draws,
                });
            }
            let left = |part: &WorkPart| part.quota - part.claimed();
            cursor.part = (0..self.parts.len())
                .max_by_key(|&part| left(&self.parts[part]))
                .filter(|&part| left(&self.parts[part]) > 0)?;
        }
    }

    pub(super) fn claimed(&self) -> u64 {
        self.parts.iter().map(WorkPart::claimed).sum()
    }

    fn rebalance(&self, cursor: &mut Cursor) {
        cursor.left = CHECK_INTERVAL.max(self.parts.len());
        if self.parts.len() == 1 {
            return;
        }
        cursor.claimed_total = self.claimed();
        let claimed = |part: usize| self.parts[part].claimed();
        let slowest = (0..self.parts.len())
            .min_by_key(|&part| claimed(part))
            .unwrap_or(cursor.own_part);
        let lead = claimed(cursor.own_part).saturating_sub(claimed(slowest));
        cursor.part = cursor.own_part;
        if lead > MAX_LEAD.max(claimed(slowest) / LEAD_DIVISOR) {
            (cursor.part, cursor.left) = (slowest, CHECK_INTERVAL);
        }
    }
}

/// A stride coprime to `parts`, near the golden section: consecutive threads draw from distant
/// strata.
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
    fn draw_ranges_partition_all_draws() {
        for parts in [1, 2, 3, 5, 6, 7, 128] {
            let mut next = 0;
            for part in 0..parts {
                let draws = FirstDrawStratum::part(part, parts);
                assert_eq!(u64::from(draws.map_draw(0)), next);
                next = u64::from(draws.map_draw(u32::MAX)) + 1;
                assert!(draws.width.abs_diff((1 << 32) / parts as u64) <= 1);
            }
            assert_eq!(next, 1 << 32);
        }
        assert_eq!(FirstDrawStratum::part(0, 1), FirstDrawStratum::ALL);
        assert_eq!(
            [0, 1, 12345, u32::MAX].map(|any| FirstDrawStratum::ALL.map_draw(any)),
            [0, 1, 12345, u32::MAX]
        );
    }

    fn simulate_threads(
        work_split: &WorkSplit,
        speeds: &[usize],
        step: u64,
        rounds: usize,
        mut each: impl FnMut(&[u64]),
    ) {
        let mut cursors: Vec<Cursor> = (0..speeds.len())
            .map(|part| work_split.cursor(part))
            .collect();
        for _ in 0..rounds {
            for (cursor, &speed) in cursors.iter_mut().zip(speeds) {
                for _ in 0..speed {
                    if work_split.claim(cursor, step).is_none() {
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
    fn parts_split_the_budget_equally_at_any_thread_speed() {
        for (budget, speeds) in [
            (100_000, &[1, 1][..]),
            (100_003, &[1, 5, 2]),
            (77, &[1, 1, 1, 1, 1]),
            (5_000, &[0, 1]),
        ] {
            let work_split = WorkSplit::new(speeds.len(), budget);
            simulate_threads(&work_split, speeds, 16, usize::MAX, |_| {});
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
            let mut indices: Vec<usize> =
                (0..threads).map(|part| part * stride % threads).collect();
            if threads >= 6 {
                let faces = |six: &[usize]| {
                    six.iter()
                        .map(|index| 6 * index / threads)
                        .collect::<std::collections::HashSet<_>>()
                        .len()
                };
                assert!(
                    indices.windows(6).all(|six| faces(six) >= 3),
                    "{threads}: {indices:?}"
                );
            }
            indices.sort_unstable();
            assert!(indices.into_iter().eq(0..threads));
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
            let claimed_per_check = (16 * CHECK_INTERVAL * speeds.iter().sum::<usize>()) as u64;
            simulate_threads(&work_split, speeds, 16, 20_000, |claimed| {
                let (min, max) = (claimed.iter().min().unwrap(), claimed.iter().max().unwrap());
                assert!(
                    max - min <= MAX_LEAD.max(min / LEAD_DIVISOR) + claimed_per_check,
                    "{claimed:?}"
                );
            });
        }
    }

    #[test]
    fn one_thread_knows_what_is_left_and_others_know_no_less() {
        let work_split = WorkSplit::new(1, 1000);
        let mut cursor = work_split.cursor(0);
        let mut left = 1000;
        while let Some(claim) = work_split.claim(&mut cursor, 16) {
            left -= claim.count;
            assert_eq!(
                (work_split.unclaimed(&cursor), claim.draws),
                (left, FirstDrawStratum::ALL)
            );
        }
        assert_eq!((left, work_split.claimed()), (0, 1000));
        let work_split = WorkSplit::new(2, 1000);
        let mut cursors = [work_split.cursor(0), work_split.cursor(1)];
        for index in [0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1] {
            work_split.claim(&mut cursors[index], 16);
            assert!(
                cursors
                    .iter()
                    .all(|cursor| work_split.unclaimed(cursor) >= 1000 - work_split.claimed())
            );
        }
    }
}
