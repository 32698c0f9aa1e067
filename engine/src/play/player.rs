//! Players: whoever answers a position and a roll with a move.
//!
//! Dynamic dispatch happens here, once a move; below a player everything is generic.

use crate::core::game::{Game, Payoffs};
use crate::search::{SearchStats, limits::Limits, mcts::TreeReport};
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
    /// from players that do not rate moves.
    pub value: Option<f32>,
    /// What it cost.
    pub stats: SearchStats,
    /// CPU time of the process that decided, where it is another one and the system says.
    pub cpu_time: Option<Duration>,
}

impl<M> Decision<M> {
    /// The choice of a player that rates no moves.
    pub fn unrated(best: M) -> Self {
        Self {
            best,
            value: None,
            stats: SearchStats::default(),
            cpu_time: None,
        }
    }
}

/// What a player thinks of every move it was asked about.
#[derive(Clone, Debug)]
pub struct Analysis<M> {
    /// Each move with the win probability of the seat that makes it, after the move and before the
    /// next roll; `None` from players that do not rate moves.
    pub moves: Vec<(M, Option<f32>)>,
    /// What each of them brings every seat, where a search says so; with more than two seats that
    /// does not follow from its value.
    pub payoffs: Option<Vec<Payoffs>>,
    /// The line of play thought best, starting with the best move; at least that move where moves
    /// are rated.
    pub line: Vec<M>,
    /// What it cost.
    pub stats: SearchStats,
    /// What a Monte-Carlo search knows besides; its moves are those above, in the same order.
    pub tree: Option<Box<TreeReport<M>>>,
}

impl<M> Analysis<M> {
    /// What a player knows that rates no moves: the given ones, or (`None`) all of a position.
    pub fn unrated<G: Game<Move = M>>(game: &G, position: &G::Position, legal: Option<&[M]>) -> Self
    where
        M: Copy,
    {
        let mut all = G::Moves::default();
        let moves = legal.unwrap_or_else(|| {
            game.moves(position, &mut all);
            &all
        });
        Self {
            moves: moves.iter().map(|&mv| (mv, None)).collect(),
            payoffs: None,
            line: Vec::new(),
            stats: SearchStats::default(),
            tree: None,
        }
    }
}

/// What a player thinks of a position before chance has spoken.
#[derive(Clone, Copy, Debug)]
pub struct Valuation {
    /// Win probability of the seat to move, expectation over what chance may say; `None` from
    /// players that do not rate moves.
    pub value: Option<f32>,
    /// The standard error of that, from players that value by samples and know it.
    pub error: Option<f32>,
    /// What it cost.
    pub stats: SearchStats,
}

impl Valuation {
    /// What a player knows that rates no moves.
    #[must_use]
    pub fn unknown() -> Self {
        Self {
            value: None,
            error: None,
            stats: SearchStats::default(),
        }
    }
}

/// Why a player made no decision, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// By its own doing: whoever fails like that loses the game.
    #[error("{0}")]
    OfPlayer(String),
    /// By no doing of the player: there is no memory, or no file may be opened any more. That
    /// decides no game.
    #[error("{0}")]
    OfSystem(String),
}

/// What happened in a game.
#[derive(Clone, Copy, Debug)]
pub enum News<'a, G: Game> {
    /// A ply, by whomever: the position before chance spoke, what chance said, and the move.
    Ply(&'a G::Position, u8, G::Move),
    /// The game is over: what each seat got.
    End(&'a Payoffs),
}

/// Someone who plays a game.
///
/// No method has a default, so that whoever stands before another player passes everything on;
/// [`player_never`](crate::player_never) writes what a simple player does not do.
pub trait Player<G: Game>: Send {
    /// Forgets all earlier games; `seed` rules every random choice of the game to come.
    fn new_game(&mut self, seed: u64);

    /// Whether [`Player::ponder`] is to be called while others decide.
    fn ponders(&self) -> bool;

    /// Thinks about a position on someone else's time, before chance has spoken, until `stop` is
    /// set, for later answers; players that cannot use it return at once.
    fn ponder(&mut self, position: &G::Position, stop: &Arc<AtomicBool>);

    /// Chooses one of `legal`, which has at least one move. Of equally good moves the first is
    /// chosen. Whoever searches ends by `limits` besides its own, here and below, and answers with
    /// what it has found.
    fn decide(
        &mut self,
        position: &G::Position,
        legal: &[G::Move],
        limits: &Limits,
    ) -> Decision<G::Move>;

    /// Why the last decision is none, if the player could not make one; its move then means
    /// nothing. Only players that can fail, such as other programs, ever answer.
    fn failure(&mut self) -> Option<Failure>;

    /// Hears what happened, in the order of the game; who was not told of all of it still answers
    /// every position.
    fn notify(&mut self, news: News<'_, G>);

    /// Rates moves: the given ones after a roll, or before it (`None`) every move that some outcome
    /// permits, in list order.
    fn analyse(
        &mut self,
        position: &G::Position,
        legal: Option<&[G::Move]>,
        limits: &Limits,
    ) -> Analysis<G::Move>;

    /// What the game counts (`discs`) and the exact score of each of some moves, for the seat that
    /// makes it; `None` from players that do not know it.
    fn exact_scores(
        &mut self,
        position: &G::Position,
        moves: &[G::Move],
        limits: &Limits,
    ) -> Option<(&'static str, Vec<i32>)>;

    /// Values a position before chance has spoken ("chance root"): one number, which a search finds
    /// with fewer nodes than the values of all moves. The position is not over.
    fn value(&mut self, position: &G::Position, limits: &Limits) -> Valuation;
}

/// What a [`Player`](crate::play::player::Player) of a game never does, written inside its `impl`:
/// any of `ponders`, `fails`, `hears`, `counts` (knows exact scores) and `values`.
#[macro_export]
macro_rules! player_never {
    ($game:ty: $($never:ident),+) => {
        $($crate::player_never!(@$never $game);)+
    };
    (@ponders $game:ty) => {
        fn ponders(&self) -> bool {
            false
        }

        fn ponder(
            &mut self,
            _: &<$game as $crate::core::game::Game>::Position,
            _: &::std::sync::Arc<::std::sync::atomic::AtomicBool>,
        ) {
        }
    };
    (@fails $game:ty) => {
        fn failure(&mut self) -> Option<$crate::play::player::Failure> {
            None
        }
    };
    (@hears $game:ty) => {
        fn notify(&mut self, _: $crate::play::player::News<'_, $game>) {}
    };
    (@counts $game:ty) => {
        fn exact_scores(
            &mut self,
            _: &<$game as $crate::core::game::Game>::Position,
            _: &[<$game as $crate::core::game::Game>::Move],
            _: &$crate::core::limits::Limits,
        ) -> Option<(&'static str, Vec<i32>)> {
            None
        }
    };
    (@values $game:ty) => {
        fn value(
            &mut self,
            _: &<$game as $crate::core::game::Game>::Position,
            _: &$crate::core::limits::Limits,
        ) -> $crate::play::player::Valuation {
            $crate::play::player::Valuation::unknown()
        }
    };
}
