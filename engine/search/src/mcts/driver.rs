//! Runs a Monte-Carlo search until its budget is used up, the root is solved or, for a choice, one
//! move is proven best or no other can become the most visited.

use super::{
    Goal, Mcts,
    allocator::Chunk,
    cell_refs::CellRef,
    graph::Graph,
    report::MoveStatistics,
    solver,
    ucb::Selector,
    work_split::WorkSplit,
    worker::{Context, NodeKind, Root, Worker},
    write_buffer::MAX_BUFFERED_VISITS,
};
use crate::{abdada::spawn, mcts::options::Budget, stopwatch::Deadline};
use alea_core::{chance_bounds::Bounds, leaf::Leaf, search_game::SearchGame};
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

const CHECK_INTERVAL: u64 = 16;

const ESTIMATE_INTERVAL: u64 = 64;

const MAX_FILL_AT_START: f64 = 0.5;

impl<G: SearchGame, L: Leaf<G>> Mcts<G, L> {
    /// Searches; with `stop`, until that is set, whatever the budget.
    pub(super) fn run(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        goal: Goal,
        stop: Option<&Arc<AtomicBool>>,
    ) {
        let began = self.pace.start();
        self.simulations = 0;
        for worker in &mut self.workers {
            (worker.depth, worker.full) = (0, false);
        }
        if !self.prepare_root(position, legal) {
            return;
        }
        let (Some(graph), Some(root)) = (&self.graph, &self.root) else {
            return;
        };
        let two = self.game.seats() == 2;
        let options = super::MctsOptions {
            solver: self.options.solver && two,
            ..self.options
        };
        let oracle = self.oracle.as_deref().filter(|_| options.solver);
        let context = Context {
            buffers_writes: self.workers.len() > 1,
            virtual_loss_below: u32::try_from(self.workers.len().saturating_mul(options.batch))
                .unwrap_or(u32::MAX)
                .min(self.workers[0].write_buffer.busy_threshold()),
            game: &self.game,
            graph,
            options: &options,
            selector: Selector::new(&options),
            root,
            oracle,
            prior: self.prior.as_deref(),
            tolerance: oracle
                .map(|oracle| oracle.max_error())
                .filter(|&error| error > 0.0)
                .map_or(0.0, |error| 2.0 * error + 1e-6),
        };
        let budget = match options.budget {
            Budget::Simulations(simulations) if stop.is_none() => simulations,
            _ => u64::MAX,
        };
        let moves = self.game.expected_moves_left(position);
        let deadline = (self.pace.deadline(began, moves)).filter(|_| stop.is_none());
        self.workers[0].init_root(&context);
        let threads = self.workers.len() as u64;
        let work_split = WorkSplit::new(self.workers.len(), budget);
        let driver = Driver {
            context: &context,
            goal,
            deadline,
            threads,
            work_split,
            is_over: AtomicBool::new(false),
        };
        for worker in &mut self.workers {
            worker.limit_checker.start(
                0,
                None,
                deadline,
                stop.or(self.limits.stop.as_ref()).cloned(),
            );
        }
        if let [worker] = &mut self.workers[..] {
            driver.run_worker::<false, _>(worker, 0);
        } else {
            std::thread::scope(|scope| {
                let driver = &driver;
                let mut workers = self.workers.iter_mut().enumerate();
                let leader = workers.next();
                for (index, worker) in workers {
                    spawn(
                        scope,
                        Box::new(move || driver.run_worker::<true, _>(worker, index)),
                    );
                }
                if let Some((index, leader)) = leader {
                    driver.run_worker::<true, _>(leader, index);
                }
            });
        }
        self.simulations = driver.work_split.claimed();
        if stop.is_none() {
            self.pace.record_spent_time(began.elapsed());
        }
    }

