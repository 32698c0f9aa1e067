//! The rules of Reversi (Othello) on boards of 8×8, 6×6 and 4×4.
//!
//! A move fills an empty square and flips at least one straight run of enemy discs between it and
//! an own disc. A side without such a move passes, which is a move; when neither side has one, most
//! discs win. Smaller boards are the upper left corner of 8×8.

pub mod bits;
mod drawing;
pub mod endgame;
pub mod evaluators;
mod inputs;
pub mod notation;
mod pgn;
mod playable;
mod transcript_formats;
mod wthor;

use alea_core::{
    game::{
        DRAW, FixedList, Game, MAX_SEATS, Payoffs, Seat, SingleOutcome, uniform_index, win_for,
    },
    random::GOLDEN,
    search_game::{OutOfTurn, Phase, Playouts, SearchHints},
};
use bits::{COLUMNS, flips, run_ends};

/// Seat of Black, who moves first.
pub const BLACK: Seat = 0;
/// Seat of White.
pub const WHITE: Seat = 1;

/// The rules of Reversi on a board of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reversi {
    size: usize,
    squares: u64,
    corners: u64,
    by_discs: bool,
}

impl Reversi {
    /// The board of 8×8.
    pub const EIGHT: Self = Self::new(8);
    /// The board of 6×6.
    pub const SIX: Self = Self::new(6);
    /// The board of 4×4.
    pub const FOUR: Self = Self::new(4);
    /// All boards.
    pub const ALL: [Self; 3] = [Self::EIGHT, Self::SIX, Self::FOUR];

    const fn new(size: usize) -> Self {
        let row = (1 << size) - 1;
        let (mut squares, mut at) = (0, 0);
        while at < size {
            squares |= row << (COLUMNS * at);
            at += 1;
        }
        let sides = 1 | 1 << (size - 1);
        Self {
            size,
            squares,
            corners: sides | sides << (COLUMNS * (size - 1)),
            by_discs: false,
        }
    }

    /// The same rules, with payoffs by discs (`by_discs`) or by wins.
    #[must_use]
    pub fn with_score_by_discs(self, by_discs: bool) -> Self {
        Self { by_discs, ..self }
    }

    /// Whether payoffs are final disc leads scaled to `[0, 1]`, instead of wins, draws and losses.
    pub fn is_by_discs(&self) -> bool {
        self.by_discs
    }

    /// Payoff of a final disc lead, with the empty squares given to the winner.
    #[inline]
    pub fn payoff_of_discs(&self, lead: i32) -> f32 {
        if self.by_discs {
            0.5 + lead as f32 / (2 * self.squares.count_ones()) as f32
        } else {
            (1 + lead.signum()) as f32 / 2.0
        }
    }

    /// Number of columns and of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Set of the board's squares; bit 8 · row + column on all boards.
    pub fn squares(&self) -> u64 {
        self.squares
    }

    #[inline(always)]
    fn edge_columns(&self) -> u64 {
        let ends = 1 | 1 << (self.size - 1);
        (0x0101_0101_0101_0101 * ends) & self.squares
    }

    #[inline(always)]
    fn edge_rows(&self) -> u64 {
        (0xFF | 0xFF << (COLUMNS * (self.size - 1))) & self.squares
    }

    /// Position at the start of the game.
    pub fn start(&self) -> Position {
        let last = self.size / 2;
        let square = |column: usize, row: usize| 1 << (COLUMNS * row + column);
        let white = square(last - 1, last - 1) | square(last, last);
        let black = square(last, last - 1) | square(last - 1, last);
        self.position(black, white, BLACK)
    }

    /// The position with discs `own` of `seat`, to move, and `enemy`; sets must be disjoint and on
    /// the board.
    #[inline]
    pub fn position(&self, own: u64, enemy: u64, seat: Seat) -> Position {
        Position {
            own,
            enemy,
            moves: self.moves_of(own, enemy),
            seat: seat as u8,
        }
    }

    #[inline]
    fn moves_of(&self, own: u64, enemy: u64) -> u64 {
        run_ends(own, enemy) & self.squares & !(own | enemy)
    }

    /// Number of empty squares.
    #[inline]
    pub fn empties(&self, position: &Position) -> u32 {
        (self.squares & !(position.own | position.enemy)).count_ones()
    }

    /// Whether neither side can move.
    #[inline]
    pub fn is_over(&self, position: &Position) -> bool {
        position.moves == 0 && self.moves_of(position.enemy, position.own) == 0
    }

    /// Disc lead of the side to move with the empty squares given to the winner.
    #[inline]
    pub fn final_discs(&self, position: &Position) -> i32 {
        let lead = position.disc_lead();
        lead + lead.signum() * self.empties(position) as i32
    }
}

impl Default for Reversi {
    fn default() -> Self {
        Self::EIGHT
    }
}

