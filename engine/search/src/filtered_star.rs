//! Star search, outcome by outcome, with a move filter as in GNU Backgammon: of each outcome's
//! moves only those are searched deeper that look best after one ply. For two seats.
//!
//! The filter depends on the evaluator alone, so pruning changes values by rounding only.

use super::{
    SearchStats,
    deepening::{DeepeningOptions, DeepeningSearch, FixedDepthSearch, RootMove},
    eval_timer::EvalTimer,
    limits::{LimitChecker, SearchLimits},
    star::Pruning,
    table::{NewEntry, StoreOutcome, Table},
    window::Window,
};
use alea_core::{
    chance_bounds::{Bounds, ChanceBounds, flip_unless_same},
    evaluator::Evaluator,
    game::{List, Outcome, Payoffs},
    oracle::Oracle,
    search_game::SearchGame,
};
use std::{ops::Range, sync::Arc};

/// Selects the moves of one outcome that are searched deeper than one ply, by their values after
/// one ply.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveFilter {
    /// Maximal number of moves, at least 1.
    pub max_moves: usize,
    /// Maximal difference from the best value.
    pub within: f32,
}

impl MoveFilter {
    /// A filter that keeps every move.
    pub const ALL: Self = Self {
        max_moves: usize::MAX,
        within: 1.0,
    };

    /// Number of values to keep from the front of a descending list.
    fn count_kept(&self, descending: impl Iterator<Item = f32> + Clone) -> usize {
        let best = descending.clone().next().unwrap_or_default();
        let is_close = |value: &f32| *value >= best - self.within;
        descending
            .take(self.max_moves)
            .take_while(is_close)
            .count()
            .max(1)
    }
}

/// Options of a [`FilteredStar`] search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilteredStarOptions {
    /// Pruning at chance nodes; [`Pruning::BetweenMoves`] cuts between outcomes.
    pub pruning: Pruning,
    /// Filter of the moves at the root, unless values of all moves are asked for.
    pub root_filter: MoveFilter,
    /// Filter of the moves below the root.
    pub reply_filter: MoveFilter,
}

/// A Star search with a move filter, to a depth given with each call.
pub struct FilteredStar<G: SearchGame, E: Evaluator<G>> {
    game: G,
    evaluator: E,
    options: FilteredStarOptions,
    table: Option<Arc<Table>>,
    oracle: Option<Arc<dyn Oracle<G>>>,
    cache: E::Cache,
    buffers: Vec<Option<Box<Buffers<G>>>>,
    /// Counts results that a deeper search could change; a subtree that adds none is proven.
    depth_dependent: u64,
    limit_checker: LimitChecker,
    stats: SearchStats,
    eval_timer: EvalTimer,
}

struct Buffers<G: SearchGame> {
    list: G::Moves,
    values: Vec<f32>,
    order: Vec<u16>,
    kept: Vec<G::Move>,
    kept_ranges: Vec<Range<usize>>,
}

impl<G: SearchGame> Default for Buffers<G> {
    fn default() -> Self {
        Self {
            list: G::Moves::default(),
            values: Vec::new(),
            order: Vec::new(),
            kept: Vec::new(),
            kept_ranges: Vec::new(),
        }
    }
}

impl<G: SearchGame> Buffers<G> {
    /// Sorts the listed moves by value, best first, and appends those that `filter` keeps to
    /// `kept`; returns their range there.
    fn keep_best(&mut self, filter: MoveFilter) -> Range<usize> {
        let Self {
            list,
            values,
            order,
            kept,
            ..
        } = self;
        order.clear();
        order.extend(0..list.len() as u16);
        let value_at = |&index: &u16| values[usize::from(index)];
        order.sort_by(|one, other| value_at(other).total_cmp(&value_at(one)));
        let count = filter.count_kept(order.iter().map(value_at));
        let start = kept.len();
        kept.extend(order[..count].iter().map(|&index| list[usize::from(index)]));
        start..kept.len()
    }
}

