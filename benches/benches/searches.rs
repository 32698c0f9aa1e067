//! Speed of the searches: a decision in each position of the committed suite, each from an empty
//! memory.

use benches::studies::suite::Suite;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine::core::game::Game;
use engine::games::einstein::{MoveList, Standard};
use engine::play::build::PlayerRecipe;
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
                for known in &suite.positions {
                    let mut moves = MoveList::default();
                    game.moves(&known.position, &mut moves);
                    player.new_game(1);
                    black_box(player.decide(black_box(&known.position), &moves));
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, searches);
criterion_main!(benches);
