//! Random play from random set-ups has the statistics of independent programs (40,000 games): the
//! first player wins 53.4 % ± 0.5; on average 21.6 plies, and 3.11 legal moves per roll.

use crate::support::assert_near;
use engine::core::game::{ChanceSource, Game};
use engine::games::einstein::{
    Standard,
    dice::{DiceStream, Die, RandomStream},
};

#[test]
fn random_games_have_the_published_statistics() {
    let game = Standard::default();
    let mut dice = DiceStream::new(1, Die::fair());
    let mut random = RandomStream::new(2);
    let games = 40_000;
    let (mut all_plies, mut legal_moves, mut won_by_first) = (0.0, 0.0, 0.0);
    for index in 0..games {
        let first = index % 2;
        let mut position = game.random_start(&mut random, first);
        let mut plies = 0;
        let payoffs = loop {
            if let Some(payoffs) = game.payoffs(&position) {
                break payoffs;
            }
            let (_, legal) = dice.draw(&game, &position);
            legal_moves += legal.len() as f64;
            position = game.play(&position, legal[random.below(legal.len())]);
            plies += 1;
        };
        // A stone comes at least a row or column closer with each step: at most 8 + 2 · 7 + 3 · 6
        // steps a side.
        assert!(plies <= 80, "{plies} plies");
        all_plies += f64::from(plies);
        won_by_first += f64::from(payoffs[first]);
    }
    // About three standard deviations, and half a point for the published rate.
    let games = games as f64;
    let win_rate = 100.0 * won_by_first / games;
    assert_near(
        win_rate,
        53.4,
        0.5 + 3.0 * 50.0 / games.sqrt(),
        "won by first",
    );
    let length = all_plies / games;
    assert_near(length, 21.6, 0.05 + 3.0 * 4.4 / games.sqrt(), "plies");
    let choices = legal_moves / all_plies;
    assert_near(
        choices,
        3.11,
        0.005 + 3.0 * 1.2 / all_plies.sqrt(),
        "legal moves",
    );
}
