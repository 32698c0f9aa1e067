//! Win probabilities of successors, in batches that share the loads of weights.

use super::{
    simd_layers::{I16Line, SimdLayers, ZERO_ACCUMULATOR},
    win_probability,
};
use alea_core::game::mean_other_payoff;

const BATCH_SIZE: usize = 4;
const MAX_LINES: usize = ZERO_ACCUMULATOR.len();

/// Index of a successor, and whether the seat that led to it moves again.
type Successor = (usize, bool);

/// Successors of one bucket whose logits are computed together; the network has one output.
pub(super) struct LogitBatch<'a> {
    layers: &'a SimdLayers,
    bias: &'a [i16],
    seats: usize,
    bucket: usize,
    count: usize,
    successors: [Successor; BATCH_SIZE],
    accumulators: [I16Line; BATCH_SIZE * MAX_LINES],
}

impl<'a> LogitBatch<'a> {
    pub(super) fn new(layers: &'a SimdLayers, bias: &'a [i16], seats: usize) -> Self {
        Self {
            layers,
            bias,
            seats,
            bucket: 0,
            count: 0,
            successors: [(0, false); BATCH_SIZE],
            accumulators: [ZERO_ACCUMULATOR[0]; BATCH_SIZE * MAX_LINES],
        }
    }

    /// Adds a successor with these first-layer sums. Writes the values of the batch when it is
    /// full, and before a successor of another bucket.
    pub(super) fn add(
        &mut self,
        bucket: usize,
        sums: &[i32],
        successor: Successor,
        values: &mut [f32],
    ) {
        if bucket != self.bucket {
            self.write(values);
            self.bucket = bucket;
        }
        let lines = self.layers.lines();
        let accumulator = &mut self.accumulators[self.count * lines..][..lines];
        self.layers.saturate(sums, self.bias, accumulator);
        self.successors[self.count] = successor;
        self.count += 1;
        if self.count == BATCH_SIZE {
            self.write(values);
        }
    }

    /// Writes the values of the batch's successors, for the seat that led to them, and empties it.
    pub(super) fn write(&mut self, values: &mut [f32]) {
        const PAIRS: [[u8; 2]; BATCH_SIZE] = [[0, 0], [1, 0], [2, 0], [3, 0]];
        let (mut logits, pairs) = ([0; BATCH_SIZE], &PAIRS[..self.count]);
        if pairs.is_empty() {
            return;
        }
        let (movers, others) = (&self.accumulators, &ZERO_ACCUMULATOR);
        self.layers
            .logits(self.bucket, movers, others, pairs, &mut logits);
        for (&(index, is_mover), logit) in self.successors[..self.count].iter().zip(logits) {
            let own = win_probability(logit);
            values[index] = match is_mover {
                true => own,
                false => mean_other_payoff(own, self.seats),
            };
        }
        self.count = 0;
    }
}
