//! The rules of *EinStein würfelt nicht!* (Ingo Althöfer 2004) on boards from 2×2 to 5×5. A
//! position is the state before the roll.
//!
//! In a side's perspective, squares are numbered row by row from its home corner, 0, to its goal in
//! the opposite corner.

mod codec;
pub mod dice;
mod dice_rules;
pub mod dice_source;
mod drawing;
pub mod evaluators;
mod held_out_positions;
pub mod learned;
pub mod notation;
mod playable;
pub mod players;
pub mod playout;
pub mod position;
mod random_endgames;
mod roll_sampler;
pub mod setup;
pub mod symmetry;
pub mod tables;

use crate::dice::Die;
use alea_core::arrays::map_array;
use alea_core::{
    bits::nth_set_bit,
    game::{FixedList, Game, Outcome, Payoffs, Seat, uniform_index, win_for},
    search_game::{
        MoveCount, OutOfTurn, Phase, Playouts, SearchHints, count_moves_by_listing,
        playout_by_moves,
    },
};
pub(crate) use dice_rules::allowed_stones;
use dice_rules::{StoneOutcomes, outcomes_by_alive_set};
pub use playout::StoneTable;
use position::Side;
pub use position::{GONE, MAX_STONES, Move, Position};
use roll_sampler::OutcomeSampler;

const STEP_COUNT_BITS: u32 = 5;

/// Seat 0, Red: starts in the upper left corner.
pub const RED: Seat = 0;
/// Seat 1, Blue: starts in the lower right corner.
pub const BLUE: Seat = 1;

/// List of moves in one position, with capacity for three per stone.
pub type MoveList = FixedList<Move, { 3 * MAX_STONES }>;

/// Maximum number of outcomes of a roll: one per face of the die.
pub const MAX_OUTCOMES: usize = 6;

/// EinStein on the standard 5×5 board.
pub type Standard = EinStein<5, 5>;

/// Rule for a roll whose stone is captured: which stones may move instead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Variant {
    /// The next higher or the next lower living stone, at the mover's choice.
    #[default]
    Classic,
    /// The living stone with the nearest number; on a tie, either at the mover's choice.
    NearestOnly,
}

/// The rules: board size (const parameters), stones per side, die and variant.
#[derive(Clone, Debug)]
pub struct EinStein<const COLUMNS: usize = 5, const ROWS: usize = 5> {
    variant: Variant,
    stones: u8,
    die: Die,
    runs: Box<[StoneOutcomes; 64]>,
    sampler: OutcomeSampler,
    home: FixedList<u8, MAX_STONES>,
    stone_table: Option<StoneTable>,
}

impl Default for Standard {
    fn default() -> Self {
        Self::new(Variant::Classic, Die::fair())
    }
}

impl Standard {
    /// Rules with six stones a side on the standard board.
    pub fn new(variant: Variant, die: Die) -> Self {
        Self::with_stones(variant, die, MAX_STONES)
    }
}

impl<const COLUMNS: usize, const ROWS: usize> EinStein<COLUMNS, ROWS> {
    /// Number of squares of the board.
    pub const SQUARES: u8 = {
        assert!(
            COLUMNS >= 2 && COLUMNS <= 5 && ROWS >= 2 && ROWS <= 5,
            "boards are 2×2 to 5×5"
        );
        (COLUMNS * ROWS) as u8
    };
    /// Goal square of either side, in that side's perspective.
    pub const GOAL: u8 = Self::SQUARES - 1;
    const STEP_OFFSETS: [u8; 3] = [COLUMNS as u8 + 1, 1, COLUMNS as u8];
    const DIRECTION_SETS: [u8; 32] = {
        let mut steps = [0; 32];
        let mut square = 0;
        while square < COLUMNS * ROWS {
            let sideways = square % COLUMNS + 1 < COLUMNS;
            let forward = square / COLUMNS + 1 < ROWS;
            steps[square] =
                (sideways && forward) as u8 | (sideways as u8) << 1 | (forward as u8) << 2;
            square += 1;
        }
        steps
    };

