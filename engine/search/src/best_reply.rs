//! Best-reply search (Schadd and Winands 2011): with more than two seats, the root seat alternates
//! with the strongest reply of any one opponent, while the others pass.

use super::{
    DepthObserver, RootVersusRest, Search, SearchStats,
    deepening::{DeepeningOptions, DeepeningSearch},
    limits::{Limits, SearchLimits},
    star::StarOptions,
    table::Table,
};
use alea_core::{
    chance_bounds::Bounds,
    evaluator::Evaluator,
    game::{Game, List, MAX_SEATS, Payoffs, Seat, SingleOutcome},
    search_game::{OutOfTurn, Phase, Playouts, SearchGame, SearchHints},
};
use std::sync::Arc;

/// A game of many seats as one of two players: the root seat (0) and all others (1), of which one
/// replies. A seat without a move is skipped.
#[derive(Clone, Debug)]
pub struct BrsGame<G>(
    /// The game of many seats.
    pub G,
);

/// A position of [`BrsGame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BrsPosition<P> {
    /// Position of the original game.
    pub position: P,
    /// Seat of the original game that is player 0.
    pub root: Seat,
}

/// A move of the original game with its seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BrsMove<M> {
    /// The move of the original game.
    pub mv: M,
    seat: u8,
}

impl<G: SearchGame> BrsGame<G> {
    /// `position` with its seat to move as player 0.
    pub fn root_position(&self, position: &G::Position) -> BrsPosition<G::Position> {
        BrsPosition {
            position: *position,
            root: self.0.to_move(position),
        }
    }

    /// The move `mv` of the root seat.
    pub fn root_move(&self, at: &BrsPosition<G::Position>, mv: G::Move) -> BrsMove<G::Move> {
        let seat = at.root as u8;
        BrsMove { mv, seat }
    }

    fn with_turn(&self, at: &BrsPosition<G::Position>, brs_move: BrsMove<G::Move>) -> G::Position {
        let mut position = at.position;
        self.0
            .set_side_to_move(&mut position, usize::from(brs_move.seat));
        position
    }
}

impl<G: SearchGame> Game for BrsGame<G> {
    type Position = BrsPosition<G::Position>;

    type Move = BrsMove<G::Move>;

    type Moves = Vec<BrsMove<G::Move>>;

    type Outcomes = SingleOutcome;

    fn to_move(&self, at: &Self::Position) -> Seat {
        usize::from(self.0.to_move(&at.position) != at.root)
    }

    fn payoffs(&self, at: &Self::Position) -> Option<Payoffs> {
        let payoffs = self.0.payoffs(&at.position)?;
        let mut two_payoffs = [0.0; MAX_SEATS];
        (two_payoffs[0], two_payoffs[1]) = (payoffs[at.root], 1.0 - payoffs[at.root]);
        Some(two_payoffs)
    }

    fn moves(&self, at: &Self::Position, moves_of_all: &mut Self::Moves) {
        moves_of_all.clear();
        let (first, seats) = (self.0.to_move(&at.position), self.0.seats());
        let num_turns = if first == at.root { 1 } else { seats };
        let (mut position, mut moves) = (at.position, G::Moves::default());
        for seat in (first..first + num_turns).map(|seat| seat % seats) {
            if num_turns > 1 && seat == at.root || !self.0.set_side_to_move(&mut position, seat) {
                continue;
            }
            self.0.moves(&position, &mut moves);
            let seat = seat as u8;
            moves_of_all.extend(moves.iter().map(|&mv| BrsMove { mv, seat }));
        }
        List::truncate(moves_of_all, usize::from(u16::MAX));
    }

    fn play(&self, at: &Self::Position, brs_move: BrsMove<G::Move>) -> Self::Position {
        let mut position = self.0.play(&self.with_turn(at, brs_move), brs_move.mv);
        if usize::from(brs_move.seat) != at.root {
            self.0.set_side_to_move(&mut position, at.root);
        }
        BrsPosition { position, ..*at }
    }

    fn key(&self, at: &Self::Position) -> u64 {
        RootVersusRest { root: at.root }.key(&self.0, &at.position)
    }
}

impl<G: SearchGame> SearchHints for BrsGame<G> {
    fn history_size(&self) -> usize {
        self.0.history_size()
    }

    fn history_index(&self, at: &Self::Position, brs_move: BrsMove<G::Move>) -> usize {
        self.0.history_index(&at.position, brs_move.mv)
    }

    fn move_class(&self, at: &Self::Position, brs_move: BrsMove<G::Move>) -> u8 {
        self.0.move_class(&at.position, brs_move.mv)
    }

