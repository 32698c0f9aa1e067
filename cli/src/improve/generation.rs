//! One generation: TD learning, or self-play, labels and training; then gate and measurement.
//!
//! Invariant: its result depends only on the settings, its number, the best evaluator so far and
//! the games trained on.

use super::{
    Part, Run,
    labelled_evaluator::Evaluator,
    ledger::{Entry, GateResult, Score, Strength, Training},
};
use crate::commands::{
    arena::{match_options, sprt_status},
    train,
};
use crate::gating;
use crate::output;
use crate::pipeline::file_name;
use crate::stage_times::Stages;
use anyhow::{Context, Result, bail};
use arena::matches::play_match;
use arena::statistics::sequential::Verdict;
use engine::core::{
    files::{self, FileKind},
    job_array::TaskSlice,
    random::SeedSpace,
};
use engine::learned::inputs::Learnable;
use std::path::PathBuf;
use trainer::data::{ShardReader, relabel};
use trainer::labeller::LabelSource;
use trainer::selfplay::{Limits, SelfPlay, SelfPlaySummary};
use trainer::training::{TdReport, TrainingReport};

pub(super) struct Generation<'a, G> {
    pub(super) run: &'a Run<'a, G>,
    pub(super) number: u64,
    pub(super) best: Evaluator,
    pub(super) strength: &'a [Strength],
}

fn directory_of(number: u64) -> PathBuf {
    PathBuf::from("generations").join(format!("{number:04}"))
}

