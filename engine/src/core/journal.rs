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
    share::Share,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    marker::PhantomData,
    path::{Path, PathBuf},
};

/// Most characters of a setting that an error shows.
const MOST_SHOWN: usize = 60;

/// Why a journal cannot be used, as one line that names the file.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct JournalError(String);

impl From<FileError> for JournalError {
    fn from(error: FileError) -> Self {
        Self(error.to_string())
    }
}

fn failed(path: &Path, cause: &io::Error) -> JournalError {
    JournalError(format!("{}: {cause}", path.display()))
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
    /// None where nothing is to be kept.
    file: Option<(PathBuf, File)>,
    /// Where all is collected: what is missing, in a line.
    missing: Option<String>,
    lines: PhantomData<fn(&L)>,
}

/// A journal, and the parts that are known by their numbers.
pub type Opened<L> = (Journal<L>, BTreeMap<u64, L>);

impl<L: Serialize + DeserializeOwned> Journal<L> {
    /// Opens or creates the journal of a share of work with so many parts, and reads the parts that
    /// are known by their numbers. `identity` is an object that names everything the results depend
    /// on; absent keys equal `null`. A task has a file of its own, [`Share::place`], and knows besides
    /// what the whole one holds; to collect, that is given what tasks did. Without a path nothing is
    /// known or kept.
    ///
    /// # Errors
    /// If the file cannot be used or belongs to other work, what was collected cannot be written, or
    /// a task is to keep nothing.
    pub fn open(
        path: Option<&Path>,
        wording: Wording,
        identity: &Value,
        number: impl Fn(&L) -> u64,
        (share, count): (Share, u64),
    ) -> Result<Opened<L>, JournalError> {
        let (mut file, mut missing, mut known) = (None, None, BTreeMap::new());
        if let Some(path) = path {
            let mut refused = String::new();
            let read = |share| kept(path, wording, identity, &number, (share, count));
            if let Share::Merge { of } = share {
                let mut known = open_file(path, wording, identity, &number)?.1;
                files::write_atomically(path, |file| {
                    writeln!(file, "{identity}")?;
                    let mut write = |lines: BTreeMap<u64, L>| {
                        lines.values().try_for_each(|line| {
                            writeln!(file, "{}", sealed(&serde_json::to_string(line)?))
                        })
                    };
                    for number in 0..of {
                        let share = Share::Task { number, of };
                        let later = known.split_off(&share.parts(count).end);
                        let mut lines = std::mem::replace(&mut known, later);
                        match read(share) {
                            Ok(found) => lines.extend(found),
                            Err(JournalError(error)) => refused += &format!("; {error}"),
                        }
                        write(lines)?;
                    }
                    // Those of longer work that went before.
                    write(known)
                })?;
            }
            let here = share_of(identity, share, count);
            let (opened, there) = open_file(&share.place(path), wording, &here, &number)?;
            (file, known) = (Some(opened), there);
            if share.is_task() {
                known.extend(read(Share::Whole)?);
            }
            missing = share.missing(path, count, |part| known.contains_key(&part));
            missing = missing.map(|missing| missing + &refused);
        } else if share != Share::Whole {
            let problem = "what tasks do is kept in state files; say where (--state)";
            return Err(JournalError(problem.to_owned()));
        }
        let journal = Self {
            file,
            missing,
            lines: PhantomData,
        };
        Ok((journal, known))
    }

    /// Whether there is all that is to be collected.
    ///
    /// # Errors
    /// If tasks lack some of their parts.
    pub fn is_complete(&self) -> Result<(), JournalError> {
        let missing = self.missing.clone();
        missing.map_or(Ok(()), |missing| Err(JournalError(missing)))
    }

    /// What the tasks before a share are known to have done; what cannot be read of it is for
    /// whoever collects to say.
    pub fn before(
        path: &Path,
        wording: Wording,
        identity: &Value,
        number: impl Fn(&L) -> u64,
        (share, parts): (Share, u64),
    ) -> BTreeMap<u64, L> {
        let Share::Task { number: end, of } = share else {
            return BTreeMap::new();
        };
        let tasks = (0..end).map(|number| Share::Task { number, of });
        tasks
            .filter_map(|task| kept(path, wording, identity, &number, (task, parts)).ok())
            .flatten()
            .collect()
    }

