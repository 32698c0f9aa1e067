//! Python callables that are asked what positions are worth.
//!
//! A callable is asked by many threads and answers on one, that of Python: whatever waits is asked
//! together. Invariant: once the callable has failed, or Python was interrupted, nobody waits for it
//! any more.

use crate::Told;
use crate::games::valued;
use crate::models::{Looks, View, shown, view};
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

/// Rows that a callable is to value.
struct Request {
    whom: usize,
    rows: Vec<u16>,
    width: usize,
    answer: Sender<Vec<f32>>,
}

/// The way to a callable.
#[derive(Clone)]
pub(crate) struct Door {
    whom: usize,
    sender: Sender<Request>,
}

/// How long Python is not looked at while nobody asks.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long a question waits for others.
const GATHERED: Duration = Duration::from_micros(200);

/// Does work that may ask callables, until it is told to stop: each takes rows (n, width) and gives
/// n float32 values.
pub(crate) fn serve<T: Send>(
    py: Python<'_>,
    callables: &[Bound<'_, PyAny>],
    most: usize,
    work: impl FnOnce(std::vec::IntoIter<Door>, Arc<AtomicBool>) -> Told<T> + Send,
) -> PyResult<T> {
    let (sender, mut requests) = channel();
    let door = |whom| Door {
        whom,
        sender: sender.clone(),
    };
    let doors: Vec<Door> = (0..callables.len()).map(door).collect();
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            // The door is open as long as there is work.
            let _open = sender;
            work(doors.into_iter(), stopped)
        });
        let served = answer_all(py, callables, &mut requests, most);
        stop.store(true, Ordering::Relaxed);
        drop(requests);
        let done = py.detach(|| worker.join());
        served?;
        Ok(done.unwrap_or_else(|_| Err("a thread of the match panicked".into()))?)
    })
}

fn answer_all(
    py: Python<'_>,
    callables: &[Bound<'_, PyAny>],
    requests: &mut Receiver<Request>,
    most: usize,
) -> PyResult<()> {
    let mut waiting = Vec::new();
    loop {
        py.check_signals()?;
        let (questions, gathered) = (&mut *requests, &mut waiting);
        let first = py.detach(move || {
            let first = questions.recv_timeout(PATIENCE);
            if first.is_ok() {
                let more = || questions.recv_timeout(GATHERED).ok();
                gathered.extend(std::iter::from_fn(more).take(most - 1));
            }
            first
        });
        match first {
            Ok(first) => waiting.push(first),
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        for (whom, callable) in callables.iter().enumerate() {
            let (own, others) = waiting.drain(..).partition(|request| request.whom == whom);
            waiting = others;
            answer(py, callable, own)?;
        }
    }
}

fn answer(py: Python<'_>, callable: &Bound<'_, PyAny>, requests: Vec<Request>) -> PyResult<()> {
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
        // Who hung up does not want to know.
        let _ = request.answer.send(values.by_ref().take(count).collect());
    }
    Ok(())
}

/// Makes the move to the position that a callable thinks best, as `star1(depth=1)` would.
pub(crate) struct Caller<G: Learnable> {
    pub(crate) game: G,
    pub(crate) called: Called<G>,
}

impl<G: Learnable> Player<G> for Caller<G> {
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
        let values = valued(game, &self.called, &after);
        let (mut best, mut value) = (legal[0], f32::NEG_INFINITY);
        for ((&mv, after), found) in legal.iter().zip(&after).zip(values) {
            let own = game.to_move(after) == seat;
            let found = if own { found } else { 1.0 - found };
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

/// A callable as an evaluator.
#[derive(Clone)]
pub(crate) struct Called<G: Learnable> {
    view: View<G>,
    door: Door,
}

impl<G: Learnable> Called<G> {
    /// The next callable, which looks at this.
    pub(crate) fn next(
        game: &G,
        looks: &Looks,
        doors: &mut impl Iterator<Item = Door>,
    ) -> Told<Self> {
        let view = view(game, looks)?;
        let door = doors.next().ok_or("a callable is missing")?;
        Ok(Self { view, door })
    }
}

impl<G: Learnable> Evaluator<G> for Called<G> {
    type Cache = ();

    fn value(&self, game: &G, position: &G::Position, (): &()) -> f32 {
        let mut value = [0.0];
        self.values(game, &[*position], &mut value);
        value[0]
    }

    /// Once the callable has failed nobody looks at the figures: they stay as they are.
    fn values(&self, game: &G, positions: &[G::Position], out: &mut [f32]) {
        if positions.is_empty() {
            return;
        }
        let (rows, width) = shown(game, self.view, positions, None);
        let (answer, answered) = channel();
        let request = Request {
            whom: self.door.whom,
            rows,
            width,
            answer,
        };
        let _ = self.door.sender.send(request);
        let values = answered.recv().unwrap_or_default();
        out.iter_mut()
            .zip(values)
            .for_each(|(out, value)| *out = value);
    }
}
