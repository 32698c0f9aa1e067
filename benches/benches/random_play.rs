//! Speed of random games on one core: the reference, single games, and 64 in lockstep on every
//! engine.

use benches::studies::playouts::play_block;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine::core::game::Game;
use engine::core::random::RandomStream;
use engine::core::simd::Instructions;
use engine::games::einstein::Standard;
use engine::games::einstein::playout::{Choice, Playouts};
use std::hint::black_box;

fn random_play(criterion: &mut Criterion) {
    const GAMES: u64 = 8192;
    let game = Standard::default();
    let mut group = criterion.benchmark_group("random play");
    group.throughput(Throughput::Elements(GAMES));
    group.bench_function("reference", |bencher| {
        bencher.iter(|| play_block(&game, black_box(1), GAMES))
    });
    let start = game.start([1, 2], 0);
    group.bench_function("single games", |bencher| {
        let mut random = RandomStream::new(1);
        bencher.iter(|| {
            (0..GAMES)
                .map(|_| game.random_end(black_box(&start), || random.next_u64())[0])
                .sum::<f32>()
        });
    });
    for instructions in Instructions::available() {
        if let Some(mut playouts) = Playouts::on(instructions, &game, Choice::Moves, 1)
            && playouts.instructions() == instructions
        {
            group.bench_function(instructions.name(), |bencher| {
                bencher.iter(|| playouts.random_setups(black_box(GAMES)))
            });
        }
    }
    group.finish();
}

criterion_group!(benches, random_play);
criterion_main!(benches);
