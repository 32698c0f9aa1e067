//! Playouts that are not uniform: policies that choose moves, and leaves of a tree search that play
//! by them.
//!
//! A [`Policy`] knows a game only through [`Game`] and an evaluator. [`ByPolicy`] plays to the end,
//! [`Truncated`] a number of plies and then asks another leaf. Invariant: outcomes are always drawn
//! by their weights, whatever the policy.

use super::mcts::{Leaf, MoveKinds};
use crate::core::{
    evaluator::Evaluator,
    game::{Game, Payoffs},
    random::RandomStream,
};

/// Chooses moves in playouts.
pub trait Policy<G: Game>: Send {
    /// One of the moves that the outcome drawn permits; there is at least one.
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        permitted: &[G::Move],
        random: &mut RandomStream,
    ) -> G::Move;

    /// Draws an outcome and chooses. Only asked of positions that are not over.
    fn draw_and_choose(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
    ) -> G::Move {
        let mut moves = G::Moves::default();
        game.draw_moves(position, (random.next_u64() >> 32) as u32, &mut moves);
        self.choose(game, position, &moves, random)
    }
}

/// A policy that is known at run time only.
impl<G: Game> Policy<G> for Box<dyn Policy<G>> {
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        permitted: &[G::Move],
        random: &mut RandomStream,
    ) -> G::Move {
        (**self).choose(game, position, permitted, random)
    }

    fn draw_and_choose(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
    ) -> G::Move {
        (**self).draw_and_choose(game, position, random)
    }
}

/// All permitted moves are equally likely.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl<G: Game> Policy<G> for Uniform {
    fn choose(
        &mut self,
        _game: &G,
        _position: &G::Position,
        permitted: &[G::Move],
        random: &mut RandomStream,
    ) -> G::Move {
        permitted[random.below(permitted.len())]
    }

    fn draw_and_choose(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
    ) -> G::Move {
        game.random_move(position, random.next_u64())
    }
}

/// The most urgent of the permitted moves ([`Game::urgency`]), if it is urgent enough; else any.
/// Equals are equally likely.
#[derive(Clone, Copy, Debug)]
pub struct HighestClass {
    /// The least urgency that is preferred.
    pub at_least: u8,
}

impl<G: Game> Policy<G> for HighestClass {
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        permitted: &[G::Move],
        random: &mut RandomStream,
    ) -> G::Move {
        let urgency = |mv: &G::Move| {
            Some(game.urgency(position, *mv)).filter(|&urgency| urgency >= self.at_least)
        };
        let most = permitted.iter().map(urgency).max().flatten();
        let equals = permitted.iter().filter(|mv| urgency(mv) == most).count();
        let index = random.below(equals.max(1));
        permitted
            .iter()
            .copied()
            .filter(|mv| urgency(mv) == most)
            .nth(index)
            .unwrap_or_default()
    }
}

/// Draws moves with weights by urgency.
#[derive(Clone, Copy, Debug)]
pub struct ByUrgency {
    /// The weight of a move of urgency 0, 1, 2, and 3 or more; if all permitted moves have weight
    /// 0, any is drawn.
    pub weights: [u32; 4],
}

impl<G: Game> Policy<G> for ByUrgency {
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        permitted: &[G::Move],
        random: &mut RandomStream,
    ) -> G::Move {
        let weight =
            |mv: &G::Move| u64::from(self.weights[usize::from(game.urgency(position, *mv).min(3))]);
        let sum: u64 = permitted.iter().map(weight).sum();
        if sum == 0 {
            return permitted[random.below(permitted.len())];
        }
        let mut rest = random.below(sum as usize) as u64;
        for mv in permitted {
            let weight = weight(mv);
            if rest < weight {
                return *mv;
            }
            rest -= weight;
        }
        permitted[permitted.len() - 1]
    }
}

/// The best successor by an evaluator, for the seat that moves: a search of depth 0. The first of
/// equals in list order, as in the published players.
#[derive(Clone, Debug)]
pub struct BestSuccessor<G: Game, E: Evaluator<G>> {
    evaluator: E,
    cache: E::Cache,
}

impl<G: Game, E: Evaluator<G>> BestSuccessor<G, E> {
    /// Moves chosen by `evaluator`.
    pub fn new(evaluator: E) -> Self {
        Self {
            evaluator,
            cache: E::Cache::default(),
        }
    }
}

/// Successors that are scored at once.
const GROUP: usize = 8;

