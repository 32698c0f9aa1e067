//! TD(λ): a network learns values of afterstates from games against itself (Tesauro 1992). Games
//! draw from streams of their own and weights change between games alone, so that the settings
//! determine all games and weights.

mod episode;
mod network;
mod ntuple;

use super::{
    INITIAL_WEIGHTS_KEY, Learner, TdTrainingRun,
    checkpoint::{Checkpoint, Header, TD_FINGERPRINT},
    create_directory, describe_difference, export_model, is_checkpoint_due,
    network::NetworkLearner,
    ntuple::NTupleLearner,
    parse_provenance,
};
use crate::Error;
use crate::backend::Backend;
use crate::config::{Schedule, TrainConfig};
use crate::export::PARITY_POSITIONS;
use crate::models::cpu::CpuNetwork;
use crate::progress::resume_at;
#[cfg(feature = "burn")]
use crate::training::burn_network::BurnNetwork;
use crate::training_results::{Family, TdPoint, TdReport};
use alea_core::random::{RandomStream, SeedSpace, derive_seed};
use alea_learned::inputs::Learnable;
use episode::Episode;
use network::TdNetwork;
use ntuple::TdNTuple;
use serde::{Deserialize, Serialize};
use std::{ops::Range, time::Instant};

const GAME_STREAM: u64 = 5;

/// The clock is read, for a checkpoint that may be due, only when the number of games passes a
/// multiple of this.
const GAMES_PER_CLOCK_CHECK: u64 = 64;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct TdProgress {
    games: u64,
    /// Number of positions since the curve's last point; `loss` (a sum) and `seconds` likewise.
    positions: u64,
    loss: f64,
    seconds: f64,
    curve: Vec<TdPoint>,
}

/// Trains by self-play, or resumes training, and exports the final model.
///
/// # Errors
/// If the game has more than two seats, a setting is unusable, the loss becomes infinite or NaN, the
/// directory belongs to another training, a file cannot be written, or the engine's predictions
/// differ from the trainer's.
pub fn train_td<G: Learnable>(run: &TdTrainingRun<'_, G>) -> Result<TdReport, Error> {
    check_seats(run.game)?;
    let mut config = run.config.clone();
    if run.family == Family::Network {
        config.online = config.online.for_network(&config.network);
    }
    let rules = &run.game.training_rules();
    let config = &config.resolve(rules)?;
    let backend = Backend::from_name(&config.training.backend)?;
    create_directory(run.directory)?;
    let family = run.family;
    let run = TdRun {
        arguments: run,
        self_play: SelfPlay { config, rules },
    };
    match (family, backend) {
        (Family::NTuple, _) => {
            run.learn_games(TdNTuple::new(NTupleLearner::new(rules, &config.ntuple)?))
        }
        (Family::Network, Backend::Cpu) => {
            let learner = NetworkLearner::new(rules, config, CpuNetwork::from_weights)?;
            run.learn_games(TdNetwork::new(learner, config))
        }
        #[cfg(feature = "burn")]
        (Family::Network, Backend::Burn(device)) => {
            let learner = NetworkLearner::new(rules, config, |shape, weights| {
                BurnNetwork::new(shape, &weights, config.network.gradient_norm, device)
            })?;
            run.learn_games(TdNetwork::new(learner, config))
        }
    }
}

/// Checks that `game` has two seats: values pass from a position to the one before as one minus the
/// other seat's.
///
/// # Errors
/// If it has more.
pub fn check_seats<G: Learnable>(game: &G) -> Result<(), Error> {
    match game.seats() {
        2 => Ok(()),
        seats => Err(Error::new(format!(
            "TD learning is for games of two seats; {} has {seats}",
            game.notation()
        ))),
    }
}

/// Model that learns by TD(λ) from games against itself.
trait TdLearner<G: Learnable> {
    type Learner: Learner<G>;
    const FAMILY: Family;

    fn learner(&mut self) -> &mut Self::Learner;

    fn method(&self, config: &TrainConfig) -> String;

    fn games_per_update(&self) -> u64;

    /// Plays at most [`Self::games_per_update`] games.
    fn play(
        &mut self,
        self_play: &SelfPlay<'_, G>,
        games: Range<u64>,
    ) -> Result<&[Episode<G>], Error>;

