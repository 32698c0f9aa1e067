//! Fitting the n-tuple network: one sample after the other, each changing the weights it used and no others.
//!
//! Online updates are several times faster than optimisers with dense gradients and, unlike summed batches, do not
//! diverge on rows that many positions share. The next samples' rows are found by other threads; the updates
//! themselves run on one, in order, so that a seed gives the same weights on any machine.

use super::batches::{Pass, TupleBatch, tuple_batch, untargeted};
use super::{Learner, Passed, Run, TrainError};
use crate::config::Rule;
use crate::models::cross_entropy;
use crate::models::ntuple::{Accumulators, NTupleModel};
use burn::module::Module;
use burn::store::ModuleRecord;
use burn::tensor::activation::sigmoid;
use burn::tensor::{Bytes, DType, Device, Int, Tensor, TensorData};
use engine::eval::ntuple::{NTuple, TupleSet};
use engine::games::einstein::Position;
use engine::weights::Model;

/// Samples whose rows are found together: their rows fit the second-level cache.
const CHUNK: usize = 2048;

/// Samples a validation step.
const VALIDATION_BATCH: usize = 16_384;

/// Where Adagrad's sums of squares start: the square of a typical error, so that the first steps are no leaps.
const ADAGRAD_START: f32 = 0.1;

/// An n-tuple network and what its rule remembers of each weight.
pub(super) struct NTupleLearner {
    model: NTupleModel,
    accumulators: Accumulators,
    set: TupleSet,
    device: Device,
}

/// How many numbers a rule remembers of each weight, and what they start at.
fn memory(rule: Rule) -> (usize, f32) {
    match rule {
        Rule::Sgd => (0, 0.0),
        Rule::Adagrad => (1, ADAGRAD_START),
        Rule::TemporalCoherence => (2, 0.0),
    }
}

impl NTupleLearner {
    /// A network of zeros.
    pub(super) fn new(run: &Run<'_>, device: Device) -> Result<Self, TrainError> {
        let set = TupleSet::named(&run.config.ntuple.set)?;
        let (width, start) = memory(run.config.ntuple.rule);
        // Burn has no empty tensors: plain descent keeps one unused number in all.
        let rows = if width == 0 { 0 } else { set.rows() };
        let accumulators = Accumulators::new(rows, width.max(1), || start, &device);
        Ok(Self { model: NTupleModel::new(set.rows(), &device), accumulators, set, device })
    }

    /// One epoch with `WIDTH - 1` remembered numbers a weight and this rule.
    fn learn<const WIDTH: usize>(
        &mut self,
        run: &Run<'_>,
        epoch: usize,
        rule: impl Fn(&mut [f32; WIDTH], f32, f32),
    ) -> Result<Passed, TrainError> {
        let config = &run.config.ntuple;
        let (tuples, set) = (self.set.tuples(), &self.set);
        let pass = Pass::training(&run.samples.training, CHUNK, run.config.seed, epoch, run.config.training.symmetries);
        let mut memory = self.accumulators.values();
        let mut passed = Passed::default();
        let mut result = Ok(());
        self.model = self.model.clone().change(&self.device, |weights, bias| {
            // A weight and what is remembered of it lie side by side: one cache miss instead of two. The last is the bias.
            let mut cells = interleave::<WIDTH>(weights, *bias, &memory);
            result = pass.each(
                |samples| tuple_batch(set, samples),
                |number, batch| {
                    passed.learning_rate = run.learning_rate(config.learning_rate, epoch, number, pass.batches());
                    let rate = (passed.learning_rate / tuples as f64) as f32;
                    let loss = update(&mut cells, &batch, tuples, rate, &rule);
                    passed.add(run, epoch, number, batch.targets.len(), loss)
                },
            );
            separate(&cells, weights, bias, &mut memory);
        });
        result?;
        if WIDTH > 1 {
            let mut values = memory.into_iter();
            self.accumulators = Accumulators::new(self.set.rows(), WIDTH - 1, || values.next().unwrap_or_default(), &self.device);
        }
        Ok(passed)
    }
}

/// Weights, then the bias, each followed by its `WIDTH - 1` remembered numbers.
fn interleave<const WIDTH: usize>(weights: &[f32], bias: f32, memory: &[f32]) -> Vec<[f32; WIDTH]> {
    let all = weights.iter().chain(std::iter::once(&bias)).enumerate();
    all.map(|(row, &weight)| std::array::from_fn(|part| if part == 0 { weight } else { memory[row * (WIDTH - 1) + part - 1] })).collect()
}

/// The reverse of [`interleave`].
fn separate<const WIDTH: usize>(cells: &[[f32; WIDTH]], weights: &mut [f32], bias: &mut f32, memory: &mut [f32]) {
    for (cell, weight) in cells.iter().zip(weights.iter_mut().chain(std::iter::once(bias))) {
        *weight = cell[0];
    }
    for (row, cell) in cells.iter().enumerate().take(if WIDTH > 1 { cells.len() } else { 0 }) {
        memory[row * (WIDTH - 1)..][..WIDTH - 1].copy_from_slice(&cell[1..]);
    }
}

