//! `alea gate`: promotes a model if a sequential test finds it better.
//!
//! Invariant: an accepted model is copied before the ledger names it; ledger lines and shipped
//! models never change.

use crate::commands::arena::{
    PairArguments, contestant, report_if_interrupted, sprt_status, stopping_rule, table,
};
use crate::games::with_game;
use crate::{gating, improve::Score, interruption_report, output};
use anyhow::{Context, Result, bail};
use arena::matches::{FinishedPairs, MatchResult, play_match};
use arena::statistics::sequential::Verdict;
use chrono::Utc;
use engine::core::files::{self, FileKind};
use engine::learned::{
    inputs::Learnable,
    model_file::{Model, ModelFile},
};
use engine::play::player_notation::trusted_text;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const LEDGER_MARK: &str = "<!-- A line for each shipped model goes here. -->";

/// Promote a model if a sequential test finds it better
///
/// Both models play with the same search. An accepted model is copied beside the ledger, which gets
/// a line for it. The exit code is 0 only then; a test that its last game leaves open promotes
/// nothing. With --state an interrupted test resumes.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea gate runs/2/network.safetensors --against models/quick-network.safetensors --name better-network"
)]
pub(crate) struct Arguments {
    /// The model that may be promoted
    candidate: PathBuf,
    /// The model to beat, or any evaluator
    #[arg(long, value_name = "PATH|EVAL")]
    against: String,
    /// Search of both; MODEL or {model} stands for the evaluator
    #[arg(
        long,
        default_value = "star1(depth=1, eval=MODEL)",
        value_name = "PLAYER"
    )]
    player: String,
    /// The hypotheses, as for alea arena
    #[arg(long, num_args = 1..=7, default_values = ["elo0=0", "elo1=10"], value_name = "elo0=E elo1=E")]
    sprt: Vec<String>,
    #[command(flatten)]
    pairs: PairArguments,
    /// The ledger; the model is copied into its folder
    #[arg(long, default_value = "models/README.md", value_name = "PATH")]
    ledger: PathBuf,
    /// New name of the model [default: its file name]
    #[arg(long)]
    name: Option<String>,
    /// Write the result as JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        with_game!(trusted_text(&self.pairs.game.notation()), game => self.run_for(&game))
    }

    fn run_for<G: Learnable>(&self, game: &G) -> Result<()> {
        let promotion = PreparedPromotion::prepare(self, game)?;
        let player = |evaluator: &str| {
            contestant(
                &gating::with_evaluator(&self.player, evaluator).context("--player")?,
                game,
            )
        };
        let against = Path::new(&self.against);
        let against = if against.is_file() {
            gating::model_notation(against)
        } else {
            self.against.clone()
        };
        let mut options =
            gating::with_stopping_rule(stopping_rule(&self.sprt)?, self.pairs.options(game, true));
        let candidate = player(&gating::model_notation(&self.candidate))?;
        let against = player(&against)?;
        options.finished = Some(FinishedPairs::default());
        report_if_interrupted([&candidate, &against], &options, self.json);
        let result = play_match(&candidate, &against, &options)?;
        interruption_report::clear_report();
        if self.pairs.shard.report_task_end(self.json)? {
            return Ok(());
        }
        let test = result.sequential_test;
        let promoted = test.is_some_and(|test| test.verdict == Verdict::Accepted);
        if promoted {
            promotion.publish(&result, self)?;
        }
        let object = json!({ "promoted": promoted, "model": promoted.then_some(&promotion.path), "match": result });
        output::print_result(self.json, &object, || {
            let path = promotion.path.display();
            let outcome = if promoted {
                format!("promoted: {path}, see {}", self.ledger.display())
            } else {
                "not promoted".to_owned()
            };
            format!("{}\n\n{outcome}", table(&result))
        })?;
        if promoted {
            Ok(())
        } else {
            Err(output::already_reported())
        }
    }
}

struct PreparedPromotion<G: Learnable> {
    bytes: Vec<u8>,
    model: ModelFile<G>,
    name: String,
    path: PathBuf,
}

