//! Monte-Carlo tree search: UCT with chance sampled at every visit (Monte_Alpha, Electronics 2023, 12, 2936).
//!
//! A node keeps statistics per distinct move, shared by all outcomes that permit it. A simulation draws an outcome
//! at each node, selects among the moves it permits by UCB1, adds one node, values it by a [`Leaf`] and adds each
//! seat's payoff to the moves that seat made (so it is maxⁿ for more than two seats).
//!
//! With two seats the search also proves (Lajkonik's solver, carried through chance by the unified operator): finished
//! games have exact values, bounds back up from them, dominated moves are no longer tried, and a position whose bounds
//! have met is not searched any further. Invariant: bounds always enclose the game-theoretic value.

use super::SearchStats;
use super::meter::{Meter, Off};
use crate::chance::{Bounds, expectation};
use crate::eval::Evaluator;
use crate::game::{Game, MAX_SEATS, Outcome, OutcomeList, Payoffs, sample};
use crate::random::RandomStream;
use std::time::{Duration, Instant};

/// Values a position that is not over and has just been added to the tree.
pub trait Leaf<G: Game>: Send {
    /// One payoff a seat, each in `[0, 1]`.
    fn payoffs(&mut self, game: &G, position: &G::Position, random: &mut RandomStream) -> Payoffs;
}

/// Plays on at random to the end: an outcome by its weight, a permitted move uniformly.
#[derive(Clone, Copy, Debug, Default)]
pub struct Playout;

impl<G: Game> Leaf<G> for Playout {
    fn payoffs(&mut self, game: &G, position: &G::Position, random: &mut RandomStream) -> Payoffs {
        game.random_end(position, || random.next_u64())
    }
}

/// Asks an evaluator instead of playing on (Monte_Alpha v2's idea).
#[derive(Clone, Debug)]
pub struct EvaluatorLeaf<G: Game, E: Evaluator<G>> {
    evaluator: E,
    cache: E::Cache,
}

impl<G: Game, E: Evaluator<G>> EvaluatorLeaf<G, E> {
    /// Leaves valued by `evaluator`.
    pub fn new(evaluator: E) -> Self {
        Self { evaluator, cache: E::Cache::default() }
    }
}

impl<G: Game, E: Evaluator<G>> Leaf<G> for EvaluatorLeaf<G, E> {
    fn payoffs(&mut self, game: &G, position: &G::Position, _random: &mut RandomStream) -> Payoffs {
        self.evaluator.refresh(game, position, &mut self.cache);
        self.evaluator.payoffs(game, position, &self.cache)
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// After this many simulations.
    Simulations(u64),
    /// After this time; the same seed need not give the same move then.
    Time(Duration),
}

/// Settings of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MctsOptions {
    /// When to stop.
    pub budget: Budget,
    /// The constant c of `w/n + c · sqrt(ln N / n)`; Monte_Alpha prints sqrt(2).
    pub exploration: f64,
}

/// One move of a node.
#[derive(Clone, Copy, Debug)]
struct Edge<M> {
    mv: M,
    child: u32,
    visits: u32,
    /// Sum of the payoffs of the seat that makes the move.
    payoff: f64,
    /// What is proven of the move's value for that seat.
    proven: Bounds,
}

const NO_CHILD: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Node<P> {
    position: P,
    /// Of a finished game, or proven.
    payoffs: Option<Payoffs>,
    /// What is proven of the value for the seat to move.
    proven: Bounds,
    outcomes: OutcomeList,
    first_edge: u32,
    edges: u32,
    visits: u32,
}

/// What a search found out about one move at the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveStatistics<M> {
    /// The move.
    pub mv: M,
    /// How often it was tried.
    pub visits: u32,
    /// Mean payoff of the seat that makes it, or its value if that is proven; `None` if it was never tried.
    pub value: Option<f32>,
    /// What is proven of its value for that seat.
    pub proven: Bounds,
}

/// The move to make: one that is proven to be at least as good as every other, else the most tried of those that are
/// not proven to be worse than another; the first of several.
///
/// # Panics
/// If there is no move.
#[must_use]
pub fn best_move<M: Copy>(found: &[MoveStatistics<M>]) -> &MoveStatistics<M> {
    let floor = found.iter().map(|statistics| statistics.proven.lower).fold(0.0, f32::max);
    let ceiling = found.iter().map(|statistics| statistics.proven.upper).fold(0.0, f32::max);
    if let Some(best) = found.iter().find(|statistics| statistics.proven.lower >= ceiling) {
        return best;
    }
    let mut best: Option<&MoveStatistics<M>> = None;
    for statistics in found.iter().filter(|statistics| statistics.proven.upper >= floor) {
        if best.is_none_or(|best| statistics.visits > best.visits) {
            best = Some(statistics);
        }
    }
    best.unwrap_or(&found[0])
}

