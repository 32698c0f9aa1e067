//! The online updates of an n-tuple network: one sample after the other, each changing the weights
//! it used and no others.
//!
//! Samples of records bring targets; games that a network plays against itself bring errors. Online
//! updates are several times faster than optimisers with dense gradients and, unlike summed
//! batches, do not diverge on rows that many positions share. Invariant: samples are learned
//! strictly in order, on one thread; the rows of one sample differ, as each tuple has a table of
//! its own, so they may be changed together.

use super::prefetch::prefetch;
use crate::config::UpdateRule;
use engine::core::calibration::exponential;

/// Rows that are changed together.
const LANES: usize = 8;

/// Samples from one to that whose cells are asked for meanwhile: tables are larger than the
/// second-level cache.
const AHEAD: usize = 2;

/// Where Adagrad's sums of squares start: the square of a typical error, so that the first steps
/// are no leaps.
const ADAGRAD_START: f32 = 0.1;

/// Weights, then the bias, each with what the rule remembers of it beside it: one cache miss
/// instead of two.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// A weight.
    Sgd(Vec<[f32; 1]>),
    /// A weight and its sum of squared errors.
    Adagrad(Vec<[f32; 2]>),
    /// A weight, its sum of errors, and the sum of their sizes.
    TemporalCoherence(Vec<[f32; 3]>),
}

impl Cells {
    /// Weights of 0: every position is even.
    #[must_use]
    pub fn zeros(rule: UpdateRule, rows: usize) -> Self {
        let start = if rule == UpdateRule::Adagrad {
            ADAGRAD_START
        } else {
            0.0
        };
        Self::new(
            rule,
            &vec![0.0; rows],
            0.0,
            &vec![start; (rows + 1) * Self::remembered(rule)],
        )
    }

    /// How many numbers a rule remembers of each weight.
    pub(crate) fn remembered(rule: UpdateRule) -> usize {
        match rule {
            UpdateRule::Sgd => 0,
            UpdateRule::Adagrad => 1,
            UpdateRule::TemporalCoherence => 2,
        }
    }

    /// These weights and bias; `memory` is what the rule remembers of each, the bias last.
    #[must_use]
    pub fn new(rule: UpdateRule, weights: &[f32], bias: f32, memory: &[f32]) -> Self {
        match rule {
            UpdateRule::Sgd => Self::Sgd(interleave(weights, bias, memory)),
            UpdateRule::Adagrad => Self::Adagrad(interleave(weights, bias, memory)),
            UpdateRule::TemporalCoherence => {
                Self::TemporalCoherence(interleave(weights, bias, memory))
            }
        }
    }

    /// Weights, bias, and the remembered numbers of all, row by row.
    #[must_use]
    pub fn apart(&self) -> (Vec<f32>, f32, Vec<f32>) {
        match self {
            Self::Sgd(cells) => separate(cells),
            Self::Adagrad(cells) => separate(cells),
            Self::TemporalCoherence(cells) => separate(cells),
        }
    }

    /// Learns samples one by one, each given by the rows of its tuples, which differ, and a target;
    /// the sum of their losses in nats, each before its own update. `rate` is the learning rate of
    /// a weight.
    pub fn learn(&mut self, rows: &[u32], targets: &[f32], weights: &[f32], rate: f32) -> f64 {
        match self {
            Self::Sgd(cells) => update(cells, rows, targets, weights, rate, sgd),
            Self::Adagrad(cells) => update(cells, rows, targets, weights, rate, adagrad),
            Self::TemporalCoherence(cells) => {
                update(cells, rows, targets, weights, rate, temporal_coherence)
            }
        }
    }

    /// Changes the weights of positions, each given by the rows of its tuples, by errors (value
    /// minus target) that are known before the first of them is changed. `rate` is the learning
    /// rate of a weight.
    pub fn correct(&mut self, rows: &[u32], errors: &[f32], rate: f32) {
        match self {
            Self::Sgd(cells) => correct(cells, rows, errors, rate, sgd),
            Self::Adagrad(cells) => correct(cells, rows, errors, rate, adagrad),
            Self::TemporalCoherence(cells) => {
                correct(cells, rows, errors, rate, temporal_coherence)
            }
        }
    }

    /// The logit of one position, given by the rows of its tuples.
    #[must_use]
    #[inline]
    pub fn logit(&self, rows: &[u32]) -> f32 {
        match self {
            Self::Sgd(cells) => logit(cells, rows),
            Self::Adagrad(cells) => logit(cells, rows),
            Self::TemporalCoherence(cells) => logit(cells, rows),
        }
    }

