//! Selection of simulations' paths from the root to a leaf, and evaluation of leaves.

use super::{Context, NodeKind, PathStep, Simulation, Worker, midpoint};
use crate::mcts::{cell_refs::EdgeSlice, graph::Cell, leaf::two_player_payoffs};
use alea_core::{
    chance_bounds::{Bounds, flip_unless_same},
    game::{MAX_SEATS, OutcomeList, Seat, sample_outcome},
    leaf::Leaf,
    search_game::SearchGame,
};

impl<G: SearchGame, L: Leaf<G>> Worker<G, L> {
    /// Selects a leaf per simulation; all advance in turn, so that memory latencies overlap.
    #[inline]
    pub(super) fn select_leaves<const SHARED: bool>(
        &mut self,
        context: &Context<'_, G>,
        simulations: &mut [Simulation<G::Position>],
    ) {
        for simulation in simulations.iter_mut() {
            simulation.path.clear();
            (simulation.queue_index, simulation.bounds_changed) = (None, false);
            simulation.played_kinds.clear();
            simulation.current = Some((context.root.position, context.root.node));
        }
        let mut under_way = true;
        while under_way {
            under_way = false;
            for simulation in simulations.iter_mut() {
                if let Some((position, node)) = simulation.current {
                    simulation.current =
                        self.advance::<SHARED>(context, simulation, position, node);
                    under_way |= simulation.current.is_some();
                }
            }
        }
    }

    /// Extends a simulation's path by a ply; returns the next position and node, `None` at the
    /// leaf.
    #[inline]
    fn advance<const SHARED: bool>(
        &mut self,
        context: &Context<'_, G>,
        simulation: &mut Simulation<G::Position>,
        position: G::Position,
        node: u32,
    ) -> Option<(G::Position, u32)> {
        let &Context {
            game,
            graph,
            options,
            root,
            ..
        } = context;
        let allowed = root
            .allowed
            .as_deref()
            .filter(|_| simulation.path.is_empty());
        let visits = self.visit::<SHARED>(context, node);
        let (mut node, mut kind) = (node, NodeKind::before_chance::<G>());
        let (start, moves, visits) = match allowed {
            Some(allowed) => {
                kind = root.kind;
                let edges = graph.edges(node, root.start, allowed.len());
                (
                    root.start,
                    allowed,
                    1 + edges.cells().iter().map(Cell::visits).sum::<u32>(),
                )
            }
            None => {
                let any = (self.random.next_u64() >> 32) as u32;
                let first = SHARED && simulation.path.len() == usize::from(root.allowed.is_some());
                let bits = if first { self.draws.map_draw(any) } else { any };
                if G::SEPARATE_OUTCOMES {
                    let index = sample_outcome(&game.outcomes(&position, &[]), bits);
                    game.moves_for(&position, index, &mut self.sampled_moves);
                    let (edge, choice) = (node + 1 + index as u32, NodeKind::Choice(index as u8));
                    let child = match graph.cell(edge).child() {
                        0 => self.expand_outcome(context, edge, &position, choice),
                        child => child,
                    };
                    let seat = game.to_move(&position);
                    simulation.path.push(PathStep {
                        node,
                        kind,
                        edge,
                        seat,
                        position,
                        virtual_losses: 0,
                    });
                    if child == 0 {
                        self.finish_at_leaf::<SHARED>(
                            context, simulation, edge, seat, &position, false,
                        );
                        return None;
                    }
                    (node, kind) = (child, choice);
                    let visits = self.visit::<SHARED>(context, node);
                    (0, &*self.sampled_moves, visits)
                } else {
                    let start = game.roll_moves(&position, bits, &mut self.sampled_moves);
                    (start, &*self.sampled_moves, visits)
                }
            }
        };
        let edges = graph.edges(node, start, moves.len());
        graph.prefetch_children(edges.cells());
        let rave_cells = graph.rave_cells(node + 1 + start as u32, moves.len());
        let chosen = self.select_edge(context, node, edges, rave_cells, visits);
        let (edge_index, mv) = (node + 1 + (start + chosen) as u32, moves[chosen]);
        let seat = game.to_move(&position);
        let next = game.play(&position, mv);
        let edge = edges.get(chosen);
        graph.prefetch_edges(edge.child());
        let before = edge.visits();
        let virtual_losses =
            if SHARED && context.buffers_writes && before >= context.virtual_loss_below {
                0
            } else {
                options.virtual_loss
            };
        let before = if virtual_losses > 0 {
            edge.add_visits::<SHARED>(virtual_losses)
        } else {
            before
        };
        simulation.path.push(PathStep {
            node,
            kind,
            edge: edge_index,
            seat,
            position,
            virtual_losses,
        });
        let mut new = before == 0;
        if new {
            self.stats.nodes += 1;
        } else {
            if edge.is_terminal()
                && let Some(payoffs) = game.payoffs(&next)
            {
                simulation.payoffs = payoffs;
                return None;
            }
            if options.solver && edge.has_bounds() && context.is_proven(edge.bounds()) {
                simulation.payoffs = two_player_payoffs(seat, midpoint(edge.bounds()));
                return None;
            }
            let mut child = edge.child();
            if child == 0 && before >= graph.expansion_threshold(options.expand_visits) {
                // Virtual visits hide an edge's first visit, so the oracle is probed here.
                let has_virtual_visits = options.virtual_visits.0 + options.virtual_visits.1 > 0
                    && !options.virtual_visits_in_rave;
                new = has_virtual_visits
                    && !self.full
                    && game.payoffs(&next).is_none()
                    && (context.oracle).is_some_and(|oracle| {
                        (oracle.value_within(game, &next, self.limit_checker.outer_limits()))
                            .is_some()
                    });
                if !new {
                    child = self.expand(context, edge_index, &next);
                    self.stats.nodes += u64::from(has_virtual_visits && child != 0);
                }
            }
            if child != 0 {
                let header = graph.cell(child);
                if options.solver && header.has_bounds() && context.is_proven(header.bounds()) {
                    let bounds = if game.to_move(&next) == seat {
                        header.bounds()
                    } else {
                        header.bounds().flip()
                    };
                    simulation.bounds_changed = edge.tighten::<SHARED>(bounds);
                    simulation.payoffs =
                        two_player_payoffs(game.to_move(&next), midpoint(header.bounds()));
                    return None;
                }
                return Some((next, child));
            }
        }
        self.finish_at_leaf::<SHARED>(context, simulation, edge_index, seat, &next, new);
        None
    }

