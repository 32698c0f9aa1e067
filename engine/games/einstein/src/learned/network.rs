//! EinStein's neural networks: SIMD kernels that evaluate all successors in one batch, with the
//! integer results of [`alea_learned::network`].

pub mod features;
mod successors;

pub use successors::Successors;

use self::features::{
    ExpectedTurnsClasses, FeatureGroup, FeatureGroups, MAX_CROSS_FEATURES, active_cross_features,
    cross_groups, feature_slots, fused_table, num_side_features,
};
use super::move_logits::{LOST_LOGIT, Logits, NonGoalMoves, SideMove, SideMoves};
use crate::{MAX_STONES, Move, Position, Standard, position::Side};
use alea_core::simd::Instructions;
use alea_learned::{
    game_parts::{GameParts, part_by_length},
    network::{
        NetworkKernels, NetworkWeights,
        simd_layers::{I16Line, SimdLayers, to_cache_lines},
        win_probability,
    },
};
use std::sync::Arc;

/// An EinStein neural network.
pub type Network = alea_learned::network::Network<Standard>;

/// SIMD kernels of a neural network; `None` inside if it uses the generic forward pass.
#[derive(Clone, Debug)]
pub struct EinSteinNetKernels(Option<Arc<SimdNetwork>>);

#[derive(Debug)]
struct SimdNetwork {
    tables: Tables,
    layers: SimdLayers,
    buckets: [u8; (2 * MAX_STONES + 1).next_power_of_two()],
    classes: &'static ExpectedTurnsClasses,
    both: Option<CrossFeatureTable>,
    instructions: Instructions,
}

/// First-layer weights of the mover (with the bias) and of the other side, in fused rows.
#[derive(Clone, Debug)]
struct Tables {
    mover: Vec<I16Line>,
    other: Vec<I16Line>,
}

#[derive(Debug)]
struct CrossFeatureTable {
    groups: FeatureGroups,
    turn_classes: &'static ExpectedTurnsClasses,
    table: Vec<I16Line>,
}

impl CrossFeatureTable {
    #[inline]
    fn active_rows<'a>(
        &self,
        mover: Side,
        other: Side,
        rows: &'a mut [u16; MAX_CROSS_FEATURES],
    ) -> &'a [u16] {
        active_cross_features(self.groups, self.turn_classes, mover, other, rows)
    }
}

impl SimdNetwork {
    /// Prepares the kernels; `None` if there are none for the instructions or sums may exceed 16
    /// bits.
    fn new(
        weights: &NetworkWeights,
        groups: FeatureGroups,
        buckets: &GameParts,
        instructions: Instructions,
    ) -> Option<Self> {
        let layers = SimdLayers::new(weights, instructions)?;
        if !weights.fits_i16_accumulator(&feature_slots(groups)) {
            return None;
        }
        let first = weights.bias.len();
        let rows = num_side_features(groups) * first;
        let classes = ExpectedTurnsClasses::for_classic_rules(
            groups.contains(FeatureGroup::RaceDistribution),
        );
        let (mover, other) = weights.rows.split_at(rows);
        let table = |rows: &[i16], bias: Option<&[i16]>| {
            to_cache_lines(&fused_table(groups, classes, first, rows, bias))
        };
        let both = cross_groups(groups).next().map(|_| CrossFeatureTable {
            groups,
            turn_classes: ExpectedTurnsClasses::for_classic_rules(false),
            table: to_cache_lines(&weights.rows[2 * rows..]),
        });
        let tables = Tables {
            mover: table(mover, Some(&weights.bias)),
            other: table(other, None),
        };
        Some(Self {
            tables,
            layers,
            buckets: std::array::from_fn(|stones| part_by_length(buckets.limits(), stones) as u8),
            classes,
            both,
            instructions,
        })
    }

    #[inline]
    fn logit(&self, position: &Position) -> i32 {
        let (mover, other) = (position.mover(), position.other());
        let rows = [self.active_rows(mover), self.active_rows(other)];
        let stones = position.num_stones() as usize % self.buckets.len();
        let mut cross_rows = [0; MAX_CROSS_FEATURES];
        let (cross_table, cross_rows) = match &self.both {
            None => (&[][..], &[][..]),
            Some(both) => (
                &both.table[..],
                both.active_rows(mover, other, &mut cross_rows),
            ),
        };
        let tables = [&self.tables.mover[..], &self.tables.other[..], cross_table];
        let bucket = self.buckets[stones].into();
        self.layers.logit(bucket, &tables, &rows, cross_rows)
    }
}

impl NetworkKernels<Standard> for EinSteinNetKernels {
    type Cache = Successors;
    const BATCHES_SUCCESSORS: bool = true;
    const I16_ACCUMULATOR: bool = true;

    fn new(
        weights: &NetworkWeights,
        groups: FeatureGroups,
        buckets: &GameParts,
        instructions: Instructions,
    ) -> Self {
        Self(SimdNetwork::new(weights, groups, buckets, instructions).map(Arc::new))
    }

    fn refresh(_: &Network, _: &Standard, _: &Position, _: &mut Successors) {}

    fn update(
        _: &Network,
        _: &Standard,
        _: &mut Successors,
        _: &Position,
        _: &Position,
        _: &mut Successors,
    ) {
    }

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
            Some(fast) => fast.value_successors(game, position, cache),
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
            fast.score_successors(position, moves, count, scores);
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
