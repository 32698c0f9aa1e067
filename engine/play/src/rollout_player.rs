//! A player by rollouts ([`alea_search::rollout`]).

use crate::player::{Analysis, Decision, Failure, MoveValue, Player, PositionValue};
use alea_core::{
    game::{Game, List, OutcomeList},
    moments::Moments,
    monotonic_clock::Instant,
    search_game::SearchGame,
};
use alea_search::{
    SearchStats,
    limits::Limits,
    rollout::{
        Cost, Rollouts,
        stopping::{Candidate, StoppingRule, roll_out_moves, roll_out_position, unbiased_value},
    },
};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A player that chooses the move with the best mean rollout result. Values depend only on seed and
/// position.
pub struct RolloutPlayer<G: Game> {
    game: G,
    roll: Box<dyn Rollouts<G>>,
    enough: StoppingRule,
    seed: u64,
    candidates: Vec<Candidate>,
    after: Vec<G::Position>,
}

impl<G: SearchGame> RolloutPlayer<G> {
    /// A player by the rollouts `roll`, in number limited by `enough`.
    pub fn new(game: G, roll: Box<dyn Rollouts<G>>, enough: StoppingRule) -> Self {
        Self {
            game,
            roll,
            enough,
            seed: 0,
            candidates: Vec::new(),
            after: Vec::new(),
        }
    }

    fn position_seed(&self, position: &G::Position) -> u64 {
        xxh3_64_with_seed(&self.game.key(position).to_le_bytes(), self.seed)
    }

    fn compare_moves(
        &mut self,
        position: &G::Position,
        moves: &[G::Move],
        limits: &Limits,
    ) -> (usize, SearchStats) {
        self.roll.set_limits(limits);
        let (began, mut cost) = (Instant::now(), Cost::default());
        let seed = self.position_seed(position);
        self.after.clear();
        let after = moves.iter().map(|&mv| self.game.play(position, mv));
        self.after.extend(after);
        let best = roll_out_moves(
            &mut *self.roll,
            &self.after,
            self.game.to_move(position),
            seed,
            self.enough,
            &mut cost,
            &mut self.candidates,
        );
        (best, stats(cost, began))
    }
}

impl<G: SearchGame> Player<G> for RolloutPlayer<G> {
    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn decide(
        &mut self,
        position: &G::Position,
        legal: &[G::Move],
        limits: &Limits,
    ) -> Result<Decision<G::Move>, Failure> {
        let (best, stats) = self.compare_moves(position, legal, limits);
        Ok(Decision {
            best: legal[best],
            value: is_valued(&self.candidates[best])
                .then(|| probability(unbiased_value(&self.candidates))),
            stats,
            cpu_time: None,
        })
    }

    fn analyse(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        limits: &Limits,
    ) -> Result<Analysis<G::Move>, Failure> {
        let mut all = G::Moves::default();
        if let Some(legal) = legal {
            legal.iter().for_each(|&mv| all.push(mv));
        } else {
            self.game.moves(position, &mut all);
        }
        let (best, stats) = self.compare_moves(position, &all, limits);
        let moves = all.iter().zip(&self.candidates).map(|(&mv, candidate)| {
            let moments = &candidate.moments;
            let value = is_valued(candidate).then(|| probability(moments.mean()));
            MoveValue {
                error: standard_error::<G>(moments),
                ..MoveValue::new(mv, value)
            }
        });
        Ok(Analysis {
            line: vec![all[best]],
            moves: moves.collect(),
            stats,
            ..Analysis::default()
        })
    }

    fn value(&mut self, position: &G::Position, limits: &Limits) -> PositionValue {
        self.roll.set_limits(limits);
        let (began, mut cost) = (Instant::now(), Cost::default());
        let (seat, seed) = (self.game.to_move(position), self.position_seed(position));
        let found = roll_out_position(
            &mut *self.roll,
            position,
            seat,
            seed,
            self.enough,
            &mut cost,
        );
        PositionValue {
            value: (found.sample_count() > 0.0).then(|| probability(found.mean())),
            error: standard_error::<G>(&found),
            stats: stats(cost, began),
        }
    }
}

/// Standard error of a mean; `None` if it is unknown: with chance, one game gives none.
fn standard_error<G: SearchGame>(moments: &Moments) -> Option<f32> {
    let count = moments.sample_count();
    let is_known = G::Outcomes::CAPACITY == 1 && count > 0.0 || count > 1.0;
    is_known.then(|| moments.standard_error() as f32)
}

fn is_valued(candidate: &Candidate) -> bool {
    candidate.moments.sample_count() > 0.0
}

/// Clamps a mean result: luck-adjusted ones may lie outside `[0, 1]`.
fn probability(luck_adjusted: f64) -> f32 {
    luck_adjusted.clamp(0.0, 1.0) as f32
}

fn stats(cost: Cost, began: Instant) -> SearchStats {
    SearchStats {
        nodes: cost.plies,
        evaluations: cost.evaluations,
        time: began.elapsed(),
        ..SearchStats::default()
    }
}
