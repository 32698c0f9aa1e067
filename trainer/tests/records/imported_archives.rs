//! Archives with resigned, unfinished and damaged games.

use crate::{assert_refused, scratch_paths};
use alea_core::record::Ending;
use alea_play::playable::Playable;
use engine::games::{einstein::Standard, havannah::Havannah, reversi::Reversi};
use std::{collections::BTreeMap, path::Path};
use trainer::Error;
use trainer::data::{
    BadGames, ShardReader, SkippedGames, json_lines, parquet, shard_writer::WriteSummary,
    statistics, transcripts, verify,
};

struct Expected {
    endings: [u64; 5],
    /// Games left out: without a result, damaged, forfeited.
    left_out: [u64; 3],
    problems: &'static [(&'static str, &'static str)],
}

fn check<G: Playable>(
    name: &str,
    expected: &Expected,
    import: impl Fn(&Path, &Path, BadGames) -> Result<WriteSummary, Error>,
) {
    let at = scratch_paths();
    let archives = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records/archives");
    let file = archives.join(name);
    let (first, problem) = expected.problems[0];
    let text = assert_refused(import(&file, &at("no"), BadGames::Refuse), &file, first);
    assert!(
        text.contains(problem) && text.contains("--skip-bad") && !at("no").exists(),
        "{text}"
    );
    let written = import(&file, &at("set"), BadGames::Skip).unwrap();
    let endings: BTreeMap<Ending, u64> = Ending::ALL.into_iter().zip(expected.endings).collect();
    assert_eq!(written.endings, endings);
    assert_eq!(written.games, expected.endings.iter().sum::<u64>());
    let SkippedGames {
        stopped,
        damaged,
        forfeited,
        problems,
    } = &written.left_out;
    assert_eq!([*stopped, *damaged, *forfeited], expected.left_out);
    assert_eq!(problems.len(), expected.problems.len(), "{problems:#?}");
    for (found, (directory, problem)) in problems.iter().zip(expected.problems) {
        let directory = format!("{name}: {directory}: ");
        assert!(
            found.contains(&directory) && found.contains(problem),
            "{found}"
        );
    }
    let set = [at("set")];
    assert_eq!(verify::verify::<G>(&set).unwrap().problems, [""; 0]);
    let source = ShardReader::<G>::open(&set).unwrap();
    assert_eq!(statistics::info(&source).unwrap().endings, endings);
    json_lines::export(&source, &at("set.jsonl")).unwrap();
    parquet::export(&source, &at("set.parquet")).unwrap();
    json_lines::import::<G>(&at("set.jsonl"), &at("lines"), BadGames::Refuse).unwrap();
    parquet::import::<G>(&at("set.parquet"), &at("rows"), None, BadGames::Refuse).unwrap();
    let games = |source: &ShardReader<G>| source.read_games(0, source.games).unwrap();
    for again in ["lines", "rows"] {
        let again = ShardReader::<G>::open(&[at(again)]).unwrap();
        assert!(games(&again) == games(&source));
    }
    let found = verify::verify::<G>(&[at("set.jsonl")]).unwrap();
    assert_eq!((found.problems.len(), found.games), (0, written.games));
    for form in G::registry().transcripts.iter().take(1) {
        transcripts::export(&source, form, &at("again")).unwrap();
        let (file, directory) = (at("again"), at("form"));
        transcripts::import(&source.rules, form, &file, &directory, BadGames::Refuse).unwrap();
        assert!(games(&ShardReader::open(&[directory]).unwrap()) == games(&source));
    }
}

#[test]
fn valid_sgf_games_are_imported() {
    let game = Havannah::new(4, true);
    let expected = Expected {
        endings: [3, 3, 1, 1, 1],
        left_out: [2, 4, 0],
        problems: &[
            ("game 3", "it stops without a result"),
            ("game 4", "line 5"),
            ("game 8", "expected ']', found another game"),
            ("game 10", "the result is a win of the"),
            ("game 12", "it stops without a result"),
            ("game 13", "it ended before its first move"),
        ],
    };
    check::<Havannah>("havannah.sgf", &expected, |file, directory, bad| {
        transcripts::import(
            &game,
            &Havannah::registry().transcripts[0],
            file,
            directory,
            bad,
        )
    });
}

#[test]
fn valid_ggf_games_are_imported() {
    let expected = Expected {
        endings: [3, 1, 1, 2, 1],
        left_out: [2, 3, 0],
        problems: &[
            ("game 5", "it stops without a result"),
            ("game 6", "a1"),
            ("game 8", "expected ']', found another game"),
            ("game 10", "the moves lead to a win of the"),
            ("game 11", "it stops without a result"),
        ],
    };
    check::<Reversi>("reversi.ggf", &expected, |file, directory, bad| {
        transcripts::import(
            &Reversi::SIX,
            &Reversi::registry().transcripts[0],
            file,
            directory,
            bad,
        )
    });
}

#[test]
fn valid_json_lines_games_are_imported() {
    let expected = Expected {
        endings: [2, 1, 1, 1, 1],
        left_out: [1, 6, 1],
        problems: &[
            ("line 6", "it stops without a result"),
            ("line 7", "ply 2"),
            ("line 8", "EOF"),
            ("line 9", "the payoffs contradict the moves"),
            ("line 10", "its moves end it by the rules"),
            ("line 13", "its payoffs are impossible"),
            ("line 15", "it ended before its first move"),
        ],
    };
    check::<Standard>("einstein.jsonl", &expected, json_lines::import::<Standard>);
}
