//! Fitting the network: Adam on batches, gradients clipped, the learning rate falling by schedule.

use super::batches::{NetworkBatch, Pass, network_batch, untargeted};
use super::{Learner, Passed, Run, TrainError};
use crate::models::cross_entropy;
use crate::models::network::NetworkModel;
use burn::grad_clipping::GradientClippingConfig;
use burn::module::Module;
use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer};
use burn::store::ModuleRecord;
use burn::tensor::activation::sigmoid;
use burn::tensor::{Bytes, DType, Device, Int, Tensor, TensorData};
use engine::eval::features::{ACTIVE, DenseFeatures};
use engine::eval::network::Network;
use engine::games::einstein::{Position, Standard};
use engine::random::{RandomStream, SeedSpace, derive_seed};
use engine::weights::Model;

/// Stream of the training seed space that initial weights come from.
const WEIGHTS: u64 = 3;

/// A network, its optimiser, and what its inputs need.
pub(super) struct NetworkLearner {
    model: NetworkModel,
    optimiser: ModuleOptimizer,
    features: DenseFeatures,
    game: Standard,
    /// Without gradients; the model lives on the same one with gradients.
    device: Device,
}

impl NetworkLearner {
    /// A network with the initial weights of the configuration's seed.
    pub(super) fn new(run: &Run<'_>, device: Device) -> Self {
        let config = &run.config.network;
        let game = Standard::default();
        let features = DenseFeatures::new(&game, config.features);
        let mut random = RandomStream::new(derive_seed(run.config.seed, SeedSpace::Training, &[WEIGHTS]));
        let model = NetworkModel::new(features.len(), config.hidden, &mut random, &device.clone().autodiff());
        let clipping = GradientClippingConfig::Norm(config.gradient_norm);
        let optimiser = AdamConfig::new().with_epsilon(1e-8).with_grad_clipping(Some(clipping)).init();
        Self { model, optimiser, features, game, device }
    }
}

/// Rows, dense inputs (if there are any) and targets as tensors.
fn tensors(batch: NetworkBatch, dense: usize, device: &Device) -> (Tensor<2, Int>, Option<Tensor<2>>, Tensor<2>) {
    let samples = batch.targets.len();
    let rows = Tensor::from_data(TensorData::new(batch.rows, [samples, ACTIVE]), (device, DType::I32));
    let features = (dense > 0).then(|| Tensor::from_data(TensorData::new(batch.dense, [samples, dense]), device));
    (rows, features, Tensor::from_data(TensorData::new(batch.targets, [samples, 1]), device))
}

impl Learner for NetworkLearner {
    fn epoch(&mut self, run: &Run<'_>, epoch: usize) -> Result<Passed, TrainError> {
        let config = &run.config.network;
        let training = &run.samples.training;
        let pass = Pass::training(training, config.batch, run.config.seed, epoch, run.config.training.symmetries);
        let device = self.device.clone().autodiff();
        let mut passed = Passed::default();
        pass.each(
            |samples| network_batch(&self.game, &self.features, samples),
            |number, batch| {
                let samples = batch.targets.len();
                let (rows, features, targets) = tensors(batch, self.features.len(), &device);
                let loss = cross_entropy(self.model.forward(rows, features), targets);
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
        Pass::validation(&run.samples.validation, run.config.network.batch).each(
            |samples| network_batch(&self.game, &self.features, samples),
            |_, batch| {
                let samples = batch.targets.len();
                let (rows, features, targets) = tensors(batch, self.features.len(), &self.device);
                let loss: f32 = cross_entropy(model.forward(rows, features), targets).try_into_scalar().map_err(TrainError::device)?;
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
        let batch = network_batch(&self.game, &self.features, &untargeted(positions));
        let (rows, features, _) = tensors(batch, self.features.len(), &self.device);
        let logits = self.model.valid().forward(rows, features);
        Ok(sigmoid(logits).try_into_data().map_err(TrainError::device)?.iter::<f32>().collect())
    }

    fn export(&self) -> Result<Model, TrainError> {
        Ok(Model::Network(Network::new(self.model.weights(self.features.groups()))?))
    }
}
