//! The order in which the moves of a position are searched.
//!
//! Moves that can only be permitted together form a *segment* of the move list (for EinStein: the
//! moves of one stone). Each outcome needs the best move of a segment or of several, so within a
//! segment the move that looks best comes first. Between segments there are two plans: probing
//! takes the best move of every segment first, which raises the lower bounds of all outcomes
//! (Star2, Ballard 1983); otherwise one segment is finished after the other, which lowers the upper
//! bounds. Invariant: an order changes what a search costs, never what it finds.

use crate::core::game::{Game, List, Outcome};
use smallvec::SmallVec;
use std::{cmp::Ordering::Equal, ops::Range};

/// What the order of moves is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ordering {
    /// The best moves of an earlier search of the same position, from the table.
    pub table: bool,
    /// Moves that win, then captures ([`crate::core::game::Game::urgency`]).
    pub tactics: bool,
    /// How moves of the same kind fared ([`crate::core::game::Game::move_kind`]).
    pub history: bool,
    /// What the evaluator says of each successor; where it says that, tactics and history are not
    /// asked.
    pub evaluator: bool,
}

impl Ordering {
    /// Moves in the order of the list.
    pub const NONE: Self = Self {
        table: false,
        tactics: false,
        history: false,
        evaluator: false,
    };
    /// Everything there is.
    pub const ALL: Self = Self {
        table: true,
        tactics: true,
        history: true,
        evaluator: true,
    };

    /// Whether moves have to be rated at all.
    pub fn rates(self) -> bool {
        self.tactics || self.history || self.evaluator
    }
}

/// Borders in lists of at most so many moves are bits of a word.
const FEW_MOVES: usize = 63;

/// Up to so many segments share the bits of a hint; of more it names the best move alone.
const SHARING: usize = 8;

/// Where the segments of a move list begin, and where the last one ends.
#[derive(Clone, Debug, Default)]
pub struct Segments {
    ends: Vec<u16>,
}

impl Segments {
    /// Makes them those of a list of `moves` moves, of which indices have 16 bits.
    #[inline]
    pub fn divide(&mut self, outcomes: &[Outcome], moves: usize) {
        self.ends.clear();
        if moves > FEW_MOVES {
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
        let mut borders = 1u64 | 1 << moves;
        for outcome in outcomes {
            borders |= 1 << outcome.start | 1 << outcome.end;
        }
        while borders != 0 {
            self.ends.push(borders.trailing_zeros() as u16);
            borders &= borders - 1;
        }
    }

    /// How many there are.
    #[inline]
    pub fn count(&self) -> usize {
        self.ends.len() - 1
    }

    /// The move indices of each segment.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.ends
            .windows(2)
            .map(|pair| usize::from(pair[0])..usize::from(pair[1]))
    }

    /// The best move of each segment in 16 bits, by how good each turned out: each segment has an
    /// equal share of the bits, all ones for a move they cannot name; of many segments the best
    /// move of all.
    #[must_use]
    #[inline]
    pub fn hint(&self, values: &[f32]) -> u16 {
        if self.count() > SHARING {
            return best_of(0..values.len(), values) as u16;
        }
        let bits = self.hint_bits();
        let none = (1u32 << bits) - 1;
        let mut hint = 0;
        for segment in self.iter() {
            let start = segment.start;
            hint = hint << bits | ((best_of(segment, values) - start) as u32).min(none);
        }
        hint as u16
    }

    /// The move index that a hint names for each segment, in reverse order of segments.
    #[inline]
    pub fn hinted(&self, hint: u16) -> impl Iterator<Item = usize> + '_ {
        let bits = self.hint_bits();
        let none = (1u32 << bits) - 1;
        let mut rest = u32::from(hint);
        // Many segments have one hint in common, as if they were one.
        let whole = [0, self.ends.last().copied().unwrap_or(0)];
        let many = self.count() > SHARING;
        let few = if many { &[][..] } else { &self.ends };
        let one = many.then_some(whole);
        let pairs = few.windows(2).map(|pair| [pair[0], pair[1]]).rev();
        pairs.chain(one).filter_map(move |pair| {
            let offset = rest & none;
            rest >>= bits;
            (offset < none && u32::from(pair[0]) + offset < u32::from(pair[1]))
                .then(|| usize::from(pair[0]) + offset as usize)
        })
    }

    #[inline]
    fn hint_bits(&self) -> u32 {
        match self.count() {
            few @ ..=SHARING => 16 / few as u32,
            _ => 16,
        }
    }
}

/// Puts all move indices of the segments into `order`: with `probing` the best of each segment by
/// falling ratings, then the rest as listed (they are seldom better, and sorting them costs more
/// than it saves); otherwise segment by segment, each by falling ratings. Equal ones stay in list
/// order.
#[inline]
pub fn arrange(order: &mut Vec<u16>, segments: &Segments, ratings: &[f32], probing: bool) {
    order.clear();
    if probing && segments.count() > 1 {
        for segment in segments.iter() {
            order.push(best_of(segment, ratings) as u16);
        }
        for (number, segment) in segments.iter().enumerate() {
            let best = order[number];
            for index in segment.start as u16..segment.end as u16 {
                if index != best {
                    order.push(index);
                }
            }
        }
        sort(&mut order[..segments.count()], ratings);
    } else {
        for index in 0..ratings.len() as u16 {
            order.push(index);
        }
        for segment in segments.iter() {
            sort(&mut order[segment], ratings);
        }
    }
}

