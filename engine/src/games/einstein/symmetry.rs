//! The eight symmetries of a position on the standard board that leave its value before the roll
//! unchanged.
//!
//! A symmetry is a number below 8: bit 0 transposes the board along the line from corner to corner,
//! bit 1 reverses the mover's labels (1 ↔ 6, 2 ↔ 5, 3 ↔ 4), bit 2 the other side's. Each is its own
//! inverse. Invariant: they commute with playing a move. Values agree in both variants of the rules,
//! but reversing labels needs a die that is the same read backwards, as the fair one is.

use super::{GONE, MAX_STONES, Move, Position, position::Side};

/// Number of symmetries; symmetry 0 changes nothing.
pub const SYMMETRIES: usize = 8;

const TRANSPOSE: usize = 1;
const REVERSE_MOVER: usize = 2;
const REVERSE_OTHER: usize = 4;

/// The square across the diagonal; gone stays gone.
#[inline]
pub(super) fn transposed(square: u8) -> u8 {
    TRANSPOSED[usize::from(square & 31)]
}

pub(super) const TRANSPOSED: [u8; 32] = {
    let mut squares = [GONE; 32];
    let mut square = 0;
    while square < 25 {
        squares[square] = (square % 5 * 5 + square / 5) as u8;
        square += 1;
    }
    squares
};

/// Transposed squares of two stones, indexed by both.
static TRANSPOSED_PAIRS: [u16; 1 << 10] = {
    let mut pairs = [0; 1 << 10];
    let mut pair = 0;
    while pair < pairs.len() {
        pairs[pair] = TRANSPOSED[pair % 32] as u16 | (TRANSPOSED[pair / 32] as u16) << 5;
        pair += 1;
    }
    pairs
};

/// Image of `position` under `symmetry` (below [`SYMMETRIES`]; higher bits are ignored).
#[must_use]
#[inline]
pub fn symmetric(position: &Position, symmetry: usize) -> Position {
    let transposed = symmetry & TRANSPOSE != 0;
    Position::new(
        symmetric_side(position.mover(), transposed, symmetry & REVERSE_MOVER != 0),
        symmetric_side(position.other(), transposed, symmetry & REVERSE_OTHER != 0),
        position.seat(),
    )
}

/// Face (1 to 6) that allows after `symmetry` the stones that `face` allows before it.
#[must_use]
#[inline]
pub fn symmetric_face(face: u8, symmetry: usize) -> u8 {
    if symmetry & REVERSE_MOVER != 0 {
        MAX_STONES as u8 + 1 - face
    } else {
        face
    }
}

/// Image of a move of the side to move.
pub(super) fn symmetric_move(mv: Move, symmetry: usize) -> Move {
    let stone = if symmetry & REVERSE_MOVER != 0 {
        MAX_STONES - 1 - mv.stone()
    } else {
        mv.stone()
    };
    // Sideways becomes forward and forward sideways; diagonal stays.
    let direction = if symmetry & TRANSPOSE != 0 {
        [0, 2, 1][mv.direction()]
    } else {
        mv.direction()
    };
    Move::new(stone as u8, direction as u8)
}

/// Symmetry between the positions after a move, given the one between those before it: mover and
/// other have changed roles, so `play(symmetric(p, s), symmetric_move(m, s)) = symmetric(play(p,
/// m), after_move(s))`.
pub(super) fn after_move(symmetry: usize) -> usize {
    symmetry & TRANSPOSE | (symmetry & REVERSE_MOVER) << 1 | (symmetry & REVERSE_OTHER) >> 1
}

#[inline]
fn symmetric_side(mut side: Side, transpose: bool, reverse: bool) -> Side {
    if transpose {
        side = side.mapped(&TRANSPOSED_PAIRS);
    }
    if reverse {
        side = side.reversed();
    }
    side
}

