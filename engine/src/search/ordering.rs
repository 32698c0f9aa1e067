//! The order in which the moves of a position are searched.
//!
//! Moves that can only be permitted together form a *segment* of the move list (for EinStein: the
//! moves of one stone). Each outcome needs the best move of a segment or of several, so within a
//! segment the move that looks best comes first. Between segments there are two plans: probing
//! takes the best move of every segment first, which raises the lower bounds of all outcomes
//! (Star2, Ballard 1983); otherwise one segment is finished after the other, which lowers the upper
//! bounds. Invariant: an order changes what a search costs, never what it finds.

use crate::core::game::{FixedList, MAX_OUTCOMES, Outcome};

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
    #[must_use]
    pub fn rates(self) -> bool {
        self.tactics || self.history || self.evaluator
    }
}

/// The most moves a list may have for its segments to be told apart; a longer one counts as one
/// segment.
const MOST_MOVES: usize = 63;

/// Where the segments of a move list begin, and where the last one ends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Segments {
    ends: FixedList<u16, { 2 * MAX_OUTCOMES + 2 }>,
}

impl Segments {
    /// The segments of a list of `moves` moves.
    #[must_use]
    #[inline]
    pub fn new(outcomes: &[Outcome], moves: usize) -> Self {
        let mut ends = FixedList::default();
        if moves > MOST_MOVES {
            ends.push(0);
            ends.push(moves as u16);
            return Self { ends };
        }
        let mut borders = 1u64 | 1 << moves;
        for outcome in outcomes {
            borders |= 1 << outcome.start | 1 << outcome.end;
        }
        while borders != 0 {
            ends.push(borders.trailing_zeros() as u16);
            borders &= borders - 1;
        }
        Self { ends }
    }

    /// How many there are.
    #[must_use]
    #[inline]
    pub fn count(&self) -> usize {
        self.ends.len() - 1
    }

    /// The move indices of each segment.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        self.ends
            .windows(2)
            .map(|pair| usize::from(pair[0])..usize::from(pair[1]))
    }

    /// The best move of each segment in 16 bits, `values` saying how good each move turned out:
    /// each segment has an equal share of the bits, all ones standing for a move they cannot name.
    #[must_use]
    #[inline]
    pub fn hint(&self, values: &[f32]) -> u16 {
        let bits = self.hint_bits();
        let none = (1u32 << bits) - 1;
        let mut hint = 0;
        for segment in self.iter() {
            let start = segment.start;
            let best = segment
                .reduce(|best, index| {
                    if values[index] > values[best] {
                        index
                    } else {
                        best
                    }
                })
                .unwrap_or(start);
            hint = hint << bits | ((best - start) as u32).min(none);
        }
        hint as u16
    }

    /// The move index that a hint names for each segment, in reverse order of segments.
    #[inline]
    pub fn hinted(&self, hint: u16) -> impl Iterator<Item = usize> + '_ {
        let bits = self.hint_bits();
        let none = (1u32 << bits) - 1;
        let mut rest = u32::from(hint);
        self.ends.windows(2).rev().filter_map(move |pair| {
            let offset = rest & none;
            rest >>= bits;
            (offset < none && u32::from(pair[0]) + offset < u32::from(pair[1]))
                .then(|| usize::from(pair[0]) + offset as usize)
        })
    }

    #[inline]
    fn hint_bits(&self) -> u32 {
        // At most 13 segments.
        16 / self.count() as u32
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
        // Several segments have at most 63 moves.
        let mut probed = 0u64;
        for segment in segments.iter() {
            if let Some(best) = segment.reduce(|best, index| {
                if ratings[index] > ratings[best] {
                    index
                } else {
                    best
                }
            }) {
                insert(order, 0, best, ratings);
                probed |= 1 << best;
            }
        }
        order.extend((0..ratings.len() as u16).filter(|index| probed >> index & 1 == 0));
    } else {
        for segment in segments.iter() {
            let start = order.len();
            for index in segment {
                insert(order, start, index, ratings);
            }
        }
    }
}

/// Insertion sort: lists are short, and often in order already.
#[inline]
fn insert(order: &mut Vec<u16>, start: usize, index: usize, ratings: &[f32]) {
    order.push(index as u16);
    let mut slot = order.len() - 1;
    while slot > start && ratings[usize::from(order[slot - 1])] < ratings[index] {
        order[slot] = order[slot - 1];
        slot -= 1;
    }
    order[slot] = index as u16;
}
