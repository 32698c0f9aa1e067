//! Directories that appear complete or not at all.
//!
//! Each is filled under a temporary name beside its final path, and renamed. It is locked
//! meanwhile, so that the next writer can remove what a killed program left. Only Unix can lock
//! directories; elsewhere nothing is removed.

use super::parent;
use crate::Error;
use engine::core::{
    files::{self, FileError},
    task_slice::TaskSlice,
};
use std::{
    fs::File,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// Attempts to create and lock a temporary directory.
const ATTEMPTS: u32 = 4;

/// A directory that is being filled.
#[derive(Debug)]
pub(super) struct Staging {
    place: PathBuf,
    temporary: TempDir,
    _lock: Option<File>,
}

impl Staging {
    /// Starts a directory.
    ///
    /// # Errors
    /// If `place` exists and is not empty, or its parent is not writable.
    pub(super) fn create(place: &Path) -> Result<Self, Error> {
        check_free(place)?;
        let failed = Error::writing(place);
        let beside = parent(place);
        files::create_directory(beside)?;
        for attempt in 1..=ATTEMPTS {
            let temporary = files::temporary_names(0o777).tempdir_in(beside);
            let temporary = temporary.map_err(&failed)?;
            let lock = files::lock_directory(temporary.path(), TaskSlice::All);
            let lock = lock.ok().flatten();
            // Another program may have removed it before it was locked; or locks are not
            // supported.
            if temporary.path().is_dir() && (lock.is_some() || attempt == ATTEMPTS) {
                return Ok(Self {
                    place: place.to_owned(),
                    temporary,
                    _lock: lock,
                });
            }
        }
        Err(FileError::Busy(place.to_owned()).into())
    }

    pub(super) fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Moves the directory to its final path.
    ///
    /// # Errors
    /// If the rename fails.
    pub(super) fn finish(self) -> Result<(), Error> {
        put(self.temporary.path(), &self.place)?;
        // The temporary path no longer exists.
        let _ = self.temporary.keep();
        Ok(())
    }
}

/// Refuses a path that exists, unless it is an empty directory.
pub(super) fn check_free(place: &Path) -> Result<(), Error> {
    let is_empty =
        |place: &Path| std::fs::read_dir(place).is_ok_and(|mut entries| entries.next().is_none());
    if place.symlink_metadata().is_ok() && !is_empty(place) {
        return Err(Error::at(
            place,
            "exists already; choose another directory, or remove it",
        ));
    }
    Ok(())
}

/// Renames a finished directory durably.
pub(super) fn put(finished: &Path, place: &Path) -> Result<(), Error> {
    let failed = Error::writing(place);
    std::fs::rename(finished, place).map_err(&failed)?;
    #[cfg(unix)]
    File::open(parent(place))
        .and_then(|directory| directory.sync_all())
        .map_err(failed)?;
    Ok(())
}
