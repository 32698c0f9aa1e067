//! Record shards: files of finished games.
//!
//! Layout (version 1, little endian; `docs/formats.md`): the magic `ALEAGAME`, the version, the header as JSON, the
//! games in bincode, and an xxh3 of all that came before. A shard appears complete or not at all. Invariant: reading
//! replays every game, so what is returned was played by the rules, and what cannot be read is not written.

use crate::codec;
use engine::dice::Die;
use engine::files;
use engine::game::{Game, won_by};
use engine::games::einstein::{Move, Position, Standard, Variant};
use engine::record::{GameRecord, Ply};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// Version of the format; files of any other are refused.
pub const VERSION: u32 = 1;

/// File extension of a shard.
pub const EXTENSION: &str = "games";

const MAGIC: &[u8; 8] = b"ALEAGAME";
const CHECKSUM_BYTES: usize = 8;

/// What a shard says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShardHeader {
    /// The settings of the run, as JSON: with `first_game` and `games` they determine every byte of the games, unless
    /// a player has a time limit.
    pub run: serde_json::Value,
    /// Notations of the players; games refer to them by index.
    pub players: Vec<String>,
    /// `classic` or `nearest`.
    pub variant: String,
    /// Index within the run of the first game.
    pub first_game: u64,
    /// Number of games.
    pub games: u64,
}

/// A game of a shard, and who played it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame {
    /// The game.
    pub record: GameRecord<Standard>,
    /// For Red and Blue the index into [`ShardHeader::players`].
    pub players: [u8; 2],
}

/// Why a shard cannot be read or written. Every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    /// Reading or writing failed.
    #[error(transparent)]
    File(#[from] files::FileError),
    /// The file is not a shard at all.
    #[error("{}: not a file of game records (it does not begin with {})", .0.display(), String::from_utf8_lossy(MAGIC))]
    Foreign(PathBuf),
    /// The file is of another version.
    #[error("{}: game records of version {found}; this program reads version {VERSION}", .path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The file is truncated or damaged.
    #[error("{}: truncated or damaged ({problem}); remove it and the run will make it again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        problem: String,
    },
    /// A game does not follow the rules.
    #[error("{}: game {game}: {problem}", .path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// The game, counted from 0 within the file.
        game: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// The games would not be read again as they are.
    #[error("{}: not written: {problem}", .path.display())]
    Encode {
        /// The file that was to be written.
        path: PathBuf,
        /// What went wrong.
        problem: String,
    },
}

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

/// Writes a shard.
///
/// # Errors
/// As [`encode`], or if the file cannot be written; the file's name then holds what it held before.
pub fn write(path: &Path, header: &ShardHeader, games: &[PlayedGame]) -> Result<(), ShardError> {
    let bytes = encode(path, header, games)?;
    files::write_atomically(path, |file| file.write_all(&bytes))?;
    Ok(())
}

/// The bytes of a shard; `path` names it in errors.
///
/// # Errors
/// If [`decode`] would refuse the bytes: the header counts other games, or a game breaks the rules, or has a value
/// that is no probability.
pub fn encode(path: &Path, header: &ShardHeader, games: &[PlayedGame]) -> Result<Vec<u8>, ShardError> {
    let refused = |problem: String| ShardError::Encode { path: path.to_owned(), problem };
    if header.games != games.len() as u64 {
        return Err(refused(format!("the header counts {} games, there are {}", header.games, games.len())));
    }
    let rules = rules_of(header).map_err(refused)?;
    let text = serde_json::to_vec(header).map_err(|error| refused(format!("header: {error}")))?;
    let length = u32::try_from(text.len()).map_err(|_| refused(format!("the header takes {} bytes", text.len())))?;
    let mut bytes = Vec::with_capacity(text.len() + games.len() * 160 + 64);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&text);
    for (number, game) in games.iter().enumerate() {
        let refused = |problem: String| refused(format!("game {number}: {problem}"));
        let stored = stored(game);
        codec::encode(&stored, &mut bytes).map_err(refused)?;
        // Hours of play must not end in a file that nobody can read.
        if replayed(stored, &rules, header.players.len()).map_err(refused)? != *game {
            return Err(refused("the payoffs are not those of its winner".to_owned()));
        }
    }
    let checksum = xxh3_64(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    Ok(bytes)
}

/// Reads a shard and replays its games.
///
/// # Errors
/// If the file is no complete shard of this version, or one of its games breaks the rules.
pub fn read(path: &Path) -> Result<(ShardHeader, Vec<PlayedGame>), ShardError> {
    decode(path, &files::read(path)?)
}

