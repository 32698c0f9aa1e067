//! The committed sample: guards the format, for its bytes were written once and must stay readable.

use crate::format::label;
use crate::{PlayedGame, decode, plies, read, samples_in};
use engine::core::game::Game;
use engine::games::einstein::Standard;
use std::path::Path;
use trainer::dataset::SampleOptions;
use trainer::shard;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/sample");

#[test]
fn the_committed_sample_is_read_and_replayed() {
    let path = Path::new(SAMPLE).join("000000.games");
    let (header, games) = read(&path).unwrap();
    // As the data card says.
    assert_eq!(header.players, PLAYERS);
    assert_eq!(
        (header.game.as_str(), header.first_game, header.games),
        ("einstein", 0, 600)
    );
    assert_eq!(
        header.run["sources"][0]["sources"][0]["seed"].as_u64(),
        Some(1)
    );
    assert_eq!((games.len(), plies(&games).count()), (600, PLIES));
    let rules = Standard::default();
    for game in &games {
        let last = game.record.positions(&rules).last().unwrap();
        assert_eq!(rules.payoffs(&last), Some(game.record.payoffs));
    }
    // Written again it is the same file.
    assert!(shard::encode(&path, &header, &games).unwrap() == std::fs::read(&path).unwrap());
}

/// Written by the last program of versions 2 and 3, which also counted what is expected here.
#[test]
fn shards_of_versions_2_and_3_are_read_and_become_version_4() {
    let read = |name: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/records");
        let path = Path::new(folder).join(name);
        let old = read(&path).unwrap();
        // Written again it is version 4, of the same games.
        let bytes = shard::encode(&path, &old.0, &old.1).unwrap();
        assert_eq!(bytes[8..12], [4, 0, 0, 0]);
        assert!(decode(&path, &bytes).unwrap() == old);
        old
    };
    let count = |games: &[PlayedGame]| {
        let won = games.iter().filter(|game| game.record.payoffs[0] == 1.0);
        let explored = plies(games).filter(|ply| ply.explored).count();
        let values = plies(games).filter(|ply| ply.value.is_some()).count();
        (
            games.len(),
            plies(games).count(),
            won.count(),
            explored,
            values,
        )
    };
    let (header, games) = read("version2.games");
    assert_eq!((header.game.as_str(), header.labels.len()), ("einstein", 0));
    assert_eq!(count(&games), (60, 708, 28, 155, 364));
    let (header, games) = read("version3.games");
    assert_eq!(header.game, crate::NEAREST);
    assert_eq!(count(&games), (60, 994, 28, 200, 574));
    assert_eq!(
        header.labels,
        [
            label("deep", "star1(depth=1)"),
            label("exact", "tables(stones=3)")
        ]
    );
    let labels = [0, 1].map(|label| {
        games
            .iter()
            .flat_map(|game| game.labels.get(label).into_iter().flatten())
            .flatten()
            .count()
    });
    assert_eq!(labels, [994, 19]);
    // The first plies of the first game, as that program exported them.
    let first = &games[0];
    assert_eq!(
        (first.players.as_slice(), first.record.plies[0].outcome),
        (&[1, 1][..], 1)
    );
    let near = |value: Option<f32>, expected: f32| (value.unwrap() - expected).abs() < 1e-7;
    assert!(
        near(first.record.plies[1].value, 0.003_234_962) && near(first.label(0, 1), 0.083_803_825)
    );
}

#[test]
fn the_committed_sample_can_be_trained_on() {
    let samples = samples_in(Path::new(SAMPLE), &SampleOptions::played(0.05, 1)).unwrap();
    // All players rate their moves, so every position after a move is a sample, but for the last of
    // each game, and the few that suites have too.
    assert_eq!(samples.held_out(), 10);
    let learned = samples.training() + samples.validation().len();
    assert_eq!(learned + samples.held_out(), PLIES - 600);
}

const PLAYERS: [&str; 2] = ["star1(depth=3, eval=abt)", "mcts(sims=400, leaf=playout)"];
const PLIES: usize = 10_555;
