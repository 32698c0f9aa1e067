//! Speed of data loading and training: `cargo run --release -p alea-trainer --example
//! training_speed -- DIR [THREADS [ROWS]]`. DIR holds game records (`alea selfplay`); input rows
//! are written to ROWS for `trainer/benches/pytorch_comparison.py`. On a busy machine only cycles
//! are reliable.
#![allow(clippy::print_stdout)]

mod common;

use alea_core::{
    random::RandomStream,
    simd::{Instructions, SimdLevel},
};
use alea_learned::inputs::Learnable;
use common::{default_features, random_batch};
use engine::games::einstein::{Position, Standard, learned::ntuple::TupleSet};
use std::{error, hint::black_box, path::Path, time::Instant};
use trainer::Error;
use trainer::batch::{network_batch, tuple_batch};
use trainer::config::{TrainConfig, UpdateRule};
use trainer::dataset::{SampleOptions, Samples};
use trainer::loader::{DataLoader, Shuffle};
use trainer::models::tuple_optimizer::WeightTable;
use trainer::sample::Sample;

const NUM_RUNS: usize = 3;

const BATCH_SIZE: usize = 4096;
const STEPS: usize = 40;
const LAMBDA: f32 = 0.7;

fn main() -> Result<(), Box<dyn error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments
        .next()
        .ok_or("the directory of game records is missing")?;
    let threads = arguments.next().map_or(Ok(1), |threads| threads.parse())?;
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()?;
    println!("threads of the pool {threads}; samples/s of wall time, best of {NUM_RUNS}");
    let config = TrainConfig::default();
    let samples = Samples::<Standard>::open(
        &[Path::new(&directory)],
        &SampleOptions::new(&config.target, 0.05, 1),
    )?;
    println!(
        "{} training samples in {} parts",
        samples.num_training(),
        samples.num_parts()
    );
    loading(&samples, &config)?;
    network(&samples, &config)?;
    tuples(&samples, arguments.next().as_deref())
}

/// Prints the fastest of several runs; `run` returns its number of samples.
fn measure(name: &str, mut run: impl FnMut() -> Result<usize, Error>) -> Result<(), Error> {
    let (mut best, mut min_seconds, mut cycles) = (0.0f64, f64::INFINITY, f64::INFINITY);
    for _ in 0..NUM_RUNS {
        let clock = clock_hertz();
        let (started, before) = (Instant::now(), cpu_seconds());
        let mut samples = 0.0;
        while started.elapsed().as_secs_f64() < 1.0 {
            samples += run()? as f64;
        }
        best = best.max(samples / started.elapsed().as_secs_f64());
        let seconds = (cpu_seconds() - before) / samples;
        min_seconds = min_seconds.min(seconds);
        cycles = cycles.min(seconds * (clock + self::clock_hertz()) / 2.0);
    }
    println!(
        "{name:<44} {:>8.3} million/s {:>7.0} ns {cycles:>7.0} cycles",
        best / 1e6,
        min_seconds * 1e9
    );
    Ok(())
}

/// Processor time of all threads in seconds; 0 where unavailable.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Fields 12 and 13 after the name, in 1/100 s.
    let fields = text
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .skip(11)
        .take(2);
    fields
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