/// Reads the bytes of a shard and replays its games; `path` names it in errors.
///
/// # Errors
/// As [`read`].
pub fn decode(path: &Path, bytes: &[u8]) -> Result<(ShardHeader, Vec<PlayedGame>), ShardError> {
    let damaged = |problem: &str| ShardError::Damaged { path: path.to_owned(), problem: problem.to_owned() };
    if !bytes.starts_with(MAGIC) {
        return Err(ShardError::Foreign(path.to_owned()));
    }
    let number = |at: usize| bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
    let version = number(8).ok_or_else(|| damaged("the version is missing"))?;
    if version != VERSION {
        return Err(ShardError::Version { path: path.to_owned(), found: version });
    }
    let end = bytes.len().checked_sub(CHECKSUM_BYTES).filter(|&end| end >= 16).ok_or_else(|| damaged("the checksum is missing"))?;
    if xxh3_64(&bytes[..end]).to_le_bytes() != bytes[end..] {
        return Err(damaged("its checksum does not fit"));
    }
    let text =
        number(12).and_then(|length| bytes[16..end].get(..usize::try_from(length).ok()?)).ok_or_else(|| damaged("the header is cut"))?;
    let header: ShardHeader = serde_json::from_slice(text).map_err(|error| damaged(&format!("header: {error}")))?;
    if header.first_game.checked_add(header.games).is_none() {
        return Err(damaged("header: the games are numbered beyond 64 bits"));
    }
    let rules = rules_of(&header).map_err(|problem| damaged(&problem))?;
    let mut rest = &bytes[16 + text.len()..end];
    // Grown game by game: the header's number is not believed before the games are there.
    let mut games = Vec::new();
    for game in 0..header.games {
        let wrong = |problem: String| ShardError::Game { path: path.to_owned(), game, problem };
        let (stored, length) = codec::decode::<StoredGame>(rest).map_err(|problem| wrong(format!("its bytes are no game ({problem})")))?;
        rest = &rest[length..];
        games.push(replayed(stored, &rules, header.players.len()).map_err(wrong)?);
    }
    if !rest.is_empty() {
        return Err(damaged(&format!("{} bytes follow the last game", rest.len())));
    }
    Ok((header, games))
}

/// The shards of a directory, in the order of their names.
///
/// # Errors
/// If the directory cannot be read.
pub fn list(directory: &Path) -> Result<Vec<PathBuf>, ShardError> {
    let mut paths = files::list(directory)?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
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
    let variant = variant_named(&header.variant).ok_or_else(|| format!("there is no variant '{}'", header.variant))?;
    Ok(Standard::new(variant, Die::fair()))
}

fn stored(game: &PlayedGame) -> StoredGame {
    let record = &game.record;
    let ply = |ply: &Ply<Move>| StoredPly { die: ply.outcome, mv: ply.mv.number(), explored: ply.explored, value: ply.value };
    StoredGame {
        start: record.start.bits(),
        players: game.players,
        winner: u8::from(record.payoffs[1] > 0.5),
        plies: record.plies.iter().map(ply).collect(),
    }
}

/// Replays a stored game.
fn replayed(stored: StoredGame, rules: &Standard, players: usize) -> Result<PlayedGame, String> {
    if stored.players.iter().any(|&player| usize::from(player) >= players) {
        return Err("names a player that the header does not".to_owned());
    }
    let start = Position::from_bits(stored.start, Standard::SQUARES).ok_or("its start is no position")?;
    let mut position = start;
    let mut plies = Vec::with_capacity(stored.plies.len());
    for (number, ply) in stored.plies.iter().enumerate() {
        let wrong = |problem: &str| Err(format!("ply {number}: {problem}"));
        if rules.winner(&position).is_some() {
            return wrong("the game was over before");
        }
        if !(1..=6).contains(&ply.die) {
            return wrong("the die shows no face");
        }
        let mv = Move::from_number(ply.mv).filter(|mv| rules.legal_moves(&position, ply.die).contains(mv));
        let Some(mv) = mv else { return wrong("the die does not permit the move") };
        if ply.value.is_some_and(|value| !(0.0..=1.0).contains(&value)) {
            return wrong("the value is no probability");
        }
        plies.push(Ply { outcome: ply.die, mv, value: ply.value, explored: ply.explored });
        position = rules.play(&position, mv);
    }
    let winner = rules.winner(&position).ok_or("it has no end")?;
    if winner != usize::from(stored.winner) {
        return Err("the winner is another than the moves say".to_owned());
    }
    Ok(PlayedGame { record: GameRecord { start, plies, payoffs: won_by(winner) }, players: stored.players })
}