impl<G: Game, E: Evaluator<G>> Policy<G> for BestSuccessor<G, E> {
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        permitted: &[G::Move],
        _random: &mut RandomStream,
    ) -> G::Move {
        let mut best = (permitted[0], f32::NEG_INFINITY);
        let mut scores = [0.0; GROUP];
        for moves in permitted.chunks(GROUP) {
            let scores = &mut scores[..moves.len()];
            if E::BATCHES_SUCCESSORS {
                self.evaluator
                    .score_successors(game, position, moves, scores);
            } else {
                for (mv, score) in moves.iter().zip(scores.iter_mut()) {
                    *score = self
                        .evaluator
                        .successor(game, position, *mv, &mut self.cache);
                }
            }
            for (mv, score) in moves.iter().zip(scores.iter()) {
                if *score > best.1 {
                    best = (*mv, *score);
                }
            }
        }
        best.0
    }
}

/// One policy with a given probability, else the other, anew for every move.
#[derive(Clone, Copy, Debug)]
pub struct Mixture<A, B> {
    first: A,
    second: B,
    /// Share of the first in units of 2^-32.
    share: u64,
}

impl<A, B> Mixture<A, B> {
    /// `first` with probability `share`, a number from 0 to 1.
    pub fn new(first: A, share: f64, second: B) -> Self {
        Self {
            first,
            second,
            share: (share.clamp(0.0, 1.0) * 4_294_967_296.0) as u64,
        }
    }

    fn takes_first(&self, random: &mut RandomStream) -> bool {
        random.next_u64() >> 32 < self.share
    }
}

impl<G: Game, A: Policy<G>, B: Policy<G>> Policy<G> for Mixture<A, B> {
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        permitted: &[G::Move],
        random: &mut RandomStream,
    ) -> G::Move {
        if self.takes_first(random) {
            self.first.choose(game, position, permitted, random)
        } else {
            self.second.choose(game, position, permitted, random)
        }
    }

    fn draw_and_choose(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
    ) -> G::Move {
        if self.takes_first(random) {
            self.first.draw_and_choose(game, position, random)
        } else {
            self.second.draw_and_choose(game, position, random)
        }
    }
}

/// Plays to the end by a policy, the same for all seats.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByPolicy<P>(pub P);

impl<G: Game, P: Policy<G>> Leaf<G> for ByPolicy<P> {
    fn payoffs(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
        mut made: Option<&mut MoveKinds>,
    ) -> Payoffs {
        let mut position = *position;
        loop {
            if let Some(payoffs) = game.payoffs(&position) {
                return payoffs;
            }
            let mv = self.0.draw_and_choose(game, &position, random);
            if let Some(made) = &mut made {
                made.insert(game.move_kind(&position, mv));
            }
            position = game.play(&position, mv);
        }
    }
}

/// Plays a number of plies by a policy, then asks another leaf: usually an evaluator's.
#[derive(Clone, Debug)]
pub struct Truncated<P, L> {
    policy: P,
    plies: u32,
    end: L,
}

impl<P, L> Truncated<P, L> {
    /// At most `plies` plies by `policy`, then `end`.
    pub fn new(policy: P, plies: u32, end: L) -> Self {
        Self { policy, plies, end }
    }

    /// Where a playout stops.
    fn play<G: Game>(
        &mut self,
        game: &G,
        start: &G::Position,
        random: &mut RandomStream,
        mut made: Option<&mut MoveKinds>,
    ) -> G::Position
    where
        P: Policy<G>,
    {
        let mut position = *start;
        for _ in 0..self.plies {
            if game.payoffs(&position).is_some() {
                break;
            }
            let mv = self.policy.draw_and_choose(game, &position, random);
            if let Some(made) = &mut made {
                made.insert(game.move_kind(&position, mv));
            }
            position = game.play(&position, mv);
        }
        position
    }
}

impl<G: Game, P: Policy<G>, L: Leaf<G>> Leaf<G> for Truncated<P, L> {
    fn payoffs(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
        mut made: Option<&mut MoveKinds>,
    ) -> Payoffs {
        let stopped = self.play(game, position, random, made.as_deref_mut());
        game.payoffs(&stopped)
            .unwrap_or_else(|| self.end.payoffs(game, &stopped, random, made))
    }
}

/// A leaf that is a function: for a game's own way of playing many games at once.
pub struct ByFunction<F>(pub F);

impl<G: Game, F: FnMut(&G, &G::Position, &mut RandomStream) -> Payoffs + Send> Leaf<G>
    for ByFunction<F>
{
    fn payoffs(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
        _: Option<&mut MoveKinds>,
    ) -> Payoffs {
        (self.0)(game, position, random)
    }
}
