//! Quantized neural networks (NNUE, Nasu 2018; formula in `weights.rs`).
//!
//! Inputs are one-hot slots ([`Learnable::feature_slots`]); layers after the first exist per bucket
//! of the remaining game. Sums are integers: updates equal a refresh on all instruction sets.

mod accumulator;
mod kernels;
mod logit_batch;
mod result_outputs;
mod simd;
pub mod simd_layers;
mod weights;

pub use accumulator::Accumulators;
pub use result_outputs::{ResultPayoffs, ResultProbabilities};
pub use weights::*;

use super::{ModelError, game_parts::GameParts, inputs::Learnable, named_set::NamedSet};
use accumulator::NetworkSums;
use alea_core::{
    calibration::{clamp_to_open_interval, logistic},
    evaluator::{Evaluator, one_ply_serial, score_successors_serial, value_successors_serial},
    probcut::ProbcutErrors,
    simd::Instructions,
};
use logit_batch::LogitBatch;
use simd_layers::SimdLayers;
use std::{fmt::Debug, sync::Arc};

/// Maximal number of one-hot slots.
pub const MAX_ACTIVE: usize = 512;

/// Inference of a game's neural networks; logits equal [`Network::logit_from_scratch`].
pub trait NetworkKernels<G: Learnable<Network = Self>>:
    Clone + Debug + Send + Sync + Sized + 'static
{
    /// Data updated from move to move, such as accumulators.
    type Cache: Clone + Default + Send;

    /// Whether to value successors together ([`Evaluator::BATCHES_SUCCESSORS`]).
    const BATCHES_SUCCESSORS: bool = false;

    /// Whether first-layer sums must fit 16 bits ([`NetworkWeights::fits_i16_accumulator`]);
    /// training ensures it.
    const I16_ACCUMULATOR: bool = false;

    /// Prepares the kernels for a network.
    fn new(
        weights: &NetworkWeights,
        groups: NamedSet<G::Group>,
        buckets: &GameParts,
        instructions: Instructions,
    ) -> Self;

    /// Computes the cache from scratch, as [`Evaluator::refresh`].
    fn refresh(network: &Network<G>, game: &G, position: &G::Position, cache: &mut Self::Cache);

    /// Computes the cache after a move from that before it, as [`Evaluator::update`].
    fn update(
        network: &Network<G>,
        game: &G,
        parent: &mut Self::Cache,
        before: &G::Position,
        after: &G::Position,
        child: &mut Self::Cache,
    );

    /// Log odds of the side to move in units of 1 / [`LOGIT_SCALE`]; `cache` is of `position`. The
    /// network has one output.
    fn logit(network: &Network<G>, game: &G, position: &G::Position, cache: &Self::Cache) -> i32;

    /// Writes the logit of each output in units of 1 / [`LOGIT_SCALE`]; `cache` is of `position`.
    fn output_logits(
        network: &Network<G>,
        game: &G,
        position: &G::Position,
        cache: &Self::Cache,
        logits: &mut [i32],
    ) {
        let _ = cache;
        network.output_logits_from_scratch(game, position, logits);
    }

    /// Value for the seat to move by a search of one ply, as [`Evaluator::one_ply`].
    fn one_ply(
        network: &Network<G>,
        game: &G,
        position: &G::Position,
        cache: &mut Self::Cache,
    ) -> f32 {
        one_ply_serial(network, game, position, cache)
    }

    /// Writes a move-ordering score of each move, as [`Evaluator::score_successors`].
    fn score_successors(
        network: &Network<G>,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        scores: &mut [f32],
    ) {
        score_successors_serial(network, game, position, moves, scores);
    }

    /// Writes the value after each move, as [`Evaluator::value_successors`].
    fn value_successors(
        network: &Network<G>,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        cache: &mut Self::Cache,
        values: &mut [f32],
    ) {
        value_successors_serial(network, game, position, moves, cache, values);
    }
}

/// Inference for any game, with SIMD kernels for [`simd_layers::SIMD_WIDTHS`].
#[derive(Clone, Debug)]
pub struct GenericNetKernels(Option<Arc<SimdLayers>>);

impl<G: Learnable<Network = Self>> NetworkKernels<G> for GenericNetKernels {
    type Cache = Accumulators;

