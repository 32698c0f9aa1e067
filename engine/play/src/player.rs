//! Players, which choose one of the legal moves of a position.
//!
//! They are called as `dyn`, once per move; below a player everything is generic.

pub use super::analysis::{Analysis, MoveValue};
use alea_core::game::{Game, Payoffs};
use alea_search::{SearchStats, limits::Limits};
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// A player's choice of a move.
#[derive(Clone, Debug)]
pub struct Decision<M> {
    /// The chosen move, one of the legal ones.
    pub best: M,
    /// Win probability after the move, for the seat that makes it; `None` from players without
    /// values.
    pub value: Option<f32>,
    /// The cost of the decision.
    pub stats: SearchStats,
    /// CPU time, where known, of the external process that decided; `None` if this process did.
    pub cpu_time: Option<Duration>,
}

impl<M> Decision<M> {
    /// The choice of a player that values no moves, at no cost.
    pub fn without_values(best: M) -> Self {
        Self {
            best,
            value: None,
            stats: SearchStats::default(),
            cpu_time: None,
        }
    }
}

/// A player's value of a position before its chance event.
#[derive(Clone, Copy, Debug)]
pub struct PositionValue {
    /// Expected win probability of the seat to move; `None` from players without values.
    pub value: Option<f32>,
    /// Standard error of `value`; `None` unless it is a mean of samples.
    pub error: Option<f32>,
    /// The cost of the value.
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

/// Why a player made no move, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The player's fault, which loses the game.
    #[error("{0}")]
    PlayerFault(String),
    /// The system's fault, such as missing memory or file handles; the game has no result.
    #[error("{0}")]
    SystemFault(String),
}

/// An event of a game.
#[derive(Clone, Copy, Debug)]
pub enum GameEvent<'a, G: Game> {
    /// A ply of any seat: the position before its chance event, the outcome, and the move.
    Ply(&'a G::Position, u8, G::Move),
    /// The end of the game, with every seat's payoff.
    End(&'a Payoffs),
}

/// Receives the analysis of each finished depth; returns whether the search goes on.
pub type AnalysisObserver<'a, M> = dyn FnMut(Analysis<M>) -> bool + 'a;

/// A player, which plays game after game.
///
/// A wrapper around another player has to pass on every method.
pub trait Player<G: Game>: Send {
    /// Starts a new game, independent of all earlier ones; `seed` determines random choices.
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

    /// Values the moves in `legal`, allowed by the outcome of chance, or before it (`None`) all
    /// moves, in list order.
    ///
    /// # Errors
    /// As [`Player::decide`].
    fn analyse(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        limits: &Limits,
    ) -> Result<Analysis<G::Move>, Failure>;

    /// Like [`Player::analyse`]; iterative deepening also calls `observer` after every finished
    /// depth except the last, and ends once `observer` returns false.
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

    /// Values an unfinished position before its chance event, which costs a search fewer nodes than
    /// the values of all moves.
    fn value(&mut self, _position: &G::Position, _limits: &Limits) -> PositionValue {
        PositionValue::unknown()
    }

    /// The unit of the game's score (`discs`) and the exact final scores after some moves, for the
    /// seat that makes them; `None` if any is unknown.
    fn exact_scores(
        &mut self,
        _position: &G::Position,
        _moves: &[G::Move],
        _limits: &Limits,
    ) -> Option<(&'static str, Vec<i32>)> {
        None
    }

    /// Whether the game loop may call [`Player::ponder`] while other players decide.
    fn can_ponder(&self) -> bool {
        false
    }

    /// Searches a position before its chance event, while another player decides, until `stop` is
    /// set.
    fn ponder(&mut self, _position: &G::Position, _stop: &Arc<AtomicBool>) {}

    /// Informs the player of an event of the game. Events come in order; some may be missing.
    fn notify(&mut self, _event: GameEvent<'_, G>) {}
}
