//! Short training of a tuple set from zero weights, on one thread.

use crate::calibrate::logit_loss;
use crate::config::TrainConfig;
use crate::models::tuple_optimizer::WeightTable;
use crate::sample::Sample;
use alea_core::random::{RandomStream, SeedSpace, derive_seed};
use alea_learned::{inputs::Learnable, tuples::TupleSet};

const BATCH_SIZE: usize = 1024;

pub(super) struct TrainedSet<G: Learnable> {
    set: TupleSet<G>,
    table: WeightTable,
    pub(super) validation_loss: f64,
}

pub(super) fn train_set<G: Learnable>(
    config: &TrainConfig,
    epochs: usize,
    seed: u64,
    set: TupleSet<G>,
    training: &[Sample<G::Position>],
    validation: &[Sample<G::Position>],
) -> TrainedSet<G> {
    let lambda = config.target.last_lambda();
    let mut table = WeightTable::zeros(config.ntuple.rule, set.row_count());
    let mut order: Vec<u32> = (0..training.len() as u32).collect();
    let chunks = (epochs * training.len().div_ceil(BATCH_SIZE)) as f64;
    let mut rows = vec![0u32; BATCH_SIZE * set.tuple_count()];
    let mut targets = Vec::with_capacity(BATCH_SIZE);
    let mut weights = Vec::with_capacity(BATCH_SIZE);
    let mut done = 0.0;
    for epoch in 0..epochs {
        let mut random = RandomStream::new(derive_seed(seed, SeedSpace::Training, &[epoch as u64]));
        random.shuffle(&mut order);
        for chunk in order.chunks(BATCH_SIZE) {
            targets.clear();
            weights.clear();
            for (&number, rows) in chunk.iter().zip(rows.chunks_exact_mut(set.tuple_count())) {
                let sample = training[number as usize];
                let mut position = sample.position;
                if config.training.symmetries {
                    let game = set.game();
                    position = game.transform_position(&position, random.below(game.symmetries()));
                }
                set.row_indices(&position, rows);
                targets.push(sample.target(lambda));
                weights.push(sample.weight);
            }
            let rate = config.ntuple.learning_rate
                * config
                    .training
                    .schedule
                    .factor(done / chunks, config.training.final_rate);
            table.train(
                &rows[..chunk.len() * set.tuple_count()],
                &targets,
                &weights,
                (rate / set.tuple_count() as f64) as f32,
            );
            done += 1.0;
        }
    }
    let mut fitted = TrainedSet {
        set,
        table,
        validation_loss: 0.0,
    };
    let loss = |(sample, logit): (&Sample<G::Position>, f32)| {
        f64::from(sample.weight) * logit_loss(logit.into(), sample.target(lambda).into())
    };
    let losses: f64 = validation
        .iter()
        .zip(fitted.logits(validation))
        .map(loss)
        .sum();
    fitted.validation_loss = losses / validation.len() as f64;
    fitted
}

impl<G: Learnable> TrainedSet<G> {
    pub(super) fn logits(&self, samples: &[Sample<G::Position>]) -> Vec<f32> {
        let mut rows = vec![0; self.set.tuple_count()];
        let logit = |sample: &Sample<G::Position>| {
            self.set.row_indices(&sample.position, &mut rows);
            self.table.logit(&rows)
        };
        samples.iter().map(logit).collect()
    }
}
