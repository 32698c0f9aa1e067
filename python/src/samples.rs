//! The trainer's samples of recorded games, and conversion of records to Parquet.

use crate::game_dispatch::{Game, any_game, dispatch};
use crate::models::{FeatureSet, FeatureSpec, feature_rows, parse_features};
use crate::positions::packed_bits;
use crate::{PyRes, pool};
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
    dataset::{SampleOptions, Samples as TrainerSamples},
    loader::{DataLoader, Shuffle},
    sample::Sample,
};

/// Samples of recorded games.
#[pyclass(frozen, module = "alea")]
pub(crate) struct Samples(any_game!(SharedSamples));

type SharedSamples<G> = Arc<TrainerSamples<G>>;

/// An iterator over batches of samples.
#[pyclass(frozen, module = "alea")]
pub(crate) struct Batches(Mutex<Receiver<PyRes<Batch>>>);

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct BatchOrder {
    inputs: FeatureSpec,
    batch: usize,
    /// Epoch that determines the order; `None` for the validation samples, unshuffled.
    epoch: Option<usize>,
    seed: u64,
    window: usize,
    symmetries: bool,
    /// Slice of the shards, and number of slices.
    part: [usize; 2],
}

/// Options of samples (docs/train.md): label, exact labels as whole target, standard error that
/// halves a weight, results as only target, validation fraction, seed.
type Choice = (Option<String>, bool, f32, bool, f64, u64);

struct Batch {
    /// Packed positions; empty in games without a packed form.
    packed: Vec<u64>,
    rows: Vec<u16>,
    remaining: Vec<u16>,
    /// Values, results and weights.
    floats: [Vec<f32>; 3],
}

fn open<G: Learnable>(
    game: &G,
    directories: &[PathBuf],
    (label, exact, error_scale, results, validation_fraction, seed): Choice,
) -> PyRes<SharedSamples<G>> {
    let options = SampleOptions {
        label,
        exact,
        error_scale,
        results_only: results,
        validation_fraction,
        seed,
        in_memory_limit: 0,
    };
    let open = || TrainerSamples::<G>::open(directories, &options);
    let samples = pool()?.install(open)?;
    let (actual, expected) = (
        samples.game().model_game_name(),
        game.training_rules().model_game_name(),
    );
    if actual != expected {
        return Err(format!("these are games of {actual}, not of {expected}").into());
    }
    Ok(Arc::new(samples))
}

/// Loads on a thread of its own, which ends when the receiver is dropped.
fn load_batches<G: Learnable>(
    samples: &SharedSamples<G>,
    order: BatchOrder,
) -> PyRes<Receiver<PyRes<Batch>>> {
    const MAX_WAITING: usize = 2;
    let [part, parts] = order.part;
    if order.batch == 0 || order.window == 0 || part >= parts {
        return Err(
            "'batch' and 'window' are at least 1, a part is below the number of parts".into(),
        );
    }
    let (sender, receiver) = sync_channel(MAX_WAITING);
    let (samples, pool) = (Arc::clone(samples), pool()?);
    let feature_set = parse_features(samples.game(), &order.inputs)?;
    std::thread::spawn(move || {
        let loader = match order.epoch {
            Some(epoch) => {
                let shuffle = Shuffle {
                    seed: order.seed,
                    epoch,
                    buffer: order.window,
                    symmetries: order.symmetries,
                };
                DataLoader::training(&samples, order.batch, shuffle, 0)
                    .with_slice(order.part, &pool)
            }
            None => DataLoader::validation(&samples, order.batch),
        };
        let prepare =
            |chunk: &[Sample<_>]| pool.install(|| make_batch(samples.game(), feature_set, chunk));
        let outcome = loader.for_each_batch(prepare, |_, batch| {
            let sent = sender.send(Ok(batch));
            sent.map_err(|_| trainer::Error::Other("the receiver of batches is gone".to_owned()))
        });
        if let Err(problem) = outcome {
            let _ = sender.send(Err(problem.into()));
        }
    });
    Ok(receiver)
}

fn make_batch<G: Learnable>(
    game: &G,
    feature_set: FeatureSet<G>,
    samples: &[Sample<G::Position>],
) -> Batch {
    const POSITIONS_PER_TASK: usize = 512;
    let positions: Vec<G::Position> = samples.iter().map(|sample| sample.position).collect();
    let tasks = positions.par_chunks(POSITIONS_PER_TASK);
    let rows: Vec<_> = tasks
        .map(|chunk| feature_rows(game, feature_set, chunk, None).0)
        .collect();
    let remaining = |position| game.remaining_length(position) as u16;
    let floats = |part: fn(&Sample<G::Position>) -> f32| samples.iter().map(part).collect();
    Batch {
        packed: positions.iter().filter_map(packed_bits).collect(),
        rows: rows.concat(),
        remaining: positions.iter().map(remaining).collect(),
        floats: [
            floats(|sample| sample.value),
            floats(|sample| sample.result),
            floats(|sample| sample.weight),
        ],
    }
}

/// Converts records to a Parquet file, or `back`; returns the number of games.
#[pyfunction]
pub(crate) fn convert(
    py: Python<'_>,
    game: &Game,
    from: Vec<PathBuf>,
    to: PathBuf,
    back: bool,
) -> PyRes<u64> {
    fn convert<G: Learnable>(rules: &G, from: &[PathBuf], to: &Path, back: bool) -> PyRes<u64> {
        pool()?.install(|| match from {
            [file] if back => Ok(parquet::import(file, to, Some(rules), BadGames::Refuse)?.games),
            _ => Ok(parquet::export(&ShardReader::<G>::open(from)?, to)?),
        })
    }
    py.detach(|| dispatch!(&game.0, rules => convert(&*rules.game, &from, &to, back)))
}

#[pymethods]
impl Samples {
    #[new]
    fn new(py: Python<'_>, game: &Game, directories: Vec<PathBuf>, choice: Choice) -> PyRes<Self> {
        py.detach(|| {
            let set = dispatch!(&game.0, rules => in open(&*rules.game, &directories, choice)?);
            Ok(Self(set))
        })
    }

    /// The numbers of training samples, validation samples and positions that are held out, and of games
    /// that are duplicates up to symmetry.
    #[getter]
    fn counts(&self) -> [usize; 4] {
        dispatch!(&self.0, samples => {
            let duplicates = samples.duplicate_games() as usize;
            [samples.num_training(), samples.validation().len(), samples.num_held_out(), duplicates]
        })
    }

    /// One pass over the samples; without an epoch over those for validation.
    fn batches(&self, order: BatchOrder) -> PyRes<Batches> {
        let batches = dispatch!(&self.0, samples => load_batches(samples, order))?;
        Ok(Batches(Mutex::new(batches)))
    }
}

/// Packed positions, rows and remaining material; values, results and weights.
type BatchArrays<'py> = (
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray2<u16>>,
    Bound<'py, PyArray1<u16>>,
    [Bound<'py, PyArray1<f32>>; 3],
);

#[pymethods]
impl Batches {
    /// The next batch, if there is one.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<BatchArrays<'py>>> {
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
