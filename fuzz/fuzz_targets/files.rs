//! Fuzz targets for records, models, endgame tables and match states, with and without repaired
//! checksums.

use crate::checksum_repair;
use crate::game_texts::with_every_game;
use arena::matches::{Contestant, MatchOptions, play_match};
use engine::core::random::RandomStream;
use engine::games::{
    backgammon::Backgammon,
    einstein::{
        Standard,
        tables::{Tables, run_sequentially},
    },
    havannah::Havannah,
    reversi::Reversi,
    reversixt::ReversiXt,
};
use engine::learned::{
    inputs::Learnable,
    model_file::{ModelFile, evaluator_from_bytes},
};
use engine::play::playable::{Playable, Rules as _};
use std::{fs, path::Path};
use trainer::data::{
    BadGames, ShardReader, json_lines, parquet as columns, shard_writer::WriteSummary,
};
use trainer::{Error, shard};

fn in_temp_directory(work: impl FnOnce(&Path)) {
    let directory = std::env::temp_dir().join(format!("alea-fuzz-{}", std::process::id()));
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("a temporary directory");
    work(&directory);
    fs::remove_dir_all(&directory).expect("a temporary directory goes");
}

fn raw_and_repaired(
    bytes: &[u8],
    repair: fn(&[u8]) -> Option<Vec<u8>>,
) -> impl Iterator<Item = Vec<u8>> {
    [Some(bytes.to_vec()), repair(bytes)].into_iter().flatten()
}

pub(crate) fn shards(bytes: &[u8]) {
    fn read<G: Playable>(bytes: &[u8]) {
        let path = Path::new("fuzzed");
        if let Ok((header, games)) = shard::decode::<G>(path, bytes) {
            let again = shard::encode(path, &header, &games).expect("what was read is written");
            let again = shard::decode::<G>(path, &again).expect("what was written is read");
            assert!(again == (header, games), "other games than were written");
        }
    }
    for bytes in raw_and_repaired(bytes, checksum_repair::shard) {
        read::<Backgammon>(&bytes);
        read::<Standard>(&bytes);
        read::<Reversi>(&bytes);
        read::<Havannah>(&bytes);
    }
}

type Import = fn(&Path, &Path, BadGames) -> Result<WriteSummary, Error>;

/// Imports games, and checks that their export as JSON lines imports as the same games.
fn check_import<G: Playable>(import: Import, bytes: &[u8]) {
    in_temp_directory(|directory| {
        let [file, lines, set, again] =
            ["file", "lines", "set", "again"].map(|name| directory.join(name));
        fs::write(&file, bytes).expect("room");
        if import(&file, &set, BadGames::Skip).is_ok() {
            let set = ShardReader::<G>::open(&[set]).expect("a set of games");
            json_lines::export(&set, &lines).expect("lines of games");
            json_lines::import::<G>(&lines, &again, BadGames::Refuse).expect("the same set");
            let again = ShardReader::<G>::open(&[again]).expect("a set of games");
            let [first, second] =
                [set, again].map(|set| set.read_games(0, set.games).expect("games"));
            assert!(first == second, "other games than were exported");
        }
    });
}

pub(crate) fn lines(bytes: &[u8]) {
    check_import::<Standard>(json_lines::import::<Standard>, bytes);
    check_import::<Reversi>(json_lines::import::<Reversi>, bytes);
    check_import::<ReversiXt>(json_lines::import::<ReversiXt>, bytes);
    check_import::<Havannah>(json_lines::import::<Havannah>, bytes);
}

/// Fuzz target for import of Parquet files. The Parquet crate panics on some, which import catches.
pub(crate) fn parquet(bytes: &[u8]) {
    check_import::<Standard>(
        |from, to, bad| columns::import::<Standard>(from, to, None, bad),
        bytes,
    );
    check_import::<Reversi>(
        |from, to, bad| columns::import(from, to, Some(&Reversi::EIGHT), bad),
        bytes,
    );
    check_import::<ReversiXt>(
        |from, to, bad| columns::import::<ReversiXt>(from, to, None, bad),
        bytes,
    );
    check_import::<Havannah>(
        |from, to, bad| columns::import::<Havannah>(from, to, None, bad),
        bytes,
    );
}

pub(crate) fn models(bytes: &[u8]) {
    fn read<G: Learnable>(game: &G, bytes: &[u8]) {
        let Ok(file) = ModelFile::from_bytes(game, bytes) else {
            return;
        };
        let model = evaluator_from_bytes(game, &file.to_bytes()).expect("what was written is read");
        for seat in [0, 1] {
            let position = game.random_start(&mut RandomStream::new(1), seat);
            let value = model.value_of(game, &position);
            assert!((0.0..=1.0).contains(&value), "a value of {value}");
        }
    }
    for bytes in raw_and_repaired(bytes, checksum_repair::model) {
        with_every_game!(read, &bytes);
    }
}

pub(crate) fn tables(bytes: &[u8]) {
    for bytes in raw_and_repaired(bytes, checksum_repair::table) {
        in_temp_directory(|directory| {
            fs::write(directory.join("classic-1v1.ends"), &bytes).expect("room");
            let game = Standard::default();
            let Ok(tables) = Tables::open(directory, 2, game.variant(), &run_sequentially) else {
                return;
            };
            let mut random = RandomStream::new(1);
            for _ in 0..9 {
                let position = game.random_endgame([2, 2], 0, &mut random);
                let position = position.expect("an endgame of two stones");
                let _ = tables.probe(&game, &position);
                let value = tables.value_of(&position).expect("it is known");
                assert!((0.0..=1.0).contains(&value), "a value of {value}");
            }
        });
    }
}

/// Resumes a match from a state file; if accepted, resumes its result.
pub(crate) fn states(bytes: &[u8]) {
    let game = Standard::default();
    let [a, b] = ["random", "greedy"].map(|name| Contestant::of(name, &game).expect("a player"));
    for bytes in raw_and_repaired(bytes, checksum_repair::match_state) {
        in_temp_directory(|directory| {
            let state = directory.join("state");
            fs::write(&state, &bytes).expect("room");
            let options = MatchOptions {
                threads: 1,
                state: Some(state),
                ..MatchOptions::new(game.clone(), 2, 1)
            };
            if play_match(&a, &b, &options).is_ok() {
                play_match(&a, &b, &options).expect("it goes on from its own state");
            }
        });
    }
}