/// The first of the best indices of a segment, which is not empty.
#[inline]
fn best_of(segment: Range<usize>, ratings: &[f32]) -> usize {
    let mut best = segment.start;
    for index in segment {
        if ratings[index] > ratings[best] {
            best = index;
        }
    }
    best
}

/// Lists up to this length are sorted by insertion: they are often in order already.
const SHORT: usize = 32;

/// By falling ratings; equal ones by rising indices, as they come.
#[inline]
fn sort(order: &mut [u16], ratings: &[f32]) {
    if order.len() > SHORT {
        // Without memory of its own, so with the order of equals spelt out.
        return order.sort_unstable_by(|&one, &other| {
            let (one_rating, other_rating) =
                (ratings[usize::from(one)], ratings[usize::from(other)]);
            (other_rating.partial_cmp(&one_rating))
                .unwrap_or(Equal)
                .then(one.cmp(&other))
        });
    }
    for place in 1..order.len() {
        let index = order[place];
        let mut slot = place;
        while slot > 0 && ratings[usize::from(order[slot - 1])] < ratings[usize::from(index)] {
            order[slot] = order[slot - 1];
            slot -= 1;
        }
        order[slot] = index;
    }
}

/// Keeps so many of a position's moves, the most urgent ([`Game::urgency`]), in the order of the
/// list; of equally urgent ones an even spread over it, for neighbours in the list are alike.
pub fn narrow<G: Game>(game: &G, position: &G::Position, moves: &mut G::Moves, width: usize) {
    if moves.len() <= width {
        return;
    }
    let mut counts = [0_usize; 256];
    let urgencies: SmallVec<[u8; 1024]> =
        moves.iter().map(|&mv| game.urgency(position, mv)).collect();
    for &urgency in &urgencies {
        counts[usize::from(urgency)] += 1;
    }
    // What is more urgent than the threshold has room; what is as urgent shares the rest.
    let (mut threshold, mut room) = (255, width);
    while counts[threshold] <= room {
        room -= counts[threshold];
        threshold -= 1;
    }
    let (mut kept, mut met) = (0, 0);
    for (index, urgency) in urgencies.into_iter().enumerate() {
        let urgency = usize::from(urgency);
        let mut keep = urgency > threshold;
        if urgency == threshold {
            keep = (met + 1) * room / counts[threshold] > met * room / counts[threshold];
            met += 1;
        }
        if keep {
            moves[kept] = moves[index];
            kept += 1;
        }
    }
    moves.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segments(runs: &[(u16, u16)], moves: usize) -> Segments {
        let mut segments = Segments::default();
        let outcomes: Vec<Outcome> = runs
            .iter()
            .map(|&(start, end)| Outcome {
                weight: 1.0 / runs.len() as f32,
                start,
                end,
            })
            .collect();
        segments.divide(&outcomes, moves);
        segments
    }

    /// Any numbers, some of them equal.
    fn ratings(count: usize) -> Vec<f32> {
        (0..count)
            .map(|index| (index * 7919 % 1009 % 97) as f32)
            .collect()
    }

    #[test]
    fn segments_lie_between_the_ends_of_runs_however_many_there_are() {
        let ranges = |runs: &[(u16, u16)], moves| segments(runs, moves).iter().collect::<Vec<_>>();
        assert_eq!(ranges(&[(0, 4), (2, 6)], 6), [0..2, 2..4, 4..6]);
        assert_eq!(ranges(&[(0, 2500)], 2500), vec![0..2500]);
        assert_eq!(
            ranges(&[(0, 400), (300, 2500), (300, 900)], 2500),
            [0..300, 300..400, 400..900, 900..2500]
        );
    }

    #[test]
    fn a_hint_names_the_best_move_of_each_segment_or_of_all() {
        let values = ratings(70);
        let best = |range: Range<usize>| {
            range
                .clone()
                .find(|&index| range.clone().all(|other| values[other] <= values[index]))
        };
        let two = segments(&[(0, 40), (40, 70)], 70);
        let hinted: Vec<usize> = two.hinted(two.hint(&values)).collect();
        assert_eq!(hinted, [best(40..70), best(0..40)].map(Option::unwrap));
        // Too many to have a part of the hint each.
        let runs: Vec<(u16, u16)> = (0..21).map(|run| (3 * run, 3 * run + 10)).collect();
        let many = segments(&runs, 70);
        assert!(many.count() > 16);
        let hinted: Vec<usize> = many.hinted(many.hint(&values)).collect();
        assert_eq!(hinted, [best(0..70).unwrap()]);
        assert_eq!(many.hinted(u16::MAX).count(), 0);
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
            let (segments, ratings) = (segments(runs, count), ratings(count));
            let falling = |mut moves: Vec<u16>| {
                moves.sort_by(|&one, &other| {
                    ratings[usize::from(other)].total_cmp(&ratings[usize::from(one)])
                });
                moves
            };
            let mut order = Vec::new();
            arrange(&mut order, &segments, &ratings, false);
            let expected: Vec<u16> = segments
                .iter()
                .flat_map(|segment| falling(segment.map(|index| index as u16).collect()))
                .collect();
            assert_eq!(order, expected);
            arrange(&mut order, &segments, &ratings, true);
            if segments.count() > 1 {
                let mut all = falling((0..count as u16).collect());
                let first = segments
                    .iter()
                    .map(|segment| {
                        *all.iter()
                            .find(|&&index| segment.contains(&usize::from(index)))
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