impl<G: Learnable> PreparedPromotion<G> {
    fn prepare(arguments: &Arguments, game: &G) -> Result<Self> {
        let candidate = &arguments.candidate;
        let model = ModelFile::load(game, candidate)?;
        let bytes = files::read(candidate, FileKind::Data)?;
        let stem = candidate.file_stem().unwrap_or_default();
        let stem = || stem.to_string_lossy().into_owned();
        let name = arguments.name.clone().unwrap_or_else(stem);
        let is_fit = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        if name.is_empty() || !name.chars().all(is_fit) {
            bail!(
                "'{name}' is no name for a model: letters, digits, '-', '_' and '.' only; give one with --name"
            );
        }
        let path = arguments
            .ledger
            .with_file_name(format!("{name}.safetensors"));
        if path.exists() && files::read(&path, FileKind::Data)? != bytes {
            bail!(
                "{}: a model keeps its file for ever, and this is another one; give the new one a name with --name",
                path.display()
            );
        }
        let (ledger, line) = (read_ledger(&arguments.ledger)?, format!("| [{name}]"));
        if ledger.lines().any(|text_of| text_of.starts_with(&line)) {
            bail!(
                "{}: there is a model called {name} already; give the new one a name with --name",
                arguments.ledger.display()
            );
        }
        Ok(Self {
            bytes,
            model,
            name,
            path,
        })
    }

    fn publish(&self, result: &MatchResult, arguments: &Arguments) -> Result<()> {
        if !self.path.exists() {
            output::write_file(&self.path, &self.bytes)?;
        }
        let ledger = read_ledger(&arguments.ledger)?;
        let text = ledger.replacen(
            LEDGER_MARK,
            &format!("{}\n{LEDGER_MARK}", self.ledger_line(result, arguments)),
            1,
        );
        Ok(output::write_file(&arguments.ledger, text)?)
    }

    /// Markdown row: file, shape, weights, data, settings, gate result, empty cell, date, checksum.
    fn ledger_line(&self, result: &MatchResult, arguments: &Arguments) -> String {
        let provenance: Value = serde_json::from_str(&self.model.provenance).unwrap_or_default();
        let shape = match &self.model.model {
            Model::NTuple(model) => format!("n-tuples, `{}`", model.tuple_set().name()),
            Model::Network(model) => format!("network, layers {:?}", model.weights().widths()),
        };
        let text_of = |value: &Value| match value {
            Value::Null => "?".to_owned(),
            text_of => text_of.to_string(),
        };
        let data = format!(
            "{} positions, seed {}",
            text_of(&provenance["training_samples"]),
            text_of(&provenance["data"]["records"]["seed"])
        );
        let settings = format!(
            "{} epochs, seed {}",
            text_of(&provenance["epochs"]),
            text_of(&provenance["seed"])
        );
        let test = sprt_status(result);
        let score = Score::of(result);
        let outcome = format!(
            "gate: {score} of {} against `{}`, both `{}`, seed {}; {test}",
            result.games_in_words(),
            arguments.against,
            arguments.player,
            arguments.pairs.seed,
        );
        let cells = [
            format!("[{0}]({0}.safetensors)", self.name),
            shape,
            self.model.model.parameters().to_string(),
            data,
            settings,
            outcome,
            "–".to_owned(),
            Utc::now().date_naive().to_string(),
            gating::model_checksum(&self.bytes).unwrap_or_else(|| "?".to_owned()),
        ];
        // A bar would end a cell of the Markdown table.
        format!(
            "| {} |",
            cells
                .map(|cell| cell.replace('|', "/").replace('\n', " "))
                .join(" | ")
        )
    }
}

fn read_ledger(path: &Path) -> Result<String> {
    let text = files::read_text(path, FileKind::Text)?;
    if !text.contains(LEDGER_MARK) {
        bail!(
            "{}: this is no ledger of models; expected a line {LEDGER_MARK}",
            path.display()
        );
    }
    Ok(text)
}
