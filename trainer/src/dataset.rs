//! From records to training samples.
//!
//! Every position before a roll that was searched or has a label is a sample (`dataset/games.rs`), and
//! where results alone are learned every position;
//! search and labels average over the dice that follow, which makes a far less noisy target than
//! the value of one roll. Games, never positions, are split into training and validation, and a
//! game, with its copies and images, stays on its side when more are added. Invariant: validation samples are held in memory, and
//! so are training samples if there are no more than asked for; otherwise they are read again, part
//! by part, whenever they are needed.

mod games;

pub use games::UsedLabel;

use crate::config::TargetConfig;
use crate::data::{info::duplicates, mixed_games_error};
use crate::sample::{Held, Sample};
use crate::{Error, shard};
use engine::learned::inputs::Learnable;
use engine::play::playable::Playable;
use games::{Part, split};
use rayon::prelude::*;
use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};
use xxhash_rust::xxh3::xxh3_64;

/// How records become samples.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleOptions {
    /// Name of a label that takes the place of the search value where a position has one.
    pub label: Option<String>,
    /// Whether labels from endgame tables take the place of search value and result.
    pub exact: bool,
    /// The standard error of a label with which a sample counts half; 0: all count alike.
    pub error_scale: f32,
    /// Whether results alone are learned, so that a position needs no value to be a sample.
    pub results: bool,
    /// Share of the games that only validate.
    pub validation_share: f64,
    /// Rules which games validate.
    pub seed: u64,
    /// Training samples that are held in memory if there are no more.
    pub held: usize,
}

impl SampleOptions {
    /// The samples that a training wants.
    #[must_use]
    pub fn new(target: &TargetConfig, validation_share: f64, seed: u64) -> Self {
        let label = Some(target.label.clone()).filter(|label| !label.is_empty());
        Self {
            label,
            exact: target.exact,
            error_scale: target.scale_of_errors(),
            results: target.is_results_alone(),
            ..Self::played(validation_share, seed)
        }
    }

    /// What players valued and how games ended, without labels.
    #[must_use]
    pub fn played(validation_share: f64, seed: u64) -> Self {
        Self {
            label: None,
            exact: false,
            error_scale: 0.0,
            results: false,
            validation_share,
            seed,
            held: 0,
        }
    }

    /// The same samples, in memory if there are no more than so many.
    #[must_use]
    pub fn held_up_to(self, held: usize) -> Self {
        Self { held, ..self }
    }

    /// Whether samples may count differently.
    fn are_weighed(&self) -> bool {
        self.error_scale > 0.0 && self.label.is_some()
    }
}

/// The samples of a training.
#[derive(Debug)]
pub struct Samples<G: Playable> {
    boards: Boards<G>,
    source: SampleStorage<G::Position>,
    /// Where the training samples of each part begin, among those of all, and where the last ones
    /// end.
    starts: Vec<usize>,
    validation: Vec<Sample<G::Position>>,
    fingerprint: u64,
    labels: Vec<UsedLabel>,
    held_out: usize,
    duplicate_games: u64,
}

/// The rules of all samples: one, or as many as there are maps.
#[derive(Debug)]
struct Boards<G> {
    games: Vec<G>,
    /// For each shard which of them are its rules; where there is one, nothing.
    of_shards: Vec<usize>,
}

impl<G> Boards<G> {
    fn game(&self, shard: usize) -> &G {
        &self.games[self.of_shards.get(shard).copied().unwrap_or(0)]
    }
}

impl<G: Learnable> Boards<G> {
    fn of(shards: &[PathBuf]) -> Result<Self, Error> {
        let rules = |path: &PathBuf| {
            // Rules differ in what chance permits, and not in what a move does.
            let rules = shard::read_header::<G>(path)?.parse_rules::<G>();
            Ok(rules
                .map_err(Error::with_prefix(path.display()))?
                .training_rules())
        };
        let first = rules(&shards[0])?;
        if first.map().is_none() {
            let (games, of_shards) = (vec![first], Vec::new());
            return Ok(Self { games, of_shards });
        }
        let all = shards.par_iter().map(rules);
        let all = all.collect::<Result<Vec<G>, Error>>()?;
        let (mut games, mut maps) = (Vec::new(), Vec::new());
        let mut of_shards = Vec::new();
        for game in all {
            let map = game.map();
            let known = maps.iter().position(|known| *known == map);
            of_shards.push(known.unwrap_or(maps.len()));
            if known.is_none() {
                maps.push(map);
                games.push(game);
            }
        }
        let games = G::with_shared_view(games);
        Ok(Self { games, of_shards })
    }
}