    fn new(
        weights: &NetworkWeights,
        _: NamedSet<G::Group>,
        _: &GameParts,
        instructions: Instructions,
    ) -> Self {
        Self(SimdLayers::new(weights, instructions).map(Arc::new))
    }

    fn refresh(network: &Network<G>, game: &G, position: &G::Position, cache: &mut Accumulators) {
        cache.refresh(&NetworkSums(network, game), position);
    }

    fn update(
        network: &Network<G>,
        game: &G,
        parent: &mut Accumulators,
        before: &G::Position,
        after: &G::Position,
        child: &mut Accumulators,
    ) {
        child.update(&NetworkSums(network, game), parent, before, after);
    }

    #[inline]
    fn logit(network: &Network<G>, game: &G, position: &G::Position, cache: &Accumulators) -> i32 {
        let sums = cache.sums(game.to_move(position));
        match &network.kernels.0 {
            Some(layers) => {
                let bucket = network.bucket_of(game, position);
                layers.logit_of_sums(bucket, sums, &network.weights.bias)
            }
            None => network.logit_from_sums(game, position, sums),
        }
    }

    fn output_logits(
        network: &Network<G>,
        game: &G,
        position: &G::Position,
        cache: &Accumulators,
        logits: &mut [i32],
    ) {
        let sums = cache.sums(game.to_move(position));
        match &network.kernels.0 {
            Some(layers) => {
                let bucket = network.bucket_of(game, position);
                layers.output_logits_of_sums(bucket, sums, &network.weights.bias, logits);
            }
            None => network.output_logits_from_sums(game, position, sums, logits),
        }
    }

    /// Changes the sums from one successor to the next: siblings differ in few inputs.
    fn value_successors(
        network: &Network<G>,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        cache: &mut Accumulators,
        values: &mut [f32],
    ) {
        let layers = network.kernels.0.as_deref();
        let layers = layers.filter(|_| network.results.is_none());
        let bias = &network.weights.bias;
        let mut batch = layers.map(|layers| LogitBatch::new(layers, bias, game.seats()));
        let mover = game.to_move(position);
        cache.clear();
        for (index, &mv) in moves.iter().enumerate() {
            let next = game.play(position, mv);
            if let Some(payoff) = game.payoff(&next, mover) {
                values[index] = payoff;
                continue;
            }
            cache.follow(&NetworkSums(network, game), &next);
            let seat = game.to_move(&next);
            match &mut batch {
                Some(batch) => {
                    let bucket = network.bucket_of(game, &next);
                    batch.add(bucket, cache.sums(seat), (index, seat == mover), values);
                }
                None => values[index] = network.payoffs(game, &next, cache)[mover],
            }
        }
        if let Some(batch) = &mut batch {
            batch.write(values);
        }
    }
}

/// A neural network, ready for evaluation.
#[derive(Clone, Debug)]
pub struct Network<G: Learnable> {
    weights: NetworkWeights,
    groups: NamedSet<G::Group>,
    buckets: GameParts,
    active: usize,
    results: Option<ResultPayoffs>,
    kernels: G::Network,
    instructions: Instructions,
    game: String,
    layout: String,
    pub(crate) probcut_errors: Option<ProbcutErrors>,
}

impl<G: Learnable> Network<G> {
    /// A network; each of the `buckets` has layers of its own after the first.
    ///
    /// # Errors
    /// If the weights do not fit, may overflow, or have neither one output nor one for each result
    /// that the game [names](alea_play::points::Points::results).
    pub fn new(
        game: &G,
        groups: NamedSet<G::Group>,
        buckets: impl Into<GameParts>,
        weights: NetworkWeights,
    ) -> Result<Self, ModelError> {
        let buckets = &buckets.into();
        let slots = game.feature_slots(groups);
        let rows = slots.iter().map(|slot| slot.end).max().unwrap_or(0);
        for (what, found, limit) in [
            ("rows of inputs", rows, usize::from(u16::MAX)),
            ("active inputs", slots.len(), MAX_ACTIVE),
        ] {
            if found > limit {
                let problem = format!("{found} {what}; there may be {limit}");
                return Err(ModelError(problem));
            }
        }
        buckets.check(game, "buckets").map_err(ModelError)?;
        weights.check(rows, buckets.count())?;
        let results = match weights.outputs {
            1 => None,
            outputs => Some(ResultPayoffs::for_outputs(game, outputs)?),
        };
        let instructions = Instructions::detect();
        Ok(Self {
            probcut_errors: None,
            kernels: G::Network::new(&weights, groups, buckets, instructions),
            layout: input_schema(game, groups, buckets),
            game: game.model_game_name(),
            active: slots.len(),
            results,
            buckets: buckets.clone(),
            weights,
            groups,
            instructions,
        })
    }

