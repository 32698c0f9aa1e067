//! Limits of a search. Clocks are read at intervals in nodes that adapt to the evaluator's speed.

use super::stopwatch::{Deadline, Stopwatch};
pub use alea_core::limits::Limits;

use alea_core::{monotonic_clock::Instant, search_game::Phase};
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// Depths of iterative deepening, in plies (1–127).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthRange {
    /// Depth of the first iteration, which one of a single ply may precede; if only depth limits
    /// the search, raised so that steps end at `max`.
    pub min: u32,
    /// Depth of the last iteration.
    pub max: u32,
}

/// A limit of thinking time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLimit {
    /// Wall time per move.
    Move(Duration),
    /// CPU time of the searching thread per move.
    Processor(Duration),
    /// Time per game, with an increment after each move.
    Game {
        /// Time at the start.
        total: Duration,
        /// Increment per move.
        increment: Duration,
    },
}

/// Limits of each search; the first one reached ends it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchLimits {
    /// Depths by phase: opening, middle game and endgame.
    pub depths: [DepthRange; 3],
    /// Maximal nodes per move and thread.
    pub nodes: Option<u64>,
    /// Maximal time per move or game.
    pub time: Option<TimeLimit>,
}

/// Maximal depth of a search in plies.
pub const MAX_DEPTH: u32 = 127;

impl SearchLimits {
    /// Only a maximal depth, the same in all phases of the game.
    pub fn to_depth(depth: u32) -> Self {
        Self {
            depths: [DepthRange { min: 1, max: depth }; 3],
            nodes: None,
            time: None,
        }
    }

    pub(super) fn with_move_time(self, time: Option<Duration>) -> Self {
        match time {
            None => self,
            Some(time) => Self {
                nodes: None,
                time: Some(TimeLimit::Move(time)),
                ..self
            },
        }
    }

    /// Whether depth is the only limit.
    pub fn is_depth_only(&self) -> bool {
        self.nodes.is_none() && self.time.is_none()
    }

    /// Depths in a phase of the game.
    pub fn depth(&self, phase: Phase) -> DepthRange {
        self.depths[phase as usize]
    }
}

#[derive(Clone, Debug)]
pub(super) struct TimeManager {
    limit: Option<TimeLimit>,
    left: Duration,
    move_time: Option<Duration>,
}

const MOVE_OVERHEAD: Duration = Duration::from_millis(1);

impl TimeManager {
    pub(super) fn new(limit: Option<TimeLimit>) -> Self {
        let left = match limit {
            Some(TimeLimit::Game { total, .. }) => total,
            _ => Duration::ZERO,
        };
        Self {
            limit,
            left,
            move_time: None,
        }
    }

    pub(super) fn set_move_time(&mut self, time: Option<Duration>) {
        self.move_time = time;
    }

    fn limit(&self) -> Option<TimeLimit> {
        self.move_time.map(TimeLimit::Move).or(self.limit)
    }

    pub(super) fn start(&self) -> Stopwatch {
        match self.limit() {
            None => Stopwatch::Off,
            Some(TimeLimit::Processor(_)) => Stopwatch::start_cpu(),
            Some(TimeLimit::Move(_) | TimeLimit::Game { .. }) => Stopwatch::start_wall(),
        }
    }

    pub(super) fn deadline(&self, stopwatch: Stopwatch, moves: u32) -> Option<Deadline> {
        let after = match self.limit()? {
            TimeLimit::Move(time) | TimeLimit::Processor(time) => time,
            TimeLimit::Game { increment, .. } => {
                let budget = self.left / moves.max(1) + increment * 4 / 5;
                budget.min(self.left.saturating_sub(MOVE_OVERHEAD))
            }
        };
        Some(Deadline { stopwatch, after })
    }

    pub(super) fn record_spent_time(&mut self, time: Duration) {
        if let Some(TimeLimit::Game { increment, .. }) = self.limit() {
            self.left = self.left.saturating_sub(time) + increment;
        }
    }
}

/// Checks the limits of one thread's search.
#[derive(Clone, Debug)]
pub struct LimitChecker {
    stopped: bool,
    next_check: u64,
    last_check: Instant,
    interval: u64,
    /// Seconds a node in the last interval.
    last: f64,
    /// Maximum of `last` over some twenty intervals.
    slowest: f64,
    /// Maximum over about [`MEMORY`] of the lesser of two consecutive `last`, which leaves out
    /// interruptions of the thread.
    lasting: f64,
    max_nodes: Option<u64>,
    deadline: Option<Deadline>,
    outer: Limits,
}

const CLOCK_CHECK_INTERVAL: Duration = Duration::from_micros(200);