    const DESTINATIONS: [[u8; 3]; 32] = {
        let mut destinations = [[GONE; 3]; 32];
        let mut square = 0;
        while square < COLUMNS * ROWS {
            let mut direction = 0;
            while direction < 3 {
                if Self::DIRECTION_SETS[square] >> direction & 1 == 1 {
                    destinations[square][direction] = square as u8 + Self::STEP_OFFSETS[direction];
                }
                direction += 1;
            }
            square += 1;
        }
        destinations
    };

    const DIRECTIONS_FROM: [[u8; 3]; 32] = {
        let mut directions = [[0; 3]; 32];
        let mut square = 0;
        while square < 32 {
            let (mut direction, mut count) = (0, 0);
            while direction < 3 {
                if Self::DIRECTION_SETS[square] >> direction & 1 == 1 {
                    directions[square][count] = direction;
                    count += 1;
                }
                direction += 1;
            }
            square += 1;
        }
        directions
    };

    const STEP_COUNT: [u8; 32] = {
        let mut mobility = [0; 32];
        let mut square = 0;
        while square < 32 {
            mobility[square] = Self::DIRECTION_SETS[square].count_ones() as u8;
            square += 1;
        }
        mobility
    };

    /// Number of steps that stones on squares s and t have, at `[s + 32 t]`; above
    /// [`STEP_COUNT_BITS`], of those onto the goal.
    const STEP_COUNTS_OF_PAIRS: [u8; 1 << 10] = {
        let mut counts = [0; 32];
        let mut square = 0;
        while square < 32 {
            let mut arrivals = 0;
            let mut direction = 0;
            while direction < 3 {
                arrivals += (Self::DESTINATIONS[square][direction] == Self::GOAL) as u8;
                direction += 1;
            }
            counts[square] = Self::STEP_COUNT[square] + (arrivals << STEP_COUNT_BITS);
            square += 1;
        }
        let mut of_two = [0; 1 << 10];
        let mut two = 0;
        while two < of_two.len() {
            of_two[two] = counts[two % 32] + counts[two / 32];
            two += 1;
        }
        of_two
    };

    #[inline]
    fn packed_step_counts(side: Side) -> u8 {
        let [one, two, three] =
            map_array(side.square_pairs(), |pair| Self::STEP_COUNTS_OF_PAIRS[pair]);
        one + two + three
    }

    /// Rules with `stones` stones per side.
    pub fn with_stones(variant: Variant, die: Die, stones: usize) -> Self {
        assert!(
            (1..=MAX_STONES).contains(&stones),
            "one to six stones a side"
        );
        let runs = outcomes_by_alive_set(variant, die, |runs, face| {
            match runs
                .iter_mut()
                .find(|run| run.move_range() == face.move_range())
            {
                Some(run) => run.weight += face.weight,
                None => runs.push(face),
            }
        });
        let stone_table = (die.faces() == 6 && die.is_fair()).then(|| StoneTable::new(variant));
        let home = setup::home_squares(COLUMNS, ROWS, stones);
        Self {
            variant,
            stones: stones as u8,
            die,
            sampler: OutcomeSampler::new(&runs),
            runs,
            home,
            stone_table,
        }
    }

    /// The same rules with one outcome per face, as in published programs; otherwise faces that
    /// allow the same stones are merged.
    #[must_use]
    pub fn with_unmerged_faces(self) -> Self {
        let runs = outcomes_by_alive_set(self.variant, self.die, |runs, face| runs.push(face));
        Self {
            sampler: OutcomeSampler::new(&runs),
            runs,
            ..self
        }
    }

    /// The rule for rolls whose stone is captured.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The die that gives outcomes their probabilities.
    pub fn die(&self) -> Die {
        self.die
    }

    /// Number of stones that each side has at the start.
    pub fn stones_per_side(&self) -> u8 {
        self.stones
    }

    /// Look-up table of fast playouts; `None` unless the die is fair with six faces.
    #[inline]
    pub fn playout_table(&self) -> Option<&StoneTable> {
        self.stone_table.as_ref()
    }