/// Where training samples come from.
#[derive(Debug)]
enum SampleStorage<P> {
    /// What was looked at is what is read again.
    Shards(Vec<Shard>, SampleOptions),
    /// One part after the other.
    Memory(Held<P>),
}

/// A shard that was read once.
#[derive(Debug)]
struct Shard {
    path: PathBuf,
    checksum: u64,
    /// Which of its games validate.
    validates: Vec<bool>,
}

/// What is known of a part once it was read.
struct Seen {
    size: usize,
    hash: u64,
}

impl Seen {
    fn new<G: Playable>(game: &G, samples: &[Sample<G::Position>]) -> Self {
        let mut bytes = Vec::with_capacity(size_of_val(samples));
        for sample in samples {
            game.encode(&sample.position, &mut bytes);
            bytes.extend_from_slice(&sample.value.to_le_bytes());
            bytes.extend_from_slice(&sample.result.to_le_bytes());
            if sample.weight != 1.0 {
                bytes.extend_from_slice(&sample.weight.to_le_bytes());
            }
        }
        Self {
            size: samples.len(),
            hash: xxh3_64(&bytes),
        }
    }
}

impl<G: Learnable> Samples<G> {
    /// The samples of all shards of some directories in their order, each shard a part. Reads them
    /// once, and keeps what validates.
    ///
    /// # Errors
    /// If a shard cannot be read, the shards are of different games, none has the label that is
    /// wanted, or training or validation would be empty.
    pub fn open<P: AsRef<Path>>(directories: &[P], options: &SampleOptions) -> Result<Self, Error> {
        let mut shards = Vec::new();
        for directory in directories {
            let own = shard::list(directory.as_ref())?;
            if own.is_empty() {
                let place = directory.as_ref().display();
                return Err(Error::with_prefix(&place)(format!(
                    "no game records there; make some with `alea selfplay --out {place}`"
                )));
            }
            shards.extend(own);
        }
        let boards = Boards::<G>::of(&shards)?;
        let game = &boards.games[0];
        let sources = || {
            directories
                .iter()
                .map(|path| path.as_ref().display().to_string())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let most = options.held.min(u32::MAX as usize);
        let read_before = AtomicUsize::new(0);
        let read = |(number, path): (usize, &PathBuf)| {
            let part = split(boards.game(number), path, options, None)?;
            let seen = Seen::new(game, &part.training);
            let before = read_before.fetch_add(seen.size, Ordering::Relaxed);
            let fits = before + seen.size <= most;
            let held = fits.then(|| Held::of(&part.training, options.are_weighed()));
            let training = Vec::new();
            Ok(((seen, held), Part { training, ..part }))
        };
        let parts = shards.par_iter().enumerate().map(read);
        let parts: Vec<_> = parts.collect::<Result<_, Error>>()?;
        let (training, mut parts): (Vec<_>, Vec<Part<_>>) = parts.into_iter().unzip();
        let (seen, held): (Vec<Seen>, Vec<Option<Held<_>>>) = training.into_iter().unzip();
        let first = &parts[0].game;
        let is_other = |part: &Part<_>| game.map().is_none() && part.game != *first;
        if let Some(other) = parts.iter().position(is_other) {
            return Err(mixed_games_error(&shards[other], &parts[other].game, first));
        }
        let held_out = parts.iter().map(|part| part.held_out).sum();
        let prints = parts
            .iter_mut()
            .map(|part| std::mem::take(&mut part.prints));
        let duplicate_games = duplicates(prints.collect::<Vec<_>>().concat());
        let labels = together(parts.iter().flat_map(|part| &part.labels));
        let is_there = |wanted: &&String| labels.iter().any(|known| known.label.name == **wanted);
        if let Some(label) = options.label.as_ref().filter(|wanted| !is_there(wanted)) {
            return Err(Error::with_prefix(sources())(format!(
                "target.label = '{label}', but no shard has a label of that name; there {}",
                names(&labels)
            )));
        }
        let source = if read_before.into_inner() <= most {
            SampleStorage::Memory(Held::together(held.into_iter().flatten().collect()))
        } else {
            let shard = |(path, part): (_, &mut Part<_>)| Shard {
                path,
                checksum: part.checksum,
                validates: std::mem::take(&mut part.validates),
            };
            let shards = shards.into_iter().zip(&mut parts).map(shard);
            SampleStorage::Shards(shards.collect(), options.clone())
        };
        let validation = parts.into_iter().flat_map(|part| part.validation).collect();
        let alike = match duplicate_games {
            0 => String::new(),
            some => {
                format!(" ({some} repeat others up to symmetry, and all of a kind are together)")
            }
        };
        let samples = Self::new(boards, source, &seen, validation).map_err(|part| {
            let (values, hint) = match options.results {
                true => ("", ""),
                false => (
                    " with values",
                    "; target.search_share = 0.0 learns from results alone",
                ),
            };
            Error::with_prefix(sources())(format!(
                "too few games{values}: none is left for {part}{alike}{hint}"
            ))
        })?;
        Ok(Self {
            labels: labels
                .into_iter()
                .filter(|label| label.samples > 0)
                .collect(),
            held_out,
            duplicate_games,
            ..samples
        })
    }
}

impl<G: Playable> Samples<G> {
    /// Samples that are in memory, the training samples in parts of any size.
    ///
    /// # Errors
    /// If there are no training or no validation samples, or a target is no probability.
    pub fn in_memory(
        game: &G,
        training: Vec<Vec<Sample<G::Position>>>,
        validation: Vec<Sample<G::Position>>,
    ) -> Result<Self, Error> {
        check("training", training.iter().flatten())?;
        check("validation", validation.iter())?;
        let seen: Vec<Seen> = training.iter().map(|part| Seen::new(game, part)).collect();
        let boards = Boards {
            games: vec![game.clone()],
            of_shards: Vec::new(),
        };
        let weighed = training.iter().flatten().any(|sample| sample.weight != 1.0);
        let held = |part: &Vec<_>| Held::of(part, weighed);
        let parts = training.iter().map(held).collect();
        let source = SampleStorage::Memory(Held::together(parts));
        Self::new(boards, source, &seen, validation).map_err(missing)
    }

