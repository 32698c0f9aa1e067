//! The studies as commands.

pub(crate) mod playouts;
pub(crate) mod prove;
pub(crate) mod report;
pub(crate) mod reproduce;
pub(crate) mod search;
pub(crate) mod setup_values;
pub(crate) mod strength;

use benches::NamedValue;
use clap::builder::{PossibleValuesParser, TypedValueParser};

fn name_parser<N: NamedValue + Send + Sync>() -> impl TypedValueParser<Value = N> {
    let names = PossibleValuesParser::new(N::NAMES.iter().map(|(name, _)| *name));
    names.try_map(|name| N::from_name(&name).ok_or("nothing has this name"))
}
