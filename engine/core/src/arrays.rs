//! Arrays built element by element, in order, in hot loops.
//!
//! Unlike `map` and `from_fn` of the standard library these are inlined across codegen units
//! (searches took a quarter more time otherwise).

/// Array of `f(0)`, `f(1)` and so on.
#[inline(always)]
pub fn build_array<T: Copy + Default, const N: usize>(mut f: impl FnMut(usize) -> T) -> [T; N] {
    let mut elements = [T::default(); N];
    for (index, element) in elements.iter_mut().enumerate() {
        *element = f(index);
    }
    elements
}

/// Array of `f` of each element.
#[inline(always)]
pub fn map_array<S: Copy, T: Copy + Default, const N: usize>(
    array: [S; N],
    mut f: impl FnMut(S) -> T,
) -> [T; N] {
    build_array(|index| f(array[index]))
}
