//! Variance-reduced rollouts: games in which all seats play the best move by an evaluator or
//! oracle, with the luck subtracted.
//!
//! Luck is the value after a chance event minus its expectation, of mean 0 by any evaluator
//! (Tesauro and Galperin 1996; Veness et al. 2011; White and Bowling 2009).

pub mod stopping;

use super::limits::Limits;
use alea_core::{
    chance_bounds::flip_unless_same,
    evaluator::Evaluator,
    game::{List, OutcomeList, Payoffs, Seat},
    oracle::Oracle,
    search_game::SearchGame,
};
use std::{ops::Range, sync::Arc};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Result of one rollout, for one seat.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RolloutResult {
    /// Final payoff, or the value of a truncated game's last position.
    pub result: f64,
    /// Sum of the seat's luck at all chance events, on the scale of payoffs; 0 with more than two
    /// seats.
    pub luck: f64,
}

impl RolloutResult {
    /// `result - luck`, which may lie outside of `[0, 1]`.
    pub fn luck_adjusted(self) -> f64 {
        self.result - self.luck
    }
}

/// Plays rollouts by an evaluator of any type.
pub trait Rollouts<G: SearchGame>: Send {
    /// Sets limits of later rollouts.
    fn set_limits(&mut self, limits: &Limits);

    /// Whether limits of [`Rollouts::set_limits`] stopped the rollouts.
    fn is_stopped(&self) -> bool;

    /// Plays the games `numbers` and passes each result for `seat` to `each`, in order. `seed` and
    /// number determine a game's random bits, ply by ply; a stop drops the unfinished game.
    fn play_games(
        &mut self,
        position: &G::Position,
        seat: Seat,
        seed: u64,
        numbers: Range<u32>,
        each: &mut dyn FnMut(RolloutResult),
    ) -> Cost;
}

/// Cost of rollouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Moves played.
    pub plies: u64,
    /// Evaluated positions.
    pub evaluations: u64,
}

impl Cost {
    /// Adds other rollouts' cost.
    pub fn add(&mut self, other: Self) {
        self.plies += other.plies;
        self.evaluations += other.evaluations;
    }
}

type Choice<M> = (f32, f32, M);

struct Node<G: SearchGame> {
    position: G::Position,
    choices: <G::Outcomes as OutcomeList>::ListOf<Choice<G::Move>>,
}

