//! Iterative deepening: a search repeated deeper and deeper, each iteration ordering the next.
//!
//! Moves at the root are searched in windows around what the iteration before found, and again
//! where that was wrong; the best one so far bounds the others. An iteration that is cut short
//! counts as far as it got, provided that the best move of the iteration before was searched again.
//! Invariant: with a fixed depth and results of the same depth only, the answer is that of a search
//! without table, order and cuts, up to rounding.

use super::{
    DepthObserver, Search, SearchStats, UNKNOWN_VALUE,
    eval_timer::EvalTimer,
    limits::{DepthRange, Limits, Pace, SearchLimits, Watch},
    parallel::{Busy, beside},
    star::{Star, StarOptions},
    stopwatch::{Deadline, Stopwatch},
    table::Table,
};
use crate::core::{
    chance::Bounds,
    evaluator::Evaluator,
    game::{Game, Payoffs, Stage},
    oracle::Oracle,
};
use smallvec::SmallVec;
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// How the depth grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deepening {
    /// Plies from one iteration to the next.
    pub step: u32,
    /// Half the width of the window around the value of the iteration before; `None` for no
    /// windows.
    pub aspiration: Option<f32>,
}

impl Default for Deepening {
    fn default() -> Self {
        Self {
            step: 2,
            aspiration: None,
        }
    }
}

/// A search to a fixed depth, one thread's part: what can be deepened.
pub(super) trait Deepens<G: Game>: Send {
    /// The rules that are searched.
    fn game(&self) -> &G;
    /// The table, if there is one.
    fn table(&self) -> Option<&Table> {
        None
    }
    /// Forgets what this thread alone has learned: not the table.
    fn forget_own(&mut self) {}
    /// Asks an oracle about every position that is reached by a move, if it can; returns the one it
    /// asked before.
    fn set_oracle(&mut self, _oracle: Option<Arc<dyn Oracle<G>>>) -> Option<Arc<dyn Oracle<G>>> {
        None
    }
    /// What measures the time spent evaluating.
    fn time_leaves(&mut self, clock: EvalTimer);
    /// What ends it.
    fn watch(&mut self) -> &mut Watch;
    /// The cost since the last [`Deepens::take_stats`], without the time.
    fn stats(&self) -> &SearchStats;
    /// The cost since the last call.
    fn take_stats(&mut self) -> SearchStats;
    /// As [`Star::bounds_and_proof`], in the widest window.
    fn value_to(&mut self, position: &G::Position, depth: u32) -> (Bounds, bool);
    /// As [`Star::move_bounds`].
    fn move_bounds(
        &mut self,
        position: &G::Position,
        mv: G::Move,
        depth: u32,
        alpha: f32,
        beta: f32,
    ) -> (Bounds, bool);
    /// What the last of these moves brings every seat, if that is told.
    fn last_payoffs(&self) -> Option<Payoffs> {
        None
    }

    /// Starts watching over its limits: so many nodes more, a time, and being told to stop.
    fn start(
        &mut self,
        nodes: Option<u64>,
        deadline: Option<Deadline>,
        stop: Option<Arc<AtomicBool>>,
    ) {
        let counted = self.stats().nodes;
        let most = nodes.map(|nodes| counted.saturating_add(nodes));
        self.watch().start(counted, most, deadline, stop);
    }

    /// One iteration over the moves of the root, the best one first; brings the one that it finds
    /// to be the best to the front. Returns whether it was completed. Compiled for every search, for
    /// a search of one ply takes no longer than some calls by pointer.
    fn iterate(
        &mut self,
        position: &G::Position,
        depth: u32,
        aspiration: Option<f32>,
        moves: &mut [RootMove<G::Move>],
    ) -> bool {
        let mut best: Option<(f32, usize)> = None;
        for index in 0..moves.len() {
            let root = moves[index];
            // A move listed before the best one so far wins a tie with it.
            let alpha = match best {
                None => UNBOUNDED,
                Some((value, place)) if root.place < place => value - TIE,
                Some((value, _)) => value,
            };
            let (bounds, proven) = self.search_root_move(position, &root, depth, alpha, aspiration);
            if self.watch().stopped() {
                // What was found so far counts, if the best move of the iteration before is part of
                // it.
                if let Some((_, place)) = best {
                    bring_forward(moves, place);
                }
                return false;
            }
            moves[index].bounds = bounds;
            moves[index].proven = proven;
            if best.is_none_or(|(value, place)| {
                bounds.lower > value || bounds.lower == value && root.place < place
            }) {
                best = Some((bounds.lower, root.place));
            }
        }
        if let Some((_, place)) = best {
            bring_forward(moves, place);
        }
        true
    }

