//! Speed of the evaluators, one call per position, on unrelated positions.

mod positions;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use engine::core::{evaluator::Evaluator, random::RandomStream, simd::Instructions};
use engine::games::{
    einstein::{Position, Standard},
    havannah::Havannah,
    reversi::Reversi,
    reversixt::ReversiXt,
};
use engine::learned::{
    inputs::Learnable,
    network::{FloatWeights, Layer, Network},
    tuples::{TupleNetwork, TupleSet},
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
    group.finish();
}

fn successors(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("learned evaluators, a successor");
    for_game::<Standard>(&mut group, "einstein");
    for_game::<Reversi>(&mut group, "reversi");
    for_game::<ReversiXt>(&mut group, "reversixt");
    for_game::<Havannah>(&mut group, "havannah");
    group.finish();
}

fn for_game<G: Learnable>(group: &mut BenchmarkGroup<'_, WallTime>, name: &str) {
    let game = G::from_notation(name, None).unwrap_or_else(|error| panic!("{error}"));
    let mut random = RandomStream::new(4);
    let mut positions = Vec::new();
    while positions.len() < 100 {
        let mut position = game.random_start(&mut random, 0);
        while game.payoffs(&position).is_none() {
            let mut moves = G::Moves::default();
            game.moves(&position, &mut moves);
            let next = game.play(&position, moves[random.below(moves.len())]);
            let inner = |mv: &G::Move| game.payoffs(&game.play(&position, *mv)).is_none();
            let moves: Vec<G::Move> = moves.iter().copied().filter(inner).collect();
            if random.below(8) == 0 {
                positions.push((position, moves));
            }
            position = next;
        }
    }
    let count: usize = positions.iter().map(|(_, moves)| moves.len()).sum();
    group.throughput(Throughput::Elements(count as u64));
    let network = random_network(&game);
    let set = TupleSet::from_name(&game, game.tuple_sets()[0].name);
    let tuples = set.map_err(|error| error.to_string()).and_then(|set| {
        let weights = (0..set.row_count()).map(|row| (row % 7) as f32 / 70.0);
        TupleNetwork::new(set.clone(), weights.collect(), 0.0).map_err(|error| error.to_string())
    });
    let tuples = tuples.unwrap_or_else(|error| panic!("{error}"));
    for instructions in Instructions::available() {
        let set = instructions.name();
        let network = network.clone().with_instructions(instructions);
        group.bench_function(format!("{name} network 64, 32, {set}"), |bencher| {
            bencher.iter(|| sum_of_values(&game, &network, &positions));
        });
    }
    group.bench_function(format!("{name} n-tuples"), |bencher| {
        bencher.iter(|| sum_of_values(&game, &tuples, &positions));
    });
}

fn sum_of_values<G: Learnable, E: Evaluator<G>>(
    game: &G,
    evaluator: &E,
    positions: &[(G::Position, Vec<G::Move>)],
) -> f32 {
    let (mut cache, mut child) = <(E::Cache, E::Cache)>::default();
    let (mut values, mut sum) = (Vec::new(), 0.0);
    for (position, moves) in black_box(positions) {
        if E::BATCHES_SUCCESSORS {
            values.resize(moves.len(), 0.0);
            evaluator.value_successors(game, position, moves, &mut cache, &mut values);
            sum += values.iter().sum::<f32>();
            continue;
        }
        evaluator.refresh(game, position, &mut cache);
        for &mv in moves {
            let after = game.play(position, mv);
            evaluator.update(game, &mut cache, position, mv, &after, &mut child);
            sum += evaluator.value(game, &after, &child);
        }
    }
    sum
}

fn random_network<G: Learnable>(game: &G) -> Network<G> {
    let groups = G::DEFAULT_FEATURES.iter().copied().collect();
    let slots = game.feature_slots(groups);
    let rows = slots.iter().map(|slot| slot.end).max().unwrap_or(0);
    let mut random = RandomStream::new(5);
    let mut numbers = |count: usize| -> Vec<f32> {
        let number = |_| 0.2 * (random.uniform_f64() as f32 - 0.5);
        (0..count).map(number).collect()
    };
    let weights = FloatWeights {
        rows: numbers(rows * 64),
        bias: numbers(64),
        hidden: vec![Layer {
            weights: numbers(64 * 32),
            bias: numbers(32),
        }],
        outputs: 1,
        output: numbers(32),
        output_bias: vec![0.0],
    };
    let network = weights
        .quantize()
        .and_then(|weights| Network::new(game, groups, &[], weights));
    network.unwrap_or_else(|error| panic!("{error}"))
}

criterion_group!(benches, evaluators, successors);
criterion_main!(benches);