impl<G: SearchGame, E: Evaluator<G>> FilteredStar<G, E> {
    /// A search without limits of time or nodes. Without a `table` transpositions are searched
    /// again.
    pub fn new(
        game: G,
        evaluator: E,
        options: FilteredStarOptions,
        table: Option<Arc<Table>>,
    ) -> Self {
        Self {
            game,
            evaluator,
            options,
            table,
            oracle: None,
            cache: E::Cache::default(),
            buffers: Vec::new(),
            depth_dependent: 0,
            limit_checker: LimitChecker::default(),
            stats: SearchStats::default(),
            eval_timer: EvalTimer::default(),
        }
    }

    /// Turns the search into iterative deepening under limits, on one thread.
    pub fn into_deepening(
        self,
        deepening: DeepeningOptions,
        limits: SearchLimits,
    ) -> DeepeningSearch<G>
    where
        E: 'static,
    {
        DeepeningSearch::from_workers(vec![Box::new(self)], deepening, limits)
    }

    /// Bounds of an unfinished position before its chance event, for the seat to move, by a search
    /// of `depth` plies (1–127): equal if between `alpha` and `beta`, else both at most `alpha` or
    /// both at least `beta`.
    pub fn bounds(&mut self, position: &G::Position, depth: u32, alpha: f32, beta: f32) -> Bounds {
        self.ensure_buffers(depth);
        self.search_chance_node(position, depth, Window::new(alpha, beta))
    }

    fn ensure_buffers(&mut self, depth: u32) {
        let count = self.buffers.len().max(depth as usize + 1);
        self.buffers.resize_with(count, Option::default);
    }

    fn search_chance_node(&mut self, position: &G::Position, depth: u32, window: Window) -> Bounds {
        let depth_dependent = self.depth_dependent;
        let key = self.table.as_ref().map_or(0, |_| self.game.key(position));
        if let Some(table) = &self.table {
            self.stats.table.probes += 1;
            if let Some(entry) = table.probe(key, depth) {
                self.stats.table.hits += 1;
                if entry.is_usable && window.is_decided_by(entry.bounds) {
                    self.stats.table.cuts += 1;
                    self.depth_dependent += u64::from(!entry.proven);
                    return entry.bounds;
                }
            }
        }
        let mut buffers = self.buffers[depth as usize].take().unwrap_or_default();
        let bounds = self.search_outcomes(position, depth, window, &mut buffers);
        self.buffers[depth as usize] = Some(buffers);
        if let Some(table) = (self.table.as_ref()).filter(|_| !self.limit_checker.stopped()) {
            self.stats.table.stores += 1;
            let stored = table.store(
                key,
                &NewEntry {
                    depth,
                    bounds,
                    proven: depth_dependent == self.depth_dependent,
                    hint: 0,
                },
            );
            self.stats.table.replacements += u64::from(stored == StoreOutcome::Replacing);
        }
        bounds
    }

    fn search_outcomes(
        &mut self,
        position: &G::Position,
        depth: u32,
        window: Window,
        buffers: &mut Buffers<G>,
    ) -> Bounds {
        let pruning = self.options.pruning;
        if !G::SEPARATE_OUTCOMES {
            self.game.moves(position, &mut buffers.list);
        }
        let outcomes = self.game.outcomes(position, &buffers.list);
        let mut singles = G::Outcomes::default();
        for (index, outcome) in (0..).zip(outcomes.iter()) {
            singles.push(Outcome {
                weight: outcome.weight,
                start: index,
                end: index + 1,
            });
        }
        let mut expectation = ChanceBounds::<G::Outcomes>::new(&singles);
        let is_decided = |expectation: &ChanceBounds<_>| {
            pruning > Pruning::None && expectation.is_decided(window.alpha, window.beta)
        };
        if depth == 1 {
            for index in 0..outcomes.len() {
                self.value_outcome(position, index, buffers);
                let best = buffers.values.iter().copied().fold(0.0, f32::max);
                expectation.record(index, Bounds::exact(best));
                if self.limit_checker.is_over(self.stats.nodes) || is_decided(&expectation) {
                    break;
                }
            }
            return expectation.bounds();
        }
        buffers.kept.clear();
        buffers.kept_ranges.clear();
        let probes = pruning == Pruning::Star2 && window.beta < 1.0 && outcomes.len() > 1;
        let window_of = |expectation: &ChanceBounds<_>, index| match pruning {
            Pruning::None | Pruning::BetweenMoves => Window::FULL,
            Pruning::Star1 | Pruning::Star2 => window.for_move(expectation, index),
        };
        if probes {
            for index in 0..outcomes.len() {
                let first = self.keep_moves(position, index, buffers).start;
                let probe_window = window_of(&expectation, index);
                let found = self.search_move(position, buffers.kept[first], depth, probe_window);
                expectation.raise_lower_bound(index, found.lower);
                if self.limit_checker.stopped() || is_decided(&expectation) {
                    return expectation.bounds();
                }
            }
        }
        for index in 0..outcomes.len() {
            let range = match buffers.kept_ranges.get(index) {
                Some(range) => range.clone(),
                None => self.keep_moves(position, index, buffers),
            };
            let outcome_window = window_of(&expectation, index);
            let found = self.search_choice(position, &buffers.kept[range], depth, outcome_window);
            expectation.record(index, found);
            if self.limit_checker.stopped() || is_decided(&expectation) {
                break;
            }
        }
        expectation.bounds()
    }