    #[inline]
    fn visit<const SHARED: bool>(&mut self, context: &Context<'_, G>, node: u32) -> u32 {
        let header = context.graph.cell(node);
        1 + if SHARED && context.buffers_writes {
            self.write_buffer.visit(&header)
        } else {
            header.add_visits::<SHARED>(1)
        }
    }

    /// Index of the edge to visit, maybe the last choice again (`MctsOptions::reselect_interval`).
    #[inline]
    fn select_edge(
        &self,
        context: &Context<'_, G>,
        node: u32,
        edges: EdgeSlice<'_>,
        rave_cells: &[Cell],
        visits: u32,
    ) -> usize {
        let reselect_interval = context.options.reselect_interval;
        if reselect_interval == 0.0 || G::Outcomes::CAPACITY > 1 {
            return context.selector.select(edges, rave_cells, visits);
        }
        // The header's RAVE cell, else unused, has the last choice and the visits until which it
        // repeats.
        let [choice_memo] = context.graph.rave_cells(node, 1) else {
            return context.selector.select(edges, rave_cells, visits);
        };
        let last = choice_memo.move_count() as usize;
        if visits < choice_memo.visits() && last < edges.len() && !edges.get(last).has_bounds() {
            return last;
        }
        let chosen = context.selector.select(edges, rave_cells, visits);
        choice_memo.set_header(
            chosen as u32,
            0,
            visits + (reselect_interval * visits as f32) as u32,
        );
        chosen
    }

    #[inline]
    fn finish_at_leaf<const SHARED: bool>(
        &mut self,
        context: &Context<'_, G>,
        simulation: &mut Simulation<G::Position>,
        edge_index: u32,
        seat: Seat,
        next: &G::Position,
        new: bool,
    ) {
        let edge = context.graph.cell(edge_index);
        if let Some(payoffs) = context.game.payoffs(next) {
            edge.set_terminal();
            if context.options.solver {
                simulation.bounds_changed = edge.tighten::<SHARED>(Bounds::exact(payoffs[seat]));
            }
            simulation.payoffs = payoffs;
            return;
        }
        if let Some(oracle) = context.oracle.filter(|_| new)
            && let Some(value) =
                oracle.value_within(context.game, next, self.limit_checker.outer_limits())
        {
            let value = flip_unless_same(value, context.game.to_move(next) == seat);
            let error = if value <= 0.0 || value >= 1.0 {
                0.0
            } else {
                oracle.max_error()
            };
            simulation.bounds_changed = edge.tighten::<SHARED>(Bounds {
                lower: (value - error).max(0.0),
                upper: (value + error).min(1.0),
            });
            simulation.payoffs = two_player_payoffs(seat, value);
            return;
        }
        self.stats.evaluations += 1;
        if SHARED && context.buffers_writes {
            for step in simulation.path.iter().filter(|step| {
                context.graph.cell(step.edge).visits() < self.write_buffer.busy_threshold()
            }) {
                context.graph.prefetch_to_write(step.edge);
            }
        }
        if context.options.batch > 1 && context.options.rave == 0.0 {
            simulation.queue_index = Some(self.queue.len());
            self.queue.push(*next);
            return;
        }
        let (game, leaf, random) = (context.game, &mut self.leaf, &mut self.random);
        let played_kinds = (context.options.rave > 0.0).then_some(&mut simulation.played_kinds);
        simulation.payoffs = self
            .eval_timer
            .measure(|| leaf.payoffs(game, next, random, played_kinds));
    }

    #[inline]
    pub(super) fn evaluate_queue(
        &mut self,
        context: &Context<'_, G>,
        simulations: &mut [Simulation<G::Position>],
    ) {
        if self.queue.is_empty() {
            return;
        }
        self.queue_payoffs
            .resize(self.queue.len(), [0.0; MAX_SEATS]);
        let (leaf, random, queue, queue_payoffs) = (
            &mut self.leaf,
            &mut self.random,
            &self.queue,
            &mut self.queue_payoffs,
        );
        self.eval_timer
            .measure(|| leaf.payoffs_batch(context.game, queue, random, queue_payoffs));
        for simulation in simulations {
            if let Some(index) = simulation.queue_index {
                simulation.payoffs = self.queue_payoffs[index];
            }
        }
        self.queue.clear();
    }
}
