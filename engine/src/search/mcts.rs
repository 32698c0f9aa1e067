//! Monte-Carlo tree search on a graph: UCT with chance sampled at every visit (Monte_Alpha,
//! Electronics 2023, 12, 2936).
//!
//! A position keeps statistics per distinct move, shared by all outcomes that permit it. A
//! simulation draws an outcome at each position, selects among the moves it permits, values the
//! first new position by a [`Leaf`] and adds each seat's payoff to the moves that seat made (so it
//! is maxⁿ for more than two seats). Positions that are reached by several ways are one; several
//! threads may search one graph.
//!
//! With two seats the search also proves (Lajkonik's solver, carried through chance by the unified
//! operator): finished games and what an oracle knows have exact values, bounds back up from them,
//! dominated moves are no longer tried, and a position whose bounds have met is not searched any
//! further. Invariants: bounds always enclose the game-theoretic value; on one thread and without a
//! limit of time the same seed finds the same; memory stays within its limit.

mod allocator;
mod cell;
mod control;
mod graph;
mod leaf;
mod options;
mod place;
mod report;
mod select;
mod solver;
mod work_split;
mod worker;
mod write_buffer;

pub use crate::core::leaf::{Leaf, MoveKinds};
pub use leaf::{EvaluatorLeaf, Mix, Playout, Prior, Repeated, StarLeaf};
pub use options::{Blend, Budget, FirstPlay, MctsOptions};
pub use report::{MoveStatistics, TreeReport, best_move};

pub(super) use graph::{Cell, Proof, Slot};

use self::{
    graph::{Graph, Size},
    worker::{Root, Worker},
};
use super::{
    SearchStats,
    eval_timer::EvalTimer,
    limits::{Limits, Pace, TimeLimit},
};
use crate::core::{
    game::{Game, List},
    oracle::Oracle,
    random::{GOLDEN, RandomStream},
};
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// What a search is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// The value of each move.
    Values,
    /// The best move; no more than that takes.
    Choice,
}

/// The search.
pub struct Mcts<G: Game, L: Leaf<G>> {
    game: G,
    options: MctsOptions,
    /// `None` if the system has no memory at all.
    graph: Option<Graph>,
    workers: Vec<Worker<G, L>>,
    oracle: Option<Arc<dyn Oracle<G>>>,
    prior: Option<Arc<dyn Prior<G>>>,
    pace: Pace,
    limits: Limits,
    root: Option<Root<G>>,
    simulations: u64,
    /// Blocks still to be looked at while others are moved together.
    unvisited: Vec<u32>,
}

impl<G: Game, L: Leaf<G>> Mcts<G, L> {
    /// A search on one thread, with its own random numbers.
    pub fn new(game: G, leaf: L, options: MctsOptions, seed: u64) -> Self {
        Self::with_leaves(game, vec![leaf], options, seed)
    }

    /// A search on as many threads as there are leaves, at least one.
    ///
    /// # Panics
    /// If there is no leaf.
    pub fn with_leaves(game: G, leaves: Vec<L>, options: MctsOptions, seed: u64) -> Self {
        assert!(!leaves.is_empty(), "a search has at least one thread");
        let threads = leaves.len();
        let workers: Vec<_> = leaves
            .into_iter()
            .map(|leaf| Worker::new(leaf, threads))
            .collect();
        let graph = Graph::new(graph_size(&game, &options, threads));
        let mut search = Self {
            game,
            options,
            graph,
            workers,
            oracle: None,
            prior: None,
            pace: Pace::new(options.budget.time()),
            limits: Limits::NONE,
            root: None,
            simulations: 0,
            unvisited: Vec::new(),
        };
        search.reseed(seed);
        search
    }

    /// Asks an oracle about new positions; only used with the solver and two seats.
    #[must_use]
    pub fn with_oracle(mut self, oracle: Option<Arc<dyn Oracle<G>>>) -> Self {
        self.oracle = oracle;
        self
    }

    /// Asks a prior about the moves of new positions.
    #[must_use]
    pub fn with_prior(mut self, prior: Option<Arc<dyn Prior<G>>>) -> Self {
        self.prior = prior;
        self
    }

    /// Also measures the time it spends valuing leaves, or not.
    #[must_use]
    pub fn timed(mut self, timed: bool) -> Self {
        for worker in &mut self.workers {
            worker.eval_timer = EvalTimer::new(timed);
        }
        self
    }

    /// The options.
    pub fn options(&self) -> &MctsOptions {
        &self.options
    }

    /// Starts the random numbers of a new game, and forgets what was found in the last.
    pub fn reseed(&mut self, seed: u64) {
        for (number, worker) in (0u64..).zip(&mut self.workers) {
            // One thread draws the numbers of the seed itself.
            worker.leaf.new_game();
            worker.random = RandomStream::new(seed ^ number.wrapping_mul(GOLDEN));
        }
        self.root = None;
        self.pace = Pace::new(self.options.budget.time());
    }

