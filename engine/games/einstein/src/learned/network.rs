//! Neural networks of EinStein: SIMD kernels that evaluate all successors of a position in one
//! batch, with the integer results of the generic forward pass of [`alea_learned::network`].

pub mod features;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod simd;
mod simd_dispatch;
mod successors;

use alea_core::arrays::map_array;
pub use successors::Successors;

use self::{
    features::{
        FeatureGroup, FeatureGroups, MAX_CROSS_FEATURES, TurnClasses, active_cross_features,
        active_fused_rows, cross_groups, feature_slots, fused_table, num_side_features,
    },
    simd_dispatch::{CacheLine, I16Line, Layers, Tables},
};
use super::move_logits::{LOST_LOGIT, Logits, NonGoalMoves, SideMove, SideMoves};
use crate::{MAX_STONES, Move, Position, Standard, position::Side};
use alea_core::simd::Instructions;
use alea_learned::network::{self, NetworkKernels, NetworkWeights, win_probability};
use std::sync::Arc;

/// A neural network for EinStein.
pub type Network = network::Network<Standard>;

/// Neurons of the first and of the second layer for which SIMD kernels exist.
pub const SIMD_WIDTHS: [[usize; 2]; 8] = [
    [64, 16],
    [64, 32],
    [128, 16],
    [128, 32],
    [256, 16],
    [256, 32],
    [512, 16],
    [512, 32],
];

macro_rules! with_widths {
    ($fast:expr, $first:ident, $second:ident => $body:expr) => {
        match $fast.shape {
            [64, 16] => with_widths!(@ 64, 16, $first, $second, $body),
            [64, 32] => with_widths!(@ 64, 32, $first, $second, $body),
            [128, 16] => with_widths!(@ 128, 16, $first, $second, $body),
            [128, 32] => with_widths!(@ 128, 32, $first, $second, $body),
            [256, 16] => with_widths!(@ 256, 16, $first, $second, $body),
            [256, 32] => with_widths!(@ 256, 32, $first, $second, $body),
            [512, 16] => with_widths!(@ 512, 16, $first, $second, $body),
            _ => with_widths!(@ 512, 32, $first, $second, $body),
        }
    };
    (@ $one:literal, $two:literal, $first:ident, $second:ident, $body:expr) => {{
        const $first: usize = $one;
        const $second: usize = $two;
        $body
    }};
}

/// SIMD kernels of a network; `None` for the generic forward pass.
#[derive(Clone, Debug)]
pub struct EinSteinNetKernels(Option<Arc<SimdNetwork>>);

#[derive(Debug)]
struct SimdNetwork {
    shape: [usize; 2],
    tables: Tables,
    layers: Vec<Layers>,
    /// Bucket by number of both sides' living stones; padded, so that a mask bounds indices.
    buckets: [u8; (2 * MAX_STONES + 1).next_power_of_two()],
    classes: &'static TurnClasses,
    both: Option<CrossFeatureTable>,
    instructions: Instructions,
}

#[derive(Debug)]
struct CrossFeatureTable {
    groups: FeatureGroups,
    turn_classes: &'static TurnClasses,
    table: Vec<I16Line>,
}

const MAX_CACHE_LINES: usize = 512 / 32;

static ZERO_ACCUMULATOR: [I16Line; MAX_CACHE_LINES] = [CacheLine([0; 32]); MAX_CACHE_LINES];

impl CrossFeatureTable {
    /// `out` = `sums` + rows of active cross-side features.
    #[inline]
    fn add_accumulators(
        &self,
        instructions: Instructions,
        (mover, other): (Side, Side),
        sums: [&[I16Line]; 2],
        out: &mut [I16Line],
    ) {
        let mut rows = [0; MAX_CROSS_FEATURES];
        let rows = active_cross_features(self.groups, self.turn_classes, mover, other, &mut rows);
        simd_dispatch::add_accumulators(instructions, sums, &self.table, rows, out);
    }
}

impl SimdNetwork {
    /// `None` without kernels, or if sums may exceed 16 bits.
    fn new(
        weights: &NetworkWeights,
        groups: FeatureGroups,
        bounds: &[u8],
        instructions: Instructions,
    ) -> Option<Self> {
        let shape = <[usize; 2]>::try_from(weights.widths()).ok()?;
        if !SIMD_WIDTHS.contains(&shape)
            || instructions == Instructions::PORTABLE
            || !weights.fits_i16_accumulator(&feature_slots(groups))
        {
            return None;
        }
        let [first, _] = shape;
        let rows = num_side_features(groups) * first;
        let classes =
            TurnClasses::for_classic_rules(groups.contains(FeatureGroup::RaceDistribution));
        let (mover, other) = weights.rows.split_at(rows);
        let table = |rows: &[i16], bias: Option<&[i16]>| {
            simd_dispatch::to_cache_lines(&fused_table(groups, classes, first, rows, bias))
        };
        let both = cross_groups(groups).next().map(|_| CrossFeatureTable {
            groups,
            turn_classes: TurnClasses::for_classic_rules(false),
            table: simd_dispatch::to_cache_lines(&weights.rows[2 * rows..]),
        });
        let tables = Tables {
            mover: table(mover, Some(&weights.bias)),
            other: table(other, None),
        };
        Some(Self {
            shape,
            tables,
            layers: Layers::for_buckets(weights, instructions),
            buckets: std::array::from_fn(|stones| network::bucket(bounds, stones) as u8),
            classes,
            both,
            instructions,
        })
    }

