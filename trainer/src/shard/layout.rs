//! Layout of a shard file, as specified by `docs/reference/formats.md`, "Record shards". Game
//! lengths precede the games, so damage to one game leaves others readable.

use super::{ShardHeader, damaged_error, labels};
use crate::{Error, codec};
use serde::{Deserialize, Serialize};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"ALEAGAME";
const CHECKSUM_BYTES: usize = 8;

/// Format version of shards whose games all ended by the rules.
const VERSION: u32 = 4;

/// Format version of shards with a game that ended other than by the rules: it stores the ending of
/// each game. Other shards have [`VERSION`].
const VERSION_WITH_ENDINGS: u32 = 5;

const FIXED_BYTES: usize = 20;

#[derive(Serialize, Deserialize)]
struct StoredHeader {
    #[serde(flatten)]
    header: ShardHeader,
    #[serde(flatten)]
    totals: ShardDimensions,
}

/// Shard with verified header and unverified games.
pub(super) struct OpenShard<'a> {
    pub(super) header: ShardHeader,
    pub(super) games: Vec<&'a [u8]>,
    pub(super) totals: ShardDimensions,
    bytes: &'a [u8],
}

#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct ShardDimensions {
    pub(super) plies: u64,
    pub(super) seats: usize,
    pub(super) outcomes: usize,
}

pub(super) fn encode(
    header: &ShardHeader,
    totals: ShardDimensions,
    lengths: &[u32],
    body: &[u8],
) -> Result<Vec<u8>, String> {
    let text = serde_json::to_vec(&StoredHeader {
        header: header.clone(),
        totals,
    })
    .map_err(|error| format!("header: {error}"))?;
    let mut index = Vec::with_capacity(lengths.len() + 8);
    codec::encode(&lengths, &mut index)?;
    let mut bytes = Vec::with_capacity(
        FIXED_BYTES + text.len() + index.len() + body.len() + 2 * CHECKSUM_BYTES,
    );
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&version_of(header).to_le_bytes());
    for part in [&text, &index] {
        let length = u32::try_from(part.len())
            .map_err(|_| format!("the header takes {} bytes", part.len()))?;
        bytes.extend_from_slice(&length.to_le_bytes());
    }
    bytes.extend_from_slice(&text);
    bytes.extend_from_slice(&index);
    bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
    bytes.extend_from_slice(body);
    bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
    Ok(bytes)
}

fn version_of(header: &ShardHeader) -> u32 {
    match header.ended_early {
        0 => VERSION,
        _ => VERSION_WITH_ENDINGS,
    }
}

pub(super) fn open<'a>(path: &Path, bytes: &'a [u8]) -> Result<OpenShard<'a>, Error> {
    if !bytes.starts_with(MAGIC) {
        let magic = String::from_utf8_lossy(MAGIC);
        let problem = format!("not a file of game records (it does not begin with {magic})");
        return Err(Error::at_path(path, problem));
    }
    let damaged_error = |problem: &str| damaged_error(path, problem);
    let version = read_u32(bytes, 8).ok_or_else(|| damaged_error("the version is missing"))?;
    if ![VERSION, VERSION_WITH_ENDINGS].contains(&version) {
        let problem = format!(
            "game records of version {version}; this program reads versions {VERSION} and {VERSION_WITH_ENDINGS}"
        );
        return Err(Error::at_path(path, problem));
    }
    let length = |at: usize| read_u32(bytes, at).and_then(|length| usize::try_from(length).ok());
    let lengths = length(12)
        .zip(length(16))
        .and_then(|(text, index)| Some((text, text.checked_add(index)?.checked_add(FIXED_BYTES)?)));
    let (text, end) = lengths
        .filter(|&(_, end)| end < bytes.len())
        .ok_or_else(|| damaged_error("the header is cut"))?;
    let (head, rest) = bytes.split_at(end);
    let (checksum, rest) = rest
        .split_first_chunk::<CHECKSUM_BYTES>()
        .ok_or_else(|| damaged_error("the header is cut"))?;
    if xxh3_64(head).to_le_bytes() != *checksum {
        return Err(damaged_error("the checksum of its header does not match"));
    }
    let (text, index) = head[FIXED_BYTES..].split_at(text);
    let StoredHeader { header, totals } =
        serde_json::from_slice(text).map_err(|error| damaged_error(&format!("header: {error}")))?;
    if header.first_game.checked_add(header.games).is_none() {
        return Err(damaged_error(
            "header: the games are numbered beyond 64 bits",
        ));
    }
    labels::check(&header.labels)
        .map_err(|problem| damaged_error(&format!("header: {problem}")))?;
    if version != version_of(&header) {
        let early = header.ended_early;
        return Err(damaged_error(&format!(
            "header: {early} games that ended early, in version {version}"
        )));
    }
    let (lengths, consumed) = codec::decode::<Vec<u32>>(index)
        .map_err(|problem| damaged_error(&format!("index: {problem}")))?;
    if consumed != index.len() || lengths.len() as u64 != header.games {
        return Err(damaged_error(
            "the index does not list the games of the header",
        ));
    }
    let mut games = Vec::with_capacity(lengths.len());
    let mut rest = rest;
    for (number, &length) in lengths.iter().enumerate() {
        let cut = || damaged_error(&format!("it ends within game {number}"));
        let (game, after) = rest.split_at_checked(length as usize).ok_or_else(cut)?;
        games.push(game);
        rest = after;
    }
    match rest.len() {
        CHECKSUM_BYTES => Ok(OpenShard {
            header,
            games,
            totals,
            bytes,
        }),
        0..CHECKSUM_BYTES => Err(damaged_error("the checksum is missing")),
        more => Err(damaged_error(&format!(
            "{} bytes follow the last game",
            more - CHECKSUM_BYTES
        ))),
    }
}

impl OpenShard<'_> {
    pub(super) fn check_checksum(&self, path: &Path) -> Result<(), Error> {
        let end = self.bytes.len() - CHECKSUM_BYTES;
        if xxh3_64(&self.bytes[..end]).to_le_bytes() != self.bytes[end..] {
            return Err(damaged_error(
                path,
                "its checksum, the last eight bytes, does not match",
            ));
        }
        Ok(())
    }

    /// Verifies the checksum, and the numbers of plies and of games not ended by the rules.
    pub(super) fn check_checksum_and_totals(
        &self,
        path: &Path,
        plies: u64,
        early: u64,
    ) -> Result<(), Error> {
        self.check_checksum(path)?;
        let stated = (self.totals.plies, self.header.ended_early);
        if (plies, early) != stated {
            let problem = format!(
                "its games have {plies} plies and {early} of them ended early, the header says {} and {}",
                stated.0, stated.1
            );
            return Err(damaged_error(path, &problem));
        }
        Ok(())
    }
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes
        .get(at..at + 4)
        .and_then(|bytes| bytes.try_into().ok())
        .map(u32::from_le_bytes)
}
