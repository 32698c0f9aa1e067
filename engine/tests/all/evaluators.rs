//! Evaluators of every game, and players that a program adds.

use crate::support::random_positions;
use engine::core::evaluator::Evaluator;
use engine::games::{einstein::Standard, reversi::Reversi, reversixt::ReversiXt};
use engine::play::{
    build::{PlayerRecipe, evaluator_from},
    playable::{Playable, Rules},
    player_notation::{Notation, trusted_text},
    player_plugins::{Provider, register},
    random_evaluator::Random,
    random_player::RandomPlayer,
};
use std::sync::Arc;

#[test]
fn values_are_reproducible_and_uniform() {
    let game = Standard::default();
    let mut positions = random_positions(&game, 20_000, 1);
    positions.sort_unstable_by_key(|position| position.bits());
    positions.dedup();
    let values: Vec<f32> = positions
        .iter()
        .map(|position| Random::new(4).value(&game, position, &()))
        .collect();
    let again: Vec<f32> = positions
        .iter()
        .rev()
        .map(|position| Random::new(4).value(&game, position, &()))
        .collect();
    assert!(values.iter().eq(again.iter().rev()));
    let mut counts = [0.0_f64; 10];
    for value in &values {
        assert!(*value > 0.0 && *value < 1.0);
        counts[(value * 10.0) as usize] += 1.0;
    }
    let expected = values.len() as f64 / 10.0;
    let chi_squared: f64 = counts
        .iter()
        .map(|count| (count - expected).powi(2) / expected)
        .sum();
    // 99.99 % quantile with 9 degrees of freedom.
    assert!(chi_squared < 33.7, "{counts:?}");
}

#[test]
fn seeds_are_independent() {
    let game = Standard::default();
    let positions = random_positions(&game, 10_000, 2);
    let covariance: f64 = positions
        .iter()
        .map(|position| {
            let centred = |seed| f64::from(Random::new(seed).value(&game, position, &())) - 0.5;
            centred(1) * centred(2)
        })
        .sum::<f64>()
        / positions.len() as f64;
    // About five standard deviations (1/12 / 100) of the covariance.
    assert!(covariance.abs() < 0.0045, "{covariance}");
}

fn assert_best_values_highly<G: Playable>(won: &str) {
    let game = G::from_notation(G::INFO.name, None).unwrap();
    let best = evaluator_from(&Notation::new("best"), &game).unwrap();
    let (position, _) = game.parse_position(won).unwrap();
    assert!(game.payoffs(&position).is_none());
    assert!(best.value_of(&game, &position) > 0.8, "{won}");
}

#[test]
fn the_best_model_of_every_game_knows_who_is_about_to_win() {
    assert_best_values_highly::<Standard>("..1../...../...../a..../..2.. r -");
    assert_best_values_highly::<Reversi>(
        "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXOO-- X",
    );
    let rows = "11111111/".repeat(7) + "11112200 play 1 0,0 0,0";
    assert_best_values_highly::<ReversiXt>(&rows);
    let six = Reversi::from_notation("reversi(size=6)", None).unwrap();
    let none = evaluator_from(&Notation::new("best"), &six).err().unwrap();
    assert!(none.1.contains("reversi(size=6)"), "{}", none.1);
}

#[test]
fn provided_players_are_read_and_errors_name_the_character() {
    let provider: Provider<Standard> = |arguments, game| {
        arguments.number("size", 1..=9, 1)?;
        let game = game.clone();
        Ok(Arc::new(move || Box::new(RandomPlayer::new(game.clone()))))
    };
    assert!(register("stranger", provider));
    assert!(!register("stranger", provider), "the first counts");
    let game = Standard::default();
    let recipe = PlayerRecipe::parse(trusted_text("stranger(size=3)"), &game).unwrap();
    assert_eq!(
        (recipe.name(), recipe.is_reproducible()),
        ("stranger(size=3)", false)
    );
    recipe.make().new_game(1);
    let problem = |text| {
        PlayerRecipe::parse(trusted_text(text), &game)
            .err()
            .unwrap()
            .to_string()
    };
    assert!(
        problem("stranger(size=0)").contains("character 15: 'size' is a number from 1 to 9"),
        "{}",
        problem("stranger(size=0)")
    );
    assert!(
        problem("stranger(weight=1)").contains("there is no 'weight' here; stranger takes size")
    );
    assert!(problem("nobody").contains("; and stranger"));
}
