//! `alea bench playouts`: random games.

use crate::output;
use anyhow::Result;
use benches::playouts::random_play;
use std::process::ExitCode;

/// Random games from random set-ups: speed, length, who wins
#[derive(clap::Args)]
#[command(after_help = "Example: alea bench playouts --games 1000000 --json")]
pub(super) struct Arguments {
    /// Games to play
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..), allow_negative_numbers = true)]
    games: u64,
    /// Seed of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    rules: crate::positions::RulesArguments,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let report = random_play(&arguments.rules.game(), arguments.games, arguments.seed, rayon::current_num_threads())?;
    if arguments.json {
        output::json(&report)?;
    } else {
        output::line(&format!(
            "{} random games in {:.2} s: {:.0} games/s\nfirst mover wins   {:.2} % ± {:.2}\nplies a game       {:.3} ± {:.3}, longest {}\nmoves a turn       {:.3}",
            report.counts.games,
            report.wall_seconds,
            report.games_per_second,
            100.0 * report.first_mover_share,
            100.0 * report.first_mover_error,
            report.mean_plies,
            report.mean_plies_error,
            report.counts.longest,
            report.moves_per_turn,
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
