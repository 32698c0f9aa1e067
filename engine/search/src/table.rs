//! Lock-free transposition table of 16-byte entries.
//!
//! The two words of an entry are written separately; a check value covers both, so a torn entry is
//! not found (Hyatt and Mann 2002). With [`DepthPolicy::SameDepth`] results equal those without a
//! table, unless check values collide (one in 10^9 probes of absent positions).

use super::shared_array::SharedArray;
use alea_core::pages::prefetch;
use alea_core::{chance_bounds::Bounds, random::GOLDEN};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// Which of two results stays when both need the same entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replacement {
    /// The newer result.
    Always,
    /// The newer result, unless the older is of another position, deeper and of this generation.
    DepthPreferred,
    /// The deeper result in an upper level; a lower level takes what the upper rejects or gives up
    /// (Rock'n'Roll, Schäfer 2006).
    TwoLevel,
    /// Of the four results in a bucket the shallowest is replaced; a generation of age counts as 4
    /// plies less.
    #[default]
    Bucketed,
}

/// Which results of another depth than requested a probe may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DepthPolicy {
    /// A probe uses results of the requested depth and proven results of smaller depth, so that
    /// values do not depend on earlier searches.
    #[default]
    SameDepth,
    /// A probe uses results of the requested or a greater depth, and proven results of smaller
    /// depth.
    Deeper,
}

/// What a probe found about a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Bounds of the value for the side to move.
    pub bounds: Bounds,
    /// Whether the bounds are valid at the requested depth; otherwise only the hint is of use.
    pub is_usable: bool,
    /// Whether the bounds hold at every greater depth.
    pub proven: bool,
    /// Best moves, packed by `OutcomeGroups::pack_best`.
    pub hint: u16,
}

/// A search result to store.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewEntry {
    /// Plies searched below the position, 1–127.
    pub depth: u32,
    /// Bounds of the value for the side to move.
    pub bounds: Bounds,
    /// Whether the bounds hold at every greater depth.
    pub proven: bool,
    /// Best moves, packed by `OutcomeGroups::pack_best`.
    pub hint: u16,
}

/// What [`Table::store`] did with a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreOutcome {
    /// Stored in an empty entry or over a result of the same position.
    Fresh,
    /// Stored over a result of another position.
    Replacing,
    /// Not stored.
    Rejected,
}

/// A transposition table of fixed size, shared by threads.
#[derive(Debug)]
pub struct Table {
    array: SharedArray<Entry>,
    replacement: Replacement,
    reuse: DepthPolicy,
    bucket_size: usize,
    first_generation: AtomicU8,
    generation: AtomicU8,
}

/// An entry; all zeros mean empty, since no generation is 0.
///
/// `tag`: bits 0–31 check, 32–47 hint, 48–54 depth, 55 proven, 56–63 generation. `bounds`: lower,
/// upper as `f32`.
#[derive(Debug)]
pub(super) struct Entry {
    tag: AtomicU64,
    bounds: AtomicU64,
}

/// Plies that a generation of age costs: 0 costs nodes; 2 to 8 make no measurable difference.
const PLIES_PER_GENERATION: i32 = 4;

const MAX_GENERATION_BEFORE_ZEROING: u8 = 128;

const MAX_GENERATIONS: u8 = 126;

impl Table {
    /// An empty table of `entries` entries, rounded down to complete buckets but at least one;
    /// `None` without enough memory.
    pub fn with_entries(
        entries: usize,
        replacement: Replacement,
        reuse: DepthPolicy,
    ) -> Option<Self> {
        let (min_entries, bucket_size) = match replacement {
            Replacement::TwoLevel => (2, 1),
            Replacement::Bucketed => (1, entries.clamp(1, 4)),
            Replacement::Always | Replacement::DepthPreferred => (1, 1),
        };
        let array = SharedArray::zeroed(entries.max(min_entries) / bucket_size * bucket_size)?;
        Some(Self {
            array,
            replacement,
            reuse,
            bucket_size,
            first_generation: AtomicU8::new(1),
            generation: AtomicU8::new(1),
        })
    }

    /// Number of entries.
    pub fn entries(&self) -> usize {
        self.array.items().len()
    }

    /// Empties the table, which then behaves bit for bit like a new one.
    pub fn clear(&self) {
        let generation = self.generation.load(Relaxed) + 1;
        if generation > MAX_GENERATION_BEFORE_ZEROING {
            self.zero_entries();
        } else {
            self.generation.store(generation, Relaxed);
            self.first_generation.store(generation, Relaxed);
        }
    }

    /// Starts a generation, by which results age; to call once per move, while no thread searches.
    /// After 126 of them the table is emptied.
    pub fn new_generation(&self) {
        let (first, generation) = (
            self.first_generation.load(Relaxed),
            self.generation.load(Relaxed),
        );
        if generation - first >= MAX_GENERATIONS {
            self.zero_entries();
        } else {
            self.generation.store(generation + 1, Relaxed);
        }
    }

