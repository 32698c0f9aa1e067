//! Python callables that are asked what positions are worth.
//!
//! A callable is asked by many threads and answers on one, that of Python: whatever waits is asked
//! together. Invariant: once the callable has failed, or Python was interrupted, nobody waits for it
//! any more.

use crate::models::{View, shown};
use crate::{Told, wrong};
use engine::core::evaluator::Evaluator;
use engine::games::einstein::{Position, Standard};
use engine::learned::inputs::Learnable;
use engine::play::player::{Analysis, Decision, Failure, Player};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use std::{
    sync::{
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

impl Door {
    /// What the callable says of positions; `None` if it says nothing any more.
    fn ask<G: Learnable>(
        &self,
        game: &G,
        view: View<G>,
        positions: &[G::Position],
    ) -> Option<Vec<f32>> {
        let (rows, width) = shown(game, view, positions);
        let (answer, answered) = channel();
        let request = Request {
            whom: self.whom,
            rows,
            width,
            answer,
        };
        self.sender.send(request).ok()?;
        answered.recv().ok()
    }
}

/// How long Python is not looked at while nobody asks.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long a question waits for others.
const GATHERED: Duration = Duration::from_micros(200);

/// Does work that may ask callables: each takes rows (n, width) and gives n float32 values.
pub(crate) fn serve<T: Send>(
    py: Python<'_>,
    callables: &[Bound<'_, PyAny>],
    stop: &AtomicBool,
    most: usize,
    work: impl FnOnce(Vec<Door>) -> Told<T> + Send,
) -> PyResult<T> {
    let (sender, mut requests) = channel();
    let door = |whom| Door {
        whom,
        sender: sender.clone(),
    };
    let doors = (0..callables.len()).map(door).collect();
    std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            // The door is open as long as there is work.
            let _open = sender;
            work(doors)
        });
        let served = answer_all(py, callables, &mut requests, most);
        stop.store(true, Ordering::Relaxed);
        drop(requests);
        let done = py.detach(|| worker.join());
        served?;
        let done = done.unwrap_or_else(|_| Err("a thread of the match panicked".to_owned()));
        done.map_err(wrong)
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
    pub(crate) view: View<G>,
    pub(crate) door: Door,
    pub(crate) is_lost: bool,
}

impl<G: Learnable> Caller<G> {
    /// What each move is worth to who makes it; nothing if the callable is gone.
    fn rated(&mut self, position: &G::Position, legal: &[G::Move]) -> Option<Vec<f32>> {
        let (game, seat) = (&self.game, self.game.to_move(position));
        let after: Vec<G::Position> = legal.iter().map(|&mv| game.play(position, mv)).collect();
        let open = after.iter().filter(|after| game.payoffs(after).is_none());
        let open: Vec<G::Position> = open.copied().collect();
        let mut found = match open[..] {
            [] => Vec::new(),
            _ => self.door.ask(game, self.view, &open)?,
        }
        .into_iter();
        let value = |after: &G::Position| {
            game.payoff(after, seat).or_else(|| {
                let value = found.next()?;
                Some(if game.to_move(after) == seat {
                    value
                } else {
                    1.0 - value
                })
            })
        };
        after.iter().map(value).collect()
    }
}

impl<G: Learnable> Player<G> for Caller<G> {
    engine::player_never!(G: ponders, hears, counts, values);

    fn new_game(&mut self, _: u64) {}

    fn decide(&mut self, position: &G::Position, legal: &[G::Move]) -> Decision<G::Move> {
        if let [only] = legal[..] {
            return Decision::unrated(only);
        }
        let Some(rated) = self.rated(position, legal) else {
            self.is_lost = true;
            return Decision::unrated(legal[0]);
        };
        let (mut best, mut place) = (f32::NEG_INFINITY, 0);
        for (number, value) in rated.into_iter().enumerate() {
            if value > best {
                (best, place) = (value, number);
            }
        }
        Decision {
            value: Some(best),
            ..Decision::unrated(legal[place])
        }
    }

    fn failure(&mut self) -> Option<Failure> {
        let lost = self.is_lost;
        lost.then(|| Failure::OfSystem("the callable answers no more".to_owned()))
    }

    fn analyse(&mut self, position: &G::Position, legal: Option<&[G::Move]>) -> Analysis<G::Move> {
        Analysis::unrated(&self.game, position, legal)
    }
}

/// A callable as an evaluator of EinStein.
pub(crate) struct Called {
    pub(crate) view: View<Standard>,
    pub(crate) door: Door,
}

impl Evaluator<Standard> for Called {
    type Cache = ();

    fn value(&self, game: &Standard, position: &Position, (): &()) -> f32 {
        let mut value = [0.0];
        self.values(game, &[*position], &mut value);
        value[0]
    }

    fn values(&self, game: &Standard, positions: &[Position], out: &mut [f32]) {
        // Once it has failed nobody looks at the figures.
        let values = self
            .door
            .ask(game, self.view, positions)
            .unwrap_or_default();
        out.iter_mut()
            .zip(values)
            .for_each(|(out, value)| *out = value);
    }
}
