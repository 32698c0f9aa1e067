//! Training step of the neural network in burn, for GPUs and as reference of the CPU step.

use super::network::{StepLimits, TrainableNetwork};
use crate::Error;
use crate::batch::NetworkBatch;
use crate::models::{
    burn_network::NetworkModel,
    burn_operations::{batch_tensors, mean_loss, tensor_values},
    cpu::{Shape, weight_ranges::clamp_to_range},
};
use burn::{
    grad_clipping::GradientClippingConfig,
    module::Module,
    optim::{AdamConfig, GradientsParams, ModuleOptimizer},
    tensor::{Bytes, Device},
};

pub(super) struct BurnNetwork {
    shape: Shape,
    device: Device,
    model: NetworkModel,
    optimizer: ModuleOptimizer,
}

impl BurnNetwork {
    pub(super) fn new(shape: Shape, weights: &[f32], gradient_norm: f32, device: Device) -> Self {
        let device = device.autodiff();
        let clipping = GradientClippingConfig::Norm(gradient_norm);
        Self {
            shape,
            model: NetworkModel::from_weights(shape, weights, &device),
            optimizer: AdamConfig::new()
                .with_epsilon(1e-8)
                .with_grad_clipping(Some(clipping))
                .init(),
            device,
        }
    }
}

impl TrainableNetwork for BurnNetwork {
    fn train_step(
        &mut self,
        batch: &NetworkBatch,
        learning_rate: f64,
        limits: &StepLimits,
    ) -> Result<f64, Error> {
        let (rows, buckets, targets) = batch_tensors(batch, self.shape.buckets(), &self.device);
        let logits = self.model.logits(rows, buckets);
        let loss = mean_loss(logits, targets, self.shape.results());
        let sum = f64::from(tensor_values(loss.clone())?[0]) * batch.targets.len() as f64;
        let gradients = GradientsParams::from_grads(loss.backward(), &self.model);
        self.model = self
            .optimizer
            .step(learning_rate, self.model.clone(), gradients);
        let mut weights = self.model.weights();
        clamp_to_range(self.shape, limits.one_hot_slots.as_deref(), &mut weights);
        self.model = NetworkModel::from_weights(self.shape, &weights, &self.device);
        Ok(sum)
    }

    fn logits(&self, batch: &NetworkBatch) -> Result<Vec<f32>, Error> {
        // Without automatic differentiation, which would keep the graph of each forward pass.
        let (model, device) = (self.model.valid(), self.device.clone().inner());
        let (rows, buckets, _) = batch_tensors(batch, self.shape.buckets(), &device);
        tensor_values(model.logits(rows, buckets))
    }

    fn weights(&self) -> Vec<f32> {
        self.model.weights()
    }

    fn optimizer_state(&self) -> Result<Vec<u8>, Error> {
        let bytes = self.optimizer.into_bytes();
        Ok(bytes.map_err(restore_error)?.to_vec())
    }

    fn restore(&mut self, weights: Vec<f32>, optimizer: Option<Vec<u8>>) -> Result<(), Error> {
        self.model = NetworkModel::from_weights(self.shape, &weights, &self.device);
        if let Some(bytes) = optimizer {
            let bytes = Bytes::from_bytes_vec(bytes);
            let optimizer = self.optimizer.clone().from_bytes(bytes);
            self.optimizer = optimizer.map_err(restore_error)?;
        }
        Ok(())
    }
}

fn restore_error(error: impl std::fmt::Display) -> Error {
    Error::new(format!(
        "the checkpoint does not fit the model: {error}; remove it to train from the start"
    ))
}
