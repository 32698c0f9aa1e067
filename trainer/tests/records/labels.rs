//! Labels: their bytes by hand, what they say against who says it, and sets of games with different
//! ones.

use crate::data::{games, open};
use crate::dataset::tiny;
use crate::format::{label, sealed};
use crate::{MIXED, config, content, header_of, one_line, play, run};
use engine::games::einstein::Standard;
use engine::games::einstein::dice::Die;
use engine::games::einstein::tables::shared::shared;
use engine::play::build::{PlayerRecipe, evaluator};
use std::path::Path;
use trainer::data::filter::Filter;
use trainer::data::{Source, info, rewrite};
use trainer::label::{LabelConfig, LabelRecipe};
use trainer::selfplay::{SelfPlay, SelfPlayConfig};
use trainer::shard::{self, Label, PlayedGame, ShardHeader};
use xxhash_rust::xxh3::xxh3_64;

fn asked(name: &str, by: &str) -> LabelConfig {
    LabelConfig {
        name: name.to_owned(),
        by: by.to_owned(),
    }
}

fn header(labels: &[Label], games: u64) -> ShardHeader {
    ShardHeader {
        labels: labels.to_vec(),
        ..header_of(&config(&["a", "b"], 0), games)
    }
}

/// The tiny game: "deep" says 0.5 of the second position and 1 of the last, "exact" 0 of the last.
fn tiny_labelled() -> PlayedGame {
    let mut game = tiny();
    game.set_label(0, 2, vec![None, Some(0.5), None, Some(1.0)]);
    game.set_label(1, 2, vec![None, None, None, Some(0.0)]);
    game
}

#[test]
fn the_bytes_of_labels_are_those_by_hand() {
    let labels = [
        label("deep", "star2(depth=4)"),
        label("exact", "tables(stones=5)"),
    ];
    let path = Path::new("hand.games");
    let bytes = shard::encode(path, &header(&labels, 1), &[tiny_labelled()]).unwrap();
    assert_eq!(bytes[8..12], [3, 0, 0, 0]);
    let plain = shard::encode(path, &header(&[], 1), &[tiny()]).unwrap();
    assert_eq!(plain[8..12], [2, 0, 0, 0]);
    // The game without labels: 3 bytes, players, start, 4 plies, 4 values, checksum. With them bit
    // 22 is set, the plies of each label stand before the plies of the game, and the labels of the
    // last 3 plies and of the last 1 behind all.
    let game = plain[plain.len() - 8 - 29..plain.len() - 8].to_vec();
    let mut expected = game[..13].to_vec();
    expected[2] |= 1 << 6;
    expected.extend([3, 1]);
    expected.extend(&game[13..25]);
    expected.extend([0xFF, 0x7F, 0xFF, 0xFF, 0xFE, 0xFF, 0, 0]);
    let check = xxh3_64(&expected).to_le_bytes();
    expected.extend(&check[..4]);
    assert_eq!(
        bytes[bytes.len() - 8 - expected.len()..bytes.len() - 8],
        expected
    );
    let (read_header, read) = shard::decode(path, &bytes).unwrap();
    assert_eq!(read_header, header(&labels, 1));
    assert_eq!(
        (
            read[0].label(0, 1),
            read[0].label(0, 2),
            read[0].label(1, 3)
        ),
        (Some(0.5), None, Some(0.0))
    );
    assert_eq!(shard::encode(path, &read_header, &read).unwrap(), bytes);
    // A game without labels takes no byte more.
    let among = shard::encode(path, &header(&labels, 2), &[tiny_labelled(), tiny()]).unwrap();
    assert!(among[among.len() - 8 - 29..].starts_with(&game));
    // Other than there may be: too many plies, a first label that is none, a label of nothing,
    // bytes that are not there.
    let at = |offset: usize| bytes.len() - 8 - expected.len() + offset;
    let cases: [(usize, &[u8]); 5] = [
        (13, &[5, 1]),
        (13, &[3, 2]),
        (27, &[0xFF, 0xFF]),
        (13, &[0, 0]),
        (13, &[255, 255]),
    ];
    for (offset, change) in cases {
        let mut changed = bytes.clone();
        changed[at(offset)..at(offset) + change.len()].copy_from_slice(change);
        let game = at(0)..at(expected.len() - 4);
        let check = xxh3_64(&changed[game.clone()]).to_le_bytes();
        changed[game.end..game.end + 4].copy_from_slice(&check[..4]);
        let text = one_line(&shard::decode(path, &sealed(changed)).unwrap_err(), path);
        assert!(text.contains("game 0"), "{text}");
    }
    // A shard of one version that says it is the other.
    for (mut bytes, version) in [(bytes.clone(), 2), (plain, 3)] {
        bytes[8] = version;
        let lengths =
            [12, 16].map(|at| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize);
        let end = 20 + lengths[0] + lengths[1];
        let check = xxh3_64(&bytes[..end]).to_le_bytes();
        bytes[end..end + 8].copy_from_slice(&check);
        assert!(
            shard::decode(path, &sealed(bytes))
                .unwrap_err()
                .to_string()
                .contains("version 3 is that with labels")
        );
    }
}

