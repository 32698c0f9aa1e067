//! Iterative deepening: each iteration orders the root moves of the next.
//!
//! If depth is the only limit, a table with `DepthPolicy::SameDepth`, move order and cutoffs change
//! values by rounding only.

use super::{
    DepthObserver, Search, SearchStats, UNKNOWN_VALUE,
    abdada::{AbdadaTable, run_with_helpers},
    alpha_beta::{self, AlphaBeta, AlphaBetaOptions},
    eval_timer::EvalTimer,
    limits::{DepthRange, LimitChecker, Limits, SearchLimits, TimeManager},
    star::{Pruning, Star, StarOptions},
    stopwatch::{Deadline, Stopwatch},
    table::Table,
};
use alea_core::{
    chance_bounds::Bounds,
    evaluator::Evaluator,
    game::Payoffs,
    oracle::Oracle,
    search_game::{Phase, SearchGame},
};
use smallvec::SmallVec;
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// Options of iterative deepening.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeepeningOptions {
    /// Plies by which the depth grows per iteration.
    pub step: u32,
    /// Half the width of the aspiration window around a move's last value, in win probability;
    /// `None` for a full window.
    pub aspiration: Option<f32>,
}

impl Default for DeepeningOptions {
    fn default() -> Self {
        Self {
            step: 2,
            aspiration: None,
        }
    }
}

pub(super) trait FixedDepthSearch<G: SearchGame>: Send {
    fn game(&self) -> &G;
    fn table(&self) -> Option<&Table> {
        None
    }
    fn clear_worker(&mut self) {}
    fn set_oracle(&mut self, _oracle: Option<Arc<dyn Oracle<G>>>) -> Option<Arc<dyn Oracle<G>>> {
        None
    }
    fn set_eval_timer(&mut self, clock: EvalTimer);
    fn limit_checker(&mut self) -> &mut LimitChecker;
    fn stats(&self) -> &SearchStats;
    fn take_stats(&mut self) -> SearchStats;
    /// Bounds for the seat to move, and whether they hold at every greater depth.
    fn root_value(&mut self, position: &G::Position, depth: u32) -> (Bounds, bool);
    fn move_bounds(
        &mut self,
        position: &G::Position,
        mv: G::Move,
        depth: u32,
        alpha: f32,
        beta: f32,
    ) -> (Bounds, bool);
    fn last_payoffs(&self) -> Option<Payoffs> {
        None
    }
    /// Values of moves, by default all, by the oracle alone, as [`Oracle::root_values`].
    fn solve_root(
        &mut self,
        _position: &G::Position,
        _moves: Option<&[G::Move]>,
        _all: bool,
    ) -> Option<Vec<Bounds>> {
        None
    }

    /// Sorts the root moves for a search to this depth; returns how many to search, from the front.
    fn arrange_root_moves(
        &mut self,
        _position: &G::Position,
        _depth: u32,
        moves: &mut [RootMove<G::Move>],
    ) -> usize {
        moves.len()
    }

    /// Searches root moves and puts the best in front; returns whether all were searched. Provided,
    /// since dynamic calls would dominate a search of one ply.
    fn search_root_moves(
        &mut self,
        position: &G::Position,
        depth: u32,
        aspiration: Option<f32>,
        moves: &mut [RootMove<G::Move>],
    ) -> bool {
        let mut best: Option<(f32, usize)> = None;
        for index in 0..self.arrange_root_moves(position, depth, moves) {
            let root = moves[index];
            let alpha = match best {
                None => BELOW_ALL_VALUES,
                Some((value, list_index)) if root.list_index < list_index => value - TIE_MARGIN,
                Some((value, _)) => value,
            };
            let (bounds, proven) = self.search_root_move(position, &root, depth, alpha, aspiration);
            if self.limit_checker().stopped() {
                if let Some((_, list_index)) = best {
                    move_to_front(moves, list_index);
                }
                return false;
            }
            moves[index].bounds = bounds;
            moves[index].proven = proven;
            if best.is_none_or(|(value, list_index)| {
                bounds.lower > value || bounds.lower == value && root.list_index < list_index
            }) {
                best = Some((bounds.lower, root.list_index));
            }
        }
        if let Some((_, list_index)) = best {
            move_to_front(moves, list_index);
        }
        true
    }

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
            if self.limit_checker().stopped() {
                return None;
            }
            *value = (bounds.lower, self.last_payoffs());
            all_proven &= proven;
        }
        Some(all_proven)
    }

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
            if bounds.lower >= bounds.upper
                || bounds.upper <= alpha
                || self.limit_checker().stopped()
            {
                return (bounds, proven);
            }
        }
        self.move_bounds(position, root.mv, depth, alpha, f32::INFINITY)
    }
}

