//! Tests of regret against independently solved endgames and results by hand.

use super::{
    Contestant,
    choices::{Answer, Choices, answers},
    estimates::{Bin, DecisionSums, ValueSums},
    positions::{Source, draw_positions},
    reference_values::{Labelled, first_best, label_exactly, merged_outcome_count},
    report::{ContestantReport, Report, measure},
    suite::{LabelledSuite, SuiteBuilder, read_canonical_positions, suite_path, write_held_out},
};
use crate::{error::MeasuringError, journal_fault_injection};
use alea_core::{
    game::{Game, Outcome},
    random::RandomStream,
};
use alea_einstein::{
    Position, Standard, Variant,
    dice::Die,
    symmetry::transform_position,
    tables::{Tables, run_sequentially},
};
use alea_play::{
    build::PlayerRecipe,
    playable::{Codec, Playable, Rules},
    player_notation::Notation,
};
use alea_search::limits::Limits;
use engine::games::reversi::Reversi;
use indicatif::ProgressBar;
use serde_json::Value;
use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Arc<Tables>> = OnceLock::new();
    TABLES.get_or_init(|| {
        Tables::in_memory(4, Variant::Classic, &run_sequentially, &|_, _| ()).unwrap()
    })
}

fn position(text: &str) -> Position {
    Standard::default().parse_position(text).unwrap().0
}

fn default_source() -> Source<Standard> {
    Source::default_of(&Standard::default()).unwrap()
}

fn hidden_bar() -> ProgressBar {
    ProgressBar::hidden()
}

fn labelled_positions() -> Vec<Labelled<Standard>> {
    let game = Standard::default();
    let sampled =
        draw_positions(&game, &default_source(), |_| 2..=4, 500, 7, &hidden_bar()).unwrap();
    label_exactly(&game, tables(), &sampled).unwrap()
}

fn measure_contestant(
    contestant: &Contestant<Standard>,
    labelled: &[Labelled<Standard>],
) -> ContestantReport {
    measure(
        contestant,
        &Standard::default(),
        labelled,
        |position| position.num_stones().to_string(),
        1,
        &hidden_bar(),
    )
    .unwrap()
}

#[test]
fn labels_are_those_of_an_independent_solver() {
    let game = Standard::default();
    let mut compared = 0;
    for line in include_str!("../../../engine/tests/vectors/exact.jsonl").lines() {
        let vector: Value = serde_json::from_str(line).unwrap();
        let position = position(vector["position"].as_str().unwrap());
        if position.num_stones() > 4 || game.winner(&position).is_some() {
            continue;
        }
        let labelled = &label_exactly(&game, tables(), &[position]).unwrap()[0];
        assert!(
            (labelled.value(&game) - vector["value"].as_f64().unwrap()).abs() < 4e-5,
            "{line}"
        );
        for (mv, value) in labelled.moves.iter().zip(&labelled.values) {
            let exact = vector["moves"][game.format_move(&position, *mv)]
                .as_f64()
                .unwrap();
            assert!((f64::from(*value) - exact).abs() < 4e-5, "{line}");
        }
        compared += 1;
    }
    assert!(compared > 50, "{compared}");
    let other_rules = Standard::new(Variant::NearestOnly, Die::fair());
    for (game, unknown) in [
        (game, "12.../...../..3../...../...fa r -"),
        (other_rules, "...../.1.../...../...../...fa r -"),
    ] {
        let refused = label_exactly(&game, tables(), &[position(unknown)]).unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!(
                "exact knowledge of {} does not reach this position: {unknown}",
                game.notation()
            )
        );
    }
}

#[test]
fn figures_by_hand() {
    let game = Standard::default();
    // Each side has one stone, one step from its goal: after any of Red's two moves that do not
    // win, Blue wins, since every roll allows its only stone.
    let near = label_exactly(
        &game,
        tables(),
        &[position(".a.../...../...../...1./..... r -")],
    )
    .unwrap();
    let mut sums = DecisionSums::new(&game);
    sums.add(&game, &near[0], &Answer::default());
    let figures = sums.figures();
    let others: f64 = near[0].values[..3]
        .iter()
        .map(|&value| 1.0 - f64::from(value))
        .sum();
    assert!((figures.regret.value - others / 3.0).abs() < 1e-9);
    assert!(
        (others - 2.0).abs() < 1e-9,
        "Blue, with one stone one step away, is sure to win: {others}"
    );
    assert!((figures.optimal.value - 1.0 / 3.0).abs() < 1e-9);
    assert!((figures.above_5.value - 2.0 / 3.0).abs() < 1e-9);
    assert!((figures.choices - 1.0).abs() < 1e-9);
}

