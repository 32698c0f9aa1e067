//! Simulations of one thread: selection, leaf evaluation and backup.
//!
//! With transpositions, an edge's mean is over the simulations through it, not over those of its
//! child (UCT1 of Childs, Brodeur and Kocsis 2008).

mod backup;
mod descent;

use super::{
    allocator::Chunk, graph::Graph, leaf::Prior, options::MctsOptions, solver, ucb::Selector,
    work_split::FirstDrawStratum, write_buffer::WriteBuffer,
};
use crate::{SearchStats, eval_timer::EvalTimer, limits::LimitChecker};
use alea_core::{
    chance_bounds::Bounds,
    game::{Game, List, MAX_SEATS, Outcome, Payoffs, Seat, mean_other_payoff},
    leaf::{Leaf, MoveKinds},
    oracle::Oracle,
    random::{GOLDEN, RandomStream},
    search_game::SearchGame,
};

#[derive(Clone, Debug)]
pub(super) struct Root<G: SearchGame> {
    pub(super) position: G::Position,
    pub(super) node: u32,
    /// Legal moves after the chance event, `None` before it.
    pub(super) allowed: Option<Vec<G::Move>>,
    pub(super) start: usize,
    /// Whether the root has one best move, not one per outcome.
    pub(super) one_choice: bool,
    /// Whether the root's node has only the allowed moves and is not in the hash index.
    pub(super) owned: bool,
    pub(super) kind: NodeKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
    /// All moves of the position.
    Moves,
    /// Its outcomes, in games with `Game::SEPARATE_OUTCOMES`; their children are [`Self::Choice`].
    Outcomes,
    /// The moves that the outcome at this index allows.
    Choice(u8),
}

impl NodeKind {
    pub(super) const fn before_chance<G: SearchGame>() -> Self {
        if G::SEPARATE_OUTCOMES {
            Self::Outcomes
        } else {
            Self::Moves
        }
    }

    #[inline]
    pub(super) fn key<G: SearchGame>(self, game: &G, position: &G::Position) -> u64 {
        let key = game.key(position);
        match self {
            Self::Choice(index) => key ^ (u64::from(index) + 1).wrapping_mul(GOLDEN),
            _ => key,
        }
    }

    /// Lists the moves; returns ranges of edges: chance chooses a range, then the mover an edge in it.
    pub(super) fn list<G: SearchGame>(
        self,
        game: &G,
        position: &G::Position,
        moves: &mut G::Moves,
    ) -> G::Outcomes {
        let mut outcomes = G::Outcomes::default();
        match self {
            Self::Moves => {
                game.moves(position, moves);
                return game.outcomes(position, moves);
            }
            Self::Outcomes => {
                moves.clear();
                for (index, outcome) in (0..).zip(game.outcomes(position, &[]).iter()) {
                    outcomes.push(Outcome {
                        weight: outcome.weight,
                        start: index,
                        end: index + 1,
                    });
                }
            }
            Self::Choice(index) => {
                game.moves_for(position, index.into(), moves);
                outcomes.push(Outcome::certain(moves.len()));
            }
        }
        outcomes
    }
}

pub(super) struct Context<'a, G: SearchGame> {
    pub(super) game: &'a G,
    pub(super) graph: &'a Graph,
    pub(super) options: &'a MctsOptions,
    pub(super) selector: Selector,
    pub(super) root: &'a Root<G>,
    pub(super) oracle: Option<&'a dyn Oracle<G>>,
    pub(super) prior: Option<&'a dyn Prior<G>>,
    /// Difference at which bounds count as equal; above 0 with an inexact oracle.
    pub(super) tolerance: f32,
    pub(super) buffers_writes: bool,
    /// Visits from which on an edge gets no virtual loss, if writes are buffered.
    pub(super) virtual_loss_below: u32,
}

#[derive(Clone, Copy, Debug)]
struct PathStep<P> {
    node: u32,
    kind: NodeKind,
    edge: u32,
    seat: Seat,
    position: P,
    virtual_losses: u32,
}

#[derive(Clone, Debug)]
struct Simulation<P> {
    path: Vec<PathStep<P>>,
    current: Option<(P, u32)>,
    payoffs: Payoffs,
    queue_index: Option<usize>,
    bounds_changed: bool,
    played_kinds: MoveKinds,
}