/// Options of an alpha-beta search that finds the values of a Star search, where there is one.
fn alpha_beta_options<G: SearchGame>(game: &G, options: &StarOptions) -> Option<AlphaBetaOptions> {
    let suits = alpha_beta::suits(game) && options.width.is_none();
    (suits && options.pruning >= Pruning::Star1).then_some(AlphaBetaOptions {
        ordering: options.ordering,
        probcut: options.probcut,
    })
}

fn start_limits<G: SearchGame>(
    search: &mut (impl FixedDepthSearch<G> + ?Sized),
    nodes: Option<u64>,
    deadline: Option<Deadline>,
    stop: Option<Arc<AtomicBool>>,
) {
    let counted = search.stats().nodes;
    let max_nodes = nodes.map(|nodes| counted.saturating_add(nodes));
    let checker = search.limit_checker();
    checker.start(counted, max_nodes, deadline, stop);
}

/// Iterative deepening under limits, on one or more threads.
pub struct DeepeningSearch<G: SearchGame> {
    workers: Vec<Box<dyn FixedDepthSearch<G>>>,
    deepening: DeepeningOptions,
    own_limits: SearchLimits,
    /// Limits in force: `own_limits`, or their depths and the caller's time.
    limits: SearchLimits,
    outer_limits: Limits,
    pace: TimeManager,
    completed_depth: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct RootMove<M> {
    pub(super) mv: M,
    pub(super) list_index: usize,
    pub(super) one_ply_value: f32,
    pub(super) bounds: Bounds,
    proven: bool,
}

impl<M: Copy> RootMove<M> {
    fn list_unsearched(moves: &[M]) -> SmallVec<[Self; 8]> {
        let unsearched = |(list_index, &mv)| Self {
            mv,
            list_index,
            one_ply_value: 0.0,
            bounds: Bounds::UNKNOWN,
            proven: false,
        };
        moves.iter().enumerate().map(unsearched).collect()
    }
}

impl<G: SearchGame> DeepeningSearch<G> {
    /// A Star search to `depth` plies with default options, one thread and no table.
    pub fn to_depth(game: G, evaluator: impl Evaluator<G> + Clone + 'static, depth: u32) -> Self {
        Self::new(
            game,
            evaluator,
            StarOptions::default(),
            DeepeningOptions::default(),
            SearchLimits::to_depth(depth),
            None,
            1,
        )
    }

    /// A Star search on `threads` threads that share the table; without a table, on one.
    pub fn new(
        game: G,
        evaluator: impl Evaluator<G> + Clone + 'static,
        options: StarOptions,
        deepening: DeepeningOptions,
        limits: SearchLimits,
        table: Option<Arc<Table>>,
        threads: usize,
    ) -> Self {
        let threads = if table.is_some() { threads.max(1) } else { 1 };
        let abdada = (threads > 1).then(|| Arc::new(AbdadaTable::new()));
        let mut workers: Vec<Box<dyn FixedDepthSearch<G>>> = Vec::with_capacity(threads);
        for _ in 0..threads {
            let (game, evaluator, table) = (game.clone(), evaluator.clone(), table.clone());
            if let Some(options) = alpha_beta_options(&game, &options) {
                let search = AlphaBeta::new(game, evaluator, options, table);
                workers.push(Box::new(search));
                continue;
            }
            let mut star = Star::new(game, evaluator, options, table);
            star.abdada = abdada.clone();
            workers.push(Box::new(star));
        }
        Self::from_workers(workers, deepening, limits)
    }

    pub(super) fn from_workers(
        workers: Vec<Box<dyn FixedDepthSearch<G>>>,
        deepening: DeepeningOptions,
        limits: SearchLimits,
    ) -> Self {
        Self {
            workers,
            deepening,
            own_limits: limits,
            limits,
            outer_limits: Limits::NONE,
            pace: TimeManager::new(limits.time),
            completed_depth: 0,
        }
    }

