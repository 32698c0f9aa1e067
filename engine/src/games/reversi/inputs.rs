//! What of Reversi is learned: squares, and tuples of rows, columns, diagonals and corners.
//!
//! Invariant: a square is seen as empty, the seer's or the other side's, so both sides see alike.
//! Every tuple stands in a set with all its images.

use super::bits::{COLUMNS, image, squares_of};
use super::{Position, Reversi};
use crate::core::game::Seat;
use crate::learned::inputs::{Cell, CellGroup, Learnable, NamedTuples, NoDense, NoInteger};
use crate::learned::tuples::Plain;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

const fn squares(size: usize) -> [CellGroup; 1] {
    [CellGroup {
        letter: 's',
        start: 0,
        count: size * size,
        symbols: 3,
        meaning: "squares along the rows: 0 empty, 1 own, 2 enemy",
        late: false,
    }]
}

static CELLS: [[CellGroup; 1]; 3] = [squares(4), squares(6), squares(8)];

static SETS: [NamedTuples<Reversi>; 1] = [NamedTuples {
    name: "lines-1",
    tuples: lines_and_corners,
}];

/// Rows, columns, diagonals of at least four squares, and in each corner the blocks of 3×3 and 2×5
/// squares (on 4×4 of 2×4).
fn lines_and_corners(game: &Reversi) -> Vec<Vec<Cell>> {
    let size = game.size();
    let square = |row: usize, column: usize| 1_u64 << (COLUMNS * row + column);
    let block = |rows: usize, columns: usize| {
        let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        all.fold(0, |set, (row, column)| set | square(row, column))
    };
    let row = |row: usize| (0..size).fold(0, |set, column| set | square(row, column));
    let diagonal = |length: usize| (0..length).fold(0, |set, at| set | square(at, length - 1 - at));
    let half = (0..size / 2).map(row);
    let shapes = half
        .chain((4..=size).map(diagonal))
        .chain([block(3, 3), block(2, size.min(5))]);
    let images = shapes.flat_map(|shape| (0..8).map(move |symmetry| image(shape, symmetry, size)));
    let sets: BTreeSet<u64> = images.collect();
    let cells = |set| squares_of(set).map(|square| cell(game, square)).collect();
    sets.into_iter().map(cells).collect()
}

fn cell(game: &Reversi, square: usize) -> Cell {
    game.cells()[0].cell(square / COLUMNS * game.size() + square % COLUMNS)
}

impl Learnable for Reversi {
    type Tuples = Plain;
    type Dense = NoDense;
    type Integer = NoInteger;

    fn cells(&self) -> &[CellGroup] {
        &CELLS[self.size() / 2 - 2]
    }

    #[inline]
    fn look(&self, position: &Position, seat: Seat, symbols: &mut [u8]) {
        let (mut own, mut enemy) = (position.discs(seat), position.discs(1 - seat));
        for row in symbols.chunks_mut(self.size()) {
            for (column, symbol) in row.iter_mut().enumerate() {
                *symbol = (own >> column & 1) as u8 + 2 * (enemy >> column & 1) as u8;
            }
            (own, enemy) = (own >> COLUMNS, enemy >> COLUMNS);
        }
    }

    fn remaining_range(&self) -> RangeInclusive<usize> {
        // Whoever can move has a disc and sees one of the other side.
        1..=self.size() * self.size() - 2
    }

