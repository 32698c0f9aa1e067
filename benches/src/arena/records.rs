//! The games of a match, move by move: JSON lines as `alea data export` writes them, appended as
//! pairs finish.
//!
//! Every line says besides which game it is, from 0 in the order of pairs, and has a checksum.
//! Invariant: a file holds all games of the pairs that the state of the match knows, each once:
//! games are written before their pair, and what a killed match wrote of another pair is removed
//! before it is played again.

use super::{Contestant, MatchOptions};
use crate::error::Result;
use engine::core::{
    files::{self, checksum},
    journal::{Journal, Wording},
    record::GameRecord,
};
use engine::play::{
    game_line::{FORMAT, GameLine},
    game_loop::Forfeit,
    playable::Playable,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, path::Path, time::Duration};

/// A game as a line, with how long each player took for each of its moves, A first.
pub(super) fn line<G: Playable>(
    game: &G,
    record: &GameRecord<G>,
    (pair, seat_of_a): (u64, usize),
    times: [Vec<Duration>; 2],
    forfeit: Option<&Forfeit>,
) -> GameLine {
    let players = vec![seat_of_a as u8, 1 - seat_of_a as u8];
    let mut line = GameLine::of(game, record, players);
    line.number = Some(2 * pair + seat_of_a as u64);
    line.forfeit = forfeit.map(|forfeit| forfeit.reason.clone());
    let mut times = times.map(Vec::into_iter);
    for (position, ply) in record.positions(game).zip(&mut line.plies) {
        let of_b = game.to_move(&position) != seat_of_a;
        let time = times[usize::from(of_b)].next().unwrap_or_default();
        ply.time = Some(time.as_micros() as u64);
    }
    line
}

/// Opens or creates the file of a match with this identity that has played these pairs, if one is
/// asked for.
pub(super) fn open<G: Playable>(
    players: [&Contestant<G>; 2],
    identity: Value,
    options: &MatchOptions<G>,
    played: &BTreeSet<u64>,
) -> Result<Journal<GameLine>> {
    let path = options.records.as_deref();
    let name = path.unwrap_or(Path::new("")).display();
    if options.state.is_none() && path.is_some_and(Path::exists) {
        return Err(format!("{name}: exists already: name another file, or by --state the match that it goes on with").into());
    }
    if let Some(path) = path {
        forget_unfinished(&options.share.place(path), played)?;
    }
    let game = &options.game;
    let mut heading = json!({
        "format": FORMAT,
        "game": game.notation(),
        "players": players.map(|player| &player.name),
        "times": true,
        "run": identity,
    });
    if let Some(map) = game.map() {
        let hash = format!("{:016x}", checksum(map.as_bytes()));
        heading["map"] = json!({ "text": map, "hash": hash });
    }
    let wording = Wording {
        work: "match",
        part: "game",
    };
    let number = |game: &GameLine| game.number.unwrap_or_default();
    // What the state says is asked of it alone: where games are to be kept, and which tasks are missing.
    let share = path.map_or_else(Default::default, |_| (options.share, 2 * options.pairs));
    let (journal, games) = Journal::open(path, wording, &heading, number, share)?;
    let kept = |pair: &&u64| (0..2).all(|game| games.contains_key(&(2 * *pair + game)));
    match played.iter().find(|pair| path.is_some() && !kept(pair)) {
        Some(pair) => Err(format!("{name}: the match has played pair {pair}, whose games are not there: they cannot be written any more").into()),
        None => Ok(journal),
    }
}

/// Removes the games of pairs that were not played to their end.
fn forget_unfinished(path: &Path, played: &BTreeSet<u64>) -> Result<()> {
    if !path.exists() {
        return Ok(());
    }
    let text = files::read_text(path)?;
    let number = |line: &str| serde_json::from_str::<Value>(line).ok()?["number"].as_u64();
    // Lines that are none are for the journal to complain of.
    let stays = |line: &&str| number(line).is_none_or(|number| played.contains(&(number / 2)));
    let kept: String = text.split_inclusive('\n').filter(stays).collect();
    if kept.len() < text.len() {
        files::write_atomically(path, |file| file.write_all(kept.as_bytes()))?;
    }
    Ok(())
}
