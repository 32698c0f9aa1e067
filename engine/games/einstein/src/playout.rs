//! Random playouts: one at a time, or 64 in lockstep with SIMD. A ply takes 16 random bits
//! ([`PlyBits`]); the same bits give the same games on every instruction set.

mod byte_lanes;
pub mod die_table;
mod lockstep;
mod random_bits;
mod scalar;
mod start_queue;
#[cfg(test)]
mod tests;

use super::{Position, Standard, Variant};
use alea_core::{random::RandomStream, simd::Instructions};
use byte_lanes::ByteLanes;
use lockstep::{play, play_positions};
pub use random_bits::{LaneRandom, PlyBits, SplitMix64};
use scalar::ScalarLanes;
pub use scalar::StoneTable;
pub(super) use scalar::playout_from_seed;
use start_queue::Starts;

/// Number of games played in lockstep.
pub const LANES: usize = 64;

pub(super) const MIN_BATCH: usize = 4;

/// Plays one random game from each of at most [`LANES`] unfinished positions. Bit *i*: whether the
/// mover of position *i* wins.
pub(super) fn play_one_each(
    table: StoneTable,
    variant: Variant,
    positions: &[Position],
    seed: u64,
) -> u64 {
    let random = &mut LaneRandom::from_seed(seed);
    if variant == Variant::Classic
        && let Some(lanes) = ByteLanes::new(Instructions::detect())
    {
        return play_positions(lanes, random, positions);
    }
    play_positions(ScalarLanes::new(table), random, positions)
}

/// Probability distribution of the moves of a playout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// All legal moves are equally likely.
    #[default]
    Moves,
    /// The allowed stones are equally likely, then the steps of the sampled one (Monte_Alpha's
    /// rule).
    Stones,
}

/// Statistics of random games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of complete games.
    pub games: u64,
    /// Games won by the side to move in the start position.
    pub first_mover_wins: u64,
    /// Total number of plies of all games.
    pub plies: u64,
    /// Sum over all games of the squared number of plies.
    pub squared_plies: u64,
    /// Number of plies of the longest game.
    pub longest: u64,
}

impl Tally {
    #[inline]
    fn count_plies(&mut self, plies: u64) {
        self.plies += plies;
        self.squared_plies += plies * plies;
        self.longest = self.longest.max(plies);
    }

    /// Tally of the games of both tallies.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        Self {
            games: self.games + other.games,
            first_mover_wins: self.first_mover_wins + other.first_mover_wins,
            plies: self.plies + other.plies,
            squared_plies: self.squared_plies + other.squared_plies,
            longest: self.longest.max(other.longest),
        }
    }
}

enum LaneEngine {
    Scalar(Box<ScalarLanes>),
    Bytes(Box<ByteLanes>),
}

/// Many random games on the standard board with the fair die of six faces.
pub struct LanePlayouts {
    lanes: LaneEngine,
    choice: Choice,
    random: LaneRandom,
    starts: Starts,
    stream: RandomStream,
}

impl LanePlayouts {
    /// Playouts on the processor's fastest instruction set; `None` unless the die is fair with six
    /// faces and sides have six stones.
    pub fn new(game: &Standard, choice: Choice, seed: u64) -> Option<Self> {
        Self::with_instructions(Instructions::detect(), game, choice, seed)
    }

    /// As [`Self::new`], on a given instruction set; scalar for [`Variant::NearestOnly`].
    #[must_use]
    pub fn with_instructions(
        instructions: Instructions,
        game: &Standard,
        choice: Choice,
        seed: u64,
    ) -> Option<Self> {
        let table = game
            .playout_table()
            .filter(|_| usize::from(game.stones_per_side()) == super::MAX_STONES)?;
        let bytes = ByteLanes::new(instructions).filter(|_| game.variant() == Variant::Classic);
        let lanes = match bytes {
            Some(lanes) => LaneEngine::Bytes(Box::new(lanes)),
            None => LaneEngine::Scalar(Box::new(ScalarLanes::new(*table))),
        };
        let mut stream = RandomStream::new(seed);
        let random = LaneRandom::new(&mut stream);
        let starts = Starts::new(game, &mut stream);
        Some(Self {
            lanes,
            choice,
            random,
            starts,
            stream,
        })
    }

    /// Instruction set in use; [`Instructions::PORTABLE`] if the requested one has no kernel.
    #[must_use]
    pub fn instructions(&self) -> Instructions {
        match &self.lanes {
            LaneEngine::Scalar(_) => Instructions::PORTABLE,
            LaneEngine::Bytes(lanes) => lanes.instructions(),
        }
    }

    /// Plays games from random set-ups of both sides. In each 720 games the side that begins has
    /// every set-up once, which lowers the variance.
    pub fn random_setups(&mut self, games: u64) -> Tally {
        self.starts.use_random_setups();
        self.play(games)
    }

    /// Plays games from `position`; if it is over, each counts with 0 plies.
    pub fn from_position(&mut self, game: &Standard, position: &Position, games: u64) -> Tally {
        if let Some(winner) = game.winner(position) {
            return Tally {
                games,
                first_mover_wins: if winner == position.seat() { games } else { 0 },
                ..Tally::default()
            };
        }
        self.starts.use_position(position);
        self.play(games)
    }

    fn play(&mut self, games: u64) -> Tally {
        let Self {
            lanes,
            choice,
            random,
            starts,
            stream,
        } = self;
        match lanes {
            LaneEngine::Scalar(lanes) => play(&mut **lanes, *choice, random, starts, stream, games),
            LaneEngine::Bytes(lanes) => play(&mut **lanes, *choice, random, starts, stream, games),
        }
    }
}
