//! Shards: binary files of finished games. Encoding and decoding check every move against the
//! rules.

mod game_codec;
pub mod labels;
mod layout;
mod replay;

pub use game_codec::{VALUE_STEPS, quantize_value};
pub use labels::{Estimate, Label};
pub(crate) use replay::{NO_RESULT, Replay, check_players};

use crate::Error;
use alea_core::{
    files::{self, FileKind},
    record::GameRecord,
};
use alea_play::{
    canonical_game_hash::canonical_fingerprint, playable::Playable, player_notation::Text,
};
use game_codec::GameCodec;
use layout::{OpenShard, ShardDimensions};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

pub(crate) const SHARD_EXTENSION: &str = "games";

/// Number of games in every shard of a directory except the last, which may have fewer.
pub const GAMES_PER_SHARD: u64 = 4096;

pub(crate) const MAX_GAMES_PER_SHARD: u64 = 1 << 18;

pub(crate) const MAX_LABELS_PER_SHARD: usize = 16;

/// Header of a shard: rules, players and origin of its games, and the optional fields they may
/// have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShardHeader {
    /// Origin of the games: self-play settings, or the command that imported or derived them.
    pub run: serde_json::Value,
    /// Notation of the rules, such as `reversi(size=6)`.
    pub game: String,
    /// Map on which the games were played; `None` if the rules need no map.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<BoardMap>,
    /// Notations or names of the players, to which [`PlayedGame::players`] refers by index.
    pub players: Vec<String>,
    /// Whether games may store thinking times.
    #[serde(default, skip_serializing_if = "labels::is_false")]
    pub times: bool,
    /// Labels of which games may store values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Label>,
    /// Index of the shard's first game in its run, from 0.
    pub first_game: u64,
    /// Number of games in the shard.
    pub games: u64,
    /// Number of games that did not end by the rules; set by [`encode`].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ended_early: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Map text, stored in the header so that games can be read without the map file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardMap {
    /// Content of the map file.
    pub text: String,
    /// Checksum (xxh3) of `text`, 16 hexadecimal digits.
    pub hash: String,
}

impl BoardMap {
    /// Copies the map of `game`; `None` if its rules need no map.
    #[must_use]
    pub fn from_game<G: Playable>(game: &G) -> Option<Self> {
        game.map_text().map(|text| Self {
            hash: format!("{:016x}", xxh3_64(text.as_bytes())),
            text,
        })
    }
}

impl ShardHeader {
    /// Creates a header with rules and map of `game`, and no players, labels or games.
    #[must_use]
    pub fn new<G: Playable>(game: &G, run: serde_json::Value) -> Self {
        Self {
            run,
            game: game.notation(),
            map: BoardMap::from_game(game),
            players: Vec::new(),
            times: false,
            labels: Vec::new(),
            first_game: 0,
            games: 0,
            ended_early: 0,
        }
    }

    /// Creates the rules from notation and map.
    ///
    /// # Errors
    /// If the notation is of another game than `G`, or a parameter or the map's hash is invalid.
    pub fn parse_rules<G: Playable>(&self) -> Result<G, String> {
        parse_rules(&self.game, self.map.as_ref())
    }
}

/// Creates rules from their notation and map.
///
/// # Errors
/// If the notation is of another game than `G`, a parameter or the map's hash is invalid, or the
/// notation names a file without being [trusted](alea_play::player_notation::trusted_text).
pub fn parse_rules<'t, G: Playable>(
    game: impl Into<Text<'t>>,
    map: Option<&BoardMap>,
) -> Result<G, String> {
    let game = game.into();
    if let Some(map) = map
        && map.hash != format!("{:016x}", xxh3_64(map.text.as_bytes()))
    {
        return Err("the map does not match its hash".to_owned());
    }
    let name = game.as_str().split('(').next().unwrap_or_default().trim();
    if name != G::INFO.name {
        return Err(format!(
            "these are games of '{name}', not of '{}'",
            G::INFO.name
        ));
    }
    G::from_notation(game, map.map(|map| map.text.as_str())).map_err(|error| error.to_string())
}

