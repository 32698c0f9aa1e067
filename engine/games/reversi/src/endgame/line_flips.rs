//! Flips along the lines through one square. Sources, both in Edax: T. Okuhara (vectors), R.
//! Delorme (counts).
//!
//! Towards higher squares an enemy run ends before the line's lowest square without an enemy disc,
//! towards lower ones before the highest.

use super::super::bits::COLUMNS;

/// Sets by axis: row, diagonal, column, antidiagonal.
type AxisSets = [u64; 4];

pub(super) const FIRST_COLUMN: u64 = 0x0101_0101_0101_0101;
pub(super) const LAST_COLUMN: u64 = FIRST_COLUMN << 7;

const AXIS_STEPS: [u32; 4] = [1, 7, 8, 9];

/// Squares after and before a square, by axis.
static RAYS: [[AxisSets; 2]; 64] = {
    let mut rays = [[[0; 4]; 2]; 64];
    let directions = [(0, 1), (1, -1), (1, 0), (1, 1)];
    let mut at = 0;
    while at < 64 * 8 {
        let (square, axis, back) = (at / 8, at / 2 % 4, at % 2);
        let sign = 1 - 2 * back as i32;
        let (down, right) = (sign * directions[axis].0, sign * directions[axis].1);
        let mut row = (square / COLUMNS) as i32 + down;
        let mut column = (square % COLUMNS) as i32 + right;
        while row >= 0 && row < 8 && column >= 0 && column < 8 {
            rays[square][back][axis] |= 1 << (8 * row + column);
            row += down;
            column += right;
        }
        at += 1;
    }
    rays
};

#[inline(always)]
fn per_axis(of: impl Fn(usize) -> u64) -> AxisSets {
    [of(0), of(1), of(2), of(3)]
}

/// `bits::flips`, written so that it compiles to vector instructions.
#[inline(always)]
pub(super) fn flips(square: usize, own: u64, enemy: u64) -> u64 {
    let [after, before] = &RAYS[square];
    let up = per_axis(|axis| {
        let other = !enemy & after[axis];
        let end = other & other.wrapping_neg() & own;
        end.wrapping_sub(u64::from(end != 0)) & after[axis]
    });
    let down = per_axis(|axis| {
        let step = AXIS_STEPS[axis];
        let mut below = !enemy & before[axis];
        below |= below >> step;
        below |= below >> (2 * step);
        below |= below >> (4 * step);
        let end = below & !(below >> step) & own;
        (end << 1).wrapping_neg() & before[axis]
    });
    let all = per_axis(|axis| up[axis] | down[axis]);
    all[0] | all[1] | all[2] | all[3]
}

/// Number of flips on a full line, by the index of the filled square and the own discs.
static FLIP_COUNTS: [[u8; 256]; 8] = {
    let mut counts = [[0; 256]; 8];
    let mut at = 0;
    while at < 8 * 256 {
        let (square, own) = (at / 256, (at % 256) as u32);
        let after = own >> (square + 1);
        let before = own & ((1u32 << square) - 1);
        let mut count = 0;
        if after != 0 {
            count += after.trailing_zeros();
        }
        if before != 0 {
            count += square as u32 - 1 - before.ilog2();
        }
        counts[square][own as usize] = count as u8;
        at += 1;
    }
    counts
};

/// Number of flips by an own disc on `square` when all other squares are occupied.
#[inline(always)]
pub(super) fn count_flipped(square: usize, own: u64) -> u32 {
    let (row, column) = (square / COLUMNS, square % COLUMNS);
    let [after, before] = &RAYS[square];
    let along_row = own >> (COLUMNS * row) & 0xFF;
    let along_column = (own >> column & FIRST_COLUMN).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let diagonal =
        |axis: usize| (own & (after[axis] | before[axis])).wrapping_mul(FIRST_COLUMN) >> 56;
    let by_column = &FLIP_COUNTS[column];
    let count = by_column[along_row as usize]
        + FLIP_COUNTS[row][along_column as usize]
        + by_column[diagonal(1) as usize]
        + by_column[diagonal(3) as usize];
    u32::from(count)
}

#[inline(always)]
pub(super) fn with_neighbours(set: u64) -> u64 {
    let row = (set & !FIRST_COLUMN) >> 1 | (set & !LAST_COLUMN) << 1 | set;
    row | row << COLUMNS | row >> COLUMNS
}

#[cfg(test)]
mod tests {
    use super::super::super::bits;
    use super::*;
    use alea_core::random::RandomStream;

    #[test]
    fn discs_turn_as_the_rules_turn_them() {
        let mut random = RandomStream::new(1);
        for _ in 0..20_000 {
            let (own, other) = (random.next_u64(), random.next_u64());
            let enemy = !own & (other | random.next_u64());
            let square = random.below(64);
            let (own, enemy) = (own & !(1 << square), enemy & !(1 << square));
            assert_eq!(flips(square, own, enemy), bits::flips(square, own, enemy));
            let all = bits::flips(square, own, !own & !(1 << square));
            assert_eq!(count_flipped(square, own), all.count_ones());
        }
    }

    #[test]
    fn squares_have_up_to_eight_neighbours() {
        assert_eq!(with_neighbours(1 << 9), 0x0007_0707);
        assert_eq!(with_neighbours(1), 0x0303);
        assert_eq!(with_neighbours(1 << 63), 0xC0C0_0000_0000_0000);
        assert_eq!(with_neighbours(1 << 7).count_ones(), 4);
    }
}
