//! File with the games of a match: JSON lines as of `alea data export`, with checksums.
//!
//! Invariant: the file holds the games of all stored pairs, each once. Games are written before the
//! result of their pair; on opening, games without a result are removed, and pairs with missing or
//! damaged games are played again.

use super::{Contestant, MatchOptions, lineups::Lineup};
use crate::error::Result;
use alea_core::{
    files::checksum,
    job_array::TaskSlice,
    journal::{ErrorWording, Journal},
    record::GameRecord,
};
use alea_play::{
    game_jsonl::{GameLine, LINES_FORMAT},
    game_loop::Forfeit,
    playable::Playable,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, path::Path, time::Duration};

pub(super) fn line<G: Playable>(
    game: &G,
    record: &GameRecord<G>,
    (number, lineup): (u64, &Lineup),
    times: Vec<Vec<Duration>>,
    forfeit: Option<&Forfeit>,
) -> GameLine {
    let players = lineup.iter().map(|&contestant| contestant as u8).collect();
    let mut line = GameLine::from_record(game, record, players);
    line.number = Some(number);
    line.forfeit = forfeit.map(|forfeit| forfeit.reason.clone());
    let mut times: Vec<_> = times.into_iter().map(Vec::into_iter).collect();
    for (position, ply) in record.positions(game).zip(&mut line.plies) {
        let time = times[game.to_move(&position)].next().unwrap_or_default();
        ply.time = Some(time.as_micros() as u64);
    }
    line
}

/// Opens the file of games; also returns the pairs of `played` whose games are missing or damaged.
pub(super) fn open<G: Playable>(
    players: [&Contestant<G>; 2],
    identity: Value,
    options: &MatchOptions<G>,
    played: &BTreeSet<u64>,
) -> Result<(Journal<GameLine>, BTreeSet<u64>)> {
    let path = options.records.as_deref();
    let name = path.unwrap_or(Path::new("")).display();
    let (slice, pairs) = (options.slice, options.pairs);
    if options.state.is_none() && path.is_some_and(Path::exists) {
        return Err(format!("{name}: exists already: name another file, or by --state the match that it goes on with").into());
    }
    let ours = played.range(slice.part_range(pairs));
    let is_there = |path: &Path| slice.path_for(path).exists() || path.exists();
    if let (Some(path), TaskSlice::All | TaskSlice::Task { .. }) = (path, slice)
        && let Some(pair) = ours.clone().next()
        && !is_there(path)
    {
        return Err(format!("{name}: the match has played pair {pair}, whose games are not there: they cannot be written any more").into());
    }
    let game = &options.game;
    let mut heading = json!({
        "format": LINES_FORMAT,
        "game": game.notation(),
        "players": players.map(|player| &player.name),
        "times": true,
        "run": identity,
    });
    if let Some(map) = game.map_text() {
        let hash = format!("{:016x}", checksum(map.as_bytes()));
        heading["map"] = json!({ "text": map, "hash": hash });
    }
    let wording = ErrorWording {
        work: "match",
        part: "game",
    };
    let number = |game: &GameLine| game.number.unwrap_or_default();
    let shared = path.map_or_else(Default::default, |_| (slice, 2 * pairs));
    let (mut journal, games) = Journal::open(path, wording, &heading, number, shared)?;
    let is_lost = |pair: &&u64| {
        path.is_some() && !(0..2).all(|game| games.contains_key(&(2 * **pair + game)))
    };
    let lost: BTreeSet<u64> = ours.filter(is_lost).copied().collect();
    if let Some(path) = path
        && let Some(missing) = slice.missing_tasks(path, pairs, |pair| !lost.contains(&pair))
    {
        return Err(missing.into());
    }
    let stays = |game: u64| played.contains(&(game / 2)) && !lost.contains(&(game / 2));
    if !games.keys().copied().all(stays) {
        journal.retain(|game| stays(number(game)))?;
    }
    Ok((journal, lost))
}
