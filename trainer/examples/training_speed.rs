//! Speed of loading and of training: `cargo run --release -p trainer --example training_speed -- DIR [THREADS]`.
//!
//! DIR holds game records (`alea selfplay`). Prints, for each part of a training alone and for the whole, samples a
//! second of wall time; the best of a few runs, because other programs disturb.
#![allow(clippy::print_stdout)]

use engine::eval::features::{ACTIVE, DenseFeatures, STONE_SQUARES};
use engine::eval::network::InstructionSet;
use engine::eval::ntuple::TupleSet;
use engine::games::einstein::Standard;
use engine::random::RandomStream;
use std::error::Error;
use std::path::Path;
use std::time::Instant;
use trainer::batch::{network_batch, tuple_batch};
use trainer::config::{Rule, TrainConfig};
use trainer::dataset::{DatasetError, Samples, TargetMix};
use trainer::loader::{Pass, Shuffle};
use trainer::models::fused::{FusedNetwork, Inputs, Shape};
use trainer::models::online::Cells;
use trainer::sample::Sample;

/// Runs of each measurement, of which the best counts.
const RUNS: usize = 3;

/// Samples a step of the network, and steps of a run.
const BATCH: usize = 4096;
const STEPS: usize = 40;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or("the directory of game records is missing")?;
    let threads = arguments.next().map_or(Ok(1), |threads| threads.parse())?;
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    println!("threads of the pool {threads}; samples/s of wall time, best of {RUNS}");
    let config = TrainConfig::default();
    let mix = TargetMix { search_share: 0.7, validation_share: 0.05, seed: 1 };
    let samples = Samples::open(Path::new(&directory), &mix)?;
    println!("{} training samples in {} parts", samples.training(), samples.parts());
    loading(&samples, &config)?;
    network(&samples, &config)?;
    Ok(tuples()?)
}

/// The best of some runs, each of which tells how many samples it went through.
fn measure(name: &str, mut run: impl FnMut() -> Result<usize, DatasetError>) -> Result<(), DatasetError> {
    let mut best = 0.0f64;
    for _ in 0..RUNS {
        let started = Instant::now();
        let samples = run()?;
        best = best.max(samples as f64 / started.elapsed().as_secs_f64());
    }
    println!("{name:<48} {:>8.3} million/s", best / 1e6);
    Ok(())
}

fn shuffle(epoch: usize, window: usize) -> Shuffle {
    Shuffle { seed: 1, epoch, window, symmetries: true }
}

fn loading(samples: &Samples, config: &TrainConfig) -> Result<(), Box<dyn Error>> {
    let game = Standard::default();
    let features = DenseFeatures::new(&game, config.network.features);
    let set = TupleSet::named(&config.ntuple.set)?;
    measure("reading shards", || (0..samples.parts()).map(|part| samples.read(part).map(|part| part.len())).sum())?;
    for window in [1 << 16, 1 << 24] {
        let pass = |epoch| Pass::training(samples, 4096, shuffle(epoch, window), 0);
        let name = |what: &str| format!("{what}, window of {window}");
        measure(&name("read and shuffled"), || count(&pass(1), <[_]>::to_vec, Vec::len))?;
        measure(&name("network batches"), || {
            count(&pass(1), |samples| network_batch(&game, &features, samples), |batch| batch.targets.len())
        })?;
        measure(&name("tuple batches"), || count(&pass(1), |samples| tuple_batch(&set, samples), |batch| batch.targets.len()))?;
    }
    Ok(())
}

/// Goes through a pass; `size` tells the samples of a batch.
fn count<B: Send>(pass: &Pass<'_>, prepare: impl Fn(&[Sample]) -> B + Sync, size: impl Fn(&B) -> usize) -> Result<usize, DatasetError> {
    let mut samples = 0;
    pass.each(prepare, |_, batch| {
        samples += size(&batch);
        Ok::<(), DatasetError>(())
    })?;
    Ok(samples)
}

/// The step alone on the same batch, and an epoch from the shards.
fn network(samples: &Samples, config: &TrainConfig) -> Result<(), DatasetError> {
    let game = Standard::default();
    let features = DenseFeatures::new(&game, config.network.features);
    let shape = Shape { dense: features.len(), hidden: config.network.hidden };
    let mut random = RandomStream::new(1);
    let weights: Vec<f32> = (0..shape.parameters()).map(|_| (random.unit() as f32 - 0.5) * 0.3).collect();
    let start = FusedNetwork::new(shape, weights, vec![0.0; 2 * shape.parameters()], 0);
    for instructions in InstructionSet::ALL {
        let Some(mut network) = start.clone().on(instructions) else { continue };
        let rows: Vec<i32> =
            (0..BATCH * ACTIVE).map(|place| (place % ACTIVE * STONE_SQUARES + random.below(STONE_SQUARES)) as i32).collect();
        let mut unit = |count: usize| -> Vec<f32> { (0..count).map(|_| random.unit() as f32).collect() };
        let (dense, targets) = (unit(BATCH * shape.dense), unit(BATCH));
        measure(&format!("network step alone, {instructions:?}"), || {
            for _ in 0..STEPS {
                network.step(Inputs { rows: &rows, dense: &dense, targets: &targets }, 1e-3, 1.0);
            }
            Ok(STEPS * BATCH)
        })?;
    }
    let mut network = start;
    measure("network epoch from shards", || {
        let mut learned = 0;
        Pass::training(samples, BATCH, shuffle(1, 1 << 24), 0).each(
            |samples| network_batch(&game, &features, samples),
            |_, batch| {
                network.step(Inputs { rows: &batch.rows, dense: &batch.dense, targets: &batch.targets }, 1e-3, 1.0);
                learned += batch.targets.len();
                Ok::<(), DatasetError>(())
            },
        )?;
        Ok(learned)
    })
}

/// Tables as large as those of four squares with thirteen contents each, any row equally likely: the worst case for
/// the caches.
fn tuples() -> Result<(), DatasetError> {
    const TUPLES: usize = 40;
    const ROWS: usize = 13 * 13 * 13 * 13;
    let mut random = RandomStream::new(2);
    let rows: Vec<u32> = (0..STEPS * BATCH * TUPLES).map(|place| (place % TUPLES * ROWS + random.below(ROWS)) as u32).collect();
    let targets: Vec<f32> = (0..STEPS * BATCH).map(|_| random.unit() as f32).collect();
    for rule in [Rule::Sgd, Rule::Adagrad, Rule::TemporalCoherence] {
        let mut cells = Cells::zeros(rule, TUPLES * ROWS);
        measure(&format!("{TUPLES} tables of 13^4 rows, {rule:?}"), || {
            cells.learn(&rows, &targets, 0.01);
            Ok(STEPS * BATCH)
        })?;
    }
    Ok(())
}