/// Longest interval if nodes that a table answered are followed by nodes as slow as earlier ones.
const MAX_DELAY: Duration = Duration::from_millis(20);

/// Time constant of the decay of `lasting`.
const MEMORY: Duration = Duration::from_secs(1);

const FIRST_INTERVAL: u64 = 1;

const MAX_FIRST_INTERVAL: u64 = 512;

const MAX_INTERVAL: u64 = 1 << 20;

impl Default for LimitChecker {
    fn default() -> Self {
        Self {
            stopped: false,
            next_check: u64::MAX,
            last_check: Instant::now(),
            interval: FIRST_INTERVAL,
            last: 0.0,
            slowest: 0.0,
            lasting: 0.0,
            max_nodes: None,
            deadline: None,
            outer: Limits::NONE,
        }
    }
}

impl LimitChecker {
    pub(super) fn start(
        &mut self,
        nodes: u64,
        max_nodes: Option<u64>,
        deadline: Option<Deadline>,
        stop: Option<Arc<AtomicBool>>,
    ) {
        let unlimited = max_nodes.is_none() && deadline.is_none() && stop.is_none();
        self.stopped = false;
        (self.max_nodes, self.deadline, self.outer) =
            (max_nodes, deadline, Limits { stop, time: None });
        if !unlimited {
            self.last_check = Instant::now();
            self.interval = self.interval.min(MAX_FIRST_INTERVAL);
            self.interval = self.interval.min(self.max_interval());
            self.schedule_check(nodes);
        } else {
            self.next_check = u64::MAX;
        }
    }

    pub(super) fn start_with_stop(&mut self, nodes: u64, limits: &Limits) {
        self.start(nodes, None, None, limits.stop.clone());
    }

    #[inline]
    pub(super) fn is_over(&mut self, nodes: u64) -> bool {
        if nodes >= self.next_check {
            self.check_limits(nodes);
        }
        self.stopped
    }

    #[inline]
    pub(super) fn stopped(&self) -> bool {
        self.stopped
    }

    #[inline]
    pub(super) fn outer_limits(&self) -> &Limits {
        &self.outer
    }

    /// Time until the deadline; `None` without one.
    pub(super) fn time_left(&self) -> Option<Duration> {
        let Deadline { stopwatch, after } = self.deadline?;
        Some(after.saturating_sub(stopwatch.elapsed()))
    }

    #[inline]
    pub(super) fn check_outer_limits(&mut self) {
        self.stopped |= self.outer.is_stopped();
    }

    #[cold]
    fn check_limits(&mut self, nodes: u64) {
        let now = Instant::now();
        let elapsed = now.duration_since(self.last_check).as_secs_f64();
        let a_node = elapsed / self.interval as f64;
        self.slowest = a_node.max(0.95 * self.slowest);
        let memory = 1.0 - (elapsed / MEMORY.as_secs_f64()).min(1.0);
        self.lasting = a_node.min(self.last).max(memory * self.lasting);
        self.last = a_node;
        let interval = (CLOCK_CHECK_INTERVAL.as_secs_f64() / self.slowest.max(1e-12)) as u64;
        let interval = interval.clamp(1, 2 * self.interval);
        self.interval = interval.min(self.max_interval());
        self.last_check = now;
        self.stopped |= self.max_nodes.is_some_and(|max| nodes >= max)
            || self.deadline.is_some_and(Deadline::has_passed)
            || self.outer.is_stopped();
        self.schedule_check(nodes);
    }

    fn max_interval(&self) -> u64 {
        let nodes = MAX_DELAY.as_secs_f64() / self.lasting.max(1e-12);
        (nodes as u64).clamp(1, MAX_INTERVAL)
    }

    fn schedule_check(&mut self, nodes: u64) {
        self.next_check =
            (nodes + self.interval).min(self.max_nodes.unwrap_or(u64::MAX).max(nodes + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::atomic::Ordering, thread};

    #[test]
    fn slow_nodes_after_fast_ones_are_stopped_soon() {
        let stop = Arc::new(AtomicBool::new(false));
        let (mut checker, mut nodes) = (LimitChecker::default(), 0);
        checker.start(nodes, None, None, Some(Arc::clone(&stop)));
        let mut count = |slow: bool, most: u64| {
            for number in 0..most {
                if slow {
                    thread::sleep(Duration::from_millis(1));
                }
                nodes += 1;
                if checker.is_over(nodes) {
                    return number;
                }
            }
            most
        };
        assert_eq!((count(true, 30), count(false, 300_000)), (30, 300_000));
        stop.store(true, Ordering::Relaxed);
        assert!(count(true, 300) <= 32);
    }
}