/// The search; its memory is kept from move to move, the tree is not.
#[derive(Clone, Debug)]
pub struct Mcts<G: Game, L: Leaf<G>, M: Meter = Off> {
    game: G,
    leaf: L,
    options: MctsOptions,
    random: RandomStream,
    nodes: Vec<Node<G::Position>>,
    edges: Vec<Edge<G::Move>>,
    path: Vec<(u32, u32)>,
    /// The moves' bounds of one node while they are combined; kept so that no simulation allocates.
    values: Vec<f32>,
    stats: SearchStats,
    meter: M,
}

impl<G: Game, L: Leaf<G>, M: Meter> Mcts<G, L, M> {
    /// A search with its own random numbers.
    pub fn new(game: G, leaf: L, options: MctsOptions, seed: u64) -> Self {
        Self {
            game,
            leaf,
            options,
            random: RandomStream::new(seed),
            nodes: Vec::new(),
            edges: Vec::new(),
            path: Vec::new(),
            values: Vec::new(),
            stats: SearchStats::default(),
            meter: M::default(),
        }
    }

    /// Starts the random numbers of a new game.
    pub fn reseed(&mut self, seed: u64) {
        self.random = RandomStream::new(seed);
    }

    /// The rules that are searched.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Searches a position that is not over: with the given moves after chance has spoken, or before (`None`).
    /// Returns what was found about each of the moves, in order.
    pub fn search(&mut self, position: &G::Position, legal: Option<&[G::Move]>) -> Vec<MoveStatistics<G::Move>> {
        self.nodes.clear();
        self.edges.clear();
        match legal {
            None => {
                self.add_node(*position);
            }
            Some(legal) => {
                let mut outcomes = OutcomeList::default();
                outcomes.push(Outcome { weight: 1.0, start: 0, end: legal.len() as u16 });
                self.push_node(*position, None, legal, outcomes);
            }
        }
        match self.options.budget {
            Budget::Simulations(simulations) => {
                let mut left = simulations;
                while left > 0 && !self.knows_enough() {
                    self.simulate();
                    left -= 1;
                }
            }
            Budget::Time(time) => {
                let began = Instant::now();
                while began.elapsed() < time && !self.knows_enough() {
                    // The clock is read every 16 simulations, some 20 microseconds.
                    (0..16).for_each(|_| self.simulate());
                }
            }
        }
        let root = &self.nodes[0];
        self.edges[root.first_edge as usize..(root.first_edge + root.edges) as usize]
            .iter()
            .map(|edge| {
                let mean = (edge.payoff / f64::from(edge.visits)) as f32;
                let value = (edge.visits > 0).then(|| mean.clamp(edge.proven.lower, edge.proven.upper));
                MoveStatistics { mv: edge.mv, visits: edge.visits, value, proven: edge.proven }
            })
            .collect()
    }

    /// What has been spent since the last call.
    pub fn take_stats(&mut self) -> SearchStats {
        let evaluation_time = self.meter.take();
        SearchStats { evaluation_time, ..std::mem::take(&mut self.stats) }
    }

    /// Whether the root is proven and each of its moves has been tried.
    #[inline]
    fn knows_enough(&self) -> bool {
        let root = &self.nodes[0];
        root.payoffs.is_some() && self.edges[..root.edges as usize].iter().all(|edge| edge.visits > 0)
    }

