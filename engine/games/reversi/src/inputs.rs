//! Features of Reversi's models: squares with three symbols, and tuple sets (Lucas 2008, Jaśkowski
//! 2014). Published tuple sets must not change.

use super::{
    Position, Reversi,
    bits::{COLUMNS, run_ends, squares_of, transform_set},
};
use alea_core::game::Seat;
use alea_learned::{
    inputs::{Cell, CellGroup, Learnable, NamedTuples, NoFeatureGroup, TupleInputs},
    network::GenericNetKernels,
    tuples::IncrementalTupleKernels,
};
use std::{collections::BTreeSet, ops::RangeInclusive};

/// Most moves that symbols of a view tell apart.
const MAX_MOVES: u32 = 31;

const fn optional_group(
    letter: char,
    start: usize,
    count: usize,
    symbols: usize,
    meaning: &'static str,
) -> CellGroup {
    CellGroup {
        start,
        optional: true,
        ..CellGroup::single(letter, count, symbols, meaning)
    }
}

const fn cell_groups(size: usize) -> [CellGroup; 4] {
    let squares = size * size;
    let board = "board, row by row (0 empty, 1 mover, 2 other)";
    let moves = "moves of mover and other, at most 31";
    let empties = "empty squares";
    let parities = "parity of each quarter's empty squares, row by row";
    [
        CellGroup::single('b', squares, 3, board),
        optional_group('m', squares, 2, MAX_MOVES as usize + 1, moves),
        optional_group('e', squares + 2, 1, 65, empties),
        optional_group('q', squares + 3, 4, 2, parities),
    ]
}

/// Groups by half the board's size.
static CELLS: [[CellGroup; 4]; 5] = [
    cell_groups(0),
    cell_groups(0),
    cell_groups(4),
    cell_groups(6),
    cell_groups(8),
];

fn symmetric_tuples(game: &Reversi, shapes: impl IntoIterator<Item = u64>) -> BTreeSet<Vec<Cell>> {
    let cells = |set| squares_of(set).map(|square| cell(game, square)).collect();
    let images = |shape| (0..8).map(move |symmetry| transform_set(shape, symmetry, game.size()));
    shapes.into_iter().flat_map(images).map(cells).collect()
}

fn cell(game: &Reversi, square: usize) -> Cell {
    game.cell_groups()[0].cell(square / COLUMNS * game.size() + square % COLUMNS)
}

fn square_bit(row: usize, column: usize) -> u64 {
    1 << (COLUMNS * row + column)
}

fn row_set(game: &Reversi, row: usize) -> u64 {
    (0..game.size()).fold(0, |set, column| set | square_bit(row, column))
}

fn diagonal_set(length: usize) -> u64 {
    (0..length).fold(0, |set, at| set | square_bit(at, length - 1 - at))
}

fn corner_block(rows: usize, columns: usize) -> u64 {
    let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    all.fold(0, |set, (row, column)| set | square_bit(row, column))
}

fn line_tuples(game: &Reversi) -> BTreeSet<Vec<Cell>> {
    let rows = (0..game.size()).map(|row| row_set(game, row));
    symmetric_tuples(game, rows.chain((4..=game.size()).map(diagonal_set)))
}

/// Corner blocks of 3×3 and 2×5 squares (on 4×4: 2×4).
fn corner_tuples(game: &Reversi) -> BTreeSet<Vec<Cell>> {
    let blocks = [(3, 3), (2, game.size().min(5))];
    symmetric_tuples(
        game,
        blocks.map(|(rows, columns)| corner_block(rows, columns)),
    )
}

/// The patterns of Logistello (Buro 1997), one of each shape: an edge with the squares diagonally
/// beside its corners, rows, diagonals and corner blocks; then numbers of moves, of empty squares,
/// and parities.
fn pattern_tuples(game: &Reversi) -> Vec<Vec<Cell>> {
    let size = game.size();
    let edge = row_set(game, 0) | square_bit(1, 1) | square_bit(1, size - 2);
    let rows = (1..size / 2).map(|row| row_set(game, row));
    let corners = [corner_block(3, 3), corner_block(2, size.min(5))];
    let shapes = [edge].into_iter().chain(rows);
    let shapes = shapes.chain((4..=size).map(diagonal_set)).chain(corners);
    let cells = |set| squares_of(set).map(|square| cell(game, square)).collect();
    let scalars = game.cell_groups()[1..].iter();
    let scalars = scalars.map(|group| group.cells().collect());
    shapes.map(cells).chain(scalars).collect()
}