impl<P> Simulation<P> {
    #[inline]
    fn plies<G: Game>(&self) -> usize {
        if !G::SEPARATE_OUTCOMES {
            return self.path.len();
        }
        let moves = self.path.iter();
        moves.filter(|step| step.kind != NodeKind::Outcomes).count()
    }
}

#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Worker<G: SearchGame, L> {
    pub(super) leaf: L,
    pub(super) random: RandomStream,
    pub(super) limit_checker: LimitChecker,
    pub(super) stats: SearchStats,
    pub(super) eval_timer: EvalTimer,
    pub(super) depth: usize,
    pub(super) full: bool,
    pub(super) write_buffer: WriteBuffer,
    pub(super) chunk: Chunk,
    pub(super) draws: FirstDrawStratum,
    simulations: Vec<Simulation<G::Position>>,
    queue: Vec<G::Position>,
    queue_payoffs: Vec<Payoffs>,
    sampled_moves: G::Moves,
    moves: G::Moves,
    outcomes: G::Outcomes,
    bounds: Vec<Bounds>,
    values: Vec<f32>,
    successors: Vec<G::Position>,
    successor_values: Vec<f32>,
    played_kinds: MoveKinds,
}

/// Completed simulations after which a thread may have one more under way.
const SIMULATIONS_PER_SLOT: u64 = 32;

impl<G: SearchGame, L: Leaf<G>> Worker<G, L> {
    pub(super) fn new(leaf: L, threads: usize) -> Self {
        Self {
            leaf,
            random: RandomStream::new(0),
            limit_checker: LimitChecker::default(),
            stats: SearchStats::default(),
            eval_timer: EvalTimer::default(),
            depth: 0,
            full: false,
            write_buffer: WriteBuffer::new(threads),
            chunk: Chunk::default(),
            draws: FirstDrawStratum::ALL,
            simulations: Vec::new(),
            queue: Vec::new(),
            queue_payoffs: Vec::new(),
            sampled_moves: G::Moves::default(),
            moves: G::Moves::default(),
            outcomes: G::Outcomes::default(),
            bounds: Vec::new(),
            values: Vec::new(),
            successors: Vec::new(),
            successor_values: Vec::new(),
            played_kinds: MoveKinds::default(),
        }
    }

    pub(super) fn simulate<const SHARED: bool>(
        &mut self,
        context: &Context<'_, G>,
        count: usize,
        earlier: u64,
    ) {
        let batch = context.options.batch.max(1);
        if self.simulations.len() < batch {
            let simulation = Simulation {
                path: Vec::new(),
                current: None,
                payoffs: [0.0; MAX_SEATS],
                queue_index: None,
                bounds_changed: false,
                played_kinds: MoveKinds::default(),
            };
            self.simulations.resize(batch, simulation);
        }
        let mut simulations = std::mem::take(&mut self.simulations);
        let mut left = count;
        while left > 0 {
            let completed = earlier + (count - left) as u64;
            let allowed = usize::try_from(completed / SIMULATIONS_PER_SLOT)
                .unwrap_or(usize::MAX)
                .saturating_add(1);
            let simulations = &mut simulations[..left.min(batch).min(allowed)];
            left -= simulations.len();
            self.select_leaves::<SHARED>(context, simulations);
            self.evaluate_queue(context, simulations);
            for simulation in simulations.iter_mut() {
                self.depth = self.depth.max(simulation.plies::<G>());
                self.back_up::<SHARED>(context, simulation);
            }
        }
        self.simulations = simulations;
    }

    /// Finds or adds an edge's child; 0 if memory is used up or the game is over.
    #[inline(never)]
    fn expand(&mut self, context: &Context<'_, G>, edge_index: u32, next: &G::Position) -> u32 {
        let (game, graph) = (context.game, context.graph);
        let edge = graph.cell(edge_index);
        if game.payoffs(next).is_some() {
            return 0;
        }
        let key = game.key(next);
        if context.options.graph
            && let Some(found) = graph.find(key)
        {
            return edge.set_child(found);
        }
        let kind = NodeKind::before_chance::<G>();
        let edges = if kind == NodeKind::Outcomes {
            game.outcomes(next, &[]).len()
        } else {
            game.moves(next, &mut self.moves);
            self.moves.len()
        };
        let Some(mut node) = graph.add_node(&mut self.chunk, key, edges, 1) else {
            self.full = true;
            return 0;
        };
        if kind == NodeKind::Moves {
            self.init_edges(context, node, next, kind);
        }
        if context.options.graph {
            node = graph.insert(key, node);
        }
        edge.set_child(node)
    }