#[test]
fn random_moves_by_direct_enumeration() {
    let (game, labelled) = (Standard::default(), labelled_positions());
    let (mut lost, mut optimal, mut choices) = (0.0, 0.0, 0.0);
    for labelled in &labelled {
        for face in 1..=6 {
            let legal = game.legal_moves(&labelled.position, face);
            let value = |mv| {
                let after = game.play(&labelled.position, mv);
                let payoff = game.payoff(&after, labelled.position.seat());
                f64::from(payoff.unwrap_or_else(|| 1.0 - tables().value_of(&after).unwrap()))
            };
            let values: Vec<f64> = legal.iter().map(|&mv| value(mv)).collect();
            let best = values.iter().copied().fold(0.0, f64::max);
            lost += values.iter().map(|value| best - value).sum::<f64>() / values.len() as f64;
            if values.len() > 1 {
                choices += 1.0;
                optimal += values.iter().filter(|&&value| best - value <= 1e-4).count() as f64
                    / values.len() as f64;
            }
        }
    }
    let figures = measure_contestant(
        &Contestant::parse_player("random", &game).unwrap(),
        &labelled,
    )
    .figures;
    let decisions = 6.0 * labelled.len() as f64;
    assert!((figures.regret.value - lost / decisions).abs() < 1e-9);
    assert!((figures.regret_of_choices.value - lost / choices).abs() < 1e-9);
    assert!((figures.optimal.value - optimal / choices).abs() < 1e-9);
    assert!((figures.choices - choices / decisions).abs() < 1e-9);
}

#[test]
fn perfect_choices_lose_nothing_and_perfect_values_are_calibrated() {
    let (game, labelled) = (Standard::default(), labelled_positions());
    let (mut sums, mut values) = (DecisionSums::new(&game), ValueSums::default());
    for labelled in &labelled {
        sums.add(&game, labelled, &best_answer(&game, labelled));
        values.add(labelled.value(&game), labelled.value(&game));
        assert_eq!(
            labelled
                .outcomes(&game)
                .iter()
                .map(|outcome| merged_outcome_count(outcome, 6.0))
                .sum::<f64>(),
            6.0
        );
    }
    let figures = sums.figures();
    let (regret, above) = (figures.regret, figures.above_1);
    assert_eq!([regret.value, regret.error, above.value], [0.0; 3]);
    assert_eq!(figures.optimal.value, 1.0);
    assert_eq!(values.figures().unwrap().rmse.value, 0.0);
    let off = |bin: &Bin| (bin.predicted - bin.exact.value).abs();
    assert!(values.bins().iter().all(|bin| off(bin) < 1e-12));
}

#[test]
fn an_evaluator_chooses_as_a_search_of_one_ply_does() {
    let (game, labelled) = (Standard::default(), labelled_positions());
    for name in ["schwarz", "abt", "farmer_boy"] {
        let evaluator = Contestant::parse_evaluator(name, &game).unwrap();
        let player =
            Contestant::parse_player(&format!("unified(depth=1, eval={name})"), &game).unwrap();
        let choose = |contestant: &Contestant<Standard>| {
            answers(contestant, &game, &labelled, 1, &hidden_bar()).unwrap()
        };
        let (by_evaluator, by_player) = (choose(&evaluator), choose(&player));
        for (one, other) in by_evaluator.iter().zip(&by_player) {
            assert_eq!(one.choices, other.choices, "{name}");
        }
    }
}

#[test]
fn threads_change_nothing() {
    let game = Standard::default();
    let measured = || {
        let labelled = labelled_positions();
        let contestants = [
            Contestant::parse_player("mcts(sims=30)", &game).unwrap(),
            Contestant::parse_evaluator("abt", &game).unwrap(),
        ];
        contestants.map(|contestant| ContestantReport {
            seconds: 0.0,
            ..measure_contestant(&contestant, &labelled)
        })
    };
    let run = |threads| crate::matches::pool(threads).unwrap().install(measured);
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
    let classes = one[0].classes.values();
    assert_eq!(classes.map(|figures| figures.positions).sum::<u64>(), 500);
    let report = Report {
        truth: String::new(),
        from: String::new(),
        seed: 1,
        positions: 500,
        points: None,
        contestants: one.to_vec(),
    };
    assert!(report.chart_svg().unwrap().starts_with("<svg"));
    assert_eq!(report.text_table().rows.len(), 2);
    assert!(!report.text_table().columns.contains(&"points".to_owned()));
    let in_points = Report {
        points: Some(("points".to_owned(), 6.0)),
        ..report.clone()
    };
    let table = in_points.text_table();
    let column = table.columns.iter().position(|name| name == "points");
    let expected = format!("{:.5}", 6.0 * one[1].figures.regret.value);
    assert_eq!(table.rows[1][column.unwrap()].text_of(), expected);
    let classes = one.iter().map(|measured| measured.classes.len());
    assert_eq!(
        report.contestant_class_table().rows.len(),
        2 + classes.sum::<usize>()
    );
}

