//! Samples of recorded games, and records as Parquet.
//!
//! Invariant: samples are those that the trainer learns from. Their order depends on seed, epoch,
//! window and the part of the shards that is asked for.

use crate::games::{Game, any, each};
use crate::models::{Looks, View, shown, view};
use crate::positions::bits_of;
use crate::{Told, Worded as _, pool, told};
use engine::core::random::{RandomStream, SeedSpace, derive_seed};
use engine::learned::inputs::Learnable;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
};
use trainer::{
    data::{Source, parquet},
    dataset::{SampleOptions, Samples as Read},
    sample::Sample,
};

/// Samples of recorded games.
#[pyclass(frozen, module = "alea")]
pub(crate) struct Samples(any!(Set));

type Set<G> = Arc<Read<G>>;

/// Samples on their way, batch by batch.
#[pyclass(frozen, module = "alea")]
pub(crate) struct Batches(Mutex<Receiver<Told<Batch>>>);

/// How samples are gone through.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Order {
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
type Choice = (Option<String>, bool, f32, f64, u64);

/// Some samples, a row each.
struct Batch {
    /// In 64 bits, of games that have such a form.
    packed: Vec<u64>,
    rows: Vec<u16>,
    remaining: Vec<u16>,
    /// Values, results and weights.
    floats: [Vec<f32>; 3],
}

/// Opens all shards of some directories.
fn open<G: Learnable>(
    game: &G,
    directories: &[PathBuf],
    (label, exact, error_scale, validation_share, seed): Choice,
) -> Told<Set<G>> {
    let options = SampleOptions {
        label,
        exact,
        error_scale,
        continuations: false,
        validation_share,
        seed,
    };
    let open = || Read::<G>::open(directories, &options);
    let samples = pool()?.install(open).worded()?;
    let (found, wanted) = (samples.game().model_game(), game.as_learned().model_game());
    if found != wanted {
        return Err(format!("these are games of {found}, not of {wanted}"));
    }
    Ok(Arc::new(samples))
}

/// Goes through samples on a thread of its own, which ends when nobody takes batches any more.
fn batches<G: Learnable>(samples: &Set<G>, order: Order) -> Told<Receiver<Told<Batch>>> {
    /// Batches that may wait.
    const AHEAD: usize = 4;
    let [part, parts] = order.part;
    if order.batch == 0 || order.window == 0 || part >= parts {
        return Err(
            "'batch' and 'window' are at least 1, a part is below the number of parts".to_owned(),
        );
    }
    let (sender, receiver) = sync_channel(AHEAD);
    let samples = Arc::clone(samples);
    let looked = view(samples.game(), &order.inputs)?;
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

/// A way through samples.
struct Going<'a, G: Learnable> {
    samples: &'a Read<G>,
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
        let pool = pool()?;
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
        let rows = pool()?.install(|| {
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

/// Records as a Parquet file, or `back`; returns how many games.
#[pyfunction]
pub(crate) fn convert(
    py: Python<'_>,
    game: &Game,
    from: Vec<PathBuf>,
    to: PathBuf,
    back: bool,
) -> PyResult<u64> {
    fn convert<G: Learnable>(_: &G, from: &[PathBuf], to: &Path, back: bool) -> Told<u64> {
        let convert = || match from {
            [file] if back => Ok(parquet::import::<G>(file, to)?.games),
            _ => parquet::export(&Source::<G>::open(from)?, to),
        };
        let converted: Result<u64, trainer::Error> = pool()?.install(convert);
        converted.worded()
    }
    told(py.detach(|| each!(&game.0, rules => convert(&*rules.game, &from, &to, back))))
}

#[pymethods]
impl Samples {
    #[new]
    fn new(
        py: Python<'_>,
        game: &Game,
        directories: Vec<PathBuf>,
        choice: Choice,
    ) -> PyResult<Self> {
        let opened = py.detach(|| {
            Ok::<_, String>(each!(&game.0, rules => in open(&*rules.game, &directories, choice)?))
        });
        told(opened).map(Self)
    }

    /// How many train, how many validate, and how many positions are held out.
    #[getter]
    fn counts(&self) -> [usize; 3] {
        each!(&self.0, samples => {
            [samples.training(), samples.validation().len(), samples.held_out()]
        })
    }

    /// Goes through the samples once; without an epoch through those that validate.
    fn batches(&self, order: Order) -> PyResult<Batches> {
        let batches = told(each!(&self.0, samples => batches(samples, order)))?;
        Ok(Batches(Mutex::new(batches)))
    }
}

/// Packed positions, rows, what remains; values, results and weights.
type Arrays<'py> = (
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray2<u16>>,
    Bound<'py, PyArray1<u16>>,
    [Bound<'py, PyArray1<f32>>; 3],
);

#[pymethods]
impl Batches {
    /// The next ones, if there are any.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<Arrays<'py>>> {
        let next = py.detach(|| {
            let batches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            batches.recv().ok()
        });
        let Some(batch) = next else { return Ok(None) };
        let batch = told(batch)?;
        let count = batch.remaining.len();
        let shape = [count, batch.rows.len() / count];
        Ok(Some((
            PyArray1::from_vec(py, batch.packed),
            PyArray1::from_vec(py, batch.rows).reshape(shape)?,
            PyArray1::from_vec(py, batch.remaining),
            batch.floats.map(|floats| PyArray1::from_vec(py, floats)),
        )))
    }
}
