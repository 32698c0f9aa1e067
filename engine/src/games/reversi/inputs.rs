//! What of Reversi is learned: the squares as three symbols, and tuples of lines and corners.
//!
//! Source of the tuples: Lucas 2008 and Jaśkowski 2014, whose best networks for Othello see
//! straight lines and compact shapes. Invariant: a name keeps its tuples for ever.

use super::bits::{self, COLUMNS};
use super::{Position, Reversi};
use crate::core::game::Seat;
use crate::learned::inputs::{Cell, CellGroup, Learnable, NamedTuples, NoDense, NoInteger};
use crate::learned::tuples::Plain;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

const fn cells(size: usize) -> [CellGroup; 1] {
    [CellGroup {
        letter: 'b',
        start: 0,
        count: size * size,
        symbols: 3,
        meaning: "board, row by row (0 empty, 1 mover, 2 other)",
        late: false,
    }]
}

/// By half the size.
static CELLS: [[CellGroup; 1]; 5] = [cells(0), cells(0), cells(4), cells(6), cells(8)];

/// A step along a line, right and down.
type Step = (i32, i32);

/// From a square on the given steps, as long as that is on the board and in the shape.
fn shape(game: &Reversi, at: (i32, i32), steps: [Step; 2], lengths: [i32; 2]) -> Option<Vec<Cell>> {
    let size = game.size() as i32;
    let [(right, down), (across, below)] = steps;
    let mut cells = Vec::new();
    for (one, other) in (0..lengths[0]).flat_map(|one| (0..lengths[1]).map(move |two| (one, two))) {
        let column = at.0 + one * right + other * across;
        let row = at.1 + one * down + other * below;
        if !(0..size).contains(&column) || !(0..size).contains(&row) {
            return None;
        }
        cells.push(game.cells()[0].cell((row * size + column) as usize));
    }
    cells.sort_unstable();
    Some(cells)
}

/// Rows, columns, and diagonals of at least four squares.
fn lines(game: &Reversi) -> BTreeSet<Vec<Cell>> {
    let size = game.size() as i32;
    let mut lines = BTreeSet::new();
    for start in 0..size {
        for (at, step) in [
            ((0, start), (1, 0)),
            ((start, 0), (0, 1)),
            ((start, 0), (1, 1)),
            ((0, start), (1, 1)),
            ((start, 0), (-1, 1)),
            ((size - 1, start), (-1, 1)),
        ] {
            let longest = (4..=size)
                .rev()
                .find_map(|length| shape(game, at, [step, (0, 0)], [length, 1]));
            lines.extend(longest);
        }
    }
    lines
}

/// Blocks of 3×3 and 2×5 in the corners, lying and standing.
fn corners(game: &Reversi) -> BTreeSet<Vec<Cell>> {
    let last = game.size() as i32 - 1;
    let long = 5.min(last + 1);
    let mut blocks = BTreeSet::new();
    for (column, right) in [(0, 1), (last, -1)] {
        for (row, down) in [(0, 1), (last, -1)] {
            for lengths in [[3, 3], [2, long], [long, 2]] {
                blocks.extend(shape(game, (column, row), [(right, 0), (0, down)], lengths));
            }
        }
    }
    blocks
}

/// The sets; the first is the usual one. On 8×8 they have 46 and 34 tuples, 671,922 and 120,942
/// rows.
static SETS: [NamedTuples<Reversi>; 2] = [
    NamedTuples {
        name: "lines-and-corners",
        tuples: |game| lines(game).union(&corners(game)).cloned().collect(),
    },
    NamedTuples {
        name: "lines",
        tuples: |game| lines(game).into_iter().collect(),
    },
];

impl Learnable for Reversi {
    type Tuples = Plain;
    type Dense = NoDense;
    type Integer = NoInteger;

    fn cells(&self) -> &[CellGroup] {
        &CELLS[self.size() / 2]
    }

    #[inline]
    fn look(&self, position: &Position, seat: Seat, symbols: &mut [u8]) {
        let (own, enemy) = (position.discs(seat), position.discs(1 - seat));
        for (row, symbols) in symbols.chunks_exact_mut(self.size()).enumerate() {
            let [own, enemy] = [own, enemy].map(|discs| discs >> (COLUMNS * row));
            for (column, symbol) in symbols.iter_mut().enumerate() {
                *symbol = (own >> column & 1 | (enemy >> column & 1) << 1) as u8;
            }
        }
    }

    fn remaining_range(&self) -> RangeInclusive<usize> {
        1..=self.size() * self.size() - 4
    }