    /// An error is the part that is empty.
    fn new(
        boards: Boards<G>,
        source: SampleStorage<G::Position>,
        seen: &[Seen],
        validation: Vec<Sample<G::Position>>,
    ) -> Result<Self, &'static str> {
        let numbers = seen
            .iter()
            .chain([&Seen::new(&boards.games[0], &validation)])
            .flat_map(|seen| [seen.size as u64, seen.hash])
            .collect::<Vec<_>>();
        let bytes: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
        let mut starts = vec![0];
        starts.extend(seen.iter().scan(0, |end, seen| {
            *end += seen.size;
            Some(*end)
        }));
        let samples = Self {
            boards,
            source,
            starts,
            validation,
            fingerprint: xxh3_64(&bytes),
            labels: Vec::new(),
            held_out: 0,
            duplicate_games: 0,
        };
        match (samples.training(), samples.validation.len()) {
            (0, _) => Err("training"),
            (_, 0) => Err("validation"),
            _ => Ok(samples),
        }
    }

    /// The rules; of several boards those that look at the positions of all.
    #[must_use]
    pub fn game(&self) -> &G {
        &self.boards.games[0]
    }

    /// How many training samples there are.
    #[must_use]
    pub fn training(&self) -> usize {
        self.starts[self.parts()]
    }

    /// The validation samples, in the order of their games.
    #[must_use]
    pub fn validation(&self) -> &[Sample<G::Position>] {
        &self.validation
    }

    /// A number that differs, but for chance, when any sample, its place or its part differs.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The labels that samples have their values from, those from endgame tables among them.
    #[must_use]
    pub fn labels(&self) -> &[UsedLabel] {
        &self.labels
    }

    /// Positions that are no samples because they are kept for judging.
    #[must_use]
    pub fn held_out(&self) -> usize {
        self.held_out
    }

    /// Games that repeat another one before them, or an image of it under the symmetries of the
    /// rules, values and labels apart. All of a kind train, or all validate.
    #[must_use]
    pub fn duplicate_games(&self) -> u64 {
        self.duplicate_games
    }

    /// Whether training samples may count differently.
    #[must_use]
    pub fn are_weighed(&self) -> bool {
        match &self.source {
            SampleStorage::Shards(_, options) => options.are_weighed(),
            SampleStorage::Memory(held) => held.are_weighed(),
        }
    }

