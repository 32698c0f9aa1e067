//! Rock'n'Roll's study: each of the 720 set-ups against each, 20 games per pair, by MrMonte(0, 200,
//! MrBlack(0)) on both sides. The quick size has as many games, by MrBlack(0).

use super::{
    Settings, Target,
    comparison::{Claim, Comparison, Figure, Reproduction},
};
use crate::setup_values::{
    self, NUM_MEETINGS,
    analysis::{ClassValue, SetupValues},
    game_runners::FullGameRunner,
};
use arena::error::Result;
use arena::matches::state_path;
use arena::statistics::{Interval, QUANTILE_95};
use engine::games::einstein::Standard;
use engine::play::build::PlayerRecipe;
use indicatif::ProgressBar;

/// Player at full and at quick size, with milliseconds per game.
const PLAYERS: [(&str, f64); 2] = [
    ("MrMonte(0, 200, MrBlack(0))", 240.0),
    ("MrBlack(0)", 0.012),
];
const NUM_GAMES: u64 = 20;

/// Games of a meeting, which stands for four pairs of set-ups, each begun by either side.
fn games(settings: &Settings) -> u64 {
    (4 * settings.games_or([NUM_GAMES; 2])).clamp(2, u64::from(u32::MAX) - 1)
}

pub(super) fn seconds(settings: &Settings) -> f64 {
    (NUM_MEETINGS * games(settings)) as f64 * settings.full_or_quick(PLAYERS).1 / 1000.0
}

pub(super) fn run(settings: &Settings, progress: &ProgressBar) -> Result<Reproduction> {
    let game = Standard::default();
    let recipe = PlayerRecipe::parse(settings.full_or_quick(PLAYERS).0, &game)?;
    let study = setup_values::Settings {
        game: game.clone(),
        games: games(settings) as u32,
        seed: settings.seed,
        threads: settings.threads,
        state: settings.state.as_deref().map(|folder| {
            state_path(
                folder,
                settings.full_or_quick(["setups-full", "setups-quick"]),
            )
        }),
        slice: settings.slice,
        better: None,
    };
    let games = FullGameRunner {
        game,
        players: [recipe.clone(), recipe],
        luck: None,
    };
    Ok(match setup_values::study_games(&games, &study, progress)? {
        Some(found) => reproduction(&found.setup_values, settings.full),
        None => Reproduction::of(Target::Setups, settings.full, ""),
    })
}

fn reproduction(result: &SetupValues, full: bool) -> Reproduction {
    let classes = &result.classes;
    let error = result.fit.as_ref().map_or(0.0, |fit| fit.class_error) / 2.0_f64.sqrt();
    let figure = |label: &str, published: f64, class: Option<&ClassValue>| {
        let score = class.map_or(0.5, |class| class.score);
        let interval = Interval::from_center(score, QUANTILE_95 * error);
        Figure {
            interval: Some(interval.map_ends(|end| 100.0 * end)),
            games: 2 * result.games / classes.len().max(1) as u64,
            ..Figure::without_interval(label.to_owned(), published, 100.0 * score)
        }
    };
    let corner = mean_score(result, |steps| steps.contains(&0));
    let front = mean_score(result, |steps| steps == [2, 2]);
    let both_extremes = |classes: &[ClassValue]| {
        let progress_of = |class: &ClassValue| corner_steps(class).iter().sum::<usize>();
        classes.iter().map(progress_of).sum::<usize>() as f64 / (2 * classes.len().max(1)) as f64
    };
    let figures = vec![
        figure("lowest of 720", 42.0, classes.last()),
        figure("highest of 720", 56.0, classes.first()),
    ];
    let size = if full {
        "as many games in all, each with dice of its own".to_owned()
    } else {
        let player = &result.source;
        format!("quick: {player} plays instead of MrMonte(0, 200, MrBlack(0))")
    };
    Reproduction {
        comparisons: vec![Comparison::new("win % of a set-up", "points", figures, 1)],
        claims: vec![Claim::new(
            "good set-ups keep 1 and 6 in the back, bad ones put them in front",
            format!(
                "steps from the corner (0 to 2) to 1 and 6: {:.2} on average in the best 4 classes of four, {:.2} in the worst 4; \
                 1 or 6 in the corner {:.2} %, both on the front line {:.2} %",
                both_extremes(&classes[..classes.len().min(4)]),
                both_extremes(&classes[classes.len().saturating_sub(4)..]),
                100.0 * corner,
                100.0 * front
            ),
        )],
        ..Reproduction::of(Target::Setups, full, &size)
    }
}

/// Distances of stones 1 and 6 from the corner (0) up to the front line (2); up to order alike for
/// all set-ups of a class.
fn corner_steps(class: &ClassValue) -> [usize; 2] {
    let order = class.orders.first();
    ['1', '6']
        .map(|stone| [0, 1, 2, 1, 2, 2][order.and_then(|order| order.find(stone)).unwrap_or(0)])
}

fn mean_score(result: &SetupValues, includes: impl Fn([usize; 2]) -> bool) -> f64 {
    let classes = result
        .classes
        .iter()
        .filter(|class| includes(corner_steps(class)));
    let scores: Vec<f64> = classes.map(|class| class.score).collect();
    scores.iter().sum::<f64>() / scores.len().max(1) as f64
}
