//! The way down of a simulation, to where it leaves the graph, and what the leaf says there.
//!
//! Invariant: all that a simulation has to remember of its way is in its lane, so that several may
//! be under way in turn.

use super::{Lane, Shared, Step, Worker, middle};
use crate::core::{
    chance::{Bounds, turned},
    game::{Game, MAX_SEATS, OutcomeList, Seat},
    leaf::Leaf,
};
use crate::search::mcts::{graph::Cell, leaf::of_two, place::Edges};

impl<G: Game, L: Leaf<G>> Worker<G, L> {
    /// From the root to where the simulations end: one position further each, in turn, so that what
    /// one has to read comes while the others go on.
    #[inline]
    pub(super) fn descend<const SHARED: bool>(
        &mut self,
        shared: &Shared<'_, G>,
        lanes: &mut [Lane<G::Position>],
    ) {
        for lane in lanes.iter_mut() {
            lane.path.clear();
            (lane.waits, lane.proved) = (None, false);
            lane.made.clear();
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
        let &Shared {
            game,
            graph,
            options,
            root,
            ..
        } = shared;
        let permitted = root.permitted.as_deref().filter(|_| lane.path.is_empty());
        let head = graph.cell(block);
        let visits = 1 + if SHARED && shared.keeps_back {
            self.write_buffer.visit(&head)
        } else {
            head.add_visits::<SHARED>(1)
        };
        let (start, moves, visits) = match permitted {
            Some(permitted) => {
                // Chance has spoken: only what it permits counts.
                let edges = graph.edges(block, root.start, permitted.len());
                (
                    root.start,
                    permitted,
                    1 + edges.cells().iter().map(Cell::visits).sum::<u32>(),
                )
            }
            None => {
                let any = (self.random.next_u64() >> 32) as u32;
                let first = SHARED && lane.path.len() == usize::from(root.permitted.is_some());
                let start = game.draw_moves(
                    &position,
                    if first { self.draws.number(any) } else { any },
                    &mut self.drawn,
                );
                (start, &*self.drawn, visits)
            }
        };
        let edges = graph.edges(block, start, moves.len());
        graph.prefetch_children(edges.cells());
        let extras = graph.extras(block + 1 + start as u32, moves.len());
        let chosen = self.select(shared, block, edges, extras, visits);
        let (place, mv) = (block + 1 + (start + chosen) as u32, moves[chosen]);
        let seat = game.to_move(&position);
        let next = game.play(&position, mv);
        let edge = edges.get(chosen);
        graph.prefetch_moves(edge.child());
        let before = edge.visits();
        let counted = if SHARED && shared.keeps_back && before >= shared.crowded_below {
            0
        } else {
            options.virtual_loss
        };
        let before = if counted > 0 {
            edge.add_visits::<SHARED>(counted)
        } else {
            before
        };
        lane.path.push(Step {
            block,
            edge: place,
            seat,
            position,
            counted,
        });
        let mut new = before == 0;
        if new {
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
            if child == 0 && before >= graph.crowded(options.expand) {
                // Where moves begin with tries that nobody made, an oracle is asked before they grow.
                let sown = options.noise.0 + options.noise.1 > 0 && !options.noise_by_rave;
                new = sown
                    && !self.full
                    && game.payoffs(&next).is_none()
                    && (shared.oracle).is_some_and(|oracle| {
                        (oracle.value_within(game, &next, self.watch.outer())).is_some()
                    });
                if !new {
                    child = self.expand(shared, place, &next);
                    self.stats.nodes += u64::from(sown && child != 0);
                }
            }
            if child != 0 {
                let head = graph.cell(child);
                if options.solver && head.has_bounds() && shared.settled(head.bounds()) {
                    // Proven by another line since this move was made last.
                    let known = if game.to_move(&next) == seat {
                        head.bounds()
                    } else {
                        head.bounds().opposite()
                    };
                    lane.proved = edge.tighten::<SHARED>(known);
                    lane.payoffs = of_two(game.to_move(&next), middle(head.bounds()));
                    return None;
                }
                return Some((next, child));
            }
        }
        self.end::<SHARED>(shared, lane, place, seat, &next, new);
        None
    }

    /// The move to try, without a look if the last one still holds ([`MctsOptions::again`]).
    #[inline]
    fn select(
        &self,
        shared: &Shared<'_, G>,
        block: u32,
        edges: Edges<'_>,
        extras: &[Cell],
        visits: u32,
    ) -> usize {
        let again = shared.options.again;
        // Where chance decides what may be chosen, what was chosen says nothing.
        if again == 0.0 || G::Outcomes::BOUND > 1 {
            return shared.selector.select(edges, extras, visits);
        }
        // A head has no simulations of its own there: room for the choice and its last visit.
        let [memo] = shared.graph.extras(block, 1) else {
            return shared.selector.select(edges, extras, visits);
        };
        let last = memo.moves() as usize;
        if visits < memo.visits() && last < edges.len() && !edges.get(last).has_bounds() {
            return last;
        }
        let chosen = shared.selector.select(edges, extras, visits);
        memo.set_head(chosen as u32, 0, visits + (again * visits as f32) as u32);
        chosen
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
        new: bool,
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
        if let Some(oracle) = shared.oracle.filter(|_| new)
            && let Some(value) = oracle.value_within(shared.game, next, self.watch.outer())
        {
            let value = turned(value, shared.game.to_move(next) == seat);
            let error = if value <= 0.0 || value >= 1.0 {
                0.0
            } else {
                oracle.error()
            };
            lane.proved = edge.tighten::<SHARED>(Bounds {
                lower: (value - error).max(0.0),
                upper: (value + error).min(1.0),
            });
            lane.payoffs = of_two(seat, value);
            return;
        }
        self.stats.evaluations += 1;
        if SHARED && shared.keeps_back {
            // Busy ones will be written to more rarely, and then it is better that all threads have
            // them to read.
            for step in lane
                .path
                .iter()
                .filter(|step| shared.graph.cell(step.edge).visits() < self.write_buffer.busy())
            {
                shared.graph.prefetch_to_write(step.edge);
            }
        }
        if shared.options.batch > 1 && shared.options.rave == 0.0 {
            lane.waits = Some(self.waiting.len());
            self.waiting.push(*next);
            return;
        }
        let (game, leaf, random) = (shared.game, &mut self.leaf, &mut self.random);
        let made = (shared.options.rave > 0.0).then_some(&mut lane.made);
        lane.payoffs = self
            .eval_timer
            .evaluation(|| leaf.payoffs(game, next, random, made));
    }

    /// Values the positions that wait.
    #[inline]
    pub(super) fn value(&mut self, shared: &Shared<'_, G>, lanes: &mut [Lane<G::Position>]) {
        if self.waiting.is_empty() {
            return;
        }
        self.answers.resize(self.waiting.len(), [0.0; MAX_SEATS]);
        let (leaf, random, waiting, answers) = (
            &mut self.leaf,
            &mut self.random,
            &self.waiting,
            &mut self.answers,
        );
        self.eval_timer
            .evaluation(|| leaf.payoffs_of(shared.game, waiting, random, answers));
        for lane in lanes {
            if let Some(number) = lane.waits {
                lane.payoffs = self.answers[number];
            }
        }
        self.waiting.clear();
    }
}
