//! Timing evaluations where they are asked for, so that a search without a meter of its own can be
//! instrumented.
//!
//! Invariant: values and counts are those of the evaluator and the search within.

use crate::studies::search_bench::clock::ClockShare;
use engine::core::evaluator::Evaluator;
use engine::core::game::{Game, Payoffs};
use engine::play::player::{Analysis, Decision, Failure, Player, Valuation};
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Nanoseconds spent evaluating; shared by an evaluator and the player that reports them.
pub(super) type Spent = Arc<AtomicU64>;

/// An evaluator without a cache that reads the clock before and after every evaluation.
#[derive(Clone)]
pub(super) struct ClockedEvaluator<E> {
    within: E,
    spent: Spent,
}

impl<E> ClockedEvaluator<E> {
    pub(super) fn new(within: E) -> (Self, Spent) {
        let spent = Spent::default();
        (
            Self {
                within,
                spent: Arc::clone(&spent),
            },
            spent,
        )
    }

    fn clocked<R>(&self, evaluate: impl FnOnce(&E) -> R) -> R {
        let began = Instant::now();
        // Held in place: a computation without side effects may otherwise be moved past the second
        // reading.
        let result = black_box(evaluate(black_box(&self.within)));
        // One thread searches: nothing else has to be ordered.
        self.spent
            .fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
        result
    }
}

impl<G: Game, E: Evaluator<G, Cache = ()>> Evaluator<G> for ClockedEvaluator<E> {
    type Cache = ();

    fn value(&self, game: &G, position: &G::Position, (): &()) -> f32 {
        self.clocked(|within| within.value(game, position, &()))
    }

    fn payoffs(&self, game: &G, position: &G::Position, (): &()) -> Payoffs {
        self.clocked(|within| within.payoffs(game, position, &()))
    }
}

/// The share of the clock in a [`ClockedEvaluator`].
pub(super) fn clock_share() -> ClockShare {
    let (clocked, spent) = ClockedEvaluator::new(());
    ClockShare::measured(|batch| {
        spent.store(0, Ordering::Relaxed);
        (0..batch).for_each(|number| {
            black_box(clocked.clocked(|()| black_box(number)));
        });
        Duration::from_nanos(spent.load(Ordering::Relaxed)).as_secs_f64()
    })
}

/// A player that reports the time its evaluator spent.
pub(super) struct ClockedPlayer<G: Game> {
    within: Box<dyn Player<G>>,
    spent: Spent,
}

impl<G: Game> ClockedPlayer<G> {
    pub(super) fn new(within: Box<dyn Player<G>>, spent: Spent) -> Self {
        Self { within, spent }
    }
}

impl<G: Game> Player<G> for ClockedPlayer<G> {
    fn new_game(&mut self, seed: u64) {
        self.within.new_game(seed);
    }

    fn ponders(&self) -> bool {
        self.within.ponders()
    }

    fn ponder(&mut self, position: &G::Position, stop: &Arc<AtomicBool>) {
        self.within.ponder(position, stop);
    }

    fn decide(&mut self, position: &G::Position, legal: &[G::Move]) -> Decision<G::Move> {
        self.within.decide(position, legal)
    }

    fn failure(&mut self) -> Option<Failure> {
        self.within.failure()
    }

    fn analyse(&mut self, position: &G::Position, legal: Option<&[G::Move]>) -> Analysis<G::Move> {
        self.within.analyse(position, legal)
    }

    fn exact_scores(
        &mut self,
        position: &G::Position,
        moves: &[G::Move],
    ) -> Option<(&'static str, Vec<i32>)> {
        self.within.exact_scores(position, moves)
    }

    fn value(&mut self, position: &G::Position) -> Valuation {
        self.spent.store(0, Ordering::Relaxed);
        let mut valuation = self.within.value(position);
        valuation.stats.evaluation_time =
            Some(Duration::from_nanos(self.spent.load(Ordering::Relaxed)));
        valuation
    }
}
