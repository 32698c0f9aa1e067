//! max^n (Luckhardt and Irani 1986): with more than two seats each maximises its own payoff, and
//! coalitions do not exist.
//!
//! Of moves that are equally good for it a seat makes the first of the list; the others get what
//! that brings them, so moves are searched in the order of the list. The one cut is that nobody can
//! do better than the largest payoff there is: payoffs need not add up to anything, which shallow
//! pruning (Korf 1991) would have to know. For games without chance. Invariant: without a width the
//! result is that of the textbook to the last bit.

use super::{
    SearchStats,
    deepening::{Deepening, DeepeningSearch, Deepens},
    eval_timer::EvalTimer,
    limits::{SearchLimits, Watch},
    ordering::narrow,
};
use crate::core::{
    chance::Bounds,
    evaluator::Evaluator,
    game::{Game, MAX_SEATS, Payoffs, Seat},
};

/// max^n to a fixed depth.
pub struct MaxN<G: Game, E: Evaluator<G>> {
    game: G,
    evaluator: E,
    width: Option<usize>,
    cache: E::Cache,
    /// For each ply of the line the moves of its node; `None` while it uses them.
    lists: Vec<Option<Box<G::Moves>>>,
    /// What the move at the root that was searched last brings.
    last: Payoffs,
    /// Leaves evaluated: a subtree that adds none is proven.
    horizon: u64,
    watch: Watch,
    stats: SearchStats,
    eval_timer: EvalTimer,
}

/// The largest payoff there is.
const MAX_VALUE: f32 = 1.0;

/// Worse than all payoffs.
const NOTHING: Payoffs = [-1.0; MAX_SEATS];

impl<G: Game, E: Evaluator<G>> MaxN<G, E> {
    /// A search without limits; with a `width`, of at most so many moves of an inner node
    /// ([`narrow`]).
    #[must_use]
    pub fn new(game: G, evaluator: E, width: Option<usize>) -> Self {
        Self {
            game,
            evaluator,
            width,
            cache: E::Cache::default(),
            lists: Vec::new(),
            last: NOTHING,
            horizon: 0,
            watch: Watch::default(),
            stats: SearchStats::default(),
            eval_timer: EvalTimer::default(),
        }
    }

    /// The same search under limits, on one thread.
    #[must_use]
    pub fn deepened(self, deepening: Deepening, limits: SearchLimits) -> DeepeningSearch<G>
    where
        E: 'static,
    {
        DeepeningSearch::of(vec![Box::new(self)], deepening, limits)
    }

    /// What a position brings each seat, `depth` plies deep.
    pub fn payoffs(&mut self, position: &G::Position, depth: u32) -> Payoffs {
        self.make_room(depth);
        match self.game.payoffs(position) {
            Some(payoffs) => payoffs,
            None if depth == 0 => self.evaluate(position),
            None => self.node(position, depth, 0),
        }
    }

    fn make_room(&mut self, plies: u32) {
        if self.lists.len() < plies as usize {
            self.lists.resize_with(plies as usize, Option::default);
        }
    }

    /// A position that is not over, at `ply` from the root, `depth` ≥ 1 plies before the leaves.
    fn node(&mut self, position: &G::Position, depth: u32, ply: usize) -> Payoffs {
        let mut moves = self.lists[ply].take().unwrap_or_default();
        self.game.moves(position, &mut moves);
        if let Some(width) = self.width.filter(|_| ply > 0) {
            narrow(&self.game, position, &mut moves, width);
        }
        let seat: Seat = self.game.to_move(position);
        let mut best = NOTHING;
        for &mv in moves.iter() {
            let payoffs = self.after(position, mv, depth - 1, ply);
            if payoffs[seat] > best[seat] {
                best = payoffs;
            }
            if best[seat] >= MAX_VALUE || self.watch.stopped() {
                break;
            }
        }
        self.lists[ply] = Some(moves);
        best
    }

    /// What a move brings each seat; `depth` plies remain below it.
    fn after(&mut self, position: &G::Position, mv: G::Move, depth: u32, ply: usize) -> Payoffs {
        let next = self.game.play(position, mv);
        self.stats.nodes += 1;
        if let Some(payoffs) = self.game.payoffs(&next) {
            return payoffs;
        }
        if self.watch.is_over(self.stats.nodes) {
            return NOTHING;
        }
        if depth == 0 {
            self.evaluate(&next)
        } else {
            self.node(&next, depth, ply + 1)
        }
    }

    fn evaluate(&mut self, position: &G::Position) -> Payoffs {
        self.stats.evaluations += 1;
        self.horizon += 1;
        let (game, evaluator, cache) = (&self.game, &self.evaluator, &mut self.cache);
        evaluator.refresh(game, position, cache);
        self.eval_timer
            .evaluation(|| evaluator.payoffs(game, position, cache))
    }
}

impl<G: Game, E: Evaluator<G>> Deepens<G> for MaxN<G, E> {
    fn game(&self) -> &G {
        &self.game
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
        self.eval_timer.take_with(&mut self.stats)
    }

    fn value_to(&mut self, position: &G::Position, depth: u32) -> (Bounds, bool) {
        let horizon = self.horizon;
        let own = self.payoffs(position, depth)[self.game.to_move(position)];
        (Bounds::exact(own), horizon == self.horizon)
    }

    /// No window spares anything: all are searched.
    fn move_bounds(
        &mut self,
        position: &G::Position,
        mv: G::Move,
        depth: u32,
        _alpha: f32,
        _beta: f32,
    ) -> (Bounds, bool) {
        self.make_room(depth);
        let horizon = self.horizon;
        self.last = self.after(position, mv, depth - 1, 0);
        let own = self.last[self.game.to_move(position)];
        (Bounds::exact(own), horizon == self.horizon)
    }

    fn last_payoffs(&self) -> Option<Payoffs> {
        Some(self.last)
    }
}
