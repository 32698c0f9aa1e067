//! When a search must end: by nodes, by time, or because another thread has found the answer.
//!
//! The number of nodes between two looks at the clock follows the speed of the evaluator, so that a
//! slow one does not overstep a limit. Invariant: once a search is stopped it stays stopped until
//! it is given new limits.

use super::stopwatch::{Deadline, Stopwatch};
pub use crate::core::limits::Limits;

use crate::core::{clock::Instant, search_game::Phase};
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// Depths of the first and of the last iteration, in plies from the root, 1–127.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthRange {
    /// The first iteration that counts: with other limits one of a single ply comes before it, with
    /// the depth alone it is a whole number of steps below the last.
    pub least: u32,
    /// The last one.
    pub most: u32,
}

/// How much time there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLimit {
    /// For each move.
    Move(Duration),
    /// For each move, of the time that its one thread spends on a processor, not while others
    /// compute.
    Processor(Duration),
    /// For all moves of a game together, growing by `increment` after each.
    Game {
        /// What there is at the start.
        total: Duration,
        /// What each move adds.
        increment: Duration,
    },
}

/// What a search is limited by wherever it begins; the first limit that is reached counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchLimits {
    /// Depths in the opening, in the middle and at the end of the game.
    pub depths: [DepthRange; 3],
    /// Nodes a move, for each thread.
    pub nodes: Option<u64>,
    /// Time.
    pub time: Option<TimeLimit>,
}

/// Deeper than any game is long.
pub const MAX_DEPTH: u32 = 127;

impl SearchLimits {
    /// Exactly `depth` plies, at every stage.
    #[must_use]
    pub fn to_depth(depth: u32) -> Self {
        Self {
            depths: [DepthRange {
                least: 1,
                most: depth,
            }; 3],
            nodes: None,
            time: None,
        }
    }

    /// These limits, or with a time for the move in place of nodes and time.
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

    /// Whether nothing but the depth ends a search.
    pub fn only_depth(&self) -> bool {
        self.nodes.is_none() && self.time.is_none()
    }

    /// The depths of a stage.
    #[must_use]
    pub fn depth(&self, phase: Phase) -> DepthRange {
        self.depths[phase as usize]
    }
}

/// The clock of a game: how long each move may take.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    limit: Option<TimeLimit>,
    left: Duration,
    /// A time for the next moves in place of the limit.
    move_time: Option<Duration>,
}

/// Kept back for what comes between deciding and answering.
const MOVE_OVERHEAD: Duration = Duration::from_millis(1);

impl Pace {
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

    /// Sets a time for the next moves in place of the limit.
    pub(super) fn set_move_time(&mut self, time: Option<Duration>) {
        self.move_time = time;
    }

    fn limit(&self) -> Option<TimeLimit> {
        self.move_time.map(TimeLimit::Move).or(self.limit)
    }

    /// A stopwatch for a search that begins now; it is off where time does not matter.
    pub(super) fn start(&self) -> Stopwatch {
        match self.limit() {
            None => Stopwatch::Off,
            Some(TimeLimit::Processor(_)) => Stopwatch::processor(),
            Some(TimeLimit::Move(_) | TimeLimit::Game { .. }) => Stopwatch::wall(),
        }
    }

    /// When a search that began with `stopwatch` must end, the side to move having `moves` left
    /// ([`crate::core::search_game::SearchHints::expected_moves_left`]).
    pub(super) fn deadline(&self, stopwatch: Stopwatch, moves: u32) -> Option<Deadline> {
        let after = match self.limit()? {
            TimeLimit::Move(time) | TimeLimit::Processor(time) => time,
            TimeLimit::Game { increment, .. } => {
                let share = self.left / moves.max(1) + increment * 4 / 5;
                share.min(self.left.saturating_sub(MOVE_OVERHEAD))
            }
        };
        Some(Deadline { stopwatch, after })
    }

    pub(super) fn spent(&mut self, time: Duration) {
        if let Some(TimeLimit::Game { increment, .. }) = self.limit() {
            self.left = self.left.saturating_sub(time) + increment;
        }
    }
}

