//! Speed of the reference playouts: random games on one core, one at a time.

use benches::playouts::play_block;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine::games::einstein::Standard;
use std::hint::black_box;

fn random_play(criterion: &mut Criterion) {
    const GAMES: u64 = 1024;
    let game = Standard::default();
    let mut group = criterion.benchmark_group("random play");
    group.throughput(Throughput::Elements(GAMES));
    group.bench_function("scalar games", |bencher| bencher.iter(|| play_block(&game, black_box(1), GAMES)));
    group.finish();
}

criterion_group!(benches, random_play);
criterion_main!(benches);
