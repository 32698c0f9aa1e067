//! The eight symmetries of positions before the roll on the standard board, each its own inverse.
//! They preserve values and commute with moves; label reversals need mirrored weights of the die.
//!
//! In the number of a symmetry, bit 0 transposes the board, bit 1 reverses the mover's labels (1 ↔
//! 6, 2 ↔ 5, 3 ↔ 4), bit 2 the other side's.

use super::{GONE, MAX_STONES, Move, Position, position::Side};

/// Number of symmetries, including the identity, 0.
pub const SYMMETRIES: usize = 8;

const TRANSPOSE: usize = 1;
const REVERSE_MOVER: usize = 2;
const REVERSE_OTHER: usize = 4;

#[inline]
pub(super) fn transpose(square: u8) -> u8 {
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

static TRANSPOSED_PAIRS: [u16; 1 << 10] = {
    let mut pairs = [0; 1 << 10];
    let mut pair = 0;
    while pair < pairs.len() {
        pairs[pair] = TRANSPOSED[pair % 32] as u16 | (TRANSPOSED[pair / 32] as u16) << 5;
        pair += 1;
    }
    pairs
};

/// Image of a position under `symmetry`, 0–7.
#[inline]
pub fn transform_position(position: &Position, symmetry: usize) -> Position {
    let transposed = symmetry & TRANSPOSE != 0;
    Position::new(
        transform_side(position.mover(), transposed, symmetry & REVERSE_MOVER != 0),
        transform_side(position.other(), transposed, symmetry & REVERSE_OTHER != 0),
        position.seat(),
    )
}

/// Face that allows the images under `symmetry` of the stones that `face` (1–6) allows.
#[inline]
pub fn transform_face(face: u8, symmetry: usize) -> u8 {
    if symmetry & REVERSE_MOVER != 0 {
        MAX_STONES as u8 + 1 - face
    } else {
        face
    }
}

pub(super) fn transform_move(mv: Move, symmetry: usize) -> Move {
    let stone = if symmetry & REVERSE_MOVER != 0 {
        MAX_STONES - 1 - mv.stone()
    } else {
        mv.stone()
    };
    let direction = if symmetry & TRANSPOSE != 0 {
        [0, 2, 1][mv.direction()]
    } else {
        mv.direction()
    };
    Move::new(stone as u8, direction as u8)
}

/// The symmetry t with `play(transform_position(p, s), transform_move(m, s)) =
/// transform_position(play(p, m), t)`.
pub(super) fn symmetry_after_move(symmetry: usize) -> usize {
    symmetry & TRANSPOSE | (symmetry & REVERSE_MOVER) << 1 | (symmetry & REVERSE_OTHER) >> 1
}

#[inline]
fn transform_side(mut side: Side, transpose: bool, reverse: bool) -> Side {
    if transpose {
        side = side.map_squares(&TRANSPOSED_PAIRS);
    }
    if reverse {
        side = side.reverse_labels();
    }
    side
}

impl Position {
    /// Smallest [`Position::bits`], with seat 0 to move, of this and all symmetric positions.
    #[inline]
    pub fn canonical_bits(&self) -> u64 {
        let least = |side: Side| side.min(side.reverse_labels());
        let of = |mover: Side, other| Self::new(least(mover), least(other), 0).bits();
        let (mover, other) = (self.mover(), self.other());
        of(mover, other).min(of(
            mover.map_squares(&TRANSPOSED_PAIRS),
            other.map_squares(&TRANSPOSED_PAIRS),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Standard, Variant,
        dice::Die,
        evaluators::test_support::{position, random_positions},
    };
    use alea_core::{chance_bounds::expectation, game::Game};
    use std::collections::HashMap;

    #[test]
    fn a_position_by_hand() {
        let game = Standard::default();
        let position = position("215../64.../3...e/...fb/..acd b -");
        let show = |symmetry| game.format_position(&transform_position(&position, symmetry), None);
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
                let image = transform_position(&position, symmetry);
                assert!(Position::from_bits(image.bits(), Standard::SQUARES).is_some());
                assert_eq!(transform_position(&image, symmetry), position);
                assert_eq!(transform_move(transform_move(mv, symmetry), symmetry), mv);
                assert_eq!(
                    game.play(&image, transform_move(mv, symmetry)),
                    transform_position(&after, symmetry_after_move(symmetry))
                );
                assert_eq!(
                    game.winner(&transform_position(&after, symmetry)),
                    game.winner(&after)
                );
            }
        }
    }

    #[test]
    fn images_have_one_canonical_form() {
        let game = Standard::default();
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
                    assert_eq!(transform_position(&position, one), image);
                    image
                })
                .collect();
            let red = |image: &Position| Position::new(image.mover(), image.other(), 0).bits();
            let least = images.iter().map(red).min().unwrap();
            for image in images {
                let blue = Position::new(image.mover(), image.other(), 1 - image.seat());
                assert_eq!([image.canonical_bits(), blue.canonical_bits()], [least; 2]);
            }
        }
    }

    #[test]
    fn transformed_faces_allow_transformed_moves() {
        for variant in [Variant::Classic, Variant::NearestOnly] {
            let game = Standard::new(variant, Die::fair());
            for position in random_positions(&game, 12, 2000) {
                for symmetry in 0..SYMMETRIES {
                    for face in 1..=6 {
                        let image_face = transform_face(face, symmetry);
                        let mut expected = game.legal_moves(&position, face);
                        expected
                            .iter_mut()
                            .for_each(|mv| *mv = transform_move(*mv, symmetry));
                        let mut found =
                            game.legal_moves(&transform_position(&position, symmetry), image_face);
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
        fn exact_value(
            game: &Standard,
            position: &Position,
            cache: &mut HashMap<Position, f32>,
        ) -> f32 {
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
                .map(|&mv| 1.0 - exact_value(game, &game.play(position, mv), cache))
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
            .filter(|position| position.num_stones() <= 3)
        {
            let expected = exact_value(&game, &position, &mut cache);
            for symmetry in 1..SYMMETRIES {
                let found =
                    exact_value(&game, &transform_position(&position, symmetry), &mut cache);
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
