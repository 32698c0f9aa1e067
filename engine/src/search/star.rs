//! Star0 to Star2: expectiminimax with cuts at chance nodes (Ballard 1983), on the unified
//! operator.
//!
//! Each distinct move of a position is searched once, in the window in which its value can still
//! matter ([`ChanceBounds::window`]). Fail-soft: a result bounds the value from both sides, and
//! both bounds go into the table. On a game without chance Star1 is alpha-beta. Invariant: the
//! result equals [`super::expectiminimax`] up to rounding, whatever the cuts, the table and the
//! order of moves; only [`StarOptions::probcut`] and [`StarOptions::width`] give that up.

mod frontier;
mod probcut;
mod rating;

use self::frontier::Recent;
use super::{
    Parties, SearchStats,
    deepening::Deepens,
    eval_timer::EvalTimer,
    limits::Watch,
    ordering::{Ordering, Segments, arrange, narrow},
    parallel::Busy,
    table::{Found, Kept, Table},
};
use crate::core::{
    chance::{Bounds, ChanceBounds},
    evaluator::Evaluator,
    game::Game,
    oracle::Oracle,
};
use std::sync::Arc;

/// Where a search may stop looking at a chance node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cuts {
    /// Star0: nowhere.
    None,
    /// Star0.5: between moves, once the bounds of the node decide; each move is searched in full.
    Between,
    /// Star1: also inside moves, each of which is searched in the window in which it matters; one
    /// outcome after the other.
    Star1,
    /// Star2: where a node is likely to fail high, the best move of each outcome is probed first.
    Star2,
}

/// How a search goes about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StarOptions {
    /// Where it cuts.
    pub cuts: Cuts,
    /// Whether moves after the first are searched in a null window, and again if that does not
    /// decide (NegaScout, Reinefeld 1983).
    pub negascout: bool,
    /// The order of moves.
    pub ordering: Ordering,
    /// By how many standard deviations a search two plies less deep has to miss a window for its
    /// result to be believed instead of that of the full depth (ProbCut); `None`: every node is
    /// searched to its depth.
    pub probcut: Option<f32>,
    /// How many moves of an inner node are searched at most ([`narrow`]); `None`: all. For games
    /// without chance.
    pub width: Option<usize>,
}

impl Default for StarOptions {
    fn default() -> Self {
        Self {
            cuts: Cuts::Star2,
            negascout: false,
            ordering: Ordering::ALL,
            probcut: None,
            width: None,
        }
    }
}

/// Stands for the value of a move not searched yet; below all values.
const UNSEARCHED: f32 = -1.0;

const NULL_WINDOW: f32 = 1e-5;

/// One thread's part of a search: what it shares are the rules, the weights and the table.
#[derive(Clone)]
pub struct Star<G: Game, E: Evaluator<G>> {
    game: G,
    evaluator: E,
    options: StarOptions,
    table: Option<Arc<Table>>,
    /// Asked about every position that is reached by a move.
    pub(super) oracle: Option<Arc<dyn Oracle<G>>>,
    /// For each ply of the line what the evaluator keeps.
    caches: Vec<E::Cache>,
    /// For each ply of the line what a node works with; `None` while it does.
    scratch: Vec<Option<Box<Scratch<G>>>>,
    parties: Parties,
    history: Vec<f32>,
    recent: Recent,
    /// Leaves evaluated and bounds used that hang on a depth: a subtree that adds none is proven.
    horizon: u64,
    /// Whether the move being searched looks best of its segment: its successor is likely to fail
    /// low.
    expects_low: bool,
    watch: Watch,
    /// What other threads of the same search are at.
    pub(super) busy: Option<Arc<Busy>>,
    stats: SearchStats,
    pub(super) eval_timer: EvalTimer,
}

/// What a node works with, kept so that no node allocates.
#[derive(Clone)]
struct Scratch<G: Game> {
    moves: G::Moves,
    /// How good each move looks, then how good it turned out.
    ratings: Vec<f32>,
    order: Vec<u16>,
    segments: Segments,
    /// Successors still to be valued: place in the list of moves, position, key.
    pending: Vec<(u16, G::Position, u64)>,
}

impl<G: Game> Default for Scratch<G> {
    fn default() -> Self {
        Self {
            moves: G::Moves::default(),
            ratings: Vec::new(),
            order: Vec::new(),
            segments: Segments::default(),
            pending: Vec::new(),
        }
    }
}

