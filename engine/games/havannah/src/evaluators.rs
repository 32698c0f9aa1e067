//! Hand-made evaluators of Havannah: `needs` counts the stones to each side's nearest bridge or
//! fork; `locality` biases tree searches and is no win probability.

use super::{
    EMPTY, Havannah, Position,
    shape::{MAX_CELLS, OFF_BOARD},
};
use alea_core::{
    calibration::Calibration,
    evaluator::{Evaluator, Score},
    game::Seat,
};
use alea_play::registry::{EvaluatorEntry, calibrated};
use std::{array::from_fn, collections::VecDeque, sync::Arc};

pub(super) static EVALUATORS: [EvaluatorEntry<Havannah>; 2] = [
    EvaluatorEntry::new(
        "needs",
        "stones that the other side still needs for a bridge or fork, minus one's own",
        |arguments, _| calibrated(arguments, StonesNeeded, StonesNeeded::CALIBRATION),
    ),
    EvaluatorEntry::new(
        "locality",
        "a bias for moves near own stones, and for long chains",
        |arguments, _| {
            Ok(Arc::new(Locality {
                reach: arguments.number("reach", 0..=20, 2)?,
                near: arguments.number("near", 0.0..=1e6, 1.0)?,
                chain: arguments.number("chain", 0.0..=1e6, 0.0)?,
            }))
        },
    ),
];

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StonesNeeded;

impl StonesNeeded {
    const CALIBRATION: Calibration = Calibration::logistic(0.5, 0.25);
}

const UNREACHABLE_DISTANCE: u8 = 60;

/// Fewest new stones with which `seat` joins each cell, itself included, to a cell with a bit of
/// `rim`.
fn stones_to_rim(game: &Havannah, position: &Position, seat: Seat, rim: u16) -> [u8; MAX_CELLS] {
    let own = seat as u8 + 1;
    let mut distances = [UNREACHABLE_DISTANCE; MAX_CELLS];
    let cost = |cell: usize| match position.colours[cell] {
        EMPTY => 1,
        colour if colour == own => 0,
        _ => UNREACHABLE_DISTANCE,
    };
    let mut queue = VecDeque::with_capacity(MAX_CELLS);
    let reach = |queue: &mut VecDeque<usize>, cell| match cost(cell) {
        0 => queue.push_front(cell),
        _ => queue.push_back(cell),
    };
    for (cell, distance) in distances.iter_mut().enumerate().take(game.num_cells()) {
        if game.shape.rim[cell] & rim != 0 && cost(cell) < UNREACHABLE_DISTANCE {
            *distance = cost(cell);
            reach(&mut queue, cell);
        }
    }
    while let Some(cell) = queue.pop_front() {
        for &near in &game.shape.near[cell][..6] {
            let near = usize::from(near);
            if near == OFF_BOARD || cost(near) == UNREACHABLE_DISTANCE {
                continue;
            }
            let reached = distances[cell] + cost(near);
            if reached < distances[near] {
                distances[near] = reached;
                reach(&mut queue, near);
            }
        }
    }
    distances
}

impl StonesNeeded {
    fn stones_needed_by(game: &Havannah, position: &Position, seat: Seat) -> u8 {
        let from = |bit: usize| stones_to_rim(game, position, seat, 1 << bit);
        let (sides, corners) = (from_fn(from), from_fn(|corner| from(6 + corner)));
        let mut least = UNREACHABLE_DISTANCE;
        for cell in 0..game.num_cells() {
            let own = u8::from(position.colours[cell] == EMPTY);
            let nearest = |all: &[[u8; MAX_CELLS]; 6], count: u8| {
                let mut each = all.map(|distances| distances[cell]);
                each.sort_unstable();
                let sum: u8 = each[..usize::from(count)].iter().sum();
                sum.saturating_sub(own * (count - 1))
            };
            if sides[0][cell] < UNREACHABLE_DISTANCE
                || position.seat_at(cell) == Some(seat)
                || own == 1
            {
                least = least.min(nearest(&sides, 3)).min(nearest(&corners, 2));
            }
        }
        least
    }
}

impl Score<Havannah> for StonesNeeded {
    fn score(&self, game: &Havannah, position: &Position) -> f32 {
        let seat = position.seat();
        let [own, other] =
            [seat, 1 - seat].map(|seat| Self::stones_needed_by(game, position, seat));
        f32::from(other.min(20)) - f32::from(own.min(20))
    }
}

#[derive(Clone, Copy, Debug)]
struct Locality {
    /// One sixth of the maximal number of counted stones in the last stone's chain.
    reach: usize,
    /// Bonus for a stone near the last one, and for each counted stone of the last one's chain.
    near: f32,
    chain: f32,
}

impl Evaluator<Havannah> for Locality {
    type Cache = ();

    fn value(&self, game: &Havannah, position: &Position, (): &()) -> f32 {
        let last = usize::from(position.last[0]);
        let own = |&near: &u16| position.seat_at(near.into()) == Some(1 - position.seat());
        let near = last != OFF_BOARD && game.shape.near[last][..12].iter().any(own);
        let mut sum = if near { self.near } else { 0.0 };
        if self.chain > 0.0 && last != OFF_BOARD {
            let seat = position.seat_at(last);
            let root = position.root(last);
            let joined = (0..game.num_cells())
                .filter(|&cell| position.seat_at(cell) == seat && position.root(cell) == root);
            sum += self.chain * joined.take(6 * self.reach).count() as f32;
        }
        1.0 - sum / (self.near + self.chain * MAX_CELLS as f32).max(1e-6)
    }

    fn estimates_payoffs(&self) -> bool {
        false
    }
}
