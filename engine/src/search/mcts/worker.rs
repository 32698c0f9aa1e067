//! One thread's simulations: down the graph to a leaf, its value, and back up.
//!
//! A simulation draws an outcome at each position, selects among the moves it permits, and ends at
//! a move that was never tried, at what is settled, or where memory is used up. A position gets its
//! block when a move is tried for the second time, so what was visited once costs no memory.
//! Nothing here allocates once its lists have grown. Statistics belong to moves (UCT1 of Childs,
//! Brodeur and Kocsis 2008): on a graph a move's mean is that of the simulations that made it,
//! while what lies behind it is searched by all who get there.

mod backup;
mod descent;

use super::{
    allocator::BumpAllocator, graph::Graph, leaf::Prior, options::MctsOptions, select::Selector,
    solver, work_split::Draws, write_buffer::WriteBuffer,
};
use crate::core::{
    chance::Bounds,
    game::{Game, MAX_SEATS, Payoffs, Seat, left_for_each},
    leaf::{Leaf, MoveKinds},
    oracle::Oracle,
    random::RandomStream,
};
use crate::search::{SearchStats, eval_timer::EvalTimer, limits::Watch};

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

pub(super) struct Shared<'a, G: Game> {
    pub(super) game: &'a G,
    pub(super) graph: &'a Graph,
    pub(super) options: &'a MctsOptions,
    pub(super) selector: Selector,
    pub(super) root: &'a Root<G>,
    pub(super) oracle: Option<&'a dyn Oracle<G>>,
    pub(super) prior: Option<&'a dyn Prior<G>>,
    /// Bounds that are at most this far apart have met: above 0 if an oracle is not exact to the
    /// last digit.
    pub(super) tolerance: f32,
    /// Whether threads keep back what they have to add: where there are several.
    pub(super) keeps_back: bool,
    /// Where threads keep back: a move that was tried less often, at most as many as can be under
    /// way, counts as tried while a simulation makes it ([`MctsOptions::virtual_loss`]).
    pub(super) crowded_below: u32,
}

#[derive(Clone, Copy, Debug)]
struct Step<P> {
    block: u32,
    edge: u32,
    seat: Seat,
    position: P,
    /// How often the move was counted as tried on the way down.
    counted: u32,
}

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
pub(super) struct Worker<G: Game, L> {
    pub(super) leaf: L,
    pub(super) random: RandomStream,
    pub(super) watch: Watch,
    pub(super) stats: SearchStats,
    pub(super) eval_timer: EvalTimer,
    pub(super) depth: usize,
    pub(super) full: bool,
    pub(super) write_buffer: WriteBuffer,
    pub(super) allocator: BumpAllocator,
    /// What the first draw of its simulations may be.
    pub(super) draws: Draws,
    lanes: Vec<Lane<G::Position>>,
    /// Positions that wait for a leaf, and the answers.
    waiting: Vec<G::Position>,
    answers: Vec<Payoffs>,
    /// The moves of the outcome drawn, and all moves of a position, with its outcomes and a number
    /// each.
    drawn: G::Moves,
    moves: G::Moves,
    outcomes: G::Outcomes,
    bounds: Vec<Bounds>,
    values: Vec<f32>,
    successors: Vec<G::Position>,
    successor_values: Vec<f32>,
    /// Kinds of the moves made from a position of the path on.
    made: MoveKinds,
}

/// A thread has at most one simulation under way for each so many that it has made.
const FOR_EACH_LANE: u64 = 32;

impl<G: Game, L: Leaf<G>> Worker<G, L> {
    /// One of so many threads.
    pub(super) fn new(leaf: L, threads: usize) -> Self {
        Self {
            leaf,
            random: RandomStream::new(0),
            watch: Watch::default(),
            stats: SearchStats::default(),
            eval_timer: EvalTimer::default(),
            depth: 0,
            full: false,
            write_buffer: WriteBuffer::new(threads),
            allocator: BumpAllocator::default(),
            draws: Draws::ALL,
            lanes: Vec::new(),
            waiting: Vec::new(),
            answers: Vec::new(),
            drawn: G::Moves::default(),
            moves: G::Moves::default(),
            outcomes: G::Outcomes::default(),
            bounds: Vec::new(),
            values: Vec::new(),
            successors: Vec::new(),
            successor_values: Vec::new(),
            made: MoveKinds::default(),
        }
    }

