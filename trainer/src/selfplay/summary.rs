//! Statistics and timing of a self-play run.

use super::{
    config::{SelfPlayConfig, WeightedPlayer},
    games_may_repeat,
};
use crate::shard::PlayedGame;
use alea_core::record::Ending;
use alea_play::playable::Playable;
use serde::{Deserialize, Serialize};
use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Statistics of a self-play run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SelfPlaySummary {
    /// Number of games, with repeats.
    pub games: u64,
    /// Number of positions before a ply, with those of repeated games.
    pub positions: u64,
    /// Sum of payoffs of the seats that moved first: 1 for a win, ½ for a draw of two.
    pub first_mover_points: f64,
    /// Number of distinct games; fields other than `games` and `positions` count only these. `None`
    /// in games with chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distinct: Option<u64>,
    /// Plies drawn for exploration, not chosen by the player.
    pub explored: u64,
    /// Games that reached the maximal number of plies and count as draws.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unfinished: u64,
    /// Seats and points of each player of the settings.
    pub players: Vec<PlayerTally>,
}

/// Seats and points of a player.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlayerTally {
    /// Notation of the player.
    pub player: String,
    /// Number of seats that the player had, summed over games.
    pub sides: u64,
    /// Sum of the player's payoffs: 1 for a win, ½ for a draw of two.
    pub points: f64,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde calls"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl SelfPlaySummary {
    /// One-line warning that games reached the maximal number of plies, with the players' names;
    /// `None` if none did.
    #[must_use]
    pub fn unfinished_warning(&self) -> Option<String> {
        let names: Vec<&str> = (self.players.iter())
            .map(|tally| tally.player.as_str())
            .collect();
        (self.unfinished > 0).then(|| {
            format!(
                "{} of {} games reached the maximal number of plies and count as draws; players: {}",
                self.unfinished,
                self.games,
                names.join(", ")
            )
        })
    }

    /// Number of games whose results count: without chance only distinct ones.
    #[must_use]
    pub fn counted_games(&self) -> u64 {
        self.distinct.unwrap_or(self.games)
    }

    /// Number of games that repeat an earlier one; 0 in games with chance.
    #[must_use]
    pub fn repeated_games(&self) -> u64 {
        self.games - self.counted_games()
    }
}

pub(super) struct Counter<'a, G> {
    rules: &'a G,
    pub(super) summary: SelfPlaySummary,
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
                distinct: games_may_repeat::<G>().then_some(0),
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
        summary.unfinished += u64::from(record.ending == Ending::Limit);
        let first = self.rules.to_move(&record.start);
        summary.first_mover_points += f64::from(record.payoffs[first]);
        for (&player, &payoff) in players.iter().zip(&record.payoffs) {
            let tally = &mut summary.players[usize::from(player)];
            tally.sides += 1;
            tally.points += f64::from(payoff);
        }
    }
}

/// Result of [`SelfPlay::run`](super::SelfPlay::run).
#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    /// Statistics of all shards in the directory or, for one task of several, of its slice.
    pub summary: SelfPlaySummary,
    /// Timing of the games played in this call.
    pub timing: Timing,
    /// Whether the time limit ended the call early.
    pub stopped: bool,
}

/// Timing of one call of `SelfPlay::run`; seconds are summed over threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Number of games played.
    pub games: u64,
    /// Number of positions played.
    pub positions: u64,
    /// Seconds of players' decisions, extrapolated from every sixteenth game.
    pub players: f64,
    /// Seconds of games outside players' decisions, extrapolated from every sixteenth game.
    pub playing: f64,
    /// Seconds of encoding, checking and writing shards.
    pub writing: f64,
    /// Fraction of all seconds outside players' decisions; 0 without games.
    pub outside_players: f64,
}

/// Interval of timed games: timing every game would slow fast players down.
const TIMED_GAME_INTERVAL: u64 = 16;

#[derive(Debug, Default)]
pub(super) struct TimeTotals(Mutex<TimeBreakdown>);

#[derive(Clone, Copy, Debug, Default)]
struct TimeBreakdown {
    timed_games: u64,
    timed: Duration,
    deciding: Duration,
    writing: Duration,
}

impl TimeTotals {
    pub(super) fn is_timed(index: u64) -> bool {
        index.is_multiple_of(TIMED_GAME_INTERVAL)
    }

    pub(super) fn record_game_time(&self, began: Instant, deciding: Duration) {
        let mut breakdown = self.lock_breakdown();
        breakdown.timed_games += 1;
        breakdown.timed += began.elapsed();
        breakdown.deciding += deciding;
    }

    fn lock_breakdown(&self) -> MutexGuard<'_, TimeBreakdown> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn record_writing(&self, began: Instant) {
        self.lock_breakdown().writing += began.elapsed();
    }

    pub(super) fn timing(&self, games: u64, positions: u64) -> Timing {
        let breakdown = *self.lock_breakdown();
        let scale = games as f64 / breakdown.timed_games.max(1) as f64;
        let players = scale * breakdown.deciding.as_secs_f64();
        let playing = (scale * breakdown.timed.as_secs_f64() - players).max(0.0);
        let writing = breakdown.writing.as_secs_f64();
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
