//! EinStein würfelt nicht with the dice laid open: every roll of the game is known before it
//! begins.
//!
//! A game without chance, so that minimax and alpha-beta can be studied on the same board, moves
//! and evaluators. Invariant: the position that is reached at ply k permits exactly what roll k
//! permits in the game with dice.

use super::{EinStein, Move, MoveList, Position};
use crate::core::game::{Game, Payoffs, Seat, Stage};
use crate::games::einstein::dice::DiceStream;
use std::sync::Arc;

/// The rules, and the rolls that lie open.
#[derive(Clone, Debug)]
pub struct OpenDice<const COLUMNS: usize = 5, const ROWS: usize = 5> {
    game: EinStein<COLUMNS, ROWS>,
    /// The face for each ply; as many as the longest game has plies.
    rolls: Arc<[u8]>,
}

/// A position and how many rolls have been used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OpenPosition {
    /// What stands on the board, and who is to move.
    pub position: Position,
    /// The ply, which selects the roll.
    pub ply: u8,
}

impl<const COLUMNS: usize, const ROWS: usize> OpenDice<COLUMNS, ROWS> {
    /// The rules of `game` with rolls of its die that are drawn from `seed`.
    #[must_use]
    pub fn new(game: EinStein<COLUMNS, ROWS>, seed: u64) -> Self {
        let mut dice = DiceStream::new(seed, game.die());
        // Each ply brings a stone a row or a column (or both) closer to its goal: at most 96 plies
        // from any position.
        let longest = 2 * usize::from(game.stones()) * (COLUMNS - 1 + ROWS - 1);
        Self {
            rolls: (0..longest).map(|_| dice.roll()).collect(),
            game,
        }
    }

    /// The rules with dice.
    #[must_use]
    pub fn game(&self) -> &EinStein<COLUMNS, ROWS> {
        &self.game
    }

    /// `position` as the start of a game: its side to move has the first of the rolls.
    #[must_use]
    pub fn start(&self, position: Position) -> OpenPosition {
        OpenPosition { position, ply: 0 }
    }

    /// The face, counted from 1, that the side to move has.
    #[must_use]
    #[inline]
    pub fn roll(&self, position: &OpenPosition) -> u8 {
        self.rolls[usize::from(position.ply) % self.rolls.len()]
    }
}

impl<const COLUMNS: usize, const ROWS: usize> Game for OpenDice<COLUMNS, ROWS> {
    type Position = OpenPosition;
    type Move = Move;
    type Moves = MoveList;
    const MOVE_KINDS: usize = <EinStein<COLUMNS, ROWS> as Game>::MOVE_KINDS;

    #[inline]
    fn to_move(&self, position: &OpenPosition) -> Seat {
        self.game.to_move(&position.position)
    }

    #[inline]
    fn payoffs(&self, position: &OpenPosition) -> Option<Payoffs> {
        self.game.payoffs(&position.position)
    }

    fn moves(&self, position: &OpenPosition, moves: &mut MoveList) {
        *moves = self
            .game
            .legal_moves(&position.position, self.roll(position));
    }

    #[inline]
    fn play(&self, position: &OpenPosition, mv: Move) -> OpenPosition {
        OpenPosition {
            position: self.game.play(&position.position, mv),
            ply: position.ply.wrapping_add(1),
        }
    }

    fn move_kind(&self, position: &OpenPosition, mv: Move) -> usize {
        self.game.move_kind(&position.position, mv)
    }

    fn urgency(&self, position: &OpenPosition, mv: Move) -> u8 {
        self.game.urgency(&position.position, mv)
    }

    fn stage(&self, position: &OpenPosition) -> Stage {
        self.game.stage(&position.position)
    }

    #[inline]
    fn key(&self, position: &OpenPosition) -> u64 {
        self.game.key(&position.position)
            ^ u64::from(position.ply).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}
