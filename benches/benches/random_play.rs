//! Speed of random games on one core: the reference implementation, single games, 64 games in
//! lockstep, and ReversiXT, which lists all moves at every ply.

use benches::playout_statistics::play_block;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine::core::{game::Game, random::RandomStream, search_game::Playouts, simd::Instructions};
use engine::games::{
    einstein::{
        Standard,
        playout::{Choice, LanePlayouts},
    },
    reversixt::{ReversiXt, map::Map},
};
use std::{hint::black_box, sync::Arc};

fn random_play(criterion: &mut Criterion) {
    const NUM_GAMES: u64 = 8192;
    let game = Standard::default();
    let mut group = criterion.benchmark_group("random play");
    group.throughput(Throughput::Elements(NUM_GAMES));
    group.bench_function("reference", |bencher| {
        bencher.iter(|| play_block(&game, black_box(1), NUM_GAMES))
    });
    let start = game.start([1, 2], 0);
    group.bench_function("single games", |bencher| {
        let mut random = RandomStream::new(1);
        bencher.iter(|| {
            (0..NUM_GAMES)
                .map(|_| game.playout(black_box(&start), || random.next_u64())[0])
                .sum::<f32>()
        });
    });
    for instructions in Instructions::available() {
        if let Some(mut playouts) =
            LanePlayouts::with_instructions(instructions, &game, Choice::Moves, 1)
            && playouts.instructions() == instructions
        {
            group.bench_function(instructions.name(), |bencher| {
                bencher.iter(|| playouts.random_setups(black_box(NUM_GAMES)))
            });
        }
    }
    group.finish();
}

fn play_from_move_list(game: &ReversiXt, random: &mut RandomStream) -> u64 {
    let (mut position, mut moves, mut plies) = (game.start(), Default::default(), 0);
    while game.payoffs(&position).is_none() {
        game.moves(&position, &mut moves);
        position = game.play(&position, moves[random.below(moves.len())]);
        plies += 1;
    }
    plies
}

fn random_play_on_maps(criterion: &mut Criterion) {
    const NUM_GAMES: u64 = 20;
    let maps = [
        (
            "plain10_2p",
            include_str!("../../engine/tests/vectors/maps/plain10_2p.map"),
        ),
        (
            "four_cross",
            include_str!("../../engine/tests/vectors/maps/four_cross.map"),
        ),
        (
            "eight_big",
            include_str!("../../engine/tests/vectors/maps/eight_big.map"),
        ),
    ];
    let mut group = criterion.benchmark_group("random play of ReversiXT, plies");
    for (name, map) in maps {
        let map = Map::parse(map).unwrap_or_else(|error| panic!("{name}: {error}"));
        let game = ReversiXt::new(Arc::new(map));
        let play = || {
            let mut random = RandomStream::new(1);
            (0..NUM_GAMES)
                .map(|_| play_from_move_list(&game, &mut random))
                .sum()
        };
        group.throughput(Throughput::Elements(play()));
        group.bench_function(name, |bencher| bencher.iter(play));
    }
    group.finish();
}

criterion_group!(benches, random_play, random_play_on_maps);
criterion_main!(benches);
