//! Export and import of JSON lines and Parquet.

use crate::data_operations::{games, open};
use crate::{
    MIXED_PLAYERS, assert_refused, config, content, label_config, one_line, run, scratch_paths,
};
use alea_core::game::Payoffs;
use alea_play::{playable::Playable, rules::Rules};
use engine::games::{backgammon::Backgammon, einstein::Standard, reversi::Reversi};
use indicatif::ProgressBar;
use std::{fs, path::Path};
use trainer::data::{
    BadGames, ShardReader,
    derived_sets::{self, SplitPart},
    hf_dataset::{self, DatasetLayout},
    json_lines, parquet, transcripts,
};
use trainer::selfplay::{Limits, SelfPlay, SelfPlayConfig};

fn config_with_labels() -> SelfPlayConfig {
    SelfPlayConfig {
        labels: vec![
            label_config("deep", "star1(depth=1)"),
            label_config("exact", "tables(stones=3)"),
        ],
        ..config(&MIXED_PLAYERS, 60)
    }
}

#[test]
fn exports_round_trip_to_the_last_bit() {
    for settings in [
        config(&MIXED_PLAYERS, 60),
        config_with_labels(),
        config(&["random"], 4100),
    ] {
        let at = scratch_paths();
        run(&settings, &at("a")).unwrap();
        let source = open(&[&at("a")]);
        assert_eq!(
            json_lines::export(&source, &at("a.jsonl")).unwrap(),
            settings.games
        );
        assert_eq!(
            parquet::export(&source, &at("a.parquet")).unwrap(),
            settings.games
        );
        json_lines::import::<Standard>(&at("a.jsonl"), &at("b"), BadGames::Refuse).unwrap();
        parquet::import::<Standard>(&at("a.parquet"), &at("c"), None, BadGames::Refuse).unwrap();
        assert!(content(&at("b")) == content(&at("a")));
        assert!(content(&at("c")) == content(&at("a")));
    }
}

#[test]
fn a_data_set_has_the_games_of_a_split() {
    let at = scratch_paths();
    run(&config_with_labels(), &at("a")).unwrap();
    let part = |name: &str, weight| SplitPart {
        name: name.to_owned(),
        weight,
    };
    let layout = |parts: &[SplitPart]| DatasetLayout {
        parts: parts.to_vec(),
        seed: 5,
        file_positions: 200,
    };
    let parts = layout(&[part("train", 0.8), part("test", 0.2)]);
    let source = open(&[&at("a")]);
    let written = hf_dataset::export(&source, &at("set"), &parts).unwrap();
    let split = derived_sets::split(&source, &at("split"), &parts.parts, 5).unwrap();
    for (part, split) in written.iter().zip(&split) {
        let of_file = |file| {
            let (index, count) = (part.directory.display(), part.shards);
            let name = format!("{index}-{file:05}-of-{count:05}.parquet");
            let records = at(&format!("records-{}-{file}", part.games));
            parquet::import::<Standard>(Path::new(&name), &records, None, BadGames::Refuse)
                .unwrap();
            games(&[&records])
        };
        let all: Vec<_> = (0..part.shards).flat_map(of_file).collect();
        assert!(all == games(&[&split.directory]));
    }
    assert!(written[0].shards > 2, "{written:?}");
    hf_dataset::export(&source, &at("again"), &parts).unwrap();
    assert!(content(&at("again/data")) == content(&at("set/data")));
    assert_eq!(
        fs::read(at("again/README.md")).unwrap(),
        fs::read(at("set/README.md")).unwrap()
    );
    for (wrong, problem) in [
        (part("a-b", 1.0), "letters, digits and '_'"),
        (part("b", 1e-9), "'b' would have no game"),
    ] {
        let error = hf_dataset::export(&source, &at("no"), &layout(&[part("a", 1.0), wrong]));
        assert!(error.unwrap_err().to_string().contains(problem) && !at("no").exists());
    }
}

