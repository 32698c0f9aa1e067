//! Solves the blocks of a class from those of their successors.
//!
//! A move adds to the total progress and leads to the swapped class, or by a capture to one of
//! fewer stones. So a class and its swapped class are solved together, in *layers* of equal total
//! progress from the highest down. All label patterns of a block have the same successors; see
//! [`kernels`].
//!
//! Values are stored in units of 1/65535, computed from the stored values of successors; 0 and
//! 65535 are certain results. Let E(n) be the maximum error, in units, of positions whose longest
//! line to the end has n plies. A value is a mean of maxima, which enlarge no error, rounded to
//! nearest; one clamped to 1 or 65534 errs by less than 1 or E(n−1). So E(n) ≤ max(1, E(n−1) + ½),
//! and E(1) = 0.

use super::{
    cell_storage::{Blocks, prefetch},
    index::{
        Class, Index, MoverIndex, Squares, dispatch_class, other_tuples, square_set,
        steps_from_start,
    },
    kernels::{self, BlockTask, Scratch, SuccessorValues},
    label_patterns::{
        self, MAX_SIDE_STONES, NUM_PATTERNS, pattern_masks, pattern_number, reverse_mask,
        without_label,
    },
};
use crate::Variant;
use alea_core::arrays::build_array;
use alea_core::simd::Instructions;
use std::ops::Range;

const MAX_SUCCESSORS: usize = 3 * MAX_SIDE_STONES;
const PREFETCH_DISTANCE: usize = 4;
const MAX_STONE_PROGRESS: usize = 7;
const GOAL: u8 = 24;

pub(super) fn max_layer(class: Class) -> usize {
    MAX_STONE_PROGRESS * class.stones()
}

pub(super) trait BlockStore: Sync {
    fn find_block(&self, class: Class, layer: usize, row: usize, rank: usize) -> (&Blocks, usize);
}

struct PatternMap {
    class: Class,
    weights: kernels::FaceWeights,
    /// `[captured own stone, or class.mover][own labels reversed after the move]`: the successor's
    /// row of each pattern.
    rows: Vec<[Vec<u8>; 2]>,
    /// `[captured enemy stone][enemy's labels reversed in working order][… after the capture]`: the
    /// successor's column of each pattern.
    permutation: Vec<[[Vec<u8>; 2]; 2]>,
    order: [Vec<u8>; 2],
}

const REVERSALS: [bool; 2] = [false, true];

impl PatternMap {
    fn new(variant: Variant, class: Class) -> Self {
        let (own, enemy) = (pattern_masks(class.mover), pattern_masks(class.other));
        let lanes = enemy.len();
        let of_rows = |captured: usize, reverse: bool| -> Vec<u8> {
            let left = |mask| {
                if captured < class.mover {
                    without_label(mask, captured)
                } else {
                    mask
                }
            };
            own.iter()
                .map(|&mask| pattern_number(left(mask), reverse) as u8)
                .collect()
        };
        let permutation_of = |captured: usize, working: bool, after: bool| -> Vec<u8> {
            let oriented = |mask| if working { reverse_mask(mask) } else { mask };
            enemy
                .iter()
                .map(|&mask| pattern_number(without_label(oriented(mask), captured), after) as u8)
                .collect()
        };
        let of_order = |working: bool| -> Vec<u8> {
            enemy
                .iter()
                .map(|&mask| pattern_number(mask, working) as u8)
                .collect()
        };
        let of_weights = |term: usize| -> Vec<f32> {
            let weight = |mask| {
                let weights = label_patterns::face_counts(variant, mask);
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
            weights.resize(kernels::padded_len(weights.len()), 0.0);
            weights
        };
        Self {
            class,
            weights: (0..2 * class.mover - 1).map(of_weights).collect(),
            rows: (0..=class.mover)
                .map(|captured| REVERSALS.map(|reverse| of_rows(captured, reverse)))
                .collect(),
            permutation: (0..class.other)
                .map(|captured| {
                    REVERSALS.map(|working| {
                        REVERSALS.map(|after| permutation_of(captured, working, after))
                    })
                })
                .collect(),
            order: REVERSALS.map(of_order),
        }
    }
}

pub(super) type ProgressBucket = Vec<(Squares, u32)>;

pub(super) struct Solver<'a> {
    index: &'a Index,
    finished: &'a (dyn Fn(Class) -> &'a [u16] + Sync),
    instructions: Instructions,
    pattern_maps: Vec<PatternMap>,
    others: Vec<Vec<ProgressBucket>>,
}

