//! TD(λ): an n-tuple network learns values of afterstates from self-play (Tesauro 1992; Szubert and
//! Jaśkowski 2014), on one thread, so that the settings determine all games and weights.

mod episode;

use super::{
    checkpoint::Checkpoint, create_directory, export_model, is_checkpoint_due,
    ntuple::NTupleLearner, parse_provenance,
};
use crate::Error;
use crate::backend::Backend;
use crate::config::{TdConfig, TrainConfig};
use crate::curve::Observer;
use crate::export::PARITY_POSITIONS;
use crate::reports::{TdPoint, TdReport};
use alea_core::random::{RandomStream, SeedSpace, derive_seed};
use alea_learned::inputs::Learnable;
use episode::Episode;
use serde::{Deserialize, Serialize};
use std::{path::Path, time::Instant};

/// Family name that distinguishes TD(λ) checkpoints from those of supervised training.
const CHECKPOINT_FAMILY: &str = "ntuple from its own games";

const GAME_STREAM: u64 = 5;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct TdProgress {
    games: u64,
    /// Number of positions since the curve's last point; `loss` (a sum) and `seconds` likewise.
    positions: u64,
    loss: f64,
    seconds: f64,
    curve: Vec<TdPoint>,
}

/// Trains an n-tuple network by self-play and exports it with `provenance`, a description of the
/// program as JSON or plain text.
///
/// # Errors
/// If a setting is unusable, the loss becomes infinite or NaN, the directory belongs to another
/// training, a file cannot be written, or the engine's predictions differ from the trainer's.
pub fn train_td<'a, G: Learnable>(
    game: &G,
    config: &TrainConfig,
    provenance: &str,
    directory: &Path,
    observer: impl Into<Observer<'a>>,
) -> Result<TdReport, Error> {
    let observer = observer.into();
    let progress = observer.progress;
    let game = &game.training_rules();
    let config = &config.resolve(game)?;
    Backend::from_name(&config.training.backend)?;
    create_directory(directory)?;
    let mut td = TdLearner::new(config, NTupleLearner::new(game, &config.ntuple)?);
    let mut checkpoint =
        Checkpoint::open(directory, CHECKPOINT_FAMILY, config, 0, &mut td.learner)?;
    let mut done = checkpoint.header.online.take().unwrap_or_default();
    progress.set_length(config.online.games);
    progress.set_position(done.games);
    progress.reset_eta();
    let (mut written, mut timed) = (Instant::now(), Instant::now());
    while done.games < config.online.games {
        td.learn_game(done.games, &mut done)?;
        done.games += 1;
        progress.inc(1);
        let reports = done.games.is_multiple_of(config.online.report_every)
            || done.games == config.online.games;
        if reports || (done.games.is_multiple_of(64) && is_checkpoint_due(config, written)) {
            done.seconds += timed.elapsed().as_secs_f64();
            if reports {
                let point = td.curve_point(&mut done);
                progress.set_message(format!("loss {:.5}", point.loss));
                done.curve.push(point);
                // Before the checkpoint: if training stops in between, the curve is written again.
                observer.write_curve(directory, &format_csv(&done.curve))?;
            }
            checkpoint.capture_state(&td.learner)?;
            checkpoint.header.online = Some(done.clone());
            checkpoint.write(directory)?;
            (written, timed) = (Instant::now(), Instant::now());
        }
    }
    progress.finish();
    td.export(
        &done,
        &checkpoint.header.configuration,
        provenance,
        directory,
    )
}

struct TdLearner<'a, G: Learnable> {
    config: &'a TrainConfig,
    learner: NTupleLearner<G>,
    rules: G,
    episode: Episode<G>,
}