#[test]
fn wrong_lines_are_reported_and_nothing_is_written() {
    let at = scratch_paths();
    run(&config_with_labels(), &at("a")).unwrap();
    json_lines::export(&open(&[&at("a")]), &at("a.jsonl")).unwrap();
    let text = std::fs::read_to_string(at("a.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let players = &lines[4][..lines[4].find("\"start\"").unwrap()];
    let cases = [
        (1, "alea-games-2", "alea-games-1", "'format'"),
        (
            1,
            "\"name\":\"exact\"",
            "\"name\":\"deep\"",
            "'deep' is there twice",
        ),
        (1, lines[0], "{}", "heading"),
        (5, "\"outcome\":", "\"outcome\":7,\"dice\":", "dice"),
        (5, "\"payoffs\":[", "\"payoffs\":[0.5,", "the payoffs"),
        (
            5,
            "\"payoffs\":[",
            "\"ending\":\"resigned\",\"payoffs\":[",
            "its moves end it by the rules",
        ),
        (
            5,
            "\"payoffs\":[",
            "\"ending\":\"lost\",\"payoffs\":[",
            "unknown variant",
        ),
        (5, players, "{\"players\":[9,0],", "has a player"),
        (
            5,
            "{\"deep\":",
            "{\"deeper\":",
            "label that the first line does not name",
        ),
        (5, "{\"deep\":", "{\"deep\":1", "no probability"),
        (5, lines[4], "not JSON", "expected"),
    ];
    for (line, from, to, expected) in cases {
        let replaced = lines[line - 1].replacen(from, to, 1);
        assert_ne!(replaced, lines[line - 1], "{expected}");
        let mut changed = lines.clone();
        changed[line - 1] = &replaced;
        std::fs::write(at("bad.jsonl"), changed.join("\n")).unwrap();
        let text = assert_refused(
            json_lines::import::<Standard>(&at("bad.jsonl"), &at("c"), BadGames::Refuse),
            &at("bad.jsonl"),
            &format!("line {line}"),
        );
        assert!(text.contains(expected), "{text}");
        assert!(!at("c").exists());
    }
}

#[test]
fn a_parquet_file_of_something_else_or_damaged_is_refused() {
    let at = scratch_paths();
    run(&config(&MIXED_PLAYERS, 5), &at("a")).unwrap();
    parquet::export(&open(&[&at("a")]), &at("a.parquet")).unwrap();
    let assert_refused = |path: &Path, expected| {
        assert_refused(
            parquet::import::<Standard>(path, &at("c"), None, BadGames::Refuse),
            path,
            expected,
        )
    };
    assert_refused(&at("missing.parquet"), "");
    let bytes = std::fs::read(at("a.parquet")).unwrap();
    for (expected, bytes) in [
        ("", b"# Notes\n".to_vec()),
        ("", bytes[..bytes.len() / 2].to_vec()),
        ("", bytes[..bytes.len() - 1].to_vec()),
        ("", Vec::new()),
        (
            "a dictionary claims more values than it has bytes",
            include_bytes!("../../../fuzz/found/parquet/dictionary").to_vec(),
        ),
        (
            "column",
            include_bytes!("../../../fuzz/found/parquet/endless").to_vec(),
        ),
    ] {
        std::fs::write(at("bad.parquet"), bytes).unwrap();
        assert_refused(&at("bad.parquet"), expected);
        assert!(!at("c").exists());
    }
    // Some changed metadata bytes make the crate `parquet` panic.
    let metadata = (bytes.len() * 2 / 3..bytes.len() * 5 / 6).map(|index| (index, 1));
    let anywhere = (0..bytes.len()).step_by(7).map(|index| (index, 0x20));
    for (index, change) in anywhere.chain(metadata) {
        let mut flipped = bytes.clone();
        flipped[index] ^= change;
        std::fs::write(at("bad.parquet"), flipped).unwrap();
        match parquet::import::<Standard>(&at("bad.parquet"), &at("c"), None, BadGames::Refuse) {
            Ok(_) => std::fs::remove_dir_all(at("c")).unwrap(),
            Err(error) => drop(one_line(&error, &at("bad.parquet"))),
        }
        assert!(!at("c").exists());
    }
}

