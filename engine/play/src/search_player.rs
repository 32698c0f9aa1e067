//! Adapters that make searches players.

use crate::player::{
    Analysis, AnalysisObserver, Decision, Failure, MoveValue, Player, PositionValue,
};
use alea_core::{
    chance_bounds::expectation,
    game::{Game, Payoffs},
    monotonic_clock::Instant,
    search_game::SearchGame,
};
use alea_search::{
    Search, SearchStats,
    limits::Limits,
    mcts::{Leaf, Mcts, best_move},
};
use std::{
    marker::PhantomData,
    sync::{Arc, atomic::AtomicBool},
};

/// A player that chooses the best move of a [`Search`].
#[derive(Clone, Debug)]
pub struct SearchPlayer<G, S> {
    search: S,
    game: PhantomData<fn() -> G>,
}

impl<G: Game, S: Search<G>> SearchPlayer<G, S> {
    /// Makes a player of `search`.
    pub fn new(search: S) -> Self {
        Self {
            search,
            game: PhantomData,
        }
    }
}

// Callers measure time: reading the clock costs as much as a search of one ply.
impl<G: Game, S: Search<G>> Player<G> for SearchPlayer<G, S> {
    fn new_game(&mut self, _seed: u64) {
        self.search.clear();
    }

    fn decide(
        &mut self,
        position: &G::Position,
        legal: &[G::Move],
        limits: &Limits,
    ) -> Result<Decision<G::Move>, Failure> {
        self.search.set_limits(limits);
        let (best, value) = self.search.best_move(position, legal);
        Ok(Decision {
            best,
            value: Some(value),
            stats: self.search.take_stats(),
            cpu_time: None,
        })
    }

    fn analyse(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        limits: &Limits,
    ) -> Result<Analysis<G::Move>, Failure> {
        self.search.set_limits(limits);
        let mut all = G::Moves::default();
        let moves = legal.unwrap_or_else(|| {
            self.search.game().moves(position, &mut all);
            &all
        });
        let found = self.search.move_payoffs(position, moves);
        Ok(analysis_of(moves, &found, self.search.take_stats()))
    }

    fn analyse_observed(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        limits: &Limits,
        observer: &mut AnalysisObserver<'_, G::Move>,
    ) -> Result<Analysis<G::Move>, Failure> {
        self.search.set_limits(limits);
        let mut all = G::Moves::default();
        let moves = legal.unwrap_or_else(|| {
            self.search.game().moves(position, &mut all);
            &all
        });
        let found = self
            .search
            .move_payoffs_observed(position, moves, &mut |found, stats| {
                observer(analysis_of(moves, found, stats))
            });
        Ok(analysis_of(moves, &found, self.search.take_stats()))
    }

    fn value(&mut self, position: &G::Position, limits: &Limits) -> PositionValue {
        self.search.set_limits(limits);
        PositionValue {
            value: Some(self.search.value(position)),
            error: None,
            stats: self.search.take_stats(),
        }
    }
}

fn analysis_of<M: Copy>(
    moves: &[M],
    found: &[(f32, Option<Payoffs>)],
    stats: SearchStats,
) -> Analysis<M> {
    let moves = moves.iter().zip(found);
    let moves: Vec<_> = moves
        .map(|(&mv, &(value, payoffs))| MoveValue {
            payoffs,
            ..MoveValue::new(mv, Some(value))
        })
        .collect();
    let better = |best: MoveValue<M>, next: MoveValue<M>| {
        if next.value > best.value { next } else { best }
    };
    let best = moves.iter().copied().reduce(better);
    Analysis {
        line: best.map(|best| best.mv).into_iter().collect(),
        moves,
        stats,
        ..Analysis::default()
    }
}

/// A player by Monte-Carlo tree search that chooses a proven best move, else the most visited.
pub struct MctsPlayer<G: SearchGame, L: Leaf<G>> {
    search: Mcts<G, L>,
}

impl<G: SearchGame, L: Leaf<G>> MctsPlayer<G, L> {
    /// Makes a player of `search`.
    pub fn new(search: Mcts<G, L>) -> Self {
        Self { search }
    }

    fn search_moves(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        limits: &Limits,
    ) -> Analysis<G::Move> {
        self.search.set_limits(limits);
        let began = Instant::now();
        let found = self.search.search(position, legal);
        let mut tree = self.search.report();
        let moves = found
            .iter()
            .map(|found| MoveValue {
                tree: Some(*found),
                ..MoveValue::new(found.mv, found.value)
            })
            .collect();
        Analysis {
            moves,
            line: std::mem::take(&mut tree.pv),
            stats: self.stats_since(began),
            tree: Some(Box::new(tree)),
            ..Analysis::default()
        }
    }

    fn stats_since(&mut self, began: Instant) -> SearchStats {
        SearchStats {
            time: began.elapsed(),
            ..self.search.take_stats()
        }
    }
}

impl<G: SearchGame, L: Leaf<G>> Player<G> for MctsPlayer<G, L> {
    fn new_game(&mut self, seed: u64) {
        self.search.reseed(seed);
    }

    fn can_ponder(&self) -> bool {
        self.search.options().ponder
    }

    fn ponder(&mut self, position: &G::Position, stop: &Arc<AtomicBool>) {
        self.search.ponder(position, stop);
    }

    fn decide(
        &mut self,
        position: &G::Position,
        legal: &[G::Move],
        limits: &Limits,
    ) -> Result<Decision<G::Move>, Failure> {
        self.search.set_limits(limits);
        let began = Instant::now();
        let found = self.search.choose(position, legal);
        let best = best_move(&found);
        Ok(Decision {
            best: best.mv,
            value: best.value,
            stats: self.stats_since(began),
            cpu_time: None,
        })
    }

    fn analyse(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        limits: &Limits,
    ) -> Result<Analysis<G::Move>, Failure> {
        Ok(self.search_moves(position, legal, limits))
    }

    fn value(&mut self, position: &G::Position, limits: &Limits) -> PositionValue {
        let analysis = self.search_moves(position, None, limits);
        let values = analysis.moves.iter();
        let values: Vec<_> = values.map(|rated| rated.value.unwrap_or(0.0)).collect();
        let outcomes = self
            .search
            .game()
            .outcomes(position, &analysis.analysed_moves());
        PositionValue {
            value: Some(expectation(&outcomes, &values)),
            error: None,
            stats: analysis.stats,
        }
    }
}
