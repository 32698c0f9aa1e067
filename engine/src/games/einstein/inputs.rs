//! From a position to the inputs of a network: the one extractor that training and inference share.
//!
//! Sparse inputs are one-hot: each of the twelve stones switches on one of 26 rows, its square in
//! its owner's perspective or "gone". Dense inputs are a few numbers, switchable by group, each
//! roughly in `[-2, 2]`. Invariant: everything is seen by the side to move, so turning the board
//! with colours swapped changes nothing; [`crate::learned::inputs::network_layout`] names every input in
//! order with the version of its formula.

mod groups;

pub use groups::{FeatureGroup, FeatureGroups};

use crate::games::einstein::{
    MAX_STONES, Position, Standard,
    evaluators::{
        attack_block_threat as terms,
        race_tables::{RaceTables, distance_index},
    },
};
use crate::learned::inputs::DenseInputs;
use std::sync::Arc;

/// Squares a stone may be on, "gone" (25) included.
pub const STONE_SQUARES: usize = 26;

/// Rows of a sparse first layer: row `26 · stone + square`, stones 0–5 the mover's, 6–11 the
/// other's, each with its square in its owner's perspective and 25 for gone.
pub const SPARSE_ROWS: usize = ACTIVE * STONE_SQUARES;

/// Sparse inputs that are on in every position.
pub const ACTIVE: usize = 2 * MAX_STONES;

/// Most dense inputs there are: all groups on.
pub const MAX_DENSE: usize = 86;

/// Own moves that the distributions of the race reach, from 1.
const RACE_MOVES: usize = 16;

/// The rows of the twelve stones, in order.
#[must_use]
#[inline]
pub fn sparse(position: &Position) -> [u16; ACTIVE] {
    let (mover, other) = (position.mover(), position.other());
    std::array::from_fn(|stone| {
        let square = if stone < MAX_STONES {
            mover.square(stone)
        } else {
            other.square(stone - MAX_STONES)
        };
        sparse_row(stone, square)
    })
}

/// The row of a stone (0–5 the mover's, 6–11 the other's) on `square`, or [`super::GONE`].
#[must_use]
#[inline]
pub fn sparse_row(stone: usize, square: u8) -> u16 {
    (stone * STONE_SQUARES) as u16 + u16::from(square.min(25))
}

pub(super) const SPARSE_LAYOUT: &str = "sparse v1: mover stones 1-6 then other stones 1-6, 26 squares each in the owner's perspective, 25 gone";

/// Computes the dense inputs of the chosen groups.
#[derive(Clone, Debug)]
pub struct DenseFeatures {
    groups: FeatureGroups,
    /// Only there if a race group is on: they take a moment to compute.
    race: Option<Arc<RaceTables>>,
}

impl DenseInputs<Standard> for DenseFeatures {
    type Group = FeatureGroup;

    /// The race tables assume the die and variant of `game`.
    fn new(game: &Standard, groups: FeatureGroups) -> Self {
        let races = [
            FeatureGroup::RaceDistribution,
            FeatureGroup::RaceSummary,
            FeatureGroup::RaceMass,
        ];
        let races = races.into_iter().any(|group| groups.contains(group));
        Self {
            groups,
            race: races.then(|| RaceTables::shared(game)),
        }
    }

    fn groups(&self) -> FeatureGroups {
        self.groups
    }

    fn fill(&self, game: &Standard, position: &Position, out: &mut [f32]) {
        assert_eq!(out.len(), self.len(), "one number for each dense input");
        let (mover, other) = (position.mover(), position.other());
        let mut at = 0;
        let mut add = |values: &[f32]| {
            out[at..][..values.len()].copy_from_slice(values);
            at += values.len();
        };
        let attack = self.groups.contains(FeatureGroup::Attack);
        let mobility = if attack || self.groups.contains(FeatureGroup::Mobility) {
            [game.mobility(mover.alive()), game.mobility(other.alive())]
        } else {
            [[0.0; MAX_STONES]; 2]
        };
        if self.groups.contains(FeatureGroup::Mobility) {
            add(mobility.as_flattened());
        }
        if let Some(race) = &self.race {
            let (own, others) = (distance_index(mover), distance_index(other));
            if self.groups.contains(FeatureGroup::RaceDistribution) {
                add(&race.within(own)[1..=RACE_MOVES]);
                add(&race.within(others)[1..=RACE_MOVES]);
            }
            if self.groups.contains(FeatureGroup::RaceSummary) {
                let turns = [own, others].map(|index| race.expected(index).min(20.0) / 10.0);
                add(&turns);
                let win = race.wins_race(own, others).clamp(0.0, 1.0);
                // A certain race has infinite log odds; the bounds take care of it.
                add(&[win, ((win / (1.0 - win)).ln() / 4.0).clamp(-2.0, 2.0)]);
            }
        }
        if attack {
            let [own, others] = &mobility;
            let terms = [
                terms::attack(own, mover),
                terms::attack(others, other),
                terms::threat(own, mover, other),
                terms::threat(others, other, mover),
            ];
            add(&terms.map(|term| term * ATTACK_SCALE));
        }
        if self.groups.contains(FeatureGroup::Material) {
            add(&[mover, other].map(|side| side.count() as f32 / MAX_STONES as f32));
        }
        if let Some(race) = self
            .race
            .as_ref()
            .filter(|_| self.groups.contains(FeatureGroup::RaceMass))
        {
            add(&race.mass(distance_index(mover))[1..=RACE_MOVES]);
            add(&race.mass(distance_index(other))[1..=RACE_MOVES]);
        }
    }
}

/// Six times mobility, and positional values up to 16: a side's terms stay below 160, mostly below 64.
const ATTACK_SCALE: f32 = 6.0 / 64.0;

#[cfg(test)]
mod tests;
