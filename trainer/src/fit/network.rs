//! Training of the neural network: Adam with clipped gradients and a learning-rate schedule.
//!
//! On the CPU the hand-written step of [`crate::models::fused`] trains, on other devices burn,
//! whose forward pass is the reference for both.

use super::{Learner, Plan, Prepare, Run};
use crate::Error;
use crate::batch::{FeatureSpec, NetworkBatch, network_batch, unlabelled};
use crate::models::{
    fused::{FusedNetwork, Shape, Sparse, grid::hold},
    network::NetworkModel,
    tensors::{cross_entropy, loaded, numbers, record, unfit},
};
use burn::{
    grad_clipping::GradientClippingConfig,
    module::Module,
    optim::{AdamConfig, GradientsParams, ModuleOptimizer},
    tensor::{Bytes, Device, activation::sigmoid},
};
use engine::core::random::{RandomStream, SeedSpace, derive_seed};
use engine::learned::{
    inputs::Learnable,
    model_file::Model,
    network::{Network, NetworkKernels},
};
use std::ops::Range;

/// Seed index of initial weights.
const WEIGHTS: u64 = 3;

/// Batch size of burn's predictions, which gather all rows of the first layer.
const COMPARED: usize = 4096;

/// A network with its optimizer and its features.
pub(super) struct NetworkLearner<G: Learnable> {
    state: State,
    features: FeatureSpec<G>,
    shape: Shape,
    plan: Plan,
    gradient_norm: f32,
    /// Groups of mutually exclusive rows; given if the engine needs sums of 16 bits, for which
    /// weights are clamped after every step.
    runs: Option<Vec<Range<usize>>>,
    /// Device without gradients.
    device: Device,
}

/// A network with its optimizer.
enum State {
    /// The hand-written CPU step.
    Fused(Box<FusedNetwork>),
    /// Burn on any device; the model is on the device with gradients.
    Burn(Box<NetworkModel>, Box<ModuleOptimizer>),
}

impl<G: Learnable> NetworkLearner<G> {
    /// A network with the initial weights of the configuration's seed; `fused` selects the CPU
    /// step.
    pub(super) fn new(run: &Run<'_, G>, device: Device, fused: bool) -> Result<Self, Error> {
        let (game, config) = (run.samples.game().clone(), &run.config.network);
        let groups = config.groups::<G>()?;
        let shape = Shape::new(Sparse::of(&game, groups), &config.hidden)
            .with_buckets(config.buckets.len() + 1);
        let runs = G::Network::I16_ACCUMULATOR.then(|| game.feature_slots(groups));
        let mut random = RandomStream::new(derive_seed(
            run.config.seed,
            SeedSpace::Training,
            &[WEIGHTS],
        ));
        let model = NetworkModel::new(shape, &mut random, &device.clone().autodiff());
        let state = if fused {
            let moments = vec![0.0; 2 * shape.parameters()];
            State::Fused(Box::new(FusedNetwork::new(
                shape,
                model.parameters(),
                moments,
                0,
            )))
        } else {
            let clipping = GradientClippingConfig::Norm(config.gradient_norm);
            let optimiser = AdamConfig::new()
                .with_epsilon(1e-8)
                .with_grad_clipping(Some(clipping))
                .init();
            State::Burn(Box::new(model), Box::new(optimiser))
        };
        Ok(Self {
            state,
            features: FeatureSpec {
                game,
                groups,
                bounds: config.buckets.clone(),
            },
            shape,
            plan: Plan {
                batch: config.batch,
                learning_rate: config.learning_rate,
            },
            gradient_norm: config.gradient_norm,
            runs,
            device,
        })
    }

    /// The network in burn, on the device without gradients: otherwise each forward pass would
    /// leave its graph.
    fn burn(&self) -> NetworkModel {
        match &self.state {
            State::Fused(network) => {
                NetworkModel::from_parameters(self.shape, network.weights(), &self.device)
            }
            State::Burn(model, _) => model.valid(),
        }
    }
}

/// Decodes Adam's moments and step count.
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

    fn prepare(&self, lambda: f32) -> Prepare<G::Position, NetworkBatch> {
        let features = self.features.clone();
        Box::new(move |samples| network_batch(&features, samples, lambda))
    }

    fn plan(&self) -> Plan {
        self.plan
    }

    fn learn(&mut self, batch: NetworkBatch, learning_rate: f64) -> Result<f64, Error> {
        let (batch, runs) = (batch.sort_by_bucket(), self.runs.as_deref());
        match &mut self.state {
            State::Fused(network) => {
                let loss = network.step(batch.inputs(), learning_rate, self.gradient_norm);
                network.hold(runs);
                Ok(loss)
            }
            State::Burn(model, optimiser) => {
                let device = self.device.clone().autodiff();
                let (rows, buckets, targets) = batch.tensors(self.shape.buckets(), &device);
                let loss = cross_entropy(model.logits(rows, buckets), targets);
                let sum = f64::from(numbers(loss.clone())?[0]) * batch.targets.len() as f64;
                let gradients = GradientsParams::from_grads(loss.backward(), model.as_ref());
                **model = optimiser.step(learning_rate, model.as_ref().clone(), gradients);
                let mut weights = model.parameters();
                hold(self.shape, runs, &mut weights);
                **model = NetworkModel::from_parameters(self.shape, &weights, &device);
                Ok(sum)
            }
        }
    }

    fn outputs(&self, batch: NetworkBatch) -> Result<Vec<f32>, Error> {
        match &self.state {
            State::Fused(network) => Ok(network.outputs(batch.inputs())),
            State::Burn(..) => {
                let (rows, buckets, _) = batch.tensors(self.shape.buckets(), &self.device);
                numbers(self.burn().logits(rows, buckets))
            }
        }
    }

    fn records(&self) -> Result<[Vec<u8>; 2], Error> {
        let optimiser = match &self.state {
            State::Fused(network) => {
                let (moments, steps) = network.optimiser();
                let moments = moments.iter().flat_map(|moment| moment.to_le_bytes());
                steps.to_le_bytes().into_iter().chain(moments).collect()
            }
            State::Burn(_, optimiser) => optimiser.into_bytes().map_err(unfit)?.to_vec(),
        };
        Ok([record(self.burn())?, optimiser])
    }

    fn load(&mut self, model: Vec<u8>, optimiser: Option<Vec<u8>>) -> Result<(), Error> {
        let model = loaded(self.burn(), model)?;
        match &mut self.state {
            State::Fused(network) => {
                let (moments, steps) = match optimiser {
                    Some(record) => moments(&record, self.shape)?,
                    None => (network.optimiser().0.to_vec(), network.optimiser().1),
                };
                **network = FusedNetwork::new(self.shape, model.parameters(), moments, steps);
            }
            State::Burn(trained, own) => {
                **trained = model.train();
                if let Some(record) = optimiser {
                    let optimiser = own.as_ref().clone();
                    let optimiser = optimiser.from_bytes(Bytes::from_bytes_vec(record));
                    **own = optimiser.map_err(unfit)?;
                }
            }
        }
        Ok(())
    }

    fn values(&self, positions: &[G::Position]) -> Result<Vec<f32>, Error> {
        let (network, mut values) = (self.burn(), Vec::new());
        for positions in positions.chunks(COMPARED) {
            let positions = unlabelled(positions);
            let batch = network_batch(&self.features, &positions, 1.0);
            let (rows, buckets, _) = batch.tensors(self.shape.buckets(), &self.device);
            values.extend(numbers(sigmoid(network.logits(rows, buckets)))?);
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
            .map_err(Error::with_prefix("the engine does not take the network"))
    }
}