    fn value_outcome(&mut self, position: &G::Position, index: usize, buffers: &mut Buffers<G>) {
        self.game.moves_for(position, index, &mut buffers.list);
        buffers.values.clear();
        buffers.values.resize(buffers.list.len(), 0.0);
        self.value_moves_once(position, &buffers.list, &mut buffers.values);
    }

    fn keep_moves(
        &mut self,
        position: &G::Position,
        index: usize,
        buffers: &mut Buffers<G>,
    ) -> Range<usize> {
        let depth_dependent = self.depth_dependent;
        self.value_outcome(position, index, buffers);
        let range = buffers.keep_best(self.options.reply_filter);
        self.depth_dependent = depth_dependent + u64::from(range.len() < buffers.list.len());
        buffers.kept_ranges.push(range.clone());
        range
    }

    /// Writes the moves' values for the side to move, by the oracle where it has one, else by the
    /// evaluator.
    fn value_moves_once(&mut self, position: &G::Position, moves: &[G::Move], values: &mut [f32]) {
        let Self {
            game,
            evaluator,
            cache,
            ..
        } = self;
        let count = moves.len() as u64;
        self.stats.nodes += count;
        self.stats.evaluations += count;
        self.depth_dependent += 1;
        self.eval_timer
            .measure(|| evaluator.value_successors(game, position, moves, cache, values));
        let oracle = self.oracle.as_deref();
        if let Some(oracle) = oracle.filter(|oracle| oracle.may_cover_successors(position)) {
            let mover = game.to_move(position);
            for (&mv, value) in moves.iter().zip(values) {
                let next = game.play(position, mv);
                let limits = self.limit_checker.outer_limits();
                if game.payoffs(&next).is_none()
                    && let Some(exact) = oracle.value_within(game, &next, limits)
                {
                    *value = flip_unless_same(exact, game.to_move(&next) == mover);
                }
            }
        }
    }

    fn search_choice(
        &mut self,
        position: &G::Position,
        moves: &[G::Move],
        depth: u32,
        window: Window,
    ) -> Bounds {
        let mut best = Bounds::exact(0.0);
        for &mv in moves {
            let remaining = Window {
                alpha: window.alpha.max(best.lower),
                ..window
            };
            let found = self.search_move(position, mv, depth, remaining);
            best = Bounds {
                lower: best.lower.max(found.lower),
                upper: best.upper.max(found.upper),
            };
            if best.lower >= window.beta {
                return Bounds { upper: 1.0, ..best };
            }
        }
        best
    }

