//! The file format: exact round trips, files by hand, and what breaks the rules.

use crate::{
    CLASSIC, MIXED, NEAREST, PlayedGame, config, decode, header_of, one_line, play, read, refused,
    scratch,
};
use engine::core::{
    game::Game,
    random::RandomStream,
    record::{GameRecord, Ply},
};
use engine::games::einstein::{Standard, Variant, dice::Die, setup::setup_index};
use proptest::prelude::*;
use std::{path::Path, sync::LazyLock};
use trainer::shard::{self, Estimate, Label, ShardHeader, VALUE_STEPS};
use xxhash_rust::xxh3::xxh3_64;

pub(crate) fn small() -> (ShardHeader, Vec<PlayedGame>) {
    let config = config(&MIXED, 40);
    (header_of(&config, 40), play(&config))
}

pub(crate) static SMALL: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let (header, games) = small();
    shard::encode(Path::new("small.games"), &header, &games).unwrap()
});

/// The bytes with a checksum that fits again, as a malicious writer would leave them.
pub(crate) fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len().saturating_sub(8));
    let checksum = xxh3_64(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

#[test]
fn what_is_written_is_read_exactly() {
    let (header, games) = small();
    let directory = scratch();
    let path = directory.join("000000.games");
    shard::write(&path, &header, &games).unwrap();
    let (read_header, read_games) = read(&path).unwrap();
    assert_eq!(read_header, header);
    assert_eq!(read_games, games);
    assert_eq!(std::fs::read(&path).unwrap(), *SMALL);
}

#[test]
fn both_variants_are_replayed_by_their_own_rules() {
    let nearest = crate::play(&trainer::selfplay::SelfPlayConfig {
        game: NEAREST.to_owned(),
        ..config(&["random"], 50)
    });
    let classic = play(&config(&["random"], 50));
    let path = Path::new("x.games");
    let header = |game: &str| ShardHeader {
        game: game.to_owned(),
        ..header_of(&config(&["random"], 50), 50)
    };
    assert!(shard::encode(path, &header(NEAREST), &nearest).is_ok());
    // Every move of the stricter variant is one of the classic rules; not the other way round.
    assert!(shard::encode(path, &header(CLASSIC), &nearest).is_ok());
    refused(
        shard::encode(path, &header(NEAREST), &classic),
        path,
        "not written",
    );
}

/// A label of this name and maker.
pub(crate) fn label(name: &str, by: &str) -> Label {
    Label {
        name: name.to_owned(),
        by: by.to_owned(),
        exact: by.starts_with("tables"),
        errors: false,
        models: Default::default(),
    }
}

/// A file of version 4 around an index and the bytes of games, with checksums that fit.
pub(crate) fn by_hand(header: &str, index: &[u8], games: &[u8]) -> Vec<u8> {
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap().to_le_bytes();
    let mut bytes = [
        &b"ALEAGAME\x04\0\0\0"[..],
        &length(header.as_bytes()),
        &length(index),
        header.as_bytes(),
        index,
    ]
    .concat();
    bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
    bytes.extend_from_slice(games);
    bytes.extend_from_slice(&[0; 8]);
    sealed(bytes)
}

pub(crate) fn header(games: u64, first: u64) -> String {
    format!(
        r#"{{"run":{{"seed":5}},"game":"einstein","players":["random","greedy"],"first_game":{first},"games":{games},"plies":1,"seats":2,"outcomes":4}}"#
    )
}

/// The bytes of a game and the low half of their xxh3.
fn checked(bytes: &[u8]) -> Vec<u8> {
    [bytes, &xxh3_64(bytes).to_le_bytes()[..4]].concat()
}

/// A shard of one game with these bytes.
fn one_game(bytes: &[u8]) -> Vec<u8> {
    let game = checked(bytes);
    by_hand(
        &header(1, 4096),
        &[1, u8::try_from(game.len()).unwrap()],
        &game,
    )
}

/// Red's stone 1 on `red` (of its own squares) and Blue's on `blue`, Red to move.
fn start(red: u64, blue: u64) -> [u8; 8] {
    let side = |square: u64| (1..6).fold(square, |lanes, stone| lanes | 31 << (5 * stone));
    (side(red) | side(blue) << 30).to_le_bytes()
}

/// Not a start from set-ups: 518,400 and the packed position.
fn other(start: [u8; 8]) -> Vec<u8> {
    [&518_400u32.to_le_bytes()[..3], &start].concat()
}

/// What a game's columns say: nothing, or a value of all plies.
const PLAIN: u8 = 0;
const VALUES: u8 = 1;

/// Red's stone 1 on d2 (square 18 of its own), Blue's on a4 (19): a 3 is rolled, and Red steps
/// diagonally onto its goal, by the first of its three moves: (0 · 4 + 3) · 2, and 1 more if it was
/// explored. Before it stand the number of plies, the columns and the players.
fn won_at_once(plies: u8, columns: u8, rest: &[u8]) -> Vec<u8> {
    [&[plies, columns, 1, 0][..], &other(start(18, 19)), rest].concat()
}

#[test]
fn a_shard_by_hand_is_read() {
    // The value is 49,151 / 65,534 = 0.750008.
    let bytes = one_game(&won_at_once(1, VALUES, &[7, 0xFF, 0xBF]));
    let (header, games) = decode(Path::new("hand.games"), &bytes).unwrap();
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
            &game.players[..],
            game.record.payoffs[..2].to_vec(),
            game.record.plies.len()
        ),
        (&[1, 0][..], vec![1.0, 0.0], 1)
    );
    let ply = game.record.plies[0];
    assert_eq!(rules.format_move(&game.record.start, ply.mv), "d2e1");
    assert_eq!((ply.outcome, ply.explored), (3, true));
    assert!((ply.value.unwrap() - 0.750_007_6).abs() < 1e-7);
    // Written again it is the same file.
    assert_eq!(
        shard::encode(Path::new("hand.games"), &header, &games).unwrap(),
        bytes
    );
}

