//! Speed of rollouts and of searches with empty tables, on the positions of the built-in suite.

use benches::suite::Suite;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine::core::{game::Game, random::RandomStream};
use engine::games::einstein::{MoveList, Standard};
use engine::play::build::PlayerRecipe;
use engine::search::limits::Limits;
use std::hint::black_box;

const PLAYERS: [&str; 9] = [
    "star1(depth=1)",
    "star1(depth=2)",
    "star1(depth=3)",
    "star1(depth=4)",
    "star2(depth=4)",
    "star2(depth=5)",
    "star2(depth=4, eval=abt)",
    "mcts(sims=1000)",
    "mcts(sims=1000, leaf=playout)",
];

fn searches(criterion: &mut Criterion) {
    let game = Standard::default();
    let suite = Suite::built_in().unwrap_or_else(|error| panic!("{error}"));
    let mut group = criterion.benchmark_group("searches, a decision");
    group
        .throughput(Throughput::Elements(suite.positions.len() as u64))
        .sample_size(20);
    for name in PLAYERS {
        let mut player = PlayerRecipe::parse(name, &game)
            .unwrap_or_else(|error| panic!("{error}"))
            .make();
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for suite_position in &suite.positions {
                    let mut moves = MoveList::default();
                    game.moves(&suite_position.position, &mut moves);
                    player.new_game(1);
                    _ = black_box(player.decide(
                        black_box(&suite_position.position),
                        &moves,
                        &Limits::NONE,
                    ));
                }
            });
        });
    }
    group.finish();
}

fn rollouts(criterion: &mut Criterion) {
    let game = Standard::default();
    let mut random = RandomStream::new(1);
    let starts = [0, 1].map(|first| game.random_start(&mut random, first));
    let mut group = criterion.benchmark_group("roll-outs, a game");
    group
        .throughput(Throughput::Elements(1000 * starts.len() as u64))
        .sample_size(20);
    for name in ["rollout(best)", "rollout(schwarz)"] {
        let mut player = PlayerRecipe::parse(name, &game)
            .unwrap_or_else(|error| panic!("{error}"))
            .make();
        let mut seed = 0;
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                seed += 1;
                player.new_game(seed);
                for start in &starts {
                    black_box(player.value(black_box(start), &Limits::NONE));
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, searches, rollouts);
criterion_main!(benches);
