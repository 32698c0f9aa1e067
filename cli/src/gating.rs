//! The gate: is one evaluator better than another? Both play with the same search, until a
//! sequential test decides.
//!
//! Invariant: the games have seeds of their own ([`SeedSpace::Gate`]), so no model is promoted on
//! games that it was chosen by or measured on; a test that its last pair leaves open promotes
//! nobody.

use anyhow::{Context, Result};
use benches::arena::{MatchOptions, StoppingRule};
use engine::core::random::SeedSpace;
use engine::learned::container::Container;
use engine::play::playable::Playable;
use std::path::Path;

/// What stands for the evaluator in the notation of a player.
const PLACEHOLDERS: [&str; 2] = ["{model}", "MODEL"];

/// A player's notation with an evaluator in its place.
pub(crate) fn with_evaluator(template: &str, evaluator: &str) -> Result<String> {
    let placeholder = PLACEHOLDERS
        .into_iter()
        .find(|placeholder| template.contains(placeholder));
    let placeholder = placeholder.context("a player with a place for the evaluator is needed, for example star1(depth=1, eval={model})")?;
    Ok(template.replace(placeholder, evaluator))
}

/// The notation of a model file; quoted, because a path may hold anything.
pub(crate) fn model_notation(path: &Path) -> String {
    format!("\"model:{}\"", path.display())
}

/// How the two meet: until the test is decided, or to the last pair.
pub(crate) fn tested<G: Playable>(rule: StoppingRule, options: MatchOptions<G>) -> MatchOptions<G> {
    MatchOptions {
        space: SeedSpace::Gate,
        stop: Some(rule),
        ..options
    }
}

/// The checksum in the metadata of a model file that was verified before.
pub(crate) fn checksum(bytes: &[u8]) -> Option<String> {
    Container::parse(bytes).ok()?.metadata.remove("checksum")
}
