//! TD(λ) of a neural network: games are played by fixed weights, quantized and valued by the
//! engine, on all threads; then their positions learn λ-returns in Adam steps, in random order. This
//! is the forward view of TD(λ) (Sutton and Barto 2018, section 12.1), with updates between games as
//! in its off-line form; TD-Gammon (Tesauro 1992) updates after each move.

use super::{
    SelfPlay, TdLearner,
    episode::{Episode, GameEvaluator},
};
use crate::Error;
use crate::config::TrainConfig;
use crate::sample::Sample;
use crate::training::Learner;
use crate::training::network::{NetworkLearner, TrainableNetwork};
use crate::training_results::Family;
use alea_core::{
    evaluator::Evaluator,
    random::{RandomStream, SeedSpace, derive_seed},
};
use alea_learned::{
    inputs::Learnable,
    network::{Network, NetworkKernels, ResultProbabilities, log_odds},
};
use std::ops::Range;

/// Number of games that a thread plays at a time.
const GAMES_PER_TASK: usize = 8;

const ORDER_STREAM: u64 = 6;

pub(super) struct TdNetwork<G: Learnable, S> {
    learner: NetworkLearner<G, S>,
    games_per_update: u64,
    batch: usize,
    episodes: Vec<Episode<G>>,
    samples: Vec<Sample<G::Position>>,
    /// λ-returns of the results' probabilities of each sample; empty without an output for each.
    result_targets: Vec<ResultProbabilities>,
}

type Cache<G> = <<G as Learnable>::Network as NetworkKernels<G>>::Cache;

struct NetworkEvaluator<'a, G: Learnable> {
    network: &'a Network<G>,
    present: Cache<G>,
    kept: Cache<G>,
    latest: Cache<G>,
}

impl<'a, G: Learnable> NetworkEvaluator<'a, G> {
    fn new(network: &'a Network<G>) -> Self {
        Self {
            network,
            present: Cache::<G>::default(),
            kept: Cache::<G>::default(),
            latest: Cache::<G>::default(),
        }
    }
}

#[inline]
fn log_odds_of_value<G: Learnable>(
    network: &Network<G>,
    rules: &G,
    position: &G::Position,
    cache: &Cache<G>,
) -> f32 {
    match network.results() {
        None => log_odds(G::Network::logit(network, rules, position, cache)),
        Some(_) => {
            let value = network.value(rules, position, cache);
            (value / (1.0 - value)).ln()
        }
    }
}

/// Weight of the results' λ-returns in the loss of networks with an output for each result; the rest
/// is that of the value's, by which moves are chosen.
const RESULT_WEIGHT: f32 = 0.25;

impl<G: Learnable> GameEvaluator<G> for NetworkEvaluator<'_, G> {
    fn start_logit(&mut self, rules: &G, start: &G::Position) -> f32 {
        self.network.refresh(rules, start, &mut self.present);
        log_odds_of_value(self.network, rules, start, &self.present)
    }

    #[inline]
    fn successor_logit(
        &mut self,
        rules: &G,
        before: &G::Position,
        mv: G::Move,
        after: &G::Position,
    ) -> f32 {
        let (parent, child) = (&mut self.present, &mut self.latest);
        self.network.update(rules, parent, before, mv, after, child);
        log_odds_of_value(self.network, rules, after, &self.latest)
    }

    fn result_probabilities(
        &self,
        rules: &G,
        position: &G::Position,
    ) -> Option<ResultProbabilities> {
        self.network
            .cached_result_probabilities(rules, position, &self.present)
    }

    #[inline]
    fn keep_successor(&mut self) {
        std::mem::swap(&mut self.kept, &mut self.latest);
    }

    #[inline]
    fn advance(&mut self) {
        std::mem::swap(&mut self.present, &mut self.kept);
    }
}

impl<G: Learnable, S: TrainableNetwork> TdNetwork<G, S> {
    pub(super) fn new(learner: NetworkLearner<G, S>, config: &TrainConfig) -> Self {
        Self {
            learner,
            games_per_update: config.online.games_per_update.unwrap_or(1) as u64,
            batch: config.online.batch.unwrap_or(config.network.batch),
            episodes: Vec::new(),
            samples: Vec::new(),
            result_targets: Vec::new(),
        }
    }
}

impl<G: Learnable, S: TrainableNetwork> TdLearner<G> for TdNetwork<G, S> {
    type Learner = NetworkLearner<G, S>;
    const FAMILY: Family = Family::Network;

    fn learner(&mut self) -> &mut NetworkLearner<G, S> {
        &mut self.learner
    }

    fn method(&self, _: &TrainConfig) -> String {
        format!("Adam after every {} games", self.games_per_update)
    }

    fn games_per_update(&self) -> u64 {
        self.games_per_update
    }

    fn play(
        &mut self,
        self_play: &SelfPlay<'_, G>,
        games: Range<u64>,
    ) -> Result<&[Episode<G>], Error> {
        let network = &self.learner.quantized_network()?;
        let count = (games.end - games.start) as usize;
        self.episodes.resize_with(count, Episode::default);
        let first_games = games.step_by(GAMES_PER_TASK);
        alea_parallel::map_items_with(
            first_games.zip(self.episodes.chunks_mut(GAMES_PER_TASK)),
            || NetworkEvaluator::new(network),
            |evaluator, (first, episodes)| {
                for (game, episode) in (first..).zip(episodes) {
                    let (start, mut random) = self_play.draw_start(game);
                    let exploration = self_play.exploration_rate(game);
                    episode.play(self_play.rules, evaluator, start, exploration, &mut random);
                }
            },
        );
        Ok(&self.episodes)
    }

    fn learn(
        &mut self,
        self_play: &SelfPlay<'_, G>,
        first_game: u64,
        learning_rate: f64,
    ) -> Result<(), Error> {
        let SelfPlay { config, rules } = self_play;
        let (samples, result_targets) = (&mut self.samples, &mut self.result_targets);
        samples.clear();
        result_targets.clear();
        let (results, trace) = (self.learner.results(), config.online.trace as f32);
        for episode in &mut self.episodes {
            episode.compute_targets(rules, trace);
            samples.extend(episode.samples());
            if let Some(results) = &results {
                episode.append_result_targets(results, trace, result_targets);
            }
        }
        let seed = derive_seed(
            config.seed,
            SeedSpace::Training,
            &[ORDER_STREAM, first_game],
        );
        let mut random = RandomStream::new(seed);
        random.clone().shuffle(result_targets);
        random.shuffle(samples);
        if config.training.symmetries {
            for sample in &mut *samples {
                let symmetry = random.below(rules.symmetries());
                sample.position = rules.transform_position(&sample.position, symmetry);
            }
        }
        // Steps of equal size: a small last one would weigh its samples more.
        let steps = ((samples.len() + self.batch / 2) / self.batch).max(1);
        let batcher = self.learner.batcher(1.0);
        let step_length = samples.len().div_ceil(steps).max(1);
        let mut result_targets = result_targets.chunks(step_length);
        for samples in samples.chunks(step_length) {
            let mut batch = batcher(samples);
            if let (Some(results), Some(targets)) = (&results, result_targets.next()) {
                let rows = batch.results.chunks_mut(results.len());
                for (row, target) in rows.zip(targets) {
                    for (row, target) in row.iter_mut().zip(target) {
                        *row = RESULT_WEIGHT * target;
                    }
                }
            }
            let loss = self.learner.train_step(batch, learning_rate)?;
            if !loss.is_finite() {
                return Err(super::divergence_error(loss, first_game));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
