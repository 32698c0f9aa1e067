//! The Schwarz table as win probability, by odds: what a search with hand-made leaves spends its time on.
//!
//! The logistic of `slope · (E(enemy) − E(own)) + offset` is `1 / (1 + odds)` with the odds against the mover a product,
//! `exp(slope · E(own) − offset) · exp(−slope · E(enemy))`: two look-ups, and no exponential is computed in a search.
//! Every step is monotone also when rounded, so the best of several moves may be taken among odds. Invariant: a
//! position valued one ply deep as a whole has the bits of its successors valued one by one.

mod own_moves;

use self::own_moves::OwnMoves;
use super::calibration::{exponential, unproven};
use super::race_tables::{VECTORS, distance_index, distance_place};
use super::schwarz::Schwarz;
use super::{Evaluator, OnePly, Score};
use crate::game::MAX_OUTCOMES;
use crate::games::einstein::position::Side;
use crate::games::einstein::{MAX_STONES, Move, Position, Standard};

/// Win probability by the Schwarz table.
#[derive(Clone, Debug)]
pub struct SchwarzOdds {
    score: Schwarz,
    /// `exp(slope · E − offset)`: how much the turns that the side to move needs are against it.
    slows: Table,
    /// `exp(−slope · E)`: how much the turns that its enemy needs are.
    hurries: Table,
}

/// A number for each index of distances; as many as a mask lets through.
type Table = Box<[f32; SIZE]>;

const SIZE: usize = VECTORS.next_power_of_two();

/// Exponents are at most this: products of two exponentials have to stay far from the largest number.
const MOST: f32 = 40.0;

/// A whole number of vectors.
const LANES: usize = 8;

impl SchwarzOdds {
    /// Change of the log odds a turn: fits exact endgames best, and makes the stronger search.
    pub const SLOPE: f32 = 1.8;
    /// Log odds for the side to move when both need as many turns: worth half a turn.
    pub const OFFSET: f32 = 0.9;

    /// The evaluator with the fitted constants.
    #[must_use]
    pub fn fitted(game: &Standard) -> Self {
        Self::with(Schwarz::new(game), Self::SLOPE, Self::OFFSET)
    }

    /// The evaluator with constants of one's own; `None` if they are so large that odds would leave the range of numbers:
    /// [`super::calibration::Calibrated`] takes any.
    #[must_use]
    pub fn new(game: &Standard, slope: f32, offset: f32) -> Option<Self> {
        let score = Schwarz::new(game);
        let most = (0..VECTORS).map(|index| score.turns(index)).filter(|turns| turns.is_finite()).fold(0.0, f32::max);
        (slope > 0.0 && slope * most <= MOST && offset.abs() <= MOST).then(|| Self::with(score, slope, offset))
    }

    fn with(score: Schwarz, slope: f32, offset: f32) -> Self {
        let table = |gone: f32, log_odds: &dyn Fn(f32) -> f32| {
            let mut table = Box::new([0.0; SIZE]);
            for (index, odds) in table.iter_mut().enumerate().take(VECTORS) {
                let turns = score.turns(index);
                // A side without stones needs infinitely many turns.
                *odds = if turns.is_finite() { exponential(log_odds(turns)) } else { gone };
            }
            table
        };
        let slows = table(f32::INFINITY, &|turns| slope * turns - offset);
        let hurries = table(0.0, &|turns| -slope * turns);
        Self { score, slows, hurries }
    }

    /// The score before calibration, in turns.
    #[must_use]
    pub fn raw(&self, game: &Standard, position: &Position) -> f32 {
        self.score.score(game, position)
    }
}

#[inline]
fn look_up(table: &Table, index: usize) -> f32 {
    table[index & (SIZE - 1)]
}

/// The value of a position to the side that the odds are against.
#[inline]
fn value_against(odds: f32) -> f32 {
    unproven(1.0 / (1.0 + odds))
}

/// The value of a move to the side that makes it, from the odds against the other side then; infinite ones win.
#[inline]
fn value_of_move(odds: f32) -> f32 {
    let value = 1.0 - value_against(odds);
    if odds == f32::INFINITY { 1.0 } else { value }
}

/// The side that does not move, which is to move then.
struct Enemy<'a> {
    slows: &'a Table,
    side: Side,
    index: usize,
    /// The squares it stands on, in its own perspective, one bit a square.
    taken: u32,
    slow: f32,
}

impl<'a> Enemy<'a> {
    #[inline]
    fn of(slows: &'a Table, side: Side) -> Self {
        let (mut index, mut taken) = (0, 0);
        for stone in 0..MAX_STONES {
            let square = side.square(stone);
            index += distance_place(stone, square);
            taken |= 1 << square;
        }
        Self { slows, side, index, taken, slow: look_up(slows, index) }
    }

    /// What its turns are against it after a stone of the other side went to a square (of its own perspective); infinite
    /// if that took its last stone.
    #[inline]
    fn slow_after(&self, square: u8) -> f32 {
        if self.taken >> square & 1 == 0 {
            return self.slow;
        }
        self.side.stone_on(square).map_or(self.slow, |captured| look_up(self.slows, self.index - distance_place(captured, square)))
    }
}

