//! State file of a match: a journal of finished pairs, which only the same match can continue.

use super::{Contestant, MatchOptions, PairResult, starts::has_chance};
use crate::error::Result;
use alea_core::{
    job_array::TaskSlice,
    journal::{ErrorWording, Journal, JournalError, OpenedJournal},
    random::SeedSpace,
};
use alea_play::playable::Playable;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeOwned, Error},
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

const STATE_FORMAT: &str = "alea-match-3";

pub(super) fn match_identity<G: Playable>(
    a: &Contestant<G>,
    b: &Contestant<G>,
    options: &MatchOptions<G>,
) -> Value {
    let purpose =
        (options.space != SeedSpace::Arena).then(|| format!("{:?}", options.space).to_lowercase());
    let mut identity = json!({
        "format": STATE_FORMAT,
        "game": options.game.notation(),
        "player_a": a.name,
        "player_b": b.name,
        "seed": options.seed,
        "starts": options.starts.identity(),
        "purpose": purpose,
        "max_plies": options.max_plies,
        "luck": options.luck.as_ref().map(|evaluator| &evaluator.name),
        "distinct": (!has_chance(&options.game)).then_some("up to symmetry"),
    });
    if let Some(settings) = identity.as_object_mut() {
        settings.retain(|_, value| !value.is_null());
    }
    identity
}

#[derive(Serialize, Deserialize)]
pub(super) struct FinishedPair {
    /// Number, from 0, of the program run that finished the pair.
    session: u32,
    /// Nanoseconds from the start of that program run to the end of the pair.
    elapsed: u64,
    #[serde(flatten)]
    result: PairResult,
}

pub(super) fn deserialize_scores<'a, D: Deserializer<'a>>(text: D) -> Result<[f64; 2], D::Error> {
    let scores = <[f64; 2]>::deserialize(text)?;
    let is_valid = scores.iter().all(|score| (0.0..=1.0).contains(score));
    is_valid
        .then_some(scores)
        .ok_or_else(|| D::Error::custom("a game is worth 0 to 1"))
}

pub(crate) fn check_names(work: &str, who: &str, names: &[&String]) -> Result<(), String> {
    if names.len() < 2 {
        let count = names.len();
        return Err(format!("a {work} needs at least two {who}, not {count}"));
    }
    let again = |(index, name): &(usize, &&String)| names[..*index].contains(name);
    match names.iter().enumerate().find(again) {
        Some((_, name)) => Err(format!("two {who} are called {name}; names must differ")),
        None => Ok(()),
    }
}

/// Creates `folder` and its parents, if given.
pub fn make_folder(folder: Option<&Path>) -> Result<(), String> {
    folder.map_or(Ok(()), |folder| {
        let created = std::fs::create_dir_all(folder);
        created.map_err(|error| format!("{}: {error}", folder.display()))
    })
}

/// Path `FOLDER/NAME.jsonl` of a match's state file.
#[must_use]
pub fn state_path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.jsonl"))
}

/// Computes the numbered parts of `range` that the journal lacks, in parallel, and adds each to the
/// journal; returns all stored parts. `tools` creates the state of a thread, which `part` gets.
pub fn compute_missing<T: Serialize + DeserializeOwned + Send, W>(
    stored: OpenedJournal<(u64, T)>,
    range: Range<u64>,
    tools: impl Fn() -> W + Send + Sync,
    part: impl Fn(&mut W, u64) -> Result<T> + Send + Sync,
) -> Result<BTreeMap<u64, (u64, T)>> {
    let mut missing = range.collect::<Vec<u64>>();
    missing.retain(|number| !stored.1.contains_key(number));
    let stored = Mutex::new(stored);
    alea_parallel::try_for_each_with(missing.len(), tools, |tools, index| {
        let number = missing[index];
        let line = (number, part(tools, number)?);
        let mut stored = stored.lock().unwrap_or_else(PoisonError::into_inner);
        stored.0.add(&line)?;
        stored.1.insert(number, line);
        Result::<()>::Ok(())
    })?;
    let (journal, stored) = stored.into_inner().unwrap_or_else(PoisonError::into_inner);
    journal.close()?;
    Ok(stored)
}

pub(super) struct MatchJournal {
    pub(super) journal: Journal<FinishedPair>,
    session: u32,
    began: Instant,
}

impl MatchJournal {
    /// Opens the state file; also returns its pairs in order and the wall time of all earlier runs.
    /// With `is_test`, pairs of earlier tasks are included, since they may decide the test.
    pub(super) fn open(
        path: Option<&Path>,
        identity: &Value,
        slice: (TaskSlice, u64),
        is_test: bool,
    ) -> Result<(Self, Vec<PairResult>, Duration), JournalError> {
        let wording = ErrorWording {
            work: "match",
            part: "pair",
        };
        let number = |line: &FinishedPair| line.result.pair;
        let (journal, mut lines) = Journal::open(path, wording, identity, number, slice)?;
        if let (Some(path), true) = (path, is_test) {
            lines.extend(Journal::read_earlier_tasks(
                path, wording, identity, number, slice,
            ));
        }
        let mut ends = BTreeMap::<u32, u64>::new();
        for line in lines.values() {
            let end = ends.entry(line.session).or_default();
            *end = line.elapsed.max(*end);
        }
        let session = ends
            .last_key_value()
            .map_or(0, |(&last, _)| last.saturating_add(1));
        let wall = ends.values().fold(Duration::ZERO, |sum, &end| {
            sum.saturating_add(Duration::from_nanos(end))
        });
        let state = Self {
            journal,
            session,
            began: Instant::now(),
        };
        let results = lines.into_values().map(|line| line.result);
        Ok((state, results.collect(), wall))
    }

    pub(super) fn remove(&mut self, pairs: &BTreeSet<u64>) -> Result<(), JournalError> {
        if pairs.is_empty() {
            return Ok(());
        }
        let stays = |line: &FinishedPair| !pairs.contains(&line.result.pair);
        self.journal.retain(stays)
    }

    pub(super) fn add(&mut self, result: &PairResult) -> Result<(), JournalError> {
        self.journal.add(&FinishedPair {
            session: self.session,
            elapsed: self.began.elapsed().as_nanos() as u64,
            result: result.clone(),
        })
    }
}
