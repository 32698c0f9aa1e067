//! Leaf evaluation of Monte-Carlo tree search.

use crate::{
    game::{Game, Payoffs},
    random::RandomStream,
};

/// Evaluates unfinished positions, the leaves of a Monte-Carlo search tree.
pub trait Leaf<G: Game>: Send {
    /// Estimated payoffs by seat. A playout adds the kinds of its moves to `moves_played`.
    fn payoffs(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
        moves_played: Option<&mut MoveKinds>,
    ) -> Payoffs;

    /// Discards data learned in earlier games.
    fn new_game(&mut self) {}

    /// Writes [`Self::payoffs`] of each position.
    fn payoffs_batch(
        &mut self,
        game: &G,
        positions: &[G::Position],
        random: &mut RandomStream,
        payoffs: &mut [Payoffs],
    ) {
        for (position, payoffs) in positions.iter().zip(payoffs) {
            *payoffs = self.payoffs(game, position, random, None);
        }
    }
}

/// A set of `SearchHints::history_index`, the kinds of moves.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct MoveKinds(Vec<u64>);

impl MoveKinds {
    /// Adds a move kind.
    #[inline]
    pub fn insert(&mut self, kind: usize) {
        if self.0.len() <= kind / 64 {
            self.0.resize(kind / 64 + 1, 0);
        }
        self.0[kind / 64] |= 1 << (kind % 64);
    }

    /// Whether `kind` is in the set.
    #[inline]
    pub fn contains(&self, kind: usize) -> bool {
        let word = self.0.get(kind / 64).copied().unwrap_or(0);
        word >> (kind % 64) & 1 == 1
    }

    /// Empties the set.
    #[inline]
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl Clone for MoveKinds {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    fn clone_from(&mut self, other: &Self) {
        self.0.clone_from(&other.0);
    }
}

impl<G: Game> Leaf<G> for Box<dyn Leaf<G>> {
    fn new_game(&mut self) {
        (**self).new_game();
    }

    fn payoffs(
        &mut self,
        game: &G,
        position: &G::Position,
        random: &mut RandomStream,
        moves_played: Option<&mut MoveKinds>,
    ) -> Payoffs {
        (**self).payoffs(game, position, random, moves_played)
    }

    fn payoffs_batch(
        &mut self,
        game: &G,
        positions: &[G::Position],
        random: &mut RandomStream,
        payoffs: &mut [Payoffs],
    ) {
        (**self).payoffs_batch(game, positions, random, payoffs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_that_differ_by_64_are_two() {
        let mut kinds = MoveKinds::default();
        kinds.insert(5);
        kinds.insert(2499);
        let those: Vec<usize> = (0..3000).filter(|&kind| kinds.contains(kind)).collect();
        assert_eq!(those, [5, 2499]);
        kinds.clear();
        assert_eq!(kinds, MoveKinds::default());
    }
}
