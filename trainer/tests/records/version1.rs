//! Version 1, which is read but no longer written: a shard by hand, games against the rules, and
//! the sample that was committed while it was the version in use.

use crate::format::sealed;
use crate::one_line;
use engine::games::einstein::Standard;
use std::path::Path;
use trainer::shard::{self, PlayedGame, ShardError};

/// A shard of this header and these raw bytes in place of the games.
fn raw(header: &str, games: &[u8]) -> Vec<u8> {
    let length = u32::try_from(header.len()).unwrap().to_le_bytes();
    sealed(
        [
            &b"ALEAGAME\x01\0\0\0"[..],
            &length,
            header.as_bytes(),
            games,
            &[0; 8],
        ]
        .concat(),
    )
}

#[test]
fn a_shard_by_hand_is_read() {
    // Red's stone 1 on d2 (square 18 of its own), to move; Blue's stone 1 on a4 (square 19 of its
    // own). A 3 is rolled, and Red steps diagonally onto its goal.
    let side = |square: u64| (1..6).fold(square, |lanes, stone| lanes | 31 << (5 * stone));
    let start: u64 = side(18) | side(19) << 30;
    let mut games = vec![253];
    games.extend_from_slice(&start.to_le_bytes());
    games.extend_from_slice(&[1, 0, 0, 1, 3, 0, 1, 1]);
    games.extend_from_slice(&0.75f32.to_le_bytes());
    let header = r#"{"run":{"seed":5},"players":["random","greedy"],"variant":"classic","first_game":4096,"games":1}"#;
    let (header, games) = shard::decode(Path::new("hand.games"), &raw(header, &games)).unwrap();
    assert_eq!(
        (header.first_game, header.games, header.run["seed"].as_u64()),
        (4096, 1, Some(5))
    );
    let game = &games[0];
    let rules = Standard::default();
    assert_eq!(
        rules.format_position(&game.record.start, None),
        "...../a..../...../...1./..... r -"
    );
    assert_eq!(
        (
            game.players,
            game.record.payoffs[..2].to_vec(),
            game.record.plies.len()
        ),
        ([1, 0], vec![1.0, 0.0], 1)
    );
    let ply = game.record.plies[0];
    assert_eq!(rules.format_move(&game.record.start, ply.mv), "d2e1");
    assert_eq!(
        (ply.outcome, ply.value, ply.explored),
        (3, Some(0.75), true)
    );
}

#[test]
fn games_against_the_rules_are_refused() {
    let side = |square: u64| (1..6).fold(square, |lanes, stone| lanes | 31 << (5 * stone));
    let header = r#"{"run":{},"players":["random"],"variant":"classic","first_game":0,"games":1}"#;
    let game =
        |start: u64, rest: &[u8]| raw(header, &[&[253][..], &start.to_le_bytes(), rest].concat());
    let good: u64 = side(18) | side(19) << 30;
    assert!(shard::decode(Path::new("x"), &game(good, &[0, 0, 0, 1, 3, 0, 0, 0])).is_ok());
    let nan = f32::NAN.to_le_bytes();
    let cases: [(&str, u64, &[u8]); 12] = [
        ("names a player", good, &[1, 0, 0, 1, 3, 0, 0, 0]),
        (
            "start is no position",
            good | 1 << 61,
            &[0, 0, 0, 1, 3, 0, 0, 0],
        ),
        (
            "start is no position",
            side(18) | side(6) << 30,
            &[0, 0, 0, 1, 3, 0, 0, 0],
        ),
        ("winner is another", good, &[0, 0, 1, 1, 3, 0, 0, 0]),
        ("winner is another", good, &[0, 0, 2, 1, 3, 0, 0, 0]),
        ("no face", good, &[0, 0, 0, 1, 7, 0, 0, 0]),
        ("does not permit", good, &[0, 0, 0, 1, 3, 3, 0, 0]),
        ("does not permit", good, &[0, 0, 0, 1, 3, 18, 0, 0]),
        ("bytes are no game", good, &[0, 0, 0, 1, 3, 0, 2, 0]),
        ("no end", good, &[0, 0, 0, 0]),
        ("over before", good, &[0, 0, 0, 2, 3, 0, 0, 0, 1, 0, 0, 0]),
        (
            "no probability",
            good,
            &[&[0, 0, 0, 1, 3, 0, 0, 1][..], &nan].concat(),
        ),
    ];
    for (expected, start, rest) in cases {
        let path = Path::new("wrong.games");
        let text = one_line(&shard::decode(path, &game(start, rest)).unwrap_err(), path);
        assert!(
            text.contains(expected) && text.contains("game 0"),
            "{text}: expected {expected}"
        );
    }
}

#[test]
fn a_list_of_games_longer_than_the_file_claims_no_memory() {
    // A game with 2^62 plies, of which none is there.
    let header = r#"{"run":{},"players":["random"],"variant":"classic","first_game":0,"games":1}"#;
    let plies = [&[253][..], &(1u64 << 62).to_le_bytes()].concat();
    let bytes = raw(header, &[&[0, 0, 0, 0][..], &plies].concat());
    assert!(matches!(
        shard::decode(Path::new("x"), &bytes),
        Err(ShardError::Game { game: 0, .. })
    ));
}

#[test]
fn a_damaged_file_is_refused() {
    let bytes = std::fs::read(SAMPLE).unwrap();
    for place in (0..bytes.len()).step_by(97) {
        let mut changed = bytes.clone();
        changed[place] ^= 0x10;
        assert!(shard::decode(Path::new("x"), &changed).is_err(), "{place}");
    }
    let header = |games: u64, first: u64| {
        format!(
            r#"{{"run":{{}},"players":["random"],"variant":"classic","first_game":{first},"games":{games}}}"#
        )
    };
    let cases = [
        ("bytes are no game", raw(&header(u64::MAX, 0), &[])),
        ("beyond 64 bits", raw(&header(1, u64::MAX), &[])),
        ("bytes follow", raw(&header(0, 0), &[1, 2, 3])),
        ("checksum", bytes[..bytes.len() - 1].to_vec()),
    ];
    for (expected, bytes) in cases {
        let path = Path::new("wrong.games");
        let text = one_line(&shard::decode(path, &bytes).unwrap_err(), path);
        assert!(text.contains(expected), "{text}: expected {expected}");
    }
}

#[test]
fn the_old_sample_is_the_new_one_but_for_rounding() {
    let (old_header, old) = shard::read(Path::new(SAMPLE)).unwrap();
    let (header, new) = shard::read(Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../data/sample/000000.games"
    )))
    .unwrap();
    assert_eq!(
        (&old_header.players, &old_header.variant, old_header.games),
        (&header.players, &header.variant, header.games)
    );
    let step = 1.0 / f64::from(shard::VALUE_STEPS);
    let bare = |game: &PlayedGame| {
        let mut game = game.clone();
        game.record
            .plies
            .iter_mut()
            .for_each(|ply| ply.value = None);
        game
    };
    let values = |game: &PlayedGame| -> Vec<Option<f32>> {
        game.record.plies.iter().map(|ply| ply.value).collect()
    };
    for (old, new) in old.iter().zip(&new) {
        assert_eq!(bare(old), bare(new));
        for (old, new) in values(old).into_iter().zip(values(new)) {
            assert_eq!(old.is_some(), new.is_some());
            let difference = f64::from(old.unwrap_or(0.0)) - f64::from(new.unwrap_or(0.0));
            assert!(difference.abs() <= 0.5 * step + 1e-7, "{old:?} {new:?}");
        }
    }
}

/// As it was written by version 0.1.0.
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/records/version1.games");
