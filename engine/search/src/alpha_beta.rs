//! Alpha-beta search of games without chance whose two seats alternate: principal variations with
//! null windows (NegaScout, Reinefeld 1983), successors' table entries, ProbCut (Buro 1995).
//!
//! Without [`AlphaBetaOptions::probcut`] and tables of `DepthPolicy::Deeper` values equal those of
//! [`super::plain_minimax`].

mod ordering;
mod probcut;

use super::{
    SearchStats,
    deepening::FixedDepthSearch,
    eval_timer::EvalTimer,
    limits::LimitChecker,
    ordering::Ordering,
    table::{Hit, NewEntry, StoreOutcome, Table},
};
use alea_core::{
    chance_bounds::Bounds,
    evaluator::Evaluator,
    game::{Game, OutcomeList},
    oracle::{Oracle, RootRequest},
    search_game::SearchGame,
};
use std::sync::Arc;

/// Options of an [`AlphaBeta`] search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlphaBetaOptions {
    /// Information by which moves are ordered.
    pub ordering: Ordering,
    /// Standard deviations by which a shallower search must miss the window to replace the full
    /// search; `None` turns ProbCut off. Needs an evaluator with measured errors.
    pub probcut: Option<f32>,
}

/// Width of null windows, above rounding errors and below differences that matter.
const NULL_WINDOW: f32 = 1e-5;

const UNKNOWN: f32 = -1.0;

/// Minimal depth for a look at the successors' table entries.
const MIN_DEPTH_FOR_SUCCESSOR_ENTRIES: u32 = 3;

/// A single-threaded alpha-beta search, to a depth given with each call.
pub struct AlphaBeta<G: SearchGame, E: Evaluator<G>> {
    game: G,
    evaluator: E,
    options: AlphaBetaOptions,
    table: Option<Arc<Table>>,
    oracle: Option<Arc<dyn Oracle<G>>>,
    caches: Vec<E::Cache>,
    scratch: Vec<Option<Box<Scratch<G>>>>,
    history: Vec<f32>,
    /// Counts results that a deeper search could change; a subtree that adds none is proven.
    depth_dependent: u64,
    limit_checker: LimitChecker,
    stats: SearchStats,
    eval_timer: EvalTimer,
}

#[derive(Clone)]
struct Scratch<G: Game> {
    moves: G::Moves,
    successors: Vec<Successor<G>>,
}

impl<G: Game> Default for Scratch<G> {
    fn default() -> Self {
        Self {
            moves: G::Moves::default(),
            successors: Vec::new(),
        }
    }
}

/// A position after a move, with the final payoff of the side that moved.
#[derive(Clone, Copy)]
struct Successor<G: Game> {
    mv: G::Move,
    /// Index in the list of moves.
    index: u16,
    position: G::Position,
    key: u64,
    payoff: Option<f32>,
    order: f32,
}

/// Moves from the root to a node, and plies to search below it.
#[derive(Clone, Copy)]
struct NodeDepth {
    ply: usize,
    depth: u32,
}

impl NodeDepth {
    fn below(self) -> Self {
        Self {
            ply: self.ply + 1,
            depth: self.depth - 1,
        }
    }
}

/// Whether [`AlphaBeta`] can search a game.
pub fn suits<G: SearchGame>(game: &G) -> bool {
    G::Outcomes::CAPACITY == 1 && G::TWO_SEATS_ALTERNATE && game.seats() == 2
}

impl<G: SearchGame, E: Evaluator<G>> AlphaBeta<G, E> {
    /// A search without limits of time or nodes of a game that it [`suits`].
    pub fn new(
        game: G,
        evaluator: E,
        options: AlphaBetaOptions,
        table: Option<Arc<Table>>,
    ) -> Self {
        Self {
            history: vec![0.0; game.history_size()],
            game,
            evaluator,
            options,
            table,
            oracle: None,
            caches: Vec::new(),
            scratch: Vec::new(),
            depth_dependent: 0,
            limit_checker: LimitChecker::default(),
            stats: SearchStats::default(),
            eval_timer: EvalTimer::default(),
        }
    }

