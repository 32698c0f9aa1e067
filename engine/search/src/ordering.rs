//! Move ordering by *groups*, runs of the move list that the same outcomes allow.
//!
//! Star2 first searches the best-looking move of every group, which raises the lower bounds of all
//! outcomes (Ballard 1983); otherwise one group is searched after the other, which lowers the upper
//! bounds.

use alea_core::{
    game::{List, Outcome},
    search_game::SearchGame,
};
use smallvec::SmallVec;
use std::{cmp::Ordering::Equal, hint::select_unpredictable, ops::Range};

/// Information by which moves are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ordering {
    /// Best moves of an earlier search, from the transposition table.
    pub table: bool,
    /// Move classes such as wins and captures (`SearchHints::move_class`).
    pub tactics: bool,
    /// Counters of fail-highs by moves of the same `SearchHints::history_index`.
    pub history: bool,
    /// Evaluator scores of the successors, which replace tactics and history where they are cheap.
    pub evaluator: bool,
}

impl Ordering {
    /// Moves stay in list order.
    pub const NONE: Self = Self {
        table: false,
        tactics: false,
        history: false,
        evaluator: false,
    };
    /// All kinds of information.
    pub const ALL: Self = Self {
        table: true,
        tactics: true,
        history: true,
        evaluator: true,
    };

    /// Whether moves are scored, which only `table` does not need.
    pub fn uses_scores(self) -> bool {
        self.tactics || self.history || self.evaluator
    }
}

/// All history counters are halved when one exceeds this.
pub(super) const HISTORY_LIMIT: f32 = 1e6;

/// Raises the history counter of a move that failed high in a search of `depth` plies.
#[inline]
pub(super) fn raise_history(history: &mut [f32], index: usize, depth: u32) {
    history[index] += (depth * depth) as f32;
    if history[index] > HISTORY_LIMIT {
        for counter in history {
            *counter /= 2.0;
        }
    }
}

const MAX_MASK_MOVES: usize = 63;

const MAX_GROUPS_PER_HINT: usize = 8;

/// Partition of a move list into groups, runs of moves that the same outcomes allow.
#[derive(Clone, Debug, Default)]
pub struct OutcomeGroups {
    ends: Vec<u16>,
}

impl OutcomeGroups {
    /// Sets the groups of a list of `moves` moves with these `outcomes`.
    #[inline]
    pub fn split_by_outcomes(&mut self, outcomes: &[Outcome], moves: usize) {
        self.ends.clear();
        if moves > MAX_MASK_MOVES {
            self.ends.extend([0, Outcome::certain(moves).end]);
            self.ends.extend(
                outcomes
                    .iter()
                    .flat_map(|outcome| [outcome.start, outcome.end]),
            );
            self.ends.sort_unstable();
            self.ends.dedup();
            return;
        }
        let mut boundaries = 1u64 | 1 << moves;
        for outcome in outcomes {
            boundaries |= 1 << outcome.start | 1 << outcome.end;
        }
        while boundaries != 0 {
            self.ends.push(boundaries.trailing_zeros() as u16);
            boundaries &= boundaries - 1;
        }
    }

    /// Number of groups.
    #[inline]
    pub fn count(&self) -> usize {
        self.ends.len() - 1
    }

