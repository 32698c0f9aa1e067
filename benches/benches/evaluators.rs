//! Speed of the evaluators on independent positions, one call each.

mod positions;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine::core::{evaluator::Evaluator, simd::Instructions};
use engine::games::einstein::{
    Position, Standard,
    learned::ntuple::{NTuple, TupleSet},
};
use engine::play::{build, player_notation::trusted_text};
use positions::{NUM_POSITIONS, positions};
use std::hint::black_box;

const EVALUATORS: [&str; 8] = [
    "greedy",
    "farmer_boy",
    "reciprocal",
    "schwarz",
    "abt",
    "race",
    concat!(
        "model:",
        env!("CARGO_MANIFEST_DIR"),
        "/../models/quick-ntuple.safetensors"
    ),
    concat!(
        "model:",
        env!("CARGO_MANIFEST_DIR"),
        "/../models/quick-network.safetensors"
    ),
];

fn short_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn evaluators(criterion: &mut Criterion) {
    let game = Standard::default();
    let positions = positions(&game);
    let mut group = criterion.benchmark_group("evaluators, a position");
    group.throughput(Throughput::Elements(NUM_POSITIONS as u64));
    for name in EVALUATORS {
        let evaluator = build::parse_evaluator(trusted_text(name), &game)
            .unwrap_or_else(|error| panic!("{error}"));
        group.bench_function(short_name(name), |bencher| {
            let value =
                |(position, _): &(Position, u8)| evaluator.value_of(&game, black_box(position));
            bencher.iter(|| positions.iter().map(value).sum::<f32>());
        });
    }
    for instructions in Instructions::available() {
        let network = synthetic_ntuple().with_instructions(instructions);
        group.bench_function(
            format!("40 tables of 13^4, {}", instructions.name()),
            |bencher| {
                let value =
                    |(position, _): &(Position, u8)| network.value_of(&game, black_box(position));
                bencher.iter(|| positions.iter().map(value).sum::<f32>());
            },
        );
    }
    group.finish();
}

fn synthetic_ntuple() -> NTuple {
    let windows = TupleSet::from_name(&Standard::default(), "board-windows")
        .unwrap_or_else(|error| panic!("{error}"))
        .tuple_texts();
    let set = TupleSet::parse_custom(&Standard::default(), &windows[..40])
        .unwrap_or_else(|error| panic!("{error}"));
    let weights = (0..set.row_count())
        .map(|row| (row % 7) as f32 / 70.0)
        .collect();
    NTuple::new(set, weights, 0.0).unwrap_or_else(|error| panic!("{error}"))
}

criterion_group!(benches, evaluators);
criterion_main!(benches);
