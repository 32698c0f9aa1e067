//! Allocation that returns `None` where the program's allocator would abort.

use std::cell::Cell;

thread_local! {
    static ALLOCATION_MAY_FAIL: Cell<bool> = const { Cell::new(false) };
}

/// An empty list of this capacity; `None` without enough memory.
pub fn with_capacity<T>(items: usize) -> Option<Vec<T>> {
    let mut list = Vec::new();
    ALLOCATION_MAY_FAIL.set(true);
    let reserved = list.try_reserve_exact(items);
    ALLOCATION_MAY_FAIL.set(false);
    reserved.ok().map(|()| list)
}

/// Whether this thread is in [`with_capacity`], where allocators must not abort.
pub fn allocation_may_fail() -> bool {
    ALLOCATION_MAY_FAIL.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_missing_is_no_list() {
        for items in [0, 1, 1000] {
            let list: Vec<u64> = with_capacity(items).unwrap();
            assert!(list.is_empty() && list.capacity() == items && !allocation_may_fail());
        }
        for items in [usize::MAX, usize::MAX / 16] {
            assert!(with_capacity::<u64>(items).is_none() && !allocation_may_fail());
        }
    }
}