impl<G: Game, E: Evaluator<G>> Star<G, E> {
    /// A search without limits.
    #[must_use]
    pub fn new(game: G, evaluator: E, options: StarOptions, table: Option<Arc<Table>>) -> Self {
        // What is remembered is a table too: a search without one does without both.
        let recent = if table.is_some() && E::BATCHES_SUCCESSORS {
            Recent::new()
        } else {
            Recent::default()
        };
        Self {
            history: vec![0.0; game.move_kinds()],
            game,
            evaluator,
            options,
            table,
            oracle: None,
            caches: Vec::new(),
            scratch: Vec::new(),
            parties: Parties { root: 0 },
            horizon: 0,
            expects_low: false,
            recent,
            watch: Watch::default(),
            busy: None,
            stats: SearchStats::default(),
            eval_timer: EvalTimer::default(),
        }
    }

    /// What the oracle knows of a position that is not over, for the party to move.
    #[inline]
    fn known(&mut self, position: &G::Position) -> Option<f32> {
        // With more than two seats the value for one of them says nothing of the others.
        let oracle = (self.oracle.as_deref()).filter(|_| self.game.seats() == 2)?;
        let value = oracle.value_within(&self.game, position, self.watch.outer());
        if value.is_none() {
            // What an oracle had no time for must not be taken for what it does not know.
            self.watch.look_outside();
        }
        value
    }

    /// Forgets everything learned so far.
    pub fn forget(&mut self) {
        if let Some(table) = &self.table {
            table.forget();
        }
        self.forget_own();
    }

    /// What has been spent since the last call.
    pub fn take_stats(&mut self) -> SearchStats {
        self.eval_timer.take_with(&mut self.stats)
    }

    /// Bounds of a position before chance has spoken, `depth` plies deep (0–127), for the party to
    /// move: exact between `alpha` and `beta`, otherwise on one side of them.
    pub fn bounds(&mut self, position: &G::Position, depth: u32, alpha: f32, beta: f32) -> Bounds {
        self.bounds_and_proof(position, depth, alpha, beta).0
    }

    /// [`Star::bounds`], and whether they hold at any greater depth too.
    pub fn bounds_and_proof(
        &mut self,
        position: &G::Position,
        depth: u32,
        alpha: f32,
        beta: f32,
    ) -> (Bounds, bool) {
        self.root(position, depth);
        let horizon = self.horizon;
        let bounds = if let Some(payoffs) = self.game.payoffs(position) {
            Bounds::exact(payoffs[self.parties.root])
        } else if let Some(value) = self.known(position) {
            Bounds::exact(value)
        } else if depth == 0 {
            Bounds::exact(self.evaluate(position, 0))
        } else {
            self.node(position, depth, 0, alpha, beta)
        };
        (bounds, horizon == self.horizon)
    }

    /// Bounds of the value of making `mv` in `position`, `depth` plies deep (1–127, this move
    /// included), for the seat that makes it: exact between `alpha` and `beta`, otherwise on one
    /// side of them; and whether they hold at any greater depth too.
    pub fn move_bounds(
        &mut self,
        position: &G::Position,
        mv: G::Move,
        depth: u32,
        alpha: f32,
        beta: f32,
    ) -> (Bounds, bool) {
        self.root(position, depth);
        let horizon = self.horizon;
        let bounds = self.after(position, mv, depth - 1, 0, alpha, beta);
        (bounds, horizon == self.horizon)
    }

