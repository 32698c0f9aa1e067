//! `alea bench`: speed and statistics.

mod playouts;
mod search;
mod strength;

use anyhow::Result;
use benches::Named;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Reads one of a few by its name.
pub(super) fn named<N: Named + Send + Sync>() -> impl TypedValueParser<Value = N> {
    let names = PossibleValuesParser::new(N::NAMES.iter().map(|(name, _)| *name));
    names.try_map(|name| N::named(&name).ok_or("nothing has this name"))
}

/// Measure the speed of playouts and searches
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
