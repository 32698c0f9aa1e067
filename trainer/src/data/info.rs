//! What records hold: counts, results, lengths, what is left of the game, values, duplicates.
//!
//! Invariant: every number is a count over all games, so it is the same in whatever order shards
//! are read.

use super::{Source, output::are_played};
use crate::Error;
use crate::selfplay::PlayerTally;
use crate::shard::{Estimate, PlayedGame};
use engine::{core::record::Ending, play::playable::Playable};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;

/// Bars of the histogram of values, each 0.05 wide; the last one holds 1, too.
pub const VALUE_BINS: usize = 20;

/// What records hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Info {
    /// Files.
    pub shards: u64,
    /// Bytes of these files.
    pub bytes: u64,
    /// Games.
    pub games: u64,
    /// Positions before a ply, which are as many as plies.
    pub positions: u64,
    /// Bytes of the files a position.
    pub bytes_per_position: f64,
    /// Games of which several seats share the first place.
    pub draws: u64,
    /// What each seat got in all games: a win is 1, a draw of two ½.
    pub points: Vec<f64>,
    /// What the seats that began got.
    pub first_mover_points: f64,
    /// Games by how they ended, if some did not end by the rules.
    #[serde(skip_serializing_if = "are_played")]
    pub endings: BTreeMap<Ending, u64>,
    /// Explored plies.
    pub explored: u64,
    /// Plies with a value.
    pub values: u64,
    /// Mean square difference of value and result, seen by the side that moved; `None` without
    /// values.
    pub value_error: Option<f64>,
    /// Plies of the shortest and of the longest game.
    pub plies: [usize; 2],
    /// Games by their number of plies, from 0.
    pub games_by_plies: Vec<u64>,
    /// Positions before a ply by what is left of the game, from 0; the game says what it counts.
    pub positions_by_remaining: Vec<u64>,
    /// Plies with a value by that value, in bars of 0.05.
    pub values_by_size: Vec<u64>,
    /// Games that equal an earlier one in start, outcomes and moves.
    pub duplicate_games: u64,
    /// The same and those that equal an image of an earlier one under the symmetries of the rules.
    pub duplicate_games_up_to_symmetry: u64,
    /// Positions before a ply that equal an earlier one, the seat to move included.
    pub duplicate_positions: u64,
    /// Who played, in the order of the headers.
    pub players: Vec<PlayerTally>,
    /// What labels say, in the order of the headers.
    pub labels: Vec<LabelCount>,
    /// The game with its parameters.
    pub game: String,
    /// Different runs that the games come from.
    pub runs: usize,
}

/// What one label says.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LabelCount {
    /// Its name.
    pub name: String,
    /// Who made it.
    pub by: String,
    /// Positions before a ply that have it.
    pub positions: u64,
    /// Their mean square difference of label and result, seen by the side to move; `None` without
    /// labels.
    pub error: Option<f64>,
}

/// Counts what is in the records. Keeps eight bytes a position and sixteen a game in memory, to
/// find duplicates.
///
/// # Errors
/// If a shard cannot be read.
pub fn info<G: Playable>(source: &Source<G>) -> Result<Info, Error> {
    let mut info = Info {
        points: vec![0.0; source.rules.seats()],
        values_by_size: vec![0; VALUE_BINS],
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
            .map(|label| LabelCount {
                name: label.name.clone(),
                by: label.by.clone(),
                ..LabelCount::default()
            })
            .collect(),
        ..Info::default()
    };
    for path in source.paths() {
        info.shards += 1;
        info.bytes += std::fs::metadata(path).map_or(0, |file| file.len());
    }
    let (mut prints, mut canonical, mut positions) = (Vec::new(), Vec::new(), Vec::new());
    let mut square_error = 0.0;
    source.each_game(|game| {
        info.count(&source.rules, &game, &mut positions, &mut square_error);
        prints.push(game.fingerprint(&source.rules));
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
    info.duplicate_games = duplicates(prints);
    info.duplicate_games_up_to_symmetry = duplicates(canonical);
    info.duplicate_positions = duplicates(positions);
    Ok(info)
}

/// How many items equal another before them.
pub(crate) fn duplicates<T: Ord + Send>(mut items: Vec<T>) -> u64 {
    items.par_sort_unstable();
    items.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64
}

/// One more at a place, which is made if need be.
fn count_at(counts: &mut Vec<u64>, index: usize) {
    if counts.len() <= index {
        counts.resize(index + 1, 0);
    }
    counts[index] += 1;
}

impl Info {
    fn count<G: Playable>(
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
        count_at(&mut self.games_by_plies, record.plies.len());
        let mut position = record.start;
        for (number, ply) in record.plies.iter().enumerate() {
            positions.push(rules.key(&position));
            count_at(&mut self.positions_by_remaining, rules.remaining(&position));
            let payoff = payoffs[rules.to_move(&position)];
            self.explored += u64::from(ply.explored);
            if let Some(value) = ply.value {
                self.values += 1;
                // The last bar holds 1, too.
                self.values_by_size[((value * VALUE_BINS as f32) as usize).min(VALUE_BINS - 1)] +=
                    1;
                *square_error += f64::from(value - payoff).powi(2);
            }
            for (label, values) in self.labels.iter_mut().zip(&game.labels) {
                if let Some(Estimate { value, .. }) = values[number] {
                    label.positions += 1;
                    // A sum until all are counted.
                    *label.error.get_or_insert(0.0) += f64::from(value - payoff).powi(2);
                }
            }
            position = rules.play(&position, ply.mv);
        }
    }
}
