//! Leaf evaluations of the tree search: random playouts, evaluators, small searches and blends.

use crate::star::{Star, StarOptions};
use alea_core::{
    evaluator::{Evaluator, payoffs_from_own},
    game::{MAX_SEATS, Payoffs},
    leaf::{Leaf, MoveKinds},
    random::RandomStream,
    search_game::SearchGame,
};

/// A uniformly random playout to the end of the game.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlayoutLeaf;

impl<G: SearchGame> Leaf<G> for PlayoutLeaf {
    #[inline]
    fn payoffs(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
        moves_played: Option<&mut MoveKinds>,
    ) -> Payoffs {
        match moves_played {
            Some(moves_played) => game.playout_traced(position, || random.next_u64(), moves_played),
            None => game.playout(position, || random.next_u64()),
        }
    }

    fn payoffs_batch(
        &mut self,
        game: &G,
        positions: &[G::Position],
        random: &mut RandomStream,
        payoffs: &mut [Payoffs],
    ) {
        game.playout_batch(positions, || random.next_u64(), payoffs);
    }
}

/// Mean of several evaluations by another leaf; `moves_played` are those of the first.
pub struct AveragedLeaf<L> {
    times: u32,
    leaf: L,
}

impl<L> AveragedLeaf<L> {
    /// Averages `times` evaluations, at least one.
    pub fn new(times: u32, leaf: L) -> Self {
        Self { times, leaf }
    }
}

impl<G: SearchGame, L: Leaf<G>> Leaf<G> for AveragedLeaf<L> {
    fn new_game(&mut self) {
        self.leaf.new_game();
    }

    fn payoffs(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
        mut moves_played: Option<&mut MoveKinds>,
    ) -> Payoffs {
        let mut mean = [0.0; MAX_SEATS];
        for _ in 0..self.times {
            let payoffs = self
                .leaf
                .payoffs(game, position, random, moves_played.take());
            for (sum, payoff) in mean.iter_mut().zip(payoffs) {
                *sum += payoff;
            }
        }
        mean.map(|sum| sum / self.times as f32)
    }
}

/// An evaluator as leaf evaluation (idea of Monte_Alpha v2).
#[derive(Clone, Debug)]
pub struct EvaluatorLeaf<G: SearchGame, E: Evaluator<G>> {
    evaluator: E,
    cache: E::Cache,
    values: Vec<f32>,
}

impl<G: SearchGame, E: Evaluator<G>> EvaluatorLeaf<G, E> {
    /// Evaluates leaves by `evaluator`.
    pub fn new(evaluator: E) -> Self {
        Self {
            evaluator,
            cache: E::Cache::default(),
            values: Vec::new(),
        }
    }
}

impl<G: SearchGame, E: Evaluator<G>> Leaf<G> for EvaluatorLeaf<G, E> {
    fn payoffs(
        &mut self,
        game: &G,
        position: &G::Position,
        _: &mut RandomStream,
        _: Option<&mut MoveKinds>,
    ) -> Payoffs {
        self.evaluator.refresh(game, position, &mut self.cache);
        self.evaluator.payoffs(game, position, &self.cache)
    }

    fn payoffs_batch(
        &mut self,
        game: &G,
        positions: &[G::Position],
        random: &mut RandomStream,
        payoffs: &mut [Payoffs],
    ) {
        if game.seats() != 2 {
            for (position, payoffs) in positions.iter().zip(payoffs) {
                *payoffs = self.payoffs(game, position, random, None);
            }
            return;
        }
        self.values.resize(positions.len(), 0.0);
        self.evaluator.values(game, positions, &mut self.values);
        for ((position, &value), payoffs) in positions.iter().zip(&self.values).zip(payoffs) {
            *payoffs = two_player_payoffs(game.to_move(position), value);
        }
    }
}

