//! Builds files of classes larger than memory, byte-identical to those built in memory.
//!
//! Three layers (positions of equal total progress) stay in memory; all are appended to a temporary
//! file, which a second pass reorders by rows of the index.

use super::{
    Tables, TablesError,
    build::BuildContext,
    cell_storage::Blocks,
    file::{self, CellWriter},
    index::{Class, Index, MoverIndex, square_set, steps_from_start},
    solve::{self, BlockStore, Solver},
};
use alea_core::files::FileError;
use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    ops::Range,
    path::Path,
};

const LAYERS_IN_MEMORY: usize = 3;

struct BlockOffsets {
    class: Class,
    sets: Vec<u32>,
    /// Number of earlier blocks in the row's layer, at `[set][rank of the other side]`.
    offsets: Vec<Vec<u32>>,
    /// Number of blocks in the row's layer, at `[set][progress of the other side]`.
    counts: Vec<Vec<u32>>,
    steps: Vec<usize>,
}

impl BlockOffsets {
    fn new(index: &Index, class: Class, others: &[solve::ProgressBucket]) -> Self {
        let mut order = Self {
            class,
            sets: Vec::new(),
            offsets: Vec::new(),
            counts: Vec::new(),
            steps: Vec::new(),
        };
        let mut numbers = HashMap::new();
        for row in index.rows(class.mover) {
            let own = &row[..class.mover];
            let occupied = square_set(own);
            let set = *numbers.entry(occupied).or_insert_with(|| {
                order.add_set(&index.mover_index(own), occupied, others);
                order.offsets.len() - 1
            });
            order.sets.push(set as u32);
            let steps = own.iter().map(|&square| steps_from_start(square));
            order.steps.push(steps.sum());
        }
        order
    }

    fn add_set(
        &mut self,
        mover_index: &MoverIndex,
        occupied: u32,
        others: &[solve::ProgressBucket],
    ) {
        let mut offsets = Vec::new();
        let mut counts = Vec::new();
        for bucket in others {
            let mut count = 0;
            for (squares, _) in bucket.iter().filter(|(_, other)| other & occupied == 0) {
                let (rank, _) = mover_index.rank(&squares[..self.class.other]);
                if offsets.len() <= rank {
                    offsets.resize(rank + 1, 0);
                }
                offsets[rank] = count;
                count += 1;
            }
            counts.push(count);
        }
        self.offsets.push(offsets);
        self.counts.push(counts);
    }

    fn blocks_in_row(&self, row: usize, layer: usize) -> usize {
        let counts = &self.counts[self.sets[row] as usize];
        layer
            .checked_sub(self.steps[row])
            .and_then(|steps| counts.get(steps))
            .map_or(0, |&count| count as usize)
    }

    fn row_starts(&self, rows: Range<usize>, layer: usize) -> Vec<usize> {
        let mut starts = vec![0];
        let mut next = 0;
        for row in rows {
            next += self.blocks_in_row(row, layer);
            starts.push(next);
        }
        starts
    }

    fn rows(&self) -> Range<usize> {
        0..self.sets.len()
    }

    fn num_blocks(&self, rows: Range<usize>, layer: usize) -> usize {
        rows.map(|row| self.blocks_in_row(row, layer)).sum()
    }
}

struct Layers<'a> {
    order: &'a BlockOffsets,
    layers_in_memory: Vec<(Vec<usize>, Blocks)>,
}

impl<'a> Layers<'a> {
    fn new(order: &'a BlockOffsets) -> Result<Self, TablesError> {
        let class = order.class;
        let largest = (0..=solve::max_layer(class))
            .map(|layer| order.num_blocks(order.rows(), layer))
            .max()
            .unwrap_or(0);
        let bytes = (2 * largest * class.cells_per_block()) as u64;
        let blocks = || {
            let blocks = Blocks::new(largest, class.cells_per_block());
            blocks.ok_or_else(|| TablesError::no_memory(class, bytes))
        };
        let layers_in_memory = (0..LAYERS_IN_MEMORY)
            .map(|_| Ok((Vec::new(), blocks()?)))
            .collect::<Result<_, TablesError>>()?;
        Ok(Self {
            order,
            layers_in_memory,
        })
    }

    fn start_layer(&mut self, layer: usize) {
        let (starts, blocks) = &mut self.layers_in_memory[layer % LAYERS_IN_MEMORY];
        *starts = self.order.row_starts(self.order.rows(), layer);
        assert!(
            blocks.reset(starts.last().copied().unwrap_or(0)),
            "there is room for the largest layer"
        );
    }
}

struct LayerPair<'a>(Vec<Layers<'a>>);

impl BlockStore for LayerPair<'_> {
    #[inline]
    fn find_block(&self, class: Class, layer: usize, row: usize, rank: usize) -> (&Blocks, usize) {
        let layers = &self.0[usize::from(class != self.0[0].order.class)];
        let (starts, blocks) = &layers.layers_in_memory[layer % LAYERS_IN_MEMORY];
        (
            blocks,
            starts[row] + layers.order.offsets[layers.order.sets[row] as usize][rank] as usize,
        )
    }
}