    fn prepare_root(&mut self, position: &G::Position, legal: Option<&[G::Move]>) -> bool {
        let reused = self.options.reuse_tree && self.options.graph && self.root.take().is_some();
        let Some(graph) = &mut self.graph else {
            return self.set_empty_root(position, legal);
        };
        let (kind, start) = root_kind(&self.game, position, legal);
        let key = kind.key(&self.game, position);
        let found = if reused { graph.find(key) } else { None };
        let found = match found {
            Some(node) if graph.fill_ratio() > MAX_FILL_AT_START => {
                let node = graph.retain_reachable(node, &mut self.unvisited);
                (graph.fill_ratio() <= MAX_FILL_AT_START).then_some(node)
            }
            found => found,
        };
        if found.is_none() {
            graph.clear(self.options.solver || self.prior.is_some());
        }
        let mut all = G::Moves::default();
        let outcomes = kind.list(&self.game, position, &mut all);
        let edges = match kind {
            NodeKind::Outcomes => outcomes.len(),
            _ => all.len(),
        };
        let allowed = legal.map(<[G::Move]>::to_vec);
        let owned = start.is_none();
        let chosen = allowed.as_ref().filter(|_| owned);
        let count = chosen.map_or(edges, Vec::len);
        let node = match found.filter(|_| !owned) {
            Some(node) => Some(node),
            None => {
                let mut chunk = Chunk::default();
                let added = graph.add_node(&mut chunk, key, count, 0);
                graph.release_chunk(&mut chunk);
                added.map(|node| {
                    if owned || !self.options.graph {
                        node
                    } else {
                        graph.insert(key, node)
                    }
                })
            }
        };
        let Some(node) = node else {
            return self.set_empty_root(position, legal);
        };
        let one_choice =
            allowed.is_some() || outcomes.len() == 1 && outcomes[0].move_range() == (0..edges);
        self.root = Some(Root {
            position: *position,
            node,
            allowed,
            start: start.unwrap_or(0),
            one_choice,
            owned,
            kind,
        });
        true
    }

    fn set_empty_root(&mut self, position: &G::Position, legal: Option<&[G::Move]>) -> bool {
        self.root = Some(Root {
            position: *position,
            node: 0,
            allowed: legal.map(<[G::Move]>::to_vec),
            start: 0,
            one_choice: true,
            owned: true,
            kind: NodeKind::before_chance::<G>(),
        });
        false
    }

    pub(super) fn statistics(&self) -> Vec<MoveStatistics<G::Move>> {
        let Some(root) = &self.root else {
            return Vec::new();
        };
        let graph = self.graph.as_ref().filter(|_| root.node != 0);
        let moves = match (&root.allowed, graph) {
            (Some(allowed), None) => allowed.iter().map(|&mv| (mv, None)).collect(),
            (Some(allowed), Some(graph)) => {
                let edges = graph.edges(root.node, root.start, allowed.len());
                let edges = edges.iter().map(Some);
                allowed.iter().copied().zip(edges).collect()
            }
            (None, graph) => {
                moves_and_edges(&self.game, graph, &root.position, root.node, root.kind)
            }
        };
        let mut memo = HashMap::new();
        let mut statistics_of = |(mv, edge): (G::Move, Option<CellRef<'_>>)| {
            let edge = edge.zip(graph);
            let visits = edge.map_or(0, |(edge, _)| edge.visits());
            let proven = edge.map_or(Bounds::UNKNOWN, |(edge, _)| edge.bounds());
            let payoff_sum = edge.map_or(0.0, |(edge, _)| edge.exact_payoff_sum());
            let value = if visits > 0 {
                let mean = (payoff_sum / f64::from(visits)) as f32;
                Some(mean.clamp(proven.lower, proven.upper))
            } else {
                (proven.lower >= proven.upper).then_some(proven.lower)
            };
            MoveStatistics {
                mv,
                visits,
                value,
                proven,
                prior: edge
                    .filter(|_| self.prior.is_some())
                    .map(|(edge, _)| edge.prior()),
                plies: edge
                    .filter(|_| G::TWO_SEATS_ALTERNATE)
                    .and_then(|(edge, graph)| solver::plies_to_end(graph, edge, &mut memo)),
            }
        };
        moves.into_iter().map(&mut statistics_of).collect()
    }
}

/// The moves below a node with their edges, `None` where there is no node.
pub(super) fn moves_and_edges<'g, G: SearchGame>(
    game: &G,
    graph: Option<&'g Graph>,
    position: &G::Position,
    node: u32,
    kind: NodeKind,
) -> Vec<(G::Move, Option<CellRef<'g>>)> {
    let graph = graph.filter(|_| node != 0);
    let mut moves = G::Moves::default();
    let outcomes = kind.list(game, position, &mut moves);
    if kind == NodeKind::Outcomes {
        let below = |index: usize| {
            let child = graph.map_or(0, |graph| graph.edges_of(node).get(index).child());
            let kind = NodeKind::Choice(index as u8);
            moves_and_edges(game, graph, position, child, kind)
        };
        return (0..outcomes.len()).flat_map(below).collect();
    }
    let edge = |index| graph.map(|graph| graph.edges_of(node).get(index));
    let moves = moves.iter().enumerate();
    moves.map(|(index, &mv)| (mv, edge(index))).collect()
}