#[test]
fn labels_that_cannot_be_are_not_written() {
    let path = Path::new("x.games");
    let refused = |labels: &[Label], game: PlayedGame, expected: &str| {
        let text = one_line(
            &shard::encode(path, &header(labels, 1), &[game]).unwrap_err(),
            path,
        );
        assert!(text.contains(expected), "{text}: expected {expected}");
    };
    let deep = label("deep", "star2(depth=4)");
    refused(&[deep.clone(), deep.clone()], tiny(), "there twice");
    for name in ["", "Deep", "1st", "a-b", "ü", "value", &"x".repeat(33)] {
        refused(
            &[label(name, "race")],
            tiny(),
            if name == "value" {
                "players' own"
            } else {
                "lower-case"
            },
        );
    }
    let many: Vec<Label> = (0..17)
        .map(|index| label(&format!("a{index}"), "race"))
        .collect();
    refused(&many, tiny(), "more than 16");
    refused(std::slice::from_ref(&deep), tiny_labelled(), "not 1 labels");
    refused(&[], tiny_labelled(), "not 0 labels");
    for value in [1.5, -0.1, f32::NAN, f32::INFINITY] {
        let mut wrong = tiny_labelled();
        wrong.labels[0][1] = Some(value);
        refused(
            &[deep.clone(), label("exact", "race")],
            wrong,
            "game 0: ply 1: the label is no probability",
        );
    }
}

#[test]
fn labels_are_the_values_of_who_makes_them() {
    let rules = Standard::default();
    let all = play(&config(&["greedy", "random"], 100));
    // Without a table a search values a position alike whatever it saw before, and whoever asks.
    let recipe = PlayerRecipe::parse("star1(depth=2, eval=schwarz, table=0)", &rules).unwrap();
    let race = evaluator("race", &rules).unwrap();
    let tables = shared(4, rules.variant()).unwrap();
    let makers = [
        "star1(depth=2, eval=schwarz, table=0)",
        "race",
        "tables(4)",
        "mcts(sims=10)",
    ];
    let recipes = makers.map(|by| LabelRecipe::new(&asked("x", by), &rules).unwrap());
    assert_eq!(recipes[2].label().by, "tables(stones=4)");
    let mut exact = 0;
    for game in &all {
        let [star, raced, ended, sampled] =
            recipes.each_ref().map(|recipe| recipe.make().values(game));
        for (number, position) in game
            .record
            .positions(&rules)
            .take(game.record.plies.len())
            .enumerate()
        {
            let expected = recipe.make().value(&position).value.unwrap();
            assert_eq!(star[number], Some(shard::rounded(expected)));
            assert_eq!(
                raced[number],
                Some(shard::rounded(race.value_of(&rules, &position)))
            );
            let known = (position.stones() <= 4)
                .then(|| shard::rounded(tables.value_of(&position).unwrap()));
            assert_eq!(ended[number], known);
            exact += u32::from(known.is_some());
            assert!(sampled[number].is_some());
        }
        // What was labelled before does not matter.
        let mut again = recipes[3].make();
        again.values(&all[0]);
        assert_eq!(again.values(game), sampled);
    }
    assert!(exact > 5, "{exact}");
    // Blue takes the last stone with whatever it rolls.
    let values = recipes
        .each_ref()
        .map(|recipe| recipe.make().values(&tiny())[3]);
    assert_eq!([values[0], values[2]], [Some(1.0); 2]);
}

