//! Sets of named items, such as feature groups, written in the order of [`Named::ALL`].

use alea_core::text::{joined, suggestion};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{fmt::Debug, hash::Hash};

/// An item of a small list, named in files and configurations.
pub trait Named: Copy + Debug + Eq + Hash + Send + Sync + 'static {
    /// All items in order, at most 32.
    const ALL: &'static [Self];
    /// Kind of item in the singular, for errors: `feature group`.
    const KIND: &'static str;

    /// Name in files.
    fn name(self) -> &'static str;

    /// Index in [`Self::ALL`].
    fn number(self) -> usize;
}

/// A set of named items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NamedSet<N> {
    bits: u32,
    marker: std::marker::PhantomData<N>,
}

/// Error about an unknown name, with all known ones.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnknownName(String);

impl<N> NamedSet<N> {
    /// The empty set.
    pub const NONE: Self = Self::from_bits(0);

    const fn from_bits(bits: u32) -> Self {
        Self {
            bits,
            marker: std::marker::PhantomData,
        }
    }

    /// Whether the set is empty.
    pub const fn is_empty(&self) -> bool {
        self.bits == 0
    }
}

impl<N> Default for NamedSet<N> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<N: Named> NamedSet<N> {
    /// The set of all items.
    pub const ALL: Self = Self::from_bits(((1u64 << N::ALL.len()) - 1) as u32);

    /// Whether the set has `item`.
    #[inline]
    pub fn contains(self, item: N) -> bool {
        self.bits >> item.number() & 1 == 1
    }

    /// The set with `item` added.
    #[must_use]
    pub fn with(self, item: N) -> Self {
        Self::from_bits(self.bits | 1 << item.number())
    }

    /// The items in order.
    pub fn iter(self) -> impl Iterator<Item = N> {
        N::ALL
            .iter()
            .copied()
            .filter(move |item| self.contains(*item))
    }

    /// The names joined by commas.
    pub fn names(self) -> String {
        joined(self.iter().map(N::name), ",")
    }

    /// Parses names joined by commas.
    pub fn from_names(names: &str) -> Result<Self, UnknownName> {
        Self::from_list(
            names
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty()),
        )
    }

    /// The set of items with these names.
    pub fn from_list<T: AsRef<str>>(
        names: impl IntoIterator<Item = T>,
    ) -> Result<Self, UnknownName> {
        names.into_iter().try_fold(Self::NONE, |set, name| {
            let name = name.as_ref();
            let item = N::ALL.iter().find(|item| item.name() == name);
            item.map(|item| set.with(*item)).ok_or_else(|| {
                let all_names = joined(N::ALL.iter().map(|item| item.name()), ", ");
                let kind = N::KIND;
                let hint = suggestion(name, &all_names);
                UnknownName(format!(
                    "'{name}' is no {kind}{hint}; there are {all_names}"
                ))
            })
        })
    }
}

impl<N: Named> FromIterator<N> for NamedSet<N> {
    fn from_iter<I: IntoIterator<Item = N>>(items: I) -> Self {
        items.into_iter().fold(Self::NONE, Self::with)
    }
}

impl<N: Named> Serialize for NamedSet<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(N::name))
    }
}

impl<'de, N: Named> Deserialize<'de> for NamedSet<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_list(Vec::<String>::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
