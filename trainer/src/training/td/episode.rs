//! A self-play game and the targets of its positions. Seats choose the afterstate of best value, or
//! explore at random. A position's target is its λ-return (Szubert and Jaśkowski 2014), which equals
//! TD(λ) with eligibility traces applied after the game.
//!
//! No value passes back over a random move, which cuts the trace, as in Watkins's Q(λ) (Sutton and
//! Barto 2018, section 12.10): a move that would not be chosen says nothing of the position before
//! it, and outcomes with fewer moves would have more weight than their probability.

use crate::calibrate::logit_loss;
use crate::sample::Sample;
use alea_core::{
    calibration::logistic,
    evaluator::payoffs_from_own,
    game::{List, Payoffs, Seat},
    random::RandomStream,
};
use alea_learned::{
    inputs::Learnable,
    network::{ResultPayoffs, ResultProbabilities},
};

/// Evaluator of the positions of a game as it is played, in log odds for the seat to move.
pub(super) trait GameEvaluator<G: Learnable> {
    fn start_logit(&mut self, rules: &G, start: &G::Position) -> f32;

    /// Log odds of `after` for its seat to move; `mv` leads to it from the current position,
    /// `before`.
    fn successor_logit(
        &mut self,
        rules: &G,
        before: &G::Position,
        mv: G::Move,
        after: &G::Position,
    ) -> f32;

    /// Probabilities of the results at the current position, `position`; `None` without an output
    /// for each.
    fn result_probabilities(
        &self,
        rules: &G,
        position: &G::Position,
    ) -> Option<ResultProbabilities> {
        let _ = (rules, position);
        None
    }

    /// Keeps the latest successor in place of an earlier one.
    fn keep_successor(&mut self);

    /// Makes the kept successor the current position.
    fn advance(&mut self);
}

/// Self-play game: an item for each position before a chance event. Buffers are reused.
#[derive(Debug)]
pub(super) struct Episode<G: Learnable> {
    positions: Vec<G::Position>,
    seats: Vec<Seat>,
    logits: Vec<f32>,
    /// Probabilities of the results at each position, for its seat to move; empty without an output
    /// for each.
    probabilities: Vec<ResultProbabilities>,
    /// Those at the position after `Rules::max_plies`, with its seat to move; `None` if the game
    /// ended.
    unfinished: Option<(Seat, ResultProbabilities)>,
    pub(super) explored: Vec<bool>,
    pub(super) payoffs: Payoffs,
    targets: Vec<Target>,
}

/// Value of a position for the seat to move before learning, and the λ-return that it learns;
/// `None` if it learns nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) value: f32,
    pub(super) lambda_return: Option<f32>,
}

impl<G: Learnable> Default for Episode<G> {
    fn default() -> Self {
        Self {
            positions: Vec::new(),
            seats: Vec::new(),
            logits: Vec::new(),
            probabilities: Vec::new(),
            unfinished: None,
            explored: Vec::new(),
            payoffs: Payoffs::default(),
            targets: Vec::new(),
        }
    }
}

impl<G: Learnable> Episode<G> {
    /// Plays a game from `start`; `exploration` is the probability of a random move. After
    /// `Rules::max_plies` the value of the position stands for the result.
    pub(super) fn play(
        &mut self,
        rules: &G,
        evaluator: &mut impl GameEvaluator<G>,
        start: G::Position,
        exploration: f64,
        random: &mut RandomStream,
    ) {
        self.positions.clear();
        self.seats.clear();
        self.logits.clear();
        self.probabilities.clear();
        self.unfinished = None;
        self.explored.clear();
        let max_plies = usize::from(rules.max_plies());
        let mut position = start;
        let mut logit = evaluator.start_logit(rules, &position);
        let mut moves = G::Moves::default();
        loop {
            let seat = rules.to_move(&position);
            let probabilities = evaluator.result_probabilities(rules, &position);
            if self.positions.len() >= max_plies {
                self.unfinished = probabilities.map(|found| (seat, found));
                self.payoffs = payoffs_from_own(rules, &position, logistic(logit));
                return;
            }
            self.positions.push(position);
            self.seats.push(seat);
            self.logits.push(logit);
            self.probabilities.extend(probabilities);
            rules.roll_moves(&position, (random.next_u64() >> 32) as u32, &mut moves);
            let explores = random.uniform_f64() < exploration;
            if explores {
                let explored = moves[random.below(moves.len())];
                moves.clear();
                moves.push(explored);
            }
            self.explored.push(explores);
            // Winning moves come first, losing ones last; a draw counts ½.
            let mut best: Option<f32> = None;
            let mut next: Result<(G::Position, f32), Payoffs> = Err(Payoffs::default());
            for &mv in moves.iter() {
                let after = rules.play(&position, mv);
                let (worth, found) = match rules.payoffs(&after) {
                    Some(payoffs) => {
                        let payoff = payoffs[seat];
                        // Infinite for payoffs 1 and 0.
                        ((payoff / (1.0 - payoff)).ln(), Err(payoffs))
                    }
                    None => {
                        let logit = evaluator.successor_logit(rules, &position, mv, &after);
                        let own = rules.to_move(&after) == seat;
                        (if own { logit } else { -logit }, Ok((after, logit)))
                    }
                };
                if best.is_none_or(|best| worth > best) {
                    (best, next) = (Some(worth), found);
                    if found.is_ok() {
                        evaluator.keep_successor();
                    }
                    if worth == f32::INFINITY {
                        break;
                    }
                }
            }
            match next {
                Ok(found) => (position, logit) = found,
                Err(payoffs) => {
                    self.payoffs = payoffs;
                    return;
                }
            }
            evaluator.advance();
        }
    }

