//! Append-only logs from which interrupted work continues. JSON lines: a header that identifies the
//! work, then its finished parts in any order; a part with a wrong checksum counts as unfinished.

use crate::{
    files::{self, FileError, FileKind, checksum},
    job_array::TaskSlice,
    shutdown_cleanup,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{self, Seek, SeekFrom, Write},
    marker::PhantomData,
    path::{Path, PathBuf},
    sync::OnceLock,
};

const MAX_PRINTED_LENGTH: usize = 60;

/// One line, which begins with the path of the file, if any.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct JournalError(String);

impl From<FileError> for JournalError {
    fn from(error: FileError) -> Self {
        Self(error.to_string())
    }
}

fn io_error(path: &Path, cause: &io::Error) -> JournalError {
    JournalError(format!("{}: {cause}", path.display()))
}

/// Nouns for the work in error messages.
#[derive(Clone, Copy, Debug)]
pub struct ErrorWording {
    /// The work, such as `match`.
    pub work: &'static str,
    /// A part of the work, such as `pair`.
    pub part: &'static str,
}

/// An open journal of finished parts `L`, locked against other processes.
pub struct Journal<L> {
    file: Option<JournalFile>,
    missing_tasks: Option<String>,
    lines: PhantomData<fn(&L)>,
}

/// A journal, and its finished parts by number.
pub type OpenedJournal<L> = (Journal<L>, BTreeMap<u64, L>);

impl<L: Serialize + DeserializeOwned> Journal<L> {
    /// Opens or creates the journal of a slice of `count` parts, and reads its finished parts;
    /// without a path nothing is stored.
    ///
    /// A file whose header differs from `identity`, an object with all that the results depend on,
    /// is refused (absent keys equal `null`). A task also reads the parts at `path` itself, where a
    /// merge collects all.
    pub fn open(
        path: Option<&Path>,
        terms: ErrorWording,
        identity: &Value,
        number: impl Fn(&L) -> u64,
        (slice, count): (TaskSlice, u64),
    ) -> Result<OpenedJournal<L>, JournalError> {
        let (mut file, mut missing_tasks, mut parts) = (None, None, BTreeMap::new());
        if slice.is_task() {
            files::keep_abandoned_files();
        }
        if let Some(path) = path {
            let mut unreadable = String::new();
            let read = |slice| read_task_file(path, terms, identity, &number, (slice, count));
            if let TaskSlice::Merge { of } = slice {
                let mut parts = open_file(path, terms, identity, &number)?.1;
                files::write_atomically(path, |file| {
                    writeln!(file, "{identity}")?;
                    let mut write = |lines: BTreeMap<u64, L>| {
                        lines.values().try_for_each(|line| {
                            writeln!(file, "{}", with_checksum(&serde_json::to_string(line)?))
                        })
                    };
                    for number in 0..of {
                        let slice = TaskSlice::Task { number, of };
                        let later = parts.split_off(&slice.part_range(count).end);
                        let mut lines = std::mem::replace(&mut parts, later);
                        match read(slice) {
                            Ok(found) => lines.extend(found),
                            Err(JournalError(error)) => unreadable += &format!("; {error}"),
                        }
                        write(lines)?;
                    }
                    // Parts beyond `count`, of an earlier, longer run.
                    write(parts)
                })?;
            }
            let slice_identity = task_identity(identity, slice, count);
            let (opened_lines, stored) =
                open_file(&slice.path_for(path), terms, &slice_identity, &number)?;
            (file, parts) = (Some(opened_lines), stored);
            if slice.is_task() {
                parts.extend(read(TaskSlice::All)?);
            }
            missing_tasks = slice
                .missing_tasks(path, count, |part| parts.contains_key(&part))
                .map(|tasks| tasks + &unreadable);
        } else if slice != TaskSlice::All {
            let problem = "what tasks do is kept in state files; say where (--state)";
            return Err(JournalError(problem.to_owned()));
        }
        let journal = Self {
            file,
            missing_tasks,
            lines: PhantomData,
        };
        Ok((journal, parts))
    }

