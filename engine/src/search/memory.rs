//! Memory that threads share without locks: zeroed, in whole pages.
//!
//! Invariant: the pages live as long as the items that are borrowed from them.

#![allow(unsafe_code, reason = "atomic items are laid over pages")]

use super::{mcts, table};
use crate::core::pages::{Pages, prefetch};
use std::marker::PhantomData;

/// Items that may lie in such memory.
///
/// # Safety
/// The type consists of atomic integers alone, without padding, its size is a power of two of at
/// most a page, and zeros are a valid value of it.
pub(super) unsafe trait Shared: Sync {}

// SAFETY: two `AtomicU64`.
unsafe impl Shared for table::Entry {}
// SAFETY: two `AtomicU32` and one `AtomicU64`, 16 bytes in declared order.
unsafe impl Shared for mcts::Cell {}
// SAFETY: one `AtomicU64` and two `AtomicU32`, 16 bytes in declared order.
unsafe impl Shared for mcts::ColdCell {}
// SAFETY: one `AtomicU64`.
unsafe impl Shared for mcts::Slot {}

#[derive(Debug)]
pub(super) struct Memory<T> {
    pages: Pages,
    items: PhantomData<fn() -> T>,
}

impl<T: Shared> Memory<T> {
    /// Memory for `items` items, at least one; `None` if there is not that much.
    pub(super) fn zeroed(items: usize) -> Option<Self> {
        const { assert!(size_of::<T>().is_power_of_two() && size_of::<T>() <= 4096) };
        let bytes = items.checked_mul(size_of::<T>())?;
        Some(Self {
            pages: Pages::zeroed(bytes)?,
            items: PhantomData,
        })
    }

    #[inline]
    pub(super) fn items(&self) -> &[T] {
        // SAFETY: the memory is aligned to pages, at least as much as an item, whose size is a power
        // of two of at most a page (`Shared`); there are as many whole items as are lent; all bytes
        // are initialised (zero at first), and an item consists of atomics, for which every bit
        // pattern is valid. All access is through shared references to those atomics: the memory is
        // private to this value, which lives as long as they do, and gives out nothing else.
        unsafe {
            std::slice::from_raw_parts(
                self.pages.as_mut_ptr().cast::<T>(),
                self.pages.len() / size_of::<T>(),
            )
        }
    }

    /// Asks for the cache line of an item, to write to it; of one that does not exist nothing
    /// comes.
    #[inline]
    pub(super) fn prefetch_to_write(&self, index: usize) {
        let item = self.pages.as_mut_ptr().cast::<T>().wrapping_add(index);
        // Miri knows no assembly.
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        // SAFETY: prefetching reads and writes nothing, whatever the address, and has no effect but
        // on caches; x86-64 processors that do not know the instruction pass over it.
        unsafe {
            std::arch::asm!("prefetchw [{}]", in(reg) item.addr(), options(nomem, nostack, preserves_flags));
        }
        #[cfg(any(not(target_arch = "x86_64"), miri))]
        let _ = item;
    }

    /// Asks for the cache line of an item; of one that does not exist nothing comes.
    #[inline]
    pub(super) fn prefetch(&self, index: usize) {
        let item = self.pages.as_mut_ptr().cast::<T>().wrapping_add(index);
        prefetch(item.cast());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    // SAFETY: one `AtomicU64`.
    unsafe impl Shared for AtomicU64 {}

    #[test]
    fn threads_share_zeroed_items() {
        let memory = Memory::<AtomicU64>::zeroed(700).unwrap();
        assert!(memory.items().iter().all(|item| item.load(Relaxed) == 0));
        std::thread::scope(|scope| {
            for thread in 1..=2 {
                let memory = &memory;
                scope.spawn(move || {
                    for (index, item) in memory.items().iter().enumerate() {
                        memory.prefetch(index + 4);
                        memory.prefetch_to_write(usize::MAX - index);
                        item.fetch_add(thread, Relaxed);
                    }
                });
            }
        });
        assert!(memory.items().iter().all(|item| item.load(Relaxed) == 3));
        assert!(Memory::<AtomicU64>::zeroed(usize::MAX).is_none());
        assert!(Memory::<AtomicU64>::zeroed(0).unwrap().items().is_empty());
    }
}
