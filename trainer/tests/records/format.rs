//! The file format: exact round trips, and what damaged, foreign and wrong files are answered with.

use crate::{MIXED, config, header_of, one_line, play};
use engine::game::Game;
use engine::games::einstein::Standard;
use proptest::prelude::*;
use std::path::Path;
use std::sync::LazyLock;
use trainer::shard::{self, PlayedGame, ShardError, ShardHeader};
use xxhash_rust::xxh3::xxh3_64;

fn small() -> (ShardHeader, Vec<PlayedGame>) {
    let config = config(&MIXED, 40);
    (header_of(&config, 40), play(&config))
}

static SMALL: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let (header, games) = small();
    shard::encode(Path::new("small.games"), &header, &games).unwrap()
});

/// The bytes with a checksum that fits again, as a malicious writer would leave them.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len().saturating_sub(8));
    let checksum = xxh3_64(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

/// A shard of this header and these raw bytes in place of the games.
fn raw(header: &str, games: &[u8]) -> Vec<u8> {
    let length = u32::try_from(header.len()).unwrap().to_le_bytes();
    sealed([&b"ALEAGAME\x01\0\0\0"[..], &length, header.as_bytes(), games, &[0; 8]].concat())
}

#[test]
fn what_is_written_is_read_exactly() {
    let (header, games) = small();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("000000.games");
    shard::write(&path, &header, &games).unwrap();
    let (read_header, read_games) = shard::read(&path).unwrap();
    assert_eq!(read_header, header);
    assert_eq!(read_games, games);
    let bits = |games: &[PlayedGame]| -> Vec<Option<u32>> {
        games.iter().flat_map(|game| game.record.plies.iter().map(|ply| ply.value.map(f32::to_bits))).collect()
    };
    assert_eq!(bits(&read_games), bits(&games));
    assert_eq!(std::fs::read(&path).unwrap(), *SMALL);
}

#[test]
fn both_variants_are_replayed_by_their_own_rules() {
    let nearest = crate::play(&trainer::selfplay::SelfPlayConfig { variant: "nearest".to_owned(), ..config(&["random"], 50) });
    let classic = play(&config(&["random"], 50));
    let path = Path::new("x.games");
    let header = |variant: &str| ShardHeader { variant: variant.to_owned(), ..header_of(&config(&["random"], 50), 50) };
    assert!(shard::encode(path, &header("nearest"), &nearest).is_ok());
    // Every move of the stricter variant is one of the classic rules; not the other way round.
    assert!(shard::encode(path, &header("classic"), &nearest).is_ok());
    assert!(matches!(shard::encode(path, &header("nearest"), &classic), Err(ShardError::Encode { .. })));
}

#[test]
fn a_shard_by_hand_is_read() {
    // Red's stone 1 on d2 (square 18 of its own), to move; Blue's stone 1 on a4 (square 19 of its own). A 3 is
    // rolled, and Red steps diagonally onto its goal.
    let side = |square: u64| (1..6).fold(square, |lanes, stone| lanes | 31 << (5 * stone));
    let start: u64 = side(18) | side(19) << 30;
    let mut games = vec![253];
    games.extend_from_slice(&start.to_le_bytes());
    games.extend_from_slice(&[1, 0, 0, 1, 3, 0, 1, 1]);
    games.extend_from_slice(&0.75f32.to_le_bytes());
    let header = r#"{"run":{"seed":5},"players":["random","greedy"],"variant":"classic","first_game":4096,"games":1}"#;
    let (header, games) = shard::decode(Path::new("hand.games"), &raw(header, &games)).unwrap();
    assert_eq!((header.first_game, header.games, header.run["seed"].as_u64()), (4096, 1, Some(5)));
    let game = &games[0];
    let rules = Standard::default();
    assert_eq!(rules.format_position(&game.record.start, None), "...../a..../...../...1./..... r -");
    assert_eq!((game.players, game.record.payoffs[..2].to_vec(), game.record.plies.len()), ([1, 0], vec![1.0, 0.0], 1));
    let ply = game.record.plies[0];
    assert_eq!(rules.format_move(&game.record.start, ply.mv), "d2e1");
    assert_eq!((ply.outcome, ply.value, ply.explored), (3, Some(0.75), true));
}

#[test]
fn games_against_the_rules_are_refused() {
    let side = |square: u64| (1..6).fold(square, |lanes, stone| lanes | 31 << (5 * stone));
    let header = r#"{"run":{},"players":["random"],"variant":"classic","first_game":0,"games":1}"#;
    let game = |start: u64, rest: &[u8]| raw(header, &[&[253][..], &start.to_le_bytes(), rest].concat());
    let good: u64 = side(18) | side(19) << 30;
    assert!(shard::decode(Path::new("x"), &game(good, &[0, 0, 0, 1, 3, 0, 0, 0])).is_ok());
    let nan = f32::NAN.to_le_bytes();
    let cases: [(&str, u64, &[u8]); 12] = [
        ("names a player", good, &[1, 0, 0, 1, 3, 0, 0, 0]),
        ("start is no position", good | 1 << 61, &[0, 0, 0, 1, 3, 0, 0, 0]),
        ("start is no position", side(18) | side(6) << 30, &[0, 0, 0, 1, 3, 0, 0, 0]),
        ("winner is another", good, &[0, 0, 1, 1, 3, 0, 0, 0]),
        ("winner is another", good, &[0, 0, 2, 1, 3, 0, 0, 0]),
        ("no face", good, &[0, 0, 0, 1, 7, 0, 0, 0]),
        ("does not permit", good, &[0, 0, 0, 1, 3, 3, 0, 0]),
        ("does not permit", good, &[0, 0, 0, 1, 3, 18, 0, 0]),
        ("bytes are no game", good, &[0, 0, 0, 1, 3, 0, 2, 0]),
        ("no end", good, &[0, 0, 0, 0]),
        ("over before", good, &[0, 0, 0, 2, 3, 0, 0, 0, 1, 0, 0, 0]),
        ("no probability", good, &[&[0, 0, 0, 1, 3, 0, 0, 1][..], &nan].concat()),
    ];
    for (expected, start, rest) in cases {
        let path = Path::new("wrong.games");
        let text = one_line(&shard::decode(path, &game(start, rest)).unwrap_err(), path);
        assert!(text.contains(expected) && text.contains("game 0"), "{text}: expected {expected}");
    }
}

#[test]
fn what_could_not_be_read_is_not_written() {
    let (header, games) = small();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.games");
    let mut cases = vec![(ShardHeader { games: 41, ..header.clone() }, games.clone())];
    cases.push((ShardHeader { variant: "other".to_owned(), ..header.clone() }, games.clone()));
    cases.push((ShardHeader { players: vec![], ..header.clone() }, games.clone()));
    let mut with_value = games.clone();
    with_value[3].record.plies[0].value = Some(1.5);
    cases.push((header.clone(), with_value));
    let mut cut = games.clone();
    cut[5].record.plies.pop();
    cases.push((header.clone(), cut));
    let mut drawn = games;
    drawn[0].record.payoffs = [0.5; 8];
    cases.push((header, drawn));
    for (header, games) in cases {
        one_line(&shard::write(&path, &header, &games).unwrap_err(), &path);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}

#[test]
fn every_bad_file_gives_one_line_that_names_it() {
    let directory = tempfile::tempdir().unwrap();
    let mut flipped = SMALL.clone();
    flipped[SMALL.len() / 2] ^= 4;
    let mut version = SMALL.clone();
    version[8] = 9;
    let longer = [&SMALL[..], &[0]].concat();
    let mut header_length = SMALL.clone();
    header_length[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut not_utf8 = SMALL.clone();
    not_utf8[20] = 0xFF;
    let header =
        |games: u64, first: u64| format!(r#"{{"run":{{}},"players":["random"],"variant":"classic","first_game":{first},"games":{games}}}"#);
    let cases: [(&str, Vec<u8>); 13] = [
        ("not a file of game records", Vec::new()),
        ("not a file of game records", b"# Notes\n".to_vec()),
        ("truncated or damaged", b"ALEAGAME".to_vec()),
        ("truncated or damaged", SMALL[..SMALL.len() / 2].to_vec()),
        ("checksum", SMALL[..SMALL.len() - 1].to_vec()),
        ("checksum", flipped),
        ("checksum", longer),
        ("version 9", version),
        ("header is cut", sealed(header_length)),
        ("header", sealed(not_utf8)),
        ("bytes are no game", raw(&header(u64::MAX, 0), &[])),
        ("beyond 64 bits", raw(&header(1, u64::MAX), &[])),
        ("bytes follow", raw(&header(0, 0), &[1, 2, 3])),
    ];
    for (number, (expected, bytes)) in cases.into_iter().enumerate() {
        let path = directory.path().join(format!("{number}.games"));
        std::fs::write(&path, bytes).unwrap();
        let text = one_line(&shard::read(&path).unwrap_err(), &path);
        assert!(text.contains(expected), "{text}: expected {expected}");
    }
    let missing = directory.path().join("missing.games");
    one_line(&shard::read(&missing).unwrap_err(), &missing);
    let folder = directory.path().join("folder.games");
    std::fs::create_dir(&folder).unwrap();
    one_line(&shard::read(&folder).unwrap_err(), &folder);
}

#[test]
fn a_list_of_games_longer_than_the_file_claims_no_memory() {
    // A game with 2^62 plies, of which none is there.
    let header = r#"{"run":{},"players":["random"],"variant":"classic","first_game":0,"games":1}"#;
    let plies = [&[253][..], &(1u64 << 62).to_le_bytes()].concat();
    let bytes = raw(header, &[&[0, 0, 0, 0][..], &plies].concat());
    assert!(matches!(shard::decode(Path::new("x"), &bytes), Err(ShardError::Game { game: 0, .. })));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn a_changed_file_is_never_valid(changes in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..4)) {
        let mut bytes = SMALL.clone();
        for (place, change) in &changes {
            let place = place.index(bytes.len());
            bytes[place] ^= change;
        }
        prop_assume!(bytes != *SMALL);
        let error = shard::decode(Path::new("x.games"), &bytes).unwrap_err().to_string();
        prop_assert!(error.starts_with("x.games: ") && !error.contains('\n'), "{}", error);
    }

    #[test]
    fn a_cut_file_is_never_valid(length in any::<prop::sample::Index>()) {
        prop_assert!(shard::decode(Path::new("x.games"), &SMALL[..length.index(SMALL.len())]).is_err());
    }

    /// With the checksum made to fit, only the rules protect; whatever passes them is a whole shard again.
    #[test]
    fn a_forged_file_is_refused_or_holds_legal_games(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..3)) {
        let mut bytes = SMALL.clone();
        for (place, byte) in &changes {
            let place = place.index(bytes.len() - 12) + 12;
            bytes[place] = *byte;
        }
        if let Ok((header, games)) = shard::decode(Path::new("x.games"), &sealed(bytes)) {
            let rules = Standard::default();
            for game in &games {
                let last = game.record.positions(&rules).last().unwrap();
                prop_assert_eq!(rules.payoffs(&last), Some(game.record.payoffs));
            }
            prop_assert_eq!(header.games, games.len() as u64);
        }
    }
}