impl SchwarzOdds {
    /// For each outcome the odds of its best move, where stones can capture the enemy.
    fn best_with_captures(&self, game: &Standard, own: &OwnMoves, enemy: &Enemy<'_>) -> [f32; LANES] {
        let mut of_stones = own.best.map(|hurry| enemy.slow * hurry);
        for stone in 0..MAX_STONES {
            if own.seen_by_enemy(stone) & enemy.taken == 0 || own.best[stone] == f32::INFINITY {
                continue;
            }
            let mut best = 0.0;
            for destination in own.destinations(stone) {
                let odds = enemy.slow_after(Standard::GOAL - destination) * own.hurry_after(&self.hurries, stone, destination);
                best = if odds > best { odds } else { best };
            }
            of_stones[stone] = best;
        }
        let mut best = [0.0; LANES];
        for (best, outcome) in best.iter_mut().zip(game.outcomes_by_stone(own.alive())) {
            *best = best_of(&of_stones, outcome);
        }
        best
    }
}

/// The largest number in the run of an outcome.
#[inline]
fn best_of(of_stones: &[f32; LANES], outcome: &crate::game::Outcome) -> f32 {
    // Mostly one stone.
    let mut best = of_stones[usize::from(outcome.start) % LANES];
    for stone in outcome.start + 1..outcome.end {
        let other = of_stones[usize::from(stone) % LANES];
        best = if other > best { other } else { best };
    }
    best
}

impl Evaluator<Standard> for SchwarzOdds {
    type Cache = OwnMoves;
    const KNOWS_SUCCESSORS: bool = true;

    #[inline]
    fn one_ply(&self, game: &Standard, position: &Position, own: &mut OwnMoves) -> OnePly {
        own.become_those_of(game, &self.hurries, position.mover());
        let enemy = Enemy::of(&self.slows, position.other());
        let odds = if own.reach() & enemy.taken == 0 {
            own.best_of_outcomes.map(|hurry| enemy.slow * hurry)
        } else {
            self.best_with_captures(game, own, &enemy)
        };
        let values = odds.map(value_of_move);
        // In the order of the outcomes, as one by one.
        let mut value = 0.0;
        for outcome in 0..MAX_OUTCOMES.min(LANES) {
            value += own.weights[outcome] * values[outcome];
        }
        let mut evaluated = own.successors - own.arrivals;
        if position.other().count() == 1 {
            evaluated -= own.captures_of(enemy.taken);
        }
        OnePly { value: f32::min(value, 1.0), successors: own.successors, evaluated }
    }

    /// Odds for the side that moves.
    #[inline]
    fn score_successors(&self, _game: &Standard, position: &Position, moves: &[Move], scores: &mut [f32]) {
        let side = position.mover();
        let own = OwnMoves::nothing_but(side);
        let enemy = Enemy::of(&self.slows, position.other());
        for (&mv, score) in moves.iter().zip(scores) {
            let stone = mv.stone();
            let destination = Standard::destination_from(side.square(stone), mv);
            *score = if destination == Standard::GOAL {
                f32::INFINITY
            } else {
                enemy.slow_after(Standard::GOAL - destination) * own.hurry_after(&self.hurries, stone, destination)
            };
        }
    }

    #[inline]
    fn value(&self, _game: &Standard, position: &Position, _cache: &OwnMoves) -> f32 {
        let (own, enemy) = (distance_index(position.mover()), distance_index(position.other()));
        value_against(look_up(&self.slows, own) * look_up(&self.hurries, enemy))
    }
}

#[cfg(test)]
mod tests {
    use super::super::calibration::{Calibrated, Calibration};
    use super::super::test_support::{check_reference, check_symmetries};
    use super::*;
    use crate::eval::DynEvaluator;
    use crate::games::einstein::Variant;

    #[test]
    fn it_is_the_logistic_of_the_score() {
        for (game, slope, offset) in [
            (Standard::default(), SchwarzOdds::SLOPE, SchwarzOdds::OFFSET),
            (Standard::default(), 0.4, 0.274),
            (Standard::new(Variant::NearestOnly, crate::dice::Die::loaded(&[0.1, 0.3, 0.05, 0.05, 0.3, 0.2]).unwrap()), 3.0, -2.0),
        ] {
            let odds = SchwarzOdds::new(&game, slope, offset).unwrap();
            let logistic = Calibrated { score: Schwarz::new(&game), calibration: Calibration::Logistic { slope, offset } };
            check_reference(
                &game,
                |position| odds.value_of(&game, position),
                |board| f64::from(logistic.value_of(&game, &board.position(&game))),
            );
        }
    }

    #[test]
    fn symmetries() {
        let game = Standard::default();
        let odds = SchwarzOdds::fitted(&game);
        check_symmetries(&game, |position| odds.value_of(&game, position));
    }

    #[test]
    fn constants_out_of_range_are_refused() {
        let game = Standard::default();
        for (slope, offset) in [(0.0, 0.0), (-1.0, 0.0), (1000.0, 0.0), (1.0, 41.0), (f32::NAN, 0.0), (1.0, f32::NAN)] {
            assert!(SchwarzOdds::new(&game, slope, offset).is_none(), "{slope}, {offset}");
        }
    }
}
