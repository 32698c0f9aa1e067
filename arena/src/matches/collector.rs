//! Collects, stores and displays the results of worker threads, and ends the match.

use super::{
    FinishedPairs, MatchOptions, PairResult, Repeats,
    lineups::scored_points,
    match_journal::MatchJournal,
    stopping::{OrderedTest, PairSamples},
};
use crate::error::{MeasuringError, Result};
use crate::pipeline_report::percent;
use crate::progress_bar::resume_at;
use alea_core::{job_array::TaskSlice, journal::Journal};
use alea_play::{game_jsonl::GameLine, playable::Playable};
use indicatif::ProgressBar;
use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

const DISPLAY_INTERVAL: Duration = Duration::from_millis(200);

pub(super) struct Collector {
    done: AtomicBool,
    collected: Mutex<CollectedPairs>,
    bar: ProgressBar,
}

struct CollectedPairs {
    finished: FinishedPairs,
    samples: PairSamples,
    repeats: Repeats,
    in_order: Option<OrderedTest>,
    state: MatchJournal,
    records: Journal<GameLine>,
    error: Option<MeasuringError>,
    displayed: Instant,
}

impl Collector {
    pub(super) fn new<G: Playable>(
        results: Vec<PairResult>,
        (state, records): (MatchJournal, Journal<GameLine>),
        earlier: Duration,
        options: &MatchOptions<G>,
    ) -> Self {
        let bar = options
            .progress
            .map_or_else(ProgressBar::hidden, |make| make());
        bar.set_length(options.pairs);
        // A task also reads the pairs of the others.
        match options.slice {
            TaskSlice::All => resume_at(&bar, results.len() as u64),
            _ => bar.set_position(results.len() as u64),
        }
        let points = scored_points(&options.game);
        let (mut samples, mut repeats) = (PairSamples::new(points), Repeats::default());
        let new = (results.iter()).filter(|result| repeats.add_if_new(result.games));
        new.for_each(|result| samples.add(result.scores));
        let in_order = options.stop.map(|rule| {
            let mut in_order = OrderedTest::new(rule, points);
            results.iter().for_each(|result| in_order.add(result));
            in_order
        });
        let end = in_order.as_ref().and_then(|in_order| in_order.end);
        let finished = options.finished.clone().unwrap_or_default();
        finished.begin(results, earlier, &bar);
        let collected = CollectedPairs {
            finished,
            samples,
            repeats,
            in_order,
            state,
            records,
            error: None,
            displayed: Instant::now(),
        };
        Self {
            done: AtomicBool::new(end.is_some()),
            collected: Mutex::new(collected),
            bar,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.done.load(Ordering::Relaxed)
    }

    pub(super) fn add(&self, played: Result<(PairResult, Vec<GameLine>)>) {
        let mut collected = self
            .collected
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let collected = &mut *collected;
        let (result, games) = match played {
            Ok(played) => played,
            Err(error) => {
                collected.error.get_or_insert(error);
                self.done.store(true, Ordering::Relaxed);
                return;
            }
        };
        let written = games
            .iter()
            .try_for_each(|game| collected.records.add(game));
        let stored = written.and_then(|()| collected.state.add(&result));
        if let Err(error) = stored {
            collected.error.get_or_insert(error.into());
            self.done.store(true, Ordering::Relaxed);
        }
        if collected.repeats.add_if_new(result.games) {
            collected.samples.add(result.scores);
        }
        if let Some(in_order) = &mut collected.in_order {
            in_order.add(&result);
            if in_order.end.is_some() {
                self.done.store(true, Ordering::Relaxed);
            }
        }
        let finished = collected.finished.push(result);
        if !self.bar.is_hidden() && collected.displayed.elapsed() > DISPLAY_INTERVAL {
            collected.displayed = Instant::now();
            self.bar.set_position(finished as u64);
            self.bar.set_message(collected.summary());
        }
    }

    pub(super) fn finish(self) -> Result<Vec<PairResult>> {
        self.bar.finish_and_clear();
        let collected = self
            .collected
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let mut results = collected.finished.take();
        if let Some(error) = collected.error {
            return Err(error);
        }
        collected.records.close()?;
        collected.state.journal.close()?;
        if let Some(end) = collected.in_order.and_then(|in_order| in_order.end) {
            results.retain(|result| result.pair < end);
        }
        results.sort_unstable_by_key(|result| result.pair);
        Ok(results)
    }
}

impl CollectedPairs {
    fn summary(&self) -> String {
        let (mean, _, interval) = self.samples.score();
        let score = match self.samples.points {
            None => percent(mean, interval.half_width()),
            Some(points) => {
                let error = points.difference(interval.half_width());
                format!(
                    "{:+.3} ± {error:.3} {}",
                    points.from_payoff(mean),
                    points.unit
                )
            }
        };
        match self.in_order.as_ref().map(OrderedTest::result) {
            Some(test) => format!(
                "{score}  LLR {:+.2} in ({:.2}, {:.2})",
                test.log_likelihood_ratio, test.lower, test.upper
            ),
            None => score,
        }
    }
}
