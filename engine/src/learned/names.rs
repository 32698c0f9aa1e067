//! Sets of things with names: groups of inputs of networks.
//!
//! Invariant: in configurations a set is a list of names, in files the same joined by commas, both
//! in the order of [`Named::ALL`].

use crate::core::text::{joined, suggestion};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{fmt::Debug, hash::Hash};

/// One of a few things that files and configurations call by name.
pub trait Named: Copy + Debug + Eq + Hash + Send + Sync + 'static {
    /// All of them, in their order; at most 32.
    const ALL: &'static [Self];
    /// What they are, in the singular, for whoever has misspelt one: `feature group`.
    const KIND: &'static str;

    /// Its name.
    fn name(self) -> &'static str;

    /// Its place among all of them.
    fn number(self) -> usize;
}

/// A set of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameSet<N> {
    bits: u32,
    of: std::marker::PhantomData<N>,
}

/// A name that nothing has, what it should be the name of, and those there are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnknownName(String);

impl<N> NameSet<N> {
    /// None of them.
    pub const NONE: Self = Self::of_bits(0);

    const fn of_bits(bits: u32) -> Self {
        Self {
            bits,
            of: std::marker::PhantomData,
        }
    }

    /// Whether the set is empty.
    pub const fn is_empty(&self) -> bool {
        self.bits == 0
    }
}

impl<N> Default for NameSet<N> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<N: Named> NameSet<N> {
    /// All of them.
    pub const ALL: Self = Self::of_bits(((1u64 << N::ALL.len()) - 1) as u32);

    /// Whether one is in the set.
    #[must_use]
    #[inline]
    pub fn contains(self, item: N) -> bool {
        self.bits >> item.number() & 1 == 1
    }

    /// The set with one more.
    #[must_use]
    pub fn with(self, item: N) -> Self {
        Self::of_bits(self.bits | 1 << item.number())
    }

    /// Those in the set, in their order.
    pub fn iter(self) -> impl Iterator<Item = N> {
        N::ALL
            .iter()
            .copied()
            .filter(move |item| self.contains(*item))
    }

    /// The names joined by commas; nothing for the empty set.
    pub fn names(self) -> String {
        joined(self.iter().map(N::name), ",")
    }

    /// Reads what [`Self::names`] writes, in any order.
    pub fn from_names(names: &str) -> Result<Self, UnknownName> {
        Self::from_list(
            names
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty()),
        )
    }

    /// The set of these names.
    pub fn from_list<T: AsRef<str>>(
        names: impl IntoIterator<Item = T>,
    ) -> Result<Self, UnknownName> {
        names.into_iter().try_fold(Self::NONE, |set, name| {
            let name = name.as_ref();
            let item = N::ALL.iter().find(|item| item.name() == name);
            item.map(|item| set.with(*item)).ok_or_else(|| {
                let known = joined(N::ALL.iter().map(|item| item.name()), ", ");
                let kind = N::KIND;
                let meant = suggestion(name, &known);
                UnknownName(format!("'{name}' is no {kind}{meant}; there are {known}"))
            })
        })
    }
}

impl<N: Named> FromIterator<N> for NameSet<N> {
    fn from_iter<I: IntoIterator<Item = N>>(items: I) -> Self {
        items.into_iter().fold(Self::NONE, Self::with)
    }
}

impl<N: Named> Serialize for NameSet<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(N::name))
    }
}

impl<'de, N: Named> Deserialize<'de> for NameSet<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_list(Vec::<String>::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
