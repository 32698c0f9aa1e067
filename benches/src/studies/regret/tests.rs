//! Regret against endgames solved by others, by hand, and against itself on other numbers of
//! threads.

use super::{
    Contestant,
    choices::{Answer, Choice, answers},
    measure::{Bin, DecisionSums, ValueSums},
    positions::{Source, draw_positions},
    report::{Measured, Report, measure},
    suite::{LabelledSuite, write_suite},
    truth::{Labelled, faces, label_exactly},
};
use engine::core::game::Game;
use engine::games::einstein::{
    Position, Standard, Variant,
    dice::Die,
    tables::{Tables, on_this_thread},
};
use engine::play::playable::Playable;
use indicatif::ProgressBar;
use serde_json::Value;
use std::sync::{Arc, OnceLock};

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Arc<Tables>> = OnceLock::new();
    TABLES.get_or_init(|| {
        Tables::in_memory(4, Variant::Classic, &on_this_thread, &|_, _| ()).unwrap()
    })
}

fn position(text: &str) -> Position {
    Standard::default().parse_position(text).unwrap().0
}

fn hidden() -> ProgressBar {
    ProgressBar::hidden()
}

/// 500 positions of at most four stones with their exact values.
fn labelled() -> Vec<Labelled> {
    let game = Standard::default();
    let drawn = draw_positions(&game, &Source::Mixed, |_| 2..=4, 500, 7, &hidden()).unwrap();
    label_exactly(&game, tables(), &drawn).unwrap()
}

fn of(contestant: &Contestant, labelled: &[Labelled]) -> Measured {
    measure(
        contestant,
        &Standard::default(),
        labelled,
        None,
        1,
        &hidden(),
    )
}

#[test]
fn labels_are_those_of_an_independent_solver() {
    let game = Standard::default();
    let mut compared = 0;
    for line in include_str!("../../../../engine/tests/vectors/exact.jsonl").lines() {
        let vector: Value = serde_json::from_str(line).unwrap();
        let position = position(vector["position"].as_str().unwrap());
        if position.stones() > 4 || game.winner(&position).is_some() {
            continue;
        }
        let labelled = &label_exactly(&game, tables(), &[position]).unwrap()[0];
        assert!(
            (labelled.value(&game) - vector["value"].as_f64().unwrap()).abs() < 4e-5,
            "{line}"
        );
        for (mv, value) in labelled.moves.iter().zip(labelled.values) {
            let exact = vector["moves"][game.format_move(&position, *mv)]
                .as_f64()
                .unwrap();
            assert!((f64::from(value) - exact).abs() < 4e-5, "{line}");
        }
        compared += 1;
    }
    assert!(compared > 50, "{compared}");
    let other_rules = Standard::new(Variant::NearestOnly, Die::fair());
    for (game, beyond) in [
        (game, "12.../...../..3../...../...fa r -"),
        (other_rules, "...../.1.../...../...../...fa r -"),
    ] {
        let refused = label_exactly(&game, tables(), &[position(beyond)]).unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!(
                "the endgame tables know at most 4 stones and these rules as 'Classic'; this position is beyond them: {beyond}"
            )
        );
    }
}

#[test]
fn figures_by_hand() {
    let game = Standard::default();
    // One stone each, one step from home: Red to move wins by one of its three moves. After any
    // other one Blue, whose only stone every roll permits, is there first.
    let near = label_exactly(
        &game,
        tables(),
        &[position(".a.../...../...../...1./..... r -")],
    )
    .unwrap();
    let mut sums = DecisionSums::default();
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
    let (game, labelled) = (Standard::default(), labelled());
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
    let figures = of(&Contestant::player("random", &game).unwrap(), &labelled).figures;
    let decisions = 6.0 * labelled.len() as f64;
    assert!((figures.regret.value - lost / decisions).abs() < 1e-9);
    assert!((figures.regret_of_choices.value - lost / choices).abs() < 1e-9);
    assert!((figures.optimal.value - optimal / choices).abs() < 1e-9);
    assert!((figures.choices - choices / decisions).abs() < 1e-9);
}

