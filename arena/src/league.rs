//! Leagues: many contestants, and those play each other whose games say most about the order.
//!
//! A league is a directory: a journal of its steps, each so many more pairs of games of one
//! pairing, and a state file for every pairing. Which step comes next follows from the results of
//! all steps before, so a league goes on where it was stopped and plays no game twice, and a step
//! whose line is damaged is found again. Invariant: a step is written before its games are played;
//! what is said of a league follows from its steps.

use crate::error::Result;
use crate::matches::{
    Contestant, MatchOptions, MatchResult, Played, check_names, in_folder, play_pairs, stored_pairs,
};
use crate::statistics::{
    Interval, QUANTILE_95, is_zero,
    pairing::{are_apart, next, open, ranking},
    ratings::{MatchRecord, Ratings, ratings},
};
use engine::core::{
    files,
    journal::{Journal, Wording},
    moments::Moments,
};
use engine::play::playable::Playable;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{collections::BTreeMap, path::Path, time::Duration};

/// Who takes part.
pub struct Entrant<G: Playable> {
    /// A short name, by which its results are kept.
    pub name: String,
    /// The player.
    pub contestant: Contestant<G>,
    /// Why it cannot play now; its earlier results count all the same.
    pub absent: Option<String>,
}

/// How a league is played.
pub struct LeagueOptions<G: Playable> {
    /// How matches are played; their number of pairs does not matter.
    pub matches: MatchOptions<G>,
    /// Pairs of games of a step.
    pub step: u64,
    /// Two whose difference is known so well, in Elo, are called equal.
    pub precision: f64,
    /// The league pauses after so many games.
    pub max_games: u64,
}

/// How a league stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeagueResult {
    /// The game, in notation.
    pub game: String,
    /// The seed.
    pub seed: u64,
    /// Who told luck, if somebody did: ratings are without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub luck: Option<String>,
    /// Games that count.
    pub games: u64,
    /// Games that were played and do not count, because their pair repeats a game of an earlier one;
    /// only of games without chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeated_games: Option<u64>,
    /// Whether all neighbours are told apart, or known to be equal.
    pub settled: bool,
    /// From the best to the worst, those without a rating last.
    pub standings: Vec<Rank>,
    /// Every pairing that was played.
    pub pairings: Vec<Pairing>,
    /// Games played so far, and the ratings then in the order of the standings.
    pub history: Vec<(u64, Vec<Option<f64>>)>,
}

/// How one entrant stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rank {
    /// Its name.
    pub name: String,
    /// The player's name.
    pub player: String,
    /// Elo, about a mean of 0; `None` before it is connected with all others by games.
    pub elo: Option<f64>,
    /// Its 95 % interval.
    pub interval: Option<Interval>,
    /// Games that count.
    pub games: u64,
    /// Those of one group, from 1, are not told apart from their neighbours; 0 without a rating.
    pub group: usize,
    /// Games lost without being beaten, by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub forfeits: BTreeMap<String, u64>,
    /// Why it does not play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
}

/// What two entrants made of each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pairing {
    /// The one whose score it is.
    pub a: String,
    /// The other one.
    pub b: String,
    /// Games that count.
    pub games: u64,
    /// Games that were drawn.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub draws: u64,
    /// Share of points of `a`, as played.
    pub score: f64,
    /// The same without luck, if somebody told it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjusted: Option<f64>,
}

/// A line of the journal: from now on this pairing has so many pairs.
#[derive(Clone, Serialize, Deserialize)]
struct Step {
    step: u64,
    a: String,
    b: String,
    pairs: u64,
}

/// Most points of a history.
const HISTORY: usize = 100;

