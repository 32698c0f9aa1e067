//! Star0 to Star2 (Ballard 1983): expectiminimax with cutoffs at chance nodes. Each distinct move
//! is searched once, in the window in which its value matters ([`ChanceBounds::window`]); without
//! chance Star1 is alpha-beta.
//!
//! Values equal those of [`super::expectiminimax`] up to rounding, except with
//! [`StarOptions::probcut`], [`StarOptions::width`] or a table of `DepthPolicy::Deeper`.

mod frontier;
mod ordering_scores;
mod probcut;

use self::frontier::OnePlyCache;
use super::{
    RootVersusRest, SearchStats,
    abdada::AbdadaTable,
    deepening::FixedDepthSearch,
    eval_timer::EvalTimer,
    limits::LimitChecker,
    ordering::{Ordering, OutcomeGroups, limit_moves, order_moves},
    table::{NewEntry, StoreOutcome, Table},
};
use alea_core::{
    chance_bounds::{Bounds, ChanceBounds},
    evaluator::Evaluator,
    oracle::Oracle,
    search_game::SearchGame,
};
use std::sync::Arc;

/// Pruning at chance nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pruning {
    /// Star0: no cutoffs.
    None,
    /// Star0.5: moves are searched with full windows until the node's value is known to miss its
    /// window.
    BetweenMoves,
    /// Star1: Star0.5 in which a move's window excludes values that cannot matter
    /// ([`ChanceBounds::window`]).
    Star1,
    /// Star2: Star1 that first searches one promising move per outcome, which raises lower bounds.
    Star2,
}

/// Options of a [`Star`] search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StarOptions {
    /// Pruning at chance nodes.
    pub pruning: Pruning,
    /// Whether moves are searched with a null window first (NegaScout, Reinefeld 1983); only with
    /// [`Pruning::Star1`] and [`Pruning::Star2`].
    pub negascout: bool,
    /// Information by which moves are ordered.
    pub ordering: Ordering,
    /// Standard deviations by which a search two plies shallower must miss the window to replace
    /// the full search (ProbCut); `None` turns ProbCut off.
    pub probcut: Option<f32>,
    /// Maximal moves searched at a node below the root ([`limit_moves`]). Only for games without
    /// chance.
    pub width: Option<usize>,
}

impl Default for StarOptions {
    fn default() -> Self {
        Self {
            pruning: Pruning::Star2,
            negascout: false,
            ordering: Ordering::ALL,
            probcut: None,
            width: None,
        }
    }
}

const UNSEARCHED: f32 = -1.0;

const NULL_WINDOW: f32 = 1e-5;

/// A single-threaded Star search, to a depth given with each call.
#[derive(Clone)]
pub struct Star<G: SearchGame, E: Evaluator<G>> {
    game: G,
    evaluator: E,
    options: StarOptions,
    table: Option<Arc<Table>>,
    pub(super) oracle: Option<Arc<dyn Oracle<G>>>,
    caches: Vec<E::Cache>,
    scratch: Vec<Option<Box<Scratch<G>>>>,
    perspective: RootVersusRest,
    history: Vec<f32>,
    leaf_cache: OnePlyCache,
    /// Counts results that a deeper search could change; a subtree that adds none is proven.
    depth_dependent: u64,
    is_all_node: bool,
    limit_checker: LimitChecker,
    pub(super) abdada: Option<Arc<AbdadaTable>>,
    stats: SearchStats,
    pub(super) eval_timer: EvalTimer,
}

#[derive(Clone)]
struct Scratch<G: SearchGame> {
    moves: G::Moves,
    scores: Vec<f32>,
    order: Vec<u16>,
    groups: OutcomeGroups,
    chance: ChanceBounds<G::Outcomes>,
    deferred: Vec<(u16, G::Position, u64)>,
}

impl<G: SearchGame> Default for Scratch<G> {
    fn default() -> Self {
        Self {
            moves: G::Moves::default(),
            scores: Vec::new(),
            order: Vec::new(),
            groups: OutcomeGroups::default(),
            chance: ChanceBounds::default(),
            deferred: Vec::new(),
        }
    }
}