impl Position {
    /// Smallest packed form of all positions equal up to symmetry and colours.
    #[must_use]
    #[inline]
    pub fn least_image(&self) -> u64 {
        // Labels of each side reverse independently, so each side has its own smallest form.
        let least = |side: Side| side.min(side.reversed());
        let of = |mover: Side, other| Self::new(least(mover), least(other), 0).bits();
        let (mover, other) = (self.mover(), self.other());
        of(mover, other).min(of(
            mover.mapped(&TRANSPOSED_PAIRS),
            other.mapped(&TRANSPOSED_PAIRS),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{chance::expectation, game::Game};
    use crate::games::einstein::{
        Standard, Variant,
        dice::Die,
        evaluators::test_support::{position, random_positions},
    };
    use std::collections::HashMap;

    #[test]
    fn a_position_by_hand() {
        let game = Standard::default();
        let position = position("215../64.../3...e/...fb/..acd b -");
        let show = |symmetry| game.format_position(&symmetric(&position, symmetry), None);
        assert_eq!(show(0), "215../64.../3...e/...fb/..acd b -");
        assert_eq!(show(1), "263../14.../5...a/...fc/..ebd b -");
        assert_eq!(show(2), "215../64.../3...b/...ae/..fdc b -");
        assert_eq!(show(4), "562../13.../4...e/...fb/..acd b -");
        assert_eq!(show(7), "514../63.../2...f/...ad/..bec b -");
    }

    #[test]
    fn symmetries_commute_with_moves_and_are_their_own_inverses() {
        let game = Standard::default();
        for position in random_positions(&game, 11, 4000) {
            let moves = game.all_moves(&position);
            for (symmetry, &mv) in
                (0..SYMMETRIES).flat_map(|one| moves.iter().map(move |mv| (one, mv)))
            {
                let after = game.play(&position, mv);
                let image = symmetric(&position, symmetry);
                assert!(Position::from_bits(image.bits(), Standard::SQUARES).is_some());
                assert_eq!(symmetric(&image, symmetry), position);
                assert_eq!(symmetric_move(symmetric_move(mv, symmetry), symmetry), mv);
                assert_eq!(
                    game.play(&image, symmetric_move(mv, symmetry)),
                    symmetric(&after, after_move(symmetry))
                );
                assert_eq!(
                    game.winner(&symmetric(&after, symmetry)),
                    game.winner(&after)
                );
            }
        }
    }

    #[test]
    fn images_have_one_least_whoever_is_red() {
        let game = Standard::default();
        // Square by square, by the definition of symmetries.
        let plain = |side: Side, transpose: bool, reverse: bool| {
            let mut squares = side.squares();
            for square in squares.iter_mut().filter(|square| **square != GONE) {
                *square = if transpose {
                    *square % 5 * 5 + *square / 5
                } else {
                    *square
                };
            }
            if reverse {
                squares.reverse();
            }
            Side::new(squares)
        };
        for position in random_positions(&game, 13, 4000) {
            let (mover, other) = (position.mover(), position.other());
            let images: Vec<Position> = (0..SYMMETRIES)
                .map(|one| {
                    let image = Position::new(
                        plain(mover, one & 1 != 0, one & 2 != 0),
                        plain(other, one & 1 != 0, one & 4 != 0),
                        position.seat(),
                    );
                    assert_eq!(symmetric(&position, one), image);
                    image
                })
                .collect();
            let red = |image: &Position| Position::new(image.mover(), image.other(), 0).bits();
            let least = images.iter().map(red).min().unwrap();
            for image in images {
                let blue = Position::new(image.mover(), image.other(), 1 - image.seat());
                assert_eq!([image.least_image(), blue.least_image()], [least; 2]);
            }
        }
    }

    #[test]
    fn what_a_face_permits_is_permitted_by_the_symmetric_face() {
        for variant in [Variant::Classic, Variant::NearestOnly] {
            let game = Standard::new(variant, Die::fair());
            for position in random_positions(&game, 12, 2000) {
                for symmetry in 0..SYMMETRIES {
                    for face in 1..=6 {
                        let image_face = symmetric_face(face, symmetry);
                        let mut expected = game.legal_moves(&position, face);
                        expected
                            .iter_mut()
                            .for_each(|mv| *mv = symmetric_move(*mv, symmetry));
                        let mut found =
                            game.legal_moves(&symmetric(&position, symmetry), image_face);
                        expected.sort_unstable();
                        found.sort_unstable();
                        assert_eq!(found[..], expected[..]);
                    }
                }
            }
        }
    }

    #[test]
    fn exact_values_agree() {
        fn value(game: &Standard, position: &Position, cache: &mut HashMap<Position, f32>) -> f32 {
            if let Some(payoffs) = game.payoffs(position) {
                return payoffs[position.seat()];
            }
            if let Some(value) = cache.get(position) {
                return *value;
            }
            let moves = game.all_moves(position);
            let outcomes = game.outcomes(position, &moves);
            let values: Vec<f32> = moves
                .iter()
                .map(|&mv| 1.0 - value(game, &game.play(position, mv), cache))
                .collect();
            let value = expectation(&outcomes, &values);
            cache.insert(*position, value);
            value
        }
        let game = Standard::default();
        let mut cache = HashMap::new();
        let mut seen = 0;
        for position in random_positions(&game, 13, 20_000)
            .into_iter()
            .filter(|position| position.stones() <= 3)
        {
            let expected = value(&game, &position, &mut cache);
            for symmetry in 1..SYMMETRIES {
                let found = value(&game, &symmetric(&position, symmetry), &mut cache);
                assert!(
                    (found - expected).abs() < 1e-5,
                    "{position:?} {symmetry}: {found} {expected}"
                );
            }
            seen += 1;
        }
        assert!(seen > 50);
    }
}
