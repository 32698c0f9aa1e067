//! JSON of the games of an uploaded shard, for the page of `alea web`; an untrusted shard is
//! verified and replayed in bounded time and memory.

use crate::games::with_type;
use anyhow::{Result, ensure};
use engine::{core::text::printable, play::playable::Playable};
use serde_json::{Value, json};
use std::path::Path;
use trainer::{
    data::json_lines,
    shard::{self, PlayedGame, ShardHeader},
};

const MAX_GAMES: usize = 500;
/// Maximal number of plies of a game, more than the cells of any board.
const MAX_PLIES: usize = 10_000;
const MAX_JSON_BYTES: usize = 4 << 20;

/// JSON of as many games as fit before `is_over` (docs/reference/api.md).
pub(crate) fn shard_json(bytes: &[u8], is_over: &dyn Fn() -> bool) -> Result<String, String> {
    let name = Path::new("this file");
    let game_name = shard::game_notation(name, bytes).map_err(|error| error.to_string())?;
    let read = || with_type!(&game_name, OneGame => shard_json_of::<OneGame>(name, bytes, is_over));
    read().map_err(|error| error.to_string())
}

fn shard_json_of<G: Playable>(
    name: &Path,
    bytes: &[u8],
    is_over: &dyn Fn() -> bool,
) -> Result<String> {
    let (mut games, mut count) = (String::new(), 0);
    let show = |rules: &G, header: &ShardHeader, played: PlayedGame<G>| {
        if played.record.plies.len() > MAX_PLIES {
            return false;
        }
        let mut game = json!(json_lines::line(&played, rules, &header.labels));
        let names = played.players.iter();
        let names = names.map(|&player| printable(&header.players[usize::from(player)]));
        game["players"] = names.collect();
        let game = game.to_string();
        let has_room = games.len() + game.len() < MAX_JSON_BYTES;
        if has_room {
            games += if count > 0 { "," } else { "" };
            games += &game;
            count += 1;
        }
        has_room && count < MAX_GAMES
    };
    let (rules, header) = shard::decode_while(name, bytes, is_over, show)?;
    ensure!(
        count > 0 || header.games == 0,
        "this file: its first game is too long to be shown"
    );
    let left_out = header.games.saturating_sub(count as u64);
    let game = Value::from(rules.notation());
    Ok(format!(
        r#"{{"game":{game},"left_out":{left_out},"games":[{games}]}}"#
    ))
}
