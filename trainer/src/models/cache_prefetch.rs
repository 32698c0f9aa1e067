//! Prefetches cache lines on x86-64; otherwise does nothing.
#![allow(unsafe_code)]

#[inline(always)]
pub(super) fn prefetch<T>(cells: &[T], indices: &[u32]) {
    for &index in indices {
        let cell = cells.as_ptr().wrapping_add(index as usize);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: prefetching reads nothing, whatever the address, and has no effect but on caches;
        // every x86-64 processor has it.
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(cell.cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = cell;
    }
}
