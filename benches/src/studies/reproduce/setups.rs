//! Rock'n'Roll's study of set-ups: all 720 against all, 20 games a pairing, MrMonte(0, 200,
//! MrBlack(0)) on both sides.
//!
//! Invariant: at the quick size the games are as many, but the player is the one that MrMonte
//! simulates.

use super::{
    Settings, Target,
    comparison::{Claim, Comparison, Figure, Reproduction},
};
use crate::arena::in_folder;
use crate::error::Result;
use crate::studies::setup_study::{self, StudyResult, design::MOST_OPPONENTS, result::SetupRate};
use engine::games::einstein::{Standard, setup::setup_stones};
use engine::play::build::PlayerRecipe;
use indicatif::ProgressBar;

/// The published player, and the one of the quick size, with milliseconds of a game.
const PLAYERS: [(&str, f64); 2] = [
    ("MrMonte(0, 200, MrBlack(0))", 240.0),
    ("MrBlack(0)", 0.012),
];
const GAMES: u64 = 20;

/// Seconds on one thread.
pub(super) fn seconds(settings: &Settings) -> f64 {
    let pairings = (720 * MOST_OPPONENTS / 2) as f64;
    pairings * settings.games.unwrap_or(GAMES) as f64 * PLAYERS[usize::from(!settings.full)].1
        / 1000.0
}

pub(super) fn run(settings: &Settings, progress: &ProgressBar) -> Result<Reproduction> {
    let game = Standard::default();
    let recipe = PlayerRecipe::parse(PLAYERS[usize::from(!settings.full)].0, &game)?;
    let study = setup_study::Settings {
        game,
        pairs: settings
            .games
            .unwrap_or(GAMES)
            .div_ceil(2)
            .clamp(1, u64::from(u32::MAX)) as u32,
        opponents: MOST_OPPONENTS,
        seed: settings.seed,
        threads: settings.threads,
        state: settings.state.as_deref().map(|folder| {
            let size = if settings.full { "full" } else { "quick" };
            in_folder(folder, &format!("setups-{size}"))
        }),
    };
    let result = setup_study::run(&recipe, &study, progress)?;
    Ok(reproduction(&result, settings.full))
}

fn reproduction(result: &StudyResult, full: bool) -> Reproduction {
    let setups = || result.setups.iter();
    let highest = setups().max_by(|left, right| left.score.total_cmp(&right.score));
    let lowest = setups().max_by(|left, right| right.score.total_cmp(&left.score));
    let figure = |label: &str, published: f64, rate: Option<&SetupRate>| Figure {
        interval: rate.map(|rate| rate.interval.map(|end| 100.0 * end)),
        games: rate.map_or(0, |rate| 2 * rate.pair_counts.pairs()),
        ..Figure::plain(
            label.to_owned(),
            published,
            100.0 * rate.map_or(0.5, |rate| rate.score),
        )
    };
    let corner = mean_rate(result, |steps| steps.contains(&0));
    let front = mean_rate(result, |steps| steps == [2, 2]);
    let both_extremes = |setups: &[usize]| {
        let places = |setup: &usize| steps(*setup, 1) + steps(*setup, 6);
        setups.iter().map(places).sum::<usize>() as f64 / (2 * setups.len().max(1)) as f64
    };
    let figures = vec![
        figure("lowest of 720", 42.0, lowest),
        figure("highest of 720", 56.0, highest),
    ];
    let size = if full {
        "20 games are ten pairs with the same dice".to_owned()
    } else {
        let player = &result.player;
        format!("quick: {player} plays instead of MrMonte(0, 200, MrBlack(0))")
    };
    Reproduction {
        comparisons: vec![Comparison::new("win % of a set-up", "points", figures, 1)],
        claims: vec![Claim::new(
            "good set-ups keep 1 and 6 in the back, bad ones put them in front",
            format!(
                "steps from the corner (0 to 2) to 1 and 6: {:.2} on average in the best 16, {:.2} in the worst 16; \
                 1 or 6 in the corner {:.2} %, both on the front line {:.2} %",
                both_extremes(result.best(16)),
                both_extremes(result.worst(16)),
                100.0 * corner,
                100.0 * front
            ),
        )],
        ..Reproduction::of(
            Target::Setups,
            "Rock'n'Roll (A. Schäfer, Jena 2006), study of set-ups: 720 against 720, 20 games each",
            full,
            &[
                "whether a set-up's rate is over both sides and both beginners is not said; here it is, and its 719 opponents count the same",
                "the order in which equal moves are tried is not printed; here the diagonal step comes first",
                "the extremes of 720 rates lie further apart than the true ones by luck, here as there",
                &size,
            ],
        )
    }
}

/// Steps from the corner to the square of a stone: 0 in the corner, 2 on the front line.
fn steps(setup: usize, stone: u8) -> usize {
    let stones = setup_stones(setup, 6);
    let place = stones.iter().position(|&other| other == stone);
    [0, 1, 2, 1, 2, 2][place.unwrap_or(0)]
}

/// The mean rate of set-ups whose 1 and 6 are so many steps from the corner.
fn mean_rate(result: &StudyResult, wanted: impl Fn([usize; 2]) -> bool) -> f64 {
    let is_wanted = |rate: &&SetupRate| wanted([1, 6].map(|stone| steps(rate.setup, stone)));
    let rates = result.setups.iter().filter(is_wanted);
    let rates: Vec<f64> = rates.map(|rate| rate.score).collect();
    rates.iter().sum::<f64>() / rates.len().max(1) as f64
}
