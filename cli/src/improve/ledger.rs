//! Ledger of all finished generations, as JSON and as Markdown.
//!
//! Invariant: `ledger.md` derives from `ledger.json`, which is replaced atomically. Neither
//! contains times, so that equal runs have equal ledgers.

use crate::output;
use anyhow::{Context, Result, bail};
use arena::matches::{MatchResult, MeanPoints};
use arena::statistics::{Interval, sequential::Verdict};
use arena::text_table::{Cell, TextTable};
use engine::core::files::{self, FileKind};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ledger {
    pub(crate) seed: u64,
    pub(crate) start: Start,
    pub(crate) generations: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Start {
    pub(crate) evaluator: String,
    /// Checksum of the start model; `None` for a hand-made evaluator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) checksum: Option<String>,
    pub(crate) strength: Vec<Strength>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) generation: u64,
    pub(crate) accepted: bool,
    /// Label of the best evaluator before this generation, which the candidate had to beat. It
    /// played the games, unless they are those of TD learning.
    pub(crate) best_before: String,
    pub(crate) games: u64,
    pub(crate) positions: u64,
    pub(crate) training: Training,
    /// Path of the candidate in the run's directory; `checksum` is the xxh3 in its metadata.
    pub(crate) model: PathBuf,
    pub(crate) checksum: String,
    pub(crate) gate: GateResult,
    pub(crate) strength: Vec<Strength>,
    pub(crate) command: String,
}

/// Training of a generation's candidate; losses are in nats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Training {
    pub(crate) family: String,
    pub(crate) samples: usize,
    /// Number of epochs over records; `None` after TD learning, as are `best_epoch` and
    /// `validation_loss`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) epochs: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) best_epoch: Option<usize>,
    /// Training loss; of TD learning that of values before each update, against results.
    pub(crate) training_loss: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) validation_loss: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct GateResult {
    pub(crate) verdict: Verdict,
    pub(crate) log_likelihood_ratio: f64,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    #[serde(flatten)]
    pub(crate) score: Score,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Strength {
    pub(crate) opponent: String,
    #[serde(flatten)]
    pub(crate) score: Score,
}

/// Score of A as a fraction, Elo difference and, in games with points, mean points, with 95 %
/// intervals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Score {
    pub(crate) games: u64,
    pub(crate) score: f64,
    pub(crate) interval: Interval,
    pub(crate) elo: f64,
    pub(crate) elo_interval: Interval,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) points: Option<MeanPoints>,
}

impl Score {
    pub(crate) fn of(result: &MatchResult) -> Self {
        Self {
            games: result.games,
            score: result.score,
            interval: result.interval,
            elo: result.elo,
            elo_interval: result.elo_interval,
            points: result.mean_points(),
        }
    }
}

impl std::fmt::Display for Score {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(points) = &self.points {
            let Interval { lower, upper } = points.interval;
            let MeanPoints { unit, mean, .. } = points;
            return write!(
                formatter,
                "{mean:+.3} [{lower:+.3}, {upper:+.3}] {unit} a game"
            );
        }
        let Interval { lower, upper } = self.interval;
        let [score, lower, upper] = [self.score, lower, upper].map(|fraction| 100.0 * fraction);
        write!(formatter, "{score:.2} % [{lower:.2}, {upper:.2}]")
    }
}

impl GateResult {
    pub(crate) fn of(result: &MatchResult) -> Option<Self> {
        let test = result.sequential_test?;
        Some(Self {
            verdict: test.verdict,
            log_likelihood_ratio: test.log_likelihood_ratio,
            lower: test.lower,
            upper: test.upper,
            score: Score::of(result),
        })
    }
}

impl Ledger {
    pub(crate) fn path(directory: &Path) -> PathBuf {
        directory.join("ledger.json")
    }

    pub(crate) fn read(directory: &Path) -> Result<Option<Self>> {
        let path = Self::path(directory);
        if !path.exists() {
            return Ok(None);
        }
        let ledger: Self = serde_json::from_slice(&files::read(&path, FileKind::Text)?)
            .with_context(|| format!("{}: this is no ledger of generations", path.display()))?;
        for (&Entry { generation, .. }, expected) in ledger.generations.iter().zip(1..) {
            if generation != expected {
                let path = path.display();
                bail!("{path}: generation {generation} stands where generation {expected} should");
            }
        }
        Ok(Some(ledger))
    }

