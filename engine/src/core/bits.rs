//! Sets of numbers below 64, one bit each.

/// The numbers in a set, in order.
#[inline]
pub(crate) fn members(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let number = set.trailing_zeros() as usize;
            set &= set - 1;
            number
        })
    })
}

/// The number in a set that so many others come before.
#[inline]
pub(crate) fn nth(set: u64, before: usize) -> usize {
    let left = (0..before).fold(set, |left, _| left & left.wrapping_sub(1));
    left.trailing_zeros() as usize
}
