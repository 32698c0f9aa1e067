//! All symmetric images of a game are in one part of a split.

use crate::scratch;
use alea_core::record::GameRecord;
use alea_learned::inputs::Learnable;
use engine::games::{einstein::Standard, havannah::Havannah, reversi::Reversi};
use indicatif::ProgressBar;
use std::{collections::HashSet, path::Path};
use trainer::data::{
    ShardReader,
    derived_sets::{self, SplitPart},
    hf_dataset::{DatasetLayout, export},
    statistics,
};
use trainer::dataset::{SampleOptions, Samples};
use trainer::selfplay::{Limits, SelfPlay, SelfPlayConfig, WeightedPlayer};
use trainer::shard::{self, PlayedGame, ShardHeader};

const PLAYER: &str = "random";

fn played<G: Learnable>(rules: &G, games: u64, directory: &Path) -> Vec<PlayedGame<G>> {
    let config = SelfPlayConfig {
        players: vec![WeightedPlayer {
            player: PLAYER.to_owned(),
            weight: 1.0,
        }],
        games,
        ..SelfPlayConfig::for_game(rules)
    };
    let run = SelfPlay::<G>::new(config).unwrap();
    run.run(directory, &Limits::default(), &ProgressBar::hidden())
        .unwrap();
    let mut all = Vec::new();
    let source = ShardReader::<G>::open(&[directory.to_owned()]).unwrap();
    let push = |mut game: PlayedGame<G>| {
        let plies = game.record.plies.iter_mut();
        plies.for_each(|ply| ply.value = Some(shard::quantize_value(0.25)));
        all.push(game);
        Ok(())
    };
    source.for_each_game(push).unwrap();
    all
}

fn images<G: Learnable>(rules: &G, game: &PlayedGame<G>) -> Vec<PlayedGame<G>> {
    let swaps = [false, true];
    let symmetries = (0..rules.symmetries()).flat_map(|one| swaps.map(|swap| (one, swap)));
    let image = |(mut symmetry, swap): (usize, bool)| {
        let show = |position: &G::Position, symmetry| {
            let image = rules.transform_position(position, symmetry);
            if swap {
                rules.swap_colours(&image)
            } else {
                image
            }
        };
        let (mut before, mut moves) = (game.record.start, G::Moves::default());
        let mut record = GameRecord {
            start: show(&before, symmetry),
            ..game.record.clone()
        };
        let mut now = record.start;
        for ply in &mut record.plies {
            before = rules.play(&before, ply.mv);
            ply.outcome = rules.transform_outcome(ply.outcome, symmetry);
            symmetry = rules.transform_move(ply.mv, symmetry).unwrap().1;
            rules.allowed_moves(&now, ply.outcome, &mut moves);
            let expected = show(&before, symmetry);
            let leads = |mv: &&G::Move| rules.play(&now, **mv) == expected;
            ply.mv = *moves.iter().find(leads).unwrap();
            now = expected;
        }
        record.payoffs = rules.payoffs(&now).unwrap();
        PlayedGame::new(record, game.players.clone())
    };
    let mut seen = HashSet::new();
    let images = symmetries.map(image);
    images
        .filter(|image| seen.insert(image.fingerprint(rules)))
        .collect()
}

fn write<G: Learnable>(rules: &G, games: &[PlayedGame<G>], directory: &Path) {
    let header = ShardHeader {
        players: vec![PLAYER.to_owned()],
        games: games.len() as u64,
        ..ShardHeader::new(rules, serde_json::Value::Null)
    };
    std::fs::create_dir_all(directory).unwrap();
    shard::write(&directory.join("000000.games"), &header, games).unwrap();
}

fn kinds<G: Learnable>(rules: &G, directory: &Path) -> HashSet<u128> {
    let mut kinds = HashSet::new();
    let source = ShardReader::<G>::open(&[directory.to_owned()]).unwrap();
    let each = |game: PlayedGame<G>| {
        kinds.insert(game.canonical_fingerprint(rules));
        Ok(())
    };
    source.for_each_game(each).unwrap();
    kinds
}

