//! Backup of a simulation from its leaf to the root: payoffs, bounds and RAVE statistics.

use super::{Context, NodeKind, Simulation, Worker};
use crate::mcts::{cell::to_fixed, solver};
use alea_core::{
    game::{List, Outcome},
    leaf::Leaf,
    search_game::SearchGame,
};

impl<G: SearchGame, L: Leaf<G>> Worker<G, L> {
    #[inline]
    pub(super) fn back_up<const SHARED: bool>(
        &mut self,
        context: &Context<'_, G>,
        simulation: &mut Simulation<G::Position>,
    ) {
        let &Context { graph, options, .. } = context;
        if options.rave > 0.0 {
            self.back_up_rave::<SHARED>(context, simulation);
        }
        for index in (0..simulation.path.len()).rev() {
            let step = simulation.path[index];
            let edge = graph.cell(step.edge);
            let payoff = simulation.payoffs[step.seat];
            let after = simulation.path.get(index + 1);
            if SHARED
                && context.buffers_writes
                && step.virtual_losses == 0
                && edge.visits() >= self.write_buffer.busy_threshold()
            {
                self.write_buffer.add(graph, step.edge, payoff);
            } else {
                let missing_visits = 1u32.wrapping_sub(step.virtual_losses);
                if missing_visits != 0 {
                    edge.add_visits::<SHARED>(missing_visits);
                }
                edge.add_payoff::<SHARED>(payoff);
            }
            if options.solver {
                let bounds_changed = match after {
                    None => simulation.bounds_changed,
                    Some(after) => {
                        let header = graph.cell(after.node);
                        header.has_bounds()
                            && edge.tighten::<SHARED>(if after.seat == step.seat {
                                header.bounds()
                            } else {
                                header.bounds().flip()
                            })
                    }
                };
                if bounds_changed {
                    self.list_moves(context, step.node, &step.position, step.kind);
                    let bounds =
                        solver::proven_bounds(graph, step.node, &self.outcomes, &mut self.values);
                    graph.cell(step.node).tighten::<SHARED>(bounds);
                }
            }
        }
    }

    pub(in super::super) fn list_moves(
        &mut self,
        context: &Context<'_, G>,
        node: u32,
        position: &G::Position,
        kind: NodeKind,
    ) {
        if context.root.owned && node == context.root.node {
            self.moves.clear();
            context
                .root
                .allowed
                .iter()
                .flat_map(|allowed| allowed.iter())
                .for_each(|&mv| self.moves.push(mv));
            self.outcomes.clear();
            self.outcomes.push(Outcome::certain(self.moves.len()));
        } else {
            self.outcomes = kind.list(context.game, position, &mut self.moves);
        }
    }

    /// Updates RAVE cells of moves whose kind was played at their node or later.
    fn back_up_rave<const SHARED: bool>(
        &mut self,
        context: &Context<'_, G>,
        simulation: &Simulation<G::Position>,
    ) {
        let mut played_kinds = std::mem::take(&mut self.played_kinds);
        played_kinds.clone_from(&simulation.played_kinds);
        let steps = simulation.path.iter().enumerate().rev();
        for (depth, step) in steps.filter(|(_, step)| step.kind != NodeKind::Outcomes) {
            self.list_moves(context, step.node, &step.position, step.kind);
            let fixed_payoff = to_fixed(simulation.payoffs[step.seat]);
            let kind = |mv| context.game.history_index(&step.position, mv);
            played_kinds.insert(kind(self.moves[(step.edge - step.node - 1) as usize]));
            if depth > context.options.rave_depth {
                continue;
            }
            let flags = self.moves.iter().map(|&mv| played_kinds.contains(kind(mv)));
            if SHARED
                && context.graph.cell(step.node).visits() >= self.write_buffer.busy_threshold()
            {
                self.write_buffer
                    .add_rave(context.graph, step.node, fixed_payoff, flags);
                continue;
            }
            let rave_cells = context.graph.rave_cells(step.node + 1, self.moves.len());
            for (rave_cell, is_played) in rave_cells.iter().zip(flags) {
                if !SHARED || is_played {
                    rave_cell.add_visits::<SHARED>(u32::from(is_played));
                    rave_cell.add_fixed::<SHARED>(if is_played { fixed_payoff } else { 0 });
                }
            }
        }
        self.played_kinds = played_kinds;
    }
}