    /// Values moves of the root to a depth, and what each brings every seat where that is told;
    /// whether all of it holds at any greater depth, or `None` if the search ended before the last.
    fn value_moves(
        &mut self,
        position: &G::Position,
        depth: u32,
        moves: &[G::Move],
        values: &mut [(f32, Option<Payoffs>)],
    ) -> Option<bool> {
        let mut all_proven = true;
        for (&mv, value) in moves.iter().zip(values) {
            let (bounds, proven) =
                self.move_bounds(position, mv, depth, f32::NEG_INFINITY, f32::INFINITY);
            if self.watch().stopped() {
                return None;
            }
            *value = (bounds.lower, self.last_payoffs());
            all_proven &= proven;
        }
        Some(all_proven)
    }

    /// Exact above `alpha`, otherwise an upper bound.
    #[inline(always)]
    fn search_root_move(
        &mut self,
        position: &G::Position,
        root: &RootMove<G::Move>,
        depth: u32,
        alpha: f32,
        aspiration: Option<f32>,
    ) -> (Bounds, bool) {
        if let Some(width) = aspiration {
            let guess = root.bounds.upper;
            let low = alpha.max(guess - width);
            let high = (guess + width).max(low + width);
            let (bounds, proven) = self.move_bounds(position, root.mv, depth, low, high);
            if bounds.lower >= bounds.upper || bounds.upper <= alpha || self.watch().stopped() {
                return (bounds, proven);
            }
        }
        self.move_bounds(position, root.mv, depth, alpha, f32::INFINITY)
    }
}

/// A search under limits, on one or more threads. What searches is chosen at run time, once a move
/// at the root: so all that is said here is compiled once a game, and not for every evaluator.
pub struct DeepeningSearch<G: Game> {
    workers: Vec<Box<dyn Deepens<G>>>,
    deepening: Deepening,
    limits: SearchLimits,
    /// What ends a search besides its own limits.
    outer: Limits,
    pace: Pace,
    completed: u32,
}

/// A move of the root, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RootMove<M> {
    mv: M,
    /// Its place among the moves asked about: of equally good moves the first is chosen.
    place: usize,
    bounds: Bounds,
    /// Whether the bounds hold at any greater depth.
    proven: bool,
}

impl<M: Copy> RootMove<M> {
    fn all(moves: &[M]) -> SmallVec<[Self; 8]> {
        let unknown = |(place, &mv)| Self {
            mv,
            place,
            bounds: Bounds::UNKNOWN,
            proven: false,
        };
        moves.iter().enumerate().map(unknown).collect()
    }
}

impl<G: Game> DeepeningSearch<G> {
    /// A Star search to a fixed depth, with all else at its default, on one thread and without a
    /// table.
    #[must_use]
    pub fn to_depth(game: G, evaluator: impl Evaluator<G> + Clone + 'static, depth: u32) -> Self {
        Self::new(
            game,
            evaluator,
            StarOptions::default(),
            Deepening::default(),
            SearchLimits::to_depth(depth),
            None,
            1,
        )
    }

    /// A Star search on `threads` threads (at least one), which share the table.
    #[must_use]
    pub fn new(
        game: G,
        evaluator: impl Evaluator<G> + Clone + 'static,
        options: StarOptions,
        deepening: Deepening,
        limits: SearchLimits,
        table: Option<Arc<Table>>,
        threads: usize,
    ) -> Self {
        // Without a table there is nothing that threads could share.
        let threads = if table.is_some() { threads.max(1) } else { 1 };
        let busy = (threads > 1).then(|| Arc::new(Busy::new()));
        let mut workers: Vec<Box<dyn Deepens<G>>> = Vec::with_capacity(threads);
        for _ in 0..threads {
            let mut star = Star::new(game.clone(), evaluator.clone(), options, table.clone());
            star.busy = busy.clone();
            workers.push(Box::new(star));
        }
        Self::of(workers, deepening, limits)
    }

