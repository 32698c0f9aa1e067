//! `alea bench strength`: strength against time a move, or any other number.

use crate::commands::{
    arena::{MatchArguments, contestant},
    setups::check_directory,
};
use crate::games::with_game;
use crate::output;
use anyhow::{Result, bail};
use benches::studies::strength::{Setting, chart, sheet, strength};
use engine::core::files::write_atomically;
use engine::play::playable::Playable;
use serde_json::json;
use std::{path::PathBuf, process::ExitCode};

/// How strong a player is by a number in its notation, such as time a move: a match a number
/// against one opponent
///
/// With --state DIR an interrupted study goes on where it stopped.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea bench strength --against \"star1(depth=3)\" --numbers 1,2,5,10,20 --games 400 --svg strength.svg"
)]
pub(super) struct Arguments {
    /// The player, with the number's place marked as in the default
    #[arg(long, default_value = "star2(ms={n})", value_name = "PLAYER")]
    player: String,
    /// Its opponent, always the same
    #[arg(long, default_value = "star1(depth=3)", value_name = "PLAYER")]
    against: String,
    /// The numbers
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1.0, 2.0, 5.0, 10.0, 20.0])]
    numbers: Vec<f64>,
    #[command(flatten)]
    options: MatchArguments,
    /// What the number is called
    #[arg(long, default_value = "ms a move", value_name = "TEXT")]
    name: String,
    /// Write the table with all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the curve with intervals
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let game = &arguments.options.pairs.game;
    with_game!(&game.notation(), game => run_for(arguments, &game))
}

fn run_for<G: Playable>(arguments: &Arguments, game: &G) -> Result<ExitCode> {
    if !arguments.player.contains("{n}") {
        bail!(
            "--player has no {{n}}, which is replaced by the numbers; for example star2(ms={{n}})"
        );
    }
    if let Some(number) = arguments
        .numbers
        .iter()
        .find(|number| !(number.is_finite() && **number > 0.0))
    {
        bail!("--numbers are positive, not {number}");
    }
    for path in [&arguments.csv, &arguments.svg].into_iter().flatten() {
        check_directory(path)?;
    }
    let at = |&number: &f64| {
        Ok(Setting {
            number,
            contestant: contestant(&arguments.player.replace("{n}", &number.to_string()), game)?,
        })
    };
    let settings = arguments
        .numbers
        .iter()
        .map(at)
        .collect::<Result<Vec<_>>>()?;
    let against = contestant(&arguments.against, game)?;
    let points = strength(
        &settings,
        &against,
        &arguments.options.options(game)?,
        |result| output::note(&result.to_string()),
    )?;
    let table = sheet(&arguments.name, &points);
    if arguments.json {
        output::json(
            &json!({ "player": arguments.player, "against": against.name, "number": arguments.name, "points": points }),
        )?;
    } else {
        output::line(&format!(
            "{} against {}\n\n{}",
            arguments.player,
            against.name,
            table.text().trim_end()
        ))?;
    }
    if let Some(path) = &arguments.csv {
        write_atomically(path, |file| file.write_all(table.csv().as_bytes()))?;
    }
    if let Some(path) = &arguments.svg {
        let svg = chart(&arguments.name, &arguments.player, &against.name, &points)?;
        write_atomically(path, |file| file.write_all(svg.as_bytes()))?;
    }
    Ok(ExitCode::SUCCESS)
}
