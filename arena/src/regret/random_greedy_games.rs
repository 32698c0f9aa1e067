//! EinStein games of [`super::positions::Source::Mixed`]. A block of positions shares one random
//! stream, because seeding a Mersenne Twister takes longer than a game.

use super::positions::{EXPLORATION_RATE, PickPosition};
use alea_core::{game::Game, random::RandomStream, search_game::Playouts};
use alea_einstein::{BLUE, Move, MoveList, Position, RED, Standard, players::GreedyPlayer};
use std::ops::RangeInclusive;

pub(super) fn mixed_sampler(game: &Standard, random: RandomStream) -> PickPosition<'_, Standard> {
    let mut games = MixedGames::new(game, random);
    Box::new(move |stones| games.draw(stones))
}

struct MixedGames<'a> {
    game: &'a Standard,
    random: RandomStream,
    legal: MoveList,
    positions: Vec<Position>,
}

impl<'a> MixedGames<'a> {
    fn new(game: &'a Standard, random: RandomStream) -> Self {
        Self {
            game,
            random,
            legal: MoveList::default(),
            positions: Vec::new(),
        }
    }

    fn draw(&mut self, stones: &RangeInclusive<usize>) -> Option<Position> {
        // Half of the games, not of the positions: greedy games often end with many stones.
        let coins = self.random.next_u64();
        let first = if coins & 1 == 0 { RED } else { BLUE };
        let start = self.game.random_start(&mut self.random, first);
        self.positions.clear();
        if coins & 2 == 0 {
            self.play_game(start, stones, Self::sample_move)
        } else {
            self.play_game(start, stones, Self::greedy_move)
        }
        let positions = self.positions.len();
        (positions > 0).then(|| self.positions[self.random.below(positions)])
    }

    #[inline]
    fn play_game(
        &mut self,
        start: Position,
        stones: &RangeInclusive<usize>,
        choose: impl Fn(&mut Self, &Position) -> Move,
    ) {
        let mut position = start;
        while self.game.winner(&position).is_none() {
            let there = position.num_stones() as usize;
            if there < *stones.start() {
                return;
            }
            if there <= *stones.end() {
                self.positions.push(position);
            }
            let mv = choose(self, &position);
            position = self.game.play(&position, mv);
        }
    }

    #[inline]
    fn sample_move(&mut self, position: &Position) -> Move {
        self.game.sample_move(position, self.random.next_u64())
    }

    #[inline]
    fn greedy_move(&mut self, position: &Position) -> Move {
        let bits = self.random.next_u64();
        if f64::from(bits as u32) < EXPLORATION_RATE * (1u64 << 32) as f64 {
            return self.sample_move(position);
        }
        self.game
            .roll_moves(position, (bits >> 32) as u32, &mut self.legal);
        GreedyPlayer::best_move(position, &self.legal)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::positions::play, *};
    use alea_play::{player::Player, random_player::RandomPlayer};

    fn by_players(game: &Standard, seed: u64) -> Vec<Position> {
        let mut random = RandomStream::new(seed);
        let is_random = random.below(2) == 0;
        let mut players = [(); 2].map(|()| -> Box<dyn Player<Standard>> {
            if is_random {
                Box::new(RandomPlayer::new(game.clone()))
            } else {
                Box::new(GreedyPlayer::new(game.clone()))
            }
        });
        let mut positions = Vec::new();
        play(game, &mut players, &mut random, &mut positions).unwrap();
        positions.retain(|position| position.num_stones() <= 5);
        positions
    }

    #[test]
    fn games_are_those_of_the_players() {
        const GAMES: u64 = 20_000;
        let game = Standard::default();
        let mut games = MixedGames::new(&game, RandomStream::new(9));
        let (mut quick, mut slow) = ([0.0; 8], [0.0; 8]);
        let count = |sums: &mut [f64; 8], positions: &[Position]| {
            sums[0] += f64::from(!positions.is_empty());
            sums[1] += positions.len() as f64;
            sums[2] += (positions.len() as f64).powi(2);
            for position in positions {
                sums[2 + position.mover().num_stones() as usize] += 1.0;
            }
        };
        for number in 0..GAMES {
            let sampled = games.draw(&(2..=5));
            assert_eq!(sampled.is_some(), !games.positions.is_empty());
            assert!(sampled.is_none_or(|sampled| games.positions.contains(&sampled)));
            count(&mut quick, &games.positions);
            count(&mut slow, &by_players(&game, number));
        }
        let number = GAMES as f64;
        let fraction = slow[0] / number;
        let assert_close = |at: usize, error: f64| {
            assert!((quick[at] - slow[at]).abs() < error, "{quick:?} {slow:?}");
        };
        assert_close(0, 4.0 * (2.0 * number * fraction * (1.0 - fraction)).sqrt());
        let variance = slow[2] / number - (slow[1] / number).powi(2);
        assert_close(1, 4.0 * (2.0 * number * variance).sqrt());
        (3..7).for_each(|class| assert_close(class, 12.0 * (2.0 * slow[class]).sqrt()));
    }
}
