//! What a simulation ends with: a random playout, an evaluator, a small search, or a mixture.

use crate::core::{
    evaluator::{Evaluator, others_alike},
    game::{Game, MAX_SEATS, Payoffs},
    leaf::{Leaf, MoveKinds},
    random::RandomStream,
};
use crate::search::star::{Star, StarOptions};

/// Plays on at random to the end: an outcome by its weight, a permitted move uniformly.
#[derive(Clone, Copy, Debug, Default)]
pub struct Playout;

impl<G: Game> Leaf<G> for Playout {
    #[inline]
    fn payoffs(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
        made: Option<&mut MoveKinds>,
    ) -> Payoffs {
        match made {
            Some(made) => game.random_end_noted(position, || random.next_u64(), made),
            None => game.random_end(position, || random.next_u64()),
        }
    }

    fn payoffs_of(
        &mut self,
        game: &G,
        positions: &[G::Position],
        random: &mut RandomStream,
        payoffs: &mut [Payoffs],
    ) {
        game.random_ends(positions, || random.next_u64(), payoffs);
    }
}

/// The mean of several answers of another leaf; it tells of the moves of the first, for no
/// simulation makes those of several.
pub struct Repeated<L> {
    times: u32,
    leaf: L,
}

impl<L> Repeated<L> {
    /// `times` answers, at least one.
    pub fn new(times: u32, leaf: L) -> Self {
        Self { times, leaf }
    }
}

impl<G: Game, L: Leaf<G>> Leaf<G> for Repeated<L> {
    fn new_game(&mut self) {
        self.leaf.new_game();
    }

    fn payoffs(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
        mut made: Option<&mut MoveKinds>,
    ) -> Payoffs {
        let mut mean = [0.0; MAX_SEATS];
        for _ in 0..self.times {
            let payoffs = self.leaf.payoffs(game, position, random, made.take());
            for (sum, payoff) in mean.iter_mut().zip(payoffs) {
                *sum += payoff;
            }
        }
        mean.map(|sum| sum / self.times as f32)
    }
}

/// Asks an evaluator instead of playing on (Monte_Alpha v2's idea).
#[derive(Clone, Debug)]
pub struct EvaluatorLeaf<G: Game, E: Evaluator<G>> {
    evaluator: E,
    cache: E::Cache,
    values: Vec<f32>,
}

impl<G: Game, E: Evaluator<G>> EvaluatorLeaf<G, E> {
    /// Leaves valued by `evaluator`.
    pub fn new(evaluator: E) -> Self {
        Self {
            evaluator,
            cache: E::Cache::default(),
            values: Vec::new(),
        }
    }
}

impl<G: Game, E: Evaluator<G>> Leaf<G> for EvaluatorLeaf<G, E> {
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

    fn payoffs_of(
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
            *payoffs = of_two(game.to_move(position), value);
        }
    }
}

/// The payoffs of two seats, one of which gets `value`.
#[inline]
pub(super) fn of_two(seat: usize, value: f32) -> Payoffs {
    let mut payoffs = [0.0; MAX_SEATS];
    payoffs[seat] = value;
    payoffs[1 - seat] = 1.0 - value;
    payoffs
}

/// A share of one leaf's answer and the rest of another's: `λ · first + (1 − λ) · second`
/// (AlphaGo's mixture).
#[derive(Clone, Debug)]
pub struct Mix<A, B> {
    first: A,
    second: B,
    share: f32,
    others: Vec<Payoffs>,
}

impl<A, B> Mix<A, B> {
    /// `share`, in `[0, 1]`, is what the first leaf counts.
    pub fn new(share: f32, first: A, second: B) -> Self {
        Self {
            first,
            second,
            share,
            others: Vec::new(),
        }
    }

    fn mix(&self, payoffs: &mut Payoffs, other: &Payoffs) {
        for (payoff, other) in payoffs.iter_mut().zip(other) {
            *payoff = self.share * *payoff + (1.0 - self.share) * other;
        }
    }
}

impl<G: Game, A: Leaf<G>, B: Leaf<G>> Leaf<G> for Mix<A, B> {
    fn new_game(&mut self) {
        self.first.new_game();
        self.second.new_game();
    }

    fn payoffs(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
        mut made: Option<&mut MoveKinds>,
    ) -> Payoffs {
        let mut payoffs = self
            .first
            .payoffs(game, position, random, made.as_deref_mut());
        let other = self.second.payoffs(game, position, random, made);
        self.mix(&mut payoffs, &other);
        payoffs
    }

    fn payoffs_of(
        &mut self,
        game: &G,
        positions: &[G::Position],
        random: &mut RandomStream,
        payoffs: &mut [Payoffs],
    ) {
        self.first.payoffs_of(game, positions, random, payoffs);
        let mut others = std::mem::take(&mut self.others);
        others.resize(positions.len(), [0.0; MAX_SEATS]);
        self.second.payoffs_of(game, positions, random, &mut others);
        for (payoffs, other) in payoffs.iter_mut().zip(&others) {
            self.mix(payoffs, other);
        }
        self.others = others;
    }
}

/// Looks a few plies ahead: expectiminimax with an evaluator. With more than two seats it knows the
/// value of the seat to move; all others get the same.
#[derive(Clone)]
pub struct StarLeaf<G: Game, E: Evaluator<G>> {
    star: Star<G, E>,
    depth: u32,
}

impl<G: Game, E: Evaluator<G>> StarLeaf<G, E> {
    /// Leaves searched `depth` plies deep, at least one.
    pub fn new(game: G, evaluator: E, depth: u32) -> Self {
        Self {
            star: Star::new(game, evaluator, StarOptions::default(), None),
            depth,
        }
    }
}

impl<G: Game, E: Evaluator<G>> Leaf<G> for StarLeaf<G, E> {
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
        others_alike(game, position, value.clamp(0.0, 1.0))
    }
}

/// What a position after a move is worth, before anything was tried, for the seat to move there.
///
/// Every evaluator is one; behind a pointer, for it is asked once a position and about all its
/// moves together.
pub trait Prior<G: Game>: Send + Sync {
    /// One win probability a position; none of them is over.
    fn values(&self, game: &G, positions: &[G::Position], values: &mut [f32]);
}

impl<G: Game, E: Evaluator<G>> Prior<G> for E {
    fn values(&self, game: &G, positions: &[G::Position], values: &mut [f32]) {
        Evaluator::values(self, game, positions, values);
    }
}
