//! The rules of backgammon, as money play without the cube.
//!
//! Both sides move towards their own ace point and then bear off. Men on the bar enter first; both
//! dice are used where possible, else the larger one where possible; doubles are four steps. In
//! bearing off a die larger than the rearmost man's point bears that man off. A win is a gammon if
//! the loser has borne off no man, and a backgammon if one of the loser's men then is still on the
//! bar or in the winner's home board. Unlike in play over the board, the first roll of a game may
//! be doubles.

pub mod bearoff;
mod drawing;
pub mod evaluators;
mod inputs;
mod mat;
pub mod men;
mod notation;
mod playable;
pub mod plays;
pub mod position_id;
pub mod rolls;
pub mod structure;

use alea_core::{
    game::{FixedList, Game, MAX_SEATS, Outcome, Payoffs, Seat, uniform_index},
    random::GOLDEN,
    search_game::{OutOfTurn, Phase, Playouts, SearchHints},
};
pub use men::Men;
use men::{BAR, NUM_MEN};
pub use plays::Play;
use rolls::{NUM_ROLLS, roll_probability, sample_roll};
use smallvec::SmallVec;

/// Seat of White.
pub const WHITE: Seat = 0;
/// Seat of Black.
pub const BLACK: Seat = 1;

/// List of plays of one roll or of all rolls; it allocates only beyond 64.
pub type Plays = SmallVec<[Play; 64]>;

/// Upper bound on the plays of a roll: four equal steps from at most 15 points, in C(18, 4) ways.
pub const MAX_PLAYS_OF_ROLL: usize = 3060;

/// The rules of backgammon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backgammon;

impl Backgammon {
    /// The position at the start of a game with `first` to roll.
    pub fn start(&self, first: Seat) -> Position {
        Position::new(Men::START, Men::START, first)
    }

    /// Points that `seat` has won, negative if lost: 1, 2 (gammon) or 3 (backgammon); `None` before
    /// the end.
    #[inline]
    pub fn points_won(&self, position: &Position, seat: Seat) -> Option<i32> {
        let (loser, winner) = match (position.mover.0, position.other.0) {
            (_, 0) => (position.mover, 1 - position.seat()),
            (0, _) => (position.other, position.seat()),
            _ => return None,
        };
        const HOME_OF_OTHER: u128 = !0 << (4 * 18);
        let points = match loser.in_play() {
            NUM_MEN => 2 + i32::from(loser.0 & HOME_OF_OTHER != 0),
            _ => 1,
        };
        Some(if seat == winner { points } else { -points })
    }
}

/// Men of both sides, and the seat to roll.
///
/// A position parsed from a text without a seat, and those that follow from it, have an *unnamed*
/// seat: White rolls first, and texts and equality disregard the seat.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    mover: Men,
    other: Men,
    /// Seat to roll, plus [`UNNAMED_SEAT`] if it is unnamed.
    seat: u8,
}

const UNNAMED_SEAT: u8 = 2;

impl Position {
    /// Creates a position by the men of `seat`, which is to roll, and of the other side, each from
    /// its own view; no point may have men of both.
    #[inline]
    pub fn new(mover: Men, other: Men, seat: Seat) -> Self {
        Self {
            mover,
            other,
            seat: seat as u8,
        }
    }

    /// Seat to roll.
    #[inline]
    pub fn seat(&self) -> Seat {
        usize::from(self.seat & 1)
    }

    /// Men of the side to roll, from its own view.
    #[inline]
    pub fn mover(&self) -> Men {
        self.mover
    }

    /// Men of the other side, from its own view.
    #[inline]
    pub fn other(&self) -> Men {
        self.other
    }

    /// Men of `seat`, from its own view.
    #[inline]
    pub fn men(&self, seat: Seat) -> Men {
        if seat == self.seat() {
            self.mover
        } else {
            self.other
        }
    }

    /// Whether men of both sides can still meet.
    #[inline]
    pub fn has_contact(&self) -> bool {
        self.mover.rearmost() + self.other.rearmost() > u32::from(BAR)
    }

    fn seat_or_unnamed(&self) -> u8 {
        self.seat.min(UNNAMED_SEAT)
    }

    /// Calls `visit` with each step of a play: the point where the man starts, the point that he
    /// reaches (0: borne off) and whether he hits a blot; returns the position after the play.
    #[inline]
    pub fn visit_steps(&self, play: Play, mut visit: impl FnMut(u8, u8, bool)) -> Self {
        let (mut men, mut other) = (self.mover.0, self.other.0);
        for (from, die) in play.steps() {
            men = men.wrapping_sub(1 << (4 * (from - 1)));
            let to = from.saturating_sub(die);
            let mut hits = false;
            if to > 0 {
                men += 1 << (4 * (to - 1));
                let enemy = 4 * (24 - to);
                hits = other >> enemy & 15 == 1;
                other = if hits {
                    other - (1 << enemy) + (1 << 96)
                } else {
                    other
                };
            }
            visit(from, to, hits);
        }
        Self {
            mover: Men(other),
            other: Men(men),
            seat: self.seat ^ 1,
        }
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        (self.mover, self.other, self.seat_or_unnamed())
            == (other.mover, other.other, other.seat_or_unnamed())
    }
}

