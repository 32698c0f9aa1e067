//! Measures published tables again, with intervals and mean differences.
//!
//! Sources: Rock'n'Roll (Schäfer 2006), a Star1 agent in C++ (NTU), Monte_Alpha (Electronics 2023,
//! 12(13), 2936), ReversiXT (RWTH Aachen 2016).

mod comparison;
mod matches;
mod monte_alpha;
mod reversixt;
mod rocknroll;
mod searches;
mod setup_study;

use crate::NamedValue;
use arena::error::Result;
use arena::matches::make_folder;
use arena::setup_starts::Setups;
pub use comparison::{Claim, Comparison, Figure, Reproduction};
use engine::core::job_array::TaskSlice;
use indicatif::ProgressBar;
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    RockNRoll,
    Setups,
    Star,
    Depth,
    Table,
    ReversiXt,
    MonteAlpha,
}

impl NamedValue for Target {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("rocknroll", Self::RockNRoll),
        ("setups", Self::Setups),
        ("star", Self::Star),
        ("depth", Self::Depth),
        ("table", Self::Table),
        ("reversixt", Self::ReversiXt),
        ("monte_alpha", Self::MonteAlpha),
    ];
}

impl Target {
    pub fn has_charts(self) -> bool {
        self == Self::ReversiXt
    }
}

#[derive(Clone)]
pub struct Settings {
    /// True plays as many games as published; false takes about a minute.
    pub full: bool,
    /// Number of games, overriding the one by `full`.
    pub games: Option<u64>,
    /// Numbers of the players in Rock'n'Roll's tournament that play; empty for all.
    pub only: Vec<u32>,
    pub setups: Setups,
    pub seed: u64,
    pub threads: usize,
    pub state: Option<PathBuf>,
    pub slice: TaskSlice,
}

impl Settings {
    fn full_or_quick<T>(&self, [full, quick]: [T; 2]) -> T {
        if self.full { full } else { quick }
    }

    fn games_or(&self, sizes: [u64; 2]) -> u64 {
        self.games.unwrap_or(self.full_or_quick(sizes))
    }
}

/// Measures the published tables of `target` again. `report` gets a line after each match, if the
/// target plays matches.
pub fn run(
    target: Target,
    settings: &Settings,
    progress: &ProgressBar,
    report: &mut dyn FnMut(&str),
) -> Result<Reproduction> {
    make_folder(settings.state.as_deref())?;
    match target {
        Target::RockNRoll => rocknroll::run(settings, report),
        Target::Setups => setup_study::run(settings, progress),
        Target::Star => searches::reproduce_star(settings, progress),
        Target::Depth => searches::reproduce_depth(settings, progress, report),
        Target::Table => searches::reproduce_table(settings, progress),
        Target::ReversiXt => reversixt::run(settings, progress),
        Target::MonteAlpha => monte_alpha::run(settings, report),
    }
}

pub fn seconds(target: Target, settings: &Settings) -> Result<f64> {
    Ok(match target {
        Target::RockNRoll => matches::seconds(&rocknroll::plan(settings)?),
        Target::MonteAlpha => matches::seconds(&monte_alpha::plan(settings)?),
        Target::Setups => setup_study::seconds(settings),
        Target::ReversiXt => reversixt::seconds(settings),
        Target::Star | Target::Depth | Target::Table => searches::seconds(target, settings),
    })
}

#[cfg(test)]
mod tests;