/// Learns the samples one by one; the sum of their losses, each before its own update. The derivative of the loss
/// by every weight in use is the error, value minus target.
fn update<const WIDTH: usize>(
    cells: &mut [[f32; WIDTH]],
    batch: &TupleBatch,
    tuples: usize,
    rate: f32,
    rule: &impl Fn(&mut [f32; WIDTH], f32, f32),
) -> f64 {
    let mut loss = 0.0f64;
    let bias = cells.len() - 1;
    for (rows, &target) in batch.rows.chunks_exact(tuples).zip(&batch.targets) {
        let mut sums = [cells[bias][0], 0.0, 0.0, 0.0];
        let (quads, rest) = rows.as_chunks::<4>();
        for quad in quads {
            for (sum, &row) in sums.iter_mut().zip(quad) {
                *sum += cells[row as usize][0];
            }
        }
        for (sum, &row) in sums.iter_mut().zip(rest) {
            *sum += cells[row as usize][0];
        }
        let logit = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        let small = (-logit.abs()).exp();
        let value = if logit >= 0.0 { 1.0 / (1.0 + small) } else { small / (1.0 + small) };
        loss += f64::from(logit.max(0.0) - target * logit + small.ln_1p());
        let error = value - target;
        for &row in rows {
            rule(&mut cells[row as usize], error, rate);
        }
        rule(&mut cells[bias], error, rate);
    }
    loss
}

/// Plain descent.
#[inline]
fn sgd(cell: &mut [f32; 1], error: f32, rate: f32) {
    cell[0] -= rate * error;
}

/// Divides by the root of the sum of squares.
#[inline]
fn adagrad(cell: &mut [f32; 2], error: f32, rate: f32) {
    cell[1] += error * error;
    cell[0] -= rate * error / cell[1].sqrt();
}

/// Multiplies by the share of the errors that did not cancel out; fully until there are any.
#[inline]
fn temporal_coherence(cell: &mut [f32; 3], error: f32, rate: f32) {
    let coherence = if cell[2] > 0.0 { cell[1].abs() / cell[2] } else { 1.0 };
    cell[0] -= rate * coherence * error;
    cell[1] += error;
    cell[2] += error.abs();
}

/// Rows and targets as tensors.
fn tensors(batch: &TupleBatch, tuples: usize, device: &Device) -> (Tensor<2, Int>, Tensor<2>) {
    let samples = batch.targets.len();
    let rows: Vec<i64> = batch.rows.iter().map(|&row| i64::from(row)).collect();
    let rows = Tensor::from_data(TensorData::new(rows, [samples, tuples]), (device, DType::I64));
    (rows, Tensor::from_data(TensorData::new(batch.targets.clone(), [samples, 1]), device))
}

impl Learner for NTupleLearner {
    fn epoch(&mut self, run: &Run<'_>, epoch: usize) -> Result<Passed, TrainError> {
        match run.config.ntuple.rule {
            Rule::Sgd => self.learn(run, epoch, sgd),
            Rule::Adagrad => self.learn(run, epoch, adagrad),
            Rule::TemporalCoherence => self.learn(run, epoch, temporal_coherence),
        }
    }

    fn validate(&self, run: &Run<'_>) -> Result<f64, TrainError> {
        let tuples = self.set.tuples();
        let mut sum = 0.0;
        Pass::validation(&run.samples.validation, VALIDATION_BATCH).each(
            |samples| tuple_batch(&self.set, samples),
            |_, batch| {
                let (rows, targets) = tensors(&batch, tuples, &self.device);
                let loss: f32 = cross_entropy(self.model.forward(rows), targets).try_into_scalar().map_err(TrainError::device)?;
                sum += f64::from(loss) * batch.targets.len() as f64;
                Ok::<(), TrainError>(())
            },
        )?;
        Ok(sum / run.samples.validation.len() as f64)
    }

    fn model(&self) -> Result<Vec<u8>, TrainError> {
        Ok(self.model.clone().into_record().into_bytes()?.to_vec())
    }

    fn optimiser(&self) -> Result<Vec<u8>, TrainError> {
        Ok(self.accumulators.clone().into_record().into_bytes()?.to_vec())
    }

    fn load_model(&mut self, record: Vec<u8>) -> Result<(), TrainError> {
        self.model = self.model.clone().try_load_record(ModuleRecord::from_bytes(Bytes::from_bytes_vec(record))?)?;
        Ok(())
    }

    fn load_optimiser(&mut self, record: Vec<u8>) -> Result<(), TrainError> {
        self.accumulators = self.accumulators.clone().try_load_record(ModuleRecord::from_bytes(Bytes::from_bytes_vec(record))?)?;
        Ok(())
    }

    fn values(&self, positions: &[Position]) -> Result<Vec<f32>, TrainError> {
        let batch = tuple_batch(&self.set, &untargeted(positions));
        let (rows, _) = tensors(&batch, self.set.tuples(), &self.device);
        Ok(sigmoid(self.model.forward(rows)).try_into_data().map_err(TrainError::device)?.iter::<f32>().collect())
    }

    fn export(&self) -> Result<Model, TrainError> {
        Ok(Model::NTuple(NTuple::new(self.set.clone(), self.model.weights(), self.model.bias())?))
    }
}

#[cfg(test)]
#[cfg(feature = "flex")]
mod tests;