/// Tuple sets, the default first; on 8×8 with 46, 34 and 49 tuples, 671,922, 120,942 and 168,370 rows
/// of weights.
static TUPLE_SETS: [NamedTuples<Reversi>; 3] = [
    NamedTuples {
        name: "lines-and-corners",
        tuples: |game| {
            line_tuples(game)
                .union(&corner_tuples(game))
                .cloned()
                .collect()
        },
        symmetric: false,
    },
    NamedTuples {
        name: "lines",
        tuples: |game| line_tuples(game).into_iter().collect(),
        symmetric: false,
    },
    NamedTuples {
        name: "patterns",
        tuples: pattern_tuples,
        symmetric: true,
    },
];

/// Spreads the lowest eight bits to bytes of 0 or 1.
#[inline]
fn bits_as_bytes(bits: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let spread = ((bits & 0xFF) * ONES) & 0x8040_2010_0804_0201;
    ((spread + 0x7F * ONES) >> 7) & ONES
}

impl Learnable for Reversi {
    type Tuples = IncrementalTupleKernels;

    type Network = GenericNetKernels;

    type Group = NoFeatureGroup;
}

impl TupleInputs for Reversi {
    fn cell_groups(&self) -> &[CellGroup] {
        &CELLS[self.size() / 2]
    }

    #[inline]
    fn write_symbols(&self, position: &Position, seat: Seat, symbols: &mut [u8]) {
        let (own, enemy) = (position.discs(seat), position.discs(1 - seat));
        let squares = self.size() * self.size();
        let Some((board, scalars)) = symbols.split_at_mut_checked(squares) else {
            return;
        };
        for (row, symbols) in board.chunks_exact_mut(self.size()).enumerate() {
            let first = COLUMNS * row;
            let row = bits_as_bytes(own >> first) | bits_as_bytes(enemy >> first) << 1;
            let row = row.to_le_bytes();
            match symbols.as_mut_array() {
                Some(all) => *all = row,
                None => symbols.copy_from_slice(&row[..self.size()]),
            }
        }
        if let Some(scalars) = scalars.as_mut_array::<SCALARS>() {
            *scalars = self.scalar_symbols(position, seat);
        }
    }

    #[inline]
    fn symbol_changes(
        &self,
        before: &Position,
        after: &Position,
        seat: Seat,
        mut change: impl FnMut(usize, u8),
    ) -> bool {
        let [own_before, enemy_before] = [before.discs(seat), before.discs(1 - seat)];
        let [own, enemy] = [after.discs(seat), after.discs(1 - seat)];
        for square in squares_of(own_before ^ own | enemy_before ^ enemy) {
            let symbol = (own >> square & 1) as u8 + 2 * (enemy >> square & 1) as u8;
            change(square / COLUMNS * self.size() + square % COLUMNS, symbol);
        }
        let scalars = self.scalar_symbols(after, seat);
        for (index, symbol) in (self.size() * self.size()..).zip(scalars) {
            change(index, symbol);
        }
        true
    }

    fn remaining_range(&self) -> RangeInclusive<usize> {
        // A side that can move has a disc and flips one.
        1..=self.size() * self.size() - 2
    }

    fn tuple_sets(&self) -> &'static [NamedTuples<Self>] {
        &TUPLE_SETS
    }

    fn transform_cell(&self, cell: Cell, symmetry: usize) -> Cell {
        let image = |row, column| {
            let image = transform_set(square_bit(row, column), symmetry, self.size());
            image.trailing_zeros() as usize
        };
        let [board, .., parities] = self.cell_groups() else {
            return cell;
        };
        if board.index_in_group(cell).is_some() {
            let (row, column) = (cell.index() / self.size(), cell.index() % self.size());
            return self::cell(self, image(row, column));
        }
        let Some(quarter) = parities.index_in_group(cell) else {
            return cell;
        };
        let last = self.size() - 1;
        let image = 1 << image(quarter / 2 * last, quarter % 2 * last);
        let mut quarters = self.quarters().into_iter();
        parities.cell(
            quarters
                .position(|quarter| quarter & image != 0)
                .unwrap_or(0),
        )
    }
}

