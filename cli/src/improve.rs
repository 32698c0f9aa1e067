//! Learning in generations: the best evaluator plays and a model learns from its games, or from games
//! against itself by TD(λ); it replaces the evaluator if a sequential test accepts.
//!
//! Invariant: finished work stays in the directory, so that an interrupted run resumes to the same
//! result. A directory belongs to one configuration, and to one process at a time.

pub(crate) mod config;
mod generation;
mod labelled_evaluator;
mod ledger;
mod page;

use crate::stage_times::Stages;
use crate::{gating, output, settings};
use anyhow::{Context, Result, bail};
use arena::pipeline_report::Stage;
use config::ImproveConfig;
use engine::core::{
    files::{self, FileKind},
    job_array::TaskSlice,
    model_names,
};
use engine::learned::{inputs::Learnable, model_file::ModelFile};
use engine::play::player_notation::Notation;
use generation::Generation;
pub(crate) use generation::strength_line;
use labelled_evaluator::Evaluator;
use ledger::Start;
pub(crate) use ledger::{Ledger, Score};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Serialize)]
pub(crate) struct ImproveResult {
    pub(crate) best: String,
    /// Copy of the best model; `None` if the best evaluator is hand-made.
    pub(crate) model: Option<PathBuf>,
    pub(crate) ended: End,
    pub(crate) ledger: Ledger,
    pub(crate) page: PathBuf,
    pub(crate) stages: Vec<Stage>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum End {
    Generations,
    Patience,
}

impl End {
    pub(crate) fn describe(self, ledger: &Ledger) -> String {
        let rejected_since_best = ledger.rejected_since_best();
        match self {
            Self::Generations => format!("all {} generations are done", ledger.generations.len()),
            Self::Patience if rejected_since_best == 1 => {
                "ended: a generation brought no gain".to_owned()
            }
            Self::Patience => {
                format!("ended: {rejected_since_best} generations in a row brought no gain")
            }
        }
    }
}

/// Stage of a generation, for schedulers.
#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
pub(crate) enum Part {
    Selfplay,
    Relabel,
    Train,
    Gate,
    /// All remaining stages; of generation 0 the beginning.
    Finish,
}

struct Run<'a, G> {
    game: &'a G,
    config: &'a ImproveConfig,
    directory: &'a Path,
    start: Evaluator,
}

/// Runs one stage of a generation, or a slice of the stage; returns a line about it. Earlier stages
/// must be finished; a finished stage is not repeated.
pub(crate) fn run_stage<G: Learnable>(
    game: &G,
    config: &ImproveConfig,
    directory: &Path,
    (part, number): (Part, u64),
    slice: TaskSlice,
) -> Result<String> {
    let run = Run::open(game, config, directory)?;
    let done = |ledger: &Ledger| ledger.generations.len() as u64;
    let ledger = Ledger::read(directory)?.filter(|ledger| number <= done(ledger) + 1);
    let ledger = ledger
        .with_context(|| format!("generation {number}: the one before it is not finished"))?;
    if number <= done(&ledger) || ledger.rejected_since_best() >= config.patience {
        return Ok("nothing to do: that is over".to_owned());
    }
    let _lock = files::claim_directory_for_slice(directory, slice)?;
    run.store_or_check_settings()?;
    run.next(&ledger)?.run_stage(part, slice)
}

pub(crate) fn run<G: Learnable>(
    game: &G,
    config: &ImproveConfig,
    directory: &Path,
    last: Option<u64>,
) -> Result<ImproveResult> {
    let mut run = Run::open(game, config, directory)?;
    let _claim = files::claim_directory(directory)?;
    run.store_or_check_settings()?;
    let config = &ImproveConfig {
        generations: last.unwrap_or(config.generations),
        ..config.clone()
    };
    run.config = config;
    run.copy_start_model()?;
    if !run.self_play(1, &run.start)?.is_reproducible() {
        output::note(
            "note: a player with a time limit plays differently each time; the same seed will not give the same models",
        );
    }
    let mut stages = Stages::open(directory)?;
    let mut ledger = match Ledger::read(directory)? {
        Some(ledger) => ledger,
        None => run.start_ledger(&mut stages)?,
    };
    loop {
        let next = run.next(&ledger)?;
        // Repeats the last write, which an interruption may have prevented.
        ledger.write(directory)?;
        let model = run.copy_best_model(&next.best)?;
        let ended = end(config, &ledger);
        let page = page::write_page(directory, config, &ledger, stages.all(), ended)?;
        if let Some(ended) = ended {
            return Ok(ImproveResult {
                best: next.best.label,
                model,
                ended,
                ledger,
                page,
                stages: stages.all().to_vec(),
            });
        }
        let entry = next.run(&mut stages)?;
        ledger.generations.push(entry);
    }
}

