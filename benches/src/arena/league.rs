//! Leagues: many contestants, and those play each other whose games say most about the order.
//!
//! A league is a directory: a journal of its steps, each so many more pairs of games of one
//! pairing, and a state file for every pairing. Which step comes next follows from the results of
//! all steps before, so a league goes on where it was stopped and plays no game twice. Invariant: a
//! step is written before its games are played; what is said of a league follows from its steps.

use super::{Contestant, MatchOptions, PairResult, in_folder, kept_pairs, play_pairs};
use crate::error::Result;
use crate::statistics::{
    Interval, QUANTILE_95, is_zero,
    pairing::{are_apart, next, open, ranking},
    ratings::{Meeting, Ratings, ratings},
};
use engine::core::{
    files,
    journal::{Journal, Wording},
    moments::Moments,
};
use engine::play::playable::Playable;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{collections::BTreeMap, path::Path};

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
    pub most_games: u64,
}

/// How a league stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeagueResult {
    /// The game, in notation.
    pub game: String,
    /// The seed.
    pub seed: u64,
    /// Who told luck, if somebody did: ratings are without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub luck: Option<String>,
    /// Games that count.
    pub games: u64,
    /// Whether all neighbours are told apart, or known to be equal.
    pub settled: bool,
    /// From the best to the worst, those without a rating last.
    pub standings: Vec<Standing>,
    /// Every pairing that was played.
    pub pairings: Vec<Pairing>,
    /// Games played so far, and the ratings then in the order of the standings.
    pub history: Vec<(u64, Vec<Option<f64>>)>,
}

