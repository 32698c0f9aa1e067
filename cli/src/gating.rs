//! Test of a model against an evaluator: both play with the same search until a sequential test
//! decides.
//!
//! Invariant: seeds are of their own kind ([`SeedSpace::Gate`]), so that no model is promoted by
//! games that selected it.

use anyhow::{Context, Result};
use arena::matches::{MatchOptions, StoppingRule};
use engine::core::random::SeedSpace;
use engine::learned::safetensors_container::Container;
use engine::play::playable::Playable;
use std::path::Path;

const PLACEHOLDERS: [&str; 2] = ["{model}", "MODEL"];

/// Replaces the placeholder in `template`, a player's notation, by `evaluator`.
pub(crate) fn with_evaluator(template: &str, evaluator: &str) -> Result<String> {
    let placeholder = PLACEHOLDERS
        .into_iter()
        .find(|placeholder| template.contains(placeholder));
    let placeholder = placeholder.context("a player with a place for the evaluator is needed, for example star1(depth=1, eval={model})")?;
    Ok(template.replace(placeholder, evaluator))
}

pub(crate) fn model_notation(path: &Path) -> String {
    format!("\"model:{}\"", path.display())
}

pub(crate) fn with_stopping_rule<G: Playable>(
    rule: StoppingRule,
    options: MatchOptions<G>,
) -> MatchOptions<G> {
    MatchOptions {
        space: SeedSpace::Gate,
        stop: Some(rule),
        ..options
    }
}

pub(crate) fn model_checksum(bytes: &[u8]) -> Option<String> {
    Container::parse(bytes).ok()?.metadata.remove("checksum")
}
