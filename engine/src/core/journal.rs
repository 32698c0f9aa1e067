//! The journal of long work: JSON lines, a header that names the work, then a finished part of it a
//! line.
//!
//! Every line but the header ends with its checksum. Lines are appended as parts finish, in any
//! order and at once: a killed program loses nothing but a last line without its line feed, whose
//! part is done again. Work that is spread over tasks has a journal for each, which are collected in
//! the order of numbers. Invariant: no part stands in a file twice or is another than was written,
//! and a file is only continued by the work that began it.

use crate::core::{
    files::{self, FileError, checksum},
    interruption,
    share::{Share, Tasks},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    marker::PhantomData,
    ops::Range,
    path::{Path, PathBuf},
};

/// Most characters of a setting that an error shows.
const MOST_SHOWN: usize = 60;

/// Why a journal cannot be used, as one line that names the file.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another process has it.
    #[error("{0}")]
    Busy(String),
    /// It could not be read or written, is none, is damaged, or belongs to other work.
    #[error("{0}")]
    Unusable(String),
    /// What was collected could not be written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl JournalError {
    fn system(path: &Path, cause: &io::Error) -> Self {
        Self::Unusable(format!("{}: {cause}", path.display()))
    }
}

/// How errors speak of the work.
#[derive(Clone, Copy, Debug)]
pub struct Wording {
    /// The whole: `match`.
    pub work: &'static str,
    /// One part: `pair`.
    pub part: &'static str,
}

/// A journal that is being continued; locked against other processes. `L` is what a line holds.
pub struct Journal<L> {
    path: PathBuf,
    file: File,
    lines: PhantomData<fn(&L)>,
}