    pub(crate) fn write(&self, directory: &Path) -> Result<()> {
        let json = serde_json::to_string_pretty(self)? + "\n";
        output::write_file(&Self::path(directory), json)?;
        Ok(output::write_file(
            &directory.join("ledger.md"),
            self.markdown(),
        )?)
    }

    pub(crate) fn best(&self) -> Option<&Entry> {
        self.generations.iter().rev().find(|entry| entry.accepted)
    }

    pub(crate) fn rejected_since_best(&self) -> u64 {
        let last = self.generations.iter().rev();
        last.take_while(|entry| !entry.accepted).count() as u64
    }

    pub(crate) fn strength(&self) -> &[Strength] {
        self.generations
            .last()
            .map_or(&self.start.strength, |entry| &entry.strength)
    }

    pub(crate) fn text_table(&self, columns: &[&str]) -> TextTable {
        let find = |name: &&str| COLUMNS.iter().find(|(column, _)| column == name);
        let columns: Vec<_> = columns.iter().filter_map(find).collect();
        let row = |entry| columns.iter().map(|(_, cell)| cell(entry)).collect();
        TextTable::from_rows(
            columns.iter().map(|(name, _)| *name),
            self.generations.iter().map(row),
        )
    }

    fn markdown(&self) -> String {
        let text_table = self.text_table(&[
            "generation",
            "accepted",
            "against",
            "score at the gate, 95 %",
            "Elo",
            "LLR",
            "games",
            "validation loss",
            "samples",
            "model (xxh3)",
            "command",
        ]);
        let mut text = format!(
            "# Generations\n\nGeneration 0 is `{}`; the seed is {}. Scores are those of the candidate against the best one before it, \
             as far as the sequential test looked.\n\n| {} |\n|--:|---|---|---|--:|--:|--:|--:|--:|---|---|\n",
            self.start.evaluator,
            self.seed,
            text_table.columns.join(" | "),
        );
        for row in &text_table.rows {
            let cells = row.iter().map(|cell| cell.text_of().replace('|', "/"));
            text += &format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
        }
        text
    }
}

