//! Hand-made evaluators of ReversiXT: a seat's lead over the best other seat, converted by a
//! logistic to a win probability.
//!
//! Slopes are medians over the maps `01_plain_8x8`, `03_pillars_12x12` and `06_specials_12x12`
//! (`alea calibrate --game "reversixt(map=…)" --player "star1(depth=1)" --games 3000`).

use super::{
    Phase, Position, ReversiXt,
    map::{DIRECTIONS, Map},
};
use alea_core::arrays::build_array;
use alea_core::{
    calibration::Calibration,
    evaluator::Score,
    game::{MAX_SEATS, Seat},
};
use alea_play::registry::{EvaluatorEntry, calibrated};

pub(super) static EVALUATORS: [EvaluatorEntry<ReversiXt>; 3] = [
    EvaluatorEntry::new(
        "lines",
        "stones by how many lines can still turn them, and what is in stock",
        |arguments, game| calibrated(arguments, Lead(Lines::new(game.map())), logistic(0.0155)),
    ),
    EvaluatorEntry::new(
        "mobility",
        "own moves minus those of the next best",
        |arguments, _| calibrated(arguments, Lead(Mobility), Mobility::CALIBRATION),
    ),
    EvaluatorEntry::new(
        "stones",
        "own stones minus those of the next best",
        |arguments, _| calibrated(arguments, Lead(Stones), logistic(0.0516)),
    ),
];

const fn logistic(slope: f32) -> Calibration {
    Calibration::logistic(slope, 0.0)
}

trait SeatScore: Send + Sync {
    fn seat_totals(&self, game: &ReversiXt, position: &Position) -> [f32; MAX_SEATS];
}

/// Score of a seat: its total minus that of the best other seat.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lead<T>(pub T);

impl<T: SeatScore> Score<ReversiXt> for Lead<T> {
    fn score(&self, game: &ReversiXt, position: &Position) -> f32 {
        lead(
            game,
            position,
            &self.0.seat_totals(game, position),
            position.seat(),
        )
    }

    fn scores_by_seat(&self, game: &ReversiXt, position: &Position) -> Option<[f32; MAX_SEATS]> {
        let has = self.0.seat_totals(game, position);
        Some(map_seats(game, |seat| lead(game, position, &has, seat)))
    }
}

fn map_seats(game: &ReversiXt, number: impl Fn(Seat) -> f32) -> [f32; MAX_SEATS] {
    let players = game.map().players();
    build_array(|seat| if seat < players { number(seat) } else { 0.0 })
}

/// A seat's total minus that of the best other active seat; negative infinity for a disqualified
/// seat.
fn lead(game: &ReversiXt, position: &Position, has: &[f32; MAX_SEATS], own: Seat) -> f32 {
    if position.is_disqualified(own) {
        return f32::NEG_INFINITY;
    }
    let rival = |&seat: &Seat| seat != own && !position.is_disqualified(seat);
    let rivals = (0..game.map().players()).filter(rival);
    let best_rival = rivals
        .map(|seat| has[seat])
        .fold(f32::NEG_INFINITY, f32::max);
    has[own] - best_rival
}

struct Stones;

impl SeatScore for Stones {
    fn seat_totals(&self, _: &ReversiXt, position: &Position) -> [f32; MAX_SEATS] {
        position.stones.map(f32::from)
    }
}

/// Total of a seat: empty cells that it can fill, or its stones once bombs are thrown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mobility;

impl Mobility {
    /// Converts a lead in cells to a win probability.
    pub const CALIBRATION: Calibration = logistic(0.0779);
}

impl SeatScore for Mobility {
    fn seat_totals(&self, game: &ReversiXt, position: &Position) -> [f32; MAX_SEATS] {
        if position.phase() != Phase::Stones {
            return Stones.seat_totals(game, position);
        }
        map_seats(game, |seat| game.num_fillable(position, seat) as f32)
    }
}

/// Total of a seat: stones, weighted by the lines that end at their cells, and stocks.
struct Lines {
    weights: Box<[f32]>,
    bomb: f32,
}

const LINE_END_WEIGHTS: [f32; DIRECTIONS / 2 + 1] = [1.0, 1.0, 2.0, 5.0, 15.0];

const OVERRIDE_WEIGHT: f32 = 8.0;

impl Lines {
    fn new(map: &Map) -> Self {
        let across = f32::from(2 * map.strength.min(10) + 1);
        Self {
            weights: (0..map.cells().len())
                .map(|cell| LINE_END_WEIGHTS[map.num_lines_ending_at(cell)])
                .collect(),
            bomb: across * across / 2.0,
        }
    }
}

impl SeatScore for Lines {
    fn seat_totals(&self, _: &ReversiXt, position: &Position) -> [f32; MAX_SEATS] {
        let mut has = [0.0; MAX_SEATS];
        for (cell, weight) in self.weights.iter().enumerate() {
            if let Some(seat) = position.cell(cell).seat() {
                has[seat] += weight;
            }
        }
        for (seat, has) in has.iter_mut().enumerate() {
            *has += OVERRIDE_WEIGHT * f32::from(position.overrides(seat))
                + self.bomb * f32::from(position.bombs(seat));
        }
        has
    }
}

impl ReversiXt {
    fn num_fillable(&self, position: &Position, seat: Seat) -> usize {
        self.capturing_cells(position, seat, false).len() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alea_core::{
        calibration::{Calibrated, logistic as probability},
        evaluator::Evaluator,
    };

    #[test]
    fn scores_by_hand() {
        let map = "3\n1\n1 0\n3 5\n1 2 0 0 0\n0 1 3 0 0\n0 0 2 0 0\n0 1 6 <-> 4 1 2\n";
        let game = ReversiXt::on_text(map);
        let start = game.start();
        assert_eq!(Lead(Stones).score(&game, &start), 0.0);
        let num_fillable = [0, 1, 2].map(|seat| game.num_fillable(&start, seat));
        assert_eq!(num_fillable, [2, 3, 1]);
        assert_eq!(Lead(Mobility).score(&game, &start), -1.0);
        let lines = Lines::new(game.map());
        let weights = [0, 1, 5, 6].map(|cell| lines.weights[cell]);
        assert_eq!(weights, [15.0, 5.0, 2.0, 1.0]);
        assert_eq!(Lead(lines).score(&game, &start), 16.0 - 10.0);
    }

    #[test]
    fn each_seat_has_a_value_of_its_own_and_the_disqualified_have_none() {
        let map = "3\n0\n0 0\n2 5\n1 1 1 2 0\n2 3 0 0 0\n";
        let game = ReversiXt::on_text(map);
        let stones = Calibrated {
            score: Lead(Stones),
            calibration: Calibration::logistic(1.0, 0.5),
        };
        let start = game.start();
        assert_eq!(start.seat(), 0);
        let values = stones.payoffs(&game, &start, &());
        let expected = [1.5, -1.0, -2.0].map(probability);
        assert_eq!(values[..3], expected);
        assert_eq!(values[0], stones.value(&game, &start, &()));
        let without = game.disqualify(&start, 1);
        let values = stones.payoffs(&game, &without, &());
        assert!(values[0] > probability(1.9) && values[1] < 1e-5);
        assert_eq!(values[2], probability(-2.0));
    }
}
