//! Fitting the integer network: Adam on batches as for the network, through a forward pass that rounds as the engine does.

use super::batches::{IntegerBatch, Pass, integer_batch, untargeted};
use super::{Learner, Passed, Run, TrainError};
use crate::models::cross_entropy;
use crate::models::integer::IntegerModel;
use burn::grad_clipping::GradientClippingConfig;
use burn::module::Module;
use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer};
use burn::store::ModuleRecord;
use burn::tensor::activation::sigmoid;
use burn::tensor::{Bytes, DType, Device, Int, Tensor, TensorData};
use engine::eval::integer_network::IntegerNetwork;
use engine::eval::integer_network::inputs::SideGroups;
use engine::games::einstein::Position;
use engine::random::{RandomStream, SeedSpace, derive_seed};
use engine::weights::Model;

/// Stream of the training seed space that initial weights come from.
const WEIGHTS: u64 = 4;

/// Positions that are valued at a time.
const VALUED: usize = 8192;

/// A network and its optimiser.
pub(super) struct IntegerLearner {
    model: IntegerModel,
    optimiser: ModuleOptimizer,
    groups: SideGroups,
    /// Without gradients; the model lives on the same one with gradients.
    device: Device,
}

impl IntegerLearner {
    /// A network with the initial weights of the configuration's seed.
    pub(super) fn new(run: &Run<'_>, device: Device) -> Self {
        let config = &run.config.integer;
        let mut random = RandomStream::new(derive_seed(run.config.seed, SeedSpace::Training, &[WEIGHTS]));
        let model = IntegerModel::new(config.inputs, config.hidden, &mut random, &device.clone().autodiff());
        let clipping = GradientClippingConfig::Norm(config.gradient_norm);
        let optimiser = AdamConfig::new().with_epsilon(1e-8).with_grad_clipping(Some(clipping)).init();
        Self { model, optimiser, groups: config.inputs, device }
    }
}

/// Rows and targets as tensors.
fn tensors(batch: IntegerBatch, device: &Device) -> (Tensor<2, Int>, Tensor<2>) {
    let samples = batch.targets.len();
    let active = batch.rows.len() / samples.max(1);
    let rows = Tensor::from_data(TensorData::new(batch.rows, [samples, active]), (device, DType::I32));
    (rows, Tensor::from_data(TensorData::new(batch.targets, [samples, 1]), device))
}

impl Learner for IntegerLearner {
    fn epoch(&mut self, run: &Run<'_>, epoch: usize) -> Result<Passed, TrainError> {
        let config = &run.config.integer;
        let pass = Pass::training(&run.samples.training, config.batch, run.config.seed, epoch, run.config.training.symmetries);
        let (groups, device) = (self.groups, self.device.clone().autodiff());
        let mut passed = Passed::default();
        pass.each(
            |samples| integer_batch(groups, samples),
            |number, batch| {
                let samples = batch.targets.len();
                let (rows, targets) = tensors(batch, &device);
                let loss = cross_entropy(self.model.forward(rows), targets);
                let value: f32 = loss.clone().inner().try_into_scalar().map_err(TrainError::device)?;
                passed.add(run, epoch, number, samples, f64::from(value) * samples as f64)?;
                let gradients = GradientsParams::from_grads(loss.backward(), &self.model);
                passed.learning_rate = run.learning_rate(config.learning_rate, epoch, number, pass.batches());
                self.model = self.optimiser.step(passed.learning_rate, self.model.clone(), gradients);
                Ok::<(), TrainError>(())
            },
        )?;
        Ok(passed)
    }

    fn validate(&self, run: &Run<'_>) -> Result<f64, TrainError> {
        // On the plain device: with gradients each forward pass would leave its graph behind.
        let model = self.model.valid();
        let mut sum = 0.0;
        Pass::validation(&run.samples.validation, run.config.integer.batch).each(
            |samples| integer_batch(self.groups, samples),
            |_, batch| {
                let samples = batch.targets.len();
                let (rows, targets) = tensors(batch, &self.device);
                let loss: f32 = cross_entropy(model.forward(rows), targets).try_into_scalar().map_err(TrainError::device)?;
                sum += f64::from(loss) * samples as f64;
                Ok::<(), TrainError>(())
            },
        )?;
        Ok(sum / run.samples.validation.len() as f64)
    }

    fn model(&self) -> Result<Vec<u8>, TrainError> {
        Ok(self.model.clone().into_record().into_bytes()?.to_vec())
    }

    fn optimiser(&self) -> Result<Vec<u8>, TrainError> {
        Ok(self.optimiser.into_bytes()?.to_vec())
    }

    fn load_model(&mut self, record: Vec<u8>) -> Result<(), TrainError> {
        self.model = self.model.clone().try_load_record(ModuleRecord::from_bytes(Bytes::from_bytes_vec(record))?)?;
        Ok(())
    }

    fn load_optimiser(&mut self, record: Vec<u8>) -> Result<(), TrainError> {
        self.optimiser = self.optimiser.clone().from_bytes(Bytes::from_bytes_vec(record))?;
        Ok(())
    }

    fn values(&self, positions: &[Position]) -> Result<Vec<f32>, TrainError> {
        let model = self.model.valid();
        let mut values = Vec::with_capacity(positions.len());
        for positions in positions.chunks(VALUED) {
            let (rows, _) = tensors(integer_batch(self.groups, &untargeted(positions)), &self.device);
            values.extend(sigmoid(model.forward(rows)).try_into_data().map_err(TrainError::device)?.iter::<f32>());
        }
        Ok(values)
    }

    fn export(&self) -> Result<Model, TrainError> {
        Ok(Model::Integer(IntegerNetwork::new(self.model.weights(self.groups).quantise()?)?))
    }
}
