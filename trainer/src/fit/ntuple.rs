//! Training of the n-tuple network: each sample updates the weights that it uses.
//!
//! Other threads compute the rows of the next samples; the updates ([`crate::models::online`]) run
//! in order on one thread, so that a seed determines the weights.

use super::{Learner, Plan, Prepare};
use crate::Error;
use crate::batch::{TupleBatch, tuple_batch, unlabelled};
use crate::config::{NTupleConfig, UpdateRule};
use crate::models::{
    ntuple::{Accumulators, NTupleModel},
    online::Cells,
    tensors::{loaded, numbers, record},
};
use burn::tensor::{DType, Device, Tensor, TensorData, activation::sigmoid};
use engine::learned::{
    inputs::Learnable,
    model_file::Model,
    tuples::{TupleNetwork, TupleSet},
};

/// Samples per batch, whose rows fit the second-level cache.
const CHUNK: usize = 2048;

/// An n-tuple network with its optimizer state.
pub(super) struct NTupleLearner<G: Learnable> {
    cells: Cells,
    set: TupleSet<G>,
    rule: UpdateRule,
    learning_rate: f64,
    device: Device,
}

impl<G: Learnable> NTupleLearner<G> {
    /// A network of zero weights.
    pub(super) fn new(game: &G, config: &NTupleConfig, device: Device) -> Result<Self, Error> {
        let set = config.tuple_set(game)?;
        let cells = Cells::zeros(config.rule, set.rows());
        Ok(Self {
            cells,
            set,
            rule: config.rule,
            learning_rate: config.learning_rate,
            device,
        })
    }

    /// The tuple set and the mutable weights.
    pub(super) fn parts(&mut self) -> (&TupleSet<G>, &mut Cells) {
        (&self.set, &mut self.cells)
    }

    /// The network in burn.
    fn burn(&self) -> NTupleModel {
        let (weights, bias, _) = self.cells.apart();
        NTupleModel::new(&weights, bias, &self.device)
    }

    /// The optimizer state as a burn module.
    fn accumulators(&self) -> Accumulators {
        let (.., memory) = self.cells.apart();
        Accumulators::new(memory, Cells::remembered(self.rule), &self.device)
    }
}

impl<G: Learnable> Learner<G> for NTupleLearner<G> {
    type Batch = TupleBatch;

    fn prepare(&self, lambda: f32) -> Prepare<G::Position, TupleBatch> {
        let set = self.set.clone();
        Box::new(move |samples| tuple_batch(&set, samples, lambda))
    }

    fn plan(&self) -> Plan {
        Plan {
            batch: CHUNK,
            learning_rate: self.learning_rate,
        }
    }

    fn learn(&mut self, batch: TupleBatch, learning_rate: f64) -> Result<f64, Error> {
        let tuples = self.set.tuples();
        let rate = (learning_rate / tuples as f64) as f32;
        let TupleBatch {
            rows,
            targets,
            weights,
        } = &batch;
        Ok(self.cells.learn(rows, targets, weights, rate))
    }

    fn outputs(&self, batch: TupleBatch) -> Result<Vec<f32>, Error> {
        Ok(self.cells.logits(&batch.rows, self.set.tuples()))
    }

    fn records(&self) -> Result<[Vec<u8>; 2], Error> {
        Ok([record(self.burn())?, record(self.accumulators())?])
    }

    fn load(&mut self, model: Vec<u8>, optimiser: Option<Vec<u8>>) -> Result<(), Error> {
        let model = loaded(self.burn(), model)?;
        let memory = match optimiser {
            Some(record) => loaded(self.accumulators(), record)?.values(),
            None => self.cells.apart().2,
        };
        self.cells = Cells::new(self.rule, &model.weights(), model.bias(), &memory);
        Ok(())
    }

    fn values(&self, positions: &[G::Position]) -> Result<Vec<f32>, Error> {
        let batch = tuple_batch(&self.set, &unlabelled(positions), 1.0);
        let rows: Vec<i64> = batch.rows.into_iter().map(i64::from).collect();
        let rows = TensorData::new(rows, [positions.len(), self.set.tuples()]);
        let rows = Tensor::from_data(rows, (&self.device, DType::I64));
        numbers(sigmoid(self.burn().forward(rows)))
    }

    fn export(&self) -> Result<Model<G>, Error> {
        let (weights, bias, _) = self.cells.apart();
        TupleNetwork::new(self.set.clone(), weights, bias)
            .map(Model::NTuple)
            .map_err(Error::with_prefix(
                "the engine does not take the n-tuple network",
            ))
    }
}
