//! Models by name: `fast-1` is `models/fast-1.safetensors`, in the current or data directory or
//! [shipped](shipped_files).

use crate::{
    files::{self, FileError, FileKind},
    shipped_files,
    text::suggestion,
};
use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

const DIRECTORY: &str = "models";
const EXTENSION: &str = "safetensors";

static OWN_MODELS: OnceLock<Vec<OwnModel>> = OnceLock::new();

/// A model that the user of a program has made or lets others name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnModel {
    /// Name without a path, of letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// Name of its game, without parameters.
    pub game: &'static str,
    /// Where it is read.
    pub path: PathBuf,
}

/// Sets, once, the models that text of others may name as `model:NAME`.
pub fn set_own_models(models: Vec<OwnModel>) {
    _ = OWN_MODELS.set(models);
}

/// The models that text of others may name.
#[must_use]
pub fn own_models() -> &'static [OwnModel] {
    OWN_MODELS.get().map_or(&[], Vec::as_slice)
}

/// Reads the [own model](own_models) of a name; `None` if there is none.
#[must_use]
pub fn read_own(name: &str) -> Option<Result<Vec<u8>, String>> {
    let model = own_models().iter().find(|model| model.name == name)?;
    Some(files::read(&model.path, FileKind::Data).map_err(|error| error.to_string()))
}

/// Path of a model given by path or name; an existing path comes first.
#[must_use]
pub fn path_of(name: &str) -> PathBuf {
    let named = Path::new(DIRECTORY).join(format!("{name}.{EXTENSION}"));
    let given = Path::new(name);
    match is_name(name) && !files::is_file(given) && files::is_file(&named) {
        true => named,
        false => given.to_owned(),
    }
}

fn is_name(text: &str) -> bool {
    !text.contains(['/', '\\'])
}

/// Reads a model given by path or name.
///
/// # Errors
/// If it cannot be read; for a missing model, with the nearest name.
pub fn read(name: &str) -> Result<Vec<u8>, String> {
    files::read(&path_of(name), FileKind::Data).map_err(|error| {
        let (problem, names) = (error.to_string(), names().join(", "));
        if !matches!(error, FileError::NotFound(_)) {
            return problem;
        }
        let stem = Path::new(name).file_stem().unwrap_or_default();
        let meant = suggestion(&stem.to_string_lossy(), &names);
        match is_name(name) && !names.is_empty() {
            true => format!("{name}: no such file and no such model{meant}; there are {names}"),
            false => problem + &meant,
        }
    })
}

fn names() -> Vec<String> {
    let directory = Path::new(DIRECTORY);
    let mut paths = shipped_files::paths_in(directory);
    paths.extend(files::list(directory).unwrap_or_default());
    paths.retain(|path| path.extension().is_some_and(|end| end == EXTENSION));
    let stems = paths.iter().filter_map(|path| path.file_stem());
    let mut names: Vec<String> = stems.map(|stem| stem.to_string_lossy().into()).collect();
    names.sort();
    names.dedup();
    names
}