/// Reads files that pandas, DuckDB, Polars and pyarrow wrote (`.ci/dataset`).
#[test]
fn rewritten_tables_are_imported_by_given_rules() {
    let at = scratch_paths();
    let file = |name: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records/parquet");
        folder.join(name).with_extension("parquet")
    };
    let rules = Standard::default();
    let import =
        |name: &str| parquet::import(&file(name), &at(name), Some(&rules), BadGames::Refuse);
    import("plain").unwrap();
    let plain = games(&[&at("plain")]);
    assert!(
        plain
            .iter()
            .all(|game| !game.times.is_empty() && !game.labels.is_empty())
    );
    for name in [
        "polars_zstd",
        "duckdb_zstd_v2",
        "pandas_float64_gzip",
        "pyarrow_strings",
    ] {
        let written = import(name).unwrap();
        assert_eq!(
            (written.games, written.positions, written.values),
            (2, 42, 42)
        );
        assert!(games(&[&at(name)]) == plain, "{name}");
        let source = open(&[&at(name)]);
        assert_eq!(source.players, ["unknown 0", "unknown 1"]);
        let unnamed = parquet::import::<Standard>(&file(name), &at("c"), None, BadGames::Refuse);
        assert_refused(unnamed, &file(name), "its metadata have no key 'alea'");
    }
    for (name, expected) in [
        (
            "refused_lz4",
            "compressed by LZ4_RAW: write it uncompressed, or by",
        ),
        ("refused_decimal", "column 'outcome' has decimals"),
        ("refused_fraction", "column 'outcome': 1.5 is no integer"),
        ("refused_player", "there is no player 300"),
        (
            "refused_text",
            "column 'game' is of type BYTE_ARRAY, not of numbers",
        ),
    ] {
        let problem = assert_refused(import(name), &file(name), expected);
        assert!(
            problem.contains(expected) && !at(name).exists(),
            "{problem}"
        );
    }
    let other = parquet::import(
        &file("polars_zstd"),
        &at("c"),
        Some(&Reversi::EIGHT),
        BadGames::Refuse,
    );
    assert_refused(other, &file("polars_zstd"), "there is no column 'player_X'");
    let bytes = fs::read(file("duckdb_zstd_v2")).unwrap();
    for index in (0..bytes.len()).step_by(5) {
        let mut flipped = bytes.clone();
        flipped[index] ^= 0x20;
        fs::write(at("bad.parquet"), flipped).unwrap();
        match parquet::import(&at("bad.parquet"), &at("c"), Some(&rules), BadGames::Refuse) {
            Ok(_) => fs::remove_dir_all(at("c")).unwrap(),
            Err(error) => drop(one_line(&error, &at("bad.parquet"))),
        }
    }
}

#[test]
fn einstein_transcripts_round_trip_with_rolls() {
    let at = scratch_paths();
    run(&config(&["random"], 20), &at("a")).unwrap();
    let [sgf] = Standard::registry().transcripts else {
        panic!("one form")
    };
    transcripts::export(&open(&[&at("a")]), sgf, &at("a.sgf")).unwrap();
    let rules = Standard::default();
    transcripts::import(&rules, sgf, &at("a.sgf"), &at("b"), BadGames::Refuse).unwrap();
    let plies = |name: &str| -> Vec<Vec<_>> {
        let games = games(&[&at(name)]).into_iter();
        let plies = games.map(|game| game.record.plies);
        plies
            .map(|plies| plies.iter().map(|ply| (ply.outcome, ply.mv)).collect())
            .collect()
    };
    assert_eq!(plies("b"), plies("a"));
    assert_eq!(open(&[&at("b")]).players, ["random"]);
    for (text, expected) in [
        (
            "(;GN[reversi]C[x])",
            "GN[reversi] is another game than einstein",
        ),
        ("(;FF[4];W[a])", "there is no C[…]"),
        (
            "(;C[215../64.../3...e/...fb/..acd b -];B[c1b2]DI[6])",
            "it is not permitted with a 6",
        ),
        (
            "(;C[215../64.../3...e/...fb/..acd b -];W[c1b2]DI[1])",
            "it is the other side's turn",
        ),
    ] {
        fs::write(at("bad.sgf"), text).unwrap();
        let read = transcripts::import(&rules, sgf, &at("bad.sgf"), &at("c"), BadGames::Refuse);
        assert_refused(read, &at("bad.sgf"), expected);
    }
}

#[test]
fn large_archives_keep_the_frequent_players() {
    let at = scratch_paths();
    // Latin-1, which some archives use.
    let game = |number: u32| {
        let name = ["ren\u{e9}".to_owned(), format!("p{number}")]
            [usize::from(!number.is_multiple_of(3))]
        .clone();
        format!(
            "[Black \"{name}\"]\n[White \"q{number}\"]\n\n1. e6 f4 2. e3 f6 3. g5 d6 4. e7 f5 5. c5\n\n"
        )
    };
    let text: String = (0..300).map(game).collect();
    let bytes: Vec<u8> = text.chars().map(|sign| sign as u8).collect();
    fs::write(at("a.pgn"), bytes).unwrap();
    let pgn = Reversi::registry()
        .transcripts
        .iter()
        .find(|form| form.name == "pgn");
    let rules = Reversi::EIGHT;
    let import = |to: &str| {
        transcripts::import(
            &rules,
            pgn.unwrap(),
            &at("a.pgn"),
            &at(to),
            BadGames::Refuse,
        )
    };
    assert_eq!(import("a").unwrap().games, 300);
    let source = ShardReader::<Reversi>::open(&[at("a")]).unwrap();
    assert_eq!(source.players.len(), 254);
    for name in ["ren\u{e9}", "others", "q0", "p1"] {
        assert!(source.players.iter().any(|player| player == name), "{name}");
    }
    import("b").unwrap();
    assert!(content(&at("a")) == content(&at("b")));
}

