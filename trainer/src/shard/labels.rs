//! Labels: values of the positions of a game beside those of its players, and their bytes.
//!
//! Invariant: a label is the win probability of the side to move *before* the roll of a ply,
//! whoever made it, so labels of one name can be compared over games and players. Names are words
//! that any format can hold.

use super::game::{NO_VALUE, steps_of, value_of};
use super::{MOST_LABELS, PlayedGame};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Letters of the longest name.
const LONGEST_NAME: usize = 32;

/// A label that games of a shard may carry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// Its name: lower-case letters, digits and `_`, a letter first.
    pub name: String,
    /// Who made it: a player, `model:PATH` or another evaluator, or `tables(stones=N)`.
    pub by: String,
    /// Checksum (xxh3, 16 hexadecimal digits) of each model file that `by` names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, String>,
}

impl Label {
    /// Whether it was made by endgame tables, so that its values are exact.
    #[must_use]
    pub fn is_from_tables(&self) -> bool {
        self.by == "tables" || self.by.starts_with("tables(")
    }
}

/// Whether shards can have these labels.
///
/// # Errors
/// In words, if a name is none, two are equal, or there are too many.
pub fn check(labels: &[Label]) -> Result<(), String> {
    if labels.len() > MOST_LABELS {
        return Err(format!(
            "{} labels are more than {MOST_LABELS}",
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

/// Whether a label can have this name.
///
/// # Errors
/// In words, if not.
pub fn check_name(name: &str) -> Result<(), String> {
    let letters =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    if !name.starts_with(|first: char| first.is_ascii_lowercase())
        || !name.chars().all(letters)
        || name.len() > LONGEST_NAME
    {
        return Err(format!(
            "a label has a name of lower-case letters, digits and '_', a letter first and at most {LONGEST_NAME}, not '{name}'"
        ));
    }
    if name == "value" {
        return Err("a label cannot be named 'value', which is the players' own".to_owned());
    }
    Ok(())
}

impl PlayedGame {
    /// What label number `label` says of the position before the roll of ply number `ply`, both
    /// from 0.
    #[must_use]
    pub fn label(&self, label: usize, ply: usize) -> Option<f32> {
        *self.labels.get(label)?.get(ply)?
    }

    /// Sets label number `label` of `known`, a value a ply; the form is that which is read again.
    ///
    /// # Panics
    /// If `label` is not below `known`.
    pub fn set_label(&mut self, label: usize, known: usize, values: Vec<Option<f32>>) {
        if self.labels.is_empty() {
            self.labels = vec![vec![None; self.record.plies.len()]; known];
        }
        self.labels[label] = values;
        self.tidy_labels();
    }

    /// Labels that say nothing are none: a game has one form only, that which is read again.
    pub fn tidy_labels(&mut self) {
        if !self.is_labelled() {
            self.labels.clear();
        }
    }

    /// Whether any of its positions has a label.
    #[must_use]
    pub fn is_labelled(&self) -> bool {
        self.labels.iter().flatten().any(Option::is_some)
    }
}

/// Of how many of the last plies each of `known` labels is written: all from the first that has
/// one.
///
/// # Errors
/// In words, if the game has other labels than the header, or one is no probability.
pub(super) fn counts(game: &PlayedGame, known: usize) -> Result<Vec<u8>, String> {
    let plies = game.record.plies.len();
    if game.labels.len() != known || game.labels.iter().any(|values| values.len() != plies) {
        return Err(format!(
            "it has not {known} labels of {plies} plies, as the header and its moves say"
        ));
    }
    let count = |values: &Vec<Option<f32>>| {
        if let Some(number) = values
            .iter()
            .position(|value| value.is_some_and(|value| !(0.0..=1.0).contains(&value)))
        {
            return Err(format!("ply {number}: the label is no probability"));
        }
        let first = values.iter().position(Option::is_some).unwrap_or(plies);
        u8::try_from(plies - first).map_err(|_| "it is too long".to_owned())
    };
    game.labels.iter().map(count).collect()
}

/// Appends the values that are written.
pub(super) fn encode(game: &PlayedGame, counts: &[u8], bytes: &mut Vec<u8>) {
    for (values, &count) in game.labels.iter().zip(counts) {
        for value in &values[values.len() - usize::from(count)..] {
            bytes.extend_from_slice(&value.map_or(NO_VALUE, steps_of).to_le_bytes());
        }
    }
}

/// Bytes that labels of so many plies take.
pub(super) fn bytes(counts: &[u8]) -> usize {
    counts.iter().map(|&count| 2 * usize::from(count)).sum()
}

/// Reads what [`encode`] wrote for a game of `plies` plies; `None` if these are not such bytes.
pub(super) fn decode(
    counts: &[u8],
    mut rest: &[u8],
    plies: usize,
) -> Option<Vec<Vec<Option<f32>>>> {
    let mut labels = Vec::with_capacity(counts.len());
    for &count in counts {
        let count = usize::from(count);
        let (own, others) = rest.split_at_checked(2 * count)?;
        rest = others;
        let mut values = vec![None; plies.checked_sub(count)?];
        let steps = own
            .as_chunks::<2>()
            .0
            .iter()
            .map(|&steps| u16::from_le_bytes(steps));
        values.extend(steps.map(|steps| (steps != NO_VALUE).then(|| value_of(steps))));
        // What has no label is not written: a game has one form only.
        if count > 0 && values[plies - count].is_none() {
            return None;
        }
        labels.push(values);
    }
    (rest.is_empty() && labels.iter().flatten().any(Option::is_some)).then_some(labels)
}
