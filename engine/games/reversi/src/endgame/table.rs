//! Transposition table of the endgame solver: positions with score bounds and a best move. Of three
//! entries in a cache line, that with the fewest empty squares is replaced.

use alea_core::pages::Pages;

const LINE_BYTES: usize = 64;
const ENTRY_BYTES: usize = 20;
const POSITION_BYTES: usize = 16;

/// Maximal empty squares of positions that share the first `CACHED_BYTES`, in the processor's
/// cache.
const MAX_CACHED_EMPTIES: u32 = 9;
const CACHED_BYTES: usize = 1 << 19;

/// Score bounds and best move; `best` is 64 for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) lower: i8,
    pub(super) upper: i8,
    pub(super) best: u8,
    pub(super) empties: u8,
}

#[derive(Debug, Default)]
pub(super) struct Table {
    entries: usize,
    lines: Option<Pages>,
    pub(super) has_estimates: bool,
}

impl Clone for Table {
    fn clone(&self) -> Self {
        Self::with_entries(self.entries)
    }
}

#[inline(always)]
fn position_bytes(own: u64, enemy: u64) -> [u8; POSITION_BYTES] {
    (u128::from(own) | u128::from(enemy) << 64).to_le_bytes()
}

impl Table {
    pub(super) fn with_entries(entries: usize) -> Self {
        let lines = entries
            .div_ceil(LINE_BYTES / ENTRY_BYTES)
            .next_power_of_two();
        let lines = (entries > 0).then(|| Pages::zeroed(lines * LINE_BYTES));
        Self {
            entries,
            lines: lines.flatten(),
            has_estimates: false,
        }
    }

    #[inline(always)]
    fn line_offset(own: u64, enemy: u64, bytes: usize) -> usize {
        let bytes = match (own | enemy).count_zeros() <= MAX_CACHED_EMPTIES {
            true => bytes.min(CACHED_BYTES),
            false => bytes,
        };
        super::super::hash_discs(own, enemy) as usize & (bytes - LINE_BYTES)
    }

    #[inline(always)]
    pub(super) fn get(&self, own: u64, enemy: u64) -> Option<Entry> {
        let lines = self.lines.as_ref()?.bytes();
        let line: &[u8; LINE_BYTES] =
            lines[Self::line_offset(own, enemy, lines.len())..].first_chunk()?;
        let discs = position_bytes(own, enemy);
        let mut entries = line.as_chunks::<ENTRY_BYTES>().0.iter();
        let entry = entries.find(|entry| entry[..POSITION_BYTES] == discs)?;
        Some(Entry {
            lower: entry[POSITION_BYTES] as i8,
            upper: entry[POSITION_BYTES + 1] as i8,
            best: entry[POSITION_BYTES + 2],
            empties: entry[POSITION_BYTES + 3],
        })
    }

    #[inline(always)]
    pub(super) fn put(&mut self, own: u64, enemy: u64, found: Entry) {
        let Some(lines) = self.lines.as_mut().map(Pages::bytes_mut) else {
            return;
        };
        let line = Self::line_offset(own, enemy, lines.len());
        let discs = position_bytes(own, enemy);
        let entries = lines[line..line + LINE_BYTES]
            .as_chunks_mut::<ENTRY_BYTES>()
            .0;
        let worth = |entry: &&mut [u8; ENTRY_BYTES]| match entry[..POSITION_BYTES] == discs {
            true => 0,
            false => 1 + entry[POSITION_BYTES + 3],
        };
        let Some(entry) = entries.iter_mut().min_by_key(worth) else {
            return;
        };
        entry[..POSITION_BYTES].copy_from_slice(&discs);
        let Entry { lower, upper, .. } = found;
        entry[POSITION_BYTES..].copy_from_slice(&[
            lower as u8,
            upper as u8,
            found.best,
            found.empties,
        ]);
    }

    pub(super) fn reset_estimated_bounds(&mut self) {
        if !std::mem::take(&mut self.has_estimates) {
            return;
        }
        let lines = self.lines.iter_mut();
        let lines = lines.flat_map(|lines| lines.bytes_mut().as_chunks_mut::<LINE_BYTES>().0);
        for entry in lines.flat_map(|line| line.as_chunks_mut::<ENTRY_BYTES>().0) {
            entry[POSITION_BYTES..POSITION_BYTES + 2].copy_from_slice(&[(-64_i8) as u8, 64]);
        }
    }
}
