//! Command `search`: compares searches on a suite of positions.

use super::OutputArguments;
use crate::commands::name_parser;
use anyhow::Result;
use benches::{
    search_bench::{Settings, compare_cuts, compare_players},
    suite::{Phase, Suite},
};
use clap::value_parser;
use cli::output;
use cli::progress_bar;
use std::path::PathBuf;

/// Compare searches on the same positions: nodes, leaves, speed, evaluation time, table use
///
/// Positions are valued before the roll, one after the other. The first player is the baseline.
/// The study 'chance' compares cuts at chance nodes.
#[derive(clap::Args)]
#[command(
    after_help = "Example: benches search --player \"unified(depth=5)\" --player \"star1(depth=5, table=0)\" --phase middle\n         \
                  benches search --study chance --csv chance.csv --svg chance.svg"
)]
pub(crate) struct Arguments {
    /// A player that searches; may be given several times
    #[arg(long = "player", value_name = "PLAYER")]
    players: Vec<String>,
    /// A preset instead of a comparison of players
    #[arg(long, value_name = "STUDY", value_parser = ["chance"])]
    study: Option<String>,
    /// Positions, a phase and a position before the roll a line; 24 are built in
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
    /// Only the positions of this phase
    #[arg(long, value_name = "PHASE", value_parser = name_parser::<Phase>())]
    phase: Option<Phase>,
    /// Searches of every position, of which the fastest counts
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = value_parser!(u32).range(1..=1000), allow_negative_numbers = true)]
    repeat: u32,
    /// Seed of players, of dice that are known beforehand, and of games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        output::check_output_dirs(&[&self.output.csv, &self.output.svg])?;
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
        };
        let progress = progress_bar("searches");
        let report = match self.study {
            Some(_) => compare_cuts(&settings, &progress),
            None => compare_players(&settings, &progress),
        }?;
        output::print_result(self.output.json, &report.json, || report.text)?;
        for (path, content) in [
            (&self.output.csv, &report.csv),
            (&self.output.svg, &report.svg),
        ] {
            if let Some(path) = path {
                output::write_file(path, content)?;
            }
        }
        Ok(())
    }
}
