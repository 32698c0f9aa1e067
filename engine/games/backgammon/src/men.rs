//! The men of one side.

/// Number of men of a side.
pub const NUM_MEN: u32 = 15;

/// Number of the bar as a point: a man enters from it as from a 25th point.
pub const BAR: u8 = 25;

const LOW_BITS: u128 = 0x1_1111_1111_1111_1111_1111_1111;

/// Men of one side by point, in the side's own view: 1 is its ace point, 24 the other side's,
/// [`BAR`] the bar. Men on no point are borne off.
///
/// Point p is the p-th nibble, the lowest first. In a set of points, point p is bit p − 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Men(pub(crate) u128);

impl Men {
    /// Men at the start of a game.
    pub const START: Self = Self(2 << 92 | 5 << 48 | 3 << 28 | 5 << 20);

    /// Creates from numbers of men, at index point − 1; `None` if there are more than [`NUM_MEN`].
    pub fn from_counts(counts: [u8; 25]) -> Option<Self> {
        let sum: u32 = counts.iter().map(|&count| u32::from(count)).sum();
        let add = |men, (nibble, &count): (usize, &u8)| men | u128::from(count) << (4 * nibble);
        (sum <= NUM_MEN).then(|| Self(counts.iter().enumerate().fold(0, add)))
    }

    /// Number of men on a point.
    #[inline]
    pub fn count_on(self, point: u8) -> u32 {
        (self.0 >> (4 * (point - 1))) as u32 & 15
    }

    /// Number of men on each point, at index point − 1.
    #[inline]
    pub fn counts(self) -> [u8; 25] {
        let bytes = self.0.to_le_bytes();
        std::array::from_fn(|index| bytes[index / 2] >> (4 * (index % 2)) & 15)
    }

    /// Numbers of men on the odd points and on the even points, one byte each.
    #[inline]
    fn odd_and_even(self) -> [u128; 2] {
        const BYTES: u128 = 0x0F0F_0F0F_0F0F_0F0F_0F0F_0F0F_0F0F_0F0F;
        [self.0 & BYTES, self.0 >> 4 & BYTES]
    }

    /// Number of men that are not borne off.
    #[inline]
    pub fn in_play(self) -> u32 {
        let [odd, even] = self.odd_and_even();
        sum_bytes(odd + even)
    }

    /// Number of men borne off.
    #[inline]
    pub fn borne_off(self) -> u32 {
        NUM_MEN - self.in_play()
    }

    /// Set of points with men.
    #[inline]
    pub fn occupied_points(self) -> u32 {
        let pairs = self.0 | self.0 >> 1;
        gather(pairs | pairs >> 2)
    }

    /// Set of made points: those with at least two men.
    #[inline]
    pub fn made_points(self) -> u32 {
        gather(self.0 >> 1 | self.0 >> 2 | self.0 >> 3)
    }

    /// Pip count: sum of the distances of all men to bearing off.
    #[inline]
    pub fn pips(self) -> u32 {
        // Byte k has points 2k + 1 and 2k + 2. The highest byte of the product is the sum of k times
        // byte k.
        let [odd, even] = self.odd_and_even();
        let weigh = |bytes: u64| (bytes.wrapping_mul(0x0001_0203_0405_0607) >> 56) as u32;
        let (both, upper) = (odd + even, (odd + even) >> 64);
        let steps = weigh(both as u64) + weigh(upper as u64) + 8 * sum_bytes(upper);
        2 * steps + sum_bytes(both) + sum_bytes(even)
    }

    /// Highest point with men; 0 without any.
    #[inline]
    pub fn rearmost(self) -> u32 {
        (128 - self.0.leading_zeros()).div_ceil(4)
    }
}

/// Sum of all bytes; it must be below 256.
#[inline]
fn sum_bytes(bytes: u128) -> u32 {
    let halves = (bytes as u64).wrapping_add((bytes >> 64) as u64);
    (halves.wrapping_mul(0x0101_0101_0101_0101) >> 56) as u32
}

/// Packs the lowest bit of each nibble: bit 4 · k becomes bit k.
#[inline]
fn gather(nibbles: u128) -> u32 {
    let gather_half = |bits: u64| {
        let bits = (bits | bits >> 3) & 0x0303_0303_0303_0303;
        let bits = (bits | bits >> 6) & 0x000F_000F_000F_000F;
        let bits = (bits | bits >> 12) & 0x0000_00FF_0000_00FF;
        (bits | bits >> 24) as u32 & 0xFFFF
    };
    let bits = nibbles & LOW_BITS;
    gather_half(bits as u64) | gather_half((bits >> 64) as u64) << 16
}

/// Converts a set of points to the other side's view, in which point p is 25 − p; drops the bar.
#[inline]
pub fn mirror(points: u32) -> u32 {
    (points & 0xFF_FFFF).reverse_bits() >> 8
}
