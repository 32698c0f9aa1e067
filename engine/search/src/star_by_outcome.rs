//! Star searches as published, the reference for node counts: a move is searched for every outcome
//! that allows it.
//!
//! Each outcome of a *chance node* leads to a *choice node*, which takes the best allowed move. The
//! names Star0, Star0.5 and Star1 are from NTU's EinStein agent, Star2 from Ballard 1983 (windows
//! of Hauk, Buro and Schaeffer 2004). Star0.5 searches choice nodes with the window `[0, 1]`, which
//! fits the published counts.

use super::{
    RootVersusRest, Search, SearchStats, UNKNOWN_VALUE,
    eval_timer::EvalTimer,
    limits::{LimitChecker, Limits},
    star::Pruning,
    table::{NewEntry, StoreOutcome, Table},
    window::Window,
};
use alea_core::{
    chance_bounds::{Bounds, ChanceBounds},
    evaluator::Evaluator,
    game::{List, Outcome, OutcomeList},
    search_game::SearchGame,
};
use std::sync::Arc;

/// Options of a [`StarByOutcome`] search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StarByOutcomeOptions {
    /// Pruning at chance nodes; [`Pruning::BetweenMoves`] cuts between outcomes.
    pub pruning: Pruning,
    /// Whether later moves of a choice node are tried with a null window first (Reinefeld 1983);
    /// not with [`Pruning::None`].
    pub negascout: bool,
}

const NULL_WINDOW: f32 = 1e-6;

/// A Star search to a fixed depth, of each outcome's moves separately.
#[derive(Clone, Debug)]
pub struct StarByOutcome<G: SearchGame, E: Evaluator<G>> {
    game: G,
    evaluator: E,
    depth: u32,
    options: StarByOutcomeOptions,
    table: Option<Arc<Table>>,
    cache: E::Cache,
    perspective: RootVersusRest,
    limit_checker: LimitChecker,
    stats: SearchStats,
    eval_timer: EvalTimer,
}

#[derive(Debug)]
struct Node<'a, P> {
    position: &'a P,
    depth: u32,
}

impl<G: SearchGame, E: Evaluator<G>> StarByOutcome<G, E> {
    /// A search of `depth` plies (1–127), the root move included.
    pub fn new(
        game: G,
        evaluator: E,
        depth: u32,
        options: StarByOutcomeOptions,
        table: Option<Arc<Table>>,
    ) -> Self {
        Self {
            game,
            evaluator,
            depth,
            options,
            table,
            cache: E::Cache::default(),
            perspective: RootVersusRest { root: 0 },
            limit_checker: LimitChecker::default(),
            stats: SearchStats::default(),
            eval_timer: EvalTimer::default(),
        }
    }

    /// Sets whether [`SearchStats::evaluation_time`] is measured.
    #[must_use]
    pub fn with_eval_timer(mut self, timed: bool) -> Self {
        self.eval_timer = EvalTimer::new(timed);
        self
    }

    /// Bounds as defined by [`super::star::Star::bounds`].
    pub fn bounds(&mut self, position: &G::Position, depth: u32, alpha: f32, beta: f32) -> Bounds {
        self.perspective = RootVersusRest {
            root: self.game.to_move(position),
        };
        if let Some(payoffs) = self.game.payoffs(position) {
            return Bounds::exact(payoffs[self.perspective.root]);
        }
        if depth == 0 {
            return Bounds::exact(self.evaluate(position));
        }
        self.search_chance_node(&Node { position, depth }, Window::new(alpha, beta))
    }

    fn search_chance_node(&mut self, node: &Node<'_, G::Position>, window: Window) -> Bounds {
        let key = if self.table.is_some() {
            self.perspective.key(&self.game, node.position)
        } else {
            0
        };
        if let Some(table) = &self.table {
            self.stats.table.probes += 1;
            if let Some(probe_bounds) = table.probe(key, node.depth) {
                self.stats.table.hits += 1;
                if probe_bounds.is_usable && window.is_decided_by(probe_bounds.bounds) {
                    self.stats.table.cuts += 1;
                    return probe_bounds.bounds;
                }
            }
        }
        let mut moves = G::Moves::default();
        self.game.moves(node.position, &mut moves);
        let outcomes = self.game.outcomes(node.position, &moves);
        let bounds = self.search_outcomes(node, &moves, &outcomes, window);
        if let Some(table) = self
            .table
            .as_ref()
            .filter(|_| !self.limit_checker.stopped())
        {
            self.stats.table.stores += 1;
            let outcome_of_store = table.store(
                key,
                &NewEntry {
                    depth: node.depth,
                    bounds,
                    proven: false,
                    hint: 0,
                },
            );
            self.stats.table.replacements += u64::from(outcome_of_store == StoreOutcome::Replacing);
        }
        bounds
    }

