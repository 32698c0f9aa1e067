//! What a run has produced, and where its time went.

use super::{
    config::{SelfPlayConfig, WeightedPlayer},
    repeats_itself,
};
use crate::shard::PlayedGame;
use engine::play::playable::Playable;
use serde::{Deserialize, Serialize};
use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// What a run has produced.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SelfPlaySummary {
    /// Games.
    pub games: u64,
    /// Positions before a move.
    pub positions: u64,
    /// What the seats that began got: a win is 1, a draw of two ½.
    pub first_mover_points: f64,
    /// Games that equal no earlier one, of games without chance; those with chance hardly repeat
    /// themselves. Of a game that repeats another, nothing but its positions is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distinct: Option<u64>,
    /// Explored moves.
    pub explored: u64,
    /// Seats taken by each player, and what it got, in the order of the
    /// settings.
    pub players: Vec<PlayerTally>,
}

/// How one player fared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlayerTally {
    /// Notation.
    pub player: String,
    /// Sides it played.
    pub sides: u64,
    /// What it got for them.
    pub points: f64,
}

impl SelfPlaySummary {
    /// Games of which results are counted.
    #[must_use]
    pub fn counted(&self) -> u64 {
        self.distinct.unwrap_or(self.games)
    }

    /// Games that equal an earlier one, of games without chance.
    #[must_use]
    pub fn repeats(&self) -> u64 {
        self.games - self.counted()
    }
}

/// Sums up games in their order.
pub(super) struct Counter<'a, G> {
    rules: &'a G,
    pub(super) summary: SelfPlaySummary,
    /// Games that were there, if they may repeat themselves.
    seen: HashSet<u128>,
}

impl<'a, G: Playable> Counter<'a, G> {
    pub(super) fn new(config: &SelfPlayConfig, rules: &'a G) -> Self {
        let tally = |weighted: &WeightedPlayer| PlayerTally {
            player: weighted.player.clone(),
            ..PlayerTally::default()
        };
        Self {
            rules,
            summary: SelfPlaySummary {
                distinct: repeats_itself::<G>().then_some(0),
                players: config.players.iter().map(tally).collect(),
                ..SelfPlaySummary::default()
            },
            seen: HashSet::new(),
        }
    }

    pub(super) fn count(&mut self, game: &PlayedGame<G>) {
        let PlayedGame {
            record, players, ..
        } = game;
        let summary = &mut self.summary;
        summary.games += 1;
        summary.positions += record.plies.len() as u64;
        if let Some(distinct) = &mut summary.distinct {
            if !self.seen.insert(game.fingerprint(self.rules)) {
                return;
            }
            *distinct += 1;
        }
        summary.explored += record.plies.iter().filter(|ply| ply.explored).count() as u64;
        let first = self.rules.to_move(&record.start);
        summary.first_mover_points += f64::from(record.payoffs[first]);
        for (&player, &payoff) in players.iter().zip(&record.payoffs) {
            let tally = &mut summary.players[usize::from(player)];
            tally.sides += 1;
            tally.points += f64::from(payoff);
        }
    }
}

/// What [`SelfPlay::run`](super::SelfPlay::run) did.
#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    /// All games that are there now.
    pub summary: SelfPlaySummary,
    /// Of the games that were played now.
    pub timing: Timing,
    /// Whether it stopped because its time was over, and there is more to play.
    pub stopped: bool,
}

/// Where the time of the games played in one call went, in seconds of all threads together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Games played, those that were there not counted.
    pub games: u64,
    /// Positions of these games.
    pub positions: u64,
    /// Players at their moves: one game in sixteen is timed, and stands for the others.
    pub players: f64,
    /// The rest of playing: players made, set-ups, dice, moves and records; taken likewise.
    pub playing: f64,
    /// Encoding, checking and writing shards.
    pub writing: f64,
    /// The share of all three that players did not spend at their moves; 0 if nothing was played.
    pub outside_players: f64,
}

/// One game in so many is timed: reading the clock at every move would slow down the fastest
/// players.
const TIMED: u64 = 16;

/// Gathers a [`Timing`] from all threads.
#[derive(Debug, Default)]
pub(super) struct Clock(Mutex<Spent>);

#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    timed_games: u64,
    timed: Duration,
    deciding: Duration,
    writing: Duration,
}

impl Clock {
    /// Whether a game is to be timed.
    pub(super) fn times(index: u64) -> bool {
        index.is_multiple_of(TIMED)
    }

    /// Notes a game that began at an instant and has just ended; its players took `deciding`.
    pub(super) fn note_game(&self, began: Instant, deciding: Duration) {
        let mut spent = self.spent();
        spent.timed_games += 1;
        spent.timed += began.elapsed();
        spent.deciding += deciding;
    }

    fn spent(&self) -> MutexGuard<'_, Spent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn note_writing(&self, began: Instant) {
        self.spent().writing += began.elapsed();
    }

    /// What it comes to for a number of games and positions.
    pub(super) fn timing(&self, games: u64, positions: u64) -> Timing {
        let spent = *self.spent();
        let scale = games as f64 / spent.timed_games.max(1) as f64;
        let players = scale * spent.deciding.as_secs_f64();
        let playing = (scale * spent.timed.as_secs_f64() - players).max(0.0);
        let writing = spent.writing.as_secs_f64();
        let all = players + playing + writing;
        Timing {
            games,
            positions,
            players,
            playing,
            writing,
            outside_players: if all > 0.0 { 1.0 - players / all } else { 0.0 },
        }
    }
}
