//! Transposition table: what is known of positions that were searched before, shared between
//! threads without locks.
//!
//! 16 bytes an entry, four to a cache line: a check of the key, both bounds, the remaining depth,
//! the generation and a hint for the order of moves. Two 64-bit words that are written apart: the
//! check covers both, so an entry torn between two writers is not believed (Hyatt and Mann 2002).
//! Invariants: after [`Table::forget`] the table behaves to the last bit as an empty one; with
//! [`Reuse::SameDepth`] a search finds what it finds without a table, but for checks that agree by
//! chance: one probe in 10^9 of those that ought to miss.

use super::memory::Memory;
use crate::core::{chance::Bounds, random::GOLDEN};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// Which of two results stays when both want one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replacement {
    /// The newer.
    Always,
    /// The one with more plies below it; of an earlier generation the newer.
    DepthPreferred,
    /// Rock'n'Roll (Schäfer 2006): an upper half that prefers depth, and a lower half that takes
    /// whatever the upper one rejects or evicts.
    TwoLevel,
    /// Four places for each position; the one goes that is shallowest, each generation counting
    /// like plies.
    #[default]
    Bucketed,
}

/// When a result of another depth may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reuse {
    /// Never, unless it holds at any greater depth: no search depends on those before.
    #[default]
    SameDepth,
    /// If it was searched at least as deep.
    Deeper,
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Bounds of its value.
    pub bounds: Bounds,
    /// Whether the bounds hold at the depth asked for; otherwise only the hint is of use.
    pub holds: bool,
    /// Whether no leaf was evaluated: the bounds hold at every greater depth too.
    pub proven: bool,
    /// Which moves were best, for [`super::ordering`].
    pub hint: u16,
}

/// What a search found out about a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Plies searched below the position, 1–127.
    pub depth: u32,
    /// Bounds of its value.
    pub bounds: Bounds,
    /// Whether no leaf was evaluated.
    pub proven: bool,
    /// Which moves were best.
    pub hint: u16,
}

/// What became of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It took an empty place, or that of an older result for the same position.
    Fresh,
    /// It took the place of another position.
    Replacing,
    /// It was not kept.
    Rejected,
}

/// A table of fixed size.
#[derive(Debug)]
pub struct Table {
    memory: Memory<Entry>,
    replacement: Replacement,
    reuse: Reuse,
    /// Places for one position: 4 of [`Replacement::Bucketed`] unless there are fewer entries,
    /// otherwise 1.
    ways: usize,
    /// Entries of generations below `first_generation` count as empty.
    first_generation: AtomicU8,
    generation: AtomicU8,
}

/// Two words, in memory that is zero at first: a zero entry is of generation 0, which never is.
///
/// `tag`: bits 0–31 check, 32–47 hint, 48–54 depth, 55 proven, 56–63 generation. `bounds`: lower,
/// upper as `f32`.
#[derive(Debug)]
pub(super) struct Entry {
    tag: AtomicU64,
    bounds: AtomicU64,
}

/// How many plies one generation counts when the bucket decides which entry goes. Measured on games
/// at depth 6 with tables of 1 MiB: 2 to 8 make no difference that can be seen, 0 costs nodes.
const PLIES_OF_A_GENERATION: i32 = 4;

/// A game may begin with this generation at most, so that all have room for the same number of
/// steps: a table must not depend on the games before.
const LAST_FIRST_GENERATION: u8 = 128;

/// Generations of one game.
const MAX_STEPS: u8 = 126;

impl Table {
    /// A table of at least one entry; `None` if there is not that much memory.
    #[must_use]
    pub fn with_entries(entries: usize, replacement: Replacement, reuse: Reuse) -> Option<Self> {
        let (least, ways) = match replacement {
            Replacement::TwoLevel => (2, 1),
            Replacement::Bucketed => (1, entries.clamp(1, 4)),
            Replacement::Always | Replacement::DepthPreferred => (1, 1),
        };
        let memory = Memory::zeroed(entries.max(least) / ways * ways)?;
        Some(Self {
            memory,
            replacement,
            reuse,
            ways,
            first_generation: AtomicU8::new(1),
            generation: AtomicU8::new(1),
        })
    }

    /// Number of entries.
    pub fn entries(&self) -> usize {
        self.memory.items().len()
    }

    /// Forgets everything.
    pub fn forget(&self) {
        let generation = self.generation.load(Relaxed) + 1;
        if generation > LAST_FIRST_GENERATION {
            self.clear();
        } else {
            self.generation.store(generation, Relaxed);
            self.first_generation.store(generation, Relaxed);
        }
    }

    /// Starts a new generation, once a move, while no thread searches: what the table holds ages. A
    /// game of more than 126 moves starts anew with an empty table.
    pub fn step(&self) {
        let (first, generation) = (
            self.first_generation.load(Relaxed),
            self.generation.load(Relaxed),
        );
        if generation - first >= MAX_STEPS {
            self.clear();
        } else {
            self.generation.store(generation + 1, Relaxed);
        }
    }

    fn clear(&self) {
        for entry in self.memory.items() {
            entry.tag.store(0, Relaxed);
            entry.bounds.store(0, Relaxed);
        }
        self.generation.store(1, Relaxed);
        self.first_generation.store(1, Relaxed);
    }