#[test]
fn who_makes_no_labels_is_named() {
    let rules = Standard::default();
    let cases = [
        ("deep", "random", "values no positions"),
        ("deep", "greedy", "values no positions"),
        ("deep", "star9(depth=4)", "no player 'star9'"),
        ("deep", "star2(depht=4)", "depht"),
        ("deep", "model:missing.safetensors", "missing.safetensors"),
        ("deep", "tables(stones=9)", "2 to 6"),
        ("deep", "tables(2, 3)", "stones alone"),
        ("deep", "tables(die=3)", "stones alone"),
        ("Deep", "race", "lower-case"),
    ];
    for (name, by, expected) in cases {
        let text = LabelRecipe::new(&asked(name, by), &rules)
            .err()
            .unwrap()
            .to_string();
        assert!(
            text.contains(expected) && !text.contains('\n'),
            "{text}: expected {expected}"
        );
    }
    assert!(
        LabelRecipe::new(&asked("a", "star2(depth=9, ms=5)"), &rules)
            .is_ok_and(|recipe| !recipe.is_reproducible())
    );
    let twice = SelfPlayConfig {
        labels: vec![asked("a", "race"), asked("a", "race")],
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
    let plain = config(&MIXED, 120);
    let labelled = SelfPlayConfig {
        labels: vec![
            asked("deep", "star1( depth=1 )"),
            asked("exact", "tables(stones=3)"),
        ],
        ..plain.clone()
    };
    // Settings without labels are written as before there were any.
    assert!(
        serde_json::to_value(&plain)
            .unwrap()
            .get("labels")
            .is_none()
    );
    let (with, without) = (play(&labelled), play(&plain));
    for (with, without) in with.iter().zip(&without) {
        assert_eq!(
            (&with.record, with.players),
            (&without.record, without.players)
        );
        assert!((0..with.record.plies.len()).all(|ply| with.label(0, ply).is_some()));
    }
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    run(&labelled, &at("a")).unwrap();
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(3)
        .build()
        .unwrap();
    threads.install(|| run(&labelled, &at("b"))).unwrap();
    assert!(content(&at("a")) == content(&at("b")));
    assert_eq!(games(&[&at("a")]), with);
    let (header, _) = shard::read(&at("a").join("000000.games")).unwrap();
    assert_eq!(
        header.labels,
        [
            label("deep", "star1(depth=1)"),
            label("exact", "tables(stones=3)")
        ]
    );
    // It goes on, and is not mixed with others.
    run(&labelled, &at("a")).unwrap();
    let text = one_line(&run(&plain, &at("a")).unwrap_err(), &at("a"));
    assert!(text.contains("other settings"), "{text}");
    run(&plain, &at("plain")).unwrap();
    let text = one_line(&run(&labelled, &at("plain")).unwrap_err(), &at("plain"));
    assert!(text.contains("'labels' is nothing"), "{text}");
}

#[test]
fn sets_with_different_labels_lie_together() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let labels = |names: &[(&str, &str)]| {
        names
            .iter()
            .map(|&(name, by)| asked(name, by))
            .collect::<Vec<_>>()
    };
    let make = |name: &str, seed: u64, names: &[(&str, &str)]| {
        run(
            &SelfPlayConfig {
                labels: labels(names),
                seed,
                ..config(&["random"], 20)
            },
            &at(name),
        )
        .unwrap();
    };
    make("a", 1, &[("race", "race"), ("deep", "star1(depth=1)")]);
    make("b", 2, &[("deep", "star1(depth=1)")]);
    make("c", 3, &[]);
    make("d", 4, &[("deep", "star1(depth=2)")]);
    let source = open(&[&at("c"), &at("b"), &at("a")]);
    assert_eq!(
        source
            .labels
            .iter()
            .map(|label| label.name.as_str())
            .collect::<Vec<_>>(),
        ["deep", "race"]
    );
    let written = rewrite::merge(&source, &at("all"), false).unwrap();
    let all = games(&[&at("all")]);
    let (a, b) = (games(&[&at("a")]), games(&[&at("b")]));
    assert!(all[..20].iter().all(|game| game.labels.is_empty()));
    for (number, game) in all[20..].iter().enumerate() {
        for ply in 0..game.record.plies.len() {
            let expected = if number < 20 {
                [b[number].label(0, ply), None]
            } else {
                [1, 0].map(|index| a[number - 20].label(index, ply))
            };
            assert_eq!([game.label(0, ply), game.label(1, ply)], expected);
        }
    }
    let plies = |games: &[PlayedGame]| {
        games
            .iter()
            .map(|game| game.record.plies.len() as u64)
            .sum::<u64>()
    };
    assert_eq!(written.labels, 2 * plies(&a) + plies(&b));
    let text = one_line(&Source::open(&[at("a"), at("d")]).unwrap_err(), &at("d"));
    assert!(
        text.contains("'deep' is by star1(depth=2)") && text.contains("star1(depth=1)"),
        "{text}"
    );
    // Counted: positions, and the mean square difference from the result.
    let counts = info::info(&open(&[&at("b")])).unwrap().labels;
    let mut sum = 0.0;
    for game in &b {
        for (ply, position) in game
            .record
            .positions(&Standard::default())
            .take(game.record.plies.len())
            .enumerate()
        {
            sum += f64::from(b_value(game, ply) - game.record.payoffs[position.seat()]).powi(2);
        }
    }
    assert_eq!(
        (counts[0].name.as_str(), counts[0].positions),
        ("deep", plies(&b))
    );
    assert!((counts[0].error.unwrap() - sum / plies(&b) as f64).abs() < 1e-9);
}

