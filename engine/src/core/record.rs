//! What a game leaves behind.
//!
//! The positions follow by replaying, so they cannot disagree with the moves.

use crate::core::game::{Game, Payoffs};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How a game came to its result.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// By the rules: the last ply ended it, and the payoffs follow from the moves.
    #[default]
    Played,
    /// A player gave up.
    Resigned,
    /// A player ran out of time.
    Time,
    /// The players agreed on the result.
    Agreed,
    /// In any other way: a player left or was ruled out, or the way is not recorded.
    Awarded,
}

impl Ending {
    /// All endings; the index of each is its number in files.
    pub const ALL: [Self; 5] = [
        Self::Played,
        Self::Resigned,
        Self::Time,
        Self::Agreed,
        Self::Awarded,
    ];

    /// The ending's name in files and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Played => "played",
            Self::Resigned => "resigned",
            Self::Time => "time",
            Self::Agreed => "agreed",
            Self::Awarded => "awarded",
        }
    }

    /// Whether the game was played to its end by the rules.
    #[must_use]
    pub const fn is_played(&self) -> bool {
        matches!(self, Self::Played)
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// One ply of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ply<M> {
    /// What chance said: for EinStein the face, from 1.
    pub outcome: u8,
    /// The move made.
    pub mv: M,
    /// Win probability of the seat that made the move, after it and before the next roll, as its
    /// player saw it; `None` if the player rates no moves.
    pub value: Option<f32>,
    /// Whether the move was made to explore rather than chosen by the player.
    pub explored: bool,
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct GameRecord<G: Game> {
    /// The first position.
    pub start: G::Position,
    /// All plies; the last one ends the game if it was played out.
    pub plies: Vec<Ply<G::Move>>,
    /// One payoff a seat.
    pub payoffs: Payoffs,
    /// How the game came to these payoffs.
    pub ending: Ending,
}

// Derived, it would ask the rules to be comparable.
impl<G: Game> PartialEq for GameRecord<G> {
    fn eq(&self, other: &Self) -> bool {
        (&self.start, &self.plies) == (&other.start, &other.plies)
            && (self.payoffs, self.ending) == (other.payoffs, other.ending)
    }
}

impl<G: Game> GameRecord<G> {
    /// The positions before each ply, and the final one.
    pub fn positions<'a>(&'a self, game: &'a G) -> impl Iterator<Item = G::Position> + 'a {
        let after = self.plies.iter().scan(self.start, |position, ply| {
            *position = game.play(position, ply.mv);
            Some(*position)
        });
        std::iter::once(self.start).chain(after)
    }
}
