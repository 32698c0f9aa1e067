//! Statistics of random play from random set-ups, which independent programs have measured (40,000
//! games): the first player wins 53.4 % ± 0.5, 21.6 plies on average, 3.11 legal moves a rolled
//! turn.

use crate::reference::{Board, Choice};
use engine::core::game::{Chance, Game};
use engine::games::einstein::{
    Standard,
    dice::{DiceStream, Die, RandomStream},
};

#[derive(Default)]
struct Totals {
    games: f64,
    plies: f64,
    legal_moves: f64,
    won_by_first: f64,
}

impl Totals {
    /// Tolerances are about three standard deviations: 50 points a game for the winner, 4.4 plies
    /// for the length and, a ply, 1.2 for the number of moves; half a point for the uncertainty of
    /// the published share.
    fn check(&self) {
        let share = 100.0 * self.won_by_first / self.games;
        let length = self.plies / self.games;
        let choices = self.legal_moves / self.plies;
        assert!(
            (share - 53.4).abs() < 3.0 * 50.0 / self.games.sqrt(),
            "the first player wins {share} %"
        );
        assert!(
            (length - 21.6).abs() < 0.05 + 3.0 * 4.4 / self.games.sqrt(),
            "{length} plies"
        );
        assert!(
            (choices - 3.11).abs() < 0.005 + 3.0 * 1.2 / self.plies.sqrt(),
            "{choices} legal moves"
        );
    }
}

#[test]
fn random_games_of_the_fast_rules_have_the_known_statistics() {
    let game = Standard::default();
    let mut dice = DiceStream::new(1, Die::fair());
    let mut random = RandomStream::new(2);
    let mut totals = Totals::default();
    for index in 0..40_000 {
        let first = index % 2;
        let mut position = game.random_start(&mut random, first);
        let mut plies = 0;
        let payoffs = loop {
            if let Some(payoffs) = game.payoffs(&position) {
                break payoffs;
            }
            let (_, legal) = dice.draw(&game, &position);
            totals.legal_moves += legal.len() as f64;
            position = game.play(&position, legal[random.below(legal.len())]);
            plies += 1;
        };
        // Each step brings a stone at least one row or column closer: 8 + 2 · 7 + 3 · 6 steps a
        // side at most.
        assert!(plies <= 80, "{plies} plies");
        totals.plies += f64::from(plies);
        totals.won_by_first += f64::from(payoffs[first]);
        totals.games += 1.0;
    }
    totals.check();
}

#[test]
fn random_games_of_the_reference_have_the_known_statistics() {
    let mut random = RandomStream::new(3);
    let mut totals = Totals::default();
    for index in 0..3_000 {
        let mut home = [
            ['1', '2', '3', '4', '5', '6'],
            ['a', 'b', 'c', 'd', 'e', 'f'],
        ];
        for stones in &mut home {
            random.shuffle(stones);
        }
        let [[r1, r2, r3, r4, r5, r6], [b1, b2, b3, b4, b5, b6]] = home;
        let first = ['r', 'b'][index % 2];
        let start =
            format!("{r1}{r2}{r3}../{r4}{r5}.../{r6}...{b1}/...{b2}{b3}/..{b4}{b5}{b6} {first} -");
        let mut board = Board::read(&start);
        let winner = loop {
            if let Some(winner) = board.winner() {
                break winner;
            }
            let legal = board.legal_steps(1 + random.below(6) as u8, Choice::NextHigherOrLower);
            totals.legal_moves += legal.len() as f64;
            totals.plies += 1.0;
            board = board.after(legal[random.below(legal.len())]);
        };
        totals.won_by_first += f64::from(winner == first);
        totals.games += 1.0;
    }
    totals.check();
}
