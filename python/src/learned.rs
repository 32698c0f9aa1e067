//! What learning needs: what models look at, samples of recorded games, and model files.
//!
//! Invariant: rows are those that the trainer feeds its networks, samples those that it learns
//! from. Their order depends on seed, epoch, window and the part of the shards that is asked for.

use crate::rules::{Told, Worded as _, bits_of};
use engine::core::random::{RandomStream, SeedSpace, derive_seed};
use engine::learned::{
    files::{Model, ModelFile},
    inputs::{Learnable, with_view},
    names::NameSet,
    network::{Layer, Network, TrainedWeights},
};
use pyo3::FromPyObject;
use rayon::prelude::*;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
};
use trainer::{
    data::{Source, parquet},
    dataset::{SampleOptions, Samples},
    sample::Sample,
};

/// What a model looks at: the rows of a network with these groups of inputs, or nothing: the symbols
/// of all cells.
pub(crate) type Looks = Option<String>;

/// The same of one game.
pub(crate) type View<G> = Option<NameSet<<G as Learnable>::Group>>;

pub(crate) fn view<G: Learnable>(looks: &Looks) -> Told<View<G>> {
    let groups = looks.as_deref().map(NameSet::from_names);
    groups.transpose().worded()
}

/// What each position shows to its seat to move, so many numbers a position.
pub(crate) fn shown<G: Learnable>(
    game: &G,
    view: View<G>,
    positions: &[G::Position],
) -> (Vec<u16>, usize) {
    let width = match view {
        Some(groups) => game.input_runs(groups).len(),
        None => game
            .cells()
            .iter()
            .map(|group| group.start + group.count)
            .max()
            .unwrap_or(0),
    };
    let mut rows = vec![0; width * positions.len()];
    for (position, row) in positions.iter().zip(rows.chunks_exact_mut(width)) {
        let seat = game.to_move(position);
        match view {
            Some(groups) => game.input_rows(groups, position, seat, row),
            None => with_view(game, position, seat, |symbols| {
                row.iter_mut()
                    .zip(symbols)
                    .for_each(|(row, &symbol)| *row = symbol.into());
            }),
        }
    }
    (rows, width)
}

/// A network as it was trained elsewhere: groups of inputs, bounds of buckets, tensors by the names of
/// docs/formats.md, a row for each input, and its story.
pub(crate) type Trained = (String, Vec<u8>, HashMap<String, Vec<f32>>, String);

/// Writes it in whole numbers.
pub(crate) fn save<G: Learnable>(
    game: &G,
    (inputs, bounds, mut tensors, provenance): Trained,
    path: &Path,
) -> Told<()> {
    let mut take = |name: &str| {
        let tensor = tensors.remove(name);
        tensor.ok_or_else(|| format!("there is no tensor '{name}'"))
    };
    let mut weights = TrainedWeights {
        rows: take("rows")?,
        bias: take("hidden1.bias")?,
        output: take("output.weight")?,
        output_bias: take("output.bias")?,
        ..TrainedWeights::default()
    };
    for number in 2.. {
        let Ok(matrix) = take(&format!("hidden{number}.weight")) else {
            break;
        };
        let bias = take(&format!("hidden{number}.bias"))?;
        weights.hidden.push(Layer {
            weights: matrix,
            bias,
        });
    }
    if let Some(name) = tensors.keys().min() {
        return Err(format!("a network has no tensor '{name}'"));
    }
    let game = game.as_learned();
    let groups = NameSet::from_names(&inputs).worded()?;
    let whole = weights.nearest().worded()?;
    let network = Network::new(&game, groups, &bounds, whole);
    let model = Model::Network(network.worded()?);
    let file = ModelFile { provenance, model };
    file.save(path).worded()
}

/// How samples are gone through.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Order {
    inputs: Looks,
    batch: usize,
    /// `None`: the validation samples, as they are.
    epoch: Option<u64>,
    seed: u64,
    window: usize,
    symmetries: bool,
    /// Which part of the shards, of how many.
    part: [usize; 2],
}

/// What is a sample, see docs/training.md: its label, whether exact ones count alone, the scale of
/// errors; the share that validates and the seed of that.
pub(crate) type Choice = (Option<String>, bool, f32, f64, u64);

/// Some samples, a row each.
pub(crate) struct Batch {
    /// In 64 bits, of games that have such a form.
    pub(crate) packed: Vec<u64>,
    pub(crate) rows: Vec<u16>,
    pub(crate) remaining: Vec<u16>,
    /// Values, results and weights.
    pub(crate) floats: [Vec<f32>; 3],
}

/// Samples of some game.
pub(crate) trait Learned: Send + Sync {
    /// How many train, how many validate, and how many are held out.
    fn counts(&self) -> [usize; 3];
    /// Goes through them on a thread of its own, which ends when nobody takes batches any more.
    fn batches(&self, order: Order) -> Told<Receiver<Told<Batch>>>;
}

struct Set<G: Learnable>(Arc<Samples<G>>);

/// Opens all shards of some directories.
pub(crate) fn open<G: Learnable>(
    game: &G,
    directories: &[PathBuf],
    (label, exact, error_scale, validation_share, seed): Choice,
) -> Told<Box<dyn Learned>> {
    let options = SampleOptions {
        label,
        exact,
        error_scale,
        continuations: false,
        validation_share,
        seed,
    };
    let open = || Samples::<G>::open(directories, &options);
    let samples = crate::pool()?.install(open).worded()?;
    let (found, wanted) = (samples.game().model_game(), game.as_learned().model_game());
    if found != wanted {
        return Err(format!("these are games of {found}, not of {wanted}"));
    }
    Ok(Box::new(Set(Arc::new(samples))))
}

