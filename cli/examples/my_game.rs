//! A game of one's own, from its rules to a model that has learned it and meets the evaluator made
//! by hand: `cargo run --release -p alea --example my_game`. In *Columns* each side in turn throws a
//! die of four and puts the number into one of its three columns, over what is there; the same
//! number opposite goes. After eight throws the larger number wins a column, more columns the game.

use arena::matches::{Contestant, MatchOptions, play_match};
use engine::core::{
    calibration::Calibration,
    evaluator::Score,
    game::{FixedList, Game, Outcome, Payoffs, Seat, payoffs_by_score, uniform_outcomes},
    random::RandomStream,
    search_game::{OutOfTurn, Playouts, SearchHints},
    text::TextError,
};
use engine::learned::{
    inputs::{CellGroup, Learnable, NoFeatureGroup},
    model_file::evaluator,
    tuples::GenericKernels,
};
use engine::play::{
    notation::{Arguments, Problem, trusted},
    playable::{ListedChance, Playable},
    registry::{AnyEvaluator, EvaluatorEntry, calibrated},
};
use indicatif::ProgressBar;
use std::{error::Error, sync::Arc};
use trainer::config::TrainConfig;
use trainer::dataset::{SampleOptions, Samples};
use trainer::selfplay::{Limits, SelfPlay, SelfPlayConfig};
use trainer::training::{Family, TrainingRun, train};

#[derive(Clone, Copy, Debug)]
struct Columns;
/// Three columns of each seat (0: empty), the throws that are left, and the seat to move.
type Table = [u8; 8];

/// Columns in which a seat is ahead, minus those in which it is behind.
fn ahead(table: &Table, seat: Seat) -> i32 {
    let column = |at: usize| table[3 * seat + at].cmp(&table[3 - 3 * seat + at]) as i32;
    (0..3).map(column).sum()
}

impl Game for Columns {
    type Position = Table;
    type Move = (u8, u8);
    type Moves = FixedList<(u8, u8), 12>;
    type Outcomes = FixedList<Outcome, 4>;

    fn to_move(&self, table: &Table) -> Seat {
        table[7].into()
    }

    fn payoffs(&self, table: &Table) -> Option<Payoffs> {
        (table[6] == 0).then(|| payoffs_by_score([ahead(table, 0), 0]))
    }

    fn moves(&self, _: &Table, moves: &mut Self::Moves) {
        moves.clear();
        (0..12).for_each(|at| moves.push((at / 3 + 1, at % 3)));
    }

    fn outcomes(&self, _: &Table, _: &[(u8, u8)]) -> Self::Outcomes {
        uniform_outcomes(12)
    }

    fn play(&self, table: &Table, (number, column): (u8, u8)) -> Table {
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
/// The evaluator made by hand.
struct Ahead;
impl Score<Columns> for Ahead {
    fn score(&self, game: &Columns, table: &Table) -> f32 {
        ahead(table, game.to_move(table)) as f32
    }
}
static EVALUATORS: [EvaluatorEntry<Columns>; 1] =
    [EvaluatorEntry::new("ahead", "columns ahead", |scale, _| {
        calibrated(scale, Ahead, Calibration::logistic(0.8, 0.0))
    })];

impl Playable for Columns {
    const NAME: &'static str = "columns";
    const REMAINING: &'static str = "throws";
    type Luck = ListedChance;
    type PairedLuck = ListedChance;
    fn from_arguments(_: &mut Arguments<'_>) -> Result<Self, Problem> {
        Ok(Self)
    }
    fn evaluators() -> &'static [EvaluatorEntry<Self>] {
        &EVALUATORS
    }
    fn model(&self, content: &[u8]) -> Result<Arc<dyn AnyEvaluator<Self>>, String> {
        evaluator(self, content)
    }
    fn max_plies(&self) -> u16 {
        8
    }
    fn luck(&self, seed: u64) -> ListedChance {
        ListedChance::new(seed)
    }
    fn paired_luck(&self, seed: u64) -> ListedChance {
        ListedChance::new(seed)
    }
    fn random_start(&self, _: &mut RandomStream, first: Seat) -> Table {
        [0, 0, 0, 0, 0, 0, 8, first as u8]
    }
    fn remaining(&self, table: &Table) -> usize {
        table[6].into()
    }
    /// The eight numbers, and the die once it is thrown.
    fn parse_position(&self, text: &str) -> Result<(Table, Option<u8>), TextError> {
        let digits: Vec<u8> = text.bytes().map(|digit| digit.wrapping_sub(b'0')).collect();
        let max_digit = [4, 4, 4, 4, 4, 4, 8, 1, 3];
        let good = digits.len() < 10
            && digits
                .iter()
                .zip(max_digit)
                .all(|(digit, max_digit)| *digit <= max_digit);
        let read = digits.first_chunk().filter(|_| good);
        let read = read.map(|&table| (table, digits.get(8).copied()));
        read.ok_or_else(|| TextError::new(1, "a position is as 00000080"))
    }
    fn format_position(&self, table: &Table, die: Option<u8>) -> String {
        table.iter().chain(&die).map(u8::to_string).collect()
    }
    fn format_move(&self, _: &Table, (number, column): (u8, u8)) -> String {
        format!("{number}-{column}")
    }
}

static CELLS: [CellGroup; 1] = [CellGroup::only('c', 6, 5, "columns, the mover's first")];
impl Learnable for Columns {
    type Tuples = GenericKernels;
    type Network = GenericKernels;
    type Group = NoFeatureGroup;
    fn cells(&self) -> &[CellGroup] {
        &CELLS
    }
    fn write_symbols(&self, table: &Table, seat: Seat, symbols: &mut [u8]) {
        symbols.copy_from_slice(&table[..6]);
        symbols.rotate_left(3 * seat);
    }
}

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
fn main() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let (games, training) = (directory.path().join("games"), directory.path().join("fit"));
    let mut played = SelfPlayConfig::for_game(&Columns);
    played.games = 8000;
    SelfPlay::<Columns>::new(played)?.run(&games, &Limits::default(), &ProgressBar::hidden())?;
    let mut config = TrainConfig::default();
    config.ntuple.phases = vec![2, 3, 4, 5, 6, 7];
    let samples = Samples::<Columns>::open(&[&games], &SampleOptions::without_labels(0.1, 1))?;
    let (family, silent) = (Family::NTuple, ProgressBar::hidden());
    let report = train(&TrainingRun {
        config: &config,
        family,
        samples: &samples,
        provenance: "8000 games",
        directory: &training,
        observer: (&silent).into(),
    })?;
    let model = format!("star1(depth=1, eval=model:{})", report.model.display());
    let learned = Contestant::of(trusted(&model), &Columns)?;
    let by_hand = Contestant::of("star1(depth=1, eval=ahead)", &Columns)?;
    let options = MatchOptions::new(Columns, 1000, 1);
    println!("{}", play_match(&learned, &by_hand, &options)?);
    Ok(())
}
