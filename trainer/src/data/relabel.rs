//! Adds a label to existing games: new targets for old games.
//!
//! Invariant: the bytes depend on games and label source, not on threads or interruptions. The
//! directory is filled as `NAME.unfinished`, where finished shards survive a kill, and renamed
//! once complete.

use super::{
    Source,
    output::Written,
    rewrite::run,
    staging::{check_free, put},
};
use crate::Error;
use crate::label::LabelRecipe;
use crate::manifest::Manifest;
use crate::shard::{self, GAMES_PER_SHARD, PlayedGame, ShardHeader, labels};
use engine::core::{files, task_slice::TaskSlice};
use engine::play::playable::Playable;
use indicatif::ProgressBar;
use rayon::prelude::*;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Games per work item; few, since a deep search is slow.
const GAMES_PER_TASK: usize = 8;

/// Adds a label to all games, or replaces the label of that name, shard by shard; resumes a
/// stopped run. Several tasks may share a directory, which is renamed when their results are
/// merged.
///
/// # Errors
/// If shards of other tasks are missing at the merge, records cannot be read or written, or the
/// directory holds something else or other labels.
pub fn relabel<G: Playable>(
    source: &Source<G>,
    place: &Path,
    recipe: &LabelRecipe<G>,
    share: TaskSlice,
    progress: &ProgressBar,
) -> Result<Written, Error> {
    check_free(place)?;
    let (header, index) = header(source, recipe)?;
    let directory = unfinished(place);
    let _lock = files::enter_directory(&directory, share)?;
    let manifest = Manifest::new(header.clone(), source.games);
    match Manifest::read(&directory)? {
        Some(found) if found == manifest => {}
        Some(_) => {
            return Err(other_work(
                &directory,
                "labels of other records, or by another maker, were begun there",
            ));
        }
        None => manifest.write(&directory)?,
    }
    let path = |number| directory.join(shard::file_name(number));
    let is_there = |number| path(number).exists();
    if let Some(missing) = share.missing(&directory, manifest.shards, is_there) {
        return Err(Error::new(missing));
    }
    let ours = share.parts(manifest.shards);
    let game = |shard: u64| source.games.min(shard * GAMES_PER_SHARD);
    progress.set_length(game(ours.end) - game(ours.start));
    let mut written = Written::new(place);
    for number in ours {
        let first_game = number * GAMES_PER_SHARD;
        let last = source.games.min(first_game + GAMES_PER_SHARD);
        let games = source.games(first_game, last)?;
        let header = ShardHeader {
            first_game,
            games: last - first_game,
            ..header.clone()
        };
        let path = path(number);
        let games = match finished(&path, &header, index, &games)? {
            Some(games) => {
                progress.inc(games.len() as u64);
                // Finished shards say nothing about the current speed.
                progress.reset_eta();
                games
            }
            None => {
                let games = labelled(games, recipe, index, header.labels.len(), progress);
                shard::write(&path, &header, &games)?;
                games
            }
        };
        games.iter().for_each(|game| written.count(game));
        written.shards += 1;
    }
    if !share.is_task() {
        put(&directory, place)?;
    }
    Ok(written)
}

/// Path of a set until it is complete.
#[must_use]
pub fn unfinished(place: &Path) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(".unfinished");
    PathBuf::from(name)
}

/// Header of the new shards, and index of the new label.
fn header<G: Playable>(
    source: &Source<G>,
    recipe: &LabelRecipe<G>,
) -> Result<(ShardHeader, usize), Error> {
    let label = recipe.label();
    let mut header = source.header(run(source, json!({ "command": "relabel", "label": label })));
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

/// Games of a shard that is already finished; `None` if there is none.
fn finished<G: Playable>(
    path: &Path,
    header: &ShardHeader,
    index: usize,
    games: &[PlayedGame<G>],
) -> Result<Option<Vec<PlayedGame<G>>>, Error> {
    if !path.exists() {
        return Ok(None);
    }
    let (found, labelled) = shard::read(path)?;
    let bare = |game: &PlayedGame<G>| {
        let mut bare = game.clone();
        bare.set_label(
            index,
            header.labels.len(),
            vec![None; game.record.plies.len()],
        );
        bare
    };
    let same = labelled.iter().map(bare).eq(games.iter().map(bare));
    if found != *header || !same {
        return Err(other_work(path, "does not hold these games"));
    }
    Ok(Some(labelled))
}

fn labelled<G: Playable>(
    mut games: Vec<PlayedGame<G>>,
    recipe: &LabelRecipe<G>,
    index: usize,
    known: usize,
    progress: &ProgressBar,
) -> Vec<PlayedGame<G>> {
    if recipe.look_up(index, known, &mut games) {
        progress.inc(games.len() as u64);
        return games;
    }
    let label = |labeller: &mut crate::label::Labeller<'_, G>, mut game: PlayedGame<G>| {
        let values = labeller.values(&game);
        game.set_label(index, known, values);
        progress.inc(1);
        game
    };
    games
        .into_par_iter()
        .with_min_len(GAMES_PER_TASK)
        .map_init(|| recipe.make(), label)
        .collect()
}

fn other_work(path: &Path, problem: &str) -> Error {
    Error::at(
        path,
        format!("{problem}; remove the directory, or choose another"),
    )
}
