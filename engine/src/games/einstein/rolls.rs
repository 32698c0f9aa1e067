//! Dice as the chance of a game that is played: the face rolled and the moves it permits.

use super::{EinStein, MoveList, Position};
use crate::dice::{DiceStream, DuplicateDice};
use crate::game::Chance;

impl<const COLUMNS: usize, const ROWS: usize> Chance<EinStein<COLUMNS, ROWS>> for DuplicateDice {
    fn draw(&mut self, game: &EinStein<COLUMNS, ROWS>, position: &Position) -> (u8, MoveList) {
        let face = self.roll(position.seat());
        (face, game.legal_moves(position, face))
    }
}

impl<const COLUMNS: usize, const ROWS: usize> Chance<EinStein<COLUMNS, ROWS>> for DiceStream {
    fn draw(&mut self, game: &EinStein<COLUMNS, ROWS>, position: &Position) -> (u8, MoveList) {
        let face = self.roll();
        (face, game.legal_moves(position, face))
    }
}