    /// The winner; `None` before the game is over.
    #[inline]
    pub fn winner(&self, position: &Position) -> Option<Seat> {
        let (mover, other) = (position.mover(), position.other());
        if other.occupies(Self::GOAL) || mover.is_empty() {
            Some(1 - position.seat())
        } else if mover.occupies(Self::GOAL) || other.is_empty() {
            Some(position.seat())
        } else {
            None
        }
    }

    /// Legal moves after rolling `face` (from 1), by stone, then direction (diagonal, sideways,
    /// forward).
    pub fn legal_moves(&self, position: &Position, face: u8) -> MoveList {
        let mut moves = MoveList::default();
        self.push_legal_moves(position, face, &mut moves);
        moves
    }

    #[inline]
    fn push_legal_moves(&self, position: &Position, face: u8, moves: &mut MoveList) {
        let alive = position.mover().living_set();
        if alive != 0 {
            let (first, last) = allowed_stones(self.variant, alive, face);
            self.push_moves(position, first, moves);
            if first != last {
                self.push_moves(position, last, moves);
            }
        }
    }

    /// By stone, the probability that a roll allows it, if the living stones are `alive` (bit i =
    /// stone i); a roll with a choice counts for both.
    #[inline]
    pub fn move_probabilities(&self, alive: u8) -> [f32; MAX_STONES] {
        let mut probabilities = [0.0; MAX_STONES];
        for run in self.runs[usize::from(alive & 63)].iter() {
            probabilities[usize::from(run.start)] += run.weight;
            if run.end - run.start > 1 {
                probabilities[usize::from(run.end) - 1] += run.weight;
            }
        }
        probabilities
    }

    /// A roll's outcomes for the living stones `alive` (bit i = stone i): probability, first and
    /// last allowed stone (equal if only one).
    pub fn stone_ranges(&self, alive: u8) -> impl Iterator<Item = (f32, usize, usize)> + '_ {
        self.runs[usize::from(alive & 63)]
            .iter()
            .map(|run| (run.weight, usize::from(run.start), usize::from(run.end) - 1))
    }

    /// Destination square of a move, in the mover's perspective.
    #[inline]
    pub fn destination(position: &Position, mv: Move) -> u8 {
        Self::destination_from(position.mover().square(mv.stone()), mv)
    }

    /// Destinations of a diagonal, sideways and forward step from `square`, in the owner's
    /// perspective; [`GONE`] off the board.
    #[inline]
    pub fn destinations(square: u8) -> [u8; 3] {
        Self::DESTINATIONS[usize::from(square & 31)]
    }

    /// Number of steps (0–3) from `square` that stay on the board; 0 from [`GONE`].
    #[inline]
    pub fn step_count(square: u8) -> u8 {
        Self::STEP_COUNT[usize::from(square & 31)]
    }

    /// A roll's outcomes for the living stones `alive` (bit i = stone i); `start..end` are stones,
    /// of which captured ones may not move.
    #[inline]
    pub fn stone_outcomes(&self, alive: u8) -> &[Outcome] {
        &self.runs[usize::from(alive & 63)]
    }

    /// Destination of `mv` if its stone is on `square`, in the mover's perspective.
    #[inline]
    pub fn destination_from(square: u8, mv: Move) -> u8 {
        square + Self::STEP_OFFSETS[mv.direction()]
    }

    #[inline]
    fn push_moves(&self, position: &Position, stone: u8, moves: &mut MoveList) {
        let square = usize::from(position.mover().square(usize::from(stone)));
        // Written out, since an array's `map` would be three calls.
        let [a, b, c] = Self::DIRECTIONS_FROM[square];
        let all = [
            Move::new(stone, a),
            Move::new(stone, b),
            Move::new(stone, c),
        ];
        moves.push_prefix(all, usize::from(Self::STEP_COUNT[square]));
    }
}

impl<const COLUMNS: usize, const ROWS: usize> Game for EinStein<COLUMNS, ROWS> {
    type Position = Position;

    type Move = Move;

    type Moves = MoveList;

    type Outcomes = FixedList<Outcome, MAX_OUTCOMES>;

    #[inline]
    fn to_move(&self, position: &Position) -> Seat {
        position.seat()
    }

