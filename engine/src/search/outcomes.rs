//! Expectiminimax in the published form: outcome by outcome, the permitted moves of each searched
//! anew.
//!
//! A position before chance has spoken is a *chance node*; each of its outcomes leads to a *choice
//! node*, whose mover takes the best permitted move. Which parts may be cut is [`Cuts`]: Star0,
//! Star0.5, Star1 (the names of the NTU agent) and Star2 (Ballard 1983; window arithmetic as in
//! Hauk, Buro and Schaeffer 2004), each with NegaScout if wanted. [`super::star`] is the fast
//! search; this one replays published node counts and is read beside the papers. Star0.5: choice
//! nodes are ordinary alpha-beta but start from `[0, 1]`, hearing nothing of the chance node above
//! them. This reading of "cuts between choices" fits the published counts: with values far inside
//! of their bounds (the raw scale) it saves nothing in the opening, and much once wins are near.
//! Invariant: with any cuts the result equals [`super::expectiminimax`] up to rounding, with or
//! without a table.

mod window;

use super::{
    Parties, Search, SearchStats, UNKNOWN_VALUE,
    eval_timer::EvalTimer,
    limits::{Limits, Watch},
    star::Cuts,
    table::{Found, Kept, Table},
};
use crate::core::{
    chance::{Bounds, ChanceBounds},
    evaluator::Evaluator,
    game::{Game, List, Outcome, OutcomeList},
};
use std::sync::Arc;
use window::Window;

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// What is left out.
    pub cuts: Cuts,
    /// Whether moves after the first of a choice node are first searched in a null window
    /// (Reinefeld 1983); not with [`Cuts::None`], which has no windows. Bounds below chance are
    /// inexact, so a better move is searched again in full: in list order and without a table this
    /// costs Star1 more leaves than it saves.
    pub negascout: bool,
}

/// Width of a null window: wide enough to survive rounding, so that equal values do not look
/// better.
const NULL_WINDOW: f32 = 1e-6;

/// Search to a fixed depth, outcome by outcome.
#[derive(Clone, Debug)]
pub struct OutcomeSearch<G: Game, E: Evaluator<G>> {
    game: G,
    evaluator: E,
    depth: u32,
    options: Options,
    table: Option<Arc<Table>>,
    cache: E::Cache,
    parties: Parties,
    watch: Watch,
    stats: SearchStats,
    eval_timer: EvalTimer,
}

/// A node of the recursion: a position that is not over.
#[derive(Debug)]
struct Node<'a, P> {
    position: &'a P,
    /// Plies before the leaves, at least 1.
    depth: u32,
}

impl<G: Game, E: Evaluator<G>> OutcomeSearch<G, E> {
    /// A search of `depth` plies from the position it is asked about, the root move included
    /// (1–127).
    #[must_use]
    pub fn new(
        game: G,
        evaluator: E,
        depth: u32,
        options: Options,
        table: Option<Arc<Table>>,
    ) -> Self {
        Self {
            game,
            evaluator,
            depth,
            options,
            table,
            cache: E::Cache::default(),
            parties: Parties { root: 0 },
            watch: Watch::default(),
            stats: SearchStats::default(),
            eval_timer: EvalTimer::default(),
        }
    }

    /// Also measures the time it spends evaluating, or not.
    #[must_use]
    pub fn timed(mut self, timed: bool) -> Self {
        self.eval_timer = EvalTimer::new(timed);
        self
    }

    /// Bounds of a position before chance has spoken, `depth` plies deep (at most the search's own
    /// depth), for the party to move: exact between `alpha` and `beta`, otherwise on one side of
    /// them.
    pub fn bounds(&mut self, position: &G::Position, depth: u32, alpha: f32, beta: f32) -> Bounds {
        self.parties = Parties {
            root: self.game.to_move(position),
        };
        if let Some(payoffs) = self.game.payoffs(position) {
            return Bounds::exact(payoffs[self.parties.root]);
        }
        if depth == 0 {
            return Bounds::exact(self.evaluate(position));
        }
        self.chance_node(&Node { position, depth }, Window::new(alpha, beta))
    }

    fn chance_node(&mut self, node: &Node<'_, G::Position>, window: Window) -> Bounds {
        let key = if self.table.is_some() {
            self.parties.key(&self.game, node.position)
        } else {
            0
        };
        if let Some(table) = &self.table {
            self.stats.table.probes += 1;
            if let Some(known) = table.probe(key, node.depth) {
                self.stats.table.hits += 1;
                if known.holds && window.settles(known.bounds) {
                    self.stats.table.cuts += 1;
                    return known.bounds;
                }
            }
        }
        let mut moves = G::Moves::default();
        self.game.moves(node.position, &mut moves);
        let outcomes = self.game.outcomes(node.position, &moves);
        let bounds = self.outcome_by_outcome(node, &moves, &outcomes, window);
        if let Some(table) = self.table.as_ref().filter(|_| !self.watch.stopped()) {
            self.stats.table.stores += 1;
            let kept = table.store(
                key,
                &Found {
                    depth: node.depth,
                    bounds,
                    proven: false,
                    hint: 0,
                },
            );
            self.stats.table.replacements += u64::from(kept == Kept::Replacing);
        }
        bounds
    }