    fn root(&mut self, position: &G::Position, depth: u32) {
        self.expects_low = false;
        self.parties = Parties {
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

    /// Whether the evaluator rates all successors at once, without caches.
    #[inline]
    fn batches(&self) -> bool {
        E::BATCHES_SUCCESSORS && self.game.seats() == 2 && self.options.width.is_none()
    }

    #[inline]
    fn list(&self, position: &G::Position, ply: usize, moves: &mut G::Moves) {
        self.game.moves(position, moves);
        if let Some(width) = self.options.width.filter(|_| ply > 0) {
            narrow(&self.game, position, moves, width);
        }
    }

    /// A position that is not over, at `ply` from the root, `depth` ≥ 1 plies before the leaves.
    fn node(
        &mut self,
        position: &G::Position,
        depth: u32,
        ply: usize,
        alpha: f32,
        beta: f32,
    ) -> Bounds {
        if depth == 1 {
            return self.frontier(position, ply, (alpha, beta));
        }
        if self.watch.is_over(self.stats.nodes) {
            return Bounds::UNKNOWN;
        }
        let mut known = Bounds::UNKNOWN;
        let mut hint = None;
        // Read before the table: what it knows, and what is found, are proven together or not at
        // all.
        let horizon = self.horizon;
        let key = if self.table.is_some() {
            self.parties.key(&self.game, position)
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
                if entry.holds {
                    known = entry.bounds;
                    if !entry.proven {
                        self.horizon += 1;
                    }
                    if known.lower >= known.upper || known.lower >= beta || known.upper <= alpha {
                        self.stats.table.cuts += 1;
                        return known;
                    }
                }
            }
        }
        if let Some(bounds) = self.foresee(position, depth, ply, (alpha, beta)) {
            return bounds;
        }
        if self.watch.stopped() {
            return Bounds::UNKNOWN;
        }
        let (found, hint) = self.inner(position, depth, ply, alpha, beta, hint);
        if self.watch.stopped() {
            return Bounds::UNKNOWN;
        }
        let lower = found.lower.max(known.lower);
        let bounds = Bounds {
            lower,
            upper: found.upper.min(known.upper).max(lower),
        };
        if let Some(table) = &self.table {
            self.stats.table.stores += 1;
            if table.store(
                key,
                &Found {
                    depth,
                    bounds,
                    proven: horizon == self.horizon,
                    hint,
                },
            ) == Kept::Replacing
            {
                self.stats.table.replacements += 1;
            }
        }
        bounds
    }

    /// A position whose moves are searched one by one, each in the window in which it still
    /// matters. Returns its bounds and the best move of each segment.
    #[inline]
    fn inner(
        &mut self,
        position: &G::Position,
        depth: u32,
        ply: usize,
        alpha: f32,
        beta: f32,
        hint: Option<u16>,
    ) -> (Bounds, u16) {
        let mut this = self.scratch[ply].take().unwrap_or_default();
        self.list(position, ply, &mut this.moves);
        let outcomes = self.game.outcomes(position, &this.moves);
        this.segments.divide(&outcomes, this.moves.len());
        let probing = self.options.cuts == Cuts::Star2;
        let last = depth == 2 && self.batches() && self.options.cuts > Cuts::None;
        let wants_all = last && self.expects_low;
        if wants_all {
            // All moves will be needed, in any order.
            this.ratings.clear();
            this.ratings.resize(this.moves.len(), 0.0);
            this.order.clear();
            this.order.extend(0..this.moves.len() as u16);
        } else {
            self.rate(position, depth, ply, &mut this);
            if let Some(hint) = hint {
                for index in this.segments.hinted(hint) {
                    this.ratings[index] = f32::INFINITY;
                }
            }
            arrange(&mut this.order, &this.segments, &this.ratings, probing);
        }
        this.ratings.fill(UNSEARCHED);
        let mut chance = ChanceBounds::<G::Outcomes>::new(&outcomes);
        if last {
            let bounds = self.before_frontier(
                position,
                ply,
                &mut this,
                &outcomes,
                wants_all,
                (alpha, beta),
            );
            self.scratch[ply] = Some(this);
            return (bounds, u16::MAX);
        }
        if self.options.cuts >= Cuts::Star1
            && self.look_up(position, depth - 1, &mut this, &mut chance)
            && chance.decide(alpha, beta)
        {
            let hint = this.segments.hint(&this.ratings);
            self.scratch[ply] = Some(this);
            return (chance.bounds(), hint);
        }
        let busy = self.busy.clone().filter(|_| depth >= Busy::FROM_DEPTH);
        // Moves that another thread is searching come last: by then its result stands in the table.
        let rounds = if busy.is_some() { 2 } else { 1 };
        'moves: for round in 0..rounds {
            for place in 0..this.order.len() {
                let index = usize::from(this.order[place]);
                if this.ratings[index] != UNSEARCHED || !chance.matters(index) {
                    continue;
                }
                let mv = this.moves[index];
                self.expects_low =
                    probing && self.options.ordering.rates() && place < this.segments.count();
                let found = match &busy {
                    None => self.search_move(
                        position,
                        mv,
                        depth,
                        ply,
                        &mut chance,
                        index,
                        (alpha, beta),
                    ),
                    Some(busy) => {
                        let child = self.parties.key(&self.game, &self.game.play(position, mv))
                            ^ u64::from(depth);
                        if round == 0 && place > 0 && busy.contains(child) {
                            continue;
                        }
                        let mark = busy.enter(child);
                        let found = self.search_move(
                            position,
                            mv,
                            depth,
                            ply,
                            &mut chance,
                            index,
                            (alpha, beta),
                        );
                        busy.leave(mark, child);
                        found
                    }
                };
                if self.watch.stopped() {
                    break 'moves;
                }
                this.ratings[index] = found.lower;
                if self.options.cuts > Cuts::None && chance.decide(alpha, beta) {
                    if self.options.ordering.history && chance.bounds().lower >= beta {
                        self.reward(position, mv, depth);
                    }
                    break 'moves;
                }
            }
        }
        let hint = this.segments.hint(&this.ratings);
        self.scratch[ply] = Some(this);
        (chance.bounds(), hint)
    }