    fn search_outcomes(
        &mut self,
        node: &Node<'_, G::Position>,
        moves: &[G::Move],
        outcomes: &G::Outcomes,
        window: Window,
    ) -> Bounds {
        let cuts = self.options.pruning;
        let mut choices = G::Outcomes::default();
        for (index, outcome) in (0..).zip(outcomes.iter()) {
            choices.push(Outcome {
                weight: outcome.weight,
                start: index,
                end: index + 1,
            });
        }
        let mut expectation = ChanceBounds::<G::Outcomes>::new(&choices);
        let mut probes = <G::Outcomes as OutcomeList>::ListOf::<Option<Bounds>>::default();
        if cuts == Pruning::Star2 && window.beta < 1.0 {
            for (index, outcome) in outcomes.iter().enumerate() {
                let first = self.search_move(
                    node,
                    moves[outcome.move_range().start],
                    window.for_move(&expectation, index),
                );
                probes.push(Some(first));
                expectation.raise_lower_bound(index, first.lower);
                if expectation.is_decided(window.alpha, window.beta) {
                    return expectation.bounds();
                }
            }
        }
        for (index, outcome) in outcomes.iter().enumerate() {
            let outcome_window = match cuts {
                Pruning::None | Pruning::BetweenMoves => Window::FULL,
                Pruning::Star1 | Pruning::Star2 => window.for_move(&expectation, index),
            };
            expectation.record(
                index,
                self.search_choice_node(
                    node,
                    &moves[outcome.move_range()],
                    outcome_window,
                    probes.get(index).copied().flatten(),
                ),
            );
            if cuts != Pruning::None && expectation.is_decided(window.alpha, window.beta) {
                break;
            }
        }
        expectation.bounds()
    }

    fn search_choice_node(
        &mut self,
        node: &Node<'_, G::Position>,
        moves: &[G::Move],
        window: Window,
        probe: Option<Bounds>,
    ) -> Bounds {
        if self.options.pruning == Pruning::None {
            let best = moves
                .iter()
                .map(|&mv| self.search_move(node, mv, window).lower)
                .fold(0.0, f32::max);
            return Bounds::exact(best);
        }
        let mut best = Bounds::exact(0.0);
        for (index, &mv) in moves.iter().enumerate() {
            let remaining_window = Window {
                alpha: window.alpha.max(best.lower),
                ..window
            };
            let found = match probe {
                Some(probe_bounds)
                    if index == 0 && remaining_window.is_decided_by(probe_bounds) =>
                {
                    probe_bounds
                }
                _ if index > 0 && self.options.negascout => self.scout(node, mv, remaining_window),
                _ => self.search_move(node, mv, remaining_window),
            };
            best = Bounds {
                lower: best.lower.max(found.lower),
                upper: best.upper.max(found.upper),
            };
            if best.lower >= window.beta {
                return Bounds { upper: 1.0, ..best };
            }
        }
        best
    }

    fn scout(&mut self, node: &Node<'_, G::Position>, mv: G::Move, window: Window) -> Bounds {
        let null = Window {
            beta: window.beta.min(window.alpha + NULL_WINDOW),
            ..window
        };
        let null_bounds = self.search_move(node, mv, null);
        if window.is_decided_by(null_bounds) {
            return null_bounds;
        }
        let inside = Window {
            alpha: window.alpha.max(null_bounds.lower),
            beta: window.beta.min(null_bounds.upper),
        };
        let full_bounds = self.search_move(node, mv, inside);
        let lower = full_bounds.lower.max(null_bounds.lower);
        Bounds {
            lower,
            upper: full_bounds.upper.min(null_bounds.upper).max(lower),
        }
    }

    #[inline]
    fn search_move(&mut self, node: &Node<'_, G::Position>, mv: G::Move, window: Window) -> Bounds {
        let next = self.game.play(node.position, mv);
        self.stats.nodes += 1;
        if self.limit_checker.is_over(self.stats.nodes) {
            return Bounds::UNKNOWN;
        }
        let same = self
            .perspective
            .is_same_side(&self.game, node.position, &next);
        let bounds = if let Some(payoffs) = self.game.payoffs(&next) {
            Bounds::exact(self.perspective.value(&self.game, &next, &payoffs))
        } else {
            if node.depth == 1 {
                Bounds::exact(self.evaluate(&next))
            } else {
                let below = Node {
                    position: &next,
                    depth: node.depth - 1,
                };
                self.search_chance_node(&below, if same { window } else { window.flip() })
            }
        };
        if same { bounds } else { bounds.flip() }
    }

    #[inline]
    fn evaluate(&mut self, position: &G::Position) -> f32 {
        self.stats.evaluations += 1;
        let (game, evaluator, cache, perspective) = (
            &self.game,
            &self.evaluator,
            &mut self.cache,
            self.perspective,
        );
        evaluator.refresh(game, position, cache);
        self.eval_timer
            .measure(|| perspective.value_for_mover(game, evaluator, position, cache))
    }
}

impl<G: SearchGame, E: Evaluator<G>> Search<G> for StarByOutcome<G, E> {
    fn game(&self) -> &G {
        &self.game
    }

    fn clear(&mut self) {
        if let Some(table) = &self.table {
            table.clear();
        }
    }

    fn set_limits(&mut self, limits: &Limits) {
        self.limit_checker.start_with_stop(self.stats.nodes, limits);
    }

    fn is_stopped(&self) -> bool {
        self.limit_checker.stopped()
    }

    fn move_value(&mut self, position: &G::Position, mv: G::Move, alpha: f32) -> Bounds {
        self.perspective = RootVersusRest {
            root: self.game.to_move(position),
        };
        let depth = self.depth;
        self.search_move(&Node { position, depth }, mv, Window::new(alpha, 1.0))
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
        self.eval_timer.take_stats(&mut self.stats)
    }
}
