//! Directories that appear whole or not at all.
//!
//! Invariant: one is filled under a temporary name beside its place, and renamed when it is whole.
//! While it is filled it is locked, so that what a killed program left is told from what another is
//! filling, and is removed by the next that writes beside it. Only Unix lets a directory be locked;
//! elsewhere nothing is removed.

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

/// How often a directory may be taken away before it is locked.
const ATTEMPTS: u32 = 4;

/// A directory that is being filled.
#[derive(Debug)]
pub(super) struct Staging {
    place: PathBuf,
    temporary: TempDir,
    _lock: Option<File>,
}

impl Staging {
    /// A directory to be.
    ///
    /// # Errors
    /// If something but an empty directory is there, or nothing can be written beside it.
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
            // Another program may have taken it for abandoned before it was locked; or locks do not
            // work here.
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

    /// Puts it in its place.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn finish(self) -> Result<(), Error> {
        put(self.temporary.path(), &self.place)?;
        // It is no longer there under its temporary name.
        let _ = self.temporary.keep();
        Ok(())
    }
}

/// Nothing is to be overwritten: there may be an empty directory at most.
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

/// Gives a finished directory its name, for good.
pub(super) fn put(finished: &Path, place: &Path) -> Result<(), Error> {
    let failed = Error::writing(place);
    std::fs::rename(finished, place).map_err(&failed)?;
    #[cfg(unix)]
    File::open(parent(place))
        .and_then(|directory| directory.sync_all())
        .map_err(failed)?;
    Ok(())
}
