//! Zeroed page-aligned arrays that threads share without locks.

#![allow(unsafe_code, reason = "atomic items are laid over pages")]

use super::{mcts, table};
use alea_core::pages::{Pages, prefetch};
use std::marker::PhantomData;

/// Item of a [`SharedArray`].
///
/// # Safety
/// The type consists of atomic integers without padding, its size is a power of two and at most a
/// page, and all zeros is a valid value.
pub(super) unsafe trait SharedItem: Sync {}

// SAFETY: two `AtomicU64`.
unsafe impl SharedItem for table::Entry {}
// SAFETY: two `AtomicU32` and one `AtomicU64`, 16 bytes in declared order.
unsafe impl SharedItem for mcts::Cell {}
// SAFETY: one `AtomicU64` and two `AtomicU32`, 16 bytes in declared order.
unsafe impl SharedItem for mcts::ColdCell {}
// SAFETY: one `AtomicU64`.
unsafe impl SharedItem for mcts::Slot {}

#[derive(Debug)]
pub(super) struct SharedArray<T> {
    pages: Pages,
    items: PhantomData<fn() -> T>,
}

impl<T: SharedItem> SharedArray<T> {
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
        // SAFETY: the memory is aligned to pages, so to items, whose size is a power of two of at
        // most a page (`SharedItem`); the slice has complete items only; all bytes are initialised,
        // and every bit pattern is valid for atomics. The memory is private to this value, outlives
        // the references and is accessed through shared ones only.
        unsafe {
            std::slice::from_raw_parts(
                self.pages.as_mut_ptr().cast::<T>(),
                self.pages.len() / size_of::<T>(),
            )
        }
    }

    /// Prefetches an item; any `index` is allowed.
    #[inline]
    pub(super) fn prefetch_to_write(&self, index: usize) {
        let item = self.pages.as_mut_ptr().cast::<T>().wrapping_add(index);
        // Miri does not support assembly.
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        // SAFETY: prefetching accesses no memory, whatever the address, and affects caches only;
        // x86-64 processors without the instruction ignore it.
        unsafe {
            std::arch::asm!("prefetchw [{}]", in(reg) item.addr(), options(nomem, nostack, preserves_flags));
        }
        #[cfg(any(not(target_arch = "x86_64"), miri))]
        let _ = item;
    }

    /// Prefetches an item; any `index` is allowed.
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
    unsafe impl SharedItem for AtomicU64 {}

    #[test]
    fn zeroed_items_are_common_to_threads() {
        let array = SharedArray::<AtomicU64>::zeroed(700).unwrap();
        assert!(array.items().iter().all(|item| item.load(Relaxed) == 0));
        std::thread::scope(|scope| {
            for thread in 1..=2 {
                let array = &array;
                scope.spawn(move || {
                    for (index, item) in array.items().iter().enumerate() {
                        array.prefetch(index + 4);
                        array.prefetch_to_write(usize::MAX - index);
                        item.fetch_add(thread, Relaxed);
                    }
                });
            }
        });
        assert!(array.items().iter().all(|item| item.load(Relaxed) == 3));
        assert!(SharedArray::<AtomicU64>::zeroed(usize::MAX).is_none());
        assert!(
            SharedArray::<AtomicU64>::zeroed(0)
                .unwrap()
                .items()
                .is_empty()
        );
    }
}
