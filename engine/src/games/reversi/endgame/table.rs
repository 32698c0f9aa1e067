//! What is known of positions: bounds of their scores, and the best move.
//!
//! Three entries fill a line of the cache; the one with the fewest empty squares makes way. Memory
//! is mapped from the system, in huge pages if it has them: most accesses would otherwise miss the
//! cache of addresses too, and it costs nothing until it is used. Invariant: an entry counts only
//! for the very position it was made for.

use crate::core::pages::Pages;

/// Bytes of a line of the cache, of an entry, and of the two sets of discs that it begins with.
const LINE: usize = 64;
const ENTRY: usize = 20;
const DISCS: usize = 16;

/// Positions with so few empty squares on the board of 8×8, which are most, share the first bytes:
/// these stay in the processor's cache. That saves a tenth to a fifth of the time.
const MAX_CACHED_EMPTIES: u32 = 9;
const CACHED_BYTES: usize = 1 << 19;

/// The bounds of one position's score, the square of its best move (64 if none is known), and how
/// many squares are empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) lower: i8,
    pub(super) upper: i8,
    pub(super) best: u8,
    pub(super) empties: u8,
}

/// The table. Its copies are empty.
#[derive(Debug, Default)]
pub(super) struct Table {
    entries: usize,
    /// Nothing if there is no memory: then nothing is ever known.
    lines: Option<Pages>,
    /// Whether its bounds may be guesses.
    pub(super) holds_guesses: bool,
}

impl Clone for Table {
    fn clone(&self) -> Self {
        Self::with_entries(self.entries)
    }
}

/// The discs as an entry begins with them.
#[inline(always)]
fn discs(own: u64, enemy: u64) -> [u8; DISCS] {
    (u128::from(own) | u128::from(enemy) << 64).to_le_bytes()
}

impl Table {
    /// An empty table of so many entries, or somewhat more; with none it never knows anything.
    pub(super) fn with_entries(entries: usize) -> Self {
        let lines = entries.div_ceil(LINE / ENTRY).next_power_of_two();
        let lines = (entries > 0).then(|| Pages::zeroed(lines * LINE));
        Self {
            entries,
            lines: lines.flatten(),
            holds_guesses: false,
        }
    }

    /// The place of a position: the first byte of its line.
    #[inline(always)]
    fn line(own: u64, enemy: u64, bytes: usize) -> usize {
        let bytes = match (own | enemy).count_zeros() <= MAX_CACHED_EMPTIES {
            true => bytes.min(CACHED_BYTES),
            false => bytes,
        };
        // Whose turn it is does not matter.
        super::super::hash_sets(own, enemy) as usize & (bytes - LINE)
    }

    /// What is known of a position.
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

    /// Remembers what is known of a position.
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

    /// Forgets the bounds if they may be guesses, but no best move.
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
