//! Labels: their encoding, their values, and sets of games with different labels.

use crate::data_operations::{games, open};
use crate::dataset::game_of_four_plies;
use crate::format::{label, with_checksum};
use crate::{
    LabelSource, MIXED_PLAYERS, PlayedGame, SelfPlay, ShardReader, assert_refused, config, content,
    decode, header_of, label_config, one_line, play, plies, read, run, scratch_paths, with_threads,
};
use alea_play::build::{PlayerRecipe, parse_evaluator};
use engine::games::einstein::{Standard, tables::shared_tables::shared_tables};
use std::path::Path;
use trainer::data::{derived_sets, statistics};
use trainer::selfplay::SelfPlayConfig;
use trainer::shard::{self, Estimate, Label, ShardHeader};
use xxhash_rust::xxh3::xxh3_64;

fn header(labels: &[Label], games: u64) -> ShardHeader {
    ShardHeader {
        labels: labels.to_vec(),
        ..header_of(&config(&["a", "b"], 0), games)
    }
}

/// [`game_of_four_plies`] with labels: "deep" is 0.5 before the second ply and 1 before the last, "exact" is 0
/// before the last.
pub(crate) fn tiny_labelled() -> PlayedGame {
    let mut game = game_of_four_plies();
    game.set_label(0, 2, estimates(&[None, Some(0.5), None, Some(1.0)]));
    game.set_label(1, 2, estimates(&[None, None, None, Some(0.0)]));
    game
}

fn estimates(values: &[Option<f32>]) -> Vec<Option<Estimate>> {
    values
        .iter()
        .map(|value| value.map(Estimate::from))
        .collect()
}

#[test]
fn columns_are_encoded_as_specified() {
    let deep = label("deep", "star2(depth=4)");
    let with_errors = Label {
        errors: true,
        ..deep.clone()
    };
    let labels = [with_errors, label("exact", "tables(stones=5)")];
    let path = Path::new("hand.games");
    let header = ShardHeader {
        times: true,
        ..header(&labels, 1)
    };
    // 0.25 is 16,383.5 steps, which are rounded up.
    let mut game = tiny_labelled();
    game.labels[0][3] = Some(Estimate {
        value: 1.0,
        error: Some(0.25),
    });
    game.times = vec![Some(5), None, None, Some(300)];
    let bytes = shard::encode(path, &header, std::slice::from_ref(&game)).unwrap();
    let plain = shard::encode(path, &self::header(&[], 1), &[game_of_four_plies()]).unwrap();
    // Number of plies, column states, players, start (11 bytes), 4 plies, first ply with a value, 3
    // values, checksum.
    let alone = &plain[plain.len() - 8 - 30..plain.len() - 8];
    assert_eq!((&alone[..4], alone[19]), (&[4, 2, 0, 1][..], 1));
    // Column states (1: from the first ply, 2: from a later one): values, times, "deep", its
    // errors, "exact".
    let mut expected = [&[4, 2 | 1 << 2 | 2 << 4 | 2 << 6, 2][..], &alone[2..26]].concat();
    // Microseconds plus one, 0 if missing; 301 takes two bytes.
    expected.extend([6, 0, 0, 0x80 | 45, 2]);
    expected.extend([1, 0xFF, 0x7F, 0xFF, 0xFF, 0xFE, 0xFF]);
    expected.extend([3, 0x00, 0x40]);
    expected.extend([3, 0, 0]);
    let check = xxh3_64(&expected).to_le_bytes();
    expected.extend(&check[..4]);
    let offset_of_game = bytes.len() - 8 - expected.len();
    assert_eq!(bytes[offset_of_game..bytes.len() - 8], expected);
    let (read_header, read) = decode(path, &bytes).unwrap();
    assert_eq!(read_header, header);
    game.labels[0][3] = Some(Estimate {
        value: 1.0,
        error: Some(shard::quantize_value(0.25)),
    });
    assert!(read[0].labels == game.labels && read[0].times == game.times);
    assert_eq!(shard::encode(path, &read_header, &read).unwrap(), bytes);
    let among = shard::encode(path, &header, &[game_of_four_plies()]).unwrap();
    assert_eq!(among[among.len() - 8 - 31..][..3], [4, 2, 0]);
    // Late from the first ply or behind the last, no first entry, an error without a label, an
    // invalid state, an undeclared column.
    for (offset, change) in [
        (20, &[0][..]),
        (20, &[4]),
        (33, &[0xFF, 0xFF]),
        (39, &[2, 0, 0x40]),
        (1, &[3 | 1 << 2 | 2 << 4 | 2 << 6]),
        (2, &[2 | 1 << 2]),
    ] {
        let mut changed = bytes.clone();
        changed[offset_of_game + offset..][..change.len()].copy_from_slice(change);
        let end = bytes.len() - 8 - 4;
        let check = xxh3_64(&changed[offset_of_game..end]).to_le_bytes();
        changed[end..end + 4].copy_from_slice(&check[..4]);
        let error = decode(path, &with_checksum(changed)).unwrap_err();
        assert!(
            one_line(&error, path).contains("game 0"),
            "{offset}: {error}"
        );
    }
}

