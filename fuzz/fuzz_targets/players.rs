//! Fuzz target for player notations: builds the player and plays three plies of a game.

use crate::game_texts::with_every_game;
use engine::core::{game::ChanceSource, random::RandomStream};
use engine::play::{
    build::PlayerRecipe,
    playable::Playable,
    player_notation::{Argument, Notation},
};
use engine::search::limits::Limits;

/// Keys that cost time or memory, with the largest value to try; `""` is for values without a key.
const COSTLY_KEYS: &[(&[&str], f64)] = &[
    (&["", "depth", "depths", "least", "tablebase"], 2.0),
    (
        &["threads", "ms", "cpu_ms", "memory", "table", "exact"],
        2.0,
    ),
    (&["clock"], 0.01),
    (
        &[
            "iterations",
            "batch",
            "sims",
            "nodes",
            "entries",
            "truncate",
        ],
        64.0,
    ),
];

/// Whether a player decides within milliseconds and reads no file.
pub(crate) fn is_cheap(text: &str) -> bool {
    fn cheap(notation: &Notation) -> bool {
        let key = |key_name| {
            let mut keys = notation.arguments.iter().map(|argument| &argument.key);
            keys.any(|key| key.as_deref() == Some(key_name))
        };
        let limited = key("sims") || key("ms") || key("cpu_ms") || key("clock");
        let has_default_cost = match &*notation.name.to_lowercase() {
            "mcts" => limited && key("memory"),
            "abseval" | "monte_alpha" | "monte_alpha_v2" | "uctcut" => limited,
            "mrmonte" => {
                let plain = |argument: &Argument| argument.value.arguments.is_empty();
                key("iterations") && notation.arguments.iter().all(plain)
            }
            name => !name.starts_with("model:"),
        };
        let mut arguments = notation.arguments.iter();
        has_default_cost
            && arguments.all(|argument| {
                let key = argument.key.as_deref().unwrap_or_default();
                let dear = COSTLY_KEYS.iter().find(|(keys, _)| keys.contains(&key));
                let max = dear.map_or(f64::INFINITY, |dear| dear.1);
                let mut numbers = argument.value.name.split([':', '+']);
                cheap(&argument.value)
                    && numbers
                        .all(|number| number.parse().map_or(true, |number: f64| number <= max))
            })
    }
    text.len() <= 400 && Notation::parse(text).is_ok_and(|notation| cheap(&notation))
}

pub(crate) fn recipes(bytes: &[u8]) {
    fn play<G: Playable>(game: &G, text: &str) {
        let Ok(recipe) = PlayerRecipe::parse(text, game) else {
            return;
        };
        let mut player = recipe.make();
        player.new_game(1);
        let mut luck = game.chance(1);
        let mut position = game.random_start(&mut RandomStream::new(1), 0);
        for _ in 0..3 {
            let (_, legal) = luck.draw(game, &position);
            let decision = player.decide(&position, &legal, &Limits::NONE).unwrap();
            assert!(legal.contains(&decision.best), "{text}");
            assert!(decision.value.is_none_or(|value| !value.is_nan()), "{text}");
            position = game.play(&position, decision.best);
        }
        player.analyse(&position, None, &Limits::NONE).unwrap();
        player.value(&position, &Limits::NONE);
    }
    let text = String::from_utf8_lossy(bytes);
    if is_cheap(&text) {
        with_every_game!(play, &text);
    }
}
