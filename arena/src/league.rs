//! Leagues: each step plays some pairs of games between the two entrants whose games should tell
//! most about the ranking. A journal of steps and a state file per pairing, in one directory, let
//! an interrupted league resume.

use crate::error::Result;
use crate::matches::{
    Contestant, MatchOptions, MatchResult, MeanPoints, Played, check_names, play_pairs, state_path,
    stored_pairs,
};
use crate::statistics::{
    Interval, QUANTILE_95, is_zero,
    next_pairing::{are_apart, next_pairing, open_differences, ranking},
    ratings::{MatchRecord, Ratings, ratings},
};
use alea_core::{
    files,
    journal::{ErrorWording, Journal},
    moments::Moments,
};
use alea_play::{playable::Playable, points::Points};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{collections::BTreeMap, path::Path, time::Duration};

/// Participant of a league.
pub struct Entrant<G: Playable> {
    /// Short name, at most 60 bytes, under which the league stores results.
    pub name: String,
    /// Player with its full name.
    pub contestant: Contestant<G>,
    /// Reason why the entrant cannot play now; earlier results still count. `None` if it can play.
    pub absent: Option<String>,
}

/// Options of a league.
pub struct LeagueOptions<G: Playable> {
    /// Options of all matches; `pairs`, `state` and `progress` are ignored.
    pub matches: MatchOptions<G>,
    /// Number of pairs of games in a step.
    pub step: u64,
    /// Precision in Elo: neighbours in the ranking count as equal once two standard errors of their
    /// difference are at most this.
    pub precision: f64,
    /// Number of games, over all steps, from which on no new step begins.
    pub max_games: u64,
}

/// State of a league, for reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeagueResult {
    /// Spec of the game.
    pub game: String,
    /// Seed of starts, chance outcomes and players.
    pub seed: u64,
    /// Name of the evaluator for luck adjustment; `None` if ratings are unadjusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub luck: Option<String>,
    /// Number of games, without pairs that repeat an earlier game.
    pub games: u64,
    /// Number of games in pairs left out as repeats; `None` in games with chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeated_games: Option<u64>,
    /// True if all neighbours in the ranking differ significantly or count as equal.
    pub settled: bool,
    /// Entrants from best to worst; those without a rating come last.
    pub standings: Vec<Standing>,
    /// Results of all pairs of entrants that have met.
    pub pairings: Vec<PairingResult>,
    /// Number of games and Elo in the order of `standings`, after at most about 100 of the steps.
    pub history: Vec<(u64, Vec<Option<f64>>)>,
}

/// Rank and record of an entrant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// Name of the entrant.
    pub name: String,
    /// Full name of the entrant's player.
    pub player: String,
    /// Elo, with mean 0 over the league; `None` until games connect all entrants.
    pub elo: Option<f64>,
    /// 95 % interval of `elo`.
    pub interval: Option<Interval>,
    /// Mean points over the entrant's games, luck-adjusted with a luck evaluator; `None` in games
    /// without points and before the first game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<MeanPoints>,
    /// Number of the entrant's games, without pairs that repeat an earlier game.
    pub games: u64,
    /// Number of the group, from 1: a new one begins where an entrant differs significantly from
    /// the one ranked above. 0 without a rating.
    pub group: usize,
    /// Numbers of games that the entrant forfeited, by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub forfeits: BTreeMap<String, u64>,
    /// Reason why the entrant cannot play now; `None` if it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
}

/// Result of all games between two entrants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairingResult {
    /// Name of the entrant whose points `score` counts.
    pub a: String,
    /// Name of the opponent.
    pub b: String,
    /// Number of games, without pairs that repeat an earlier game.
    pub games: u64,
    /// Number of drawn games.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub draws: u64,
    /// Mean points of `a` per game, 0 to 1.
    pub score: f64,
    /// Luck-adjusted `score`, which can be outside `[0, 1]`; `None` without a luck evaluator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjusted: Option<f64>,
    /// Mean points of `a`, luck-adjusted with a luck evaluator; `None` in games without points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<MeanPoints>,
}