    /// A search by these workers, at least one.
    pub(super) fn of(
        workers: Vec<Box<dyn Deepens<G>>>,
        deepening: Deepening,
        limits: SearchLimits,
    ) -> Self {
        Self {
            workers,
            deepening,
            limits,
            outer: Limits::NONE,
            pace: Pace::new(limits.time),
            completed: 0,
        }
    }

    /// Asks an oracle about every position that is reached by a move, where the search can.
    #[must_use]
    pub fn with_oracle(mut self, oracle: Option<&Arc<dyn Oracle<G>>>) -> Self {
        for worker in &mut self.workers {
            worker.set_oracle(oracle.cloned());
        }
        self
    }

    /// Also measures the time it spends evaluating, or not.
    #[must_use]
    pub fn timed(mut self, timed: bool) -> Self {
        for worker in &mut self.workers {
            worker.time_leaves(EvalTimer::new(timed));
        }
        self
    }

    /// Runs `task` on all workers: from the depths of the iterations to a result and the last complete
    /// one. The result of the first worker counts; when it is done, the others end.
    fn run<R>(
        &mut self,
        position: &G::Position,
        task: impl Fn(&mut dyn Deepens<G>, Depths, &Limits) -> (R, u32) + Sync,
    ) -> R {
        self.run_helped(position, &task, &task)
    }

    /// As [`DeepeningSearch::run`], but the first worker has a task of its own.
    fn run_helped<R>(
        &mut self,
        position: &G::Position,
        task: impl FnMut(&mut dyn Deepens<G>, Depths, &Limits) -> (R, u32),
        help: impl Fn(&mut dyn Deepens<G>, Depths, &Limits) -> (R, u32) + Sync,
    ) -> R {
        let mut task = task;
        let began = self.pace.start();
        let game = self.workers[0].game();
        let depths = Depths::new(
            self.limits,
            self.outer.stop.is_some(),
            self.deepening,
            game.stage(position),
        );
        let deadline = self.pace.deadline(began, game.moves_left(position));
        let (answer, completed) = self.until(
            deadline,
            |worker, outer| task(worker, depths.clone(), outer),
            |worker, outer| _ = help(worker, depths.clone(), outer),
        );
        self.completed = completed;
        self.pace.spent(began.elapsed());
        answer
    }

    fn until<R>(
        &mut self,
        deadline: Option<Deadline>,
        mut task: impl FnMut(&mut dyn Deepens<G>, &Limits) -> R,
        help: impl Fn(&mut dyn Deepens<G>, &Limits) + Sync,
    ) -> R {
        let stop = self.begin(deadline);
        let (first, others) = self.workers.split_at_mut(1);
        let (first, outer) = (&mut *first[0], &self.outer);
        let Some(stop) = stop else {
            return task(first, outer);
        };
        let mut answer = None;
        beside(
            others,
            &|worker| help(&mut **worker, outer),
            &stop,
            &mut || {
                answer = Some(task(first, outer));
            },
        );
        answer.expect("the first worker answers")
    }

    /// Starts what watches over each worker. If there are several, the first answers and the others
    /// only help: what is returned tells these to stop.
    fn begin(&mut self, deadline: Option<Deadline>) -> Option<Arc<AtomicBool>> {
        let nodes = self.limits.nodes;
        if let Some(table) = self.workers[0].table() {
            table.step();
        }
        let several = self.workers.len() > 1;
        let stop = several.then(|| Arc::new(AtomicBool::new(false)));
        for (number, worker) in self.workers.iter_mut().enumerate() {
            let stop = if number == 0 { &self.outer.stop } else { &stop };
            worker.start(nodes, deadline, stop.clone());
        }
        stop
    }
}

