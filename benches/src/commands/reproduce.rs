//! Command `reproduce`: measures published tables again.

use super::OutputArguments;
use crate::commands::name_parser;
use anyhow::{Result, bail};
use arena::setup_starts::Setups;
use benches::{
    NamedValue,
    reproduce::{Settings, Target, run as reproduce, seconds},
};
use cli::progress_bar;
use cli::{ShardArguments, output, parse_setups};
use engine::core::job_array::TaskSlice;
use std::path::PathBuf;

/// Measure a published table again, beside the printed figures
///
/// Each figure stands as printed and as measured, with its interval and the difference. Without
/// --full the run takes a minute or two on two cores; with it the published size, hours to weeks.
/// The expected duration is printed first, and with --state an interrupted run resumes.
#[derive(clap::Args)]
#[command(
    after_help = "Example: benches reproduce rocknroll\n         benches reproduce rocknroll --full --only 1,8,9,10,13,14,15 --state runs/rocknroll"
)]
pub(crate) struct Arguments {
    /// The table: Rock'n'Roll's tournament, set-up study and table sizes; the Star1 agent's leaf
    /// counts and depths; ReversiXT's minimax, alpha-beta and max^n; Monte_Alpha's tables
    #[arg(value_parser = name_parser::<Target>())]
    what: Target,
    /// As many games as were published
    #[arg(long)]
    full: bool,
    /// Games of each match, or of each pairing of set-ups, instead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000), allow_negative_numbers = true)]
    games: Option<u64>,
    /// Only these of Rock'n'Roll's players, by number
    #[arg(long, value_name = "N", value_delimiter = ',')]
    only: Vec<u32>,
    /// Set-ups of Rock'n'Roll's tournament, as in 'alea arena' [default: the best sixteen of
    /// data/setups/best.txt]
    #[arg(long, value_name = "SETUPS")]
    setups: Option<String>,
    /// Seed of set-ups, dice and players
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A directory where finished games are kept
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    #[command(flatten)]
    shard: ShardArguments,
    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let (what, name) = (self.what, self.what.name());
        if what != Target::RockNRoll && (!self.only.is_empty() || self.setups.is_some()) {
            bail!("--only and --setups belong to 'rocknroll'");
        }
        let has_games = matches!(
            what,
            Target::RockNRoll | Target::Setups | Target::Depth | Target::MonteAlpha
        );
        if !has_games && (self.games.is_some() || self.state.is_some()) {
            bail!("'{name}' searches positions; leave out --games and --state");
        }
        if !what.has_charts() && (self.output.csv.is_some() || self.output.svg.is_some()) {
            bail!("'{name}' has no --csv and --svg; 'reversixt' does");
        }
        if self.shard.slice() != TaskSlice::All && (!has_games || what == Target::Depth) {
            bail!("'{name}' takes times, and is no work for many tasks");
        }
        let setups = match &self.setups {
            Some(text) => parse_setups(text)?,
            None => Setups::read_list(None)?,
        };
        let settings = Settings {
            full: self.full,
            games: self.games,
            only: self.only.clone(),
            setups,
            seed: self.seed,
            threads: rayon::current_num_threads(),
            state: self.state.clone(),
            slice: self.shard.slice(),
        };
        output::note(&format!(
            "{name}: about {} on one thread, of a new start",
            duration(seconds(what, &settings)?)
        ));
        let progress = progress_bar(name);
        let found = reproduce(what, &settings, &progress, &mut output::note)?;
        if self.shard.report_task_end(self.output.json)? {
            return Ok(());
        }
        if let Some(pictures) = &found.pictures {
            let files = [
                (&self.output.csv, &pictures.csv),
                (&self.output.svg, &pictures.svg),
            ];
            for (path, content) in files {
                if let Some(path) = path {
                    output::write_file(path, content)?;
                }
            }
        }
        output::print_result(self.output.json, &found, || found.text())
    }
}

fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 120.0 => format!("{seconds:.0} seconds"),
        seconds if seconds < 7200.0 => format!("{:.0} minutes", seconds / 60.0),
        seconds if seconds < 172_800.0 => format!("{:.0} hours", seconds / 3600.0),
        seconds => format!("{:.0} days", seconds / 86_400.0),
    }
}