#[derive(Clone, Serialize, Deserialize)]
struct JournalStep {
    step: u64,
    a: String,
    b: String,
    pairs: u64,
}

const MAX_HISTORY_STEPS: usize = 100;

/// Plays until the ranking is settled or `max_games` is reached. After every step played, `watch`
/// gets the state and the names of the two entrants as text.
///
/// # Errors
/// If there are fewer than two entrants, names repeat, the precision is invalid, or a file or match
/// fails.
pub fn play_league<G: Playable>(
    directory: &Path,
    entrants: &[Entrant<G>],
    options: &LeagueOptions<G>,
    mut watch: impl FnMut(&LeagueResult, Option<&str>),
) -> Result<LeagueResult> {
    let (matches, precision) = (&options.matches, options.precision);
    let folder = directory.join("matches");
    check(entrants)?;
    if !precision.is_finite() || precision < 0.0 {
        return Err(format!("precision = {precision}: it must be at least 0").into());
    }
    for folder in [Some(&folder), matches.records.as_ref()] {
        folder.map_or(Ok(()), |folder| files::prepare_directory(folder))?;
    }
    let identity = json!({
        "format": "alea-league-1",
        "game": matches.game.notation(),
        "seed": matches.seed,
        "starts": matches.starts.identity(),
        "luck": matches.luck.as_ref().map(|luck_evaluator| &luck_evaluator.name),
        "step": options.step,
        "precision": options.precision,
    });
    let wording = ErrorWording {
        work: "league",
        part: "step",
    };
    let path = directory.join("league.jsonl");
    let number = |step: &JournalStep| step.step;
    let (mut journal, steps) =
        Journal::open(Some(&path), wording, &identity, number, Default::default())?;
    let has_played = |name: &str| steps.values().any(|step| step.a == name || step.b == name);
    let counts = |one: &&Entrant<G>| one.absent.is_none() || has_played(&one.name);
    let (rated, others): (Vec<_>, Vec<_>) = entrants.iter().partition(counts);
    let mut league = League {
        rated: rated.len(),
        entrants: [rated, others].concat(),
        options,
        matches: MatchOptions {
            state: Some(folder),
            progress: None,
            ..matches.clone()
        },
        met: BTreeMap::new(),
        history: Vec::new(),
    };
    let last = steps.values().map(|step| ((&step.a, &step.b), step));
    let last: BTreeMap<_, _> = last.collect();
    last.values().try_for_each(|step| league.play_step(step))?;
    let written = steps.last_key_value().map_or(0, |(last, _)| last + 1);
    for number in 0.. {
        let is_damaged = number < written;
        if let Some(step) = steps.get(&number) {
            league.apply_step(step)?;
        } else if (is_damaged || league.games() < options.max_games)
            && let Some((a, b)) = league.choose_pairing()
        {
            if !is_damaged && number == written && written > 0 {
                watch(&league.result(), None);
            }
            let before = league.met.get(&(a, b)).map_or(0, |met| met.pairs);
            let [a, b] = [a, b].map(|one| league.entrants[one].name.clone());
            let step = JournalStep {
                step: number,
                a,
                b,
                pairs: before + options.step,
            };
            journal.add(&step)?;
            league.play_step(&step)?;
            league.apply_step(&step)?;
            watch(&league.result(), Some(&format!("{} – {}", step.a, step.b)));
        } else if !is_damaged {
            break;
        }
    }
    journal.close()?;
    Ok(league.result())
}

fn check<G: Playable>(entrants: &[Entrant<G>]) -> Result<()> {
    let names: Vec<&String> = entrants.iter().map(|one| &one.name).collect();
    check_names("league", "entrants", &names)?;
    let usual = |letter: char| letter.is_alphanumeric() || "-_.+ ".contains(letter);
    let is_name = |name: &str| (1..=60).contains(&name.len()) && name.chars().all(usual);
    match names.into_iter().find(|name| !is_name(name)) {
        Some(name) => Err(format!(
            "'{name}' is no name: letters, figures, blanks and -_.+ make one, at most 60 bytes"
        )
        .into()),
        None => Ok(()),
    }
}

