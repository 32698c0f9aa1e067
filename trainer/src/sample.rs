//! What is learned from: positions before the roll, each with the win probability it should be given.
//!
//! Invariant: targets lie in `[0, 1]` and are seen by the side to move; no position is over; positions of one game
//! are all in training or all in validation, which is the business of whoever splits.

use engine::games::einstein::Position;

/// One position and its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Before the roll, not over.
    pub position: Position,
    /// Win probability of the side to move, in `[0, 1]`.
    pub target: f32,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use engine::dice::{DiceStream, Die, RandomStream};
    use engine::game::Game;
    use engine::games::einstein::Standard;

    /// All positions of `games` random games, with a smooth target that a small model can learn: which side's
    /// stones are further on.
    pub(crate) fn random_samples(games: usize, seed: u64) -> Vec<Sample> {
        let game = Standard::default();
        let mut random = RandomStream::new(seed);
        let mut dice = DiceStream::new(seed, Die::fair());
        let mut samples = Vec::new();
        for index in 0..games {
            let mut position = game.random_start(&mut random, index % 2);
            while game.winner(&position).is_none() {
                samples.push(Sample { position, target: progress_target(&position) });
                let legal = game.legal_moves(&position, dice.roll());
                position = game.play(&position, legal[random.below(legal.len())]);
            }
        }
        samples
    }

    fn progress_target(position: &Position) -> f32 {
        let best =
            |squares: [u8; 6]| squares.into_iter().filter(|&square| square < 25).map(|square| square % 5 + square / 5).max().unwrap_or(0);
        let lead = f32::from(best(position.mover().squares())) - f32::from(best(position.other().squares()));
        1.0 / (1.0 + (-0.5 * lead).exp())
    }
}
