//! Random endgame positions.

use super::{GONE, MAX_STONES, Position, Standard, position::Side};
use alea_core::{game::Seat, random::RandomStream};

/// A random unfinished position: uniform over the numbers of stones in the range, then over their
/// divisions (1 to 6 a side), then over positions; `None` if the range is empty or exceeds 2–12.
pub(super) fn random_endgame(
    [min_stones, max_stones]: [usize; 2],
    first: Seat,
    random: &mut RandomStream,
) -> Option<Position> {
    if !(2 <= min_stones && min_stones <= max_stones && max_stones <= 2 * MAX_STONES) {
        return None;
    }
    let between =
        |low: usize, high: usize, random: &mut RandomStream| low + random.below(high - low + 1);
    let stones = between(min_stones, max_stones, random);
    let own = between(
        stones.saturating_sub(MAX_STONES).max(1),
        (stones - 1).min(MAX_STONES),
        random,
    );
    let goal = Standard::GOAL;
    loop {
        let mut squares: [u8; Standard::SQUARES as usize] =
            std::array::from_fn(|square| square as u8);
        for index in 0..stones {
            let chosen = between(index, usize::from(goal), random);
            squares.swap(index, chosen);
        }
        let (mover, other) = squares[..stones].split_at(own);
        let sides = [
            randomly_labelled(mover.iter().copied(), random),
            randomly_labelled(other.iter().map(|&square| goal - square), random),
        ];
        if sides.iter().all(|side| !side.occupies(goal)) {
            return Some(Position::new(sides[0], sides[1], first));
        }
    }
}

fn randomly_labelled(squares: impl Iterator<Item = u8>, random: &mut RandomStream) -> Side {
    let mut stones: [usize; MAX_STONES] = std::array::from_fn(|stone| stone);
    random.shuffle(&mut stones);
    let mut lanes = [GONE; MAX_STONES];
    stones
        .iter()
        .zip(squares)
        .for_each(|(&stone, square)| lanes[stone] = square);
    Side::new(lanes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluators::test_support::chi_squared;
    use std::collections::BTreeMap;

    #[test]
    fn endgames_are_spread_over_numbers_of_stones_and_positions() {
        let game = Standard::default();
        let mut random = RandomStream::new(3);
        let mut counts: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let draws = 60_000;
        for draw in 0..draws {
            let position = random_endgame([2, 4], draw % 2, &mut random).unwrap();
            assert_eq!(position.seat(), draw % 2);
            assert_eq!(game.winner(&position), None);
            assert_eq!(
                Position::from_bits(position.bits(), Standard::SQUARES),
                Some(position)
            );
            *counts
                .entry((position.mover().num_stones(), position.other().num_stones()))
                .or_default() += 1;
        }
        // A third per number of stones, 2 to 4, which have 1, 2 and 3 divisions.
        let frequencies = [
            ((1, 1), 1.0 / 3.0),
            ((1, 2), 1.0 / 6.0),
            ((2, 1), 1.0 / 6.0),
            ((1, 3), 1.0 / 9.0),
            ((2, 2), 1.0 / 9.0),
            ((3, 1), 1.0 / 9.0),
        ];
        assert_eq!(counts.len(), frequencies.len());
        for (class, frequency) in frequencies {
            let deviation = (draws as f64 * frequency * (1.0 - frequency)).sqrt();
            assert!(
                (f64::from(counts[&class]) - draws as f64 * frequency).abs() < 5.0 * deviation,
                "{counts:?}"
            );
        }
        assert_eq!(
            random_endgame([12, 12], 0, &mut random)
                .unwrap()
                .num_stones(),
            12
        );
        for none in [[1, 3], [4, 3], [2, 13]] {
            assert_eq!(random_endgame(none, 0, &mut random), None);
        }
    }

    #[test]
    fn two_stones_stand_anywhere_but_on_their_goals() {
        // 24 squares for either stone less 23 shared ones: 553 arrangements of 36 pairs of labels.
        let mut random = RandomStream::new(4);
        let mut counts: BTreeMap<(u8, u8), u32> = BTreeMap::new();
        let draws = 553 * 100;
        for _ in 0..draws {
            let position = random_endgame([2, 2], 0, &mut random).unwrap();
            let square = |side: Side| {
                side.squares()
                    .into_iter()
                    .find(|&square| square != GONE)
                    .unwrap()
            };
            *counts
                .entry((square(position.mover()), 24 - square(position.other())))
                .or_default() += 1;
        }
        assert_eq!(counts.len(), 553);
        let chi_squared = chi_squared(&counts.into_values().collect::<Vec<u32>>());
        // Chi-squared: mean 552, standard deviation 33.
        assert!((400.0..720.0).contains(&chi_squared), "{chi_squared}");
    }
}
