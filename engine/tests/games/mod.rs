//! Games that are not EinStein, so that the generality of search is real.

#![allow(dead_code, unreachable_pub)]

use engine::core::evaluator::Evaluator;
use engine::core::game::{Game, MAX_SEATS, Outcome, OutcomeList, Payoffs, Seat, won_by};

/// Nim with two seats: take any number from one pile; who takes the last stone wins.
#[derive(Clone, Debug)]
pub struct Nim;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piles {
    pub piles: [u8; 3],
    pub seat: Seat,
}

impl Game for Nim {
    type Position = Piles;
    type Move = (u8, u8);
    type Moves = Vec<(u8, u8)>;

    fn to_move(&self, position: &Piles) -> Seat {
        position.seat
    }

    fn payoffs(&self, position: &Piles) -> Option<Payoffs> {
        (position.piles == [0; 3]).then(|| won_by(1 - position.seat))
    }

    fn moves(&self, position: &Piles, moves: &mut Vec<(u8, u8)>) {
        moves.clear();
        for (pile, &stones) in position.piles.iter().enumerate() {
            moves.extend((1..=stones).map(|taken| (pile as u8, taken)));
        }
    }

    fn play(&self, position: &Piles, (pile, taken): (u8, u8)) -> Piles {
        let mut next = *position;
        next.piles[usize::from(pile)] -= taken;
        next.seat = 1 - next.seat;
        next
    }

    fn key(&self, position: &Piles) -> u64 {
        mix(u64::from(u32::from_le_bytes([
            position.piles[0],
            position.piles[1],
            position.piles[2],
            position.seat as u8,
        ])))
    }
}

/// A game that is all hash: which seat moves (it need not alternate), how many moves there are,
/// which runs the outcomes permit with which weights, and the payoffs after `length` plies, for any
/// number of seats.
#[derive(Clone, Debug)]
pub struct HashGame<const SEATS: usize> {
    pub seed: u64,
    pub length: u8,
    /// Whether there is chance at all.
    pub chance: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HashPosition {
    pub id: u64,
    pub ply: u8,
}

impl<const SEATS: usize> HashGame<SEATS> {
    pub fn start(&self) -> HashPosition {
        HashPosition {
            id: mix(self.seed),
            ply: 0,
        }
    }

    fn draw(&self, position: &HashPosition, purpose: u64) -> u64 {
        mix(position.id ^ mix(purpose ^ self.seed))
    }
}

impl<const SEATS: usize> Game for HashGame<SEATS> {
    type Position = HashPosition;
    type Move = u8;
    type Moves = Vec<u8>;

    fn seats(&self) -> usize {
        SEATS
    }

    fn to_move(&self, position: &HashPosition) -> Seat {
        (self.draw(position, 1) % SEATS as u64) as Seat
    }

    fn payoffs(&self, position: &HashPosition) -> Option<Payoffs> {
        // Now and then a game ends early.
        if position.ply < self.length
            && (position.ply == 0 || !self.draw(position, 2).is_multiple_of(8))
        {
            return None;
        }
        let shares: Vec<f32> = (0..SEATS)
            .map(|seat| (self.draw(position, 3 + seat as u64) % 1000) as f32 + 1.0)
            .collect();
        let sum: f32 = shares.iter().sum();
        let mut payoffs = [0.0; MAX_SEATS];
        for (payoff, share) in payoffs.iter_mut().zip(shares) {
            *payoff = share / sum;
        }
        Some(payoffs)
    }

    fn moves(&self, position: &HashPosition, moves: &mut Vec<u8>) {
        moves.clear();
        moves.extend(0..1 + (self.draw(position, 20) % 5) as u8);
    }

    fn outcomes(&self, position: &HashPosition, moves: &[u8], outcomes: &mut OutcomeList) {
        outcomes.clear();
        let count = if self.chance {
            1 + self.draw(position, 21) % 5
        } else {
            1
        };
        let weights: Vec<f32> = (0..count)
            .map(|outcome| (self.draw(position, 30 + outcome) % 100) as f32 + 1.0)
            .collect();
        let sum: f32 = weights.iter().sum();
        for (outcome, weight) in weights.iter().enumerate() {
            let (mut start, mut end) = (0, moves.len() as u64);
            if self.chance {
                start = self.draw(position, 40 + outcome as u64) % moves.len() as u64;
                end = start
                    + 1
                    + self.draw(position, 50 + outcome as u64) % (moves.len() as u64 - start);
            }
            outcomes.push(Outcome {
                weight: weight / sum,
                start: start as u16,
                end: end as u16,
            });
        }
    }

    fn play(&self, position: &HashPosition, mv: u8) -> HashPosition {
        // Few different successors, so that lines transpose.
        HashPosition {
            id: self.draw(position, 60 + u64::from(mv)) % 64,
            ply: position.ply + 1,
        }
    }

    fn key(&self, position: &HashPosition) -> u64 {
        mix(position
            .id
            .wrapping_mul(251)
            .wrapping_add(u64::from(position.ply)))
    }
}

/// Values that look random but depend on the position alone.
#[derive(Clone, Copy, Debug)]
pub struct HashEvaluator;

impl<G: Game> Evaluator<G> for HashEvaluator {
    type Cache = ();

    fn value(&self, game: &G, position: &G::Position, (): &()) -> f32 {
        (mix(game.key(position) ^ 0x5555) >> 40) as f32 / (1u64 << 24) as f32
    }
}

fn mix(mut value: u64) -> u64 {
    value = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    value = (value ^ value >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    value = (value ^ value >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ value >> 31
}