/// Number of cells beside those of the board.
const SCALARS: usize = 7;

impl Reversi {
    /// Symbols of the cells beside those of the board.
    #[inline]
    fn scalar_symbols(&self, position: &Position, seat: Seat) -> [u8; SCALARS] {
        let empty = self.squares() & !(position.own | position.enemy);
        let other_moves = run_ends(position.enemy, position.own) & empty;
        let moves = [position.moves, other_moves].map(u64::count_ones);
        let mut moves = moves.map(|moves| moves.min(MAX_MOVES) as u8);
        if seat != position.seat() {
            moves.swap(0, 1);
        }
        let parities = self
            .quarters()
            .map(|quarter| (empty & quarter).count_ones() as u8 & 1);
        let [own_moves, other_moves] = moves;
        let [first, second, third, fourth] = parities;
        let empties = empty.count_ones() as u8;
        [
            own_moves,
            other_moves,
            empties,
            first,
            second,
            third,
            fourth,
        ]
    }

    /// Squares of the board's quarters, row by row.
    #[inline]
    fn quarters(&self) -> [u64; 4] {
        let half = self.size() / 2;
        let first = [0, 0, 0x0303, 0x07_0707, 0x0F0F_0F0F][half.min(4)];
        let below = first << (COLUMNS * half);
        [first, first << half, below, below << half]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alea_core::{
        evaluator::Evaluator, game::Game, random::RandomStream, search_game::Playouts,
    };
    use alea_learned::{
        inputs::with_view,
        named_set::NamedSet,
        network::{FloatWeights, Layer, Network},
        tuples::{TupleNetwork, TupleSet},
    };
    use alea_play::playable::Codec;

    fn set(game: &Reversi, name: &str) -> TupleSet<Reversi> {
        TupleSet::from_name(game, name).unwrap()
    }

    fn network(game: &Reversi, width: usize, scale: f32) -> Network<Reversi> {
        let numbers = |count: usize| -> Vec<f32> {
            let mut random = RandomStream::new(count as u64);
            let weight = |_| scale * (random.uniform_f64() as f32 - 0.5);
            (0..count).map(weight).collect()
        };
        let weights = FloatWeights {
            rows: numbers(3 * game.size() * game.size() * width),
            bias: numbers(width),
            hidden: vec![Layer {
                weights: numbers(width * 16),
                bias: numbers(16),
            }],
            outputs: 1,
            output: numbers(16),
            output_bias: vec![0.0],
        };
        Network::new(game, NamedSet::NONE, [], weights.quantize().unwrap()).unwrap()
    }

    fn plies(game: &Reversi, mut visit: impl FnMut(&Position, super::super::Move, &Position)) {
        let mut random = RandomStream::new(3);
        for _ in 0..10 {
            let mut position = game.start();
            while game.payoffs(&position).is_none() {
                let mv = game.sample_move(&position, random.next_u64());
                let after = game.play(&position, mv);
                visit(&position, mv, &after);
                position = after;
            }
        }
    }

    #[test]
    fn sizes_are_those_documented() {
        let count = |game: &Reversi, name| {
            let set = set(game, name);
            (set.tuple_count(), set.row_count())
        };
        let lines = 18 * 6561 + 4 * (2187 + 729 + 243 + 81);
        assert_eq!(count(&Reversi::EIGHT, "lines"), (34, lines));
        let corners = 4 * 19_683 + 8 * 59_049;
        let both = [Reversi::EIGHT, Reversi::FOUR].map(|game| count(&game, "lines-and-corners"));
        let small = 10 * 81 + 4 * (19_683 + 6561);
        assert_eq!(both, [(46, lines + corners), (18, small)]);
        let diagonals = 6561 + 2187 + 729 + 243 + 81;
        let shared = 2 * 59_049 + 19_683 + 3 * 6561 + diagonals + 32 * 32 + 65 + 16;
        assert_eq!(shared, 168_370);
        let tuples = 4 + 3 * 4 + (2 + 4 * 4) + 4 + 8 + 3;
        assert_eq!(count(&Reversi::EIGHT, "patterns"), (tuples, shared));
    }

    #[test]
    fn rows_are_the_discs_that_the_mover_sees() {
        let game = Reversi::FOUR;
        let set = TupleSet::parse_custom(&game, &["b0 b1 b5", "b15"]).unwrap();
        plies(&game, |position, _, _| {
            let symbol = |square: usize| {
                let discs = [position.own, position.enemy];
                let [own, enemy] = discs.map(|discs| (discs >> square & 1) as u32);
                own + 2 * enemy
            };
            let mut rows = [0; 2];
            set.row_indices(position, &mut rows);
            let block = symbol(0) + 3 * symbol(1) + 9 * symbol(9);
            assert_eq!(rows, [symbol(27), 3 + block]);
        });
    }

    #[test]
    fn tuples_that_share_a_table_are_images() {
        let game = Reversi::EIGHT;
        let set = set(&game, "patterns");
        let mut tables: Vec<Vec<&Vec<Cell>>> = Vec::new();
        let mut last = None;
        for (range, tuple) in set.table_row_ranges().zip(set.tuple_cells()) {
            if last.as_ref() == Some(&range) {
                tables.last_mut().unwrap().push(tuple);
            } else {
                tables.push(vec![tuple]);
            }
            last = Some(range);
        }
        assert_eq!(tables.len(), 1 + 3 + 5 + 2 + 3);
        for table in tables {
            let image = |symmetry| -> Vec<Cell> {
                let cells = table[0].iter();
                cells
                    .map(|&cell| game.transform_cell(cell, symmetry))
                    .collect()
            };
            let images: Vec<Vec<Cell>> = (0..8).map(image).collect();
            assert!(table.iter().all(|tuple| images.contains(tuple)));
        }
    }

    #[test]
    fn numbers_of_moves_empty_squares_and_parities() {
        let game = Reversi::EIGHT;
        let text = "XXX-----/-O------/--O-----/--------/--------/--------/--------/-------O O";
        let position = game.parse_position(text).unwrap();
        let symbols = with_view(&game, &position, position.seat(), |view| {
            view[64..].to_vec()
        });
        // White has no move; Black takes b2 from b3 and a3, and b2 with c3 from d4. The upper left
        // quarter has 11 empty squares, the lower right one 15.
        assert_eq!(symbols, [0, 3, 58, 1, 0, 0, 1]);
    }

    #[test]
    fn images_of_cells_see_in_images_of_positions_what_cells_see() {
        for game in Reversi::ALL {
            plies(&game, |position, _, _| {
                let seat = position.seat();
                let view = |at: &Position| with_view(&game, at, seat, <[u8]>::to_vec);
                let seen = view(position);
                for symmetry in 0..game.symmetries() {
                    let transform_set = view(&game.transform_position(position, symmetry));
                    for cell in game.cell_groups().iter().flat_map(CellGroup::cells) {
                        let image_cell = game.transform_cell(cell, symmetry);
                        assert_eq!(seen[cell.index()], transform_set[image_cell.index()]);
                    }
                }
            });
            let set = set(&game, "lines-and-corners");
            let images = |symmetry| -> BTreeSet<BTreeSet<Cell>> {
                let cell = |&cell: &Cell| game.transform_cell(cell, symmetry);
                let transform_set = |tuple: &Vec<Cell>| tuple.iter().map(cell).collect();
                set.tuple_cells().iter().map(transform_set).collect()
            };
            assert!((1..game.symmetries()).all(|symmetry| images(symmetry) == images(0)));
        }
    }

    #[test]
    fn models_without_knowledge_call_every_game_even_and_rows_lie_in_their_tables() {
        for game in Reversi::ALL {
            let set = set(&game, "lines-and-corners");
            let mut rows = vec![0; set.tuple_count()];
            let network = network(&game, 32, 0.0);
            let phased = set.clone().with_phases([4]).unwrap();
            let weights = vec![0.0; phased.row_count()];
            let tuples = TupleNetwork::new(phased, weights, 0.0).unwrap();
            plies(&game, |position, _, _| {
                set.row_indices(position, &mut rows);
                let mut pairs = rows.iter().zip(set.table_row_ranges());
                assert!(pairs.all(|(&row, table)| table.contains(&(row as usize))));
                assert_eq!(tuples.value_of(&game, position), 0.5);
                assert_eq!(network.value_of(&game, position), 0.5);
            });
        }
    }
}
