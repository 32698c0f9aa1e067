//! Playout policies, and leaf evaluations by complete or truncated playouts.

use super::mcts::{Leaf, MoveKinds};
use alea_core::{
    evaluator::Evaluator, game::Payoffs, random::RandomStream, search_game::SearchGame,
};

/// Chooses the moves of playouts.
pub trait Policy<G: SearchGame>: Send {
    /// Chooses one of the `allowed` moves (at least one).
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        allowed: &[G::Move],
        random: &mut RandomStream,
    ) -> G::Move;

    /// Samples an outcome and chooses a move that it allows; `position` is not over.
    fn roll_and_choose(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
    ) -> G::Move {
        let mut moves = G::Moves::default();
        game.roll_moves(position, (random.next_u64() >> 32) as u32, &mut moves);
        self.choose(game, position, &moves, random)
    }
}

impl<G: SearchGame> Policy<G> for Box<dyn Policy<G>> {
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        allowed: &[G::Move],
        random: &mut RandomStream,
    ) -> G::Move {
        (**self).choose(game, position, allowed, random)
    }

    fn roll_and_choose(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
    ) -> G::Move {
        (**self).roll_and_choose(game, position, random)
    }
}

/// Chooses every allowed move with equal probability.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl<G: SearchGame> Policy<G> for Uniform {
    fn choose(
        &mut self,
        _game: &G,
        _position: &G::Position,
        allowed: &[G::Move],
        random: &mut RandomStream,
    ) -> G::Move {
        allowed[random.below(allowed.len())]
    }

    fn roll_and_choose(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
    ) -> G::Move {
        game.sample_move(position, random.next_u64())
    }
}

/// Chooses uniformly among the moves of the highest `SearchHints::move_class`; among all if that is
/// below `min_class`.
#[derive(Clone, Copy, Debug)]
pub struct HighestClass {
    /// Classes below this one are not preferred.
    pub min_class: u8,
}

impl<G: SearchGame> Policy<G> for HighestClass {
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        allowed: &[G::Move],
        random: &mut RandomStream,
    ) -> G::Move {
        let move_class = |mv: &G::Move| {
            Some(game.move_class(position, *mv)).filter(|&move_class| move_class >= self.min_class)
        };
        let highest = allowed.iter().map(move_class).max().flatten();
        let equals = allowed
            .iter()
            .filter(|mv| move_class(mv) == highest)
            .count();
        let index = random.below(equals.max(1));
        allowed
            .iter()
            .copied()
            .filter(|mv| move_class(mv) == highest)
            .nth(index)
            .unwrap_or_default()
    }
}

/// Chooses moves with probabilities proportional to the weights of their `SearchHints::move_class`.
#[derive(Clone, Copy, Debug)]
pub struct ClassWeightedPolicy {
    /// Weights of classes 0, 1, 2, and 3 or more; uniform if no allowed move has weight.
    pub weights: [u32; 4],
}

impl<G: SearchGame> Policy<G> for ClassWeightedPolicy {
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        allowed: &[G::Move],
        random: &mut RandomStream,
    ) -> G::Move {
        let weight = |mv: &G::Move| {
            u64::from(self.weights[usize::from(game.move_class(position, *mv).min(3))])
        };
        let sum: u64 = allowed.iter().map(weight).sum();
        if sum == 0 {
            return allowed[random.below(allowed.len())];
        }
        let mut rest = random.below(sum as usize) as u64;
        for mv in allowed {
            let weight = weight(mv);
            if rest < weight {
                return *mv;
            }
            rest -= weight;
        }
        allowed[allowed.len() - 1]
    }
}

/// Chooses the move whose successor the evaluator values most for the seat that moves; ties go to
/// the first move.
#[derive(Clone, Debug)]
pub struct GreedyPolicy<G: SearchGame, E: Evaluator<G>> {
    evaluator: E,
    cache: E::Cache,
}

impl<G: SearchGame, E: Evaluator<G>> GreedyPolicy<G, E> {
    /// Chooses moves by `evaluator`.
    pub fn new(evaluator: E) -> Self {
        Self {
            evaluator,
            cache: E::Cache::default(),
        }
    }
}

const BATCH_SIZE: usize = 8;

