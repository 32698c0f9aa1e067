//! Endgame tables against independent exact values, recursion and search, and as an oracle.

use crate::published_values::{INDEPENDENT_VALUES, nearest};
use crate::reference_solver::Solver;
use crate::support::{self, assert_near, exact_positions};
use engine::core::{game::Game, oracle::Oracle};
use engine::games::einstein::{
    Position, Standard, Variant,
    dice::{Die, RandomStream},
    symmetry::{SYMMETRIES, transform_position},
    tables::{Class, SAME_VALUE_MARGIN, Tables},
};
use engine::play::playable::Rules;
use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicUsize, Ordering},
};

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

fn build_tables(stones: usize, variant: Variant) -> Arc<Tables> {
    Tables::in_memory(stones, variant, &on_all_threads, &|_, _| ()).unwrap()
}

fn five_stone_tables() -> &'static Tables {
    static TABLES: OnceLock<Arc<Tables>> = OnceLock::new();
    TABLES.get_or_init(|| build_tables(5, Variant::Classic))
}

fn random_position(random: &mut RandomStream, game: &Standard, stones: usize) -> Position {
    let seat = random.below(2);
    game.random_endgame([stones; 2], seat, random).unwrap()
}

#[test]
fn values_and_moves_agree_with_an_independent_solver() {
    let game = Standard::default();
    for exact in exact_positions() {
        let position = exact.position;
        let probe = five_stone_tables().probe(&game, &position).unwrap();
        assert_near(probe.value, exact.value, BOUND, position);
        assert_eq!(probe.moves.len(), exact.moves.len(), "{position:?}");
        for (mv, value) in probe.moves {
            assert_near(value, exact.of(mv), BOUND, (position, mv));
        }
    }
}

fn random_positions(count: usize, seed: u64, max_stones: usize) -> impl Iterator<Item = Position> {
    let (game, mut random) = (Standard::default(), RandomStream::new(seed));
    (0..count).map(move |index| random_position(&mut random, &game, 2 + index % (max_stones - 1)))
}

fn agree_with_recursion(
    tables: &Tables,
    game: Standard,
    positions: impl Iterator<Item = Position>,
) {
    let mut solver = Solver::new(game);
    for position in positions {
        let (value, expected) = (tables.value_of(&position).unwrap(), solver.value(&position));
        assert_near(value, expected, BOUND, position);
        let decided = (expected < 1e-12, expected > 1.0 - 1e-12);
        assert_eq!((value == 0.0, value == 1.0), decided, "{position:?}");
    }
}

#[test]
fn random_positions_agree_with_recursion_to_the_end() {
    agree_with_recursion(
        five_stone_tables(),
        Standard::default(),
        random_positions(200, 1, 5),
    );
}

#[test]
#[ignore = "about ten minutes and gigabytes of memory"]
fn ten_thousand_random_positions_agree_with_recursion_to_the_end() {
    for seed in 100..200 {
        agree_with_recursion(
            five_stone_tables(),
            Standard::default(),
            random_positions(100, seed, 5),
        );
    }
}

#[test]
fn both_variants_have_their_own_tables() {
    let tables = build_tables(4, Variant::NearestOnly);
    for (text, _, expected) in INDEPENDENT_VALUES {
        let value = tables.value_of(&support::position(text)).unwrap();
        assert_near(value, expected, BOUND, text);
    }
    agree_with_recursion(&tables, nearest(), random_positions(100, 7, 4));
}

#[test]
fn symmetric_positions_have_the_same_value() {
    for position in random_positions(20_000, 3, 5) {
        let value = five_stone_tables().value_units(&position);
        assert!(value.is_some(), "{position:?}");
        for symmetry in 0..SYMMETRIES {
            let image = transform_position(&position, symmetry);
            assert_eq!(
                five_stone_tables().value_units(&image),
                value,
                "{position:?}"
            );
        }
    }
}

#[test]
fn best_moves_are_those_of_the_highest_value() {
    let game = Standard::default();
    for position in random_positions(2_000, 5, 5) {
        let probe = five_stone_tables().probe(&game, &position).unwrap();
        let mean: f32 = probe.faces.iter().map(|face| face.value).sum::<f32>() / 6.0;
        assert_near(mean, probe.value, 1e-5 + 1.0 / 65535.0, position);
        for (face, permitted) in probe.faces.iter().enumerate() {
            let legal = game.legal_moves(&position, face as u8 + 1);
            let value = |mv| probe.moves.iter().find(|rated| rated.0 == mv).unwrap().1;
            let best = legal.iter().map(|&mv| value(mv)).fold(0.0, f32::max);
            assert_eq!(permitted.value, best);
            let least = best - if best == 1.0 { 0.0 } else { SAME_VALUE_MARGIN };
            for &mv in legal.iter() {
                assert_eq!(permitted.best.contains(&mv), value(mv) >= least);
            }
        }
    }
}

#[test]
fn a_batch_equals_single_probes() {
    let positions: Vec<Position> = random_positions(1_003, 9, 7).collect();
    let mut values = vec![None; positions.len()];
    five_stone_tables().values(&positions, &mut values);
    for (position, value) in positions.iter().zip(values) {
        assert_eq!(value, five_stone_tables().value_of(position));
        assert_eq!(value.is_some(), position.num_stones() <= 5);
    }
}

#[test]
fn an_oracle_answers_its_own_game_only() {
    let tables: &dyn Oracle<Standard> = five_stone_tables();
    let game = Standard::default();
    let (text, expected, _) = INDEPENDENT_VALUES[1];
    let position = support::position(text);
    let value = tables.value(&game, &position).unwrap();
    assert_near(value, expected, tables.max_error().into(), text);
    assert!(f64::from(tables.max_error()) <= BOUND);
    let loaded = Die::with_weights(&[2.0, 1.0, 1.0, 1.0, 1.0, 1.0]).unwrap();
    for other in [nearest(), Standard::new(Variant::Classic, loaded)] {
        assert_eq!(tables.value(&other, &position), None);
    }
    let start = game.start([0, 0], 0);
    assert_eq!(tables.value(&game, &start), None);
}

#[test]
fn statistics_are_those_of_their_positions() {
    let game = Standard::default();
    let tables = build_tables(4, Variant::Classic);
    let value = |position: &Position| f64::from(tables.value_units(position).unwrap()) / 65535.0;
    for class in Class::up_to(4) {
        let statistics = tables.statistics(&game, class, &on_all_threads);
        let (position, worth) = statistics.max_tempo.unwrap();
        let passed = Position::new(position.other(), position.mover(), 1);
        let tempo = value(&position) + value(&passed) - 1.0;
        assert_near(tempo, worth, 1e-9, class);
        assert!(
            statistics.tempo <= worth
                && statistics.won + statistics.lost <= statistics.positions
                && statistics.mean > 0.0
                && statistics.mean < 1.0
        );
        assert_eq!(
            statistics.self_capture.is_some(),
            class.mover > 1,
            "{class}"
        );
        if let Some(found) = statistics.self_capture {
            let legal = game.legal_moves(&found.position, found.face);
            assert!(legal.contains(&found.capture) && legal.contains(&found.instead));
            let captured = Standard::destination(&found.position, found.capture);
            assert!(found.position.mover().occupies(captured));
            let worth = 1.0 - value(&game.play(&found.position, found.capture));
            assert_near(worth, found.value, 1e-9, class);
        }
    }
}
