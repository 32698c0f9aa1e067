//! Adds a label to games, in a directory `NAME.unfinished` that is renamed once complete.

use super::{
    ShardReader,
    atomic_dir::{check_unused, rename_durably},
    derived_sets::describe_command,
    shard_writer::WriteSummary,
};
use crate::Error;
use crate::labeller::LabelSource;
use crate::manifest::Manifest;
use crate::progress::resume_at;
use crate::shard::{self, GAMES_PER_SHARD, PlayedGame, ShardHeader, labels};
use alea_core::{files, job_array::TaskSlice};
use alea_play::playable::Playable;
use indicatif::ProgressBar;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Writes the games of `source` to `target` with a label added or replaced; resumes an interrupted
/// run. Several processes may each write a slice, until [`TaskSlice::Merge`] renames the directory.
///
/// # Errors
/// If shards of other tasks are missing at the merge, records cannot be read or written, or the
/// directory holds something else or other labels.
pub fn relabel<G: Playable>(
    source: &ShardReader<G>,
    target: &Path,
    label_source: &LabelSource<G>,
    slice: TaskSlice,
    progress: &ProgressBar,
) -> Result<WriteSummary, Error> {
    check_unused(target)?;
    let (header, index) = header(source, label_source)?;
    let directory = unfinished_path(target);
    let _lock = files::claim_directory_for_slice(&directory, slice)?;
    let manifest = Manifest::new(header.clone(), source.games);
    match Manifest::read(&directory)? {
        Some(found) if found == manifest => {}
        Some(_) => {
            return Err(conflict_error(
                &directory,
                "labels of other records or of another source were begun there",
            ));
        }
        None => manifest.write(&directory)?,
    }
    let path = |number| directory.join(shard::file_name(number));
    let is_there = |number| path(number).exists();
    if let Some(missing) = slice.missing_tasks(&directory, manifest.shards, is_there) {
        return Err(Error::new(missing));
    }
    let own_shards = slice.part_range(manifest.shards);
    let game = |shard: u64| source.games.min(shard * GAMES_PER_SHARD);
    progress.set_length(game(own_shards.end) - game(own_shards.start));
    let mut written = WriteSummary::new(target);
    let mut labels_new = false;
    for number in own_shards {
        let first_game = number * GAMES_PER_SHARD;
        let last = source.games.min(first_game + GAMES_PER_SHARD);
        let games = source.read_games(first_game, last)?;
        let header = ShardHeader {
            first_game,
            games: last - first_game,
            ..header.clone()
        };
        let path = path(number);
        let games = match read_finished(&path, &header, index, &games)? {
            Some(games) => {
                progress.inc(games.len() as u64);
                progress.reset_eta();
                games
            }
            None => {
                if !std::mem::replace(&mut labels_new, true) {
                    resume_at(progress, progress.position());
                }
                let games = label_games(games, label_source, index, header.labels.len(), progress);
                shard::write(&path, &header, &games)?;
                games
            }
        };
        games.iter().for_each(|game| written.count_game(game));
        written.shards += 1;
    }
    if !slice.is_task() {
        rename_durably(&directory, target)?;
    }
    Ok(written)
}

/// Path of the directory that holds the shards until `target` is complete.
#[must_use]
pub fn unfinished_path(target: &Path) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(".unfinished");
    PathBuf::from(name)
}

fn header<G: Playable>(
    source: &ShardReader<G>,
    label_source: &LabelSource<G>,
) -> Result<(ShardHeader, usize), Error> {
    let label = label_source.label();
    let mut header = source.new_header(describe_command(
        source,
        json!({ "command": "relabel", "label": label }),
    ));
    let index = header
        .labels
        .iter()
        .position(|there| there.name == label.name)
        .unwrap_or(header.labels.len());
    match header.labels.get_mut(index) {
        Some(there) => there.clone_from(label),
        None => header.labels.push(label.clone()),
    }
    labels::check(&header.labels).map_err(Error::new)?;
    Ok((header, index))
}

fn read_finished<G: Playable>(
    path: &Path,
    header: &ShardHeader,
    index: usize,
    games: &[PlayedGame<G>],
) -> Result<Option<Vec<PlayedGame<G>>>, Error> {
    if !path.exists() {
        return Ok(None);
    }
    let (found, label_games) = shard::read(path)?;
    let bare = |game: &PlayedGame<G>| {
        let mut bare = game.clone();
        bare.set_label(
            index,
            header.labels.len(),
            vec![None; game.record.plies.len()],
        );
        bare
    };
    let same = label_games.iter().map(bare).eq(games.iter().map(bare));
    if found != *header || !same {
        return Err(conflict_error(path, "does not hold these games"));
    }
    Ok(Some(label_games))
}

fn label_games<G: Playable>(
    mut games: Vec<PlayedGame<G>>,
    label_source: &LabelSource<G>,
    index: usize,
    label_count: usize,
    progress: &ProgressBar,
) -> Vec<PlayedGame<G>> {
    if label_source.set_exact_labels(index, label_count, &mut games) {
        progress.inc(games.len() as u64);
        return games;
    }
    let label = |labeller: &mut crate::labeller::Labeller<'_, G>, mut game: PlayedGame<G>| {
        let values = labeller.label_values(&game);
        game.set_label(index, label_count, values);
        progress.inc(1);
        game
    };
    alea_parallel::map_items_with(games, || label_source.new_labeller(), label)
}

fn conflict_error(path: &Path, problem: &str) -> Error {
    Error::at_path(
        path,
        format!("{problem}; remove the directory, or choose another"),
    )
}
