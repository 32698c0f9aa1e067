//! The way back of a simulation: payoffs, what was proven, and RAVE.
//!
//! Invariant: every position on the path hears of what was proven below it before the one above it
//! does.

use super::{Lane, Shared, Worker};
use crate::core::{
    game::{Game, List, Outcome},
    leaf::Leaf,
};
use crate::search::mcts::{cell::units, solver};

impl<G: Game, L: Leaf<G>> Worker<G, L> {
    /// Carries the payoffs, and what was proven, from the end of a simulation to the root.
    #[inline]
    pub(super) fn back_up<const SHARED: bool>(
        &mut self,
        shared: &Shared<'_, G>,
        lane: &mut Lane<G::Position>,
    ) {
        let &Shared { graph, options, .. } = shared;
        if options.rave > 0.0 {
            self.add_rave::<SHARED>(shared, lane);
        }
        for index in (0..lane.path.len()).rev() {
            let step = lane.path[index];
            let edge = graph.cell(step.edge);
            let payoff = lane.payoffs[step.seat];
            let after = lane.path.get(index + 1);
            if SHARED
                && shared.keeps_back
                && step.counted == 0
                && edge.visits() >= self.write_buffer.busy()
            {
                self.write_buffer.add(graph, step.edge, payoff);
            } else {
                let late = 1u32.wrapping_sub(step.counted);
                if late != 0 {
                    edge.add_visits::<SHARED>(late);
                }
                edge.add_payoff::<SHARED>(payoff);
            }
            if options.solver {
                let proved = match after {
                    None => lane.proved,
                    Some(after) => {
                        let head = graph.cell(after.block);
                        head.has_bounds()
                            && edge.tighten::<SHARED>(if after.seat == step.seat {
                                head.bounds()
                            } else {
                                head.bounds().opposite()
                            })
                    }
                };
                if proved {
                    self.list(shared, step.block, &step.position);
                    let bounds =
                        solver::proven(graph, step.block, &self.outcomes, &mut self.values);
                    graph.cell(step.block).tighten::<SHARED>(bounds);
                }
            }
        }
    }

    /// All moves of a position on the path, and its outcomes.
    pub(in super::super) fn list(
        &mut self,
        shared: &Shared<'_, G>,
        block: u32,
        position: &G::Position,
    ) {
        if shared.root.private && block == shared.root.block {
            self.moves.clear();
            shared
                .root
                .permitted
                .iter()
                .flat_map(|permitted| permitted.iter())
                .for_each(|&mv| self.moves.push(mv));
            self.outcomes.clear();
            self.outcomes.push(Outcome::certain(self.moves.len()));
        } else {
            shared.game.moves(position, &mut self.moves);
            self.outcomes = shared.game.outcomes(position, &self.moves);
        }
    }

    /// Adds the payoffs to every move on the way that was made then or later, by its kind.
    fn add_rave<const SHARED: bool>(&mut self, shared: &Shared<'_, G>, lane: &Lane<G::Position>) {
        let mut made = std::mem::take(&mut self.made);
        made.clone_from(&lane.made);
        for (depth, step) in lane.path.iter().enumerate().rev() {
            self.list(shared, step.block, &step.position);
            let units = units(lane.payoffs[step.seat]);
            let kind = |mv| shared.game.move_kind(&step.position, mv);
            made.insert(kind(self.moves[(step.edge - step.block - 1) as usize]));
            if depth > shared.options.rave_depth {
                continue;
            }
            let flags = self.moves.iter().map(|&mv| made.contains(kind(mv)));
            if SHARED && shared.graph.cell(step.block).visits() >= self.write_buffer.busy() {
                self.write_buffer
                    .add_made(shared.graph, step.block, units, flags);
                continue;
            }
            let extras = shared.graph.extras(step.block + 1, self.moves.len());
            for (extra, made) in extras.iter().zip(flags) {
                // Where it is cheap, without a branch: nobody foresees which moves are made.
                if !SHARED || made {
                    extra.add_visits::<SHARED>(u32::from(made));
                    extra.add_units::<SHARED>(if made { units } else { 0 });
                }
            }
        }
        self.made = made;
    }
}
