//! Solving: the blocks of a class from those of their successors.
//!
//! A move leads to the same class with the sides exchanged, or by a capture to a class of fewer
//! stones. Every step adds to the total progress (steps made by all stones), so the classes `kvm`
//! and `mvk` are solved together, in layers of equal total progress from the highest down: what a
//! layer needs is in the layers above it. The blocks of a layer are independent. All label patterns
//! of a block have the same successors, matched by tables; see [`kernels`].
//!
//! Values are stored in units of 1/65535, each computed from the stored values of its successors; 0
//! and 65535 are only stored for positions that are lost and won for certain. Let E(n) be the
//! largest error, in units, of a position whose longest line to the end has n plies. A value is the
//! mean over the faces of a maximum, neither of which enlarges an error; then it is rounded to the
//! nearest unit: E(n) ≤ E(n−1) + ½. Where a value is kept off 0 it is stored as 1, and true values
//! are above 0: so it is less than 1 unit too large, and it is too small by less than E(n−1) since
//! a mean of values within E(n−1) of their true ones, not all 0, exceeded by no more than that what
//! was rounded up to 1; likewise at 65535. So E(n) ≤ max(1, E(n−1) + ½), and E(1) = 0.
//! [`Tables::error_bound`](super::Tables) says what follows.

use super::{
    index::{Anchor, Class, Index, Squares, occupied, other_tuples, progress, with_class},
    kernels::{self, Scratch, Source, Task},
    memory::{Blocks, prefetch},
    patterns::{self, MAX_TABLE_STONES, PATTERNS, masks, number, reversed, without},
};
use crate::core::arrays::by_index;
use crate::core::simd::Instructions;
use crate::games::einstein::Variant;
use std::ops::Range;

/// Maximum successors of a block: three steps of each stone.
const MAX_SUCCESSORS: usize = 3 * MAX_TABLE_STONES;
/// Blocks between finding the successors of one and solving it, while they are fetched from memory.
const AHEAD: usize = 4;
/// Highest progress of a stone that has not reached its goal.
const MAX_PROGRESS: usize = 7;
/// The mover's goal; a square s of one side is GOAL − s for the other.
const GOAL: u8 = 24;

/// Highest total progress of a class.
pub(super) fn layers(class: Class) -> usize {
    MAX_PROGRESS * class.stones()
}

/// Storage of two classes that are solved together.
pub(super) trait Target: Sync {
    /// Block of total progress `layer`: its table of blocks, and its index there.
    fn find(&self, class: Class, layer: usize, row: usize, rank: usize) -> (&Blocks, usize);
}

/// Arrangement of a block's patterns relative to those of its successors.
struct Matching {
    class: Class,
    weights: kernels::Weights,
    /// By the captured stone of the mover (`class.mover` for none) and whether the mover's labels
    /// are reversed after the move: the row of each of the mover's patterns.
    rows: Vec<[Vec<u8>; 2]>,
    /// By the captured stone of the enemy, whether the enemy's labels are reversed in the working
    /// order, and after the capture: the index of each pattern.
    permutation: Vec<[[Vec<u8>; 2]; 2]>,
    /// By whether the enemy's labels are reversed in the working order: the index of each pattern
    /// in it.
    order: [Vec<u8>; 2],
}

/// Not reversed and reversed, the order of tables.
const BOTH_WAYS: [bool; 2] = [false, true];

