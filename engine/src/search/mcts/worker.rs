//! One thread's simulations: down the graph to a leaf, its value, and back up.
//!
//! A simulation draws an outcome at each position, selects among the moves it permits, and ends at a move that was never
//! tried, at what is settled, or where memory is used up. A position gets its block when a move is tried for the second
//! time, so what was visited once costs no memory. Nothing here allocates once its lists have grown. Statistics belong to
//! moves (UCT1 of Childs, Brodeur and Kocsis 2008): on a graph a move's mean is that of the simulations that made it, while
//! what lies behind it is searched by all who get there.

mod backup;

use super::graph::{Cell, Graph};
use super::leaf::{Leaf, MoveKinds, Prior, of_two};
use super::options::{MctsOptions, Selection};
use super::pending::Pending;
use super::select::Selector;
use crate::chance::Bounds;
use crate::eval::calibration::logistic;
use crate::game::{Game, MAX_SEATS, OutcomeList, Payoffs, Seat};
use crate::oracle::Oracle;
use crate::random::RandomStream;
use crate::search::SearchStats;
use crate::search::limits::Watch;
use crate::search::meter::Meter;

/// The position at which all simulations begin.
#[derive(Clone, Debug)]
pub(super) struct Root<G: Game> {
    pub(super) position: G::Position,
    pub(super) block: u32,
    /// The moves that chance permits, if it has spoken.
    pub(super) permitted: Option<Vec<G::Move>>,
    /// Where among the block's moves the first of them stands.
    pub(super) start: usize,
    /// Whether there is but one outcome, or chance has spoken: then one move is the best.
    pub(super) one_choice: bool,
    /// Whether the block belongs to this search alone, and has these moves only.
    pub(super) private: bool,
}

/// What the threads of a search share.
pub(super) struct Shared<'a, G: Game> {
    pub(super) game: &'a G,
    pub(super) graph: &'a Graph,
    pub(super) options: &'a MctsOptions,
    pub(super) selector: Selector,
    pub(super) root: &'a Root<G>,
    pub(super) oracle: Option<&'a dyn Oracle<G>>,
    pub(super) prior: Option<&'a dyn Prior<G>>,
    /// Bounds that are at most this far apart have met: above 0 only if an oracle is not exact to the last digit.
    pub(super) tolerance: f32,
    /// Whether threads may keep back what they have to add. Not where means are set as a whole.
    pub(super) keeps_back: bool,
    /// Simulations that all threads have under way at a time, less a few that do no harm. Where threads keep back, a move that
    /// was tried less often counts as tried as soon as a simulation makes it; for others that would make no difference.
    pub(super) under_way: u32,
}

/// A move of a simulation.
#[derive(Clone, Copy, Debug)]
struct Step<P> {
    block: u32,
    edge: u32,
    seat: Seat,
    position: P,
    /// How often the move was counted as tried on the way down.
    counted: u32,
}

/// A simulation under way.
#[derive(Clone, Debug)]
struct Lane<P> {
    path: Vec<Step<P>>,
    /// The position it has reached, and its block; none at the end of the path.
    at: Option<(P, u32)>,
    payoffs: Payoffs,
    /// Which of the positions that wait for a leaf is its last one, if it is.
    waits: Option<usize>,
    /// Whether something new was proven of its last move.
    proved: bool,
    /// Kinds of the moves made beyond the graph.
    made: MoveKinds,
}

/// What one thread owns, on cache lines of its own.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Worker<G: Game, L, M> {
    pub(super) leaf: L,
    pub(super) random: RandomStream,
    pub(super) watch: Watch,
    pub(super) stats: SearchStats,
    pub(super) meter: M,
    pub(super) depth: usize,
    pub(super) full: bool,
    pub(super) pending: Pending,
    lanes: Vec<Lane<G::Position>>,
    /// Positions that wait for a leaf, and the answers.
    waiting: Vec<G::Position>,
    answers: Vec<Payoffs>,
    /// The moves of the outcome drawn, and all moves of a position, with its outcomes and a number each.
    drawn: G::Moves,
    moves: G::Moves,
    outcomes: OutcomeList,
    values: Vec<f32>,
    successors: Vec<G::Position>,
    successor_values: Vec<f32>,
}

/// Simulations that know nothing of each other are at most one for each so many that are known.
const FOR_EACH_LANE: u64 = 32;

/// A seat's value seen by another of two.
#[inline]
fn turned(value: f32, same: bool) -> f32 {
    if same { value } else { 1.0 - value }
}

impl<G: Game, L: Leaf<G>, M: Meter> Worker<G, L, M> {
    /// One of so many threads.
    pub(super) fn new(leaf: L, threads: usize) -> Self {
        Self {
            leaf,
            random: RandomStream::new(0),
            watch: Watch::default(),
            stats: SearchStats::default(),
            meter: M::default(),
            depth: 0,
            full: false,
            pending: Pending::new(threads),
            lanes: Vec::new(),
            waiting: Vec::new(),
            answers: Vec::new(),
            drawn: G::Moves::default(),
            moves: G::Moves::default(),
            outcomes: OutcomeList::default(),
            values: Vec::new(),
            successors: Vec::new(),
            successor_values: Vec::new(),
        }
    }