#[test]
fn another_game_is_refused_in_one_line_that_names_both() {
    let foreign = header(1, 0).replace("einstein", "reversi(size=6)");
    let bytes = by_hand(&foreign, &[1, 4], &[0; 4]);
    let path = Path::new("x.games");
    let text = refused(decode(path, &bytes), path, "'reversi'");
    assert!(text.contains("'einstein'"), "{text}");
    let unknown = header(1, 0).replace("einstein", "einstein(size=6)");
    let bytes = by_hand(&unknown, &[1, 4], &[0; 4]);
    refused(decode(path, &bytes), path, "size");
}

#[test]
fn set_ups_are_numbers() {
    // Behind the number of plies (below 128), the columns and the players stand 720 · Red's set-up
    // + Blue's, and 2¹⁹ if Blue begins.
    let rules = Standard::default();
    let (header, games) = small();
    for game in &games {
        let setups = [0, 1].map(|seat| {
            let squares = game.record.start.side(seat).squares();
            let order = rules
                .home_squares()
                .into_iter()
                .map(|home| squares.iter().position(|&square| square == home).unwrap() as u8 + 1);
            setup_index(&order.collect::<Vec<u8>>()).unwrap()
        });
        let expected = setups[0] * 720 + setups[1] + (game.record.start.seat() << 19);
        let header = ShardHeader {
            games: 1,
            ..header.clone()
        };
        let alone = shard::encode(Path::new("x"), &header, std::slice::from_ref(game)).unwrap();
        let length = game.record.plies.len();
        let valued = game.record.plies.iter().any(|ply| ply.value.is_some());
        // A column whose first value is that of a later ply says which.
        let later = valued && game.record.plies[0].value.is_none();
        let first = game.record.plies.iter().position(|ply| ply.value.is_some());
        let values = if valued {
            2 * (length - first.unwrap())
        } else {
            0
        };
        let from = alone.len() - 8 - 4 - values - usize::from(later) - length - 3;
        let stored = u32::from_le_bytes([alone[from], alone[from + 1], alone[from + 2], 0]);
        assert_eq!(stored, expected as u32);
    }
}

