//! JSON Lines of games (`docs/reference/formats.md`).

use super::playable::Playable;
use alea_core::record::{Ending, GameRecord};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Name of the format, in the first line of a file.
pub const LINES_FORMAT: &str = "alea-games-2";

/// A game: any line after the first, which has player names and label definitions.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameLine {
    /// Number in a match: 2k and 2k + 1 are the games of pair k.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Each seat's player, as index in the first line's list.
    pub players: Vec<u8>,
    /// Text of the first position.
    pub start: String,
    /// Payoff of each seat.
    pub payoffs: Vec<f32>,
    /// How the game ended.
    #[serde(default, skip_serializing_if = "Ending::is_played")]
    pub ending: Ending,
    /// All plies in order.
    pub plies: Vec<PlyLine>,
    /// Reason of a forfeit; `None` without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forfeit: Option<String>,
    /// Moves that were tried beside these, as the board's page writes them; read but not used.
    #[serde(default, skip_serializing)]
    pub variations: Option<String>,
    /// Checksum of a line of a match journal; read but not written.
    #[serde(default, skip_serializing)]
    pub checksum: Option<String>,
}

/// One ply of a [`GameLine`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlyLine {
    /// Number of the chance outcome; 0 without chance.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub outcome: u8,
    /// Text of the move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Win probability after the move for the seat that made it, by that seat's player.
    #[serde(default)]
    pub value: Option<f32>,
    /// Whether random exploration chose the move, not the player.
    #[serde(default)]
    pub explored: bool,
    /// Thinking time in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<u64>,
    /// Values of the position before the ply, by label name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, f32>,
    /// Standard errors of `labels`, by label name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, f32>,
}

fn is_zero(outcome: &u8) -> bool {
    *outcome == 0
}

impl GameLine {
    /// A game that ended by the rules.
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
            variations: None,
            checksum: None,
        }
    }

    /// Line of a record, without times and labels.
    pub fn from_record<G: Playable>(game: &G, record: &GameRecord<G>, players: Vec<u8>) -> Self {
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
    /// A ply without value.
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