/// A finished game with players, labels and thinking times.
#[derive(Clone, Debug)]
pub struct PlayedGame<G: Playable> {
    /// Start position, plies and result.
    pub record: GameRecord<G>,
    /// Player of each seat, as an index into [`ShardHeader::players`].
    pub players: Vec<u8>,
    /// Estimate before each ply, for each of [`ShardHeader::labels`]; empty if all are `None`.
    pub labels: Vec<Vec<Option<Estimate>>>,
    /// Thinking time of each ply in microseconds, `None` if unknown; empty if all are unknown.
    pub times: Vec<Option<u64>>,
}

// `derive` would require `G: PartialEq`.
impl<G: Playable> PartialEq for PlayedGame<G> {
    fn eq(&self, other: &Self) -> bool {
        (&self.record, &self.players) == (&other.record, &other.players)
            && (&self.labels, &self.times) == (&other.labels, &other.times)
    }
}

impl<G: Playable> PlayedGame<G> {
    /// Creates a game without labels and thinking times.
    #[must_use]
    pub fn new(record: GameRecord<G>, players: Vec<u8>) -> Self {
        Self {
            record,
            players,
            labels: Vec::new(),
            times: Vec::new(),
        }
    }

    /// Hash of start position, chance outcomes and moves.
    #[must_use]
    pub fn fingerprint(&self, game: &G) -> u128 {
        let mut bytes = Vec::with_capacity(16 + 3 * self.record.plies.len());
        game.encode(&self.record.start, &mut bytes);
        let mut replay = Replay::new(game, self.record.start);
        for ply in &self.record.plies {
            // Illegal games are never written: any index will do.
            let index = replay.play(ply.outcome, ply.mv).unwrap_or(usize::MAX) as u16;
            bytes.push(ply.outcome);
            bytes.extend_from_slice(&index.to_le_bytes());
        }
        let mut hasher = Xxh3Default::new();
        hasher.update(&bytes);
        hasher.digest128()
    }

    /// Hash shared by all symmetric images of the game; `docs/reference/formats.md` specifies it.
    #[must_use]
    pub fn canonical_fingerprint(&self, game: &G) -> u128 {
        canonical_fingerprint(game, &self.record).unwrap_or_else(|| self.fingerprint(game))
    }

    /// Win probability of the side to move before ply `ply`, by label `label`, both from 0.
    #[must_use]
    pub fn label_value(&self, label: usize, ply: usize) -> Option<f32> {
        Some(self.label_estimate(label, ply)?.value)
    }

    /// Value and standard error of [`Self::label_value`].
    #[must_use]
    pub fn label_estimate(&self, label: usize, ply: usize) -> Option<Estimate> {
        *self.labels.get(label)?.get(ply)?
    }

    /// Replaces the values of label `label`, one per ply, in a game with `label_count` labels.
    ///
    /// # Panics
    /// If `label` is not below `label_count`.
    pub fn set_label(&mut self, label: usize, label_count: usize, values: Vec<Option<Estimate>>) {
        let plies = self.record.plies.len();
        self.labels.resize(label_count, vec![None; plies]);
        self.labels[label] = values;
        self.drop_empty_fields();
    }

    /// Empties each of `labels` and `times` whose entries are all `None`, as decoding does.
    pub fn drop_empty_fields(&mut self) {
        if self.labels.iter().flatten().all(Option::is_none) {
            self.labels.clear();
        }
        if self.times.iter().all(Option::is_none) {
            self.times.clear();
        }
    }
}

/// Encodes and writes a shard.
///
/// # Errors
/// Those of [`encode`], or if the file cannot be written; an existing file then stays unchanged.
pub fn write<G: Playable>(
    path: &Path,
    header: &ShardHeader,
    games: &[PlayedGame<G>],
) -> Result<(), Error> {
    let bytes = encode(path, header, games)?;
    files::write_atomically(path, |file| file.write_all(&bytes))?;
    Ok(())
}