    /// Finds or adds the node of an outcome's moves, which are `sampled_moves`; 0 if memory is used
    /// up.
    #[inline(never)]
    fn expand_outcome(
        &mut self,
        context: &Context<'_, G>,
        edge_index: u32,
        position: &G::Position,
        kind: NodeKind,
    ) -> u32 {
        let graph = context.graph;
        let edge = graph.cell(edge_index);
        let key = kind.key(context.game, position);
        if context.options.graph
            && let Some(found) = graph.find(key)
        {
            return edge.set_child(found);
        }
        self.moves.clear();
        for &mv in self.sampled_moves.iter() {
            self.moves.push(mv);
        }
        let Some(mut node) = graph.add_node(&mut self.chunk, key, self.moves.len(), 0) else {
            self.full = true;
            return 0;
        };
        self.init_edges(context, node, position, kind);
        if context.options.graph {
            node = graph.insert(key, node);
        }
        edge.set_child(node)
    }

    /// Writes oracle bounds, virtual visits and priors of the moves in `self.moves`.
    pub(super) fn init_edges(
        &mut self,
        context: &Context<'_, G>,
        node: u32,
        position: &G::Position,
        kind: NodeKind,
    ) {
        let edges = context.graph.edges_of(node);
        if let Some(oracle) = context.oracle {
            self.bounds.clear();
            self.bounds.resize(self.moves.len(), Bounds::UNKNOWN);
            if oracle.move_bounds(context.game, position, &self.moves, &mut self.bounds) {
                for (edge, &bounds) in edges.iter().zip(&self.bounds) {
                    edge.tighten::<true>(bounds);
                }
                self.list_moves(context, node, position, kind);
                let proven =
                    solver::proven_bounds(context.graph, node, &self.outcomes, &mut self.values);
                context.graph.cell(node).tighten::<true>(proven);
            }
        }
        let (min_visits, range, half_spread) = context.options.virtual_visits;
        if min_visits + range > 0 {
            let cells = match context.options.virtual_visits_in_rave {
                true => context.graph.rave_cells(node + 1, self.moves.len()),
                false => edges.cells(),
            };
            for cell in cells {
                let visits = min_visits + self.random.below(range as usize + 1) as u32;
                let even = 0.5 * visits as f32;
                let more = half_spread * (self.random.uniform_f64() as f32 - 0.5);
                cell.add_visits::<true>(visits);
                cell.add_payoff::<true>((even + more).clamp(0.0, visits as f32));
            }
        }
        let Some(prior) = context.prior else { return };
        let game = context.game;
        let seat = game.to_move(position);
        self.successors.clear();
        for &mv in self.moves.iter() {
            let next = game.play(position, mv);
            if game.payoffs(&next).is_none() {
                self.successors.push(next);
            }
        }
        self.successor_values.resize(self.successors.len(), 0.0);
        prior.prior_values(game, &self.successors, &mut self.successor_values);
        let mut evaluated = self.successors.iter().zip(&self.successor_values);
        for (&mv, edge) in self.moves.iter().zip(context.graph.edges_of(node).iter()) {
            let payoff = match game.payoffs(&game.play(position, mv)) {
                Some(payoffs) => payoffs[seat],
                None => evaluated.next().map_or(0.5, |(next, &value)| {
                    if game.to_move(next) == seat {
                        value
                    } else {
                        mean_other_payoff(value, game.seats())
                    }
                }),
            };
            edge.set_prior(payoff);
        }
    }
}

#[inline]
pub(super) fn midpoint(bounds: Bounds) -> f32 {
    if bounds.lower >= bounds.upper {
        bounds.lower
    } else {
        0.5 * (bounds.lower + bounds.upper)
    }
}

impl<G: SearchGame> Context<'_, G> {
    #[inline]
    pub(super) fn is_proven(&self, bounds: Bounds) -> bool {
        bounds.lower + self.tolerance >= bounds.upper
    }
}