    pub(super) fn positions(&self) -> &[G::Position] {
        &self.positions
    }

    /// Sum over positions of the cross-entropy of value against game result, in nats.
    pub(super) fn loss(&self) -> f64 {
        let loss =
            |(&seat, &logit): (&Seat, &f32)| logit_loss(logit.into(), self.payoffs[seat].into());
        self.seats.iter().zip(&self.logits).map(loss).sum()
    }

    /// Computes the target of each position; `trace` is λ. Positions of explored moves learn
    /// nothing, nor do those that are held out.
    pub(super) fn compute_targets(&mut self, rules: &G, trace: f32) -> &[Target] {
        let unset = Target {
            value: 0.5,
            lambda_return: None,
        };
        self.targets.clear();
        self.targets.resize(self.positions.len(), unset);
        // Value and λ-return of the next position, for its seat to move.
        let mut last = self.seats.last().copied().unwrap_or_default();
        let (mut value, mut lambda_return) = (self.payoffs[last], self.payoffs[last]);
        for ply in (0..self.positions.len()).rev() {
            let (own, seat) = (logistic(self.logits[ply]), self.seats[ply]);
            if seat != last {
                (value, lambda_return) = (1.0 - value, 1.0 - lambda_return);
            }
            let explored = self.explored[ply];
            let target = if explored {
                own
            } else {
                (1.0 - trace) * value + trace * lambda_return
            };
            let learns = !explored && !rules.is_held_out(&self.positions[ply]);
            self.targets[ply] = Target {
                value: own,
                lambda_return: learns.then_some(target),
            };
            (value, lambda_return, last) = (own, target, seat);
        }
        &self.targets
    }

    /// Appends the λ-returns of the results' probabilities, for the seat to move, of the positions
    /// that learn, in the order of [`Self::samples`]; call it after [`Self::compute_targets`].
    pub(super) fn append_result_targets(
        &self,
        results: &ResultPayoffs,
        trace: f32,
        out: &mut Vec<ResultProbabilities>,
    ) {
        let first = out.len();
        // Probabilities at the next position, for its seat to move.
        let (mut last, mut value) = self.unfinished.unwrap_or_else(|| {
            let last = self.seats.last().copied().unwrap_or_default();
            let mut certain = ResultProbabilities::default();
            if let Some(result) = results.index_of(self.payoffs[last]) {
                certain[result] = 1.0;
            }
            (last, certain)
        });
        let mut lambda_return = value;
        for ply in (0..self.positions.len()).rev() {
            let (own, seat) = (self.probabilities[ply], self.seats[ply]);
            if seat != last {
                value = results.for_opponent(&value);
                lambda_return = results.for_opponent(&lambda_return);
            }
            let mut target = own;
            if !self.explored[ply] {
                for (result, target) in target.iter_mut().enumerate() {
                    *target = (1.0 - trace) * value[result] + trace * lambda_return[result];
                }
            }
            if self.targets[ply].lambda_return.is_some() {
                out.push(target);
            }
            (value, lambda_return, last) = (own, target, seat);
        }
        out[first..].reverse();
    }

    /// Positions that learn, with their λ-returns and the game's result; call it after
    /// [`Self::compute_targets`].
    pub(super) fn samples(&self) -> impl Iterator<Item = Sample<G::Position>> {
        let seats = self.seats.iter().zip(&self.targets);
        let pairs = self.positions.iter().zip(seats);
        pairs.filter_map(|(&position, (&seat, target))| {
            let target = Sample::with_target(position, target.lambda_return?);
            Some(Sample {
                result: self.payoffs[seat],
                ..target
            })
        })
    }
}
