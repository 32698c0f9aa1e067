//! Compares the tables with the rules, on all instruction sets and numbers of threads.

use super::{visit::PositionVisitor, *};
use crate::{Position, Standard, dice::Die};
use alea_core::{
    game::Game, job_array::TaskSlice, random::RandomStream, search_game::Playouts,
    simd::Instructions,
};
use std::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering},
};

fn tables(stones: usize, variant: Variant) -> Tables {
    let portable = Instructions::PORTABLE;
    Tables::compute(stones, variant, portable, &on_two_threads, &|_, _| ()).unwrap()
}

fn tables_by(instructions: Instructions, stones: usize) -> Tables {
    let classic = Variant::Classic;
    Tables::compute(stones, classic, instructions, &run_sequentially, &|_, _| ()).unwrap()
}

fn on_two_threads(jobs: usize, job: &(dyn Fn(usize) + Sync)) {
    let next = AtomicU64::new(0);
    let work = || {
        std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed) as usize)
            .take_while(|&index| index < jobs)
            .for_each(job);
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
}

/// Values by the rules, in double precision; only the index is the tables'.
struct Reference {
    game: Standard,
    index: Index,
    values: Vec<Vec<AtomicU64>>,
}

impl Reference {
    fn new(stones: usize, variant: Variant) -> Self {
        let index = Index::new(stones);
        let mut values: Vec<_> = (0..25).map(|_| Vec::new()).collect();
        for class in Class::up_to(stones) {
            values[class_index(class)]
                .resize_with(index.num_blocks(class) * class.cells_per_block(), || {
                    AtomicU64::new(f64::NAN.to_bits())
                });
        }
        let reference = Self {
            game: Standard::new(variant, Die::fair()),
            index,
            values,
        };
        for class in Class::pairs_up_to(stones) {
            let walks: Vec<_> = class
                .with_mirror()
                .into_iter()
                .map(|class| PositionVisitor::new(&reference.index, class))
                .collect();
            for layer in (0..=solve::max_layer(class)).rev() {
                for walk in &walks {
                    on_two_threads(walk.rows(), &|row| {
                        walk.visit_row(row, Some(layer), |position| reference.solve(&position));
                    });
                }
            }
        }
        reference
    }

    fn value_of_position(&self, position: &Position) -> &AtomicU64 {
        let (class, cell) = self.index.find_cell(position).unwrap();
        &self.values[class_index(class)][cell]
    }

    fn value(&self, position: &Position) -> f64 {
        f64::from_bits(self.value_of_position(position).load(Ordering::Relaxed))
    }

    fn solve(&self, position: &Position) {
        let moves = self.game.all_moves(position);
        let after = |&mv: &_| {
            let after = self.game.play(position, mv);
            self.game
                .payoff(&after, position.seat())
                .map_or_else(|| 1.0 - self.value(&after), f64::from)
        };
        let values: Vec<f64> = moves.iter().map(after).collect();
        let outcomes = self.game.outcomes(position, &moves);
        let value = |outcome: &alea_core::game::Outcome| {
            (f64::from(outcome.weight) * 6.0).round() / 6.0
                * values[outcome.move_range()]
                    .iter()
                    .copied()
                    .fold(0.0, f64::max)
        };
        let value: f64 = outcomes.iter().map(value).sum();
        assert!(!value.is_nan(), "a successor of {position:?} comes later");
        self.value_of_position(position)
            .store(value.to_bits(), Ordering::Relaxed);
    }
}

/// Maximum and root mean square, in units of 1/65535.
fn errors(tables: &Tables, reference: &Reference) -> (f64, f64) {
    let (mut largest, mut squares, mut count) = (0.0f64, 0.0, 0u64);
    for class in Class::up_to(tables.max_stones()) {
        let cells = tables.cells_of(class);
        let values = &reference.values[class_index(class)];
        assert_eq!(cells.len(), values.len());
        for (&cell, value) in cells.iter().zip(values) {
            let value = f64::from_bits(value.load(Ordering::Relaxed));
            // Certain results are exact up to the rounding of sixths, others far from them.
            assert_eq!(cell == 0, value < 1e-13, "{class}: {cell}, {value}");
            assert_eq!(
                cell == 65535,
                value > 1.0 - 1e-13,
                "{class}: {cell}, {value}"
            );
            let error = (f64::from(cell) - 65535.0 * value).abs();
            largest = largest.max(error);
            squares += error * error;
            count += 1;
        }
    }
    (largest, (squares / count as f64).sqrt())
}

