//! `search`: searches side by side on a suite of positions.

use crate::commands::named;
use anyhow::{Result, bail};
use benches::{
    search_bench::{Settings, Study, run as study},
    suite::{Phase, Suite},
};
use clap::value_parser;
use cli::output;
use cli::progress_bar;
use std::path::PathBuf;

/// Compare searches on the same positions: nodes, leaves, speed, evaluation time, table use
///
/// Positions are valued before the roll, one after the other. The first player is the baseline.
/// Studies are presets: 'depth' is depth against time, 'chance' compares cuts at chance nodes,
/// 'table-size' sizes of the transposition table.
#[derive(clap::Args)]
#[command(
    after_help = "Example: benches search --player \"unified(depth=5)\" --player \"star1(depth=5, table=0)\" --phase middle\n         \
                  benches search --study depth --max-depth 7 --csv depth.csv --svg depth.svg"
)]
pub(crate) struct Arguments {
    /// A player that searches; may be given several times. For the studies 'depth' and 'table-size'
    /// with {depth} or {entries} where the number goes
    #[arg(long = "player", value_name = "PLAYER")]
    players: Vec<String>,
    /// A preset instead of a comparison of players
    #[arg(long, value_name = "STUDY", value_parser = named::<Study>())]
    study: Option<Study>,
    /// Positions, a phase and a position before the roll a line; 24 are built in
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
    /// Only the positions of this phase
    #[arg(long, value_name = "PHASE", value_parser = named::<Phase>())]
    phase: Option<Phase>,
    /// Searches of every position, of which the fastest counts
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = value_parser!(u32).range(1..=1000), allow_negative_numbers = true)]
    repeat: u32,
    /// Largest depth of the study 'depth' [default: 6]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=64), allow_negative_numbers = true)]
    max_depth: Option<u32>,
    /// Most complete games for each depth of the study 'depth'; none begins after three seconds
    /// [default: 20]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=1_000_000), allow_negative_numbers = true)]
    games: Option<u32>,
    /// Seed of players, of dice that are known beforehand, and of games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write one table with all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a chart
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// The published times of complete games are means of 20.
const DEFAULT_GAMES: u32 = 20;
const MAX_DEPTH: u32 = 6;

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let what = self.study;
        if what != Some(Study::Depth) && (self.max_depth.is_some() || self.games.is_some()) {
            bail!(
                "--max-depth and --games belong to the study 'depth'; give --study depth with them"
            );
        }
        if what == Some(Study::TableSize) && (self.suite.is_some() || self.phase.is_some()) {
            bail!(
                "the study 'table-size' searches one fixed position; leave out --suite and --phase"
            );
        }
        output::check_output_dirs(&[&self.csv, &self.svg])?;
        let suite = self.suite.as_deref();
        let suite = suite.map_or_else(Suite::built_in, Suite::read)?;
        let settings = Settings {
            suite: match self.phase {
                Some(phase) => suite.keep_phase(phase)?,
                None => suite,
            },
            players: self.players.clone(),
            seed: self.seed,
            repeat: self.repeat,
            max_depth: self.max_depth.unwrap_or(MAX_DEPTH),
            games: self.games.unwrap_or(DEFAULT_GAMES),
        };
        let report = study(what, &settings, &progress_bar("searches"))?;
        output::result(self.json, &report.json, || report.text)?;
        for (path, content) in [(&self.csv, &report.csv), (&self.svg, &report.svg)] {
            if let Some(path) = path {
                output::file(path, content)?;
            }
        }
        Ok(())
    }
}
