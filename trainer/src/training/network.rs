//! Trains the neural network by Adam with clipped gradients: [`crate::models::cpu`] on the CPU,
//! burn on other devices.

use super::{BatchFunction, Learner, StepSettings, TrainingRun};
use crate::Error;
use crate::batch::{FeatureSpec, NetworkBatch, network_batch, samples_without_labels};
use crate::models::{
    cpu::{CpuNetwork, Shape, SparseInputs, quantize::clamp_to_range},
    network::NetworkModel,
    tensors::{cross_entropy, load_record, record, record_error, tensor_values},
};
use alea_core::random::{RandomStream, SeedSpace, derive_seed};
use alea_learned::{
    inputs::Learnable,
    model_file::Model,
    network::{Network, NetworkKernels},
};
use burn::{
    grad_clipping::GradientClippingConfig,
    module::Module,
    optim::{AdamConfig, GradientsParams, ModuleOptimizer},
    tensor::{Bytes, Device, activation::sigmoid},
};
use std::ops::Range;

/// Index of the initial weights among the random streams of a training seed.
const WEIGHT_STREAM: u64 = 3;

/// Limited because burn copies all active first-layer rows.
const PREDICTION_BATCH: usize = 4096;

pub(super) struct NetworkLearner<G: Learnable> {
    state: Implementation,
    features: FeatureSpec<G>,
    shape: Shape,
    step_settings: StepSettings,
    gradient_norm: f32,
    /// One-hot slots, ranges of first-layer rows, if the engine sums rows in 16 bits, which
    /// clamping after each step then ensures; else `None`.
    runs: Option<Vec<Range<usize>>>,
    /// Does not differentiate; [`Implementation::Burn`] has a device that does.
    device: Device,
}

enum Implementation {
    Cpu(Box<CpuNetwork>),
    Burn(Box<NetworkModel>, Box<ModuleOptimizer>),
}

impl<G: Learnable> NetworkLearner<G> {
    /// `cpu` selects the CPU training step.
    pub(super) fn new(run: &TrainingRun<'_, G>, device: Device, cpu: bool) -> Result<Self, Error> {
        let (game, config) = (run.samples.game().clone(), &run.config.network);
        let groups = config.groups::<G>()?;
        let shape = Shape::new(SparseInputs::of(&game, groups), &config.hidden)
            .with_buckets(config.buckets.len() + 1);
        let runs = G::Network::I16_ACCUMULATOR.then(|| game.feature_slots(groups));
        let mut random = RandomStream::new(derive_seed(
            run.config.seed,
            SeedSpace::Training,
            &[WEIGHT_STREAM],
        ));
        let model = NetworkModel::new(shape, &mut random, &device.clone().autodiff());
        let state = if cpu {
            let moments = vec![0.0; 2 * shape.parameters()];
            Implementation::Cpu(Box::new(CpuNetwork::new(
                shape,
                model.parameters(),
                moments,
                0,
            )))
        } else {
            let clipping = GradientClippingConfig::Norm(config.gradient_norm);
            let optimizer = AdamConfig::new()
                .with_epsilon(1e-8)
                .with_grad_clipping(Some(clipping))
                .init();
            Implementation::Burn(Box::new(model), Box::new(optimizer))
        };
        Ok(Self {
            state,
            features: FeatureSpec {
                game,
                groups,
                bounds: config.buckets.clone(),
            },
            shape,
            step_settings: StepSettings {
                batch: config.batch,
                learning_rate: config.learning_rate,
            },
            gradient_norm: config.gradient_norm,
            runs,
            device,
        })
    }

    fn burn(&self) -> NetworkModel {
        match &self.state {
            Implementation::Cpu(network) => {
                NetworkModel::from_parameters(self.shape, network.weights(), &self.device)
            }
            Implementation::Burn(model, _) => model.valid(),
        }
    }
}

fn moments(record: &[u8], shape: Shape) -> Result<(Vec<f32>, u64), Error> {
    let (steps, moments) = record
        .split_first_chunk()
        .filter(|(_, moments)| moments.len() == 8 * shape.parameters())
        .ok_or_else(|| Error::new(
            "the checkpoint does not fit the model: its optimiser has another size; remove it to train from the start",
        ))?;
    let moments = moments.as_chunks().0.iter();
    let moments = moments.map(|&moment| f32::from_le_bytes(moment)).collect();
    Ok((moments, u64::from_le_bytes(*steps)))
}