    fn tuple_sets(&self) -> &'static [NamedTuples<Self>] {
        &SETS
    }

    fn cell_image(&self, cell: Cell, symmetry: usize) -> Cell {
        // Where the image of a disc on some square lies where the cell is, that square is meant.
        let place = cell.place();
        let square = place / self.size() * COLUMNS + place % self.size();
        let from = squares_of(self.squares())
            .find(|&from| image(1 << from, symmetry, self.size()) == 1 << square)
            .unwrap_or(square);
        self::cell(self, from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::evaluator::Evaluator;
    use crate::core::game::Game;
    use crate::core::random::RandomStream;
    use crate::learned::files::{Model, ModelFile};
    use crate::learned::inputs::with_view;
    use crate::learned::names::NameSet;
    use crate::learned::network::{Network, NetworkWeights};
    use crate::learned::tuples::{TupleNetwork, TupleSet};
    use crate::play::playable::Playable;

    const SIZES: [Reversi; 3] = [Reversi::EIGHT, Reversi::SIX, Reversi::FOUR];

    fn set(game: &Reversi) -> TupleSet<Reversi> {
        TupleSet::named(game, "lines-1").unwrap()
    }

    /// The positions of random games.
    fn positions(game: &Reversi) -> Vec<Position> {
        let mut random = RandomStream::new(5);
        let (mut positions, mut position) = (Vec::new(), game.start());
        while positions.len() < 100 {
            positions.push(position);
            position = game.play(&position, game.random_move(&position, random.next_u64()));
            if game.is_over(&position) {
                position = game.start();
            }
        }
        positions
    }

    fn view(game: &Reversi, position: &Position, seat: Seat) -> Vec<u8> {
        with_view(game, position, seat, <[u8]>::to_vec)
    }

    #[test]
    fn a_seat_sees_its_own_discs_alike() {
        let game = Reversi::FOUR;
        let position = game.parse_position("----XXX--XO----- O").unwrap();
        let black = [0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 2, 0, 0, 0, 0, 0];
        let white = black.map(|symbol| [0, 2, 1][usize::from(symbol)]);
        assert_eq!(
            [0, 1].map(|seat| view(&game, &position, seat)),
            [black, white]
        );
        // Row 3 · cell + symbol.
        let mut rows = [0; 16];
        game.sparse(&position, 1, &mut rows);
        assert_eq!(rows[3..7], [9, 14, 17, 20]);
    }

    #[test]
    fn cells_see_in_images_of_positions_what_their_images_see() {
        for game in SIZES {
            let cells: Vec<Cell> = game.cells()[0].all().collect();
            for position in positions(&game) {
                let seen = view(&game, &position, position.seat());
                for symmetry in 0..game.symmetries() {
                    let image = view(&game, &game.image(&position, symmetry), position.seat());
                    let images = cells.iter().map(|&cell| game.cell_image(cell, symmetry));
                    let by_cells: Vec<u8> = images.map(|cell| seen[cell.place()]).collect();
                    assert_eq!(image, by_cells, "{symmetry}");
                }
            }
        }
    }

    #[test]
    fn sets_hold_all_lines_and_corners_with_their_images() {
        // Lines and diagonals by length, blocks of nine and of ten (of eight on 4×4) squares.
        let counts: [&[(usize, usize)]; 3] = [
            &[(4, 4), (5, 4), (6, 4), (7, 4), (8, 18), (9, 4), (10, 8)],
            &[(4, 4), (5, 4), (6, 14), (9, 4), (10, 8)],
            &[(4, 10), (8, 4), (9, 4)],
        ];
        for (game, counts) in SIZES.into_iter().zip(counts) {
            let set = set(&game);
            let lengths: Vec<usize> = set.cells().iter().map(Vec::len).collect();
            let expected = counts.iter().flat_map(|&(length, n)| vec![length; n]);
            assert_eq!(lengths, expected.collect::<Vec<_>>());
            let rows: usize = lengths
                .iter()
                .map(|&length| 3usize.pow(length as u32))
                .sum();
            assert_eq!(set.rows(), rows);
            for symmetry in 0..game.symmetries() {
                for tuple in set.cells() {
                    let cells = tuple.iter().map(|&cell| game.cell_image(cell, symmetry));
                    let image: BTreeSet<Cell> = cells.collect();
                    let found = set.cells().iter().any(|other| image.iter().eq(other));
                    assert!(found, "{tuple:?} {symmetry}");
                }
            }
        }
    }

    #[test]
    fn rows_lie_in_their_tables() {
        for (game, set) in SIZES.map(|game| (game, set(&game))) {
            let mut rows = vec![0; set.tuples()];
            for position in positions(&game) {
                set.indices(&position, &mut rows);
                let mut pairs = rows.iter().zip(set.tables());
                assert!(pairs.all(|(&row, table)| table.contains(&(row as usize))));
            }
        }
    }

    #[test]
    fn models_without_knowledge_call_every_game_even() {
        for game in SIZES {
            let set = set(&game).with_phases(&[6]).unwrap();
            let rows = set.rows();
            let tuples = TupleNetwork::new(set, vec![0.0; rows], 0.0).unwrap();
            let weights = NetworkWeights {
                sparse: vec![0.0; game.sparse_rows() * 16],
                bias: vec![0.0; 16],
                output: vec![0.0; 16],
                ..NetworkWeights::default()
            };
            let network = Network::new(&game, NameSet::NONE, weights).unwrap();
            for position in positions(&game) {
                assert_eq!(tuples.value_of(&game, &position), 0.5);
                assert_eq!(network.value_of(&game, &position), 0.5);
            }
            for model in [Model::NTuple(tuples), Model::Network(network)] {
                let provenance = "untrained".to_owned();
                let file = ModelFile { provenance, model };
                let bytes = file.to_bytes();
                assert!(ModelFile::from_bytes(&game, &bytes).unwrap() == file);
                for other in SIZES.into_iter().filter(|other| *other != game) {
                    assert!(ModelFile::from_bytes(&other, &bytes).is_err());
                }
            }
        }
    }
}