/// The depths of the iterations.
#[derive(Clone)]
struct Depths {
    next: Option<u32>,
    /// After a quick look one ply deep.
    first: u32,
    most: u32,
    step: u32,
}

impl Depths {
    fn new(
        limits: SearchLimits,
        can_be_stopped: bool,
        Deepening { step, .. }: Deepening,
        stage: Stage,
    ) -> Self {
        let DepthRange { least, most } = limits.depth(stage);
        // Without another limit only the last iteration answers: the others are there to order it.
        let only_depth = limits.only_depth();
        let first = if only_depth {
            most - most.saturating_sub(least) / step * step
        } else {
            least
        };
        // A first iteration of two plies is quick enough to answer by.
        let is_quick = only_depth && (first <= 2 || !can_be_stopped);
        Self {
            next: Some(if is_quick { first } else { first.min(1) }),
            first,
            most,
            step,
        }
    }
}

impl Iterator for Depths {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let depth = self.next?;
        self.next = if depth < self.first {
            Some(self.first)
        } else {
            (depth < self.most).then(|| (depth + self.step).min(self.most))
        };
        Some(depth)
    }
}

impl<G: Game> Search<G> for DeepeningSearch<G> {
    fn game(&self) -> &G {
        self.workers[0].game()
    }

    fn forget(&mut self) {
        if let Some(table) = self.workers[0].table() {
            table.forget();
        }
        for worker in &mut self.workers {
            worker.forget_own();
        }
        self.pace = Pace::new(self.limits.time);
    }

    fn set_limits(&mut self, limits: &Limits) {
        self.outer.clone_from(limits);
    }

    fn is_stopped(&self) -> bool {
        self.outer.is_stopped()
    }

    fn move_value(&mut self, position: &G::Position, mv: G::Move, alpha: f32) -> Bounds {
        if !self.limits.only_depth() {
            return Bounds::exact(self.move_values(position, &[mv])[0]);
        }
        let worker = &mut self.workers[0];
        let depth = self.limits.depth(worker.game().stage(position)).most;
        worker.start(None, None, self.outer.stop.clone());
        worker
            .move_bounds(position, mv, depth, alpha, f32::INFINITY)
            .0
    }

    fn best_move(&mut self, position: &G::Position, legal: &[G::Move]) -> (G::Move, f32) {
        let (limits, aspiration) = (self.limits, self.deepening.aspiration);
        let best = self.run(position, |worker, depths, outer| {
            let mut moves = RootMove::all(legal);
            let mut completed = 0;
            for depth in depths {
                if completed > 0 {
                    // The others by what is known of them.
                    moves[1..]
                        .sort_by(|one, other| other.bounds.upper.total_cmp(&one.bounds.upper));
                }
                let aspiration = aspiration.filter(|_| completed > 0);
                if !worker.iterate(position, depth, aspiration, &mut moves) {
                    break;
                }
                completed = depth;
                if decided(&moves, &limits) {
                    break;
                }
            }
            if moves[0].bounds == Bounds::UNKNOWN && outer.is_stopped() {
                // One ply says more than the order of the list.
                last_look(worker, |worker| {
                    worker.iterate(position, 1, None, &mut moves);
                });
            }
            (moves[0], completed)
        });
        // Without time for a single iteration nothing is known.
        let value = if best.bounds == Bounds::UNKNOWN {
            UNKNOWN_VALUE
        } else {
            best.bounds.lower
        };
        (best.mv, value)
    }

    fn move_values(&mut self, position: &G::Position, moves: &[G::Move]) -> Vec<f32> {
        let found = self.move_payoffs(position, moves).into_iter();
        found.map(|(value, _)| value).collect()
    }

    fn move_payoffs(
        &mut self,
        position: &G::Position,
        moves: &[G::Move],
    ) -> Vec<(f32, Option<Payoffs>)> {
        self.move_payoffs_observed(position, moves, &mut |_, _| true)
    }