fn clock_hertz() -> f64 {
    const STEPS: u64 = 30_000_000;
    let nanoseconds = || -> f64 {
        let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
        text.split(' ')
            .next()
            .and_then(|field| field.parse().ok())
            .unwrap_or(0.0)
    };
    let (before, mut state) = (nanoseconds(), 1u64);
    // Six dependent one-cycle operations (Marsaglia 2003).
    for _ in 0..STEPS {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    black_box(state);
    (6 * STEPS) as f64 / ((nanoseconds() - before) / 1e9)
}

fn shuffle(epoch: usize, window: usize) -> Shuffle {
    Shuffle {
        seed: 1,
        epoch,
        buffer: window,
        symmetries: true,
    }
}

fn loading(samples: &Samples<Standard>, config: &TrainConfig) -> Result<(), Box<dyn error::Error>> {
    let features = default_features();
    let set = config.ntuple.tuple_set(samples.game())?;
    measure("reading shards", || {
        (0..samples.num_parts())
            .map(|part| samples.read_part(part).map(|part| part.len()))
            .sum()
    })?;
    for window in [1 << 16, 1 << 24] {
        let pass = |epoch| DataLoader::training(samples, 4096, shuffle(epoch, window), 0);
        let name = |what: &str| format!("{what}, window of {window}");
        measure(&name("read and shuffled"), || {
            load_epoch(&pass(1), <[_]>::to_vec, Vec::len)
        })?;
        measure(&name("network batches"), || {
            load_epoch(
                &pass(1),
                |samples| network_batch(&features, samples, LAMBDA),
                |batch| batch.targets.len(),
            )
        })?;
        measure(&name("tuple batches"), || {
            load_epoch(
                &pass(1),
                |samples| tuple_batch(&set, samples, LAMBDA),
                |batch| batch.targets.len(),
            )
        })?;
    }
    Ok(())
}

fn load_epoch<B: Send>(
    loader: &DataLoader<'_, Standard>,
    prepare: impl Fn(&[Sample<Position>]) -> B + Sync,
    size: impl Fn(&B) -> usize,
) -> Result<usize, Error> {
    let mut samples = 0;
    loader.for_each_batch(prepare, |_, batch| {
        samples += size(&batch);
        Ok(())
    })?;
    Ok(samples)
}

fn network(samples: &Samples<Standard>, config: &TrainConfig) -> Result<(), Error> {
    let features = default_features();
    let mut random = RandomStream::new(1);
    let slots = features.game.feature_slots(features.groups);
    for hidden in [[64, 32], [128, 32], [256, 32]] {
        let mut config = config.clone();
        config.network.hidden = hidden.to_vec();
        let start = common::network(&config, &mut random);
        let batch = random_batch(BATCH_SIZE, &mut random);
        for instructions in
            Instructions::available().filter(|found| found.level() <= SimdLevel::Avx512)
        {
            let mut network = start.clone().with_instructions(instructions);
            let name = format!("network step alone, {hidden:?}, {}", instructions.name());
            measure(&name, || {
                for _ in 0..STEPS {
                    network.adam_step(batch.inputs(), 1e-3, 1.0);
                    network.clamp_to_range(Some(&slots));
                }
                Ok(STEPS * BATCH_SIZE)
            })?;
        }
    }
    let mut network = common::network(config, &mut random);
    measure("network epoch from shards", || {
        let mut learned = 0;
        DataLoader::training(samples, BATCH_SIZE, shuffle(1, 1 << 24), 0).for_each_batch(
            |samples| network_batch(&features, samples, LAMBDA),
            |_, batch| {
                network.adam_step(batch.inputs(), 1e-3, 1.0);
                learned += batch.targets.len();
                Ok(())
            },
        )?;
        Ok(learned)
    })
}

/// Measures 40 tables for 4 squares with 13 contents, on random rows (the worst case for caches),
/// then on recorded positions.
fn tuples(samples: &Samples<Standard>, file: Option<&str>) -> Result<(), Box<dyn error::Error>> {
    const TUPLES: usize = 40;
    const ROWS: usize = 13 * 13 * 13 * 13;
    let mut random = RandomStream::new(2);
    let uniform: Vec<u32> = (0..STEPS * BATCH_SIZE * TUPLES)
        .map(|index| (index % TUPLES * ROWS + random.below(ROWS)) as u32)
        .collect();
    let targets: Vec<f32> = (0..STEPS * BATCH_SIZE)
        .map(|_| random.uniform_f64() as f32)
        .collect();
    let windows = TupleSet::from_name(samples.game(), "board-windows")?.tuple_texts();
    let set = TupleSet::parse_custom(samples.game(), &windows[..TUPLES])?;
    let mut played = Vec::new();
    DataLoader::training(samples, BATCH_SIZE, shuffle(1, 1 << 24), 0).for_each_batch(
        |samples| tuple_batch(&set, samples, LAMBDA).rows,
        |_, rows| {
            played.extend_from_slice(&rows[..rows.len().min(uniform.len() - played.len())]);
            Ok(())
        },
    )?;
    if let Some(file) = file {
        std::fs::write(
            file,
            played
                .iter()
                .flat_map(|row| row.to_le_bytes())
                .collect::<Vec<_>>(),
        )?;
    }
    for (name, rows) in [("any rows", &uniform), ("rows of positions", &played)] {
        for rule in [
            UpdateRule::Sgd,
            UpdateRule::Adagrad,
            UpdateRule::TemporalCoherence,
        ] {
            let mut table = WeightTable::zeros(rule, TUPLES * ROWS);
            measure(
                &format!("{TUPLES} tables of 13^4, {name}, {rule:?}"),
                || {
                    table.train(rows, &targets[..rows.len() / TUPLES], &[], 0.01);
                    Ok(rows.len() / TUPLES)
                },
            )?;
        }
    }
    Ok(())
}
