//! Cost of one evaluation, on every available instruction set: `cargo run --release -p alea-engine
//! --example evaluation_speed -- [rounds] [part of a name]`.
//!
//! The best of some short rounds, in nanoseconds and clock cycles. "line": an incremental update,
//! then an evaluation. "whole": an expectation over one ply, divided by its successors. "moves":
//! values of all moves of a position, divided by their number. Learned evaluators have random
//! weights.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "an example talks to whoever runs it"
)]

use engine::core::{
    evaluator::Evaluator, game::Game, random::RandomStream, search_game::Playouts,
    simd::Instructions,
};
use engine::games::einstein::{
    Move, MoveList, Position, RED, Standard,
    evaluators::schwarz_odds::SchwarzOdds,
    learned::{
        Network,
        network::features::FeatureGroups,
        ntuple::{NTuple, TupleSet},
    },
};
use engine::learned::{
    inputs::{Learnable, TupleInputs},
    network::{FloatWeights, Layer, simd_layers::SIMD_WIDTHS},
};
use std::{hint::black_box, time::Instant};

type Ply = (Position, Move, Position);

fn plies(game: &Standard, count: usize) -> Vec<Ply> {
    let mut random = RandomStream::new(1);
    let mut plies = Vec::new();
    while plies.len() < count {
        let mut position = game.random_start(&mut random, RED);
        loop {
            let mut moves = MoveList::default();
            game.moves(&position, &mut moves);
            let mv = moves[random.below(moves.len())];
            let after = game.play(&position, mv);
            if game.winner(&after).is_some() {
                break;
            }
            plies.push((position, mv, after));
            position = after;
        }
    }
    plies
}

fn fastest_round_ns(rounds: usize, mut round: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let began = Instant::now();
        round();
        best = best.min(began.elapsed().as_secs_f64() * 1e9);
    }
    best
}

/// Cycles per nanosecond: a step of the chain takes a multiplication (3 cycles) and an addition
/// (1). Inlining would change the chain.
#[inline(never)]
fn clock(rounds: usize) -> f64 {
    const STEPS: u64 = 20_000;
    let nanoseconds = fastest_round_ns(rounds, || {
        let mut x = black_box(1u64);
        for _ in 0..STEPS {
            x = x
                .wrapping_mul(black_box(0x9E37_79B9_7F4A_7C15))
                .wrapping_add(1);
        }
        black_box(x);
    });
    4.0 * STEPS as f64 / nanoseconds
}

/// Prints the best round, if `name` contains the requested part; `round` returns its number of
/// evaluations.
fn measure(name: &str, rounds: usize, mut round: impl FnMut() -> usize) {
    let asked = std::env::args().nth(2);
    if asked.is_some_and(|part| !name.contains(&part)) {
        return;
    }
    let mut evaluations = 0;
    let nanoseconds = fastest_round_ns(rounds, || evaluations = round()) / evaluations as f64;
    println!(
        "{name:<48} {nanoseconds:8.1} ns {:8.0} cycles",
        nanoseconds * clock(rounds)
    );
}

fn measure_line<E: Evaluator<Standard>>(name: &str, evaluator: &E, plies: &[Ply], rounds: usize) {
    let game = Standard::default();
    let (mut parent, mut child) = (E::Cache::default(), E::Cache::default());
    measure(&format!("{name}, line"), rounds, || {
        let mut sum = 0.0;
        let mut last = None;
        for (before, mv, after) in black_box(plies) {
            if last != Some(*before) {
                evaluator.refresh(&game, before, &mut parent);
            }
            evaluator.update(&game, &mut parent, before, *mv, after, &mut child);
            sum += evaluator.value(&game, after, &child);
            std::mem::swap(&mut parent, &mut child);
            last = Some(*after);
        }
        black_box(sum);
        plies.len()
    });
}

fn measure_one_ply<E: Evaluator<Standard>>(
    name: &str,
    evaluator: &E,
    plies: &[Ply],
    rounds: usize,
) {
    let game = Standard::default();
    let mut cache = E::Cache::default();
    let next: Vec<Position> = plies
        .iter()
        .step_by(7)
        .flat_map(|(position, _, _)| {
            let mut moves = MoveList::default();
            game.moves(position, &mut moves);
            moves
                .iter()
                .map(|&mv| game.play(position, mv))
                .filter(|next| game.winner(next).is_none())
                .collect::<Vec<_>>()
        })
        .collect();
    measure(&format!("{name}, whole"), rounds, || {
        let mut successors = 0;
        let mut sum = 0.0;
        for position in black_box(&next) {
            sum += evaluator.one_ply(&game, position, &mut cache);
            successors += game.count_moves(position).total;
        }
        black_box(sum);
        successors as usize
    });
}

