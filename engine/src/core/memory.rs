//! Memory that may be missing: large lists whose caller goes on without them, or says so.
//!
//! A program may end where an allocation fails, as the command does; those that are made here it leaves
//! alone ([`may_fail`]), and so the caller hears of it.

use std::cell::Cell;

thread_local! {
    static MAY_FAIL: Cell<bool> = const { Cell::new(false) };
}

/// An empty list with room for exactly so many items; `None` if there is not that much memory.
pub(crate) fn with_capacity<T>(items: usize) -> Option<Vec<T>> {
    let mut list = Vec::new();
    MAY_FAIL.set(true);
    let reserved = list.try_reserve_exact(items);
    MAY_FAIL.set(false);
    reserved.ok().map(|()| list)
}

/// Whether the allocation that is under way on this thread is one of these. For allocators: it
/// allocates nothing.
#[must_use]
pub fn may_fail() -> bool {
    MAY_FAIL.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_missing_is_no_list() {
        for items in [0, 1, 1000] {
            let list: Vec<u64> = with_capacity(items).unwrap();
            assert!(list.is_empty() && list.capacity() == items && !may_fail());
        }
        for items in [usize::MAX, usize::MAX / 16] {
            assert!(with_capacity::<u64>(items).is_none() && !may_fail());
        }
    }
}
