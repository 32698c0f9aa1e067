//! Statistics of game records.

use super::{ShardReader, shard_writer::all_ended_by_rules};
use crate::Error;
use crate::selfplay::PlayerTally;
use crate::shard::{Estimate, PlayedGame};
use alea_core::record::Ending;
use alea_play::playable::Playable;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;

/// Number of equal bins of search values in `[0, 1]`.
pub const NUM_VALUE_BINS: usize = 20;

/// Statistics of game records. Positions are those before a ply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Info {
    /// Shards read.
    pub shards: u64,
    /// Total size of the shards in bytes.
    pub bytes: u64,
    /// Games read.
    pub games: u64,
    /// Number of positions before a ply, equal to the number of plies.
    pub positions: u64,
    /// Average shard bytes per position.
    pub bytes_per_position: f64,
    /// Games in which several seats share the highest payoff.
    pub draws: u64,
    /// Sum of payoffs by seat: 1 for a win, ½ for a draw of two.
    pub points: Vec<f64>,
    /// Sum of payoffs of the seats that moved first.
    pub first_mover_points: f64,
    /// Number of games by ending; absent from JSON if all ended by the rules.
    #[serde(skip_serializing_if = "all_ended_by_rules")]
    pub endings: BTreeMap<Ending, u64>,
    /// Plies drawn for exploration, not chosen by the player.
    pub explored: u64,
    /// Plies with a search value.
    pub values: u64,
    /// Mean squared difference between search value and game result; `None` without values.
    pub value_error: Option<f64>,
    /// Number of plies of the shortest and of the longest game.
    pub plies: [usize; 2],
    /// Number of games with each number of plies, the index.
    pub games_by_plies: Vec<u64>,
    /// Number of positions with each `Rules::remaining_length`, the index.
    pub positions_by_remaining: Vec<u64>,
    /// Number of search values in each of [`NUM_VALUE_BINS`] equal bins from 0 to 1.
    pub values_by_size: Vec<u64>,
    /// Games with the same start, outcomes and moves as an earlier one.
    pub duplicate_games: u64,
    /// Games that equal an earlier one or a symmetric image of it.
    pub duplicate_games_up_to_symmetry: u64,
    /// Positions that occurred before with the same seat to move.
    pub duplicate_positions: u64,
    /// Seats and points of each player.
    pub players: Vec<PlayerTally>,
    /// Statistics of each label.
    pub labels: Vec<LabelStatistics>,
    /// Notation of the rules, with parameters.
    pub game: String,
    /// Number of program runs that produced the games.
    pub runs: usize,
}

/// Statistics of one label.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LabelStatistics {
    /// Name of the label.
    pub name: String,
    /// Notation of the player, evaluator or tablebases that computed the label.
    pub by: String,
    /// Number of positions with the label.
    pub positions: u64,
    /// Mean squared difference between label and game result; `None` without labels.
    pub error: Option<f64>,
}

/// Computes statistics in 8 bytes of memory per position and 24 per game.
pub fn info<G: Playable>(source: &ShardReader<G>) -> Result<Info, Error> {
    let mut info = Info {
        points: vec![0.0; source.rules.seats()],
        values_by_size: vec![0; NUM_VALUE_BINS],
        game: source.rules.notation(),
        runs: source.run_count,
        players: source
            .players
            .iter()
            .map(|player| PlayerTally {
                player: player.clone(),
                ..PlayerTally::default()
            })
            .collect(),
        labels: source
            .labels
            .iter()
            .map(|label| LabelStatistics {
                name: label.name.clone(),
                by: label.by.clone(),
                ..LabelStatistics::default()
            })
            .collect(),
        ..Info::default()
    };
    for path in source.paths() {
        info.shards += 1;
        info.bytes += std::fs::metadata(path).map_or(0, |file| file.len());
    }
    let (mut fingerprints, mut canonical, mut positions) = (Vec::new(), Vec::new(), Vec::new());
    let mut square_error = 0.0;
    source.for_each_game(|game| {
        info.add_game(&source.rules, &game, &mut positions, &mut square_error);
        fingerprints.push(game.fingerprint(&source.rules));
        canonical.push(game.canonical_fingerprint(&source.rules) as u64);
        Ok(())
    })?;
    info.bytes_per_position = info.bytes as f64 / info.positions.max(1) as f64;
    info.value_error = (info.values > 0).then(|| square_error / info.values as f64);
    for label in &mut info.labels {
        label.error = label.error.map(|sum| sum / label.positions as f64);
    }
    let shortest = info
        .games_by_plies
        .iter()
        .position(|&games| games > 0)
        .unwrap_or(0);
    info.plies = [shortest, info.games_by_plies.len().saturating_sub(1)];
    info.duplicate_games = duplicates(fingerprints);
    info.duplicate_games_up_to_symmetry = duplicates(canonical);
    info.duplicate_positions = duplicates(positions);
    Ok(info)
}

pub(crate) fn duplicates<T: Ord + Send>(mut items: Vec<T>) -> u64 {
    items.par_sort_unstable();
    items.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64
}

fn increment(counts: &mut Vec<u64>, index: usize) {
    if counts.len() <= index {
        counts.resize(index + 1, 0);
    }
    counts[index] += 1;
}

impl Info {
    fn add_game<G: Playable>(
        &mut self,
        rules: &G,
        game: &PlayedGame<G>,
        positions: &mut Vec<u64>,
        square_error: &mut f64,
    ) {
        let record = &game.record;
        self.games += 1;
        *self.endings.entry(record.ending).or_default() += 1;
        self.positions += record.plies.len() as u64;
        let payoffs = &record.payoffs[..rules.seats()];
        self.first_mover_points += f64::from(payoffs[rules.to_move(&record.start)]);
        let best = payoffs.iter().copied().fold(0.0, f32::max);
        self.draws += u64::from(payoffs.iter().filter(|&&payoff| payoff == best).count() > 1);
        for (seat, &player) in game.players.iter().enumerate() {
            let points = f64::from(payoffs[seat]);
            self.points[seat] += points;
            let count = &mut self.players[usize::from(player)];
            count.sides += 1;
            count.points += points;
        }
        increment(&mut self.games_by_plies, record.plies.len());
        let mut position = record.start;
        for (number, ply) in record.plies.iter().enumerate() {
            positions.push(rules.key(&position));
            increment(
                &mut self.positions_by_remaining,
                rules.remaining_length(&position),
            );
            let payoff = payoffs[rules.to_move(&position)];
            self.explored += u64::from(ply.explored);
            if let Some(value) = ply.value {
                self.values += 1;
                self.values_by_size
                    [((value * NUM_VALUE_BINS as f32) as usize).min(NUM_VALUE_BINS - 1)] += 1;
                *square_error += f64::from(value - payoff).powi(2);
            }
            for (label, values) in self.labels.iter_mut().zip(&game.labels) {
                if let Some(Estimate { value, .. }) = values[number] {
                    label.positions += 1;
                    *label.error.get_or_insert(0.0) += f64::from(value - payoff).powi(2);
                }
            }
            position = rules.play(&position, ply.mv);
        }
    }
}