#[derive(Clone, Copy, Default)]
struct BlockPlan<'a> {
    row: usize,
    rank: usize,
    /// 1 if the enemy's labels are reversed in successors, where the enemy is the mover.
    reversed: usize,
    won: u8,
    count: usize,
    sources: [(u8, SuccessorValues<'a>); MAX_SUCCESSORS],
}

pub(super) struct Job {
    class_number: usize,
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
        let classes = class.with_mirror();
        let others = classes
            .iter()
            .map(|class| progress_buckets(class.other))
            .collect();
        let pattern_maps = classes
            .into_iter()
            .map(|class| PatternMap::new(variant, class))
            .collect();
        Self {
            index,
            finished,
            instructions,
            pattern_maps,
            others,
        }
    }

    pub(super) fn classes(&self) -> impl Iterator<Item = Class> {
        self.pattern_maps
            .iter()
            .map(|pattern_map| pattern_map.class)
    }

    pub(super) fn other_side_buckets(&self, number: usize) -> &[ProgressBucket] {
        &self.others[number]
    }

    pub(super) fn jobs(&self, number: usize) -> Vec<Job> {
        let mut jobs = Vec::new();
        for (class_number, class) in self.classes().enumerate() {
            let rows = self.index.rows(class.mover).len();
            let step = rows.div_ceil(number);
            jobs.extend((0..rows).step_by(step).map(|first| Job {
                class_number,
                rows: first..rows.min(first + step),
            }));
        }
        jobs
    }

    #[inline]
    pub(super) fn visit_other_tuples(
        &self,
        number: usize,
        row: usize,
        layer: usize,
        mut visit: impl FnMut(&Squares),
    ) {
        let class = self.pattern_maps[number].class;
        let own = &self.index.rows(class.mover)[row][..class.mover];
        let occupied = square_set(own);
        let steps = own.iter().map(|&square| steps_from_start(square)).sum();
        let Some(bucket) = layer
            .checked_sub(steps)
            .and_then(|steps| self.others[number].get(steps))
        else {
            return;
        };
        for (squares, _) in bucket.iter().filter(|(_, other)| other & occupied == 0) {
            visit(squares);
        }
    }

    /// Solves a job's blocks in `layer`, given complete layers above; returns the number of blocks.
    pub(super) fn run(&self, job: &Job, layer: usize, target: &dyn BlockStore) -> usize {
        let class = self.pattern_maps[job.class_number].class;
        dispatch_class!(class, OWN, ENEMY => self.run_class::<OWN, ENEMY>(job, layer, target))
    }

    fn run_class<const OWN: usize, const ENEMY: usize>(
        &self,
        job: &Job,
        layer: usize,
        target: &dyn BlockStore,
    ) -> usize {
        let pattern_map = &self.pattern_maps[job.class_number];
        let mut scratch = Scratch::default();
        let mut plans = [BlockPlan::default(); PREFETCH_DISTANCE];
        let mut planned = 0;
        let execute = |plan: &BlockPlan<'_>, scratch: &mut Scratch| {
            let sources = &plan.sources[..plan.count];
            let task = BlockTask {
                weights: &pattern_map.weights,
                successors: sources,
                won: plan.won,
                order: &pattern_map.order[plan.reversed],
            };
            kernels::solve_block::<OWN, ENEMY>(self.instructions, &task, scratch);
            let (blocks, block) = target.find_block(pattern_map.class, layer, plan.row, plan.rank);
            blocks.write(block, |cells| {
                let cells = &mut cells[..const { NUM_PATTERNS[OWN] * NUM_PATTERNS[ENEMY] }];
                cells.copy_from_slice(&scratch.stored[..cells.len()]);
            });
        };
        for row in job.rows.clone() {
            let own = &self.index.rows(OWN)[row];
            let mover_index = self.index.mover_index(&own[..OWN]);
            self.visit_other_tuples(job.class_number, row, layer, |others| {
                let plan = &mut plans[planned % PREFETCH_DISTANCE];
                if planned >= PREFETCH_DISTANCE {
                    execute(plan, &mut scratch);
                }
                self.plan_block::<OWN, ENEMY>(
                    pattern_map,
                    layer,
                    own,
                    others,
                    &mover_index,
                    target,
                    plan,
                );
                planned += 1;
            });
        }
        plans
            .iter()
            .take(planned)
            .for_each(|plan| execute(plan, &mut scratch));
        planned
    }

    #[inline(always)]
    #[allow(
        clippy::too_many_arguments,
        reason = "what one block is made of, in the innermost loop"
    )]
    fn plan_block<'t, const OWN: usize, const ENEMY: usize>(
        &self,
        pattern_map: &'t PatternMap,
        layer: usize,
        own: &Squares,
        others: &Squares,
        mover_index: &MoverIndex,
        target: &'t dyn BlockStore,
        plan: &mut BlockPlan<'t>,
    ) where
        'a: 't,
    {
        let (rank, _) = mover_index.rank(&others[..ENEMY]);
        let (enemy, seen_by_enemy) = (to_other_side(others), to_other_side(own));
        let after = self.index.mover_index(&enemy[..ENEMY]);
        let working = usize::from(after.reversed);
        (plan.row, plan.rank, plan.reversed, plan.won, plan.count) =
            (mover_index.row, rank, working, 0, 0);
        for stone in 0..OWN {
            for step in step_offsets(own[stone]) {
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
                    let mover_index = self.index.mover_index(&left[..ENEMY - 1]);
                    let (rank, reverse) = mover_index.rank(&moved[..OWN]);
                    let next = Class {
                        mover: ENEMY - 1,
                        other: OWN,
                    };
                    SuccessorValues {
                        cells: self.finished_block(next, mover_index.row, rank),
                        rows: reverse.then_some(&pattern_map.rows[OWN][1][..]),
                        permutation: Some((
                            &pattern_map.permutation[captured][working]
                                [usize::from(mover_index.reversed)],
                            NUM_PATTERNS[next.mover],
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
                    SuccessorValues {
                        cells: self.finished_block(next, after.row, rank),
                        rows: Some(&pattern_map.rows[captured][usize::from(reverse)]),
                        permutation: None,
                    }
                } else {
                    let (rank, reverse) = after.rank(&moved[..OWN]);
                    let above =
                        layer + steps_from_start(destination) - steps_from_start(own[stone]);
                    let (blocks, block) =
                        target.find_block(pattern_map.class.swap_sides(), above, after.row, rank);
                    SuccessorValues {
                        cells: blocks.get(block).expect("the layers above are solved"),
                        rows: reverse.then_some(&pattern_map.rows[OWN][1][..]),
                        permutation: None,
                    }
                };
                plan.sources[plan.count] = (stone as u8, source);
                plan.count += 1;
            }
        }
        // All prefetches together, so that addresses are translated in parallel.
        let (blocks, block) = target.find_block(pattern_map.class, layer, plan.row, plan.rank);
        blocks.prefetch_block(block);
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
        let cells = class.cells_per_block();
        &(self.finished)(class)[(self.index.first_block(class, row) + rank) * cells..][..cells]
    }
}

#[inline(always)]
fn step_offsets(square: u8) -> impl Iterator<Item = u8> {
    let (sideways, forward) = (square % 5 < 4, square / 5 < 4);
    [(sideways && forward, 6), (sideways, 1), (forward, 5)]
        .into_iter()
        .filter_map(|(possible, step)| possible.then_some(step))
}

#[inline]
fn to_other_side(squares: &Squares) -> Squares {
    squares.map(|square| GOAL.wrapping_sub(square))
}

#[inline(always)]
fn without_stone(squares: &Squares, stone: usize) -> Squares {
    build_array(|index| squares[(index + usize::from(index >= stone)).min(MAX_SIDE_STONES - 1)])
}

fn progress_buckets(stones: usize) -> Vec<ProgressBucket> {
    let mut buckets = vec![ProgressBucket::new(); MAX_STONE_PROGRESS * stones + 1];
    for squares in other_tuples(stones) {
        let of_side = &squares[..stones];
        let steps: usize = of_side
            .iter()
            .map(|&square| steps_from_start(GOAL - square))
            .sum();
        buckets[steps].push((squares, square_set(of_side)));
    }
    buckets
}
