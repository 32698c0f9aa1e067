//! `alea tuples`: searches for the tuples of an n-tuple network.

use crate::commands::train::{open_samples_and_report, read_config};
use crate::games::{self, with_type};
use crate::output;
use crate::settings::SetArguments;
use anyhow::Result;
use engine::learned::inputs::Learnable;
use std::path::PathBuf;
use trainer::tuple_search::{SearchOptions, search};

/// Search for the tuples of an n-tuple network in game records
///
/// Tuples are added one group after the other: each time the one with the lowest validation loss
/// after a short training of the whole set. The result is written as a training configuration. An
/// interrupted search resumes after the last addition.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea tuples --data runs/data --rows 500000 --out runs/tuples.toml\n         \
alea train --data runs/data --family ntuple --config runs/tuples.toml --out runs/model"
)]
pub(crate) struct Arguments {
    /// Directory of game records, made by `alea selfplay`; may be given several times, with games
    /// of one game
    #[arg(long, value_name = "DIR", required = true)]
    data: Vec<PathBuf>,
    /// Configuration to write; beside it *.state.json, the state of the search
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Settings of the trainings that compare sets; the written settings keep them
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    set: SetArguments,
    /// Maximum rows of the set, four bytes each
    #[arg(long, default_value_t = SearchOptions::default().rows, value_name = "N")]
    rows: usize,
    /// Maximum training samples
    #[arg(long, default_value_t = SearchOptions::default().samples, value_name = "N")]
    samples: usize,
    /// Epochs of the training of a set
    #[arg(long, default_value_t = SearchOptions::default().epochs, value_name = "N")]
    epochs: usize,
    /// Candidates trained in each round
    #[arg(long, default_value_t = SearchOptions::default().refitted, value_name = "N")]
    refitted: usize,
    /// Candidates of each kind; of more, a random selection
    #[arg(long, default_value_t = SearchOptions::default().candidates, value_name = "N")]
    candidates: usize,
    /// Minimum gain in validation loss of an addition, in nats
    #[arg(long, default_value_t = SearchOptions::default().min_gain, value_name = "NATS")]
    min_gain: f64,
    /// Seed of samples, order and candidates; overrides the settings
    #[arg(long)]
    seed: Option<u64>,
    /// Write one JSON object
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        with_type!(&games::game_of_records(&self.data), Game => self.search_tuples::<Game>())
    }

    fn search_tuples<G: Learnable>(&self) -> Result<()> {
        let config = read_config(self.config.as_deref(), &self.set, self.seed)?;
        let options = SearchOptions {
            rows: self.rows,
            samples: self.samples,
            epochs: self.epochs,
            refitted: self.refitted,
            candidates: self.candidates,
            min_gain: self.min_gain,
        };
        let samples = open_samples_and_report::<G>(&self.data, &config)?;
        let report = output::with_progress("rows", |progress| {
            search(&config, &options, &samples, &self.out, progress)
        })?;
        if self.json {
            return output::print_json(&report);
        }
        output::print_line("   rows  tuples  validation      gain  kind, the first of its tuples")?;
        for addition in &report.additions {
            output::print_line(&format!(
                "{:>7}  {:>6}  {:>10.6}  {:>8.6}  {}: {}",
                addition.rows,
                addition.tuples.len(),
                addition.validation_loss,
                addition.gain,
                addition.kind,
                addition.tuples.first().map_or("", String::as_str)
            ))?;
        }
        output::print_line(&format!(
            "{:>7}  {:>6}  {:>10.6}  in all: {}",
            report.rows,
            report.tuples,
            report.validation_loss,
            report.config.display()
        ))
    }
}
