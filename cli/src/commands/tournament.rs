//! `alea tournament`: everybody plays everybody.

use crate::commands::arena::{MatchArguments, contestant};
use crate::games::with_game;
use crate::output;
use anyhow::Result;
use benches::arena::tournament::play_tournament;
use engine::play::playable::Playable;
use std::process::ExitCode;

/// Let every player play every other one, and print the matrix
///
/// With --state DIR an interrupted tournament goes on where it stopped.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea tournament --games 1000 --player greedy --player \"MrBlack(0)\" --player \"MrBlack(1)\" --player \"FarmerBoy(2)\""
)]
pub(crate) struct Arguments {
    /// A player; give at least two
    #[arg(long = "player", required = true, value_name = "PLAYER")]
    players: Vec<String>,
    #[command(flatten)]
    options: MatchArguments,
    /// Write the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let game = &arguments.options.pairs.game;
    with_game!(&game.notation(), game => run_for(arguments, &game))
}

fn run_for<G: Playable>(arguments: &Arguments, game: &G) -> Result<ExitCode> {
    let contestants = arguments
        .players
        .iter()
        .map(|player| contestant(player, game))
        .collect::<Result<Vec<_>>>()?;
    let result = play_tournament(
        &contestants,
        &arguments.options.options(game)?,
        |finished| output::note(&finished.to_string()),
    )?;
    if arguments.json {
        output::json(&result)?
    } else {
        output::line(&result.table())?
    }
    Ok(ExitCode::SUCCESS)
}
