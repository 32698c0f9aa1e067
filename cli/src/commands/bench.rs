//! `alea bench`: speed and statistics.

mod opening;
mod playouts;
mod search;
mod strength;

use anyhow::Result;
use std::process::ExitCode;

/// Measure speed and statistics side by side
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea bench playouts --games 1000000\n         alea bench search --study depth"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Playouts(playouts::Arguments),
    Search(search::Arguments),
    Opening(opening::Arguments),
    Strength(strength::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.what {
        What::Playouts(arguments) => playouts::run(arguments),
        What::Search(arguments) => search::run(arguments),
        What::Opening(arguments) => opening::run(arguments),
        What::Strength(arguments) => strength::run(arguments),
    }
}