    /// Sets the oracle, whose values replace searches.
    #[must_use]
    pub fn with_oracle(mut self, oracle: Option<&Arc<dyn Oracle<G>>>) -> Self {
        for worker in &mut self.workers {
            worker.set_oracle(oracle.cloned());
        }
        self
    }

    /// Sets whether [`SearchStats::evaluation_time`] is measured.
    #[must_use]
    pub fn with_eval_timer(mut self, timed: bool) -> Self {
        for worker in &mut self.workers {
            worker.set_eval_timer(EvalTimer::new(timed));
        }
        self
    }

    /// Runs `task` on all workers until the first one, whose result counts, ends.
    fn run<R>(
        &mut self,
        position: &G::Position,
        task: impl Fn(&mut dyn FixedDepthSearch<G>, DepthSchedule, &Limits) -> (R, u32) + Sync,
    ) -> R {
        self.run_helped(position, &task, &task)
    }

    fn run_helped<R>(
        &mut self,
        position: &G::Position,
        task: impl FnMut(&mut dyn FixedDepthSearch<G>, DepthSchedule, &Limits) -> (R, u32),
        help: impl Fn(&mut dyn FixedDepthSearch<G>, DepthSchedule, &Limits) -> (R, u32) + Sync,
    ) -> R {
        let mut task = task;
        let began = self.pace.start();
        let game = self.workers[0].game();
        let depths = DepthSchedule::new(
            self.limits,
            self.outer_limits.stop.is_some(),
            self.deepening,
            game.phase(position),
        );
        let deadline = self
            .pace
            .deadline(began, game.expected_moves_left(position));
        let (answer, completed_depth) = self.run_until(
            deadline,
            |worker, outer_limits| task(worker, depths.clone(), outer_limits),
            |worker, outer_limits| _ = help(worker, depths.clone(), outer_limits),
        );
        self.completed_depth = completed_depth;
        self.pace.record_spent_time(began.elapsed());
        answer
    }

    fn run_until<R>(
        &mut self,
        deadline: Option<Deadline>,
        mut task: impl FnMut(&mut dyn FixedDepthSearch<G>, &Limits) -> R,
        help: impl Fn(&mut dyn FixedDepthSearch<G>, &Limits) + Sync,
    ) -> R {
        let stop = self.start_workers(deadline);
        let (first, others) = self.workers.split_at_mut(1);
        let (first, outer_limits) = (&mut *first[0], &self.outer_limits);
        let Some(stop) = stop else {
            return task(first, outer_limits);
        };
        let mut answer = None;
        run_with_helpers(
            others,
            &|worker| help(&mut **worker, outer_limits),
            &stop,
            &mut || {
                answer = Some(task(first, outer_limits));
            },
        );
        answer.expect("the first worker answers")
    }

    fn start_workers(&mut self, deadline: Option<Deadline>) -> Option<Arc<AtomicBool>> {
        let nodes = self.limits.nodes;
        if let Some(table) = self.workers[0].table() {
            table.new_generation();
        }
        let several = self.workers.len() > 1;
        let stop = several.then(|| Arc::new(AtomicBool::new(false)));
        for (number, worker) in self.workers.iter_mut().enumerate() {
            let stop = if number == 0 {
                &self.outer_limits.stop
            } else {
                &stop
            };
            start_limits(worker.as_mut(), nodes, deadline, stop.clone());
        }
        stop
    }
}

#[derive(Clone)]
struct DepthSchedule {
    next: Option<u32>,
    first: u32,
    max: u32,
    step: u32,
}

impl DepthSchedule {
    #[inline]
    fn new(
        limits: SearchLimits,
        can_be_stopped: bool,
        DeepeningOptions { step, .. }: DeepeningOptions,
        phase: Phase,
    ) -> Self {
        let DepthRange { min, max } = limits.depth(phase);
        let only_depth = limits.is_depth_only();
        let first = if only_depth {
            max - max.saturating_sub(min) / step * step
        } else {
            min
        };
        // One ply comes first unless the first iteration is short or nothing can stop it.
        let is_quick = only_depth && (first <= 2 || !can_be_stopped);
        Self {
            next: Some(if is_quick { first } else { first.min(1) }),
            first,
            max,
            step,
        }
    }
}

impl Iterator for DepthSchedule {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let depth = self.next?;
        self.next = if depth < self.first {
            Some(self.first)
        } else {
            (depth < self.max).then(|| (depth + self.step).min(self.max))
        };
        Some(depth)
    }
}

