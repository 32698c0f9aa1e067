//! Learning from own games: an n-tuple network plays itself and learns after each game, without
//! records.
//!
//! Temporal differences TD(λ) as in Tesauro 1992, on values before chance has spoken, that is on afterstates
//! (Szubert and Jaśkowski 2014); the rules that change weights are those of supervised training,
//! temporal coherence among them. A training lives in a directory and goes on from its last
//! checkpoint, as [`super::fit`] does. Invariant: game *i* and what is learned from it are a
//! function of settings, weights and *i*, and games are learned in their order on one thread, so
//! all weights are a function of the settings. The weights after the last game are exported: there
//! is no validation that could choose others.

mod episode;

use super::{
    checkpoint::Checkpoint, data, export_model, make, ntuple::NTupleLearner, wants_checkpoint,
};
use crate::config::{TdConfig, TrainConfig};
use crate::curve::Observer;
use crate::export::PARITY_POSITIONS;
use crate::reports::{TdPoint, TdReport};
use crate::{Error, backend};
use engine::core::random::{RandomStream, SeedSpace, derive_seed};
use engine::learned::inputs::Learnable;
use episode::Episode;
use serde::{Deserialize, Serialize};
use std::{path::Path, time::Instant};

/// What checkpoints say, so that no other training goes on from them.
const FAMILY: &str = "ntuple from its own games";

/// Stream of the training seed space that games come from.
const GAMES: u64 = 5;

/// How far it has come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Progress {
    games: u64,
    /// Since the last point of the curve.
    positions: u64,
    loss: f64,
    seconds: f64,
    curve: Vec<TdPoint>,
}

/// Lets an n-tuple network learn from games against itself and exports it. `provenance` says by
/// what program, as JSON or as plain text.
///
/// # Errors
/// If a setting cannot be used, the loss stops being a finite number, the directory holds another
/// training, a file cannot be written, or the engine would not play what was trained.
pub fn train_td<'a, G: Learnable>(
    game: &G,
    config: &TrainConfig,
    provenance: &str,
    directory: &Path,
    watch: impl Into<Observer<'a>>,
) -> Result<TdReport, Error> {
    let watch = watch.into();
    let progress = watch.progress;
    let game = &game.training_rules();
    let config = &config.resolve(game)?;
    let device = backend::device(&config.training.backend)?;
    make(directory)?;
    let mut student = Student::new(config, NTupleLearner::new(game, &config.ntuple, device)?);
    let mut checkpoint = Checkpoint::open(directory, FAMILY, config, 0, &mut student.learner)?;
    let mut done = checkpoint.header.online.take().unwrap_or_default();
    progress.set_length(config.online.games);
    progress.set_position(done.games);
    progress.reset_eta();
    let (mut written, mut timed) = (Instant::now(), Instant::now());
    while done.games < config.online.games {
        student.learn(done.games, &mut done)?;
        done.games += 1;
        progress.inc(1);
        let reports = done.games.is_multiple_of(config.online.report_every)
            || done.games == config.online.games;
        if reports || (done.games.is_multiple_of(64) && wants_checkpoint(config, written)) {
            done.seconds += timed.elapsed().as_secs_f64();
            if reports {
                let point = student.point(&mut done);
                progress.set_message(format!("loss {:.5}", point.loss));
                done.curve.push(point);
                // Before the checkpoint: whoever is stopped between the two draws it again.
                watch.show(directory, &table(&done.curve))?;
            }
            checkpoint.take(&student.learner)?;
            checkpoint.header.online = Some(done.clone());
            checkpoint.write(directory)?;
            (written, timed) = (Instant::now(), Instant::now());
        }
    }
    progress.finish();
    student.finish(
        &done,
        &checkpoint.header.configuration,
        provenance,
        directory,
    )
}

/// A network that plays and learns.
struct Student<'a, G: Learnable> {
    config: &'a TrainConfig,
    learner: NTupleLearner<G>,
    rules: G,
    episode: Episode<G>,
}

impl<'a, G: Learnable> Student<'a, G> {
    fn new(config: &'a TrainConfig, mut learner: NTupleLearner<G>) -> Self {
        let rules = learner.parts().0.game().clone();
        Self {
            config,
            learner,
            rules,
            episode: Episode::default(),
        }
    }

    fn learning_rate(&self, game: u64) -> f64 {
        let (training, games) = (&self.config.training, self.config.online.games);
        self.config.online.learning_rate
            * training
                .schedule
                .factor(game as f64 / games as f64, training.final_rate)
    }

    /// Plays a game from a start, with this probability of random moves.
    fn play(&mut self, start: G::Position, exploration: f64, random: &mut RandomStream) {
        let (set, cells) = self.learner.parts();
        self.episode
            .play(&self.rules, set, cells, start, exploration, random);
    }

