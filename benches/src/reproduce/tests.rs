//! Parsed tables, plans at full size, differences, and resumed tournaments.

use super::*;
use crate::published::{MonteAlphaLine, monte_alpha_lines, rocknroll_table, star_depth_rows};
use arena::statistics::Interval;
use engine::games::einstein::Standard;
use engine::play::build::PlayerRecipe;
use std::collections::HashSet;

fn settings() -> Settings {
    Settings {
        full: false,
        games: Some(20),
        only: Vec::new(),
        setups: Setups::Random,
        seed: 1,
        threads: 1,
        state: None,
        slice: Default::default(),
    }
}

#[test]
fn published_tables_are_read() {
    let entrants = rocknroll_table().unwrap();
    let percent = |row: usize, column: usize| {
        let won = &entrants[row - 1].percent;
        won.get(&column.to_string()).copied()
    };
    let printed: Vec<usize> = (1..=24)
        .filter(|&row| percent(row, 1).or(percent(row, 2)).is_some())
        .collect();
    assert_eq!(
        printed,
        [1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]
    );
    for (row, column, expected) in [
        (1, 2, Some(11.09)),
        (17, 16, Some(55.15)),
        (8, 8, None),
        (6, 8, None),
    ] {
        assert_eq!(percent(row, column), expected, "{row} {column}");
    }
    for &row in &printed {
        for &column in printed.iter().filter(|&&column| column != row) {
            let sum = percent(row, column).unwrap() + percent(column, row).unwrap();
            assert!((sum - 100.0).abs() < 0.025, "{row} {column}: {sum}");
        }
    }
    let lines = monte_alpha_lines().unwrap();
    assert_eq!(lines.len(), 18);
    assert!(
        lines
            .iter()
            .all(|line| line.percent > 40.0 && line.games >= 400)
    );
    let MonteAlphaLine {
        player,
        games,
        percent,
        ..
    } = &lines[0];
    assert_eq!(
        (&**player, games, percent),
        ("Monte_Alpha(10000 sims)", &400, &40.75)
    );
    let depths = star_depth_rows().unwrap();
    assert_eq!(
        depths.iter().map(|line| line.depth).collect::<Vec<_>>(),
        [0, 1, 2, 3, 4, 5, 6]
    );
    assert_eq!(
        (depths[6].share, depths[6].seconds, depths[6].games),
        (0.8, 134.02, 20)
    );
}

#[test]
fn all_players_exist_and_the_full_tournament_is_the_published_one() {
    let game = Standard::default();
    let full = Settings {
        full: true,
        games: None,
        ..settings()
    };
    let planned = rocknroll::plan(&full).unwrap();
    let is_printed = |one: &&matches::PlannedMatch| one.published.is_some();
    let (printed, others): (Vec<_>, Vec<_>) = planned.iter().partition(is_printed);
    assert_eq!((printed.len(), others.len()), (15 * 14 / 2, 9));
    assert!(printed.iter().all(|one| one.games == 10_240));
    let of_monte_alpha = monte_alpha::plan(&full).unwrap();
    assert_eq!(
        of_monte_alpha.iter().map(|one| one.games).sum::<u64>(),
        13 * 400 + 3 * 15_000 + 2 * 5_000
    );
    let rivals: Vec<_> = of_monte_alpha
        .iter()
        .filter(|one| !one.label.starts_with("table 1"))
        .map(|one| one.players.each_ref().map(String::as_str))
        .collect();
    let [first, second] = ["monte_alpha(sims=240000)", "monte_alpha_v2(sims=240000)"];
    let cut = "uctcut(sims=60000)";
    assert_eq!(
        rivals,
        [
            [first, "greedy"],
            [first, cut],
            [first, "abseval(ms=1200)"],
            [second, first],
            [second, cut]
        ]
    );
    let quick = monte_alpha::plan(&Settings {
        games: None,
        ..settings()
    })
    .unwrap();
    assert!(quick.len() < of_monte_alpha.len() && quick.iter().all(|one| one.games >= 4));
    let full_size = || planned.iter().chain(&of_monte_alpha);
    for player in full_size().chain(&quick).flat_map(|one| &one.players) {
        PlayerRecipe::parse(player, &game).unwrap();
    }
    let files: HashSet<&String> = full_size().map(|one| &one.file).collect();
    assert_eq!(files.len(), planned.len() + of_monte_alpha.len());
    let unknown = Settings {
        only: vec![25],
        ..settings()
    };
    assert_eq!(
        rocknroll::plan(&unknown).unwrap_err().to_string(),
        "Rock'n'Roll's tournament has no player 25; they are numbered 1 to 24"
    );
    assert!(
        seconds(Target::RockNRoll, &full).unwrap() > 3600.0
            && seconds(Target::MonteAlpha, &full).unwrap() > 3600.0
    );
    assert_eq!(Target::from_name(Target::Star.name()), Some(Target::Star));
}