impl<G: Learnable> Generation<'_, G> {
    pub(super) fn run(&self, stages: &mut Stages) -> Result<Entry> {
        files::prepare_directory(&self.path(""))?;
        let (games, positions, training) = match self.learns_by_td() {
            true => self.td_stage(stages)?,
            false => self.record_stages(stages)?,
        };
        let (model, candidate) = self.candidate_model()?;
        let (test, result_line) = stages.run(
            &self.stage_name("gate"),
            || self.play_gate(&candidate, TaskSlice::All),
            |(_, result_line)| result_line.clone(),
        )?;
        output::note(&result_line);
        let accepted = test.verdict == Verdict::Accepted;
        // After a rejection, the measured strength stays valid.
        let strength = if accepted {
            stages.run(
                &self.stage_name("measure"),
                || self.run.measure(self.number, &candidate),
                |strength| strength_line(strength),
            )?
        } else {
            self.strength.to_vec()
        };
        let file = self.run.directory.join(&model);
        let checksum = gating::model_checksum(&files::read(&file, FileKind::Data)?)
            .context("a model without a checksum was written")?;
        Ok(Entry {
            generation: self.number,
            accepted,
            best_before: self.best.label.clone(),
            games,
            positions,
            training,
            model,
            checksum,
            gate: test,
            strength,
            command: format!(
                "alea improve --config improve.toml --out . --generations {}",
                self.number
            ),
        })
    }

    /// Plays, labels and trains; returns the numbers of games and positions.
    fn record_stages(&self, stages: &mut Stages) -> Result<(u64, u64, Training)> {
        let played = |summary: &SelfPlaySummary| {
            let (games, positions) = (summary.games, summary.positions);
            format!(
                "{games} games, {positions} positions, by {}",
                self.best.label
            )
        };
        let games = stages.run(
            &self.stage_name("self-play"),
            || self.play_games(TaskSlice::All),
            played,
        )?;
        output::note(&played(&games));
        if self.run.config.relabel.is_some() {
            stages.run(
                &self.stage_name("relabel"),
                || self.relabel(TaskSlice::All),
                Clone::clone,
            )?;
        }
        let (report, samples) = self.train_stage(stages)?;
        let training = Training {
            family: report.family,
            samples,
            epochs: Some(report.epochs),
            best_epoch: Some(report.best_epoch),
            training_loss: report.training_loss,
            validation_loss: Some(report.validation_loss),
        };
        Ok((games.games, games.positions, training))
    }

    /// Learns by TD(λ); returns the numbers of games and positions.
    fn td_stage(&self, stages: &mut Stages) -> Result<(u64, u64, Training)> {
        let report = stages.run(
            &self.stage_name("TD learning"),
            || self.learn_by_td(),
            |report| {
                let TdReport {
                    games,
                    positions,
                    loss,
                    ..
                } = report;
                format!("{games} games, {positions} positions, loss {loss:.5}")
            },
        )?;
        output::note(&train::td_summary(&report));
        let training = Training {
            family: report.family,
            samples: usize::try_from(report.positions)?,
            epochs: None,
            best_epoch: None,
            training_loss: report.loss,
            validation_loss: None,
        };
        Ok((report.games, report.positions, training))
    }

    pub(super) fn run_stage(&self, part: Part, slice: TaskSlice) -> Result<String> {
        files::prepare_directory(&self.path(""))?;
        Ok(match part {
            Part::Selfplay | Part::Relabel if self.learns_by_td() => {
                "nothing to do: this generation learns by TD".to_owned()
            }
            Part::Selfplay => {
                let SelfPlaySummary {
                    games, positions, ..
                } = self.play_games(slice)?;
                format!("{games} games, {positions} positions")
            }
            Part::Relabel => self.relabel(slice)?,
            Part::Gate => self.play_gate(&self.candidate_model()?.1, slice)?.1,
            Part::Train if slice == TaskSlice::All => {
                let stages = &mut Stages::open(self.run.directory)?;
                match self.learns_by_td() {
                    true => self.td_stage(stages).map(|_| ())?,
                    false => self.train_stage(stages).map(|_| ())?,
                }
                "a model is there".to_owned()
            }
            Part::Train | Part::Finish => bail!("--shard: this stage is one task"),
        })
    }

    fn train_stage(&self, stages: &mut Stages) -> Result<(TrainingReport, usize)> {
        let (report, samples) = stages.run(
            &self.stage_name("training"),
            || self.train(),
            |(report, samples)| {
                let loss = report.validation_loss;
                format!("{samples} samples, validation loss {loss:.5}")
            },
        )?;
        output::note(&train::summary(&report));
        Ok((report, samples))
    }

    fn candidate_model(&self) -> Result<(PathBuf, Evaluator)> {
        let family = self.run.config.family()?.name();
        let model = directory_of(self.number).join(family).join(family);
        let model = model.with_extension("safetensors");
        let name = format!("generation-{}", self.number);
        let candidate = Evaluator::model(&self.run.directory.join(&model), &name);
        Ok((model, candidate))
    }

    fn learns_by_td(&self) -> bool {
        self.run.config.learns_by_td(self.number)
    }

    fn stage_name(&self, name: &str) -> String {
        format!("generation {}: {name}", self.number)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.run
            .directory
            .join(directory_of(self.number))
            .join(name)
    }

    fn play_games(&self, slice: TaskSlice) -> Result<SelfPlaySummary> {
        let run = self.run.self_play(self.number, &self.best)?;
        let directory_of = self.path("selfplay");
        let limits = Limits {
            slice,
            ..Limits::default()
        };
        let report = output::with_progress("games", |progress| {
            run.run(&directory_of, &limits, progress)
        })?;
        Ok(report.summary)
    }

    fn relabel(&self, slice: TaskSlice) -> Result<String> {
        let (config, directory_of) = (self.run.config.relabel(&self.best), self.path("relabelled"));
        let mut recipe = LabelSource::new(&config.context("nobody labels")?, self.run.game)?;
        if let Some((path, name)) = &self.best.model {
            recipe = recipe.with_model_name(&path.display().to_string(), name);
        }
        let result_line = format!("'{}' by {}", recipe.label().name, recipe.label().by);
        // The directory has its final name only when complete.
        if directory_of.exists() {
            return Ok(result_line);
        }
        let source = ShardReader::open(&[self.path("selfplay")])?;
        output::with_progress("games", |progress| {
            relabel::relabel(&source, &directory_of, &recipe, slice, progress)
        })?;
        Ok(result_line)
    }

    fn train(&self) -> Result<(TrainingReport, usize)> {
        let (config, data) = (self.run.config.train(self.number), self.training_dirs());
        let family = self.run.config.family()?;
        let initial = self.run.config.initial_model(self.run.game, &self.best)?;
        let (initial, directory) = (initial.as_ref(), self.path(family.name()));
        let samples = train::open_samples::<G>(&data, &config)?;
        let report = train::fit_family(&config, family, &samples, &data, initial, &directory)?;
        Ok((report, samples.num_training()))
    }

    fn learn_by_td(&self) -> Result<TdReport> {
        let (game, config) = (self.run.game, self.run.config.train(self.number));
        let family = self.run.config.family()?;
        let initial = self.run.config.initial_model(game, &self.best)?;
        let (initial, directory) = (initial.as_ref(), self.path(family.name()));
        train::fit_family_by_td(&config, family, game, initial, &directory)
    }

    fn training_dirs(&self) -> Vec<PathBuf> {
        let kind = if self.run.config.relabel.is_some() {
            "relabelled"
        } else {
            "selfplay"
        };
        let generations = self.run.config.training_generations(self.number);
        generations
            .map(|number| self.run.directory.join(directory_of(number)).join(kind))
            .collect()
    }

    fn play_gate(&self, candidate: &Evaluator, slice: TaskSlice) -> Result<(GateResult, String)> {
        let (game, player) = (self.run.game, &self.run.config.gate.player);
        let (pairs, seed) = (
            self.run.config.gate.pairs,
            self.run.config.stage_seed(SeedSpace::Gate, self.number),
        );
        let state = self.path("gate.jsonl");
        let mut options = gating::with_stopping_rule(
            self.run.config.stopping_rule()?,
            match_options(game, pairs, seed, Some(state)),
        );
        options.slice = slice;
        let result = play_match(
            &candidate.contestant(player, game)?,
            &self.best.contestant(player, game)?,
            &options,
        )?;
        let test = GateResult::of(&result).context("a gate without a test")?;
        let (score, games) = (&test.score, result.games_in_words());
        let result_line = format!("{score} of {games}, {}", sprt_status(&result));
        Ok((test, result_line))
    }
}

