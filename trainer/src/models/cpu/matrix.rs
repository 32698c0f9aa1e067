//! Products of small matrices, sixteen columns at a time. Elements are summed in the order of the
//! inner index, without fused multiply-add, so all processors give the same bits.

use super::fake_quantization::Activation;
use super::simd_vector::{LANES, Lanes, Vector};
use std::ops::{Deref, DerefMut, Range};

#[inline(always)]
pub(super) fn lanes(matrix: &[f32]) -> &[Lanes] {
    matrix.as_chunks().0
}

#[inline(always)]
pub(super) fn lanes_mut(matrix: &mut [f32]) -> &mut [Lanes] {
    matrix.as_chunks_mut().0
}

/// Numbers aligned to a cache line; resizing or cloning loses them.
#[derive(Clone, Debug, Default)]
pub(super) struct AlignedBuffer(Vec<f32>);

const MAX_PADDING: usize = LANES - 1;

impl AlignedBuffer {
    pub(super) fn resize(&mut self, length: usize) {
        self.0.resize(length + MAX_PADDING, 0.0);
    }

    fn range(&self) -> Range<usize> {
        let padding = self.0.as_ptr().align_offset(size_of::<Lanes>());
        let start = padding.min(MAX_PADDING).min(self.0.len());
        start..start + self.0.len().saturating_sub(MAX_PADDING)
    }
}

impl Deref for AlignedBuffer {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.0[self.range()]
    }
}

impl DerefMut for AlignedBuffer {
    fn deref_mut(&mut self) -> &mut [f32] {
        let range = self.range();
        &mut self.0[range]
    }
}

#[derive(Clone, Copy)]
pub(super) enum Finish<'a> {
    Activate(Activation),
    /// Sets derivatives to 0 where these activations are clipped.
    ZeroWhereClipped(&'a [Lanes]),
}

/// Sets `c` to `start + a · b`, with `finish` applied to each element; `a` has `inner` columns, `b`
/// and `c` have 16 · `width`.
#[inline(always)]
pub(super) fn set_product<V: Vector, const ROWS: usize>(
    a: &[f32],
    b: &[Lanes],
    start: &[Lanes],
    finish: Finish<'_>,
    c: &mut [Lanes],
    inner: usize,
    width: usize,
) {
    let rows = c.len() / width;
    let mut row = 0;
    while row < rows {
        if row + ROWS <= rows {
            product_rows::<V, ROWS>(
                row,
                &a[row * inner..][..ROWS * inner],
                b,
                start,
                finish,
                c,
                width,
            );
            row += ROWS;
        } else {
            product_rows::<V, 1>(row, &a[row * inner..][..inner], b, start, finish, c, width);
            row += 1;
        }
    }
}

#[inline(always)]
fn product_rows<V: Vector, const ROWS: usize>(
    first: usize,
    a: &[f32],
    b: &[Lanes],
    start: &[Lanes],
    finish: Finish<'_>,
    c: &mut [Lanes],
    width: usize,
) {
    let inner = a.len() / ROWS;
    let mut rows = [&a[..inner]; ROWS];
    for row in 0..ROWS {
        rows[row] = &a[row * inner..][..inner];
    }
    for column in 0..width {
        let mut sums = [V::load(start.get(column).unwrap_or(&[0.0; LANES])); ROWS];
        for index in 0..inner {
            let b = V::load(&b[index * width + column]);
            for row in 0..ROWS {
                sums[row] = sums[row].plus(V::splat(rows[row][index]).times(b));
            }
        }
        for (row, sum) in sums.iter().enumerate() {
            let at = (first + row) * width + column;
            let finished = match finish {
                Finish::Activate(activation) => activation.apply(*sum),
                Finish::ZeroWhereClipped(values) => sum.zero_where_clipped(V::load(&values[at])),
            };
            finished.store(&mut c[at]);
        }
    }
}

/// `c += aᵀ · b`; `b` and `c` have 16 · `width` columns.
#[inline(always)]
pub(super) fn add_transposed_product<V: Vector, const ROWS: usize>(
    a: &[f32],
    b: &[Lanes],
    c: &mut [Lanes],
    width: usize,
) {
    let rows = c.len() / width;
    for (number, c) in c.chunks_mut(ROWS * width).enumerate() {
        let first = number * ROWS;
        if c.len() == ROWS * width {
            transposed_rows::<V, ROWS>(a, b, c, first, rows, width);
        } else {
            for (row, c) in c.chunks_exact_mut(width).enumerate() {
                transposed_rows::<V, 1>(a, b, c, first + row, rows, width);
            }
        }
    }
}

#[inline(always)]
fn transposed_rows<V: Vector, const ROWS: usize>(
    a: &[f32],
    b: &[Lanes],
    c: &mut [Lanes],
    first: usize,
    rows: usize,
    width: usize,
) {
    for column in 0..width {
        let mut sums = [V::splat(0.0); ROWS];
        for row in 0..ROWS {
            sums[row] = V::load(&c[row * width + column]);
        }
        for sample in 0..a.len() / rows {
            let factors = &a[sample * rows + first..][..ROWS];
            let b = V::load(&b[sample * width + column]);
            for row in 0..ROWS {
                sums[row] = sums[row].plus(V::splat(factors[row]).times(b));
            }
        }
        for row in 0..ROWS {
            sums[row].store(&mut c[row * width + column]);
        }
    }
}

pub(crate) fn transpose(matrix: &[f32], columns: usize) -> Vec<f32> {
    let rows = matrix.len() / columns;
    let mut result = vec![0.0; matrix.len()];
    for (row, values) in matrix.chunks_exact(columns).enumerate() {
        for (column, value) in values.iter().enumerate() {
            result[column * rows + row] = *value;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::super::simd_vector::Scalar;
    use super::*;
    use alea_core::random::RandomStream;

    fn random(random: &mut RandomStream, count: usize) -> Vec<f32> {
        (0..count)
            .map(|_| random.uniform_f64() as f32 - 0.5)
            .collect()
    }

    #[test]
    fn products_are_those_of_the_textbook_to_the_last_bit() {
        let mut stream = RandomStream::new(1);
        for (rows, inner, columns) in [(1, 1, 16), (4, 7, 32), (9, 22, 64), (64, 64, 16)] {
            let (a, b, c) = (
                random(&mut stream, rows * inner),
                random(&mut stream, inner * columns),
                random(&mut stream, columns),
            );
            let c = c.repeat(rows);
            let mut expected = c.clone();
            for row in 0..rows {
                for column in 0..columns {
                    for index in 0..inner {
                        expected[row * columns + column] +=
                            a[row * inner + index] * b[index * columns + column];
                    }
                }
            }
            let unclipped = vec![0.5; rows * columns];
            let mut found = vec![0.0; rows * columns];
            set_product::<Scalar, 4>(
                &a,
                lanes(&b),
                lanes(&c[..columns]),
                Finish::ZeroWhereClipped(lanes(&unclipped)),
                lanes_mut(&mut found),
                inner,
                columns / LANES,
            );
            assert_eq!(found, expected);
            let mut found = c;
            add_transposed_product::<Scalar, 8>(
                &transpose(&a, inner),
                lanes(&b),
                lanes_mut(&mut found),
                columns / LANES,
            );
            assert_eq!(found, expected);
        }
    }
}
