//! Game records: self-play, shards, derived sets and samples.

#![allow(
    clippy::unwrap_used,
    reason = "a test helper outside of a test function"
)]

mod backward_compatibility;
mod damaged_files;
mod data_operations;
mod dataset;
mod format;
mod import_export;
mod imported_archives;
mod labels;
mod relabel;
mod selfplay;
mod selfplay_options;
mod split_images;
mod targets;
mod tokens_game;

use alea_core::record::Ply;
use engine::games::einstein::Move;
use engine::games::einstein::{
    Standard,
    learned::{
        model_types::{Model, ModelFile},
        ntuple::{NTuple, TupleSet},
    },
};
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};
use trainer::data::verify::verify;
use trainer::dataset::SampleOptions;
use trainer::labeller::LabelConfig;
use trainer::selfplay::{Limits, RunReport, SelfPlayConfig, SelfPlaySummary, WeightedPlayer};
use trainer::{Error, shard};

type PlayedGame = trainer::shard::PlayedGame<Standard>;
type SelfPlay = trainer::selfplay::SelfPlay<Standard>;
type ShardReader = trainer::data::ShardReader<Standard>;
type LabelSource = trainer::labeller::LabelSource<Standard>;
type Samples = trainer::dataset::Samples<Standard>;

/// Classic rules of EinStein; `NEAREST` is a variant.
const CLASSIC: &str = "einstein";
const NEAREST: &str = "einstein(variant=nearest)";

struct Scratch(tempfile::TempDir);

impl std::ops::Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

fn scratch() -> Scratch {
    Scratch(tempfile::tempdir().unwrap())
}

fn scratch_paths() -> impl Fn(&str) -> PathBuf {
    let directory = scratch();
    move |name| directory.join(name)
}

fn config(players: &[&str], games: u64) -> SelfPlayConfig {
    let players = players
        .iter()
        .map(|player| WeightedPlayer {
            player: (*player).to_owned(),
            weight: 1.0,
        })
        .collect();
    SelfPlayConfig {
        players,
        games,
        seed: 7,
        opening_plies: 2,
        exploration: 0.1,
        ..SelfPlayConfig::for_game(&Standard::default())
    }
}

/// Players with a transposition table, with random decisions, and without values.
const MIXED_PLAYERS: [&str; 4] = [
    "star1(depth=2, eval=schwarz, table=1)",
    "mcts(sims=20)",
    "greedy",
    "random",
];

fn run(config: &SelfPlayConfig, directory: &Path) -> Result<SelfPlaySummary, Error> {
    Ok(run_within(config, directory, Limits::default())?.summary)
}

fn run_within(
    config: &SelfPlayConfig,
    directory: &Path,
    limits: Limits,
) -> Result<RunReport, Error> {
    SelfPlay::new(config.clone())?.run(directory, &limits, &ProgressBar::hidden())
}

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
        .install(work)
}

fn label_config(name: &str, by: &str) -> LabelConfig {
    LabelConfig {
        name: name.to_owned(),
        by: by.to_owned(),
    }
}

fn plies(games: &[PlayedGame]) -> impl Iterator<Item = &Ply<Move>> + Clone {
    games.iter().flat_map(|game| &game.record.plies)
}

fn is_sound(directory: PathBuf) -> bool {
    verify::<Standard>(&[directory])
        .unwrap()
        .problems
        .is_empty()
}

fn samples_in(directory: &Path, options: &SampleOptions) -> Result<Samples, Error> {
    Samples::open(&[directory], options)
}

type Shard = (shard::ShardHeader, Vec<PlayedGame>);

fn decode(path: &Path, bytes: &[u8]) -> Result<Shard, Error> {
    shard::decode(path, bytes)
}

fn read(path: &Path) -> Result<Shard, Error> {
    shard::read(path)
}

fn play(config: &SelfPlayConfig) -> Vec<PlayedGame> {
    let run = SelfPlay::new(config.clone()).unwrap();
    (0..run.num_shards())
        .flat_map(|index| run.play_shard(index, &ProgressBar::hidden()).unwrap())
        .collect()
}

fn content(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap());
    let mut files: Vec<_> = entries
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                std::fs::read(entry.path()).unwrap(),
            )
        })
        .collect();
    files.sort();
    files
}

fn header_of(config: &SelfPlayConfig, games: u64) -> shard::ShardHeader {
    shard::ShardHeader {
        run: serde_json::json!({ "seed": config.seed }),
        players: config
            .players
            .iter()
            .map(|weighted| weighted.player.clone())
            .collect(),
        games,
        ..shard::ShardHeader::new(&Standard::default(), serde_json::Value::Null)
    }
}

/// Checks that the error is one line that contains `path`.
fn one_line(error: &impl std::error::Error, path: &Path) -> String {
    let text = error.to_string();
    assert!(
        !text.contains('\n') && text.contains(path.to_str().unwrap()),
        "{text}"
    );
    text
}

fn assert_refused<T>(result: Result<T, Error>, path: &Path, expected: &str) -> String {
    let text = one_line(&result.err().unwrap(), path);
    assert!(text.contains(expected), "{text}: expected {expected}");
    text
}

fn save_model(path: &Path, bias: f32) {
    let set = TupleSet::from_name(&Standard::default(), "stone-pairs").unwrap();
    let weights = vec![0.0; set.row_count()];
    let file = ModelFile {
        provenance: "{}".to_owned(),
        model: Model::NTuple(NTuple::new(set, weights, bias).unwrap()),
    };
    file.save(path).unwrap();
}
