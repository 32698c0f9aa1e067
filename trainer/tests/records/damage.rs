//! What damaged, foreign and forged files are answered with: one line that names the file, and the
//! game if it is one.

use crate::format::{SMALL, by_hand, header, label, sealed, small};
use crate::{PlayedGame, decode, one_line, read, refused, scratch};
use engine::core::game::Game;
use engine::games::einstein::Standard;
use proptest::prelude::*;
use std::path::Path;
use trainer::shard::{self, ShardHeader};

/// The lengths of the games, from the index: their number, then a byte each as long as none is long.
fn lengths(bytes: &[u8], games: usize) -> Vec<usize> {
    let text = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let index = &bytes[20 + text..][..1 + games];
    assert!(usize::from(index[0]) == games && index.iter().all(|&length| length <= 250));
    index[1..].iter().map(|&length| length.into()).collect()
}

#[test]
fn any_flipped_byte_is_found_and_its_game_named() {
    let (header, games) = small();
    let few = ShardHeader { games: 8, ..header };
    every_flip_is_found(&few, &games[..8]);
    // Two labels, one of some games, one of their last plies.
    let labelled = ShardHeader {
        labels: vec![
            label("deep", "star1(depth=1)"),
            label("exact", "tables(stones=3)"),
        ],
        ..few
    };
    let games: Vec<PlayedGame> = games[..8]
        .iter()
        .enumerate()
        .map(|(number, game)| with_labels(game, number))
        .collect();
    every_flip_is_found(&labelled, &games);
}

/// The labels of a shard with two: none, one or both, from different plies on, with gaps.
fn with_labels(game: &PlayedGame, number: usize) -> PlayedGame {
    let mut game = game.clone();
    let plies = game.record.plies.len();
    for (index, from) in [(0, 0), (1, plies / 2)] {
        if number % 4 > index {
            let value = |ply: usize| {
                (ply >= from && !(ply + number).is_multiple_of(3))
                    .then(|| shard::rounded(ply as f32 / plies as f32).into())
            };
            game.set_label(index, 2, (0..plies).map(value).collect());
        }
    }
    game
}

fn every_flip_is_found(header: &ShardHeader, games: &[PlayedGame]) {
    let bytes = shard::encode(Path::new("x"), header, games).unwrap();
    let directory = scratch();
    let path = directory.join("000000.games");
    // The games fill what is left between the header and the last checksum.
    let lengths = lengths(&bytes, games.len());
    let first = bytes.len() - 8 - lengths.iter().sum::<usize>();
    let ends: Vec<usize> = lengths
        .iter()
        .scan(first, |end, length| {
            Some({
                *end += length;
                *end
            })
        })
        .collect();
    for place in 0..bytes.len() {
        for change in [1u8, 0x80, 0xFF] {
            let mut changed = bytes.clone();
            changed[place] ^= change;
            let error = decode(&path, &changed).unwrap_err();
            one_line(&error, &path);
            std::fs::write(&path, &changed).unwrap();
            let found = shard::inspect::<Standard>(&path);
            assert_eq!(found.problems.len(), 1, "{place}: {:?}", found.problems);
            let game = (first <= place && place < bytes.len() - 8)
                .then(|| ends.iter().position(|&end| place < end).unwrap() as u64);
            for error in [&error, &found.problems[0]] {
                let named = error.to_string();
                let named = named.split_once(": game ").map(|(_, rest)| rest);
                let named = named.and_then(|rest| rest.split_once(':')?.0.parse().ok());
                assert_eq!(named, game, "{place}: {error}");
            }
            assert_eq!(
                found.good_games,
                if place < first {
                    0
                } else {
                    8 - u64::from(game.is_some())
                }
            );
        }
    }
}

#[test]
fn every_bad_file_gives_one_line_that_names_it() {
    let directory = scratch();
    let mut flipped = SMALL.clone();
    flipped[SMALL.len() / 2] ^= 4;
    let mut version = SMALL.clone();
    version[8] = 9;
    let longer = [&SMALL[..], &[0]].concat();
    let mut header_length = SMALL.clone();
    header_length[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut not_utf8 = SMALL.clone();
    not_utf8[20] = 0xFF;
    let cases: [(&str, Vec<u8>); 12] = [
        ("not a file of game records", Vec::new()),
        ("not a file of game records", b"# Notes\n".to_vec()),
        ("truncated or damaged", b"ALEAGAME".to_vec()),
        ("ends within game", SMALL[..SMALL.len() / 2].to_vec()),
        ("checksum is missing", SMALL[..SMALL.len() - 1].to_vec()),
        ("its checksum does not fit", flipped),
        ("1 bytes follow", longer),
        ("version 9", version),
        ("header is cut", sealed(header_length)),
        ("checksum of its header", sealed(not_utf8)),
        (
            "beyond 64 bits",
            by_hand(&header(1, u64::MAX), &[1, 18], &[]),
        ),
        ("does not list", by_hand(&header(2, 0), &[1, 18], &[])),
    ];
    for (number, (expected, bytes)) in cases.into_iter().enumerate() {
        let path = directory.join(format!("{number}.games"));
        std::fs::write(&path, bytes).unwrap();
        refused(read(&path), &path, expected);
    }
    let missing = directory.join("missing.games");
    refused(read(&missing), &missing, "");
    let folder = directory.join("folder.games");
    std::fs::create_dir(&folder).unwrap();
    refused(read(&folder), &folder, "");
}

#[test]
fn an_index_longer_than_the_file_claims_no_memory() {
    let index = [&[253][..], &(1u64 << 62).to_le_bytes()].concat();
    let path = Path::new("x");
    let read = decode(path, &by_hand(&header(1, 0), &index, &[]));
    refused(read, path, "index");
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
        let error = decode(Path::new("x.games"), &bytes).unwrap_err().to_string();
        prop_assert!(error.starts_with("x.games: ") && !error.contains('\n'), "{}", error);
    }

    #[test]
    fn a_cut_file_is_never_valid(length in any::<prop::sample::Index>()) {
        prop_assert!(decode(Path::new("x.games"), &SMALL[..length.index(SMALL.len())]).is_err());
    }

    /// With the checksum made to fit, only the rules protect; whatever passes them is a whole shard
    /// again.
    #[test]
    fn a_forged_file_is_refused_or_holds_legal_games(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..3)) {
        let mut bytes = SMALL.clone();
        for (place, byte) in &changes {
            let place = place.index(bytes.len() - 12) + 12;
            bytes[place] = *byte;
        }
        if let Ok((header, games)) = decode(Path::new("x.games"), &sealed(bytes)) {
            let rules = Standard::default();
            for game in &games {
                let last = game.record.positions(&rules).last().unwrap();
                prop_assert_eq!(rules.payoffs(&last), Some(game.record.payoffs));
            }
            prop_assert_eq!(header.games, games.len() as u64);
        }
    }
}