impl Matching {
    fn new(variant: Variant, class: Class) -> Self {
        let (own, enemy) = (masks(class.mover), masks(class.other));
        let lanes = enemy.len();
        let of_rows = |captured: usize, reverse: bool| -> Vec<u8> {
            let left = |mask| {
                if captured < class.mover {
                    without(mask, captured)
                } else {
                    mask
                }
            };
            own.iter()
                .map(|&mask| number(left(mask), reverse) as u8)
                .collect()
        };
        let permutation_of = |captured: usize, working: bool, after: bool| -> Vec<u8> {
            let oriented = |mask| if working { reversed(mask) } else { mask };
            enemy
                .iter()
                .map(|&mask| number(without(oriented(mask), captured), after) as u8)
                .collect()
        };
        let of_order = |working: bool| -> Vec<u8> {
            enemy
                .iter()
                .map(|&mask| number(mask, working) as u8)
                .collect()
        };
        let of_weights = |term: usize| -> Vec<f32> {
            let weight = |mask| {
                let weights = patterns::weights(variant, mask);
                f32::from(if term.is_multiple_of(2) {
                    weights.alone[term / 2]
                } else {
                    weights.shared[term / 2]
                })
            };
            let mut weights: Vec<f32> = own
                .iter()
                .flat_map(|&mask| std::iter::repeat_n(weight(mask), lanes))
                .collect();
            weights.resize(kernels::padded(weights.len()), 0.0);
            weights
        };
        Self {
            class,
            weights: (0..2 * class.mover - 1).map(of_weights).collect(),
            rows: (0..=class.mover)
                .map(|captured| BOTH_WAYS.map(|reverse| of_rows(captured, reverse)))
                .collect(),
            permutation: (0..class.other)
                .map(|captured| {
                    BOTH_WAYS.map(|working| {
                        BOTH_WAYS.map(|after| permutation_of(captured, working, after))
                    })
                })
                .collect(),
            order: BOTH_WAYS.map(of_order),
        }
    }
}

/// Tuples of equal total progress, with the set of their squares.
pub(super) type Bucket = Vec<(Squares, u32)>;

/// Solver of the classes `kvm` and `mvk`.
pub(super) struct Solver<'a> {
    index: &'a Index,
    /// Values of classes with fewer stones.
    finished: &'a (dyn Fn(Class) -> &'a [u16] + Sync),
    instructions: Instructions,
    /// Matchings of each of [`Class::both`].
    matchings: Vec<Matching>,
    /// The other side's tuples of each class by progress.
    others: Vec<Vec<Bucket>>,
}