impl<'a, G: Learnable> TdLearner<'a, G> {
    fn new(config: &'a TrainConfig, mut learner: NTupleLearner<G>) -> Self {
        let rules = learner.set_and_table().0.game().clone();
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

    fn play(&mut self, start: G::Position, exploration: f64, random: &mut RandomStream) {
        let (set, table) = self.learner.set_and_table();
        self.episode
            .play(&self.rules, set, table, start, exploration, random);
    }

    fn update(&mut self, learning_rate: f64) {
        let trace = self.config.online.trace as f32;
        let (set, table) = self.learner.set_and_table();
        let rate = (learning_rate / set.tuple_count() as f64) as f32;
        self.episode.update(&self.rules, table, trace, rate);
    }

    fn learn_game(&mut self, game: u64, done: &mut TdProgress) -> Result<(), Error> {
        let (start, mut random) = self.draw_start(game);
        self.play(
            start,
            exploration_rate(&self.config.online, game),
            &mut random,
        );
        let loss = self.episode.loss();
        if !loss.is_finite() {
            return Err(Error::new(format!(
                "the loss became {loss} in game {game} (from 0): lower the learning rate"
            )));
        }
        done.loss += loss;
        done.positions += self.episode.positions().len() as u64;
        self.update(self.learning_rate(game));
        Ok(())
    }

    fn draw_start(&self, game: u64) -> (G::Position, RandomStream) {
        let mut random = RandomStream::new(derive_seed(
            self.config.seed,
            SeedSpace::Training,
            &[GAME_STREAM, game],
        ));
        let first = random.below(self.rules.seats());
        (self.rules.random_start(&mut random, first), random)
    }

    fn curve_point(&self, done: &mut TdProgress) -> TdPoint {
        let (last, before) = (
            done.games - 1,
            done.curve.last().map_or(0, |point| point.games),
        );
        let positions = std::mem::take(&mut done.positions);
        TdPoint {
            games: done.games,
            positions,
            loss: std::mem::take(&mut done.loss) / positions.max(1) as f64,
            exploration: exploration_rate(&self.config.online, last),
            learning_rate: self.learning_rate(last),
            games_per_second: (done.games - before) as f64
                / std::mem::take(&mut done.seconds).max(1e-9),
        }
    }

    /// Positions of further games, without exploration and updates.
    fn sample_parity_positions(&mut self) -> Vec<G::Position> {
        let mut positions = Vec::new();
        for game in self.config.online.games.. {
            if positions.len() >= PARITY_POSITIONS {
                break;
            }
            let (start, mut random) = self.draw_start(game);
            self.play(start, 0.0, &mut random);
            positions.extend_from_slice(self.episode.positions());
        }
        positions.truncate(PARITY_POSITIONS);
        positions
    }

    fn export(
        mut self,
        done: &TdProgress,
        configuration: &str,
        provenance: &str,
        directory: &Path,
    ) -> Result<TdReport, Error> {
        let positions = done.curve.iter().map(|point| point.positions).sum::<u64>();
        let loss = done.curve.last().map_or(f64::NAN, |point| point.loss);
        let metadata = serde_json::json!({
            "family": "ntuple",
            "method": format!("TD({}) on games against itself, {:?}", self.config.online.trace, self.config.ntuple.rule),
            "data": parse_provenance(provenance),
            "games": done.games,
            "training_samples": positions,
            "configuration": configuration,
            "seed": self.config.seed,
            "loss": loss,
            "trainer": env!("CARGO_PKG_VERSION"),
        });
        let fresh = self.sample_parity_positions();
        let model = directory.join("ntuple.safetensors");
        let parity = export_model(&self.learner, &self.rules, &metadata, &model, &fresh)?;
        let seconds: f64 = games_per_point(&done.curve)
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

fn games_per_point(curve: &[TdPoint]) -> impl Iterator<Item = (u64, &TdPoint)> {
    let before = std::iter::once(0).chain(curve.iter().map(|point| point.games));
    curve
        .iter()
        .zip(before)
        .map(|(point, before)| (point.games - before, point))
}

fn exploration_rate(config: &TdConfig, game: u64) -> f64 {
    let done = if config.games > 1 {
        game as f64 / (config.games - 1) as f64
    } else {
        0.0
    };
    config.exploration + (config.final_exploration - config.exploration) * done
}

fn format_csv(curve: &[TdPoint]) -> String {
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
mod tests;
