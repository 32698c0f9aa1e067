//! Game records in text formats of other programs, defined by each game; values and labels are left
//! out.

use super::{
    ShardReader,
    game_builder::{GameBuilder, PlyExtras},
    import_sink::{BadGames, ImportSink, Rejection},
    shard_reader::intern_player,
    shard_writer::WriteSummary,
    write_games,
};
use crate::Error;
use crate::shard::{PlayedGame, ShardHeader};
use alea_core::{
    files::{self, FileKind},
    record::GameRecord,
};
use alea_play::{
    playable::Playable,
    registry::{PlainGame, TranscriptFormat},
    stated_result::StatedResult,
};
use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    path::Path,
};

const UNNAMED_PLAYER: &str = "unknown";

/// Player name that replaces the rarer names of a file with too many.
const OTHER_PLAYERS: &str = "others";

/// Names that keep their own index: the 253 most frequent ones.
fn frequent_names<'a>(names: impl Iterator<Item = &'a str>) -> HashSet<&'a str> {
    let mut counts = HashMap::new();
    for (index, name) in names.enumerate() {
        counts.entry(name).or_insert((0_u64, index)).0 += 1;
    }
    let mut names: Vec<_> = counts.into_iter().collect();
    if names.len() >= usize::from(u8::MAX) {
        names.sort_unstable_by_key(|&(_, (count, index))| (Reverse(count), index));
        names.truncate(usize::from(u8::MAX) - 2);
    }
    names.into_iter().map(|(name, _)| name).collect()
}

/// Writes one game per line; returns the number of games.
pub fn export<G: Playable>(
    source: &ShardReader<G>,
    form: &TranscriptFormat<G>,
    path: &Path,
) -> Result<u64, Error> {
    let plain = |game: PlayedGame<G>| PlainGame {
        start: game.record.start,
        plies: game
            .record
            .plies
            .iter()
            .map(|ply| (ply.outcome, ply.mv))
            .collect(),
        players: game
            .players
            .iter()
            .map(|&player| source.players[usize::from(player)].clone())
            .collect(),
        result: unfinished_result(&source.rules, &game.record),
    };
    write_games(path, |file| {
        let mut number = 0;
        source.for_each_game(|game| {
            let text = (form.write)(&source.rules, &plain(game))
                .map_err(Error::with_prefix(format!("game {number}")))?;
            number += 1;
            writeln!(file, "{text}").map_err(Error::write_failed(path))
        })
    })?;
    Ok(source.games)
}

/// Result of a two-player game that did not end by the rules; `None` for other games.
fn unfinished_result<G: Playable>(game: &G, record: &GameRecord<G>) -> Option<StatedResult> {
    let GameRecord {
        ending, payoffs, ..
    } = *record;
    let stated = || StatedResult::from_payoffs(ending, payoffs, game.points());
    (!ending.is_played()).then(stated).flatten()
}

/// Imports a file of transcripts as a new set.
pub fn import<G: Playable>(
    rules: &G,
    form: &TranscriptFormat<G>,
    path: &Path,
    directory: &Path,
    bad: BadGames,
) -> Result<WriteSummary, Error> {
    let games = (form.read)(rules, &files::read(path, FileKind::Archive)?);
    let all = games.iter().flatten().flat_map(|game| &game.players);
    let frequent_names = frequent_names(all.map(String::as_str));
    let mut names = Vec::new();
    let mut seats = Vec::with_capacity(games.len());
    for game in games.iter().flatten() {
        let mut players = Vec::new();
        for name in &game.players {
            let name = match name.as_str() {
                "" => UNNAMED_PLAYER,
                name if frequent_names.contains(name) => name,
                _ => OTHER_PLAYERS,
            };
            players.push(intern_player(name, &mut names, path)?);
        }
        seats.push(players);
    }
    let run = serde_json::json!({ "imported": form.name });
    let header = ShardHeader {
        players: names,
        ..ShardHeader::new(rules, run)
    };
    let mut sink = ImportSink::create(path, directory, header.clone(), bad)?;
    let mut seats = seats.into_iter();
    for (number, game) in games.into_iter().enumerate() {
        let game = game.map_err(|error| Rejection::Damaged(error.to_string()));
        let read = game.and_then(|game| {
            let players = seats.next().unwrap_or_default();
            let mut builder = GameBuilder::new(rules, game.start, players, &header)?;
            for &(outcome, mv) in &game.plies {
                builder.play(outcome, mv, PlyExtras::default())?;
            }
            if let Some(adjudicated_result) = game.result {
                builder.result = (
                    adjudicated_result.ending,
                    adjudicated_result.payoffs(rules.points()),
                );
            }
            builder.finish()
        });
        sink.take(format_args!("game {number}"), read)?;
    }
    sink.finish()
}
