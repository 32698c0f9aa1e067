//! Features of ReversiXT's models: a summary of twenty symbols, for unseen maps too, and if all
//! maps are 8×8 the content of each cell.
//!
//! Published tuple sets must not change.

use super::{
    Phase, Position, ReversiXt,
    cell_sets::{CellSet, Contents, MAX_WORDS},
    map::{Cell, Map},
    with_words,
};
use alea_core::game::{MAX_SEATS, Seat};
use alea_learned::{
    inputs::{CellGroup, Learnable, NamedTuples, NoFeatureGroup, TupleInputs, all_pairs},
    network::GenericNetKernels,
    tuples::GenericTupleKernels,
};
use alea_play::playable::Rules;
use std::{ops::RangeInclusive, sync::Arc};

const NUM_SUMMARY_CELLS: usize = 20;

const ALPHABET_SIZE: i32 = 16;

const BOARD_SIDE: usize = 8;

const SUMMARY_CELLS: CellGroup = CellGroup::single(
    's',
    NUM_SUMMARY_CELLS,
    ALPHABET_SIZE as usize,
    "summary v1 (empties, phase and players, leads in stones, moves, corners, edges, X, C, frontier, \
     stocks, tempo, the last stones)",
);

static CELL_GROUPS: [CellGroup; 2] = [
    SUMMARY_CELLS,
    CellGroup {
        start: NUM_SUMMARY_CELLS,
        optional: true,
        ..CellGroup::single(
            'b',
            BOARD_SIDE * BOARD_SIDE,
            4,
            "board, row by row (0 empty, 1 mover, 2 another's, 3 hole)",
        )
    },
];

/// Corners, where all four lines through the cell end, and edges, where two or three do.
#[derive(Debug)]
pub(super) struct Shape {
    corners: CellSet<MAX_WORDS>,
    edges: CellSet<MAX_WORDS>,
}

