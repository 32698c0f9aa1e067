//! Roll-outs: games that both sides play by an evaluator, with their luck taken away.
//!
//! Each side makes the best move by the evaluator's word, or by exact knowledge where there is some.
//! What the best moves are worth, outcome by outcome, is known before chance speaks, and so is their
//! expectation; what chance makes of it is luck, of mean 0, whatever the evaluator is worth.
//! A result less its luck so has the mean of the result, which is what the position is worth in
//! the hands of such players, and the better the evaluator, the less it varies. Sources: Tesauro and
//! Galperin (1996) for roll-outs, GNU Backgammon for luck in them, Veness et al. (2011), White and Bowling
//! (2009) for advantage sums. Invariant: a game is a pure function of rules, evaluator, knowledge,
//! position, seed and its number; what is remembered from game to game only saves work.

pub mod sequential;

use super::limits::Limits;
use crate::core::{
    chance::turned,
    evaluator::Evaluator,
    game::{Game, List, OutcomeList, Payoffs, Seat},
    oracle::Oracle,
};
use std::{ops::Range, sync::Arc};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What came of a game, for one seat.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Played {
    /// What it got: a payoff, or the value of the position in which the game was stopped.
    pub result: f64,
    /// What it owes to chance, on the same scale: of mean 0.
    pub luck: f64,
}

impl Played {
    /// The result without luck; not always in `[0, 1]`.
    #[must_use]
    pub fn earned(self) -> f64 {
        self.result - self.luck
    }
}

/// Plays roll-outs; whose evaluator it is, is known at run time only.
pub trait Roll<G: Game>: Send {
    /// Sets what ends the games to come before they are over.
    fn set_limits(&mut self, limits: &Limits);

    /// Whether [`Roll::set_limits`] has ended the games.
    fn is_stopped(&self) -> bool;

    /// Plays games from a position and tells `each` of them in order, from the view of a seat.
    /// Games of the same seed and number have common chance: the k-th ply draws the same bits,
    /// whatever the position. Once it is stopped no further ply is played, and a game that is not
    /// over is not told of.
    fn roll(
        &mut self,
        position: &G::Position,
        seat: Seat,
        seed: u64,
        numbers: Range<u32>,
        each: &mut dyn FnMut(Played),
    ) -> Cost;
}

/// What roll-outs cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Moves made.
    pub plies: u64,
    /// Positions that an evaluator was asked about.
    pub evaluations: u64,
}

impl Cost {
    /// Adds the cost of other games.
    pub fn add(&mut self, other: Self) {
        self.plies += other.plies;
        self.evaluations += other.evaluations;
    }
}

/// An outcome: its weight, its luck for the seat that moves, and the best move that it permits.
type Choice<M> = (f32, f32, M);

/// A position whose best moves are known.
struct Node<G: Game> {
    position: G::Position,
    choices: <G::Outcomes as OutcomeList>::Of<Choice<G::Move>>,
}

impl<G: Game> Node<G> {
    /// Finds the best move for each outcome by the values of all, which are made exact where the
    /// oracle knows them within limits.
    fn of(
        game: &G,
        oracle: Option<&dyn Oracle<G>>,
        position: &G::Position,
        moves: &[G::Move],
        values: &mut [f32],
        limits: &Limits,
    ) -> Self {
        if let Some(oracle) = oracle.filter(|oracle| oracle.may_know_successors(position)) {
            let seat = game.to_move(position);
            for (&mv, value) in moves.iter().zip(values.iter_mut()) {
                let next = game.play(position, mv);
                if game.payoffs(&next).is_none()
                    && let Some(exact) = oracle.value_within(game, &next, limits)
                {
                    *value = turned(exact, game.to_move(&next) == seat);
                }
            }
        }
        let mut choices = <G::Outcomes as OutcomeList>::Of::default();
        let mut expectation = 0.0;
        for outcome in game.outcomes(position, moves).iter() {
            // The first of equals.
            let best = (outcome.run())
                .reduce(|best, other| match values[other] > values[best] {
                    true => other,
                    false => best,
                })
                .unwrap_or_default();
            let value = values[best];
            expectation += outcome.weight * value;
            choices.push((outcome.weight, value, moves[best]));
        }
        // With more than two seats a move says nothing of what the others win by it.
        let is_luck = game.seats() == 2 && choices.len() > 1;
        for (_, value, _) in choices.iter_mut() {
            *value = if is_luck { *value - expectation } else { 0.0 };
        }
        Self {
            position: *position,
            choices,
        }
    }
}

/// Positions that are remembered. The first plies of the games from one position are often the
/// same, as the moves are; measured from the start of EinStein, with 2^8 … 2^14 places.
const PLACES: usize = 1 << 12;

/// An evaluator with its cache, which is asked by pointer once for each position that is new: so the
/// games are compiled once a game, and not for every evaluator.
trait Judge<G: Game>: Send {
    fn successors(&mut self, game: &G, at: &G::Position, moves: &[G::Move], values: &mut [f32]);
    fn payoffs(&mut self, game: &G, position: &G::Position) -> Payoffs;
}

struct Judging<E, C>(E, C);

impl<G: Game, E: Evaluator<G>> Judge<G> for Judging<E, E::Cache> {
    fn successors(&mut self, game: &G, at: &G::Position, moves: &[G::Move], values: &mut [f32]) {
        self.0
            .value_successors(game, at, moves, &mut self.1, values);
    }

