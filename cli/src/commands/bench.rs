//! `alea bench`: speed and statistics.

mod playouts;
mod search;
mod strength;

use anyhow::Result;

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
    Strength(Box<strength::Arguments>),
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        match &self.what {
            What::Playouts(arguments) => arguments.run(),
            What::Search(arguments) => arguments.run(),
            What::Strength(arguments) => arguments.run(),
        }
    }
}
