//! Command `playouts`: random games.

use anyhow::Result;
use benches::playout_statistics::{
    RandomPlayReport,
    playout_speed::{Comparison, compare},
    random_play,
};
use cli::output;
use std::path::PathBuf;

/// Random games from random set-ups: speed, length, winners
///
/// First the slow reference on all threads. Then, on one thread each and the best of three runs:
/// every engine of this machine, where 'stones equally likely' is Monte_Alpha's distribution; other
/// playout policies, on at most 20000 games.
#[derive(clap::Args)]
#[command(after_help = "Example: benches playouts --games 1000000 --json")]
pub(crate) struct Arguments {
    /// Games to play
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..), allow_negative_numbers = true)]
    games: u64,
    /// Seed of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    game: cli::GameArguments,
    /// Write the comparison with all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(serde::Serialize)]
struct Report {
    #[serde(flatten)]
    reference: RandomPlayReport,
    #[serde(flatten)]
    comparison: Comparison,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let game = self.game.require::<engine::games::einstein::Standard>(
            "playouts in lockstep are those of EinStein",
        )?;
        let (games, seed) = (self.games, self.seed);
        let results = Report {
            reference: random_play(&game, games, seed, rayon::current_num_threads())?,
            comparison: compare(&game, games, seed),
        };
        let text_table = results.comparison.text_table();
        output::print_result(self.json, &results, || {
            let report = &results.reference;
            format!(
                "{} random games in {:.2} s: {:.0} games/s\nfirst mover wins   {:.2} % ± {:.2}\nplies a game       {:.3} ± {:.3}, longest {}\nmoves a turn       {:.3}\n\n{}",
                report.counts.games,
                report.wall_seconds,
                report.games_per_second,
                100.0 * report.first_mover_score,
                100.0 * report.first_mover_error,
                report.mean_plies,
                report.mean_plies_error,
                report.counts.longest,
                report.moves_per_turn,
                text_table.text().trim_end(),
            )
        })?;
        if let Some(path) = &self.csv {
            output::write_file(path, text_table.csv())?;
        }
        Ok(())
    }
}
