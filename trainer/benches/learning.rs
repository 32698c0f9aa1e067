//! Measures reading a shard, computing input rows, and the training steps of both model families.

#[path = "../examples/common/mod.rs"]
mod common;

use alea_core::random::RandomStream;
use common::{default_features, network, random_batch};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine::games::einstein::Standard;
use std::{hint::black_box, path::Path};
use trainer::batch::{network_batch, tuple_batch};
use trainer::config::{TrainConfig, UpdateRule};
use trainer::dataset::{SampleOptions, Samples};
use trainer::models::tuple_optimizer::WeightTable;
use trainer::shard;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/sample");

const BATCH_SIZE: usize = 4096;

fn bench_shards(criterion: &mut Criterion) {
    let path = Path::new(SAMPLE).join("000000.games");
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (header, games) =
        shard::decode::<Standard>(&path, &bytes).unwrap_or_else(|error| panic!("{error}"));
    let plies: usize = games.iter().map(|game| game.record.plies.len()).sum();
    let mut group = criterion.benchmark_group("records");
    group.throughput(Throughput::Elements(plies as u64));
    group.bench_function("reading and replaying", |bencher| {
        bencher
            .iter(|| shard::decode::<Standard>(&path, black_box(&bytes)).map(|read| read.1.len()))
    });
    group.bench_function("writing and checking", |bencher| {
        bencher.iter(|| shard::encode(&path, &header, black_box(&games)).map(|bytes| bytes.len()))
    });
    group.finish();
}

fn inputs(criterion: &mut Criterion) {
    let config = TrainConfig::default();
    let options = SampleOptions::new(&config.target, 0.05, 1);
    let samples = Samples::<Standard>::open(&[SAMPLE], &options)
        .and_then(|samples| samples.read_part(0))
        .unwrap_or_else(|error| panic!("{error}"));
    let features = default_features();
    let set = config
        .ntuple
        .tuple_set(&Standard::default())
        .unwrap_or_else(|error| panic!("{error}"));
    let batch = &samples[..BATCH_SIZE];
    let mut group = criterion.benchmark_group("inputs of a batch");
    group.throughput(Throughput::Elements(BATCH_SIZE as u64));
    group.bench_function("network", |bencher| {
        bencher.iter(|| {
            network_batch(&features, black_box(batch), 0.7)
                .targets
                .len()
        })
    });
    group.bench_function("tuples", |bencher| {
        bencher.iter(|| tuple_batch(&set, black_box(batch), 0.7).targets.len())
    });
    group.finish();
}

fn bench_train_steps(criterion: &mut Criterion) {
    let mut random = RandomStream::new(1);
    let mut network = network(&TrainConfig::default(), &mut random);
    let batch = random_batch(BATCH_SIZE, &mut random);
    let mut group = criterion.benchmark_group("a training step");
    group.throughput(Throughput::Elements(BATCH_SIZE as u64));
    group.bench_function("network", |bencher| {
        bencher.iter(|| network.adam_step(batch.inputs(), 1e-3, 1.0));
    });
    // Equally likely rows are the worst case for caches.
    let (tuples, table) = (40, 13 * 13 * 13 * 13);
    let rows: Vec<u32> = (0..BATCH_SIZE * tuples)
        .map(|index| (index % tuples * table + random.below(table)) as u32)
        .collect();
    for rule in [
        UpdateRule::Sgd,
        UpdateRule::Adagrad,
        UpdateRule::TemporalCoherence,
    ] {
        let mut table = WeightTable::zeros(rule, tuples * table);
        group.bench_function(format!("40 tables, {rule:?}"), |bencher| {
            bencher.iter(|| table.train(&rows, &batch.targets, &[], 0.01))
        });
    }
    group.finish();
}

criterion_group!(benches, bench_shards, inputs, bench_train_steps);
criterion_main!(benches);