    fn simulate(&mut self) {
        self.path.clear();
        let mut current = 0u32;
        let payoffs = loop {
            let node = &mut self.nodes[current as usize];
            node.visits += 1;
            if let Some(payoffs) = node.payoffs
                && current != 0
            {
                break payoffs;
            }
            let outcome = *sample(&node.outcomes, (self.random.next_u64() >> 32) as u32);
            let first = node.first_edge as usize;
            let chosen =
                first + outcome.run().start + self.select(&self.edges[first..][outcome.run()], self.nodes[current as usize].visits);
            self.path.push((current, chosen as u32));
            let edge = self.edges[chosen];
            if edge.child != NO_CHILD {
                current = edge.child;
                continue;
            }
            let next = self.game.play(&self.nodes[current as usize].position, edge.mv);
            self.edges[chosen].child = self.add_node(next);
            let added = self.nodes.len() - 1;
            self.nodes[added].visits = 1;
            if let Some(payoffs) = self.nodes[added].payoffs {
                break payoffs;
            }
            self.stats.evaluations += 1;
            let (game, leaf, random) = (&self.game, &mut self.leaf, &mut self.random);
            break self.meter.evaluation(|| leaf.payoffs(game, &next, random));
        };
        for &(node, edge) in &self.path {
            let seat = self.game.to_move(&self.nodes[node as usize].position);
            let edge = &mut self.edges[edge as usize];
            edge.visits += 1;
            edge.payoff += f64::from(payoffs[seat]);
        }
        if G::SEATS == 2 {
            self.prove();
        }
    }

    /// Carries what is proven at the end of the path back towards the root, as far as it tells anything new.
    fn prove(&mut self) {
        for &(node, edge) in self.path.iter().rev() {
            let child = &self.nodes[self.edges[edge as usize].child as usize];
            let seat = self.game.to_move(&self.nodes[node as usize].position);
            let bounds = if self.game.to_move(&child.position) == seat { child.proven } else { child.proven.opposite() };
            if bounds == self.edges[edge as usize].proven {
                return;
            }
            self.edges[edge as usize].proven = bounds;
            let node = &mut self.nodes[node as usize];
            let edges = &self.edges[node.first_edge as usize..(node.first_edge + node.edges) as usize];
            self.values.clear();
            self.values.extend(edges.iter().map(|edge| edge.proven.lower));
            let lower = expectation(&node.outcomes, &self.values);
            self.values.clear();
            self.values.extend(edges.iter().map(|edge| edge.proven.upper));
            let upper = expectation(&node.outcomes, &self.values);
            node.proven = Bounds { lower, upper };
            if lower >= upper {
                let mut payoffs = [0.0; MAX_SEATS];
                payoffs[seat] = lower;
                payoffs[1 - seat] = 1.0 - lower;
                node.payoffs = Some(payoffs);
            }
        }
    }

    /// The first untried move, else by UCB1 among those that are not proven to be worse than another: the one of largest
    /// upper confidence bound, which no proof exceeds.
    #[inline]
    fn select(&self, edges: &[Edge<G::Move>], parent_visits: u32) -> usize {
        let log = f64::from(parent_visits).ln();
        let floor = edges.iter().map(|edge| edge.proven.lower).fold(0.0, f32::max);
        let mut best = (0, f64::NEG_INFINITY);
        for (index, edge) in edges.iter().enumerate() {
            if edge.visits == 0 {
                return index;
            }
            if edge.proven.upper < floor {
                continue;
            }
            let visits = f64::from(edge.visits);
            let bound = edge.payoff / visits + self.options.exploration * (log / visits).sqrt();
            let bound = bound.clamp(f64::from(edge.proven.lower), f64::from(edge.proven.upper));
            if bound > best.1 {
                best = (index, bound);
            }
        }
        best.0
    }

    fn add_node(&mut self, position: G::Position) -> u32 {
        let payoffs = self.game.payoffs(&position);
        let mut moves = G::Moves::default();
        let mut outcomes = OutcomeList::default();
        if payoffs.is_none() {
            self.game.moves(&position, &mut moves);
            self.game.outcomes(&position, &moves, &mut outcomes);
        }
        self.push_node(position, payoffs, &moves, outcomes)
    }

    fn push_node(&mut self, position: G::Position, payoffs: Option<Payoffs>, moves: &[G::Move], outcomes: OutcomeList) -> u32 {
        self.stats.nodes += 1;
        let first_edge = self.edges.len() as u32;
        let proven = payoffs.map_or(Bounds::UNKNOWN, |payoffs| Bounds::exact(payoffs[self.game.to_move(&position)]));
        self.edges.extend(moves.iter().map(|&mv| Edge { mv, child: NO_CHILD, visits: 0, payoff: 0.0, proven: Bounds::UNKNOWN }));
        self.nodes.push(Node { position, payoffs, proven, outcomes, first_edge, edges: moves.len() as u32, visits: 0 });
        self.nodes.len() as u32 - 1
    }
}