/// Kind of the root's node, and where the legal moves begin in its list of moves; `None` if they are
/// not consecutive there, so that the root gets a node of its own.
fn root_kind<G: SearchGame>(
    game: &G,
    position: &G::Position,
    legal: Option<&[G::Move]>,
) -> (NodeKind, Option<usize>) {
    let Some(legal) = legal else {
        return (NodeKind::before_chance::<G>(), Some(0));
    };
    let mut moves = G::Moves::default();
    if !G::SEPARATE_OUTCOMES {
        game.moves(position, &mut moves);
        let start = (0..moves.len()).find(|&start| moves[start..].starts_with(legal));
        return (NodeKind::Moves, start);
    }
    let outcomes = 0..game.outcomes(position, &[]).len();
    let index = outcomes.into_iter().find(|&index| {
        game.moves_for(position, index, &mut moves);
        *moves == *legal
    });
    let kind = NodeKind::Choice(index.unwrap_or_default() as u8);
    (kind, index.map(|_| 0))
}

impl<G: SearchGame, L: Leaf<G>> Worker<G, L> {
    fn init_root(&mut self, context: &Context<'_, G>) {
        let root = context.root;
        self.stats.nodes += 1;
        if root.kind != NodeKind::Outcomes && context.graph.cell(root.node).visits() == 0 {
            self.list_moves(context, root.node, &root.position, root.kind);
            self.init_edges(context, root.node, &root.position, root.kind);
        }
    }
}

struct Driver<'a, G: SearchGame> {
    context: &'a Context<'a, G>,
    goal: Goal,
    deadline: Option<Deadline>,
    threads: u64,
    work_split: WorkSplit,
    is_over: AtomicBool,
}