    /// Updates the weights by the latest games; `first_game` is the number of the first.
    fn learn(
        &mut self,
        self_play: &SelfPlay<'_, G>,
        first_game: u64,
        learning_rate: f64,
    ) -> Result<(), Error>;
}

/// Settings and rules, by which a game's number determines its random stream.
struct SelfPlay<'a, G> {
    config: &'a TrainConfig,
    rules: &'a G,
}

impl<G: Learnable> SelfPlay<'_, G> {
    fn learning_rate(&self, game: u64) -> f64 {
        let (training, online) = (&self.config.training, &self.config.online);
        let done = game as f64 / online.games as f64;
        online.learning_rate.unwrap_or_default()
            * training.schedule.factor(done, training.final_rate)
    }

    fn exploration_rate(&self, game: u64) -> f64 {
        let online = &self.config.online;
        let done = if online.games > 1 {
            game as f64 / (online.games - 1) as f64
        } else {
            0.0
        };
        online.exploration + (online.final_exploration - online.exploration) * done
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
}

fn divergence_error(loss: f64, game: u64) -> Error {
    Error::Divergence(format!(
        "the loss became {loss} in game {game} (from 0): lower the learning rate"
    ))
}

struct TdRun<'a, G: Learnable> {
    arguments: &'a TdTrainingRun<'a, G>,
    self_play: SelfPlay<'a, G>,
}

