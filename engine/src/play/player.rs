//! Players: they answer a position and its legal moves with a move.
//!
//! Players are `dyn`, called once a move; below a player everything is generic.

pub use super::analysis::{Analysis, MoveValue};
use crate::core::game::{Game, Payoffs};
use crate::search::{SearchStats, limits::Limits};
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// A player's answer.
#[derive(Clone, Debug)]
pub struct Decision<M> {
    /// The chosen move, one of the legal ones.
    pub best: M,
    /// Win probability of the seat that moves, after this move and before the next roll; `None`
    /// from players that do not value moves.
    pub value: Option<f32>,
    /// Its cost.
    pub stats: SearchStats,
    /// CPU time of the other process that decided, if there is one and the system counts it.
    pub cpu_time: Option<Duration>,
}

impl<M> Decision<M> {
    /// The choice of a player that values no moves.
    pub fn without_values(best: M) -> Self {
        Self {
            best,
            value: None,
            stats: SearchStats::default(),
            cpu_time: None,
        }
    }
}

/// A player's value of a position before chance.
#[derive(Clone, Copy, Debug)]
pub struct PositionValue {
    /// Expected win probability of the seat to move; `None` from players that do not value moves.
    pub value: Option<f32>,
    /// Its standard error, from players that value by samples.
    pub error: Option<f32>,
    /// Its cost.
    pub stats: SearchStats,
}

impl PositionValue {
    /// No value.
    #[must_use]
    pub fn unknown() -> Self {
        Self {
            value: None,
            error: None,
            stats: SearchStats::default(),
        }
    }
}

/// Why a player did not answer, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The player's fault, which loses the game.
    #[error("{0}")]
    PlayerFault(String),
    /// The system's fault, such as no memory or no free file handle; it decides no game.
    #[error("{0}")]
    SystemFault(String),
}

/// An event of a game.
#[derive(Clone, Copy, Debug)]
pub enum GameEvent<'a, G: Game> {
    /// A ply of any seat: the position before chance, the outcome, and the move.
    Ply(&'a G::Position, u8, G::Move),
    /// The end of the game, with every seat's payoff.
    End(&'a Payoffs),
}

/// Receives the analyses of finished depths, and returns whether the search goes on.
pub type AnalysisObserver<'a, M> = dyn FnMut(Analysis<M>) -> bool + 'a;

/// A player of a game; it lives as long as the game, whatever its limits.
///
/// A wrapper around another player passes on every method.
pub trait Player<G: Game>: Send {
    /// Starts a new game, independent of all earlier ones; `seed` decides its random choices.
    fn new_game(&mut self, seed: u64);

    /// Chooses one of `legal`, which has at least one move; of equally good moves the first. The
    /// search ends at its own limits or at `limits`.
    ///
    /// # Errors
    /// If the player cannot make a move: only external programs fail.
    fn decide(
        &mut self,
        position: &G::Position,
        legal: &[G::Move],
        limits: &Limits,
    ) -> Result<Decision<G::Move>, Failure>;

    /// Values moves: those of `legal` after the roll, or before it (`None`) all moves that some
    /// outcome allows, in list order.
    ///
    /// # Errors
    /// As [`Player::decide`].
    fn analyse(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        limits: &Limits,
    ) -> Result<Analysis<G::Move>, Failure>;

    /// As [`Player::analyse`]; a search that deepens also reports each depth that is followed by a
    /// deeper one, and ends once `observer` returns false.
    ///
    /// # Errors
    /// As [`Player::decide`].
    fn analyse_observed(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        limits: &Limits,
        _observer: &mut AnalysisObserver<'_, G::Move>,
    ) -> Result<Analysis<G::Move>, Failure> {
        self.analyse(position, legal, limits)
    }

    /// Values a position before chance ("chance root") that is not over: one number, for which a
    /// search needs fewer nodes than for the values of all moves.
    fn value(&mut self, _position: &G::Position, _limits: &Limits) -> PositionValue {
        PositionValue::unknown()
    }

    /// The unit that the game counts (`discs`) and the exact score of each of some moves, for the
    /// seat that makes it; `None` if any is unknown.
    fn exact_scores(
        &mut self,
        _position: &G::Position,
        _moves: &[G::Move],
        _limits: &Limits,
    ) -> Option<(&'static str, Vec<i32>)> {
        None
    }

    /// Whether the game loop calls [`Player::ponder`] during decisions of others.
    fn can_ponder(&self) -> bool {
        false
    }

    /// Searches a position before chance on another player's time, until `stop` is set.
    fn ponder(&mut self, _position: &G::Position, _stop: &Arc<AtomicBool>) {}

    /// Notes an event of the game. Events come in order; some may be missing.
    fn notify(&mut self, _event: GameEvent<'_, G>) {}
}