#[test]
fn games_against_the_rules_are_refused() {
    let good = won_at_once(1, PLAIN, &[6]);
    assert!(decode(Path::new("x"), &one_game(&good)).is_ok());
    let with_start = |start: &[u8]| [&[1, PLAIN, 0, 0][..], start, &[6]].concat();
    let mut seat = start(18, 19);
    seat[7] |= 1 << 5;
    // Six stones on their home squares: such a start has to be written as a number.
    let home = Standard::default().start([0, 0], 0).bits().to_le_bytes();
    let cases = [
        (
            "names a player",
            [&[1, PLAIN, 2, 0][..], &other(start(18, 19)), &[6]].concat(),
        ),
        ("no position", with_start(&other(seat))),
        ("no position", with_start(&other(start(18, 6)))),
        ("no position", with_start(&other(home))),
        (
            "no position",
            with_start(&[&518_401u32.to_le_bytes()[..3], &start(18, 19)].concat()),
        ),
        ("no position", vec![1, PLAIN, 0, 0, 0, 0]),
        // The fourth move of three; a 2 with the second move, and a roll of 0.
        ("does not permit", won_at_once(1, PLAIN, &[(3 * 4 + 3) * 2])),
        ("no end", won_at_once(1, PLAIN, &[(4 + 2) * 2])),
        ("no such outcome", won_at_once(1, PLAIN, &[0])),
        // A number that is not in its shortest form, and values that are absent or too many.
        ("bytes are no game", won_at_once(1, PLAIN, &[0x86, 0])),
        ("bytes are no game", won_at_once(1, VALUES, &[6, 1])),
        (
            "bytes are no game",
            won_at_once(1, VALUES, &[6, 0xFF, 0xFF]),
        ),
        ("bytes are no game", won_at_once(1, 2, &[6, 0, 1, 1])),
        ("bytes are no game", won_at_once(1, 2, &[6, 1])),
        ("bytes are no game", won_at_once(1, 3, &[6, 1, 1])),
        ("bytes are no game", won_at_once(1, VALUES << 2, &[6, 1, 1])),
        ("bytes are no game", won_at_once(100, PLAIN, &[6])),
        ("no end", won_at_once(0, PLAIN, &[])),
        ("over before", won_at_once(2, PLAIN, &[6, 6])),
        ("bytes are no game", won_at_once(1, PLAIN, &[6, 6])),
        ("bytes are no game", vec![0, 0]),
    ];
    for (expected, bytes) in cases {
        let path = Path::new("wrong.games");
        let error = decode(path, &one_game(&bytes)).unwrap_err();
        let text = one_line(&error, path);
        assert!(
            text.contains(expected) && text.contains("game 0"),
            "{text}: expected {expected}"
        );
    }
}

fn random_game(
    rules: &Standard,
    random: &mut RandomStream,
    begun: bool,
    valued: f64,
) -> PlayedGame {
    let first = random.below(2);
    let mut position = rules.random_start(random, first);
    for _ in 0..if begun { random.below(8) } else { 0 } {
        let after = rules.play(&position, rules.random_move(&position, random.next_u64()));
        position = if rules.winner(&after).is_none() {
            after
        } else {
            position
        };
    }
    let start = position;
    let mut plies = Vec::new();
    while rules.winner(&position).is_none() {
        let outcome = random.below(6) as u8 + 1;
        let legal = rules.legal_moves(&position, outcome);
        let mv = legal[random.below(legal.len())];
        let value =
            (random.unit() < valued).then(|| [0.0, 1.0, random.unit() as f32][random.below(3)]);
        plies.push(Ply {
            outcome,
            mv,
            value,
            explored: random.below(2) == 1,
        });
        position = rules.play(&position, mv);
    }
    let payoffs = rules.payoffs(&position).unwrap();
    let players = vec![random.below(256) as u8, random.below(256) as u8];
    let record = GameRecord {
        start,
        plies,
        payoffs,
    };
    PlayedGame::new(record, players)
}

