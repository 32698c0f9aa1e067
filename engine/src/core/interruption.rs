//! What has to be known when the whole program is told to end while it works.
//!
//! Everything that is kept appears whole, so that work may end between any two of its files.
//! Invariant: once [`interrupt`] was called no file gets its name any more, and none is left
//! unfinished.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};
use tempfile::NamedTempFile;

struct Work {
    kept: Vec<PathBuf>,
    unfinished: Vec<PathBuf>,
}

static WORK: Mutex<Work> = Mutex::new(Work {
    kept: Vec::new(),
    unfinished: Vec::new(),
});

fn work() -> MutexGuard<'static, Work> {
    WORK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is finished is kept there, and work goes on from it.
pub(super) fn keeps(path: &Path) {
    let mut work = work();
    if !work.kept.iter().any(|known| known == path) {
        work.kept.push(path.to_owned());
    }
}

/// A file that is being written, under a name that it will not keep.
pub(super) struct Unfinished(PathBuf);

impl Unfinished {
    /// Makes the file, unless all work has ended: then nobody would remove it.
    pub(super) fn begin(
        make: impl FnOnce() -> io::Result<NamedTempFile>,
    ) -> io::Result<(NamedTempFile, Self)> {
        let mut work = work();
        let file = make()?;
        let path = file.path().to_owned();
        work.unfinished.push(path.clone());
        Ok((file, Self(path)))
    }

    /// Does what gives a file its name, or not at all.
    pub(super) fn finish<T>(self, name: impl FnOnce() -> T) -> T {
        let _work = work();
        name()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        work().unfinished.retain(|path| *path != self.0);
    }
}

/// Removes all files that are being written, and lets none be finished from now on: whoever writes
/// waits for the end. Returns where finished work is kept, in the order in which it was begun.
#[must_use]
pub fn interrupt() -> Vec<PathBuf> {
    let mut work = work();
    for path in &work.unfinished {
        // It may have been removed, or have got its name.
        let _ = std::fs::remove_file(path);
    }
    let kept = std::mem::take(&mut work.kept);
    std::mem::forget(work);
    kept
}
