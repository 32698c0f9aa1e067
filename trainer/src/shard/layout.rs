//! Layout of a shard file: magic, version, header, index, games, checksums.
//!
//! Specified in `docs/formats.md`, "Record shards". Invariant: a checksum covers every byte, and
//! another one the bytes before the games, so that damage to one game leaves the others readable.

use super::{ShardHeader, damaged, labels};
use crate::{Error, codec};
use serde::{Deserialize, Serialize};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"ALEAGAME";
const CHECKSUM_BYTES: usize = 8;

/// Version of shards whose games all ended by the rules.
const VERSION: u32 = 4;

/// Version of shards with other endings: each game stores its ending.
const WITH_ENDINGS: u32 = 5;

/// Bytes of magic, version, header length and index length.
const FIXED_BYTES: usize = 20;

/// The header as stored in the file.
#[derive(Serialize, Deserialize)]
struct Stored {
    #[serde(flatten)]
    header: ShardHeader,
    #[serde(flatten)]
    totals: Totals,
}

/// A shard with a verified header; its games are not yet checked.
pub(super) struct Parts<'a> {
    pub(super) header: ShardHeader,
    /// Bytes of each game.
    pub(super) games: Vec<&'a [u8]>,
    pub(super) totals: Totals,
    bytes: &'a [u8],
}

/// Figures that follow from the games and are needed to decode them.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct Totals {
    pub(super) plies: u64,
    pub(super) seats: usize,
    /// One more than the largest outcome.
    pub(super) outcomes: usize,
}

pub(super) fn encode(
    header: &ShardHeader,
    totals: Totals,
    lengths: &[u32],
    body: &[u8],
) -> Result<Vec<u8>, String> {
    let text = serde_json::to_vec(&Stored {
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

/// File version for a header.
fn version_of(header: &ShardHeader) -> u32 {
    match header.ended_early {
        0 => VERSION,
        _ => WITH_ENDINGS,
    }
}

/// Decodes everything but the games.
pub(super) fn open<'a>(path: &Path, bytes: &'a [u8]) -> Result<Parts<'a>, Error> {
    if !bytes.starts_with(MAGIC) {
        let magic = String::from_utf8_lossy(MAGIC);
        let problem = format!("not a file of game records (it does not begin with {magic})");
        return Err(Error::at(path, problem));
    }
    let damaged = |problem: &str| damaged(path, problem);
    let version = number_at(bytes, 8).ok_or_else(|| damaged("the version is missing"))?;
    if ![VERSION, WITH_ENDINGS].contains(&version) {
        let problem = format!(
            "game records of version {version}; this program reads versions {VERSION} and {WITH_ENDINGS}"
        );
        return Err(Error::at(path, problem));
    }
    let length = |at: usize| number_at(bytes, at).and_then(|length| usize::try_from(length).ok());
    let lengths = length(12)
        .zip(length(16))
        .and_then(|(text, index)| Some((text, text.checked_add(index)?.checked_add(FIXED_BYTES)?)));
    let (text, end) = lengths
        .filter(|&(_, end)| end < bytes.len())
        .ok_or_else(|| damaged("the header is cut"))?;
    let (head, rest) = bytes.split_at(end);
    let (checksum, rest) = rest
        .split_first_chunk::<CHECKSUM_BYTES>()
        .ok_or_else(|| damaged("the header is cut"))?;
    if xxh3_64(head).to_le_bytes() != *checksum {
        return Err(damaged("the checksum of its header does not fit"));
    }
    let (text, index) = head[FIXED_BYTES..].split_at(text);
    let Stored { header, totals } =
        serde_json::from_slice(text).map_err(|error| damaged(&format!("header: {error}")))?;
    if header.first_game.checked_add(header.games).is_none() {
        return Err(damaged("header: the games are numbered beyond 64 bits"));
    }
    labels::check(&header.labels).map_err(|problem| damaged(&format!("header: {problem}")))?;
    if version != version_of(&header) {
        let early = header.ended_early;
        return Err(damaged(&format!(
            "header: {early} games that ended early, in version {version}"
        )));
    }
    let (lengths, taken) = codec::decode::<Vec<u32>>(index)
        .map_err(|problem| damaged(&format!("index: {problem}")))?;
    if taken != index.len() || lengths.len() as u64 != header.games {
        return Err(damaged("the index does not list the games of the header"));
    }
    let mut games = Vec::with_capacity(lengths.len());
    let mut rest = rest;
    for (number, &length) in lengths.iter().enumerate() {
        let cut = || damaged(&format!("it ends within game {number}"));
        let (game, after) = rest.split_at_checked(length as usize).ok_or_else(cut)?;
        games.push(game);
        rest = after;
    }
    match rest.len() {
        CHECKSUM_BYTES => Ok(Parts {
            header,
            games,
            totals,
            bytes,
        }),
        0..CHECKSUM_BYTES => Err(damaged("the checksum is missing")),
        more => Err(damaged(&format!(
            "{} bytes follow the last game",
            more - CHECKSUM_BYTES
        ))),
    }
}

impl Parts<'"'"'_> {
    /// Checks the checksum of the file.
    pub(super) fn check_bytes(&self, path: &Path) -> Result<(), Error> {
        let end = self.bytes.len() - CHECKSUM_BYTES;
        if xxh3_64(&self.bytes[..end]).to_le_bytes() != self.bytes[end..] {
            return Err(damaged(
                path,
                "its checksum, the last eight bytes, does not fit",
            ));
        }
        Ok(())
    }

    /// Checks the file'"'"'s checksum and its totals against those of the decoded games.
    pub(super) fn check_whole(&self, path: &Path, plies: u64, early: u64) -> Result<(), Error> {
        self.check_bytes(path)?;
        let said = (self.totals.plies, self.header.ended_early);
        if (plies, early) != said {
            let problem = format!(
                "its games have {plies} plies and {early} of them ended early, the header says {} and {}",
                said.0, said.1
            );
            return Err(damaged(path, &problem));
        }
        Ok(())
    }
}

/// The 32-bit number at an offset.
fn number_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes
        .get(at..at + 4)
        .and_then(|bytes| bytes.try_into().ok())
        .map(u32::from_le_bytes)
}