/// Plays a league on until its order is clear, or for so many games; `watch` is told of every step.
///
/// # Errors
/// If there are fewer than two entrants, two have one name, the precision is no number of Elo, or a
/// file or a match fails.
pub fn play_league<G: Playable>(
    directory: &Path,
    entrants: &[Entrant<G>],
    options: &LeagueOptions<G>,
    mut watch: impl FnMut(&LeagueResult, &str),
) -> Result<LeagueResult> {
    let (matches, precision) = (&options.matches, options.precision);
    let folder = directory.join("matches");
    check(entrants)?;
    if !precision.is_finite() || precision < 0.0 {
        return Err(format!("precision = {precision}: it must be at least 0").into());
    }
    for folder in [Some(&folder), matches.records.as_ref()] {
        folder.map_or(Ok(()), |folder| files::create_directory(folder))?;
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
    let wording = Wording {
        work: "league",
        part: "step",
    };
    let path = directory.join("league.jsonl");
    let number = |step: &Step| step.step;
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
            progress: false,
            ..matches.clone()
        },
        met: BTreeMap::new(),
        history: Vec::new(),
    };
    // All that a pairing will need, which its last step says, is read at once.
    let last = steps.values().map(|step| ((&step.a, &step.b), step));
    let last: BTreeMap<_, _> = last.collect();
    last.values().try_for_each(|step| league.play(step))?;
    let written = steps.last_key_value().map_or(0, |(last, _)| last + 1);
    for number in 0.. {
        let is_damaged = number < written;
        if let Some(step) = steps.get(&number) {
            league.count(step)?;
        } else if (is_damaged || league.games() < options.max_games)
            && let Some((a, b)) = league.next()
        {
            let before = league.met.get(&(a, b)).map_or(0, |met| met.pairs);
            let [a, b] = [a, b].map(|one| league.entrants[one].name.clone());
            let step = Step {
                step: number,
                a,
                b,
                pairs: before + options.step,
            };
            journal.add(&step)?;
            league.play(&step)?;
            league.count(&step)?;
            watch(&league.result(), &format!("{} – {}", step.a, step.b));
        } else if !is_damaged {
            break;
        }
    }
    journal.close()?;
    Ok(league.result())
}

/// Refuses names that are none, or not enough of them.
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

/// The name of the files of a pairing, another one for every pairing.
fn file_name(a: &str, b: &str) -> String {
    let is_plain =
        !a.contains("--") && !b.contains("--") && !a.ends_with('-') && !b.starts_with('-');
    // No name has the other sign.
    let between = if is_plain { "--" } else { "~" };
    format!("{a}{between}{b}")
}

/// All that is known of a league.
struct League<'a, G: Playable> {
    entrants: Vec<&'a Entrant<G>>,
    /// How many of them can be rated, which are the first: those who play, or have played.
    rated: usize,
    options: &'a LeagueOptions<G>,
    matches: MatchOptions<G>,
    met: BTreeMap<(usize, usize), Met>,
    history: Vec<(u64, Vec<Option<f64>>)>,
}

/// What is known of a pairing.
#[derive(Default)]
struct Met {
    /// Pairs asked for so far.
    pairs: u64,
    /// Pairs that are played, those of later steps among them.
    available: u64,
    /// What came of them; times do not matter.
    played: Played,
    means: Moments,
    /// Whether the last step brought nothing new.
    exhausted: bool,
}