    /// The network with kernels for `instructions`; values stay equal.
    #[must_use]
    pub fn with_instructions(self, instructions: Instructions) -> Self {
        Self {
            kernels: G::Network::new(&self.weights, self.groups, &self.buckets, instructions),
            instructions,
            ..self
        }
    }

    /// Quantized weights.
    pub fn weights(&self) -> &NetworkWeights {
        &self.weights
    }

    /// Optional feature groups of the inputs.
    pub fn feature_groups(&self) -> NamedSet<G::Group> {
        self.groups
    }

    /// Parts of the game with layers of their own after the first.
    pub fn buckets(&self) -> &GameParts {
        &self.buckets
    }

    /// Results that have an output each; `None` if the only output is the logit of a win.
    #[inline]
    pub fn results(&self) -> Option<&ResultPayoffs> {
        self.results.as_ref()
    }

    /// Probability of each result for the seat to move; `None` if the only output is the logit of a
    /// win. `cache` is of `position`.
    pub fn cached_result_probabilities(
        &self,
        game: &G,
        position: &G::Position,
        cache: &<G::Network as NetworkKernels<G>>::Cache,
    ) -> Option<ResultProbabilities> {
        let results = self.results.as_ref()?;
        let logits = self.output_logits(game, position, cache);
        Some(results.probabilities(self.instructions, &logits))
    }

    /// Inference prepared for this network.
    #[inline]
    pub fn kernels(&self) -> &G::Network {
        &self.kernels
    }

    /// SIMD instructions in use.
    pub fn instructions(&self) -> Instructions {
        self.instructions
    }

    /// Schema text of the inputs.
    pub fn input_schema(&self) -> &str {
        &self.layout
    }

    /// Name and parameters of the game in model files.
    pub fn game_name(&self) -> &str {
        &self.game
    }

    /// Log odds of the side to move in units of 1 / [`LOGIT_SCALE`], the reference for kernels. The
    /// network has one output.
    pub fn logit_from_scratch(&self, game: &G, position: &G::Position) -> i32 {
        let mut logit = [0];
        self.output_logits_from_scratch(game, position, &mut logit);
        logit[0]
    }

    /// Writes the logit of each output in units of 1 / [`LOGIT_SCALE`], the reference for kernels.
    pub fn output_logits_from_scratch(&self, game: &G, position: &G::Position, logits: &mut [i32]) {
        let (mut rows, mut sums) = ([0; MAX_ACTIVE], [0; MAX_WIDTH]);
        let (rows, sums) = (
            &mut rows[..self.active],
            &mut sums[..self.weights.bias.len()],
        );
        game.active_features(self.groups, position, game.to_move(position), rows);
        kernels::sum_rows(self.instructions, &self.weights.rows, rows, sums);
        self.output_logits_from_sums(game, position, sums, logits);
    }

    #[inline]
    fn bucket_of(&self, game: &G, position: &G::Position) -> usize {
        self.buckets.index_of(game, position)
    }

    #[inline]
    fn logit_from_sums(&self, game: &G, position: &G::Position, sums: &[i32]) -> i32 {
        let mut logit = [0];
        self.output_logits_from_sums(game, position, sums, &mut logit);
        logit[0]
    }

    #[inline]
    fn output_logits_from_sums(
        &self,
        game: &G,
        position: &G::Position,
        sums: &[i32],
        logits: &mut [i32],
    ) {
        // Zeroing scratch space for wide layers takes longer than narrow layers.
        const MAX_NARROW_WIDTH: usize = 128;
        let (instructions, weights) = (self.instructions, &self.weights);
        let bucket = self.bucket_of(game, position);
        let layers = weights.hidden.iter();
        let is_narrow = layers.fold(
            weights.bias.len() <= MAX_NARROW_WIDTH,
            |is_narrow, layer| {
                is_narrow && layer.bias.len() <= MAX_NARROW_WIDTH * weights.buckets()
            },
        );
        match is_narrow {
            true => {
                kernels::forward::<MAX_NARROW_WIDTH>(instructions, weights, bucket, sums, logits);
            }
            false => kernels::forward::<MAX_WIDTH>(instructions, weights, bucket, sums, logits),
        }
    }