/// Labels of some plies, perhaps of none; those of an even number with errors.
fn add_labels(game: &mut PlayedGame, random: &mut RandomStream, known: usize) {
    for index in 0..known {
        let share = [0.0, 0.2, 1.0][random.below(3)];
        let values = (0..game.record.plies.len())
            .map(|_| {
                (random.unit() < share).then(|| Estimate {
                    value: random.unit() as f32,
                    error: (index % 2 == 0 && random.below(2) == 1).then(|| random.unit() as f32),
                })
            })
            .collect();
        game.set_label(index, known, values);
    }
}

#[test]
fn values_are_rounded_to_the_nearest_step() {
    for value in [0.0, 0.5, 1.0] {
        assert_eq!(shard::rounded(value), value);
    }
    let mut random = RandomStream::new(1);
    for _ in 0..100_000 {
        let value = random.unit() as f32;
        let rounded = shard::rounded(value);
        assert!(
            (f64::from(value) - f64::from(rounded)).abs() <= 0.5 / f64::from(VALUE_STEPS) + 3e-8
        );
        assert_eq!(shard::rounded(rounded), rounded);
    }
}

#[test]
fn what_could_not_be_read_is_not_written() {
    let (header, games) = small();
    let directory = scratch();
    let path = directory.join("x.games");
    let mut cases = vec![(
        ShardHeader {
            games: 41,
            ..header.clone()
        },
        games.clone(),
    )];
    cases.push((
        ShardHeader {
            game: "other".to_owned(),
            ..header.clone()
        },
        games.clone(),
    ));
    cases.push((
        ShardHeader {
            players: vec![],
            ..header.clone()
        },
        games.clone(),
    ));
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
        refused(shard::write(&path, &header, &games), &path, "");
        assert_eq!(std::fs::read_dir(&*directory).unwrap().count(), 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    /// Random games of either variant from starts and other positions, with any values.
    #[test]
    fn whatever_is_written_is_read_but_for_rounding(seed: u64, games in 0usize..5, nearest: bool, begun: bool, valued in 0.0f64..1.0, labels in 0usize..4) {
        let variant = if nearest { Variant::NearestOnly } else { Variant::Classic };
        let rules = Standard::new(variant, Die::fair());
        let mut random = RandomStream::new(seed);
        let mut games: Vec<PlayedGame> = (0..games).map(|_| random_game(&rules, &mut random, begun, valued)).collect();
        for game in &mut games {
            add_labels(game, &mut random, labels);
            if begun {
                let time = |_| (random.below(3) > 0).then(|| random.next_u64() >> random.below(64) >> 1);
                game.times = (0..game.record.plies.len()).map(time).collect();
                game.tidy();
            }
        }
        let header = ShardHeader {
            run: serde_json::json!({ "seed": seed, "share": valued }),
            players: vec!["random".to_owned(); 256],
            times: begun,
            labels: (0..labels).map(|index| Label {
                errors: index % 2 == 0,
                ..label(&format!("label_{index}"), "star2(depth=4)")
            }).collect(),
            first_game: seed >> 1,
            games: games.len() as u64,
            ..ShardHeader::of(&rules, serde_json::Value::Null)
        };
        let path = Path::new("x.games");
        let bytes = shard::encode(path, &header, &games).unwrap();
        let (read_header, read) = shard::decode(path, &bytes).unwrap();
        let mut expected = games;
        expected.iter_mut().flat_map(|game| &mut game.record.plies).for_each(|ply| ply.value = ply.value.map(shard::rounded));
        expected.iter_mut().flat_map(|game| &mut game.labels).flatten().flatten().for_each(|label| {
            label.value = shard::rounded(label.value);
            label.error = label.error.map(shard::rounded);
        });
        prop_assert_eq!(&read, &expected);
        prop_assert_eq!(&read_header, &header);
        prop_assert_eq!(shard::encode(path, &read_header, &read).unwrap(), bytes);
    }
}
