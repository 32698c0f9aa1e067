//! One game of a network against itself, and what it teaches.
//!
//! Both sides choose the permitted move whose position is worth least to the other side, no ply
//! deeper, by the weights of the moment; some moves are drawn at random instead. Afterwards every
//! position is told its λ-return: values of what followed, weighted by (1 − λ) λ^k, and for the
//! rest the result (Sutton 1988; for afterstates of board games Szubert and Jaśkowski 2014). With
//! weights that stand still during a game that is TD(λ) with eligibility traces, added up at its
//! end. Invariant: what came of a random move teaches nothing about the positions before it. That
//! holds for every drawn move, also if it is the best: otherwise rolls that leave less choice would
//! count more often than they fall.

use crate::models::online::Cells;
use engine::core::calibration::logistic;
use engine::core::game::Game;
use engine::core::random::RandomStream;
use engine::games::einstein::learned::ntuple::TupleSet;
use engine::games::einstein::{Position, Standard};

/// Faces of the die, which is fair.
const FACES: usize = 6;

/// The positions of a game before each roll, as the side to move saw them. Kept from game to game
/// for its memory.
#[derive(Debug, Default)]
pub(super) struct Episode {
    positions: Vec<Position>,
    /// Of the tuples of each.
    rows: Vec<u32>,
    logits: Vec<f32>,
    /// Win probabilities, by the weights when the game was played.
    values: Vec<f32>,
    /// Whether the move made there was drawn.
    pub(super) drawn: Vec<bool>,
    /// Of who had the last move: 1, or 0 if that took the own last stone.
    pub(super) last_payoff: f32,
    errors: Vec<f32>,
    /// Rows of a position that is looked at.
    candidate: Vec<u32>,
}

impl Episode {
    /// Plays a game to its end, with this probability of random moves.
    pub(super) fn play(
        &mut self,
        rules: &Standard,
        set: &TupleSet,
        cells: &Cells,
        start: Position,
        exploration: f64,
        random: &mut RandomStream,
    ) {
        self.positions.clear();
        self.rows.clear();
        self.logits.clear();
        self.values.clear();
        self.drawn.clear();
        let tuples = set.tuples();
        let mut position = start;
        let mut best_rows = vec![0; tuples];
        self.candidate.resize(tuples, 0);
        set.indices(&position, &mut best_rows);
        let mut logit = cells.logit(&best_rows);
        loop {
            self.positions.push(position);
            self.rows.extend_from_slice(&best_rows);
            self.logits.push(logit);
            self.values.push(logistic(logit));
            let seat = position.seat();
            let mut moves = rules.legal_moves(&position, 1 + random.below(FACES) as u8);
            let draws = random.unit() < exploration;
            if draws {
                let drawn = moves[random.below(moves.len())];
                moves.clear();
                moves.push(drawn);
            }
            self.drawn.push(draws);
            // A move that wins is the best; one that loses is made only if there is no other.
            let mut next: Option<(Position, f32)> = None;
            let mut lost = None;
            for &mv in moves.iter() {
                let after = rules.play(&position, mv);
                match rules.payoff(&after, seat) {
                    Some(payoff) if payoff > 0.5 => {
                        self.last_payoff = payoff;
                        return;
                    }
                    Some(payoff) => lost = Some(payoff),
                    None => {
                        set.indices(&after, &mut self.candidate);
                        let logit = cells.logit(&self.candidate);
                        if next.is_none_or(|(_, least)| logit < least) {
                            next = Some((after, logit));
                            std::mem::swap(&mut best_rows, &mut self.candidate);
                        }
                    }
                }
            }
            match next {
                Some(found) => (position, logit) = found,
                None => {
                    self.last_payoff = lost.unwrap_or(0.0);
                    return;
                }
            }
        }
    }

    /// The positions of the game.
    pub(super) fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// Sum over the positions of the cross-entropy, in nats, between value and result.
    pub(super) fn loss(&self) -> f64 {
        let last = self.positions.len() - 1;
        let loss = |(ply, &logit): (usize, &f32)| {
            let result = if (last - ply).is_multiple_of(2) {
                self.last_payoff
            } else {
                1.0 - self.last_payoff
            };
            let logit = f64::from(logit);
            logit.max(0.0) - f64::from(result) * logit + (-logit.abs()).exp().ln_1p()
        };
        self.logits.iter().enumerate().map(loss).sum()
    }

    /// Tells the cells the λ-return of each position; `trace` is λ, `rate` the learning rate of a
    /// weight.
    pub(super) fn teach(&mut self, cells: &mut Cells, trace: f32, rate: f32) {
        self.errors.clear();
        self.errors.resize(self.positions.len(), 0.0);
        // What the next position turned out to be worth to the side that made the move to it.
        let (mut value, mut seen) = (self.last_payoff, self.last_payoff);
        for ply in (0..self.positions.len()).rev() {
            let own = self.values[ply];
            let target = if self.drawn[ply] {
                own
            } else {
                (1.0 - trace) * value + trace * seen
            };
            self.errors[ply] = own - target;
            (value, seen) = (1.0 - own, 1.0 - target);
        }
        cells.correct(&self.rows, &self.errors, rate);
    }
}