    /// Ranges of move indices, one per group.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.ends
            .windows(2)
            .map(|pair| usize::from(pair[0])..usize::from(pair[1]))
    }

    /// Packs the move of highest value in each group into a hint for the table: equal numbers of
    /// bits per group, all ones if an index does not fit; with more than 8 groups the best move of
    /// all only.
    #[inline]
    pub fn pack_best(&self, values: &[f32]) -> u16 {
        if self.count() > MAX_GROUPS_PER_HINT {
            return best_of(0..values.len(), values) as u16;
        }
        let bits = self.bits_per_group();
        let no_move = (1u32 << bits) - 1;
        let mut hint = 0;
        for group in self.iter() {
            let start = group.start;
            hint = hint << bits | ((best_of(group, values) - start) as u32).min(no_move);
        }
        hint as u16
    }

    /// Move indices that [`OutcomeGroups::pack_best`] packed, last group first.
    #[inline]
    pub fn unpack_best(&self, hint: u16) -> impl Iterator<Item = usize> + '_ {
        let bits = self.bits_per_group();
        let no_move = (1u32 << bits) - 1;
        let mut remaining_bits = u32::from(hint);
        let all_moves = [0, self.ends.last().copied().unwrap_or(0)];
        let is_shared = self.count() > MAX_GROUPS_PER_HINT;
        let separate = if is_shared { &[][..] } else { &self.ends };
        let shared = is_shared.then_some(all_moves);
        let pairs = separate.windows(2).map(|pair| [pair[0], pair[1]]).rev();
        pairs.chain(shared).filter_map(move |pair| {
            let offset = remaining_bits & no_move;
            remaining_bits >>= bits;
            (offset < no_move && u32::from(pair[0]) + offset < u32::from(pair[1]))
                .then(|| usize::from(pair[0]) + offset as usize)
        })
    }

    #[inline]
    fn bits_per_group(&self) -> u32 {
        match self.count() {
            count @ ..=MAX_GROUPS_PER_HINT => 16 / count as u32,
            _ => 16,
        }
    }
}

/// Writes move indices to `order`: with `probing` and several groups, the best of each by
/// descending score, then the rest in list order; otherwise group by group, by descending score.
#[inline]
pub fn order_moves(order: &mut Vec<u16>, groups: &OutcomeGroups, scores: &[f32], probing: bool) {
    order.clear();
    if probing && groups.count() > 1 {
        for group in groups.iter() {
            order.push(best_of(group, scores) as u16);
        }
        let mut length = groups.count();
        order.resize(scores.len() + 1, 0);
        for (number, group) in groups.iter().enumerate() {
            let best = order[number];
            // Branches could not be predicted.
            for index in group.start as u16..group.end as u16 {
                order[length] = index;
                length += usize::from(index != best);
            }
        }
        order.truncate(length);
        sort(&mut order[..groups.count()], scores);
    } else {
        for index in 0..scores.len() as u16 {
            order.push(index);
        }
        for group in groups.iter() {
            sort(&mut order[group], scores);
        }
    }
}

#[inline]
fn best_of(group: Range<usize>, scores: &[f32]) -> usize {
    let mut best = group.start;
    for index in group {
        best = select_unpredictable(scores[index] > scores[best], index, best);
    }
    best
}

const MAX_INSERTION_SORT: usize = 32;

#[inline]
fn sort(order: &mut [u16], scores: &[f32]) {
    if order.len() > MAX_INSERTION_SORT {
        return order.sort_unstable_by(|&one, &other| {
            let (one_score, other_score) = (scores[usize::from(one)], scores[usize::from(other)]);
            (other_score.partial_cmp(&one_score))
                .unwrap_or(Equal)
                .then(one.cmp(&other))
        });
    }
    for rank in 1..order.len() {
        let index = order[rank];
        let mut slot = rank;
        while slot > 0 && scores[usize::from(order[slot - 1])] < scores[usize::from(index)] {
            order[slot] = order[slot - 1];
            slot -= 1;
        }
        order[slot] = index;
    }
}

