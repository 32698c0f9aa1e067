//! The journal of long work: JSON lines, a header that names the work, then a finished part of it a
//! line.
//!
//! Every line but the header ends with its checksum. Lines are appended as parts finish, in any
//! order and at once: a killed program loses nothing but a last line without its line feed. What an
//! append that failed has left is cut off, and where that fails, too, nothing follows it. A line that
//! is damaged all the same is removed, and its part is done again. Work that is spread over tasks has
//! a journal for each, which are collected in the order of numbers. Invariant: no part stands in a
//! file twice or is another than was written, and a file is only continued by the work that began it.

use crate::core::{
    files::{self, FileError, FileKind, checksum},
    interruption,
    task_slice::TaskSlice,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions, TryLockError},
    io::{self, Seek, SeekFrom, Write},
    marker::PhantomData,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// Most characters of a setting that an error shows.
const MAX_SHOWN: usize = 60;

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
    file: Option<Lines>,
    /// Where all is collected: what is missing, in a line.
    missing: Option<String>,
    lines: PhantomData<fn(&L)>,
}

/// A journal, and the parts that are known by their numbers.
pub type Opened<L> = (Journal<L>, BTreeMap<u64, L>);

impl<L: Serialize + DeserializeOwned> Journal<L> {
    /// Opens or creates the journal of a share of work with so many parts, and reads the parts that
    /// are known by their numbers. `identity` is an object that names everything the results depend
    /// on; absent keys equal `null`. A task has a file of its own, [`TaskSlice::place`], and knows besides
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
        (share, count): (TaskSlice, u64),
    ) -> Result<Opened<L>, JournalError> {
        let (mut file, mut missing, mut known) = (None, None, BTreeMap::new());
        if let Some(path) = path {
            let mut refused = String::new();
            let read = |share| kept(path, wording, identity, &number, (share, count));
            if let TaskSlice::Merge { of } = share {
                let mut known = open_file(path, wording, identity, &number)?.1;
                files::write_atomically(path, |file| {
                    writeln!(file, "{identity}")?;
                    let mut write = |lines: BTreeMap<u64, L>| {
                        lines.values().try_for_each(|line| {
                            writeln!(file, "{}", sealed(&serde_json::to_string(line)?))
                        })
                    };
                    for number in 0..of {
                        let share = TaskSlice::Task { number, of };
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
                known.extend(read(TaskSlice::All)?);
            }
            missing = share.missing(path, count, |part| known.contains_key(&part));
            missing = missing.map(|missing| missing + &refused);
        } else if share != TaskSlice::All {
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
        (share, parts): (TaskSlice, u64),
    ) -> BTreeMap<u64, L> {
        let TaskSlice::Task { number: end, of } = share else {
            return BTreeMap::new();
        };
        let tasks = (0..end).map(|number| TaskSlice::Task { number, of });
        tasks
            .filter_map(|task| kept(path, wording, identity, &number, (task, parts)).ok())
            .flatten()
            .collect()
    }

    /// Appends a finished part.
    ///
    /// # Errors
    /// If that fails; then nothing of it is in the file, or nothing can be appended any more.
    pub fn add(&mut self, line: &L) -> Result<(), JournalError> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        serde_json::to_string(line)
            .map_err(io::Error::from)
            .and_then(|text| file.append((sealed(&text) + "\n").as_bytes()))
            .map_err(|cause| failed(&file.path, &cause))
    }

    /// Removes the parts that are to be done again.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn retain(&mut self, keep: impl Fn(&L) -> bool) -> Result<(), JournalError> {
        self.file.as_mut().map_or(Ok(()), |file| file.retain(keep))
    }

    /// Brings everything to disk.
    ///
    /// # Errors
    /// If that fails, or the file was removed meanwhile: what was written is gone.
    pub fn close(self) -> Result<(), JournalError> {
        self.file.map_or(Ok(()), |Lines { path, file, .. }| {
            let synced = file.sync_all().and_then(|()| path.metadata());
            synced.map(drop).map_err(|cause| failed(&path, &cause))
        })
    }
}

/// Asked of an append of so many bytes to a file: how many of them get there before it fails, and
/// whether cutting them off fails as well.
#[doc(hidden)]
pub type Fault = fn(&Path, usize) -> Option<(usize, bool)>;

/// What tests put between journals and the disk.
#[doc(hidden)]
pub static FAULT: OnceLock<Fault> = OnceLock::new();

/// A locked file that grows by whole lines.
struct Lines {
    path: PathBuf,
    file: File,
    /// Bytes of whole lines.
    length: u64,
    /// Whether half a line stands at the end, which nothing may follow.
    is_closed: bool,
    /// The files that this one took the place of, locked: whoever has opened one does not get it.
    replaced: Vec<File>,
    /// How errors speak of the work.
    work: &'static str,
}

impl Lines {
    /// Opens or creates a file that nobody else has locked.
    fn open(path: &Path, work: &'static str) -> Result<Self, JournalError> {
        let failed = |cause| failed(path, &cause);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        // Some file systems know no locks.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            let name = path.display();
            let problem = format!("{name}: another {work} is writing this file");
            return Err(JournalError(problem));
        }
        // A device has no end to read up to, and keeps nothing.
        if !file.metadata().map_err(failed)?.is_file() {
            let problem = format!("{}:1: this is no regular file", path.display());
            return Err(JournalError(problem));
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            length: 0,
            is_closed: false,
            replaced: Vec::new(),
            work,
        })
    }

    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        if self.is_closed {
            let problem = "closed, since half a line stands at its end";
            return Err(io::Error::other(problem));
        }
        let fault = FAULT.get().and_then(|fault| fault(&self.path, line.len()));
        let (written, is_stuck) = fault.unwrap_or((line.len(), false));
        let mut appended = self.file.write_all(&line[..written]);
        if fault.is_some() {
            appended = Err(io::Error::other("a test has it fail"));
        }
        match appended {
            Ok(()) => self.length += line.len() as u64,
            Err(_) => self.is_closed = is_stuck || self.cut().is_err(),
        }
        appended
    }

    /// Removes what follows the last whole line.
    fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::Start(self.length)).map(drop)
    }

    /// Keeps the header, and of the lines that are not damaged those that are wanted.
    fn retain<L: DeserializeOwned>(
        &mut self,
        keep: impl Fn(&L) -> bool,
    ) -> Result<(), JournalError> {
        let bytes = files::read(&self.path, FileKind::Data)?;
        let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
        let mut kept = lines.next().unwrap_or_default().to_vec();
        let stays = |line: &&[u8]| {
            let part = unsealed(line).map(|part| serde_json::from_str(&part));
            part.is_some_and(|part| part.is_ok_and(|part| keep(&part)))
        };
        kept.extend(lines.filter(stays).flatten());
        files::write_atomically(&self.path, |file| file.write_all(&kept))?;
        let file = Self::open(&self.path, self.work)?.file;
        self.replaced.push(std::mem::replace(&mut self.file, file));
        self.length = kept.len() as u64;
        self.cut().map_err(|cause| failed(&self.path, &cause))
    }
}

