//! Learning in generations: the best evaluator plays, a model learns from its games, and takes its
//! place only if a sequential test finds it better.
//!
//! Invariant: everything finished stays in the directory, so that the program may be killed
//! anywhere and started again with the same result; a generation is in the ledger once it is over,
//! and then nothing of it is done again. The directory belongs to one configuration, and to one
//! program at a time.

pub(crate) mod config;
mod evaluator;
mod generation;
mod ledger;
mod page;

use crate::stages::Stages;
use crate::{gating, output, settings};
use anyhow::{Context, Result, bail};
use benches::arena::report::Stage;
use config::ImproveConfig;
use engine::core::{
    files::{self, FileKind},
    task_slice::TaskSlice,
};
use engine::learned::{files::ModelFile, inputs::Learnable};
use engine::play::notation::Notation;
use evaluator::Evaluator;
use generation::Generation;
pub(crate) use generation::strength_line;
pub(crate) use ledger::Ledger;
use ledger::Start;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What learning came to.
#[derive(Serialize)]
pub(crate) struct ImproveResult {
    /// Name of the best evaluator.
    pub(crate) best: String,
    /// A copy of its model, if it is one.
    pub(crate) model: Option<PathBuf>,
    pub(crate) ended: End,
    pub(crate) ledger: Ledger,
    pub(crate) page: PathBuf,
    pub(crate) stages: Vec<Stage>,
}

/// Why there are no more generations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum End {
    /// All that were asked for are done.
    Generations,
    /// Too many in a row brought no gain.
    Patience,
}

impl End {
    /// In words.
    pub(crate) fn describe(self, ledger: &Ledger) -> String {
        let in_vain = ledger.in_vain();
        match self {
            Self::Generations => format!("all {} generations are done", ledger.generations.len()),
            Self::Patience if in_vain == 1 => "ended: a generation brought no gain".to_owned(),
            Self::Patience => format!("ended: {in_vain} generations in a row brought no gain"),
        }
    }
}

/// A stage of a generation, for schedulers.
#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
pub(crate) enum Part {
    Selfplay,
    Relabel,
    Train,
    Gate,
    /// All that is left of the generation; of generation 0 the beginning.
    Finish,
}

/// A run of learning: its settings, the directory that is theirs, and the evaluator of generation 0.
struct Run<'a, G> {
    game: &'a G,
    config: &'a ImproveConfig,
    directory: &'a Path,
    start: Evaluator,
}

/// Does one stage of a generation, or a share of it, once those before it are done; says what. What
/// is over already is no error.
pub(crate) fn run_part<G: Learnable>(
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
    if number <= done(&ledger) || ledger.in_vain() >= config.patience {
        return Ok("nothing to do: that is over".to_owned());
    }
    let _lock = files::enter_directory(directory, slice)?;
    run.claim()?;
    run.next(&ledger)?.part(part, slice)
}

/// Learns in a directory, or does what is left, as far as generation `last` if that is given.
pub(crate) fn run<G: Learnable>(
    game: &G,
    config: &ImproveConfig,
    directory: &Path,
    last: Option<u64>,
) -> Result<ImproveResult> {
    // Before anything is written.
    let mut run = Run::open(game, config, directory)?;
    let _claim = files::claim_directory(directory)?;
    run.claim()?;
    let config = &ImproveConfig {
        generations: last.unwrap_or(config.generations),
        ..config.clone()
    };
    run.config = config;
    run.keep_start()?;
    if !run.self_play(1, &run.start)?.is_reproducible() {
        output::note(
            "note: a player with a time limit plays differently each time; the same seed will not give the same models",
        );
    }
    let mut stages = Stages::open(directory)?;
    let mut ledger = match Ledger::read(directory)? {
        Some(ledger) => ledger,
        None => run.begin(&mut stages)?,
    };
    loop {
        let next = run.next(&ledger)?;
        // Whatever a killed run did not come to.
        ledger.write(directory)?;
        let model = run.keep_best(&next.best)?;
        let ended = end(config, &ledger);
        let page = page::write(directory, config, &ledger, stages.all(), ended)?;
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

/// Whether it is over, and why.
fn end(config: &ImproveConfig, ledger: &Ledger) -> Option<End> {
    if ledger.in_vain() >= config.patience {
        return Some(End::Patience);
    }
    (ledger.generations.len() as u64 >= config.generations).then_some(End::Generations)
}

impl<'a, G: Learnable> Run<'a, G> {
    /// Checks everything; the evaluator of generation 0 is as the settings name it, or the copy of
    /// its model that is kept.
    fn open(game: &'a G, config: &'a ImproveConfig, directory: &'a Path) -> Result<Self> {
        let notation = Notation::parse(&config.start).context("start")?;
        let saved = directory.join(START);
        let start = match notation.name.strip_prefix("model:") {
            None => Evaluator::fixed(&config.start)?,
            Some(_) if saved.exists() => Evaluator::model(&saved, "start"),
            Some(path) => Evaluator::model(Path::new(path), "start"),
        };
        config.check(game, &start)?;
        Ok(Self {
            game,
            config,
            directory,
            start,
        })
    }

    /// Makes the directory this configuration's, or checks that it is; when it ends may change.
    fn claim(&self) -> Result<()> {
        let free = ["generations", "patience"];
        settings::claim::<_, G>(self.config, self.directory, "improve.toml", &free)
    }

    /// Keeps the model of generation 0.
    fn keep_start(&mut self) -> Result<()> {
        let saved = self.directory.join(START);
        if let Some((path, name)) = &self.start.model
            && *path != saved
        {
            output::file(&saved, files::read(path, FileKind::Data)?)?;
            self.start = Evaluator::model(&saved, name);
        }
        Ok(())
    }

    /// Generation 0: nothing but a measurement.
    fn begin(&self, stages: &mut Stages) -> Result<Ledger> {
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

    /// The generation after those of a ledger, to beat its best, whose model is still what the
    /// ledger says.
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

    /// Puts a copy of the best model where it is easily found.
    fn keep_best(&self, best: &Evaluator) -> Result<Option<PathBuf>> {
        let Some((path, _)) = &best.model else {
            return Ok(None);
        };
        let copy = self.directory.join("best.safetensors");
        output::file(&copy, files::read(path, FileKind::Data)?)?;
        Ok(Some(copy))
    }
}

/// Where the model of generation 0 is kept, so that it cannot change.
const START: &str = "start.safetensors";

/// The checksum of a model file, which is verified.
fn checksum<G: Learnable>(game: &G, path: &Path) -> Result<String> {
    ModelFile::load(game, path)?;
    gating::checksum(&files::read(path, FileKind::Data)?)
        .with_context(|| format!("{}: the model has no checksum", path.display()))
}