    /// Runs `count` simulations after so many earlier ones, as many at a time as the options say and those permit.
    pub(super) fn simulate<const SHARED: bool>(&mut self, shared: &Shared<'_, G>, count: usize, earlier: u64) {
        let batch = shared.options.batch.min(1 + (earlier / FOR_EACH_LANE) as usize).max(1);
        if self.lanes.len() < batch {
            let lane =
                Lane { path: Vec::new(), at: None, payoffs: [0.0; MAX_SEATS], waits: None, proved: false, made: MoveKinds::default() };
            self.lanes.resize(batch, lane);
        }
        let mut lanes = std::mem::take(&mut self.lanes);
        let mut left = count;
        while left > 0 {
            let lanes = &mut lanes[..left.min(batch)];
            left -= lanes.len();
            self.descend::<SHARED>(shared, lanes);
            self.value(shared, lanes);
            for lane in lanes.iter_mut() {
                self.depth = self.depth.max(lane.path.len());
                self.back_up::<SHARED>(shared, lane);
            }
        }
        self.lanes = lanes;
    }

    /// From the root to where the simulations end: one position further each, in turn, so that what one has to read comes
    /// while the others go on.
    #[inline]
    fn descend<const SHARED: bool>(&mut self, shared: &Shared<'_, G>, lanes: &mut [Lane<G::Position>]) {
        for lane in lanes.iter_mut() {
            lane.path.clear();
            (lane.waits, lane.proved, lane.made) = (None, false, MoveKinds::default());
            lane.at = Some((shared.root.position, shared.root.block));
        }
        let mut under_way = true;
        while under_way {
            under_way = false;
            for lane in lanes.iter_mut() {
                if let Some((position, block)) = lane.at {
                    lane.at = self.step::<SHARED>(shared, lane, position, block);
                    under_way |= lane.at.is_some();
                }
            }
        }
    }

    /// One move of a simulation; the position behind it, if it goes on there.
    #[inline]
    fn step<const SHARED: bool>(
        &mut self,
        shared: &Shared<'_, G>,
        lane: &mut Lane<G::Position>,
        position: G::Position,
        block: u32,
    ) -> Option<(G::Position, u32)> {
        let &Shared { game, graph, options, root, .. } = shared;
        let permitted = root.permitted.as_deref().filter(|_| lane.path.is_empty());
        let head = graph.cell(block);
        let visits = 1 + if SHARED && shared.keeps_back { self.pending.visit(&head) } else { head.add_visits::<SHARED>(1) };
        let (start, moves, visits) = match permitted {
            Some(permitted) => {
                // Chance has spoken: only what it permits counts.
                let edges = graph.edges(block, root.start, permitted.len());
                (root.start, permitted, 1 + edges.cells().iter().map(Cell::visits).sum::<u32>())
            }
            None => {
                let start = game.draw_moves(&position, (self.random.next_u64() >> 32) as u32, &mut self.drawn);
                (start, &*self.drawn, visits)
            }
        };
        let edges = graph.edges(block, start, moves.len());
        graph.prefetch_children(edges.cells());
        let extras = graph.extras(block + 1 + start as u32, moves.len());
        let chosen = shared.selector.select(edges, extras, visits);
        let (place, mv) = (block + 1 + (start + chosen) as u32, moves[chosen]);
        let seat = game.to_move(&position);
        let next = game.play(&position, mv);
        let edge = edges.get(chosen);
        graph.prefetch_moves(edge.child());
        let before = edge.visits();
        let counted = if SHARED && shared.keeps_back && before >= shared.under_way { 0 } else { options.virtual_loss };
        let before = if counted > 0 { edge.add_visits::<SHARED>(counted) } else { before };
        lane.path.push(Step { block, edge: place, seat, position, counted });
        if before == 0 {
            self.stats.nodes += 1;
        } else {
            if edge.is_over()
                && let Some(payoffs) = game.payoffs(&next)
            {
                lane.payoffs = payoffs;
                return None;
            }
            if options.solver && edge.has_bounds() && shared.settled(edge.bounds()) {
                lane.payoffs = of_two(seat, middle(edge.bounds()));
                return None;
            }
            let mut child = edge.child();
            if child == 0 {
                child = self.expand(shared, seat, place, &next);
            }
            if child != 0 {
                let head = graph.cell(child);
                if options.solver && head.has_bounds() && shared.settled(head.bounds()) {
                    // Proven by another line since this move was made last.
                    let known = if game.to_move(&next) == seat { head.bounds() } else { head.bounds().opposite() };
                    lane.proved = edge.tighten::<SHARED>(known);
                    lane.payoffs = of_two(game.to_move(&next), middle(head.bounds()));
                    return None;
                }
                return Some((next, child));
            }
        }
        self.end::<SHARED>(shared, lane, place, seat, &next);
        None
    }