#[test]
fn every_value_of_three_stones_is_that_of_the_rules() {
    for variant in [Variant::Classic, Variant::NearestOnly] {
        let (largest, _) = errors(&tables(3, variant), &Reference::new(3, variant));
        assert!(largest < 3.0, "{variant:?}: {largest} units");
    }
}

#[test]
#[ignore = "compares 453 million values in both variants: minutes, 4.5 GB"]
fn every_value_of_five_stones_is_that_of_the_rules() {
    for variant in [Variant::Classic, Variant::NearestOnly] {
        for stones in [4, 5] {
            let (largest, root_mean_square) =
                errors(&tables(stones, variant), &Reference::new(stones, variant));
            println!(
                "{variant:?}, {stones} stones: {:e}, {:e}",
                largest / 65535.0,
                root_mean_square / 65535.0
            );
        }
    }
}

#[test]
fn all_instruction_sets_and_threads_give_the_same_bits() {
    let portable = tables(4, Variant::Classic);
    for instructions in Instructions::available() {
        let other = tables_by(instructions, 4);
        for class in Class::up_to(4) {
            assert!(
                portable.cells_of(class) == other.cells_of(class)
                    && !other.cells_of(class).is_empty(),
                "{instructions:?}, {class}"
            );
        }
    }
}

#[test]
fn progress_ends_with_all() {
    let seen = Mutex::new((0, 0));
    Tables::in_memory(3, Variant::Classic, &run_sequentially, &|done, all| {
        *seen.lock().unwrap() = (done, all)
    })
    .unwrap();
    assert_eq!(*seen.lock().unwrap(), (323 + 101_850, 323 + 101_850));
}

fn contents(
    directory: &std::path::Path,
) -> std::collections::BTreeMap<std::path::PathBuf, Vec<u8>> {
    alea_core::files::list(directory)
        .unwrap()
        .into_iter()
        .map(|path| {
            (
                path.file_name().unwrap().into(),
                std::fs::read(&path).unwrap(),
            )
        })
        .collect()
}

#[test]
fn tables_built_in_little_memory_are_the_same_byte_by_byte() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let classic = Variant::Classic;
    let build = |directory: &tempfile::TempDir, memory| {
        let path = directory.path();
        Tables::build(
            path,
            4,
            classic,
            memory,
            TaskSlice::All,
            &on_two_threads,
            &|_, _| (),
        )
        .unwrap()
    };
    let built = build(&one, u64::MAX);
    build(&other, 100_000);
    assert!(contents(one.path()) == contents(other.path()));
    assert_eq!(Tables::stones_on_disk(one.path(), classic), Some(4));
    assert_eq!(
        Tables::stones_on_disk(one.path(), Variant::NearestOnly),
        None
    );
    let bytes: usize = contents(one.path()).values().map(Vec::len).sum();
    assert_eq!(bytes as u64, Tables::bytes_on_disk(4).unwrap());
    let in_memory = tables(4, classic);
    assert!(
        Class::up_to(4)
            .into_iter()
            .all(|class| in_memory.cells_of(class) == built.cells_of(class))
    );
}

