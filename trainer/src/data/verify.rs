//! Checks all games of records and lists all problems.

use super::{json_lines, shards_of};
use crate::Error;
use crate::manifest::Manifest;
use crate::shard::{self, GAMES_PER_SHARD};
use alea_play::playable::Playable;
use serde::Serialize;
use std::{collections::BTreeSet, path::PathBuf};

/// Result of [`verify`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Verification {
    /// Number of shards read.
    pub shards: u64,
    /// Number of legal games.
    pub games: u64,
    /// Number of plies in legal games.
    pub positions: u64,
    /// Problems, one line each, in the order of files.
    pub problems: Vec<String>,
    /// Number of shards that manifests list but that do not exist, as in an unfinished run.
    pub missing: u64,
}

/// Replays the games of shards and JSON-lines files, and compares directories with their manifests.
///
/// # Errors
/// If there is nothing to read. Problems of files are listed instead.
pub fn verify<G: Playable>(paths: &[PathBuf]) -> Result<Verification, Error> {
    let mut all = Verification::default();
    for path in paths {
        if path.extension().is_some_and(|end| end == "jsonl") {
            json_lines::verify::<G>(path, &mut all);
            continue;
        }
        let shards = shards_of(std::slice::from_ref(path))?;
        let manifest = if path.is_dir() {
            Manifest::read(path).unwrap_or_else(|error| {
                all.problems.push(error.to_string());
                None
            })
        } else {
            None
        };
        let mut there = BTreeSet::new();
        let inspections =
            alea_parallel::map(shards.len(), |index| shard::inspect::<G>(&shards[index]));
        for (shard, found) in shards.iter().zip(inspections) {
            all.shards += 1;
            all.games += found.good_games;
            all.positions += found.good_plies;
            all.problems
                .extend(found.problems.iter().map(ToString::to_string));
            let (Some(header), Some(manifest)) = (found.header, &manifest) else {
                continue;
            };
            let mut wrong =
                |problem: &str| all.problems.push(format!("{}: {problem}", shard.display()));
            let index = header.first_game / GAMES_PER_SHARD;
            there.insert(index);
            if !manifest.matches(&header) {
                wrong("of another run than the manifest");
            } else if shard.file_name() != Some(shard::file_name(index).as_ref()) {
                wrong(&format!("has the games of {}", shard::file_name(index)));
            } else if header.games
                != GAMES_PER_SHARD.min(manifest.games.saturating_sub(header.first_game))
            {
                wrong(&format!("has {} games, unlike the manifest", header.games));
            }
        }
        all.missing += manifest.map_or(0, |manifest| {
            manifest.shards.saturating_sub(there.len() as u64)
        });
    }
    Ok(all)
}
