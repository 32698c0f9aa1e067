//! Export of game records for the Python package `datasets`: a folder of Parquet files in splits,
//! with a dataset card, which appears complete or not at all.

use super::{
    ShardReader,
    atomic_dir::AtomicDirectory,
    derived_sets::{SplitPart, SplitPolicy},
    parquet::{ParquetWriter, declarations},
    shard_writer::WriteSummary,
};
use crate::Error;
use alea_play::playable::Playable;
use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::Path,
};

/// Splits and file sizes of an exported data set.
#[derive(Clone, Debug)]
pub struct DatasetLayout {
    /// Splits of the data set, at least one.
    pub parts: Vec<SplitPart>,
    /// Seed of the split, used as in [`split`](super::derived_sets::split).
    pub seed: u64,
    /// Number of positions after which a file ends, once its last game is complete.
    pub file_positions: u64,
}

/// Exports all games, in order within each split; returns a summary per split, with files as
/// shards.
///
/// # Errors
/// If `target` exists and is not empty, splits are invalid or get no games, records cannot be read,
/// or a file cannot be written.
pub fn export<G: Playable>(
    source: &ShardReader<G>,
    target: &Path,
    layout: &DatasetLayout,
) -> Result<Vec<WriteSummary>, Error> {
    let mut policy = SplitPolicy::new(&layout.parts, "_", layout.seed)?;
    let staging = AtomicDirectory::create(target)?;
    let folder = staging.path().join("data");
    let failed = Error::write_failed(target);
    fs::create_dir(&folder).map_err(&failed)?;
    let unfinished = |part: usize, number: u64| folder.join(format!("{part}-{number}"));
    let close = |open: Option<ParquetWriter<'_, G, BufWriter<File>>>| match open {
        Some(open) => open.finish()?.into_inner()?.sync_all(),
        None => Ok(()),
    };
    let new = |part: &SplitPart| {
        (
            WriteSummary::new(&target.join("data").join(&part.name)),
            None,
        )
    };
    let mut parts: Vec<_> = layout.parts.iter().map(new).collect();
    let mut number = 0;
    source.for_each_game(|game| {
        let (part, repeats) = policy.assign(&source.rules, &game);
        let (written, open) = &mut parts[part];
        written.count_game(&game);
        *written.duplicates.get_or_insert(0) += u64::from(repeats);
        let push = || -> io::Result<()> {
            let writer = match open {
                Some(writer) => writer,
                None => {
                    let file = File::create_new(unfinished(part, written.shards))?;
                    written.shards += 1;
                    open.insert(ParquetWriter::new(source, BufWriter::new(file))?)
                }
            };
            writer.push(number, game)?;
            if writer.rows >= layout.file_positions {
                close(open.take())?;
            }
            Ok(())
        };
        push().map_err(&failed)?;
        number += 1;
        Ok(())
    })?;
    let [mut rows, mut files, mut features, mut table] = [const { String::new() }; 4];
    let duplicates = parts.iter().filter_map(|(written, _)| written.duplicates);
    let duplicates: u64 = duplicates.sum();
    let mut all = Vec::new();
    for ((index, part), (written, open)) in layout.parts.iter().enumerate().zip(parts) {
        let WriteSummary {
            shards: count,
            games,
            positions,
            ..
        } = written;
        let (name, fraction) = (&part.name, policy.fraction(part));
        if count == 0 {
            let problem = format!("not created: '{name}' would have no game");
            return Err(Error::at_path(target, problem));
        }
        close(open).map_err(&failed)?;
        let mut size = 0;
        for number in 0..count {
            let finished = folder.join(format!("{name}-{number:05}-of-{count:05}.parquet"));
            fs::rename(unfinished(index, number), &finished).map_err(&failed)?;
            size += finished.metadata().map_err(&failed)?.len();
        }
        files += &format!("  - split: {name}\n    path: data/{name}-*.parquet\n");
        rows +=
            &format!("  - name: {name}\n    num_bytes: {size}\n    num_examples: {positions}\n");
        table += &format!("| {name} | {fraction} | {games} | {positions} | {count} |\n");
        all.push(written);
    }
    for declaration in declarations(source) {
        let words: Vec<&str> = declaration.split(' ').collect();
        let kind = match words[1] {
            "binary" => "string",
            "boolean" => "bool",
            "float" => "float32",
            same => same,
        };
        features += &format!("  - name: {}\n    dtype: {kind}\n", words[2]);
    }
    let players = source.players.iter().enumerate();
    let players = players.map(|(number, player)| format!("- {number}: `{player}`\n"));
    let card = format!(
        include_str!("hf_dataset/card.md"),
        files = files,
        features = features,
        rows = rows,
        game = source.rules.notation(),
        games = source.games,
        duplicates = duplicates,
        parts = table,
        seed = layout.seed,
        file_positions = layout.file_positions,
        columns = include_str!("hf_dataset/columns.md").trim_end(),
        players = players.collect::<String>(),
        labels = serde_json::json!(source.labels),
        runs = serde_json::json!(source.runs),
    );
    let mut file = File::create_new(staging.path().join("README.md")).map_err(&failed)?;
    let written = file.write_all(card.as_bytes());
    written.and_then(|()| file.sync_all()).map_err(&failed)?;
    staging.commit()?;
    Ok(all)
}

#[test]
fn the_card_describes_the_columns_as_the_documents_do() {
    let documents = include_str!("../../../docs/reference/formats.md");
    assert!(documents.contains(include_str!("hf_dataset/columns.md")));
}