#[inline]
pub(super) fn two_player_payoffs(seat: usize, value: f32) -> Payoffs {
    let mut payoffs = [0.0; MAX_SEATS];
    payoffs[seat] = value;
    payoffs[1 - seat] = 1.0 - value;
    payoffs
}

/// A blend of two leaves, `λ · first + (1 − λ) · second` (AlphaGo).
#[derive(Clone, Debug)]
pub struct BlendedLeaf<A, B> {
    first: A,
    second: B,
    weight: f32,
    others: Vec<Payoffs>,
}

impl<A, B> BlendedLeaf<A, B> {
    /// A blend with λ = `weight`, in `[0, 1]`.
    pub fn new(weight: f32, first: A, second: B) -> Self {
        Self {
            first,
            second,
            weight,
            others: Vec::new(),
        }
    }

    fn mix(&self, payoffs: &mut Payoffs, other: &Payoffs) {
        for (payoff, other) in payoffs.iter_mut().zip(other) {
            *payoff = self.weight * *payoff + (1.0 - self.weight) * other;
        }
    }
}

impl<G: SearchGame, A: Leaf<G>, B: Leaf<G>> Leaf<G> for BlendedLeaf<A, B> {
    fn new_game(&mut self) {
        self.first.new_game();
        self.second.new_game();
    }

    fn payoffs(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
        mut moves_played: Option<&mut MoveKinds>,
    ) -> Payoffs {
        let mut payoffs = self
            .first
            .payoffs(game, position, random, moves_played.as_deref_mut());
        let other = self.second.payoffs(game, position, random, moves_played);
        self.mix(&mut payoffs, &other);
        payoffs
    }

    fn payoffs_batch(
        &mut self,
        game: &G,
        positions: &[G::Position],
        random: &mut RandomStream,
        payoffs: &mut [Payoffs],
    ) {
        self.first.payoffs_batch(game, positions, random, payoffs);
        let mut others = std::mem::take(&mut self.others);
        others.resize(positions.len(), [0.0; MAX_SEATS]);
        self.second
            .payoffs_batch(game, positions, random, &mut others);
        for (payoffs, other) in payoffs.iter_mut().zip(&others) {
            self.mix(payoffs, other);
        }
        self.others = others;
    }
}

/// An expectiminimax search of a few plies as leaf evaluation. With more than two seats the
/// opponents get equal payoffs.
#[derive(Clone)]
pub struct SearchLeaf<G: SearchGame, E: Evaluator<G>> {
    star: Star<G, E>,
    depth: u32,
}

impl<G: SearchGame, E: Evaluator<G>> SearchLeaf<G, E> {
    /// A leaf that is valued by a search of `depth` plies (1 or more, unchecked).
    pub fn new(game: G, evaluator: E, depth: u32) -> Self {
        Self {
            star: Star::new(game, evaluator, StarOptions::default(), None),
            depth,
        }
    }
}

impl<G: SearchGame, E: Evaluator<G>> Leaf<G> for SearchLeaf<G, E> {
    fn payoffs(
        &mut self,
        game: &G,
        position: &G::Position,
        _: &mut RandomStream,
        _: Option<&mut MoveKinds>,
    ) -> Payoffs {
        let value = self
            .star
            .bounds(position, self.depth, f32::NEG_INFINITY, f32::INFINITY)
            .lower;
        payoffs_from_own(game, position, value.clamp(0.0, 1.0))
    }
}

/// Prior values of a new node's moves, from the positions after them. Every evaluator gives them.
pub trait Prior<G: SearchGame>: Send + Sync {
    /// Writes the win probability of the seat to move in each unfinished position.
    fn prior_values(&self, game: &G, positions: &[G::Position], values: &mut [f32]);
}

impl<G: SearchGame, E: Evaluator<G>> Prior<G> for E {
    fn prior_values(&self, game: &G, positions: &[G::Position], values: &mut [f32]) {
        Evaluator::values(self, game, positions, values);
    }
}
