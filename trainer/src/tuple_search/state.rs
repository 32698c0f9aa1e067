//! State of a tuple search, written beside the resulting configuration after each round.

use super::SearchOptions;
use crate::Error;
use crate::config::TrainConfig;
use alea_core::files::{FileError, FileKind, read, write_atomically};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const STATE_FORMAT: &str = "alea-tuples-1";

/// Tuples added in one round of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AddedTuples {
    /// Name of the kind of tuples, defined by the game.
    pub kind: String,
    /// Added tuples, each a list of board cells.
    pub tuples: Vec<String>,
    /// Number of table rows of the added tuples, over all phases.
    pub rows: usize,
    /// Loss of the previous set that the added tuples save according to the screening, in nats.
    pub explained: f64,
    /// Validation loss with the added tuples, in nats.
    pub validation_loss: f64,
    /// Decrease of the validation loss, in nats.
    pub gain: f64,
}

/// Result of a tuple search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchReport {
    /// Number of tuples in the set.
    pub tuples: usize,
    /// Number of table rows of the set, over all phases.
    pub rows: usize,
    /// Validation loss after a short training, in nats.
    pub validation_loss: f64,
    /// Added tuples of each round, in order.
    pub additions: Vec<AddedTuples>,
    /// Path of the configuration with the set.
    pub config: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    format: String,
    configuration: String,
    options: SearchOptions,
    fingerprint: u64,
    pub(super) additions: Vec<AddedTuples>,
    pub(super) finished: bool,
}

pub(super) fn state_path(result: &Path) -> PathBuf {
    result.with_extension("state.json")
}

fn damaged_error(path: &Path, problem: &serde_json::Error) -> Error {
    Error::at_path(
        path,
        format!("not the state of a search ({problem}); remove it to start again"),
    )
}

impl State {
    pub(super) fn open(
        result: &Path,
        config: &TrainConfig,
        options: &SearchOptions,
        fingerprint: u64,
    ) -> Result<Self, Error> {
        let path = state_path(result);
        let initial = Self {
            format: STATE_FORMAT.to_owned(),
            configuration: config.to_toml(),
            options: options.clone(),
            fingerprint,
            additions: Vec::new(),
            finished: false,
        };
        let bytes = match read(&path, FileKind::Data) {
            Err(FileError::NotFound { .. }) => return Ok(initial),
            other => other?,
        };
        let found: Self =
            serde_json::from_slice(&bytes).map_err(|error| damaged_error(&path, &error))?;
        let differs = [
            ("format", found.format != initial.format),
            (
                "configuration",
                found.configuration != initial.configuration,
            ),
            ("set of limits", found.options != initial.options),
            ("set of samples", found.fingerprint != initial.fingerprint),
        ];
        match differs.into_iter().find(|(_, differs)| *differs) {
            Some((what, _)) => Err(Error::at_path(
                path,
                format!(
                    "belongs to a search with another {what}; give another --out, or remove it to start again"
                ),
            )),
            None => Ok(found),
        }
    }

    pub(super) fn tuples(&self) -> Vec<String> {
        self.additions
            .iter()
            .flat_map(|addition| addition.tuples.clone())
            .collect()
    }

    pub(super) fn total_rows(&self) -> usize {
        self.additions.iter().map(|addition| addition.rows).sum()
    }

    pub(super) fn loss(&self) -> f64 {
        self.additions
            .last()
            .map_or(f64::NAN, |addition| addition.validation_loss)
    }

    pub(super) fn write(&self, result: &Path) -> Result<(), Error> {
        let path = state_path(result);
        let bytes =
            serde_json::to_vec_pretty(self).map_err(|error| damaged_error(&path, &error))?;
        Ok(write_atomically(&path, |file| file.write_all(&bytes))?)
    }

    pub(super) fn finish(
        &self,
        result: &Path,
        config: &TrainConfig,
    ) -> Result<SearchReport, Error> {
        let mut config = config.clone();
        config.ntuple.tuples = self.tuples();
        let text = format!("{}{}", self.table(), config.to_toml());
        write_atomically(result, |file| file.write_all(text.as_bytes()))?;
        Ok(SearchReport {
            tuples: config.ntuple.tuples.len(),
            rows: self.total_rows(),
            validation_loss: self.loss(),
            additions: self.additions.clone(),
            config: result.to_owned(),
        })
    }

    fn table(&self) -> String {
        let mut table = String::from(
            "# Found by `alea tuples`: what was added, and the validation loss (nats) of a short training with it.\n",
        );
        table.push_str(
            "#   rows  tuples  validation     gain  explained  kind, the first of its tuples\n",
        );
        for AddedTuples {
            kind,
            tuples,
            rows,
            explained,
            validation_loss,
            gain,
        } in &self.additions
        {
            let first = tuples.first().map_or("", String::as_str);
            table.push_str(&format!(
                "# {rows:>6}  {:>6}  {validation_loss:>10.6}  {gain:>7.6}  {explained:>9.6}  {kind}: {first}\n",
                tuples.len()
            ));
        }
        table.push('\n');
        table
    }
}