pub(super) fn build_class_pair(
    tables: &Tables,
    directory: &Path,
    class: Class,
    memory: u64,
    work: &BuildContext<'_>,
) -> Result<(), TablesError> {
    let finished = |class: Class| tables.cells_of(class);
    let solver = Solver::new(
        &tables.index,
        tables.variant,
        class,
        work.instructions,
        &finished,
    );
    let orders: Vec<BlockOffsets> = solver
        .classes()
        .enumerate()
        .map(|(number, class)| {
            BlockOffsets::new(&tables.index, class, solver.other_side_buckets(number))
        })
        .collect();
    let failed = |cause| FileError::from_write(directory, cause);
    let mut streams: Vec<File> = orders
        .iter()
        .map(|_| tempfile::tempfile_in(directory).map_err(failed))
        .collect::<Result<_, _>>()?;
    let mut both = LayerPair(orders.iter().map(Layers::new).collect::<Result<_, _>>()?);
    for layer in (0..=solve::max_layer(class)).rev() {
        both.0
            .iter_mut()
            .for_each(|layers| layers.start_layer(layer));
        work.solve_layer(&solver, class, layer, &both);
        for (layers, stream) in both.0.iter().zip(&mut streams) {
            write_layer(
                stream,
                layers.layers_in_memory[layer % LAYERS_IN_MEMORY]
                    .1
                    .all_blocks()
                    .unwrap_or_default(),
            )
            .map_err(failed)?;
        }
    }
    drop(both);
    for (number, (order, mut stream)) in orders.iter().zip(streams).enumerate() {
        let class = order.class;
        let path = file::table_path(directory, tables.variant, class);
        file::write(
            &path,
            tables.variant,
            class,
            tables.num_cells(class),
            |writer| {
                let copy = RowCopier {
                    tables,
                    solver: &solver,
                    number,
                    order,
                    work,
                };
                copy.copy(&mut stream, memory / 4, writer)
            },
        )?;
    }
    Ok(())
}

const CELLS_PER_WRITE: usize = 1 << 16;

fn write_layer(stream: &mut File, cells: &[u16]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(2 * CELLS_PER_WRITE);
    for piece in cells.chunks(CELLS_PER_WRITE) {
        bytes.clear();
        bytes.extend(piece.iter().flat_map(|cell| cell.to_le_bytes()));
        stream.write_all(&bytes)?;
    }
    Ok(())
}

struct RowCopier<'a> {
    tables: &'a Tables,
    solver: &'a Solver<'a>,
    number: usize,
    order: &'a BlockOffsets,
    work: &'a BuildContext<'a>,
}

impl RowCopier<'_> {
    fn copy(&self, stream: &mut File, bytes: u64, writer: &mut CellWriter<'_>) -> io::Result<()> {
        let (class, rows) = (self.order.class, self.order.rows().end);
        let first_block = |row| self.tables.index.first_block(class, row);
        let max_blocks = (bytes / 2 / class.cells_per_block() as u64).max(1) as usize;
        let mut begins = vec![0; solve::max_layer(class) + 1];
        let mut next = 0;
        for layer in (0..begins.len()).rev() {
            begins[layer] = next;
            next += self.order.num_blocks(self.order.rows(), layer);
        }
        let mut start = 0;
        while start < rows {
            let mut end = start + 1;
            while end < rows && first_block(end + 1) - first_block(start) <= max_blocks {
                end += 1;
            }
            let blocks = Blocks::new(
                first_block(end) - first_block(start),
                class.cells_per_block(),
            );
            let blocks = blocks.ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
            for (layer, begin) in begins.iter_mut().enumerate() {
                let number = self.order.num_blocks(start..end, layer);
                let cells = read_cells(
                    stream,
                    *begin * class.cells_per_block(),
                    number * class.cells_per_block(),
                )?;
                *begin += number;
                self.store_rows(start..end, layer, &cells, &blocks);
            }
            writer.write(blocks.all_blocks().unwrap_or_default())?;
            start = end;
        }
        Ok(())
    }

    fn store_rows(&self, rows: Range<usize>, layer: usize, cells: &[u16], blocks: &Blocks) {
        let class = self.order.class;
        let first = self.tables.index.first_block(class, rows.start);
        let starts = self.order.row_starts(rows.clone(), layer);
        const ROWS_PER_JOB: usize = 64;
        (self.work.run)(rows.len().div_ceil(ROWS_PER_JOB), &|job| {
            let some = rows.start + job * ROWS_PER_JOB
                ..rows.end.min(rows.start + (job + 1) * ROWS_PER_JOB);
            for row in some {
                let own = &self.tables.index.rows(class.mover)[row][..class.mover];
                let mover_index = self.tables.index.mover_index(own);
                let mut from = starts[row - rows.start];
                self.solver
                    .visit_other_tuples(self.number, row, layer, |others| {
                        let (rank, _) = mover_index.rank(&others[..class.other]);
                        let block = self.tables.index.first_block(class, row) + rank - first;
                        blocks.write(block, |stored| {
                            stored.copy_from_slice(
                                &cells[from * class.cells_per_block()..][..class.cells_per_block()],
                            )
                        });
                        from += 1;
                    });
            }
        });
    }
}

fn read_cells(stream: &mut File, first: usize, number: usize) -> io::Result<Vec<u16>> {
    stream.seek(SeekFrom::Start(2 * first as u64))?;
    let mut cells = Vec::with_capacity(number);
    let mut bytes = vec![0; 2 * CELLS_PER_WRITE.min(number)];
    while cells.len() < number {
        let now = 2 * CELLS_PER_WRITE.min(number - cells.len());
        stream.read_exact(&mut bytes[..now])?;
        cells.extend(
            bytes[..now]
                .chunks_exact(2)
                .map(|pair| u16::from_le_bytes([pair[0], pair[1]])),
        );
    }
    Ok(cells)
}