/// How one entrant stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
/// If there are fewer than two entrants, two have one name, or a file or a match fails.
pub fn play_league<G: Playable>(
    directory: &Path,
    entrants: &[Entrant<G>],
    options: &LeagueOptions<G>,
    mut watch: impl FnMut(&LeagueResult, &str),
) -> Result<LeagueResult> {
    let mut league = League::new(directory, entrants, options)?;
    let matches = &options.matches;
    let identity = json!({
        "format": "alea-league-1",
        "game": matches.game.notation(),
        "seed": matches.seed,
        "starts": matches.starts.identity(),
        "luck": matches.luck.as_ref().map(|teller| &teller.name),
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
    for step in steps.values() {
        // All that a pairing will need is read at once.
        let of_both = |other: &&Step| (&other.a, &other.b) == (&step.a, &step.b);
        let most = steps.values().filter(of_both).map(|step| step.pairs).max();
        league.take(step, most.unwrap_or(step.pairs))?;
    }
    let mut number = steps.last_key_value().map_or(0, |(last, _)| last + 1);
    let mut result = league.result();
    while league.games() < options.most_games
        && let Some((a, b)) = league.next()
    {
        let step = Step {
            step: number,
            a: entrants[a].name.clone(),
            b: entrants[b].name.clone(),
            pairs: league.pairs_of(a, b) + options.step,
        };
        journal.add(&step)?;
        league.take(&step, step.pairs)?;
        number += 1;
        result = league.result();
        watch(&result, &format!("{} – {}", step.a, step.b));
    }
    journal.close()?;
    Ok(result)
}

/// All that is known of a league.
struct League<'a, G: Playable> {
    entrants: &'a [Entrant<G>],
    options: &'a LeagueOptions<G>,
    matches: MatchOptions<G>,
    met: BTreeMap<(usize, usize), Met>,
    history: Vec<(u64, Vec<Option<f64>>)>,
}

/// What is known of a pairing.
#[derive(Default)]
struct Met {
    /// Pairs asked for so far, those that were read, and what came of them.
    pairs: u64,
    read: u64,
    results: Vec<PairResult>,
    means: Moments,
    /// Whether the last step brought nothing new.
    exhausted: bool,
}

impl<'a, G: Playable> League<'a, G> {
    fn new(
        directory: &Path,
        entrants: &'a [Entrant<G>],
        options: &'a LeagueOptions<G>,
    ) -> Result<Self> {
        let folder = directory.join("matches");
        let folders = [Some(&folder), options.matches.records.as_ref()];
        for folder in folders.into_iter().flatten() {
            files::create_directory(folder)?;
        }
        let count = entrants.len();
        if count < 2 {
            return Err(format!("a league needs at least two entrants, not {count}").into());
        }
        for (index, entrant) in entrants.iter().enumerate() {
            let name = &entrant.name;
            let usual = |letter: char| letter.is_alphanumeric() || "-_.+ ".contains(letter);
            if name.is_empty() || name.len() > 60 || !name.chars().all(usual) {
                return Err(format!("'{name}' is no name: letters, figures, blanks and -_.+ make one, at most 60 bytes").into());
            }
            if entrants[..index].iter().any(|other| other.name == *name) {
                return Err(format!("two entrants are called {name}; names must differ").into());
            }
        }
        let matches = MatchOptions {
            state: Some(folder),
            progress: false,
            ..options.matches.clone()
        };
        Ok(Self {
            entrants,
            options,
            matches,
            met: BTreeMap::new(),
            history: Vec::new(),
        })
    }

    fn index(&self, name: &str) -> Result<usize> {
        let found = self.entrants.iter().position(|one| one.name == name);
        found.ok_or_else(|| format!("{name} has played in this league, and is not among its entrants: give it back, or begin another league").into())
    }

    /// Plays a step, or what is left of it and of those of up to `most` pairs, and takes its results
    /// into account.
    fn take(&mut self, step: &Step, most: u64) -> Result<()> {
        let pairing = (self.index(&step.a)?, self.index(&step.b)?);
        let [a, b] = [&self.entrants[pairing.0], &self.entrants[pairing.1]];
        let known = self.met.entry(pairing).or_default();
        // Results of later steps may be there: they count when their time comes.
        if known.read < step.pairs {
            let name = format!("{}--{}", a.name, b.name);
            let options = MatchOptions {
                pairs: most,
                ..self.matches.kept_as(&name)
            };
            let file = in_folder(Path::new("matches"), &name);
            // Of a step in whose midst somebody went away there is what there is.
            let played = match a.absent.is_some() || b.absent.is_some() {
                true => kept_pairs(&a.contestant, &b.contestant, &options),
                false => play_pairs(&a.contestant, &b.contestant, &options).map(|(pairs, _)| pairs),
            };
            known.results = played.map_err(|error| format!("{}: {error}", file.display()))?;
            known.read = most;
        }
        let new = known.results.iter();
        let new: Vec<f64> = new
            .filter(|result| (known.pairs..step.pairs).contains(&result.pair))
            .map(PairResult::mean)
            .collect();
        known.exhausted = new.is_empty();
        new.into_iter().for_each(|mean| known.means.add(mean));
        known.pairs = step.pairs;
        let ratings = self.ratings();
        let rated = (0..self.entrants.len()).map(|one| ratings.as_ref()?.elo_of(one));
        self.history.push((self.games(), rated.collect()));
        Ok(())
    }

    fn pairs_of(&self, a: usize, b: usize) -> u64 {
        self.met.get(&(a, b)).map_or(0, |met| met.pairs)
    }

    /// Games that count.
    fn games(&self) -> u64 {
        let pairs = self.met.values().map(|met| met.means.samples());
        2 * pairs.sum::<f64>() as u64
    }

    /// Those who can be rated: who plays, or has played.
    fn rated(&self) -> Vec<usize> {
        let has_played = |one: usize| self.met.keys().any(|&(a, b)| a == one || b == one);
        let all = 0..self.entrants.len();
        all.filter(|&one| self.entrants[one].absent.is_none() || has_played(one))
            .collect()
    }

    /// Meetings among those who can be rated, by their places there.
    fn meetings(&self, rated: &[usize]) -> Vec<Meeting> {
        let place = |one: usize| rated.iter().position(|&other| other == one);
        let meeting = |(&(a, b), met): (&(usize, usize), &Met)| {
            Some(Meeting::sampled(place(a)?, place(b)?, &met.means))
        };
        self.met.iter().filter_map(meeting).collect()
    }

    fn ratings(&self) -> Option<Rated> {
        let rated = self.rated();
        let ratings = ratings(rated.len(), &self.meetings(&rated))?;
        Some(Rated { rated, ratings })
    }

    /// Who should play next.
    fn next(&self) -> Option<(usize, usize)> {
        let rated = self.rated();
        let allowed = |a: usize, b: usize| {
            let (a, b) = (rated[a], rated[b]);
            let exhausted = self.met.get(&(a, b)).is_some_and(|met| met.exhausted);
            let absent = |one: usize| self.entrants[one].absent.is_some();
            !exhausted && !absent(a) && !absent(b)
        };
        let (pairs, precision) = (self.options.step as f64, self.options.precision);
        let found = next(
            rated.len(),
            &self.meetings(&rated),
            pairs,
            precision,
            allowed,
        )?;
        Some((rated[found.0], rated[found.1]))
    }

    fn result(&self) -> LeagueResult {
        let ratings = self.ratings();
        let count = self.entrants.len();
        let mut order: Vec<usize> = match &ratings {
            Some(found) => {
                let places = ranking(&found.ratings).into_iter();
                places.map(|place| found.rated[place]).collect()
            }
            None => Vec::new(),
        };
        let rest = (0..count).filter(|one| !order.contains(one));
        order.extend(rest.collect::<Vec<_>>());
        let mut standings: Vec<Standing> = Vec::with_capacity(count);
        for &one in &order {
            let place = ratings.as_ref().and_then(|found| found.place(one));
            let found = ratings.as_ref().map(|found| &found.ratings).zip(place);
            let above = order.get(standings.len().wrapping_sub(1)).copied();
            let above = above.and_then(|above| ratings.as_ref()?.place(above));
            let apart = found
                .zip(above)
                .is_none_or(|((ratings, place), above)| are_apart(ratings, above, place));
            let group = standings.last().map_or(0, |last| last.group);
            let entrant = &self.entrants[one];
            standings.push(Standing {
                name: entrant.name.clone(),
                player: entrant.contestant.name.clone(),
                elo: found.map(|(ratings, place)| ratings.elo[place]),
                interval: found.map(|(ratings, place)| ratings.interval(place, QUANTILE_95)),
                games: self.games_of(one),
                group: found.map_or(0, |_| group + usize::from(apart)),
                forfeits: self.forfeits_of(one),
                absent: entrant.absent.clone(),
            });
        }
        let every = self.history.len().div_ceil(HISTORY).max(1);
        let last = self.history.len().wrapping_sub(1);
        let history = self.history.iter().enumerate();
        let history = history.filter(|&(at, _)| at % every == 0 || at == last);
        let in_order = |elo: &[Option<f64>]| order.iter().map(|&one| elo[one]).collect();
        let matches = &self.options.matches;
        LeagueResult {
            game: matches.game.notation(),
            seed: matches.seed,
            luck: matches.luck.as_ref().map(|teller| teller.name.clone()),
            games: self.games(),
            settled: ratings.as_ref().is_some_and(|found| {
                open(&found.ratings, self.options.precision, |_| true).is_empty()
            }),
            standings,
            pairings: self.pairings(),
            history: history
                .map(|(_, (games, elo))| (*games, in_order(elo)))
                .collect(),
        }
    }

    /// The results of a pairing that count.
    fn counted(met: &Met) -> impl Iterator<Item = &PairResult> {
        let results = met.results.iter();
        results.filter(|result| result.pair < met.pairs)
    }

    fn pairings(&self) -> Vec<Pairing> {
        let pairing = |(&(a, b), met): (&(usize, usize), &Met)| {
            let scores = Self::counted(met).flat_map(|result| result.scores);
            let scores: Vec<f64> = scores.collect();
            let told = self.options.matches.luck.is_some();
            Pairing {
                a: self.entrants[a].name.clone(),
                b: self.entrants[b].name.clone(),
                games: scores.len() as u64,
                draws: scores.iter().filter(|&&score| score == 0.5).count() as u64,
                score: scores.iter().sum::<f64>() / scores.len().max(1) as f64,
                adjusted: told.then(|| met.means.mean()),
            }
        };
        self.met.iter().map(pairing).collect()
    }

    fn games_of(&self, one: usize) -> u64 {
        let own = self.met.iter().filter(|((a, b), _)| *a == one || *b == one);
        own.map(|(_, met)| 2 * met.means.samples() as u64).sum()
    }

    fn forfeits_of(&self, one: usize) -> BTreeMap<String, u64> {
        let mut forfeits = BTreeMap::new();
        for (&(a, b), met) in &self.met {
            let lost = Self::counted(met).flat_map(|result| &result.forfeits);
            for forfeit in lost.filter(|forfeit| one == if forfeit.by_a { a } else { b }) {
                *forfeits.entry(forfeit.reason.clone()).or_default() += 1;
            }
        }
        forfeits
    }
}

/// Ratings, and whose they are.
struct Rated {
    rated: Vec<usize>,
    ratings: Ratings,
}

impl Rated {
    fn place(&self, one: usize) -> Option<usize> {
        self.rated.iter().position(|&other| other == one)
    }

    fn elo_of(&self, one: usize) -> Option<f64> {
        self.place(one).map(|place| self.ratings.elo[place])
    }
}

#[cfg(test)]
mod tests;
