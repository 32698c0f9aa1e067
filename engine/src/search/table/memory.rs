//! The memory of a table: zeroed, aligned to cache lines, in huge pages where the system grants them.
//!
//! Pages are mapped from the system and become real when they are first written, so a large table costs nothing until
//! it is used. Invariant: the mapping lives as long as the entries that are borrowed from it.

#![allow(unsafe_code, reason = "atomic entries are laid over mapped memory")]

use super::Entry;
use memmap2::MmapMut;

/// Zeroed memory for entries.
#[derive(Debug)]
pub(super) struct Memory {
    pages: MmapMut,
}

/// From this size on huge pages are asked for: the size of one.
const HUGE_PAGE: usize = 2 << 20;

impl Memory {
    /// Memory for `entries` entries, at least one; `None` if there is not that much.
    pub(super) fn zeroed(entries: usize) -> Option<Self> {
        let pages = MmapMut::map_anon(entries.checked_mul(size_of::<Entry>())?).ok()?;
        #[cfg(target_os = "linux")]
        if pages.len() >= HUGE_PAGE {
            // A wish: without them the table works as well, only with more misses of the address cache.
            let _ = pages.advise(memmap2::Advice::HugePage);
        }
        Some(Self { pages })
    }

    #[inline]
    pub(super) fn entries(&self) -> &[Entry] {
        // SAFETY: the mapping is aligned to pages, its length is a multiple of the entry's size, all its bytes are
        // initialised (zero at first), and an entry is two atomics, for which every bit pattern is valid. All access is
        // through shared references to those atomics, and the mapping is private to this value.
        unsafe { std::slice::from_raw_parts(self.pages.as_ptr().cast::<Entry>(), self.pages.len() / size_of::<Entry>()) }
    }
}