#[test]
fn differences_by_hand() {
    let error = 1.959_963_984_540_054;
    let figure = |published: Option<f64>, measured: f64| Figure {
        label: "x".to_owned(),
        published,
        published_error: published.map(|_| error),
        measured,
        interval: Some(Interval::from_center(measured, error)),
        games: 100,
    };
    let figures = vec![
        figure(Some(50.0), 53.0),
        figure(Some(40.0), 39.0),
        figure(None, 70.0),
    ];
    let comparison = Comparison::new("t", "points", figures, 2);
    assert_eq!(comparison.mean_difference(), Some(2.0));
    // Two standard errors of 1 give one of √2; the mean of |x| is √(2/π) times that.
    assert!(
        (comparison.difference_by_luck().unwrap() - (4.0 / std::f64::consts::PI).sqrt()).abs()
            < 1e-9
    );
    let expected = "mean absolute difference 2.00 points; luck alone would make it 1.13";
    assert!(
        comparison.text().contains(expected),
        "{}",
        comparison.text()
    );
    let even = Figure::default().with_published_percent(50.0, 10_000);
    assert!((even.published_error.unwrap() - 0.98).abs() < 1e-4);
}

#[test]
fn a_small_tournament_resumes_and_lists_its_assumptions() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings {
        only: vec![1, 8, 13],
        state: Some(folder.path().join("state")),
        setups: Setups::product(&[3, 4]),
        ..settings()
    };
    let mut progress_lines = 0;
    let mut play = || {
        let progress = ProgressBar::hidden();
        run(Target::RockNRoll, &settings, &progress, &mut |_| {
            progress_lines += 1
        })
        .unwrap()
    };
    let found = play();
    assert_eq!(found.comparisons[0].figures.len(), 3);
    assert_eq!(found.comparisons[0].figures[0].published, Some(10.02));
    assert_eq!(play(), found);
    let files = std::fs::read_dir(folder.path().join("state")).unwrap();
    assert_eq!((progress_lines, files.count()), (6, 3));
    let text = found.text();
    for part in [
        "left open by the report",
        "16 good set-ups",
        "1 MrRandom – 8 MrBlack(0)",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let json = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<Reproduction>(&json).unwrap(), found);
}

#[test]
fn set_ups_stand_beside_the_published_range() {
    let settings = Settings {
        games: Some(2),
        threads: 2,
        ..settings()
    };
    let progress = ProgressBar::hidden();
    let found = run(Target::Setups, &settings, &progress, &mut |_| {}).unwrap();
    let [lowest, highest] = &found.comparisons[0].figures[..] else {
        panic!("two figures")
    };
    assert_eq!(
        (lowest.published, highest.published),
        (Some(42.0), Some(56.0))
    );
    let of_a_class = 4 * 720 * 2;
    assert!(
        lowest.measured < 50.0 && highest.measured > 50.0 && lowest.games == of_a_class,
        "{found:?}"
    );
}
