//! What a network may say beside the value: win probabilities after each roll, and how long the
//! game will last.
//!
//! A head is a linear layer on the last hidden layer, which it shares with the value. Invariant: a
//! value is computed without a look at the heads, whether the network has any or not.

use super::{Accumulators, Layer, MAX_WIDTH, Network, SMALL_WIDTH, kernels};
use crate::core::calibration::logistic;
use crate::core::evaluator::Evaluator;
use crate::games::einstein::inputs::MAX_DENSE;
use crate::games::einstein::{Position, Standard};
use serde::{Deserialize, Serialize};

/// Faces of the die that the head `rolls` knows.
pub const FACES: usize = 6;

/// Plies that the head `moves_to_go` calls 1.0.
pub const PLIES_SCALE: f32 = 16.0;

/// Something a network may say of a position beside its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Head {
    /// The win probability of the side to move, for each face that it may now roll.
    Rolls,
    /// Plies to the end of the game.
    MovesToGo,
}

impl Head {
    /// All heads, in the order of their tensors.
    pub const ALL: [Self; 2] = [Self::Rolls, Self::MovesToGo];

    /// The name in configurations and model files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rolls => "rolls",
            Self::MovesToGo => "moves_to_go",
        }
    }

    /// How many numbers it says.
    #[must_use]
    pub const fn outputs(self) -> usize {
        match self {
            Self::Rolls => FACES,
            Self::MovesToGo => 1,
        }
    }
}

/// The heads of a network; in configurations a list of names, `["rolls", "moves_to_go"]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Head>", into = "Vec<Head>")]
pub struct Heads {
    rolls: bool,
    moves_to_go: bool,
}

/// A name that is no head's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no head of a network; there are {list}", list = Head::ALL.map(Head::name).join(", "))]
pub struct UnknownHead(pub String);

impl Heads {
    /// The value alone.
    pub const NONE: Self = Self {
        rolls: false,
        moves_to_go: false,
    };
    /// All there are.
    pub const ALL: Self = Self {
        rolls: true,
        moves_to_go: true,
    };

    /// Whether a head is in the set.
    #[must_use]
    pub const fn contains(self, head: Head) -> bool {
        match head {
            Head::Rolls => self.rolls,
            Head::MovesToGo => self.moves_to_go,
        }
    }

    /// The set with one more head.
    #[must_use]
    pub const fn with(self, head: Head) -> Self {
        match head {
            Head::Rolls => Self {
                rolls: true,
                ..self
            },
            Head::MovesToGo => Self {
                moves_to_go: true,
                ..self
            },
        }
    }

    /// Whether there is none beside the value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::NONE
    }

    /// The heads, in the order of their tensors.
    pub fn iter(self) -> impl Iterator<Item = Head> {
        Head::ALL
            .into_iter()
            .filter(move |&head| self.contains(head))
    }

    /// The names joined by commas; nothing for the empty set.
    #[must_use]
    pub fn names(self) -> String {
        self.iter().map(Head::name).collect::<Vec<_>>().join(",")
    }

    /// Reads what [`Self::names`] writes, in any order.
    ///
    /// # Errors
    /// If a name is no head's; the error lists those there are.
    pub fn from_names(names: &str) -> Result<Self, UnknownHead> {
        names
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .try_fold(Self::NONE, |heads, name| {
                let head = Head::ALL.into_iter().find(|head| head.name() == name);
                head.map(|head| heads.with(head))
                    .ok_or_else(|| UnknownHead(name.to_owned()))
            })
    }
}

impl From<Vec<Head>> for Heads {
    fn from(heads: Vec<Head>) -> Self {
        heads.into_iter().fold(Self::NONE, Self::with)
    }
}

impl From<Heads> for Vec<Head> {
    fn from(heads: Heads) -> Self {
        heads.iter().collect()
    }
}

/// The weights of those heads that a network has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeadWeights {
    /// Logits of a win for each face.
    pub rolls: Option<Layer>,
    /// Plies to the end over [`PLIES_SCALE`].
    pub moves_to_go: Option<Layer>,
}

impl HeadWeights {
    /// Which heads there are.
    #[must_use]
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

    /// The tensors with the names that model files use.
    pub(super) fn float_tensors(&self) -> impl Iterator<Item = (String, &[f32])> {
        self.layers().flat_map(|(head, layer)| {
            [
                (format!("{}.weight", head.name()), &layer.weights[..]),
                (format!("{}.bias", head.name()), &layer.bias[..]),
            ]
        })
    }
}

impl Network {
    /// The heads there are beside the value.
    #[must_use]
    pub fn heads(&self) -> Heads {
        self.weights.heads.heads()
    }

    /// For each face that the side to move may now roll its win probability once it has rolled it;
    /// `None` if the network has no such head. Faces that permit the same stones are worth the
    /// same, of which the network need not know.
    #[must_use]
    pub fn rolls(&self, game: &Standard, position: &Position) -> Option<[f32; FACES]> {
        let head = self.weights.heads.rolls.as_ref()?;
        let mut logits = [0.0; FACES];
        self.say(game, position, head, &mut logits);
        Some(logits.map(logistic))
    }

    /// How many plies are still to come, those of both sides together, as far as the network can
    /// tell; `None` if it has no such head. At least 1: a position that is valued is not over.
    #[must_use]
    pub fn moves_to_go(&self, game: &Standard, position: &Position) -> Option<f32> {
        Some((self.plies_output(game, position)? * PLIES_SCALE).max(1.0))
    }

    /// The same as the network has it: over [`PLIES_SCALE`], and without a bound.
    #[must_use]
    pub fn plies_output(&self, game: &Standard, position: &Position) -> Option<f32> {
        let head = self.weights.heads.moves_to_go.as_ref()?;
        let mut plies = [0.0];
        self.say(game, position, head, &mut plies);
        Some(plies[0])
    }

    /// What a head says of a position, from scratch: nobody asks for it at every node.
    fn say(&self, game: &Standard, position: &Position, head: &Layer, out: &mut [f32]) {
        let mut accumulators = Accumulators::default();
        self.refresh(game, position, &mut accumulators);
        let (mut dense, mut last) = ([0.0; MAX_DENSE], [0.0; MAX_WIDTH]);
        let (dense, last) = (
            &mut dense[..self.features.len()],
            &mut last[..self.weights.output.len()],
        );
        self.features.fill(game, position, dense);
        if self.weights.widest() <= SMALL_WIDTH {
            kernels::last_layer::<SMALL_WIDTH>(
                self.instructions,
                &self.weights,
                accumulators.mover(),
                dense,
                last,
            );
        } else {
            kernels::last_layer::<MAX_WIDTH>(
                self.instructions,
                &self.weights,
                accumulators.mover(),
                dense,
                last,
            );
        }
        out.copy_from_slice(&head.bias);
        for (value, weights) in last.iter().zip(head.weights.chunks_exact(out.len())) {
            for (out, weight) in out.iter_mut().zip(weights) {
                *out += value * weight;
            }
        }
    }
}
