//! Players choose one of the legal moves. They are `dyn` (one call per move), their searches
//! generic.

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
    /// A legal move.
    pub best: M,
    /// Win probability after the move for the seat that makes it; `None` from players without
    /// values.
    pub value: Option<f32>,
    /// Cost of the search.
    pub stats: SearchStats,
    /// CPU time of the external process that decided, if any and known.
    pub cpu_time: Option<Duration>,
}

impl<M> Decision<M> {
    /// A choice at no cost.
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
    /// Standard error of `value`, if it is a mean of samples.
    pub error: Option<f32>,
    /// Cost of the search.
    pub stats: SearchStats,
}

impl PositionValue {
    /// No value, at no cost.
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
    /// Fault of the player, which loses the game.
    #[error("{0}")]
    PlayerFault(String),
    /// Fault of the system, such as missing memory; the game has no result.
    #[error("{0}")]
    SystemFault(String),
}

/// An event that players are notified of.
#[derive(Clone, Copy, Debug)]
pub enum GameEvent<'a, G: Game> {
    /// A ply of any seat: position before its chance event, outcome number and move.
    Ply(&'a G::Position, u8, G::Move),
    /// The end, with the payoffs of all seats.
    End(&'a Payoffs),
}

/// Receives the analysis of a finished depth; returns false to end the search.
pub type AnalysisObserver<'a, M> = dyn FnMut(Analysis<M>) -> bool + 'a;

/// A player of any number of games. Wrappers of a player must pass on every method.
pub trait Player<G: Game>: Send {
    /// Starts an independent game; `seed` determines random choices.
    fn new_game(&mut self, seed: u64);

    /// Chooses one of the moves `legal`, of equally good ones the first, within `limits` and the
    /// player's own limits.
    ///
    /// # Errors
    /// If the player cannot make a move: only external programs fail.
    fn decide(
        &mut self,
        position: &G::Position,
        legal: &[G::Move],
        limits: &Limits,
    ) -> Result<Decision<G::Move>, Failure>;

    /// Values the moves `legal`, which an outcome allows, or before the chance event all (`None`),
    /// in list order.
    fn analyse(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        limits: &Limits,
    ) -> Result<Analysis<G::Move>, Failure>;

    /// [`Player::analyse`] in which iterative deepening reports every finished depth except the
    /// last to `observer`, and ends once it returns false.
    fn analyse_observed(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        limits: &Limits,
        _observer: &mut AnalysisObserver<'_, G::Move>,
    ) -> Result<Analysis<G::Move>, Failure> {
        self.analyse(position, legal, limits)
    }

    /// Values an unfinished position before its chance event; cheaper than valuing all moves.
    fn value(&mut self, _position: &G::Position, _limits: &Limits) -> PositionValue {
        PositionValue::unknown()
    }

    /// Unit (`discs`), and the final score after each move for the seat that makes it, if all are
    /// known.
    fn exact_scores(
        &mut self,
        _position: &G::Position,
        _moves: &[G::Move],
        _limits: &Limits,
    ) -> Option<(&'static str, Vec<i32>)> {
        None
    }

    /// Whether the player may [`Player::ponder`].
    fn can_ponder(&self) -> bool {
        false
    }

    /// Searches a position before its chance event while another player decides, until `stop` is
    /// set.
    fn ponder(&mut self, _position: &G::Position, _stop: &Arc<AtomicBool>) {}

    /// Receives events, in order; some may be missing.
    fn notify(&mut self, _event: GameEvent<'_, G>) {}
}