    #[inline]
    fn output_logits(
        &self,
        game: &G,
        position: &G::Position,
        cache: &<G::Network as NetworkKernels<G>>::Cache,
    ) -> [i32; MAX_OUTPUTS] {
        let (mut logits, outputs) = ([0; MAX_OUTPUTS], self.weights.outputs);
        G::Network::output_logits(self, game, position, cache, &mut logits[..outputs]);
        logits
    }
}

pub(super) fn input_schema<G: Learnable>(
    game: &G,
    groups: NamedSet<G::Group>,
    buckets: &GameParts,
) -> String {
    game.feature_schema(groups) + &buckets.schema_text::<G>("buckets")
}

/// Log odds of a logit in units of 1 / [`LOGIT_SCALE`]; drops the lowest bits, to make the logistic
/// monotone.
#[inline]
pub fn log_odds(logit: i32) -> f32 {
    const DROPPED_BITS: u32 = 5;
    (logit >> DROPPED_BITS) as f32 * ((1 << DROPPED_BITS) as f32 / LOGIT_SCALE as f32)
}

/// Win probability of a logit in units of 1 / [`LOGIT_SCALE`].
#[inline]
pub fn win_probability(logit: i32) -> f32 {
    clamp_to_open_interval(logistic(log_odds(logit)))
}

impl<G: Learnable> PartialEq for Network<G> {
    fn eq(&self, other: &Self) -> bool {
        (&self.weights, &self.layout, &self.game) == (&other.weights, &other.layout, &other.game)
    }
}

impl<G: Learnable> Evaluator<G> for Network<G> {
    type Cache = <G::Network as NetworkKernels<G>>::Cache;
    const BATCHES_SUCCESSORS: bool = G::Network::BATCHES_SUCCESSORS;

    #[inline]
    fn one_ply(&self, game: &G, position: &G::Position, cache: &mut Self::Cache) -> f32 {
        G::Network::one_ply(self, game, position, cache)
    }

    #[inline]
    fn score_successors(
        &self,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        scores: &mut [f32],
    ) {
        G::Network::score_successors(self, game, position, moves, scores);
    }

    #[inline]
    fn value_successors(
        &self,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        cache: &mut Self::Cache,
        values: &mut [f32],
    ) {
        G::Network::value_successors(self, game, position, moves, cache, values);
    }

    fn refresh(&self, game: &G, position: &G::Position, cache: &mut Self::Cache) {
        G::Network::refresh(self, game, position, cache);
    }

    fn update(
        &self,
        game: &G,
        parent: &mut Self::Cache,
        before: &G::Position,
        _: G::Move,
        after: &G::Position,
        child: &mut Self::Cache,
    ) {
        G::Network::update(self, game, parent, before, after, child);
    }

    #[inline]
    fn value(&self, game: &G, position: &G::Position, cache: &Self::Cache) -> f32 {
        match &self.results {
            None => win_probability(G::Network::logit(self, game, position, cache)),
            Some(results) => {
                let logits = self.output_logits(game, position, cache);
                results.expected_payoff(self.instructions, &logits)
            }
        }
    }

    /// Log odds of the value.
    fn raw_score(&self, game: &G, position: &G::Position) -> Option<f32> {
        Some(match &self.results {
            None => log_odds(self.logit_from_scratch(game, position)),
            Some(_) => {
                let value = f64::from(self.value_of(game, position));
                (value / (1.0 - value)).ln() as f32
            }
        })
    }

    #[inline]
    fn probcut_errors(&self) -> Option<&ProbcutErrors> {
        self.probcut_errors.as_ref()
    }

    fn result_probabilities(&self, game: &G, position: &G::Position) -> Option<Vec<f32>> {
        let (results, mut cache) = (self.results.as_ref()?, Self::Cache::default());
        self.refresh(game, position, &mut cache);
        let probabilities = self.cached_result_probabilities(game, position, &cache)?;
        Some(probabilities[..results.len()].to_vec())
    }
}