impl<G: SearchGame, E: Evaluator<G>> Policy<G> for GreedyPolicy<G, E> {
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        allowed: &[G::Move],
        _random: &mut RandomStream,
    ) -> G::Move {
        let mut best = (allowed[0], f32::NEG_INFINITY);
        let mut scores = [0.0; BATCH_SIZE];
        for moves in allowed.chunks(BATCH_SIZE) {
            let scores = &mut scores[..moves.len()];
            if E::BATCHES_SUCCESSORS {
                self.evaluator
                    .score_successors(game, position, moves, scores);
            } else {
                for (mv, score) in moves.iter().zip(scores.iter_mut()) {
                    *score = self
                        .evaluator
                        .successor_value(game, position, *mv, &mut self.cache);
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

/// Chooses each move by one of two policies, sampled with fixed probability.
#[derive(Clone, Copy, Debug)]
pub struct MixedPolicy<A, B> {
    first: A,
    second: B,
    threshold: u64,
}

impl<A, B> MixedPolicy<A, B> {
    /// Uses `first` with this `probability`, otherwise `second`.
    pub fn new(first: A, probability: f64, second: B) -> Self {
        Self {
            first,
            second,
            threshold: (probability.clamp(0.0, 1.0) * 4_294_967_296.0) as u64,
        }
    }

    fn picks_first(&self, random: &mut RandomStream) -> bool {
        random.next_u64() >> 32 < self.threshold
    }
}

impl<G: SearchGame, A: Policy<G>, B: Policy<G>> Policy<G> for MixedPolicy<A, B> {
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        allowed: &[G::Move],
        random: &mut RandomStream,
    ) -> G::Move {
        if self.picks_first(random) {
            self.first.choose(game, position, allowed, random)
        } else {
            self.second.choose(game, position, allowed, random)
        }
    }

    fn roll_and_choose(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
    ) -> G::Move {
        if self.picks_first(random) {
            self.first.roll_and_choose(game, position, random)
        } else {
            self.second.roll_and_choose(game, position, random)
        }
    }
}

/// Leaf evaluation by a playout to the end of the game, with one policy for all seats.
#[derive(Clone, Copy, Debug, Default)]
pub struct PolicyPlayout<P>(pub P);

impl<G: SearchGame, P: Policy<G>> Leaf<G> for PolicyPlayout<P> {
    fn payoffs(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
        mut moves_played: Option<&mut MoveKinds>,
    ) -> Payoffs {
        let mut position = *position;
        loop {
            if let Some(payoffs) = game.payoffs(&position) {
                return payoffs;
            }
            let mv = self.0.roll_and_choose(game, &position, random);
            if let Some(moves_played) = &mut moves_played {
                moves_played.insert(game.history_index(&position, mv));
            }
            position = game.play(&position, mv);
        }
    }
}

/// Leaf evaluation by a playout of limited length, whose last position another leaf evaluates.
#[derive(Clone, Debug)]
pub struct TruncatedPlayout<P, L> {
    policy: P,
    plies: u32,
    end: L,
}

impl<P, L> TruncatedPlayout<P, L> {
    /// Plays at most `plies` plies by `policy`, then evaluates by `end`.
    pub fn new(policy: P, plies: u32, end: L) -> Self {
        Self { policy, plies, end }
    }

    fn play<G: SearchGame>(
        &mut self,
        game: &G,
        start: &G::Position,
        random: &mut RandomStream,
        mut moves_played: Option<&mut MoveKinds>,
    ) -> G::Position
    where
        P: Policy<G>,
    {
        let mut position = *start;
        for _ in 0..self.plies {
            if game.payoffs(&position).is_some() {
                break;
            }
            let mv = self.policy.roll_and_choose(game, &position, random);
            if let Some(moves_played) = &mut moves_played {
                moves_played.insert(game.history_index(&position, mv));
            }
            position = game.play(&position, mv);
        }
        position
    }
}

impl<G: SearchGame, P: Policy<G>, L: Leaf<G>> Leaf<G> for TruncatedPlayout<P, L> {
    fn payoffs(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
        mut moves_played: Option<&mut MoveKinds>,
    ) -> Payoffs {
        let stopped = self.play(game, position, random, moves_played.as_deref_mut());
        game.payoffs(&stopped)
            .unwrap_or_else(|| self.end.payoffs(game, &stopped, random, moves_played))
    }
}

/// Leaf evaluation by a function, such as a game's own batched playouts.
pub struct FnLeaf<F>(pub F);

impl<G: SearchGame, F: FnMut(&G, &G::Position, &mut RandomStream) -> Payoffs + Send> Leaf<G>
    for FnLeaf<F>
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
