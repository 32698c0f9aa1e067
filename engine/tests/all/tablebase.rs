//! Endgame tables from outside: against independent exact values, against recursion and search to
//! the end, and as an oracle.

use crate::exact_solver::Solver;
use engine::core::{game::Game, oracle::Oracle};
use engine::games::einstein::{
    GONE, MoveList, Position, Standard, Variant,
    dice::{Die, RandomStream},
    position::Side,
    symmetry::{SYMMETRIES, symmetric},
    tables::{Class, SAME_VALUE, Tables},
};
use serde_json::Value;
use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

/// The bound that tables of at most five stones keep.
const BOUND: f64 = 4e-5;

fn on_all_threads(jobs: usize, job: &(dyn Fn(usize) + Sync)) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= jobs {
                        break;
                    }
                    job(index);
                }
            });
        }
    });
}

fn built(stones: usize, variant: Variant) -> Arc<Tables> {
    Tables::in_memory(stones, variant, &on_all_threads, &|_, _| ()).expect("memory")
}

/// The tables of five stones, made once: most of the time of these tests.
fn five() -> &'static Tables {
    static TABLES: OnceLock<Arc<Tables>> = OnceLock::new();
    TABLES.get_or_init(|| built(5, Variant::Classic))
}

/// A random position of `stones` stones that is not over: any squares, any labels.
fn random_position(random: &mut RandomStream, game: &Standard, stones: usize) -> Position {
    loop {
        let mut sides = [[GONE; 6]; 2];
        let mut taken = 0u32;
        for index in 0..stones {
            // One stone each at least.
            let seat = if index < 2 { index } else { random.below(2) };
            let (label, square) = (random.below(6), random.below(25) as u8);
            if sides[seat][label] != GONE || taken >> square & 1 == 1 {
                break;
            }
            taken |= 1 << square;
            sides[seat][label] = if seat == 0 {
                square
            } else {
                Standard::GOAL - square
            };
        }
        let [red, blue] = sides.map(Side::new);
        let seat = random.below(2);
        let position = if seat == 0 {
            Position::new(red, blue, 0)
        } else {
            Position::new(blue, red, 1)
        };
        if position.stones() as usize == stones && game.winner(&position).is_none() {
            return position;
        }
    }
}

#[test]
fn values_and_moves_agree_with_an_independent_solver() {
    let game = Standard::default();
    let mut lines = 0;
    for line in include_str!("../vectors/exact.jsonl").lines() {
        let vector: Value = serde_json::from_str(line).expect("a line is a JSON object");
        let text = vector["position"].as_str().expect("a position is a string");
        let (position, _) = game.parse_position(text).expect("a position of a game");
        let probe = five().probe(&game, &position).expect("at most five stones");
        let expected = vector["value"].as_f64().expect("a value is a number");
        assert!(
            (f64::from(probe.value) - expected).abs() < BOUND,
            "{text}: {}, expected {expected}",
            probe.value
        );
        let moves = vector["moves"].as_object().expect("moves are an object");
        assert_eq!(probe.moves.len(), moves.len(), "{text}");
        for (mv, value) in probe.moves {
            let name = game.format_move(&position, mv);
            let expected = moves[&name]
                .as_f64()
                .expect("the value of a move is a number");
            assert!(
                (f64::from(value) - expected).abs() < BOUND,
                "{text} {name}: {value}, expected {expected}"
            );
        }
        lines += 1;
    }
    assert_eq!(lines, 230);
}

fn agree_with_recursion(number: usize, seed: u64) {
    let mut random = RandomStream::new(seed);
    let mut solver = Solver::new(Standard::default());
    for index in 0..number {
        let position = random_position(&mut random, &solver.game, 2 + index % 4);
        let (value, expected) = (
            five().value_of(&position).expect("at most five stones"),
            solver.value(&position),
        );
        assert!(
            (f64::from(value) - expected).abs() < BOUND,
            "{position:?}: {value}, expected {expected}"
        );
        assert_eq!(
            (value == 0.0, value == 1.0),
            (expected < 1e-12, expected > 1.0 - 1e-12),
            "{position:?}"
        );
    }
}

