//! A player against itself from two set-ups: two games, in the second of which the set-ups have
//! changed sides.
//!
//! Both games share what belongs to the seats: who begins, the k-th roll of each, the seed of its
//! player. So luck cancels as it does in the pairs of the arena. Invariant: a pair is a function of
//! player, rules, set-ups and seed.

use engine::core::random::{SeedSpace, derive_seed};
use engine::games::einstein::{BLUE, RED, Standard, dice::DuplicateDice, rolls::PairDice};
use engine::play::{
    build::PlayerRecipe, game_loop::play_game, playable::Repeatable, player::Player,
};

/// What came of a pair of games.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct PairOutcome {
    /// Games won from the first of the two set-ups.
    pub(crate) wins: u8,
    /// Games won by who began.
    pub(crate) first_mover_wins: u8,
    /// Plies of both games.
    pub(crate) plies: u32,
}

/// The two seats of one thread.
pub(crate) struct Seats {
    game: Standard,
    players: [Box<dyn Player<Standard>>; 2],
}

impl Seats {
    pub(crate) fn new(recipe: &PlayerRecipe<Standard>, game: &Standard) -> Self {
        Self {
            game: game.clone(),
            players: [recipe.make(), recipe.make()],
        }
    }

    /// Two games between set-ups; who begins is the last bit of the seed.
    pub(crate) fn pair(&mut self, setups: [usize; 2], seed: u64) -> PairOutcome {
        let first = if seed.is_multiple_of(2) { RED } else { BLUE };
        let mut dice = PairDice::new(DuplicateDice::new(
            derive_seed(seed, SeedSpace::Arena, &[1]),
            self.game.die(),
        ));
        let mut outcome = PairOutcome::default();
        for (sides, seat_of_first) in [(setups, RED), ([setups[1], setups[0]], BLUE)] {
            for (seat, player) in self.players.iter_mut().enumerate() {
                player.new_game(derive_seed(seed, SeedSpace::Player, &[seat as u64]));
            }
            dice.rewind();
            let [red, blue] = &mut self.players;
            let start = self.game.start(sides, first);
            let record = play_game(
                &self.game,
                start,
                &mut [red.as_mut(), blue.as_mut()],
                &mut dice,
                None,
                None,
            );
            outcome.wins += u8::from(record.payoffs[seat_of_first] > 0.5);
            outcome.first_mover_wins += u8::from(record.payoffs[first] > 0.5);
            outcome.plies += record.plies.len() as u32;
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(player: &str) -> Seats {
        let game = Standard::default();
        Seats::new(&PlayerRecipe::parse(player, &game).unwrap(), &game)
    }

    #[test]
    fn a_set_up_against_itself_wins_one_game_of_two() {
        for player in ["MrBlack(0)", "random", "star1(depth=2, eval=abt)"] {
            let mut seats = seats(player);
            for seed in 0..20 {
                // Both games are the same, and the set-up changes sides.
                let outcome = seats.pair([17, 17], seed);
                assert_eq!(
                    (
                        outcome.wins,
                        outcome.first_mover_wins % 2,
                        outcome.plies % 2
                    ),
                    (1, 0, 0)
                );
            }
        }
    }

    #[test]
    fn the_two_set_ups_share_two_wins_and_order_does_not_matter() {
        let mut seats = seats("MrBlack(0)");
        for seed in 0..50 {
            let (found, swapped) = (seats.pair([3, 700], seed), seats.pair([700, 3], seed));
            assert_eq!(found.wins + swapped.wins, 2);
            assert_eq!(
                (found.first_mover_wins, found.plies),
                (swapped.first_mover_wins, swapped.plies)
            );
            assert_eq!(seats.pair([3, 700], seed), found);
        }
    }
}
