//! A game as a line of JSON Lines (`docs/reference/formats.md`), in records, exports and answers.
//!
//! A line has all of a game but the players and the definitions of labels, which are in the first
//! line of a file.

use super::playable::Playable;
use crate::core::record::{Ending, GameRecord};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of the format in the first line.
pub const LINES_FORMAT: &str = "alea-games-2";

/// Every line but the first.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameLine {
    /// Which game of a match it is: twice the pair, and one more for its second game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// For each seat the index of its player in the first line.
    pub players: Vec<u8>,
    /// The first position.
    pub start: String,
    /// Payoffs of the seats.
    pub payoffs: Vec<f32>,
    /// The ending of the game.
    #[serde(default, skip_serializing_if = "Ending::is_played")]
    pub ending: Ending,
    /// The plies in order.
    pub plies: Vec<PlyLine>,
    /// Why the game has no end by the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forfeit: Option<String>,
    /// Of the line, where a journal sealed it, which writes it by itself.
    #[serde(default, skip_serializing)]
    pub checksum: Option<String>,
}

/// One ply of a [`GameLine`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlyLine {
    /// The outcome of chance; 0 without chance.
    #[serde(default, skip_serializing_if = "is_none")]
    pub outcome: u8,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The player's value of the position, for the side to move.
    #[serde(default)]
    pub value: Option<f32>,
    /// Whether the move was exploration instead of the player's choice.
    #[serde(default)]
    pub explored: bool,
    /// Microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<u64>,
    /// Values of the labels for the position before the ply, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, f32>,
    /// The errors of that.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, f32>,
}

fn is_none(outcome: &u8) -> bool {
    *outcome == 0
}

impl GameLine {
    /// A game from `start` with its payoffs and players.
    #[must_use]
    pub fn new(start: String, plies: Vec<PlyLine>, payoffs: Vec<f32>, players: Vec<u8>) -> Self {
        Self {
            number: None,
            players,
            start,
            payoffs,
            ending: Ending::default(),
            plies,
            forfeit: None,
            checksum: None,
        }
    }

    /// A recorded game, without times and labels.
    pub fn of<G: Playable>(game: &G, record: &GameRecord<G>, players: Vec<u8>) -> Self {
        let plies = record.positions(game).zip(&record.plies);
        let plies = plies.map(|(position, ply)| PlyLine {
            value: ply.value,
            explored: ply.explored,
            ..PlyLine::new(ply.outcome, game.format_move(&position, ply.mv))
        });
        let payoffs = record.payoffs[..game.seats()].to_vec();
        let start = game.format_position(&record.start, None);
        Self {
            ending: record.ending,
            ..Self::new(start, plies.collect(), payoffs, players)
        }
    }
}

impl PlyLine {
    /// A move after an outcome, without values.
    #[must_use]
    pub fn new(outcome: u8, mv: String) -> Self {
        Self {
            outcome,
            mv,
            value: None,
            explored: false,
            time: None,
            labels: BTreeMap::new(),
            errors: BTreeMap::new(),
        }
    }
}