impl<G: SearchGame> Search<G> for DeepeningSearch<G> {
    fn game(&self) -> &G {
        self.workers[0].game()
    }

    fn clear(&mut self) {
        if let Some(table) = self.workers[0].table() {
            table.clear();
        }
        for worker in &mut self.workers {
            worker.clear_worker();
        }
        self.pace = TimeManager::new(self.own_limits.time);
    }

    #[inline]
    fn set_limits(&mut self, limits: &Limits) {
        if limits.is_none() && self.outer_limits.is_none() {
            return;
        }
        self.outer_limits.clone_from(limits);
        self.limits = self.own_limits.with_move_time(limits.time);
        self.pace.set_move_time(limits.time);
    }

    fn is_stopped(&self) -> bool {
        self.outer_limits.is_stopped()
    }

    fn move_value(&mut self, position: &G::Position, mv: G::Move, alpha: f32) -> Bounds {
        if !self.limits.is_depth_only() {
            return Bounds::exact(self.move_values(position, &[mv])[0]);
        }
        let worker = &mut self.workers[0];
        let depth = self.limits.depth(worker.game().phase(position)).max;
        start_limits(worker.as_mut(), None, None, self.outer_limits.stop.clone());
        worker
            .move_bounds(position, mv, depth, alpha, f32::INFINITY)
            .0
    }

    fn best_move(&mut self, position: &G::Position, legal: &[G::Move]) -> (G::Move, f32) {
        let (limits, aspiration) = (self.limits, self.deepening.aspiration);
        let best = self.run(position, |worker, depths, outer_limits| {
            let mut moves = RootMove::list_unsearched(legal);
            let mut completed_depth = 0;
            // Of lost moves the one that a search prefers is the hardest to refute.
            let mut is_lost = false;
            if let Some(solved) = worker.solve_root(position, Some(legal), false) {
                let value = |index: &usize| solved[*index].lower;
                let best = (0..moves.len()).rev();
                let best = best.max_by(|one, other| value(one).total_cmp(&value(other)));
                let best = best.unwrap_or(0);
                if solved[best].lower > 0.0 {
                    moves[best].bounds = solved[best];
                    return (moves[best], 0);
                }
                is_lost = true;
            }
            for depth in depths {
                if completed_depth > 0 {
                    moves[1..]
                        .sort_by(|one, other| other.bounds.upper.total_cmp(&one.bounds.upper));
                }
                let aspiration = aspiration.filter(|_| completed_depth > 0);
                if !worker.search_root_moves(position, depth, aspiration, &mut moves) {
                    break;
                }
                completed_depth = depth;
                if is_decided(&moves, &limits) {
                    break;
                }
            }
            if moves[0].bounds == Bounds::UNKNOWN {
                search_one_ply(worker, outer_limits, |worker| {
                    worker.search_root_moves(position, 1, None, &mut moves);
                });
            }
            if is_lost {
                moves[0].bounds = Bounds::exact(0.0);
            }
            (moves[0], completed_depth)
        });
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
            |worker, depths, outer_limits| {
                deepen_payoffs(worker, position, moves, depths, outer_limits, observer)
            },
            |worker, depths, outer_limits| {
                deepen_payoffs(
                    worker,
                    position,
                    moves,
                    depths,
                    outer_limits,
                    &mut |_, _| true,
                )
            },
        )
    }

    fn value(&mut self, position: &G::Position) -> f32 {
        self.run(position, |worker, depths, outer_limits| {
            let (mut value, mut completed_depth) = (UNKNOWN_VALUE, 0);
            if let Some(solved) = worker.solve_root(position, None, false) {
                let values = solved.iter().map(|bounds| bounds.lower);
                return (values.fold(0.0, f32::max), 0);
            }
            for depth in depths {
                let (bounds, proven) = worker.root_value(position, depth);
                if worker.limit_checker().stopped() {
                    if completed_depth == 0 {
                        search_one_ply(worker, outer_limits, |worker| {
                            let (bounds, _) = worker.root_value(position, 1);
                            if !worker.limit_checker().stopped() {
                                value = bounds.lower;
                            }
                        });
                    }
                    break;
                }
                (value, completed_depth) = (bounds.lower, depth);
                if proven {
                    break;
                }
            }
            (value, completed_depth)
        })
    }

    fn take_stats(&mut self) -> SearchStats {
        let mut stats = SearchStats::default();
        for worker in &mut self.workers {
            stats.add(&worker.take_stats());
        }
        SearchStats {
            depth: std::mem::take(&mut self.completed_depth),
            ..stats
        }
    }
}

