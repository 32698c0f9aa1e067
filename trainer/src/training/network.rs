//! Training of the neural network by a [`TrainableNetwork`], on the CPU or in burn.

use super::{BatchFunction, Learner, StepSettings, checkpoint_mismatch, initial_weights_mismatch};
use crate::Error;
use crate::batch::{FeatureSpec, NetworkBatch, network_batch};
use crate::config::TrainConfig;
use crate::models::cpu::{CpuNetwork, Shape, SparseInputs};
use alea_core::random::{RandomStream, SeedSpace, derive_seed};
use alea_learned::{
    inputs::Learnable,
    model_file::Model,
    network::{Network, NetworkKernels, ResultPayoffs},
};
use std::ops::Range;

const WEIGHT_STREAM: u64 = 3;

pub(super) trait TrainableNetwork: Sized {
    /// Makes an optimizer step and clamps weights to the engine's range; returns the sum of the
    /// losses before the step, in nats.
    fn train_step(
        &mut self,
        batch: &NetworkBatch,
        learning_rate: f64,
        limits: &StepLimits,
    ) -> Result<f64, Error>;

    /// Logits `[batch, outputs]`.
    fn logits(&self, batch: &NetworkBatch) -> Result<Vec<f32>, Error>;

    fn weights(&self) -> Vec<f32>;

    fn optimizer_state(&self) -> Result<Vec<u8>, Error>;

    /// Restores weights and optimizer; `None` leaves the optimizer unchanged.
    fn restore(&mut self, weights: Vec<f32>, optimizer: Option<Vec<u8>>) -> Result<(), Error>;
}

pub(super) struct StepLimits {
    pub(super) gradient_norm: f32,
    /// Ranges of first-layer rows of which one each is active; `None` unless the engine sums in 16
    /// bits.
    pub(super) one_hot_slots: Option<Vec<Range<usize>>>,
}

pub(super) struct NetworkLearner<G: Learnable, S> {
    step: S,
    features: FeatureSpec<G>,
    shape: Shape,
    step_settings: StepSettings,
    limits: StepLimits,
}

impl<G: Learnable, S: TrainableNetwork> NetworkLearner<G, S> {
    pub(super) fn new(
        game: &G,
        config: &TrainConfig,
        create: impl FnOnce(Shape, Vec<f32>) -> S,
    ) -> Result<Self, Error> {
        let seed = derive_seed(config.seed, SeedSpace::Training, &[WEIGHT_STREAM]);
        let (game, config) = (game.clone(), &config.network);
        let groups = config.input_groups::<G>()?;
        let results = config.results(&game)?;
        let shape = Shape::new(SparseInputs::for_game(&game, groups), &config.hidden)
            .with_buckets(config.buckets.count())
            .with_results(results);
        let one_hot_slots = G::Network::I16_ACCUMULATOR.then(|| game.feature_slots(groups));
        let weights = shape.initial_weights(&mut RandomStream::new(seed));
        Ok(Self {
            step: create(shape, weights),
            features: FeatureSpec {
                game,
                groups,
                buckets: config.buckets.clone(),
                results,
            },
            shape,
            step_settings: StepSettings {
                batch: config.batch,
                learning_rate: config.learning_rate,
            },
            limits: StepLimits {
                gradient_norm: config.gradient_norm,
                one_hot_slots,
            },
        })
    }

    pub(super) fn quantized_network(&self) -> Result<Network<G>, Error> {
        let FeatureSpec {
            game,
            groups,
            buckets,
            ..
        } = &self.features;
        let weights = self.shape.float_weights(&self.step.weights()).quantize();
        weights
            .and_then(|weights| Network::new(game, *groups, buckets.clone(), weights))
            .map_err(|problem| {
                Error::Divergence(format!("the engine refuses the network: {problem}"))
            })
    }
}

impl<G: Learnable, S: TrainableNetwork> Learner<G> for NetworkLearner<G, S> {
    type Batch = NetworkBatch;

    fn batcher(&self, lambda: f32) -> BatchFunction<G::Position, NetworkBatch> {
        let features = self.features.clone();
        Box::new(move |samples| network_batch(&features, samples, lambda))
    }

    fn step_settings(&self) -> StepSettings {
        self.step_settings
    }

    fn train_step(&mut self, batch: NetworkBatch, learning_rate: f64) -> Result<f64, Error> {
        self.step
            .train_step(&batch.sort_by_bucket(), learning_rate, &self.limits)
    }

    fn predict_logits(&self, batch: NetworkBatch) -> Result<Vec<f32>, Error> {
        self.step.logits(&batch)
    }

    fn results(&self) -> Option<ResultPayoffs> {
        self.features.results
    }

    fn state(&self) -> Result<[Vec<u8>; 2], Error> {
        Ok([to_bytes(&self.step.weights()), self.step.optimizer_state()?])
    }

    fn set_initial_weights(&mut self, model: &Model<G>) -> Result<(), Error> {
        let own = self.export()?;
        match model {
            Model::Network(initial) if model.summary() == own.summary() => {
                let weights = initial.weights().dequantize();
                self.step.restore(self.shape.flat_weights(&weights), None)
            }
            _ => Err(initial_weights_mismatch(&own, model)),
        }
    }

    fn restore(&mut self, model: Vec<u8>, optimizer: Option<Vec<u8>>) -> Result<(), Error> {
        let weights = from_bytes(&model, self.shape.parameters())?;
        self.step.restore(weights, optimizer)
    }

    fn export(&self) -> Result<Model<G>, Error> {
        self.quantized_network().map(Model::Network)
    }
}

impl TrainableNetwork for CpuNetwork {
    fn train_step(
        &mut self,
        batch: &NetworkBatch,
        learning_rate: f64,
        limits: &StepLimits,
    ) -> Result<f64, Error> {
        let loss = self.adam_step(batch.inputs(), learning_rate, limits.gradient_norm);
        self.clamp_to_range(limits.one_hot_slots.as_deref());
        Ok(loss)
    }

    /// Logits `[batch, outputs]`.
    fn logits(&self, batch: &NetworkBatch) -> Result<Vec<f32>, Error> {
        Ok(self.predict_logits(batch.inputs()))
    }

    fn weights(&self) -> Vec<f32> {
        self.weights().to_vec()
    }

    fn optimizer_state(&self) -> Result<Vec<u8>, Error> {
        let (moments, steps) = self.optimizer_state();
        Ok([&steps.to_le_bytes()[..], &to_bytes(moments)].concat())
    }

    fn restore(&mut self, weights: Vec<f32>, optimizer: Option<Vec<u8>>) -> Result<(), Error> {
        let (moments, steps) = match optimizer {
            Some(bytes) => {
                let (steps, moments) = bytes.split_first_chunk().ok_or_else(checkpoint_mismatch)?;
                let moments = from_bytes(moments, 2 * weights.len())?;
                (moments, u64::from_le_bytes(*steps))
            }
            None => (self.optimizer_state().0.to_vec(), self.optimizer_state().1),
        };
        *self = Self::new(self.shape(), weights, moments, steps);
        Ok(())
    }
}

pub(super) fn to_bytes(numbers: &[f32]) -> Vec<u8> {
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
    bytes.collect()
}

pub(super) fn from_bytes(bytes: &[u8], count: usize) -> Result<Vec<f32>, Error> {
    match bytes.as_chunks() {
        (numbers, []) if numbers.len() == count => Ok(numbers
            .iter()
            .map(|&bytes| f32::from_le_bytes(bytes))
            .collect()),
        _ => Err(checkpoint_mismatch()),
    }
}