    #[inline]
    fn payoffs(&self, position: &Position) -> Option<Payoffs> {
        self.winner(position).map(win_for)
    }

    #[inline]
    fn payoff(&self, position: &Position, seat: Seat) -> Option<f32> {
        self.winner(position)
            .map(|winner| if winner == seat { 1.0 } else { 0.0 })
    }

    fn moves(&self, position: &Position, moves: &mut MoveList) {
        moves.clear();
        let alive = position.mover().living_set();
        // With fewer faces than stones, a living stone may be allowed by no face.
        if self.die.faces() >= self.stones {
            for stone in 0..self.stones {
                if alive >> stone & 1 == 1 {
                    self.push_moves(position, stone, moves);
                }
            }
        } else if alive != 0 {
            let permitted = (1..=self.die.faces()).fold(0u8, |set, face| {
                let (first, last) = allowed_stones(self.variant, alive, face);
                set | 1 << first | 1 << last
            });
            for stone in 0..self.stones {
                if permitted >> stone & 1 == 1 {
                    self.push_moves(position, stone, moves);
                }
            }
        }
    }

    fn outcomes(&self, position: &Position, moves: &[Move]) -> Self::Outcomes {
        let mut outcomes = Self::Outcomes::default();
        let mut first_move = [0u16; MAX_STONES + 1];
        if self.die.faces() >= self.stones {
            for stone in 0..MAX_STONES {
                first_move[stone + 1] =
                    first_move[stone] + u16::from(Self::step_count(position.mover().square(stone)));
            }
        } else {
            for mv in moves {
                first_move[mv.stone() + 1] += 1;
            }
            for stone in 0..MAX_STONES {
                first_move[stone + 1] += first_move[stone];
            }
        }
        for run in self.runs[usize::from(position.mover().living_set())].iter() {
            outcomes.push(Outcome {
                weight: run.weight,
                start: first_move[usize::from(run.start)],
                end: first_move[usize::from(run.end)],
            });
        }
        outcomes
    }

    #[inline]
    fn play(&self, position: &Position, mv: Move) -> Position {
        let destination = Self::destination(position, mv);
        position.after_step(mv.stone(), destination, Self::GOAL - destination)
    }

    #[inline]
    fn key(&self, position: &Position) -> u64 {
        position.key()
    }
}

impl<const COLUMNS: usize, const ROWS: usize> SearchHints for EinStein<COLUMNS, ROWS> {
    fn history_size(&self) -> usize {
        2 * 3 * MAX_STONES
    }

    #[inline]
    fn history_index(&self, position: &Position, mv: Move) -> usize {
        3 * MAX_STONES * position.seat() + usize::from(mv.number())
    }

    /// 3 for a win, 2 for capturing an enemy stone, 1 for capturing an own stone, else 0.
    #[inline]
    fn move_class(&self, position: &Position, mv: Move) -> u8 {
        let destination = Self::destination(position, mv);
        let captures = position.other().occupies(Self::GOAL - destination);
        if destination == Self::GOAL || captures && position.other().num_stones() == 1 {
            3
        } else if captures {
            2
        } else {
            u8::from(position.mover().occupies(destination))
        }
    }

    fn phase(&self, position: &Position) -> Phase {
        let (stones, all) = (position.num_stones(), 2 * u32::from(self.stones));
        if stones + 2 >= all {
            Phase::Opening
        } else if 2 * stones <= all {
            Phase::Endgame
        } else {
            Phase::Middle
        }
    }

    /// Two more than the means of self-play, which are 8 (opening), 5 and 3 (endgame).
    #[inline]
    fn expected_moves_left(&self, position: &Position) -> u32 {
        match self.phase(position) {
            Phase::Opening => 10,
            Phase::Middle => 7,
            Phase::Endgame => 5,
        }
    }

    /// Measured with `schwarz` on 400 positions: standard deviations 0.112 to 0.044 at depths 3 to
    /// 7, about 0.32 / depth.
    fn probcut_constant(&self) -> Option<f32> {
        Some(0.32)
    }
}