    /// How many parts the training samples come in.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.starts.len() - 1
    }

    /// All training samples, if they are in memory.
    pub(crate) fn held(&self) -> Option<&Held<G::Position>> {
        match &self.source {
            SampleStorage::Shards(..) => None,
            SampleStorage::Memory(held) => Some(held),
        }
    }

    /// Where among all training samples those of a part stand.
    pub(crate) fn places(&self, part: usize) -> Range<usize> {
        self.starts[part]..self.starts[part + 1]
    }

    /// The training samples of a part, in the order of their games.
    ///
    /// # Errors
    /// If its shard cannot be read, or has changed.
    pub fn read(&self, part: usize) -> Result<Vec<Sample<G::Position>>, Error> {
        match &self.source {
            SampleStorage::Memory(held) => {
                Ok(self.places(part).map(|place| held.get(place)).collect())
            }
            SampleStorage::Shards(shards, options) => {
                let Shard {
                    path,
                    checksum,
                    validates,
                } = &shards[part];
                let read = split(self.boards.game(part), path, options, Some(validates))?;
                if read.checksum == *checksum {
                    Ok(read.training)
                } else {
                    Err(Error::at_path(
                        path,
                        "it changed during the training; start again, with a new directory for the model",
                    ))
                }
            }
        }
    }
}

/// Nothing to learn from, or to judge by.
pub(crate) fn missing(part: &str) -> Error {
    Error::new(format!(
        "there are no {part} samples; both training and validation samples are needed"
    ))
}

fn check<'a, P: 'a>(set: &str, samples: impl Iterator<Item = &'a Sample<P>>) -> Result<(), Error> {
    for (index, sample) in samples.enumerate() {
        let mut targets = [sample.value, sample.result].into_iter();
        if let Some(target) = targets.find(|target| !(0.0..=1.0).contains(target)) {
            return Err(Error::new(format!(
                "{set} sample {index} (from 0) has the target {target}; targets are win probabilities in 0 to 1"
            )));
        }
    }
    Ok(())
}

/// Labels of several shards, each once.
fn together<'a>(labels: impl Iterator<Item = &'a UsedLabel>) -> Vec<UsedLabel> {
    let mut all: Vec<UsedLabel> = Vec::new();
    for used in labels {
        match all.iter_mut().find(|known| known.label == used.label) {
            Some(known) => known.samples += used.samples,
            None => all.push(used.clone()),
        }
    }
    all
}

/// The names of labels, in words.
fn names(labels: &[UsedLabel]) -> String {
    let mut names: Vec<&str> = labels
        .iter()
        .map(|known| known.label.name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    match names[..] {
        [] => "are no labels; `alea data relabel` makes them".to_owned(),
        [name] => format!("is '{name}'"),
        _ => format!("are '{}'", names.join("', '")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tests::random_samples;
    use engine::games::einstein::{Position, Standard};

    #[test]
    fn the_fingerprint_sees_every_change() {
        let fingerprint = |training: &[Vec<Sample<Position>>], validation: &[Sample<Position>]| {
            Samples::in_memory(&Standard::default(), training.to_vec(), validation.to_vec())
                .unwrap()
                .fingerprint()
        };
        let (training, validation) = (
            vec![random_samples(2, 1), random_samples(1, 3)],
            random_samples(1, 2),
        );
        let expected = fingerprint(&training, &validation);
        assert_eq!(fingerprint(&training, &validation), expected);
        let changes: [fn(&mut Sample<Position>); 3] = [
            |sample| sample.value += 0.001,
            |sample| sample.result = 0.5,
            |sample| sample.weight = 0.5,
        ];
        for change in changes {
            let mut changed = validation.clone();
            change(&mut changed[3]);
            assert_ne!(fingerprint(&training, &changed), expected);
        }
        let mut moved = training.clone();
        let last = moved[0].pop().unwrap();
        moved[1].insert(0, last);
        assert_ne!(fingerprint(&moved, &validation), expected);
    }

    #[test]
    fn impossible_samples_are_refused() {
        let mut training = vec![random_samples(1, 1), random_samples(2, 1)];
        let index = training[0].len() + 7;
        training[1][7].value = 1.5;
        let refuse = |training: &[Vec<Sample<Position>>], validation| {
            Samples::in_memory(&Standard::default(), training.to_vec(), validation)
                .unwrap_err()
                .to_string()
        };
        let text = refuse(&training, random_samples(1, 2));
        assert!(
            text.starts_with(&format!(
                "training sample {index} (from 0) has the target 1.5"
            )),
            "{text}"
        );
        training[1][7].value = 1.0;
        training[1][7].result = f32::NAN;
        assert!(refuse(&training, random_samples(1, 2)).contains("has the target NaN"));
        training[1][7].result = 1.0;
        assert!(refuse(&training, Vec::new()).contains("no validation samples"));
        assert!(refuse(&[], random_samples(1, 2)).contains("no training samples"));
    }
}