    fn prepare_root(&mut self, position: &G::Position, depth: u32) {
        if self.caches.len() <= depth as usize {
            self.caches
                .resize_with(depth as usize + 1, E::Cache::default);
            self.scratch
                .resize_with(depth as usize + 1, Option::default);
        }
        self.evaluator
            .refresh(&self.game, position, &mut self.caches[0]);
    }

    /// Value for the side to move: exact between `alpha` and `beta`, else a bound on that side.
    fn search(&mut self, position: &G::Position, at: NodeDepth, (alpha, beta): (f32, f32)) -> f32 {
        if at.depth == 0 {
            return self.evaluate(position, at.ply);
        }
        if self.limit_checker.is_over(self.stats.nodes) {
            return alpha;
        }
        if at.depth == 1 {
            return self.search_frontier(position, at.ply, beta);
        }
        // Read before the probe: a result is proven only if its table entry is, too.
        let depth_dependent = self.depth_dependent;
        let key = match self.table {
            Some(_) => self.game.key(position),
            None => 0,
        };
        let entry = self.probe(key, at.depth);
        let mut table_bounds = Bounds::UNKNOWN;
        if let Some(entry) = entry.filter(|entry| entry.is_usable) {
            table_bounds = entry.bounds;
            self.depth_dependent += u64::from(!entry.proven);
            let Bounds { lower, upper } = table_bounds;
            if lower >= upper || lower >= beta || upper <= alpha {
                self.stats.table.cuts += 1;
                return if upper <= alpha { upper } else { lower };
            }
        }
        let is_null_window = beta - alpha <= 2.0 * NULL_WINDOW;
        let cut = match is_null_window {
            true => self.try_probcut(position, at, (alpha, beta)),
            false => None,
        };
        let mut hint = entry.map(|entry| entry.hint);
        if hint.is_none() && is_null_window {
            // ProbCut's search, if there was one, found a move.
            hint = self.probe(key, at.depth).map(|entry| entry.hint);
        }
        let (value, hint) = match cut {
            Some(value) => (value, hint.unwrap_or(u16::MAX)),
            None => self.search_moves(position, at, (alpha, beta), hint),
        };
        if self.limit_checker.stopped() {
            return alpha;
        }
        let bounds = Bounds {
            lower: if value > alpha {
                value.max(table_bounds.lower)
            } else {
                table_bounds.lower
            },
            upper: if value < beta {
                value.min(table_bounds.upper)
            } else {
                table_bounds.upper
            },
        };
        let result = NewEntry {
            depth: at.depth,
            bounds,
            proven: depth_dependent == self.depth_dependent,
            hint,
        };
        self.store(key, &result);
        value
    }

    #[inline]
    fn probe(&mut self, key: u64, depth: u32) -> Option<Hit> {
        let table = self.table.as_deref()?;
        self.stats.table.probes += 1;
        let entry = table.probe(key, depth);
        self.stats.table.hits += u64::from(entry.is_some());
        entry
    }

    #[inline]
    fn store(&mut self, key: u64, result: &NewEntry) {
        let Some(table) = &self.table else {
            return;
        };
        self.stats.table.stores += 1;
        let replaced = table.store(key, result) == StoreOutcome::Replacing;
        self.stats.table.replacements += u64::from(replaced);
    }

    /// Value as [`Self::search`], and the index of the best move.
    fn search_moves(
        &mut self,
        position: &G::Position,
        at: NodeDepth,
        (alpha, beta): (f32, f32),
        hint: Option<u16>,
    ) -> (f32, u16) {
        let mut buffers = self.scratch[at.ply].take().unwrap_or_default();
        self.list_successors(position, &mut buffers);
        let cut = match at.depth >= MIN_DEPTH_FOR_SUCCESSOR_ENTRIES {
            true => self.probe_successors(&mut buffers.successors, at.depth - 1, beta),
            false => None,
        };
        let found = match cut {
            Some(found) => found,
            None => {
                let hint = hint.filter(|_| self.options.ordering.table);
                self.search_successors(position, at, &mut buffers.successors, (alpha, beta), hint)
            }
        };
        self.scratch[at.ply] = Some(buffers);
        found
    }

