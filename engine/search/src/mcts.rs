//! Monte-Carlo tree search on a graph: UCT that samples chance at every visit (Monte_Alpha,
//! Electronics 2023, 12, 2936).
//!
//! A node has statistics per distinct move, for all outcomes and transpositions; payoffs are those
//! of the seat that moves (maxⁿ). With two seats, bounds are proven from finished games and oracle
//! values (Lajkonik's solver, extended to chance nodes). One thread with a simulation budget is
//! deterministic per seed.

mod allocator;
mod cell;
mod cell_refs;
mod driver;
mod graph;
mod leaf;
mod options;
mod report;
mod solver;
mod ucb;
mod work_split;
mod worker;
mod write_buffer;

pub use alea_core::leaf::{Leaf, MoveKinds};
pub use leaf::{AveragedLeaf, BlendedLeaf, EvaluatorLeaf, PlayoutLeaf, Prior, SearchLeaf};
pub use options::{Blend, Budget, FirstPlay, MctsOptions};
pub use report::{MoveStatistics, TreeReport, best_move};

pub(super) use graph::{Cell, ColdCell, Slot};

use self::{
    driver::moves_and_edges,
    graph::{Graph, Size},
    worker::{NodeKind, Root, Worker},
};
use super::{
    SearchStats,
    eval_timer::EvalTimer,
    limits::{Limits, TimeLimit, TimeManager},
};
use alea_core::{
    oracle::Oracle,
    random::{GOLDEN, RandomStream},
    search_game::SearchGame,
};
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    Values,
    Choice,
}

/// A Monte-Carlo tree search with its graph.
pub struct Mcts<G: SearchGame, L: Leaf<G>> {
    game: G,
    options: MctsOptions,
    graph: Option<Graph>,
    workers: Vec<Worker<G, L>>,
    oracle: Option<Arc<dyn Oracle<G>>>,
    prior: Option<Arc<dyn Prior<G>>>,
    own_budget: Budget,
    pace: TimeManager,
    limits: Limits,
    root: Option<Root<G>>,
    simulations: u64,
    unvisited: Vec<u32>,
}

impl<G: SearchGame, L: Leaf<G>> Mcts<G, L> {
    /// A search on one thread, with leaves evaluated by `leaf`.
    pub fn new(game: G, leaf: L, options: MctsOptions, seed: u64) -> Self {
        Self::with_leaves(game, vec![leaf], options, seed)
    }

