//! Batches, loss and parameters of the neural network in burn.

use super::result_loss::MIN_VALUE;
use crate::Error;
use crate::batch::NetworkBatch;
use alea_learned::network::ResultPayoffs;
use burn::{
    module::{Param, ParamId},
    tensor::{
        DType, Device, Int, Tensor, TensorData,
        activation::{log_sigmoid, log_softmax},
    },
};

/// Mean of the cross-entropies times loss weights, in nats. Tensors are `[batch, 1]`.
pub(crate) fn cross_entropy(logits: Tensor<2>, [targets, weights]: [Tensor<2>; 2]) -> Tensor<1> {
    (((targets.neg() + 1.0) * logits.clone() - log_sigmoid(logits)) * weights).mean()
}

pub(crate) struct Targets {
    /// Target values and loss weights, `[batch, 1]`.
    pub(crate) values: [Tensor<2>; 2],
    pub(crate) results: Option<Tensor<2>>,
}

pub(crate) fn mean_loss(
    logits: Tensor<2>,
    targets: Targets,
    results: Option<&ResultPayoffs>,
) -> Tensor<1> {
    let (Some(results), Some(probabilities)) = (results, targets.results) else {
        return cross_entropy(logits, targets.values);
    };
    let [targets, weights] = targets.values;
    let payoffs: Tensor<1> = Tensor::from_data(results.payoffs(), &logits.device());
    let log_softmax = log_softmax(logits, 1);
    let values = (log_softmax.clone().exp() * payoffs.unsqueeze())
        .sum_dim(1)
        .clamp(MIN_VALUE, 1.0 - MIN_VALUE);
    let value_weights = probabilities.clone().sum_dim(1).neg() + 1.0;
    let log_values = targets.clone() * values.clone().log();
    let value_losses = log_values + (targets.neg() + 1.0) * (values.neg() + 1.0).log();
    let result_losses = (probabilities * log_softmax).sum_dim(1);
    ((result_losses + value_weights * value_losses) * weights)
        .mean()
        .neg()
}

/// Maximum elements of one GPU operation: beyond 65,535 workgroups of 64, burn 0.22 on wgpu gives
/// wrong results without an error.
const MAX_GPU_ELEMENTS: usize = 65_535 * 64;

/// Sums, for each sample, the rows of `weights` (`[rows, width]`) given by `indices` (`[batch,
/// k]`).
pub(crate) fn embedding_bag(weights: Tensor<2>, indices: Tensor<2, Int>) -> Tensor<2> {
    let [_, per_sample] = indices.dims();
    let [_, width] = weights.dims();
    let chunk = (MAX_GPU_ELEMENTS / (per_sample * width)).max(1);
    let sums = indices.split(chunk, 0).into_iter().map(|indices| {
        let [samples, _] = indices.dims();
        let rows = weights.clone().select(0, indices.flatten(0, 1));
        let rows = rows.reshape([samples, per_sample, width]);
        rows.sum_dim(1).reshape([samples, width])
    });
    Tensor::cat(sums.collect(), 0)
}

/// Tensors of a batch: active rows, one-hot buckets, and targets.
pub(crate) fn batch_tensors(
    batch: &NetworkBatch,
    buckets: usize,
    device: &Device,
) -> (Tensor<2, Int>, Option<Tensor<2>>, Targets) {
    let samples = batch.targets.len();
    let floats = |values: Vec<f32>| {
        let shape = [samples, values.len() / samples];
        Tensor::from_data(TensorData::new(values, shape), device)
    };
    let rows: Vec<i32> = batch.rows.iter().map(|&row| row.into()).collect();
    let rows = TensorData::new(rows, [samples, batch.rows.len() / samples]);
    let mut mask = vec![0.0; batch.buckets.len() * buckets];
    for (row, &bucket) in mask.chunks_exact_mut(buckets).zip(&batch.buckets) {
        row[usize::from(bucket)] = 1.0;
    }
    (
        Tensor::from_data(rows, (device, DType::I32)),
        (!mask.is_empty()).then(|| floats(mask)),
        Targets {
            values: [
                floats(batch.targets.clone()),
                match batch.weights.is_empty() {
                    true => floats(vec![1.0; samples]),
                    false => floats(batch.weights.clone()),
                },
            ],
            results: (!batch.results.is_empty()).then(|| floats(batch.results.clone())),
        },
    )
}

pub(crate) fn tensor_values<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>, Error> {
    let data = tensor
        .try_into_data()
        .map_err(Error::with_prefix("the training device failed"))?;
    Ok(data.iter::<f32>().collect())
}

pub(super) fn parameter<const D: usize>(
    id: u64,
    values: &[f32],
    shape: [usize; D],
    device: &Device,
) -> Param<Tensor<D>> {
    let values = TensorData::new(values.to_vec(), shape);
    let mut parameter = Param::from_tensor(Tensor::from_data(values, device));
    parameter.id = ParamId::from(id);
    parameter
}

pub(super) fn values<const D: usize>(parameter: &Param<Tensor<D>>) -> Vec<f32> {
    parameter.val().into_data().iter::<f32>().collect()
}

#[cfg(test)]
#[cfg(feature = "flex")]
mod tests {
    use super::*;

    #[test]
    fn a_bag_is_the_sum_of_its_rows() {
        let device = Device::flex();
        let weights: Tensor<2> =
            Tensor::from_data([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]], &device);
        let indices: Tensor<2, Int> = Tensor::from_data([[0, 2], [1, 1]], &device);
        let sums = tensor_values(embedding_bag(weights, indices)).unwrap();
        assert_eq!(sums, [101.0, 202.0, 20.0, 40.0]);
    }

    #[test]
    fn cross_entropy_is_that_of_the_logistic() {
        let device = Device::flex();
        let logits: Tensor<2> = Tensor::from_data([[0.0], [2.0], [-50.0]], &device);
        let targets: Tensor<2> = Tensor::from_data([[0.3], [0.9], [1.0]], &device);
        let weights: Tensor<2> = Tensor::from_data([[1.0], [0.5], [0.1]], &device);
        let p = 1.0 / (1.0 + (-2.0f64).exp());
        let expected = (2.0f64.ln() - 0.5 * (0.9 * p.ln() + 0.1 * (1.0 - p).ln()) + 5.0) / 3.0;
        let found: f32 = cross_entropy(logits, [targets, weights]).into_scalar();
        assert!(
            (f64::from(found) - expected).abs() < 1e-5,
            "{found} {expected}"
        );
    }
}
