//! Training of the n-tuple network: threads compute row indices ahead, one thread applies updates
//! in order, so that the seed determines the weights.

use super::network::{from_bytes, to_bytes};
use super::{BatchFunction, Learner, StepSettings, initial_weights_mismatch};
use crate::Error;
use crate::batch::{TupleBatch, tuple_batch};
use crate::config::{NTupleConfig, UpdateRule, WeightType};
use crate::models::tuple_optimizer::WeightTable;
use alea_learned::{
    inputs::Learnable,
    model_file::Model,
    tuples::{TupleNetwork, TupleSet},
};

/// Batch size in samples, so that row indices fit the second-level cache.
const BATCH_SIZE: usize = 2048;

pub(super) struct NTupleLearner<G: Learnable> {
    table: WeightTable,
    set: TupleSet<G>,
    rule: UpdateRule,
    learning_rate: f64,
    weight_type: WeightType,
}

impl<G: Learnable> NTupleLearner<G> {
    pub(super) fn new(game: &G, config: &NTupleConfig) -> Result<Self, Error> {
        let set = config.tuple_set(game)?;
        let table = WeightTable::zeros(config.rule, set.row_count());
        Ok(Self {
            table,
            set,
            rule: config.rule,
            learning_rate: config.learning_rate,
            weight_type: config.weights,
        })
    }

    pub(super) fn set_and_table(&mut self) -> (&TupleSet<G>, &mut WeightTable) {
        (&self.set, &mut self.table)
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
        let tuples = self.set.tuple_count();
        let rate = (learning_rate / tuples as f64) as f32;
        let TupleBatch {
            rows,
            targets,
            weights,
        } = &batch;
        Ok(self.table.train(rows, targets, weights, rate))
    }

    fn predict_logits(&self, batch: TupleBatch) -> Result<Vec<f32>, Error> {
        Ok(self.table.logits(&batch.rows, self.set.tuple_count()))
    }

    fn state(&self) -> Result<[Vec<u8>; 2], Error> {
        let (mut weights, bias, state) = self.table.to_parts();
        weights.push(bias);
        Ok([to_bytes(&weights), to_bytes(&state)])
    }

    fn set_initial_weights(&mut self, model: &Model<G>) -> Result<(), Error> {
        match model {
            Model::NTuple(initial)
                if *initial.tuple_set() == self.set
                    || initial.tuple_set().is_undivided(&self.set) =>
            {
                let state = self.table.to_parts().2;
                // Each phase begins with the tables of a network without phases.
                let phases = self.set.row_count() / initial.weights().len();
                let weights = initial.weights().repeat(phases);
                self.table = WeightTable::new(self.rule, &weights, initial.bias(), &state);
                Ok(())
            }
            _ => Err(initial_weights_mismatch(&self.export()?, model)),
        }
    }

    fn restore(&mut self, model: Vec<u8>, optimizer: Option<Vec<u8>>) -> Result<(), Error> {
        let rows = self.set.row_count();
        let weights = from_bytes(&model, rows + 1)?;
        let state = match optimizer {
            Some(bytes) => from_bytes(&bytes, (rows + 1) * WeightTable::state_len(self.rule))?,
            None => self.table.to_parts().2,
        };
        self.table = WeightTable::new(self.rule, &weights[..rows], weights[rows], &state);
        Ok(())
    }

    fn export(&self) -> Result<Model<G>, Error> {
        let (weights, bias, _) = self.table.to_parts();
        let network = TupleNetwork::new(self.set.clone(), weights, bias);
        let network = match self.weight_type {
            WeightType::F32 => network,
            WeightType::I16 => network.and_then(TupleNetwork::rounded_to_i16),
        };
        network.map(Model::NTuple).map_err(|problem| {
            Error::Divergence(format!("the engine refuses the n-tuple network: {problem}"))
        })
    }
}