    /// Takes what the table knows of a node's successors before any of them is searched (enhanced
    /// transposition cutoff, Plaat et al. 1996). Returns whether that was anything.
    #[inline]
    fn look_up(
        &mut self,
        position: &G::Position,
        depth: u32,
        this: &mut Scratch<G>,
        chance: &mut ChanceBounds<G::Outcomes>,
    ) -> bool {
        let Some(table) = &self.table else {
            return false;
        };
        let mut anything = false;
        for (index, &mv) in this.moves.iter().enumerate() {
            if !chance.matters(index) {
                continue;
            }
            let next = self.game.play(position, mv);
            self.stats.table.probes += 1;
            let Some(entry) = table
                .probe(self.parties.key(&self.game, &next), depth)
                .filter(|entry| entry.holds)
            else {
                continue;
            };
            self.stats.table.hits += 1;
            let bounds = if self.parties.same(&self.game, position, &next) {
                entry.bounds
            } else {
                entry.bounds.opposite()
            };
            if bounds.lower >= bounds.upper {
                this.ratings[index] = bounds.lower;
                chance.add(index, bounds);
            } else if bounds.lower > 0.0 {
                chance.raise(index, bounds.lower);
            } else {
                continue;
            }
            anything = true;
            if !entry.proven {
                self.horizon += 1;
            }
        }
        anything
    }

    /// Searches one move of a node as far as it matters and adds it to the node's bounds.
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
        if self.options.cuts >= Cuts::Star1 {
            (low, high) = chance.window(index, alpha, beta);
        }
        if self.options.negascout && low > 0.0 && low + NULL_WINDOW < high {
            let found = self.after(position, mv, depth - 1, ply, low, low + NULL_WINDOW);
            if found.upper <= low || found.lower >= found.upper || self.watch.stopped() {
                chance.add(index, found);
                return found;
            }
            chance.raise(index, found.lower);
            (low, high) = chance.window(index, alpha, beta);
            if chance.decide(alpha, beta) {
                return found;
            }
        }
        let found = self.after(position, mv, depth - 1, ply, low, high);
        chance.add(index, found);
        found
    }

    /// The value of a move for the party that makes it; `depth` plies remain below it.
    #[inline]
    fn after(
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
        let same = self.parties.same(&self.game, position, &next);
        let bounds = if let Some(payoffs) = self.game.payoffs(&next) {
            Bounds::exact(self.parties.value(&self.game, &next, &payoffs))
        } else if let Some(value) = self.known(&next) {
            Bounds::exact(value)
        } else {
            if !self.batches() || depth == 0 {
                let (parents, children) = self.caches.split_at_mut(ply + 1);
                let (parent, child) = (&parents[ply], &mut children[0]);
                self.evaluator
                    .update(&self.game, parent, position, mv, &next, child);
            }
            if depth == 0 {
                Bounds::exact(self.evaluate(&next, ply + 1))
            } else if same {
                self.node(&next, depth, ply + 1, alpha, beta)
            } else {
                self.node(&next, depth, ply + 1, 1.0 - beta, 1.0 - alpha)
            }
        };
        if same { bounds } else { bounds.opposite() }
    }

    #[inline]
    fn evaluate(&mut self, position: &G::Position, ply: usize) -> f32 {
        if self.watch.is_over(self.stats.nodes) {
            return 0.0;
        }
        self.stats.evaluations += 1;
        self.horizon += 1;
        let (game, evaluator, cache, parties) =
            (&self.game, &self.evaluator, &self.caches[ply], self.parties);
        self.eval_timer
            .evaluation(|| parties.evaluate(game, evaluator, position, cache))
    }
}

impl<G: Game, E: Evaluator<G>> Deepens<G> for Star<G, E> {
    fn game(&self) -> &G {
        &self.game
    }

    fn table(&self) -> Option<&Table> {
        self.table.as_deref()
    }

    fn forget_own(&mut self) {
        self.history.fill(0.0);
        self.recent.forget();
    }

    fn set_oracle(&mut self, oracle: Option<Arc<dyn Oracle<G>>>) -> Option<Arc<dyn Oracle<G>>> {
        std::mem::replace(&mut self.oracle, oracle)
    }

    fn time_leaves(&mut self, clock: EvalTimer) {
        self.eval_timer = clock;
    }

    fn watch(&mut self) -> &mut Watch {
        &mut self.watch
    }

    fn stats(&self) -> &SearchStats {
        &self.stats
    }

    fn take_stats(&mut self) -> SearchStats {
        Self::take_stats(self)
    }

    fn value_to(&mut self, position: &G::Position, depth: u32) -> (Bounds, bool) {
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