    fn logit(&self, position: &Position) -> i32 {
        let (mover, other) = (position.mover(), position.other());
        let rows = map_array([mover, other], |side| active_fused_rows(self.classes, side));
        let layers = match &self.layers[..] {
            [only] => only,
            all => {
                let stones = position.num_stones() as usize % self.buckets.len();
                &all[usize::from(self.buckets[stones])]
            }
        };
        let set = self.instructions;
        let Some(both) = &self.both else {
            return with_widths!(self, FIRST, SECOND => simd_dispatch::logit::<FIRST, SECOND>(set, &self.tables, layers, &rows));
        };
        let [mut own, mut others, mut all] = [ZERO_ACCUMULATOR; 3];
        with_widths!(self, FIRST, SECOND => {
            let lines = FIRST / 32;
            simd_dispatch::sum_rows::<FIRST>(set, &self.tables.mover, &rows[0], &mut own);
            simd_dispatch::sum_rows::<FIRST>(set, &self.tables.other, &rows[1], &mut others);
            let sums = [&own[..lines], &others[..lines]];
            both.add_accumulators(set, (mover, other), sums, &mut all[..lines]);
            let mut logits = Logits::default();
            simd_dispatch::logits::<FIRST, SECOND>(set, layers, &all, &ZERO_ACCUMULATOR, &[[0, 0]], &mut logits);
            logits[0]
        })
    }
}

impl NetworkKernels<Standard> for EinSteinNetKernels {
    type Cache = Successors;
    const BATCHES_SUCCESSORS: bool = true;
    const I16_ACCUMULATOR: bool = true;

    fn new(
        weights: &NetworkWeights,
        groups: FeatureGroups,
        bounds: &[u8],
        instructions: Instructions,
    ) -> Self {
        Self(SimdNetwork::new(weights, groups, bounds, instructions).map(Arc::new))
    }

    fn refresh(_: &Network, _: &Standard, _: &Position, _: &mut Successors) {}

    fn update(_: &Network, _: &Standard, _: &Successors, _: &Position, _: &mut Successors) {}

    fn logit(network: &Network, game: &Standard, position: &Position, _: &Successors) -> i32 {
        match &network.kernels().0 {
            Some(fast) => fast.logit(position),
            None => network.logit_from_scratch(game, position),
        }
    }

    fn one_ply(
        network: &Network,
        game: &Standard,
        position: &Position,
        cache: &mut Successors,
    ) -> f32 {
        match &network.kernels().0 {
            Some(fast) => {
                with_widths!(fast, FIRST, SECOND => fast.value_successors::<FIRST, SECOND>(game, position, cache))
            }
            None => {
                let mut steps = SideMoves::default();
                steps.rebuild(game, position.mover());
                let mut logits = logits_one_by_one(network, game, position, steps.as_slice());
                steps.one_ply(&mut logits, win_probability)
            }
        }
    }

    fn score_successors(
        network: &Network,
        game: &Standard,
        position: &Position,
        moves: &[Move],
        scores: &mut [f32],
    ) {
        score_moves(network, game, position, moves, |logit| logit as f32, scores);
    }

    fn value_successors(
        network: &Network,
        game: &Standard,
        position: &Position,
        moves: &[Move],
        _: &mut Successors,
        values: &mut [f32],
    ) {
        let lost = |logit| win_probability(logit) - 1.0;
        score_moves(network, game, position, moves, lost, values);
        values.iter_mut().for_each(|value| *value = value.min(1.0));
    }
}

#[inline]
fn score_moves(
    network: &Network,
    game: &Standard,
    position: &Position,
    moves: &[Move],
    count: impl Fn(i32) -> f32,
    scores: &mut [f32],
) {
    match &network.kernels().0 {
        Some(fast) => {
            with_widths!(fast, FIRST, SECOND => fast.score_successors::<FIRST, SECOND, { FIRST / 32 }>(position, moves, count, scores));
        }
        None => {
            let listed = NonGoalMoves::new(position, moves, scores);
            let logits = logits_one_by_one(network, game, position, listed.as_slice());
            listed.score(&logits, count, scores);
        }
    }
}

fn logits_one_by_one(
    network: &Network,
    game: &Standard,
    position: &Position,
    steps: &[SideMove],
) -> Logits {
    let mut logits = Logits::default();
    for (logit, &step) in logits.iter_mut().zip(steps) {
        let enemy = position.other().without_stone_on(step.square);
        let after = Position::new(enemy, step.apply_to(position.mover()), 1 - position.seat());
        *logit = match enemy.is_empty() {
            true => LOST_LOGIT,
            false => network.logit_from_scratch(game, &after),
        };
    }
    logits
}

#[cfg(test)]
pub(crate) mod tests;