    /// Fails if a merge lacks finished parts.
    pub fn check_complete(&self) -> Result<(), JournalError> {
        (self.missing_tasks.clone()).map_or(Ok(()), |tasks| Err(JournalError(tasks)))
    }

    /// Finished parts of the tasks numbered below `slice`; unreadable files are skipped.
    pub fn read_earlier_tasks(
        path: &Path,
        terms: ErrorWording,
        identity: &Value,
        number: impl Fn(&L) -> u64,
        (slice, parts): (TaskSlice, u64),
    ) -> BTreeMap<u64, L> {
        let TaskSlice::Task { number: end, of } = slice else {
            return BTreeMap::new();
        };
        let tasks = (0..end).map(|number| TaskSlice::Task { number, of });
        tasks
            .filter_map(|task| read_task_file(path, terms, identity, &number, (task, parts)).ok())
            .flatten()
            .collect()
    }

    /// Appends a finished part. After a failure the file is unchanged, or further parts are
    /// refused.
    pub fn add(&mut self, line: &L) -> Result<(), JournalError> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        serde_json::to_string(line)
            .map_err(io::Error::from)
            .and_then(|text| file.append((with_checksum(&text) + "\n").as_bytes()))
            .map_err(|cause| io_error(&file.path, &cause))
    }

    /// Keeps only the parts that satisfy the predicate.
    pub fn retain(&mut self, predicate: impl Fn(&L) -> bool) -> Result<(), JournalError> {
        self.file
            .as_mut()
            .map_or(Ok(()), |file| file.retain(predicate))
    }

    /// Syncs the file; fails if it was removed meanwhile.
    pub fn close(self) -> Result<(), JournalError> {
        self.file.map_or(Ok(()), |JournalFile { path, file, .. }| {
            let synced = file.sync_all().and_then(|()| path.metadata());
            synced.map(drop).map_err(|cause| io_error(&path, &cause))
        })
    }
}

/// For an append of so many bytes that is to fail: the bytes written, and whether truncating fails
/// too.
#[doc(hidden)]
pub type AppendFault = fn(&Path, usize) -> Option<(usize, bool)>;

/// Fault that tests set, so that appends fail.
#[doc(hidden)]
pub static INJECTED_FAULT: OnceLock<AppendFault> = OnceLock::new();

struct JournalFile {
    path: PathBuf,
    file: File,
    length: u64,
    /// Whether an incomplete line at the end could not be removed.
    is_closed: bool,
    /// Replaced files, still locked: other processes may have opened them.
    replaced: Vec<File>,
    work: &'static str,
}

impl JournalFile {
    fn open(path: &Path, work: &'static str) -> Result<Self, JournalError> {
        let failed = |cause| io_error(path, &cause);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        if !files::lock_file(&file) {
            let name = path.display();
            let problem = format!("{name}: another {work} is writing this file");
            return Err(JournalError(problem));
        }
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
        let fault = INJECTED_FAULT
            .get()
            .and_then(|fault| fault(&self.path, line.len()));
        let (written, truncate_fails) = fault.unwrap_or((line.len(), false));
        let mut appended = self.file.write_all(&line[..written]);
        if fault.is_some() {
            appended = Err(io::Error::other("a test has it fail"));
        }
        match appended {
            Ok(()) => self.length += line.len() as u64,
            Err(_) => self.is_closed = truncate_fails || self.drop_partial_line().is_err(),
        }
        appended
    }

    fn drop_partial_line(&mut self) -> io::Result<()> {
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::Start(self.length)).map(drop)
    }

    fn retain<L: DeserializeOwned>(
        &mut self,
        predicate: impl Fn(&L) -> bool,
    ) -> Result<(), JournalError> {
        let bytes = files::read(&self.path, FileKind::Data)?;
        let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
        let mut retained = lines.next().unwrap_or_default().to_vec();
        let is_retained = |line: &&[u8]| {
            let part = verified_part(line).map(|part| serde_json::from_str(&part));
            part.is_some_and(|part| part.is_ok_and(|part| predicate(&part)))
        };
        retained.extend(lines.filter(is_retained).flatten());
        files::write_atomically(&self.path, |file| file.write_all(&retained))?;
        let file = Self::open(&self.path, self.work)?.file;
        self.replaced.push(std::mem::replace(&mut self.file, file));
        self.length = retained.len() as u64;
        self.drop_partial_line()
            .map_err(|cause| io_error(&self.path, &cause))
    }
}

