//! Dice as the source of chance in games: each draw is a rolled face and the moves it allows.

use super::{EinStein, MoveList, Position, Standard};
use crate::dice::{DiceStream, DuplicateDice};
use alea_core::game::ChanceSource;
use alea_play::chance_sources::{Repeatable, SeededChance};

impl<const COLUMNS: usize, const ROWS: usize> ChanceSource<EinStein<COLUMNS, ROWS>>
    for DuplicateDice
{
    #[inline]
    fn draw(&mut self, game: &EinStein<COLUMNS, ROWS>, position: &Position) -> (u8, MoveList) {
        let face = self.roll(position.seat());
        (face, game.legal_moves(position, face))
    }
}

impl<const COLUMNS: usize, const ROWS: usize> ChanceSource<EinStein<COLUMNS, ROWS>> for DiceStream {
    #[inline]
    fn draw(&mut self, game: &EinStein<COLUMNS, ROWS>, position: &Position) -> (u8, MoveList) {
        let face = self.roll();
        (face, game.legal_moves(position, face))
    }
}

impl SeededChance<Standard> for DiceStream {
    fn from_seed(game: &Standard, seed: u64) -> Self {
        Self::new(seed, game.die())
    }
}

impl SeededChance<Standard> for ReplayableDice {
    fn from_seed(game: &Standard, seed: u64) -> Self {
        Self::new(DuplicateDice::new(seed, game.die()))
    }
}

/// [`DuplicateDice`] that store their rolls for the second game of a pair, which saves seeding the
/// random generators again.
#[derive(Clone, Debug)]
pub struct ReplayableDice {
    dice: DuplicateDice,
    rolled: [Vec<u8>; 2],
    next: [usize; 2],
}

impl ReplayableDice {
    /// Stores the rolls of `dice`, which have not been rolled yet.
    pub fn new(dice: DuplicateDice) -> Self {
        Self {
            dice,
            rolled: [(); 2].map(|()| Vec::with_capacity(24)),
            next: [0; 2],
        }
    }

    fn roll(&mut self, seat: usize) -> u8 {
        let (rolled, next) = (&mut self.rolled[seat], &mut self.next[seat]);
        if *next == rolled.len() {
            rolled.push(self.dice.roll(seat));
        }
        *next += 1;
        rolled[*next - 1]
    }
}

impl<const COLUMNS: usize, const ROWS: usize> ChanceSource<EinStein<COLUMNS, ROWS>>
    for ReplayableDice
{
    #[inline]
    fn draw(&mut self, game: &EinStein<COLUMNS, ROWS>, position: &Position) -> (u8, MoveList) {
        let face = self.roll(position.seat());
        (face, game.legal_moves(position, face))
    }
}

impl Repeatable for ReplayableDice {
    fn rewind(&mut self) {
        self.next = [0; 2];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Die;

    #[test]
    fn both_games_see_the_rolls_of_the_dice() {
        let mut rewound = ReplayableDice::new(DuplicateDice::new(9, Die::fair()));
        for (game, turns) in [[0, 0, 1, 0], [1, 1, 1, 0]].into_iter().zip([4, 9]) {
            let mut dice = DuplicateDice::new(9, Die::fair());
            rewound.rewind();
            for turn in 0..turns {
                let seat = game[turn % 4];
                assert_eq!(rewound.roll(seat), dice.roll(seat));
            }
        }
    }
}