fn best_answer(game: &Standard, labelled: &Labelled<Standard>) -> Answer {
    let outcomes = labelled.outcomes(game);
    let best = |outcome: &Outcome| first_best(&labelled.values, outcome.move_range()) as u16;
    Answer {
        choices: Choices::Moves(outcomes.iter().map(best).collect()),
        value: None,
    }
}

#[test]
fn errors_of_labels_enter_the_bars_and_flatter_nobody() {
    let (game, exact) = (Standard::default(), labelled_positions());
    let mut random = RandomStream::new(5);
    let mut noise = || (0..12).map(|_| random.uniform_f64()).sum::<f64>() - 6.0;
    let measured = [0.0f32, 0.02].map(|error| {
        let mut sums = DecisionSums::new(&game);
        for exact in &exact {
            let mut noisy = exact.clone();
            for half in &mut noisy.split {
                let add = |value: &mut f32| *value += error * 2f32.sqrt() * noise() as f32;
                half.iter_mut().for_each(add);
            }
            let halves = noisy.split[0].iter().zip(&noisy.split[1]);
            noisy.values = halves.map(|(one, other)| (one + other) / 2.0).collect();
            noisy.errors.fill(error);
            sums.add(&game, &noisy, &best_answer(&game, exact));
        }
        sums.figures()
    });
    let [certain, noisy] = measured;
    assert_eq!(
        [
            certain.regret.value,
            certain.regret.error,
            certain.of_labels
        ],
        [0.0; 3]
    );
    assert!(noisy.of_labels > 1e-4, "{noisy:?}");
    let of_all = noisy.regret.error;
    assert!(
        (0.5..1.5).contains(&(of_all / noisy.of_labels)),
        "{noisy:?}"
    );
    assert!(noisy.regret.value < 3.0 * of_all, "{noisy:?}");
}

#[test]
fn the_suites_that_ship_are_sound_and_held_out() {
    let game = Standard::default();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/suites");
    let suites = LabelledSuite::read_all(&directory, &game).unwrap();
    let mut positions = 0;
    for suite in &suites {
        positions += suite.labelled.len();
        let mut sums = DecisionSums::new(&game);
        for labelled in &suite.labelled {
            let stones = labelled.position.num_stones();
            assert!(stones == suite.header.stones || stones < suite.header.stones.min(6));
            assert!(
                (0..8).all(|one| game.is_held_out(&transform_position(&labelled.position, one)))
            );
            assert!(game.is_held_out(&Position::new(
                labelled.position.mover(),
                labelled.position.other(),
                1 - labelled.position.seat()
            )));
            if stones <= 4 {
                let exact = &label_exactly(&game, tables(), &[labelled.position]).unwrap()[0];
                let pairs = labelled.values.iter().zip(&exact.values);
                let off = pairs.map(|(one, other)| (one - other).abs());
                assert!(off.fold(0.0, f32::max) < 5e-5, "{:?}", labelled.position);
            }
            sums.add(&game, labelled, &best_answer(&game, labelled));
        }
        let regret = sums.figures().regret;
        // If the same values choose and value the best move, their errors bias its value upwards.
        let flattered = if suite.header.stones <= 6 { 0.0 } else { 3e-4 };
        assert!((-flattered..=1e-12).contains(&regret.value), "{regret:?}");
    }
    let held_out = read_canonical_positions(&directory, &game).unwrap();
    assert_eq!(held_out.len(), positions, "no two are alike");
    let bytes: Vec<u8> = held_out.into_iter().flat_map(u64::to_le_bytes).collect();
    assert!(bytes == std::fs::read(directory.join("held-out.bin")).unwrap());
    assert!(!game.is_held_out(&position("1..../...../...../...../....a r -")));
}