#[test]
fn perfect_choices_lose_nothing_and_perfect_values_are_calibrated() {
    let (game, labelled) = (Standard::default(), labelled());
    let (mut sums, mut values) = (DecisionSums::default(), ValueSums::default());
    for labelled in &labelled {
        let mut answer = Answer::default();
        let choices = answer.choices.iter_mut();
        for (choice, outcome) in choices.zip(labelled.outcomes(&game).iter()) {
            let is_best = |&place: &usize| labelled.values[place] == labelled.best(outcome);
            *choice = Choice::Move(outcome.run().find(is_best).unwrap() as u8);
        }
        sums.add(&game, labelled, &answer);
        values.add(labelled.value(&game), labelled.value(&game));
        assert_eq!(labelled.outcomes(&game).iter().map(faces).sum::<f64>(), 6.0);
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
    let (game, labelled) = (Standard::default(), labelled());
    for name in ["schwarz", "abt", "farmer_boy"] {
        let evaluator = Contestant::evaluator(name, &game).unwrap();
        let player = Contestant::player(&format!("unified(depth=1, eval={name})"), &game).unwrap();
        let choose = |contestant: &Contestant| answers(contestant, &game, &labelled, 1, &hidden());
        let (by_evaluator, by_player) = (choose(&evaluator), choose(&player));
        for ((one, other), labelled) in by_evaluator.iter().zip(&by_player).zip(&labelled) {
            let outcomes = labelled.outcomes(&game).len();
            assert_eq!(one.choices[..outcomes], other.choices[..outcomes], "{name}");
        }
    }
}

#[test]
fn threads_change_nothing() {
    let game = Standard::default();
    let measured = || {
        let labelled = labelled();
        let contestants = [
            Contestant::player("mcts(sims=30)", &game).unwrap(),
            Contestant::evaluator("abt", &game).unwrap(),
        ];
        contestants.map(|contestant| Measured {
            seconds: 0.0,
            ..of(&contestant, &labelled)
        })
    };
    let run = |threads| crate::arena::pool(threads).unwrap().install(measured);
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
        label_errors: None,
        contestants: one.to_vec(),
    };
    assert!(report.svg().unwrap().starts_with("<svg"));
    assert_eq!(report.sheet().rows.len(), 2);
    let classes = one.iter().map(|measured| measured.classes.len());
    assert_eq!(report.classes().rows.len(), 2 + classes.sum::<usize>());
}

#[test]
fn a_suite_is_read_as_it_was_written() {
    let game = Standard::default();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("suite.jsonl");
    let write = |label: &str| write_suite(&path, &game, &Source::Mixed, label, 14, 3, &hidden());
    write("star2(depth=2, eval=schwarz)").unwrap();
    let suite = LabelledSuite::read(&path, &game).unwrap();
    assert_eq!(
        (suite.header.depth, suite.header.check.as_str()),
        (2, "star2(depth=1, eval=schwarz)")
    );
    // By the textbook, and as many positions of each number of stones.
    let mut textbook = game
        .player("textbook(depth=2, eval=schwarz)")
        .unwrap()
        .make();
    for (index, labelled) in suite.labelled.iter().enumerate() {
        assert_eq!(labelled.position.stones(), 6 + index as u32 % 7);
        let rated = textbook.analyse(&labelled.position, None).moves;
        for ((_, value), label) in rated.into_iter().zip(labelled.values) {
            assert!((value.unwrap() - label).abs() < 1e-5 + 1e-6);
        }
    }
    assert!(suite.label_errors(&game).of_positions > 0.0);
    let itself = Contestant::player("star2(depth=2, eval=schwarz)", &game).unwrap();
    let checks = Some(&suite.checks[..]);
    let measured = measure(&itself, &game, &suite.labelled, checks, 1, &hidden());
    assert!(
        measured.figures.regret.value < 1e-5,
        "the labelling player is its own judge"
    );
    assert_eq!(measured.classes.len(), 7);

    for wrong in ["star2(depth=1)", "star2", "greedy(depth=3)"] {
        assert!(write(wrong).is_err(), "{wrong}");
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let problem = |text: &str| {
        LabelledSuite::parse("s", text, &game)
            .unwrap_err()
            .to_string()
    };
    let short: String = text.split_inclusive('\n').take(5).collect();
    let broken: String = text
        .split_inclusive('\n')
        .map(|line| line.replacen("\":[0.", "\":[7.", 1))
        .collect();
    for (text, expected) in [
        ("", "s:1: this is no header of a suite"),
        (
            &text.replace("suite 1", "suite 2"),
            "s:1: the format is 'alea regret suite 2'",
        ),
        (&short, "s:1: 14 positions should follow"),
        (&broken, "s:2: the value 7."),
    ] {
        assert!(problem(text).starts_with(expected), "{}", problem(text));
    }
}
