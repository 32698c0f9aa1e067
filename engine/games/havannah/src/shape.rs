//! Geometry of boards: neighbours, rims, cell names and symmetries.
//!
//! A cell has a letter x and a number y, from 0, with `|x − y| < base`; its neighbours are at (±1,
//! 0), (0, ±1), (+1, +1) and (−1, −1). Cells are indexed by letter, then number; [`OFF_BOARD`] is
//! no cell.

use std::{array::from_fn, ops::RangeInclusive, sync::OnceLock};

/// Supported numbers of cells per side.
pub const BASES: RangeInclusive<usize> = 3..=10;

/// Cells of the largest board.
pub const MAX_CELLS: usize = 271;

pub(super) const OFF_BOARD: usize = MAX_CELLS;

pub(super) const NUM_CELL_SLOTS: usize = MAX_CELLS + 1;

pub(super) const NUM_NEAR_CELLS: usize = 18;

pub(super) const SYMMETRIES: usize = 12;

/// Rim bits of sides; the six above them are corners.
pub(super) const SIDES_MASK: u16 = 0x3f;

const NEIGHBOUR_OFFSETS: [[isize; 2]; 6] = [[1, 0], [1, 1], [0, 1], [-1, 0], [-1, -1], [0, -1]];

#[derive(Debug)]
pub(super) struct Shape {
    pub(super) base: usize,
    pub(super) cells: usize,
    /// The six neighbours in a circle (a to f), then the six cells that touch two of them (a and b,
    /// b and c, …), then the six straight behind them.
    pub(super) near: [[u16; NUM_NEAR_CELLS]; NUM_CELL_SLOTS],
    pub(super) rim: [u16; NUM_CELL_SLOTS],
    pub(super) off_board: [u8; NUM_CELL_SLOTS],
    pub(super) words: [[u64; 2]; NUM_CELL_SLOTS],
    pub(super) names: [[u8; 2]; MAX_CELLS],
    /// Image of each cell by symmetry, the identity first.
    pub(super) images: [[u16; NUM_CELL_SLOTS]; SYMMETRIES],
}

pub(super) const fn cells_of(base: usize) -> usize {
    3 * base * (base - 1) + 1
}

impl Shape {
    pub(super) fn for_base(base: usize) -> &'static Self {
        static SHAPES: [OnceLock<Box<Shape>>; 8] = [const { OnceLock::new() }; 8];
        SHAPES[base - BASES.start()].get_or_init(|| Box::new(Self::new(base)))
    }

    fn new(base: usize) -> Self {
        let mut shape = Self {
            base,
            cells: cells_of(base),
            near: [[OFF_BOARD as u16; NUM_NEAR_CELLS]; NUM_CELL_SLOTS],
            rim: [0; NUM_CELL_SLOTS],
            off_board: [0; NUM_CELL_SLOTS],
            words: [[0; 2]; NUM_CELL_SLOTS],
            names: [[0; 2]; MAX_CELLS],
            images: from_fn(|_| from_fn(|cell_slot| cell_slot as u16)),
        };
        let side = 2 * base - 1;
        let all = (0..side).flat_map(|x| (0..side).map(move |y| [x as u8, y as u8]));
        let on_board = all.filter(|&[x, y]| usize::from(x.abs_diff(y)) < base);
        for (name, cell_slot) in on_board.zip(&mut shape.names) {
            *cell_slot = name;
        }
        let mut random = 0u64;
        for cell in 0..shape.cells {
            let [x, y] = shape.names[cell].map(isize::from);
            let step = |turn: usize| NEIGHBOUR_OFFSETS[turn % 6];
            for turn in 0..6 {
                let ([ax, ay], [bx, by]) = (step(turn), step(turn + 1));
                let offsets = [[ax, ay], [ax + bx, ay + by], [2 * ax, 2 * ay]];
                for (ring, [dx, dy]) in offsets.into_iter().enumerate() {
                    shape.near[cell][6 * ring + turn] = shape.cell_slot([x + dx, y + dy]) as u16;
                }
                let is_off = usize::from(shape.near[cell][turn]) == OFF_BOARD;
                shape.off_board[cell] |= u8::from(is_off) << turn;
            }
            let (last, edge) = (side as isize - 1, base as isize - 1);
            let sides = [
                x == 0,
                y == 0,
                x == last,
                y == last,
                x - y == edge,
                y - x == edge,
            ];
            let sides = (0..6)
                .filter(|&side| sides[side])
                .fold(0, |set, side| set | 1 << side);
            shape.rim[cell] = match sides {
                0b00_0011 => 1 << 6,
                0b00_1100 => 1 << 7,
                0b01_0010 => 1 << 8,
                0b01_0100 => 1 << 9,
                0b10_0001 => 1 << 10,
                0b10_1000 => 1 << 11,
                side => side,
            };
            for (symmetry, image) in shape.images.iter_mut().enumerate() {
                image[cell] = Self::image(shape.base, [x, y], symmetry) as u16;
            }
            shape.words[cell] = from_fn(|_| {
                random += 1;
                xxhash_rust::xxh3::xxh3_64(&random.to_le_bytes())
            });
        }
        shape
    }

    pub(super) fn cell_slot(&self, [x, y]: [isize; 2]) -> usize {
        cell_slot(self.base, [x, y])
    }

    fn image(base: usize, name: [isize; 2], symmetry: usize) -> usize {
        let centre = base as isize - 1;
        let [a, b] = name.map(|at| at - centre);
        let mut at = [a, -b, b - a];
        for _ in 0..symmetry % 6 {
            at = [-at[1], -at[2], -at[0]];
        }
        if symmetry >= 6 {
            at.swap(0, 1);
        }
        cell_slot(base, [at[0] + centre, centre - at[1]])
    }

    #[cfg(test)]
    pub(super) fn distance(&self, one: usize, other: usize) -> usize {
        let [[ax, ay], [bx, by]] = [one, other].map(|cell| self.names[cell].map(i32::from));
        let (x, y) = (ax - bx, ay - by);
        x.abs().max(y.abs()).max((x - y).abs()) as usize
    }
}

