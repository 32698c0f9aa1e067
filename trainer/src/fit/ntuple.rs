//! Fitting the n-tuple network: one sample after the other, each changing the weights it used and no others.
//!
//! Online updates are several times faster than optimisers with dense gradients and, unlike summed batches, do not
//! diverge on rows that many positions share. The next samples' rows are found by other threads; the updates
//! themselves run on one, in order, so that a seed gives the same weights on any machine.

use super::{Inputs, Learner, Run, TrainError};
use crate::batch::{TupleBatch, tuple_batch, untargeted};
use crate::config::Rule;
use crate::models::ntuple::{Accumulators, NTupleModel};
use crate::sample::Sample;
use burn::module::Module;
use burn::store::ModuleRecord;
use burn::tensor::activation::sigmoid;
use burn::tensor::{Bytes, DType, Device, Int, Tensor, TensorData};
use engine::eval::calibration::exponential;
use engine::eval::ntuple::{NTuple, TupleSet};
use engine::games::einstein::Position;
use engine::weights::Model;

/// Samples whose rows are found together: their rows fit the second-level cache.
const CHUNK: usize = 2048;

/// Rows that are changed together.
const LANES: usize = 8;

/// Where Adagrad's sums of squares start: the square of a typical error, so that the first steps are no leaps.
const ADAGRAD_START: f32 = 0.1;

/// Weights, then the bias, each with what the rule remembers of it beside it: one cache miss instead of two.
enum Cells {
    Sgd(Vec<[f32; 1]>),
    Adagrad(Vec<[f32; 2]>),
    TemporalCoherence(Vec<[f32; 3]>),
}

impl Cells {
    fn new(rule: Rule, weights: &[f32], bias: f32, memory: &[f32]) -> Self {
        match rule {
            Rule::Sgd => Self::Sgd(interleave(weights, bias, memory)),
            Rule::Adagrad => Self::Adagrad(interleave(weights, bias, memory)),
            Rule::TemporalCoherence => Self::TemporalCoherence(interleave(weights, bias, memory)),
        }
    }

    /// Weights, bias, and the remembered numbers of all, row by row.
    fn apart(&self) -> (Vec<f32>, f32, Vec<f32>) {
        match self {
            Self::Sgd(cells) => separate(cells),
            Self::Adagrad(cells) => separate(cells),
            Self::TemporalCoherence(cells) => separate(cells),
        }
    }
}

/// An n-tuple network and what its rule remembers of each weight.
pub(super) struct NTupleLearner {
    cells: Cells,
    set: TupleSet,
    rule: Rule,
    learning_rate: f64,
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
    /// A network of zeros: every position is even.
    pub(super) fn new(run: &Run<'_>, device: Device) -> Result<Self, TrainError> {
        let config = &run.config.ntuple;
        let set = TupleSet::named(&config.set)?;
        let (width, start) = memory(config.rule);
        let cells = Cells::new(config.rule, &vec![0.0; set.rows()], 0.0, &vec![start; (set.rows() + 1) * width]);
        Ok(Self { cells, set, rule: config.rule, learning_rate: config.learning_rate, device })
    }

    /// The network as burn has it.
    fn burn(&self) -> NTupleModel {
        let (weights, bias, _) = self.cells.apart();
        NTupleModel::new(&weights, bias, &self.device)
    }

    /// What the rule remembers, as a module of burn. Burn has no empty tensors: plain descent keeps one unused number.
    fn accumulators(&self) -> Accumulators {
        let (.., memory) = self.cells.apart();
        let (width, _) = self::memory(self.rule);
        let rows = if width == 0 { 0 } else { self.set.rows() };
        let mut numbers = memory.into_iter();
        Accumulators::new(rows, width.max(1), || numbers.next().unwrap_or_default(), &self.device)
    }
}

/// Weights, then the bias, each followed by its `WIDTH - 1` remembered numbers.
fn interleave<const WIDTH: usize>(weights: &[f32], bias: f32, memory: &[f32]) -> Vec<[f32; WIDTH]> {
    let all = weights.iter().chain(std::iter::once(&bias)).enumerate();
    all.map(|(row, &weight)| std::array::from_fn(|part| if part == 0 { weight } else { memory[row * (WIDTH - 1) + part - 1] })).collect()
}