/// Encodes a shard and rounds values by [`quantize_value`]; errors name `path`.
///
/// # Errors
/// If [`decode`] would refuse the bytes: the header has another number of games, a game is illegal,
/// or a value is outside 0..=1.
pub fn encode<G: Playable>(
    path: &Path,
    header: &ShardHeader,
    games: &[PlayedGame<G>],
) -> Result<Vec<u8>, Error> {
    let refused = |problem: String| Error::at_path(path, format!("not written: {problem}"));
    if header.games != games.len() as u64 || header.games > MAX_GAMES_PER_SHARD {
        return Err(refused(format!(
            "the header counts {} games, there are {} (at most {MAX_GAMES_PER_SHARD})",
            header.games,
            games.len()
        )));
    }
    labels::check(&header.labels).map_err(refused)?;
    let header = &ShardHeader {
        ended_early: count_ended_early(games),
        ..header.clone()
    };
    let rules: G = header.parse_rules().map_err(refused)?;
    let plies = || games.iter().flat_map(|game| &game.record.plies);
    let totals = ShardDimensions {
        plies: plies().count() as u64,
        seats: rules.seats(),
        outcomes: plies()
            .map(|ply| ply.outcome)
            .max()
            .map_or(1, |max_outcome| usize::from(max_outcome) + 1),
    };
    let codec = GameCodec::new(rules, header, totals.outcomes);
    let mut body = Vec::with_capacity(games.len() * 72);
    let mut lengths = Vec::with_capacity(games.len());
    for (number, played) in games.iter().enumerate() {
        let refused = |problem: String| refused(format!("game {number}: {problem}"));
        let from = body.len();
        // Encoding replays the game: hours of play cannot end in an unreadable file.
        codec.encode(played, &mut body).map_err(refused)?;
        lengths.push(
            u32::try_from(body.len() - from).map_err(|_| refused("it is too long".to_owned()))?,
        );
    }
    layout::encode(header, totals, &lengths, &body).map_err(refused)
}

fn count_ended_early<G: Playable>(games: &[PlayedGame<G>]) -> u64 {
    let early = games.iter().filter(|game| !game.record.ending.is_played());
    early.count() as u64
}

/// Reads a shard and replays its games.
///
/// # Errors
/// If the file is not a complete shard of a supported version and of game `G`, or a game is
/// illegal.
pub fn read<G: Playable>(path: &Path) -> Result<(ShardHeader, Vec<PlayedGame<G>>), Error> {
    decode(path, &files::read(path, FileKind::Data)?)
}

/// Decodes a shard and replays its games; errors name `path`.
pub fn decode<G: Playable>(
    path: &Path,
    bytes: &[u8],
) -> Result<(ShardHeader, Vec<PlayedGame<G>>), Error> {
    let (parts, codec) = open_shard::<G>(path, bytes)?;
    let games = replay_games(path, &parts, &codec, &|| false);
    let games = games.collect::<Result<Vec<_>, _>>()?;
    let plies = games
        .iter()
        .map(|game| game.record.plies.len() as u64)
        .sum();
    parts.check_checksum_and_totals(path, plies, count_ended_early(&games))?;
    Ok((parts.header, games))
}

/// Verifies the checksum, then passes replayed games to `take` until that returns false or
/// `should_stop` true; stopping within a game is an error.
pub fn decode_while<G: Playable>(
    path: &Path,
    bytes: &[u8],
    should_stop: &dyn Fn() -> bool,
    mut take: impl FnMut(&G, &ShardHeader, PlayedGame<G>) -> bool,
) -> Result<(G, ShardHeader), Error> {
    let (parts, codec) = open_shard::<G>(path, bytes)?;
    parts.check_checksum(path)?;
    for game in replay_games(path, &parts, &codec, should_stop) {
        if should_stop() || !take(&codec.game, &parts.header, game?) {
            break;
        }
    }
    Ok((codec.game, parts.header))
}

