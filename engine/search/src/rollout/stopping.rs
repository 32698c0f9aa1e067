//! Rollouts until standard errors are small enough. Moves are compared by paired differences with
//! common random numbers.

use super::{Cost, RolloutResult, Rollouts};
use alea_core::{
    game::{Game, OutcomeList, Seat},
    moments::Moments,
    search_game::SearchGame,
};
use std::ops::Range;

/// When rollouts stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppingRule {
    /// Maximal games for a position, or for each compared move.
    pub max_games: u32,
    /// Standard error at which rollouts stop, on the scale of payoffs.
    pub target_error: f64,
}

impl StoppingRule {
    fn next_round<G: Game>(&self, played: u32) -> Range<u32> {
        let (max_games, size) = match G::Outcomes::CAPACITY {
            1 => (1, 1),
            _ => (self.max_games, ROUND_GAMES),
        };
        played..max_games.min(played.saturating_add(size))
    }
}

const ROUND_GAMES: u32 = 32;

const ELIMINATION_SIGMAS: f64 = 3.0;

/// A move that rollouts compare with others.
#[derive(Clone, Debug, Default)]
pub struct Candidate {
    luck_adjusted: Vec<f64>,
    /// Mean and variance of the luck-adjusted results for the seat that makes the move.
    pub moments: Moments,
    /// Whether the move is not eliminated.
    pub is_alive: bool,
}

impl Candidate {
    fn split_half_mean(&self, parity: usize) -> f64 {
        let parity = parity.min(self.luck_adjusted.len().saturating_sub(1));
        let half = self.luck_adjusted.iter().copied().skip(parity).step_by(2);
        half.collect::<Moments>().mean()
    }
}

/// Rolls out a position until `rule` stops; returns statistics of luck-adjusted results for `seat`,
/// whose mean is the position's value.
pub fn roll_out_position<G: SearchGame>(
    rollouts: &mut dyn Rollouts<G>,
    position: &G::Position,
    seat: Seat,
    seed: u64,
    rule: StoppingRule,
    cost: &mut Cost,
) -> Moments {
    let mut moments = Moments::default();
    let mut round = rule.next_round::<G>(0);
    let is_enough = |round: &Range<u32>, moments: &Moments| {
        round.is_empty() || round.start > 0 && moments.standard_error() <= rule.target_error
    };
    while !is_enough(&round, &moments) && !rollouts.is_stopped() {
        let each = &mut |game: RolloutResult| moments.add(game.luck_adjusted());
        cost.add(rollouts.play_games(position, seat, seed, round.clone(), each));
        round = rule.next_round::<G>(round.end);
    }
    moments
}

/// Rolls out the `positions` after `seat`'s moves until one move is left, differences to the best
/// have the target error or a limit is hit; returns the best one's index.
pub fn roll_out_moves<G: SearchGame>(
    rollouts: &mut dyn Rollouts<G>,
    positions: &[G::Position],
    seat: Seat,
    seed: u64,
    rule: StoppingRule,
    cost: &mut Cost,
    candidates: &mut Vec<Candidate>,
) -> usize {
    candidates.resize_with(positions.len(), Candidate::default);
    for candidate in candidates.iter_mut() {
        candidate.luck_adjusted.clear();
        (candidate.moments, candidate.is_alive) = (Moments::default(), true);
    }
    let mut round = rule.next_round::<G>(0);
    loop {
        for (position, candidate) in positions.iter().zip(candidates.iter_mut()) {
            let Candidate {
                luck_adjusted,
                moments,
                is_alive,
            } = candidate;
            if *is_alive {
                let each = &mut |game: RolloutResult| {
                    luck_adjusted.push(game.luck_adjusted());
                    moments.add(game.luck_adjusted());
                };
                cost.add(rollouts.play_games(position, seat, seed, round.clone(), each));
            }
        }
        let best = best_by(candidates, |candidate| candidate.moments.mean());
        let (mut num_rivals, mut num_undecided) = (0, 0);
        for index in 0..candidates.len() {
            if index == best || !candidates[index].is_alive {
                continue;
            }
            let pairs = candidates[best]
                .luck_adjusted
                .iter()
                .zip(&candidates[index].luck_adjusted);
            let deficit: Moments = pairs.map(|(best, other)| best - other).collect();
            let error = deficit.standard_error();
            candidates[index].is_alive = deficit.mean() <= ELIMINATION_SIGMAS * error;
            num_rivals += u32::from(candidates[index].is_alive);
            num_undecided += u32::from(candidates[index].is_alive && error > rule.target_error);
        }
        round = rule.next_round::<G>(round.end);
        if num_rivals == 0 || num_undecided == 0 || round.is_empty() || rollouts.is_stopped() {
            return best;
        }
    }
}

/// Value of the best move without selection bias: each half of the games chooses a move that the
/// other half values.
pub fn unbiased_value(candidates: &[Candidate]) -> f64 {
    let cross_values = [0, 1].map(|parity| {
        let best = best_by(candidates, |candidate| candidate.split_half_mean(parity));
        candidates[best].split_half_mean(1 - parity)
    });
    (cross_values[0] + cross_values[1]) / 2.0
}

fn best_by(candidates: &[Candidate], score: impl Fn(&Candidate) -> f64) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (index, candidate) in candidates
        .iter()
        .enumerate()
        .filter(|(_, one)| one.is_alive)
    {
        let score = score(candidate);
        if score > best.1 {
            best = (index, score);
        }
    }
    best.0
}