    /// The rules that are searched.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Sets what ends the searches to come besides their budget.
    pub fn set_limits(&mut self, limits: &Limits) {
        self.limits.clone_from(limits);
    }

    /// Searches a position that is not over: with the given moves after chance has spoken, or
    /// before (`None`). Returns what was found about each, in order.
    pub fn search(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
    ) -> Vec<MoveStatistics<G::Move>> {
        self.run(position, legal, Purpose::Values, None);
        self.statistics()
    }

    /// The same in order to choose one of the moves: ends as soon as the choice is certain.
    pub fn choose(
        &mut self,
        position: &G::Position,
        legal: &[G::Move],
    ) -> Vec<MoveStatistics<G::Move>> {
        self.run(position, Some(legal), Purpose::Choice, None);
        self.statistics()
    }

    /// Searches a position before chance has spoken until `stop` is set, for the searches to come;
    /// without [`MctsOptions::keep`] it does nothing.
    pub fn ponder(&mut self, position: &G::Position, stop: &Arc<AtomicBool>) {
        if self.options.keep && self.options.graph {
            self.run(position, None, Purpose::Values, Some(stop));
        }
    }

    /// What has been spent since the last call.
    pub fn take_stats(&mut self) -> SearchStats {
        let mut stats = SearchStats::default();
        for worker in &mut self.workers {
            stats.add(&worker.eval_timer.take_with(&mut worker.stats));
        }
        stats
    }

    /// How the last search went.
    pub fn report(&self) -> TreeReport<G::Move> {
        let moves = self.statistics();
        let (Some(graph), Some(root)) = (&self.graph, &self.root) else {
            return TreeReport {
                moves,
                ..TreeReport::default()
            };
        };
        let depths = self.workers.iter().map(|worker| worker.depth as u32);
        TreeReport {
            simulations: self.simulations,
            positions: graph.blocks(),
            bytes: graph.bytes(),
            fill: graph.fill(),
            full: self.workers.iter().any(|worker| worker.full),
            depth: depths.max().unwrap_or(0),
            line: line(&self.game, graph, root, &moves),
            moves,
        }
    }
}

/// More new positions a second than a thread makes: they are no more than a third of its
/// simulations.
const POSITIONS_A_SECOND: f64 = 2e6;

/// One part in so many of the memory granted is left to what is no graph. With 256 MiB that is 21
/// MiB, as large as a process that does nothing else with the tables of its evaluators.
const PARTS: usize = 12;

fn graph_size<G: Game>(game: &G, options: &MctsOptions, threads: usize) -> Size {
    // One simulation adds one position at most. What earlier searches have left counts too.
    let searches = if options.keep { 8 } else { 1 };
    let in_time =
        |time: Duration| (time.as_secs_f64() * POSITIONS_A_SECOND) as u64 * threads as u64;
    let positions = match options.budget {
        _ if options.ponder => u64::MAX,
        Budget::Simulations(simulations) => simulations,
        Budget::Time(TimeLimit::Move(time) | TimeLimit::Processor(time)) => in_time(time),
        Budget::Time(TimeLimit::Game { total, increment }) => in_time(total + increment),
    };
    let positions = usize::try_from(positions)
        .unwrap_or(usize::MAX)
        .saturating_add(64)
        .saturating_mul(searches);
    let bytes = options.memory.max(1) << 20;
    Size {
        bytes: bytes - bytes / PARTS,
        positions,
        most_moves: game.most_moves(),
        extras: options.rave > 0.0,
        threads,
    }
}

/// From the best move on the most visited one of each position.
fn line<G: Game>(
    game: &G,
    graph: &Graph,
    root: &Root<G>,
    found: &[MoveStatistics<G::Move>],
) -> Vec<G::Move> {
    let mut line = Vec::new();
    let (mut position, mut block) = (root.position, root.block);
    let mut moves = G::Moves::default();
    let mut chosen = found
        .iter()
        .find(|statistics| statistics.mv == best_move(found).mv)
        .map(|statistics| statistics.mv);
    while let Some(mv) = chosen {
        line.push(mv);
        if root.private && block == root.block {
            moves.clear();
            found
                .iter()
                .for_each(|statistics| moves.push(statistics.mv));
        } else {
            game.moves(&position, &mut moves);
        }
        let index = moves.iter().position(|&listed| listed == mv);
        block = index.map_or(0, |index| graph.all_edges(block).get(index).child());
        position = game.play(&position, mv);
        if block == 0 {
            break;
        }
        game.moves(&position, &mut moves);
        let mut most = 0;
        chosen = None;
        for (&mv, edge) in moves.iter().zip(graph.all_edges(block).iter()) {
            if edge.visits() > most {
                (most, chosen) = (edge.visits(), Some(mv));
            }
        }
    }
    line
}