    fn move_payoffs_observed(
        &mut self,
        position: &G::Position,
        moves: &[G::Move],
        observer: &mut DepthObserver<'_>,
    ) -> Vec<(f32, Option<Payoffs>)> {
        self.run_helped(
            position,
            |worker, depths, outer| {
                payoffs_by_depth(worker, position, moves, depths, outer, observer)
            },
            |worker, depths, outer| {
                payoffs_by_depth(worker, position, moves, depths, outer, &mut |_, _| true)
            },
        )
    }

    fn value(&mut self, position: &G::Position) -> f32 {
        self.run(position, |worker, depths, outer| {
            let (mut value, mut completed) = (UNKNOWN_VALUE, 0);
            for depth in depths {
                let (bounds, proven) = worker.value_to(position, depth);
                if worker.watch().stopped() {
                    if completed == 0 && outer.is_stopped() {
                        last_look(worker, |worker| {
                            let (bounds, _) = worker.value_to(position, 1);
                            if !worker.watch().stopped() {
                                value = bounds.lower;
                            }
                        });
                    }
                    break;
                }
                (value, completed) = (bounds.lower, depth);
                if proven {
                    break;
                }
            }
            (value, completed)
        })
    }

    fn take_stats(&mut self) -> SearchStats {
        let mut stats = SearchStats::default();
        for worker in &mut self.workers {
            stats.add(&worker.take_stats());
        }
        SearchStats {
            depth: std::mem::take(&mut self.completed),
            ..stats
        }
    }
}

/// The values of moves at the last complete depth, and that depth; `observer` receives those before.
fn payoffs_by_depth<G: Game>(
    worker: &mut dyn Deepens<G>,
    position: &G::Position,
    moves: &[G::Move],
    mut depths: Depths,
    outer: &Limits,
    observer: &mut DepthObserver<'_>,
) -> (Vec<(f32, Option<Payoffs>)>, u32) {
    // Values of different depths do not compare: an iteration counts when all moves have one, but for
    // the first.
    let (mut values, mut completed) = (vec![(UNKNOWN_VALUE, None); moves.len()], 0);
    while let Some(depth) = depths.next() {
        let mut found = values.clone();
        let Some(proven) = worker.value_moves(position, depth, moves, &mut found) else {
            if completed == 0 && outer.is_stopped() {
                last_look(worker, |worker| {
                    worker.value_moves(position, 1, moves, &mut found);
                });
            }
            return (if completed == 0 { found } else { values }, completed);
        };
        (values, completed) = (found, depth);
        let is_last = proven || depths.next.is_none();
        let stats = *worker.stats();
        if is_last || !observer(&values, SearchStats { depth, ..stats }) {
            break;
        }
    }
    (values, completed)
}

/// A move is searched exactly if its value may equal that of the best one: further below it than
/// rounding goes.
const TIE: f32 = 2e-6;

/// How long a search that was stopped before it found anything may look one ply deep.
const LAST_LOOK: Duration = Duration::from_millis(20);

/// Has a search that was stopped look so far. An oracle is not asked: it may take any time.
fn last_look<G: Game>(worker: &mut dyn Deepens<G>, look: impl FnOnce(&mut dyn Deepens<G>)) {
    let oracle = worker.set_oracle(None);
    let deadline = Deadline {
        stopwatch: Stopwatch::wall(),
        after: LAST_LOOK,
    };
    worker.start(None, Some(deadline), None);
    look(worker);
    worker.set_oracle(oracle);
}

/// Below every value, so that the first move is valued exactly.
const UNBOUNDED: f32 = -1.0;

fn bring_forward<M: Copy>(moves: &mut [RootMove<M>], place: usize) {
    if let Some(index) = moves.iter().position(|root| root.place == place) {
        moves[..=index].rotate_right(1);
    }
}

/// Whether deeper iterations cannot change the choice; with a fixed depth its value is wanted too.
fn decided<M>(moves: &[RootMove<M>], limits: &SearchLimits) -> bool {
    let best = &moves[0];
    if moves.iter().all(|root| root.proven) {
        return true;
    }
    let others_lost = moves[1..]
        .iter()
        .all(|root| root.proven && root.bounds.upper <= 0.0);
    !limits.only_depth() && (others_lost || best.bounds.lower >= 1.0)
}
