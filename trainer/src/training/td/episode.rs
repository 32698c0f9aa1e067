//! Plays a self-play game and updates the weights from it. Seats choose the afterstate of best
//! value, or explore at random. A position's target is its λ-return (Szubert and Jaśkowski 2014),
//! which equals TD(λ) with eligibility traces applied after the game.
//!
//! No value passes back over a random move: outcomes with fewer moves would otherwise have more
//! weight than their probability.

use crate::calibrate::logit_loss;
use crate::models::tuple_optimizer::WeightTable;
use alea_core::{
    calibration::logistic,
    game::{List, Payoffs, Seat},
    random::RandomStream,
};
use alea_learned::{inputs::Learnable, tuples::TupleSet};

/// Self-play game: an item for each position before a chance event. Buffers are reused.
#[derive(Debug)]
pub(super) struct Episode<G: Learnable> {
    positions: Vec<G::Position>,
    seats: Vec<Seat>,
    rows: Vec<u32>,
    logits: Vec<f32>,
    pub(super) explored: Vec<bool>,
    pub(super) payoffs: Payoffs,
    errors: Vec<f32>,
    candidate: Vec<u32>,
}

impl<G: Learnable> Default for Episode<G> {
    fn default() -> Self {
        Self {
            positions: Vec::new(),
            seats: Vec::new(),
            rows: Vec::new(),
            logits: Vec::new(),
            explored: Vec::new(),
            payoffs: Payoffs::default(),
            errors: Vec::new(),
            candidate: Vec::new(),
        }
    }
}

impl<G: Learnable> Episode<G> {
    /// Plays a game from `start`; `exploration` is the probability of a random move.
    pub(super) fn play(
        &mut self,
        rules: &G,
        set: &TupleSet<G>,
        table: &WeightTable,
        start: G::Position,
        exploration: f64,
        random: &mut RandomStream,
    ) {
        self.positions.clear();
        self.seats.clear();
        self.rows.clear();
        self.logits.clear();
        self.explored.clear();
        let tuples = set.tuple_count();
        let mut position = start;
        let mut best_rows = vec![0; tuples];
        self.candidate.resize(tuples, 0);
        set.row_indices(&position, &mut best_rows);
        let mut logit = table.logit(&best_rows);
        let mut moves = G::Moves::default();
        loop {
            let seat = rules.to_move(&position);
            self.positions.push(position);
            self.seats.push(seat);
            self.rows.extend_from_slice(&best_rows);
            self.logits.push(logit);
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
                        set.row_indices(&after, &mut self.candidate);
                        let logit = table.logit(&self.candidate);
                        let own = rules.to_move(&after) == seat;
                        (if own { logit } else { -logit }, Ok((after, logit)))
                    }
                };
                if best.is_none_or(|best| worth > best) {
                    (best, next) = (Some(worth), found);
                    if found.is_ok() {
                        std::mem::swap(&mut best_rows, &mut self.candidate);
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

    /// Updates the weights towards the λ-returns, except at benchmark positions. `trace` is λ,
    /// `rate` the learning rate divided by the number of tuples.
    pub(super) fn update(&mut self, rules: &G, table: &mut WeightTable, trace: f32, rate: f32) {
        self.errors.clear();
        self.errors.resize(self.positions.len(), 0.0);
        // Value and λ-return of the next position, for its seat to move.
        let mut last = self.seats.last().copied().unwrap_or_default();
        let (mut value, mut lambda_return) = (self.payoffs[last], self.payoffs[last]);
        for ply in (0..self.positions.len()).rev() {
            let (own, seat) = (logistic(self.logits[ply]), self.seats[ply]);
            if seat != last {
                (value, lambda_return) = (1.0 - value, 1.0 - lambda_return);
            }
            let target = if self.explored[ply] {
                own
            } else {
                (1.0 - trace) * value + trace * lambda_return
            };
            if !rules.is_held_out(&self.positions[ply]) {
                self.errors[ply] = own - target;
            }
            (value, lambda_return, last) = (own, target, seat);
        }
        table.apply_errors(&self.rows, &self.errors, rate);
    }
}