fn open_file<L: DeserializeOwned>(
    path: &Path,
    terms: ErrorWording,
    identity: &Value,
    number: impl Fn(&L) -> u64,
) -> Result<(JournalFile, BTreeMap<u64, L>), JournalError> {
    let failed = |cause| io_error(path, &cause);
    let mut lines = JournalFile::open(path, terms.work)?;
    let bytes = files::read_opened(&lines.file, path, FileKind::Data)?;
    let found = parse_journal(path, &bytes, terms, identity, number)?;
    lines.length = found.complete as u64;
    lines.drop_partial_line().map_err(failed)?;
    if found.complete == 0 {
        let header = format!("{identity}\n");
        let written = lines.append(header.as_bytes());
        written
            .and_then(|()| lines.file.sync_all())
            .map_err(failed)?;
    } else if found.is_damaged {
        lines.retain(|_: &L| true)?;
    }
    shutdown_cleanup::register_output(path);
    Ok((lines, found.parts))
}

fn task_identity(identity: &Value, slice: TaskSlice, parts: u64) -> Value {
    let mut identity = identity.clone();
    if let TaskSlice::Task { number, of } = slice {
        identity["task"] = format!("{}/{of} of {parts}", number + 1).into();
    }
    identity
}

fn read_task_file<L: DeserializeOwned>(
    path: &Path,
    terms: ErrorWording,
    identity: &Value,
    number: impl Fn(&L) -> u64,
    (slice, count): (TaskSlice, u64),
) -> Result<BTreeMap<u64, L>, JournalError> {
    let path = &slice.path_for(path);
    match files::read(path, FileKind::Data) {
        Err(FileError::NotFound { .. }) => Ok(BTreeMap::new()),
        read => {
            let identity = &task_identity(identity, slice, count);
            Ok(parse_journal(path, &read?, terms, identity, number)?.parts)
        }
    }
}

struct FileContent<L> {
    complete: usize,
    is_damaged: bool,
    parts: BTreeMap<u64, L>,
}

fn parse_journal<L: DeserializeOwned>(
    path: &Path,
    bytes: &[u8],
    ErrorWording { work, part }: ErrorWording,
    identity: &Value,
    number: impl Fn(&L) -> u64,
) -> Result<FileContent<L>, JournalError> {
    let name = path.display();
    let malformed = |line, problem| JournalError(format!("{name}:{line}: {problem}"));
    let not_a_state_file = || format!("this is no state file of a {work}");
    let header = format!("{identity}\n");
    let complete = bytes
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |last| last + 1);
    if complete == 0 && !header.as_bytes().starts_with(bytes) {
        return Err(malformed(1, not_a_state_file()));
    }
    let (mut is_damaged, mut parts) = (false, BTreeMap::new());
    let lines = bytes[..complete].split_inclusive(|&byte| byte == b'\n');
    for (line, text) in (1..).zip(lines) {
        if line == 1 {
            let found: Value = serde_json::from_slice(text)
                .map_err(|error| malformed(1, format!("{}: {error}", not_a_state_file())))?;
            check_identity(path, work, &found, identity)?;
            continue;
        }
        let Some(found) = verified_part(text) else {
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
        if parts.insert(number, found).is_some() {
            let problem = "stands in the file twice; remove one of its lines";
            return Err(malformed(line, format!("{part} {number} {problem}")));
        }
    }
    Ok(FileContent {
        complete,
        is_damaged,
        parts,
    })
}

fn with_checksum(part: &str) -> String {
    let (inside, end) = part.split_at(part.len().saturating_sub(1));
    let key = if end == "}" { "\"checksum\":" } else { "" };
    let sum = checksum(part.as_bytes());
    format!("{inside},{key}\"{sum:016x}\"{end}")
}

