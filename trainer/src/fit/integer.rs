//! Fitting EinStein's network in integers: Adam on batches as for the network, through a forward pass
//! that rounds as the engine does.

use super::{Family, FitReport, Inputs, Learner, Run, TrainError, train};
use crate::batch::{TASK, untargeted};
use crate::config::ConfigError;
use crate::dataset::Samples;
use crate::export::Answers;
use crate::models::cross_entropy;
use crate::models::heads::{Losses, Outputs};
use crate::models::integer::IntegerModel;
use crate::sample::Sample;
use burn::grad_clipping::GradientClippingConfig;
use burn::module::Module;
use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer};
use burn::store::ModuleRecord;
use burn::tensor::activation::sigmoid;
use burn::tensor::{Bytes, DType, Device, Int, Tensor, TensorData};
use engine::core::random::{RandomStream, SeedSpace, derive_seed};
pub(super) use engine::games::einstein::learned::integer_network::IntegerError;
use engine::games::einstein::learned::integer_network::inputs::SideGroups;
use engine::games::einstein::learned::integer_network::{IntegerNetwork, SHAPES};
use engine::games::einstein::learned::weights::Model;
use engine::games::einstein::{Position, Standard};
use engine::learned::inputs::Learnable;
use rayon::prelude::*;
use std::any::Any;
use std::path::Path;

/// Stream of the training seed space that initial weights come from.
const WEIGHTS: u64 = 4;

/// Positions that are valued at a time.
const VALUED: usize = 8192;

/// Fits the one family that is written for one game.
pub(super) fn fit<G: Learnable>(
    run: &Run<'_, G>,
    device: Device,
    provenance: &str,
    directory: &Path,
) -> Result<FitReport, TrainError> {
    let samples = (run.samples as &dyn Any).downcast_ref::<Samples<Standard>>();
    let run = Run {
        config: run.config,
        samples: samples.ok_or(TrainError::NoIntegerNetwork(G::NAME))?,
        progress: run.progress,
    };
    let learner = IntegerLearner::new(&run, device)?;
    train(&run, Family::Integer, learner, provenance, directory)
}

/// A batch for the integer network.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct IntegerBatch {
    /// `[batch, active]`.
    rows: Vec<i32>,
    /// Win probabilities, `[batch]`.
    targets: Vec<f32>,
}

/// Finds the rows that are on, and mixes targets with this share of the search values.
fn integer_batch(
    groups: SideGroups,
    samples: &[Sample<Position>],
    search_share: f32,
) -> IntegerBatch {
    let active = 2 * groups.active();
    let mut rows = vec![0i32; samples.len() * active];
    samples
        .par_chunks(TASK)
        .zip(rows.par_chunks_mut(TASK * active))
        .for_each(|(samples, rows)| {
            let mut found = vec![0u16; active];
            for (sample, rows) in samples.iter().zip(rows.chunks_exact_mut(active)) {
                groups.fill(&sample.position, &mut found);
                for (row, found) in rows.iter_mut().zip(&found) {
                    *row = i32::from(*found);
                }
            }
        });
    IntegerBatch {
        rows,
        targets: samples
            .iter()
            .map(|sample| sample.target(search_share))
            .collect(),
    }
}

/// Makes the network's batches.
#[derive(Clone, Copy)]
pub(super) struct IntegerInputs(SideGroups);

impl Inputs<Position> for IntegerInputs {
    type Batch = IntegerBatch;

    fn batch(&self, samples: &[Sample<Position>], search_share: f32) -> IntegerBatch {
        integer_batch(self.0, samples, search_share)
    }
}

/// A network and its optimiser.
pub(super) struct IntegerLearner {
    model: IntegerModel,
    optimiser: ModuleOptimizer,
    inputs: IntegerInputs,
    batch: usize,
    learning_rate: f64,
    /// Without gradients; the model lives on the same one with gradients.
    device: Device,
}

