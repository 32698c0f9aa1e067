//! The study's table by hand on three pairings; threads and interruptions change nothing.

use super::*;
use crate::studies::setup_study::{classes::Classes, result::order};
use std::fs;

fn settings() -> Settings {
    Settings {
        game: Standard::default(),
        pairs: 1,
        opponents: 3,
        seed: 5,
        threads: 1,
        state: None,
    }
}

fn try_study(settings: &Settings) -> Result<StudyResult> {
    let recipe = PlayerRecipe::parse("MrBlack(0)", &settings.game).unwrap();
    run(&recipe, settings, &ProgressBar::hidden())
}

fn study(settings: &Settings) -> StudyResult {
    try_study(settings).unwrap()
}

#[test]
fn the_table_by_hand_on_a_tiny_subset() {
    // Three pairings, two pairs each: 3 against 9 (one split, one won), 9 against 700 (two lost),
    // 700 against 3 (split twice).
    let pairings = [[3, 9], [9, 700], [700, 3]];
    let chunks = [
        Chunk {
            counts: vec![[1, 1], [0, 0]],
            first_mover: [1, 2, 1],
            plies: 70,
        },
        Chunk {
            counts: vec![[2, 0]],
            first_mover: [0, 1, 1],
            plies: 50,
        },
    ];
    let settings = Settings {
        pairs: 2,
        ..settings()
    };
    let result = StudyResult::of("x", &settings, &pairings, chunks.iter());
    let counts = |setup: usize| {
        let counts = result.setups[setup].pair_counts;
        [counts.lost, counts.split, counts.won]
    };
    assert_eq!(
        (counts(3), counts(9), counts(700)),
        ([0, 3, 1], [3, 1, 0], [0, 2, 2])
    );
    let scores = [3, 9, 700].map(|setup: usize| result.setups[setup].score);
    assert_eq!(scores, [0.625, 0.125, 0.75]);
    assert_eq!((result.games, result.mean_plies), (12, 10.0));
    // (3 split + 2 won) of 6 pairs: 7 of 12 games.
    assert!((result.first_mover_share - 7.0 / 12.0).abs() < 1e-12);
    assert_eq!((result.best(1), result.worst(1)), (&[700][..], &[9][..]));
    let classes = Classes::new();
    for member in classes.members[classes.of[700]] {
        assert_eq!(
            result.setups[member].class_score, 0.75,
            "nobody else of the class has played"
        );
    }
    assert_eq!(result.mix, None);
    assert_eq!([&order(3), &result.setups[3].order], ["123564"; 2]);
}

#[test]
fn threads_and_interruptions_change_nothing() {
    let whole = study(&settings());
    let with_two = |settings: &Settings| {
        study(&Settings {
            threads: 2,
            ..settings.clone()
        })
    };
    assert_eq!(with_two(&settings()), whole);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let stored = Settings {
        state: Some(path.clone()),
        ..settings()
    };
    assert_eq!(study(&stored), whole);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 1 + 1080_usize.div_ceil(CHUNK));
    fs::write(&path, &text[..text.len() / 3]).unwrap();
    assert_eq!(with_two(&stored), whole);
    assert_eq!(study(&stored), whole, "nothing is left to play");
    let other = try_study(&Settings { seed: 6, ..stored });
    let other = other.unwrap_err().to_string();
    assert!(other.contains("its seed is 5, not 6"), "{other}");
}

#[test]
fn rates_average_half_and_classes_stay_together() {
    let result = study(&settings());
    assert_eq!(result.games, 720 * 3);
    let mean =
        |score: fn(&result::SetupRate) -> f64| result.setups.iter().map(score).sum::<f64>() / 720.0;
    assert!(
        (mean(|rate| rate.score) - 0.5).abs() < 1e-12
            && (mean(|rate| rate.class_score) - 0.5).abs() < 1e-12
    );
    let classes: Vec<usize> = result
        .ranking
        .iter()
        .map(|&setup| result.setups[setup].class)
        .collect();
    assert!(
        classes
            .chunks(4)
            .all(|four| four.iter().all(|class| *class == four[0]))
    );
    assert!(
        result
            .ranking
            .windows(2)
            .all(|pair| result.setups[pair[0]].class_score >= result.setups[pair[1]].class_score)
    );
    assert!(
        result.symmetry_ratio > 0.5 && result.symmetry_ratio < 1.5,
        "{}",
        result.symmetry_ratio
    );
    let drawn = draw::text(&result, result.best(16));
    assert_eq!(drawn.lines().count(), 9, "{drawn}");
    assert_eq!(
        draw::svg(&result, 16).matches("<circle").count(),
        2 * 16 * 6
    );
}

#[test]
fn all_against_all_gives_a_mix() {
    let result = study(&Settings {
        opponents: design::MOST_OPPONENTS,
        threads: 2,
        ..settings()
    });
    let mix = result.mix.unwrap();
    assert!((mix.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    assert!(
        mix.exploitability < 2e-3 && mix.exploitability < mix.exploitability_of_random,
        "{mix:?}"
    );
    assert!(mix.exploitability <= mix.exploitability_of_best + 1e-3);
    for members in Classes::new().members {
        assert!(
            members
                .iter()
                .all(|&member| mix.shares[member] == mix.shares[members[0]])
        );
    }
}