pub(crate) fn stored_checksum(bytes: &[u8]) -> u64 {
    bytes
        .last_chunk()
        .map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

fn open_shard<'a, G: Playable>(
    path: &Path,
    bytes: &'a [u8],
) -> Result<(OpenShard<'a>, GameCodec<G>), Error> {
    let parts = layout::open(path, bytes)?;
    let rules: G = parts
        .header
        .parse_rules()
        .map_err(Error::with_prefix(path.display()))?;
    let ShardDimensions {
        seats, outcomes, ..
    } = parts.totals;
    if seats != rules.seats() || !(1..=256).contains(&outcomes) {
        let problem = format!("header: it has {seats} seats and {outcomes} outcomes");
        return Err(damaged_error(path, &problem));
    }
    let codec = GameCodec::new(rules, &parts.header, outcomes);
    Ok((parts, codec))
}

fn replay_games<'a, G: Playable>(
    path: &'a Path,
    parts: &'a OpenShard<'_>,
    codec: &'a GameCodec<G>,
    should_stop: &'a dyn Fn() -> bool,
) -> impl Iterator<Item = Result<PlayedGame<G>, Error>> + 'a {
    parts.games.iter().enumerate().map(move |(number, bytes)| {
        let game = codec.decode(bytes, should_stop);
        game.map_err(|problem| Error::at_path(path, format!("game {number}: {problem}")))
    })
}

/// Result of [`inspect`].
#[derive(Debug, Default)]
pub struct Inspection {
    /// Header of the file; `None` if unreadable.
    pub header: Option<ShardHeader>,
    /// Number of legal games.
    pub good_games: u64,
    /// Number of plies in legal games.
    pub good_plies: u64,
    /// Errors, each naming the file and, if only one game is affected, that game.
    pub problems: Vec<Error>,
}

/// Checks all games of a shard, also after an invalid one, and collects the errors.
#[must_use]
pub fn inspect<G: Playable>(path: &Path) -> Inspection {
    let mut inspection = Inspection::default();
    if let Err(error) = inspect_into::<G>(path, &mut inspection) {
        inspection.problems.push(error);
    }
    inspection
}

fn inspect_into<G: Playable>(path: &Path, inspection: &mut Inspection) -> Result<(), Error> {
    let bytes = files::read(path, FileKind::Data)?;
    let (parts, codec) = open_shard::<G>(path, &bytes)?;
    inspection.header = Some(parts.header.clone());
    let mut ended_early = 0;
    for game in replay_games(path, &parts, &codec, &|| false) {
        match game {
            Ok(game) => {
                ended_early += u64::from(!game.record.ending.is_played());
                inspection.good_games += 1;
                inspection.good_plies += game.record.plies.len() as u64;
            }
            Err(problem) => inspection.problems.push(problem),
        }
    }
    // With an invalid game, checksum or totals usually differ too.
    if inspection.problems.is_empty() {
        parts.check_checksum_and_totals(path, inspection.good_plies, ended_early)
    } else {
        Ok(())
    }
}

/// Reads a shard's header without checking its games.
pub fn read_header<G: Playable>(path: &Path) -> Result<ShardHeader, Error> {
    let bytes = files::read(path, FileKind::Data)?;
    Ok(open_shard::<G>(path, &bytes)?.0.header)
}

/// Returns the notation of the rules in a shard's header; errors name `path`.
pub fn game_notation(path: &Path, bytes: &[u8]) -> Result<String, Error> {
    Ok(layout::open(path, bytes)?.header.game)
}

fn damaged_error(path: &Path, problem: &str) -> Error {
    Error::at_path(
        path,
        format!("truncated or damaged ({problem}); remove it and the run will make it again"),
    )
}

/// File name of the shard with index `index`, from 0, in its directory.
#[must_use]
pub fn file_name(index: u64) -> String {
    format!("{index:06}.{SHARD_EXTENSION}")
}

/// Lists a directory's shards, sorted by name.
pub fn list(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut paths = files::list(directory)?;
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == SHARD_EXTENSION)
    });
    paths.sort();
    Ok(paths)
}