/// Keeps the `max_moves` moves of the highest `SearchHints::move_class`, in list order; of a class
/// that fits in part, evenly spaced moves, since neighbours are alike.
pub fn limit_moves<G: SearchGame>(
    game: &G,
    position: &G::Position,
    moves: &mut G::Moves,
    max_moves: usize,
) {
    if moves.len() <= max_moves {
        return;
    }
    let mut counts = [0_usize; 256];
    let urgencies: SmallVec<[u8; 1024]> = moves
        .iter()
        .map(|&mv| game.move_class(position, mv))
        .collect();
    for &move_class in &urgencies {
        counts[usize::from(move_class)] += 1;
    }
    let (mut threshold, mut room) = (255, max_moves);
    while counts[threshold] <= room {
        room -= counts[threshold];
        threshold -= 1;
    }
    let (mut num_retained, mut num_at_threshold) = (0, 0);
    for (index, move_class) in urgencies.into_iter().enumerate() {
        let move_class = usize::from(move_class);
        let mut is_retained = move_class > threshold;
        if move_class == threshold {
            is_retained = (num_at_threshold + 1) * room / counts[threshold]
                > num_at_threshold * room / counts[threshold];
            num_at_threshold += 1;
        }
        if is_retained {
            moves[num_retained] = moves[index];
            num_retained += 1;
        }
    }
    moves.truncate(num_retained);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(runs: &[(u16, u16)], moves: usize) -> OutcomeGroups {
        let mut groups = OutcomeGroups::default();
        let outcomes: Vec<Outcome> = runs
            .iter()
            .map(|&(start, end)| Outcome {
                weight: 1.0 / runs.len() as f32,
                start,
                end,
            })
            .collect();
        groups.split_by_outcomes(&outcomes, moves);
        groups
    }

    fn scores(count: usize) -> Vec<f32> {
        (0..count)
            .map(|index| (index * 7919 % 1009 % 97) as f32)
            .collect()
    }

    #[test]
    fn segments_lie_between_the_ends_of_runs_however_many_there_are() {
        let ranges = |runs: &[(u16, u16)], moves| groups(runs, moves).iter().collect::<Vec<_>>();
        assert_eq!(ranges(&[(0, 4), (2, 6)], 6), [0..2, 2..4, 4..6]);
        assert_eq!(ranges(&[(0, 2500)], 2500), vec![0..2500]);
        assert_eq!(
            ranges(&[(0, 400), (300, 2500), (300, 900)], 2500),
            [0..300, 300..400, 400..900, 900..2500]
        );
    }

    #[test]
    fn a_hint_names_the_best_move_of_each_segment_or_of_all() {
        let values = scores(70);
        let best = |range: Range<usize>| {
            range
                .clone()
                .find(|&index| range.clone().all(|other| values[other] <= values[index]))
        };
        let two = groups(&[(0, 40), (40, 70)], 70);
        let unpacked: Vec<usize> = two.unpack_best(two.pack_best(&values)).collect();
        assert_eq!(unpacked, [best(40..70), best(0..40)].map(Option::unwrap));
        let runs: Vec<(u16, u16)> = (0..21).map(|run| (3 * run, 3 * run + 10)).collect();
        let many = groups(&runs, 70);
        assert!(many.count() > 16);
        let unpacked: Vec<usize> = many.unpack_best(many.pack_best(&values)).collect();
        assert_eq!(unpacked, [best(0..70).unwrap()]);
        assert_eq!(many.unpack_best(u16::MAX).count(), 0);
    }

    #[test]
    fn long_lists_are_in_the_order_that_short_ones_have() {
        for (count, runs) in [
            (12, &[(0, 12)][..]),
            (32, &[(0, 32)]),
            (33, &[(0, 33)]),
            (2500, &[(0, 2500)]),
            (18, &[(0, 6), (3, 12), (12, 18)]),
            (2500, &[(0, 600), (300, 1200), (1200, 2500)]),
        ] {
            let (groups, scores) = (groups(runs, count), scores(count));
            let falling = |mut moves: Vec<u16>| {
                moves.sort_by(|&one, &other| {
                    scores[usize::from(other)].total_cmp(&scores[usize::from(one)])
                });
                moves
            };
            let mut order = Vec::new();
            order_moves(&mut order, &groups, &scores, false);
            let expected: Vec<u16> = groups
                .iter()
                .flat_map(|group| falling(group.map(|index| index as u16).collect()))
                .collect();
            assert_eq!(order, expected);
            order_moves(&mut order, &groups, &scores, true);
            if groups.count() > 1 {
                let mut all = falling((0..count as u16).collect());
                let first = groups
                    .iter()
                    .map(|group| {
                        *all.iter()
                            .find(|&&index| group.contains(&usize::from(index)))
                            .unwrap()
                    })
                    .collect::<Vec<_>>();
                all.retain(|index| !first.contains(index));
                all.sort_unstable();
                assert_eq!(order, [falling(first), all].concat());
            }
        }
    }
}