impl<G: Learnable> Learner<G> for NetworkLearner<G> {
    type Batch = NetworkBatch;

    fn batcher(&self, lambda: f32) -> BatchFunction<G::Position, NetworkBatch> {
        let features = self.features.clone();
        Box::new(move |samples| network_batch(&features, samples, lambda))
    }

    fn step_settings(&self) -> StepSettings {
        self.step_settings
    }

    fn train_step(&mut self, batch: NetworkBatch, learning_rate: f64) -> Result<f64, Error> {
        let (batch, runs) = (batch.sort_by_bucket(), self.runs.as_deref());
        match &mut self.state {
            Implementation::Cpu(network) => {
                let loss = network.step(batch.inputs(), learning_rate, self.gradient_norm);
                network.clamp_to_range(runs);
                Ok(loss)
            }
            Implementation::Burn(model, optimizer) => {
                let device = self.device.clone().autodiff();
                let (rows, buckets, targets) = batch.tensors(self.shape.buckets(), &device);
                let loss = cross_entropy(model.logits(rows, buckets), targets);
                let sum = f64::from(tensor_values(loss.clone())?[0]) * batch.targets.len() as f64;
                let gradients = GradientsParams::from_grads(loss.backward(), model.as_ref());
                **model = optimizer.step(learning_rate, model.as_ref().clone(), gradients);
                let mut weights = model.parameters();
                clamp_to_range(self.shape, runs, &mut weights);
                **model = NetworkModel::from_parameters(self.shape, &weights, &device);
                Ok(sum)
            }
        }
    }

    fn predict_logits(&self, batch: NetworkBatch) -> Result<Vec<f32>, Error> {
        match &self.state {
            Implementation::Cpu(network) => Ok(network.predict_logits(batch.inputs())),
            Implementation::Burn(..) => {
                let (rows, buckets, _) = batch.tensors(self.shape.buckets(), &self.device);
                tensor_values(self.burn().logits(rows, buckets))
            }
        }
    }

    fn state(&self) -> Result<[Vec<u8>; 2], Error> {
        let optimizer = match &self.state {
            Implementation::Cpu(network) => {
                let (moments, steps) = network.optimizer();
                let moments = moments.iter().flat_map(|moment| moment.to_le_bytes());
                steps.to_le_bytes().into_iter().chain(moments).collect()
            }
            Implementation::Burn(_, optimizer) => {
                optimizer.into_bytes().map_err(record_error)?.to_vec()
            }
        };
        Ok([record(self.burn())?, optimizer])
    }

    fn restore(&mut self, model: Vec<u8>, optimizer: Option<Vec<u8>>) -> Result<(), Error> {
        let model = load_record(self.burn(), model)?;
        match &mut self.state {
            Implementation::Cpu(network) => {
                let (moments, steps) = match optimizer {
                    Some(record) => moments(&record, self.shape)?,
                    None => (network.optimizer().0.to_vec(), network.optimizer().1),
                };
                **network = CpuNetwork::new(self.shape, model.parameters(), moments, steps);
            }
            Implementation::Burn(trained, own) => {
                **trained = model.train();
                if let Some(record) = optimizer {
                    let optimizer = own.as_ref().clone();
                    let optimizer = optimizer.from_bytes(Bytes::from_bytes_vec(record));
                    **own = optimizer.map_err(record_error)?;
                }
            }
        }
        Ok(())
    }

    fn predictions(&self, positions: &[G::Position]) -> Result<Vec<f32>, Error> {
        let (network, mut values) = (self.burn(), Vec::new());
        for positions in positions.chunks(PREDICTION_BATCH) {
            let positions = samples_without_labels(positions);
            let batch = network_batch(&self.features, &positions, 1.0);
            let (rows, buckets, _) = batch.tensors(self.shape.buckets(), &self.device);
            values.extend(tensor_values(sigmoid(network.logits(rows, buckets)))?);
        }
        Ok(values)
    }

    fn export(&self) -> Result<Model<G>, Error> {
        let FeatureSpec {
            game,
            groups,
            bounds,
        } = &self.features;
        let weights = self.burn().weights().quantize();
        weights
            .and_then(|weights| Network::new(game, *groups, bounds, weights))
            .map(Model::Network)
            .map_err(Error::with_prefix("the engine refuses the network"))
    }
}
