//! Zeroed memory, aligned to 4096 bytes; on Linux in huge pages if large.

#![allow(unsafe_code, reason = "memory is lent as bytes")]

#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// Zeroed bytes, which threads share through [`Pages::as_mut_ptr`].
#[derive(Debug)]
pub struct Pages(Mapped);

#[cfg(any(unix, windows))]
type Mapped = memmap2::MmapRaw;
#[cfg(not(any(unix, windows)))]
type Mapped = heap::HeapPages;

/// Prefetches the cache line of an address, valid or not (x86-64).
#[inline(always)]
pub fn prefetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching accesses no memory, whatever the address; every x86-64 processor has it.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

impl Pages {
    /// Allocates zeroed bytes; `None` without enough memory.
    pub fn zeroed(bytes: usize) -> Option<Self> {
        #[cfg(any(unix, windows))]
        {
            let pages = memmap2::MmapMut::map_anon(bytes).ok()?;
            #[cfg(target_os = "linux")]
            if bytes >= HUGE_PAGE {
                let _ = pages.advise(memmap2::Advice::HugePage);
            }
            Some(Self(pages.into()))
        }
        #[cfg(not(any(unix, windows)))]
        Mapped::zeroed(bytes).map(Self)
    }

    /// Size in bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the size is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Pointer to the first byte.
    #[inline]
    pub fn as_mut_ptr(&self) -> *mut u8 {
        self.0.as_mut_ptr()
    }

    /// All bytes; nobody may write through [`Self::as_mut_ptr`] meanwhile.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: initialised and borrowed from its owner; writers through the pointer exclude
        // concurrent reads.
        unsafe { std::slice::from_raw_parts(self.as_mut_ptr(), self.len()) }
    }

    /// All bytes, mutable.
    #[inline]
    #[must_use]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: initialised and exclusively borrowed from its owner.
        unsafe { std::slice::from_raw_parts_mut(self.as_mut_ptr(), self.len()) }
    }
}

#[cfg(not(any(unix, windows)))]
mod heap {

    use std::cell::UnsafeCell;

    #[derive(Debug)]
    #[repr(align(4096))]
    struct Page(#[expect(dead_code, reason = "reached by its address")] UnsafeCell<[u8; 4096]>);

    // SAFETY: sharing exposes the address only; writers are responsible.
    unsafe impl Sync for Page {}

    #[derive(Debug)]
    pub(super) struct HeapPages {
        pages: Vec<Page>,
        bytes: usize,
    }

    impl HeapPages {
        pub(super) fn zeroed(bytes: usize) -> Option<Self> {
            let count = bytes.div_ceil(4096);
            let mut pages = crate::fallible_allocation::with_capacity(count)?;
            pages.resize_with(count, || Page(UnsafeCell::new([0; 4096])));
            Some(Self { pages, bytes })
        }

        pub(super) fn len(&self) -> usize {
            self.bytes
        }

        pub(super) fn as_mut_ptr(&self) -> *mut u8 {
            self.pages.as_ptr().cast_mut().cast()
        }
    }
}