fn verified_part(line: &[u8]) -> Option<String> {
    let line = str::from_utf8(line).ok()?.trim_end();
    let end = line.chars().next_back().filter(|end| "]}".contains(*end))?;
    let (part, _) = line.rsplit_once(',')?;
    let part = format!("{part}{end}");
    (with_checksum(&part) == line).then_some(part)
}

fn check_identity(
    path: &Path,
    work: &str,
    found: &Value,
    expected: &Value,
) -> Result<(), JournalError> {
    let Some((key, values)) = first_mismatch(found, expected) else {
        return Ok(());
    };
    let (name, [found, expected]) = (path.display(), values.map(format_value));
    Err(JournalError(format!(
        "{name}: this is the state of another {work}: its {key} is {found}, not {expected}; name another file or remove it"
    )))
}

/// The first key at which two objects differ, with its values; absent keys equal `null`.
pub fn first_mismatch<'a>(
    found: &'a Value,
    expected: &'a Value,
) -> Option<(&'a str, [Option<&'a Value>; 2])> {
    let keys = [expected, found].into_iter().filter_map(Value::as_object);
    let values = |key: &'a String| (&**key, [found, expected].map(|object| object.get(key)));
    let all = keys.flat_map(|object| object.keys()).map(values);
    let is_same = |[found, expected]: [Option<&Value>; 2]| {
        found.unwrap_or(&Value::Null) == expected.unwrap_or(&Value::Null)
    };
    all.into_iter().find(|&(_, values)| !is_same(values))
}

