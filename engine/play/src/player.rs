//! The trait of players, which choose moves. Players are `dyn` (one call per move), their searches
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
    /// Chosen move.
    pub best: M,
    /// Win probability after `best` for the seat that makes it; `None` from players without values.
    pub value: Option<f32>,
    /// Cost of the search.
    pub stats: SearchStats,
    /// CPU time of the external process that decided; `None` without one or if unknown.
    pub cpu_time: Option<Duration>,
}

impl<M> Decision<M> {
    /// A choice without value and cost.
    pub fn without_values(best: M) -> Self {
        Self {
            best,
            value: None,
            stats: SearchStats::default(),
            cpu_time: None,
        }
    }
}

/// Value of a position before its chance event, by a player.
#[derive(Clone, Copy, Debug)]
pub struct PositionValue {
    /// Expected win probability of the side to move; `None` from players without values.
    pub value: Option<f32>,
    /// Standard error of `value`; `None` unless `value` is a mean of samples.
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

/// Reason in one line why a player made no move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Fault of the player, which loses the game.
    #[error("{0}")]
    PlayerFault(String),
    /// Fault of the system, such as missing memory; the game has no result.
    #[error("{0}")]
    SystemFault(String),
}

/// Event of a game, sent to its players.
#[derive(Clone, Copy, Debug)]
pub enum GameEvent<'a, G: Game> {
    /// A ply of any seat: position before chance, outcome number, move.
    Ply(&'a G::Position, u8, G::Move),
    /// End of the game, with the payoff of each seat.
    End(&'a Payoffs),
}

/// Callback for the analysis of each finished depth; returns false to end the search.
pub type AnalysisObserver<'a, M> = dyn FnMut(Analysis<M>) -> bool + 'a;

/// A player of any number of games. Wrappers must forward every method.
pub trait Player<G: Game>: Send {
    /// Starts a new game; `seed` determines random choices.
    fn new_game(&mut self, seed: u64);

    /// Chooses one of the moves `legal`, of equally good ones the first. `limits` apply besides the
    /// player's own.
    ///
    /// # Errors
    /// If the player cannot make a move: only external programs fail.
    fn decide(
        &mut self,
        position: &G::Position,
        legal: &[G::Move],
        limits: &Limits,
    ) -> Result<Decision<G::Move>, Failure>;

    /// Values the moves `legal`, allowed by a chance outcome, or before chance all moves (`None`).
    fn analyse(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        limits: &Limits,
    ) -> Result<Analysis<G::Move>, Failure>;

    /// [`Player::analyse`] with an observer that iterative deepening calls after each depth but the
    /// last; if it returns false the search ends.
    fn analyse_observed(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        limits: &Limits,
        _observer: &mut AnalysisObserver<'_, G::Move>,
    ) -> Result<Analysis<G::Move>, Failure> {
        self.analyse(position, legal, limits)
    }

    /// Values an unfinished position before its chance event, faster than [`Player::analyse`].
    fn value(&mut self, _position: &G::Position, _limits: &Limits) -> PositionValue {
        PositionValue::unknown()
    }

    /// Unit, such as `discs`, and final score after each move for the seat that makes it; `None`
    /// unless all scores are known.
    fn exact_scores(
        &mut self,
        _position: &G::Position,
        _moves: &[G::Move],
        _limits: &Limits,
    ) -> Option<(&'static str, Vec<i32>)> {
        None
    }

    /// Whether the player uses [`Player::ponder`].
    fn can_ponder(&self) -> bool {
        false
    }

    /// Searches a position before its chance event, while another player decides, until `stop` is
    /// set.
    fn ponder(&mut self, _position: &G::Position, _stop: &Arc<AtomicBool>) {}

    /// Receives events of a game in order; some may be missing.
    fn notify(&mut self, _event: GameEvent<'_, G>) {}
}