#[test]
fn random_positions_agree_with_recursion_to_the_end() {
    agree_with_recursion(200, 1);
}

#[test]
#[ignore = "about ten minutes and gigabytes of memory"]
fn ten_thousand_random_positions_agree_with_recursion_to_the_end() {
    // In parts, so that what the recursion remembers does not fill the memory.
    (0..100).for_each(|seed| agree_with_recursion(100, 100 + seed));
}

#[test]
fn both_variants_have_their_own_tables() {
    let nearest = built(4, Variant::NearestOnly);
    let game = Standard::new(Variant::NearestOnly, Die::fair());
    // From one independent program, nine places.
    for (text, expected) in [
        ("1..../...../...../...../....a r -", 1.0),
        ("...../.1.../...../...../...fa r -", 0.625),
        ("...../..6../..1b./..e../..... r -", 0.820_312_5),
        ("...../..6../..1b./..e../..... b -", 0.5625),
        ("3..../.4.../...../...d./....c r -", 0.501_068_115),
        ("16.../...../...../...../...fa r -", 0.545_562_744),
    ] {
        let (position, _) = game.parse_position(text).expect("a position");
        let value = nearest.value_of(&position).expect("at most four stones");
        assert!(
            (f64::from(value) - expected).abs() < BOUND,
            "{text}: {value}, expected {expected}"
        );
    }
    let mut random = RandomStream::new(7);
    let mut solver = Solver::new(game);
    for index in 0..100 {
        let position = random_position(&mut random, &solver.game, 2 + index % 3);
        let value = nearest.value_of(&position).expect("at most four stones");
        assert!(
            (f64::from(value) - solver.value(&position)).abs() < BOUND,
            "{position:?}"
        );
    }
}

#[test]
fn symmetric_positions_have_the_same_value() {
    let game = Standard::default();
    let mut random = RandomStream::new(3);
    for index in 0..20_000 {
        let position = random_position(&mut random, &game, 2 + index % 4);
        let values: Vec<_> = (0..SYMMETRIES)
            .map(|symmetry| five().units(&symmetric(&position, symmetry)))
            .collect();
        assert!(
            values[0].is_some() && values.iter().all(|value| *value == values[0]),
            "{position:?}: {values:?}"
        );
    }
}

#[test]
fn best_moves_are_those_of_the_highest_value() {
    let game = Standard::default();
    let mut random = RandomStream::new(5);
    for index in 0..2_000 {
        let position = random_position(&mut random, &game, 2 + index % 4);
        let probe = five().probe(&game, &position).expect("at most five stones");
        let mean: f32 = probe.faces.iter().map(|face| face.value).sum::<f32>() / 6.0;
        assert!(
            (mean - probe.value).abs() < 1e-5 + 1.0 / 65535.0,
            "{position:?}: {mean}, {}",
            probe.value
        );
        for (face, permitted) in probe.faces.iter().enumerate() {
            let legal = game.legal_moves(&position, face as u8 + 1);
            let value = |mv| {
                probe
                    .moves
                    .iter()
                    .find(|(rated, _)| *rated == mv)
                    .expect("every legal move is rated")
                    .1
            };
            let best = legal.iter().map(|&mv| value(mv)).fold(0.0, f32::max);
            assert_eq!(permitted.value, best);
            for &mv in legal.iter() {
                assert_eq!(
                    permitted.best.contains(&mv),
                    value(mv) >= best - if best == 1.0 { 0.0 } else { SAME_VALUE }
                );
            }
        }
    }
}

#[test]
fn a_batch_says_what_single_probes_say() {
    let game = Standard::default();
    let mut random = RandomStream::new(9);
    let positions: Vec<Position> = (0..1_003)
        .map(|index| random_position(&mut random, &game, 2 + index % 6))
        .collect();
    let mut values = vec![None; positions.len()];
    five().values(&positions, &mut values);
    for (position, value) in positions.iter().zip(values) {
        assert_eq!(value, five().value_of(position));
        assert_eq!(value.is_some(), position.stones() <= 5);
    }
}

