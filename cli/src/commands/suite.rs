//! `alea suite`: makes test suites of positions with exact or rollout values of all moves.

use crate::games::GameArguments;
use crate::output;
use crate::sharding::ShardArguments;
use anyhow::{Context as _, Result};
use arena::regret::{
    positions::Source,
    suite::{MAX_SUITE_STONES, MIN_SUITE_STONES, SuiteBuilder, suite_path, write_held_out},
};
use clap::value_parser;
use engine::core::files;
use engine::games::einstein::{Standard, tables::Tables};
use engine::play::build::PlayerRecipe;
use engine::play::player_notation::trusted_text;
use std::path::PathBuf;

/// Make suites of positions with certified values of all moves
///
/// 'alea regret --suite' measures players by a suite. One file for each number of stones, that of 5
/// also with fewer. Positions are from games of strong self-play, one of a game, no two equal up to
/// symmetry. Values are exact where the tables reach or at most --limit positions have to be
/// solved, else from rollouts, with standard errors. Finished suites are kept, and an unfinished
/// one resumes. Then held-out.bin has the keys of all positions, for the program: training leaves
/// them out.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea suite --out data/suites --tables tables\n         \
                  alea suite --out suites --stones 7 --positions 100 --limit 100000"
)]
pub(crate) struct Arguments {
    /// Directory of the suites
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Stones of the positions, both sides together; may be given several times [default: 5 to 12]
    #[arg(long, value_parser = value_parser!(u32).range(i64::from(MIN_SUITE_STONES)..=i64::from(MAX_SUITE_STONES)))]
    stones: Vec<u32>,
    /// Positions of a suite [default: 2000 of up to 6 stones, 500 of 7 and 8, 250 of more]
    #[arg(long, value_parser = value_parser!(u64).range(1..=1_000_000))]
    positions: Option<u64>,
    /// Player of the games, with 10 % random moves
    #[arg(
        long,
        value_name = "PLAYER",
        default_value = "star1(depth=2, eval=best)"
    )]
    from: String,
    /// Evaluator of the rollouts; given again, each values only the moves that the one before
    /// cannot separate from the best
    #[arg(
        long,
        value_name = "PLAYER",
        default_values = ["rollout(error=0.008, tablebase=5)", "rollout(error=0.0035, tablebase=5)"]
    )]
    by: Vec<String>,
    /// Maximum positions solved for the exact values of one position, with at most two stones more
    /// than the tables
    #[arg(long, default_value_t = 300_000)]
    limit: usize,
    /// Directory of the tables
    #[arg(long, value_name = "DIR", default_value = "tables")]
    tables: PathBuf,
    /// Seed of positions and players
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    shard: ShardArguments,
    #[command(flatten)]
    game: GameArguments,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let game =
            (self.game).require::<Standard>("only EinStein has endgame tables and suites")?;
        let source = Source::parse(&self.from, &game)?;
        let by = self
            .by
            .iter()
            .map(|by| PlayerRecipe::parse(trusted_text(by), &game));
        let by = by.collect::<Result<Vec<_>, _>>()?;
        let directory = self.tables.display();
        let there = Tables::stones_on_disk(&self.tables, game.variant()).with_context(|| {
            format!(
                "{directory}: there are no endgame tables; 'alea solve --tables {directory}' makes them"
            )
        })?;
        let slice = self.shard.slice();
        let _lock = files::claim_directory_for_slice(&self.out, slice)?;
        let tables = Tables::open(
            &self.tables,
            there,
            game.variant(),
            &alea_parallel::for_each,
        )?;
        let maker = SuiteBuilder {
            game: &game,
            source: &source,
            tables: &tables,
            limit: self.limit,
            by: &by,
            seed: self.seed,
            slice,
        };
        let all: Vec<u32> = (MIN_SUITE_STONES..=MAX_SUITE_STONES).collect();
        let counts = if self.stones.is_empty() {
            &all
        } else {
            &self.stones
        };
        for &stones in counts {
            let positions = self.positions.unwrap_or(match stones {
                ..=6 => 2000,
                7 | 8 => 500,
                _ => 250,
            });
            output::with_progress("positions", |progress| {
                progress.set_message(format!("{stones} stones"));
                maker.make(&self.out, stones, positions, progress)
            })?;
            if !slice.is_task() {
                output::print_line(&suite_path(&self.out, stones).display().to_string())?;
            }
        }
        if self.shard.report_task_end(false)? {
            return Ok(());
        }
        Ok(write_held_out(&self.out, &game)?)
    }
}