    /// Appends a finished part.
    pub fn add(&mut self, line: &L) -> Result<(), JournalError> {
        let Some((path, file)) = &mut self.file else {
            return Ok(());
        };
        serde_json::to_string(line)
            .map_err(io::Error::from)
            .and_then(|text| file.write_all((sealed(&text) + "\n").as_bytes()))
            .map_err(|cause| failed(path, &cause))
    }

    /// Brings everything to disk.
    ///
    /// # Errors
    /// If that fails, or the file was removed meanwhile: what was written is gone.
    pub fn close(self) -> Result<(), JournalError> {
        self.file.map_or(Ok(()), |(path, file)| {
            let synced = file.sync_all().and_then(|()| path.metadata());
            synced.map(drop).map_err(|cause| failed(&path, &cause))
        })
    }
}

/// A file with its path, and the parts that it holds.
type Held<L> = ((PathBuf, File), BTreeMap<u64, L>);

fn open_file<L: DeserializeOwned>(
    path: &Path,
    wording: Wording,
    identity: &Value,
    number: impl Fn(&L) -> u64,
) -> Result<Held<L>, JournalError> {
    let failed = |cause| failed(path, &cause);
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(failed)?;
    // Some file systems know no locks.
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        let (name, work) = (path.display(), wording.work);
        let problem = format!("{name}: another {work} is writing this file");
        return Err(JournalError(problem));
    }
    // A device has no end to read up to, and keeps nothing.
    if !file.metadata().map_err(failed)?.is_file() {
        let problem = format!("{}:1: this is no regular file", path.display());
        return Err(JournalError(problem));
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
    Ok(((path.to_owned(), file), known))
}

/// The identity of a share of work with so many parts.
fn share_of(identity: &Value, share: Share, parts: u64) -> Value {
    let mut identity = identity.clone();
    if let Share::Task { number, of } = share {
        identity["task"] = format!("{}/{of} of {parts}", number + 1).into();
    }
    identity
}

/// The parts in the file of a share; none where there is none.
fn kept<L: DeserializeOwned>(
    path: &Path,
    wording: Wording,
    identity: &Value,
    number: impl Fn(&L) -> u64,
    (share, count): (Share, u64),
) -> Result<BTreeMap<u64, L>, JournalError> {
    let place = &share.place(path);
    match files::read(place) {
        Err(FileError::NotFound { .. }) => Ok(BTreeMap::new()),
        read => {
            let identity = &share_of(identity, share, count);
            Ok(parts(place, &read?, wording, identity, number)?.1)
        }
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
    let malformed = |line, problem| JournalError(format!("{name}:{line}: {problem}"));
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
    let Some((key, values)) = difference(found, wanted) else {
        return Ok(());
    };
    let (name, [found, wanted]) = (path.display(), values.map(shown));
    Err(JournalError(format!(
        "{name}: this is the state of another {work}: its {key} is {found}, not {wanted}; name another file or remove it"
    )))
}

/// The first setting of two objects that differs, with its value in each; absent keys equal `null`.
#[must_use]
pub fn difference<'a>(
    found: &'a Value,
    wanted: &'a Value,
) -> Option<(&'a str, [Option<&'a Value>; 2])> {
    let keys = [wanted, found].into_iter().filter_map(Value::as_object);
    let values = |key: &'a String| (&**key, [found, wanted].map(|object| object.get(key)));
    let all = keys.flat_map(|object| object.keys()).map(values);
    let is_same = |[found, wanted]: [Option<&Value>; 2]| {
        found.unwrap_or(&Value::Null) == wanted.unwrap_or(&Value::Null)
    };
    all.into_iter().find(|&(_, values)| !is_same(values))
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

    fn open(path: &Path, identity: &Value) -> Result<Opened<Line>, JournalError> {
        Journal::open(
            Some(path),
            WORDING,
            identity,
            |line: &Line| line.0,
            Default::default(),
        )
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
            ("\n\n\n", "state:1: this is no state file of a study"),
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
