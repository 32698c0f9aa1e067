//! Speed of move generation and of moves, on positions of random games.

mod positions;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine::core::game::Game;
use engine::games::einstein::{MoveList, Position, Standard};
use positions::{NUM_POSITIONS, positions};
use std::hint::black_box;

fn rules(criterion: &mut Criterion) {
    let game = Standard::default();
    let positions = positions(&game);
    let mut group = criterion.benchmark_group("rules");
    group.throughput(Throughput::Elements(NUM_POSITIONS as u64));
    group.bench_function("moves after a roll", |bencher| {
        bencher.iter(|| {
            let count = |(position, face): &(Position, u8)| {
                game.legal_moves(black_box(position), *face).len()
            };
            positions.iter().map(count).sum::<usize>()
        });
    });
    group.bench_function("moves of all rolls", |bencher| {
        let mut moves = MoveList::default();
        bencher.iter(|| {
            let count = |(position, _): &(Position, u8)| {
                game.moves(black_box(position), &mut moves);
                moves.len()
            };
            positions.iter().map(count).sum::<usize>()
        });
    });
    group.bench_function("moves of all rolls, each played", |bencher| {
        let mut moves = MoveList::default();
        bencher.iter(|| {
            let mut wins = 0;
            for (position, _) in &positions {
                game.moves(black_box(position), &mut moves);
                wins += moves
                    .iter()
                    .filter(|&&mv| game.winner(&game.play(position, mv)).is_some())
                    .count();
            }
            wins
        });
    });
    group.finish();
}

criterion_group!(benches, rules);
criterion_main!(benches);