impl Eq for Position {}

impl std::hash::Hash for Position {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.mover, self.other, self.seat_or_unnamed()).hash(state);
    }
}

impl Game for Backgammon {
    type Position = Position;
    type Move = Play;
    type Moves = Plays;
    type Outcomes = FixedList<Outcome, NUM_ROLLS>;

    const SEPARATE_OUTCOMES: bool = true;

    #[inline]
    fn to_move(&self, position: &Position) -> Seat {
        position.seat()
    }

    /// Points won, −3 to 3, scaled linearly to `[0, 1]`.
    #[inline]
    fn payoffs(&self, position: &Position) -> Option<Payoffs> {
        let points = self.points_won(position, WHITE)?;
        let mut payoffs = [0.0; MAX_SEATS];
        payoffs[WHITE] = (3 + points) as f32 / 6.0;
        payoffs[BLACK] = (3 - points) as f32 / 6.0;
        Some(payoffs)
    }

    fn moves(&self, position: &Position, moves: &mut Plays) {
        moves.clear();
        (0..NUM_ROLLS).for_each(|roll| position.plays(roll, moves));
    }

    #[inline]
    fn moves_for(&self, position: &Position, roll: usize, moves: &mut Plays) {
        moves.clear();
        position.plays(roll, moves);
    }

    fn outcomes(&self, _: &Position, moves: &[Play]) -> Self::Outcomes {
        let mut outcomes = Self::Outcomes::default();
        let mut end = 0;
        for roll in 0..NUM_ROLLS {
            let start = end;
            let allowed = moves[start..].iter().take_while(|play| play.roll() == roll);
            end += allowed.count();
            outcomes.push(Outcome {
                weight: roll_probability(roll),
                start: start as u16,
                end: end as u16,
            });
        }
        outcomes
    }

    #[inline]
    fn play(&self, position: &Position, play: Play) -> Position {
        position.visit_steps(play, |_, _, _| {})
    }

    #[inline]
    fn key(&self, position: &Position) -> u64 {
        let fold = |one: u64, other: u64| {
            let (low, high) = one.carrying_mul(other, 0);
            low ^ high
        };
        let [mover, other] = [position.mover.0, position.other.0];
        let seat = u64::from(position.seat_or_unnamed()) << 60;
        let low = fold(mover as u64 ^ GOLDEN, other as u64 ^ 0xD6E8_FEB8_6659_FD93);
        let [mover, other] = [mover >> 64, other >> 64].map(|bits| bits as u64);
        let high = fold(
            mover ^ 0xA076_1D64_78BD_642F,
            other ^ seat ^ 0xE703_7ED1_A0B4_28DB,
        );
        fold(low ^ 0x8EBC_6AF0_9C88_C6E3, high ^ GOLDEN)
    }
}

impl SearchHints for Backgammon {
    /// The mean number of plays of a roll.
    #[inline]
    fn branching_hint(&self) -> usize {
        22
    }

    fn move_class(&self, position: &Position, play: Play) -> u8 {
        let mut is_hit = false;
        position.visit_steps(play, |_, _, hits| is_hit |= hits);
        u8::from(is_hit)
    }

    fn phase(&self, position: &Position) -> Phase {
        match position.mover.pips() + position.other.pips() {
            _ if !position.has_contact() => Phase::Endgame,
            290.. => Phase::Opening,
            _ => Phase::Middle,
        }
    }

    /// Number of average rolls (8 1/6 pips) that bear off all men, and two more.
    fn expected_moves_left(&self, position: &Position) -> u32 {
        position.mover.pips() / 8 + 2
    }
}

impl Playouts for Backgammon {
    fn sample_move(&self, position: &Position, bits: u64) -> Play {
        let (roll, mut count) = (sample_roll((bits >> 32) as u32), 0);
        position.visit_plays(roll, |_| count += 1);
        let mut rest = uniform_index(count, bits as u32);
        let mut sampled = Play::default();
        position.visit_plays(roll, |play| {
            if rest == 0 {
                sampled = play;
            }
            rest = rest.wrapping_sub(1);
        });
        sampled
    }

    fn playout(&self, position: &Position, mut random: impl FnMut() -> u64) -> Payoffs {
        let mut plays = FixedList::<Play, MAX_PLAYS_OF_ROLL>::default();
        let mut position = *position;
        loop {
            if let Some(payoffs) = self.payoffs(&position) {
                return payoffs;
            }
            let bits = random();
            plays.clear();
            position.visit_plays(sample_roll((bits >> 32) as u32), |play| plays.push(play));
            position = self.play(&position, plays[uniform_index(plays.len(), bits as u32)]);
        }
    }
}

impl OutOfTurn for Backgammon {}

#[cfg(test)]
fn positions_of_random_games(games: usize, seed: u64) -> Vec<Position> {
    let mut random = alea_core::random::RandomStream::new(seed);
    let mut positions = Vec::new();
    for number in 0..games {
        positions.push(Backgammon.start(number % 2));
        while Backgammon
            .payoffs(&positions[positions.len() - 1])
            .is_none()
        {
            let position = positions[positions.len() - 1];
            let play = Backgammon.sample_move(&position, random.next_u64());
            positions.push(Backgammon.play(&position, play));
        }
    }
    positions
}
