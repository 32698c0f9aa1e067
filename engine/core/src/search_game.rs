//! What searches use of a game besides its rules, all with defaults.

use super::{
    game::{Game, Payoffs, Seat, keep_range, sample_outcome, uniform_index},
    leaf::MoveKinds,
};

/// Hints for move ordering, time management and table sizes.
pub trait SearchHints: Game {
    /// Typical number of moves, for the size of search trees.
    #[inline]
    fn branching_hint(&self) -> usize {
        63
    }

    /// Size of the history table, above every [`SearchHints::history_index`].
    #[inline]
    fn history_size(&self) -> usize {
        1
    }

    /// Index in the history table, shared by moves that tend to be good or bad together.
    fn history_index(&self, position: &Self::Position, mv: Self::Move) -> usize {
        let _ = (position, mv);
        0
    }

    /// Class for move ordering: 0 if quiet, more for captures, threats and wins.
    fn move_class(&self, position: &Self::Position, mv: Self::Move) -> u8 {
        let _ = (position, mv);
        0
    }

    /// Number of moves of the side to move, for move ordering; 0 where counting takes long.
    #[inline]
    fn reply_count(&self, position: &Self::Position) -> u32 {
        let _ = position;
        0
    }

    /// Phase of the game; some settings differ by phase.
    fn phase(&self, position: &Self::Position) -> Phase {
        let _ = position;
        Phase::Middle
    }

    /// Moves that the seat to move still makes, estimated a little high, for the time manager.
    fn expected_moves_left(&self, position: &Self::Position) -> u32 {
        let _ = position;
        20
    }

    /// ProbCut's constant c: win probabilities at depths d and d − 2 differ with standard deviation
    /// c / d. `None` turns ProbCut off.
    fn probcut_constant(&self) -> Option<f32> {
        None
    }
}

/// A phase of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The beginning of the game.
    Opening,
    /// Between opening and endgame.
    Middle,
    /// The last part of the game.
    Endgame,
}

/// Random moves and playouts, from unfinished positions unless stated otherwise.
pub trait Playouts: SearchHints {
    /// Samples an outcome, then one of its moves uniformly, from 64 random bits.
    fn sample_move(&self, position: &Self::Position, bits: u64) -> Self::Move {
        let mut moves = Self::Moves::default();
        self.roll_moves(position, (bits >> 32) as u32, &mut moves);
        moves[uniform_index(moves.len(), bits as u32)]
    }

    /// Samples an outcome from 32 random bits and replaces `moves` by its moves; returns the index
    /// of the first in the list of [`Game::moves`], with [`Game::SEPARATE_OUTCOMES`] 0.
    fn roll_moves(&self, position: &Self::Position, bits: u32, moves: &mut Self::Moves) -> usize {
        if Self::SEPARATE_OUTCOMES {
            let index = sample_outcome(&self.outcomes(position, &[]), bits);
            self.moves_for(position, index, moves);
            return 0;
        }
        self.moves(position, moves);
        let outcomes = self.outcomes(position, moves);
        let allowed = outcomes[sample_outcome(&outcomes, bits)].move_range();
        keep_range(moves, allowed.clone());
        allowed.start
    }

    /// Payoffs after random moves ([`Playouts::sample_move`]) to the end; `position` may be over.
    /// `random` returns 64 random bits.
    fn playout(&self, position: &Self::Position, random: impl FnMut() -> u64) -> Payoffs {
        playout_by_moves(self, position, random)
    }

    /// Plays as [`Playouts::playout`], and adds the [`SearchHints::history_index`] of each move to
    /// `played`.
    fn playout_traced(
        &self,
        position: &Self::Position,
        mut random: impl FnMut() -> u64,
        played: &mut MoveKinds,
    ) -> Payoffs {
        let mut position = *position;
        loop {
            if let Some(payoffs) = self.payoffs(&position) {
                return payoffs;
            }
            let mv = self.sample_move(&position, random());
            played.insert(self.history_index(&position, mv));
            position = self.play(&position, mv);
        }
    }

    /// Writes the payoffs of one playout from each position.
    fn playout_batch(
        &self,
        positions: &[Self::Position],
        mut random: impl FnMut() -> u64,
        payoffs: &mut [Payoffs],
    ) {
        for (position, payoffs) in positions.iter().zip(payoffs) {
            *payoffs = self.playout(position, &mut random);
        }
    }

    /// Counts moves, if possible without listing them.
    fn count_moves(&self, position: &Self::Position) -> MoveCount {
        count_moves_by_listing(self, position)
    }
}

/// Plays random moves to the end, calling `random` once per ply; the default of
/// [`Playouts::playout`].
pub fn playout_by_moves<G: Playouts>(
    game: &G,
    position: &G::Position,
    mut random: impl FnMut() -> u64,
) -> Payoffs {
    let mut position = *position;
    loop {
        if let Some(payoffs) = game.payoffs(&position) {
            return payoffs;
        }
        position = game.play(&position, game.sample_move(&position, random()));
    }
}

/// Number of a position's moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveCount {
    /// All moves.
    pub total: u32,
    /// Moves that do not end the game.
    pub nonterminal: u32,
}

/// Counts moves by listing them; the default of [`Playouts::count_moves`].
pub fn count_moves_by_listing<G: Game>(game: &G, position: &G::Position) -> MoveCount {
    let mut moves = G::Moves::default();
    game.moves(position, &mut moves);
    let is_nonterminal = |mv: &&G::Move| game.payoffs(&game.play(position, **mv)).is_none();
    MoveCount {
        total: moves.len() as u32,
        nonterminal: moves.iter().filter(is_nonterminal).count() as u32,
    }
}

/// Changing the side to move, for best-reply search.
pub trait OutOfTurn: Game {
    /// Whether there is no chance and two seats always alternate.
    const TWO_SEATS_ALTERNATE: bool = false;

    /// Whether [`OutOfTurn::set_side_to_move`] can set any seat, and [`SearchHints`] accept its
    /// moves.
    const SUPPORTS_OUT_OF_TURN: bool = false;

    /// Makes `seat` the one to move; `false`, with `position` unchanged, if it has no move or the
    /// game is over.
    fn set_side_to_move(&self, position: &mut Self::Position, seat: Seat) -> bool {
        self.payoffs(position).is_none() && self.to_move(position) == seat
    }
}

/// All that searches use of a game.
pub trait SearchGame: Playouts + OutOfTurn {}

impl<G: Playouts + OutOfTurn> SearchGame for G {}