impl<L: Serialize + DeserializeOwned> Journal<L> {
    /// Opens or creates the file and reads the parts it holds by their numbers. `identity` is an
    /// object that names everything the results depend on; absent keys equal `null`.
    ///
    /// # Errors
    /// If the file cannot be used, or belongs to other work.
    pub fn open(
        path: &Path,
        wording: Wording,
        identity: &Value,
        number: impl Fn(&L) -> u64,
    ) -> Result<(Self, BTreeMap<u64, L>), JournalError> {
        let work = wording.work;
        let failed = |cause| JournalError::system(path, &cause);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let problem = format!("{}: another {work} is writing this file", path.display());
                return Err(JournalError::Busy(problem));
            }
            // Some file systems know no locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        // A device has no end to read up to, and keeps nothing.
        if !file.metadata().map_err(failed)?.is_file() {
            let problem = format!("{}:1: this is no regular file", path.display());
            return Err(JournalError::Unusable(problem));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let (complete, known) = parts(path, &bytes, wording, identity, number)?;
        file.set_len(complete as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        if complete == 0 {
            file.write_all(format!("{identity}\n").as_bytes())
                .and_then(|()| file.sync_all())
                .map_err(failed)?;
        }
        interruption::keeps(path);
        let journal = Self {
            path: path.to_owned(),
            file,
            lines: PhantomData,
        };
        Ok((journal, known))
    }

    /// Opens the journal of a share of work with so many parts, as [`Journal::open`]. A task has a
    /// file of its own, [`Share::place`], and knows what the whole file holds besides; to collect, the
    /// whole file is given what it lacks of that which tasks did.
    ///
    /// # Errors
    /// As [`Journal::open`]. That tasks are missing is none: [`Shared::missing`] says so.
    pub fn open_share(
        path: &Path,
        wording: Wording,
        identity: &Value,
        number: impl Fn(&L) -> u64,
        (share, parts): (Share, u64),
    ) -> Result<Shared<L>, JournalError> {
        let mut missing = None;
        if let Share::Merge { of } = share {
            missing = Self::merge(path, wording, identity, &number, (of, parts))?;
        }
        let identity_here = share_of(identity, share, parts);
        let place = share.place(path);
        let (journal, mut known) = Self::open(&place, wording, &identity_here, &number)?;
        if share.is_task() && path.exists() {
            known.extend(read(path, wording, identity, &number)?);
        }
        Ok(Shared {
            journal,
            known,
            missing,
        })
    }

    /// Adds to the whole file what it lacks of that which tasks did, reading one after the other.
    /// Says in a line which have not done all of theirs, or cannot be believed.
    fn merge(
        path: &Path,
        wording: Wording,
        identity: &Value,
        number: &impl Fn(&L) -> u64,
        (of, parts): (u64, u64),
    ) -> Result<Option<String>, JournalError> {
        let (journal, mut known) = Self::open(path, wording, identity, number)?;
        let lacks = |known: &BTreeMap<u64, L>, range: &Range<u64>| {
            let there = known.range(range.clone()).count() as u64;
            there < range.end - range.start
        };
        if !lacks(&known, &(0..parts)) {
            return Ok(None);
        }
        drop(journal);
        let (mut missing, mut refused) = (Tasks::default(), Vec::new());
        files::write_atomically(path, |file| {
            writeln!(file, "{identity}")?;
            let mut write = |lines: &BTreeMap<u64, L>| {
                lines.values().try_for_each(|line| {
                    writeln!(file, "{}", sealed(&serde_json::to_string(line)?))
                })
            };
            for task in 0..of {
                let share = Share::Task { number: task, of };
                let range = share.parts(parts);
                let later = known.split_off(&range.end);
                let mut lines = std::mem::replace(&mut known, later);
                if lacks(&lines, &range) {
                    let identity = share_of(identity, share, parts);
                    match read(&share.place(path), wording, &identity, number) {
                        Ok(found) => lines.extend(found),
                        Err(error) => refused.push(error.to_string()),
                    }
                }
                if lacks(&lines, &range) {
                    missing.add(task);
                }
                write(&lines)?;
            }
            // Those of longer work that went before.
            write(&known)
        })?;
        let first = match &refused[..] {
            [] => String::new(),
            [only] => format!("; {only}"),
            [first, others @ ..] => format!("; {first}; and {} more like that", others.len()),
        };
        Ok(missing.told(path, of).map(|told| told + &first))
    }

    /// Appends a finished part.
    pub fn add(&mut self, line: &L) -> Result<(), JournalError> {
        serde_json::to_string(line)
            .map_err(io::Error::from)
            .and_then(|text| self.file.write_all((sealed(&text) + "\n").as_bytes()))
            .map_err(|cause| JournalError::system(&self.path, &cause))
    }

    /// Brings everything to disk.
    ///
    /// # Errors
    /// If that fails, or the file was removed meanwhile: what was written is gone.
    pub fn close(self) -> Result<(), JournalError> {
        let synced = self.file.sync_all();
        synced
            .and_then(|()| self.path.metadata().map(drop))
            .map_err(|cause| JournalError::system(&self.path, &cause))
    }
}

/// A journal of a share of some work.
pub struct Shared<L> {
    /// The journal.
    pub journal: Journal<L>,
    /// What is known by its number, be it of this share or not.
    pub known: BTreeMap<u64, L>,
    /// Where all was to be collected and is not there: what is missing, in a line.
    pub missing: Option<String>,
}

impl<L> Shared<L> {
    /// Journal and known parts, where work ends only when all of it is done.
    ///
    /// # Errors
    /// If all was to be collected and is not there.
    pub fn complete(self) -> Result<(Journal<L>, BTreeMap<u64, L>), JournalError> {
        match self.missing {
            Some(missing) => Err(JournalError::Unusable(missing)),
            None => Ok((self.journal, self.known)),
        }
    }
}

/// The identity of a share of work with so many parts.
fn share_of(identity: &Value, share: Share, parts: u64) -> Value {
    let mut identity = identity.clone();
    if let Share::Task { number, of } = share {
        identity["task"] = format!("{}/{of} of {parts}", number + 1).into();
    }
    identity
}

/// The parts that a file holds, if there is one; nothing of it changes.
fn read<L: DeserializeOwned>(
    path: &Path,
    wording: Wording,
    identity: &Value,
    number: impl Fn(&L) -> u64,
) -> Result<BTreeMap<u64, L>, JournalError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(parts(path, &bytes, wording, identity, number)?.1),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(cause) => Err(JournalError::system(path, &cause)),
    }
}

/// How much of a file is whole lines, and the parts that they are.
fn parts<L: DeserializeOwned>(
    path: &Path,
    bytes: &[u8],
    Wording { work, part }: Wording,
    identity: &Value,
    number: impl Fn(&L) -> u64,
) -> Result<(usize, BTreeMap<u64, L>), JournalError> {
    let name = path.display();
    let malformed = |line, problem| JournalError::Unusable(format!("{name}:{line}: {problem}"));
    let foreign = || format!("this is no state file of a {work}");
    let header = format!("{identity}\n");
    let complete = bytes
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |last| last + 1);
    if complete == 0 && !header.as_bytes().starts_with(bytes) {
        return Err(malformed(1, foreign()));
    }
    let mut known = BTreeMap::new();
    let lines = bytes[..complete].split_inclusive(|&byte| byte == b'\n');
    for (line, text) in (1..).zip(lines) {
        if line == 1 {
            let found: Value = serde_json::from_slice(text)
                .map_err(|error| malformed(1, format!("{}: {error}", foreign())))?;
            check_same(path, work, &found, identity)?;
            continue;
        }
        let found: L = unsealed(text).map_err(|error| {
            let problem = "remove this line to do it again";
            malformed(
                line,
                format!("expected a finished {part}: {error}; {problem}"),
            )
        })?;
        let number = number(&found);
        if known.insert(number, found).is_some() {
            let problem = "stands in the file twice; remove one of its lines";
            return Err(malformed(line, format!("{part} {number} {problem}")));
        }
    }
    Ok((complete, known))
}

