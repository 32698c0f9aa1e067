//! Trains the n-tuple network: threads compute row indices ahead; one thread applies the updates in
//! order, so that the seed determines the weights.

use super::{BatchFunction, Learner, StepSettings};
use crate::Error;
use crate::batch::{TupleBatch, samples_without_labels, tuple_batch};
use crate::config::{NTupleConfig, UpdateRule};
use crate::models::{
    ntuple::{Accumulators, NTupleModel},
    tensors::{load_record, record, tensor_values},
    tuple_optimizer::WeightTable,
};
use alea_learned::{
    inputs::Learnable,
    model_file::Model,
    tuples::{TupleNetwork, TupleSet},
};
use burn::tensor::{DType, Device, Tensor, TensorData, activation::sigmoid};

/// Such a batch's row indices fit the second-level cache.
const BATCH_SIZE: usize = 2048;

pub(super) struct NTupleLearner<G: Learnable> {
    table: WeightTable,
    set: TupleSet<G>,
    rule: UpdateRule,
    learning_rate: f64,
    device: Device,
}

impl<G: Learnable> NTupleLearner<G> {
    pub(super) fn new(game: &G, config: &NTupleConfig, device: Device) -> Result<Self, Error> {
        let set = config.tuple_set(game)?;
        let table = WeightTable::zeros(config.rule, set.rows());
        Ok(Self {
            table,
            set,
            rule: config.rule,
            learning_rate: config.learning_rate,
            device,
        })
    }

    pub(super) fn set_and_table(&mut self) -> (&TupleSet<G>, &mut WeightTable) {
        (&self.set, &mut self.table)
    }

    fn burn(&self) -> NTupleModel {
        let (weights, bias, _) = self.table.to_parts();
        NTupleModel::new(&weights, bias, &self.device)
    }

    fn accumulators(&self) -> Accumulators {
        let (.., state) = self.table.to_parts();
        Accumulators::new(state, WeightTable::state_len(self.rule), &self.device)
    }
}

impl<G: Learnable> Learner<G> for NTupleLearner<G> {
    type Batch = TupleBatch;

    fn batcher(&self, lambda: f32) -> BatchFunction<G::Position, TupleBatch> {
        let set = self.set.clone();
        Box::new(move |samples| tuple_batch(&set, samples, lambda))
    }

    fn step_settings(&self) -> StepSettings {
        StepSettings {
            batch: BATCH_SIZE,
            learning_rate: self.learning_rate,
        }
    }

    fn train_step(&mut self, batch: TupleBatch, learning_rate: f64) -> Result<f64, Error> {
        let tuples = self.set.tuples();
        let rate = (learning_rate / tuples as f64) as f32;
        let TupleBatch {
            rows,
            targets,
            weights,
        } = &batch;
        Ok(self.table.train(rows, targets, weights, rate))
    }

    fn predict_logits(&self, batch: TupleBatch) -> Result<Vec<f32>, Error> {
        Ok(self.table.logits(&batch.rows, self.set.tuples()))
    }

    fn state(&self) -> Result<[Vec<u8>; 2], Error> {
        Ok([record(self.burn())?, record(self.accumulators())?])
    }

    fn restore(&mut self, model: Vec<u8>, optimizer: Option<Vec<u8>>) -> Result<(), Error> {
        let model = load_record(self.burn(), model)?;
        let state = match optimizer {
            Some(record) => load_record(self.accumulators(), record)?.values(),
            None => self.table.to_parts().2,
        };
        self.table = WeightTable::new(self.rule, &model.weights(), model.bias(), &state);
        Ok(())
    }

    fn predictions(&self, positions: &[G::Position]) -> Result<Vec<f32>, Error> {
        let batch = tuple_batch(&self.set, &samples_without_labels(positions), 1.0);
        let rows: Vec<i64> = batch.rows.into_iter().map(i64::from).collect();
        let rows = TensorData::new(rows, [positions.len(), self.set.tuples()]);
        let rows = Tensor::from_data(rows, (&self.device, DType::I64));
        tensor_values(sigmoid(self.burn().forward(rows)))
    }

    fn export(&self) -> Result<Model<G>, Error> {
        let (weights, bias, _) = self.table.to_parts();
        TupleNetwork::new(self.set.clone(), weights, bias)
            .map(Model::NTuple)
            .map_err(Error::with_prefix("the engine refuses the n-tuple network"))
    }
}
