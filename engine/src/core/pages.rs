//! Zeroed memory in whole pages, in huge ones where the system grants them.
//!
//! Pages come from the system and become real when they are first written, so a large table costs
//! nothing until it is used. Where a system maps no memory (a browser) it is allocated. Invariant:
//! the memory is aligned to 4096 bytes, does not move, and lives as long as its owner.

#![allow(unsafe_code, reason = "memory is lent as bytes")]

/// From this size on huge pages are asked for: the size of one.
#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// Bytes that are zero at first. Who shares them between threads takes the pointer.
#[derive(Debug)]
pub struct Pages(Mapped);

#[cfg(any(unix, windows))]
type Mapped = memmap2::MmapRaw;
#[cfg(not(any(unix, windows)))]
type Mapped = allocated::Allocated;

/// Asks for the cache line of an address; where nothing is, nothing comes.
#[inline(always)]
pub(crate) fn prefetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching reads nothing, whatever the address, and has no effect but on caches;
    // every x86-64 processor has it.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

impl Pages {
    /// So many bytes; `None` if there is not that much memory.
    #[must_use]
    pub fn zeroed(bytes: usize) -> Option<Self> {
        #[cfg(any(unix, windows))]
        {
            let pages = memmap2::MmapMut::map_anon(bytes).ok()?;
            #[cfg(target_os = "linux")]
            if bytes >= HUGE_PAGE {
                // A wish: without them the memory works as well, only with more misses of the
                // address cache.
                let _ = pages.advise(memmap2::Advice::HugePage);
            }
            Some(Self(pages.into()))
        }
        #[cfg(not(any(unix, windows)))]
        Mapped::zeroed(bytes).map(Self)
    }

    /// How many bytes there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first byte.
    #[inline]
    #[must_use]
    pub fn as_mut_ptr(&self) -> *mut u8 {
        self.0.as_mut_ptr()
    }

    /// All bytes. Who writes through the pointer vouches that nobody looks here meanwhile.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the memory is initialised and lives as long as its owner, who is borrowed; whoever
        // writes to it otherwise does so by unsafe code that is to keep others away.
        unsafe { std::slice::from_raw_parts(self.as_mut_ptr(), self.len()) }
    }

    /// All bytes, to be written.
    #[inline]
    #[must_use]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the memory is initialised and lives as long as its owner, who is borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.as_mut_ptr(), self.len()) }
    }
}

#[cfg(not(any(unix, windows)))]
mod allocated {
    //! What stands in for a mapping.

    use std::cell::UnsafeCell;

    #[derive(Debug)]
    #[repr(align(4096))]
    struct Page(#[expect(dead_code, reason = "reached by its address")] UnsafeCell<[u8; 4096]>);

    // SAFETY: shared it gives nothing but its address; who writes there vouches for it.
    unsafe impl Sync for Page {}

    #[derive(Debug)]
    pub(super) struct Allocated {
        pages: Vec<Page>,
        bytes: usize,
    }

    impl Allocated {
        pub(super) fn zeroed(bytes: usize) -> Option<Self> {
            let count = bytes.div_ceil(4096);
            let mut pages = crate::core::memory::with_capacity(count)?;
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
