//! Best-reply search (Schadd and Winands 2011): with more than two seats the one at the root meets
//! a single move of all the others together, then moves again.
//!
//! A game of many seats becomes one of two, [`BestReply`], in which the second has the moves of
//! every other seat and makes the one that is worst for the root; whoever is not asked passes, by
//! [`Game::turn_to`]. So whatever searches two seats searches this, and sees the root's moves at
//! every other ply. Positions arise that the rules do not know. Invariant: a seat without a move is
//! passed over, the root like any other.

use super::{
    DepthObserver, Parties, Search, SearchStats,
    deepening::{Deepening, DeepeningSearch},
    limits::{Limits, SearchLimits},
    star::StarOptions,
    table::Table,
};
use crate::core::{
    chance::Bounds,
    evaluator::Evaluator,
    game::{Game, List, MAX_SEATS, OneOutcome, Payoffs, Seat, Stage},
};
use std::sync::Arc;

/// A game without chance as its root seat, 0, and all others together, 1, play it.
#[derive(Clone, Debug)]
pub struct BestReply<G>(
    /// The game of many seats.
    pub G,
);

/// A position, and the seat at the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rooted<P> {
    /// The position, with the turn as the rules or a reply have left it.
    pub position: P,
    /// The seat at the root.
    pub root: Seat,
}

/// A move, and the seat that makes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reply<M> {
    /// The move.
    pub mv: M,
    seat: u8,
}

impl<G: Game> BestReply<G> {
    /// A position with the seat to move at the root.
    #[must_use]
    pub fn rooted(&self, position: &G::Position) -> Rooted<G::Position> {
        Rooted {
            position: *position,
            root: self.0.to_move(position),
        }
    }

    /// A move of the seat at the root.
    #[must_use]
    pub fn own(&self, at: &Rooted<G::Position>, mv: G::Move) -> Reply<G::Move> {
        let seat = at.root as u8;
        Reply { mv, seat }
    }

    /// The position with the turn of whoever makes a move.
    fn turned(&self, at: &Rooted<G::Position>, reply: Reply<G::Move>) -> G::Position {
        let mut position = at.position;
        self.0.turn_to(&mut position, usize::from(reply.seat));
        position
    }
}

impl<G: Game> Game for BestReply<G> {
    type Position = Rooted<G::Position>;
    type Move = Reply<G::Move>;
    type Moves = Vec<Reply<G::Move>>;
    type Outcomes = OneOutcome;

    fn to_move(&self, at: &Self::Position) -> Seat {
        usize::from(self.0.to_move(&at.position) != at.root)
    }

    fn payoffs(&self, at: &Self::Position) -> Option<Payoffs> {
        let payoffs = self.0.payoffs(&at.position)?;
        let mut shares = [0.0; MAX_SEATS];
        (shares[0], shares[1]) = (payoffs[at.root], 1.0 - payoffs[at.root]);
        Some(shares)
    }

    /// Those of the others begin with the seat whose turn it is.
    fn moves(&self, at: &Self::Position, replies: &mut Self::Moves) {
        replies.clear();
        let (first, seats) = (self.0.to_move(&at.position), self.0.seats());
        let asked = if first == at.root { 1 } else { seats };
        let (mut position, mut moves) = (at.position, G::Moves::default());
        for seat in (first..first + asked).map(|seat| seat % seats) {
            if asked > 1 && seat == at.root || !self.0.turn_to(&mut position, seat) {
                continue;
            }
            self.0.moves(&position, &mut moves);
            let seat = seat as u8;
            replies.extend(moves.iter().map(|&mv| Reply { mv, seat }));
        }
        // More have no index; no map that was ever played comes near.
        List::truncate(replies, usize::from(u16::MAX));
    }

    fn play(&self, at: &Self::Position, reply: Reply<G::Move>) -> Self::Position {
        let mut position = self.0.play(&self.turned(at, reply), reply.mv);
        if usize::from(reply.seat) != at.root {
            self.0.turn_to(&mut position, at.root);
        }
        Rooted { position, ..*at }
    }

    fn move_kinds(&self) -> usize {
        self.0.move_kinds()
    }

    fn move_kind(&self, at: &Self::Position, reply: Reply<G::Move>) -> usize {
        self.0.move_kind(&at.position, reply.mv)
    }