#[test]
fn a_changed_byte_is_refused_and_built_again() {
    let directory = tempfile::tempdir().unwrap();
    let (at, nearest, run) = (directory.path(), Variant::NearestOnly, &run_sequentially);
    let build = || Tables::build(at, 3, nearest, u64::MAX, TaskSlice::All, run, &|_, _| ());
    let open = || Tables::open(at, 3, nearest, run);
    build().unwrap();
    open().unwrap();
    let class = Class { mover: 1, other: 2 };
    let path = file::table_path(at, nearest, class);
    let file_bytes = std::fs::read(&path).unwrap();
    let last = file_bytes.len() - 1;
    for at in (0..file_bytes.len())
        .step_by(997)
        .chain(0..80)
        .chain(last - 20..=last)
    {
        let mut bytes = file_bytes.clone();
        bytes[at] ^= 4;
        std::fs::write(&path, &bytes).unwrap();
        let error = open().unwrap_err().to_string();
        assert!(
            error.starts_with(&path.display().to_string()) && !error.contains('\n'),
            "byte {at}: {error}"
        );
    }
    for length in [0, 10, 64, 100, last] {
        std::fs::write(&path, &file_bytes[..length]).unwrap();
        assert!(
            open().unwrap_err().to_string().contains("nearest-1v2.ends"),
            "{length} bytes"
        );
    }
    std::fs::write(&path, [&file_bytes[..], b"x"].concat()).unwrap();
    let error = open().unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("{}: ", path.display())),
        "{error}"
    );
    std::fs::rename(file::table_path(at, nearest, class.swap_sides()), &path).unwrap();
    assert!(open().is_err());
    build().unwrap();
    assert!(std::fs::read(&path).unwrap() == file_bytes);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(
        open().unwrap_err().to_string(),
        format!("{}: no such file or directory", path.display())
    );
}

#[test]
fn tables_of_no_or_too_many_stones_are_refused() {
    for stones in [0, 1, 7, usize::MAX] {
        let error = Tables::in_memory(stones, Variant::Classic, &run_sequentially, &|_, _| ())
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            format!("endgame tables are for 2 to 6 stones in all, not {stones}")
        );
    }
}

fn random_game_positions(stones: u32, count: usize, seed: u64) -> Vec<Position> {
    let mut random = RandomStream::new(seed);
    let game = Standard::default();
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut position = game.random_start(&mut random, 0);
        while game.winner(&position).is_none() && position.num_stones() > stones {
            position = game.play(&position, game.sample_move(&position, random.next_u64()));
        }
        if game.winner(&position).is_none() && position.num_stones() == stones {
            positions.push(position);
        }
    }
    positions
}

#[test]
fn extended_values_equal_those_of_larger_tables() {
    let (classic, nearest) = (Variant::Classic, Variant::NearestOnly);
    for (variant, stones, smaller) in [(classic, 5, &[4, 3][..]), (nearest, 4, &[3, 2])] {
        let game = Standard::new(variant, Die::fair());
        let large = tables(stones, variant);
        for &small_stones in smaller {
            let (small, count) = (tables(small_stones, variant), 10 + 20 * small_stones % 40);
            for position in random_game_positions(stones as u32, count, small_stones as u64) {
                let expected = large.probe(&game, &position).unwrap();
                assert_eq!(small.probe(&game, &position), None);
                let found = small.probe_within(&game, &position, 1 << 20).unwrap();
                let moves = found.moves.iter().zip(&expected.moves);
                let values = moves.map(|((one, found), (other, expected))| {
                    assert_eq!(one, other);
                    (found, expected)
                });
                for (found, expected) in values.chain([(&found.value, &expected.value)]) {
                    assert!((found - expected).abs() < 8e-5, "{position:?}");
                    assert_eq!(*found == 1.0, *expected == 1.0, "{position:?}");
                }
            }
        }
    }
}

#[test]
fn batched_values_equal_single_ones() {
    let tables = tables(4, Variant::Classic);
    let mut positions = random_game_positions(4, 300, 1);
    positions.extend(random_game_positions(5, 20, 1));
    positions.extend(random_game_positions(3, 20, 1));
    for count in [1, 32, 33, positions.len()] {
        let queried = &positions[positions.len() - count..];
        let mut values = vec![Some(7.0); count];
        tables.values(queried, &mut values);
        let expected: Vec<_> = queried.iter().map(|one| tables.value_of(one)).collect();
        assert_eq!(values, expected);
    }
}
