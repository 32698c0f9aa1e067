//! As many roll-outs as it takes: the value of a position, and which move is best.
//!
//! Moves are compared by games with common chance, in rounds, as differences of pairs vary less.
//! Invariant: what comes out depends on the position, the seed and the options alone.

use super::{Cost, Played, Roll};
use crate::core::{
    game::{Game, OutcomeList, Seat},
    moments::Moments,
};
use std::ops::Range;

/// When there have been enough games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Enough {
    /// Most games of a position, or of each move.
    pub most: u32,
    /// The standard error, in wins, that suffices.
    pub error: f64,
}

impl Enough {
    /// The games between two looks at what has come of them, after so many; without chance all
    /// games are one. None once there were enough.
    fn round<G: Game>(&self, played: u32) -> Range<u32> {
        let (most, size) = match G::Outcomes::BOUND {
            1 => (1, 1),
            _ => (self.most, ROUND),
        };
        played..most.min(played.saturating_add(size))
    }
}

/// Games of a round.
const ROUND: u32 = 32;

/// Standard errors that a move may be behind the best one.
const BEHIND: f64 = 3.0;

/// A move that is compared.
#[derive(Clone, Debug, Default)]
pub struct Candidate {
    /// What each game earned, for the seat that makes the move.
    earned: Vec<f64>,
    /// The same in figures.
    pub moments: Moments,
    /// Whether it was not beaten.
    pub is_left: bool,
}

impl Candidate {
    /// The mean over the games whose numbers leave this rest by 2; over all if there is but one.
    fn half(&self, rest: usize) -> f64 {
        let rest = rest.min(self.earned.len().saturating_sub(1));
        let half = self.earned.iter().copied().skip(rest).step_by(2);
        half.collect::<Moments>().mean()
    }
}

/// The value of a position for a seat: the mean of what games earned.
pub fn value<G: Game>(
    roll: &mut dyn Roll<G>,
    position: &G::Position,
    seat: Seat,
    seed: u64,
    enough: Enough,
    cost: &mut Cost,
) -> Moments {
    let mut moments = Moments::default();
    let mut round = enough.round::<G>(0);
    let is_enough = |round: &Range<u32>, moments: &Moments| {
        round.is_empty() || round.start > 0 && moments.standard_error() <= enough.error
    };
    while !is_enough(&round, &moments) && !roll.is_stopped() {
        let each = &mut |game: Played| moments.add(game.earned());
        cost.add(roll.roll(position, seat, seed, round.clone(), each));
        round = enough.round::<G>(round.end);
    }
    moments
}

/// Rolls out the positions after some moves of a seat, at least one, until one is left, or none of
/// them can be told from the best with less than the error asked for; answers which is best. In
/// each round those drop out whose difference to the best, game by game, says so.
pub fn compare<G: Game>(
    roll: &mut dyn Roll<G>,
    positions: &[G::Position],
    seat: Seat,
    seed: u64,
    enough: Enough,
    cost: &mut Cost,
    candidates: &mut Vec<Candidate>,
) -> usize {
    candidates.resize_with(positions.len(), Candidate::default);
    for candidate in candidates.iter_mut() {
        candidate.earned.clear();
        (candidate.moments, candidate.is_left) = (Moments::default(), true);
    }
    let mut round = enough.round::<G>(0);
    loop {
        for (position, candidate) in positions.iter().zip(candidates.iter_mut()) {
            let Candidate {
                earned,
                moments,
                is_left,
            } = candidate;
            if *is_left {
                let each = &mut |game: Played| {
                    earned.push(game.earned());
                    moments.add(game.earned());
                };
                cost.add(roll.roll(position, seat, seed, round.clone(), each));
            }
        }
        let best = best_by(candidates, |candidate| candidate.moments.mean());
        let (mut others, mut unknown) = (0, 0);
        for index in 0..candidates.len() {
            if index == best || !candidates[index].is_left {
                continue;
            }
            let pairs = candidates[best]
                .earned
                .iter()
                .zip(&candidates[index].earned);
            let behind: Moments = pairs.map(|(best, other)| best - other).collect();
            let error = behind.standard_error();
            candidates[index].is_left = behind.mean() <= BEHIND * error;
            others += u32::from(candidates[index].is_left);
            unknown += u32::from(candidates[index].is_left && error > enough.error);
        }
        round = enough.round::<G>(round.end);
        if others == 0 || unknown == 0 || round.is_empty() || roll.is_stopped() {
            return best;
        }
    }
}

/// What the best of compared moves is worth. Chosen by the games that value it, the best would be
/// flattered; so it is chosen by one half of them and valued by the other, both ways.
#[must_use]
pub fn unflattered(candidates: &[Candidate]) -> f64 {
    let crossed = [0, 1].map(|rest| {
        let best = best_by(candidates, |candidate| candidate.half(rest));
        candidates[best].half(1 - rest)
    });
    (crossed[0] + crossed[1]) / 2.0
}

/// The first of the best that are left.
fn best_by(candidates: &[Candidate], worth: impl Fn(&Candidate) -> f64) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (index, candidate) in candidates.iter().enumerate().filter(|(_, one)| one.is_left) {
        let worth = worth(candidate);
        if worth > best.1 {
            best = (index, worth);
        }
    }
    best.0
}
