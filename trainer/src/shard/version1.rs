//! Version 1 of the shards, which is read but no longer written: games in bincode, values as 32-bit
//! floats.
//!
//! Invariant: as that of version 2, every game is replayed.

use super::{CHECKSUM_BYTES, PlayedGame, ShardError, ShardHeader, damaged, layout, rules_of};
use crate::codec;
use engine::core::game::won_by;
use engine::core::record::{GameRecord, Ply};
use engine::games::einstein::{Move, Position, Standard};
use serde::{Deserialize, Serialize};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

#[derive(Serialize, Deserialize)]
struct StoredGame {
    start: u64,
    players: [u8; 2],
    winner: u8,
    plies: Vec<StoredPly>,
}

#[derive(Serialize, Deserialize)]
struct StoredPly {
    die: u8,
    mv: u8,
    explored: bool,
    value: Option<f32>,
}

/// Reads the bytes of a shard that names version 1.
pub(super) fn decode(
    path: &Path,
    bytes: &[u8],
) -> Result<(ShardHeader, Vec<PlayedGame>), ShardError> {
    let damaged = |problem: &str| damaged(path, problem);
    let end = bytes
        .len()
        .checked_sub(CHECKSUM_BYTES)
        .filter(|&end| end >= 16)
        .ok_or_else(|| damaged("the checksum is missing"))?;
    if xxh3_64(&bytes[..end]).to_le_bytes() != bytes[end..] {
        return Err(damaged("its checksum does not fit"));
    }
    let text = layout::number_at(bytes, 12)
        .and_then(|length| bytes[16..end].get(..usize::try_from(length).ok()?))
        .ok_or_else(|| damaged("the header is cut"))?;
    let header: ShardHeader =
        serde_json::from_slice(text).map_err(|error| damaged(&format!("header: {error}")))?;
    if header.first_game.checked_add(header.games).is_none() {
        return Err(damaged("header: the games are numbered beyond 64 bits"));
    }
    let rules = rules_of(&header).map_err(|problem| damaged(&problem))?;
    let mut rest = &bytes[16 + text.len()..end];
    // Grown game by game: the header's number is not believed before the games are there.
    let mut games = Vec::new();
    for game in 0..header.games {
        let wrong = |problem: String| ShardError::Game {
            path: path.to_owned(),
            game,
            problem,
        };
        let (stored, length) = codec::decode::<StoredGame>(rest)
            .map_err(|problem| wrong(format!("its bytes are no game ({problem})")))?;
        rest = &rest[length..];
        games.push(replayed(stored, &rules, header.players.len()).map_err(wrong)?);
    }
    if !rest.is_empty() {
        return Err(damaged(&format!(
            "{} bytes follow the last game",
            rest.len()
        )));
    }
    Ok((header, games))
}

/// Replays a stored game.
fn replayed(stored: StoredGame, rules: &Standard, players: usize) -> Result<PlayedGame, String> {
    let start =
        Position::from_bits(stored.start, Standard::SQUARES).ok_or("its start is no position")?;
    let mut replay = super::Replay::new(rules, start, stored.players, players)?;
    let mut plies = Vec::with_capacity(stored.plies.len());
    for ply in &stored.plies {
        let mv = Move::from_number(ply.mv)
            .ok_or_else(|| replay.wrong("the die does not permit the move"))?;
        replay.play(ply.die, mv)?;
        if ply.value.is_some_and(|value| !(0.0..=1.0).contains(&value)) {
            return Err(replay.wrong("the value is no probability"));
        }
        plies.push(Ply {
            outcome: ply.die,
            mv,
            value: ply.value,
            explored: ply.explored,
        });
    }
    let winner = replay.finish(stored.winner)?;
    Ok(PlayedGame {
        record: GameRecord {
            start,
            plies,
            payoffs: won_by(winner),
        },
        players: stored.players,
        labels: Vec::new(),
    })
}
