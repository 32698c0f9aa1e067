//! Games of [`super::positions::Source::Mixed`]: half random, half greedy with some random moves, played for one position each.
//!
//! The games go through the rules directly, not through players and the game loop: nothing but positions is wanted of
//! them, and most are thrown away. A block of positions shares one stream of random numbers, because seeding a Mersenne
//! Twister takes longer than a game. Invariant: a game has the distribution it has with
//! [`RandomPlayer`](engine::player::simple::RandomPlayer), or with two [`GreedyPlayer`]s and [`EXPLORATION`].

use super::positions::EXPLORATION;
use engine::game::Game;
use engine::games::einstein::{BLUE, Move, MoveList, Position, RED, Standard};
use engine::player::simple::GreedyPlayer;
use engine::random::RandomStream;
use std::ops::RangeInclusive;

/// Plays games and picks positions.
pub(super) struct MixedGames<'a> {
    game: &'a Standard,
    random: RandomStream,
    legal: MoveList,
    /// The positions of the last game that have the wanted number of stones.
    found: Vec<Position>,
}

impl<'a> MixedGames<'a> {
    /// Games of a stream.
    pub(super) fn new(game: &'a Standard, random: RandomStream) -> Self {
        Self { game, random, legal: MoveList::default(), found: Vec::new() }
    }

    /// Plays a game; one of its positions that have so many stones in all, each with the same chance.
    pub(super) fn draw(&mut self, stones: &RangeInclusive<u32>) -> Option<Position> {
        // Half the games, not half the positions: greedy games are often over before few stones are left.
        let coins = self.random.next_u64();
        let first = if coins & 1 == 0 { RED } else { BLUE };
        let start = self.game.random_start(&mut self.random, first);
        self.found.clear();
        if coins & 2 == 0 {
            self.play(start, stones, Self::random_move)
        } else {
            self.play(start, stones, Self::greedy_move)
        }
        let found = self.found.len();
        (found > 0).then(|| self.found[self.random.below(found)])
    }

    #[inline]
    fn play(&mut self, start: Position, stones: &RangeInclusive<u32>, choose: impl Fn(&mut Self, &Position) -> Move) {
        let mut position = start;
        while self.game.winner(&position).is_none() {
            let there = position.stones();
            // Stones never come back.
            if there < *stones.start() {
                return;
            }
            if there <= *stones.end() {
                self.found.push(position);
            }
            let mv = choose(self, &position);
            position = self.game.play(&position, mv);
        }
    }

    #[inline]
    fn random_move(&mut self, position: &Position) -> Move {
        self.game.random_move(position, self.random.next_u64())
    }

    #[inline]
    fn greedy_move(&mut self, position: &Position) -> Move {
        // The lower half decides whether the move is random, the upper rolls the die.
        let bits = self.random.next_u64();
        if f64::from(bits as u32) < EXPLORATION * (1u64 << 32) as f64 {
            return self.random_move(position);
        }
        self.game.draw_moves(position, (bits >> 32) as u32, &mut self.legal);
        GreedyPlayer::choice(position, &self.legal)
    }
}