fn deepen_payoffs<G: SearchGame>(
    worker: &mut dyn FixedDepthSearch<G>,
    position: &G::Position,
    moves: &[G::Move],
    mut depths: DepthSchedule,
    outer_limits: &Limits,
    observer: &mut DepthObserver<'_>,
) -> (Vec<(f32, Option<Payoffs>)>, u32) {
    if let Some(solved) = worker.solve_root(position, Some(moves), true) {
        let values = solved.into_iter().map(|bounds| (bounds.lower, None));
        return (values.collect(), 0);
    }
    // Values of different depths do not compare: only the first iteration counts if unfinished.
    let (mut values, mut completed_depth) = (vec![(UNKNOWN_VALUE, None); moves.len()], 0);
    while let Some(depth) = depths.next() {
        let mut found = match completed_depth {
            0 => std::mem::take(&mut values),
            _ => values.clone(),
        };
        let Some(proven) = worker.value_moves(position, depth, moves, &mut found) else {
            if completed_depth == 0 {
                found.fill((UNKNOWN_VALUE, None));
                search_one_ply(worker, outer_limits, |worker| {
                    worker.value_moves(position, 1, moves, &mut found);
                });
            }
            return (
                if completed_depth == 0 { found } else { values },
                completed_depth,
            );
        };
        (values, completed_depth) = (found, depth);
        let is_last = proven || depths.next.is_none();
        let stats = *worker.stats();
        if is_last || !observer(&values, SearchStats { depth, ..stats }) {
            break;
        }
    }
    (values, completed_depth)
}

/// Margin subtracted from alpha for moves listed before the best one, which win ties despite
/// rounding errors.
const TIE_MARGIN: f32 = 2e-6;

const FALLBACK_TIME: Duration = Duration::from_millis(20);

/// Runs a search of one ply, without the oracle, for values that limits cut off. Its own limit is
/// [`FALLBACK_TIME`] after a stop, since somebody waits; otherwise none, so that no value depends on
/// the speed of the machine.
fn search_one_ply<G: SearchGame>(
    worker: &mut dyn FixedDepthSearch<G>,
    outer_limits: &Limits,
    search: impl FnOnce(&mut dyn FixedDepthSearch<G>),
) {
    let was_stopped = worker.limit_checker().outer_limits().is_stopped();
    if was_stopped && !outer_limits.is_stopped() {
        // A helper, after the first worker's answer.
        return;
    }
    let oracle = worker.set_oracle(None);
    let deadline = outer_limits.is_stopped().then(|| Deadline {
        stopwatch: Stopwatch::start_wall(),
        after: FALLBACK_TIME,
    });
    start_limits(worker, None, deadline, None);
    search(worker);
    worker.set_oracle(oracle);
}

const BELOW_ALL_VALUES: f32 = -1.0;

fn move_to_front<M: Copy>(moves: &mut [RootMove<M>], list_index: usize) {
    if let Some(index) = moves.iter().position(|root| root.list_index == list_index) {
        moves[..=index].rotate_right(1);
    }
}

/// Whether deeper iterations cannot change the best move (with a fixed depth: nor its value).
fn is_decided<M>(moves: &[RootMove<M>], limits: &SearchLimits) -> bool {
    let best = &moves[0];
    if moves.iter().all(|root| root.proven) {
        return true;
    }
    let others_lost = moves[1..]
        .iter()
        .all(|root| root.proven && root.bounds.upper <= 0.0);
    !limits.is_depth_only() && (others_lost || best.bounds.lower >= 1.0)
}
