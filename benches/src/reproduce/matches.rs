//! Matches of published tables. State files are named by match, so that a longer run extends a
//! shorter one.

use super::{
    Settings,
    comparison::{Comparison, Figure},
};
use arena::error::Result;
use arena::matches::{Contestant, MatchOptions, play_match, state_path};
use arena::setup_starts::Setups;
use cli::progress_bar;
use engine::games::einstein::Standard;
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct PlannedMatch {
    pub label: String,
    pub file: String,
    pub players: [String; 2],
    pub games: u64,
    /// Printed score of the first player in percent, and printed number of games.
    pub published: Option<(f64, u64)>,
    pub setups: Setups,
    pub milliseconds: f64,
}

pub(super) fn seconds(planned: &[PlannedMatch]) -> f64 {
    planned
        .iter()
        .map(|one| one.games as f64 * one.milliseconds / 1000.0)
        .sum()
}

pub(super) fn play(
    title: &str,
    planned: &[PlannedMatch],
    settings: &Settings,
    report: &mut dyn FnMut(&str),
) -> Result<Comparison> {
    let game = Standard::default();
    let folder = settings.state.as_deref();
    let mut figures = Vec::new();
    for one in planned {
        let [a, b] = one.players.each_ref();
        let (a, b) = (Contestant::of(a, &game)?, Contestant::of(b, &game)?);
        let options = MatchOptions {
            starts: Arc::new(one.setups.clone()),
            threads: settings.threads,
            state: folder.map(|folder| state_path(folder, &one.file)),
            slice: settings.slice,
            progress: Some(|| progress_bar("pairs")),
            ..MatchOptions::new(game.clone(), one.games.div_ceil(2), settings.seed)
        };
        let result = play_match(&a, &b, &options)?;
        report(&result.to_string());
        let figure = Figure {
            label: one.label.clone(),
            measured: 100.0 * result.score,
            interval: Some(result.interval.map_ends(|end| 100.0 * end)),
            games: result.games,
            ..Figure::default()
        };
        figures.push(match one.published {
            Some((percent, games)) => figure.with_published_percent(percent, games),
            None => figure,
        });
    }
    Ok(Comparison::new(title, "points", figures, 2))
}