impl<G: Learnable> TdRun<'_, G> {
    fn learn_games<L: TdLearner<G>>(&self, mut td: L) -> Result<TdReport, Error> {
        let Self {
            arguments,
            self_play,
        } = self;
        let TdTrainingRun {
            directory,
            observer,
            initial_model,
            ..
        } = arguments;
        let (config, progress) = (self_play.config, observer.progress);
        let family = format!("{} from its own games", L::FAMILY.name());
        let started = (self_play.rules, td.learner());
        let mut checkpoint = Checkpoint::open(
            directory,
            &family,
            config,
            TD_FINGERPRINT,
            *initial_model,
            started,
        )?;
        let mut done = checkpoint.header.online.take().unwrap_or_default();
        let games = config.online.games;
        progress.set_length(games);
        resume_at(progress, done.games);
        if let Some(shorter) = &checkpoint.shorter {
            let steps = td.games_per_update();
            let mut differences = differences_by_length(shorter, config, done.games, steps);
            if checkpoint.header.differs_by_length && differences.is_empty() {
                differences.push("updates");
            }
            checkpoint.header.differs_by_length = !differences.is_empty();
            progress.println(describe_more_games(
                shorter,
                config,
                done.games,
                &differences,
            ));
        }
        let (mut written, mut timed) = (Instant::now(), Instant::now());
        while done.games < games {
            let first = done.games;
            done.games = games.min(first + td.games_per_update());
            let (mut loss, mut positions) = (0.0, 0);
            for episode in td.play(self_play, first..done.games)? {
                loss += episode.loss();
                positions += episode.positions().len() as u64;
            }
            if !loss.is_finite() {
                return Err(divergence_error(loss, first));
            }
            done.loss += loss;
            done.positions += positions;
            td.learn(self_play, first, self_play.learning_rate(first))?;
            progress.inc(done.games - first);
            let passes = |interval: u64| done.games / interval > first / interval;
            let reports = passes(config.online.report_every) || done.games == games;
            if reports || (passes(GAMES_PER_CLOCK_CHECK) && is_checkpoint_due(config, written)) {
                done.seconds += timed.elapsed().as_secs_f64();
                if reports {
                    let point = curve_point(self_play, &mut done);
                    progress.set_message(format!("loss {:.5}", point.loss));
                    done.curve.push(point);
                    // Before the checkpoint: if training stops in between, the curve is written
                    // again.
                    observer.write_curve(directory, &format_csv(&done.curve))?;
                }
                checkpoint.capture_state(td.learner())?;
                checkpoint.header.online = Some(done.clone());
                checkpoint.write(directory)?;
                (written, timed) = (Instant::now(), Instant::now());
            }
        }
        progress.finish();
        self.export(td, &done, &checkpoint.header)
    }

    fn export<L: TdLearner<G>>(
        &self,
        mut td: L,
        done: &TdProgress,
        header: &Header,
    ) -> Result<TdReport, Error> {
        let SelfPlay { config, rules } = self.self_play;
        let (family, online) = (L::FAMILY.name(), &config.online);
        let positions = done.curve.iter().map(|point| point.positions).sum::<u64>();
        let loss = done.curve.last().map_or(f64::NAN, |point| point.loss);
        let mut metadata = serde_json::json!({
            "family": family,
            "method": format!("TD({}) on games against itself, {}", online.trace, td.method(config)),
            "data": parse_provenance(self.arguments.provenance),
            "games": done.games,
            "training_samples": positions,
            "configuration": header.configuration,
            "seed": config.seed,
            "loss": loss,
            "trainer": env!("CARGO_PKG_VERSION"),
        });
        if let Some(checksum) = &header.initial_weights {
            metadata[INITIAL_WEIGHTS_KEY] = checksum.as_str().into();
        }
        let fresh = self.sample_parity_positions(&mut td)?;
        let model = self
            .arguments
            .directory
            .join(family)
            .with_extension("safetensors");
        let parity = export_model(&*td.learner(), rules, &metadata, &model, &fresh)?;
        let seconds: f64 = games_per_point(&done.curve)
            .map(|(games, point)| games as f64 / point.games_per_second)
            .sum();
        Ok(TdReport {
            family: family.to_owned(),
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

    /// Positions of later games, without exploration and updates, for the parity check.
    fn sample_parity_positions(
        &self,
        td: &mut impl TdLearner<G>,
    ) -> Result<Vec<G::Position>, Error> {
        let SelfPlay { config, rules } = self.self_play;
        let mut config = config.clone();
        (config.online.exploration, config.online.final_exploration) = (0.0, 0.0);
        let greedy = SelfPlay {
            config: &config,
            rules,
        };
        let (mut game, mut positions) = (config.online.games, Vec::new());
        while positions.len() < PARITY_POSITIONS {
            let end = game + td.games_per_update();
            for episode in td.play(&greedy, game..end)? {
                positions.extend_from_slice(episode.positions());
            }
            game = end;
        }
        positions.truncate(PARITY_POSITIONS);
        Ok(positions)
    }
}

/// Names of what the first `done` games of `shorter`, in updates of `step` games, have otherwise
/// than those of the longer `config`.
fn differences_by_length(
    shorter: &TrainConfig,
    config: &TrainConfig,
    done: u64,
    step: u64,
) -> Vec<&'static str> {
    let (before, online) = (shorter.online.games, &config.online);
    let mut differences = Vec::new();
    if config.training.schedule != Schedule::Constant {
        differences.push("learning rates");
    }
    if online.exploration != online.final_exploration {
        differences.push("exploration");
    }
    if done == before && !(done.is_multiple_of(step) && done.is_multiple_of(online.report_every)) {
        differences.push("last update");
    }
    differences
}

/// Message that learning goes on after `done` games, to more games than `shorter` has.
fn describe_more_games(
    shorter: &TrainConfig,
    config: &TrainConfig,
    done: u64,
    differences: &[&str],
) -> String {
    let (before, games) = (shorter.online.games, config.online.games);
    let line = format!("goes on after game {done}, to {games} games instead of {before}");
    describe_difference(line, differences, &format!("{games} games"))
}

fn curve_point<G: Learnable>(self_play: &SelfPlay<'_, G>, done: &mut TdProgress) -> TdPoint {
    let (last, before) = (
        done.games - 1,
        done.curve.last().map_or(0, |point| point.games),
    );
    let positions = std::mem::take(&mut done.positions);
    TdPoint {
        games: done.games,
        positions,
        loss: std::mem::take(&mut done.loss) / positions.max(1) as f64,
        exploration: self_play.exploration_rate(last),
        learning_rate: self_play.learning_rate(last),
        games_per_second: (done.games - before) as f64
            / std::mem::take(&mut done.seconds).max(1e-9),
    }
}

fn games_per_point(curve: &[TdPoint]) -> impl Iterator<Item = (u64, &TdPoint)> {
    let before = std::iter::once(0).chain(curve.iter().map(|point| point.games));
    curve
        .iter()
        .zip(before)
        .map(|(point, before)| (point.games - before, point))
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
