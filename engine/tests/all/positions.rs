//! Positions for tests of searches.

#![allow(unreachable_pub)]

use engine::core::{game::Game, random::RandomStream};
use engine::games::einstein::{Position, Standard};

/// Positions met in random games: any stage of the game, none of them over.
pub fn random_positions(game: &Standard, count: usize, seed: u64) -> Vec<Position> {
    let mut random = RandomStream::new(seed);
    let mut positions = Vec::new();
    while positions.len() < count {
        let first = random.below(2);
        let mut position = game.random_start(&mut random, first);
        let stop = random.below(24);
        for _ in 0..stop {
            if game.winner(&position).is_some() {
                break;
            }
            let legal = game.legal_moves(&position, random.below(6) as u8 + 1);
            position = game.play(&position, legal[random.below(legal.len())]);
        }
        if game.winner(&position).is_none() {
            positions.push(position);
        }
    }
    positions
}
