//! Memory of table cells: blocks that threads fill, later read-only cells, in memory or mapped.
//!
//! Two bits per block replace locks: one thread claims and writes it; others read it only when
//! complete.

#![allow(
    unsafe_code,
    reason = "cells are laid over mapped memory, which threads fill block by block"
)]

use alea_core::{
    fallible_allocation::with_capacity,
    mapped_file::MappedFile,
    pages::{self, Pages},
};
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) struct Blocks {
    pages: Pages,
    blocks: usize,
    cells_per_block: usize,
    claimed: Vec<AtomicU64>,
    complete: Vec<AtomicU64>,
}

impl Blocks {
    pub(super) fn new(blocks: usize, cells_per_block: usize) -> Option<Self> {
        let bytes = blocks
            .checked_mul(cells_per_block)?
            .checked_mul(size_of::<u16>())?;
        Some(Self {
            pages: Pages::zeroed(bytes.max(1))?,
            blocks,
            cells_per_block,
            claimed: zeroed_bits(blocks)?,
            complete: zeroed_bits(blocks)?,
        })
    }

    #[inline]
    fn block_start(&self, block: usize) -> *mut u16 {
        let cells = self.pages.as_mut_ptr().cast::<u16>();
        cells.wrapping_add(block * self.cells_per_block)
    }

    #[inline]
    pub(super) fn get(&self, block: usize) -> Option<&[u16]> {
        if block >= self.blocks
            || self.complete[block / 64].load(Ordering::Acquire) >> (block % 64) & 1 == 0
        {
            return None;
        }
        // SAFETY: the block lies in the page-aligned, initialised mapping, which lives as long as
        // `self`. It is never written again: it is claimed once (`write`), and that write happened
        // before its bit was set; `reset`, which frees blocks, has `self` exclusively.
        Some(unsafe { std::slice::from_raw_parts(self.block_start(block), self.cells_per_block) })
    }

    #[inline]
    pub(super) fn prefetch_block(&self, block: usize) {
        prefetch_lines(self.block_start(block).cast(), self.cells_per_block);
    }

    /// Claims a block and lets `fill` write its cells.
    #[inline]
    pub(super) fn write(&self, block: usize, fill: impl FnOnce(&mut [u16])) {
        assert!(block < self.blocks, "a block of this table");
        let bit = 1 << (block % 64);
        let before = self.claimed[block / 64].fetch_or(bit, Ordering::Relaxed);
        assert!(before & bit == 0, "a block is written once");
        // SAFETY: in bounds, aligned, initialised and alive as in `get`. The bit was 0 for one
        // caller only, and readers wait for the other bit below, so this is the only reference to
        // the block.
        let cells = unsafe {
            std::slice::from_raw_parts_mut(self.block_start(block), self.cells_per_block)
        };
        fill(cells);
        self.complete[block / 64].fetch_or(bit, Ordering::Release);
    }

    pub(super) fn all_blocks(&self) -> Option<&[u16]> {
        if !self.is_complete() {
            return None;
        }
        // SAFETY: as in `get`, for all blocks at once.
        Some(unsafe {
            std::slice::from_raw_parts(self.block_start(0), self.blocks * self.cells_per_block)
        })
    }

    /// Clears the storage for `blocks` blocks; `false` if it is too small.
    pub(super) fn reset(&mut self, blocks: usize) -> bool {
        if blocks > self.claimed.len() * 64
            || blocks * self.cells_per_block * size_of::<u16>() > self.pages.len()
        {
            return false;
        }
        self.blocks = blocks;
        self.claimed
            .iter_mut()
            .chain(&mut self.complete)
            .for_each(|bits| *bits.get_mut() = 0);
        true
    }

    pub(super) fn into_cells(self) -> Option<Cells> {
        let cells = self.blocks * self.cells_per_block;
        self.is_complete().then_some(Cells {
            owner: CellStorage::Built(self.pages),
            offset: 0,
            cells,
        })
    }

    fn is_complete(&self) -> bool {
        self.complete
            .iter()
            .map(|bits| bits.load(Ordering::Acquire).count_ones() as usize)
            .sum::<usize>()
            == self.blocks
    }
}

fn zeroed_bits(number: usize) -> Option<Vec<AtomicU64>> {
    let words = number.div_ceil(64);
    let mut bits = with_capacity(words)?;
    bits.resize_with(words, AtomicU64::default);
    Some(bits)
}