fn open_file<L: DeserializeOwned>(
    path: &Path,
    wording: Wording,
    identity: &Value,
    number: impl Fn(&L) -> u64,
) -> Result<(Lines, BTreeMap<u64, L>), JournalError> {
    let failed = |cause| failed(path, &cause);
    let mut lines = Lines::open(path, wording.work)?;
    let bytes = files::read_open(&lines.file, path, FileKind::Data)?;
    let found = parts(path, &bytes, wording, identity, number)?;
    lines.length = found.complete as u64;
    lines.cut().map_err(failed)?;
    if found.complete == 0 {
        let header = format!("{identity}\n");
        let written = lines.append(header.as_bytes());
        written
            .and_then(|()| lines.file.sync_all())
            .map_err(failed)?;
    } else if found.is_damaged {
        lines.retain(|_: &L| true)?;
    }
    interruption::keeps(path);
    Ok((lines, found.known))
}

/// The identity of a share of work with so many parts.
fn share_of(identity: &Value, share: TaskSlice, parts: u64) -> Value {
    let mut identity = identity.clone();
    if let TaskSlice::Task { number, of } = share {
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
    (share, count): (TaskSlice, u64),
) -> Result<BTreeMap<u64, L>, JournalError> {
    let place = &share.place(path);
    match files::read(place, FileKind::Data) {
        Err(FileError::NotFound { .. }) => Ok(BTreeMap::new()),
        read => {
            let identity = &share_of(identity, share, count);
            Ok(parts(place, &read?, wording, identity, number)?.known)
        }
    }
}

/// What a file holds.
struct Found<L> {
    /// Bytes of whole lines.
    complete: usize,
    /// Whether some of them are no longer what was written.
    is_damaged: bool,
    /// The parts that the others are.
    known: BTreeMap<u64, L>,
}

fn parts<L: DeserializeOwned>(
    path: &Path,
    bytes: &[u8],
    Wording { work, part }: Wording,
    identity: &Value,
    number: impl Fn(&L) -> u64,
) -> Result<Found<L>, JournalError> {
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
    let (mut is_damaged, mut known) = (false, BTreeMap::new());
    let lines = bytes[..complete].split_inclusive(|&byte| byte == b'\n');
    for (line, text) in (1..).zip(lines) {
        if line == 1 {
            let found: Value = serde_json::from_slice(text)
                .map_err(|error| malformed(1, format!("{}: {error}", foreign())))?;
            check_same(path, work, &found, identity)?;
            continue;
        }
        // What follows a damaged line has a checksum of its own.
        let Some(found) = unsealed(text) else {
            is_damaged = true;
            continue;
        };
        let found: L = serde_json::from_str(&found).map_err(|error| {
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
    Ok(Found {
        complete,
        is_damaged,
        known,
    })
}

/// A part with its checksum: the last key of an object, the last element of an array.
fn sealed(part: &str) -> String {
    let (inside, end) = part.split_at(part.len().saturating_sub(1));
    let key = if end == "}" { "\"checksum\":" } else { "" };
    let sum = checksum(part.as_bytes());
    format!("{inside},{key}\"{sum:016x}\"{end}")
}

/// The part of a line, if that is as it was written.
fn unsealed(line: &[u8]) -> Option<String> {
    let line = str::from_utf8(line).ok()?.trim_end();
    let end = line.chars().next_back().filter(|end| "]}".contains(*end))?;
    let (part, _) = line.rsplit_once(',')?;
    let part = format!("{part}{end}");
    (sealed(&part) == line).then_some(part)
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
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::{fs, sync::Mutex};

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
        // A letter that is another makes no other part of it: what is damaged is done again.
        for place in whole.find('\n').unwrap() + 1..whole.len() {
            let mut bytes = whole.clone().into_bytes();
            bytes[place] ^= 1;
            fs::write(&path, bytes).unwrap();
            let (mut journal, mut known) = open(&path, &identity).unwrap();
            assert!(known.len() < 2, "{place}");
            for part in [(0, vec![]), (4, vec![1, 2])] {
                if known.insert(part.0, part.clone()).is_none() {
                    journal.add(&part).unwrap();
                }
            }
            journal.close().unwrap();
            let [found, whole] = [&*fs::read_to_string(&path).unwrap(), &*whole].map(sorted);
            assert_eq!(found, whole, "{place}");
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
            (
                &format!("{{\"seed\":3}}\n{}\n", sealed("[1,[\"\"]]")),
                ":2: expected a finished chunk",
            ),
        ] {
            fs::write(&path, text).unwrap();
            let error = refused(&json!({ "seed": 3 }));
            assert!(error.contains(expected), "{error}");
        }
    }

    /// How many bytes more may be appended to a file before an append fails, once, and whether what
    /// is left of it cannot be cut off.
    static BYTES: Mutex<BTreeMap<PathBuf, (usize, bool)>> = Mutex::new(BTreeMap::new());

    fn fault(path: &Path, length: usize) -> Option<(usize, bool)> {
        let mut files = BYTES.lock().unwrap();
        let (left, is_stuck) = files.get_mut(path)?;
        if *left >= length {
            *left -= length;
            return None;
        }
        let fault = (*left, *is_stuck);
        files.remove(path);
        Some(fault)
    }

    #[test]
    fn whichever_append_fails_and_whoever_goes_on_the_rest_is_done_again() {
        FAULT.get_or_init(|| fault);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("faults");
        let identity = json!({ "seed": 3 });
        let all: Vec<Line> = (0..4)
            .map(|part| (part, vec![part; part as usize]))
            .collect();
        // What several threads do, of which the others go on when one has failed.
        let work = || -> Result<(), JournalError> {
            let (mut journal, known) = open(&path, &identity)?;
            let missing = all.iter().filter(|part| !known.contains_key(&part.0));
            let added: Vec<_> = missing.map(|part| journal.add(part)).collect();
            journal.close()?;
            added.into_iter().collect()
        };
        work().unwrap();
        let whole = fs::read_to_string(&path).unwrap();
        for place in 0..whole.len() {
            for is_stuck in [false, true] {
                fs::remove_file(&path).unwrap();
                BYTES
                    .lock()
                    .unwrap()
                    .insert(path.clone(), (place, is_stuck));
                assert!(work().is_err(), "{place}");
                let left = fs::read_to_string(&path).unwrap();
                assert!(
                    is_stuck || left.is_empty() || left.ends_with('\n'),
                    "{left}"
                );
                assert!(!is_stuck || whole.starts_with(&left), "{left}");
                work().unwrap();
                let [found, whole] = [&*fs::read_to_string(&path).unwrap(), &*whole].map(sorted);
                assert_eq!(found, whole, "{place} {is_stuck}");
            }
        }
    }

    #[test]
    fn parts_that_are_not_wanted_any_more_leave_a_file_that_stays_locked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let identity = json!({ "seed": 3 });
        let (mut journal, _) = open(&path, &identity).unwrap();
        for part in 0..4 {
            journal.add(&(part, vec![])).unwrap();
        }
        journal.retain(|part| part.0 % 2 == 0).unwrap();
        assert!(open(&path, &identity).is_err());
        journal.add(&(7, vec![])).unwrap();
        journal.close().unwrap();
        let known = open(&path, &identity).unwrap().1;
        assert_eq!(Vec::from_iter(known.into_keys()), [0, 2, 7]);
    }

    fn sorted(text: &str) -> Vec<String> {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    }
}
