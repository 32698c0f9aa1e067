//! Directories that appear complete or not at all: filled under a temporary name, then renamed.
//! Unfinished directories of killed programs, told by a lock (on Unix), are removed.

use super::parent;
use crate::Error;
use alea_core::{
    files::{self, FileError},
    job_array::TaskSlice,
    shutdown_cleanup::TemporaryDirectory,
};
use std::{
    fs::File,
    path::{Path, PathBuf},
};

const MAX_ATTEMPTS: u32 = 4;

#[derive(Debug)]
pub(super) struct AtomicDirectory {
    target: PathBuf,
    temporary: TemporaryDirectory,
    _lock: Option<File>,
}

impl AtomicDirectory {
    pub(super) fn create(target: &Path) -> Result<Self, Error> {
        check_unused(target)?;
        let failed = Error::write_failed(target);
        let beside = parent(target);
        files::prepare_directory(beside)?;
        for attempt in 1..=MAX_ATTEMPTS {
            let create = || files::temporary_builder(0o777).tempdir_in(beside);
            let temporary = TemporaryDirectory::create(create).map_err(&failed)?;
            let lock = files::lock_directory(temporary.path(), TaskSlice::All);
            let lock = lock.ok().flatten();
            if temporary.path().is_dir() && (lock.is_some() || attempt == MAX_ATTEMPTS) {
                return Ok(Self {
                    target: target.to_owned(),
                    temporary,
                    _lock: lock,
                });
            }
        }
        Err(FileError::Busy(target.to_owned()).into())
    }

    pub(super) fn path(&self) -> &Path {
        self.temporary.path()
    }

    pub(super) fn commit(self) -> Result<(), Error> {
        let failed = Error::write_failed(&self.target);
        self.temporary.rename(&self.target).map_err(&failed)?;
        files::sync_directory(parent(&self.target)).map_err(failed)
    }
}

pub(super) fn check_unused(target: &Path) -> Result<(), Error> {
    let is_empty =
        |target: &Path| std::fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_none());
    if target.symlink_metadata().is_ok() && !is_empty(target) {
        return Err(Error::at_path(
            target,
            "exists already; choose another directory, or remove it",
        ));
    }
    Ok(())
}

pub(super) fn rename_durably(finished: &Path, target: &Path) -> Result<(), Error> {
    let failed = Error::write_failed(target);
    std::fs::rename(finished, target).map_err(&failed)?;
    files::sync_directory(parent(target)).map_err(failed)
}
