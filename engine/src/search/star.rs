//! Star1: expectiminimax that cuts at chance nodes by bounds (Ballard 1983), on the unified operator.
//!
//! Each distinct move of a position is searched once, in the window in which its value can still matter
//! ([`ChanceBounds::window`]). Fail-soft: a result bounds the value from both sides, and both bounds go into the
//! table. Invariant: the result equals [`super::expectiminimax`] up to rounding, with or without a table.

use super::meter::{Meter, Off};
use super::table::Table;
use super::{Parties, Search, SearchStats};
use crate::chance::{Bounds, ChanceBounds, expectation};
use crate::eval::Evaluator;
use crate::game::{Game, OutcomeList, Seat};

/// Star1 to a fixed depth.
#[derive(Clone, Debug)]
pub struct Star1<G: Game, E: Evaluator<G>, M: Meter = Off> {
    game: G,
    evaluator: E,
    depth: u32,
    table: Option<Table>,
    /// The evaluator's state for each ply of the line being searched.
    caches: Vec<E::Cache>,
    parties: Parties,
    /// The values of one frontier node's moves; kept so that no node allocates.
    frontier_values: Vec<f32>,
    stats: SearchStats,
    meter: M,
}

impl<G: Game, E: Evaluator<G>, M: Meter> Star1<G, E, M> {
    /// A search of `depth` plies from the position it is asked about, the root move included (1–255).
    #[must_use]
    pub fn new(game: G, evaluator: E, depth: u32, table: Option<Table>) -> Self {
        let caches = vec![E::Cache::default(); depth as usize + 1];
        Self {
            game,
            evaluator,
            depth,
            table,
            caches,
            parties: Parties { root: 0 },
            frontier_values: Vec::new(),
            stats: SearchStats::default(),
            meter: M::default(),
        }
    }

    /// Bounds of a position before chance has spoken, `depth` plies deep (at most the search's own depth), for the
    /// party to move: exact between `alpha` and `beta`, otherwise on one side of them.
    pub fn bounds(&mut self, position: &G::Position, depth: u32, alpha: f32, beta: f32) -> Bounds {
        self.parties = Parties { root: self.game.to_move(position) };
        if let Some(payoffs) = self.game.payoffs(position) {
            return Bounds::exact(payoffs[self.parties.root]);
        }
        self.evaluator.refresh(&self.game, position, &mut self.caches[0]);
        if depth == 0 { Bounds::exact(self.evaluate(position, 0)) } else { self.chance_node(position, depth, 0, alpha, beta) }
    }

    /// A position that is not over, at `ply` from the root, `depth` ≥ 1 plies before the leaves.
    fn chance_node(&mut self, position: &G::Position, depth: u32, ply: usize, alpha: f32, beta: f32) -> Bounds {
        let key = if self.table.is_some() { self.key(position) } else { 0 };
        if let Some(known) = self.table.as_ref().and_then(|table| table.probe(key, depth))
            && (known.lower >= known.upper || known.lower >= beta || known.upper <= alpha)
        {
            self.stats.table.cuts += 1;
            return known;
        }
        let mut moves = G::Moves::default();
        self.game.moves(position, &mut moves);
        let mut outcomes = OutcomeList::default();
        self.game.outcomes(position, &moves, &mut outcomes);
        let bounds = if depth == 1 {
            self.frontier(position, &moves, &outcomes, ply)
        } else {
            self.inner(position, &moves, &outcomes, depth, ply, alpha, beta)
        };
        if let Some(table) = &mut self.table {
            table.store(key, depth, bounds);
        }
        bounds
    }

    /// A position all of whose successors are leaves: their values cost less than the windows that might save some.
    fn frontier(&mut self, position: &G::Position, moves: &[G::Move], outcomes: &OutcomeList, ply: usize) -> Bounds {
        let mut values = std::mem::take(&mut self.frontier_values);
        values.clear();
        values.extend(moves.iter().map(|&mv| self.after(position, mv, 0, ply, f32::NEG_INFINITY, f32::INFINITY).lower));
        let value = expectation(outcomes, &values);
        self.frontier_values = values;
        Bounds::exact(value)
    }

