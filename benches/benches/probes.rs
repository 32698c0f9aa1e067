//! Speed of endgame table probes for positions of at most four stones.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine::core::{game::Game, random::RandomStream};
use engine::games::einstein::{MoveList, Position, Standard, tables::shared_tables::shared_tables};
use std::hint::black_box;

/// Number of positions, so many that their table entries do not fit a core's caches.
const NUM_POSITIONS: usize = 1 << 16;

fn endgames(game: &Standard) -> Vec<Position> {
    let mut random = RandomStream::new(3);
    let mut found = Vec::with_capacity(NUM_POSITIONS);
    let mut moves = MoveList::default();
    while found.len() < NUM_POSITIONS {
        let mut position = game.random_start(&mut random, found.len() % 2);
        while game.winner(&position).is_none() {
            if position.num_stones() <= 4 && found.len() < NUM_POSITIONS {
                found.push(position);
            }
            game.moves(&position, &mut moves);
            position = game.play(&position, moves[random.below(moves.len())]);
        }
    }
    found
}

fn probes(criterion: &mut Criterion) {
    let game = Standard::default();
    let tables = shared_tables(4, game.variant()).unwrap_or_else(|error| panic!("{error}"));
    let positions = endgames(&game);
    let mut group = criterion.benchmark_group("probes of four stones");
    group.throughput(Throughput::Elements(NUM_POSITIONS as u64));
    group.bench_function("one by one", |bencher| {
        bencher.iter(|| {
            positions
                .iter()
                .filter_map(|position| tables.value_of(black_box(position)))
                .sum::<f32>()
        });
    });
    group.bench_function("together", |bencher| {
        let mut values = vec![None; NUM_POSITIONS];
        bencher.iter(|| tables.values(black_box(&positions), &mut values));
    });
    group.bench_function("all moves and the best", |bencher| {
        bencher.iter(|| {
            positions
                .iter()
                .filter_map(|position| tables.probe(&game, black_box(position)))
                .map(|probe| probe.value)
                .sum::<f32>()
        });
    });
    group.finish();
}

criterion_group!(benches, probes);
criterion_main!(benches);