impl<G: SearchGame, E: Evaluator<G>> Star<G, E> {
    /// A search without limits of time or nodes. Without a `table` transpositions are searched
    /// again.
    pub fn new(game: G, evaluator: E, options: StarOptions, table: Option<Arc<Table>>) -> Self {
        let leaf_cache = if table.is_some() && E::BATCHES_SUCCESSORS {
            OnePlyCache::new()
        } else {
            OnePlyCache::default()
        };
        Self {
            history: vec![0.0; game.history_size()],
            game,
            evaluator,
            options,
            table,
            oracle: None,
            caches: Vec::new(),
            scratch: Vec::new(),
            perspective: RootVersusRest { root: 0 },
            depth_dependent: 0,
            is_all_node: false,
            leaf_cache,
            limit_checker: LimitChecker::default(),
            abdada: None,
            stats: SearchStats::default(),
            eval_timer: EvalTimer::default(),
        }
    }

    #[inline]
    fn oracle_value(&mut self, position: &G::Position) -> Option<f32> {
        let oracle = (self.oracle.as_deref()).filter(|_| self.game.seats() == 2)?;
        let value = oracle.value_within(&self.game, position, self.limit_checker.outer_limits());
        if value.is_none() {
            self.limit_checker.check_outer_limits();
        }
        value
    }

    /// Clears the table, history counters and cached leaf values, for a new game.
    pub fn clear(&mut self) {
        if let Some(table) = &self.table {
            table.clear();
        }
        self.clear_worker();
    }

    /// Cost since the previous `take_stats`.
    pub fn take_stats(&mut self) -> SearchStats {
        self.eval_timer.take_stats(&mut self.stats)
    }

    /// Bounds of a position before its chance event, for the seat to move, by a search of `depth`
    /// plies (0–127): equal if between `alpha` and `beta`, else both at most `alpha` or both at
    /// least `beta`.
    pub fn bounds(&mut self, position: &G::Position, depth: u32, alpha: f32, beta: f32) -> Bounds {
        self.bounds_and_proof(position, depth, alpha, beta).0
    }

    /// [`Star::bounds`], and whether they hold at every greater depth.
    pub fn bounds_and_proof(
        &mut self,
        position: &G::Position,
        depth: u32,
        alpha: f32,
        beta: f32,
    ) -> (Bounds, bool) {
        self.prepare_root(position, depth);
        let depth_dependent = self.depth_dependent;
        let bounds = if let Some(payoffs) = self.game.payoffs(position) {
            Bounds::exact(payoffs[self.perspective.root])
        } else if let Some(value) = self.oracle_value(position) {
            Bounds::exact(value)
        } else if depth == 0 {
            Bounds::exact(self.evaluate(position, 0))
        } else {
            self.search_node(position, depth, 0, alpha, beta)
        };
        (bounds, depth_dependent == self.depth_dependent)
    }

    /// [`Star::bounds_and_proof`] after `mv`, for the seat that makes it; `depth` (1–127) counts
    /// `mv`.
    pub fn move_bounds(
        &mut self,
        position: &G::Position,
        mv: G::Move,
        depth: u32,
        alpha: f32,
        beta: f32,
    ) -> (Bounds, bool) {
        self.prepare_root(position, depth);
        let depth_dependent = self.depth_dependent;
        let bounds = self.search_child(position, mv, depth - 1, 0, alpha, beta);
        (bounds, depth_dependent == self.depth_dependent)
    }

    fn prepare_root(&mut self, position: &G::Position, depth: u32) {
        self.is_all_node = false;
        self.perspective = RootVersusRest {
            root: self.game.to_move(position),
        };
        if self.caches.len() <= depth as usize {
            self.caches
                .resize_with(depth as usize + 1, E::Cache::default);
            self.scratch
                .resize_with(depth as usize + 1, Option::default);
        }
        self.evaluator
            .refresh(&self.game, position, &mut self.caches[0]);
    }

    #[inline]
    fn batches_successors(&self) -> bool {
        E::BATCHES_SUCCESSORS && self.game.seats() == 2 && self.options.width.is_none()
    }

