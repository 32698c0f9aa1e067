//! Games out of the bytes of a shard, as the page of `alea web` shows them.
//!
//! Nothing is trusted: a shard is checked whole, its games are replayed, and few are told.

use crate::games::for_games;
use engine::play::playable::Playable;
use serde_json::{Value, json};
use std::path::Path;
use trainer::{
    data::json_lines,
    shard::{self, PlayedGame},
};

/// Games of a file that are told.
const MOST_GAMES: usize = 500;

/// JSON of the games of a shard (docs/api.md).
pub(crate) fn as_json(bytes: &[u8]) -> Result<String, String> {
    // Nobody says yet of which game they are.
    let tried: [Result<Value, String>; _] = for_games!(each_game OneGame => of::<OneGame>(bytes));
    let problems = tried.iter().filter_map(|one| one.as_ref().err());
    let problem = problems
        .min_by_key(|problem| problem.contains("are wanted"))
        .cloned();
    let read = tried.into_iter().find_map(Result::ok);
    read.map(|games| games.to_string())
        .ok_or_else(|| problem.unwrap_or_default())
}

fn of<G: Playable>(bytes: &[u8]) -> Result<Value, String> {
    let read = shard::decode::<G>(Path::new("this file"), bytes);
    let (header, played) = read.map_err(|error| error.to_string())?;
    let rules: G = header.rules()?;
    let game = |played: &PlayedGame<G>| {
        let names = played.players.iter();
        let names: Vec<_> = names
            .map(|&player| header.players.get(usize::from(player)))
            .collect();
        let mut game = json!(json_lines::line(played, &rules, &header.labels));
        game["players"] = json!(names);
        game
    };
    let games: Vec<Value> = played.iter().take(MOST_GAMES).map(game).collect();
    Ok(json!({ "game": rules.notation(), "left_out": played.len() - games.len(), "games": games }))
}