    fn phase(&self, at: &Self::Position) -> Phase {
        self.0.phase(&at.position)
    }

    fn expected_moves_left(&self, at: &Self::Position) -> u32 {
        self.0.expected_moves_left(&at.position)
    }
}

impl<G: SearchGame> Playouts for BrsGame<G> {}

impl<G: SearchGame> OutOfTurn for BrsGame<G> {}

/// Evaluates positions of [`BrsGame`] by an evaluator of the original game.
#[derive(Clone, Copy, Debug)]
pub struct BrsEvaluatorAdapter<E>(
    /// Evaluator of the original game.
    pub E,
);

impl<G: SearchGame, E: Evaluator<G>> Evaluator<BrsGame<G>> for BrsEvaluatorAdapter<E> {
    type Cache = E::Cache;

    fn refresh(&self, game: &BrsGame<G>, at: &BrsPosition<G::Position>, cache: &mut E::Cache) {
        self.0.refresh(&game.0, &at.position, cache);
    }

    fn value(&self, game: &BrsGame<G>, at: &BrsPosition<G::Position>, cache: &E::Cache) -> f32 {
        let payoffs = self.0.payoffs(&game.0, &at.position, cache);
        RootVersusRest { root: at.root }.value(&game.0, &at.position, &payoffs)
    }
}

/// An iteratively deepened Star search of [`BrsGame`].
pub struct BestReplySearch<G: SearchGame> {
    search: DeepeningSearch<BrsGame<G>>,
}

impl<G: SearchGame> BestReplySearch<G> {
    /// A search with arguments as of [`DeepeningSearch::new`]. The game needs
    /// [`OutOfTurn::SUPPORTS_OUT_OF_TURN`].
    pub fn new(
        game: G,
        evaluator: impl Evaluator<G> + Clone + 'static,
        options: StarOptions,
        deepening: DeepeningOptions,
        limits: SearchLimits,
        table: Option<Arc<Table>>,
        threads: usize,
    ) -> Self {
        let (game, evaluator) = (BrsGame(game), BrsEvaluatorAdapter(evaluator));
        let search =
            DeepeningSearch::new(game, evaluator, options, deepening, limits, table, threads);
        Self { search }
    }

    /// Sets whether [`SearchStats::evaluation_time`] is measured.
    #[must_use]
    pub fn with_eval_timer(self, timed: bool) -> Self {
        let search = self.search.with_eval_timer(timed);
        Self { search }
    }

    fn root_position(
        &self,
        position: &G::Position,
        moves: &[G::Move],
    ) -> (BrsPosition<G::Position>, Vec<BrsMove<G::Move>>) {
        let game = self.search.game();
        let at = game.root_position(position);
        (
            at,
            moves.iter().map(|&mv| game.root_move(&at, mv)).collect(),
        )
    }
}

impl<G: SearchGame> Search<G> for BestReplySearch<G> {
    fn game(&self) -> &G {
        &self.search.game().0
    }

    fn clear(&mut self) {
        self.search.clear();
    }

    fn set_limits(&mut self, limits: &Limits) {
        self.search.set_limits(limits);
    }

    fn is_stopped(&self) -> bool {
        self.search.is_stopped()
    }

    fn move_value(&mut self, position: &G::Position, mv: G::Move, alpha: f32) -> Bounds {
        let (at, moves) = self.root_position(position, &[mv]);
        self.search.move_value(&at, moves[0], alpha)
    }

    fn best_move(&mut self, position: &G::Position, legal: &[G::Move]) -> (G::Move, f32) {
        let (at, moves) = self.root_position(position, legal);
        let (best, value) = self.search.best_move(&at, &moves);
        (best.mv, value)
    }

    fn move_values(&mut self, position: &G::Position, moves: &[G::Move]) -> Vec<f32> {
        let (at, moves) = self.root_position(position, moves);
        self.search.move_values(&at, &moves)
    }

    fn move_payoffs_observed(
        &mut self,
        position: &G::Position,
        moves: &[G::Move],
        observer: &mut DepthObserver<'_>,
    ) -> Vec<(f32, Option<Payoffs>)> {
        let (at, moves) = self.root_position(position, moves);
        self.search.move_payoffs_observed(&at, &moves, observer)
    }

    fn value(&mut self, position: &G::Position) -> f32 {
        let at = self.search.game().root_position(position);
        self.search.value(&at)
    }

    fn take_stats(&mut self) -> SearchStats {
        self.search.take_stats()
    }
}