impl IntegerLearner {
    /// A network with the initial weights of the configuration's seed.
    pub(super) fn new(run: &Run<'_, Standard>, device: Device) -> Result<Self, TrainError> {
        let config = &run.config.integer;
        if !SHAPES.contains(&config.hidden) {
            return Err(ConfigError::Range {
                key: "integer.hidden",
                value: format!("{:?}", config.hidden),
                range: "[64, 16], [64, 32], [128, 32] or [256, 32]",
            }
            .into());
        }
        let groups = match &config.inputs {
            Some(names) => {
                SideGroups::from_list(names).map_err(ConfigError::names("integer.inputs"))?
            }
            None => SideGroups::ALL,
        };
        let mut random = RandomStream::new(derive_seed(
            run.config.seed,
            SeedSpace::Training,
            &[WEIGHTS],
        ));
        let model = IntegerModel::new(
            groups,
            config.hidden,
            &mut random,
            &device.clone().autodiff(),
        );
        let clipping = GradientClippingConfig::Norm(config.gradient_norm);
        let optimiser = AdamConfig::new()
            .with_epsilon(1e-8)
            .with_grad_clipping(Some(clipping))
            .init();
        let (batch, learning_rate) = (config.batch, config.learning_rate);
        Ok(Self {
            model,
            optimiser,
            inputs: IntegerInputs(groups),
            batch,
            learning_rate,
            device,
        })
    }
}

/// Rows and targets as tensors.
fn tensors(batch: IntegerBatch, device: &Device) -> (Tensor<2, Int>, Tensor<2>) {
    let samples = batch.targets.len();
    let active = batch.rows.len() / samples.max(1);
    let rows = Tensor::from_data(
        TensorData::new(batch.rows, [samples, active]),
        (device, DType::I32),
    );
    (
        rows,
        Tensor::from_data(TensorData::new(batch.targets, [samples, 1]), device),
    )
}

impl Learner<Standard> for IntegerLearner {
    type Inputs = IntegerInputs;

    fn inputs(&self) -> IntegerInputs {
        self.inputs
    }

    fn batch_size(&self) -> usize {
        self.batch
    }

    fn learning_rate(&self) -> f64 {
        self.learning_rate
    }

    fn learn(&mut self, batch: IntegerBatch, learning_rate: f64) -> Result<Losses, TrainError> {
        let samples = batch.targets.len();
        let (rows, targets) = tensors(batch, &self.device.clone().autodiff());
        let loss = cross_entropy(self.model.forward(rows), targets);
        let value: f32 = loss
            .clone()
            .inner()
            .try_into_scalar()
            .map_err(TrainError::device)?;
        let gradients = GradientsParams::from_grads(loss.backward(), &self.model);
        self.model = self
            .optimiser
            .step(learning_rate, self.model.clone(), gradients);
        self.model.hold(self.inputs.0);
        Ok((f64::from(value) * samples as f64).into())
    }

    fn outputs(&self, batch: IntegerBatch) -> Result<Outputs, TrainError> {
        // On the plain device: with gradients each forward pass would leave its graph behind.
        let (rows, _) = tensors(batch, &self.device);
        let logits = self
            .model
            .valid()
            .forward(rows)
            .try_into_data()
            .map_err(TrainError::device)?;
        Ok(logits.iter::<f32>().collect::<Vec<_>>().into())
    }

    fn model(&self) -> Result<Vec<u8>, TrainError> {
        Ok(self.model.clone().into_record().into_bytes()?.to_vec())
    }

    fn optimiser(&self) -> Result<Vec<u8>, TrainError> {
        Ok(self.optimiser.into_bytes()?.to_vec())
    }

    fn load_model(&mut self, record: Vec<u8>) -> Result<(), TrainError> {
        self.model = self
            .model
            .clone()
            .try_load_record(ModuleRecord::from_bytes(Bytes::from_bytes_vec(record))?)?;
        Ok(())
    }

    fn load_optimiser(&mut self, record: Vec<u8>) -> Result<(), TrainError> {
        self.optimiser = self
            .optimiser
            .clone()
            .from_bytes(Bytes::from_bytes_vec(record))?;
        Ok(())
    }

    fn answers(&self, positions: &[Position]) -> Result<Answers, TrainError> {
        let model = self.model.valid();
        let mut values = Vec::with_capacity(positions.len());
        for positions in positions.chunks(VALUED) {
            let (rows, _) = tensors(self.inputs.batch(&untargeted(positions), 1.0), &self.device);
            values.extend(
                sigmoid(model.forward(rows))
                    .try_into_data()
                    .map_err(TrainError::device)?
                    .iter::<f32>(),
            );
        }
        Ok(values.into())
    }

    fn export(&self) -> Result<Model, TrainError> {
        Ok(Model::Integer(IntegerNetwork::new(
            self.model.weights(self.inputs.0).quantise()?,
        )?))
    }
}