#[test]
fn an_oracle_answers_its_own_game_only() {
    let tables: &dyn Oracle<Standard> = five();
    let game = Standard::default();
    let (position, _) = game
        .parse_position("...../.1.../...../...../...fa r -")
        .expect("a position");
    let value = tables.value(&game, &position).expect("three stones");
    assert!((value - 41.0 / 216.0).abs() < tables.error());
    assert!(f64::from(tables.error()) <= BOUND);
    tables.prefetch(&position);
    assert_eq!(
        tables.value(&Standard::new(Variant::NearestOnly, Die::fair()), &position),
        None
    );
    let loaded = Die::loaded(&[2.0, 1.0, 1.0, 1.0, 1.0, 1.0]).expect("a die");
    assert_eq!(
        tables.value(&Standard::new(Variant::Classic, loaded), &position),
        None
    );
    let start = game.start([0, 0], 0);
    assert_eq!(tables.value(&game, &start), None);
    tables.prefetch(&start);
}

#[test]
fn facts_are_those_of_the_positions_they_name() {
    let game = Standard::default();
    let tables = built(4, Variant::Classic);
    let value = |position: &Position| {
        f64::from(tables.units(position).expect("at most four stones")) / 65535.0
    };
    for class in Class::up_to(4) {
        let facts = tables.facts(&game, class, &on_all_threads);
        let (position, worth) = facts.most_tempo.expect("every class has positions");
        let passed = Position::new(position.other(), position.mover(), 1);
        assert!(
            (value(&position) + value(&passed) - 1.0 - worth).abs() < 1e-9,
            "{class}"
        );
        assert!(
            facts.tempo <= worth
                && facts.won + facts.lost <= facts.positions
                && facts.mean > 0.0
                && facts.mean < 1.0
        );
        assert_eq!(facts.self_capture.is_some(), class.mover > 1, "{class}");
        if let Some(found) = facts.self_capture {
            let mut moves = MoveList::default();
            game.moves(&found.position, &mut moves);
            let legal = game.legal_moves(&found.position, found.face);
            assert!(legal.contains(&found.capture) && legal.contains(&found.instead));
            assert!(
                found
                    .position
                    .mover()
                    .occupies(Standard::destination(&found.position, found.capture))
            );
            assert!(
                (1.0 - value(&game.play(&found.position, found.capture)) - found.value).abs()
                    < 1e-9
            );
        }
    }
}

#[test]
#[ignore = "timing, by hand"]
fn time_of_probes() {
    let game = Standard::default();
    let mut random = RandomStream::new(11);
    for stones in 3..=5 {
        let (mut single, mut batched) = (Vec::new(), Vec::new());
        // Every position is asked about once, so that none is in the cache; short runs, as others
        // use the machine too.
        for _ in 0..50 {
            let positions: Vec<Position> = (0..40_000)
                .map(|_| random_position(&mut random, &game, stones))
                .collect();
            let (first, second) = positions.split_at(20_000);
            let began = Instant::now();
            // Each probe waits for the one before, as in a search that goes on with what it was
            // told.
            let mut turn = 0;
            for position in first {
                let turned = if turn == 0 {
                    *position
                } else {
                    symmetric(position, turn)
                };
                turn = usize::from(five().units(&turned).expect("at most five stones") == 1);
            }
            single.push(began.elapsed().as_secs_f64() * 1e9 / 20_000.0);
            let mut values = vec![None; second.len()];
            let began = Instant::now();
            five().values(second, &mut values);
            batched.push(began.elapsed().as_secs_f64() * 1e9 / 20_000.0);
        }
        single.sort_by(f64::total_cmp);
        batched.sort_by(f64::total_cmp);
        println!(
            "{stones} stones: best {:.0} and median {:.0} ns a probe, {:.0} and {:.0} ns batched",
            single[0], single[25], batched[0], batched[25]
        );
    }
}