    #[inline]
    fn list_moves(&self, position: &G::Position, ply: usize, moves: &mut G::Moves) {
        self.game.moves(position, moves);
        if let Some(width) = self.options.width.filter(|_| ply > 0) {
            limit_moves(&self.game, position, moves, width);
        }
    }

    fn search_node(
        &mut self,
        position: &G::Position,
        depth: u32,
        ply: usize,
        alpha: f32,
        beta: f32,
    ) -> Bounds {
        if depth == 1 {
            return self.search_frontier(position, ply, (alpha, beta));
        }
        if self.limit_checker.is_over(self.stats.nodes) {
            return Bounds::UNKNOWN;
        }
        let mut table_bounds = Bounds::UNKNOWN;
        let mut hint = None;
        // Read before the probe: a result is proven only if its table entry is, too.
        let depth_dependent = self.depth_dependent;
        let key = if self.table.is_some() {
            self.perspective.key(&self.game, position)
        } else {
            0
        };
        if let Some(table) = &self.table {
            self.stats.table.probes += 1;
            if let Some(entry) = table.probe(key, depth) {
                self.stats.table.hits += 1;
                if self.options.ordering.table {
                    hint = Some(entry.hint);
                }
                if entry.is_usable {
                    table_bounds = entry.bounds;
                    if !entry.proven {
                        self.depth_dependent += 1;
                    }
                    if table_bounds.lower >= table_bounds.upper
                        || table_bounds.lower >= beta
                        || table_bounds.upper <= alpha
                    {
                        self.stats.table.cuts += 1;
                        return table_bounds;
                    }
                }
            }
        }
        if let Some(bounds) = self.try_probcut(position, depth, ply, (alpha, beta)) {
            return bounds;
        }
        if self.limit_checker.stopped() {
            return Bounds::UNKNOWN;
        }
        let (found, hint) = self.search_move_list(position, depth, ply, alpha, beta, hint);
        if self.limit_checker.stopped() {
            return Bounds::UNKNOWN;
        }
        let lower = found.lower.max(table_bounds.lower);
        let bounds = Bounds {
            lower,
            upper: found.upper.min(table_bounds.upper).max(lower),
        };
        if let Some(table) = &self.table {
            self.stats.table.stores += 1;
            if table.store(
                key,
                &NewEntry {
                    depth,
                    bounds,
                    proven: depth_dependent == self.depth_dependent,
                    hint,
                },
            ) == StoreOutcome::Replacing
            {
                self.stats.table.replacements += 1;
            }
        }
        bounds
    }