#[test]
fn reversi_transcripts_round_trip() {
    let at = scratch_paths();
    let game = Reversi::SIX;
    let mut settings = SelfPlayConfig::for_game(&game);
    settings.games = 20;
    settings.players.truncate(1);
    settings.players[0].player = "star1(depth=1)".to_owned();
    let played = SelfPlay::<Reversi>::new(settings).unwrap();
    let progress = ProgressBar::hidden();
    played.run(&at("a"), &Limits::default(), &progress).unwrap();
    let open = |name: &str| ShardReader::<Reversi>::open(&[at(name)]).unwrap();
    let moves = |source: &ShardReader<Reversi>| -> Vec<Vec<_>> {
        let games = source.read_games(0, 20).unwrap();
        let moves = games.iter().map(|game| &game.record.plies);
        moves
            .map(|plies| plies.iter().map(|ply| ply.mv).collect())
            .collect()
    };
    let source = open("a");
    for (form, players) in Reversi::registry()
        .transcripts
        .iter()
        .zip(["star1(depth=1)", "unknown"])
    {
        let file = at("games").with_extension(form.name);
        assert_eq!(transcripts::export(&source, form, &file).unwrap(), 20);
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 20);
        let written =
            transcripts::import(&game, form, &file, &at(form.name), BadGames::Refuse).unwrap();
        assert_eq!((written.games, written.values), (20, 0));
        let again = open(form.name);
        assert_eq!(again.rules, game);
        assert_eq!(again.players, [players]);
        assert_eq!(moves(&again), moves(&source), "{}", form.name);
    }
    for (text, expected) in [
        ("f5f5\nf5d6\n", "game 0: character 3: "),
        ("f5d6\n", "game 0: it stops without a result; --skip-bad"),
        ("", "it would have no game"),
    ] {
        fs::write(at("bad"), text).unwrap();
        let form = &Reversi::registry().transcripts[0];
        let read = transcripts::import(
            &Reversi::EIGHT,
            form,
            &at("bad"),
            &at("b"),
            BadGames::Refuse,
        );
        assert_refused(read, Path::new(""), expected);
        assert!(!at("b").exists());
    }
}

/// Imports a text, and returns the first seat's points in each game, which other formats and the
/// text itself have again.
fn imported_points<G: Playable>(game: &G, form: &str, text: &str) -> Vec<f64> {
    let at = scratch_paths();
    fs::write(at("text"), text).unwrap();
    let mut forms = G::registry().transcripts.iter();
    let form = forms.find(|one| one.name == form).unwrap();
    let read = |path: &Path, set: &Path| {
        transcripts::import(game, form, path, set, BadGames::Refuse).unwrap();
        ShardReader::<G>::open(&[set.to_owned()]).unwrap()
    };
    let source = read(&at("text"), &at("set"));
    transcripts::export(&source, form, &at("again")).unwrap();
    json_lines::export(&source, &at("lines.jsonl")).unwrap();
    json_lines::import::<G>(&at("lines.jsonl"), &at("lines"), BadGames::Refuse).unwrap();
    let lines = ShardReader::<G>::open(&[at("lines")]).unwrap();
    let games = |source: &ShardReader<G>| source.read_games(0, source.games).unwrap();
    assert!(games(&source) == games(&read(&at("again"), &at("text-again"))));
    assert!(games(&source) == games(&lines));
    let points = game.points().unwrap();
    let first = |payoffs: Payoffs| points.final_points(payoffs[0].into());
    (games(&source).iter())
        .map(|game| first(game.record.payoffs))
        .collect()
}

#[test]
fn resigned_games_keep_their_stated_points() {
    let game = |end: &str| format!("Game 1\n a : 0  b : 0\n 1) 31: 8/5 6/5\n{end}\n");
    let second = " ".repeat(38);
    let ends = [
        "  Wins 1 point".to_owned(),
        "  Wins 2 points".to_owned(),
        format!("{second}Wins 3 points"),
        format!("{second}Resigns"),
    ];
    let text: String = ends.iter().map(|end| game(end)).collect();
    let points = imported_points(&Backgammon, "mat", &text);
    assert_eq!(points, [1.0, 2.0, -3.0, 1.0]);
    let rules = Reversi::from_notation("reversi(score=discs)", None).unwrap();
    let game = |result: &str| format!("(;GM[Othello]RE[{result}]B[f5]W[d6];)\n");
    let text: String = ["+64.00:r", "-12:t", "+4:s", "0:s"].map(game).concat();
    let points = imported_points(&rules, "ggf", &text);
    assert_eq!(points, [64.0, -12.0, 4.0, 0.0]);
}
