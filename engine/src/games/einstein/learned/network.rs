//! Networks of EinStein: kernels that evaluate all successors of a position as a batch.
//!
//! [`crate::learned::network`] has the formula. Invariant: all sums are exact, so every instruction
//! set gives the same integers, in any order; two products of an activation and a weight of the
//! second layer, at most 2 · 127 · 128 = 32,512, fit x86's 16 bits.
//!
//! Unlike NNUE (Nasu 2018), features belong to one side ([`inputs`]), so the accumulator is two
//! sums, shared by all successors. Networks of other shapes than [`SHAPES`], and machines without
//! vectors, use the generic forward pass.

pub mod inputs;
mod kernels;
mod successors;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod vectors;

use crate::core::arrays::each;
pub use successors::Successors;

use self::{
    inputs::{
        FeatureGroup, InputGroups, MAX_CROSS_FEATURES, TurnClasses, join, joined_rows, of_both,
        rows_of_both, runs, side_rows,
    },
    kernels::{Layers, Line, Line16, Tables},
};
use super::steps::{LOST, Listed, Logits, Step, Steps};
use crate::core::simd::Instructions;
use crate::games::einstein::{MAX_STONES, Move, Position, Standard, position::Side};
use crate::learned::network::{self, NetworkKernels, NetworkWeights, win_probability};
use std::sync::Arc;

/// Network of EinStein.
pub type Network = network::Network<Standard>;

/// Shapes with fast kernels: neurons of the first and of the second layer.
pub const SHAPES: [[usize; 2]; 8] = [
    [64, 16],
    [64, 32],
    [128, 16],
    [128, 32],
    [256, 16],
    [256, 32],
    [512, 16],
    [512, 32],
];

/// Runs an expression with the widths of a network as constants.
macro_rules! with_shape {
    ($fast:expr, $first:ident, $second:ident => $body:expr) => {
        match $fast.shape {
            [64, 16] => with_shape!(@ 64, 16, $first, $second, $body),
            [64, 32] => with_shape!(@ 64, 32, $first, $second, $body),
            [128, 16] => with_shape!(@ 128, 16, $first, $second, $body),
            [128, 32] => with_shape!(@ 128, 32, $first, $second, $body),
            [256, 16] => with_shape!(@ 256, 16, $first, $second, $body),
            [256, 32] => with_shape!(@ 256, 32, $first, $second, $body),
            [512, 16] => with_shape!(@ 512, 16, $first, $second, $body),
            _ => with_shape!(@ 512, 32, $first, $second, $body),
        }
    };
    (@ $one:literal, $two:literal, $first:ident, $second:ident, $body:expr) => {{
        const $first: usize = $one;
        const $second: usize = $two;
        $body
    }};
}

/// Data of the fast kernels; `None` where the generic forward pass computes.
#[derive(Clone, Debug)]
pub struct EinSteinNetwork(Option<Arc<Fast>>);

#[derive(Debug)]
struct Fast {
    shape: [usize; 2],
    tables: Tables,
    /// Layers of each bucket.
    layers: Vec<Layers>,
    /// Bucket of each number of living stones; a power of two, so that a mask bounds indices.
    buckets: [u8; (2 * MAX_STONES + 1).next_power_of_two()],
    classes: &'static TurnClasses,
    both: Option<OfBoth>,
    instructions: Instructions,
}

/// Features of both sides.
#[derive(Debug)]
struct OfBoth {
    groups: InputGroups,
    turn_classes: &'static TurnClasses,
    /// Rows of these features.
    table: Vec<Line16>,
}

/// Cache lines of the widest first layer.
const MAX_LINES: usize = 512 / 32;

/// Sums without features.
static NOTHING: [Line16; MAX_LINES] = [Line([0; 32]); MAX_LINES];

impl OfBoth {
    /// `out` = sums of the mover's side plus the other's plus the rows of both.
    #[inline]
    fn add_up(
        &self,
        instructions: Instructions,
        (mover, other): (Side, Side),
        sums: [&[Line16]; 2],
        out: &mut [Line16],
    ) {
        let mut rows = [0; MAX_CROSS_FEATURES];
        let rows = rows_of_both(self.groups, self.turn_classes, mover, other, &mut rows);
        kernels::add_up(instructions, sums, &self.table, rows, out);
    }
}

impl Fast {
    /// `None` without such kernels.
    fn new(
        weights: &NetworkWeights,
        groups: InputGroups,
        bounds: &[u8],
        instructions: Instructions,
    ) -> Option<Self> {
        let shape = <[usize; 2]>::try_from(weights.widths()).ok()?;
        if !SHAPES.contains(&shape)
            || instructions == Instructions::PORTABLE
            || !weights.fits_i16_accumulator(&runs(groups))
        {
            return None;
        }
        let [first, _] = shape;
        let rows = side_rows(groups) * first;
        let classes = TurnClasses::shared(groups.contains(FeatureGroup::RaceDistribution));
        let (mover, other) = weights.rows.split_at(rows);
        let table = |rows: &[i16], bias: Option<&[i16]>| {
            kernels::lines(&join(groups, classes, first, rows, bias))
        };
        let both = of_both(groups).next().map(|_| OfBoth {
            groups,
            turn_classes: TurnClasses::shared(false),
            table: kernels::lines(&weights.rows[2 * rows..]),
        });
        let tables = Tables {
            mover: table(mover, Some(&weights.bias)),
            other: table(other, None),
        };
        Some(Self {
            shape,
            tables,
            layers: Layers::of(weights, instructions),
            buckets: std::array::from_fn(|stones| network::bucket(bounds, stones) as u8),
            classes,
            both,
            instructions,
        })
    }

