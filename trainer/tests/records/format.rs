//! The file format: round trips, files written by hand, and illegal games.

use crate::{
    CLASSIC, MIXED_PLAYERS, NEAREST, PlayedGame, assert_refused, config, decode, header_of,
    one_line, play, scratch,
};
use alea_core::{
    game::{ChanceSource, DRAW, Game, win_for},
    random::RandomStream,
    record::{Ending, GameRecord, Ply},
    search_game::Playouts,
};
use alea_play::playable::{Codec, Playable, Rules};
use engine::games::{
    einstein::{Standard, Variant, dice::Die, setup::setup_index},
    havannah::Havannah,
};
use proptest::prelude::*;
use std::{cell::Cell, path::Path, sync::LazyLock};
use trainer::shard::{self, Estimate, Label, ShardHeader, VALUE_STEPS};
use xxhash_rust::xxh3::xxh3_64;

fn small_shard_content() -> (ShardHeader, Vec<PlayedGame>) {
    let config = config(&MIXED_PLAYERS, 40);
    (header_of(&config, 40), play(&config))
}

pub(crate) static SMALL_SHARD: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let (header, games) = small_shard_content();
    shard::encode(Path::new("small.games"), &header, &games).unwrap()
});

pub(crate) fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len().saturating_sub(8));
    let checksum = xxh3_64(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
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
    assert!(shard::encode(path, &header(CLASSIC), &nearest).is_ok());
    assert_refused(
        shard::encode(path, &header(NEAREST), &classic),
        path,
        "not written",
    );
}

pub(crate) fn label(name: &str, by: &str) -> Label {
    Label {
        name: name.to_owned(),
        by: by.to_owned(),
        exact: by.starts_with("tables"),
        errors: false,
        models: Default::default(),
    }
}

pub(crate) fn build_file(header: &str, index: &[u8], games: &[u8]) -> Vec<u8> {
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
    with_checksum(bytes)
}

pub(crate) fn header(games: u64, first: u64) -> String {
    format!(
        r#"{{"run":{{"seed":5}},"game":"einstein","players":["random","greedy"],"first_game":{first},"games":{games},"plies":1,"seats":2,"outcomes":4}}"#
    )
}

fn with_game_checksum(bytes: &[u8]) -> Vec<u8> {
    [bytes, &xxh3_64(bytes).to_le_bytes()[..4]].concat()
}

fn one_game(bytes: &[u8]) -> Vec<u8> {
    let game = with_game_checksum(bytes);
    build_file(
        &header(1, 4096),
        &[1, u8::try_from(game.len()).unwrap()],
        &game,
    )
}

/// Encodes a start with only the stones 1, on `red` and `blue` from their own side's view; Red
/// moves.
fn start(red: u64, blue: u64) -> [u8; 8] {
    let side = |square: u64| (1..6).fold(square, |lanes, stone| lanes | 31 << (5 * stone));
    (side(red) | side(blue) << 30).to_le_bytes()
}

/// Encodes a start that is not a set-up: the number 518,400, then the packed position.
fn other(start: [u8; 8]) -> Vec<u8> {
    [&518_400u32.to_le_bytes()[..3], &start].concat()
}

const PLAIN: u8 = 0;
const VALUES: u8 = 1;

/// Encodes a game with Red's stone 1 on d2 (square 18 from Red's view) and Blue's on a4 (19); after
/// a 3, the byte (0 · 4 + 3) · 2 in `rest` moves Red onto its goal.
fn won_at_once(plies: u8, columns: u8, rest: &[u8]) -> Vec<u8> {
    [&[plies, columns, 1, 0][..], &other(start(18, 19)), rest].concat()
}

#[test]
fn a_shard_by_hand_is_read() {
    // 49,151 / 65,534 = 0.750008.
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
    assert_eq!(
        shard::encode(Path::new("hand.games"), &header, &games).unwrap(),
        bytes
    );
}

