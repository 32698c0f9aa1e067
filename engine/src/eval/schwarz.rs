//! The Schwarz table, rating of Rock'n'Roll's MrBlack (Schäfer 2006).
//!
//! Score = E(enemy) − E(own), E being the expected number of own turns to the goal without captures
//! ([`super::race_tables`]). Invariant: passing the turn negates the score; the tempo is left to the calibration.

use super::Score;
use super::calibration::Calibration;
use super::race_tables::{RaceTables, distance, distance_index, distance_place, distance_unit};
use super::{BestScores, GROUPS};
use crate::games::einstein::position::Side;
use crate::games::einstein::{GONE, MAX_STONES, Move, Position, Standard};
use std::sync::Arc;

/// Turns the enemy is expected to need beyond one's own.
#[derive(Clone, Debug)]
pub struct Schwarz {
    tables: Arc<RaceTables>,
}

impl Schwarz {
    /// From turns ahead to win probability; fitted by `alea calibrate --games 200000 --seed 1`.
    pub const CALIBRATION: Calibration = Calibration::Logistic { slope: 0.400, offset: 0.274 };

    /// The score for a game's rules and assumed die.
    #[must_use]
    pub fn new(game: &Standard) -> Self {
        Self { tables: RaceTables::shared(game) }
    }
}

/// What the stones of the side to move contribute to the scores of its successors, as far as the enemy does not come into
/// it: most positions searched one after the other differ in the enemy's stones only.
#[derive(Clone, Debug)]
pub struct OwnMoves {
    side: Side,
    alive: u8,
    successors: u32,
    /// How many moves reach the goal.
    arrivals: u32,
    index: usize,
    /// The squares it stands on, one bit a square.
    taken: u32,
    /// For each stone the squares it can go to, in the enemy's perspective, one bit a square.
    destinations: [u32; GROUPS],
    /// For each stone the least number of turns expected after one of its moves: minus infinity if it reaches the goal,
    /// infinite for a stone that is gone.
    best: [f32; GROUPS],
}

impl Default for OwnMoves {
    fn default() -> Self {
        Self {
            side: Side::EMPTY,
            alive: 0,
            successors: 0,
            arrivals: 0,
            index: 0,
            taken: 0,
            destinations: [0; GROUPS],
            best: [f32::INFINITY; GROUPS],
        }
    }
}

impl OwnMoves {
    /// Makes these the moves of a side, if they are not yet.
    #[inline]
    fn become_those_of(&mut self, tables: &RaceTables, side: Side) {
        if self.side != side {
            self.refill(tables, side);
        }
    }

    /// A closer stone never makes the race longer (play on as if it were not closer), and every stone can come closer, so
    /// a stone's best move takes one off its distance, unless it has to capture for it: a single look-up.
    fn refill(&mut self, tables: &RaceTables, side: Side) {
        (self.side, self.alive, self.index, self.taken) = (side, side.alive(), distance_index(side), side.squares_taken());
        (self.successors, self.arrivals) = (0, 0);
        for stone in 0..MAX_STONES {
            let square = side.square(stone);
            let destinations = Standard::destinations(square);
            self.destinations[stone] = Standard::destinations_seen_by_enemy(square);
            self.successors += u32::from(Standard::mobility_from(square));
            self.best[stone] = if square == GONE {
                f32::INFINITY
            } else if distance(square) == 1 {
                self.arrivals += 1;
                f32::NEG_INFINITY
            } else if destinations & self.taken == 0 {
                tables.expected(self.index - distance_unit(stone))
            } else {
                let mut best = f32::INFINITY;
                for destination in bits(destinations) {
                    best = best.min(self.expects_after(tables, stone, square, destination));
                }
                best
            };
        }
    }

    /// The turns expected after the move of a stone from a square to one that is not the goal.
    #[inline]
    fn expects_after(&self, tables: &RaceTables, stone: usize, square: u8, destination: u8) -> f32 {
        let mut index = self.index - distance_place(stone, square) + distance_place(stone, destination);
        if self.taken >> destination & 1 == 1
            && let Some(captured) = self.side.stone_on(destination)
        {
            index -= distance_place(captured, destination);
        }
        tables.expected(index)
    }

    /// How many moves, but for those that reach the goal, go to one of some squares of the enemy's perspective.
    #[cold]
    fn captures_of(&self, squares: u32) -> u32 {
        // The goal is the enemy's home corner.
        self.destinations.iter().map(|destinations| (destinations & squares & !1).count_ones()).sum()
    }
}

/// The enemy of the side to move, as its successors see it.
struct Enemy<'a> {
    tables: &'a RaceTables,
    side: Side,
    index: usize,
    /// The squares it stands on, in its own perspective, one bit a square.
    taken: u32,
    expects: f32,
}

impl<'a> Enemy<'a> {
    #[inline]
    fn of(tables: &'a RaceTables, side: Side) -> Self {
        let (mut index, mut taken) = (0, 0);
        for stone in 0..MAX_STONES {
            let square = side.square(stone);
            index += distance_place(stone, square);
            taken |= 1 << square;
        }
        Self { tables, side, index, taken, expects: tables.expected(index) }
    }