impl Shape {
    pub(super) fn from_map(map: &Map) -> Self {
        let [mut corners, mut edges] = [CellSet::NONE; 2];
        for cell in 0..map.cells().len() {
            match map.num_lines_ending_at(cell) {
                4 => corners.insert(cell),
                2 | 3 => edges.insert(cell),
                _ => (),
            }
        }
        Self { corners, edges }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct SeatCounts {
    corners: i32,
    edges: i32,
    /// Stones on neither edges nor corners, next to an empty corner.
    x_squares: i32,
    /// Stones on edges, next to an empty corner.
    c_squares: i32,
    frontier: i32,
    moves: i32,
    /// Choice and inversion cells that the seat can fill.
    choices: i32,
    inversions: i32,
}

/// Counts of the board's cells, and of each seat's.
struct Summary {
    empties: i32,
    choices: i32,
    inversions: i32,
    seats: [SeatCounts; MAX_SEATS],
}

impl Summary {
    fn of(game: &ReversiXt, position: &Position) -> Self {
        with_words!(game, WORDS => Self::with_words::<WORDS>(game, position))
    }

    #[inline(always)]
    fn with_words<const WORDS: usize>(game: &ReversiXt, position: &Position) -> Self {
        let contents = Contents::<WORDS>::new(&position.cells);
        let (empties, occupied) = (contents.empties(), contents.occupied());
        let [choices, inversions] =
            [Cell::CHOICE, Cell::INVERSION].map(|cell| contents.cells_with(cell));
        let corners = game.shape.corners.resize();
        let edges = game.shape.edges.resize();
        let frontier = game.steps.neighbours(empties);
        let danger = game.steps.neighbours(empties & corners);
        let mut seats = [SeatCounts::default(); MAX_SEATS];
        for (seat, counts) in seats[..game.map().players()].iter_mut().enumerate() {
            let own = contents.cells_with(Cell::stone(seat));
            let fillable = match position.phase() {
                Phase::Stones => game.steps.run_ends(own, occupied & !own, empties),
                _ => CellSet::NONE,
            };
            *counts = SeatCounts {
                corners: (own & corners).len(),
                edges: (own & edges & !danger).len(),
                x_squares: (own & danger & !(edges | corners)).len(),
                c_squares: (own & edges & danger).len(),
                frontier: (own & frontier).len(),
                moves: fillable.len(),
                choices: (fillable & choices).len(),
                inversions: (fillable & inversions).len(),
            };
        }
        Self {
            empties: empties.len(),
            choices: choices.len(),
            inversions: inversions.len(),
            seats,
        }
    }
}

fn lead_symbol(lead: i32) -> u8 {
    (lead.clamp(-7, 8) + 7) as u8
}

fn ratio_symbol((own, other): (i32, i32)) -> u8 {
    let ratio = (own - other) as f32 / (own + other).max(1) as f32;
    (7.5 + 7.5 * ratio).round() as u8
}

fn symbols_of_summary(game: &ReversiXt, position: &Position, own: Seat) -> [u8; NUM_SUMMARY_CELLS] {
    let players = game.map().players();
    let summary = Summary::of(game, position);
    let (counts, empties) = (&summary.seats, summary.empties);
    let rivals = |seat| seat != own && !position.is_disqualified(seat);
    let against = |has: &dyn Fn(Seat) -> i32| {
        let others = (0..players).filter(|&seat| rivals(seat));
        (has(own), others.map(has).max().unwrap_or(0))
    };
    let lead = |has: &dyn Fn(Seat) -> i32| {
        let (own, other) = against(has);
        lead_symbol(own - other)
    };
    let cells = game.map().num_cells().max(1) as i32;
    let clamp_symbol = |number: i32| number.min(ALPHABET_SIZE - 1) as u8;
    let tempo = |number: i32, can: i32| (number.min(7) + 8 * can.min(1)) as u8;
    let bombs = position.phase() == Phase::Bombs;
    let others_move = (0..players).any(|seat| rivals(seat) && counts[seat].moves > 0);
    [
        clamp_symbol(empties * ALPHABET_SIZE / cells),
        (players - 2) as u8 + 8 * u8::from(bombs),
        ratio_symbol(against(&|seat| position.num_stones(seat).into())),
        ratio_symbol(against(&|seat| counts[seat].moves)),
        clamp_symbol(counts[own].moves),
        lead(&|seat| counts[seat].corners),
        lead(&|seat| counts[seat].edges),
        lead(&|seat| counts[seat].x_squares),
        lead(&|seat| counts[seat].c_squares),
        ratio_symbol(against(&|seat| counts[seat].frontier)),
        lead(&|seat| position.overrides(seat).into()),
        lead(&|seat| position.bombs(seat).into()),
        clamp_symbol(position.overrides(own).into()),
        tempo(summary.choices, counts[own].choices),
        tempo(summary.inversions, counts[own].inversions),
        (empties % players as i32) as u8 + 8 * u8::from(!others_move),
        lead(&|seat| position.num_stones(seat).into()),
        lead(&|seat| counts[seat].moves),
        clamp_symbol(position.bombs(own).into()),
        clamp_symbol(empties),
    ]
}

/// Rows, columns, diagonals of at least four cells and 3×3 corners; empty unless all maps are 8×8.
fn board_tuples(game: &ReversiXt) -> Vec<Vec<alea_learned::inputs::Cell>> {
    let Some(group) = game.cell_groups().get(1) else {
        return Vec::new();
    };
    let cells = |along: &dyn Fn(usize) -> (usize, usize), length: usize| {
        let cell = |(row, column)| group.cell(row * BOARD_SIDE + column);
        (0..length).map(along).map(cell).collect()
    };
    let mut tuples = Vec::new();
    for line in 0..BOARD_SIDE {
        tuples.push(cells(&|at| (line, at), BOARD_SIDE));
        tuples.push(cells(&|at| (at, line), BOARD_SIDE));
    }
    for length in 4..=BOARD_SIDE {
        let short = BOARD_SIDE - length;
        tuples.push(cells(&|at| (at, short + at), length));
        tuples.push(cells(&|at| (at, length - 1 - at), length));
        if short > 0 {
            tuples.push(cells(&|at| (short + at, at), length));
            tuples.push(cells(&|at| (short + at, BOARD_SIDE - 1 - at), length));
        }
    }
    for (down, right) in [(0, 0), (0, 5), (5, 0), (5, 5)] {
        tuples.push(cells(&|at| (down + at / 3, right + at % 3), 9));
    }
    tuples
}

/// Tuple sets, the default first (190 tuples, 48,640 rows of weights).
static TUPLE_SETS: [NamedTuples<ReversiXt>; 2] = [
    NamedTuples {
        name: "summary-pairs",
        tuples: all_pairs,
        symmetric: false,
    },
    NamedTuples {
        name: "board",
        tuples: board_tuples,
        symmetric: false,
    },
];

impl Learnable for ReversiXt {
    type Tuples = GenericTupleKernels;

    type Network = GenericNetKernels;

    type Group = NoFeatureGroup;

    fn for_joint_training(mut games: Vec<Self>) -> Vec<Self> {
        for (game, number) in games.iter_mut().zip(0..) {
            game.number = number;
        }
        let all: Arc<[Self]> = games.clone().into();
        for game in &mut games {
            game.variants = Arc::clone(&all);
        }
        games
    }

    /// Name without the map: a model may be used on any map.
    fn model_game_name(&self) -> String {
        Self::INFO.name.to_owned()
    }
}

impl TupleInputs for ReversiXt {
    fn cell_groups(&self) -> &[CellGroup] {
        let fits = |game: &Self| game.map.width() == BOARD_SIDE && game.map.height() == BOARD_SIDE;
        let both = fits(self) && self.variants.iter().all(fits);
        &CELL_GROUPS[..1 + usize::from(both)]
    }

    fn write_symbols(&self, position: &Position, seat: Seat, symbols: &mut [u8]) {
        let (summary_symbols, board) = symbols.split_at_mut(NUM_SUMMARY_CELLS);
        summary_symbols.copy_from_slice(&symbols_of_summary(
            self.variant_rules(position),
            position,
            seat,
        ));
        let own = Cell::stone(seat);
        for (symbol, &cell) in board.iter_mut().zip(&position.cells) {
            let is_stone = cell > Cell::HOLE && cell <= Cell::EXPANSION;
            let stone = 2 * u8::from(is_stone) - u8::from(cell == own);
            *symbol = stone + 3 * u8::from(cell == Cell::HOLE);
        }
    }

    fn remaining_range(&self) -> RangeInclusive<usize> {
        let clamp_symbol = self.variants.iter().map(|game| game.map.num_cells()).max();
        0..=clamp_symbol.unwrap_or(self.map.num_cells())
    }

    fn tuple_sets(&self) -> &'static [NamedTuples<Self>] {
        &TUPLE_SETS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        map::{DIRECTIONS, Side},
        random_maps::MapSettings,
    };
    use alea_core::{
        evaluator::Evaluator, game::Game, random::RandomStream, search_game::Playouts,
    };
    use alea_learned::{
        inputs::with_view,
        model_file::{Model, ModelFile, evaluator_from_bytes},
        tuples::{TupleNetwork, TupleSet},
    };
    use alea_play::playable::Rules;
    use std::{collections::BTreeSet, path::Path};

    fn summary_symbols(game: &ReversiXt, seat: Seat) -> Vec<u8> {
        with_view(game, &game.start(), seat, <[u8]>::to_vec)
    }

    #[test]
    fn summary_symbols_of_a_position_by_hand() {
        let map = "2\n3\n1 1\n4 4\n0 0 0 0\n0 1 2 0\n2 2 1 0\n0 c 0 0\n";
        let game = ReversiXt::on_text(map);
        let seen = summary_symbols(&game, 0);
        assert_eq!(seen[..3], [11, 0, (7.5_f32 - 7.5 / 5.0).round() as u8]);
        assert_eq!(seen[4], 3);
        assert_eq!(seen[5..9], [7, 7, 7, 6]);
        assert_eq!(seen[10..13], [7, 7, 3]);
        assert_eq!((seen[13] % 8, seen[15] % 8, seen[16]), (1, 1, 6));
        assert_eq!((seen[18], seen[19]), (1, 11));
        let other = summary_symbols(&game, 1);
        assert_eq!((other[8], other[16]), (8, 8));
    }

    fn counts_by_cells(game: &ReversiXt, position: &Position, seat: Seat) -> SeatCounts {
        let map = game.map();
        let cells = &position.cells[..map.cells().len()];
        let mut counts = SeatCounts::default();
        for at in (0..cells.len()).filter(|&at| cells[at] == Cell::stone(seat)) {
            let steps = (0..DIRECTIONS).map(|direction| map.step(Side::new(at, direction)));
            let near = steps.filter(|&side| side != Side::NONE).map(Side::cell);
            let open: Vec<usize> = near.filter(|&at| cells[at].is_empty()).collect();
            counts.frontier += i32::from(!open.is_empty());
            let danger = open.iter().any(|&at| map.num_lines_ending_at(at) == 4);
            match map.num_lines_ending_at(at) {
                4 => counts.corners += 1,
                2 | 3 if danger => counts.c_squares += 1,
                2 | 3 => counts.edges += 1,
                _ => counts.x_squares += i32::from(danger),
            }
        }
        let mut found = BTreeSet::new();
        if position.phase() == Phase::Stones {
            game.visit_capturing_cells(cells, seat, false, |at| {
                found.insert(at);
                false
            });
        }
        let among = |cell| found.iter().filter(|&&at| cells[at] == cell).count() as i32;
        counts.moves = found.len() as i32;
        (counts.choices, counts.inversions) = (among(Cell::CHOICE), among(Cell::INVERSION));
        counts
    }

    #[test]
    fn sets_of_cells_count_what_walks_from_cell_to_cell_count() {
        let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/maps");
        let mut random = RandomStream::new(6);
        let (mut maps, mut positions) = (0, 0);
        for file in vectors.read_dir().unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            let game = ReversiXt::on_text(&text);
            maps += 1;
            for _ in 0..5 {
                let mut position = game.start();
                while game.payoffs(&position).is_none() {
                    let summary = Summary::of(&game, &position);
                    let count = |cell| game.cells_of(&position).filter(|&at| at == cell).count();
                    let special = [Cell::CHOICE, Cell::INVERSION].map(count);
                    assert_eq!(
                        [summary.choices, summary.inversions].map(|n| n as usize),
                        special
                    );
                    assert_eq!(summary.empties as usize, game.num_empties(&position));
                    for seat in 0..game.seats() {
                        assert_eq!(summary.seats[seat], counts_by_cells(&game, &position, seat));
                        let cells = &position.cells[..game.map().cells().len()];
                        let (mut found, mut walked) = (BTreeSet::new(), BTreeSet::new());
                        found.extend(game.capturing_cells(&position, seat, true).iter());
                        game.visit_capturing_cells(cells, seat, true, |at| {
                            walked.insert(at);
                            false
                        });
                        assert_eq!(found, walked);
                    }
                    position = game.play(&position, game.sample_move(&position, random.next_u64()));
                    positions += 1;
                }
            }
        }
        assert!(
            maps > 10 && positions > 2_000,
            "{maps} maps, {positions} positions"
        );
    }

