//! `alea train --sweep`: a training for each combination of listed settings, each in a directory of
//! its own, and a comparison of all.
//!
//! Invariant: the files of the comparison have no times and no paths outside the directory, so that
//! interrupted sweeps end with the same bytes.

use super::{CheckConfig, Fit, FitReport};
use crate::output;
use crate::settings::{Override, override_settings};
use anyhow::{Context, Result, anyhow, bail, ensure};
use arena::plot::{Curve, LineChart, line_chart};
use arena::text_table::{Cell, TextTable};
use engine::core::files;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use toml::{Table, Value};
use trainer::config::TrainConfig;
use trainer::training::Family;

const MAX_COMBINATIONS: usize = 1000;

/// Maximal number of curves in the plot, which has a colour for each.
const MAX_CURVES: usize = 7;

const MAX_NAME_BYTES: usize = 120;

/// Option `--sweep`.
#[derive(clap::Args)]
pub(super) struct SweepArguments {
    /// Train with each value of a setting, in a directory for each under --out, and compare the
    /// losses; may be given several times for all combinations
    #[arg(long, value_name = "KEY=[VALUE,...]")]
    sweep: Vec<String>,
}

/// A training in the comparison. Without validation it has only `loss`.
#[derive(Serialize)]
struct SweepRow {
    settings: Table,
    family: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    epochs: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best_epoch: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<u64>,
    /// NaN, in JSON null, after a divergence.
    loss: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    validation_loss: Option<f64>,
    /// Path relative to the directory of the sweep, as that of `model`.
    directory: PathBuf,
    model: PathBuf,
    #[serde(skip)]
    curve: Vec<(f64, f64)>,
}

/// Comparison of the trainings, lowest loss first.
#[derive(Serialize)]
struct Comparison {
    runs: Vec<SweepRow>,
}

impl SweepArguments {
    pub(super) fn is_empty(&self) -> bool {
        self.sweep.is_empty()
    }

