//! Python callables as evaluators and players: many threads send requests, which Python's thread
//! answers in batches.
//!
//! Once a callable has failed, or Python was interrupted, no thread waits for a reply.

use crate::PyRes;
use crate::game_dispatch::evaluate_positions;
use crate::models::{FeatureSet, FeatureSpec, feature_rows, parse_features};
use engine::core::evaluator::Evaluator;
use engine::learned::inputs::Learnable;
use engine::play::player::{Analysis, Decision, Failure, Player};
use engine::search::limits::Limits;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    time::Duration,
};

struct Request {
    callable: usize,
    rows: Vec<u16>,
    width: usize,
    reply: Sender<Vec<f32>>,
}

/// Sends positions to the Python thread.
#[derive(Clone)]
pub(crate) struct CallableBridge {
    callable: usize,
    sender: Sender<Request>,
}

/// Time between checks for Python's signals while there are no requests.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);
/// Time to wait for further requests before a batch is evaluated.
const BATCH_WAIT: Duration = Duration::from_micros(200);

/// Runs `work` on another thread, and on this one the callables, which map rows (n, width) to n
/// float32 values.
pub(crate) fn serve<T: Send>(
    py: Python<'_>,
    callables: &[Bound<'_, PyAny>],
    max_requests: usize,
    work: impl FnOnce(std::vec::IntoIter<CallableBridge>, Arc<AtomicBool>) -> PyRes<T> + Send,
) -> PyResult<T> {
    let (sender, mut requests) = channel();
    let bridge = |callable| CallableBridge {
        callable,
        sender: sender.clone(),
    };
    let bridges: Vec<CallableBridge> = (0..callables.len()).map(bridge).collect();
    let stop = Arc::new(AtomicBool::new(false));
    let worker_stop = Arc::clone(&stop);
    std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            // Keeps the channel open while `work` runs.
            let _open = sender;
            work(bridges.into_iter(), worker_stop)
        });
        let served = serve_requests(py, callables, &mut requests, max_requests);
        stop.store(true, Ordering::Relaxed);
        drop(requests);
        let done = py.detach(|| worker.join());
        served?;
        Ok(done.unwrap_or_else(|_| Err("a thread of the match panicked".into()))?)
    })
}

fn serve_requests(
    py: Python<'_>,
    callables: &[Bound<'_, PyAny>],
    requests: &mut Receiver<Request>,
    max_requests: usize,
) -> PyResult<()> {
    let mut waiting = Vec::new();
    loop {
        py.check_signals()?;
        let (questions, batch) = (&mut *requests, &mut waiting);
        let first = py.detach(move || {
            let first = questions.recv_timeout(SIGNAL_INTERVAL);
            if first.is_ok() {
                let more = || questions.recv_timeout(BATCH_WAIT).ok();
                batch.extend(std::iter::from_fn(more).take(max_requests - 1));
            }
            first
        });
        match first {
            Ok(first) => waiting.push(first),
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        for (index, callable) in callables.iter().enumerate() {
            let (own_requests, others) = waiting
                .drain(..)
                .partition(|request| request.callable == index);
            waiting = others;
            evaluate_requests(py, callable, own_requests)?;
        }
    }
}

fn evaluate_requests(
    py: Python<'_>,
    callable: &Bound<'_, PyAny>,
    requests: Vec<Request>,
) -> PyResult<()> {
    let Some(first) = requests.first() else {
        return Ok(());
    };
    let width = first.width;
    let rows: Vec<u16> = requests
        .iter()
        .flat_map(|request| &request.rows)
        .copied()
        .collect();
    let count = rows.len() / width;
    let rows = PyArray1::from_vec(py, rows).reshape([count, width])?;
    let values = callable.call1((rows,))?;
    let values: PyReadonlyArray1<'_, f32> = values.extract()?;
    let values = values.as_slice()?;
    let mut values = values.iter().copied();
    for request in requests {
        let count = request.rows.len() / width;
        // The sender may have ended.
        let _ = request.reply.send(values.by_ref().take(count).collect());
    }
    Ok(())
}

/// Plays the move to the best position, as `star1(depth=1)` does.
pub(crate) struct CallablePlayer<G: Learnable> {
    pub(crate) game: G,
    pub(crate) evaluator: CallableEvaluator<G>,
}

impl<G: Learnable> Player<G> for CallablePlayer<G> {
    fn new_game(&mut self, _: u64) {}

    fn decide(
        &mut self,
        position: &G::Position,
        legal: &[G::Move],
        _limits: &Limits,
    ) -> Result<Decision<G::Move>, Failure> {
        if let [only] = legal[..] {
            return Ok(Decision::without_values(only));
        }
        let (game, seat) = (&self.game, self.game.to_move(position));
        let after: Vec<G::Position> = legal.iter().map(|&mv| game.play(position, mv)).collect();
        let values = evaluate_positions(game, &self.evaluator, &after);
        let (mut best, mut value) = (legal[0], f32::NEG_INFINITY);
        for ((&mv, after), found) in legal.iter().zip(&after).zip(values) {
            let is_same_seat = game.to_move(after) == seat;
            let found = if is_same_seat { found } else { 1.0 - found };
            if found > value {
                (best, value) = (mv, found);
            }
        }
        Ok(Decision {
            value: Some(value),
            ..Decision::without_values(best)
        })
    }

    fn analyse(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        _limits: &Limits,
    ) -> Result<Analysis<G::Move>, Failure> {
        Ok(Analysis::without_values(&self.game, position, legal))
    }
}

#[derive(Clone)]
pub(crate) struct CallableEvaluator<G: Learnable> {
    feature_set: FeatureSet<G>,
    bridge: CallableBridge,
}

impl<G: Learnable> CallableEvaluator<G> {
    pub(crate) fn taking_bridge(
        game: &G,
        features: &FeatureSpec,
        bridges: &mut impl Iterator<Item = CallableBridge>,
    ) -> PyRes<Self> {
        let feature_set = parse_features(game, features)?;
        let bridge = bridges.next().ok_or("a callable is missing")?;
        Ok(Self {
            feature_set,
            bridge,
        })
    }
}

impl<G: Learnable> Evaluator<G> for CallableEvaluator<G> {
    type Cache = ();

    fn value(&self, game: &G, position: &G::Position, (): &()) -> f32 {
        let mut value = [0.0];
        self.values(game, &[*position], &mut value);
        value[0]
    }

    /// Writes the callable's values; after a failure `out` stays unchanged, and the search ends
    /// without using it.
    fn values(&self, game: &G, positions: &[G::Position], out: &mut [f32]) {
        if positions.is_empty() {
            return;
        }
        let (rows, width) = feature_rows(game, self.feature_set, positions, None);
        let (reply, response) = channel();
        let request = Request {
            callable: self.bridge.callable,
            rows,
            width,
            reply,
        };
        let _ = self.bridge.sender.send(request);
        let values = response.recv().unwrap_or_default();
        out.iter_mut()
            .zip(values)
            .for_each(|(out, value)| *out = value);
    }
}
