//! Tests of candidates, screening, resumed searches, and recovery of a planted set.

use super::{screen::CURVATURE_PRIOR, tuple_orbits::orbit, *};
use crate::sample::tests::random_samples;
use alea_learned::{
    inputs::{Cell, TupleInputs, format_cell, parse_cell, with_view},
    tuples::tuple_text,
};
use engine::games::einstein::{Position, Standard, symmetry::transform_position};
use std::collections::{BTreeSet, HashMap};

fn image_symbol(cell: Cell, symbol: usize, symmetry: usize) -> usize {
    let stone = |stone: usize| match stone {
        0..6 if symmetry & 2 != 0 => 5 - stone,
        6.. if symmetry & 4 != 0 => 17 - stone,
        _ => stone,
    };
    match &text(cell)[..1] {
        "b" if symbol > 0 => stone(symbol - 1) + 1,
        "s" if symbol < 25 && symmetry & 1 == 1 => symbol % 5 * 5 + symbol / 5,
        _ => symbol,
    }
}

fn text(cell: Cell) -> String {
    format_cell(Standard::default().cell_groups(), cell)
}

fn cell(text: &str) -> Cell {
    parse_cell(Standard::default().cell_groups(), text).unwrap()
}

#[test]
fn images_of_cells_see_in_images_of_positions_what_cells_see() {
    let cells: Vec<Cell> = "b0 b3 b24 b13 s0 s4 s6 s11 d1 d9 a2 a8 o1 o23 m4 m12 m17"
        .split(' ')
        .map(cell)
        .collect();
    let game = Standard::default();
    let seen = |position: &Position, cell: Cell| {
        with_view(&game, position, position.seat(), |view| {
            usize::from(view[cell.index()])
        })
    };
    for sample in random_samples(20, 4) {
        for symmetry in 0..8 {
            let image = transform_position(&sample.position, symmetry);
            for &cell in &cells {
                assert_eq!(
                    seen(&image, game.transform_cell(cell, symmetry)),
                    image_symbol(cell, seen(&sample.position, cell), symmetry),
                    "{} {symmetry}",
                    text(cell)
                );
            }
        }
    }
}

#[test]
fn candidates_are_disjoint_complete_orbits() {
    let game = Standard::default();
    let all = candidates(&game, usize::MAX, 1);
    let mut seen = BTreeSet::new();
    for candidate in &all {
        for tuple in &candidate.tuples {
            let cells: Vec<Cell> = tuple.split(' ').map(cell).collect();
            let images: Vec<String> = orbit(&game, &cells)
                .iter()
                .map(|cells| tuple_text(&game, cells))
                .collect();
            assert_eq!(images, candidate.tuples);
            assert!(seen.insert(tuple.clone()), "{tuple} is there twice");
        }
        let set = TupleSet::parse_custom(&Standard::default(), &candidate.tuples).unwrap();
        assert!(set.row_count() <= 8 * 28_561, "{candidate:?}");
    }
    let count = |kind: &str| {
        all.iter()
            .filter(|candidate| candidate.kind == kind)
            .map(|candidate| candidate.tuples.len())
            .sum::<usize>()
    };
    assert_eq!(
        (count("pairs of stones"), count("triples of stones")),
        (66, 220)
    );
    assert_eq!(count("distances"), 66 + 220 + 495 + 792 + 924);
    assert_eq!(count("living stones"), 3);
    // Lines of three: 15 along rows and along columns, 9 on diagonals each way; lines of four: 10
    // and 4; 16 squares of 2×2.
    assert_eq!(count("windows by stone"), 30 + 18 + 20 + 8 + 16);
    assert_eq!(candidates(&game, usize::MAX, 1), all);
    assert_ne!(candidates(&game, usize::MAX, 2), all);
    let few = candidates(&game, 5, 1);
    assert!(
        few.iter()
            .all(|one| few.iter().filter(|other| other.kind == one.kind).count() <= 5)
    );
}

#[test]
fn explained_losses_equal_a_slow_reference() {
    let samples = random_samples(40, 8);
    let logits: Vec<f32> = (0..samples.len())
        .map(|number| (number % 7) as f32 / 5.0 - 0.6)
        .collect();
    let residuals = Residuals::new(&samples, &logits, 1.0);
    let tuples = ["b12 b13", "d0 d6", "a0"];
    let middle = samples.len() / 2;
    let value = |number: usize| 1.0 / (1.0 + (-f64::from(logits[number])).exp());
    let curvature = |number: usize| value(number) * (1.0 - value(number));
    let mut gradient: Vec<f64> = (0..samples.len())
        .map(|number| f64::from(samples[number].value) - value(number))
        .collect();
    let mut expected = 0.0;
    for tuple in [tuples[2], tuples[0], tuples[1]] {
        let cells: Vec<Cell> = tuple.split(' ').map(cell).collect();
        let key = |number: usize| -> Vec<u8> {
            cells
                .iter()
                .map(|&cell| {
                    let position = &samples[number].position;
                    with_view(&Standard::default(), position, position.seat(), |view| {
                        view[cell.index()]
                    })
                })
                .collect()
        };
        let mut sums: HashMap<Vec<u8>, (f64, f64)> = HashMap::new();
        for (number, gradient) in gradient.iter().enumerate().take(middle) {
            let (sum, total) = sums
                .entry(key(number))
                .or_insert((0.0, f64::from(CURVATURE_PRIOR)));
            *sum += gradient;
            *total += curvature(number);
        }
        for (number, gradient) in gradient.iter_mut().enumerate() {
            let change = sums
                .get(&key(number))
                .map_or(0.0, |(sum, total)| sum / total);
            if number >= middle {
                expected += change * *gradient - change * change * curvature(number) / 2.0;
            }
            *gradient -= change * curvature(number);
        }
    }
    expected /= (samples.len() - middle) as f64;
    let explained =
        residuals.explained_loss(&TupleSet::parse_custom(&Standard::default(), &tuples).unwrap());
    assert!(
        expected > 1e-3 && (explained - expected).abs() < 1e-5,
        "{explained} {expected}"
    );
}

