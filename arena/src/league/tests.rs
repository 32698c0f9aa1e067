//! Leagues of simple players, interrupted and resumed.

use super::*;
use crate::test_players::{contestant, first, greedy_contestant, options as match_options, random};
use crate::{journal_fault_injection, matches::Openings};
use engine::games::{backgammon::Backgammon, einstein::Standard, reversi::Reversi};
use std::{fs, sync::Arc};

fn entrant(name: &str, contestant: Contestant<Standard>) -> Entrant<Standard> {
    Entrant {
        name: name.to_owned(),
        contestant,
        absent: None,
    }
}

fn all() -> Vec<Entrant<Standard>> {
    vec![
        entrant("any", random()),
        entrant("nearest", greedy_contestant()),
        entrant("first", first()),
    ]
}

fn options(max_games: u64) -> LeagueOptions<Standard> {
    LeagueOptions {
        matches: match_options(1, 3),
        step: 5,
        precision: 10.0,
        max_games,
    }
}

fn play(directory: &Path, entrants: &[Entrant<Standard>], max_games: u64) -> LeagueResult {
    play_league(directory, entrants, &options(max_games), |_, _| {}).unwrap()
}

fn pairs(directory: &Path) -> Vec<String> {
    let mut pairs = Vec::new();
    for file in fs::read_dir(directory.join("matches")).unwrap() {
        let path = file.unwrap().path();
        for line in fs::read_to_string(&path).unwrap().lines().skip(1) {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            pairs.push(format!("{} {}", path.display(), line["pair"]));
        }
    }
    pairs.sort();
    pairs
}

#[test]
fn a_league_finds_the_order_and_says_how_sure_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let mut steps = 0;
    let result = play_league(directory.path(), &all(), &options(100_000), |_, _| {
        steps += 1;
        assert!(steps < 1000, "the league does not end");
    });
    let result = result.unwrap();
    assert!(result.settled && steps > 2, "{result:?}");
    let names: Vec<&str> = result.standings.iter().map(|one| &*one.name).collect();
    assert_eq!((names[0], names.len()), ("nearest", 3));
    let games: u64 = result.standings.iter().map(|one| one.games).sum();
    assert_eq!(games, 2 * result.games);
    assert_eq!(result.games, 2 * pairs(directory.path()).len() as u64);
    let groups: Vec<usize> = result.standings.iter().map(|one| one.group).collect();
    assert!(groups[0] == 1 && groups[1] == 2, "{result:?}");
    assert_eq!(result.history.last().unwrap().0, result.games);
}

#[test]
fn a_league_that_was_stopped_goes_on_and_repeats_nothing() {
    let complete = tempfile::tempdir().unwrap();
    let expected = play(complete.path(), &all(), 400);
    let broken = tempfile::tempdir().unwrap();
    play(broken.path(), &all(), 90);
    let state = fs::read_dir(broken.path().join("matches")).unwrap();
    let state = state.map(|file| file.unwrap().path()).max().unwrap();
    let lines = fs::read_to_string(&state).unwrap();
    fs::write(&state, &lines[..lines.len() - 300]).unwrap();
    let again = play(broken.path(), &all(), 400);
    assert_eq!(again, expected);
    let [result, unbroken] = [&broken, &complete].map(|directory| {
        let name = directory.path().display().to_string();
        let pairs = pairs(directory.path()).into_iter();
        pairs
            .map(|pair| pair.replace(&name, ""))
            .collect::<Vec<_>>()
    });
    assert_eq!(result, unbroken);
    let absent = all().into_iter().map(|one| Entrant {
        contestant: Contestant {
            make: contestant::<Standard>("", || panic!("nobody needs to play")).make,
            ..one.contestant
        },
        ..one
    });
    let absent: Vec<_> = absent.collect();
    assert_eq!(play(broken.path(), &absent, 400), expected);
}

#[test]
fn who_is_absent_keeps_its_results_and_others_may_join() {
    let directory = tempfile::tempdir().unwrap();
    let before = play(directory.path(), &all(), 60);
    let mut later = all();
    later[0].absent = Some("it cannot be started".to_owned());
    later.push(entrant("second", first_again()));
    let mut gone = entrant("gone", random());
    gone.absent = Some("it never could".to_owned());
    later.push(gone);
    let after = play(directory.path(), &later, 400);
    let of = |result: &LeagueResult, name: &str| {
        let result = result.standings.iter().find(|one| one.name == name);
        result.unwrap().clone()
    };
    assert_eq!(of(&before, "any").games, of(&after, "any").games);
    assert!(of(&after, "any").elo.is_some());
    assert!(of(&after, "second").games > 0);
    let gone = of(&after, "gone");
    assert_eq!((gone.games, gone.elo), (0, None));
    assert_eq!(gone.absent.as_deref(), Some("it never could"));
    let refused = play_league(directory.path(), &later[1..], &options(400), |_, _| {});
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.starts_with("any has played in this league"),
        "{refused}"
    );
}

