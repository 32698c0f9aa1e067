//! The published tables as they are read, plans as large as published, differences by hand,
//! tournaments that go on.

use super::{
    published::{MonteAlphaLine, monte_alpha, rocknroll, star_depth},
    *,
};
use crate::statistics::Interval;
use engine::games::einstein::Standard;
use engine::play::build::PlayerRecipe;

fn settings() -> Settings {
    Settings {
        full: false,
        games: Some(20),
        only: Vec::new(),
        setups: Setups::Random,
        seed: 1,
        threads: 1,
        state: None,
    }
}

#[test]
fn published_tables_are_read() {
    let matrix = rocknroll().unwrap();
    assert_eq!(
        matrix.numbers,
        [1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]
    );
    assert_eq!(
        (
            matrix.of(1, 2),
            matrix.of(17, 16),
            matrix.of(8, 8),
            matrix.of(6, 8)
        ),
        (Some(11.09), Some(55.15), None, None)
    );
    for &row in &matrix.numbers {
        for &column in matrix.numbers.iter().filter(|&&column| column != row) {
            let sum = matrix.of(row, column).unwrap() + matrix.of(column, row).unwrap();
            assert!((sum - 100.0).abs() < 0.025, "{row} {column}: {sum}");
        }
    }
    let lines = monte_alpha().unwrap();
    assert_eq!(lines.len(), 18);
    assert!(
        lines
            .iter()
            .all(|line| line.percent > 40.0 && line.games >= 400)
    );
    assert_eq!(
        lines[0],
        MonteAlphaLine {
            table: 1,
            player: "Monte_Alpha(10000 sims)".into(),
            opponent: "Greedy".into(),
            games: 400,
            percent: 40.75
        }
    );
    let depths = star_depth().unwrap();
    assert_eq!(
        depths.iter().map(|line| line.depth).collect::<Vec<_>>(),
        [0, 1, 2, 3, 4, 5, 6]
    );
    assert_eq!(
        (depths[6].percent, depths[6].seconds, depths[6].games),
        (80.0, 134.02, 20)
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
    assert_eq!(
        planned.iter().filter(|one| one.published.is_some()).count(),
        15 * 14 / 2
    );
    assert_eq!(
        planned.iter().filter(|one| one.published.is_none()).count(),
        9
    );
    assert!(
        planned
            .iter()
            .all(|one| one.published.is_none() || one.games == 10_240)
    );
    let of_monte_alpha = monte_alpha::plan(&full).unwrap();
    assert_eq!(
        of_monte_alpha.iter().map(|one| one.games).sum::<u64>(),
        13 * 400 + 3 * 15_000 + 2 * 5_000
    );
    // 1.2 seconds at the printed 200,000 and 50,000 simulations a second.
    let rivals: Vec<_> = of_monte_alpha
        .iter()
        .filter(|one| !one.label.starts_with("table 1"))
        .map(|one| one.players.clone())
        .collect();
    let rivals: Vec<_> = rivals
        .iter()
        .map(|[one, other]| [one.as_str(), other.as_str()])
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
    for player in planned
        .iter()
        .chain(&of_monte_alpha)
        .chain(&quick)
        .flat_map(|one| &one.players)
    {
        PlayerRecipe::parse(player, &game).unwrap();
    }
    let files: std::collections::HashSet<&String> = planned
        .iter()
        .chain(&of_monte_alpha)
        .map(|one| &one.file)
        .collect();
    assert_eq!(files.len(), planned.len() + of_monte_alpha.len());
    assert!(matches!(
        rocknroll::plan(&Settings {
            only: vec![25],
            ..settings()
        }),
        Err(ReproduceError::NoPlayer(25))
    ));
    assert!(
        seconds(Target::RockNRoll, &full).unwrap() > 3600.0
            && seconds(Target::MonteAlpha, &full).unwrap() > 3600.0
    );
    for target in Target::ALL {
        assert_eq!(target.name().parse(), Ok(target));
    }
}

#[test]
fn differences_by_hand() {
    let interval = |measured: f64, half: f64| {
        Some(Interval {
            lower: measured - half,
            upper: measured + half,
        })
    };
    let figure = |published: Option<f64>, measured: f64| Figure {
        label: "x".to_owned(),
        published,
        published_error: published.map(|_| 1.959_963_984_540_054),
        measured,
        interval: interval(measured, 1.959_963_984_540_054),
        games: 100,
    };
    let figures = vec![
        figure(Some(50.0), 53.0),
        figure(Some(40.0), 39.0),
        figure(None, 70.0),
    ];
    let comparison = Comparison {
        title: "t".to_owned(),
        unit: "points".to_owned(),
        figures,
        decimals: 2,
    };
    assert_eq!(comparison.mean_difference(), Some(2.0));
    // Two standard errors of 1 make one of √2, and the mean of |x| is √(2/π) times that.
    assert!(
        (comparison.difference_by_luck().unwrap() - (4.0 / std::f64::consts::PI).sqrt()).abs()
            < 1e-9
    );
    assert!(
        comparison
            .text()
            .contains("mean absolute difference 2.00 points; luck alone would make it 1.13"),
        "{}",
        comparison.text()
    );
    // 1.96 √(0.25 / 10,000) is 0.98 %.
    assert!((Figure::published_share(50.0, 10_000).1.unwrap() - 0.98).abs() < 1e-4);
}

#[test]
fn a_small_tournament_resumes_and_says_what_it_assumes() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings {
        only: vec![1, 8, 13],
        state: Some(folder.path().join("state")),
        setups: Setups::product(&[3, 4]),
        ..settings()
    };
    let mut said = 0;
    let mut play = || {
        run(
            Target::RockNRoll,
            &settings,
            &ProgressBar::hidden(),
            &mut |_| said += 1,
        )
        .unwrap()
    };
    let found = play();
    assert_eq!(found.comparisons[0].figures.len(), 3);
    assert_eq!(found.comparisons[0].figures[0].published, Some(10.02));
    assert_eq!(play(), found);
    assert_eq!(
        (
            said,
            std::fs::read_dir(folder.path().join("state"))
                .unwrap()
                .count()
        ),
        (6, 3)
    );
    let text = found.text();
    assert!(
        text.contains("left open by the report")
            && text.contains("16 good set-ups")
            && text.contains("1 MrRandom – 8 MrBlack(0)"),
        "{text}"
    );
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
    let found = run(
        Target::Setups,
        &settings,
        &ProgressBar::hidden(),
        &mut |_| {},
    )
    .unwrap();
    let [lowest, highest] = &found.comparisons[0].figures[..] else {
        panic!("two figures")
    };
    assert_eq!(
        (lowest.published, highest.published),
        (Some(42.0), Some(56.0))
    );
    assert!(
        lowest.measured < 50.0 && highest.measured > 50.0 && lowest.games == 2 * 719,
        "{found:?}"
    );
}
