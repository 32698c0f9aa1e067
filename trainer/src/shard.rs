//! Record shards: files of finished games.
//!
//! Versions 2 and 3 (`docs/formats.md`) are laid out by hand: `shard/layout.rs` the file,
//! `shard/game.rs` a game; 3 is 2 with labels (`shard/labels.rs`). Version 1 is still read
//! (`shard/version1.rs`). A shard appears complete or not at all. Invariant: reading replays every
//! game, so what is returned was played by the rules, and what cannot be read is not written.

mod error;
mod game;
pub mod labels;
mod layout;
mod replay;
mod version1;

pub use error::ShardError;
pub use game::{VALUE_STEPS, rounded};
pub use labels::Label;
pub use replay::Replay;

use engine::core::files;
use engine::core::record::GameRecord;
use engine::games::einstein::dice::Die;
use engine::games::einstein::{Standard, Variant};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3Default;

/// Latest version of the format; those from 1 on are read, and any other refused. See
/// [`ShardHeader::version`].
pub const VERSION: u32 = 3;

/// File extension of a shard.
pub const EXTENSION: &str = "games";

/// Games of one shard of a run; about 270 KB a file.
pub const GAMES_PER_SHARD: u64 = 4096;

/// Most games that a shard may have.
pub const MOST_GAMES: u64 = 1 << 18;

/// Most labels that a shard may have.
pub const MOST_LABELS: usize = 16;

const MAGIC: &[u8; 8] = b"ALEAGAME";
const CHECKSUM_BYTES: usize = 8;

/// What a shard says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShardHeader {
    /// The settings of the run, as JSON: with `first_game` and `games` they determine every byte of
    /// the games, unless a player has a time limit.
    pub run: serde_json::Value,
    /// Notations of the players; games refer to them by index.
    pub players: Vec<String>,
    /// `classic` or `nearest`.
    pub variant: String,
    /// The labels that its games may carry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Label>,
    /// Index within the run of the first game.
    pub first_game: u64,
    /// Number of games.
    pub games: u64,
}

impl ShardHeader {
    /// The version that is written: 3 with labels, and 2 without, which older programs read, too.
    #[must_use]
    pub fn version(&self) -> u32 {
        if self.labels.is_empty() { 2 } else { 3 }
    }
}

/// A game of a shard, and who played it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame {
    /// The game.
    pub record: GameRecord<Standard>,
    /// For Red and Blue the index into [`ShardHeader::players`].
    pub players: [u8; 2],
    /// For each of [`ShardHeader::labels`], what it says of the position before each ply; empty if
    /// it says nothing of this game.
    pub labels: Vec<Vec<Option<f32>>>,
}

impl PlayedGame {
    /// What tells games apart: their start, dice and moves. Two games of the same fingerprint are,
    /// but for chance, the same.
    #[must_use]
    pub fn fingerprint(&self) -> u128 {
        let mut hasher = Xxh3Default::new();
        hasher.update(&self.record.start.bits().to_le_bytes());
        for ply in &self.record.plies {
            hasher.update(&[ply.outcome, ply.mv.number()]);
        }
        hasher.digest128()
    }
}

/// Writes a shard.
///
/// # Errors
/// As [`encode`], or if the file cannot be written; the file's name then holds what it held before.
pub fn write(path: &Path, header: &ShardHeader, games: &[PlayedGame]) -> Result<(), ShardError> {
    let bytes = encode(path, header, games)?;
    files::write_atomically(path, |file| file.write_all(&bytes))?;
    Ok(())
}

/// The bytes of a shard; `path` names it in errors. Values are [`rounded`].
///
/// # Errors
/// If [`decode`] would refuse the bytes: the header counts other games, or a game breaks the rules,
/// or has a value that is no probability.
pub fn encode(
    path: &Path,
    header: &ShardHeader,
    games: &[PlayedGame],
) -> Result<Vec<u8>, ShardError> {
    let refused = |problem: String| ShardError::Encode {
        path: path.to_owned(),
        problem,
    };
    if header.games != games.len() as u64 || header.games > MOST_GAMES {
        return Err(refused(format!(
            "the header counts {} games, there are {} (at most {MOST_GAMES})",
            header.games,
            games.len()
        )));
    }
    labels::check(&header.labels).map_err(refused)?;
    let rules = rules_of(header).map_err(refused)?;
    let mut body = Vec::with_capacity(games.len() * 72);
    let mut lengths = Vec::with_capacity(games.len());
    for (number, played) in games.iter().enumerate() {
        let refused = |problem: String| refused(format!("game {number}: {problem}"));
        let from = body.len();
        game::encode(played, header.labels.len(), &mut body).map_err(refused)?;
        lengths.push(
            u16::try_from(body.len() - from).map_err(|_| refused("it is too long".to_owned()))?,
        );
        // Hours of play must not end in a file that nobody can read.
        let read = game::decode(
            &body[from..],
            &rules,
            header.players.len(),
            header.labels.len(),
        )
        .map_err(refused)?;
        if !game::is_rounding_of(&read, played) {
            return Err(refused(
                "the payoffs are not those of its winner".to_owned(),
            ));
        }
    }
    let plies = games
        .iter()
        .map(|game| game.record.plies.len() as u64)
        .sum();
    layout::encode(header, plies, &lengths, &body).map_err(refused)
}

/// Reads a shard and replays its games.
///
/// # Errors
/// If the file is no complete shard of a version that is read, or one of its games breaks the
/// rules.
pub fn read(path: &Path) -> Result<(ShardHeader, Vec<PlayedGame>), ShardError> {
    decode(path, &files::read(path)?)
}

