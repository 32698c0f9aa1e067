//! Transposition table: what is known of positions that were searched before.
//!
//! 16 bytes an entry: the key with the remaining depth in its lowest byte, and both bounds. An entry is used only
//! at exactly its depth, so a search with a table returns what it returns without. The newest entry replaces.
//! Invariant: after [`Table::forget`] the table behaves to the last bit as an empty one.

use crate::chance::Bounds;

/// A table of fixed size.
#[derive(Clone, Debug)]
pub struct Table {
    entries: Vec<Entry>,
    /// Differs from game to game, so that entries of earlier games are not recognised.
    salt: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// Salted key, its lowest byte replaced by the depth; depth 0 marks an empty entry.
    tag: u64,
    lower: f32,
    upper: f32,
}

impl Table {
    /// A table of `mebibytes` MiB, or of one entry for 0.
    #[must_use]
    pub fn new(mebibytes: usize) -> Self {
        Self::with_entries((mebibytes << 20) / size_of::<Entry>())
    }

    /// A table of at least one entry.
    #[must_use]
    pub fn with_entries(entries: usize) -> Self {
        Self { entries: vec![Entry::default(); entries.max(1)], salt: 0 }
    }

    /// Forgets everything, without touching memory.
    pub fn forget(&mut self) {
        // An odd step visits every salt before one repeats.
        self.salt = self.salt.wrapping_add(0x9E37_79B9_7F4A_7C15);
    }

    /// What is known of a position at exactly this remaining depth (1–255).
    #[must_use]
    #[inline]
    pub fn probe(&self, key: u64, depth: u32) -> Option<Bounds> {
        let entry = &self.entries[self.slot(key)];
        (entry.tag == self.tag(key, depth)).then_some(Bounds { lower: entry.lower, upper: entry.upper })
    }

    /// Keeps what a search found at this remaining depth (1–255).
    #[inline]
    pub fn store(&mut self, key: u64, depth: u32, bounds: Bounds) {
        let slot = self.slot(key);
        self.entries[slot] = Entry { tag: self.tag(key, depth), lower: bounds.lower, upper: bounds.upper };
    }

    #[inline]
    fn slot(&self, key: u64) -> usize {
        ((u128::from(key) * self.entries.len() as u128) >> 64) as usize
    }

    #[inline]
    fn tag(&self, key: u64, depth: u32) -> u64 {
        debug_assert!((1..256).contains(&depth));
        ((key ^ self.salt) & !0xFF) | u64::from(depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_found_at_its_key_and_depth_only() {
        let mut table = Table::with_entries(4);
        let bounds = Bounds { lower: 0.25, upper: 0.5 };
        table.store(0xABCD_EF01_2345_6789, 3, bounds);
        assert_eq!(table.probe(0xABCD_EF01_2345_6789, 3), Some(bounds));
        assert_eq!(table.probe(0xABCD_EF01_2345_6789, 2), None);
        assert_eq!(table.probe(0xABCD_EF01_2345_7789, 3), None);
        table.forget();
        assert_eq!(table.probe(0xABCD_EF01_2345_6789, 3), None);
    }

    #[test]
    fn an_empty_table_knows_nothing_and_the_newest_entry_replaces() {
        let mut table = Table::new(0);
        assert_eq!(table.probe(0, 1), None);
        table.store(1 << 40, 1, Bounds::exact(0.5));
        table.store(1 << 50, 1, Bounds::exact(0.75));
        assert_eq!(table.probe(1 << 40, 1), None);
        assert_eq!(table.probe(1 << 50, 1), Some(Bounds::exact(0.75)));
    }
}
