//! A game with its chance laid open: what every ply will bring is known before it begins.
//!
//! So minimax and alpha-beta can be studied on the same board, moves and evaluators. For games
//! whose outcomes are the same whatever the position. Invariant: the position that is reached at
//! ply k permits exactly what outcome k permits in the game with chance.

use super::{
    playable::Playable,
    player::{Analysis, Decision, Failure, Player, Valuation},
};
use crate::core::{
    evaluator::Evaluator,
    game::{Chance, Game, OneOutcome, Payoffs, Seat, Stage},
    random::RandomStream,
};
use std::sync::{Arc, atomic::AtomicBool};

/// The rules, and the outcomes that lie open.
#[derive(Clone, Debug)]
pub struct OpenChance<G> {
    game: G,
    /// The outcome of each ply; as many as the longest game has plies.
    outcomes: Arc<[u8]>,
}

/// A position and how many outcomes have been used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OpenPosition<P> {
    /// What stands on the board, and who is to move.
    pub position: P,
    /// The ply, which selects the outcome.
    pub ply: u16,
}

impl<G: Playable> OpenChance<G> {
    /// The rules of `game` with outcomes that are drawn from `seed`.
    #[must_use]
    pub fn new(game: G, seed: u64) -> Self {
        let mut luck = game.luck(seed);
        let any = game.random_start(&mut RandomStream::new(0), 0);
        Self {
            outcomes: (0..game.most_plies())
                .map(|_| luck.draw(&game, &any).0)
                .collect(),
            game,
        }
    }

    /// The rules with chance.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// `position` as the start of a game: its seat to move has the first of the outcomes.
    #[must_use]
    pub fn start(&self, position: G::Position) -> OpenPosition<G::Position> {
        OpenPosition { position, ply: 0 }
    }

    /// The outcome, as a record names it, that the seat to move has.
    #[must_use]
    #[inline]
    pub fn outcome(&self, position: &OpenPosition<G::Position>) -> u8 {
        self.outcomes[usize::from(position.ply) % self.outcomes.len()]
    }
}

impl<G: Playable> Game for OpenChance<G> {
    type Position = OpenPosition<G::Position>;
    type Move = G::Move;
    type Moves = G::Moves;
    type Outcomes = OneOutcome;

    #[inline]
    fn seats(&self) -> usize {
        self.game.seats()
    }

    #[inline]
    fn to_move(&self, position: &Self::Position) -> Seat {
        self.game.to_move(&position.position)
    }

    #[inline]
    fn payoffs(&self, position: &Self::Position) -> Option<Payoffs> {
        self.game.payoffs(&position.position)
    }

    fn moves(&self, position: &Self::Position, moves: &mut G::Moves) {
        self.game
            .permitted(&position.position, self.outcome(position), moves);
    }

    #[inline]
    fn play(&self, position: &Self::Position, mv: G::Move) -> Self::Position {
        OpenPosition {
            position: self.game.play(&position.position, mv),
            ply: position.ply.wrapping_add(1),
        }
    }

    fn move_kinds(&self) -> usize {
        self.game.move_kinds()
    }

    fn moves_left(&self, position: &Self::Position) -> u32 {
        self.game.moves_left(&position.position)
    }

    fn probcut_deviation(&self) -> Option<f32> {
        self.game.probcut_deviation()
    }

    fn move_kind(&self, position: &Self::Position, mv: G::Move) -> usize {
        self.game.move_kind(&position.position, mv)
    }

    fn urgency(&self, position: &Self::Position, mv: G::Move) -> u8 {
        self.game.urgency(&position.position, mv)
    }

    fn stage(&self, position: &Self::Position) -> Stage {
        self.game.stage(&position.position)
    }

    #[inline]
    fn key(&self, position: &Self::Position) -> u64 {
        self.game.key(&position.position)
            ^ u64::from(position.ply).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

/// Rates positions of [`OpenChance`] by an evaluator for the game with chance: it does not look at
/// the outcomes to come, and values and caches are its own.
#[derive(Clone, Copy, Debug)]
pub struct OpenEvaluator<E>(
    /// The evaluator that is asked.
    pub E,
);

impl<G: Playable, E: Evaluator<G>> Evaluator<OpenChance<G>> for OpenEvaluator<E> {
    type Cache = E::Cache;

    fn refresh(
        &self,
        open: &OpenChance<G>,
        position: &OpenPosition<G::Position>,
        cache: &mut E::Cache,
    ) {
        self.0.refresh(&open.game, &position.position, cache);
    }

    fn update(
        &self,
        open: &OpenChance<G>,
        parent: &E::Cache,
        before: &OpenPosition<G::Position>,
        mv: G::Move,
        after: &OpenPosition<G::Position>,
        child: &mut E::Cache,
    ) {
        let (before, after) = (&before.position, &after.position);
        self.0.update(&open.game, parent, before, mv, after, child);
    }

    fn value(
        &self,
        open: &OpenChance<G>,
        position: &OpenPosition<G::Position>,
        cache: &E::Cache,
    ) -> f32 {
        self.0.value(&open.game, &position.position, cache)
    }

    fn payoffs(
        &self,
        open: &OpenChance<G>,
        position: &OpenPosition<G::Position>,
        cache: &E::Cache,
    ) -> Payoffs {
        self.0.payoffs(&open.game, &position.position, cache)
    }
}

/// Plays as if what chance will bring were known.
///
/// Each decision assumes the same outcomes, which have nothing to do with those of the game that is
/// played: for studying searches without chance, not for strength.
pub struct OpenChancePlayer<G: Playable> {
    open: OpenChance<G>,
    player: Box<dyn Player<OpenChance<G>>>,
}

impl<G: Playable> OpenChancePlayer<G> {
    /// A player that does what `player` does where chance lies open.
    pub fn new(open: OpenChance<G>, player: Box<dyn Player<OpenChance<G>>>) -> Self {
        Self { open, player }
    }
}

impl<G: Playable> Player<G> for OpenChancePlayer<G> {
    fn new_game(&mut self, seed: u64) {
        self.player.new_game(seed);
    }

    fn ponders(&self) -> bool {
        self.player.ponders()
    }

    fn ponder(&mut self, position: &G::Position, stop: &Arc<AtomicBool>) {
        self.player.ponder(&self.open.start(*position), stop);
    }

    fn failure(&mut self) -> Option<Failure> {
        self.player.failure()
    }

    fn decide(&mut self, position: &G::Position, legal: &[G::Move]) -> Decision<G::Move> {
        self.player.decide(&self.open.start(*position), legal)
    }

    fn analyse(&mut self, position: &G::Position, legal: Option<&[G::Move]>) -> Analysis<G::Move> {
        let mut all = G::Moves::default();
        let moves = legal.unwrap_or_else(|| {
            self.open.game.moves(position, &mut all);
            &all
        });
        self.player
            .analyse(&self.open.start(*position), Some(moves))
    }

    fn exact_scores(
        &mut self,
        position: &G::Position,
        moves: &[G::Move],
    ) -> Option<(&'static str, Vec<i32>)> {
        self.player.exact_scores(&self.open.start(*position), moves)
    }

    /// With the first of the assumed outcomes.
    fn value(&mut self, position: &G::Position) -> Valuation {
        self.player.value(&self.open.start(*position))
    }
}
