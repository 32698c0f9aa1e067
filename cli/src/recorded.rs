//! Games out of the bytes of a shard, as the page of `alea web` shows them.
//!
//! Nothing is trusted: a shard is checked whole, its games are replayed, and few are told.

use crate::games::{self, with_type};
use anyhow::{Error, Result};
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
    let name = Path::new("this file");
    let said = shard::game_in(name, bytes).map_err(|error| error.to_string())?;
    let read = || with_type!(&games::meant(said), OneGame => of::<OneGame>(name, bytes));
    read().map_err(|error| error.to_string())
}

fn of<G: Playable>(name: &Path, bytes: &[u8]) -> Result<String> {
    let (header, played) = shard::decode::<G>(name, bytes)?;
    let rules: G = header.rules().map_err(Error::msg)?;
    let game = |played: &PlayedGame<G>| {
        let mut game = json!(json_lines::line(played, &rules, &header.labels));
        let names = played.players.iter();
        let names = names.map(|&player| &*header.players[usize::from(player)]);
        game["players"] = names.collect();
        game
    };
    let games: Value = played.iter().take(MOST_GAMES).map(game).collect();
    let left_out = played.len().saturating_sub(MOST_GAMES);
    let told = json!({ "game": rules.notation(), "left_out": left_out, "games": games });
    Ok(told.to_string())
}
