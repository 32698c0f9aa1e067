//! Players that search: a [`Search`] or a Monte-Carlo tree search turned into a [`Player`].

use crate::core::{
    chance::expectation,
    clock::Instant,
    game::{Game, Payoffs},
};
use crate::play::player::{Analysis, Decision, Failure, Player, PositionValue};
use crate::search::{
    Search, SearchStats,
    limits::Limits,
    mcts::{Leaf, Mcts, best_move},
};
use std::{
    marker::PhantomData,
    sync::{Arc, atomic::AtomicBool},
};

/// Plays the move that a search values most.
#[derive(Clone, Debug)]
pub struct SearchPlayer<G, S> {
    search: S,
    game: PhantomData<fn() -> G>,
}

impl<G: Game, S: Search<G>> SearchPlayer<G, S> {
    /// A player that trusts `search`.
    pub fn new(search: S) -> Self {
        Self {
            search,
            game: PhantomData,
        }
    }
}

// Whoever wants to know how long it took measures: reading the clock would cost as much as a search
// of one ply.
impl<G: Game, S: Search<G>> Player<G> for SearchPlayer<G, S> {
    fn new_game(&mut self, _seed: u64) {
        self.search.forget();
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
        Ok(analysis_of(moves, found, self.search.take_stats()))
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
    found: Vec<(f32, Option<Payoffs>)>,
    stats: SearchStats,
) -> Analysis<M> {
    let values = found.iter().map(|&(value, _)| Some(value));
    let moves: Vec<_> = moves.iter().copied().zip(values).collect();
    Analysis {
        line: best_of(&moves).into_iter().collect(),
        moves,
        payoffs: found.into_iter().map(|(_, payoffs)| payoffs).collect(),
        stats,
        tree: None,
    }
}

/// The first move of the largest value.
fn best_of<M: Copy>(moves: &[(M, Option<f32>)]) -> Option<M> {
    let mut best: Option<(M, f32)> = None;
    for &(mv, value) in moves {
        if let Some(value) = value
            && best.is_none_or(|(_, largest)| value > largest)
        {
            best = Some((mv, value));
        }
    }
    best.map(|(mv, _)| mv)
}

/// Plays the move that a Monte-Carlo tree search tried most.
pub struct MctsPlayer<G: Game, L: Leaf<G>> {
    search: Mcts<G, L>,
}

impl<G: Game, L: Leaf<G>> MctsPlayer<G, L> {
    /// A player that trusts `search`.
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
        let tree = self.search.report();
        let moves = found
            .iter()
            .map(|statistics| (statistics.mv, statistics.value))
            .collect();
        Analysis {
            moves,
            payoffs: None,
            line: tree.pv.clone(),
            stats: self.stats_since(began),
            tree: Some(Box::new(tree)),
        }
    }

    fn stats_since(&mut self, began: Instant) -> SearchStats {
        SearchStats {
            time: began.elapsed(),
            ..self.search.take_stats()
        }
    }
}

impl<G: Game, L: Leaf<G>> Player<G> for MctsPlayer<G, L> {
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
        let moves: Vec<_> = analysis.moves.iter().map(|&(mv, _)| mv).collect();
        // A move that was never tried is taken for worthless.
        let values: Vec<_> = analysis
            .moves
            .iter()
            .map(|(_, value)| value.unwrap_or(0.0))
            .collect();
        let outcomes = self.search.game().outcomes(position, &moves);
        PositionValue {
            value: Some(expectation(&outcomes, &values)),
            error: None,
            stats: analysis.stats,
        }
    }
}
