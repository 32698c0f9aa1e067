//! The studies as commands.

pub(crate) mod accuracy;
pub(crate) mod playouts;
pub(crate) mod prove;
pub(crate) mod report;
pub(crate) mod reproduce;
pub(crate) mod search;
pub(crate) mod setup_values;
pub(crate) mod strength;

use benches::NamedValue;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;

/// Where results go beside the text.
#[derive(clap::Args)]
pub(crate) struct OutputArguments {
    /// Write the table with all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the chart, with intervals
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

fn name_parser<N: NamedValue + Send + Sync>() -> impl TypedValueParser<Value = N> {
    let names = PossibleValuesParser::new(N::NAMES.iter().map(|(name, _)| *name));
    names.try_map(|name| N::from_name(&name).ok_or("nothing has this name"))
}