fn b_value(game: &PlayedGame, ply: usize) -> f32 {
    game.label(0, ply).unwrap()
}

#[test]
fn a_filter_takes_labels_by_their_positions() {
    let rules = Standard::new(shard::variant_named("classic").unwrap(), Die::fair());
    let labelled = SelfPlayConfig {
        labels: vec![asked("deep", "star1(depth=1)")],
        ..config(&MIXED, 40)
    };
    let filters = [
        Filter {
            stones: (9, 12),
            ..Filter::default()
        },
        Filter {
            plies: (0, 3),
            ..Filter::default()
        },
        Filter {
            explored: Some(false),
            ..Filter::default()
        },
        Filter {
            disagreement: 0.5,
            ..Filter::default()
        },
    ];
    for (which, filter) in filters.iter().enumerate() {
        for game in play(&labelled) {
            let mut filtered = game.clone();
            filter.apply(&mut filtered);
            for (ply, position) in game
                .record
                .positions(&rules)
                .take(game.record.plies.len())
                .enumerate()
            {
                let won = game.record.payoffs[position.seat()] > 0.5;
                let keeps = match which {
                    0 => position.stones() >= 9,
                    1 => ply <= 3,
                    2 => ply == 0 || !game.record.plies[ply - 1].explored,
                    _ => game
                        .label(0, ply)
                        .is_some_and(|value| if won { value >= 0.5 } else { value <= 0.5 }),
                };
                assert_eq!(filtered.label(0, ply), game.label(0, ply).filter(|_| keeps));
            }
        }
    }
}
