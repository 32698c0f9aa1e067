//! The player that errs: frequencies of its moves, wins that it never misses, reproducibility.

use crate::support::{MIDDLE, player, position};
use engine::games::einstein::Standard;
use engine::search::limits::Limits;

const INNER: &str = "star1(depth=1, eval=schwarz)";

#[test]
fn moves_are_as_frequent_as_exp_of_value_over_temperature() {
    const GAMES: u64 = 20_000;
    let (game, start) = (Standard::default(), position(MIDDLE));
    for (roll, temperature) in [(2, 0.05), (5, 0.3)] {
        let legal = game.legal_moves(&start, roll);
        let analysis = player(INNER, &game).analyse(&start, Some(&legal), &Limits::NONE);
        let values: Vec<f32> = analysis
            .unwrap()
            .moves
            .iter()
            .map(|rated| rated.value.unwrap())
            .collect();
        let weights: Vec<f64> = values
            .iter()
            .map(|&value| (f64::from(value) / temperature).exp())
            .collect();
        let mut erring = player(
            &format!("softmax({INNER}, temperature={temperature})"),
            &game,
        );
        let mut counts = vec![0; legal.len()];
        for seed in 0..GAMES {
            erring.new_game(seed);
            let decision = erring.decide(&start, &legal, &Limits::NONE).unwrap();
            let index = legal.iter().position(|&mv| mv == decision.best).unwrap();
            assert_eq!(decision.value, Some(values[index]));
            counts[index] += 1;
        }
        for (count, weight) in counts.into_iter().zip(&weights) {
            let expected = weight / weights.iter().sum::<f64>();
            let deviation = (expected * (1.0 - expected) / GAMES as f64).sqrt();
            let found = f64::from(count) / GAMES as f64;
            assert!(
                (found - expected).abs() < 5.0 * deviation,
                "roll {roll}: {found} is not {expected} ± {deviation}"
            );
        }
    }
}

#[test]
fn a_win_at_once_is_never_missed() {
    let game = Standard::default();
    // Red's 1 wins by d2e1 alone, whatever else it may do.
    let before = position("2..../...../...../...1./a.... r -");
    let legal = game.legal_moves(&before, 1);
    let mut erring = player("softmax(star1(depth=1), temperature=100)", &game);
    for seed in 0..300 {
        erring.new_game(seed);
        let decision = erring.decide(&before, &legal, &Limits::NONE).unwrap();
        assert_eq!(game.format_move(&before, decision.best), "d2e1");
    }
}

#[test]
fn of_moves_that_win_for_certain_one_that_ends_the_game_is_played() {
    let game = Standard::default();
    // After any move Red wins with the next one at the latest: Blue is four moves from its goal.
    let before = position("...../...../...../...1./a.... r -");
    let mut legal = game.legal_moves(&before, 1);
    legal.reverse();
    let mut erring = player("softmax(star1(depth=3), temperature=100)", &game);
    let analysis = erring
        .analyse(&before, Some(&legal), &Limits::NONE)
        .unwrap();
    assert!(analysis.moves.iter().all(|rated| rated.value == Some(1.0)));
    assert_ne!(game.format_move(&before, legal[0]), "d2e1");
    for seed in 0..50 {
        erring.new_game(seed);
        let decision = erring.decide(&before, &legal, &Limits::NONE).unwrap();
        assert_eq!(game.format_move(&before, decision.best), "d2e1");
    }
}

#[test]
fn seed_and_position_determine_the_move() {
    let (game, start) = (Standard::default(), position(MIDDLE));
    let legal = game.legal_moves(&start, 3);
    let mut erring = player(&format!("softmax({INNER}, temperature=1)"), &game);
    let mut moves = |seeds: std::ops::Range<u64>| -> Vec<_> {
        seeds
            .map(|seed| {
                erring.new_game(seed);
                let first = erring.decide(&start, &legal, &Limits::NONE).unwrap().best;
                let again = erring.decide(&start, &legal, &Limits::NONE).unwrap().best;
                assert_eq!(first, again);
                first
            })
            .collect()
    };
    let first = moves(0..40);
    assert_eq!(first, moves(0..40));
    assert!(first.iter().any(|&mv| mv != first[0]), "seeds differ");
}

#[test]
fn players_without_values_choose_by_themselves() {
    let (game, start) = (Standard::default(), position(MIDDLE));
    let legal = game.legal_moves(&start, 3);
    let [mut erring, mut own] =
        ["softmax(random, temperature=0.1)", "random"].map(|name| player(name, &game));
    for seed in 0..20 {
        let [found, expected] = [&mut erring, &mut own].map(|player| {
            player.new_game(seed);
            player.decide(&start, &legal, &Limits::NONE).unwrap()
        });
        assert_eq!((found.best, found.value), (expected.best, None));
    }
}
