//! Matches that stand beside published ones.
//!
//! Invariant: every match has a state file of its own, named by its label, so that a longer run of
//! the same reproduction goes on where a shorter one stopped.

use super::{
    ReproduceError, Settings,
    comparison::{Comparison, Figure},
};
use crate::arena::{Contestant, MatchOptions, MatchResult, play_match};
use crate::statistics::Interval;
use crate::studies::setups::Setups;
use engine::games::einstein::Standard;
use engine::play::build::PlayerRecipe;
use std::sync::Arc;

/// One match.
#[derive(Clone, Debug)]
pub struct Planned {
    /// What the figure is called.
    pub label: String,
    /// The name of its state file, without its ending.
    pub file: String,
    /// Notations of both players.
    pub players: [String; 2],
    /// Games.
    pub games: u64,
    /// The share of the first as printed, in percent, and over how many games.
    pub published: Option<(f64, u64)>,
    /// Where the stones start.
    pub setups: Setups,
    /// Milliseconds a game takes, about.
    pub milliseconds: f64,
}

/// Seconds of all matches on one thread.
#[must_use]
pub fn seconds(planned: &[Planned]) -> f64 {
    planned
        .iter()
        .map(|one| one.games as f64 * one.milliseconds / 1000.0)
        .sum()
}

/// Plays matches and puts their scores beside the published ones, in percent.
///
/// # Errors
/// If a player does not exist or a match fails.
pub fn play(
    title: &str,
    planned: &[Planned],
    settings: &Settings,
    say: &mut dyn FnMut(&str),
) -> Result<Comparison, ReproduceError> {
    let mut comparison = Comparison {
        title: title.to_owned(),
        unit: "points".to_owned(),
        figures: Vec::new(),
        decimals: 2,
    };
    for one in planned {
        let result = play_one(one, settings)?;
        say(&result.to_string());
        let (published, published_error) = match one.published {
            Some((percent, games)) => Figure::published_share(percent, games),
            None => (None, None),
        };
        comparison.figures.push(Figure {
            label: one.label.clone(),
            published,
            published_error,
            measured: 100.0 * result.score,
            interval: Some(Interval {
                lower: 100.0 * result.interval.lower,
                upper: 100.0 * result.interval.upper,
            }),
            games: result.games,
        });
    }
    Ok(comparison)
}

fn play_one(one: &Planned, settings: &Settings) -> Result<MatchResult, ReproduceError> {
    let [a, b] = [contestant(&one.players[0])?, contestant(&one.players[1])?];
    let options = MatchOptions {
        starts: Arc::new(one.setups.clone()),
        threads: settings.threads,
        state: settings
            .state
            .as_ref()
            .map(|folder| folder.join(format!("{}.jsonl", one.file))),
        progress: true,
        ..MatchOptions::new(Standard::default(), one.games.div_ceil(2), settings.seed)
    };
    Ok(play_match(&a, &b, &options)?)
}

/// A contestant from notation without model files.
fn contestant(notation: &str) -> Result<Contestant<Standard>, ReproduceError> {
    let recipe = PlayerRecipe::parse(notation, &Standard::default())?;
    Ok(Contestant {
        name: recipe.name().to_owned(),
        make: Arc::new(move || recipe.make()),
    })
}
