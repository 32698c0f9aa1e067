//! The switchable groups of dense inputs: their names, sizes and the text that stands for them.
//!
//! Invariant: a group's text changes whenever what it computes changes; raise its version with the
//! formula.

use crate::learned::{
    inputs::DenseGroup,
    names::{NameSet, Named},
};

/// A group of dense inputs. Where a group has numbers of both sides, the mover's come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeatureGroup {
    /// For each stone the probability that its side's next roll permits it: 6 + 6 numbers.
    Mobility,
    /// P(T ≤ k) for k = 1–16, T the own moves a side needs to its goal if left alone: 16 + 16
    /// numbers.
    RaceDistribution,
    /// E\[T\]/10 of both, the probability that the mover wins the race, and a quarter of its log
    /// odds within ±2.
    RaceSummary,
    /// Attack and threat of attack/block/threat: 6·Σ mobility·2^(5−distance) of both, then 6·Σ
    /// mobility·(best enemy stone that can be captured) of both, all over 64. (Block is the other
    /// side's attack.)
    Attack,
    /// Living stones over 6, of both.
    Material,
    /// P(T = k) for k = 1–16 of both: [`Self::RaceDistribution`] as mass, 16 + 16 numbers.
    RaceMass,
}

/// A set of groups; in configurations a list of names, `["mobility", "race_summary"]`.
pub type FeatureGroups = NameSet<FeatureGroup>;

impl FeatureGroups {
    /// How many inputs the groups have together.
    #[must_use]
    pub fn inputs(self) -> usize {
        self.iter().map(FeatureGroup::len).sum()
    }
}

impl FeatureGroup {
    /// How many numbers it has, and its text, whose first word is its name.
    fn described(self) -> (usize, &'static str) {
        match self {
            Self::Mobility => (12, "mobility v1: P(movable) of mover 1-6, other 1-6"),
            Self::RaceDistribution => (32, "race_distribution v1: P(T<=k) k=1..16 of mover, other"),
            Self::RaceSummary => (
                4,
                "race_summary v1: min(E[T],20)/10 of mover, other, P(T_mover<=T_other), its logit/4 in [-2,2]",
            ),
            Self::Attack => (
                4,
                "attack v1: attack*6/64 of mover, other, threat*6/64 of mover, other",
            ),
            Self::Material => (2, "material v1: stones/6 of mover, other"),
            Self::RaceMass => (32, "race_mass v1: P(T=k) k=1..16 of mover, other"),
        }
    }
}

impl Named for FeatureGroup {
    const ALL: &'static [Self] = &[
        Self::Mobility,
        Self::RaceDistribution,
        Self::RaceSummary,
        Self::Attack,
        Self::Material,
        Self::RaceMass,
    ];
    const KIND: &'static str = "feature group";

    fn name(self) -> &'static str {
        let (_, layout) = self.described();
        layout.split_once(' ').map_or(layout, |(name, _)| name)
    }

    #[inline]
    fn number(self) -> usize {
        self as usize
    }
}

impl DenseGroup for FeatureGroup {
    fn len(self) -> usize {
        self.described().0
    }

    fn layout(self) -> &'static str {
        self.described().1
    }
}
