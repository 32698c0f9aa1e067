//! Later versions must read the repository's sample of game records.

use crate::{plies, read, samples_in};
use alea_core::game::Game;
use engine::games::einstein::Standard;
use std::path::Path;
use trainer::dataset::SampleOptions;
use trainer::shard;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/sample");

#[test]
fn the_committed_sample_is_read_and_replayed() {
    let path = Path::new(SAMPLE).join("000000.games");
    let (header, games) = read(&path).unwrap();
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
    assert!(shard::encode(&path, &header, &games).unwrap() == std::fs::read(&path).unwrap());
}

#[test]
fn the_committed_sample_can_be_trained_on() {
    let samples = samples_in(Path::new(SAMPLE), &SampleOptions::without_labels(0.05, 1)).unwrap();
    assert_eq!(samples.num_held_out(), 10);
    let learned = samples.num_training() + samples.validation().len();
    assert_eq!(learned + samples.num_held_out(), PLIES - 600);
}

const PLAYERS: [&str; 2] = ["star1(depth=3, eval=abt)", "mcts(sims=400, leaf=playout)"];
const PLIES: usize = 10_555;
