//! Parallel loops on rayon's thread pool. Chains of rayon's iterators would be compiled anew for
//! every game (a tenth of the command's build, measured).

use rayon::prelude::*;
use std::convert::Infallible;
use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
};

/// Calls `task` for each index below `count`.
pub fn for_each(count: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().with_max_len(1).for_each(task);
}

/// Results of `task` for each index below `count`, in order.
pub fn map<T: Send>(count: usize, task: impl Fn(usize) -> T + Sync) -> Vec<T> {
    unwrap_infallible(try_map(count, |index| Ok(task(index))))
}

/// [`map`] of fallible tasks.
///
/// # Errors
/// The error of the lowest index that has one; later indices may be left out.
pub fn try_map<T: Send, E: Send>(
    count: usize,
    task: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    try_map_with(count, || (), |(), index| task(index))
}

/// [`try_map`] whose `task` also receives what `make` makes for each thread.
pub fn try_map_with<W, T: Send, E: Send>(
    count: usize,
    make: impl Fn() -> W + Sync,
    task: impl Fn(&mut W, usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let results: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    try_for_each_with(count, make, |tools, index| {
        let result = task(tools, index)?;
        *lock(&results[index]) = Some(result);
        Ok(())
    })?;
    let results = results.into_iter();
    Ok(results.filter_map(into_inner).collect())
}

/// [`for_each`] of fallible tasks, with what `make` makes for each thread.
///
/// # Errors
/// As [`try_map`].
pub fn try_for_each_with<W, E: Send>(
    count: usize,
    make: impl Fn() -> W + Sync,
    task: impl Fn(&mut W, usize) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let lowest: Mutex<Option<(usize, E)>> = Mutex::new(None);
    run_threads(count, &|indices| {
        let mut tools = make();
        while let Some(index) = indices.take() {
            if let Err(error) = task(&mut tools, index) {
                indices.stop();
                let mut lowest = lock(&lowest);
                if lowest.as_ref().is_none_or(|(other, _)| index < *other) {
                    *lowest = Some((index, error));
                }
            }
        }
    });
    // Indices are taken in order, so every index below one with an error was tried.
    into_inner(lowest).map_or(Ok(()), |(_, error)| Err(error))
}

/// Calls `task` with each item, in parallel, and returns the results in order; `task` also receives
/// what `make` makes for each thread.
pub fn map_items_with<I: Send, W, T: Send>(
    items: impl IntoIterator<Item = I>,
    make: impl Fn() -> W + Sync,
    task: impl Fn(&mut W, I) -> T + Sync,
) -> Vec<T> {
    let items: Vec<Mutex<Option<I>>> = items
        .into_iter()
        .map(|item| Mutex::new(Some(item)))
        .collect();
    let results = try_map_with(items.len(), make, |tools, index| {
        let item = lock(&items[index]).take();
        Ok(item.map(|item| task(tools, item)))
    });
    unwrap_infallible(results).into_iter().flatten().collect()
}

fn unwrap_infallible<T>(result: Result<T, Infallible>) -> T {
    match result {
        Ok(value) => value,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

struct IndexQueue {
    next: AtomicUsize,
    count: usize,
    stopped: AtomicBool,
}

impl IndexQueue {
    fn take(&self) -> Option<usize> {
        if self.stopped.load(Relaxed) {
            return None;
        }
        let index = self.next.fetch_add(1, Relaxed);
        (index < self.count).then_some(index)
    }

    fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }
}

fn run_threads(count: usize, work: &(dyn Fn(&IndexQueue) + Sync)) {
    let indices = IndexQueue {
        next: AtomicUsize::new(0),
        count,
        stopped: AtomicBool::new(false),
    };
    let threads = rayon::current_num_threads().min(count);
    for_each(threads, &|_| {
        if indices.next.load(Relaxed) < count {
            work(&indices);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_indices_on_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(|| {
                for count in [0, 1, 3, 1000] {
                    let squares: Vec<usize> = (0..count).map(|index| index * index).collect();
                    assert_eq!(map(count, |index| index * index), squares);
                    let made = AtomicUsize::new(0);
                    let make = || made.fetch_add(1, Relaxed);
                    assert_eq!(
                        map_items_with(0..count, make, |_, item| item * item),
                        squares
                    );
                    assert!(made.into_inner() <= threads);
                }
            });
        }
    }

    #[test]
    fn the_error_is_that_of_the_lowest_index() {
        for _ in 0..100 {
            let done = AtomicUsize::new(0);
            let found = try_map(1_000_000, |index| {
                done.fetch_add(1, Relaxed);
                if index % 7 == 3 { Err(index) } else { Ok(()) }
            });
            assert_eq!(found, Err(3));
            assert!(done.into_inner() < 1_000_000);
        }
    }

    #[test]
    fn loops_may_be_nested() {
        let sums = map(50, |outer| {
            map(50, |inner| outer * inner).into_iter().sum::<usize>()
        });
        assert_eq!(sums[2], 2 * 49 * 25);
    }
}
