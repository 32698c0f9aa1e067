//! Monte-Carlo tree search: UCT with chance sampled at every visit (Monte_Alpha, Electronics 2023, 12, 2936).
//!
//! A node keeps statistics per distinct move, shared by all outcomes that permit it. A simulation draws an outcome
//! at each node, selects among the moves it permits by UCB1, adds one node, values it by a [`Leaf`] and adds each
//! seat's payoff to the moves that seat made (so it is maxⁿ for more than two seats).

use super::SearchStats;
use super::meter::{Meter, Off};
use crate::eval::Evaluator;
use crate::game::{Game, Outcome, OutcomeList, Payoffs};
use crate::random::RandomStream;
use std::time::{Duration, Instant};

/// Values a position that is not over and has just been added to the tree.
pub trait Leaf<G: Game>: Send {
    /// One payoff a seat, each in `[0, 1]`.
    fn payoffs(&mut self, game: &G, position: &G::Position, random: &mut RandomStream) -> Payoffs;
}

/// Plays on at random to the end: an outcome by its weight, a permitted move uniformly.
#[derive(Clone, Debug)]
pub struct Playout<G: Game> {
    moves: G::Moves,
}

impl<G: Game> Default for Playout<G> {
    fn default() -> Self {
        Self { moves: G::Moves::default() }
    }
}

impl<G: Game> Leaf<G> for Playout<G> {
    fn payoffs(&mut self, game: &G, position: &G::Position, random: &mut RandomStream) -> Payoffs {
        let mut position = *position;
        let mut outcomes = OutcomeList::default();
        loop {
            if let Some(payoffs) = game.payoffs(&position) {
                return payoffs;
            }
            game.moves(&position, &mut self.moves);
            game.outcomes(&position, &self.moves, &mut outcomes);
            // One generator output decides both: its high half the outcome, its low half the move.
            let bits = random.next_u64();
            let run = sample(&outcomes, (bits >> 32) as u32).run();
            let index = run.start + ((bits & 0xFFFF_FFFF) * run.len() as u64 >> 32) as usize;
            position = game.play(&position, self.moves[index]);
        }
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
}

const NO_CHILD: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Node<P> {
    position: P,
    payoffs: Option<Payoffs>,
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
    /// Mean payoff of the seat that makes it; `None` if it was never tried.
    pub value: Option<f32>,
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
            Budget::Simulations(simulations) => (0..simulations).for_each(|_| self.simulate()),
            Budget::Time(time) => {
                let began = Instant::now();
                while began.elapsed() < time {
                    // The clock is read every 16 simulations, some 20 microseconds.
                    (0..16).for_each(|_| self.simulate());
                }
            }
        }
        let root = &self.nodes[0];
        self.edges[root.first_edge as usize..(root.first_edge + root.edges) as usize]
            .iter()
            .map(|edge| MoveStatistics {
                mv: edge.mv,
                visits: edge.visits,
                value: (edge.visits > 0).then(|| (edge.payoff / f64::from(edge.visits)) as f32),
            })
            .collect()
    }

    /// What has been spent since the last call.
    pub fn take_stats(&mut self) -> SearchStats {
        let evaluation_time = self.meter.take();
        SearchStats { evaluation_time, ..std::mem::take(&mut self.stats) }
    }

    fn simulate(&mut self) {
        self.path.clear();
        let mut current = 0u32;
        let payoffs = loop {
            let node = &mut self.nodes[current as usize];
            node.visits += 1;
            if let Some(payoffs) = node.payoffs {
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
    }

    /// UCB1: the first untried move, else the one of largest upper confidence bound.
    #[inline]
    fn select(&self, edges: &[Edge<G::Move>], parent_visits: u32) -> usize {
        let log = f64::from(parent_visits).ln();
        let mut best = (0, f64::NEG_INFINITY);
        for (index, edge) in edges.iter().enumerate() {
            if edge.visits == 0 {
                return index;
            }
            let visits = f64::from(edge.visits);
            let bound = edge.payoff / visits + self.options.exploration * (log / visits).sqrt();
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
        self.edges.extend(moves.iter().map(|&mv| Edge { mv, child: NO_CHILD, visits: 0, payoff: 0.0 }));
        self.nodes.push(Node { position, payoffs, outcomes, first_edge, edges: moves.len() as u32, visits: 0 });
        self.nodes.len() as u32 - 1
    }
}

/// The outcome that 32 random bits select by weight.
#[inline]
fn sample(outcomes: &[Outcome], bits: u32) -> &Outcome {
    let mut rest = bits as f32 / 4_294_967_296.0;
    for outcome in outcomes {
        rest -= outcome.weight;
        if rest < 0.0 {
            return outcome;
        }
    }
    &outcomes[outcomes.len() - 1]
}