    /// A search with a thread for each of `leaves`, which evaluates the thread's leaves.
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
            own_budget: options.budget,
            pace: TimeManager::new(options.budget.time()),
            limits: Limits::NONE,
            root: None,
            simulations: 0,
            unvisited: Vec::new(),
        };
        search.reseed(seed);
        search
    }

    /// Sets the oracle for new positions; used with two seats and [`MctsOptions::solver`] only.
    #[must_use]
    pub fn with_oracle(mut self, oracle: Option<Arc<dyn Oracle<G>>>) -> Self {
        self.oracle = oracle;
        self
    }

    /// Sets the prior values of new nodes' moves, for [`MctsOptions::bias`].
    #[must_use]
    pub fn with_prior(mut self, prior: Option<Arc<dyn Prior<G>>>) -> Self {
        self.prior = prior;
        self
    }

    /// Sets whether [`SearchStats::evaluation_time`] is measured.
    #[must_use]
    pub fn with_eval_timer(mut self, timed: bool) -> Self {
        for worker in &mut self.workers {
            worker.eval_timer = EvalTimer::new(timed);
        }
        self
    }

    /// Options of the search.
    pub fn options(&self) -> &MctsOptions {
        &self.options
    }

    /// Starts a new game: reseeds the random streams, drops the tree and resets the game's clock.
    pub fn reseed(&mut self, seed: u64) {
        for (number, worker) in (0u64..).zip(&mut self.workers) {
            worker.leaf.new_game();
            worker.random = RandomStream::new(seed ^ number.wrapping_mul(GOLDEN));
        }
        self.root = None;
        self.pace = TimeManager::new(self.own_budget.time());
    }

    /// Rules of the searched game.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Sets limits of later searches; a time limit replaces their budget.
    pub fn set_limits(&mut self, limits: &Limits) {
        self.limits.clone_from(limits);
        let move_time = limits.time.map(|time| Budget::Time(TimeLimit::Move(time)));
        self.options.budget = move_time.unwrap_or(self.own_budget);
        self.pace.set_move_time(limits.time);
    }

    /// Searches an unfinished position after its chance event, with `legal` moves, or (`None`)
    /// before it, with all; returns their statistics in order.
    pub fn search(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
    ) -> Vec<MoveStatistics<G::Move>> {
        self.run(position, legal, Goal::Values, None);
        self.statistics()
    }

    /// [`Self::search`] that ends as soon as the best move is certain.
    pub fn choose(
        &mut self,
        position: &G::Position,
        legal: &[G::Move],
    ) -> Vec<MoveStatistics<G::Move>> {
        self.run(position, Some(legal), Goal::Choice, None);
        self.statistics()
    }

    /// Searches a position before its chance event until `stop` is set. Does nothing without
    /// [`MctsOptions::reuse_tree`].
    pub fn ponder(&mut self, position: &G::Position, stop: &Arc<AtomicBool>) {
        if self.options.reuse_tree && self.options.graph {
            self.run(position, None, Goal::Values, Some(stop));
        }
    }

    /// Cost since the previous `take_stats`.
    pub fn take_stats(&mut self) -> SearchStats {
        let mut stats = SearchStats::default();
        for worker in &mut self.workers {
            stats.add(&worker.eval_timer.take_stats(&mut worker.stats));
        }
        stats
    }

    /// Summary of the last search.
    pub fn report(&self) -> TreeReport<G::Move> {
        let (Some(graph), Some(root)) = (&self.graph, &self.root) else {
            return TreeReport::default();
        };
        let depths = self.workers.iter().map(|worker| worker.depth as u32);
        TreeReport {
            simulations: self.simulations,
            positions: graph.nodes(),
            bytes: graph.bytes(),
            fill: graph.fill_ratio(),
            full: self.workers.iter().any(|worker| worker.full),
            depth: depths.max().unwrap_or(0),
            pv: principal_variation(&self.game, graph, root, &self.statistics()),
        }
    }
}

const MAX_POSITIONS_PER_SECOND: f64 = 2e6;

const RESERVED_MEMORY_DIVISOR: usize = 12;

fn graph_size<G: SearchGame>(game: &G, options: &MctsOptions, threads: usize) -> Size {
    let searches = if options.reuse_tree { 8 } else { 1 };
    let in_time =
        |time: Duration| (time.as_secs_f64() * MAX_POSITIONS_PER_SECOND) as u64 * threads as u64;
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
        bytes: bytes - bytes / RESERVED_MEMORY_DIVISOR,
        positions,
        max_moves: game.branching_hint(),
        use_rave: options.rave > 0.0,
        threads,
    }
}

fn principal_variation<G: SearchGame>(
    game: &G,
    graph: &Graph,
    root: &Root<G>,
    found: &[MoveStatistics<G::Move>],
) -> Vec<G::Move> {
    let mut line = Vec::new();
    let mut position = root.position;
    let mut edges: Vec<_> = if root.owned {
        let moves = found.iter().map(|statistics| statistics.mv);
        let edges = (root.node != 0).then(|| graph.edges_of(root.node));
        let edge = |index| edges.as_ref().map(|edges| edges.get(index));
        moves
            .enumerate()
            .map(|(index, mv)| (mv, edge(index)))
            .collect()
    } else {
        moves_and_edges(game, Some(graph), &position, root.node, root.kind)
    };
    let mut chosen = found.first().map(|_| best_move(found).mv);
    while let Some(mv) = chosen {
        line.push(mv);
        let edge = edges.iter().find(|(listed, _)| *listed == mv);
        let node = edge
            .and_then(|(_, edge)| *edge)
            .map_or(0, |edge| edge.child());
        position = game.play(&position, mv);
        if node == 0 {
            break;
        }
        let kind = NodeKind::before_chance::<G>();
        edges = moves_and_edges(game, Some(graph), &position, node, kind);
        let mut max_visits = 0;
        chosen = None;
        for &(mv, edge) in &edges {
            let visits = edge.map_or(0, |edge| edge.visits());
            if visits > max_visits {
                (max_visits, chosen) = (visits, Some(mv));
            }
        }
    }
    line
}