fn first_again() -> Contestant<Standard> {
    Contestant {
        name: "second".to_owned(),
        ..first()
    }
}

#[test]
fn impossible_leagues_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    for (entrants, expected) in [
        (
            vec![entrant("one", random())],
            "at least two entrants, not 1",
        ),
        (
            vec![entrant("one", random()), entrant("one", first())],
            "two entrants are called one",
        ),
        (
            vec![entrant("../one", random()), entrant("two", first())],
            "'../one' is no name",
        ),
    ] {
        let refused = play_league(directory.path(), &entrants, &options(10), |_, _| {});
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
    }
    for precision in [f64::NAN, f64::INFINITY, -1.0] {
        let options = LeagueOptions {
            precision,
            ..options(10)
        };
        let refused = play_league(directory.path(), &all(), &options, |_, _| {});
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("it must be at least 0"), "{refused}");
    }
}

#[test]
fn a_league_comes_to_the_same_whichever_line_of_its_files_is_cut_short() {
    let play = |folder: &Path| {
        let matches = MatchOptions {
            records: Some(folder.join("games")),
            threads: 2,
            ..match_options(1, 3)
        };
        let options = LeagueOptions {
            matches,
            step: 2,
            ..options(12)
        };
        play_league(folder, &all(), &options, |_, _| {})
    };
    journal_fault_injection::assert_resumes("league.jsonl", play);
    journal_fault_injection::assert_resumes("matches/nearest--first.jsonl", play);
}

#[test]
fn every_pairing_has_files_of_its_own() {
    let names = [
        "a", "b", "a--b", "b--c", "c", "-", "a-", "-b", "a--", "--b", "a-b",
    ];
    let all: Vec<_> = names
        .iter()
        .flat_map(|a| names.map(|b| file_name(a, b)))
        .collect();
    let different: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!(different.len(), all.len());
    assert_eq!(file_name("a-b", "c d"), "a-b--c d");
}

#[test]
fn games_that_repeat_others_are_counted_apart() {
    let directory = tempfile::tempdir().unwrap();
    let game = Reversi::FOUR;
    let entrant = |name: &str, contestant| Entrant {
        name: name.to_owned(),
        contestant,
        absent: None,
    };
    let searching = Contestant::of("star1(depth=1)", &game).unwrap();
    let entrants = [entrant("first", first()), entrant("searching", searching)];
    let options = LeagueOptions {
        matches: MatchOptions {
            starts: Arc::new(Openings { plies: 1 }),
            threads: 1,
            ..MatchOptions::new(game, 1, 3)
        },
        step: 5,
        precision: 10.0,
        max_games: 100_000,
    };
    let mut steps = 0;
    let count_steps = |_: &LeagueResult, _: Option<&str>| {
        steps += 1;
        assert!(steps < 10, "a pairing without new games is played on");
    };
    let result = play_league(directory.path(), &entrants, &options, count_steps).unwrap();
    let played = 2 * pairs(directory.path()).len() as u64;
    assert!(result.games <= 8 && played >= 10, "{result:?}");
    assert_eq!(result.repeated_games, Some(played - result.games));
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(play(directory.path(), &all(), 20).repeated_games, None);
}

#[test]
fn a_league_for_points_has_them_for_entrants_and_pairings() {
    let directory = tempfile::tempdir().unwrap();
    let entrants = [("one", first()), ("two", random())].map(|(name, contestant)| Entrant {
        name: name.to_owned(),
        contestant,
        absent: None,
    });
    let options = LeagueOptions {
        matches: MatchOptions::new(Backgammon, 1, 3),
        step: 10,
        precision: 10.0,
        max_games: 60,
    };
    let result = play_league(directory.path(), &entrants, &options, |_, _| {}).unwrap();
    let pairing = &result.pairings[0];
    let points = pairing.points.clone().unwrap();
    // A payoff of 1 is a backgammon, three points, and one of 0 a lost one.
    assert!((points.mean - (6.0 * pairing.score - 3.0)).abs() < 1e-9);
    assert!(points.interval.half_width() > 0.0 && points.unit == "points");
    for one in &result.standings {
        let own = one.points.clone().unwrap();
        let expected = match one.name == pairing.a {
            true => points.clone(),
            false => points.clone().negated(),
        };
        assert!((own.mean - expected.mean).abs() < 1e-9, "{result:?}");
        assert!((own.interval.lower - expected.interval.lower).abs() < 1e-9);
    }
    let json = serde_json::to_string(&result).unwrap();
    assert_eq!(serde_json::from_str::<LeagueResult>(&json).unwrap(), result);
    let plain = tempfile::tempdir().unwrap();
    let json = serde_json::to_string(&play(plain.path(), &all(), 60)).unwrap();
    assert!(!json.contains("points"), "{json}");
}
