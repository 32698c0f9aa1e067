//! A player that errs: it samples moves by another player's values of them.

use crate::{
    game_loop::boltzmann_index,
    player::{Analysis, AnalysisObserver, Decision, Failure, GameEvent, Player, PositionValue},
};
use alea_core::search_game::SearchGame;
use alea_search::limits::Limits;
use std::sync::{Arc, atomic::AtomicBool};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A player that samples a move with a probability proportional to exp(value / temperature). A move
/// that ends the game is played if none has a higher value. Analyses and values are those of the
/// inner player, who chooses if it values no move. Given the values, choices depend only on seed and
/// position.
pub struct SoftmaxPlayer<G: SearchGame> {
    game: G,
    inner: Box<dyn Player<G>>,
    temperature: f64,
    seed: u64,
}

impl<G: SearchGame> SoftmaxPlayer<G> {
    /// A player that samples by the values of `inner`; `temperature`, above 0, is in their unit: win
    /// probability, or payoff in games with points.
    pub fn new(game: G, inner: Box<dyn Player<G>>, temperature: f64) -> Self {
        Self {
            game,
            inner,
            temperature,
            seed: 0,
        }
    }

    /// A number in `[0, 1)` that depends on seed and position.
    fn unit(&self, position: &G::Position) -> f64 {
        let hash = xxh3_64_with_seed(&self.game.key(position).to_le_bytes(), self.seed);
        (hash >> 11) as f64 / (1u64 << 53) as f64
    }

    fn pick(&self, position: &G::Position, analysis: &Analysis<G::Move>) -> Option<usize> {
        let moves = &analysis.moves;
        let best = moves[analysis.best_by_value(0..moves.len())?].value;
        let ends = |mv| {
            let next = self.game.play(position, mv);
            self.game.payoffs(&next).is_some()
        };
        let mut best_moves = (0..moves.len()).filter(|&index| moves[index].value == best);
        best_moves.find(|&index| ends(moves[index].mv)).or_else(|| {
            let values = moves.iter().map(|rated| rated.value);
            boltzmann_index(values, self.temperature, self.unit(position))
        })
    }
}

impl<G: SearchGame> Player<G> for SoftmaxPlayer<G> {
    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
        self.inner.new_game(seed);
    }

    fn decide(
        &mut self,
        position: &G::Position,
        legal: &[G::Move],
        limits: &Limits,
    ) -> Result<Decision<G::Move>, Failure> {
        if legal.len() == 1 {
            return self.inner.decide(position, legal, limits);
        }
        let analysis = self.inner.analyse(position, Some(legal), limits)?;
        let picked = self.pick(position, &analysis);
        let picked = picked.map(|index| (analysis.moves[index].mv, analysis.moves[index].value));
        // A program asked once more would take its own move for the opponent's.
        let chosen = analysis.line.first().map(|&mv| (mv, None));
        match picked.or(chosen) {
            None => self.inner.decide(position, legal, limits),
            Some((best, value)) => Ok(Decision {
                best,
                value,
                stats: analysis.stats,
                cpu_time: None,
            }),
        }
    }

    fn analyse(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        limits: &Limits,
    ) -> Result<Analysis<G::Move>, Failure> {
        self.inner.analyse(position, legal, limits)
    }

    fn analyse_observed(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        limits: &Limits,
        observer: &mut AnalysisObserver<'_, G::Move>,
    ) -> Result<Analysis<G::Move>, Failure> {
        self.inner
            .analyse_observed(position, legal, limits, observer)
    }

    fn value(&mut self, position: &G::Position, limits: &Limits) -> PositionValue {
        self.inner.value(position, limits)
    }

    fn exact_scores(
        &mut self,
        position: &G::Position,
        moves: &[G::Move],
        limits: &Limits,
    ) -> Option<(&'static str, Vec<i32>)> {
        self.inner.exact_scores(position, moves, limits)
    }

    fn can_ponder(&self) -> bool {
        self.inner.can_ponder()
    }

    fn ponder(&mut self, position: &G::Position, stop: &Arc<AtomicBool>) {
        self.inner.ponder(position, stop);
    }

    fn notify(&mut self, event: GameEvent<'_, G>) {
        self.inner.notify(event);
    }
}
