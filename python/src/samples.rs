//! Samples of recorded games, and records as Parquet.
//!
//! Invariant: samples are those that the trainer learns from. Their order depends on seed, epoch,
//! window and the part of the shards that is asked for.

use crate::games::{Game, any, each};
use crate::models::{Looks, View, shown, view};
use crate::positions::bits_of;
use crate::{Told, pool};
use engine::learned::inputs::Learnable;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, sync_channel},
    },
};
use trainer::{
    data::{BadGames, ShardReader, parquet},
    dataset::{SampleOptions, Samples as Read},
    loader::{DataLoader, Shuffle},
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
    epoch: Option<usize>,
    seed: u64,
    window: usize,
    symmetries: bool,
    /// Which part of the shards, of how many.
    part: [usize; 2],
}

/// What is a sample, see docs/train.md: its label, whether exact ones count alone, the scale of
/// errors, whether results alone are learned; the share that validates and the seed of that.
type Choice = (Option<String>, bool, f32, bool, f64, u64);

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
    (label, exact, error_scale, results, validation_fraction, seed): Choice,
) -> Told<Set<G>> {
    let options = SampleOptions {
        label,
        exact,
        error_scale,
        results_only: results,
        validation_fraction,
        seed,
        in_memory_limit: 0,
    };
    let open = || Read::<G>::open(directories, &options);
    let samples = pool()?.install(open)?;
    let (found, wanted) = (samples.game().model_name(), game.training_rules().model_name());
    if found != wanted {
        return Err(format!("these are games of {found}, not of {wanted}").into());
    }
    Ok(Arc::new(samples))
}

/// Goes through samples on a thread of its own, which ends when nobody takes batches any more.
fn batches<G: Learnable>(samples: &Set<G>, order: Order) -> Told<Receiver<Told<Batch>>> {
    /// Batches that may wait.
    const AHEAD: usize = 2;
    let [part, parts] = order.part;
    if order.batch == 0 || order.window == 0 || part >= parts {
        return Err(
            "'batch' and 'window' are at least 1, a part is below the number of parts".into(),
        );
    }
    let (sender, receiver) = sync_channel(AHEAD);
    let (samples, pool) = (Arc::clone(samples), pool()?);
    let view = view(samples.game(), &order.inputs)?;
    std::thread::spawn(move || {
        let loader = match order.epoch {
            Some(epoch) => {
                let shuffle = Shuffle {
                    seed: order.seed,
                    epoch,
                    buffer: order.window,
                    symmetries: order.symmetries,
                };
                DataLoader::training(&samples, order.batch, shuffle, 0).with_slice(order.part, &pool)
            }
            None => DataLoader::validation(&samples, order.batch),
        };
        let prepare = |some: &[Sample<_>]| pool.install(|| batch(samples.game(), view, some));
        let through = loader.for_each_batch(prepare, |_, batch| {
            let sent = sender.send(Ok(batch));
            sent.map_err(|_| trainer::Error::Other("nobody takes batches any more".to_owned()))
        });
        if let Err(problem) = through {
            let _ = sender.send(Err(problem.into()));
        }
    });
    Ok(receiver)
}

/// What samples are to a model, found by all threads.
fn batch<G: Learnable>(game: &G, view: View<G>, samples: &[Sample<G::Position>]) -> Batch {
    /// Samples whose rows a thread finds at a time.
    const TASK: usize = 512;
    let positions: Vec<G::Position> = samples.iter().map(|sample| sample.position).collect();
    let tasks = positions.par_chunks(TASK);
    let rows: Vec<_> = tasks.map(|some| shown(game, view, some, None).0).collect();
    let left = |position| game.remaining(position) as u16;
    let floats = |part: fn(&Sample<G::Position>) -> f32| samples.iter().map(part).collect();
    Batch {
        packed: positions.iter().filter_map(bits_of).collect(),
        rows: rows.concat(),
        remaining: positions.iter().map(left).collect(),
        floats: [
            floats(|sample| sample.value),
            floats(|sample| sample.result),
            floats(|sample| sample.weight),
        ],
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
) -> Told<u64> {
    fn convert<G: Learnable>(rules: &G, from: &[PathBuf], to: &Path, back: bool) -> Told<u64> {
        pool()?.install(|| match from {
            [file] if back => Ok(parquet::import(file, to, Some(rules), BadGames::Refuse)?.games),
            _ => Ok(parquet::export(&ShardReader::<G>::open(from)?, to)?),
        })
    }
    py.detach(|| each!(&game.0, rules => convert(&*rules.game, &from, &to, back)))
}

#[pymethods]
impl Samples {
    #[new]
    fn new(py: Python<'_>, game: &Game, directories: Vec<PathBuf>, choice: Choice) -> Told<Self> {
        py.detach(|| {
            let set = each!(&game.0, rules => in open(&*rules.game, &directories, choice)?);
            Ok(Self(set))
        })
    }

    /// How many train, how many validate, how many positions are held out, and how many games are
    /// duplicates up to symmetry.
    #[getter]
    fn counts(&self) -> [usize; 4] {
        each!(&self.0, samples => {
            let duplicates = samples.duplicate_games() as usize;
            [samples.training(), samples.validation().len(), samples.held_out(), duplicates]
        })
    }

    /// Goes through the samples once; without an epoch through those that validate.
    fn batches(&self, order: Order) -> Told<Batches> {
        let batches = each!(&self.0, samples => batches(samples, order))?;
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
        let batch = batch?;
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