#[test]
fn another_game_is_refused_in_one_line_that_names_both() {
    let foreign = header(1, 0).replace("einstein", "reversi(size=6)");
    let bytes = build_file(&foreign, &[1, 4], &[0; 4]);
    let path = Path::new("x.games");
    let text = assert_refused(decode(path, &bytes), path, "'reversi'");
    assert!(text.contains("'einstein'"), "{text}");
    let unknown = header(1, 0).replace("einstein", "einstein(size=6)");
    let bytes = build_file(&unknown, &[1, 4], &[0; 4]);
    assert_refused(decode(path, &bytes), path, "size");
}

#[test]
fn set_ups_are_numbers() {
    // Number of a set-up: 720 · Red's + Blue's, plus 2¹⁹ if Blue moves first.
    let rules = Standard::default();
    for game in small_shard_content().1 {
        let setups = [0, 1].map(|seat| {
            let squares = game.record.start.side(seat).squares();
            let order = rules
                .home_squares()
                .into_iter()
                .map(|home| squares.iter().position(|&square| square == home).unwrap() as u8 + 1);
            setup_index(&order.collect::<Vec<u8>>()).unwrap()
        });
        let expected = setups[0] * 720 + setups[1] + (game.record.start.seat() << 19);
        let mut stored = Vec::new();
        rules.encode(&game.record.start, &mut stored);
        assert_eq!(stored, expected.to_le_bytes()[..3]);
    }
}