impl<G: Learnable> Learned for Set<G> {
    fn counts(&self) -> [usize; 3] {
        let samples = &self.0;
        [
            samples.training(),
            samples.validation().len(),
            samples.held_out(),
        ]
    }

    fn batches(&self, order: Order) -> Told<Receiver<Told<Batch>>> {
        /// Batches that may wait.
        const AHEAD: usize = 4;
        let [part, parts] = order.part;
        if order.batch == 0 || order.window == 0 || part >= parts {
            return Err(
                "'batch' and 'window' are at least 1, a part is below the number of parts"
                    .to_owned(),
            );
        }
        let (sender, receiver) = sync_channel(AHEAD);
        let (samples, looked) = (Arc::clone(&self.0), view::<G>(&order.inputs)?);
        std::thread::spawn(move || {
            let mut going = Going {
                samples: &samples,
                view: looked,
                random: RandomStream::new(derive_seed(
                    order.seed,
                    SeedSpace::Training,
                    &[4, order.epoch.unwrap_or(0), order.part[0] as u64],
                )),
                order: &order,
                sender: &sender,
                open: Vec::new(),
            };
            if let Err(Some(problem)) = going.through() {
                let _ = sender.send(Err(problem));
            }
        });
        Ok(receiver)
    }
}

/// A way through samples.
struct Going<'a, G: Learnable> {
    samples: &'a Samples<G>,
    view: View<G>,
    order: &'a Order,
    random: RandomStream,
    sender: &'a SyncSender<Told<Batch>>,
    open: Vec<Sample<G::Position>>,
}

/// What is wrong, or nothing: nobody wants more.
type Ended = Result<(), Option<String>>;

impl<G: Learnable> Going<'_, G> {
    fn through(&mut self) -> Ended {
        let (samples, order) = (self.samples, self.order);
        let Some(epoch) = order.epoch else {
            let validation = samples.validation().iter();
            for sample in validation {
                self.push(*sample)?;
            }
            return self.send();
        };
        // All parts go through the shards in one order, each taking its own.
        let seed = derive_seed(order.seed, SeedSpace::Training, &[5, epoch]);
        let mut shards: Vec<usize> = (0..samples.parts()).collect();
        RandomStream::new(seed).shuffle(&mut shards);
        let [part, parts] = order.part;
        let shards: Vec<usize> = shards.into_iter().skip(part).step_by(parts).collect();
        let pool = crate::pool()?;
        let mut window = Vec::new();
        for shards in shards.chunks(pool.current_num_threads()) {
            let read = || {
                shards
                    .par_iter()
                    .map(|&shard| samples.read(shard))
                    .collect()
            };
            let read: Result<Vec<Vec<_>>, _> = pool.install(read);
            for sample in read.worded()?.into_iter().flatten() {
                if window.len() < order.window {
                    window.push(sample);
                } else {
                    let place = self.random.below(window.len());
                    self.push(std::mem::replace(&mut window[place], sample))?;
                }
            }
        }
        while !window.is_empty() {
            let place = self.random.below(window.len());
            self.push(window.swap_remove(place))?;
        }
        self.send()
    }

    fn push(&mut self, sample: Sample<G::Position>) -> Ended {
        self.open.push(sample);
        if self.open.len() < self.order.batch {
            return Ok(());
        }
        self.send()
    }

    /// Sends what there is, in its symmetries.
    fn send(&mut self) -> Ended {
        /// Samples whose rows a thread finds at a time.
        const TASK: usize = 512;
        let (samples, game) = (std::mem::take(&mut self.open), self.samples.game());
        if samples.is_empty() {
            return Ok(());
        }
        let turns = self.order.symmetries && self.order.epoch.is_some();
        let symmetries = game.symmetries();
        let mut turned = |sample: &Sample<G::Position>| match turns && symmetries > 1 {
            true => game.image(&sample.position, self.random.below(symmetries)),
            false => sample.position,
        };
        let positions: Vec<G::Position> = samples.iter().map(&mut turned).collect();
        let view = self.view;
        let rows = crate::pool()?.install(|| {
            let tasks = positions.par_chunks(TASK);
            tasks
                .map(|some| shown(game, view, some).0)
                .collect::<Vec<_>>()
        });
        let floats = |part: fn(&Sample<G::Position>) -> f32| samples.iter().map(part).collect();
        let left = positions
            .iter()
            .map(|position| game.remaining(position) as u16);
        let batch = Batch {
            packed: positions.iter().filter_map(bits_of).collect(),
            rows: rows.concat(),
            remaining: left.collect(),
            floats: [
                floats(|sample| sample.value),
                floats(|sample| sample.result),
                floats(|sample| sample.weight),
            ],
        };
        self.sender.send(Ok(batch)).map_err(|_| None)
    }
}

/// Writes records as a Parquet file, or makes records of one; returns how many games.
pub(crate) fn convert<G: Learnable>(_: &G, from: &[PathBuf], to: &Path, back: bool) -> Told<u64> {
    let convert = || match from {
        [file] if back => Ok(parquet::import::<G>(file, to)?.games),
        _ => parquet::export(&Source::<G>::open(from)?, to),
    };
    let converted: Result<u64, trainer::Error> = crate::pool()?.install(convert);
    converted.worded()
}