/// The reverse of [`interleave`].
fn separate<const WIDTH: usize>(cells: &[[f32; WIDTH]]) -> (Vec<f32>, f32, Vec<f32>) {
    let mut weights: Vec<f32> = cells.iter().map(|cell| cell[0]).collect();
    let bias = weights.pop().unwrap_or_default();
    (weights, bias, cells.iter().flat_map(|cell| &cell[1..]).copied().collect())
}

/// The logit of a position with these rows: the bias and four partial sums, as the engine adds them up.
#[inline]
fn logit<const WIDTH: usize>(cells: &[[f32; WIDTH]], rows: &[u32]) -> f32 {
    let mut sums = [0.0f32; 4];
    let (quads, rest) = rows.as_chunks::<4>();
    for quad in quads {
        for (sum, &row) in sums.iter_mut().zip(quad) {
            *sum += cells[row as usize][0];
        }
    }
    for (sum, &row) in sums.iter_mut().zip(rest) {
        *sum += cells[row as usize][0];
    }
    cells[cells.len() - 1][0] + ((sums[0] + sums[1]) + (sums[2] + sums[3]))
}

/// Learns the samples one by one; the sum of their losses, each before its own update. The derivative of the loss
/// by every weight in use is the error, value minus target. The rows of a sample differ: each tuple has its own table.
fn update<const WIDTH: usize>(
    cells: &mut [[f32; WIDTH]],
    batch: &TupleBatch,
    tuples: usize,
    rate: f32,
    rule: impl Fn([f32; WIDTH], f32, f32) -> [f32; WIDTH],
) -> f64 {
    let mut loss = 0.0f64;
    // Σ ln(1 + e) is the logarithm of the product, which 256 factors of at most 2 keep finite.
    let mut product = 1.0f64;
    let bias = cells.len() - 1;
    for (number, (rows, &target)) in batch.rows.chunks_exact(tuples).zip(&batch.targets).enumerate() {
        let logit = logit(cells, rows);
        let small = exponential(-logit.abs());
        let value = (if logit >= 0.0 { 1.0 } else { small }) / (1.0 + small);
        loss += f64::from(logit.max(0.0) - target * logit);
        product *= 1.0 + f64::from(small);
        if number % 256 == 255 {
            loss += product.ln();
            product = 1.0;
        }
        let error = value - target;
        let (groups, rest) = rows.as_chunks::<LANES>();
        for group in groups {
            change(cells, group, |cell| rule(cell, error, rate));
        }
        for &row in rest {
            cells[row as usize] = rule(cells[row as usize], error, rate);
        }
        cells[bias] = rule(cells[bias], error, rate);
    }
    loss + product.ln()
}

/// Changes the cells of several rows, which must differ, as if one after the other: roots and quotients of all at once.
#[inline(always)]
fn change<const WIDTH: usize>(cells: &mut [[f32; WIDTH]], rows: &[u32; LANES], rule: impl Fn([f32; WIDTH]) -> [f32; WIDTH]) {
    let mut parts = [[0.0f32; LANES]; WIDTH];
    for (lane, &row) in rows.iter().enumerate() {
        let cell = &cells[row as usize];
        for part in 0..WIDTH {
            parts[part][lane] = cell[part];
        }
    }
    for lane in 0..LANES {
        let mut cell = [0.0f32; WIDTH];
        for part in 0..WIDTH {
            cell[part] = parts[part][lane];
        }
        let changed = rule(cell);
        for part in 0..WIDTH {
            parts[part][lane] = changed[part];
        }
    }
    for (lane, &row) in rows.iter().enumerate() {
        let cell = &mut cells[row as usize];
        for part in 0..WIDTH {
            cell[part] = parts[part][lane];
        }
    }
}

/// Plain descent.
#[inline(always)]
fn sgd([weight]: [f32; 1], error: f32, rate: f32) -> [f32; 1] {
    [weight - rate * error]
}

/// Divides by the root of the sum of squares.
#[inline(always)]
fn adagrad([weight, squares]: [f32; 2], error: f32, rate: f32) -> [f32; 2] {
    let squares = squares + error * error;
    [weight - rate * error / squares.sqrt(), squares]
}

