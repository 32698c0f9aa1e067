//! Who meets whom: all set-ups against all, or each against as many others.
//!
//! The 720 set-ups stand on a circle in an order drawn from the seed; each meets those at most so
//! many places away, to either side. Invariant: every set-up has the same number of opponents, no
//! two meet twice, none meets itself.

use engine::core::random::{RandomStream, SeedSpace, derive_seed};
use engine::games::einstein::setup::SETUPS;

/// Most opponents a set-up can have: all others.
pub const MOST_OPPONENTS: usize = SETUPS - 1;

/// Pairings of set-ups in which each has `opponents` opponents (1 to [`MOST_OPPONENTS`]; others
/// count as the nearest). The first of a pairing is Red in the first game.
pub(crate) fn pairings(opponents: usize, seed: u64) -> Vec<[usize; 2]> {
    let opponents = opponents.clamp(1, MOST_OPPONENTS);
    let mut circle: Vec<usize> = (0..SETUPS).collect();
    RandomStream::new(derive_seed(seed, SeedSpace::Arena, &[0, 0])).shuffle(&mut circle);
    let pair = |place: usize, away: usize| [circle[place], circle[(place + away) % SETUPS]];
    let mut pairings: Vec<[usize; 2]> = (1..=opponents / 2)
        .flat_map(|away| (0..SETUPS).map(move |place| pair(place, away)))
        .collect();
    if opponents % 2 == 1 {
        // Who stands opposite is one opponent, whichever way round.
        pairings.extend((0..SETUPS / 2).map(|place| pair(place, SETUPS / 2)));
    }
    pairings
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn everybody_has_as_many_opponents_and_meets_nobody_twice() {
        for opponents in [1, 2, 7, 64, MOST_OPPONENTS] {
            let pairings = pairings(opponents, 5);
            assert_eq!(pairings.len(), SETUPS * opponents / 2);
            let mut met = HashSet::new();
            let mut counts = [0; SETUPS];
            for [first, second] in pairings {
                assert!(first != second && met.insert((first.min(second), first.max(second))));
                counts[first] += 1;
                counts[second] += 1;
            }
            assert!(counts.iter().all(|&count| count == opponents));
        }
        assert_ne!(pairings(2, 5), pairings(2, 6));
    }
}
