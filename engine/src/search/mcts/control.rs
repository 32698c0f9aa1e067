//! The controller: where a search begins, how long it goes on, and what it then says.
//!
//! A search ends with its budget, when the root is solved, and, if only a choice is wanted, when
//! one move is proven the best or no other can become the most visited. Invariants: threads are
//! started and ended within one search, and when it ends none of them keeps anything back.

use super::{
    Mcts, Purpose,
    allocator::BumpAllocator,
    place::Place,
    report::MoveStatistics,
    select::Selector,
    solver,
    work_split::WorkSplit,
    worker::{Root, Shared, Worker},
    write_buffer::MAX_BUFFERED,
};
use crate::core::{chance::Bounds, game::Game, leaf::Leaf};
use crate::search::{mcts::options::Budget, parallel::spawn, stopwatch::Deadline};
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

/// Simulations from one look at whether to end to the next.
const BETWEEN_LOOKS: u64 = 16;

/// Looks from one estimate of the simulations left in a limit of time to the next.
const BETWEEN_ESTIMATES: u64 = 64;

/// Share of the memory that may be in use when a search begins on what an earlier one left.
const FULL_AT_START: f64 = 0.5;

impl<G: Game, L: Leaf<G>> Mcts<G, L> {
    /// Searches until an answer is certain enough, or until `stop` is set if it is given: then
    /// without any other limit.
    pub(super) fn run(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        purpose: Purpose,
        stop: Option<&Arc<AtomicBool>>,
    ) {
        let began = self.pace.start();
        self.simulations = 0;
        for worker in &mut self.workers {
            (worker.depth, worker.full) = (0, false);
        }
        if !self.begin(position, legal) {
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
        let shared = Shared {
            keeps_back: self.workers.len() > 1,
            crowded_below: u32::try_from(self.workers.len().saturating_mul(options.batch))
                .unwrap_or(u32::MAX)
                .min(self.workers[0].write_buffer.busy()),
            game: &self.game,
            graph,
            options: &options,
            selector: Selector::new(&options),
            root,
            oracle,
            prior: self.prior.as_deref(),
            // Twice the error of both ends; a little more, for rounding adds to it.
            tolerance: oracle
                .map(|oracle| oracle.error())
                .filter(|&error| error > 0.0)
                .map_or(0.0, |error| 2.0 * error + 1e-6),
        };
        let budget = match options.budget {
            Budget::Simulations(simulations) if stop.is_none() => simulations,
            _ => u64::MAX,
        };
        let moves = self.game.moves_left(position);
        let deadline = (self.pace.deadline(began, moves)).filter(|_| stop.is_none());
        self.workers[0].ask_about_root(&shared);
        let threads = self.workers.len() as u64;
        let work_split = WorkSplit::new(self.workers.len(), budget);
        let control = Control {
            shared: &shared,
            purpose,
            deadline,
            threads,
            work_split,
            over: AtomicBool::new(false),
        };
        for worker in &mut self.workers {
            worker.watch.start(
                0,
                None,
                deadline,
                stop.or(self.limits.stop.as_ref()).cloned(),
            );
        }
        if let [worker] = &mut self.workers[..] {
            control.work::<false, _>(worker, 0);
        } else {
            std::thread::scope(|scope| {
                let control = &control;
                let mut workers = self.workers.iter_mut().enumerate();
                let leader = workers.next();
                for (number, worker) in workers {
                    spawn(
                        scope,
                        Box::new(move || control.work::<true, _>(worker, number)),
                    );
                }
                if let Some((number, leader)) = leader {
                    control.work::<true, _>(leader, number);
                }
            });
        }
        self.simulations = control.work_split.claimed();
        if stop.is_none() {
            self.pace.spent(began.elapsed());
        }
    }

    /// Finds or makes the block of the root; false if there is no memory even for that.
    fn begin(&mut self, position: &G::Position, legal: Option<&[G::Move]>) -> bool {
        let kept = self.options.keep && self.options.graph && self.root.take().is_some();
        let Some(graph) = &mut self.graph else {
            return self.give_up(position, legal);
        };
        let key = self.game.key(position);
        let found = if kept { graph.find(key) } else { None };
        let found = match found {
            Some(block) if graph.fill() > FULL_AT_START => {
                let block = graph.keep_only(block, &mut self.unvisited);
                // Too much for the search to come: begin anew.
                (graph.fill() <= FULL_AT_START).then_some(block)
            }
            found => found,
        };
        if found.is_none() {
            graph.clear(self.options.solver || self.prior.is_some());
        }
        let mut all = G::Moves::default();
        self.game.moves(position, &mut all);
        // What an outcome permits is a run of the list; other choices of moves are a position of
        // their own.
        let start = match legal {
            None => Some(0),
            Some(legal) => (0..all.len()).find(|&start| all[start..].starts_with(legal)),
        };
        let permitted = legal.map(<[G::Move]>::to_vec);
        let private = start.is_none();
        let chosen = permitted.as_ref().filter(|_| private);
        let count = chosen.map_or(all.len(), Vec::len);
        let block = match found.filter(|_| !private) {
            Some(block) => Some(block),
            None => {
                let mut allocator = BumpAllocator::default();
                let added = graph.add(&mut allocator, key, count, 0);
                graph.close(&mut allocator);
                added.map(|block| {
                    if private || !self.options.graph {
                        block
                    } else {
                        graph.publish(key, block)
                    }
                })
            }
        };
        let Some(block) = block else {
            return self.give_up(position, legal);
        };
        let outcomes = self.game.outcomes(position, &all);
        let one_choice =
            permitted.is_some() || outcomes.len() == 1 && outcomes[0].run() == (0..all.len());
        self.root = Some(Root {
            position: *position,
            block,
            permitted,
            start: start.unwrap_or(0),
            one_choice,
            private,
        });
        true
    }

    fn give_up(&mut self, position: &G::Position, legal: Option<&[G::Move]>) -> bool {
        self.root = Some(Root {
            position: *position,
            block: 0,
            permitted: legal.map(<[G::Move]>::to_vec),
            start: 0,
            one_choice: true,
            private: true,
        });
        false
    }

    /// What is known of each move asked about.
    pub(super) fn statistics(&self) -> Vec<MoveStatistics<G::Move>> {
        let Some(root) = &self.root else {
            return Vec::new();
        };
        let mut all = G::Moves::default();
        let moves: &[G::Move] = match &root.permitted {
            Some(permitted) => permitted,
            None => {
                self.game.moves(&root.position, &mut all);
                &all
            }
        };
        let unknown = |mv| MoveStatistics {
            mv,
            visits: 0,
            value: None,
            proven: Bounds::UNKNOWN,
            prior: None,
            plies: None,
        };
        let Some(graph) = self.graph.as_ref().filter(|_| root.block != 0) else {
            return moves.iter().map(|&mv| unknown(mv)).collect();
        };
        let edges = graph.edges(root.block, root.start, moves.len());
        let mut known = HashMap::new();
        let of_edge = |(&mv, edge): (&G::Move, Place<'_>)| {
            let (visits, proven) = (edge.visits(), edge.bounds());
            let value = if visits > 0 {
                Some(
                    ((edge.exact_payoff() / f64::from(visits)) as f32)
                        .clamp(proven.lower, proven.upper),
                )
            } else {
                (proven.lower >= proven.upper).then_some(proven.lower)
            };
            let prior = self.prior.as_ref().map(|_| edge.hint());
            MoveStatistics {
                mv,
                visits,
                value,
                proven,
                prior,
                // Else it is not the answers that decide how long a game takes.
                plies: G::ALTERNATES
                    .then(|| solver::plies(graph, edge, &mut known))
                    .flatten(),
            }
        };
        moves.iter().zip(edges.iter()).map(of_edge).collect()
    }
}

impl<G: Game, L: Leaf<G>> Worker<G, L> {
    /// The root has no simulation behind it that would ask what is known of its moves.
    fn ask_about_root(&mut self, shared: &Shared<'_, G>) {
        let root = shared.root;
        self.stats.nodes += 1;
        if shared.graph.cell(root.block).visits() == 0 {
            self.list(shared, root.block, &root.position);
            self.inform(shared, root.block, &root.position);
        }
    }
}

/// What the threads of one search go by.
struct Control<'a, G: Game> {
    shared: &'a Shared<'a, G>,
    purpose: Purpose,
    deadline: Option<Deadline>,
    threads: u64,
    /// Simulations that threads have taken over.
    work_split: WorkSplit,
    over: AtomicBool,
}

