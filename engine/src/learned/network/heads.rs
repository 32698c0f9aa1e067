//! What a network may say beside the value.
//!
//! A head is a linear layer on the last hidden layer, which it shares with the value. Invariant: a
//! value is computed without a look at the heads, whether the network has any or not.

use super::{FULL, Layer, MAX_WIDTH, Network, bucket, kernels};
use crate::core::calibration::logistic;
use crate::learned::{
    inputs::Learnable,
    names::{NameSet, Named},
};
use serde::{Deserialize, Serialize};

/// Plies that the head `moves_to_go` calls 1.0.
pub const PLIES_SCALE: f32 = 16.0;

/// Something a network may say of a position beside its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Head {
    /// The win probability of the side to move, for each outcome of chance that may now come.
    Rolls,
    /// Plies to the end of the game.
    MovesToGo,
}

impl Named for Head {
    const ALL: &'static [Self] = &[Self::Rolls, Self::MovesToGo];
    const KIND: &'static str = "head of a network";

    fn name(self) -> &'static str {
        match self {
            Self::Rolls => "rolls",
            Self::MovesToGo => "moves_to_go",
        }
    }

    #[inline]
    fn number(self) -> usize {
        self as usize
    }
}

impl Head {
    /// How many numbers it says in a game with so many outcomes of chance.
    #[must_use]
    pub const fn outputs(self, outcomes: usize) -> usize {
        match self {
            Self::Rolls => outcomes,
            Self::MovesToGo => 1,
        }
    }
}

/// The heads of a network; in configurations a list of names, `["rolls", "moves_to_go"]`.
pub type Heads = NameSet<Head>;

/// The weights of those heads that a network has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeadWeights {
    /// Logits of a win for each outcome of chance.
    pub rolls: Option<Layer>,
    /// Plies to the end over [`PLIES_SCALE`].
    pub moves_to_go: Option<Layer>,
}

impl HeadWeights {
    /// Which heads there are.
    pub fn heads(&self) -> Heads {
        self.layers()
            .fold(Heads::NONE, |heads, (head, _)| heads.with(head))
    }

    /// The heads there are, with their weights.
    pub fn layers(&self) -> impl Iterator<Item = (Head, &Layer)> {
        let layers = [
            (Head::Rolls, &self.rolls),
            (Head::MovesToGo, &self.moves_to_go),
        ];
        layers
            .into_iter()
            .filter_map(|(head, layer)| layer.as_ref().map(|layer| (head, layer)))
    }

    /// The place of a head's weights.
    pub(crate) fn layer_mut(&mut self, head: Head) -> &mut Option<Layer> {
        match head {
            Head::Rolls => &mut self.rolls,
            Head::MovesToGo => &mut self.moves_to_go,
        }
    }
}

impl<G: Learnable> Network<G> {
    /// The heads there are beside the value.
    pub fn heads(&self) -> Heads {
        self.weights.heads.heads()
    }

    /// For each outcome of chance the win probability of the side to move once it has come; `None`
    /// if the network has no such head. The network need not know that outcomes which permit the
    /// same moves are worth the same.
    #[must_use]
    pub fn rolls(&self, game: &G, position: &G::Position) -> Option<Vec<f32>> {
        let head = self.weights.heads.rolls.as_ref()?;
        let mut logits = vec![0.0; G::OUTCOMES];
        self.say(game, position, head, &mut logits);
        Some(logits.into_iter().map(logistic).collect())
    }

    /// How many plies of both sides are still to come, at least 1; `None` if it has no such head.
    #[must_use]
    pub fn moves_to_go(&self, game: &G, position: &G::Position) -> Option<f32> {
        Some((self.plies_output(game, position)? * PLIES_SCALE).max(1.0))
    }

    /// The same as the network has it: over [`PLIES_SCALE`], and without a bound.
    #[must_use]
    pub fn plies_output(&self, game: &G, position: &G::Position) -> Option<f32> {
        let head = self.weights.heads.moves_to_go.as_ref()?;
        let mut plies = [0.0];
        self.say(game, position, head, &mut plies);
        Some(plies[0])
    }

    /// What a head says of a position, from scratch: nobody asks for it at every node.
    fn say(&self, game: &G, position: &G::Position, head: &Layer, out: &mut [f32]) {
        let bucket = bucket(&self.bounds, game.remaining(position));
        let mut last = [0; MAX_WIDTH];
        let last = &mut last[..self.weights.output.len() / self.weights.buckets()];
        self.with_sums(game, position, |sums| {
            kernels::last_layer(self.instructions, &self.weights, bucket, sums, last);
        });
        let outputs = out.len();
        let weights = &head.weights[bucket * last.len() * outputs..];
        out.copy_from_slice(&head.bias[bucket * outputs..][..outputs]);
        for (&value, weights) in last.iter().zip(weights.chunks_exact(outputs)) {
            for (out, weight) in out.iter_mut().zip(weights) {
                *out += value as f32 / FULL as f32 * weight;
            }
        }
    }
}
