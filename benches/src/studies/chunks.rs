//! State files of long studies: JSON lines, a header that names the study, then a finished chunk of
//! work a line.
//!
//! As the state of a match (`arena/journal.rs`), for work that is counted in chunks of any kind. A
//! last line without its line feed was cut off and is removed. Invariant: a file is only continued
//! by the study that began it.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// Why a state file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ChunksError {
    /// It could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What happened.
        source: io::Error,
    },
    /// It is in use.
    #[error("{}: another study is writing this file", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// It is no state file, or is damaged.
    #[error("{}:{line}: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// It belongs to another study.
    #[error("{}: this is the state of another study: its {key} is {found}, not {wanted}; name another file or remove it", path.display())]
    OtherStudy {
        /// The file.
        path: PathBuf,
        /// What differs.
        key: String,
        /// Its value in the file.
        found: String,
        /// Its value in this study.
        wanted: String,
    },
}

/// A state file that is being continued; locked against other processes.
pub struct Chunks<R> {
    path: PathBuf,
    file: File,
    results: PhantomData<R>,
}

impl<R: Serialize + DeserializeOwned> Chunks<R> {
    /// Opens or creates the file and reads the chunks it holds. `identity` is an object that names
    /// everything the results depend on.
    ///
    /// # Errors
    /// If the file cannot be used, or belongs to another study.
    pub fn open(path: &Path, identity: &Value) -> Result<(Self, BTreeMap<u64, R>), ChunksError> {
        let failed = |source| ChunksError::File {
            path: path.to_owned(),
            source,
        };
        let malformed = |line, problem: String| ChunksError::Malformed {
            path: path.to_owned(),
            line,
            problem,
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
                return Err(ChunksError::Busy {
                    path: path.to_owned(),
                });
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(malformed(1, "this is no regular file".to_owned()));
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        let header = format!("{identity}\n");
        let complete = text.rfind('\n').map_or(0, |last| last + 1);
        if complete == 0 && !header.starts_with(&text) {
            return Err(malformed(1, "this is no state file of a study".to_owned()));
        }
        let mut known = BTreeMap::new();
        for (index, line) in text[..complete].lines().enumerate() {
            if index == 0 {
                let found: Value = serde_json::from_str(line).map_err(|error| {
                    malformed(1, format!("this is no state file of a study: {error}"))
                })?;
                same(path, &found, identity)?;
                continue;
            }
            let (chunk, result): (u64, R) = serde_json::from_str(line).map_err(|error| {
                malformed(
                    index + 1,
                    format!("expected a finished chunk: {error}; remove this line to do it again"),
                )
            })?;
            if known.insert(chunk, result).is_some() {
                return Err(malformed(
                    index + 1,
                    format!("chunk {chunk} stands in the file twice; remove one of its lines"),
                ));
            }
        }
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
                results: PhantomData,
            },
            known,
        ))
    }

    /// Appends a finished chunk; a killed process loses nothing that was handed over here.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, chunk: u64, result: &R) -> Result<(), ChunksError> {
        let failed = |source| ChunksError::File {
            path: self.path.clone(),
            source,
        };
        let line = serde_json::to_string(&(chunk, result)).map_err(|error| failed(error.into()))?;
        self.file
            .write_all((line + "\n").as_bytes())
            .map_err(failed)
    }
}

/// Names the first thing in which two studies differ.
fn same(path: &Path, found: &Value, wanted: &Value) -> Result<(), ChunksError> {
    let empty = serde_json::Map::new();
    let (found, wanted) = (
        found.as_object().unwrap_or(&empty),
        wanted.as_object().unwrap_or(&empty),
    );
    for key in wanted.keys().chain(found.keys()) {
        let of = |object: &serde_json::Map<String, Value>| {
            object.get(key).cloned().unwrap_or(Value::Null)
        };
        if of(found) != of(wanted) {
            let (found, wanted) = (of(found).to_string(), of(wanted).to_string());
            return Err(ChunksError::OtherStudy {
                path: path.to_owned(),
                key: key.clone(),
                found,
                wanted,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn chunks_are_read_back_and_cut_lines_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let identity = json!({ "format": "test-1", "seed": 3 });
        let (mut chunks, known) = Chunks::<Vec<u64>>::open(&path, &identity).unwrap();
        assert!(known.is_empty());
        chunks.add(4, &vec![1, 2]).unwrap();
        assert!(matches!(
            Chunks::<Vec<u64>>::open(&path, &identity),
            Err(ChunksError::Busy { .. })
        ));
        chunks.add(0, &vec![]).unwrap();
        drop(chunks);
        let whole = std::fs::read_to_string(&path).unwrap();
        assert_eq!(
            whole,
            "{\"format\":\"test-1\",\"seed\":3}\n[4,[1,2]]\n[0,[]]\n"
        );
        std::fs::write(&path, &whole[..whole.len() - 2]).unwrap();
        assert_eq!(
            Chunks::<Vec<u64>>::open(&path, &identity).unwrap().1,
            BTreeMap::from([(4, vec![1, 2])])
        );
        assert!(
            std::fs::read_to_string(&path)
                .unwrap()
                .ends_with("[4,[1,2]]\n")
        );
    }

    #[test]
    fn files_of_others_are_refused_in_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        drop(Chunks::<u64>::open(&path, &json!({ "seed": 3 })).unwrap());
        let refused = |identity: &Value| {
            Chunks::<u64>::open(&path, identity)
                .map(|_| ())
                .unwrap_err()
                .to_string()
        };
        assert!(refused(&json!({ "seed": 4 })).contains("its seed is 3, not 4"));
        assert!(refused(&json!({ "seed": 3, "games": 2 })).contains("its games is null, not 2"));
        std::fs::write(&path, "no state\n").unwrap();
        assert!(refused(&json!({ "seed": 3 })).contains("state:1: this is no state file"));
        std::fs::write(&path, "{\"seed\":3}\n[1,2]\n[1,2]\n").unwrap();
        assert!(refused(&json!({ "seed": 3 })).contains(":3: chunk 1 stands in the file twice"));
        std::fs::write(&path, "{\"seed\":3}\nx\n").unwrap();
        assert!(refused(&json!({ "seed": 3 })).contains(":2: expected a finished chunk"));
    }
}
