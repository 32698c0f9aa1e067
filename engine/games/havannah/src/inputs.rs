//! Features of Havannah's models. Published tuples and rows must not change.
//!
//! A row of a neural network is the content of a cell and its neighbours up to rotation and
//! reflection, so that a model fits boards of all sizes.

use super::{
    EMPTY, Havannah, NEIGHBOUR_RUNS, Position,
    shape::{BASES, OFF_BOARD, SIDES_MASK, cells_of},
};
use alea_core::game::Seat;
use alea_learned::{
    inputs::{Cell, CellGroup, Learnable, NamedTuples, NoFeatureGroup, TupleInputs},
    named_set::NamedSet,
    network::GenericNetKernels,
    tuples::IncrementalTupleKernels,
};
use alea_play::playable::Rules;
use std::{
    ops::{Range, RangeInclusive},
    sync::LazyLock,
};

const fn cell_group(base: usize) -> [CellGroup; 1] {
    let meaning = "board, letter by letter (0 empty, 1 mover, 2 other)";
    [CellGroup::single('b', cells_of(base), 3, meaning)]
}

static CELLS: [[CellGroup; 1]; 8] = [
    cell_group(3),
    cell_group(4),
    cell_group(5),
    cell_group(6),
    cell_group(7),
    cell_group(8),
    cell_group(9),
    cell_group(10),
];

/// Classes of a cell: empty, by the seats that would win there (4), or a stone, by owner, number of
/// sides of the chain (0, 1, more) and whether the chain has a corner.
const NUM_CENTRE_CLASSES: usize = 4 + 2 * 6;

/// Contents (four each) of six neighbours, up to rotation and reflection.
const NUM_NEIGHBOURHOODS: usize = 430;

const NUM_TABLE_ROWS: usize = NUM_CENTRE_CLASSES * NUM_NEIGHBOURHOODS;

/// Number of a neighbourhood up to rotation and reflection, by the sets of neighbours with stones
/// of either seat; neighbours off the board are in both sets.
static SURROUNDING_INDEX: LazyLock<Box<[[u16; 64]; 64]>> = LazyLock::new(|| {
    let mut numbers = Box::new([[u16::MAX; 64]; 64]);
    let cell = |code: usize, at: usize| code >> (2 * at) & 3;
    let set =
        |code: usize, bit: usize| (0..6).fold(0, |set, at| set | (cell(code, at) >> bit & 1) << at);
    let mut next = 0;
    for code in 0..1 << 12 {
        if numbers[set(code, 0)][set(code, 1)] == u16::MAX {
            for turn in 0..6 {
                let rotated = (code << (2 * turn) | code >> (12 - 2 * turn)) & 0xfff;
                let mirrored = (0..6).fold(0, |all, at| all | cell(rotated, at) << (2 * (5 - at)));
                for image in [rotated, mirrored] {
                    numbers[set(image, 0)][set(image, 1)] = next;
                }
            }
            next += 1;
        }
    }
    numbers
});

static TUPLE_SETS: [NamedTuples<Havannah>; 1] = [NamedTuples {
    name: "hexagons",
    symmetric: false,
    tuples: |game| {
        let cell = |cell_index: usize| game.cell_groups()[0].cell(cell_index);
        let around = |cell_index: usize| {
            let near = game.shape.near[cell_index][..6]
                .iter()
                .map(|&near| near.into());
            let mut tuple: Vec<Cell> = near.filter(|&near| near != OFF_BOARD).map(cell).collect();
            tuple.push(cell(cell_index));
            tuple.sort_unstable();
            tuple
        };
        (0..game.num_cells()).map(around).collect()
    },
}];

#[inline]
fn rim_class(rim: u16) -> usize {
    let sides = (rim & SIDES_MASK).count_ones().min(2) as usize;
    3 * usize::from(rim >> 6 & 0x3f != 0) + sides
}

impl Havannah {
    /// Set of neighbours that have stones of `seat` or are off the board.
    #[inline(always)]
    fn own_or_edge_neighbours(&self, position: &Position, seat: Seat, cell: usize) -> usize {
        position.own_neighbours(cell, seat) | usize::from(self.shape.off_board[cell])
    }