    #[test]
    fn the_first_of_those_together_sees_what_each_sees_alone() {
        let map = |seed| {
            let settings = MapSettings {
                players: 2 + seed as usize % 3,
                width: 9 + seed as usize,
                height: 12 - seed as usize,
                overrides: 1,
                bombs: 1,
                strength: 1,
                density: 0.2,
            };
            Arc::new(settings.generate(seed).unwrap())
        };
        let alone: Vec<ReversiXt> = (0..4).map(|seed| ReversiXt::new(map(seed))).collect();
        let variants = ReversiXt::for_joint_training(alone.clone());
        let set = TupleSet::from_name(&variants[0], "summary-pairs").unwrap();
        assert_eq!((set.tuple_count(), set.row_count()), (190, 48_640));
        let weights = (0..set.row_count())
            .map(|row| (row % 7) as f32 / 70.0)
            .collect();
        let model = TupleNetwork::new(set, weights, 0.0).unwrap();
        let file = ModelFile {
            provenance: "{}".to_owned(),
            model: Model::NTuple(model.clone()),
        };
        let file = file.to_bytes();
        for (game, numbered) in alone.iter().zip(&variants) {
            let (mut position, mut same) = (game.start(), numbered.start());
            while game.payoffs(&position).is_none() {
                let seat = game.to_move(&position);
                let view = |game: &ReversiXt, position: &Position| {
                    with_view(game, position, seat, <[u8]>::to_vec)
                };
                assert_eq!(view(game, &position), view(&variants[0], &same));
                let mut moves = Default::default();
                game.moves(&position, &mut moves);
                let mv = moves[moves.len() / 2];
                (position, same) = (game.play(&position, mv), numbered.play(&same, mv));
            }
            let read = evaluator_from_bytes(game, &file).unwrap();
            let value = model.value_of(&variants[0], &numbered.start());
            assert_eq!(read.value_of(game, &game.start()), value);
        }
        let plain = ReversiXt::from_notation("reversixt", None).unwrap();
        assert!(evaluator_from_bytes(&plain, &file).is_ok());
    }

    #[test]
    fn boards_of_eight_by_eight_have_tuples_of_their_own() {
        let plain = ReversiXt::from_notation("reversixt", None).unwrap();
        let set = TupleSet::from_name(&plain, "board").unwrap();
        assert_eq!(set.tuple_count(), 16 + 2 + 4 * 4 + 4);
        let start = with_view(&plain, &plain.start(), 0, |seen| {
            seen[NUM_SUMMARY_CELLS..].to_vec()
        });
        let occupied: Vec<usize> = (0..64).filter(|&at| start[at] > 0).collect();
        assert_eq!(occupied, [27, 28, 35, 36]);
        let other = "2\n0\n0 0\n8 9\n".to_owned() + &"0 0 0 0 1 2 0 0 0\n".repeat(8);
        let other = ReversiXt::on_text(&other);
        assert!(TupleSet::from_name(&other, "board").is_err());
    }
}
