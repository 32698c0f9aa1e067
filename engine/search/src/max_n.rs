//! max^n (Luckhardt and Irani 1986) for games without chance: each seat maximizes its own payoff.
//!
//! Ties go to the first move; the only cutoff is at the maximal payoff, since shallow pruning (Korf
//! 1991) needs constant-sum payoffs.

use super::{
    SearchStats,
    deepening::{DeepeningOptions, DeepeningSearch, FixedDepthSearch},
    eval_timer::EvalTimer,
    limits::{LimitChecker, SearchLimits},
    ordering::limit_moves,
};
use alea_core::{
    chance_bounds::Bounds,
    evaluator::Evaluator,
    game::{MAX_SEATS, Payoffs, Seat},
    search_game::SearchGame,
};

/// A max^n search to a fixed depth.
pub struct MaxN<G: SearchGame, E: Evaluator<G>> {
    game: G,
    evaluator: E,
    width: Option<usize>,
    cache: E::Cache,
    move_lists: Vec<Option<Box<G::Moves>>>,
    last_move_payoffs: Payoffs,
    depth_dependent: u64,
    limit_checker: LimitChecker,
    stats: SearchStats,
    eval_timer: EvalTimer,
}

const MAX_PAYOFF: f32 = 1.0;

const BELOW_ALL_PAYOFFS: Payoffs = [-1.0; MAX_SEATS];

impl<G: SearchGame, E: Evaluator<G>> MaxN<G, E> {
    /// A search without limits of time or nodes; `width` is the maximal number of moves searched
    /// below the root ([`limit_moves`]).
    pub fn new(game: G, evaluator: E, width: Option<usize>) -> Self {
        Self {
            game,
            evaluator,
            width,
            cache: E::Cache::default(),
            move_lists: Vec::new(),
            last_move_payoffs: BELOW_ALL_PAYOFFS,
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

    /// Payoffs of all seats, by a search of `depth` plies.
    pub fn payoffs(&mut self, position: &G::Position, depth: u32) -> Payoffs {
        self.ensure_plies(depth);
        match self.game.payoffs(position) {
            Some(payoffs) => payoffs,
            None if depth == 0 => self.evaluate(position),
            None => self.search_node(position, depth, 0),
        }
    }

    fn ensure_plies(&mut self, plies: u32) {
        if self.move_lists.len() < plies as usize {
            self.move_lists.resize_with(plies as usize, Option::default);
        }
    }

    fn search_node(&mut self, position: &G::Position, depth: u32, ply: usize) -> Payoffs {
        let mut moves = self.move_lists[ply].take().unwrap_or_default();
        self.game.moves(position, &mut moves);
        if let Some(width) = self.width.filter(|_| ply > 0) {
            limit_moves(&self.game, position, &mut moves, width);
        }
        let seat: Seat = self.game.to_move(position);
        let mut best = BELOW_ALL_PAYOFFS;
        for &mv in moves.iter() {
            let payoffs = self.search_child(position, mv, depth - 1, ply);
            if payoffs[seat] > best[seat] {
                best = payoffs;
            }
            if best[seat] >= MAX_PAYOFF || self.limit_checker.stopped() {
                break;
            }
        }
        self.move_lists[ply] = Some(moves);
        best
    }

    fn search_child(
        &mut self,
        position: &G::Position,
        mv: G::Move,
        depth: u32,
        ply: usize,
    ) -> Payoffs {
        let next = self.game.play(position, mv);
        self.stats.nodes += 1;
        if let Some(payoffs) = self.game.payoffs(&next) {
            return payoffs;
        }
        if self.limit_checker.is_over(self.stats.nodes) {
            return BELOW_ALL_PAYOFFS;
        }
        if depth == 0 {
            self.evaluate(&next)
        } else {
            self.search_node(&next, depth, ply + 1)
        }
    }

    fn evaluate(&mut self, position: &G::Position) -> Payoffs {
        self.stats.evaluations += 1;
        self.depth_dependent += 1;
        let (game, evaluator, cache) = (&self.game, &self.evaluator, &mut self.cache);
        evaluator.refresh(game, position, cache);
        self.eval_timer
            .measure(|| evaluator.payoffs(game, position, cache))
    }
}

impl<G: SearchGame, E: Evaluator<G>> FixedDepthSearch<G> for MaxN<G, E> {
    fn game(&self) -> &G {
        &self.game
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
        let own = self.payoffs(position, depth)[self.game.to_move(position)];
        (Bounds::exact(own), depth_dependent == self.depth_dependent)
    }

    fn move_bounds(
        &mut self,
        position: &G::Position,
        mv: G::Move,
        depth: u32,
        _alpha: f32,
        _beta: f32,
    ) -> (Bounds, bool) {
        self.ensure_plies(depth);
        let depth_dependent = self.depth_dependent;
        self.last_move_payoffs = self.search_child(position, mv, depth - 1, 0);
        let own = self.last_move_payoffs[self.game.to_move(position)];
        (Bounds::exact(own), depth_dependent == self.depth_dependent)
    }

    fn last_payoffs(&self) -> Option<Payoffs> {
        Some(self.last_move_payoffs)
    }
}