    #[inline]
    fn list_successors(&mut self, position: &G::Position, buffers: &mut Scratch<G>) {
        let Scratch { moves, successors } = buffers;
        self.game.moves(position, moves);
        successors.clear();
        for (index, &mv) in (0..).zip(moves.iter()) {
            successors.push(self.successor(position, mv, index));
        }
    }

    #[inline]
    fn successor(&self, position: &G::Position, mv: G::Move, index: u16) -> Successor<G> {
        let next = self.game.play(position, mv);
        Successor {
            mv,
            index,
            position: next,
            key: 0,
            payoff: self.game.payoff(&next, self.game.to_move(position)),
            order: 0.0,
        }
    }

    /// Enhanced transposition cutoffs (Plaat et al. 1996).
    #[inline]
    fn probe_successors(
        &mut self,
        successors: &mut [Successor<G>],
        depth: u32,
        beta: f32,
    ) -> Option<(f32, u16)> {
        let table = self.table.as_deref()?;
        for successor in &mut *successors {
            successor.key = self.game.key(&successor.position);
            table.prefetch(successor.key);
        }
        for successor in successors {
            let entry = self.probe(successor.key, depth);
            let entry = entry.filter(|entry| entry.is_usable);
            let Some(entry) = entry.filter(|_| successor.payoff.is_none()) else {
                continue;
            };
            let lower = 1.0 - entry.bounds.upper;
            if lower >= beta {
                self.depth_dependent += u64::from(!entry.proven);
                return Some((lower, successor.index));
            }
        }
        None
    }

    fn search_successors(
        &mut self,
        position: &G::Position,
        at: NodeDepth,
        successors: &mut [Successor<G>],
        (alpha, beta): (f32, f32),
        hint: Option<u16>,
    ) -> (f32, u16) {
        let (mut best, mut best_index) = (UNKNOWN, u16::MAX);
        // The table's move often makes the order of the others needless.
        let hinted = successors.iter().position(|one| Some(one.index) == hint);
        match hinted {
            Some(hinted) => successors.swap(0, hinted),
            None => self.order_successors(position, at, successors),
        }
        for next in 0..successors.len() {
            if next == 1 && hinted.is_some() {
                self.order_successors(position, at, &mut successors[1..]);
            }
            if next > 0 || hinted.is_none() {
                let rest = (next..successors.len()).rev();
                let orders = |index: &usize| successors[*index].order;
                let chosen = rest.max_by(|one, other| orders(one).total_cmp(&orders(other)));
                successors.swap(next, chosen.unwrap_or(next));
            }
            let successor = &successors[next];
            let low = alpha.max(best);
            let value = self.search_in_turn(position, at, successor, (low, beta), next == 0);
            if self.limit_checker.stopped() {
                break;
            }
            if value > best {
                (best, best_index) = (value, successor.index);
            }
            if best >= beta {
                if self.options.ordering.history {
                    self.update_history(position, successor.mv, at.depth);
                }
                break;
            }
        }
        (best, best_index)
    }

    /// Value of a successor for the side that moves there: unless it `is_first`, within the window
    /// only if a null window shows that it exceeds `alpha`.
    fn search_in_turn(
        &mut self,
        position: &G::Position,
        at: NodeDepth,
        successor: &Successor<G>,
        (alpha, beta): (f32, f32),
        is_first: bool,
    ) -> f32 {
        if self.limit_checker.is_over(self.stats.nodes) {
            return alpha;
        }
        self.stats.nodes += 1;
        if let Some(payoff) = successor.payoff {
            return payoff;
        }
        self.update_cache(position, at.ply, successor);
        let below = at.below();
        let next = &successor.position;
        let null = alpha + NULL_WINDOW;
        if !is_first && null < beta {
            let value = 1.0 - self.search(next, below, (1.0 - null, 1.0 - alpha));
            if value <= alpha || value >= beta || self.limit_checker.stopped() {
                return value;
            }
            if value < null {
                return value;
            }
        }
        1.0 - self.search(next, below, (1.0 - beta, 1.0 - alpha))
    }

    #[inline]
    fn update_cache(&mut self, position: &G::Position, ply: usize, successor: &Successor<G>) {
        let (parents, children) = self.caches.split_at_mut(ply + 1);
        let (parent, child) = (&mut parents[ply], &mut children[0]);
        let (mv, next) = (successor.mv, &successor.position);
        self.evaluator
            .update(&self.game, parent, position, mv, next, child);
    }