type Column = (&'static str, fn(&Entry) -> Cell);

const COLUMNS: [Column; 18] = [
    ("generation", |of| of.generation.into()),
    ("accepted", |of| {
        (if of.accepted { "yes" } else { "no" }).into()
    }),
    ("against", |of| of.best_before.as_str().into()),
    ("score at the gate, 95 %", |of| {
        of.gate.score.to_string().into()
    }),
    ("Elo", |of| {
        Cell::Right(format!("{:+.1}", of.gate.score.elo))
    }),
    ("LLR", |of| {
        Cell::Right(format!("{:+.2}", of.gate.log_likelihood_ratio))
    }),
    ("bounds of LLR", |of| {
        Cell::Right(format!("{:.2}, {:.2}", of.gate.lower, of.gate.upper))
    }),
    ("games", |of| of.gate.score.games.into()),
    ("games played", |of| of.games.into()),
    ("positions", |of| of.positions.into()),
    ("family", |of| of.training.family.as_str().into()),
    ("samples", |of| Cell::Count(of.training.samples as u64)),
    ("learning", |of| {
        of.training.epochs.map_or("TD", |_| "records").into()
    }),
    ("best epoch", |of| {
        match (of.training.best_epoch, of.training.epochs) {
            (Some(best), Some(epochs)) => format!("{best} of {epochs}").into(),
            _ => Cell::Missing,
        }
    }),
    ("training loss", |of| {
        Cell::Number(of.training.training_loss, 5)
    }),
    ("validation loss", |of| {
        Cell::number(of.training.validation_loss, 5)
    }),
    ("model (xxh3)", |of| of.checksum.as_str().into()),
    ("command", |of| format!("`{}`", of.command).into()),
];

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use serde_json::{Value, json};

    pub(in crate::improve) fn example_ledger(accepted: &[bool]) -> Ledger {
        let score = json!({
            "games": 20, "score": 0.75, "interval": { "lower": 0.7, "upper": 0.8 },
            "elo": 190.8, "elo_interval": { "lower": 147.2, "upper": 240.8 },
        });
        let with = |mut fields: Value| {
            let more = score.as_object().cloned().unwrap_or_default();
            fields.as_object_mut().unwrap().extend(more);
            fields
        };
        let strength = [with(json!({ "opponent": "schwarz" }))];
        let entry = |(accepted, generation): (&bool, u64)| {
            json!({
                "generation": generation, "accepted": accepted, "best_before": "abt", "games": 7, "positions": 100,
                "training": {
                    "family": "network", "samples": 9, "epochs": 2, "best_epoch": 1,
                    "training_loss": 0.6, "validation_loss": 0.61234,
                },
                "model": "generations/0001/network/network.safetensors", "checksum": "0123",
                "gate": with(json!({
                    "verdict": "accepted", "log_likelihood_ratio": 3.0, "lower": -2.9, "upper": 2.9
                })),
                "strength": strength, "command": "alea improve",
            })
        };
        let generations: Value = accepted.iter().zip(1..).map(entry).collect();
        let start = json!({ "evaluator": "abt", "strength": strength });
        let ledger = json!({ "seed": 5, "start": start, "generations": generations });
        serde_json::from_value(ledger).unwrap()
    }

    #[test]
    fn td_learning_has_neither_epochs_nor_validation() {
        let mut ledger = example_ledger(&[true, true]);
        let training = &mut ledger.generations[0].training;
        (training.epochs, training.best_epoch) = (None, None);
        training.validation_loss = None;
        let directory = tempfile::tempdir().unwrap();
        ledger.write(directory.path()).unwrap();
        assert_eq!(Ledger::read(directory.path()).unwrap().unwrap(), ledger);
        let text_table = ledger.text_table(&["learning", "best epoch", "validation loss"]);
        let row = |texts: [&str; 3]| texts.map(str::to_owned).to_vec();
        let rows =
            (text_table.rows.iter()).map(|row| row.iter().map(Cell::text_of).collect::<Vec<_>>());
        let expected = [row(["TD", "–", "–"]), row(["records", "1 of 2", "0.61234"])];
        assert_eq!(rows.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn scores_of_games_with_points_are_points() {
        let mut ledger = example_ledger(&[true]);
        let score = &mut ledger.generations[0].gate.score;
        score.points = Some(MeanPoints {
            unit: "points".to_owned(),
            mean: 0.25,
            interval: Interval::from_center(0.25, 0.125),
        });
        assert_eq!(score.to_string(), "+0.250 [+0.125, +0.375] points a game");
        let json = serde_json::to_value(&ledger).unwrap();
        assert_eq!(json["generations"][0]["gate"]["points"]["mean"], 0.25);
        assert_eq!(serde_json::from_value::<Ledger>(json).unwrap(), ledger);
    }

    #[test]
    fn it_is_read_as_it_was_written_and_knows_the_best() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(Ledger::read(directory.path()).unwrap(), None);
        let written = example_ledger(&[true, false, true, false, false]);
        written.write(directory.path()).unwrap();
        assert_eq!(Ledger::read(directory.path()).unwrap().unwrap(), written);
        assert_eq!(
            (
                written.best().unwrap().generation,
                written.rejected_since_best()
            ),
            (3, 2)
        );
        assert_eq!(example_ledger(&[false]).best(), None);
        assert_eq!(
            (
                example_ledger(&[]).rejected_since_best(),
                example_ledger(&[true]).rejected_since_best()
            ),
            (0, 0)
        );
        let text = std::fs::read_to_string(directory.path().join("ledger.md")).unwrap();
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
        assert!(
            rows.len() == 7 && rows.iter().all(|row| row.matches('|').count() == 12),
            "{text}"
        );
        assert!(rows[3].starts_with("| 2 | no | abt | 75.00 % [70.00, 80.00] | +190.8 | +3.00 | 20 | 0.61234 | 9 | 0123 |"), "{text}");
        let mut wrong = written;
        wrong.generations.remove(1);
        wrong.write(directory.path()).unwrap();
        let problem = || Ledger::read(directory.path()).unwrap_err().to_string();
        assert!(problem().contains("generation 3 stands where generation 2 should"));
        std::fs::write(Ledger::path(directory.path()), "{}").unwrap();
        assert!(problem().contains("no ledger of generations"));
    }
}
