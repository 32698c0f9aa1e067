//! Assignment of seats to the two contestants in a pair of games.
//!
//! With more than two seats each contestant has half of them, one with the odd seat; pairs go
//! through all ways, and the second game of a pair exchanges the contestants.

use alea_core::game::{Payoffs, Seat};
use alea_play::{playable::Playable, points::Points};
use serde::{Deserialize, Serialize};

/// Contestant of each seat: 0 for A, 1 for B.
pub(super) type Lineup = Vec<usize>;

pub(super) fn lineups_of_pair(seats: usize, pair: u64) -> [Lineup; 2] {
    let with_half = |set: &u32| set.count_ones() as usize == seats / 2;
    let sets: Vec<u32> = (0..1 << seats).filter(with_half).collect();
    let of_b = match seats {
        2 => 0b10,
        _ => sets[(pair % sets.len() as u64) as usize],
    };
    let lineup =
        |exchanged: u32| (0..seats).map(move |seat| (of_b >> seat & 1 ^ exchanged) as usize);
    [lineup(0).collect(), lineup(1).collect()]
}

/// Results of both contestants in one game of more than two seats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContestantMeans {
    /// Mean payoff of A's and of B's seats.
    pub payoffs: [f64; 2],
    /// Mean rank of A's and of B's seats, 1 for the highest payoff; equal payoffs share ranks.
    pub ranks: [f64; 2],
    /// Payoff of the seat that moves first.
    pub first_mover: f64,
}

impl ContestantMeans {
    pub(super) fn new(lineup: &Lineup, payoffs: &Payoffs, first: Seat) -> Self {
        let payoffs = &payoffs[..lineup.len()];
        let rank = |own: f32| {
            let above = payoffs.iter().filter(|&&other| other > own).count() as f64;
            let equal = payoffs.iter().filter(|&&other| other == own).count() as f64;
            above + (1.0 + equal) / 2.0
        };
        let mean = |contestant: usize, value: &dyn Fn(f32) -> f64| {
            let seats = lineup.iter().zip(payoffs);
            let own = seats.filter(|(seated, _)| **seated == contestant);
            let values: Vec<f64> = own.map(|(_, &payoff)| value(payoff)).collect();
            values.iter().sum::<f64>() / values.len() as f64
        };
        Self {
            payoffs: [0, 1].map(|contestant| mean(contestant, &f64::from)),
            ranks: [0, 1].map(|contestant| mean(contestant, &rank)),
            first_mover: payoffs[first].into(),
        }
    }

    /// Score of A, 0 to 1: ½ plus half of A's lead in mean payoff.
    pub(super) fn score(&self) -> f64 {
        0.5 + (self.payoffs[0] - self.payoffs[1]) / 2.0
    }
}

/// Points in which a match is scored: the game's, or with more than two seats A's lead in mean
/// payoff; `None` for wins and draws.
pub(super) fn scored_points<G: Playable>(game: &G) -> Option<Points> {
    let of_seats = Points {
        unit: "payoff",
        max: 1.0,
        default_win: 1.0,
        results: &[],
    };
    match game.seats() {
        2 => game.points(),
        _ => Some(of_seats),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alea_core::game::MAX_SEATS;

    #[test]
    fn every_seat_is_held_equally_often_by_both() {
        assert_eq!(lineups_of_pair(2, 7), [vec![0, 1], vec![1, 0]]);
        for (seats, ways) in [(3, 3), (4, 6), (8, 70)] {
            let mut held = vec![[0; 2]; seats];
            for pair in 0..ways {
                let [one, other] = lineups_of_pair(seats, pair);
                assert!(one.iter().zip(&other).all(|(one, other)| one + other == 1));
                assert_eq!(one.iter().sum::<usize>(), seats / 2);
                for (seat, (one, other)) in one.iter().zip(&other).enumerate() {
                    held[seat][*one] += 1;
                    held[seat][*other] += 1;
                }
            }
            assert!(held.iter().all(|held| *held == [ways, ways]), "{held:?}");
        }
    }

    #[test]
    fn means_by_hand() {
        let mut payoffs = [0.0; MAX_SEATS];
        payoffs[..4].copy_from_slice(&[1.0, 0.25, 0.25, 0.0]);
        let means = ContestantMeans::new(&vec![0, 1, 0, 1], &payoffs, 1);
        assert_eq!(means.payoffs, [0.625, 0.125]);
        assert_eq!(means.ranks, [(1.0 + 2.5) / 2.0, (2.5 + 4.0) / 2.0]);
        assert_eq!((means.score(), means.first_mover), (0.75, 0.25));
    }
}