    /// What is known of a position that is to be searched to `depth` plies (1–127).
    #[must_use]
    #[inline]
    pub fn probe(&self, key: u64, depth: u32) -> Option<Hit> {
        let mut known = None;
        for level in self.places(key) {
            for entry in level {
                let Some(content) = Content::read(entry) else {
                    continue;
                };
                if content.check == key as u32
                    && content.generation >= self.first_generation.load(Relaxed)
                {
                    let found = content.found;
                    let holds = found.depth == depth
                        || found.proven && found.depth <= depth
                        || self.reuse == Reuse::Deeper && found.depth > depth;
                    let this = Hit {
                        bounds: found.bounds,
                        holds,
                        proven: found.proven,
                        hint: found.hint,
                    };
                    if holds {
                        return Some(this);
                    }
                    known.get_or_insert(this);
                }
            }
        }
        known
    }

    /// Keeps what a search found.
    #[inline]
    pub fn store(&self, key: u64, found: &Found) -> Kept {
        debug_assert!((1..128).contains(&found.depth));
        let first = self.first_generation.load(Relaxed);
        let generation = self.generation.load(Relaxed);
        let content = Content {
            check: key as u32,
            generation,
            found: *found,
        };
        let [upper, lower] = self.places(key);
        let old = Content::read(&upper[0]).filter(|old| old.generation >= first);
        match self.replacement {
            Replacement::Always => content.write_over(&upper[0], old),
            Replacement::DepthPreferred => match old {
                Some(old)
                    if old.generation == generation
                        && old.found.depth > found.depth
                        && old.check != content.check =>
                {
                    Kept::Rejected
                }
                old => content.write_over(&upper[0], old),
            },
            Replacement::TwoLevel => {
                let below = Content::read(&lower[0]).filter(|old| old.generation >= first);
                match old {
                    Some(old) if old.check == content.check => {
                        content.write_over(&upper[0], Some(old))
                    }
                    Some(old) if old.generation == generation && old.found.depth > found.depth => {
                        content.write_over(&lower[0], below)
                    }
                    Some(evicted) => {
                        content.write(&upper[0]);
                        evicted.write_over(&lower[0], below)
                    }
                    None => content.write_over(&upper[0], None),
                }
            }
            Replacement::Bucketed => {
                let worth = |old: &Content| {
                    old.found.depth as i32
                        - PLIES_OF_A_GENERATION * i32::from(generation - old.generation)
                };
                let mut place: Option<(&Entry, Content)> = None;
                for entry in upper {
                    match Content::read(entry).filter(|old| old.generation >= first) {
                        None => return content.write_over(entry, None),
                        Some(old) if old.check == content.check => {
                            return content.write_over(entry, Some(old));
                        }
                        Some(old) if place.is_none_or(|(_, worst)| worth(&old) < worth(&worst)) => {
                            place = Some((entry, old))
                        }
                        Some(_) => {}
                    }
                }
                place.map_or(Kept::Rejected, |(entry, old)| {
                    content.write_over(entry, Some(old))
                })
            }
        }
    }

    /// Where a position may stand: the places of the upper level, and of the lower one if any.
    #[inline]
    fn places(&self, key: u64) -> [&[Entry]; 2] {
        let entries = self.memory.items();
        if self.replacement == Replacement::TwoLevel {
            let (upper, lower) = entries.split_at(entries.len() / 2);
            [
                &upper[self.slot(key, upper.len())..][..1],
                &lower[self.slot(key, lower.len())..][..1],
            ]
        } else {
            let start = self.slot(key, entries.len() / self.ways) * self.ways;
            [&entries[start..start + self.ways], &[]]
        }
    }

    /// The high bits of the key choose the slot, the low ones are the check.
    #[inline]
    fn slot(&self, key: u64, slots: usize) -> usize {
        ((u128::from(key) * slots as u128) >> 64) as usize
    }
}

#[derive(Clone, Copy, Debug)]
struct Content {
    check: u32,
    generation: u8,
    found: Found,
}

impl Content {
    /// `None` if the entry is empty. A torn entry reads as one of a random key.
    #[inline]
    fn read(entry: &Entry) -> Option<Self> {
        let tag = entry.tag.load(Relaxed);
        let bounds = entry.bounds.load(Relaxed);
        let generation = (tag >> 56) as u8;
        (generation != 0).then(|| Self {
            check: tag as u32 ^ cover(bounds),
            generation,
            found: Found {
                hint: (tag >> 32) as u16,
                depth: (tag >> 48) as u32 & 127,
                proven: tag >> 55 & 1 == 1,
                bounds: Bounds {
                    lower: f32::from_bits(bounds as u32),
                    upper: f32::from_bits((bounds >> 32) as u32),
                },
            },
        })
    }

    #[inline]
    fn write(&self, entry: &Entry) {
        let Found {
            depth,
            bounds: Bounds { lower, upper },
            proven,
            hint,
        } = self.found;
        let bounds = u64::from(lower.to_bits()) | u64::from(upper.to_bits()) << 32;
        let tag = u64::from(self.check ^ cover(bounds))
            | u64::from(hint) << 32
            | u64::from(depth) << 48
            | u64::from(proven) << 55
            | u64::from(self.generation) << 56;
        entry.tag.store(tag, Relaxed);
        entry.bounds.store(bounds, Relaxed);
    }

    #[inline]
    fn write_over(&self, entry: &Entry, old: Option<Self>) -> Kept {
        self.write(entry);
        if old.is_some_and(|old| old.check != self.check) {
            Kept::Replacing
        } else {
            Kept::Fresh
        }
    }
}

/// 32 bits that depend on all bits of the bounds; equal bounds must not cancel out, as they would
/// in a plain xor.
#[inline]
fn cover(bounds: u64) -> u32 {
    (bounds.wrapping_mul(GOLDEN) >> 32) as u32
}

#[cfg(test)]
mod tests;