    fn zero_entries(&self) {
        for entry in self.array.items() {
            entry.tag.store(0, Relaxed);
            entry.bounds.store(0, Relaxed);
        }
        self.generation.store(1, Relaxed);
        self.first_generation.store(1, Relaxed);
    }

    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        let [upper, lower] = self.slots_of(key);
        for entry in upper.first().into_iter().chain(lower.first()) {
            prefetch(std::ptr::from_ref(entry).cast());
        }
    }

    /// The result stored for the position of `key`; one that is usable at `depth` (1–127) goes
    /// first.
    #[inline]
    pub fn probe(&self, key: u64, depth: u32) -> Option<Hit> {
        let mut fallback = None;
        for level in self.slots_of(key) {
            for entry in level {
                let Some(content) = Content::read(entry) else {
                    continue;
                };
                if content.check == key as u32
                    && content.generation >= self.first_generation.load(Relaxed)
                {
                    let result = content.result;
                    let is_usable = result.depth == depth
                        || result.proven && result.depth <= depth
                        || self.reuse == DepthPolicy::Deeper && result.depth > depth;
                    let hit = Hit {
                        bounds: result.bounds,
                        is_usable,
                        proven: result.proven,
                        hint: result.hint,
                    };
                    if is_usable {
                        return Some(hit);
                    }
                    fallback.get_or_insert(hit);
                }
            }
        }
        fallback
    }

    /// Stores a result of the position of `key`, or rejects it by the [`Replacement`].
    #[inline]
    pub fn store(&self, key: u64, result: &NewEntry) -> StoreOutcome {
        debug_assert!((1..128).contains(&result.depth));
        let first = self.first_generation.load(Relaxed);
        let generation = self.generation.load(Relaxed);
        let content = Content {
            check: key as u32,
            generation,
            result: *result,
        };
        let [upper, lower] = self.slots_of(key);
        let old = Content::read(&upper[0]).filter(|old| old.generation >= first);
        match self.replacement {
            Replacement::Always => content.write_over(&upper[0], old),
            Replacement::DepthPreferred => match old {
                Some(old)
                    if old.generation == generation
                        && old.result.depth > result.depth
                        && old.check != content.check =>
                {
                    StoreOutcome::Rejected
                }
                old => content.write_over(&upper[0], old),
            },
            Replacement::TwoLevel => {
                let below = Content::read(&lower[0]).filter(|old| old.generation >= first);
                match old {
                    Some(old) if old.check == content.check => {
                        content.write_over(&upper[0], Some(old))
                    }
                    Some(old)
                        if old.generation == generation && old.result.depth > result.depth =>
                    {
                        content.write_over(&lower[0], below)
                    }
                    Some(old_upper) => {
                        content.write(&upper[0]);
                        old_upper.write_over(&lower[0], below)
                    }
                    None => content.write_over(&upper[0], None),
                }
            }
            Replacement::Bucketed => {
                let worth = |old: &Content| {
                    old.result.depth as i32
                        - PLIES_PER_GENERATION * i32::from(generation - old.generation)
                };
                let mut victim: Option<(&Entry, Content)> = None;
                for entry in upper {
                    match Content::read(entry).filter(|old| old.generation >= first) {
                        None => return content.write_over(entry, None),
                        Some(old) if old.check == content.check => {
                            return content.write_over(entry, Some(old));
                        }
                        Some(old)
                            if victim.is_none_or(|(_, worst)| worth(&old) < worth(&worst)) =>
                        {
                            victim = Some((entry, old))
                        }
                        Some(_) => {}
                    }
                }
                victim.map_or(StoreOutcome::Rejected, |(entry, old)| {
                    content.write_over(entry, Some(old))
                })
            }
        }
    }

    #[inline]
    fn slots_of(&self, key: u64) -> [&[Entry]; 2] {
        let entries = self.array.items();
        if self.replacement == Replacement::TwoLevel {
            let (upper, lower) = entries.split_at(entries.len() / 2);
            [
                &upper[self.slot_index(key, upper.len())..][..1],
                &lower[self.slot_index(key, lower.len())..][..1],
            ]
        } else {
            let start = self.slot_index(key, entries.len() / self.bucket_size) * self.bucket_size;
            [&entries[start..start + self.bucket_size], &[]]
        }
    }

    #[inline]
    fn slot_index(&self, key: u64, slots: usize) -> usize {
        ((u128::from(key) * slots as u128) >> 64) as usize
    }
}

#[derive(Clone, Copy, Debug)]
struct Content {
    check: u32,
    generation: u8,
    result: NewEntry,
}

impl Content {
    /// Content of an entry, `None` if empty; the check of a torn one is random.
    #[inline]
    fn read(entry: &Entry) -> Option<Self> {
        let tag = entry.tag.load(Relaxed);
        let bounds = entry.bounds.load(Relaxed);
        let generation = (tag >> 56) as u8;
        (generation != 0).then(|| Self {
            check: tag as u32 ^ fold_bounds(bounds),
            generation,
            result: NewEntry {
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
        let NewEntry {
            depth,
            bounds: Bounds { lower, upper },
            proven,
            hint,
        } = self.result;
        let bounds = u64::from(lower.to_bits()) | u64::from(upper.to_bits()) << 32;
        let tag = u64::from(self.check ^ fold_bounds(bounds))
            | u64::from(hint) << 32
            | u64::from(depth) << 48
            | u64::from(proven) << 55
            | u64::from(self.generation) << 56;
        entry.tag.store(tag, Relaxed);
        entry.bounds.store(bounds, Relaxed);
    }

    #[inline]
    fn write_over(&self, entry: &Entry, old: Option<Self>) -> StoreOutcome {
        self.write(entry);
        if old.is_some_and(|old| old.check != self.check) {
            StoreOutcome::Replacing
        } else {
            StoreOutcome::Fresh
        }
    }
}

#[inline]
fn fold_bounds(bounds: u64) -> u32 {
    (bounds.wrapping_mul(GOLDEN) >> 32) as u32
}

#[cfg(test)]
mod tests;
