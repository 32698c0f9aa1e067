//! Shutdown on a signal: afterwards no file is renamed into place, and no temporary file or
//! directory is left.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};
use tempfile::{NamedTempFile, TempDir};

struct State {
    outputs: Vec<PathBuf>,
    temporary_files: Vec<PathBuf>,
    temporary_directories: Vec<PathBuf>,
}

static STATE: Mutex<State> = Mutex::new(State {
    outputs: Vec::new(),
    temporary_files: Vec::new(),
    temporary_directories: Vec::new(),
});

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn register_output(path: &Path) {
    let mut state = state();
    if !state.outputs.iter().any(|registered| registered == path) {
        state.outputs.push(path.to_owned());
    }
}

pub(super) struct TemporaryFile(PathBuf);

impl TemporaryFile {
    /// Creates a registered temporary file; blocks after a shutdown.
    pub(super) fn create(
        create_file: impl FnOnce() -> io::Result<NamedTempFile>,
    ) -> io::Result<(NamedTempFile, Self)> {
        let mut state = state();
        let file = create_file()?;
        let path = file.path().to_owned();
        state.temporary_files.push(path.clone());
        Ok((file, Self(path)))
    }

    /// Renames a temporary file into place; blocks after a shutdown.
    pub(super) fn commit<T>(self, rename: impl FnOnce() -> T) -> T {
        let _state = state();
        rename()
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        state().temporary_files.retain(|path| *path != self.0);
    }
}

/// A directory that a shutdown removes, unless it was renamed.
#[derive(Debug)]
pub struct TemporaryDirectory(TempDir);

impl TemporaryDirectory {
    /// Blocks after a shutdown.
    pub fn create(create: impl FnOnce() -> io::Result<TempDir>) -> io::Result<Self> {
        let mut state = state();
        let directory = create()?;
        let path = directory.path().to_owned();
        state.temporary_directories.push(path);
        Ok(Self(directory))
    }

    /// Path until the directory is renamed.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Renames the directory; blocks after a shutdown.
    pub fn rename(&self, target: &Path) -> io::Result<()> {
        let _state = state();
        std::fs::rename(self.path(), target)
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        let path = self.path();
        (state().temporary_directories).retain(|directory| directory != path);
    }
}

/// Removes temporary files, blocks later writes until the process ends, and returns the paths from
/// which a later run can resume.
#[must_use]
pub fn shut_down() -> Vec<PathBuf> {
    let mut state = state();
    for path in &state.temporary_files {
        let _ = std::fs::remove_file(path);
    }
    for path in &state.temporary_directories {
        // Other threads may still create files there.
        let _ = (0..3).try_for_each(|_| match std::fs::remove_dir_all(path) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
            _ => Err(()),
        });
    }
    let outputs = std::mem::take(&mut state.outputs);
    std::mem::forget(state);
    outputs
}
