//! Weight updates of the n-tuple network, sample by sample on one thread. Unlike summed batches,
//! they do not diverge on rows that many positions share.

use super::cache_prefetch::prefetch;
use crate::config::UpdateRule;
use alea_core::calibration::exponential;

const LANES: usize = 8;

/// Samples between prefetching a sample's rows and using them.
const PREFETCH_DISTANCE: usize = 2;

/// Initial sum of squared errors: the square of a typical error, to limit the first steps.
const ADAGRAD_INITIAL_SUM: f32 = 0.1;

/// Weights, then the bias, each stored with its optimizer state to save a cache miss.
#[derive(Clone, Debug, PartialEq)]
pub enum WeightTable {
    /// Plain gradient descent: the weight alone.
    Sgd(Vec<[f32; 1]>),
    /// Adagrad: weight and sum of squared errors.
    Adagrad(Vec<[f32; 2]>),
    /// Temporal coherence: weight, sum of errors, and sum of absolute errors.
    TemporalCoherence(Vec<[f32; 3]>),
}

impl WeightTable {
    /// Creates `rows` weights and the bias, all 0, with the rule's initial optimizer state.
    #[must_use]
    pub fn zeros(rule: UpdateRule, rows: usize) -> Self {
        let start = if rule == UpdateRule::Adagrad {
            ADAGRAD_INITIAL_SUM
        } else {
            0.0
        };
        Self::new(
            rule,
            &vec![0.0; rows],
            0.0,
            &vec![start; (rows + 1) * Self::state_len(rule)],
        )
    }

    pub(crate) fn state_len(rule: UpdateRule) -> usize {
        match rule {
            UpdateRule::Sgd => 0,
            UpdateRule::Adagrad => 1,
            UpdateRule::TemporalCoherence => 2,
        }
    }

    /// Creates a table; `state` lists the optimizer state of each weight and, last, of the bias.
    #[must_use]
    pub fn new(rule: UpdateRule, weights: &[f32], bias: f32, state: &[f32]) -> Self {
        match rule {
            UpdateRule::Sgd => Self::Sgd(interleave(weights, bias, state)),
            UpdateRule::Adagrad => Self::Adagrad(interleave(weights, bias, state)),
            UpdateRule::TemporalCoherence => {
                Self::TemporalCoherence(interleave(weights, bias, state))
            }
        }
    }

    /// Returns weights, bias and optimizer state as [`Self::new`] takes them.
    #[must_use]
    pub fn to_parts(&self) -> (Vec<f32>, f32, Vec<f32>) {
        match self {
            Self::Sgd(table) => deinterleave(table),
            Self::Adagrad(table) => deinterleave(table),
            Self::TemporalCoherence(table) => deinterleave(table),
        }
    }

    /// Updates the table sample by sample; `weights` are loss weights (empty: all 1), `rate` is the
    /// learning rate divided by the number of tuples. Returns the sum of the weighted losses in
    /// nats, each computed before its update.
    pub fn train(&mut self, rows: &[u32], targets: &[f32], weights: &[f32], rate: f32) -> f64 {
        match self {
            Self::Sgd(table) => update(table, rows, targets, weights, rate, sgd),
            Self::Adagrad(table) => update(table, rows, targets, weights, rate, adagrad),
            Self::TemporalCoherence(table) => {
                update(table, rows, targets, weights, rate, temporal_coherence)
            }
        }
    }

    /// Updates the weights active in each position by its error, predicted value minus target, in
    /// order; `rate` as in [`Self::train`].
    pub fn apply_errors(&mut self, rows: &[u32], errors: &[f32], rate: f32) {
        match self {
            Self::Sgd(table) => apply_errors(table, rows, errors, rate, sgd),
            Self::Adagrad(table) => apply_errors(table, rows, errors, rate, adagrad),
            Self::TemporalCoherence(table) => {
                apply_errors(table, rows, errors, rate, temporal_coherence)
            }
        }
    }

    /// Logit of a position whose active weights have the indices `rows`.
    #[must_use]
    #[inline]
    pub fn logit(&self, rows: &[u32]) -> f32 {
        match self {
            Self::Sgd(table) => logit(table, rows),
            Self::Adagrad(table) => logit(table, rows),
            Self::TemporalCoherence(table) => logit(table, rows),
        }
    }

    /// Logit of each sample; `rows` is `[samples, tuples]`.
    #[must_use]
    pub fn logits(&self, rows: &[u32], tuples: usize) -> Vec<f32> {
        let rows = rows.chunks_exact(tuples);
        rows.map(|rows| self.logit(rows)).collect()
    }
}

fn interleave<const WIDTH: usize>(weights: &[f32], bias: f32, state: &[f32]) -> Vec<[f32; WIDTH]> {
    let all = weights.iter().chain(std::iter::once(&bias)).enumerate();
    all.map(|(row, &weight)| {
        std::array::from_fn(|part| {
            if part == 0 {
                weight
            } else {
                state[row * (WIDTH - 1) + part - 1]
            }
        })
    })
    .collect()
}