    #[inline]
    fn search_move_list(
        &mut self,
        position: &G::Position,
        depth: u32,
        ply: usize,
        alpha: f32,
        beta: f32,
        hint: Option<u16>,
    ) -> (Bounds, u16) {
        let mut buffers = self.scratch[ply].take().unwrap_or_default();
        self.list_moves(position, ply, &mut buffers.moves);
        let outcomes = self.game.outcomes(position, &buffers.moves);
        buffers
            .groups
            .split_by_outcomes(&outcomes, buffers.moves.len());
        let probing = self.options.pruning == Pruning::Star2;
        let last = depth == 2 && self.batches_successors() && self.options.pruning > Pruning::None;
        let expects_all = last && self.is_all_node;
        if expects_all {
            buffers.scores.clear();
            buffers.scores.resize(buffers.moves.len(), 0.0);
            buffers.order.clear();
            buffers.order.extend(0..buffers.moves.len() as u16);
        } else {
            self.score_moves(position, depth, ply, &mut buffers);
            if let Some(hint) = hint {
                for index in buffers.groups.unpack_best(hint) {
                    buffers.scores[index] = f32::INFINITY;
                }
            }
            order_moves(
                &mut buffers.order,
                &buffers.groups,
                &buffers.scores,
                probing,
            );
        }
        buffers.scores.fill(UNSEARCHED);
        if last {
            let bounds = self.search_pre_frontier(
                position,
                ply,
                &mut buffers,
                &outcomes,
                expects_all,
                (alpha, beta),
            );
            self.scratch[ply] = Some(buffers);
            return (bounds, u16::MAX);
        }
        let mut chance = ChanceBounds::<G::Outcomes>::new(&outcomes);
        if self.options.pruning >= Pruning::Star1
            && self.probe_successors(position, depth - 1, &mut buffers, &mut chance)
            && chance.is_decided(alpha, beta)
        {
            let hint = buffers.groups.pack_best(&buffers.scores);
            self.scratch[ply] = Some(buffers);
            return (chance.bounds(), hint);
        }
        let abdada = self
            .abdada
            .clone()
            .filter(|_| depth >= AbdadaTable::MIN_DEPTH);
        // Moves that another thread is searching come last: their results may then be in the table.
        let rounds = if abdada.is_some() { 2 } else { 1 };
        'moves: for round in 0..rounds {
            for rank in 0..buffers.order.len() {
                let index = usize::from(buffers.order[rank]);
                if buffers.scores[index] != UNSEARCHED || !chance.is_move_allowed(index) {
                    continue;
                }
                let mv = buffers.moves[index];
                self.is_all_node =
                    probing && self.options.ordering.uses_scores() && rank < buffers.groups.count();
                let found = match &abdada {
                    None => self.search_move(
                        position,
                        mv,
                        depth,
                        ply,
                        &mut chance,
                        index,
                        (alpha, beta),
                    ),
                    Some(abdada) => {
                        let child = self
                            .perspective
                            .key(&self.game, &self.game.play(position, mv))
                            ^ u64::from(depth);
                        if round == 0 && rank > 0 && abdada.contains(child) {
                            continue;
                        }
                        let entered = abdada.mark_searching(child);
                        let found = self.search_move(
                            position,
                            mv,
                            depth,
                            ply,
                            &mut chance,
                            index,
                            (alpha, beta),
                        );
                        abdada.unmark_searching(entered, child);
                        found
                    }
                };
                if self.limit_checker.stopped() {
                    break 'moves;
                }
                buffers.scores[index] = found.lower;
                if self.options.pruning > Pruning::None && chance.is_decided(alpha, beta) {
                    if self.options.ordering.history && chance.bounds().lower >= beta {
                        self.update_history(position, mv, depth);
                    }
                    break 'moves;
                }
            }
        }
        let hint = buffers.groups.pack_best(&buffers.scores);
        self.scratch[ply] = Some(buffers);
        (chance.bounds(), hint)
    }

    /// Enhanced transposition cutoffs (Plaat et al. 1996); returns whether any entry tightened
    /// `chance`.
    #[inline]
    fn probe_successors(
        &mut self,
        position: &G::Position,
        depth: u32,
        buffers: &mut Scratch<G>,
        chance: &mut ChanceBounds<G::Outcomes>,
    ) -> bool {
        let Some(table) = &self.table else {
            return false;
        };
        buffers.deferred.clear();
        for (index, &mv) in buffers.moves.iter().enumerate() {
            if chance.is_move_allowed(index) {
                let next = self.game.play(position, mv);
                let key = self.perspective.key(&self.game, &next);
                table.prefetch(key);
                buffers.deferred.push((index as u16, next, key));
            }
        }
        let mut is_any_hit = false;
        for &(index, next, key) in &buffers.deferred {
            let index = usize::from(index);
            self.stats.table.probes += 1;
            let Some(entry) = table.probe(key, depth).filter(|entry| entry.is_usable) else {
                continue;
            };
            self.stats.table.hits += 1;
            let bounds = if self.perspective.is_same_side(&self.game, position, &next) {
                entry.bounds
            } else {
                entry.bounds.flip()
            };
            if bounds.lower >= bounds.upper {
                buffers.scores[index] = bounds.lower;
                chance.record(index, bounds);
            } else if bounds.lower > 0.0 {
                chance.raise_lower_bound(index, bounds.lower);
            } else {
                continue;
            }
            is_any_hit = true;
            if !entry.proven {
                self.depth_dependent += 1;
            }
        }
        is_any_hit
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the state of one node of the recursion"
    )]
    #[inline]
    fn search_move(
        &mut self,
        position: &G::Position,
        mv: G::Move,
        depth: u32,
        ply: usize,
        chance: &mut ChanceBounds<G::Outcomes>,
        index: usize,
        (alpha, beta): (f32, f32),
    ) -> Bounds {
        let (mut low, mut high) = (f32::NEG_INFINITY, f32::INFINITY);
        if self.options.pruning >= Pruning::Star1 {
            (low, high) = chance.window(index, alpha, beta);
        }
        if self.options.negascout && low > 0.0 && low + NULL_WINDOW < high {
            let found = self.search_child(position, mv, depth - 1, ply, low, low + NULL_WINDOW);
            if found.upper <= low || found.lower >= found.upper || self.limit_checker.stopped() {
                chance.record(index, found);
                return found;
            }
            chance.raise_lower_bound(index, found.lower);
            (low, high) = chance.window(index, alpha, beta);
            if chance.is_decided(alpha, beta) {
                return found;
            }
        }
        let found = self.search_child(position, mv, depth - 1, ply, low, high);
        chance.record(index, found);
        found
    }

    /// Bounds for the side that makes `mv`; `depth` counts plies after it.
    #[inline]
    fn search_child(
        &mut self,
        position: &G::Position,
        mv: G::Move,
        depth: u32,
        ply: usize,
        alpha: f32,
        beta: f32,
    ) -> Bounds {
        let next = self.game.play(position, mv);
        self.stats.nodes += 1;
        let same = self.perspective.is_same_side(&self.game, position, &next);
        let bounds = if let Some(payoffs) = self.game.payoffs(&next) {
            Bounds::exact(self.perspective.value(&self.game, &next, &payoffs))
        } else if let Some(value) = self.oracle_value(&next) {
            Bounds::exact(value)
        } else {
            if !self.batches_successors() || depth == 0 {
                let (parents, children) = self.caches.split_at_mut(ply + 1);
                let (parent, child) = (&mut parents[ply], &mut children[0]);
                self.evaluator
                    .update(&self.game, parent, position, mv, &next, child);
            }
            if depth == 0 {
                Bounds::exact(self.evaluate(&next, ply + 1))
            } else if same {
                self.search_node(&next, depth, ply + 1, alpha, beta)
            } else {
                self.search_node(&next, depth, ply + 1, 1.0 - beta, 1.0 - alpha)
            }
        };
        if same { bounds } else { bounds.flip() }
    }

    #[inline]
    fn evaluate(&mut self, position: &G::Position, ply: usize) -> f32 {
        if self.limit_checker.is_over(self.stats.nodes) {
            return 0.0;
        }
        self.stats.evaluations += 1;
        self.depth_dependent += 1;
        let (game, evaluator, cache, perspective) = (
            &self.game,
            &self.evaluator,
            &self.caches[ply],
            self.perspective,
        );
        self.eval_timer
            .measure(|| perspective.value_for_mover(game, evaluator, position, cache))
    }
}

