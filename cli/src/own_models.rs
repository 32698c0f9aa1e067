//! Own models: those of `runs` and `models`, which the page and `alea play` offer by name.

use crate::games::each_game;
use engine::core::{
    files,
    model_names::{self, OwnModel},
};
use engine::learned::{inputs::Learnable as _, model_file::read_game_name};
use engine::play::playable::Rules as _;
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

/// Models that are listed at most.
const MAX_MODELS: usize = 100;
/// Larger files are left out: the start reads them all.
const MAX_BYTES: u64 = 64 << 20;
/// Folders within folders that are searched, such as `runs/NAME/generation-3/network`.
const MAX_DEPTH: usize = 5;

/// Finds the models of the current directory, and lets players name them.
pub(crate) fn find() {
    let (models, runs) = (Path::new("models"), Path::new("runs"));
    // Those inside the program are no own ones.
    let mut paths = Vec::new();
    if models.is_dir() {
        paths = files_in(models, 1);
    }
    paths.extend(files_in(runs, MAX_DEPTH));
    let mut names = HashSet::new();
    let own = paths.into_iter().filter_map(|path| {
        let name = name_of(&path).filter(|name| names.insert(name.clone()))?;
        let of_model = read_game_name(&path).ok()?;
        let games = engine::for_games!(each_game! OneGame => {
            OneGame::from_model_game_name(&of_model).map(|_| OneGame::INFO.name)
        });
        let game = games.into_iter().flatten().next()?;
        Some(OwnModel { name, game, path })
    });
    model_names::set_own_models(own.take(MAX_MODELS).collect());
}

/// Model files of a folder and, to a depth of `depth`, of those within, in order of their paths.
fn files_in(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let mut paths = files::list(folder).unwrap_or_default();
    paths.sort();
    let inside = paths.into_iter().map(|path| match path.extension() {
        Some(end) if end == "safetensors" && is_small_file(&path) => vec![path],
        _ if depth > 1 && path.is_dir() => files_in(&path, depth - 1),
        _ => Vec::new(),
    });
    inside.collect::<Vec<_>>().concat()
}

fn is_small_file(path: &Path) -> bool {
    let found = path.metadata();
    found.is_ok_and(|found| found.is_file() && found.len() <= MAX_BYTES)
}

/// `fast-1` of `models/fast-1.safetensors`, and `quick-network` of
/// `runs/quick/network/network.safetensors`; `None` where a name would have other characters than
/// notations take.
fn name_of(path: &Path) -> Option<String> {
    let path = path.with_extension("");
    let parts = path.iter().skip(1).map(|part| part.to_str());
    let mut parts: Vec<&str> = parts.collect::<Option<_>>()?;
    parts.dedup();
    let name = parts.join("-");
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    (!name.is_empty() && name.chars().all(is_plain)).then_some(name)
}