impl<const COLUMNS: usize, const ROWS: usize> Playouts for EinStein<COLUMNS, ROWS> {
    #[inline]
    fn sample_move(&self, position: &Position, bits: u64) -> Move {
        let (first, last) = self
            .sampler
            .sample(position.mover().living_set(), (bits >> 32) as u32);
        let steps = |stone: u8| {
            Self::DIRECTION_SETS[usize::from(position.mover().square(usize::from(stone)))]
        };
        let of_first = steps(first).count_ones() as usize;
        let of_last = if last == first {
            0
        } else {
            steps(last).count_ones() as usize
        };
        let index = uniform_index(of_first + of_last, bits as u32);
        let (stone, index) = if index < of_first {
            (first, index)
        } else {
            (last, index - of_first)
        };
        Move::new(stone, nth_set_bit(steps(stone).into(), index) as u8)
    }

    #[inline]
    fn playout(&self, position: &Position, mut random: impl FnMut() -> u64) -> Payoffs {
        if let Some(payoffs) = self.payoffs(position) {
            return payoffs;
        }
        match self.stone_table {
            Some(table) => {
                let mover_wins =
                    playout::playout_from_seed::<COLUMNS, ROWS>(table, position, random());
                win_for(if mover_wins {
                    position.seat()
                } else {
                    1 - position.seat()
                })
            }
            None => playout_by_moves(self, position, random),
        }
    }

    fn playout_batch(
        &self,
        positions: &[Position],
        mut random: impl FnMut() -> u64,
        payoffs: &mut [Payoffs],
    ) {
        if let Some(table) = self.stone_table
            && (COLUMNS, ROWS) == (5, 5)
            && positions.len() >= playout::MIN_BATCH
            && positions
                .iter()
                .all(|position| self.winner(position).is_none())
        {
            for (positions, payoffs) in positions
                .chunks(playout::LANES)
                .zip(payoffs.chunks_mut(playout::LANES))
            {
                let won = playout::play_one_each(table, self.variant, positions, random());
                for (lane, (position, payoffs)) in positions.iter().zip(payoffs).enumerate() {
                    *payoffs = win_for(position.seat() ^ usize::from(won >> lane & 1 == 0));
                }
            }
            return;
        }
        for (position, payoffs) in positions.iter().zip(payoffs) {
            *payoffs = self.playout(position, &mut random);
        }
    }

    #[inline]
    fn roll_moves(&self, position: &Position, bits: u32, moves: &mut MoveList) -> usize {
        let mover = position.mover();
        let (first, last) = self.sampler.sample(mover.living_set(), bits);
        moves.clear();
        self.push_moves(position, first, moves);
        if last != first {
            self.push_moves(position, last, moves);
        }
        if self.die.faces() >= self.stones {
            usize::from(
                Self::packed_step_counts(mover.stones_below(usize::from(first)))
                    % (1 << STEP_COUNT_BITS),
            )
        } else {
            let mut all = MoveList::default();
            self.moves(position, &mut all);
            all.iter()
                .position(|mv| mv.stone() == usize::from(first))
                .unwrap_or(0)
        }
    }

    #[inline]
    fn count_moves(&self, position: &Position) -> MoveCount {
        let (mover, enemy) = (position.mover(), position.other());
        if self.die.faces() < self.stones {
            return count_moves_by_listing(self, position);
        }
        let counts = u32::from(Self::packed_step_counts(mover));
        let total = counts % (1 << STEP_COUNT_BITS);
        let mut nonterminal = total - (counts >> STEP_COUNT_BITS);
        if enemy.num_stones() == 1 {
            let last = enemy.squares().into_iter().find(|&square| square != GONE);
            let last = Self::GOAL.wrapping_sub(last.unwrap_or(0));
            let captures = |square| u32::from(Self::destinations(square).contains(&last));
            // A capture on the goal is already subtracted.
            if last != Self::GOAL {
                nonterminal -= map_array(mover.squares(), captures).iter().sum::<u32>();
            }
        }
        MoveCount { total, nonterminal }
    }
}

impl<const COLUMNS: usize, const ROWS: usize> OutOfTurn for EinStein<COLUMNS, ROWS> {}