fn format_value(value: Option<&Value>) -> String {
    let text = value.map_or_else(|| "none".to_owned(), Value::to_string);
    match text.char_indices().nth(MAX_PRINTED_LENGTH) {
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

    const TERMS: ErrorWording = ErrorWording {
        work: "study",
        part: "chunk",
    };

    fn open(path: &Path, identity: &Value) -> Result<OpenedJournal<Line>, JournalError> {
        Journal::open(
            Some(path),
            TERMS,
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
        let (mut journal, parts) = open(&path, &identity).unwrap();
        assert!(parts.is_empty());
        journal.add(&(4, vec![1, 2])).unwrap();
        let locked = open(&path, &identity).map(|_| ()).unwrap_err();
        assert!(
            locked
                .to_string()
                .contains("another study is writing this file")
        );
        journal.add(&(0, vec![])).unwrap();
        journal.close().unwrap();
        let full_text = fs::read_to_string(&path).unwrap();
        assert_eq!(
            full_text,
            "{\"format\":\"test-1\",\"seed\":3}\n[4,[1,2],\"SUM\"]\n[0,[],\"SUM\"]\n"
                .replacen("SUM", &format!("{:016x}", checksum(b"[4,[1,2]]")), 1)
                .replacen("SUM", &format!("{:016x}", checksum(b"[0,[]]")), 1)
        );
        for offset in full_text.find('\n').unwrap() + 1..full_text.len() {
            let mut bytes = full_text.clone().into_bytes();
            bytes[offset] ^= 1;
            fs::write(&path, bytes).unwrap();
            let (mut journal, mut parts) = open(&path, &identity).unwrap();
            assert!(parts.len() < 2, "{offset}");
            for part in [(0, vec![]), (4, vec![1, 2])] {
                if parts.insert(part.0, part.clone()).is_none() {
                    journal.add(&part).unwrap();
                }
            }
            journal.close().unwrap();
            let [found, full_text] =
                [&*fs::read_to_string(&path).unwrap(), &*full_text].map(sorted);
            assert_eq!(found, full_text, "{offset}");
        }
        for length in 0..full_text.len() {
            fs::write(&path, &full_text[..length]).unwrap();
            let (mut journal, parts) = open(&path, &identity).unwrap();
            let lines = full_text[..length].matches('\n').count();
            assert_eq!(parts.len(), lines.saturating_sub(1), "cut at {length}");
            journal.add(&(9, vec![])).unwrap();
            journal.close().unwrap();
            assert_eq!(open(&path, &identity).unwrap().1.len(), parts.len() + 1);
        }
    }

    #[test]
    fn files_of_others_are_refused_in_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        drop(open(&path, &json!({ "seed": 3 })).unwrap());
        let unreadable = |identity: &Value| {
            let error = open(&path, identity).map(|_| ()).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{error}");
            error
        };
        assert!(unreadable(&json!({ "seed": 4 })).contains("its seed is 3, not 4"));
        assert!(unreadable(&json!({ "seed": 3, "games": 2 })).contains("its games is none, not 2"));
        let long = unreadable(&json!({ "seed": vec![1; 1000] }));
        assert!(long.contains("not [1,1,1") && long.len() < 300, "{long}");
        for (text, expected) in [
            ("no state\n", "state:1: this is no state file of a study"),
            ("\n\n\n", "state:1: this is no state file of a study"),
            ("\u{e9}", "state:1: this is no state file of a study"),
            (
                &format!(
                    "{{\"seed\":3}}\n{}\n{}\n",
                    with_checksum("[1,[]]"),
                    with_checksum("[1,[2]]")
                ),
                ":3: chunk 1 stands in the file twice",
            ),
            (
                &format!("{{\"seed\":3}}\n{}\n", with_checksum("[1,[\"\"]]")),
                ":2: expected a finished chunk",
            ),
        ] {
            fs::write(&path, text).unwrap();
            let error = unreadable(&json!({ "seed": 3 }));
            assert!(error.contains(expected), "{error}");
        }
    }

    static BYTES: Mutex<BTreeMap<PathBuf, (usize, bool)>> = Mutex::new(BTreeMap::new());

    fn fault(path: &Path, length: usize) -> Option<(usize, bool)> {
        let mut files = BYTES.lock().unwrap();
        let (remainder, truncate_fails) = files.get_mut(path)?;
        if *remainder >= length {
            *remainder -= length;
            return None;
        }
        let fault = (*remainder, *truncate_fails);
        files.remove(path);
        Some(fault)
    }

    #[test]
    fn whichever_append_fails_and_whoever_goes_on_the_rest_is_done_again() {
        INJECTED_FAULT.get_or_init(|| fault);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("faults");
        let identity = json!({ "seed": 3 });
        let all: Vec<Line> = (0..4)
            .map(|part| (part, vec![part; part as usize]))
            .collect();
        let work = || -> Result<(), JournalError> {
            let (mut journal, parts) = open(&path, &identity)?;
            let missing_tasks = all.iter().filter(|part| !parts.contains_key(&part.0));
            let added: Vec<_> = missing_tasks.map(|part| journal.add(part)).collect();
            journal.close()?;
            added.into_iter().collect()
        };
        work().unwrap();
        let full_text = fs::read_to_string(&path).unwrap();
        for offset in 0..full_text.len() {
            for truncate_fails in [false, true] {
                fs::remove_file(&path).unwrap();
                BYTES
                    .lock()
                    .unwrap()
                    .insert(path.clone(), (offset, truncate_fails));
                assert!(work().is_err(), "{offset}");
                let remainder = fs::read_to_string(&path).unwrap();
                assert!(
                    truncate_fails || remainder.is_empty() || remainder.ends_with('\n'),
                    "{remainder}"
                );
                assert!(
                    !truncate_fails || full_text.starts_with(&remainder),
                    "{remainder}"
                );
                work().unwrap();
                let [found, full_text] =
                    [&*fs::read_to_string(&path).unwrap(), &*full_text].map(sorted);
                assert_eq!(found, full_text, "{offset} {truncate_fails}");
            }
        }
    }

    #[test]
    fn removed_parts_leave_a_locked_file() {
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
        let parts = open(&path, &identity).unwrap().1;
        assert_eq!(Vec::from_iter(parts.into_keys()), [0, 2, 7]);
    }

    fn sorted(text: &str) -> Vec<String> {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    }
}
