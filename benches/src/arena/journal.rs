//! The state file of a match: JSON lines, a header that names the match, then one finished pair a
//! line.
//!
//! Lines are appended as pairs finish, in any order. A last line without its line feed was cut off
//! by a crash: it is removed and that pair is played again. Everything before it is kept.
//! Invariant: no pair stands in the file twice, and a file is only ever continued by the match that
//! began it.

use super::{ArenaError, PairResult};
use crate::studies::setups::Setups;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What the header calls the format.
pub(super) const FORMAT: &str = "alea-match-1";

/// Everything that the result of a pair depends on; two matches with equal identities agree on
/// every pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct MatchIdentity {
    pub(super) format: String,
    pub(super) a: String,
    pub(super) b: String,
    pub(super) seed: u64,
    pub(super) setups: Setups,
    pub(super) variant: String,
    pub(super) stones: u8,
    pub(super) die: Vec<f64>,
    /// What the seeds are for, unless it is measuring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) purpose: Option<String>,
    /// Who tells luck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) luck: Option<String>,
}

/// One line after the header.
#[derive(Serialize, Deserialize)]
struct Line {
    /// Which run of the match this is, from 0; every resumption is a new one.
    session: u32,
    /// Nanoseconds since this session began.
    elapsed: u64,
    #[serde(flatten)]
    result: PairResult,
}

/// What a state file held.
#[derive(Default)]
pub(super) struct Known {
    /// Finished pairs.
    pub(super) results: BTreeMap<u64, PairResult>,
    /// Wall time of all sessions.
    pub(super) wall: Duration,
    sessions: u32,
}

/// A state file that is being continued; locked against other processes.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    session: u32,
    began: Instant,
}

impl Journal {
    /// Opens or creates the state file of a match and reads what it holds.
    pub(super) fn open(path: &Path, identity: &MatchIdentity) -> Result<(Self, Known), ArenaError> {
        let failed = |source| ArenaError::File {
            path: path.to_owned(),
            source,
        };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(ArenaError::Busy {
                    path: path.to_owned(),
                });
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        // A device has no end to read up to, and keeps nothing.
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(malformed(path, 1, "this is no regular file"));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let header = serde_json::to_string(identity).map_err(|error| failed(error.into()))? + "\n";
        let complete = bytes
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |last| last + 1);
        if complete == 0 && !header.as_bytes().starts_with(&bytes) {
            return Err(malformed(path, 1, "this is no state file of a match"));
        }
        let known = parse(path, &bytes[..complete], identity)?;
        file.set_len(complete as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        if complete == 0 {
            file.write_all(header.as_bytes())
                .and_then(|()| file.sync_all())
                .map_err(failed)?;
        }
        Ok((
            Self {
                path: path.to_owned(),
                file,
                session: known.sessions,
                began: Instant::now(),
            },
            known,
        ))
    }

    /// Appends a finished pair. Each line is handed to the system at once: a killed process loses
    /// nothing, and a write costs little beside a pair of games.
    pub(super) fn add(&mut self, result: &PairResult) -> Result<(), ArenaError> {
        let line = Line {
            session: self.session,
            elapsed: self.began.elapsed().as_nanos() as u64,
            result: result.clone(),
        };
        let text = serde_json::to_string(&line).map_err(|error| self.failed(error.into()))?;
        self.file
            .write_all((text + "\n").as_bytes())
            .map_err(|source| self.failed(source))
    }

    /// Brings everything to disk.
    pub(super) fn close(self) -> Result<(), ArenaError> {
        self.file.sync_all().map_err(|source| self.failed(source))
    }

    fn failed(&self, source: std::io::Error) -> ArenaError {
        ArenaError::File {
            path: self.path.clone(),
            source,
        }
    }
}

fn malformed(path: &Path, line: usize, problem: impl Into<String>) -> ArenaError {
    ArenaError::Malformed {
        path: path.to_owned(),
        line,
        problem: problem.into(),
    }
}

/// Reads the complete lines of a state file.
fn parse(path: &Path, bytes: &[u8], wanted: &MatchIdentity) -> Result<Known, ArenaError> {
    let mut known = Known::default();
    let mut session_ends = BTreeMap::<u32, u64>::new();
    let lines = bytes
        .split(|&byte| byte == b'\n')
        .enumerate()
        .map(|(index, line)| (index + 1, line));
    // Splitting text that ends in a line feed leaves an empty piece after it.
    for (number, line) in lines.take(bytes.iter().filter(|&&byte| byte == b'\n').count()) {
        if number == 1 {
            let found: MatchIdentity = serde_json::from_slice(line).map_err(|error| {
                malformed(
                    path,
                    1,
                    format!("this is no state file of a match: {error}"),
                )
            })?;
            same(path, &found, wanted)?;
            continue;
        }
        let line: Line = serde_json::from_slice(line).map_err(|error| {
            malformed(
                path,
                number,
                format!(
                    "expected a finished pair of games: {error}; remove this line to play it again"
                ),
            )
        })?;
        let pair = line.result.pair;
        if known.results.insert(pair, line.result).is_some() {
            return Err(malformed(
                path,
                number,
                format!("pair {pair} stands in the file twice; remove one of its lines"),
            ));
        }
        let end = session_ends.entry(line.session).or_default();
        *end = line.elapsed.max(*end);
    }
    known.wall = session_ends.values().fold(Duration::ZERO, |sum, &end| {
        sum.saturating_add(Duration::from_nanos(end))
    });
    known.sessions = session_ends
        .last_key_value()
        .map_or(0, |(&last, _)| last.saturating_add(1));
    Ok(known)
}

fn or_none(text: &Option<String>) -> String {
    text.clone().unwrap_or_else(|| "none".to_owned())
}

/// Names the first thing in which two matches differ.
fn same(path: &Path, found: &MatchIdentity, wanted: &MatchIdentity) -> Result<(), ArenaError> {
    let differences = [
        ("format", found.format.clone(), wanted.format.clone()),
        ("first player", found.a.clone(), wanted.a.clone()),
        ("second player", found.b.clone(), wanted.b.clone()),
        ("seed", found.seed.to_string(), wanted.seed.to_string()),
        (
            "choice of set-ups",
            found.setups.to_string(),
            wanted.setups.to_string(),
        ),
        (
            "rule variant",
            found.variant.clone(),
            wanted.variant.clone(),
        ),
        (
            "number of stones",
            found.stones.to_string(),
            wanted.stones.to_string(),
        ),
        (
            "die",
            format!("{:?}", found.die),
            format!("{:?}", wanted.die),
        ),
        ("purpose", or_none(&found.purpose), or_none(&wanted.purpose)),
        (
            "teller of luck",
            or_none(&found.luck),
            or_none(&wanted.luck),
        ),
    ];
    for (key, found, wanted) in differences {
        if found != wanted {
            return Err(ArenaError::OtherMatch {
                path: path.to_owned(),
                key,
                found,
                wanted,
            });
        }
    }
    if found != wanted {
        // Long lists of set-ups are named by their length only.
        return Err(ArenaError::OtherMatch {
            path: path.to_owned(),
            key: "list of set-ups",
            found: "another one".to_owned(),
            wanted: "the one given".to_owned(),
        });
    }
    Ok(())
}
