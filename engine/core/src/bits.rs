//! Sets of numbers below 64 in one word.

/// Indices of the set bits, ascending.
#[inline]
pub fn bit_indices(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let number = set.trailing_zeros() as usize;
            set &= set - 1;
            number
        })
    })
}

/// Index of the set bit with `before` set bits below it; 64 if there is none.
#[inline]
pub fn nth_set_bit(set: u64, before: usize) -> usize {
    let remaining = (0..before).fold(set, |remaining, _| remaining & remaining.wrapping_sub(1));
    remaining.trailing_zeros() as usize
}