/// A part with its checksum: the last key of an object, the last element of an array.
fn sealed(part: &str) -> String {
    let (inside, end) = part.split_at(part.len().saturating_sub(1));
    let key = if end == "}" { "\"checksum\":" } else { "" };
    let sum = checksum(part.as_bytes());
    format!("{inside},{key}\"{sum:016x}\"{end}")
}

/// The part of a line that is as it was written.
fn unsealed<L: DeserializeOwned>(line: &[u8]) -> Result<L, String> {
    let line = str::from_utf8(line)
        .map_err(|_| "it is no text")?
        .trim_end();
    let end = line.chars().next_back().filter(|end| "]}".contains(*end));
    let part = line.rsplit_once(',').zip(end);
    let part = part.map(|((part, _), end)| format!("{part}{end}"));
    match part {
        Some(part) if sealed(&part) == line => {
            serde_json::from_str(&part).map_err(|error| error.to_string())
        }
        _ => Err("its checksum does not fit".to_owned()),
    }
}

/// Refuses a header that says something else, and names the first thing.
fn check_same(path: &Path, work: &str, found: &Value, wanted: &Value) -> Result<(), JournalError> {
    let keys = [wanted, found].into_iter().filter_map(Value::as_object);
    for key in keys.flat_map(|object| object.keys()) {
        if found.get(key).unwrap_or(&Value::Null) != wanted.get(key).unwrap_or(&Value::Null) {
            return Err(JournalError::Unusable(format!(
                "{}: this is the state of another {work}: its {key} is {}, not {}; name another file or remove it",
                path.display(),
                shown(found.get(key)),
                shown(wanted.get(key))
            )));
        }
    }
    Ok(())
}