impl<G: Game> Control<'_, G> {
    /// Simulates until the search is over; thread 0 decides when that is.
    fn work<const SHARED: bool, L: Leaf<G>>(&self, worker: &mut Worker<G, L>, number: usize) {
        let step = BETWEEN_LOOKS.max(self.shared.options.batch as u64);
        let (mut done, mut looks, mut left_in_time) = (0, 0u64, u64::MAX);
        let mut turn = self.work_split.turn(number);
        while !self.over.load(Relaxed) {
            let left = self.work_split.left(&turn);
            if number == 0 && left > 0 {
                if looks.is_multiple_of(BETWEEN_ESTIMATES) && self.deadline.is_some() {
                    left_in_time = self.left_in_time();
                }
                if looks.is_multiple_of(BETWEEN_ESTIMATES) && self.is_clear() {
                    break;
                }
                looks += 1;
                // What other threads have begun or kept back does not show yet.
                let unseen = if SHARED {
                    u64::from(MAX_BUFFERED)
                        .saturating_add(step)
                        .saturating_mul(self.threads)
                } else {
                    0
                };
                if self.is_certain(left.min(left_in_time), unseen) {
                    break;
                }
            }
            let Some(claim) = self.work_split.claim(&mut turn, step) else {
                break;
            };
            worker.draws = claim.draws;
            worker.simulate::<SHARED>(self.shared, claim.count as usize, done);
            done += step;
            if worker.watch.is_over(done) {
                break;
            }
        }
        if SHARED {
            worker.write_buffer.flush(self.shared.graph);
        }
        self.shared.graph.close(&mut worker.allocator);
        if number == 0 {
            self.over.store(true, Relaxed);
        }
    }

    /// How many simulations the time left suffices for at the pace so far; a quarter more, for they
    /// may be faster.
    fn left_in_time(&self) -> u64 {
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

    /// Whether the answer is clear enough to those who ask for no more: [`MctsOptions::sole`] and
    /// [`MctsOptions::human`] (Lajkonik's controller).
    fn is_clear(&self) -> bool {
        let &Shared {
            graph,
            options,
            root,
            ..
        } = self.shared;
        let Some(permitted) = root.permitted.as_ref() else {
            return false;
        };
        if self.purpose == Purpose::Values || (options.sole >= 1.0 && !options.human) {
            return false;
        }
        let edges = graph.edges(root.block, root.start, permitted.len());
        let mut by_visits = [(0, 0.0); 2];
        let (mut open, mut sole) = (0, 0.0);
        for edge in edges.iter() {
            let visits = edge.visits();
            if edge.bounds().upper > self.shared.tolerance {
                open += 1;
                sole = if visits > 0 { edge.mean() } else { 0.0 };
            }
            if visits > by_visits[0].0 {
                by_visits = [(visits, edge.mean()), by_visits[0]];
            } else if visits > by_visits[1].0 {
                by_visits[1] = (visits, edge.mean());
            }
        }
        let [(most, mean), (second, _)] = by_visits.map(|(visits, mean)| (f64::from(visits), mean));
        if options.solver && open == 1 && sole > options.sole {
            return true;
        }
        self.deadline
            .filter(|_| options.human)
            .is_some_and(|deadline| {
                let spent = deadline.stopwatch.elapsed().as_secs_f64();
                most * f64::from(mean) * spent > second * deadline.after.as_secs_f64()
            })
    }

    /// Whether further simulations, and those that do not show yet, would not change the answer.
    fn is_certain(&self, left: u64, unseen: u64) -> bool {
        let &Shared {
            graph,
            options,
            root,
            ..
        } = self.shared;
        let tolerance = self.shared.tolerance;
        let edges = match &root.permitted {
            Some(permitted) => graph.edges(root.block, root.start, permitted.len()),
            None => graph.all_edges(root.block),
        };
        if options.solver {
            let (mut lower, mut upper) = (0.0f32, 0.0f32);
            for edge in edges.iter() {
                let bounds = edge.bounds();
                (lower, upper) = (lower.max(bounds.lower), upper.max(bounds.upper));
            }
            // A move that cannot be better than another may stay untried.
            let tried = edges
                .iter()
                .all(|edge| edge.visits() > 0 || edge.bounds().upper <= lower);
            if !root.one_choice {
                return tried && self.shared.settled(graph.cell(root.block).bounds());
            }
            if lower + tolerance >= upper {
                // Whoever wants the values may choose by visits: they must tell one of the best
                // moves.
                let most = |best: bool| {
                    let such = edges
                        .iter()
                        .filter(|edge| (edge.bounds().lower + tolerance >= upper) == best);
                    such.map(|edge| u64::from(edge.visits())).max().unwrap_or(0)
                };
                let shown = || most(true) >= most(false) + unseen;
                if self.purpose == Purpose::Choice || tried && shown() {
                    return true;
                }
            }
            if self.purpose == Purpose::Choice && edges.len() > 1 {
                // One move that is proven to be at least as good as every other one.
                let best = edges
                    .iter()
                    .position(|edge| edge.bounds().lower >= lower && edge.visits() > 0);
                let others = |best: usize| {
                    edges
                        .iter()
                        .enumerate()
                        .filter(move |(number, _)| *number != best)
                };
                if best.is_some_and(|best| {
                    others(best).all(|(_, other)| other.bounds().upper <= lower)
                }) {
                    return true;
                }
            }
        }
        if self.purpose == Purpose::Choice && options.early {
            // A single move leads before none: half the simulations give it a value.
            let (mut most, mut second) = (0u64, 0u64);
            for edge in edges.cells() {
                let visits = u64::from(edge.visits());
                (most, second) = if visits > most {
                    (visits, most)
                } else {
                    (most, second.max(visits))
                };
            }
            return most > second.saturating_add(left).saturating_add(unseen);
        }
        false
    }
}