fn check<G: Learnable>(rules: &G, count: usize) -> f64 {
    let scratch = scratch();
    let at = |name: &str| scratch.join(name);
    let games = played(rules, count as u64, &at("played"));
    let all: Vec<Vec<PlayedGame<G>>> = games.iter().map(|game| images(rules, game)).collect();
    for (game, images) in games.iter().zip(&all) {
        let fingerprint = game.canonical_fingerprint(rules);
        let same = |image: &PlayedGame<G>| image.canonical_fingerprint(rules) == fingerprint;
        assert!(images.iter().all(same));
        let mut shorter = game.clone();
        shorter.record.plies.pop();
        assert!(!same(&shorter));
        shorter.record.plies.clear();
        assert!(!same(&shorter));
    }
    let all_games = all.concat();
    write(rules, &all_games, &at("all"));
    let source = ShardReader::<G>::open(&[at("all")]).unwrap();
    let duplicates = (all_games.len() - count) as u64;
    let info = statistics::info(&source).unwrap();
    assert_eq!(
        (info.duplicate_games, info.duplicate_games_up_to_symmetry),
        (0, duplicates)
    );
    let parts = [("train", 0.7), ("test", 0.3)].map(|(name, weight)| SplitPart {
        name: name.to_owned(),
        weight,
    });
    let written = derived_sets::split(&source, &at("split"), &parts, 5).unwrap();
    let seen = written.iter().filter_map(|part| part.duplicates);
    assert_eq!(seen.sum::<u64>(), duplicates);
    let [train, test] = ["train", "test"].map(|name| kinds(rules, &at("split").join(name)));
    assert!(train.is_disjoint(&test) && train.len() + test.len() == count);
    let layout = DatasetLayout {
        parts: parts.to_vec(),
        seed: 5,
        file_positions: 1 << 20,
    };
    let exported = export(&source, &at("set"), &layout).unwrap();
    for (exported, part) in exported.iter().zip(&written) {
        assert_eq!(
            (exported.games, exported.duplicates),
            (part.games, part.duplicates)
        );
    }
    let card = std::fs::read_to_string(at("set/README.md")).unwrap();
    assert!(card.contains(&format!(" {duplicates} games repeat another one")));
    let options = SampleOptions::without_labels(0.5, 3);
    for (number, images) in all.iter().enumerate() {
        let directory = at(&format!("game-{number}"));
        write(rules, images, &directory);
        let problem = Samples::<G>::open(&[&directory], &options).unwrap_err();
        let problem = problem.to_string();
        assert!(problem.contains("too few games with values"), "{problem}");
    }
    let samples = Samples::<G>::open(&[at("all")], &options).unwrap();
    assert_eq!(samples.duplicate_games(), duplicates);
    all_games.len() as f64 / count as f64
}

#[test]
fn images_of_a_game_are_in_its_part() {
    assert!(check(&Standard::default(), 40) > 15.0);
    assert!(check(&Reversi::SIX, 20) > 15.0);
    assert!(check(&Havannah::new(3, true), 10) > 11.0);
}

#[test]
fn copies_of_a_game_train_or_validate_together() {
    let (scratch, rules) = (scratch(), Standard::default());
    let games = played(&rules, 60, &scratch.join("played"));
    write(&rules, &[&games[..]; 3].concat(), &scratch.join("thrice"));
    let options = SampleOptions::without_labels(0.3, 3);
    let samples = Samples::<Standard>::open(&[scratch.join("thrice")], &options).unwrap();
    assert_eq!(samples.duplicate_games(), 120);
    let training = samples.read_part(0).unwrap();
    let training: HashSet<_> = training.iter().map(|sample| sample.position).collect();
    let validation = samples.validation().iter().map(|sample| sample.position);
    let common = validation.filter(|position| training.contains(position));
    assert!(common.count() < samples.validation().len() / 50);
}

#[test]
fn a_game_of_the_same_moves_on_other_outcomes_is_another() {
    let (scratch, rules) = (scratch(), Standard::default());
    let games = played(&rules, 20, scratch.join("played").as_path());
    for game in games {
        let fingerprint = game.canonical_fingerprint(&rules);
        let mut other = game.clone();
        let ply = &mut other.record.plies[0];
        ply.outcome = ply.outcome % 6 + 1;
        assert_ne!(other.canonical_fingerprint(&rules), fingerprint);
        let mut other = game;
        other.record.plies[0].value = None;
        other.record.plies[0].explored ^= true;
        assert_eq!(other.canonical_fingerprint(&rules), fingerprint);
    }
}