/// A setting in few words; long lists by their beginning.
fn shown(value: Option<&Value>) -> String {
    let text = value.map_or_else(|| "none".to_owned(), Value::to_string);
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs;

    type Line = (u64, Vec<u64>);

    const WORDING: Wording = Wording {
        work: "study",
        part: "chunk",
    };

    fn open(
        path: &Path,
        identity: &Value,
    ) -> Result<(Journal<Line>, BTreeMap<u64, Line>), JournalError> {
        Journal::open(path, WORDING, identity, |line: &Line| line.0)
    }

    #[test]
    fn parts_are_read_back_and_cut_lines_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let identity = json!({ "format": "test-1", "seed": 3 });
        let (mut journal, known) = open(&path, &identity).unwrap();
        assert!(known.is_empty());
        journal.add(&(4, vec![1, 2])).unwrap();
        let busy = open(&path, &identity).map(|_| ()).unwrap_err();
        assert!(
            busy.to_string()
                .contains("another study is writing this file")
        );
        journal.add(&(0, vec![])).unwrap();
        journal.close().unwrap();
        let whole = fs::read_to_string(&path).unwrap();
        assert_eq!(
            whole,
            "{\"format\":\"test-1\",\"seed\":3}\n[4,[1,2],\"SUM\"]\n[0,[],\"SUM\"]\n"
                .replacen("SUM", &format!("{:016x}", checksum(b"[4,[1,2]]")), 1)
                .replacen("SUM", &format!("{:016x}", checksum(b"[0,[]]")), 1)
        );
        // A letter that is another makes no other part of it.
        for place in whole.find('\n').unwrap() + 1..whole.len() {
            let mut bytes = whole.clone().into_bytes();
            bytes[place] ^= 1;
            fs::write(&path, bytes).unwrap();
            match open(&path, &identity) {
                // The last line feed is gone: the part will be done again.
                Ok((_, known)) => assert!(place == whole.len() - 1 && known.len() == 1),
                Err(error) => assert!(error.to_string().contains("its checksum does not fit")),
            }
        }
        // Wherever the file is cut, what is whole is kept.
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let (mut journal, known) = open(&path, &identity).unwrap();
            let lines = whole[..length].matches('\n').count();
            assert_eq!(known.len(), lines.saturating_sub(1), "cut at {length}");
            journal.add(&(9, vec![])).unwrap();
            journal.close().unwrap();
            assert_eq!(open(&path, &identity).unwrap().1.len(), known.len() + 1);
        }
    }

    #[test]
    fn what_tasks_did_is_collected_in_order_and_what_is_missing_named() {
        let folder = tempfile::tempdir().unwrap();
        let [path, alone] = ["state", "alone"].map(|name| folder.path().join(name));
        let identity = json!({ "seed": 3 });
        let share = |share, identity: &Value| {
            Journal::open_share(&path, WORDING, identity, |line: &Line| line.0, (share, 10))
        };
        let task = |number| Share::Task { number, of: 4 };
        let work = |number, backwards: bool| {
            let mut shared = share(task(number), &identity).unwrap();
            let mut parts: Vec<u64> = task(number).parts(10).collect();
            parts.retain(|part| !shared.known.contains_key(part));
            if backwards {
                parts.reverse();
            }
            for part in &parts {
                shared.journal.add(&(*part, vec![part * part])).unwrap();
            }
            shared.journal.close().unwrap();
            parts.len()
        };
        let merge = || {
            let found = share(Share::Merge { of: 4 }, &identity).unwrap();
            let known: Vec<u64> = found.known.into_keys().collect();
            (known, found.missing.unwrap_or_default())
        };
        assert_eq!([work(3, true), work(0, false), work(0, true)], [3, 2, 0]);
        let (known, missing) = merge();
        assert_eq!(known, [0, 1, 7, 8, 9]);
        assert!(
            missing.ends_with("not all of 4 tasks are done: 2-3 lack something"),
            "{missing}"
        );
        // A task that is begun again knows what was collected, without its own file.
        fs::remove_file(task(0).place(&path)).unwrap();
        assert_eq!(work(0, false), 0);
        assert_eq!([work(1, true), work(2, false)], [3, 2]);
        // One is damaged, and one was made by other work: nothing of them is taken.
        let places = [1, 2].map(|number| task(number).place(&path));
        let whole = places
            .each_ref()
            .map(|place| fs::read_to_string(place).unwrap());
        fs::write(&places[0], whole[0].replace("[16]", "[17]")).unwrap();
        fs::write(&places[1], whole[1].replace("\"seed\":3", "\"seed\":4")).unwrap();
        let (known, missing) = merge();
        assert_eq!(known.len(), 5);
        for part in [
            "2-3 lack",
            "its checksum does not fit",
            "and 1 more like that",
        ] {
            assert!(missing.contains(part), "{missing}");
        }
        fs::write(&places[0], &whole[0]).unwrap();
        assert!(merge().1.contains("its seed is 4, not 3"));
        fs::write(&places[1], &whole[1]).unwrap();
        assert_eq!(merge(), ((0..10).collect(), String::new()));
        let (mut journal, _) = open(&alone, &identity).unwrap();
        (0..10).for_each(|part| journal.add(&(part, vec![part * part])).unwrap());
        journal.close().unwrap();
        assert_eq!(fs::read(&path).unwrap(), fs::read(&alone).unwrap());
        // Another number of tasks has other files; of them nothing is needed any more.
        assert!(
            share(Share::Merge { of: 3 }, &identity)
                .unwrap()
                .missing
                .is_none()
        );
        assert!(share(task(0), &json!({ "seed": 4 })).is_err());
    }

    #[test]
    fn a_file_that_vanishes_is_no_success() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let (mut journal, _) = open(&path, &json!({})).unwrap();
        fs::remove_file(&path).unwrap();
        journal.add(&(0, vec![])).unwrap();
        assert!(
            journal
                .close()
                .unwrap_err()
                .to_string()
                .contains("state: No such file")
        );
    }

    #[test]
    fn files_of_others_are_refused_in_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        drop(open(&path, &json!({ "seed": 3 })).unwrap());
        let refused = |identity: &Value| {
            let error = open(&path, identity).map(|_| ()).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{error}");
            error
        };
        assert!(refused(&json!({ "seed": 4 })).contains("its seed is 3, not 4"));
        assert!(refused(&json!({ "seed": 3, "games": 2 })).contains("its games is none, not 2"));
        let long = refused(&json!({ "seed": vec![1; 1000] }));
        assert!(long.contains("not [1,1,1") && long.len() < 300, "{long}");
        for (text, expected) in [
            ("no state\n", "state:1: this is no state file of a study"),
            ("\u{e9}", "state:1: this is no state file of a study"),
            (
                &format!(
                    "{{\"seed\":3}}\n{}\n{}\n",
                    sealed("[1,[]]"),
                    sealed("[1,[2]]")
                ),
                ":3: chunk 1 stands in the file twice",
            ),
            ("{\"seed\":3}\nx\n", ":2: expected a finished chunk"),
            ("{\"seed\":3}\n[1,\u{e9}\n", ":2: expected a finished chunk"),
        ] {
            fs::write(&path, text).unwrap();
            let error = refused(&json!({ "seed": 3 }));
            assert!(error.contains(expected), "{error}");
        }
    }
}