impl<G: SearchGame> Driver<'_, G> {
    fn run_worker<const SHARED: bool, L: Leaf<G>>(&self, worker: &mut Worker<G, L>, index: usize) {
        let step = CHECK_INTERVAL.max(self.context.options.batch as u64);
        let (mut done, mut checks, mut simulations_left_in_time) = (0, 0u64, u64::MAX);
        let mut cursor = self.work_split.cursor(index);
        while !self.is_over.load(Relaxed) {
            let left = self.work_split.unclaimed(&cursor);
            if index == 0 && left > 0 {
                if checks.is_multiple_of(ESTIMATE_INTERVAL) && self.deadline.is_some() {
                    simulations_left_in_time = self.simulations_left_in_time();
                }
                if checks.is_multiple_of(ESTIMATE_INTERVAL) && self.is_choice_clear() {
                    break;
                }
                checks += 1;
                // Upper bound of simulations under way or in write buffers.
                let unreported = if SHARED {
                    u64::from(MAX_BUFFERED_VISITS)
                        .saturating_add(step)
                        .saturating_mul(self.threads)
                } else {
                    0
                };
                if self.is_decided(left.min(simulations_left_in_time), unreported) {
                    break;
                }
            }
            let Some(claim) = self.work_split.claim(&mut cursor, step) else {
                break;
            };
            worker.draws = claim.draws;
            worker.simulate::<SHARED>(self.context, claim.count as usize, done);
            done += step;
            if worker.limit_checker.is_over(done) {
                break;
            }
        }
        if SHARED {
            worker.write_buffer.flush(self.context.graph);
        }
        self.context.graph.release_chunk(&mut worker.chunk);
        if index == 0 {
            self.is_over.store(true, Relaxed);
        }
    }

    /// Simulations expected before the deadline, plus a quarter for a rising speed.
    fn simulations_left_in_time(&self) -> u64 {
        let Some(deadline) = self.deadline else {
            return u64::MAX;
        };
        let done = self.work_split.claimed();
        let spent = deadline.stopwatch.elapsed();
        let (spent, left) = (
            spent.as_secs_f64(),
            deadline.after.saturating_sub(spent).as_secs_f64(),
        );
        if done < 64 {
            u64::MAX
        } else {
            (done as f64 * 1.25 * left / spent.max(1e-9)) as u64 + 1
        }
    }

    /// Whether [`MctsOptions::sole_move_threshold`] or [`MctsOptions::stop_when_clear`] ends the
    /// search (Lajkonik's controller).
    fn is_choice_clear(&self) -> bool {
        let &Context {
            graph,
            options,
            root,
            ..
        } = self.context;
        let Some(allowed) = root.allowed.as_ref() else {
            return false;
        };
        if self.goal == Goal::Values
            || (options.sole_move_threshold >= 1.0 && !options.stop_when_clear)
        {
            return false;
        }
        let edges = graph.edges(root.node, root.start, allowed.len());
        let mut by_visits = [(0, 0.0); 2];
        let (mut open, mut sole) = (0, 0.0);
        for edge in edges.iter() {
            let visits = edge.visits();
            if edge.bounds().upper > self.context.tolerance {
                open += 1;
                sole = if visits > 0 { edge.mean() } else { 0.0 };
            }
            if visits > by_visits[0].0 {
                by_visits = [(visits, edge.mean()), by_visits[0]];
            } else if visits > by_visits[1].0 {
                by_visits[1] = (visits, edge.mean());
            }
        }
        let [(first_visits, mean), (second_visits, _)] =
            by_visits.map(|(visits, mean)| (f64::from(visits), mean));
        if options.solver && open == 1 && sole > options.sole_move_threshold {
            return true;
        }
        self.deadline
            .filter(|_| options.stop_when_clear)
            .is_some_and(|deadline| {
                let spent = deadline.stopwatch.elapsed().as_secs_f64();
                first_visits * f64::from(mean) * spent
                    > second_visits * deadline.after.as_secs_f64()
            })
    }

    /// Whether the search may end with `left` simulations to go and `unreported` ones not yet in
    /// the graph.
    fn is_decided(&self, left: u64, unreported: u64) -> bool {
        let &Context {
            graph,
            options,
            root,
            ..
        } = self.context;
        let tolerance = self.context.tolerance;
        let edges = match &root.allowed {
            Some(allowed) => graph.edges(root.node, root.start, allowed.len()),
            None => graph.edges_of(root.node),
        };
        if options.solver {
            let (mut lower, mut upper) = (0.0f32, 0.0f32);
            for edge in edges.iter() {
                let bounds = edge.bounds();
                (lower, upper) = (lower.max(bounds.lower), upper.max(bounds.upper));
            }
            let tried = edges
                .iter()
                .all(|edge| edge.visits() > 0 || edge.bounds().upper <= lower);
            if !root.one_choice {
                return tried && self.context.is_proven(graph.cell(root.node).bounds());
            }
            if lower + tolerance >= upper {
                let max_visits = |best: bool| {
                    let matching = edges
                        .iter()
                        .filter(|edge| (edge.bounds().lower + tolerance >= upper) == best);
                    matching
                        .map(|edge| u64::from(edge.visits()))
                        .max()
                        .unwrap_or(0)
                };
                let agrees = || max_visits(true) >= max_visits(false) + unreported;
                if self.goal == Goal::Choice || tried && agrees() {
                    return true;
                }
            }
            if self.goal == Goal::Choice && edges.len() > 1 {
                let best = edges
                    .iter()
                    .position(|edge| edge.bounds().lower >= lower && edge.visits() > 0);
                let others = |best: usize| {
                    edges
                        .iter()
                        .enumerate()
                        .filter(move |(index, _)| *index != best)
                };
                if best.is_some_and(|best| {
                    others(best).all(|(_, other)| other.bounds().upper <= lower)
                }) {
                    return true;
                }
            }
        }
        if self.goal == Goal::Choice && options.smart_pruning {
            // A single legal move still gets half of the simulations, for its value.
            let (mut first_visits, mut second_visits) = (0u64, 0u64);
            for edge in edges.cells() {
                let visits = u64::from(edge.visits());
                (first_visits, second_visits) = if visits > first_visits {
                    (visits, first_visits)
                } else {
                    (first_visits, second_visits.max(visits))
                };
            }
            return first_visits
                > second_visits
                    .saturating_add(left)
                    .saturating_add(unreported);
        }
        false
    }
}