fn end(config: &ImproveConfig, ledger: &Ledger) -> Option<End> {
    if ledger.rejected_since_best() >= config.patience {
        return Some(End::Patience);
    }
    (ledger.generations.len() as u64 >= config.generations).then_some(End::Generations)
}

impl<'a, G: Learnable> Run<'a, G> {
    /// Checks all settings. The start evaluator is that of the settings, or the stored copy of its
    /// model.
    fn open(game: &'a G, config: &'a ImproveConfig, directory: &'a Path) -> Result<Self> {
        let notation = Notation::parse(&config.start).context("start")?;
        let saved = directory.join(START_MODEL);
        let start = match notation.name.strip_prefix("model:") {
            None => Evaluator::from_notation(&config.start)?,
            Some(_) if saved.exists() => Evaluator::model(&saved, "start"),
            Some(path) => Evaluator::model(&model_names::path_of(path), "start"),
        };
        config.check(game, &start)?;
        Ok(Self {
            game,
            config,
            directory,
            start,
        })
    }

    /// Stores the settings, or checks that the stored ones are equal apart from the keys that end a
    /// run.
    fn store_or_check_settings(&self) -> Result<()> {
        let free = ["generations", "patience"];
        settings::store_or_check::<_, G>(self.config, self.directory, "improve.toml", &free)
    }

    fn copy_start_model(&mut self) -> Result<()> {
        let saved = self.directory.join(START_MODEL);
        if let Some((path, name)) = &self.start.model
            && *path != saved
        {
            output::write_file(&saved, files::read(path, FileKind::Data)?)?;
            self.start = Evaluator::model(&saved, name);
        }
        Ok(())
    }

    fn start_ledger(&self, stages: &mut Stages) -> Result<Ledger> {
        let start = &self.start;
        let strength = stages.run(
            "generation 0: measure",
            || self.measure(0, start),
            |strength| strength_line(strength),
        )?;
        let model = start.model.as_ref();
        let checksum = model.map(|(path, _)| checksum(self.game, path));
        Ok(Ledger {
            seed: self.config.seed,
            start: Start {
                evaluator: start.label.clone(),
                checksum: checksum.transpose()?,
                strength,
            },
            generations: Vec::new(),
        })
    }

    /// Next generation after the ledger's last one; checks the best model's checksum.
    fn next<'b>(&'b self, ledger: &'b Ledger) -> Result<Generation<'b, G>> {
        let (best, expected) = match ledger.best() {
            Some(entry) => {
                let name = format!("generation-{}", entry.generation);
                let model = self.directory.join(&entry.model);
                (Evaluator::model(&model, &name), Some(&entry.checksum))
            }
            None => (self.start.clone(), ledger.start.checksum.as_ref()),
        };
        if let (Some((path, _)), Some(expected)) = (&best.model, expected) {
            let found = checksum(self.game, path)?;
            if found != *expected {
                let path = path.display();
                bail!(
                    "{path}: this is another model (xxh3 {found}) than the ledger says ({expected})"
                );
            }
        }
        Ok(Generation {
            run: self,
            number: ledger.generations.len() as u64 + 1,
            best,
            strength: ledger.strength(),
        })
    }

    fn copy_best_model(&self, best: &Evaluator) -> Result<Option<PathBuf>> {
        let Some((path, _)) = &best.model else {
            return Ok(None);
        };
        let copy = self.directory.join("best.safetensors");
        output::write_file(&copy, files::read(path, FileKind::Data)?)?;
        Ok(Some(copy))
    }
}

const START_MODEL: &str = "start.safetensors";

fn checksum<G: Learnable>(game: &G, path: &Path) -> Result<String> {
    ModelFile::load(game, path)?;
    gating::model_checksum(&files::read(path, FileKind::Data)?)
        .with_context(|| format!("{}: the model has no checksum", path.display()))
}