#[test]
fn a_suite_goes_on_where_it_was_and_is_read_as_it_was_written() {
    let game = Standard::default();
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let make = |by: &str, limit| {
        let by = PlayerRecipe::parse(by, &game).unwrap();
        let maker = SuiteBuilder {
            game: &game,
            source: &default_source(),
            tables: tables(),
            limit,
            by: &[by.clone(), by],
            seed: 3,
            slice: Default::default(),
        };
        maker.make(at, 5, 30, &hidden_bar())
    };
    let by = "rollout(eval=schwarz, games=40, tablebase=3)";
    make(by, 2_000).unwrap();
    let path = suite_path(at, 5);
    let text = std::fs::read_to_string(&path).unwrap();
    make("rollout(eval=schwarz, games=50)", 2_000).unwrap_err();
    // A run that was killed before it removed its journal.
    let journal = at.join("stones-5.unfinished");
    std::fs::write(&journal, "left").unwrap();
    make(by, 2_000).unwrap();
    assert!(!journal.exists());
    std::fs::remove_file(&path).unwrap();
    crate::matches::pool(1)
        .unwrap()
        .install(|| make(by, 2_000))
        .unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);

    let suite = &LabelledSuite::read_all(at, &game).unwrap()[0];
    let mut exact = 0;
    for labelled in &suite.labelled {
        let is_stored = tables().solve_moves_within(&game, &labelled.position, usize::MAX);
        for (index, (_, is_stored)) in is_stored.unwrap().into_iter().enumerate() {
            let off = (labelled.values[index] - is_stored).abs();
            let bound = match labelled.errors[index] {
                0.0 => 1e-4,
                error => 0.1 + 5.0 * error,
            };
            assert!(off < bound, "{:?}", labelled.position);
        }
        exact += u32::from(labelled.errors.iter().all(|&error| error == 0.0));
    }
    assert!((10..30).contains(&exact), "{exact} are exact");
    let by = [PlayerRecipe::parse("rollout(eval=schwarz, games=2)", &game).unwrap()];
    journal_fault_injection::assert_resumes("stones-5.unfinished", |folder| {
        let maker = SuiteBuilder {
            game: &game,
            source: &default_source(),
            tables: tables(),
            limit: 1,
            by: &by,
            seed: 3,
            slice: Default::default(),
        };
        maker.make(folder, 5, 3, &hidden_bar())?;
        Ok::<_, MeasuringError>(std::fs::read_to_string(suite_path(folder, 5)).unwrap())
    });

    write_held_out(at, &game).unwrap();
    assert_eq!(std::fs::read(at.join("held-out.bin")).unwrap().len(), 240);
    std::fs::remove_file(&path).unwrap();
    let refused = make("greedy", 1).unwrap_err().to_string();
    assert!(
        refused.contains("'greedy' does not know how far"),
        "{refused}"
    );

    let problem = |text: &str| {
        LabelledSuite::parse("s", text, &game)
            .unwrap_err()
            .to_string()
    };
    let short: String = text.split_inclusive('\n').take(5).collect();
    let broken = text.replacen("\"values\":[", "\"values\":[7.5,", 1);
    for (text, expected) in [
        ("", "s:1: this is no header of a suite"),
        (
            &text.replace("suite 2", "suite 1"),
            "s:1: the format is 'alea regret suite 1'",
        ),
        (&short, "s:1: 30 positions should follow"),
        (&broken, "s:2: there are "),
        (
            &text.replacen("\"values\":[0.", "\"values\":[7.", 1),
            "s:2: 7.",
        ),
    ] {
        assert!(problem(text).starts_with(expected), "{}", problem(text));
    }
}

#[test]
fn regret_of_another_game_with_exact_knowledge() {
    let game = Reversi::default();
    let entry = Reversi::registry().oracle.unwrap();
    let oracle = (entry.read)(&Notation::new("6"), &game).unwrap().unwrap();
    let source = Source::default_of(&game).unwrap();
    let sampled = draw_positions(&game, &source, |_| 1..=6, 40, 3, &hidden_bar()).unwrap();
    let labelled = label_exactly(&game, &*oracle, &sampled).unwrap();
    let mut full = PlayerRecipe::parse("minimax(depth=20)", &game)
        .unwrap()
        .make();
    for labelled in &labelled {
        let searched = full.value(&labelled.position, &Limits::NONE).value;
        assert!((f64::from(searched.unwrap()) - labelled.value(&game)).abs() < 1e-6);
    }
    let class = |position: &_| (entry.class)(&game, position);
    let regret = |notation| {
        let player = Contestant::parse_player(notation, &game).unwrap();
        let measured = measure(&player, &game, &labelled, class, 1, &hidden_bar()).unwrap();
        assert!(
            measured
                .classes
                .keys()
                .all(|class| ["1", "2", "3", "4", "5", "6"].contains(&&**class))
        );
        measured.figures.regret.value
    };
    assert_eq!(regret("minimax(depth=20)"), 0.0);
    assert!(regret("random") > 0.05);
}