#[derive(Debug)]
pub(super) struct Cells {
    owner: CellStorage,
    /// Bytes before the first cell; even.
    offset: usize,
    cells: usize,
}

#[derive(Debug)]
enum CellStorage {
    Built(Pages),
    File(MappedFile),
}

impl Cells {
    /// Maps `cells` cells of a file from `offset`, in bytes; `None` if the file is too short or
    /// `offset` is odd.
    pub(super) fn from_file(file: MappedFile, offset: usize, cells: usize) -> Option<Self> {
        const { assert!(cfg!(target_endian = "little")) };
        let end = cells.checked_mul(size_of::<u16>())?.checked_add(offset)?;
        (offset.is_multiple_of(2) && end <= file.len()).then_some(Self {
            owner: CellStorage::File(file),
            offset,
            cells,
        })
    }

    pub(super) fn prefetch_page(&self, cell: usize) {
        #[cfg(unix)]
        if let CellStorage::File(file) = &self.owner {
            file.will_need(self.offset + size_of::<u16>() * cell, size_of::<u16>());
        }
        #[cfg(not(unix))]
        let _ = cell;
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[u16] {
        let start = match &self.owner {
            CellStorage::Built(pages) => pages.as_mut_ptr().cast_const(),
            CellStorage::File(file) => file.as_ptr(),
        };
        // SAFETY: `into_cells` and `from_file` checked that the cells lie within the mapping, whose
        // start is page-aligned and whose offset is even; every bit pattern is a cell, and the
        // mapping is not written.
        unsafe { std::slice::from_raw_parts(start.add(self.offset).cast::<u16>(), self.cells) }
    }
}

#[inline]
pub(super) fn prefetch(cells: &[u16]) {
    prefetch_lines(cells.as_ptr().cast::<u8>(), cells.len());
}

#[inline(always)]
fn prefetch_lines(start: *const u8, cells: usize) {
    const CACHE_LINE_BYTES: usize = 64;
    for at in (0..cells * size_of::<u16>()).step_by(CACHE_LINE_BYTES) {
        pages::prefetch(start.wrapping_add(at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_read_only_after_it_was_written() {
        let blocks = Blocks::new(2, 3).unwrap();
        assert!(blocks.get(1).is_none());
        blocks.write(1, |cells| {
            cells.copy_from_slice(&[4, 5, 6]);
            assert!(blocks.get(1).is_none(), "while it is written");
        });
        assert_eq!(blocks.get(1).unwrap(), [4, 5, 6]);
        blocks.write(0, |cells| cells.fill(1));
        assert_eq!(blocks.into_cells().unwrap().as_slice(), [1, 1, 1, 4, 5, 6]);
    }

    #[test]
    fn threads_read_what_others_finished() {
        const BLOCKS: usize = if cfg!(miri) { 70 } else { 10_000 };
        let mut blocks = Blocks::new(BLOCKS, 2).unwrap();
        for _ in 0..2 {
            std::thread::scope(|scope| {
                for thread in 0..2 {
                    let blocks = &blocks;
                    scope.spawn(move || {
                        for block in (thread..BLOCKS).step_by(2) {
                            blocks.prefetch_block(block);
                            blocks.write(block, |cells| cells.fill(block as u16));
                            if let Some(cells) = blocks.get(block ^ 1) {
                                assert_eq!(cells, [(block ^ 1) as u16; 2]);
                            }
                        }
                    });
                }
            });
            let all_blocks = blocks.all_blocks().unwrap();
            prefetch(all_blocks);
            assert!((0..2 * BLOCKS).all(|cell| all_blocks[cell] == (cell / 2) as u16));
            assert!(blocks.reset(BLOCKS) && blocks.all_blocks().is_none());
        }
    }

    #[test]
    #[should_panic(expected = "written once")]
    fn a_block_is_not_written_twice() {
        let blocks = Blocks::new(1, 1).unwrap();
        blocks.write(0, |_| ());
        blocks.write(0, |_| ());
    }

    #[test]
    fn a_table_with_a_gap_is_not_finished() {
        let blocks = Blocks::new(2, 1).unwrap();
        blocks.write(1, |_| ());
        assert!(blocks.into_cells().is_none());
    }
}
