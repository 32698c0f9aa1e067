//! Labels: values of positions from sources other than the game's players.

use super::MAX_LABELS_PER_SHARD;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const MAX_NAME_LENGTH: usize = 32;

/// Name and source of a label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// Name of lower-case letters, digits and `_`, a letter first.
    pub name: String,
    /// Notation of the source: a player, an evaluator such as `model:PATH`, or tablebases,
    /// `tables(stones=N)`.
    pub by: String,
    /// Whether values are exact, from tablebases.
    #[serde(default, skip_serializing_if = "is_false")]
    pub exact: bool,
    /// Whether values have standard errors.
    #[serde(default, skip_serializing_if = "is_false")]
    pub errors: bool,
    /// Checksum (xxh3, 16 hexadecimal digits) by path of each model file in `by`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, String>,
}

pub(crate) fn is_false(flag: &bool) -> bool {
    !flag
}

/// Value of a position that a label's source computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Expected payoff of the side to move before the chance event, in `[0, 1]`.
    pub value: f32,
    /// Standard error of the value; `None` if unknown or the value is exact.
    pub error: Option<f32>,
}

impl From<f32> for Estimate {
    fn from(value: f32) -> Self {
        Self { value, error: None }
    }
}

pub(crate) fn check(labels: &[Label]) -> Result<(), String> {
    if labels.len() > MAX_LABELS_PER_SHARD {
        return Err(format!(
            "{} labels are more than {MAX_LABELS_PER_SHARD}",
            labels.len()
        ));
    }
    for (index, Label { name, .. }) in labels.iter().enumerate() {
        check_name(name)?;
        if labels[..index].iter().any(|other| other.name == *name) {
            return Err(format!("the label '{name}' is there twice"));
        }
    }
    Ok(())
}

pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let letters =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    if !name.starts_with(|first: char| first.is_ascii_lowercase())
        || !name.chars().all(letters)
        || name.len() > MAX_NAME_LENGTH
    {
        return Err(format!(
            "a label has a name of lower-case letters, digits and '_', a letter first and at most {MAX_NAME_LENGTH}, not '{name}'"
        ));
    }
    if name == "value" {
        return Err("a label cannot be named 'value', the name of the players' values".to_owned());
    }
    Ok(())
}