impl<G: SearchGame> Node<G> {
    /// The best move of each outcome, by the oracle's values if it has them within `limits`.
    fn from_values(
        game: &G,
        oracle: Option<&dyn Oracle<G>>,
        position: &G::Position,
        moves: &[G::Move],
        values: &mut [f32],
        limits: &Limits,
    ) -> Self {
        if let Some(oracle) = oracle.filter(|oracle| oracle.may_cover_successors(position)) {
            let seat = game.to_move(position);
            for (&mv, value) in moves.iter().zip(values.iter_mut()) {
                let next = game.play(position, mv);
                if game.payoffs(&next).is_none()
                    && let Some(exact) = oracle.value_within(game, &next, limits)
                {
                    *value = flip_unless_same(exact, game.to_move(&next) == seat);
                }
            }
        }
        let mut choices = <G::Outcomes as OutcomeList>::ListOf::default();
        let mut expectation = 0.0;
        for outcome in game.outcomes(position, moves).iter() {
            let best = (outcome.move_range())
                .reduce(|best, other| match values[other] > values[best] {
                    true => other,
                    false => best,
                })
                .unwrap_or_default();
            let value = values[best];
            expectation += outcome.weight * value;
            choices.push((outcome.weight, value, moves[best]));
        }
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

const CACHE_SLOTS: usize = 1 << 12;

trait DynEvaluator<G: SearchGame>: Send {
    fn successors(&mut self, game: &G, at: &G::Position, moves: &[G::Move], values: &mut [f32]);
    fn payoffs(&mut self, game: &G, position: &G::Position) -> Payoffs;
}

struct CachedEvaluator<E, C>(E, C);

impl<G: SearchGame, E: Evaluator<G>> DynEvaluator<G> for CachedEvaluator<E, E::Cache> {
    fn successors(&mut self, game: &G, at: &G::Position, moves: &[G::Move], values: &mut [f32]) {
        self.0
            .value_successors(game, at, moves, &mut self.1, values);
    }

    fn payoffs(&mut self, game: &G, position: &G::Position) -> Payoffs {
        self.0.refresh(game, position, &mut self.1);
        self.0.payoffs(game, position, &self.1)
    }
}

/// Rollouts in which an evaluator chooses all moves.
pub struct EvaluatorRollouts<G: SearchGame> {
    game: G,
    evaluator: Box<dyn DynEvaluator<G>>,
    oracle: Option<Arc<dyn Oracle<G>>>,
    plies: u32,
    limits: Limits,
    nodes: Vec<Option<Node<G>>>,
    moves: G::Moves,
    values: Vec<f32>,
    evaluations: u64,
}

impl<G: SearchGame> EvaluatorRollouts<G> {
    /// Rollouts that end with the game, at the first value of the oracle or, unless `plies` is 0,
    /// after `plies` plies with the evaluator's value.
    pub fn new<E: Evaluator<G> + 'static>(
        game: G,
        evaluator: E,
        oracle: Option<Arc<dyn Oracle<G>>>,
        plies: u32,
    ) -> Self {
        let max_moves = game.branching_hint();
        let mut nodes = Vec::new();
        nodes.resize_with(CACHE_SLOTS, || None);
        Self {
            game,
            evaluator: Box::new(CachedEvaluator(evaluator, E::Cache::default())),
            oracle,
            plies,
            limits: Limits::NONE,
            nodes,
            moves: G::Moves::default(),
            values: Vec::with_capacity(max_moves),
            evaluations: 0,
        }
    }

    #[inline]
    fn terminal_value(&mut self, position: &G::Position, seat: Seat, ply: u32) -> Option<f32> {
        let game = &self.game;
        if let game_payoff @ Some(_) = game.payoff(position, seat) {
            return game_payoff;
        }
        let oracle = self.oracle.as_deref();
        let exact = oracle.and_then(|oracle| oracle.value_within(game, position, &self.limits));
        if let Some(exact) = exact {
            return Some(flip_unless_same(exact, game.to_move(position) == seat));
        }
        let is_unfinished = self.plies == 0 || ply < self.plies;
        if is_unfinished || (oracle.is_some() && self.limits.is_stopped()) {
            return None;
        }
        self.evaluations += 1;
        Some(self.evaluator.payoffs(game, position)[seat])
    }

    #[inline]
    fn best_moves(&mut self, position: &G::Position) -> &[Choice<G::Move>] {
        let slot = self.game.key(position) as usize % CACHE_SLOTS;
        let is_cached = self.nodes[slot]
            .as_ref()
            .is_some_and(|node| node.position == *position);
        let node = (!is_cached).then(|| self.evaluate_node(position));
        if node.is_some() && self.limits.is_stopped() {
            return &[];
        }
        let slot = &mut self.nodes[slot];
        if node.is_some() {
            *slot = node;
        }
        slot.as_ref().map_or(&[], |node| &*node.choices)
    }

    fn evaluate_node(&mut self, position: &G::Position) -> Node<G> {
        let (game, moves) = (&self.game, &mut self.moves);
        game.moves(position, moves);
        self.values.clear();
        self.values.resize(moves.len(), 0.0);
        self.evaluations += moves.len() as u64;
        self.evaluator
            .successors(game, position, moves, &mut self.values);
        Node::from_values(
            game,
            self.oracle.as_deref(),
            position,
            moves,
            &mut self.values,
            &self.limits,
        )
    }
}

impl<G: SearchGame> Rollouts<G> for EvaluatorRollouts<G> {
    fn set_limits(&mut self, limits: &Limits) {
        self.limits.clone_from(limits);
    }

    fn is_stopped(&self) -> bool {
        self.limits.is_stopped()
    }

    fn play_games(
        &mut self,
        start: &G::Position,
        seat: Seat,
        seed: u64,
        numbers: Range<u32>,
        each: &mut dyn FnMut(RolloutResult),
    ) -> Cost {
        let mut cost = Cost::default();
        'rollouts: for number in numbers {
            let (mut position, mut luck, mut ply) = (*start, 0.0, 0);
            let result = loop {
                if let Some(result) = self.terminal_value(&position, seat, ply) {
                    break f64::from(result);
                }
                if self.limits.is_stopped() {
                    break 'rollouts;
                }
                let draw_id = u64::from(number) << 32 | u64::from(ply);
                let bits = xxh3_64_with_seed(&draw_id.to_le_bytes(), seed) >> 32;
                let choices = self.best_moves(&position);
                if choices.is_empty() {
                    break 'rollouts;
                }
                let mut remaining = bits as f32 / 4_294_967_296.0;
                let mut outcome_index = 0;
                for (weight, ..) in choices {
                    remaining -= weight;
                    outcome_index += usize::from(remaining >= 0.0);
                }
                let (_, change, mv) = choices[outcome_index.min(choices.len() - 1)];
                let own = self.game.to_move(&position) == seat;
                luck += f64::from(if own { change } else { -change });
                position = self.game.play(&position, mv);
                ply += 1;
            };
            cost.plies += u64::from(ply);
            each(RolloutResult { result, luck });
        }
        cost.evaluations = std::mem::take(&mut self.evaluations);
        cost
    }
}
