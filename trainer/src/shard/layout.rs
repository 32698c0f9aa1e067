//! The file around its games, in versions 2 to 5 alike: magic, version, header, index, games, checksums.
//!
//! The only file that knows that layout (`docs/formats.md`, "Record shards"). Invariant: every byte
//! is covered by a checksum, and what lies before the games by one of its own, so that damage to a
//! game leaves the others readable.

use super::{CHECKSUM_BYTES, MAGIC, ShardHeader, VERSION, WITH_ENDINGS, damaged, labels};
use crate::{Error, codec};
use serde::{Deserialize, Serialize};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// Magic, version, length of the header, length of the index.
const FIXED_BYTES: usize = 20;

/// The header as it is stored.
#[derive(Serialize, Deserialize)]
struct Stored {
    #[serde(flatten)]
    header: ShardHeader,
    #[serde(flatten)]
    totals: Totals,
}

/// A shard whose beginning has been checked; its games have not.
pub(super) struct Parts<'a> {
    pub(super) header: ShardHeader,
    /// The bytes of each game.
    pub(super) games: Vec<&'a [u8]>,
    pub(super) totals: Totals,
    bytes: &'a [u8],
}

/// What follows from the games, and helps to read them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Totals {
    /// Of all games.
    pub(super) plies: u64,
    /// Of every game; absent in versions 2 and 3.
    #[serde(default)]
    pub(super) seats: usize,
    /// One more than the greatest; absent likewise.
    #[serde(default)]
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
    let version = match header.ended_early {
        0 => VERSION,
        _ => WITH_ENDINGS,
    };
    bytes.extend_from_slice(&version.to_le_bytes());
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

/// Reads all but the games of a file that names a version which is read.
pub(super) fn open<'a>(path: &Path, bytes: &'a [u8], version: u32) -> Result<Parts<'a>, Error> {
    let damaged = |problem: &str| damaged(path, problem);
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
    let Stored { mut header, totals } =
        serde_json::from_slice(text).map_err(|error| damaged(&format!("header: {error}")))?;
    if header.first_game.checked_add(header.games).is_none() {
        return Err(damaged("header: the games are numbered beyond 64 bits"));
    }
    labels::check(&header.labels).map_err(|problem| damaged(&format!("header: {problem}")))?;
    if version < VERSION {
        labels::mark_exact(&mut header.labels);
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

impl Parts<'_> {
    /// Whether the bytes of the file are those that were written.
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

    /// Whether the file as a whole is what was written, once each game is known to be.
    pub(super) fn check_whole(&self, path: &Path, found: Totals) -> Result<(), Error> {
        self.check_bytes(path)?;
        if found != self.totals {
            return Err(damaged(
                path,
                &format!(
                    "its games have {found:?}, the header says {:?}",
                    self.totals
                ),
            ));
        }
        Ok(())
    }
}

/// The 32-bit number at a place.
pub(super) fn number_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes
        .get(at..at + 4)
        .and_then(|bytes| bytes.try_into().ok())
        .map(u32::from_le_bytes)
}