fn planted_samples() -> Samples<Standard> {
    let target = |sample: Sample<Position>| {
        let (game, seat) = (Standard::default(), sample.position.seat());
        let [one, other] = with_view(&game, &sample.position, seat, |view| {
            ["o12", "o13"].map(|text| view[cell(text).index()])
        });
        let more = sample.position.mover().num_stones() > sample.position.other().num_stones();
        let value = if one == other { 0.7 } else { 0.25 } + if more { 0.2 } else { 0.0 };
        Sample {
            value,
            result: value,
            ..sample
        }
    };
    let part = |games, seed| -> Vec<Sample<Position>> {
        random_samples(games, seed)
            .into_iter()
            .map(target)
            .collect()
    };
    Samples::in_memory(
        &Standard::default(),
        vec![part(150, 1), part(150, 2)],
        part(60, 3),
    )
    .unwrap()
}

fn options() -> SearchOptions {
    SearchOptions {
        rows: 6_000,
        samples: 8_000,
        epochs: 2,
        refitted: 2,
        candidates: 20,
        min_gain: 1e-4,
    }
}

fn search_in(
    path: &Path,
    options: &SearchOptions,
    samples: &Samples<Standard>,
) -> Result<SearchReport, Error> {
    let config = TrainConfig::default();
    search(&config, options, samples, path, &ProgressBar::hidden())
}

#[test]
fn a_search_finds_what_was_planted_and_its_result_is_a_configuration() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("set.toml");
    let report = search_in(&path, &options(), &planted_samples()).unwrap();
    let first = &report.additions[0];
    let both = |tuple: &String| {
        ["12", "13"]
            .iter()
            .all(|square| tuple.split(' ').any(|cell| &cell[1..] == *square))
    };
    assert!(first.tuples.iter().any(both), "{first:?}");
    assert!(
        report.rows <= 6_000
            && report
                .additions
                .iter()
                .all(|addition| addition.gain > 1e-4 && addition.explained > 0.0)
    );
    let text = std::fs::read_to_string(&path).unwrap();
    let found = TrainConfig::from_toml(&text).unwrap();
    assert_eq!(
        (
            found.ntuple.tuples.len(),
            found
                .ntuple
                .tuple_set(&Standard::default())
                .unwrap()
                .row_count()
        ),
        (report.tuples, report.rows)
    );
    assert!(text.starts_with("# Found by") && text.contains(&first.kind));
}

#[test]
fn an_interrupted_search_resumes_to_the_same_set() {
    let directory = tempfile::tempdir().unwrap();
    let samples = planted_samples();
    let run = |path: &Path| search_in(path, &options(), &samples);
    let complete = directory.path().join("whole.toml");
    let report = run(&complete).unwrap();
    assert!(report.additions.len() >= 2, "{report:?}");
    let expected =
        [&complete, &state::state_path(&complete)].map(|path| std::fs::read(path).unwrap());
    for rounds in 0..report.additions.len() {
        let path = directory.path().join(format!("{rounds}.toml"));
        let mut state: State = serde_json::from_slice(&expected[1]).unwrap();
        state.additions.truncate(rounds);
        state.finished = false;
        state.write(&path).unwrap();
        assert_eq!(run(&path).unwrap().additions, report.additions);
        assert_eq!(
            [&path, &state::state_path(&path)].map(|path| std::fs::read(path).unwrap()),
            expected
        );
    }
    assert_eq!(
        run(&complete).unwrap(),
        report,
        "a finished search is only told again"
    );
    let longer = SearchOptions {
        epochs: 3,
        ..options()
    };
    let error = search_in(&complete, &longer, &samples)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains(
            "whole.state.json: belongs to a search with another set of limits; give another --out"
        ),
        "{error}"
    );
}

#[test]
fn invalid_searches_are_refused_in_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("set.toml");
    let with = |change: fn(&mut SearchOptions)| {
        let mut limits = options();
        change(&mut limits);
        limits
    };
    for (options, expected) in [
        (
            with(|limits| limits.rows = 0),
            "rows = 0: it must be in 1 to 67108864",
        ),
        (
            with(|limits| limits.epochs = 0),
            "epochs = 0: it must be at least 1",
        ),
        (
            with(|limits| limits.min_gain = f64::NAN),
            "least gain = NaN: it must be at least 0",
        ),
        (
            with(|limits| limits.rows = 3),
            "no tuple gains 0.0001 nats within 3 rows",
        ),
    ] {
        let error = search_in(&path, &options, &planted_samples())
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with(expected) && !error.contains('\n'),
            "{error}"
        );
        let _ = std::fs::remove_file(state::state_path(&path));
    }
}
