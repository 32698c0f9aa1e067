//! Players from notation: every key is accepted, and errors name the valid ones.

use crate::support::{MIDDLE, assert_near, parse_json_rows, player, position};
use engine::core::random::RandomStream;
use engine::games::{einstein::Standard, havannah::Havannah, reversixt::ReversiXt};
use engine::play::{build::PlayerRecipe, playable::Playable, player_notation::trusted_text};
use engine::search::limits::Limits;

fn check_player<G: Playable>(game: &str, text: &str, reproducible: bool, position: Option<&str>) {
    let game = G::from_notation(game, None).unwrap();
    let start = position.map_or_else(
        || game.random_start(&mut RandomStream::new(1), 0),
        |text| game.parse_position(text).unwrap().0,
    );
    let recipe =
        PlayerRecipe::parse(trusted_text(text), &game).unwrap_or_else(|error| panic!("{error}"));
    let again = PlayerRecipe::parse(trusted_text(recipe.name()), &game).unwrap();
    for recipe in [&recipe, &again] {
        assert_eq!(
            (recipe.name(), recipe.is_reproducible()),
            (text, reproducible)
        );
    }
    let mut legal = G::Moves::default();
    for mut player in [recipe.make(), recipe.make_timed()] {
        player.new_game(1);
        for outcome in game.outcome_numbers() {
            game.allowed_moves(&start, outcome, &mut legal);
            let decision = player.decide(&start, &legal, &Limits::NONE).unwrap();
            assert!(legal.contains(&decision.best), "{text}");
            let value = decision.value.unwrap();
            assert!((0.0..=1.0).contains(&value), "{text}: {value}");
        }
        let value = player.value(&start, &Limits::NONE).value.unwrap();
        let few = text.contains("sims=50") || !reproducible;
        let is_open = few || (0.05..0.95).contains(&value);
        assert!(is_open, "{text}: {value}");
    }
}

#[test]
fn every_key_makes_a_player_that_plays() {
    let players = include_str!("../cases/players.jsonl");
    for (game, text, reproducible) in parse_json_rows::<(String, String, bool)>(players) {
        match game.split('(').next().unwrap() {
            "einstein" => check_player::<Standard>(&game, &text, reproducible, Some(MIDDLE)),
            "havannah" => check_player::<Havannah>(&game, &text, reproducible, None),
            _ => check_player::<ReversiXt>(&game, &text, reproducible, None),
        }
    }
}

fn parse_error<G: Playable>(game: &str, text: &str) -> String {
    let game = G::from_notation(game, None).unwrap();
    let error = PlayerRecipe::parse(trusted_text(text), &game)
        .err()
        .expect(text);
    error.to_string()
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = include_str!("../cases/players_refused.jsonl");
    for [game, text, part] in parse_json_rows::<[String; 3]>(refused) {
        let error = match game.split('(').next().unwrap() {
            "einstein" => parse_error::<Standard>(&game, &text),
            "havannah" => parse_error::<Havannah>(&game, &text),
            _ => parse_error::<ReversiXt>(&game, &text),
        };
        assert!(error.contains(&part), "{text}: {error}");
    }
}

#[test]
fn the_policy_named_is_the_one_that_plays() {
    let game = Standard::default();
    let value = |leaf: &str| {
        let mut player = player(&format!("mcts(sims=3000, solver=off, {leaf})"), &game);
        player
            .value(&position(MIDDLE), &Limits::NONE)
            .value
            .unwrap()
    };
    let [uniform, again, greedy, mixed, cut] = [
        "leaf=playout",
        "playout=uniform",
        "playout=greedy",
        "playout=mixture(0.5, greedy, uniform)",
        "truncate=2, close=schwarz",
    ]
    .map(value);
    assert_eq!(uniform, again);
    assert!(greedy != uniform && mixed != greedy && mixed != uniform && cut != uniform);
    let alone = value("playout=mixture(1, greedy, uniform)");
    assert_near(alone, greedy, 0.05, "alone");
}