fn file_name(a: &str, b: &str) -> String {
    let is_plain =
        !a.contains("--") && !b.contains("--") && !a.ends_with('-') && !b.starts_with('-');
    let between = if is_plain { "--" } else { "~" };
    format!("{a}{between}{b}")
}

struct League<'a, G: Playable> {
    entrants: Vec<&'a Entrant<G>>,
    rated: usize,
    options: &'a LeagueOptions<G>,
    matches: MatchOptions<G>,
    met: BTreeMap<(usize, usize), PairingProgress>,
    history: Vec<(u64, Vec<Option<f64>>)>,
}

#[derive(Default)]
struct PairingProgress {
    pairs: u64,
    /// Number of pairs played, including steps not yet in the ratings.
    available: u64,
    played: Played,
    means: Moments,
    exhausted: bool,
}

impl<G: Playable> League<'_, G> {
    fn pairing(&self, step: &JournalStep) -> Result<(usize, usize)> {
        let index = |name: &str| {
            let record = self.entrants.iter().position(|one| one.name == name);
            record.ok_or_else(|| format!("{name} has played in this league, and is not among its entrants: give it back, or begin another league"))
        };
        Ok((index(&step.a)?, index(&step.b)?))
    }

    fn play_step(&mut self, step: &JournalStep) -> Result<()> {
        let pairing = self.pairing(step)?;
        if self
            .met
            .get(&pairing)
            .is_some_and(|met| met.available >= step.pairs)
        {
            return Ok(());
        }
        let [a, b] = [self.entrants[pairing.0], self.entrants[pairing.1]];
        let name = file_name(&a.name, &b.name);
        let options = MatchOptions {
            pairs: step.pairs,
            ..self.matches.with_file_name(&name)
        };
        let played = match a.absent.is_some() || b.absent.is_some() {
            true => stored_pairs(&a.contestant, &b.contestant, &options),
            false => play_pairs(&a.contestant, &b.contestant, &options),
        };
        let file = state_path(Path::new("matches"), &name);
        let played = played.map_err(|error| format!("{}: {error}", file.display()))?;
        let wall = Duration::ZERO;
        let met = self.met.entry(pairing).or_default();
        (met.available, met.played) = (step.pairs, Played { wall, ..played });
        Ok(())
    }

    fn apply_step(&mut self, step: &JournalStep) -> Result<()> {
        let met = self.met.entry(self.pairing(step)?).or_default();
        let before = met.means.sample_count();
        let new = met.pairs..step.pairs;
        let new = (met.played.pairs.iter()).filter(|result| new.contains(&result.pair));
        new.for_each(|result| met.means.add(result.mean_score()));
        met.exhausted = met.means.sample_count() == before;
        met.pairs = step.pairs;
        let ratings = self.ratings();
        let elo = |one: usize| ratings.as_ref()?.elo.get(one).copied();
        let elo = (0..self.entrants.len()).map(elo).collect();
        self.history.push((self.games(), elo));
        Ok(())
    }

    fn games(&self) -> u64 {
        let pairs = self.met.values().map(|met| met.means.sample_count());
        2 * pairs.sum::<f64>() as u64
    }

    fn match_records(&self) -> Vec<MatchRecord> {
        let met = self.met.iter().filter(|(_, met)| met.pairs > 0);
        met.map(|(&(a, b), met)| MatchRecord::from_means(a, b, &met.means))
            .collect()
    }

    fn ratings(&self) -> Option<Ratings> {
        ratings(self.rated, &self.match_records())
    }

    fn choose_pairing(&self) -> Option<(usize, usize)> {
        let plays = |one: usize| self.entrants[one].absent.is_none();
        let has_more = |a, b| self.met.get(&(a, b)).is_none_or(|met| !met.exhausted);
        let allowed = |a, b| plays(a) && plays(b) && has_more(a, b);
        let LeagueOptions {
            step, precision, ..
        } = *self.options;
        next_pairing(
            self.rated,
            &self.match_records(),
            step as f64,
            precision,
            allowed,
        )
    }

    fn match_results(&self) -> Vec<((usize, usize), MatchResult)> {
        let record = |(&(a, b), met): (&(usize, usize), &PairingProgress)| {
            let [one, other] = [a, b].map(|one| &self.entrants[one].contestant);
            let record = MatchResult::of(one, other, &self.matches, &met.played);
            ((a, b), record)
        };
        self.met.iter().map(record).collect()
    }

    /// Points of the game; `None` without points, and with more than two seats.
    fn points(&self) -> Option<Points> {
        let game = &self.matches.game;
        game.points().filter(|_| game.seats() == 2)
    }

    fn mean_points(&self, entrant: usize) -> Option<MeanPoints> {
        let mut payoffs = Moments::default();
        let met = self.met.iter();
        for (&(a, _), met) in met.filter(|((a, b), _)| [*a, *b].contains(&entrant)) {
            for pair in &met.played.pairs {
                let of_a = pair.mean_score();
                payoffs.add(if entrant == a { of_a } else { 1.0 - of_a });
            }
        }
        let points = self.points().filter(|_| payoffs.sample_count() > 0.0)?;
        Some(MeanPoints::of(&points, &payoffs))
    }

    fn result(&self) -> LeagueResult {
        let (ratings, record) = (self.ratings(), self.match_results());
        let repeated = record
            .iter()
            .filter_map(|(_, record)| record.repeated_games);
        let repeated_games = repeated.reduce(|one, other| one + other);
        let mut order = ratings.as_ref().map_or(Vec::new(), ranking);
        order.extend(order.len()..self.entrants.len());
        let mut standings: Vec<Standing> = Vec::with_capacity(order.len());
        for (rank, &one) in order.iter().enumerate() {
            let rated = ratings.as_ref().filter(|_| one < self.rated);
            let is_apart = |rated| rank == 0 || are_apart(rated, order[rank - 1], one);
            let group = standings.last().map_or(0, |last| last.group);
            let (mut games, mut forfeits) = (0, BTreeMap::new());
            for ((a, b), record) in &record {
                if [*a, *b].contains(&one) {
                    games += record.games;
                    for (reason, count) in &record.forfeits[usize::from(one == *b)] {
                        *forfeits.entry(reason.clone()).or_default() += count;
                    }
                }
            }
            let entrant = self.entrants[one];
            standings.push(Standing {
                name: entrant.name.clone(),
                player: entrant.contestant.name.clone(),
                elo: rated.map(|rated| rated.elo[one]),
                interval: rated.map(|rated| rated.interval(one, QUANTILE_95)),
                points: self.mean_points(one),
                games,
                group: rated.map_or(0, |rated| group + usize::from(is_apart(rated))),
                forfeits,
                absent: entrant.absent.clone(),
            });
        }
        let every = self.history.len().div_ceil(MAX_HISTORY_STEPS).max(1);
        let last = self.history.len().wrapping_sub(1);
        let history = self.history.iter().enumerate();
        let history = history.filter(|&(at, _)| at % every == 0 || at == last);
        let in_order = |elo: &[Option<f64>]| order.iter().map(|&one| elo[one]).collect();
        let name = |one: usize| self.entrants[one].name.clone();
        let pairings = record.into_iter().map(|((a, b), record)| PairingResult {
            a: name(a),
            b: name(b),
            games: record.games,
            draws: record.draws,
            score: record.score,
            adjusted: record.luck.map(|_| self.met[&(a, b)].means.mean()),
            points: (self.points()).map(|points| MeanPoints::of(&points, &self.met[&(a, b)].means)),
        });
        let matches = &self.matches;
        LeagueResult {
            game: matches.game.notation(),
            seed: matches.seed,
            luck: matches
                .luck
                .as_ref()
                .map(|luck_evaluator| luck_evaluator.name.clone()),
            games: self.games(),
            repeated_games,
            settled: ratings.is_some_and(|record| {
                open_differences(&record, self.options.precision, |_| true).is_empty()
            }),
            standings,
            pairings: pairings.collect(),
            history: history
                .map(|(_, (games, elo))| (*games, in_order(elo)))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests;