impl<G: Playable> League<'_, G> {
    fn pairing(&self, step: &Step) -> Result<(usize, usize)> {
        let index = |name: &str| {
            let record = self.entrants.iter().position(|one| one.name == name);
            record.ok_or_else(|| format!("{name} has played in this league, and is not among its entrants: give it back, or begin another league"))
        };
        Ok((index(&step.a)?, index(&step.b)?))
    }

    /// Plays what is left of a pairing up to a step.
    fn play(&mut self, step: &Step) -> Result<()> {
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
            ..self.matches.stored_as(&name)
        };
        // Of a step in whose midst somebody went away there is what there is.
        let played = match a.absent.is_some() || b.absent.is_some() {
            true => stored_pairs(&a.contestant, &b.contestant, &options),
            false => play_pairs(&a.contestant, &b.contestant, &options),
        };
        let file = in_folder(Path::new("matches"), &name);
        let played = played.map_err(|error| format!("{}: {error}", file.display()))?;
        let wall = Duration::ZERO;
        let met = self.met.entry(pairing).or_default();
        (met.available, met.played) = (step.pairs, Played { wall, ..played });
        Ok(())
    }

    /// Takes the results of a step into account. Those of later steps may be there, too: they count
    /// when their time comes.
    fn count(&mut self, step: &Step) -> Result<()> {
        let met = self.met.entry(self.pairing(step)?).or_default();
        let before = met.means.samples();
        let new = met.pairs..step.pairs;
        let new = (met.played.pairs.iter()).filter(|result| new.contains(&result.pair));
        new.for_each(|result| met.means.add(result.mean()));
        met.exhausted = met.means.samples() == before;
        met.pairs = step.pairs;
        let ratings = self.ratings();
        let elo = |one: usize| ratings.as_ref()?.elo.get(one).copied();
        let elo = (0..self.entrants.len()).map(elo).collect();
        self.history.push((self.games(), elo));
        Ok(())
    }

    /// Games that count.
    fn games(&self) -> u64 {
        let pairs = self.met.values().map(|met| met.means.samples());
        2 * pairs.sum::<f64>() as u64
    }

    fn meetings(&self) -> Vec<MatchRecord> {
        // Of some there are only results of later steps.
        let met = self.met.iter().filter(|(_, met)| met.pairs > 0);
        met.map(|(&(a, b), met)| MatchRecord::sampled(a, b, &met.means))
            .collect()
    }

    fn ratings(&self) -> Option<Ratings> {
        ratings(self.rated, &self.meetings())
    }

    /// Who should play next.
    fn next(&self) -> Option<(usize, usize)> {
        let plays = |one: usize| self.entrants[one].absent.is_none();
        let has_more = |a, b| self.met.get(&(a, b)).is_none_or(|met| !met.exhausted);
        let allowed = |a, b| plays(a) && plays(b) && has_more(a, b);
        let LeagueOptions {
            step, precision, ..
        } = *self.options;
        next(
            self.rated,
            &self.meetings(),
            step as f64,
            precision,
            allowed,
        )
    }

    /// What came of every pairing.
    fn record(&self) -> Vec<((usize, usize), MatchResult)> {
        let record = |(&(a, b), met): (&(usize, usize), &Met)| {
            let [one, other] = [a, b].map(|one| &self.entrants[one].contestant);
            let record = MatchResult::of(one, other, &self.matches, &met.played);
            ((a, b), record)
        };
        self.met.iter().map(record).collect()
    }

    fn result(&self) -> LeagueResult {
        let (ratings, record) = (self.ratings(), self.record());
        let repeated = record
            .iter()
            .filter_map(|(_, record)| record.repeated_games);
        let repeated_games = repeated.reduce(|one, other| one + other);
        let mut order = ratings.as_ref().map_or(Vec::new(), ranking);
        order.extend(order.len()..self.entrants.len());
        let mut standings: Vec<Rank> = Vec::with_capacity(order.len());
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
            standings.push(Rank {
                name: entrant.name.clone(),
                player: entrant.contestant.name.clone(),
                elo: rated.map(|rated| rated.elo[one]),
                interval: rated.map(|rated| rated.interval(one, QUANTILE_95)),
                games,
                group: rated.map_or(0, |rated| group + usize::from(is_apart(rated))),
                forfeits,
                absent: entrant.absent.clone(),
            });
        }
        let every = self.history.len().div_ceil(HISTORY).max(1);
        let last = self.history.len().wrapping_sub(1);
        let history = self.history.iter().enumerate();
        let history = history.filter(|&(at, _)| at % every == 0 || at == last);
        let in_order = |elo: &[Option<f64>]| order.iter().map(|&one| elo[one]).collect();
        let name = |one: usize| self.entrants[one].name.clone();
        let pairings = record.into_iter().map(|((a, b), record)| Pairing {
            a: name(a),
            b: name(b),
            games: record.games,
            draws: record.draws,
            score: record.score,
            adjusted: record.luck.map(|_| self.met[&(a, b)].means.mean()),
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
            settled: ratings
                .is_some_and(|record| open(&record, self.options.precision, |_| true).is_empty()),
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