/// Watches over the limits of one thread's search.
#[derive(Clone, Debug)]
pub struct Watch {
    stopped: bool,
    /// The number of nodes at which to look again.
    next_look: u64,
    last_look: Instant,
    interval: u64,
    /// Seconds a node takes when it takes long.
    slowest: f64,
    most_nodes: Option<u64>,
    deadline: Option<Deadline>,
    /// Set by whoever wants all threads of the search to end.
    outer: Limits,
}

/// The clock is looked at about this often.
const CLOCK_CHECK_INTERVAL: Duration = Duration::from_micros(200);

/// Nodes before the first look, when nothing is known about the evaluator's speed.
const FIRST_INTERVAL: u64 = 1;

/// Nodes before the first look of a later search at most: some microseconds with a fast
/// evaluator.
const MAX_FIRST_INTERVAL: u64 = 512;

/// Nodes between two looks at most.
const MAX_INTERVAL: u64 = 1 << 20;

impl Default for Watch {
    fn default() -> Self {
        Self {
            stopped: false,
            next_look: u64::MAX,
            last_look: Instant::now(),
            interval: FIRST_INTERVAL,
            slowest: 0.0,
            most_nodes: None,
            deadline: None,
            outer: Limits::NONE,
        }
    }
}

impl Watch {
    /// New limits, with the number of nodes that have been counted so far; `most_nodes` is a count
    /// of the same kind.
    pub(super) fn start(
        &mut self,
        nodes: u64,
        most_nodes: Option<u64>,
        deadline: Option<Deadline>,
        stop: Option<Arc<AtomicBool>>,
    ) {
        let unlimited = most_nodes.is_none() && deadline.is_none() && stop.is_none();
        self.stopped = false;
        (self.most_nodes, self.deadline, self.outer) =
            (most_nodes, deadline, Limits { stop, time: None });
        if !unlimited {
            self.last_look = Instant::now();
            // The interval of the last search stands, but a first look comes early.
            self.interval = self.interval.min(MAX_FIRST_INTERVAL);
            self.schedule(nodes);
        } else {
            self.next_look = u64::MAX;
        }
    }

    /// Limits from outside alone, with the number of nodes that have been counted so far.
    pub(super) fn start_within(&mut self, nodes: u64, limits: &Limits) {
        self.start(nodes, None, None, limits.stop.clone());
    }

    /// Whether the search must end, when `nodes` have been counted.
    #[inline]
    pub(super) fn is_over(&mut self, nodes: u64) -> bool {
        if nodes >= self.next_look {
            self.look(nodes);
        }
        self.stopped
    }

    #[inline]
    pub(super) fn stopped(&self) -> bool {
        self.stopped
    }

    /// What ends the search from outside.
    #[inline]
    pub(super) fn outer(&self) -> &Limits {
        &self.outer
    }

    /// Ends the search if that is wanted from outside, without waiting for the next look.
    #[inline]
    pub(super) fn check_outer_limits(&mut self) {
        self.stopped |= self.outer.is_stopped();
    }

    #[cold]
    fn look(&mut self, nodes: u64) {
        let now = Instant::now();
        let a_node = now.duration_since(self.last_look).as_secs_f64() / self.interval as f64;
        // The slowest nodes count, and are forgotten slowly: dear ones may come at any time.
        self.slowest = a_node.max(0.95 * self.slowest);
        let wanted = (CLOCK_CHECK_INTERVAL.as_secs_f64() / self.slowest.max(1e-12)) as u64;
        self.interval = wanted.clamp(1, 2 * self.interval).min(MAX_INTERVAL);
        self.last_look = now;
        self.stopped |= self.most_nodes.is_some_and(|most| nodes >= most)
            || self.deadline.is_some_and(Deadline::has_passed)
            || self.outer.is_stopped();
        self.schedule(nodes);
    }

    fn schedule(&mut self, nodes: u64) {
        self.next_look =
            (nodes + self.interval).min(self.most_nodes.unwrap_or(u64::MAX).max(nodes + 1));
    }
}
