//! Sets of cells, one bit each, and steps of all members at once.

use super::{
    MAX_CELLS,
    map::{Cell, DIRECTIONS, Map, Side},
};
use alea_core::bits::bit_indices;
use std::ops::{BitAnd, BitOr, Not};

pub(super) const MAX_WORDS: usize = MAX_CELLS / 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellSet<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> CellSet<WORDS> {
    pub(super) const NONE: Self = Self([0; WORDS]);

    #[inline]
    pub(super) fn contains(&self, cell: usize) -> bool {
        self.0[cell / 64] >> (cell % 64) & 1 == 1
    }

    #[inline]
    pub(super) fn insert(&mut self, cell: usize) {
        self.0[cell / 64] |= 1 << (cell % 64);
    }

    #[inline(always)]
    pub(super) fn len(&self) -> i32 {
        let mut count = 0;
        for word in self.0 {
            count += word.count_ones() as i32;
        }
        count
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        let words = self.0.iter().enumerate();
        words.flat_map(|(index, &word)| bit_indices(word).map(move |bit| 64 * index + bit))
    }

    #[inline(always)]
    pub(super) fn resize<const TO: usize>(&self) -> CellSet<TO> {
        let (mut words, count) = ([0; TO], TO.min(WORDS));
        words[..count].copy_from_slice(&self.0[..count]);
        CellSet(words)
    }

    #[inline(always)]
    fn zip(mut self, other: Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word = operation(*word, other);
        }
        self
    }

    #[inline(always)]
    fn shift_up(mut self, cells: u32) -> Self {
        let mut below = 0;
        for word in &mut self.0 {
            (*word, below) = (*word << cells | below >> 1 >> (63 - cells), *word);
        }
        self
    }

    #[inline(always)]
    fn shift_down(mut self, cells: u32) -> Self {
        let mut above = 0;
        for word in self.0.iter_mut().rev() {
            (*word, above) = (*word >> cells | above << 1 << (63 - cells), *word);
        }
        self
    }
}

impl<const WORDS: usize> BitAnd for CellSet<WORDS> {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |one, other| one & other)
    }
}

impl<const WORDS: usize> BitOr for CellSet<WORDS> {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |one, other| one | other)
    }
}

impl<const WORDS: usize> Not for CellSet<WORDS> {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        self.zip(self, |word, _| !word)
    }
}

/// Contents of all cells: the set of cells with each bit of [`Cell::content_code`].
#[derive(Clone, Copy)]
pub(super) struct Contents<const WORDS: usize>([CellSet<WORDS>; 4]);

impl<const WORDS: usize> Contents<WORDS> {
    #[inline(always)]
    pub(super) fn new(cells: &[Cell; MAX_CELLS]) -> Self {
        const ONES: u64 = 0x0101_0101_0101_0101;
        const GATHER: u64 = 0x0102_0408_1020_4080;
        let mut bits = [CellSet::NONE; 4];
        for (index, cells) in cells.as_chunks::<8>().0[..8 * WORDS].iter().enumerate() {
            let mut codes = [0; 8];
            for (code, cell) in codes.iter_mut().zip(cells) {
                *code = cell.content_code();
            }
            let codes = u64::from_le_bytes(codes);
            for (bit, set) in bits.iter_mut().enumerate() {
                let eight = (codes >> bit & ONES).wrapping_mul(GATHER) >> 56;
                set.0[index / 8] |= eight << (8 * (index % 8));
            }
        }
        Self(bits)
    }

    #[inline(always)]
    pub(super) fn cells_with(&self, cell: Cell) -> CellSet<WORDS> {
        let mut cells = !CellSet::NONE;
        for (bit, &set) in self.0.iter().enumerate() {
            let is_set = cell.content_code() >> bit & 1 == 1;
            cells = cells & if is_set { set } else { !set };
        }
        cells
    }

    #[inline(always)]
    pub(super) fn empties(&self) -> CellSet<WORDS> {
        const { assert!(Cell::EMPTY.content_code() == 10 && Cell::INVERSION.content_code() == 13) };
        self.0[3] & (self.0[2] | self.0[1])
    }

    #[inline(always)]
    pub(super) fn occupied(&self) -> CellSet<WORDS> {
        (self.0[0] | self.0[1] | self.0[2] | self.0[3]) & !self.empties()
    }
}

#[derive(Debug)]
pub(super) struct Steps {
    /// Distances in the cell index to the neighbours right, lower right, below and lower left.
    shifts: [u32; DIRECTIONS / 2],
    /// Cells with an ordinary neighbour, by [`direction_index`].
    sources: [CellSet<MAX_WORDS>; DIRECTIONS],
    /// Steps through transitions, each from and to a [`direction_index`] and cell.
    transitions: Vec<[(usize, usize); 2]>,
}

const fn direction_index(direction: usize) -> usize {
    (direction + DIRECTIONS - 2) % DIRECTIONS
}

impl Steps {
    pub(super) fn from_map(map: &Map) -> Self {
        let width = map.width() as u32;
        let mut steps = Self {
            shifts: [1, width + 1, width, width - 1],
            sources: [CellSet::NONE; DIRECTIONS],
            transitions: Vec::new(),
        };
        for cell in 0..map.cells().len() {
            for direction in 0..DIRECTIONS {
                let (from, index) = (Side::new(cell, direction), direction_index(direction));
                if map.neighbour(from).is_some() {
                    steps.sources[index].insert(cell);
                } else if map.step(from) != Side::NONE {
                    let to = map.step(from);
                    let to = (direction_index(to.direction()), to.cell());
                    steps.transitions.push([(index, cell), to]);
                }
            }
        }
        steps
    }

    pub(super) fn has_transitions(&self) -> bool {
        !self.transitions.is_empty()
    }

    /// Cells one step further in each direction.
    #[inline(always)]
    fn step<const WORDS: usize>(
        &self,
        from: &[CellSet<WORDS>; DIRECTIONS],
    ) -> [CellSet<WORDS>; DIRECTIONS] {
        let mut to = [CellSet::NONE; DIRECTIONS];
        for (index, &shift) in self.shifts.iter().enumerate() {
            let source = |index: usize| from[index] & self.sources[index].resize();
            to[index] = source(index).shift_up(shift);
            to[index + 4] = source(index + 4).shift_down(shift);
        }
        for &[(index, cell), (next_index, next)] in &self.transitions {
            if from[index].contains(cell) {
                to[next_index].insert(next);
            }
        }
        to
    }

    #[inline(always)]
    pub(super) fn neighbours<const WORDS: usize>(&self, cells: CellSet<WORDS>) -> CellSet<WORDS> {
        let steps = self.step(&[cells; DIRECTIONS]);
        steps
            .into_iter()
            .fold(CellSet::NONE, |all, near| all | near)
    }

    /// The `targets` at the ends of runs of `others` that begin next to an `own` cell.
    #[inline(always)]
    pub(super) fn run_ends<const WORDS: usize>(
        &self,
        own: CellSet<WORDS>,
        others: CellSet<WORDS>,
        targets: CellSet<WORDS>,
    ) -> CellSet<WORDS> {
        let (mut found, mut any) = (CellSet::NONE, own);
        let mut runs = [own; DIRECTIONS];
        let mut is_first = true;
        while any != CellSet::NONE {
            runs = self.step(&runs);
            any = CellSet::NONE;
            for run in &mut runs {
                if !is_first {
                    found = found | *run & targets;
                }
                *run = *run & others;
                any = any | *run;
            }
            is_first = false;
        }
        found
    }
}