#[test]
fn games_against_the_rules_are_refused() {
    let good = won_at_once(1, PLAIN, &[6]);
    assert!(decode(Path::new("x"), &one_game(&good)).is_ok());
    let with_start = |start: &[u8]| [&[1, PLAIN, 0, 0][..], start, &[6]].concat();
    let mut seat = start(18, 19);
    seat[7] |= 1 << 5;
    let home = Standard::default().start([0, 0], 0).bits().to_le_bytes();
    let cases = [
        (
            "has a player",
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
        // The fourth of three moves; the second move after a 2, which does not win; a roll of 0.
        ("does not allow", won_at_once(1, PLAIN, &[(3 * 4 + 3) * 2])),
        ("stops without", won_at_once(1, PLAIN, &[(4 + 2) * 2])),
        ("no such outcome", won_at_once(1, PLAIN, &[0])),
        ("bytes are not a game", won_at_once(1, PLAIN, &[0x86, 0])),
        ("bytes are not a game", won_at_once(1, VALUES, &[6, 1])),
        (
            "bytes are not a game",
            won_at_once(1, VALUES, &[6, 0xFF, 0xFF]),
        ),
        ("bytes are not a game", won_at_once(1, 2, &[6, 0, 1, 1])),
        ("bytes are not a game", won_at_once(1, 2, &[6, 1])),
        ("bytes are not a game", won_at_once(1, 3, &[6, 1, 1])),
        (
            "bytes are not a game",
            won_at_once(1, VALUES << 2, &[6, 1, 1]),
        ),
        ("bytes are not a game", won_at_once(100, PLAIN, &[6])),
        ("stops without", won_at_once(0, PLAIN, &[])),
        ("over before", won_at_once(2, PLAIN, &[6, 6])),
        ("bytes are not a game", won_at_once(1, PLAIN, &[6, 6])),
        ("bytes are not a game", vec![0, 0]),
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

/// Plays at random to the end or, in one game of four, to an earlier ending; `valued` is the
/// fraction of plies with a value.
fn random_game<G: Playable>(
    rules: &G,
    start: G::Position,
    random: &mut RandomStream,
    player_count: usize,
    valued: f64,
) -> shard::PlayedGame<G> {
    let (mut position, mut luck, mut plies) = (start, rules.chance(random.next_u64()), Vec::new());
    let payoffs = loop {
        if let Some(payoffs) = rules.payoffs(&position) {
            break payoffs;
        }
        let (outcome, moves) = luck.draw(rules, &position);
        let mv = moves[random.below(moves.len())];
        plies.push(Ply {
            outcome,
            mv,
            value: (random.uniform_f64() < valued)
                .then(|| [0.0, 1.0, random.uniform_f64() as f32][random.below(3)]),
            explored: random.below(2) == 1,
        });
        position = rules.play(&position, mv);
    };
    let (mut ending, mut payoffs) = (Ending::Played, payoffs);
    if plies.len() > 1 && random.below(4) == 0 {
        plies.truncate(1 + random.below(plies.len() - 1));
        ending = Ending::ALL[1 + random.below(4)];
        payoffs = [win_for(0), win_for(1), DRAW][random.below(3)];
    }
    let players = (0..rules.seats()).map(|_| random.below(player_count) as u8);
    let players = players.collect();
    let record = GameRecord {
        start,
        plies,
        payoffs,
        ending,
    };
    shard::PlayedGame::new(record, players)
}

pub(crate) fn quantize_value<G: Playable>(
    mut games: Vec<shard::PlayedGame<G>>,
) -> Vec<shard::PlayedGame<G>> {
    for game in &mut games {
        for ply in &mut game.record.plies {
            ply.value = ply.value.map(shard::quantize_value);
        }
        for label in game.labels.iter_mut().flatten().flatten() {
            label.value = shard::quantize_value(label.value);
            label.error = label.error.map(shard::quantize_value);
        }
    }
    games
}

fn ended_early<G: Playable>(games: &[shard::PlayedGame<G>]) -> u64 {
    let early = games.iter().filter(|game| !game.record.ending.is_played());
    early.count() as u64
}

/// Random games with some labels; labels of even index have some standard errors.
pub(crate) fn random_games<G: Playable>(
    rules: &G,
    starts: &[G::Position],
    random: &mut RandomStream,
    valued: f64,
    labels: usize,
    times: bool,
) -> (ShardHeader, Vec<shard::PlayedGame<G>>) {
    let players: Vec<String> = (0..200).map(|player| player.to_string()).collect();
    let play = |&start: &G::Position| {
        let mut game = random_game(rules, start, random, players.len(), valued);
        let plies = 0..game.record.plies.len();
        for index in 0..labels {
            let fraction = [0.0, 0.2, 1.0][random.below(3)];
            let estimate = |_| {
                (random.uniform_f64() < fraction).then(|| Estimate {
                    value: random.uniform_f64() as f32,
                    error: (index % 2 == 0 && random.below(2) == 1)
                        .then(|| random.uniform_f64() as f32),
                })
            };
            let values = plies.clone().map(estimate).collect();
            game.set_label(index, labels, values);
        }
        if times {
            let time =
                |_| (random.below(3) > 0).then(|| random.next_u64() >> random.below(64) >> 1);
            game.times = plies.map(time).collect();
            game.drop_empty_fields();
        }
        game
    };
    let games: Vec<_> = starts.iter().map(play).collect();
    let label = |index| Label {
        errors: index % 2 == 0,
        ..label(&format!("label_{index}"), "star2(depth=4)")
    };
    let header = ShardHeader {
        players,
        times,
        labels: (0..labels).map(label).collect(),
        games: games.len() as u64,
        ended_early: ended_early(&games),
        ..ShardHeader::new(rules, serde_json::json!({ "seed": 5 }))
    };
    (header, games)
}

#[test]
fn values_are_rounded_to_the_nearest_step() {
    for value in [0.0, 0.5, 1.0] {
        assert_eq!(shard::quantize_value(value), value);
    }
    let mut random = RandomStream::new(1);
    for _ in 0..100_000 {
        let value = random.uniform_f64() as f32;
        let quantize_value = shard::quantize_value(value);
        assert!(
            (f64::from(value) - f64::from(quantize_value)).abs()
                <= 0.5 / f64::from(VALUE_STEPS) + 3e-8
        );
        assert_eq!(shard::quantize_value(quantize_value), quantize_value);
    }
}

#[test]
fn unreadable_games_are_not_written() {
    let directory = scratch();
    let path = directory.join("x.games");
    let changes: [fn(&mut ShardHeader, &mut [PlayedGame]); 6] = [
        |header, _| header.games = 41,
        |header, _| header.game = "other".to_owned(),
        |header, _| header.players.clear(),
        |_, games| games[3].record.plies[0].value = Some(1.5),
        |_, games| games[5].record.plies.truncate(3),
        |_, games| games[0].record.payoffs = [0.5; 8],
    ];
    for change in changes {
        let (mut header, mut games) = small_shard_content();
        change(&mut header, &mut games);
        assert_refused(shard::write(&path, &header, &games), &path, "");
        assert_eq!(std::fs::read_dir(&*directory).unwrap().count(), 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn encoding_round_trips_up_to_rounding(seed: u64, games in 0usize..5, nearest: bool, begun: bool, valued in 0.0f64..1.0, labels in 0usize..4) {
        let variant = if nearest { Variant::NearestOnly } else { Variant::Classic };
        let rules = Standard::new(variant, Die::fair());
        let mut random = RandomStream::new(seed);
        let mut start = |_| {
            let first = random.below(2);
            let mut position = rules.random_start(&mut random, first);
            for _ in 0..if begun { random.below(8) } else { 0 } {
                let after = rules.play(&position, rules.sample_move(&position, random.next_u64()));
                position = if rules.winner(&after).is_none() { after } else { position };
            }
            position
        };
        let starts: Vec<_> = (0..games).map(&mut start).collect();
        let (header, games) = random_games(&rules, &starts, &mut random, valued, labels, begun);
        let header = ShardHeader { first_game: seed >> 1, ..header };
        let path = Path::new("x.games");
        let bytes = shard::encode(path, &header, &games).unwrap();
        let (read_header, read) = shard::decode(path, &bytes).unwrap();
        prop_assert_eq!(&read, &quantize_value(games));
        prop_assert_eq!(&read_header, &header);
        prop_assert_eq!(shard::encode(path, &read_header, &read).unwrap(), bytes);
    }
}

#[test]
fn games_are_read_until_the_limit_or_the_stop() {
    let path = Path::new("x.games");
    let (header, games) = decode(path, &SMALL_SHARD).unwrap();
    for limit in [1, 7, games.len(), games.len() + 1] {
        let mut read = Vec::new();
        let (_, found) =
            shard::decode_while::<Standard>(path, &SMALL_SHARD, &|| false, |_, _, game| {
                read.push(game);
                read.len() < limit
            })
            .unwrap();
        assert_eq!(found, header);
        assert_eq!(read, games[..limit.min(games.len())]);
    }
    let mut damaged = SMALL_SHARD.clone();
    let end = damaged.len() - 20;
    damaged[end] ^= 1;
    let first = shard::decode_while::<Standard>(path, &damaged, &|| false, |_, _, _| false);
    assert_refused(first.map(drop), path, "checksum");
    let rules = Havannah::from_notation("havannah(base=10)", None).unwrap();
    let mut random = RandomStream::new(1);
    let start = rules.random_start(&mut random, 0);
    let (mut position, mut plies) = (start, Vec::new());
    let payoffs = loop {
        if let Some(payoffs) = rules.payoffs(&position) {
            break payoffs;
        }
        let mv = rules.sample_move(&position, random.next_u64());
        position = rules.play(&position, mv);
        plies.push(Ply {
            outcome: 0,
            mv,
            value: None,
            explored: false,
        });
    };
    assert!(plies.len() > 128, "{} plies", plies.len());
    let record = GameRecord::<Havannah> {
        start,
        plies,
        payoffs,
        ending: Ending::Played,
    };
    let games = [shard::PlayedGame::new(record, vec![0, 0])];
    let header = ShardHeader {
        players: vec!["random".to_owned()],
        games: 1,
        ..ShardHeader::new(&rules, serde_json::Value::Null)
    };
    let bytes = shard::encode(path, &header, &games).unwrap();
    for (time, limit) in [(0, 0), (1, 0), (2, 0), (u32::MAX, 1)] {
        let (polls, mut read) = (Cell::new(0), 0);
        let should_stop = || {
            polls.set(polls.get() + 1);
            polls.get() > time
        };
        let take = |_: &Havannah, _: &ShardHeader, _| {
            read += 1;
            true
        };
        shard::decode_while(path, &bytes, &should_stop, take).unwrap();
        assert_eq!(read, limit);
        assert!(polls.get() <= time.saturating_add(2), "{}", polls.get());
    }
}
