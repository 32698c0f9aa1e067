//! Positions of random games.

use engine::core::{game::Game, random::RandomStream};
use engine::games::einstein::{Position, RED, Standard, dice::DiceStream};

/// Number of positions, so few that they fit the first-level cache.
pub(crate) const NUM_POSITIONS: usize = 1024;

pub(crate) fn positions(game: &Standard) -> Vec<(Position, u8)> {
    let mut random = RandomStream::new(1);
    let mut dice = DiceStream::new(2, game.die());
    let mut positions = Vec::with_capacity(NUM_POSITIONS);
    while positions.len() < NUM_POSITIONS {
        let mut position = game.random_start(&mut random, RED);
        while game.winner(&position).is_none() && positions.len() < NUM_POSITIONS {
            let face = dice.roll();
            positions.push((position, face));
            let legal = game.legal_moves(&position, face);
            position = game.play(&position, legal[random.below(legal.len())]);
        }
    }
    positions
}