/// Reads the bytes of a shard and replays its games; `path` names it in errors.
///
/// # Errors
/// As [`read`].
pub fn decode(path: &Path, bytes: &[u8]) -> Result<(ShardHeader, Vec<PlayedGame>), ShardError> {
    if version(path, bytes)? == 1 {
        return version1::decode(path, bytes);
    }
    let parts = layout::open(path, bytes)?;
    let rules = rules_of(&parts.header).map_err(|problem| damaged(path, &problem))?;
    let mut games = Vec::with_capacity(parts.games.len());
    for (number, bytes) in parts.games.iter().enumerate() {
        let game = game::decode(
            bytes,
            &rules,
            parts.header.players.len(),
            parts.header.labels.len(),
        );
        games.push(game.map_err(|problem| ShardError::Game {
            path: path.to_owned(),
            game: number as u64,
            problem,
        })?);
    }
    let plies: u64 = games
        .iter()
        .map(|game| game.record.plies.len() as u64)
        .sum();
    parts.check_whole(path, plies)?;
    Ok((parts.header, games))
}

/// What [`inspect`] found in one file.
#[derive(Debug, Default)]
pub struct Inspection {
    /// What the shard says of itself, if that can be read.
    pub header: Option<ShardHeader>,
    /// Games that follow the rules.
    pub good_games: u64,
    /// Plies of these games.
    pub good_plies: u64,
    /// Everything that is wrong with the file; each error names it, and the game if it is one.
    pub problems: Vec<ShardError>,
}

/// Reads a shard to its end whatever is wrong with it: each game that is damaged or breaks the
/// rules is named. A shard of version 1 has no marks between its games, so only the first problem
/// is known.
#[must_use]
pub fn inspect(path: &Path) -> Inspection {
    let mut found = Inspection::default();
    if let Err(error) = inspect_into(path, &mut found) {
        found.problems.push(error);
    }
    found
}

fn inspect_into(path: &Path, found: &mut Inspection) -> Result<(), ShardError> {
    let bytes = files::read(path)?;
    if version(path, &bytes)? == 1 {
        let (header, games) = version1::decode(path, &bytes)?;
        found.header = Some(header);
        found.good_games = games.len() as u64;
        found.good_plies = games
            .iter()
            .map(|game| game.record.plies.len() as u64)
            .sum();
        return Ok(());
    }
    let parts = layout::open(path, &bytes)?;
    found.header = Some(parts.header.clone());
    let rules = rules_of(&parts.header).map_err(|problem| damaged(path, &problem))?;
    for (number, bytes) in parts.games.iter().enumerate() {
        match game::decode(
            bytes,
            &rules,
            parts.header.players.len(),
            parts.header.labels.len(),
        ) {
            Ok(game) => {
                found.good_games += 1;
                found.good_plies += game.record.plies.len() as u64;
            }
            Err(problem) => found.problems.push(ShardError::Game {
                path: path.to_owned(),
                game: number as u64,
                problem,
            }),
        }
    }
    // Where a game is bad the file's own checksum fails as well, which says nothing new.
    if found.problems.is_empty() {
        parts.check_whole(path, found.good_plies)
    } else {
        Ok(())
    }
}

/// The header of a shard alone: quick, and without a look at the games.
///
/// # Errors
/// If the file is no shard of a version that is read, or its beginning is damaged.
pub fn read_header(path: &Path) -> Result<ShardHeader, ShardError> {
    let bytes = files::read(path)?;
    if version(path, &bytes)? == 1 {
        Ok(version1::decode(path, &bytes)?.0)
    } else {
        Ok(layout::open(path, &bytes)?.header)
    }
}

/// The version that a file's first bytes name; one that is read.
///
/// # Errors
/// If it is no shard, or of a version that is not read.
pub fn version(path: &Path, bytes: &[u8]) -> Result<u32, ShardError> {
    if !bytes.starts_with(MAGIC) {
        return Err(ShardError::Foreign(path.to_owned()));
    }
    match layout::number_at(bytes, 8).ok_or_else(|| damaged(path, "the version is missing"))? {
        found @ 1..=VERSION => Ok(found),
        found => Err(ShardError::Version {
            path: path.to_owned(),
            found,
        }),
    }
}

fn damaged(path: &Path, problem: &str) -> ShardError {
    ShardError::Damaged {
        path: path.to_owned(),
        problem: problem.to_owned(),
    }
}

/// The name of a run's shard, counted from 0.
#[must_use]
pub fn file_name(index: u64) -> String {
    format!("{index:06}.{EXTENSION}")
}

/// The shards of a directory, in the order of their names.
///
/// # Errors
/// If the directory cannot be read.
pub fn list(directory: &Path) -> Result<Vec<PathBuf>, ShardError> {
    let mut paths = files::list(directory)?;
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == EXTENSION)
    });
    paths.sort();
    Ok(paths)
}

/// The variant of a name used in headers and on the command line.
#[must_use]
pub fn variant_named(name: &str) -> Option<Variant> {
    match name {
        "classic" => Some(Variant::Classic),
        "nearest" => Some(Variant::NearestOnly),
        _ => None,
    }
}

fn rules_of(header: &ShardHeader) -> Result<Standard, String> {
    let variant = variant_named(&header.variant)
        .ok_or_else(|| format!("there is no variant '{}'", header.variant))?;
    Ok(Standard::new(variant, Die::fair()))
}