    /// The turns it expects after a stone of the other side went to a square (of its own perspective); infinite if that
    /// took its last stone.
    #[inline]
    fn expects_after(&self, square: u8) -> f32 {
        if self.taken >> square & 1 == 0 {
            return self.expects;
        }
        self.side.stone_on(square).map_or(self.expects, |captured| self.tables.expected(self.index - distance_place(captured, square)))
    }
}

/// The numbers of the bits that are set.
#[inline]
fn bits(mut set: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let bit = set.trailing_zeros() as u8;
        (set != 0).then(|| {
            set &= set - 1;
            bit
        })
    })
}

impl Score<Standard> for Schwarz {
    type Cache = OwnMoves;
    const KNOWS_SUCCESSORS: bool = true;

    /// A group is a stone.
    #[inline]
    fn best_scores<'a>(&'a self, game: &'a Standard, position: &Position, own: &mut OwnMoves) -> BestScores<'a> {
        own.become_those_of(&self.tables, position.mover());
        let enemy = Enemy::of(&self.tables, position.other());
        let mut scores = own.best.map(|turns| enemy.expects - turns);
        let mut capturing = 0;
        for stone in 0..MAX_STONES {
            capturing |= u32::from(own.destinations[stone] & enemy.taken != 0) << stone;
        }
        for stone in bits(capturing) {
            let square = own.side.square(usize::from(stone));
            let mut best = scores[usize::from(stone)];
            if best < f32::INFINITY {
                // What captures an enemy changes what the enemy expects; the rest of this stone's moves may be worse.
                best = f32::NEG_INFINITY;
                for destination in bits(Standard::destinations(square)) {
                    let turns = own.expects_after(&self.tables, usize::from(stone), square, destination);
                    let score = enemy.expects_after(Standard::GOAL - destination) - turns;
                    best = if score > best { score } else { best };
                }
            }
            scores[usize::from(stone)] = best;
        }
        let mut evaluated = own.successors - own.arrivals;
        if position.other().count() == 1 {
            evaluated -= own.captures_of(enemy.taken);
        }
        BestScores { scores, outcomes: game.outcomes_by_stone(own.alive), successors: own.successors, evaluated }
    }

    #[inline]
    fn score_successors(&self, _game: &Standard, position: &Position, moves: &[Move], scores: &mut [f32]) {
        let side = position.mover();
        let own = OwnMoves { side, index: distance_index(side), taken: side.squares_taken(), ..OwnMoves::default() };
        let enemy = Enemy::of(&self.tables, position.other());
        for (&mv, score) in moves.iter().zip(scores) {
            let (stone, square) = (mv.stone(), side.square(mv.stone()));
            let destination = Standard::destination_from(square, mv);
            *score = if destination == Standard::GOAL {
                f32::INFINITY
            } else {
                enemy.expects_after(Standard::GOAL - destination) - own.expects_after(&self.tables, stone, square, destination)
            };
        }
    }

    #[inline]
    fn score(&self, _game: &Standard, position: &Position) -> f32 {
        self.tables.expected(distance_index(position.other())) - self.tables.expected(distance_index(position.mover()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{SlowRace, check_antisymmetry, check_reference, check_symmetries, mean};
    use super::*;
    use crate::dice::Die;
    use crate::games::einstein::Variant;

    #[test]
    fn drawn_positions() {
        let game = Standard::default();
        let schwarz = Schwarz::new(&game);
        for (text, expected) in [
            // One stone each: the distances themselves, 2 for Red and 3 for Blue.
            ("...../...../..1../...b./..... r -", 1.0),
            ("...../...../..1../...b./..... b -", -1.0),
            // Red's stones 1 and 6 at 1 and 4 need 259/216 turns; Blue's stone on d2 needs 3.
            ("6..../...../...../...a1/..... r -", 3.0 - 259.0 / 216.0),
            ("215../64.../3...e/...fb/..acd b 1", 0.0),
        ] {
            let score = schwarz.score(&game, &game.parse_position(text).unwrap().0);
            assert!((score - expected).abs() < 1e-5, "{text}: {score}");
        }
    }

    #[test]
    fn the_score_is_that_of_a_recursion_on_the_board() {
        let die = Die::loaded(&[0.1, 0.3, 0.05, 0.05, 0.3, 0.2]).unwrap();
        for game in [Standard::default(), Standard::new(Variant::NearestOnly, die)] {
            let schwarz = Schwarz::new(&game);
            let mut race = SlowRace::new(&game);
            check_reference(
                &game,
                |position| schwarz.score(&game, position),
                |board| {
                    let (own, enemy) = board.sides();
                    mean(&race.distribution(&enemy)) - mean(&race.distribution(&own))
                },
            );
        }
    }

    #[test]
    fn symmetries() {
        let game = Standard::default();
        let schwarz = Schwarz::new(&game);
        check_symmetries(&game, |position| schwarz.score(&game, position));
        check_antisymmetry(&game, |position| schwarz.score(&game, position));
    }
}
