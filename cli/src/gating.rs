//! Gate between two evaluators: both play with the same search until a sequential test decides.
//!
//! Invariant: the games have their own seeds ([`SeedSpace::Gate`]), so no model is promoted by
//! games that selected or measured it. An undecided test promotes nothing.

use anyhow::{Context, Result};
use arena::matches::{MatchOptions, StoppingRule};
use engine::core::random::SeedSpace;
use engine::learned::container::Container;
use engine::play::playable::Playable;
use std::path::Path;

/// Placeholders for the evaluator in a player's notation.
const PLACEHOLDERS: [&str; 2] = ["{model}", "MODEL"];

/// Player's notation with the evaluator in place of its placeholder.
pub(crate) fn with_evaluator(template: &str, evaluator: &str) -> Result<String> {
    let placeholder = PLACEHOLDERS
        .into_iter()
        .find(|placeholder| template.contains(placeholder));
    let placeholder = placeholder.context("a player with a place for the evaluator is needed, for example star1(depth=1, eval={model})")?;
    Ok(template.replace(placeholder, evaluator))
}

/// Notation of a model file, quoted for any path.
pub(crate) fn model_notation(path: &Path) -> String {
    format!("\"model:{}\"", path.display())
}

/// Match options that end when the test decides, or with the last pair.
pub(crate) fn with_test<G: Playable>(
    rule: StoppingRule,
    options: MatchOptions<G>,
) -> MatchOptions<G> {
    MatchOptions {
        space: SeedSpace::Gate,
        stop: Some(rule),
        ..options
    }
}

/// Checksum in the metadata of a verified model file.
pub(crate) fn checksum(bytes: &[u8]) -> Option<String> {
    Container::parse(bytes).ok()?.metadata.remove("checksum")
}
