//! Published tables measured again: each figure as printed beside ours, with intervals and the mean
//! difference.
//!
//! Sources: Rock'n'Roll (Schäfer 2006), a Star1 agent in C++ (NTU), Monte_Alpha (Electronics 2023,
//! 12(13), 2936); their figures are in `benches/published` and `search_bench/presets.rs`. Matches
//! are those of the arena, searches those of [`crate::search_bench`]. Every reproduction lists the
//! assumptions where the report is silent.

mod comparison;
mod matches;
mod monte_alpha;
mod reversixt;
mod rocknroll;
mod searches;
mod setups;

use crate::NamedValue;
use arena::error::Result;
use arena::matches::make_folder;
use arena::setups::Setups;
pub use comparison::{Claim, Comparison, Figure, Reproduction};
use engine::core::task_slice::TaskSlice;
use indicatif::ProgressBar;
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    RockNRoll,
    Setups,
    /// Leaf counts of the Star1 agent.
    Star,
    /// Depth against time and strength of the Star1 agent.
    Depth,
    Table,
    /// Minimax, alpha-beta and max^n, with their fraction of evaluation time.
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
    /// True for studies with CSV and a chart.
    pub fn has_pictures(self) -> bool {
        self == Self::ReversiXt
    }
}

#[derive(Clone)]
pub struct Settings {
    /// The published number of games instead of about a minute's.
    pub full: bool,
    /// Games a match instead of those of `full`.
    pub games: Option<u64>,
    /// Numbers of Rock'n'Roll's players; empty: all.
    pub only: Vec<u32>,
    /// Set-ups of Rock'n'Roll's tournament.
    pub setups: Setups,
    pub seed: u64,
    /// Worker threads; 0 = all cores.
    pub threads: usize,
    /// Folder of finished games.
    pub state: Option<PathBuf>,
    /// The games of this task; a task prints no result.
    pub slice: TaskSlice,
}

impl Settings {
    fn full_or_quick<T>(&self, [full, quick]: [T; 2]) -> T {
        if self.full { full } else { quick }
    }

    /// Games of a match with these full and quick sizes.
    fn games_or(&self, sizes: [u64; 2]) -> u64 {
        self.games.unwrap_or(self.full_or_quick(sizes))
    }
}

/// Reproduces a table; `report` gets every finished part.
pub fn run(
    target: Target,
    settings: &Settings,
    progress: &ProgressBar,
    report: &mut dyn FnMut(&str),
) -> Result<Reproduction> {
    make_folder(settings.state.as_deref())?;
    match target {
        Target::RockNRoll => rocknroll::run(settings, report),
        Target::Setups => setups::run(settings, progress),
        Target::Star => searches::star(settings, progress),
        Target::Depth => searches::depth(settings, progress, report),
        Target::Table => searches::table(settings, progress),
        Target::ReversiXt => reversixt::run(settings, progress),
        Target::MonteAlpha => monte_alpha::run(settings, report),
    }
}

/// Estimated seconds of a reproduction on one thread of the reference machine.
pub fn seconds(target: Target, settings: &Settings) -> Result<f64> {
    Ok(match target {
        Target::RockNRoll => matches::seconds(&rocknroll::plan(settings)?),
        Target::MonteAlpha => matches::seconds(&monte_alpha::plan(settings)?),
        Target::Setups => setups::seconds(settings),
        Target::ReversiXt => reversixt::seconds(settings),
        Target::Star | Target::Depth | Target::Table => searches::seconds(target, settings),
    })
}

#[cfg(test)]
mod tests;
