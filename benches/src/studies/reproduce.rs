//! Published tables measured again: each figure as printed beside ours, with intervals and the mean
//! difference.
//!
//! Sources: Rock'n'Roll (Schäfer 2006), a Star1 agent in C++ (NTU), Monte_Alpha (Electronics 2023,
//! 12(13), 2936); their figures stand in `published/` and `search_bench/presets.rs`. Matches are
//! those of the arena, searches those of [`crate::studies::search_bench`]. Invariant: every reproduction
//! says what the report leaves open and what was assumed.

pub mod comparison;
pub mod matches;
pub mod monte_alpha;
pub mod published;
pub mod reversixt;
pub mod rocknroll;
pub mod searches;
pub mod setups;

use crate::arena::ArenaError;
use crate::studies::{
    search_bench::SearchBenchError,
    setup_study::StudyError,
    setups::{Setups, SetupsError},
    suite::SuiteError,
};
pub use comparison::{Claim, Comparison, Figure, Reproduction};
use engine::play::notation::PlayerError;
use indicatif::ProgressBar;
use std::{path::PathBuf, str::FromStr};

/// What is reproduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The 24-player tournament of Rock'n'Roll.
    RockNRoll,
    /// Rock'n'Roll's study of set-ups.
    Setups,
    /// Leaf counts of the Star1 agent: Star0, Star0.5, Star1, table.
    Star,
    /// Depth against time and strength of the Star1 agent.
    Depth,
    /// Rock'n'Roll's study of table sizes.
    Table,
    /// Minimax, alpha-beta and max^n on ReversiXT with the share of time spent evaluating.
    ReversiXt,
    /// Monte_Alpha's tables.
    MonteAlpha,
}

impl Target {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::RockNRoll,
        Self::Setups,
        Self::Star,
        Self::Depth,
        Self::Table,
        Self::ReversiXt,
        Self::MonteAlpha,
    ];

    /// Whether it also comes as CSV and as a chart.
    #[must_use]
    pub fn has_pictures(self) -> bool {
        self == Self::ReversiXt
    }

    /// The name in arguments and results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::RockNRoll => "rocknroll",
            Self::Setups => "setups",
            Self::Star => "star",
            Self::Depth => "depth",
            Self::Table => "table",
            Self::ReversiXt => "reversixt",
            Self::MonteAlpha => "monte_alpha",
        }
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|target| target.name() == text)
            .ok_or_else(|| format!("'{text}' cannot be reproduced; there are {}", names()))
    }
}

/// How a reproduction is done.
#[derive(Clone, Debug)]
pub struct Settings {
    /// As many games as were published, instead of about a minute's.
    pub full: bool,
    /// Games of each match, instead of what `full` says.
    pub games: Option<u64>,
    /// Numbers of Rock'n'Roll's players; empty: all that the size has.
    pub only: Vec<u32>,
    /// Where the stones of Rock'n'Roll's tournament start.
    pub setups: Setups,
    /// Rules all luck.
    pub seed: u64,
    /// Worker threads of matches; 0 = as many as the machine has cores.
    pub threads: usize,
    /// A folder where finished games are kept.
    pub state: Option<PathBuf>,
}

/// Why something could not be reproduced.
#[derive(Debug, thiserror::Error)]
pub enum ReproduceError {
    /// A player cannot be read.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A match could not be played.
    #[error(transparent)]
    Match(#[from] ArenaError),
    /// The set-ups are wrong.
    #[error(transparent)]
    Setups(#[from] SetupsError),
    /// The study of set-ups could not be done.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// A study of searches could not be done.
    #[error(transparent)]
    Search(#[from] SearchBenchError),
    /// The suite of positions is wrong.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// A table of published figures is damaged.
    #[error("the published table {name}, line {line}: {problem}")]
    Published {
        /// The table.
        name: &'static str,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// A study gave other JSON than expected.
    #[error("the study of searches has no '{0}'")]
    Shape(&'static str),
    /// A player that the tournament does not have.
    #[error("Rock'n'Roll's tournament has no player {0}; they are numbered 1 to 24")]
    NoPlayer(u32),
    /// The folder of state files could not be made.
    #[error("{}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What happened.
        source: std::io::Error,
    },
}

/// Reproduces a table; `say` is told of every finished part.
///
/// # Errors
/// If something cannot be played or read; see [`ReproduceError`].
pub fn run(
    target: Target,
    settings: &Settings,
    progress: &ProgressBar,
    say: &mut dyn FnMut(&str),
) -> Result<Reproduction, ReproduceError> {
    if let Some(folder) = &settings.state {
        std::fs::create_dir_all(folder).map_err(|source| ReproduceError::Folder {
            path: folder.clone(),
            source,
        })?;
    }
    match target {
        Target::RockNRoll => rocknroll::run(settings, say),
        Target::Setups => setups::run(settings, progress),
        Target::Star => searches::star(settings, progress),
        Target::Depth => searches::depth(settings, progress, say),
        Target::Table => searches::table(settings, progress),
        Target::ReversiXt => reversixt::run(settings, progress),
        Target::MonteAlpha => monte_alpha::run(settings, say),
    }
}

/// About how many seconds a reproduction takes on one thread of the machine it was measured on.
///
/// # Errors
/// If the settings name what does not exist.
pub fn seconds(target: Target, settings: &Settings) -> Result<f64, ReproduceError> {
    Ok(match target {
        Target::RockNRoll => matches::seconds(&rocknroll::plan(settings)?),
        Target::MonteAlpha => matches::seconds(&monte_alpha::plan(settings)?),
        Target::Setups => setups::seconds(settings),
        Target::ReversiXt => reversixt::seconds(settings.full),
        Target::Star | Target::Depth | Target::Table => searches::seconds(target, settings.full),
    })
}

#[cfg(test)]
mod tests;