    /// Searches one ply, with moves in their list's order, since scoring them costs as much.
    fn search_frontier(&mut self, position: &G::Position, ply: usize, beta: f32) -> f32 {
        let mut buffers = self.scratch[ply].take().unwrap_or_default();
        let moves = &mut buffers.moves;
        self.game.moves(position, moves);
        let mut best = UNKNOWN;
        for (index, &mv) in (0..).zip(moves.iter()) {
            if index > 0 && self.limit_checker.is_over(self.stats.nodes) {
                break;
            }
            let successor = self.successor(position, mv, index);
            self.stats.nodes += 1;
            let value = successor.payoff.unwrap_or_else(|| {
                self.update_cache(position, ply, &successor);
                1.0 - self.evaluate(&successor.position, ply + 1)
            });
            best = best.max(value);
            if best >= beta {
                break;
            }
        }
        self.scratch[ply] = Some(buffers);
        best
    }

    #[inline]
    fn evaluate(&mut self, position: &G::Position, ply: usize) -> f32 {
        self.stats.evaluations += 1;
        self.depth_dependent += 1;
        let (game, evaluator, cache) = (&self.game, &self.evaluator, &self.caches[ply]);
        self.eval_timer
            .measure(|| evaluator.value(game, position, cache))
    }
}

impl<G: SearchGame, E: Evaluator<G>> FixedDepthSearch<G> for AlphaBeta<G, E> {
    fn game(&self) -> &G {
        &self.game
    }

    fn table(&self) -> Option<&Table> {
        self.table.as_deref()
    }

    fn clear_worker(&mut self) {
        self.history.fill(0.0);
    }

    fn set_oracle(&mut self, oracle: Option<Arc<dyn Oracle<G>>>) -> Option<Arc<dyn Oracle<G>>> {
        std::mem::replace(&mut self.oracle, oracle)
    }

    fn solve_root(
        &mut self,
        position: &G::Position,
        moves: Option<&[G::Move]>,
        all: bool,
    ) -> Option<Vec<Bounds>> {
        let oracle = self.oracle.as_deref()?;
        let mut listed = G::Moves::default();
        let moves = moves.unwrap_or_else(|| {
            self.game.moves(position, &mut listed);
            &listed
        });
        let request = RootRequest {
            all,
            budget: self.limit_checker.time_left().map(|left| left / 2),
            limits: self.limit_checker.outer_limits(),
        };
        oracle.root_values(&self.game, position, moves, request)
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
        self.eval_timer.take_stats(&mut self.stats)
    }

    fn root_value(&mut self, position: &G::Position, depth: u32) -> (Bounds, bool) {
        self.prepare_root(position, depth);
        let depth_dependent = self.depth_dependent;
        let seat = self.game.to_move(position);
        let value = match self.game.payoff(position, seat) {
            Some(payoff) => payoff,
            None => self.search(position, NodeDepth { ply: 0, depth }, ALL_VALUES),
        };
        (
            Bounds::exact(value),
            depth_dependent == self.depth_dependent,
        )
    }

    fn move_bounds(
        &mut self,
        position: &G::Position,
        mv: G::Move,
        depth: u32,
        alpha: f32,
        beta: f32,
    ) -> (Bounds, bool) {
        self.prepare_root(position, depth);
        let depth_dependent = self.depth_dependent;
        let successor = self.successor(position, mv, 0);
        let window = (alpha.max(ALL_VALUES.0), beta.min(ALL_VALUES.1));
        let is_first = window.0 <= 0.0;
        let value = self.search_in_turn(
            position,
            NodeDepth { ply: 0, depth },
            &successor,
            window,
            is_first,
        );
        let bounds = match value {
            _ if value <= window.0 => Bounds {
                upper: value,
                ..Bounds::UNKNOWN
            },
            _ if value >= window.1 => Bounds {
                lower: value,
                ..Bounds::UNKNOWN
            },
            _ => Bounds::exact(value),
        };
        (bounds, depth_dependent == self.depth_dependent)
    }
}

/// A window that holds all values.
const ALL_VALUES: (f32, f32) = (-1.0, 2.0);