impl<G: SearchGame, E: Evaluator<G>> FixedDepthSearch<G> for Star<G, E> {
    fn game(&self) -> &G {
        &self.game
    }

    fn table(&self) -> Option<&Table> {
        self.table.as_deref()
    }

    fn clear_worker(&mut self) {
        self.history.fill(0.0);
        self.leaf_cache.clear();
    }

    fn set_oracle(&mut self, oracle: Option<Arc<dyn Oracle<G>>>) -> Option<Arc<dyn Oracle<G>>> {
        std::mem::replace(&mut self.oracle, oracle)
    }

    fn set_eval_timer(&mut self, clock: EvalTimer) {
        self.eval_timer = clock;
    }

    fn limit_checker(&mut self) -> &mut LimitChecker {
        &mut self.limit_checker
    }

    fn stats(&self) -> &SearchStats {
        &self.stats
    }

    fn take_stats(&mut self) -> SearchStats {
        Self::take_stats(self)
    }

    fn root_value(&mut self, position: &G::Position, depth: u32) -> (Bounds, bool) {
        self.bounds_and_proof(position, depth, f32::NEG_INFINITY, f32::INFINITY)
    }

    fn move_bounds(
        &mut self,
        position: &G::Position,
        mv: G::Move,
        depth: u32,
        alpha: f32,
        beta: f32,
    ) -> (Bounds, bool) {
        Self::move_bounds(self, position, mv, depth, alpha, beta)
    }
}