#[test]
fn invalid_labels_are_not_written() {
    let path = Path::new("x.games");
    let assert_refused = |labels: &[Label], game: PlayedGame, expected: &str| {
        assert_refused(
            shard::encode(path, &header(labels, 1), &[game]),
            path,
            expected,
        );
    };
    let deep = label("deep", "star2(depth=4)");
    assert_refused(
        &[deep.clone(), deep.clone()],
        game_of_four_plies(),
        "there twice",
    );
    for name in ["", "Deep", "1st", "a-b", "ü", "value", &"x".repeat(33)] {
        assert_refused(
            &[label(name, "race")],
            game_of_four_plies(),
            if name == "value" {
                "players' values"
            } else {
                "lower-case"
            },
        );
    }
    let many: Vec<Label> = (0..17)
        .map(|index| label(&format!("a{index}"), "race"))
        .collect();
    assert_refused(&many, game_of_four_plies(), "more than 16");
    assert_refused(
        std::slice::from_ref(&deep),
        tiny_labelled(),
        "have 1 labels",
    );
    assert_refused(&[], tiny_labelled(), "have 0 labels");
    for value in [1.5, -0.1, f32::NAN, f32::INFINITY] {
        let mut wrong = tiny_labelled();
        wrong.labels[0][1] = Some(value.into());
        assert_refused(
            &[deep.clone(), label("exact", "race")],
            wrong,
            "game 0: ply 1: the label is out of range",
        );
    }
}

#[test]
fn labels_are_the_values_of_their_sources() {
    let rules = Standard::default();
    let all = play(&config(&["greedy", "random"], 100));
    let recipe = PlayerRecipe::parse("star1(depth=2, eval=schwarz, table=0)", &rules).unwrap();
    let race = parse_evaluator("race", &rules).unwrap();
    let tables = shared_tables(4, rules.variant()).unwrap();
    let sources = [
        "star1(depth=2, eval=schwarz, table=0)",
        "race",
        "tables(4)",
        "mcts(sims=10)",
    ];
    let label_sources = sources.map(|by| LabelSource::new(&label_config("x", by), &rules).unwrap());
    assert_eq!(label_sources[2].label().by, "tables(stones=4)");
    let mut exact = 0;
    for game in &all {
        let [star, raced, ended, sampled] = label_sources
            .each_ref()
            .map(|recipe| recipe.new_labeller().label_values(game));
        for (number, position) in game
            .record
            .positions(&rules)
            .take(game.record.plies.len())
            .enumerate()
        {
            let expected = recipe
                .make()
                .value(&position, &alea_search::limits::Limits::NONE)
                .value
                .unwrap();
            assert_eq!(star[number], Some(shard::quantize_value(expected).into()));
            assert_eq!(
                raced[number],
                Some(shard::quantize_value(race.value_of(&rules, &position)).into())
            );
            let expected_exact = (position.num_stones() <= 4)
                .then(|| shard::quantize_value(tables.value_of(&position).unwrap()).into());
            assert_eq!(ended[number], expected_exact);
            exact += u32::from(expected_exact.is_some());
            assert!(sampled[number].is_some());
        }
        let mut again = label_sources[3].new_labeller();
        again.label_values(&all[0]);
        assert_eq!(again.label_values(game), sampled);
    }
    assert!(exact > 5, "{exact}");
    let values = label_sources
        .each_ref()
        .map(|recipe| recipe.new_labeller().label_values(&game_of_four_plies())[3]);
    assert_eq!([values[0], values[2]], [Some(1.0.into()); 2]);
}