    fn outcome_by_outcome(
        &mut self,
        node: &Node<'_, G::Position>,
        moves: &[G::Move],
        outcomes: &G::Outcomes,
        window: Window,
    ) -> Bounds {
        let cuts = self.options.cuts;
        // To the chance node each outcome is a single move: that of its choice node.
        let mut choices = G::Outcomes::default();
        for (index, outcome) in (0..).zip(outcomes.iter()) {
            choices.push(Outcome {
                weight: outcome.weight,
                start: index,
                end: index + 1,
            });
        }
        let mut expectation = ChanceBounds::<G::Outcomes>::new(&choices);
        let mut probes = <G::Outcomes as OutcomeList>::Of::<Option<Bounds>>::default();
        // In a full window no sum of lower bounds can cut, and a probe would only search in a wider
        // window.
        if cuts == Cuts::Star2 && window.beta < 1.0 {
            for (index, outcome) in outcomes.iter().enumerate() {
                let first = self.after(
                    node,
                    moves[outcome.run().start],
                    window.of(&expectation, index),
                );
                probes.push(Some(first));
                expectation.raise(index, first.lower);
                if expectation.decide(window.alpha, window.beta) {
                    return expectation.bounds();
                }
            }
        }
        for (index, outcome) in outcomes.iter().enumerate() {
            let matters = match cuts {
                Cuts::None | Cuts::Between => Window::FULL,
                Cuts::Star1 | Cuts::Star2 => window.of(&expectation, index),
            };
            expectation.add(
                index,
                self.choice_node(
                    node,
                    &moves[outcome.run()],
                    matters,
                    probes.get(index).copied().flatten(),
                ),
            );
            if cuts != Cuts::None && expectation.decide(window.alpha, window.beta) {
                break;
            }
        }
        expectation.bounds()
    }

    /// The best of the permitted moves; `probe` is what is known of the first of them.
    fn choice_node(
        &mut self,
        node: &Node<'_, G::Position>,
        moves: &[G::Move],
        window: Window,
        probe: Option<Bounds>,
    ) -> Bounds {
        if self.options.cuts == Cuts::None {
            let best = moves
                .iter()
                .map(|&mv| self.after(node, mv, window).lower)
                .fold(0.0, f32::max);
            return Bounds::exact(best);
        }
        let mut best = Bounds::exact(0.0);
        for (index, &mv) in moves.iter().enumerate() {
            let left = Window {
                alpha: window.alpha.max(best.lower),
                ..window
            };
            let found = match probe {
                // The window has only become narrower since, so the probe settles it (but for
                // rounding).
                Some(known) if index == 0 && left.settles(known) => known,
                _ if index > 0 && self.options.negascout => self.scout(node, mv, left),
                _ => self.after(node, mv, left),
            };
            best = Bounds {
                lower: best.lower.max(found.lower),
                upper: best.upper.max(found.upper),
            };
            if best.lower >= window.beta {
                // Moves that were not searched may be worth more.
                return Bounds { upper: 1.0, ..best };
            }
        }
        best
    }

    /// A move that is expected not to be better: in a null window first, again only if it lies
    /// inside the window.
    fn scout(&mut self, node: &Node<'_, G::Position>, mv: G::Move, window: Window) -> Bounds {
        let null = Window {
            beta: window.beta.min(window.alpha + NULL_WINDOW),
            ..window
        };
        let scouted = self.after(node, mv, null);
        if window.settles(scouted) {
            return scouted;
        }
        let inside = Window {
            alpha: window.alpha.max(scouted.lower),
            beta: window.beta.min(scouted.upper),
        };
        let again = self.after(node, mv, inside);
        let lower = again.lower.max(scouted.lower);
        Bounds {
            lower,
            upper: again.upper.min(scouted.upper).max(lower),
        }
    }

    /// The value of a move for the party that makes it.
    #[inline]
    fn after(&mut self, node: &Node<'_, G::Position>, mv: G::Move, window: Window) -> Bounds {
        let next = self.game.play(node.position, mv);
        self.stats.nodes += 1;
        if self.watch.is_over(self.stats.nodes) {
            return Bounds::UNKNOWN;
        }
        let same = self.parties.same(&self.game, node.position, &next);
        let bounds = if let Some(payoffs) = self.game.payoffs(&next) {
            Bounds::exact(self.parties.value(&self.game, &next, &payoffs))
        } else {
            if node.depth == 1 {
                Bounds::exact(self.evaluate(&next))
            } else {
                let below = Node {
                    position: &next,
                    depth: node.depth - 1,
                };
                self.chance_node(&below, if same { window } else { window.opposite() })
            }
        };
        if same { bounds } else { bounds.opposite() }
    }

    #[inline]
    fn evaluate(&mut self, position: &G::Position) -> f32 {
        self.stats.evaluations += 1;
        let (game, evaluator, cache, parties) =
            (&self.game, &self.evaluator, &mut self.cache, self.parties);
        evaluator.refresh(game, position, cache);
        self.eval_timer
            .evaluation(|| parties.evaluate(game, evaluator, position, cache))
    }
}

impl<G: Game, E: Evaluator<G>> Search<G> for OutcomeSearch<G, E> {
    fn game(&self) -> &G {
        &self.game
    }

    fn forget(&mut self) {
        if let Some(table) = &self.table {
            table.forget();
        }
    }

    fn set_limits(&mut self, limits: &Limits) {
        self.watch.start_within(self.stats.nodes, limits);
    }

    fn is_stopped(&self) -> bool {
        self.watch.stopped()
    }

    fn move_value(&mut self, position: &G::Position, mv: G::Move, alpha: f32) -> Bounds {
        self.parties = Parties {
            root: self.game.to_move(position),
        };
        let depth = self.depth;
        self.after(&Node { position, depth }, mv, Window::new(alpha, 1.0))
    }

    fn value(&mut self, position: &G::Position) -> f32 {
        let value = self.bounds(position, self.depth, 0.0, 1.0).lower;
        if self.is_stopped() {
            UNKNOWN_VALUE
        } else {
            value
        }
    }

    fn take_stats(&mut self) -> SearchStats {
        self.eval_timer.take_with(&mut self.stats)
    }
}