    fn payoffs(&mut self, game: &G, position: &G::Position) -> Payoffs {
        self.0.refresh(game, position, &mut self.1);
        self.0.payoffs(game, position, &self.1)
    }
}

/// Roll-outs by an evaluator.
pub struct Rollout<G: Game> {
    game: G,
    judge: Box<dyn Judge<G>>,
    oracle: Option<Arc<dyn Oracle<G>>>,
    /// Plies after which a game is stopped; 0 for never.
    plies: u32,
    limits: Limits,
    nodes: Vec<Option<Node<G>>>,
    moves: G::Moves,
    values: Vec<f32>,
    evaluations: u64,
}

impl<G: Game> Rollout<G> {
    /// Games that end where they are over, where the oracle knows the position, or, unless it is 0,
    /// after a number of plies, with the evaluator's value.
    pub fn new<E: Evaluator<G> + 'static>(
        game: G,
        evaluator: E,
        oracle: Option<Arc<dyn Oracle<G>>>,
        plies: u32,
    ) -> Self {
        let most_moves = game.most_moves();
        let mut nodes = Vec::new();
        nodes.resize_with(PLACES, || None);
        Self {
            game,
            judge: Box::new(Judging(evaluator, E::Cache::default())),
            oracle,
            plies,
            limits: Limits::NONE,
            nodes,
            moves: G::Moves::default(),
            values: Vec::with_capacity(most_moves),
            evaluations: 0,
        }
    }

    /// What a seat has in a position in which a game ends.
    #[inline]
    fn end(&mut self, position: &G::Position, seat: Seat, ply: u32) -> Option<f32> {
        let game = &self.game;
        if let over @ Some(_) = game.payoff(position, seat) {
            return over;
        }
        let oracle = self.oracle.as_deref();
        let exact = oracle.and_then(|oracle| oracle.value_within(game, position, &self.limits));
        if let Some(exact) = exact {
            return Some(turned(exact, game.to_move(position) == seat));
        }
        // Without the time to ask nothing is known of the end either.
        let is_open = self.plies == 0 || ply < self.plies;
        if is_open || (oracle.is_some() && self.limits.is_stopped()) {
            return None;
        }
        self.evaluations += 1;
        Some(self.judge.payoffs(game, position)[seat])
    }

    /// The best moves of a position that is not over; nothing where the games ended while they were
    /// looked for, as not all that is known may have been asked for.
    #[inline]
    fn choices(&mut self, position: &G::Position) -> &[Choice<G::Move>] {
        let place = self.game.key(position) as usize % PLACES;
        let is_known = self.nodes[place]
            .as_ref()
            .is_some_and(|node| node.position == *position);
        let node = (!is_known).then(|| self.valued(position));
        if node.is_some() && self.limits.is_stopped() {
            return &[];
        }
        let place = &mut self.nodes[place];
        if node.is_some() {
            *place = node;
        }
        place.as_ref().map_or(&[], |node| &*node.choices)
    }

    /// Values all moves of a position, once, and finds the best for each outcome.
    fn valued(&mut self, position: &G::Position) -> Node<G> {
        let (game, moves) = (&self.game, &mut self.moves);
        game.moves(position, moves);
        self.values.clear();
        self.values.resize(moves.len(), 0.0);
        self.evaluations += moves.len() as u64;
        self.judge
            .successors(game, position, moves, &mut self.values);
        Node::of(
            game,
            self.oracle.as_deref(),
            position,
            moves,
            &mut self.values,
            &self.limits,
        )
    }
}

impl<G: Game> Roll<G> for Rollout<G> {
    fn set_limits(&mut self, limits: &Limits) {
        self.limits.clone_from(limits);
    }

    fn is_stopped(&self) -> bool {
        self.limits.is_stopped()
    }

    fn roll(
        &mut self,
        start: &G::Position,
        seat: Seat,
        seed: u64,
        numbers: Range<u32>,
        each: &mut dyn FnMut(Played),
    ) -> Cost {
        let mut cost = Cost::default();
        'rollouts: for number in numbers {
            let (mut position, mut luck, mut ply) = (*start, 0.0, 0);
            let result = loop {
                if let Some(result) = self.end(&position, seat, ply) {
                    break f64::from(result);
                }
                if self.limits.is_stopped() {
                    break 'rollouts;
                }
                let drawn = u64::from(number) << 32 | u64::from(ply);
                let bits = xxh3_64_with_seed(&drawn.to_le_bytes(), seed) >> 32;
                let choices = self.choices(&position);
                if choices.is_empty() {
                    break 'rollouts;
                }
                let mut rest = bits as f32 / 4_294_967_296.0;
                let mut passed = 0;
                for (weight, ..) in choices {
                    rest -= weight;
                    passed += usize::from(rest >= 0.0);
                }
                let (_, change, mv) = choices[passed.min(choices.len() - 1)];
                let own = self.game.to_move(&position) == seat;
                luck += f64::from(if own { change } else { -change });
                position = self.game.play(&position, mv);
                ply += 1;
            };
            cost.plies += u64::from(ply);
            each(Played { result, luck });
        }
        cost.evaluations = std::mem::take(&mut self.evaluations);
        cost
    }
}
