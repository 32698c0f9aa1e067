//! Game records: first position, plies and result.

use crate::game::{Game, Payoffs};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How a game ended.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// The rules ended the game.
    #[default]
    Played,
    /// A player resigned.
    Resigned,
    /// A player's time ran out.
    Time,
    /// The players agreed on the result.
    Agreed,
    /// A player left or was disqualified, or the reason is unknown.
    Awarded,
    /// The game reached a maximal number of plies, which counts as a draw.
    Limit,
}

impl Ending {
    /// All endings in the order of their numbers in files.
    pub const ALL: [Self; 6] = [
        Self::Played,
        Self::Resigned,
        Self::Time,
        Self::Agreed,
        Self::Awarded,
        Self::Limit,
    ];

    /// Name in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Played => "played",
            Self::Resigned => "resigned",
            Self::Time => "time",
            Self::Agreed => "agreed",
            Self::Awarded => "awarded",
            Self::Limit => "limit",
        }
    }

    /// Whether the game ended by its rules.
    pub const fn is_played(&self) -> bool {
        matches!(self, Self::Played)
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// One ply of a recorded game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ply<M> {
    /// Number of the chance outcome before the move, such as the face of a die.
    pub outcome: u8,
    /// The move played.
    pub mv: M,
    /// Win probability of the player that moved, after the move; `None` if unknown.
    pub value: Option<f32>,
    /// Whether the move was drawn for exploration, not chosen by the player.
    pub explored: bool,
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct GameRecord<G: Game> {
    /// The first position.
    pub start: G::Position,
    /// All plies in order.
    pub plies: Vec<Ply<G::Move>>,
    /// Final payoffs by seat.
    pub payoffs: Payoffs,
    /// How the game ended.
    pub ending: Ending,
}

impl<G: Game> PartialEq for GameRecord<G> {
    fn eq(&self, other: &Self) -> bool {
        (&self.start, &self.plies) == (&other.start, &other.plies)
            && (self.payoffs, self.ending) == (other.payoffs, other.ending)
    }
}

impl<G: Game> GameRecord<G> {
    /// Positions before each ply, and the final one.
    pub fn positions<'a>(&'a self, game: &'a G) -> impl Iterator<Item = G::Position> + 'a {
        let after = self.plies.iter().scan(self.start, |position, ply| {
            *position = game.play(position, ply.mv);
            Some(*position)
        });
        std::iter::once(self.start).chain(after)
    }
}