fn deinterleave<const WIDTH: usize>(table: &[[f32; WIDTH]]) -> (Vec<f32>, f32, Vec<f32>) {
    let mut weights: Vec<f32> = table.iter().map(|cell| cell[0]).collect();
    let bias = weights.pop().unwrap_or_default();
    (
        weights,
        bias,
        table.iter().flat_map(|cell| &cell[1..]).copied().collect(),
    )
}

#[inline]
fn logit<const WIDTH: usize>(table: &[[f32; WIDTH]], rows: &[u32]) -> f32 {
    table[table.len() - 1][0] + sum_row_weights(rows, |row| table[row as usize][0])
}

#[inline(always)]
fn sum_row_weights(rows: &[u32], weight: impl Fn(u32) -> f32) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0f32; LANES];
    let (sixteens, rest) = rows.as_chunks::<LANES>();
    for rows in sixteens {
        for (sum, &row) in sums.iter_mut().zip(rows) {
            *sum += weight(row);
        }
    }
    for (sum, &row) in sums.iter_mut().zip(rest) {
        *sum += weight(row);
    }
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            sums[lane] += sums[lane + half];
        }
        half /= 2;
    }
    sums[0]
}

fn update<const WIDTH: usize>(
    table: &mut [[f32; WIDTH]],
    rows: &[u32],
    targets: &[f32],
    weights: &[f32],
    rate: f32,
    rule: impl Fn([f32; WIDTH], f32, f32) -> [f32; WIDTH],
) -> f64 {
    if targets.is_empty() {
        return 0.0;
    }
    let tuples = rows.len() / targets.len();
    let mut loss = 0.0f64;
    // Σ ln(1 + eˣ) by the logarithm of a product of at most 256 factors up to 2.
    let mut product = 1.0f64;
    let later = rows
        .chunks_exact(tuples)
        .skip(PREFETCH_DISTANCE)
        .chain(std::iter::repeat(&[][..]));
    for (number, ((rows, later), &target)) in rows
        .chunks_exact(tuples)
        .zip(later)
        .zip(targets)
        .enumerate()
    {
        prefetch(table, later);
        let logit = logit(table, rows);
        let small = exponential(-logit.abs());
        let value = (if logit >= 0.0 { 1.0 } else { small }) / (1.0 + small);
        let weight = weights.get(number).copied().unwrap_or(1.0);
        loss += f64::from(weight * (logit.max(0.0) - target * logit));
        if weight == 1.0 {
            product *= 1.0 + f64::from(small);
        } else {
            loss += f64::from(weight) * f64::from(small).ln_1p();
        }
        if number % 256 == 255 {
            loss += product.ln();
            product = 1.0;
        }
        update_position(table, rows, weight * (value - target), rate, &rule);
    }
    loss + product.ln()
}

fn apply_errors<const WIDTH: usize>(
    table: &mut [[f32; WIDTH]],
    rows: &[u32],
    errors: &[f32],
    rate: f32,
    rule: impl Fn([f32; WIDTH], f32, f32) -> [f32; WIDTH],
) {
    if errors.is_empty() {
        return;
    }
    for (rows, &error) in rows.chunks_exact(rows.len() / errors.len()).zip(errors) {
        update_position(table, rows, error, rate, &rule);
    }
}

#[inline(always)]
fn update_position<const WIDTH: usize>(
    table: &mut [[f32; WIDTH]],
    rows: &[u32],
    error: f32,
    rate: f32,
    rule: &impl Fn([f32; WIDTH], f32, f32) -> [f32; WIDTH],
) {
    let (groups, rest) = rows.as_chunks::<LANES>();
    for group in groups {
        update_rows(table, group, |cell| rule(cell, error, rate));
    }
    for &row in rest {
        table[row as usize] = rule(table[row as usize], error, rate);
    }
    let bias = table.len() - 1;
    table[bias] = rule(table[bias], error, rate);
}

#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "lanes of several arrays, in the form that becomes vector instructions"
)]
fn update_rows<const WIDTH: usize>(
    table: &mut [[f32; WIDTH]],
    rows: &[u32; LANES],
    rule: impl Fn([f32; WIDTH]) -> [f32; WIDTH],
) {
    let mut parts = [[0.0f32; LANES]; WIDTH];
    for (lane, &row) in rows.iter().enumerate() {
        let cell = &table[row as usize];
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
        let cell = &mut table[row as usize];
        for part in 0..WIDTH {
            cell[part] = parts[part][lane];
        }
    }
}

#[inline(always)]
fn sgd([weight]: [f32; 1], error: f32, rate: f32) -> [f32; 1] {
    [weight - rate * error]
}

#[inline(always)]
fn adagrad([weight, squares]: [f32; 2], error: f32, rate: f32) -> [f32; 2] {
    let squares = squares + error * error;
    [weight - rate * error / squares.sqrt(), squares]
}

#[inline(always)]
fn temporal_coherence([weight, sum, size]: [f32; 3], error: f32, rate: f32) -> [f32; 3] {
    let coherence = if size > 0.0 { sum.abs() / size } else { 1.0 };
    [
        weight - rate * coherence * error,
        sum + error,
        size + error.abs(),
    ]
}

#[cfg(test)]
mod tests;
