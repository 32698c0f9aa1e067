//! The studies as commands.

pub(crate) mod playouts;
pub(crate) mod prove;
pub(crate) mod report;
pub(crate) mod reproduce;
pub(crate) mod search;
pub(crate) mod setup_values;
pub(crate) mod strength;

use benches::Named;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Parser of one of a few values by its name.
fn named<N: Named + Send + Sync>() -> impl TypedValueParser<Value = N> {
    let names = PossibleValuesParser::new(N::NAMES.iter().map(|(name, _)| *name));
    names.try_map(|name| N::named(&name).ok_or("nothing has this name"))
}