    #[inline(always)]
    fn feature(
        &self,
        numbers: &[[u16; 64]; 64],
        position: &Position,
        seat: Seat,
        cell: usize,
    ) -> u16 {
        let around = |seat| self.own_or_edge_neighbours(position, seat, cell);
        let centre = match position.seat_at(cell) {
            None => {
                let wins = |seat| usize::from(self.would_win(position, cell, seat).any());
                wins(seat) + 2 * wins(1 - seat)
            }
            Some(owner) => {
                let rim = position.links[position.root(cell)];
                4 + 6 * usize::from(owner != seat) + rim_class(rim)
            }
        };
        (centre * NUM_NEIGHBOURHOODS) as u16 + numbers[around(seat)][around(1 - seat)]
    }
}

impl Learnable for Havannah {
    type Tuples = IncrementalTupleKernels;

    type Network = GenericNetKernels;

    type Group = NoFeatureGroup;

    fn feature_slots(&self, _: NamedSet<NoFeatureGroup>) -> Vec<Range<usize>> {
        vec![0..NUM_TABLE_ROWS; self.num_cells()]
    }

    fn active_features(
        &self,
        _: NamedSet<NoFeatureGroup>,
        position: &Position,
        seat: Seat,
        rows: &mut [u16],
    ) {
        let numbers = &**SURROUNDING_INDEX;
        for (cell, row) in rows.iter_mut().enumerate() {
            *row = self.feature(numbers, position, seat, cell);
        }
    }

    fn update_features(
        &self,
        groups: NamedSet<NoFeatureGroup>,
        before: &Position,
        after: &Position,
        seat: Seat,
        rows: &mut [u16],
    ) {
        let (shape, numbers) = (self.shape, &**SURROUNDING_INDEX);
        if after.stones() != before.stones() + 1 {
            return self.active_features(groups, after, seat, rows);
        }
        let (placed, owner) = (usize::from(after.last[0]), before.seat());
        let root = after.root(placed);
        let rim = after.links[root];
        let win = (NUM_NEIGHBOURHOODS as u16) << usize::from(owner != seat);
        let update_win = |cell: usize, row: &mut u16| {
            let has_win = *row / win % 2 == 1;
            *row -= win * u16::from(has_win);
            *row += win * u16::from(after.would_win(shape, cell, owner).any());
        };
        let (count, starts) = NEIGHBOUR_RUNS[before.own_neighbours(placed, owner)];
        let mut chains = [OFF_BOARD; 3];
        let (mut changed, mut class_changed) = (false, false);
        for run in 0..usize::from(count) {
            let chain = before.root(usize::from(shape.near[placed][usize::from(starts[run])]));
            let old_rim = before.links[chain];
            changed |= old_rim != rim || run > 0 && chain != chains[0];
            class_changed |= rim_class(old_rim) != rim_class(rim);
            chains[run] = chain;
        }
        if changed {
            let class = (4 + 6 * usize::from(owner != seat) + rim_class(rim)) * NUM_NEIGHBOURHOODS;
            let around = &after.around[owner];
            for (cell, row) in rows.iter_mut().enumerate() {
                if around[cell] == 0 {
                    continue;
                }
                if after.colours[cell] == EMPTY {
                    update_win(cell, row);
                } else if class_changed
                    && after.seat_at(cell) == Some(owner)
                    && after.root(cell) == root
                {
                    *row = class as u16 + *row % NUM_NEIGHBOURHOODS as u16;
                }
            }
        }
        let near = &shape.near[placed];
        for &cell in &near[6..] {
            let cell = usize::from(cell);
            if cell != OFF_BOARD && after.colours[cell] == EMPTY {
                update_win(cell, &mut rows[cell]);
            }
        }
        for cell in near[..6].iter().map(|&cell| usize::from(cell)) {
            if cell != OFF_BOARD {
                rows[cell] = self.feature(numbers, after, seat, cell);
            }
        }
        rows[placed] = self.feature(numbers, after, seat, placed);
    }

    fn feature_schema(&self, _: NamedSet<NoFeatureGroup>) -> String {
        "sparse v1: each cell (empty with wins of mover and other, or mover's or other's stone with \
         the sides and corners of its chain) and the six around it, turned and mirrored alike"
            .to_owned()
    }

    fn model_game_name(&self) -> String {
        Self::INFO.name.to_owned()
    }
}

