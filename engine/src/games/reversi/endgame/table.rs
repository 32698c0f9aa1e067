//! Transposition table of the endgame solver: bounds of scores, and best moves.
//!
//! Three entries fill a cache line; the one with the fewest empty squares is replaced. Memory is
//! mapped in huge pages where available. Invariant: an entry stores its complete position.

use crate::core::pages::Pages;

/// Bytes of a cache line, of an entry, and of the two sets of discs at its beginning.
const LINE: usize = 64;
const ENTRY: usize = 20;
const DISCS: usize = 16;

/// Positions of 8×8 with so few empty squares, the majority, share the first bytes, which stay in
/// the processor's cache: a tenth to a fifth faster.
const MAX_CACHED_EMPTIES: u32 = 9;
const CACHED_BYTES: usize = 1 << 19;

/// Bounds of a position's score, its best square (64 for none), and its number of empty squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) lower: i8,
    pub(super) upper: i8,
    pub(super) best: u8,
    pub(super) empties: u8,
}

/// The table. Its clones are empty.
#[derive(Debug, Default)]
pub(super) struct Table {
    entries: usize,
    /// `None` without memory: then nothing is stored.
    lines: Option<Pages>,
    /// Whether its bounds may be estimates.
    pub(super) holds_guesses: bool,
}

impl Clone for Table {
    fn clone(&self) -> Self {
        Self::with_entries(self.entries)
    }
}

/// The discs as stored in an entry.
#[inline(always)]
fn discs(own: u64, enemy: u64) -> [u8; DISCS] {
    (u128::from(own) | u128::from(enemy) << 64).to_le_bytes()
}

impl Table {
    /// An empty table of at least so many entries; 0 stores nothing.
    pub(super) fn with_entries(entries: usize) -> Self {
        let lines = entries.div_ceil(LINE / ENTRY).next_power_of_two();
        let lines = (entries > 0).then(|| Pages::zeroed(lines * LINE));
        Self {
            entries,
            lines: lines.flatten(),
            holds_guesses: false,
        }
    }

    /// Offset of a position's cache line.
    #[inline(always)]
    fn line(own: u64, enemy: u64, bytes: usize) -> usize {
        let bytes = match (own | enemy).count_zeros() <= MAX_CACHED_EMPTIES {
            true => bytes.min(CACHED_BYTES),
            false => bytes,
        };
        // Independent of the seat to move.
        super::super::hash_sets(own, enemy) as usize & (bytes - LINE)
    }

    /// The entry of a position.
    #[inline(always)]
    pub(super) fn get(&self, own: u64, enemy: u64) -> Option<Entry> {
        let lines = self.lines.as_ref()?.bytes();
        let line: &[u8; LINE] = lines[Self::line(own, enemy, lines.len())..].first_chunk()?;
        let discs = discs(own, enemy);
        let mut entries = line.as_chunks::<ENTRY>().0.iter();
        let entry = entries.find(|entry| entry[..DISCS] == discs)?;
        Some(Entry {
            lower: entry[DISCS] as i8,
            upper: entry[DISCS + 1] as i8,
            best: entry[DISCS + 2],
            empties: entry[DISCS + 3],
        })
    }

    /// Stores an entry.
    #[inline(always)]
    pub(super) fn put(&mut self, own: u64, enemy: u64, found: Entry) {
        let Some(lines) = self.lines.as_mut().map(Pages::bytes_mut) else {
            return;
        };
        let line = Self::line(own, enemy, lines.len());
        let discs = discs(own, enemy);
        let entries = lines[line..line + LINE].as_chunks_mut::<ENTRY>().0;
        let worth = |entry: &&mut [u8; ENTRY]| match entry[..DISCS] == discs {
            true => 0,
            false => 1 + entry[DISCS + 3],
        };
        let Some(entry) = entries.iter_mut().min_by_key(worth) else {
            return;
        };
        entry[..DISCS].copy_from_slice(&discs);
        let Entry { lower, upper, .. } = found;
        entry[DISCS..].copy_from_slice(&[lower as u8, upper as u8, found.best, found.empties]);
    }

    /// Drops bounds that may be estimates; best moves stay.
    pub(super) fn forget_guesses(&mut self) {
        if !std::mem::take(&mut self.holds_guesses) {
            return;
        }
        let lines = self.lines.iter_mut();
        let lines = lines.flat_map(|lines| lines.bytes_mut().as_chunks_mut::<LINE>().0);
        for entry in lines.flat_map(|line| line.as_chunks_mut::<ENTRY>().0) {
            entry[DISCS..DISCS + 2].copy_from_slice(&[(-64_i8) as u8, 64]);
        }
    }
}