fn cell_slot(base: usize, name: [isize; 2]) -> usize {
    let [Ok(x), Ok(y)] = name.map(usize::try_from) else {
        return OFF_BOARD;
    };
    let side = 2 * base - 1;
    if x >= side || y >= side || x.abs_diff(y) >= base {
        return OFF_BOARD;
    }
    let before = |letter: usize| {
        let rising = letter.min(base);
        let falling = letter - rising;
        rising * base + rising * rising.saturating_sub(1) / 2 + falling * (2 * base - 2)
            - falling * falling.saturating_sub(1) / 2
    };
    before(x) + y - (x + 1).saturating_sub(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_hexagons() {
        for base in BASES {
            let shape = Shape::for_base(base);
            for bit in 0..12 {
                let cells = shape.rim[..shape.cells].iter();
                let count = cells.filter(|&rim| rim >> bit & 1 == 1).count();
                let expected = if bit < 6 { base - 2 } else { 1 };
                assert_eq!(count, expected, "base {base}, bit {bit}");
            }
            for cell in 0..shape.cells {
                let name = shape.names[cell].map(isize::from);
                assert_eq!(shape.cell_slot(name), cell);
                for (number, &near) in shape.near[cell].iter().enumerate() {
                    let near = usize::from(near);
                    let distance = 1 + usize::from(number >= 6);
                    assert!(near == OFF_BOARD || shape.distance(cell, near) == distance);
                }
                let near = shape.near[cell][..6].iter();
                let inside = near.filter(|&&near| usize::from(near) != OFF_BOARD);
                let expected = match shape.rim[cell] {
                    0 => 6,
                    rim if rim & SIDES_MASK != 0 => 4,
                    _ => 3,
                };
                assert_eq!(inside.count(), expected);
            }
        }
    }

    #[test]
    fn symmetries_are_twelve_and_keep_distances() {
        for base in [3, 4, 7] {
            let shape = Shape::for_base(base);
            let distinct: std::collections::BTreeSet<_> = shape.images.iter().collect();
            assert_eq!(distinct.len(), SYMMETRIES);
            for image in &shape.images {
                for one in 0..shape.cells {
                    for other in 0..one {
                        let [a, b] = [one, other].map(|cell| usize::from(image[cell]));
                        assert_eq!(shape.distance(a, b), shape.distance(one, other));
                    }
                }
            }
        }
    }
}
