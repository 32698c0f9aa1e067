//! Speed of the rules: move generation and play over a fixed set of positions from random games.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine::dice::DiceStream;
use engine::game::Game;
use engine::games::einstein::{MoveList, Position, RED, Standard};
use engine::random::RandomStream;
use std::hint::black_box;

/// How many positions are measured together: they fit the first-level cache.
const POSITIONS: usize = 1024;

/// Positions of random games, each with a roll; always the same.
fn positions(game: &Standard) -> Vec<(Position, u8)> {
    let mut random = RandomStream::new(1);
    let mut dice = DiceStream::new(2, game.die());
    let mut positions = Vec::with_capacity(POSITIONS);
    while positions.len() < POSITIONS {
        let mut position = game.random_start(&mut random, RED);
        while game.winner(&position).is_none() && positions.len() < POSITIONS {
            let face = dice.roll();
            positions.push((position, face));
            let legal = game.legal_moves(&position, face);
            position = game.play(&position, legal[random.below(legal.len())]);
        }
    }
    positions
}

fn rules(criterion: &mut Criterion) {
    let game = Standard::default();
    let positions = positions(&game);
    let mut group = criterion.benchmark_group("rules");
    group.throughput(Throughput::Elements(POSITIONS as u64));
    group.bench_function("moves after a roll", |bencher| {
        bencher.iter(|| {
            let count = |(position, face): &(Position, u8)| game.legal_moves(black_box(position), *face).len();
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
                wins += moves.iter().filter(|&&mv| game.winner(&game.play(position, mv)).is_some()).count();
            }
            wins
        });
    });
    group.finish();
}

criterion_group!(benches, rules);
criterion_main!(benches);