    /// Runs `fit` for every combination and family, and writes `sweep.json` and `sweep.svg` to
    /// `directory`.
    pub(super) fn run(
        &self,
        (config, families): (&TrainConfig, &[Family]),
        (directory, json): (&Path, bool),
        check: &CheckConfig<'_>,
        fit: &mut Fit<'_>,
    ) -> Result<()> {
        let combinations = self.combinations()?;
        let configs = combinations.iter().map(|combination| {
            let config = override_settings(config, combination)?;
            check(&config).with_context(|| describe(combination))?;
            Ok(config)
        });
        let configs = configs.collect::<Result<Vec<TrainConfig>>>()?;
        let names: Vec<String> = combinations.iter().map(|one| directory_name(one)).collect();
        let mut distinct = BTreeSet::new();
        if let Some(twice) = names.iter().find(|name| !distinct.insert(*name)) {
            bail!("--sweep: two combinations would be in the directory {twice}");
        }
        let _claim = files::claim_directory(directory)?;
        let mut runs = Vec::new();
        let count = names.len();
        for (index, (combination, config)) in combinations.iter().zip(&configs).enumerate() {
            let description = describe(combination);
            output::note(&format!("── {} of {count}: {description}", index + 1));
            for &family in families {
                let own = Path::new(&names[index]).join(family.name());
                match fit(config, family, &directory.join(&own)) {
                    Ok(report) => {
                        output::note(&report.summary());
                        runs.push(SweepRow::new(combination, own, &report));
                    }
                    Err(error) if is_divergence(&error) => {
                        output::note(&format!("{error}"));
                        runs.push(SweepRow::diverged(combination, family, own));
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        runs.sort_by(|a, b| a.score().total_cmp(&b.score()));
        ensure!(
            runs.iter().any(|run| run.loss.is_finite()),
            "--sweep: every training diverged"
        );
        let comparison = Comparison { runs };
        let text = serde_json::to_string_pretty(&comparison)? + "\n";
        output::write_file(&directory.join("sweep.json"), text)?;
        output::write_file(&directory.join("sweep.svg"), comparison.picture()?)?;
        output::print_result(json, &comparison, || comparison.text(directory))
    }

    /// All combinations of the listed values, each with a value of every setting; the last setting
    /// changes fastest.
    pub(super) fn combinations(&self) -> Result<Vec<Vec<Override>>> {
        let mut combinations = vec![Vec::new()];
        for argument in &self.sweep {
            let setting = Override::parse("--sweep", argument)?;
            let Value::Array(values) = &setting.value else {
                bail!("--sweep {argument}: the values are a list, KEY=[VALUE, ...]");
            };
            ensure!(!values.is_empty(), "--sweep {argument}: the list is empty");
            let is_same = |other: &Override| other.key == setting.key;
            if combinations[0].iter().any(is_same) {
                bail!("--sweep {argument}: the setting is given twice");
            }
            if combinations.len() * values.len() > MAX_COMBINATIONS {
                bail!("--sweep: more than {MAX_COMBINATIONS} combinations");
            }
            let extend = |earlier: Vec<Override>| {
                let extended = values.iter().map(|value| {
                    let last = setting.with_value(value.clone());
                    [&earlier[..], &[last]].concat()
                });
                extended.collect::<Vec<_>>()
            };
            combinations = combinations.into_iter().flat_map(extend).collect();
        }
        Ok(combinations)
    }
}

fn is_divergence(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(trainer::Error::Divergence(_)))
}

/// Text of a value as it is typed.
fn plain_text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn describe(combination: &[Override]) -> String {
    let settings = combination.iter();
    let settings = settings.map(|one| format!("{}={}", one.key, plain_text(&one.value)));
    settings.collect::<Vec<_>>().join(" ")
}

/// Name of the directory of a combination: settings joined by `+`, without brackets, quotes and
/// blanks; with a checksum if more had to be left out.
fn directory_name(combination: &[Override]) -> String {
    let exact = describe(combination);
    let settings = combination.iter().map(|one| {
        let value = plain_text(&one.value).replace(['[', ']', '"', '\'', ' '], "");
        format!("{}={value}", one.key)
    });
    let name = settings.collect::<Vec<_>>().join("+");
    let is_safe = |sign: char| sign.is_ascii_alphanumeric() || "._-+=,".contains(sign);
    if name.chars().all(is_safe) && name.len() <= MAX_NAME_BYTES {
        return name;
    }
    let safe: String = name.chars().filter(|&sign| is_safe(sign)).collect();
    let start = &safe[..safe.len().min(MAX_NAME_BYTES)];
    format!("{start}-{:08x}", files::checksum(exact.as_bytes()) as u32)
}

fn settings_table(combination: &[Override]) -> Table {
    let settings = combination.iter();
    let settings = settings.map(|one| (one.key.clone(), one.value.clone()));
    settings.collect()
}

impl SweepRow {
    fn diverged(combination: &[Override], family: Family, directory: PathBuf) -> Self {
        Self {
            settings: settings_table(combination),
            family: family.name().to_owned(),
            epochs: None,
            best_epoch: None,
            games: None,
            loss: f64::NAN,
            validation_loss: None,
            model: PathBuf::new(),
            directory,
            curve: Vec::new(),
        }
    }

    fn new(combination: &[Override], directory: PathBuf, report: &FitReport) -> Self {
        let settings = settings_table(combination);
        let model = |path: &Path| directory.join(path.file_name().unwrap_or_default());
        match report {
            FitReport::Supervised(report) => Self {
                settings,
                family: report.family.clone(),
                epochs: Some(report.epochs),
                best_epoch: Some(report.best_epoch),
                games: None,
                loss: report.training_loss,
                validation_loss: Some(report.validation_loss),
                model: model(&report.model),
                directory,
                curve: (report.curve.iter())
                    .map(|point| (point.epoch as f64, point.validation_loss))
                    .collect(),
            },
            FitReport::Td(report) => Self {
                settings,
                family: report.family.clone(),
                epochs: None,
                best_epoch: None,
                games: Some(report.games),
                loss: report.loss,
                validation_loss: None,
                model: model(&report.model),
                directory,
                curve: (report.curve.iter())
                    .map(|point| (point.games as f64, point.loss))
                    .collect(),
            },
        }
    }

    fn score(&self) -> f64 {
        self.validation_loss.unwrap_or(self.loss)
    }
}

impl Comparison {
    fn is_td(&self) -> bool {
        self.runs.iter().any(|row| row.games.is_some())
    }

    fn picture(&self) -> Result<String> {
        let drawn = self.runs.iter().filter(|row| row.loss.is_finite());
        let drawn = drawn.take(MAX_CURVES);
        let families: BTreeSet<_> = self.runs.iter().map(|row| &row.family).collect();
        let curves = drawn.map(|row| {
            let settings = row.settings.iter();
            let settings = settings.map(|(key, value)| format!("{key}={}", plain_text(value)));
            let mut name = settings.collect::<Vec<_>>().join(" ");
            if families.len() > 1 {
                name = format!("{} {name}", row.family);
            }
            Curve::new(name, row.curve.iter().copied())
        });
        let (what, axis) = match self.is_td() {
            true => ("Loss", "games"),
            false => ("Validation loss", "epoch"),
        };
        let count = self.runs.len();
        let title = match count > MAX_CURVES {
            true => format!("{what}, the best {MAX_CURVES} of {count} trainings"),
            false => what.to_owned(),
        };
        let chart = LineChart::new(title, [axis, "cross-entropy, nats"], curves);
        line_chart(&chart).map_err(|error| anyhow!("{error}"))
    }

    fn text(&self, directory: &Path) -> String {
        let keys: Vec<&str> = self.runs.first().map_or_else(Vec::new, |row| {
            row.settings.keys().map(String::as_str).collect()
        });
        let measures: &[&str] = match self.is_td() {
            true => &["family", "games", "loss"],
            false => &["family", "epoch", "loss", "validation loss"],
        };
        let mut table = TextTable::new(keys.iter().chain(measures).copied());
        for row in &self.runs {
            let setting = |value| Cell::Right(plain_text(value));
            let mut cells: Vec<Cell> = row.settings.values().map(setting).collect();
            cells.push(row.family.as_str().into());
            if !row.loss.is_finite() {
                let empty = (cells.len()..keys.len() + measures.len() - 1).map(|_| "–".into());
                let empty: Vec<Cell> = empty.collect();
                cells.extend(empty);
                cells.push(Cell::Right("diverged".to_owned()));
                table.push(cells);
                continue;
            }
            match row.games {
                Some(games) => cells.push(games.into()),
                None => {
                    let [best, all] = [row.best_epoch, row.epochs].map(Option::unwrap_or_default);
                    cells.push(Cell::Right(format!("{best} of {all}")));
                }
            }
            cells.push(Cell::Number(row.loss, 5));
            cells.extend(row.validation_loss.map(|loss| Cell::Number(loss, 5)));
            table.push(cells);
        }
        let mut text = format!("{}\n", table.text());
        if let Some(best) = self.runs.first() {
            text += &format!("best:    {}\n", directory.join(&best.model).display());
        }
        text + &format!("picture: {}", directory.join("sweep.svg").display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sweep(arguments: &[&str]) -> SweepArguments {
        let sweep = arguments.iter().map(ToString::to_string).collect();
        SweepArguments { sweep }
    }

    #[test]
    fn combinations_are_a_product_and_name_their_directories() {
        let sweep = sweep(&[
            "network.hidden=[[64, 32], [128]]",
            "training.schedule=[\"cosine\", \"step\"]",
        ]);
        let combinations = sweep.combinations().unwrap();
        let names: Vec<_> = combinations.iter().map(|one| directory_name(one)).collect();
        assert_eq!(
            names,
            [
                "network.hidden=64,32+training.schedule=cosine",
                "network.hidden=64,32+training.schedule=step",
                "network.hidden=128+training.schedule=cosine",
                "network.hidden=128+training.schedule=step",
            ]
        );
        let last = override_settings(&TrainConfig::default(), &combinations[3]).unwrap();
        assert_eq!(last.network.hidden, [128]);
    }

    #[test]
    fn values_that_are_no_file_names_get_a_checksum() {
        let sweep = sweep(&["target.label=[\"a/b\", \"ab\", \"../ab\"]"]);
        let combinations = sweep.combinations().unwrap();
        let names: Vec<_> = combinations.iter().map(|one| directory_name(one)).collect();
        assert!(names[0].starts_with("target.label=ab-"), "{}", names[0]);
        assert_eq!(names[1], "target.label=ab");
        assert!(names.iter().all(|name| !name.contains('/')));
        let distinct: BTreeSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), 3);
    }

    #[test]
    fn wrong_lists_are_refused() {
        for (arguments, expected) in [
            (&["seed=1"][..], "the values are a list"),
            (&["seed=[]"], "the list is empty"),
            (&["seed=[1]", "seed=[2]"], "the setting is given twice"),
        ] {
            let error = sweep(arguments).combinations().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let list = format!("seed=[{}]", "1, ".repeat(1001));
        let error = sweep(&[&list]).combinations().unwrap_err().to_string();
        assert_eq!(error, "--sweep: more than 1000 combinations");
    }
}