impl<G: Learnable> Run<'_, G> {
    /// Self-play by `best`, with records that contain no paths.
    pub(super) fn self_play(&self, number: u64, best: &Evaluator) -> Result<SelfPlay<G>> {
        let run = SelfPlay::new(self.config.selfplay(number, best))?;
        Ok(match &best.model {
            Some((path, name)) => run.with_model_name(&path.display().to_string(), name),
            None => run,
        })
    }

    /// Scores against generation 0 (unless `who` is it) and the configured opponents.
    pub(super) fn measure(&self, number: u64, who: &Evaluator) -> Result<Vec<Strength>> {
        let (game, config, start) = (self.game, self.config, &self.start);
        let directory = self.directory.join(directory_of(number));
        files::prepare_directory(&directory)?;
        let mut opponents = config.opponents(start)?;
        if who != start {
            opponents.insert(0, start.clone());
        }
        let player = &config.measure.player;
        let seed = config.stage_seed(SeedSpace::Arena, number);
        let mut strength = Vec::with_capacity(opponents.len());
        for (opponent, index) in opponents.iter().zip(0..) {
            let state = format!("measure-{index}-{}.jsonl", file_name(&opponent.label));
            let state = Some(directory.join(state));
            let options = match_options(game, config.measure.pairs, seed, state);
            let result = play_match(
                &who.contestant(player, game)?,
                &opponent.contestant(player, game)?,
                &options,
            )?;
            strength.push(Strength {
                opponent: opponent.label.clone(),
                score: Score::of(&result),
            });
        }
        if !strength.is_empty() {
            output::note(&strength_line(&strength));
        }
        Ok(strength)
    }
}

pub(crate) fn strength_line(strength: &[Strength]) -> String {
    let one = |found: &Strength| {
        let Score {
            elo, elo_interval, ..
        } = &found.score;
        if found.score.points.is_some() {
            return format!("{} against {}", found.score, found.opponent);
        }
        format!(
            "{elo:+.0} Elo [{:+.0}, {:+.0}] against {}",
            elo_interval.lower, elo_interval.upper, found.opponent
        )
    };
    strength.iter().map(one).collect::<Vec<_>>().join(", ")
}