    /// The logit of each sample, given by the rows of its `tuples`.
    #[must_use]
    pub fn logits(&self, rows: &[u32], tuples: usize) -> Vec<f32> {
        let rows = rows.chunks_exact(tuples);
        rows.map(|rows| self.logit(rows)).collect()
    }
}

/// Weights, then the bias, each followed by its `WIDTH - 1` remembered numbers.
fn interleave<const WIDTH: usize>(weights: &[f32], bias: f32, memory: &[f32]) -> Vec<[f32; WIDTH]> {
    let all = weights.iter().chain(std::iter::once(&bias)).enumerate();
    all.map(|(row, &weight)| {
        std::array::from_fn(|part| {
            if part == 0 {
                weight
            } else {
                memory[row * (WIDTH - 1) + part - 1]
            }
        })
    })
    .collect()
}

/// The reverse of [`interleave`].
fn separate<const WIDTH: usize>(cells: &[[f32; WIDTH]]) -> (Vec<f32>, f32, Vec<f32>) {
    let mut weights: Vec<f32> = cells.iter().map(|cell| cell[0]).collect();
    let bias = weights.pop().unwrap_or_default();
    (
        weights,
        bias,
        cells.iter().flat_map(|cell| &cell[1..]).copied().collect(),
    )
}

/// The logit of a position with these rows: within the engine's rounding what the engine says.
#[inline]
fn logit<const WIDTH: usize>(cells: &[[f32; WIDTH]], rows: &[u32]) -> f32 {
    cells[cells.len() - 1][0] + add_lanes(rows, |row| cells[row as usize][0])
}

/// The sum of a number for each row, in sixteen lanes, which become vectors: row *i* to lane *i*
/// modulo 16, then the upper half of the lanes to the lower, until one is left. The same on every
/// machine.
#[inline(always)]
fn add_lanes(rows: &[u32], weight: impl Fn(u32) -> f32) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0f32; LANES];
    let (whole, rest) = rows.as_chunks::<LANES>();
    for rows in whole {
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

/// Learns the samples one by one; the sum of their losses, each before its own update. The
/// derivative of the loss by every weight in use is the error, value minus target, times what the
/// sample counts (1 if nothing is said). The rows of a sample differ: each tuple has its own table.
fn update<const WIDTH: usize>(
    cells: &mut [[f32; WIDTH]],
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
    // Σ ln(1 + e) is the logarithm of the product, which 256 factors of at most 2 keep finite.
    let mut product = 1.0f64;
    let later = rows
        .chunks_exact(tuples)
        .skip(AHEAD)
        .chain(std::iter::repeat(&[][..]));
    for (number, ((rows, later), &target)) in rows
        .chunks_exact(tuples)
        .zip(later)
        .zip(targets)
        .enumerate()
    {
        prefetch(cells, later);
        let logit = logit(cells, rows);
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
        correct_one(cells, rows, weight * (value - target), rate, &rule);
    }
    loss + product.ln()
}

/// Changes the weights of positions by given errors, one position after the other.
fn correct<const WIDTH: usize>(
    cells: &mut [[f32; WIDTH]],
    rows: &[u32],
    errors: &[f32],
    rate: f32,
    rule: impl Fn([f32; WIDTH], f32, f32) -> [f32; WIDTH],
) {
    if errors.is_empty() {
        return;
    }
    for (rows, &error) in rows.chunks_exact(rows.len() / errors.len()).zip(errors) {
        correct_one(cells, rows, error, rate, &rule);
    }
}

/// Changes all weights of one position, and the bias.
#[inline(always)]
fn correct_one<const WIDTH: usize>(
    cells: &mut [[f32; WIDTH]],
    rows: &[u32],
    error: f32,
    rate: f32,
    rule: &impl Fn([f32; WIDTH], f32, f32) -> [f32; WIDTH],
) {
    let (groups, rest) = rows.as_chunks::<LANES>();
    for group in groups {
        change(cells, group, |cell| rule(cell, error, rate));
    }
    for &row in rest {
        cells[row as usize] = rule(cells[row as usize], error, rate);
    }
    let bias = cells.len() - 1;
    cells[bias] = rule(cells[bias], error, rate);
}

/// Changes the cells of several rows, which must differ, as if one after the other: roots and
/// quotients of all at once.
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "lanes of several arrays, in the form that becomes vector instructions"
)]
fn change<const WIDTH: usize>(
    cells: &mut [[f32; WIDTH]],
    rows: &[u32; LANES],
    rule: impl Fn([f32; WIDTH]) -> [f32; WIDTH],
) {
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
    [
        weight - rate * coherence * error,
        sum + error,
        size + error.abs(),
    ]
}

#[cfg(test)]
#[cfg(feature = "flex")]
mod tests;