    fn tuple_sets(&self) -> &'static [NamedTuples<Self>] {
        &SETS
    }

    fn cell_image(&self, cell: Cell, symmetry: usize) -> Cell {
        let (row, column) = (cell.place() / self.size(), cell.place() % self.size());
        let image = bits::image(1 << (COLUMNS * row + column), symmetry, self.size());
        let square = image.trailing_zeros() as usize;
        self.cells()[0].cell(square / COLUMNS * self.size() + square % COLUMNS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::evaluator::Evaluator;
    use crate::core::game::Game;
    use crate::core::random::RandomStream;
    use crate::games::einstein::Standard;
    use crate::learned::files::{Model, ModelFile};
    use crate::learned::inputs::with_view;
    use crate::learned::names::NameSet;
    use crate::learned::network::{Accumulators, Layer, Network, NetworkWeights};
    use crate::learned::tuples::{TupleNetwork, TupleSet};
    use crate::play::playable::Playable;

    fn numbers(count: usize, random: &mut RandomStream) -> Vec<f32> {
        (0..count).map(|_| random.unit() as f32 - 0.5).collect()
    }

    fn tuples(game: &Reversi) -> TupleNetwork<Reversi> {
        let set = TupleSet::named(game, "lines-and-corners").unwrap();
        let set = set.with_phases(&[4]).unwrap();
        let weights = numbers(set.rows(), &mut RandomStream::new(1));
        TupleNetwork::new(set, weights, 0.25).unwrap()
    }

    fn network(game: &Reversi) -> Network<Reversi> {
        let random = &mut RandomStream::new(2);
        let weights = NetworkWeights {
            sparse: numbers(game.sparse_rows() * 32, random),
            bias: numbers(32, random),
            hidden: vec![Layer {
                weights: numbers(32 * 16, random),
                bias: numbers(16, random),
            }],
            output: numbers(16, random),
            ..NetworkWeights::default()
        };
        Network::new(game, NameSet::NONE, weights).unwrap()
    }

    /// Random games: position, move, and position after it.
    fn plies(game: &Reversi, mut visit: impl FnMut(&Position, super::super::Move, &Position)) {
        let mut random = RandomStream::new(3);
        for _ in 0..10 {
            let mut position = game.start();
            while game.payoffs(&position).is_none() {
                let mv = game.random_move(&position, random.next_u64());
                let after = game.play(&position, mv);
                visit(&position, mv, &after);
                position = after;
            }
        }
    }

    #[test]
    fn sizes_are_those_documented() {
        let count = |game: &Reversi, name| {
            let set = TupleSet::named(game, name).unwrap();
            (set.tuples(), set.rows())
        };
        // Lines of 8 sixteen rows and columns and two diagonals; four of 7, 6, 5 and 4 squares each.
        let lines = 18 * 6561 + 4 * (2187 + 729 + 243 + 81);
        assert_eq!(count(&Reversi::EIGHT, "lines"), (34, lines));
        let corners = 4 * 19_683 + 8 * 59_049;
        assert_eq!(
            count(&Reversi::EIGHT, "lines-and-corners"),
            (46, lines + corners)
        );
        assert_eq!(count(&Reversi::FOUR, "lines"), (10, 10 * 81));
    }

    #[test]
    fn rows_are_the_discs_that_the_mover_sees() {
        let game = Reversi::FOUR;
        let set = TupleSet::custom(&game, &["b0 b1 b5", "b15"]).unwrap();
        plies(&game, |position, _, _| {
            let symbol = |square: usize| {
                let own = position.own() >> square & 1;
                (own + 2 * (position.enemy() >> square & 1)) as u32
            };
            let mut rows = [0; 2];
            set.indices(position, &mut rows);
            // Shorter tuples first: d4 alone, then a1, b1, b2.
            let corner = symbol(27);
            assert_eq!(
                rows,
                [corner, 3 + symbol(0) + 3 * symbol(1) + 9 * symbol(9)]
            );
        });
    }

    #[test]
    fn images_of_cells_see_in_images_of_positions_what_cells_see() {
        let game = Reversi::SIX;
        plies(&game, |position, _, _| {
            for symmetry in 0..8 {
                let image = game.image(position, symmetry);
                let see = |position: &Position, cell: Cell| {
                    with_view(&game, position, position.seat(), |view| view[cell.place()])
                };
                for cell in game.cells()[0].all() {
                    let turned = game.cell_image(cell, symmetry);
                    assert_eq!(see(position, cell), see(&image, turned));
                }
            }
        });
    }

    #[test]
    fn a_network_followed_along_a_game_is_one_that_starts_afresh_passes_included() {
        for game in [Reversi::FOUR, Reversi::EIGHT] {
            let network = network(&game);
            let mut passes = 0;
            plies(&game, |position, mv, after| {
                let (mut cache, mut fresh, mut child) = <(Accumulators, _, _)>::default();
                network.refresh(&game, position, &mut cache);
                network.update(&game, &cache, position, mv, after, &mut child);
                network.refresh(&game, after, &mut fresh);
                assert_eq!(child, fresh);
                passes += usize::from(position.moves() == 0);
            });
            assert!(game.size() > 4 || passes > 0);
        }
    }

    #[test]
    fn models_are_read_back_and_those_of_other_games_refused() {
        let (game, directory) = (Reversi::FOUR, tempfile::tempdir().unwrap());
        for (name, model) in [
            ("tuples", Model::NTuple(tuples(&game))),
            ("network", Model::Network(network(&game))),
        ] {
            let path = directory.path().join(name);
            let file = ModelFile {
                provenance: "{}".to_owned(),
                model,
            };
            file.save(&path).unwrap();
            assert!(ModelFile::load(&game, &path).unwrap() == file);
            let loaded = game.model(&path).unwrap();
            plies(&game, |position, _, _| {
                let value = match &file.model {
                    Model::NTuple(model) => model.value_of(&game, position),
                    Model::Network(model) => model.value_of(&game, position),
                    Model::Integer(never) => match *never {},
                };
                assert_eq!(loaded.value_of(&game, position).to_bits(), value.to_bits());
            });
            let start = format!("{}: ", path.display());
            let refused = ModelFile::load(&Standard::default(), &path).unwrap_err();
            assert_eq!(
                refused.to_string(),
                start.clone() + "a model of reversi(size=4); this is einstein"
            );
            let refused = ModelFile::load(&Reversi::SIX, &path).unwrap_err();
            assert_eq!(
                refused.to_string(),
                start + "a model of reversi(size=4); this is reversi(size=6)"
            );
        }
    }
}