    /// A simulation leaves the graph.
    #[inline]
    fn end<const SHARED: bool>(
        &mut self,
        shared: &Shared<'_, G>,
        lane: &mut Lane<G::Position>,
        place: u32,
        seat: Seat,
        next: &G::Position,
    ) {
        let edge = shared.graph.cell(place);
        if let Some(payoffs) = shared.game.payoffs(next) {
            edge.set_over();
            if shared.options.solver {
                lane.proved = edge.tighten::<SHARED>(Bounds::exact(payoffs[seat]));
            }
            lane.payoffs = payoffs;
            return;
        }
        if let Some(oracle) = shared.oracle
            && let Some(value) = oracle.value(shared.game, next)
        {
            let value = turned(value, shared.game.to_move(next) == seat);
            let error = if value <= 0.0 || value >= 1.0 { 0.0 } else { oracle.error() };
            lane.proved = edge.tighten::<SHARED>(Bounds { lower: (value - error).max(0.0), upper: (value + error).min(1.0) });
            lane.payoffs = of_two(seat, value);
            return;
        }
        self.stats.evaluations += 1;
        if SHARED && shared.keeps_back {
            for step in &lane.path {
                shared.graph.prefetch_to_write(step.edge);
            }
        }
        if shared.options.batch > 1 && shared.options.rave == 0.0 {
            lane.waits = Some(self.waiting.len());
            self.waiting.push(*next);
            return;
        }
        let (game, leaf, random) = (shared.game, &mut self.leaf, &mut self.random);
        lane.payoffs = if shared.options.rave > 0.0 {
            self.meter.evaluation(|| leaf.payoffs_and_moves(game, next, random, &mut lane.made))
        } else {
            self.meter.evaluation(|| leaf.payoffs(game, next, random))
        };
    }

    /// Values the positions that wait.
    #[inline]
    fn value(&mut self, shared: &Shared<'_, G>, lanes: &mut [Lane<G::Position>]) {
        if self.waiting.is_empty() {
            return;
        }
        self.answers.resize(self.waiting.len(), [0.0; MAX_SEATS]);
        let (leaf, random, waiting, answers) = (&mut self.leaf, &mut self.random, &self.waiting, &mut self.answers);
        self.meter.evaluation(|| leaf.payoffs_of(shared.game, waiting, random, answers));
        for lane in lanes {
            if let Some(number) = lane.waits {
                lane.payoffs = self.answers[number];
            }
        }
        self.waiting.clear();
    }

    /// The block of the position behind a move that was tried before; 0 if memory is used up or the game over.
    #[inline(never)]
    fn expand(&mut self, shared: &Shared<'_, G>, seat: Seat, place: u32, next: &G::Position) -> u32 {
        let (game, graph) = (shared.game, shared.graph);
        let edge = graph.cell(place);
        // Another thread may have made this move first and not have said yet that it ends the game.
        if game.payoffs(next).is_some() {
            return 0;
        }
        let key = game.key(next);
        if shared.options.graph
            && let Some(found) = graph.find(key)
        {
            return edge.set_child(found);
        }
        game.moves(next, &mut self.moves);
        let mean = edge.mean();
        let value = if G::SEATS == 2 { turned(mean, game.to_move(next) == seat) } else { 0.5 };
        let Some(mut block) = graph.add(key, self.moves.len(), 1, value) else {
            self.full = true;
            return 0;
        };
        self.ask_prior(shared, block, next);
        if shared.options.graph {
            block = graph.publish(key, block);
        }
        edge.set_child(block)
    }

    /// Writes down what the prior says of each of `self.moves`.
    pub(super) fn ask_prior(&mut self, shared: &Shared<'_, G>, block: u32, position: &G::Position) {
        let Some(prior) = shared.prior else { return };
        let game = shared.game;
        let seat = game.to_move(position);
        self.successors.clear();
        for &mv in self.moves.iter() {
            let next = game.play(position, mv);
            if game.payoffs(&next).is_none() {
                self.successors.push(next);
            }
        }
        self.successor_values.resize(self.successors.len(), 0.0);
        prior.values(game, &self.successors, &mut self.successor_values);
        let mut asked = self.successors.iter().zip(&self.successor_values);
        for (&mv, edge) in self.moves.iter().zip(shared.graph.all_edges(block).iter()) {
            let payoff = match game.payoffs(&game.play(position, mv)) {
                Some(payoffs) => payoffs[seat],
                None => asked.next().map_or(0.5, |(next, &value)| turned(value, game.to_move(next) == seat)),
            };
            edge.set_hint(if shared.options.selection == Selection::Puct {
                // e^x as the odds of the logistic, around 0 for a value of one half.
                let share = logistic((payoff - 0.5) / shared.options.temperature);
                share / (1.0 - share).max(1e-6)
            } else {
                payoff
            });
        }
    }
}

/// The value that settled bounds stand for.
#[inline]
pub(super) fn middle(bounds: Bounds) -> f32 {
    if bounds.lower >= bounds.upper { bounds.lower } else { 0.5 * (bounds.lower + bounds.upper) }
}

impl<G: Game> Shared<'_, G> {
    /// Whether bounds have met.
    #[inline]
    pub(super) fn settled(&self, bounds: Bounds) -> bool {
        bounds.lower + self.tolerance >= bounds.upper
    }
}