    fn urgency(&self, at: &Self::Position, reply: Reply<G::Move>) -> u8 {
        self.0.urgency(&at.position, reply.mv)
    }

    fn stage(&self, at: &Self::Position) -> Stage {
        self.0.stage(&at.position)
    }

    fn moves_left(&self, at: &Self::Position) -> u32 {
        self.0.moves_left(&at.position)
    }

    fn key(&self, at: &Self::Position) -> u64 {
        Parties { root: at.root }.key(&self.0, &at.position)
    }
}

/// What an evaluator of the game of many seats says for the root.
#[derive(Clone, Copy, Debug)]
pub struct ForRoot<E>(
    /// The evaluator that is asked.
    pub E,
);

impl<G: Game, E: Evaluator<G>> Evaluator<BestReply<G>> for ForRoot<E> {
    type Cache = E::Cache;

    fn refresh(&self, game: &BestReply<G>, at: &Rooted<G::Position>, cache: &mut E::Cache) {
        self.0.refresh(&game.0, &at.position, cache);
    }

    fn value(&self, game: &BestReply<G>, at: &Rooted<G::Position>, cache: &E::Cache) -> f32 {
        let payoffs = self.0.payoffs(&game.0, &at.position, cache);
        Parties { root: at.root }.value(&game.0, &at.position, &payoffs)
    }
}

/// A Star search of [`BestReply`] under limits.
pub struct BestReplySearch<G: Game> {
    search: DeepeningSearch<BestReply<G>>,
}

impl<G: Game> BestReplySearch<G> {
    /// As [`DeepeningSearch::new`]. The game needs [`Game::turn_to`].
    #[must_use]
    pub fn new(
        game: G,
        evaluator: impl Evaluator<G> + Clone + 'static,
        options: StarOptions,
        deepening: Deepening,
        limits: SearchLimits,
        table: Option<Arc<Table>>,
        threads: usize,
    ) -> Self {
        let (game, evaluator) = (BestReply(game), ForRoot(evaluator));
        let search =
            DeepeningSearch::new(game, evaluator, options, deepening, limits, table, threads);
        Self { search }
    }

    /// Also measures the time it spends evaluating, or not.
    #[must_use]
    pub fn timed(self, timed: bool) -> Self {
        let search = self.search.timed(timed);
        Self { search }
    }

    /// A position and its moves as the root has them.
    fn rooted(
        &self,
        position: &G::Position,
        moves: &[G::Move],
    ) -> (Rooted<G::Position>, Vec<Reply<G::Move>>) {
        let game = self.search.game();
        let at = game.rooted(position);
        (at, moves.iter().map(|&mv| game.own(&at, mv)).collect())
    }
}

impl<G: Game> Search<G> for BestReplySearch<G> {
    fn game(&self) -> &G {
        &self.search.game().0
    }

    fn forget(&mut self) {
        self.search.forget();
    }

    fn set_limits(&mut self, limits: &Limits) {
        self.search.set_limits(limits);
    }

    fn is_stopped(&self) -> bool {
        self.search.is_stopped()
    }

    fn move_value(&mut self, position: &G::Position, mv: G::Move, alpha: f32) -> Bounds {
        let (at, moves) = self.rooted(position, &[mv]);
        self.search.move_value(&at, moves[0], alpha)
    }

    fn best_move(&mut self, position: &G::Position, legal: &[G::Move]) -> (G::Move, f32) {
        let (at, moves) = self.rooted(position, legal);
        let (best, value) = self.search.best_move(&at, &moves);
        (best.mv, value)
    }

    fn move_values(&mut self, position: &G::Position, moves: &[G::Move]) -> Vec<f32> {
        let (at, moves) = self.rooted(position, moves);
        self.search.move_values(&at, &moves)
    }

    fn move_payoffs_observed(
        &mut self,
        position: &G::Position,
        moves: &[G::Move],
        observer: &mut DepthObserver<'_>,
    ) -> Vec<(f32, Option<Payoffs>)> {
        let (at, moves) = self.rooted(position, moves);
        self.search.move_payoffs_observed(&at, &moves, observer)
    }

    fn value(&mut self, position: &G::Position) -> f32 {
        let at = self.search.game().rooted(position);
        self.search.value(&at)
    }

    fn take_stats(&mut self) -> SearchStats {
        self.search.take_stats()
    }
}
