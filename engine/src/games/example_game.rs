//! *Columns*, a small game for tests and for the guide to adding games.
//!
//! In turn each side throws a four-sided die and writes the number into one of its three columns,
//! over the old number; an equal number in the opposite column is erased. After eight throws the
//! larger number wins its column, and the majority of columns the game.

use crate::core::{
    calibration::Calibration,
    evaluator::Score,
    game::{FixedList, Game, Outcome, Payoffs, Seat, payoffs_by_score, uniform_outcomes},
    random::RandomStream,
    search_game::{OutOfTurn, Playouts, SearchHints},
    text::TextError,
};
use crate::learned::{
    inputs::{CellGroup, Learnable, NoFeatureGroup, TupleInputs},
    model_file,
    network::GenericNetKernels,
    tuples::IncrementalTupleKernels,
};
use crate::play::{
    chance_sources::OutcomeListSampler,
    playable::{ChanceSources, Codec, GameInfo, GameText, Playable, Registry, Rules},
    player_notation::{Arguments, Problem},
    registry::{EvaluatorEntry, calibrated},
};

/// The rules of Columns.
#[derive(Clone, Copy, Debug)]
pub struct Columns;

/// Three numbers of each seat (0: empty), the remaining throws, and the seat to move.
type Board = [u8; 8];

type Move = (u8, u8);

fn column_lead(table: &Board, seat: Seat) -> i32 {
    let result = |column: usize| table[3 * seat + column].cmp(&table[3 - 3 * seat + column]) as i32;
    (0..3).map(result).sum()
}

impl Game for Columns {
    type Position = Board;
    type Move = Move;
    type Moves = FixedList<Move, 12>;
    type Outcomes = FixedList<Outcome, 4>;

    fn to_move(&self, table: &Board) -> Seat {
        table[7].into()
    }
    fn payoffs(&self, table: &Board) -> Option<Payoffs> {
        (table[6] == 0).then(|| payoffs_by_score([column_lead(table, 0), 0]))
    }
    fn moves(&self, _: &Board, moves: &mut Self::Moves) {
        moves.clear();
        (0..12).for_each(|index| moves.push((index / 3 + 1, index % 3)));
    }
    fn outcomes(&self, _: &Board, _: &[Move]) -> Self::Outcomes {
        uniform_outcomes(12)
    }
    fn play(&self, table: &Board, (number, column): Move) -> Board {
        let (mut after, seat, column) = (*table, self.to_move(table), usize::from(column));
        after[3 * seat + column] = number;
        let opposite = &mut after[3 - 3 * seat + column];
        *opposite *= u8::from(*opposite != number);
        (after[6], after[7]) = (table[6] - 1, 1 - table[7]);
        after
    }
}

impl SearchHints for Columns {}
impl Playouts for Columns {}
impl OutOfTurn for Columns {}
impl Codec for Columns {}

impl ChanceSources for Columns {
    type Chance = OutcomeListSampler;
    type PairedChance = OutcomeListSampler;
}

impl Rules for Columns {
    const INFO: &'static GameInfo = &GameInfo {
        name: "columns",
        remaining_unit: "throws",
        ..GameInfo::DEFAULT
    };

    fn from_arguments(_: &mut Arguments<'_>) -> Result<Self, Problem> {
        Ok(Self)
    }
    fn max_plies(&self) -> u16 {
        8
    }
    fn remaining_length(&self, table: &Board) -> usize {
        table[6].into()
    }
    fn random_start(&self, _: &mut RandomStream, first: Seat) -> Board {
        [0, 0, 0, 0, 0, 0, 8, first as u8]
    }
}

impl GameText for Columns {
    /// Parses the eight numbers of a board, a space, and the outcome of the die (its number minus
    /// 1) or `-`.
    fn parse_position(&self, text: &str) -> Result<(Board, Option<u8>), TextError> {
        let error = || TextError::new(1, "a position is eight digits and the die: 00000080 -");
        let (numbers, die) = text.split_once(' ').ok_or_else(error)?;
        let digits: Vec<u8> = numbers
            .bytes()
            .map(|byte| byte.wrapping_sub(b'0'))
            .collect();
        let within = |(digit, max): (&u8, u8)| *digit <= max;
        let is_valid = digits.iter().zip([4, 4, 4, 4, 4, 4, 8, 1]).all(within);
        let board = digits.try_into().ok().filter(|_| is_valid);
        let outcome = ["-", "0", "1", "2", "3"]
            .iter()
            .position(|name| *name == die);
        let outcome = outcome.map(|outcome| outcome.checked_sub(1).map(|outcome| outcome as u8));
        board.zip(outcome).ok_or_else(error)
    }
    fn format_position(&self, board: &Board, outcome: Option<u8>) -> String {
        let numbers: String = board.iter().map(u8::to_string).collect();
        let die = outcome.map_or_else(|| "-".to_owned(), |outcome| outcome.to_string());
        format!("{numbers} {die}")
    }
    fn format_move(&self, _: &Board, (number, column): Move) -> String {
        format!("{number}-{column}")
    }
}

impl Score<Self> for Columns {
    fn score(&self, game: &Self, table: &Board) -> f32 {
        column_lead(table, game.to_move(table)) as f32
    }
}

static REGISTRY: Registry<Columns> = Registry {
    evaluators: &[EvaluatorEntry::new(
        "lead",
        "columns won minus columns lost",
        |scale, _| calibrated(scale, Columns, Calibration::logistic(0.8, 0.0)),
    )],
    read_model: model_file::evaluator_from_bytes,
    ..Registry::DEFAULT
};

impl Playable for Columns {
    fn registry() -> &'static Registry<Self> {
        &REGISTRY
    }
}

static CELLS: [CellGroup; 1] = [CellGroup::single('c', 6, 5, "columns, the mover's first")];

impl TupleInputs for Columns {
    fn cell_groups(&self) -> &[CellGroup] {
        &CELLS
    }
    fn write_symbols(&self, table: &Board, seat: Seat, symbols: &mut [u8]) {
        symbols.copy_from_slice(&table[..6]);
        symbols.rotate_left(3 * seat);
    }
}

impl Learnable for Columns {
    type Tuples = IncrementalTupleKernels;
    type Network = GenericNetKernels;
    type Group = NoFeatureGroup;
}
