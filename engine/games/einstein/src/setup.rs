//! Set-ups: arrangements of a side's stones on its home triangle, numbered by lexicographic rank of
//! Red's stones on a5 b5 c5 a4 b4 a3; Blue's are rotated by a half turn.

use super::{EinStein, GONE, MAX_STONES, Position, position::Side};
use alea_core::{
    game::{FixedList, Seat},
    random::RandomStream,
};

/// Number of set-ups of a side with six stones.
pub const SETUPS: usize = 720;

/// Stones (from 1) of a set-up on the home squares in reading order; panics if `index` is too
/// large.
pub fn setup_stones(index: usize, stones: usize) -> FixedList<u8, MAX_STONES> {
    let setups: usize = (1..=stones).product();
    assert!(
        index < setups,
        "set-up {index} does not exist with {stones} stones"
    );
    let mut order = FixedList::default();
    (0..stones).for_each(|_| order.push(0));
    let mut index = index;
    for at in (0..stones).rev() {
        let choices = stones - at;
        let rank = (index % choices) as u8;
        index /= choices;
        for later in &mut order[at + 1..] {
            *later += u8::from(*later > rank);
        }
        order[at] = rank + 1;
    }
    order
}

/// Index of the set-up with stones `order` (from 1) on the home squares in reading order; `None` if
/// `order` is not a permutation.
pub fn setup_index(order: &[u8]) -> Option<usize> {
    let is_permutation = (1..=order.len()).all(|stone| order.contains(&(stone as u8)));
    let next_digit = |index: usize, at: usize| {
        let smaller = order[at + 1..].iter().filter(|&&later| later < order[at]);
        index * (order.len() - at) + smaller.count()
    };
    is_permutation.then(|| (0..order.len()).fold(0, next_digit))
}

pub(super) fn home_squares(
    columns: usize,
    rows: usize,
    stones: usize,
) -> FixedList<u8, MAX_STONES> {
    let mut squares: Vec<u8> = (0..(columns * rows) as u8).collect();
    squares.sort_by_key(|square| {
        let (row, column) = (
            usize::from(*square) / columns,
            usize::from(*square) % columns,
        );
        (row + column, row)
    });
    squares.truncate(stones);
    squares.sort_unstable();
    let mut home = FixedList::default();
    squares.into_iter().for_each(|square| home.push(square));
    home
}

impl<const COLUMNS: usize, const ROWS: usize> EinStein<COLUMNS, ROWS> {
    /// A side's home squares in reading order, in its perspective.
    pub fn home_squares(&self) -> Vec<u8> {
        self.home.to_vec()
    }

    /// Number of set-ups of one side.
    pub fn num_setups(&self) -> usize {
        (1..=usize::from(self.stones_per_side())).product()
    }

    pub(super) fn side_with_setup(&self, setup: usize) -> Side {
        let mut squares = [GONE; MAX_STONES];
        let stones = setup_stones(setup, self.home.len());
        for (square, stone) in self.home.iter().zip(stones.iter()) {
            squares[usize::from(*stone) - 1] = *square;
        }
        Side::new(squares)
    }

    /// Start position by both sides' set-ups (Red's first), with seat `first` to move.
    pub fn start(&self, setups: [usize; 2], first: Seat) -> Position {
        let sides = setups.map(|index| self.side_with_setup(index));
        let position = Position::new(sides[first], sides[1 - first], first);
        assert!(
            Position::from_bits(position.bits(), Self::SQUARES).is_some(),
            "the board is too small for both sides"
        );
        position
    }

    /// Start position with random set-ups of both sides, seat `first` to move.
    #[must_use]
    pub fn random_start(&self, random: &mut RandomStream, first: Seat) -> Position {
        let setups = [
            random.below(self.num_setups()),
            random.below(self.num_setups()),
        ];
        self.start(setups, first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RED, Standard};

    #[test]
    fn set_ups_are_ranked_lexicographically() {
        assert_eq!(setup_stones(0, 6)[..], [1, 2, 3, 4, 5, 6]);
        assert_eq!(setup_stones(1, 6)[..], [1, 2, 3, 4, 6, 5]);
        assert_eq!(setup_stones(719, 6)[..], [6, 5, 4, 3, 2, 1]);
        let all: Vec<Vec<u8>> = (0..SETUPS)
            .map(|index| setup_stones(index, 6).to_vec())
            .collect();
        assert!(all.is_sorted());
        for (index, order) in all.iter().enumerate() {
            assert_eq!(setup_index(order), Some(index));
        }
        assert_eq!(setup_index(&[1, 1, 2, 3, 4, 5]), None);
    }

    #[test]
    fn blue_stands_by_a_half_turn() {
        let game = Standard::default();
        assert_eq!(
            game.format_position(&game.start([0, 0], RED), None),
            "123../45.../6...f/...ed/..cba r -"
        );
        assert_eq!(
            game.format_position(&game.start([719, 1], RED), Some(4)),
            "654../32.../1...e/...fd/..cba r 4"
        );
    }
}
