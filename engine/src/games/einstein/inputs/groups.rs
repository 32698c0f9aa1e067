//! The switchable groups of dense inputs: their names, sizes and the text that stands for them.
//!
//! Invariant: a group's text changes whenever what it computes changes; raise its version with the
//! formula.

use serde::{Deserialize, Serialize};

/// A group of dense inputs. Where a group has numbers of both sides, the mover's come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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

impl FeatureGroup {
    /// All groups, in the order of their inputs.
    pub const ALL: [Self; 6] = [
        Self::Mobility,
        Self::RaceDistribution,
        Self::RaceSummary,
        Self::Attack,
        Self::Material,
        Self::RaceMass,
    ];

    /// The name in configurations and model files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mobility => "mobility",
            Self::RaceDistribution => "race_distribution",
            Self::RaceSummary => "race_summary",
            Self::Attack => "attack",
            Self::Material => "material",
            Self::RaceMass => "race_mass",
        }
    }

    /// How many inputs the group has.
    #[must_use]
    pub fn len(self) -> usize {
        match self {
            Self::Mobility => 12,
            Self::RaceDistribution | Self::RaceMass => 32,
            Self::RaceSummary | Self::Attack => 4,
            Self::Material => 2,
        }
    }

    /// Never: every group has inputs.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Names and formula version for [`super::layout`].
    pub(super) fn layout(self) -> &'static str {
        match self {
            Self::Mobility => "mobility v1: P(movable) of mover 1-6, other 1-6",
            Self::RaceDistribution => "race_distribution v1: P(T<=k) k=1..16 of mover, other",
            Self::RaceSummary => {
                "race_summary v1: min(E[T],20)/10 of mover, other, P(T_mover<=T_other), its logit/4 in [-2,2]"
            }
            Self::Attack => "attack v1: attack*6/64 of mover, other, threat*6/64 of mover, other",
            Self::Material => "material v1: stones/6 of mover, other",
            Self::RaceMass => "race_mass v1: P(T=k) k=1..16 of mover, other",
        }
    }
}

/// A set of groups; in configurations a list of names, `["mobility", "race_summary"]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<FeatureGroup>", into = "Vec<FeatureGroup>")]
pub struct FeatureGroups(u8);

/// A name that is no group's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no feature group; there are {list}", list = FeatureGroup::ALL.map(FeatureGroup::name).join(", "))]
pub struct UnknownGroup(pub String);

impl FeatureGroups {
    /// No dense inputs.
    pub const NONE: Self = Self(0);
    /// Every group.
    pub const ALL: Self = Self(0b111_111);

    /// Whether a group is in the set.
    #[must_use]
    #[inline]
    pub fn contains(self, group: FeatureGroup) -> bool {
        self.0 >> group as u8 & 1 == 1
    }

    /// The set with one more group.
    #[must_use]
    pub fn with(self, group: FeatureGroup) -> Self {
        Self(self.0 | 1 << group as u8)
    }

    /// The groups, in the order of their inputs.
    pub fn iter(self) -> impl Iterator<Item = FeatureGroup> {
        FeatureGroup::ALL
            .into_iter()
            .filter(move |group| self.contains(*group))
    }

    /// How many inputs the groups have together.
    #[must_use]
    pub fn len(self) -> usize {
        self.iter().map(FeatureGroup::len).sum()
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The names joined by commas; nothing for the empty set.
    #[must_use]
    pub fn names(self) -> String {
        self.iter()
            .map(FeatureGroup::name)
            .collect::<Vec<_>>()
            .join(",")
    }

    /// Reads what [`Self::names`] writes, in any order.
    ///
    /// # Errors
    /// If a name is no group's; the error lists those there are.
    pub fn from_names(names: &str) -> Result<Self, UnknownGroup> {
        names
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .try_fold(Self::NONE, |groups, name| {
                let group = FeatureGroup::ALL
                    .into_iter()
                    .find(|group| group.name() == name);
                group
                    .map(|group| groups.with(group))
                    .ok_or_else(|| UnknownGroup(name.to_owned()))
            })
    }
}

impl From<Vec<FeatureGroup>> for FeatureGroups {
    fn from(groups: Vec<FeatureGroup>) -> Self {
        groups.into_iter().fold(Self::NONE, Self::with)
    }
}

impl From<FeatureGroups> for Vec<FeatureGroup> {
    fn from(groups: FeatureGroups) -> Self {
        groups.iter().collect()
    }
}
