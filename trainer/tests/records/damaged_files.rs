//! Damaged and forged files are refused by one line that names file and game.

use crate::format::{SMALL_SHARD, build_file, header, random_games, with_checksum};
use crate::{assert_refused, decode, one_line, read, scratch};
use alea_core::{game::Game, random::RandomStream};
use engine::games::einstein::Standard;
use proptest::prelude::*;
use std::path::Path;
use trainer::shard;

/// Game lengths in the index: after the number of games, one byte each, or 251 and two bytes.
fn lengths(bytes: &[u8], games: usize) -> Vec<usize> {
    let text = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let mut index = bytes[20 + text..].iter().map(|&byte| usize::from(byte));
    let mut next = || index.next().unwrap();
    assert_eq!(next(), games);
    let length = |_| match next() {
        251 => next() + (next() << 8),
        length => length,
    };
    (0..games).map(length).collect()
}

#[test]
fn flipped_bytes_are_detected_with_their_game() {
    let (rules, mut random) = (Standard::default(), RandomStream::new(3));
    let starts: Vec<_> = (0..8)
        .map(|game| rules.random_start(&mut random, game % 2))
        .collect();
    let (header, games) = random_games(&rules, &starts, &mut random, 0.7, 2, true);
    let bytes = shard::encode(Path::new("x"), &header, &games).unwrap();
    let directory = scratch();
    let path = directory.join("000000.games");
    let lengths = lengths(&bytes, games.len());
    let first = bytes.len() - 8 - lengths.iter().sum::<usize>();
    let ends: Vec<usize> = lengths
        .iter()
        .scan(first, |end, length| {
            *end += length;
            Some(*end)
        })
        .collect();
    for offset in 0..bytes.len() {
        for change in [1u8, 0x80, 0xFF] {
            let mut changed = bytes.clone();
            changed[offset] ^= change;
            let error = decode(&path, &changed).unwrap_err();
            one_line(&error, &path);
            std::fs::write(&path, &changed).unwrap();
            let found = shard::inspect::<Standard>(&path);
            assert_eq!(found.problems.len(), 1, "{offset}: {:?}", found.problems);
            let game = (first <= offset && offset < bytes.len() - 8)
                .then(|| ends.iter().position(|&end| offset < end).unwrap() as u64);
            for error in [&error, &found.problems[0]] {
                let named = error.to_string();
                let named = named.split_once(": game ").map(|(_, rest)| rest);
                let named = named.and_then(|rest| rest.split_once(':')?.0.parse().ok());
                assert_eq!(named, game, "{offset}: {error}");
            }
            assert_eq!(
                found.good_games,
                if offset < first {
                    0
                } else {
                    8 - u64::from(game.is_some())
                }
            );
        }
    }
}

#[test]
fn bad_files_are_refused_in_one_line() {
    let directory = scratch();
    let with = |offset: usize, bytes: &[u8]| {
        let mut changed = SMALL_SHARD.clone();
        changed[offset..][..bytes.len()].copy_from_slice(bytes);
        changed
    };
    let middle = SMALL_SHARD.len() / 2;
    let cases: [(&str, Vec<u8>); 14] = [
        ("not a file of game records", Vec::new()),
        ("not a file of game records", b"# Notes\n".to_vec()),
        ("truncated or damaged", b"ALEAGAME".to_vec()),
        ("ends within game", SMALL_SHARD[..middle].to_vec()),
        (
            "checksum is missing",
            SMALL_SHARD[..SMALL_SHARD.len() - 1].to_vec(),
        ),
        (
            "its checksum does not match",
            with(middle, &[SMALL_SHARD[middle] ^ 4]),
        ),
        ("1 bytes follow", [&SMALL_SHARD[..], &[0]].concat()),
        (
            "version 2; this program reads versions 4 and 5",
            with(8, &[2]),
        ),
        (
            "version 3; this program reads versions 4 and 5",
            with(8, &[3]),
        ),
        ("version 9", with(8, &[9])),
        ("header is cut", with_checksum(with(12, &[0xFF; 4]))),
        ("checksum of its header", with_checksum(with(20, &[0xFF]))),
        (
            "beyond 64 bits",
            build_file(&header(1, u64::MAX), &[1, 18], &[]),
        ),
        ("does not list", build_file(&header(2, 0), &[1, 18], &[])),
    ];
    for (number, (expected, bytes)) in cases.into_iter().enumerate() {
        let path = directory.join(format!("{number}.games"));
        std::fs::write(&path, bytes).unwrap();
        assert_refused(read(&path), &path, expected);
    }
    let missing = directory.join("missing.games");
    assert_refused(read(&missing), &missing, "");
    let folder = directory.join("folder.games");
    std::fs::create_dir(&folder).unwrap();
    assert_refused(read(&folder), &folder, "");
}

#[test]
fn an_oversized_index_allocates_no_memory() {
    let index = [&[253][..], &(1u64 << 62).to_le_bytes()].concat();
    let path = Path::new("x");
    let read = decode(path, &build_file(&header(1, 0), &index, &[]));
    assert_refused(read, path, "index");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn a_changed_file_is_never_valid(changes in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..4)) {
        let mut bytes = SMALL_SHARD.clone();
        for (offset, change) in &changes {
            let offset = offset.index(bytes.len());
            bytes[offset] ^= change;
        }
        prop_assume!(bytes != *SMALL_SHARD);
        let error = decode(Path::new("x.games"), &bytes).unwrap_err().to_string();
        prop_assert!(error.starts_with("x.games: ") && !error.contains('\n'), "{}", error);
    }

    #[test]
    fn a_cut_file_is_never_valid(length in any::<prop::sample::Index>()) {
        prop_assert!(decode(Path::new("x.games"), &SMALL_SHARD[..length.index(SMALL_SHARD.len())]).is_err());
    }

    #[test]
    fn a_forged_file_is_refused_or_holds_legal_games(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..3)) {
        let mut bytes = SMALL_SHARD.clone();
        for (offset, byte) in &changes {
            let offset = offset.index(bytes.len() - 12) + 12;
            bytes[offset] = *byte;
        }
        if let Ok((header, games)) = decode(Path::new("x.games"), &with_checksum(bytes)) {
            let rules = Standard::default();
            for game in &games {
                let last = game.record.positions(&rules).last().unwrap();
                prop_assert_eq!(rules.payoffs(&last), Some(game.record.payoffs));
            }
            prop_assert_eq!(header.games, games.len() as u64);
        }
    }
}