/// Multiplies by the share of the errors that did not cancel out; fully until there are any.
#[inline(always)]
fn temporal_coherence([weight, sum, size]: [f32; 3], error: f32, rate: f32) -> [f32; 3] {
    let coherence = if size > 0.0 { sum.abs() / size } else { 1.0 };
    [weight - rate * coherence * error, sum + error, size + error.abs()]
}

/// Rows as a tensor.
fn row_tensor(batch: &TupleBatch, tuples: usize, device: &Device) -> Tensor<2, Int> {
    let rows: Vec<i64> = batch.rows.iter().map(|&row| i64::from(row)).collect();
    Tensor::from_data(TensorData::new(rows, [batch.targets.len(), tuples]), (device, DType::I64))
}

impl Inputs for TupleSet {
    type Batch = TupleBatch;

    fn batch(&self, samples: &[Sample]) -> TupleBatch {
        tuple_batch(self, samples)
    }
}

impl Learner for NTupleLearner {
    type Inputs = TupleSet;

    fn inputs(&self) -> TupleSet {
        self.set.clone()
    }

    fn batch_size(&self) -> usize {
        CHUNK
    }

    fn learning_rate(&self) -> f64 {
        self.learning_rate
    }

    fn learn(&mut self, batch: TupleBatch, learning_rate: f64) -> Result<f64, TrainError> {
        let tuples = self.set.tuples();
        let rate = (learning_rate / tuples as f64) as f32;
        Ok(match &mut self.cells {
            Cells::Sgd(cells) => update(cells, &batch, tuples, rate, sgd),
            Cells::Adagrad(cells) => update(cells, &batch, tuples, rate, adagrad),
            Cells::TemporalCoherence(cells) => update(cells, &batch, tuples, rate, temporal_coherence),
        })
    }

    fn logits(&self, batch: TupleBatch) -> Result<Vec<f32>, TrainError> {
        let rows = batch.rows.chunks_exact(self.set.tuples());
        Ok(match &self.cells {
            Cells::Sgd(cells) => rows.map(|rows| logit(cells, rows)).collect(),
            Cells::Adagrad(cells) => rows.map(|rows| logit(cells, rows)).collect(),
            Cells::TemporalCoherence(cells) => rows.map(|rows| logit(cells, rows)).collect(),
        })
    }

    fn model(&self) -> Result<Vec<u8>, TrainError> {
        Ok(self.burn().into_record().into_bytes()?.to_vec())
    }

    fn optimiser(&self) -> Result<Vec<u8>, TrainError> {
        Ok(self.accumulators().into_record().into_bytes()?.to_vec())
    }

    fn load_model(&mut self, record: Vec<u8>) -> Result<(), TrainError> {
        let model = self.burn().try_load_record(ModuleRecord::from_bytes(Bytes::from_bytes_vec(record))?)?;
        let (.., memory) = self.cells.apart();
        self.cells = Cells::new(self.rule, &model.weights(), model.bias(), &memory);
        Ok(())
    }

    fn load_optimiser(&mut self, record: Vec<u8>) -> Result<(), TrainError> {
        let memory = self.accumulators().try_load_record(ModuleRecord::from_bytes(Bytes::from_bytes_vec(record))?)?.values();
        let (weights, bias, _) = self.cells.apart();
        self.cells = Cells::new(self.rule, &weights, bias, &memory);
        Ok(())
    }

    fn values(&self, positions: &[Position]) -> Result<Vec<f32>, TrainError> {
        let rows = row_tensor(&tuple_batch(&self.set, &untargeted(positions)), self.set.tuples(), &self.device);
        Ok(sigmoid(self.burn().forward(rows)).try_into_data().map_err(TrainError::device)?.iter::<f32>().collect())
    }

    fn export(&self) -> Result<Model, TrainError> {
        let (weights, bias, _) = self.cells.apart();
        Ok(Model::NTuple(NTuple::new(self.set.clone(), weights, bias)?))
    }
}

#[cfg(test)]
#[cfg(feature = "flex")]
mod tests;