/// Block with the addresses of its successors, not yet solved.
#[derive(Clone, Copy, Default)]
struct Plan<'a> {
    row: usize,
    rank: usize,
    /// Whether the enemy's labels are reversed in the working order.
    reversed: usize,
    /// One bit for each stone that wins at once.
    won: u8,
    count: usize,
    sources: [(u8, Source<'a>); MAX_SUCCESSORS],
}

/// Rows of one class.
pub(super) struct Job {
    /// Index of the class.
    matching: usize,
    rows: Range<usize>,
}

impl<'a> Solver<'a> {
    pub(super) fn new(
        index: &'a Index,
        variant: Variant,
        class: Class,
        instructions: Instructions,
        finished: &'a (dyn Fn(Class) -> &'a [u16] + Sync),
    ) -> Self {
        let classes = class.both();
        let others = classes.iter().map(|class| buckets(class.other)).collect();
        let matchings = classes
            .into_iter()
            .map(|class| Matching::new(variant, class))
            .collect();
        Self {
            index,
            finished,
            instructions,
            matchings,
            others,
        }
    }

    pub(super) fn classes(&self) -> impl Iterator<Item = Class> {
        self.matchings.iter().map(|matching| matching.class)
    }

    /// The other side's tuples of a class by progress.
    pub(super) fn others(&self, number: usize) -> &[Bucket] {
        &self.others[number]
    }

    /// All blocks of a layer in about `number` jobs a class.
    pub(super) fn jobs(&self, number: usize) -> Vec<Job> {
        let mut jobs = Vec::new();
        for (matching, class) in self.classes().enumerate() {
            let rows = self.index.rows(class.mover).len();
            let step = rows.div_ceil(number);
            jobs.extend((0..rows).step_by(step).map(|first| Job {
                matching,
                rows: first..rows.min(first + step),
            }));
        }
        jobs
    }

    /// Calls `visit` for the other side's tuples in a row and layer, in a fixed order.
    #[inline]
    pub(super) fn in_layer(
        &self,
        matching: usize,
        row: usize,
        layer: usize,
        mut visit: impl FnMut(&Squares),
    ) {
        let class = self.matchings[matching].class;
        let own = &self.index.rows(class.mover)[row][..class.mover];
        let occupied = occupied(own);
        let steps = own.iter().map(|&square| progress(square)).sum();
        let Some(bucket) = layer
            .checked_sub(steps)
            .and_then(|steps| self.others[matching].get(steps))
        else {
            return;
        };
        for (squares, _) in bucket.iter().filter(|(_, other)| other & occupied == 0) {
            visit(squares);
        }
    }

    /// Solves the blocks of a job in a layer; returns their number. The layers above must be
    /// complete.
    ///
    /// # Panics
    ///
    /// If a successor is unsolved.
    pub(super) fn run(&self, job: &Job, layer: usize, target: &dyn Target) -> usize {
        let class = self.matchings[job.matching].class;
        with_class!(class, OWN, ENEMY => self.run_class::<OWN, ENEMY>(job, layer, target))
    }

    fn run_class<const OWN: usize, const ENEMY: usize>(
        &self,
        job: &Job,
        layer: usize,
        target: &dyn Target,
    ) -> usize {
        let matching = &self.matchings[job.matching];
        let mut scratch = Scratch::default();
        let mut plans = [Plan::default(); AHEAD];
        let mut planned = 0;
        let execute = |plan: &Plan<'_>, scratch: &mut Scratch| {
            let sources = &plan.sources[..plan.count];
            let task = Task {
                weights: &matching.weights,
                sources,
                won: plan.won,
                order: &matching.order[plan.reversed],
            };
            kernels::solve::<OWN, ENEMY>(self.instructions, &task, scratch);
            let (blocks, block) = target.find(matching.class, layer, plan.row, plan.rank);
            blocks.set(block, |cells| {
                let cells = &mut cells[..const { PATTERNS[OWN] * PATTERNS[ENEMY] }];
                cells.copy_from_slice(&scratch.stored[..cells.len()]);
            });
        };
        for row in job.rows.clone() {
            let own = &self.index.rows(OWN)[row];
            let anchor = self.index.anchor(&own[..OWN]);
            self.in_layer(job.matching, row, layer, |others| {
                let plan = &mut plans[planned % AHEAD];
                if planned >= AHEAD {
                    execute(plan, &mut scratch);
                }
                self.plan::<OWN, ENEMY>(matching, layer, own, others, &anchor, target, plan);
                planned += 1;
            });
        }
        // The last ones in any order.
        plans
            .iter()
            .take(planned)
            .for_each(|plan| execute(plan, &mut scratch));
        planned
    }

    /// Finds the successors of a block and has them fetched. `others` are the enemy's squares in
    /// the mover's perspective.
    #[inline(always)]
    #[allow(
        clippy::too_many_arguments,
        reason = "what one block is made of, in the innermost loop"
    )]
    fn plan<'t, const OWN: usize, const ENEMY: usize>(
        &self,
        matching: &'t Matching,
        layer: usize,
        own: &Squares,
        others: &Squares,
        anchor: &Anchor,
        target: &'t dyn Target,
        plan: &mut Plan<'t>,
    ) where
        'a: 't,
    {
        let (rank, _) = anchor.rank(&others[..ENEMY]);
        let (enemy, seen_by_enemy) = (swapped(others), swapped(own));
        let after = self.index.anchor(&enemy[..ENEMY]);
        let working = usize::from(after.reversed);
        (plan.row, plan.rank, plan.reversed, plan.won, plan.count) =
            (anchor.row, rank, working, 0, 0);
        for stone in 0..OWN {
            for step in steps(own[stone]) {
                let destination = own[stone] + step;
                let mut moved = seen_by_enemy;
                moved[stone] = GOAL - destination;
                let captured = others[..ENEMY]
                    .iter()
                    .position(|&square| square == destination);
                if destination == GOAL || captured.is_some() && ENEMY == 1 {
                    plan.won |= 1 << stone;
                    break;
                }
                let source = if let Some(captured) = captured {
                    let left = without_stone(&enemy, captured);
                    let anchor = self.index.anchor(&left[..ENEMY - 1]);
                    let (rank, reverse) = anchor.rank(&moved[..OWN]);
                    let next = Class {
                        mover: ENEMY - 1,
                        other: OWN,
                    };
                    Source {
                        cells: self.finished_block(next, anchor.row, rank),
                        rows: reverse.then_some(&matching.rows[OWN][1][..]),
                        permutation: Some((
                            &matching.permutation[captured][working][usize::from(anchor.reversed)],
                            PATTERNS[next.mover],
                        )),
                    }
                } else if let Some(captured) =
                    own[..OWN].iter().position(|&square| square == destination)
                {
                    let left = without_stone(&moved, captured);
                    let (rank, reverse) = after.rank(&left[..OWN - 1]);
                    let next = Class {
                        mover: ENEMY,
                        other: OWN - 1,
                    };
                    Source {
                        cells: self.finished_block(next, after.row, rank),
                        rows: Some(&matching.rows[captured][usize::from(reverse)]),
                        permutation: None,
                    }
                } else {
                    let (rank, reverse) = after.rank(&moved[..OWN]);
                    let above = layer + progress(destination) - progress(own[stone]);
                    let (blocks, block) =
                        target.find(matching.class.swapped(), above, after.row, rank);
                    Source {
                        cells: blocks.get(block).expect("the layers above are solved"),
                        rows: reverse.then_some(&matching.rows[OWN][1][..]),
                        permutation: None,
                    }
                };
                plan.sources[plan.count] = (stone as u8, source);
                plan.count += 1;
            }
        }
        // All addresses first, so that they are translated at the same time.
        let (blocks, block) = target.find(matching.class, layer, plan.row, plan.rank);
        blocks.prepare(block);
        let sources = &plan.sources[..plan.count];
        for (_, source) in sources {
            prefetch(&source.cells[..1]);
        }
        for (_, source) in sources {
            prefetch(source.cells);
        }
    }

    #[inline]
    fn finished_block(&self, class: Class, row: usize, rank: usize) -> &'a [u16] {
        let cells = class.block();
        &(self.finished)(class)[(self.index.first_block(class, row) + rank) * cells..][..cells]
    }
}

