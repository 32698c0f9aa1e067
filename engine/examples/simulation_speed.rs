//! Measures simulations per second of plain UCT without solver, the best of five runs from a start
//! position: `cargo run --release -p alea-engine --example simulation_speed -- [simulations]
//! [threads] [playout|nothing] [batch]`.
//!
//! `nothing`: leaves have a constant value, so that only the tree is measured; `batch`: concurrent
//! simulations.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example talks to whoever runs it"
)]

use engine::core::{
    game::{Payoffs, win_for},
    random::RandomStream,
};
use engine::games::einstein::{Position, Standard};
use engine::search::{
    mcts::{Budget, Leaf, Mcts, MctsOptions, PlayoutLeaf},
    playout_policies::FnLeaf,
};
use std::time::Instant;

fn random_payoffs(_: &Standard, _: &Position, random: &mut RandomStream) -> Payoffs {
    win_for((random.next_u64() >> 63) as usize)
}

fn measure<L: Leaf<Standard>>(leaf: fn() -> L, simulations: u64, threads: usize, batch: usize) {
    let game = Standard::default();
    let (position, _) = game
        .parse_position("215../64.../3...e/...fb/..acd b -")
        .unwrap_or_else(|error| panic!("{error}"));
    let options = MctsOptions {
        budget: Budget::Simulations(simulations),
        solver: false,
        batch,
        ..MctsOptions::default()
    };
    let leaves = (0..threads).map(|_| leaf()).collect();
    let mut search = Mcts::with_leaves(game, leaves, options, 1);
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let began = Instant::now();
        search.search(&position, None);
        best = best.min(began.elapsed().as_secs_f64());
    }
    let report = search.report();
    println!(
        "{simulations} simulations on {threads} threads, {batch} at a time: {:.3} million a second, {} positions, depth {}, {:.1} MiB used",
        simulations as f64 / best / 1e6,
        report.positions,
        report.depth,
        report.bytes as f64 * report.fill / f64::from(1 << 20)
    );
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let number = |text: Option<String>| text.and_then(|text| text.parse().ok());
    let simulations = number(arguments.next()).unwrap_or(100_000);
    let threads = number(arguments.next()).unwrap_or(1);
    let leaf = arguments.next();
    let batch = number(arguments.next()).unwrap_or(1);
    let simulations = simulations as u64;
    match leaf.as_deref() {
        Some("nothing") => measure(|| FnLeaf(random_payoffs), simulations, threads, batch),
        _ => measure(|| PlayoutLeaf, simulations, threads, batch),
    }
}