#[test]
fn invalid_label_sources_are_refused() {
    let rules = Standard::default();
    let cases = [
        ("deep", "random", "values no positions"),
        ("deep", "greedy", "values no positions"),
        ("deep", "star9(depth=4)", "no player 'star9'"),
        ("deep", "star2(depht=4)", "depht"),
        ("deep", "model:missing.safetensors", "missing.safetensors"),
        ("deep", "tables(stones=9)", "2 to 6"),
        ("deep", "tables(2, 3)", "tables takes stones"),
        ("deep", "tables(die=3)", "tables takes stones"),
        ("Deep", "race", "lower-case"),
    ];
    for (name, by, expected) in cases {
        assert_refused(
            LabelSource::new(&label_config(name, by), &rules),
            Path::new(""),
            expected,
        );
    }
    assert!(
        LabelSource::new(&label_config("a", "star2(depth=9, ms=5)"), &rules)
            .is_ok_and(|recipe| !recipe.is_reproducible())
    );
    let twice = SelfPlayConfig {
        labels: vec![label_config("a", "race"), label_config("a", "race")],
        ..config(&["random"], 5)
    };
    assert!(
        SelfPlay::new(twice)
            .err()
            .unwrap()
            .to_string()
            .contains("twice")
    );
}

#[test]
fn self_play_labels_its_games_and_plays_the_same() {
    let plain = config(&MIXED_PLAYERS, 120);
    let labelled = SelfPlayConfig {
        labels: vec![
            label_config("deep", "star1( depth=1 )"),
            label_config("exact", "tables(stones=3)"),
        ],
        ..plain.clone()
    };
    let (with, without) = (play(&labelled), play(&plain));
    for (with, without) in with.iter().zip(&without) {
        assert_eq!(
            (&with.record, &with.players),
            (&without.record, &without.players)
        );
        assert!((0..with.record.plies.len()).all(|ply| with.label_value(0, ply).is_some()));
    }
    let at = scratch_paths();
    run(&labelled, &at("a")).unwrap();
    with_threads(3, || run(&labelled, &at("b"))).unwrap();
    assert!(content(&at("a")) == content(&at("b")));
    assert_eq!(games(&[&at("a")]), with);
    let (header, _) = read(&at("a").join("000000.games")).unwrap();
    assert_eq!(
        header.labels,
        [
            label("deep", "star1(depth=1)"),
            label("exact", "tables(stones=3)")
        ]
    );
    run(&labelled, &at("a")).unwrap();
    assert_refused(run(&plain, &at("a")), &at("a"), "other settings");
    run(&plain, &at("plain")).unwrap();
    assert_refused(
        run(&labelled, &at("plain")),
        &at("plain"),
        "'labels' is nothing",
    );
}

#[test]
fn sets_with_different_labels_lie_together() {
    let at = scratch_paths();
    let deep = |depth| label_config("deep", &format!("star1(depth={depth})"));
    for (seed, (name, labels)) in (1..).zip([
        ("a", vec![label_config("race", "race"), deep(1)]),
        ("b", vec![deep(1)]),
        ("c", Vec::new()),
        ("d", vec![deep(2)]),
    ]) {
        let settings = SelfPlayConfig {
            labels,
            seed,
            ..config(&["random"], 20)
        };
        run(&settings, &at(name)).unwrap();
    }
    let source = open(&[&at("c"), &at("b"), &at("a")]);
    assert_eq!(
        source
            .labels
            .iter()
            .map(|label| label.name.as_str())
            .collect::<Vec<_>>(),
        ["deep", "race"]
    );
    let written = derived_sets::merge(&source, &at("all"), false).unwrap();
    let all = games(&[&at("all")]);
    let (a, b) = (games(&[&at("a")]), games(&[&at("b")]));
    assert!(all[..20].iter().all(|game| game.labels.is_empty()));
    for (number, game) in all[20..].iter().enumerate() {
        for ply in 0..game.record.plies.len() {
            let expected = if number < 20 {
                [b[number].label_value(0, ply), None]
            } else {
                [1, 0].map(|index| a[number - 20].label_value(index, ply))
            };
            assert_eq!(
                [game.label_value(0, ply), game.label_value(1, ply)],
                expected
            );
        }
    }
    let plies = |games: &[PlayedGame]| plies(games).count() as u64;
    assert_eq!(written.labels, 2 * plies(&a) + plies(&b));
    let text = assert_refused(
        ShardReader::open(&[at("a"), at("d")]),
        &at("d"),
        "'deep' is by star1(depth=2)",
    );
    assert!(text.contains("star1(depth=1)"), "{text}");
    let counts = statistics::info(&open(&[&at("b")])).unwrap().labels;
    let mut sum = 0.0;
    for game in &b {
        for (ply, position) in game
            .record
            .positions(&Standard::default())
            .take(game.record.plies.len())
            .enumerate()
        {
            sum +=
                f64::from(game.label_value(0, ply).unwrap() - game.record.payoffs[position.seat()])
                    .powi(2);
        }
    }
    assert_eq!(
        (counts[0].name.as_str(), counts[0].positions),
        ("deep", plies(&b))
    );
    assert!((counts[0].error.unwrap() - sum / plies(&b) as f64).abs() < 1e-9);
}