/// Differences of a square's steps: diagonal, sideways, forward, as far as they stay on the board.
#[inline(always)]
fn steps(square: u8) -> impl Iterator<Item = u8> {
    let (sideways, forward) = (square % 5 < 4, square / 5 < 4);
    [(sideways && forward, 6), (sideways, 1), (forward, 5)]
        .into_iter()
        .filter_map(|(possible, step)| possible.then_some(step))
}

/// Tuple in the other side's perspective.
#[inline]
fn swapped(squares: &Squares) -> Squares {
    squares.map(|square| GOAL.wrapping_sub(square))
}

/// A tuple without one of its stones.
#[inline(always)]
fn without_stone(squares: &Squares, stone: usize) -> Squares {
    by_index(|index| squares[(index + usize::from(index >= stone)).min(MAX_TABLE_STONES - 1)])
}

/// The other side's tuples by progress.
fn buckets(stones: usize) -> Vec<Bucket> {
    let mut buckets = vec![Bucket::new(); MAX_PROGRESS * stones + 1];
    for squares in other_tuples(stones) {
        let of_side = &squares[..stones];
        let steps: usize = of_side.iter().map(|&square| progress(GOAL - square)).sum();
        buckets[steps].push((squares, occupied(of_side)));
    }
    buckets
}