    /// Runs `count` simulations after so many earlier ones of this search and thread, as many at a
    /// time as the options say and those permit.
    pub(super) fn simulate<const SHARED: bool>(
        &mut self,
        shared: &Shared<'_, G>,
        count: usize,
        earlier: u64,
    ) {
        let batch = shared.options.batch.max(1);
        if self.lanes.len() < batch {
            let lane = Lane {
                path: Vec::new(),
                at: None,
                payoffs: [0.0; MAX_SEATS],
                waits: None,
                proved: false,
                made: MoveKinds::default(),
            };
            self.lanes.resize(batch, lane);
        }
        let mut lanes = std::mem::take(&mut self.lanes);
        let mut left = count;
        while left > 0 {
            let known = earlier + (count - left) as u64;
            let permitted = usize::try_from(known / FOR_EACH_LANE)
                .unwrap_or(usize::MAX)
                .saturating_add(1);
            let lanes = &mut lanes[..left.min(batch).min(permitted)];
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

    /// The block of the position behind a move that was tried before; 0 if memory is used up or the
    /// game over.
    #[inline(never)]
    fn expand(&mut self, shared: &Shared<'_, G>, place: u32, next: &G::Position) -> u32 {
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
        let Some(mut block) = graph.add(&mut self.allocator, key, self.moves.len(), 1) else {
            self.full = true;
            return 0;
        };
        self.inform(shared, block, next);
        if shared.options.graph {
            block = graph.publish(key, block);
        }
        edge.set_child(block)
    }

    /// Writes down what is known of each of `self.moves` before any was tried.
    pub(super) fn inform(&mut self, shared: &Shared<'_, G>, block: u32, position: &G::Position) {
        let edges = shared.graph.all_edges(block);
        if let Some(oracle) = shared.oracle {
            self.bounds.clear();
            self.bounds.resize(self.moves.len(), Bounds::UNKNOWN);
            if oracle.bounds_of_moves(shared.game, position, &self.moves, &mut self.bounds) {
                for (edge, &bounds) in edges.iter().zip(&self.bounds) {
                    edge.tighten::<true>(bounds);
                }
                self.list(shared, block, position);
                let proven = solver::proven(shared.graph, block, &self.outcomes, &mut self.values);
                shared.graph.cell(block).tighten::<true>(proven);
            }
        }
        let (least, range, half) = shared.options.noise;
        if least + range > 0 {
            let cells = match shared.options.noise_by_rave {
                true => shared.graph.extras(block + 1, self.moves.len()),
                false => edges.cells(),
            };
            for made in cells {
                let visits = least + self.random.below(range as usize + 1) as u32;
                let even = 0.5 * visits as f32;
                let more = half * (self.random.unit() as f32 - 0.5);
                made.add_visits::<true>(visits);
                made.add_payoff::<true>((even + more).clamp(0.0, visits as f32));
            }
        }
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
                None => asked.next().map_or(0.5, |(next, &value)| {
                    if game.to_move(next) == seat {
                        value
                    } else {
                        left_for_each(value, game.seats())
                    }
                }),
            };
            edge.set_hint(payoff);
        }
    }
}

/// The value that settled bounds stand for.
#[inline]
pub(super) fn middle(bounds: Bounds) -> f32 {
    if bounds.lower >= bounds.upper {
        bounds.lower
    } else {
        0.5 * (bounds.lower + bounds.upper)
    }
}

impl<G: Game> Shared<'_, G> {
    #[inline]
    pub(super) fn settled(&self, bounds: Bounds) -> bool {
        bounds.lower + self.tolerance >= bounds.upper
    }
}