impl TupleInputs for Havannah {
    fn cell_groups(&self) -> &[CellGroup] {
        &CELLS[self.base() - BASES.start()]
    }

    fn write_symbols(&self, position: &Position, seat: Seat, symbols: &mut [u8]) {
        for (symbol, &colour) in symbols.iter_mut().zip(&position.colours) {
            *symbol = colour_seen_by(seat, colour);
        }
    }

    fn remaining_range(&self) -> RangeInclusive<usize> {
        1..=self.num_cells()
    }

    fn tuple_sets(&self) -> &'static [NamedTuples<Self>] {
        &TUPLE_SETS
    }

    fn transform_cell(&self, cell: Cell, symmetry: usize) -> Cell {
        self.cell_groups()[0].cell(usize::from(self.shape.images[symmetry][cell.index()]))
    }
}

#[inline]
fn colour_seen_by(seat: Seat, colour: u8) -> u8 {
    if seat == 0 || colour == EMPTY || usize::from(colour) > 2 {
        colour
    } else {
        3 - colour
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alea_core::{game::Game, random::RandomStream, search_game::Playouts};
    use alea_play::playable::Codec;

    #[test]
    fn updated_rows_are_those_extracted() {
        let mut random = RandomStream::new(8);
        for (base, swap) in [(3, true), (4, true), (5, false), (8, false), (10, false)] {
            let game = Havannah::new(base, swap);
            let rows_of = |position: &Position, seat| {
                let mut rows = vec![0; game.num_cells()];
                game.active_features(NamedSet::NONE, position, seat, &mut rows);
                rows
            };
            for _ in 0..2_000 / game.num_cells() {
                let mut position = game.start();
                while game.payoffs(&position).is_none() {
                    let mut moves = Default::default();
                    game.moves(&position, &mut moves);
                    for seat in 0..2 {
                        for cell in 0..game.num_cells() {
                            let near = game.shape.near[cell][..6].iter().enumerate();
                            let colours =
                                near.map(|(at, &near)| (at, position.colours[usize::from(near)]));
                            let seen = colours
                                .filter(|&(_, colour)| colour == 3 || colour == seat as u8 + 1);
                            let set = seen.fold(0, |set, (at, _)| set | 1 << at);
                            assert_eq!(game.own_or_edge_neighbours(&position, seat, cell), set);
                        }
                        let before = rows_of(&position, seat);
                        for &mv in moves.iter() {
                            let after = game.play(&position, mv);
                            let mut rows = before.clone();
                            game.update_features(
                                NamedSet::NONE,
                                &position,
                                &after,
                                seat,
                                &mut rows,
                            );
                            assert_eq!(rows, rows_of(&after, seat), "{position:?} {mv:?}");
                        }
                    }
                    position = game.play(&position, moves[random.below(moves.len())]);
                }
            }
        }
    }

    #[test]
    fn rows_are_those_of_all_images_and_there_are_so_many() {
        assert_eq!(
            SURROUNDING_INDEX
                .iter()
                .flatten()
                .max()
                .map(|&largest| largest.into()),
            Some(NUM_NEIGHBOURHOODS - 1)
        );
        let mut random = RandomStream::new(7);
        for base in [3, 4, 6] {
            let game = Havannah::new(base, false);
            let mut position = game.start();
            let mut met = 0;
            while game.payoffs(&position).is_none() {
                let sorted = |at: &Position, seat| {
                    let mut rows = vec![0; game.num_cells()];
                    game.active_features(NamedSet::NONE, at, seat, &mut rows);
                    rows.sort_unstable();
                    rows
                };
                for seat in 0..2 {
                    let rows = sorted(&position, seat);
                    assert!(usize::from(rows[rows.len() - 1]) < NUM_TABLE_ROWS);
                    for symmetry in 0..game.symmetries() {
                        assert_eq!(
                            sorted(&game.transform_position(&position, symmetry), seat),
                            rows
                        );
                    }
                    let first = NUM_NEIGHBOURHOODS as u16..2 * NUM_NEIGHBOURHOODS as u16;
                    let wins = game.winning_cells(&position, seat).next().is_some();
                    met += usize::from(wins && rows.iter().any(|row| first.contains(row)));
                }
                position = game.play(&position, game.sample_move(&position, random.next_u64()));
            }
            assert!(met > 0, "base {base}");
        }
    }
}