    /// Bounds of the value after a move, for the seat that makes it; `depth` counts the move.
    fn search_move(
        &mut self,
        position: &G::Position,
        mv: G::Move,
        depth: u32,
        window: Window,
    ) -> Bounds {
        let (game, next) = (&self.game, self.game.play(position, mv));
        self.stats.nodes += 1;
        let mover = game.to_move(position);
        if let Some(payoff) = game.payoff(&next, mover) {
            return Bounds::exact(payoff);
        }
        let is_same = game.to_move(&next) == mover;
        let exact = self
            .oracle
            .as_deref()
            .and_then(|oracle| oracle.value_within(game, &next, self.limit_checker.outer_limits()));
        if let Some(exact) = exact {
            return Bounds::exact(flip_unless_same(exact, is_same));
        }
        if self.limit_checker.is_over(self.stats.nodes) {
            return Bounds::UNKNOWN;
        }
        let window = if is_same { window } else { window.flip() };
        let bounds = if depth == 1 {
            let (game, evaluator, cache) = (&self.game, &self.evaluator, &mut self.cache);
            self.stats.evaluations += 1;
            self.depth_dependent += 1;
            evaluator.refresh(game, &next, cache);
            Bounds::exact(
                self.eval_timer
                    .measure(|| evaluator.value(game, &next, cache)),
            )
        } else {
            self.search_chance_node(&next, depth - 1, window)
        };
        if is_same { bounds } else { bounds.flip() }
    }
}

impl<G: SearchGame, E: Evaluator<G>> FixedDepthSearch<G> for FilteredStar<G, E> {
    fn game(&self) -> &G {
        &self.game
    }

    fn table(&self) -> Option<&Table> {
        self.table.as_deref()
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
        self.eval_timer.take_stats(&mut self.stats)
    }

    fn root_value(&mut self, position: &G::Position, depth: u32) -> (Bounds, bool) {
        let depth_dependent = self.depth_dependent;
        let bounds = self.bounds(position, depth, 0.0, 1.0);
        (bounds, depth_dependent == self.depth_dependent)
    }

    fn move_bounds(
        &mut self,
        position: &G::Position,
        mv: G::Move,
        depth: u32,
        alpha: f32,
        beta: f32,
    ) -> (Bounds, bool) {
        self.ensure_buffers(depth);
        let depth_dependent = self.depth_dependent;
        let bounds = self.search_move(position, mv, depth, Window::new(alpha, beta));
        (bounds, depth_dependent == self.depth_dependent)
    }

    fn arrange_root_moves(
        &mut self,
        position: &G::Position,
        depth: u32,
        moves: &mut [RootMove<G::Move>],
    ) -> usize {
        self.ensure_buffers(depth);
        let mut buffers = self.buffers[0].take().unwrap_or_default();
        buffers.list.clear();
        moves.iter().for_each(|root| buffers.list.push(root.mv));
        buffers.values.clear();
        buffers.values.resize(moves.len(), 0.0);
        self.value_moves_once(position, &buffers.list, &mut buffers.values);
        for (root, &value) in moves.iter_mut().zip(&buffers.values) {
            root.one_ply_value = value;
        }
        self.buffers[0] = Some(buffers);
        let best_first = |one: &RootMove<G::Move>, other: &RootMove<G::Move>| {
            let by_value = other.one_ply_value.total_cmp(&one.one_ply_value);
            by_value.then(one.list_index.cmp(&other.list_index))
        };
        if depth == 1 {
            for root in moves.iter_mut() {
                root.bounds = Bounds::exact(root.one_ply_value);
            }
            moves.select_nth_unstable_by(0, best_first);
            return 0;
        }
        moves.sort_by(best_first);
        let values = moves.iter().map(|root| root.one_ply_value);
        let count = self.options.root_filter.count_kept(values);
        moves[..count].sort_by(|one, other| other.bounds.upper.total_cmp(&one.bounds.upper));
        count
    }

    fn value_moves(
        &mut self,
        position: &G::Position,
        depth: u32,
        moves: &[G::Move],
        values: &mut [(f32, Option<Payoffs>)],
    ) -> Option<bool> {
        let mut all_proven = depth > 1;
        if depth == 1 {
            let mut found = vec![0.0; moves.len()];
            self.value_moves_once(position, moves, &mut found);
            (values.iter_mut().zip(found)).for_each(|(value, found)| value.0 = found);
            return Some(false);
        }
        for (&mv, value) in moves.iter().zip(values) {
            let (bounds, proven) = self.move_bounds(position, mv, depth, 0.0, 1.0);
            if self.limit_checker.stopped() {
                return None;
            }
            value.0 = bounds.lower;
            all_proven &= proven;
        }
        Some(all_proven)
    }
}
