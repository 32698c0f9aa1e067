//! A deterministic game for comparing searches: a uniform tree whose edges have values.
//!
//! Every move is worth a number to whoever makes it, drawn by a hash; a line is worth the sum, and
//! whoever is ahead at the end wins (the edge-value model of game trees: Fuller, Gaschnig and
//! Gillogly 1973). So the evaluator, which looks at the sum so far, is right more often the later
//! it looks, and moves listed by their own value are mostly in order. Invariant: the tree depends
//! on the seed alone, not on the order in which its moves are listed.

use engine::core::evaluator::Evaluator;
use engine::core::game::{FixedList, Game, OneOutcome, Payoffs, Seat, won_by};

/// Moves of every position.
pub const BRANCHING: usize = 6;

/// Plies of a game; searches of the study end before.
const LENGTH: u32 = 64;

/// Edge values are whole numbers from minus this to this.
const LARGEST_EDGE: i64 = 1000;

/// In which order moves are listed, which is the order they are searched in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveOrder {
    /// Without regard to their values.
    Arbitrary,
    /// The edge worth most to the mover first.
    LargestEdgeFirst,
}

/// The rules.
#[derive(Clone, Copy, Debug)]
pub struct EdgeTree {
    /// The order of the move list.
    pub order: MoveOrder,
}

/// A node of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EdgePosition {
    id: u64,
    ply: u32,
    /// Sum of the edges so far, for seat 0.
    sum: i64,
}

impl EdgePosition {
    /// The root of the tree of a seed.
    #[must_use]
    pub fn root(seed: u64) -> Self {
        Self {
            id: mix(seed),
            ply: 0,
            sum: 0,
        }
    }

    /// The sum of the edges so far, for the seat to move.
    fn lead(&self) -> i64 {
        if self.ply.is_multiple_of(2) {
            self.sum
        } else {
            -self.sum
        }
    }

    fn child_id(&self, mv: u8) -> u64 {
        mix(self.id.wrapping_add(u64::from(mv)))
    }

    /// What a move is worth to whoever makes it.
    fn edge(&self, mv: u8) -> i64 {
        // Other bits than the next hash starts from.
        (mix(self.child_id(mv) ^ 0x5BF0_3635) % (2 * LARGEST_EDGE as u64 + 1)) as i64 - LARGEST_EDGE
    }
}

impl Game for EdgeTree {
    type Position = EdgePosition;
    type Move = u8;
    type Moves = FixedList<u8, BRANCHING>;
    type Outcomes = OneOutcome;

    fn to_move(&self, position: &EdgePosition) -> Seat {
        (position.ply % 2) as Seat
    }

    fn payoffs(&self, position: &EdgePosition) -> Option<Payoffs> {
        (position.ply >= LENGTH).then(|| won_by(Seat::from(position.sum < 0)))
    }

    fn moves(&self, position: &EdgePosition, moves: &mut Self::Moves) {
        moves.clear();
        (0..BRANCHING as u8).for_each(|mv| moves.push(mv));
        if self.order == MoveOrder::LargestEdgeFirst {
            moves.sort_unstable_by_key(|&mv| (-position.edge(mv), mv));
        }
    }

    fn play(&self, position: &EdgePosition, mv: u8) -> EdgePosition {
        let edge = position.edge(mv);
        let sum = position.sum
            + if position.ply.is_multiple_of(2) {
                edge
            } else {
                -edge
            };
        EdgePosition {
            id: position.child_id(mv),
            ply: position.ply + 1,
            sum,
        }
    }

    fn key(&self, position: &EdgePosition) -> u64 {
        position.id
    }
}

/// Win probability by the sum so far: a logistic with the standard deviation of three edges as its
/// unit.
#[derive(Clone, Copy, Debug, Default)]
pub struct EdgeSum;

impl Evaluator<EdgeTree> for EdgeSum {
    type Cache = ();

    fn value(&self, _: &EdgeTree, position: &EdgePosition, (): &()) -> f32 {
        1.0 / (1.0 + (-position.lead() as f32 / LARGEST_EDGE as f32).exp())
    }
}

/// The finaliser of SplitMix64.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let value = (value ^ value >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ value >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::search::minimax::minimax;

    const ARBITRARY: EdgeTree = EdgeTree {
        order: MoveOrder::Arbitrary,
    };
    const ORDERED: EdgeTree = EdgeTree {
        order: MoveOrder::LargestEdgeFirst,
    };

    #[test]
    fn order_changes_lists_and_nothing_else() {
        for seed in 0..20 {
            let root = EdgePosition::root(seed);
            let (mut listed, mut ordered) = (
                <EdgeTree as Game>::Moves::default(),
                <EdgeTree as Game>::Moves::default(),
            );
            ARBITRARY.moves(&root, &mut listed);
            ORDERED.moves(&root, &mut ordered);
            let edges: Vec<i64> = ordered.iter().map(|&mv| root.edge(mv)).collect();
            assert!(edges.is_sorted_by(|one, next| one >= next), "{edges:?}");
            ordered.sort_unstable();
            assert_eq!(&listed[..], &ordered[..]);
            let value = |game: &EdgeTree| minimax(game, &EdgeSum, &root, 4, 0);
            assert_eq!(value(&ARBITRARY), value(&ORDERED));
        }
    }

    #[test]
    fn one_ply_takes_the_largest_edge() {
        let root = EdgePosition::root(3);
        let best = (0..BRANCHING as u8).map(|mv| root.edge(mv)).max().unwrap();
        let expected = 1.0 / (1.0 + (-best as f64 / 1000.0).exp());
        assert!((minimax(&ARBITRARY, &EdgeSum, &root, 1, 0) - expected).abs() < 1e-6);
    }

    #[test]
    fn the_sum_so_far_tells_who_wins_and_later_better() {
        // Play along the first moves, which are arbitrary, to the end.
        let (mut early, mut late) = (0, 0);
        for seed in 0..400 {
            let mut position = EdgePosition::root(seed);
            let mut guesses = Vec::new();
            let payoffs = loop {
                if let Some(payoffs) = ARBITRARY.payoffs(&position) {
                    break payoffs;
                }
                let value = EdgeSum.value(&ARBITRARY, &position, &());
                guesses.push(if ARBITRARY.to_move(&position) == 0 {
                    value
                } else {
                    1.0 - value
                });
                position = ARBITRARY.play(&position, 0);
            };
            assert_eq!(guesses.len(), LENGTH as usize);
            early += u32::from((guesses[8] > 0.5) == (payoffs[0] > 0.5));
            late += u32::from((guesses[48] > 0.5) == (payoffs[0] > 0.5));
        }
        assert!(
            (220..300).contains(&early) && late > 300,
            "{early} {late} of 400"
        );
    }
}