    fn teach(&mut self, learning_rate: f64) {
        let trace = self.config.online.trace as f32;
        let (set, cells) = self.learner.parts();
        let rate = (learning_rate / set.tuples() as f64) as f32;
        self.episode.teach(&self.rules, cells, trace, rate);
    }

    fn learn(&mut self, game: u64, done: &mut Progress) -> Result<(), Error> {
        let (start, mut random) = self.start(game);
        self.play(start, exploration(&self.config.online, game), &mut random);
        let loss = self.episode.loss();
        if !loss.is_finite() {
            return Err(Error::new(format!(
                "the loss became {loss} in game {game} (from 0): lower the learning rate"
            )));
        }
        done.loss += loss;
        done.positions += self.episode.positions().len() as u64;
        self.teach(self.learning_rate(game));
        Ok(())
    }

    /// A random start, any seat begins; and what is left of the game's random numbers.
    fn start(&self, game: u64) -> (G::Position, RandomStream) {
        let mut random = RandomStream::new(derive_seed(
            self.config.seed,
            SeedSpace::Training,
            &[GAMES, game],
        ));
        let first = random.below(self.rules.seats());
        (self.rules.random_start(&mut random, first), random)
    }

    /// The point of the curve after the last game; what it sums up begins anew.
    fn point(&self, done: &mut Progress) -> TdPoint {
        let (last, before) = (
            done.games - 1,
            done.curve.last().map_or(0, |point| point.games),
        );
        let positions = std::mem::take(&mut done.positions);
        TdPoint {
            games: done.games,
            positions,
            loss: std::mem::take(&mut done.loss) / positions.max(1) as f64,
            exploration: exploration(&self.config.online, last),
            learning_rate: self.learning_rate(last),
            games_per_second: (done.games - before) as f64
                / std::mem::take(&mut done.seconds).max(1e-9),
        }
    }

    /// Positions of games after the last one, played without learning and random moves, for the
    /// comparison with the engine.
    fn fresh_positions(&mut self) -> Vec<G::Position> {
        let mut positions = Vec::new();
        for game in self.config.online.games.. {
            if positions.len() >= PARITY_POSITIONS {
                break;
            }
            let (start, mut random) = self.start(game);
            self.play(start, 0.0, &mut random);
            positions.extend_from_slice(self.episode.positions());
        }
        positions.truncate(PARITY_POSITIONS);
        positions
    }

    fn finish(
        mut self,
        done: &Progress,
        configuration: &str,
        provenance: &str,
        directory: &Path,
    ) -> Result<TdReport, Error> {
        let positions = done.curve.iter().map(|point| point.positions).sum::<u64>();
        let loss = done.curve.last().map_or(f64::NAN, |point| point.loss);
        let metadata = serde_json::json!({
            "family": "ntuple",
            "method": format!("TD({}) on games against itself, {:?}", self.config.online.trace, self.config.ntuple.rule),
            "data": data(provenance),
            "games": done.games,
            "training_samples": positions,
            "configuration": configuration,
            "seed": self.config.seed,
            "loss": loss,
            "trainer": env!("CARGO_PKG_VERSION"),
        });
        let fresh = self.fresh_positions();
        let model = directory.join("ntuple.safetensors");
        let parity = export_model(&self.learner, &self.rules, &metadata, &model, &fresh)?;
        let seconds: f64 = span(&done.curve)
            .map(|(games, point)| games as f64 / point.games_per_second)
            .sum();
        Ok(TdReport {
            family: "ntuple".to_owned(),
            games: done.games,
            positions,
            loss,
            games_per_second: done.games as f64 / seconds,
            parity,
            parity_positions: fresh.len(),
            curve: done.curve.clone(),
            model,
        })
    }
}

/// The points of a curve, each with the number of games since the one before.
fn span(curve: &[TdPoint]) -> impl Iterator<Item = (u64, &TdPoint)> {
    let before = std::iter::once(0).chain(curve.iter().map(|point| point.games));
    curve
        .iter()
        .zip(before)
        .map(|(point, before)| (point.games - before, point))
}

/// Probability of a random move in a game: on a straight line from the first to the last.
fn exploration(config: &TdConfig, game: u64) -> f64 {
    let done = if config.games > 1 {
        game as f64 / (config.games - 1) as f64
    } else {
        0.0
    };
    config.exploration + (config.final_exploration - config.exploration) * done
}

/// A line a point.
fn table(curve: &[TdPoint]) -> String {
    let mut table =
        String::from("games,positions,loss,exploration,learning_rate,games_per_second\n");
    for TdPoint {
        games,
        positions,
        loss,
        exploration,
        learning_rate,
        games_per_second,
    } in curve
    {
        table.push_str(&format!(
            "{games},{positions},{loss},{exploration},{learning_rate},{games_per_second:.0}\n"
        ));
    }
    table
}

#[cfg(test)]
#[cfg(feature = "flex")]
mod tests;