    #[inline]
    fn logit(&self, position: &Position) -> i32 {
        let (mover, other) = (position.mover(), position.other());
        let rows = each([mover, other], |side| joined_rows(self.classes, side));
        let layers = match &self.layers[..] {
            [only] => only,
            all => {
                let stones = position.stones() as usize % self.buckets.len();
                &all[usize::from(self.buckets[stones])]
            }
        };
        let set = self.instructions;
        let Some(both) = &self.both else {
            return with_shape!(self, FIRST, SECOND => kernels::logit::<FIRST, SECOND>(set, &self.tables, layers, &rows));
        };
        let [mut own, mut others, mut all] = [NOTHING; 3];
        with_shape!(self, FIRST, SECOND => {
            let lines = FIRST / 32;
            kernels::sum_rows::<FIRST>(set, &self.tables.mover, &rows[0], &mut own);
            kernels::sum_rows::<FIRST>(set, &self.tables.other, &rows[1], &mut others);
            let sums = [&own[..lines], &others[..lines]];
            both.add_up(set, (mover, other), sums, &mut all[..lines]);
            let mut logits = Logits::default();
            kernels::logits::<FIRST, SECOND>(set, layers, &all, &NOTHING, &[[0, 0]], &mut logits);
            logits[0]
        })
    }
}

impl NetworkKernels<Standard> for EinSteinNetwork {
    type Cache = Successors;
    const BATCHES_SUCCESSORS: bool = true;
    const I16_ACCUMULATOR: bool = true;

    fn new(
        weights: &NetworkWeights,
        groups: InputGroups,
        bounds: &[u8],
        instructions: Instructions,
    ) -> Self {
        Self(Fast::new(weights, groups, bounds, instructions).map(Arc::new))
    }

    fn refresh(_: &Network, _: &Standard, _: &Position, _: &mut Successors) {}

    fn update(_: &Network, _: &Standard, _: &Successors, _: &Position, _: &mut Successors) {}

    #[inline]
    fn logit(network: &Network, game: &Standard, position: &Position, _: &Successors) -> i32 {
        match &network.kernels().0 {
            Some(fast) => fast.logit(position),
            None => network.logit_from_scratch(game, position),
        }
    }

    #[inline]
    fn one_ply(
        network: &Network,
        game: &Standard,
        position: &Position,
        cache: &mut Successors,
    ) -> f32 {
        match &network.kernels().0 {
            Some(fast) => {
                with_shape!(fast, FIRST, SECOND => fast.value_successors::<FIRST, SECOND>(game, position, cache))
            }
            None => {
                let mut steps = Steps::default();
                steps.refill(game, position.mover());
                let mut logits = plain_logits(network, game, position, steps.list());
                steps.one_ply(&mut logits, win_probability)
            }
        }
    }

    /// Integer log odds for the side that moves.
    #[inline]
    fn score_successors(
        network: &Network,
        game: &Standard,
        position: &Position,
        moves: &[Move],
        scores: &mut [f32],
    ) {
        rate(network, game, position, moves, |logit| logit as f32, scores);
    }

    #[inline]
    fn value_successors(
        network: &Network,
        game: &Standard,
        position: &Position,
        moves: &[Move],
        _: &mut Successors,
        values: &mut [f32],
    ) {
        let lost = |logit| win_probability(logit) - 1.0;
        rate(network, game, position, moves, lost, values);
        // Wins have no bound.
        values.iter_mut().for_each(|value| *value = value.min(1.0));
    }
}

/// Scores moves by a function of the enemy's logit.
#[inline]
fn rate(
    network: &Network,
    game: &Standard,
    position: &Position,
    moves: &[Move],
    count: impl Fn(i32) -> f32,
    scores: &mut [f32],
) {
    match &network.kernels().0 {
        Some(fast) => {
            with_shape!(fast, FIRST, SECOND => fast.rate_successors::<FIRST, SECOND, { FIRST / 32 }>(position, moves, count, scores));
        }
        None => {
            let listed = Listed::new(position, moves, scores);
            let logits = plain_logits(network, game, position, listed.list());
            listed.score(&logits, count, scores);
        }
    }
}

/// The enemy's logit after each step, one by one.
fn plain_logits(network: &Network, game: &Standard, position: &Position, steps: &[Step]) -> Logits {
    let mut logits = Logits::default();
    for (logit, &step) in logits.iter_mut().zip(steps) {
        let enemy = position.other().without(step.square);
        let after = Position::new(
            enemy,
            step.applied_to(position.mover()),
            1 - position.seat(),
        );
        *logit = match enemy.is_empty() {
            true => LOST,
            false => network.logit_from_scratch(game, &after),
        };
    }
    logits
}

#[cfg(test)]
pub(crate) mod tests;