    /// A position whose moves are searched one by one, each in the window in which it still matters.
    #[expect(clippy::too_many_arguments, reason = "the state of one node of the recursion")]
    fn inner(
        &mut self,
        position: &G::Position,
        moves: &[G::Move],
        outcomes: &OutcomeList,
        depth: u32,
        ply: usize,
        alpha: f32,
        beta: f32,
    ) -> Bounds {
        let mut chance = ChanceBounds::new(outcomes);
        let mut bounds = Bounds::UNKNOWN;
        for (index, &mv) in moves.iter().enumerate() {
            if !chance.matters(index) {
                continue;
            }
            let (low, high) = chance.window(index, alpha, beta);
            chance.add(index, self.after(position, mv, depth - 1, ply, low, high));
            bounds = chance.bounds();
            if bounds.lower >= beta || bounds.upper <= alpha {
                break;
            }
        }
        bounds
    }

    /// The value of a move for the party that makes it; `depth` plies remain below it.
    #[inline]
    fn after(&mut self, position: &G::Position, mv: G::Move, depth: u32, ply: usize, alpha: f32, beta: f32) -> Bounds {
        let next = self.game.play(position, mv);
        self.stats.nodes += 1;
        let same = self.parties.same(&self.game, position, &next);
        let bounds = if let Some(payoffs) = self.game.payoffs(&next) {
            Bounds::exact(self.parties.value(&self.game, &next, &payoffs))
        } else {
            let (parents, children) = self.caches.split_at_mut(ply + 1);
            self.evaluator.update(&self.game, &parents[ply], position, mv, &next, &mut children[0]);
            if depth == 0 {
                Bounds::exact(self.evaluate(&next, ply + 1))
            } else if same {
                self.chance_node(&next, depth, ply + 1, alpha, beta)
            } else {
                self.chance_node(&next, depth, ply + 1, 1.0 - beta, 1.0 - alpha)
            }
        };
        if same { bounds } else { bounds.opposite() }
    }

    #[inline]
    fn evaluate(&mut self, position: &G::Position, ply: usize) -> f32 {
        self.stats.evaluations += 1;
        let (game, evaluator, cache, parties) = (&self.game, &self.evaluator, &self.caches[ply], self.parties);
        self.meter.evaluation(|| {
            if G::SEATS == 2 {
                evaluator.value(game, position, cache)
            } else {
                parties.value(game, position, &evaluator.payoffs(game, position, cache))
            }
        })
    }

    /// With more than two seats a value also depends on who is at the root.
    #[inline]
    fn key(&self, position: &G::Position) -> u64 {
        let key = self.game.key(position);
        if G::SEATS == 2 { key } else { key ^ (self.parties.root as Seat as u64 + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93) }
    }
}

impl<G: Game, E: Evaluator<G>, M: Meter> Search<G> for Star1<G, E, M> {
    fn game(&self) -> &G {
        &self.game
    }

    fn forget(&mut self) {
        if let Some(table) = &mut self.table {
            table.forget();
        }
    }

    fn move_value(&mut self, position: &G::Position, mv: G::Move, alpha: f32) -> Bounds {
        self.parties = Parties { root: self.game.to_move(position) };
        self.evaluator.refresh(&self.game, position, &mut self.caches[0]);
        self.after(position, mv, self.depth - 1, 0, alpha, f32::INFINITY)
    }

    fn value(&mut self, position: &G::Position) -> f32 {
        self.bounds(position, self.depth, f32::NEG_INFINITY, f32::INFINITY).lower
    }

    fn take_stats(&mut self) -> SearchStats {
        let evaluation_time = self.meter.take();
        SearchStats { evaluation_time, ..std::mem::take(&mut self.stats) }
    }
}