/// Discs, seat to move, and squares where it can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    own: u64,
    enemy: u64,
    moves: u64,
    seat: u8,
}

impl Position {
    /// Seat to move.
    #[inline]
    pub fn seat(&self) -> Seat {
        usize::from(self.seat)
    }

    /// Set of the discs of `seat`.
    pub fn discs(&self, seat: Seat) -> u64 {
        [self.enemy, self.own][usize::from(seat == self.seat())]
    }

    /// Discs of the side to move minus enemy discs.
    #[inline]
    pub fn disc_lead(&self) -> i32 {
        self.own.count_ones() as i32 - self.enemy.count_ones() as i32
    }
}

/// A square to fill, or a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Move(u8);

impl Move {
    /// The only move of a side that can fill no square.
    pub const PASS: Self = Self(64);

    /// Fills `square`, the bit index 8 · row + column.
    #[inline]
    pub fn place(square: usize) -> Self {
        Self(square as u8)
    }

    /// Square to fill; `None` for a pass.
    #[inline]
    pub fn square(self) -> Option<usize> {
        (self != Self::PASS).then_some(usize::from(self.0))
    }
}

impl Game for Reversi {
    type Position = Position;
    type Move = Move;
    type Moves = FixedList<Move, 64>;
    type Outcomes = SingleOutcome;

    #[inline]
    fn to_move(&self, position: &Position) -> Seat {
        position.seat()
    }

    #[inline]
    fn payoffs(&self, position: &Position) -> Option<Payoffs> {
        if position.moves != 0 || !self.is_over(position) {
            return None;
        }
        if self.by_discs {
            let own = self.payoff_of_discs(self.final_discs(position));
            let mut payoffs = [1.0 - own; MAX_SEATS];
            payoffs[2..].fill(0.0);
            payoffs[position.seat()] = own;
            return Some(payoffs);
        }
        Some(match position.disc_lead() {
            0 => DRAW,
            1.. => win_for(position.seat()),
            _ => win_for(1 - position.seat()),
        })
    }

    #[inline]
    fn moves(&self, position: &Position, moves: &mut Self::Moves) {
        moves.clear();
        for square in bits::squares_of(position.moves) {
            moves.push(Move::place(square));
        }
        if position.moves == 0 {
            moves.push(Move::PASS);
        }
    }

    #[inline]
    fn play(&self, position: &Position, mv: Move) -> Position {
        let (mut own, mut enemy) = (position.own, position.enemy);
        if let Some(square) = mv.square() {
            let flips = flips(square, own, enemy);
            own |= flips | 1 << square;
            enemy ^= flips;
        }
        self.position(enemy, own, 1 - position.seat())
    }

    #[inline]
    fn key(&self, position: &Position) -> u64 {
        hash_discs(
            position.own,
            position.enemy ^ u64::from(position.seat) << 63,
        )
    }
}

impl SearchHints for Reversi {
    #[inline]
    fn history_size(&self) -> usize {
        65
    }

    fn history_index(&self, _position: &Position, mv: Move) -> usize {
        usize::from(mv.0)
    }

    #[inline]
    fn move_class(&self, _position: &Position, mv: Move) -> u8 {
        let corner = |square| self.corners >> square & 1 == 1;
        u8::from(mv.square().is_some_and(corner))
    }

    #[inline]
    fn reply_count(&self, position: &Position) -> u32 {
        position.moves.count_ones()
    }

    #[inline]
    fn expected_moves_left(&self, position: &Position) -> u32 {
        self.empties(position).div_ceil(2)
    }

    fn phase(&self, position: &Position) -> Phase {
        match 3 * self.empties(position) / (self.squares.count_ones() - 3) {
            2.. => Phase::Opening,
            1 => Phase::Middle,
            _ => Phase::Endgame,
        }
    }
}

impl Playouts for Reversi {
    #[inline]
    fn sample_move(&self, position: &Position, bits: u64) -> Move {
        let moves = position.moves;
        if moves == 0 {
            return Move::PASS;
        }
        let chosen = uniform_index(moves.count_ones() as usize, bits as u32);
        let left = (0..chosen).fold(moves, |left, _| left & (left - 1));
        Move::place(left.trailing_zeros() as usize)
    }
}

impl OutOfTurn for Reversi {
    const TWO_SEATS_ALTERNATE: bool = true;
}

/// Two rounds of folded multiplication, as in Wang Yi's wyhash.
#[inline(always)]
fn hash_discs(own: u64, enemy: u64) -> u64 {
    let fold = |one: u64, other: u64| {
        let (low, high) = one.carrying_mul(other, 0);
        low ^ high
    };
    let once = fold(own ^ GOLDEN, enemy ^ 0xD6E8_FEB8_6659_FD93);
    fold(once, 0xA076_1D64_78BD_642F)
}
