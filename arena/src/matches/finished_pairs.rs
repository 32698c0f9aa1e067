//! Finished pairs of a running match, for the partial result of an interrupted program.

use super::{Contestant, MatchOptions, MatchResult, PairResult, Played};
use alea_play::playable::Playable;
use indicatif::ProgressBar;
use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Shared list of a match's finished pairs, filled by [`play_match`](super::play_match).
#[derive(Clone, Default)]
pub struct FinishedPairs(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    pairs: Vec<PairResult>,
    time: Option<(Instant, Duration)>,
    bar: Option<ProgressBar>,
}

impl FinishedPairs {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn begin(&self, stored: Vec<PairResult>, earlier: Duration, bar: &ProgressBar) {
        *self.lock() = State {
            pairs: stored,
            time: Some((Instant::now(), earlier)),
            bar: Some(bar.clone()),
        };
    }

    pub(super) fn push(&self, pair: PairResult) -> usize {
        let pairs = &mut self.lock().pairs;
        pairs.push(pair);
        pairs.len()
    }

    pub(super) fn take(&self) -> Vec<PairResult> {
        mem::take(&mut self.lock().pairs)
    }
}

/// Result of the pairs in `options.finished`, of a match that still runs; removes the progress bar.
/// `None` before the first pair.
#[must_use]
pub fn partial_result<G: Playable>(
    a: &Contestant<G>,
    b: &Contestant<G>,
    options: &MatchOptions<G>,
) -> Option<MatchResult> {
    let state = options.finished.as_ref()?.lock();
    if let Some(bar) = &state.bar {
        bar.finish_and_clear();
    }
    let (began, earlier) = state.time?;
    let mut pairs = state.pairs.clone();
    drop(state);
    pairs.sort_unstable_by_key(|result| result.pair);
    let played = Played::new(pairs, earlier + began.elapsed());
    (!played.pairs.is_empty()).then(|| MatchResult::of(a, b, options, &played))
}
