//! Shutdown on a signal: afterwards no file is renamed into place, and no temporary file is left.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};
use tempfile::NamedTempFile;

struct State {
    outputs: Vec<PathBuf>,
    temporary_files: Vec<PathBuf>,
}

static STATE: Mutex<State> = Mutex::new(State {
    outputs: Vec::new(),
    temporary_files: Vec::new(),
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

/// Removes temporary files, blocks later writes until the process ends, and returns the paths from
/// which a later run can resume.
#[must_use]
pub fn shut_down() -> Vec<PathBuf> {
    let mut state = state();
    for path in &state.temporary_files {
        let _ = std::fs::remove_file(path);
    }
    let outputs = std::mem::take(&mut state.outputs);
    std::mem::forget(state);
    outputs
}