fn measure_moves<E: Evaluator<Standard>>(name: &str, evaluator: &E, plies: &[Ply], rounds: usize) {
    let game = Standard::default();
    let mut cache = E::Cache::default();
    let positions = plies.iter().step_by(7).map(|(position, _, _)| {
        let mut moves = MoveList::default();
        game.moves(position, &mut moves);
        (*position, moves)
    });
    let positions: Vec<(Position, MoveList)> = positions.collect();
    let mut values = [0.0; 64];
    measure(&format!("{name}, moves"), rounds, || {
        let mut count = 0;
        for (position, moves) in black_box(&positions) {
            let values = &mut values[..moves.len()];
            evaluator.value_successors(&game, position, moves, &mut cache, values);
            black_box(values);
            count += moves.len();
        }
        count
    });
}

fn numbers(random: &mut RandomStream, count: usize, most: f64) -> Vec<f32> {
    (0..count)
        .map(|_| ((2.0 * random.uniform_f64() - 1.0) * most) as f32)
        .collect()
}

fn network(random: &mut RandomStream, groups: FeatureGroups, widths: &[usize]) -> Network {
    let game = Standard::default();
    let rows = game.feature_slots(groups).last().map_or(0, |run| run.end);
    let hidden = widths.windows(2).map(|pair| Layer {
        weights: numbers(random, pair[0] * pair[1], 0.5),
        bias: numbers(random, pair[1], 0.2),
    });
    let hidden = hidden.collect();
    let weights = FloatWeights {
        rows: numbers(random, rows * widths[0], 0.3),
        bias: numbers(random, widths[0], 0.3),
        hidden,
        output: numbers(random, widths[widths.len() - 1], 1.0),
        output_bias: vec![0.0],
    };
    Network::new(&game, groups, &[], weights.quantize().unwrap()).unwrap()
}

fn main() {
    let rounds = std::env::args()
        .nth(1)
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(200);
    let game = Standard::default();
    // Few enough to stay in the first-level cache.
    let plies = plies(&game, 400);
    let mut random = RandomStream::new(2);
    println!("clock {:.2} GHz", clock(rounds));
    let schwarz = SchwarzOdds::with_fitted_scale(&game);
    measure_line("schwarz", &schwarz, &plies, rounds);
    measure_one_ply("schwarz", &schwarz, &plies, rounds);
    let usual: FeatureGroups = Standard::DEFAULT_FEATURES.iter().copied().collect();
    let shapes = SIMD_WIDTHS.iter().map(|shape| &shape[..]);
    for shape in shapes.chain([&[48, 32][..], &[64, 32, 16]]) {
        let network = network(&mut random, usual, shape);
        for set in Instructions::available() {
            let network = network.clone().with_instructions(set);
            let name = format!("network {shape:?}, {}", set.name());
            measure_line(&name, &network, &plies, rounds);
            measure_one_ply(&name, &network, &plies, rounds);
            measure_moves(&name, &network, &plies, rounds);
        }
    }
    let named = |name| TupleSet::from_name(&game, name).unwrap();
    let sets = game.tuple_sets().iter();
    let mut sets: Vec<(&str, TupleSet)> = sets.map(|set| (set.name, named(set.name))).collect();
    let windows = named("board-windows").tuple_texts();
    let windows = TupleSet::parse_custom(&game, &windows[..40]).unwrap();
    sets.push(("tables of 13^4", windows));
    for (name, set) in sets {
        let weights = numbers(&mut random, set.row_count(), 0.1);
        let network = NTuple::new(set.clone(), weights, 0.0).unwrap();
        let title = format!("{} tuples, {name}", set.tuple_count());
        measure_line(&title, &network, &plies, rounds);
        measure_one_ply(&title, &network, &plies, rounds);
        measure_moves(&title, &network, &plies, rounds);
        measure_row_indices(&title, network.tuple_set(), &plies, rounds);
    }
}

fn measure_row_indices(name: &str, set: &TupleSet, plies: &[Ply], rounds: usize) {
    let mut rows = vec![0; set.tuple_count()];
    measure(&format!("{name}, rows alone"), rounds, || {
        for (_, _, position) in black_box(plies) {
            set.row_indices(position, &mut rows);
            black_box(&rows);
        }
        plies.len()
    });
}
