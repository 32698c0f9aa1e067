//! What search may know of a game: moves, outcomes, seats and payoffs; never dice, stones or
//! boards.
//!
//! A position is *before* chance has spoken. Every move that some outcome permits is listed once,
//! in an order in which each outcome permits one contiguous run of the list. A position is then
//! worth `Σ weight · max(value of the moves in that run)`; a game without chance has one run of
//! weight 1.
//!
//! Invariant: an implementation of [`Game`] holds the rules (a variant, the assumed die), is
//! immutable and shared; positions are small values that are copied freely.

use crate::core::leaf::MoveKinds;
use smallvec::{Array, SmallVec};
use std::{
    cmp::Ordering,
    fmt::Debug,
    hash::{Hash, Hasher},
    ops::{Deref, DerefMut, Range},
};
use xxhash_rust::xxh3::Xxh3;

/// A participant, counted from 0.
pub type Seat = usize;

/// Most seats a game may have.
pub const MAX_SEATS: usize = 8;

/// What each seat gets, in `[0, 1]`. With two seats they are shares of one win: 1, ½ for a draw, 0;
/// they add up to 1. With more they are the points of the ranks, scaled to `[0, 1]`, and need not
/// add up to anything: a payoff says nothing of the others.
pub type Payoffs = [f32; MAX_SEATS];

/// A chance outcome: its probability and the run of the move list it permits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Probability; the weights of a position's outcomes add up to 1.
    pub weight: f32,
    /// First permitted index of the move list; so a position has at most 65,535 moves.
    pub start: u16,
    /// One past the last permitted index.
    pub end: u16,
}

impl Outcome {
    /// The only outcome, of a list of so many moves.
    ///
    /// # Panics
    /// If they are too many for an index.
    #[must_use]
    #[inline]
    pub fn certain(moves: usize) -> Self {
        assert!(
            moves <= usize::from(u16::MAX),
            "a position has at most 65,535 moves, not {moves}"
        );
        Self {
            weight: 1.0,
            start: 0,
            end: moves as u16,
        }
    }

    /// The permitted indices of the move list.
    #[inline]
    pub fn run(&self) -> Range<usize> {
        usize::from(self.start)..usize::from(self.end)
    }

    /// Whether this outcome permits the move at `index` of the move list.
    #[must_use]
    #[inline]
    pub fn permits(&self, index: usize) -> bool {
        // One comparison: below the start the difference wraps around.
        index.wrapping_sub(usize::from(self.start)) < usize::from(self.end - self.start)
    }
}

/// A list that holds the outcomes of any position of a game; its bound is that of the stack that
/// [`crate::core::chance`] takes.
pub trait OutcomeList: List<Outcome> {
    /// How many outcomes a position may have, at most [`MAX_LISTED_OUTCOMES`].
    const BOUND: usize;
    /// A list of something else, with the same bound.
    type Of<T: Copy + Default + Debug + Send>: List<T>;
}

impl<const N: usize> OutcomeList for FixedList<Outcome, N> {
    const BOUND: usize = N;
    type Of<T: Copy + Default + Debug + Send> = FixedList<T, N>;
}

/// No game has more outcomes a position: a set of them is a word.
pub const MAX_LISTED_OUTCOMES: usize = 64;

/// The outcomes of a game without chance.
pub type OneOutcome = FixedList<Outcome, 1>;

/// The rules of a game, as far as search may know them.
pub trait Game: Clone + Debug + Send + Sync + 'static {
    /// A state before chance has spoken.
    type Position: Copy + Eq + Hash + Debug + Send + Sync + 'static;
    /// A move; small, meaningful only together with the position it is made in.
    type Move: Copy + Eq + Debug + Default + Send + Sync + 'static;
    /// A list that holds the moves of any position; a [`FixedList`] keeps search free of
    /// allocation.
    type Moves: List<Self::Move>;
    /// A list that holds the outcomes of any position: a [`FixedList`] with the game's own bound,
    /// [`OneOutcome`] without chance.
    type Outcomes: OutcomeList;

    /// How many seats play, 2 to [`MAX_SEATS`].
    #[inline]
    fn seats(&self) -> usize {
        2
    }

    /// About how many moves a position may have: the memory of a Monte-Carlo search is laid out by
    /// it. With more it fills up earlier.
    #[inline]
    fn most_moves(&self) -> usize {
        63
    }

    /// The seat whose turn it is. Never assume that seats alternate.
    fn to_move(&self, position: &Self::Position) -> Seat;

    /// `Some` once the game is over.
    fn payoffs(&self, position: &Self::Position) -> Option<Payoffs>;

    /// What a seat gets, once the game is over.
    #[inline]
    fn payoff(&self, position: &Self::Position, seat: Seat) -> Option<f32> {
        self.payoffs(position).map(|payoffs| payoffs[seat])
    }

    /// Every move that some outcome permits, in run order, into an emptied list.
    /// Only asked of positions that are not over; never empty for them.
    fn moves(&self, position: &Self::Position, moves: &mut Self::Moves);

    /// The outcomes and the runs of `moves`, all moves of the position, that they permit; outcomes
    /// that permit the same run are best merged.
    #[inline]
    fn outcomes(&self, position: &Self::Position, moves: &[Self::Move]) -> Self::Outcomes {
        let _ = position;
        let mut outcomes = Self::Outcomes::default();
        outcomes.push(Outcome::certain(moves.len()));
        outcomes
    }

    /// A random permitted move: an outcome by its weight, then one of the moves it permits, all
    /// equally likely. `bits` are 64 random bits. Only asked of positions that are not over.
    fn random_move(&self, position: &Self::Position, bits: u64) -> Self::Move {
        let mut moves = Self::Moves::default();
        self.draw_moves(position, (bits >> 32) as u32, &mut moves);
        moves[one_of(moves.len(), bits as u32)]
    }

    /// Draws an outcome by its weight and lists the moves it permits, and only those, whatever the
    /// list held; answers where in the list of all moves the first of them stands. `bits` are 32 random bits. Only asked of positions that
    /// are not over.
    fn draw_moves(&self, position: &Self::Position, bits: u32, moves: &mut Self::Moves) -> usize {
        self.moves(position, moves);
        let run = sample(&self.outcomes(position, moves), bits).run();
        if run.len() < moves.len() {
            moves.copy_within(run.clone(), 0);
            moves.truncate(run.len());
        }
        run.start
    }

    /// What a game brings that goes on by moves as [`Game::random_move`] draws them. `random` gives
    /// 64 random bits a call; how many calls are made is up to the game. Of a position that is
    /// over, its payoffs.
    fn random_end(&self, position: &Self::Position, random: impl FnMut() -> u64) -> Payoffs {
        end_move_by_move(self, position, random)
    }

    /// The same, with the kinds of all moves that are made.
    fn random_end_noted(
        &self,
        position: &Self::Position,
        mut random: impl FnMut() -> u64,
        made: &mut MoveKinds,
    ) -> Payoffs {
        let mut position = *position;
        loop {
            if let Some(payoffs) = self.payoffs(&position) {
                return payoffs;
            }
            let mv = self.random_move(&position, random());
            made.insert(self.move_kind(&position, mv));
            position = self.play(&position, mv);
        }
    }

    /// The same of several positions, which may be faster at once; as many payoffs as positions.
    fn random_ends(
        &self,
        positions: &[Self::Position],
        mut random: impl FnMut() -> u64,
        payoffs: &mut [Payoffs],
    ) {
        for (position, payoffs) in positions.iter().zip(payoffs) {
            *payoffs = self.random_end(position, &mut random);
        }
    }

    /// How many moves a position has, and how many of them do not end the game, for searches that
    /// need no list. Only asked of positions that are not over.
    fn count_moves(&self, position: &Self::Position) -> MoveCount {
        count_move_by_move(self, position)
    }

    /// The position after a move of the list.
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// Whether the two seats of a game without chance move in turn, always.
    const ALTERNATES: bool = false;

    /// Whether [`Game::turn_to`] is there.
    const TURNS_CAN_CHANGE: bool = false;

    /// Makes it the turn of a seat, out of order, as best-reply search asks. `false`, with nothing
    /// changed, if the seat has no move there, or the game is over. A game that has this answers
    /// [`Game::move_kind`] and [`Game::urgency`] for moves of all seats, whosever turn it is.
    fn turn_to(&self, position: &mut Self::Position, seat: Seat) -> bool {
        self.payoffs(position).is_none() && self.to_move(position) == seat
    }

    /// How many kinds of moves [`Game::move_kind`] tells apart.
    #[inline]
    fn move_kinds(&self) -> usize {
        1
    }

    /// Below [`Game::move_kinds`]: moves of one kind tend to be good or bad together, so search
    /// tries first what has fared well.
    fn move_kind(&self, position: &Self::Position, mv: Self::Move) -> usize {
        let _ = (position, mv);
        0
    }

    /// How forcing a move is, for the order of moves: 0 for a quiet one, more for what ends the
    /// game or changes it at once.
    fn urgency(&self, position: &Self::Position, mv: Self::Move) -> u8 {
        let _ = (position, mv);
        0
    }

    /// The part of the game a position belongs to, for settings that differ between them.
    fn stage(&self, position: &Self::Position) -> Stage {
        let _ = position;
        Stage::Middle
    }

    /// How many moves the seat to move may still have, for sharing out its clock; a little more
    /// than the mean is best.
    fn moves_left(&self, position: &Self::Position) -> u32 {
        let _ = position;
        20
    }

    /// What a search two plies less deep differs by, as a standard deviation times the depth of the
    /// deeper one, with evaluators that know no better; `None` if that was never measured: ProbCut then believes nothing.
    fn probcut_deviation(&self) -> Option<f32> {
        None
    }

    /// A well mixed 64-bit key; equal positions have equal keys. Searches ask for it at every node:
    /// worth a faster one.
    fn key(&self, position: &Self::Position) -> u64 {
        let mut hasher = Xxh3::new();
        position.hash(&mut hasher);
        hasher.finish()
    }
}

/// A random game by [`Game::random_move`], 64 random bits a move: right for every game.
pub fn end_move_by_move<G: Game>(
    game: &G,
    position: &G::Position,
    mut random: impl FnMut() -> u64,
) -> Payoffs {
    let mut position = *position;
    loop {
        if let Some(payoffs) = game.payoffs(&position) {
            return payoffs;
        }
        position = game.play(&position, game.random_move(&position, random()));
    }
}

/// How many moves a position has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveCount {
    /// All that some outcome permits.
    pub all: u32,
    /// Those after which the game goes on.
    pub open: u32,
}

/// [`Game::count_moves`] by listing and making them: right for every game.
pub fn count_move_by_move<G: Game>(game: &G, position: &G::Position) -> MoveCount {
    let mut moves = G::Moves::default();
    game.moves(position, &mut moves);
    let goes_on = |mv: &&G::Move| game.payoffs(&game.play(position, **mv)).is_none();
    MoveCount {
        all: moves.len() as u32,
        open: moves.iter().filter(goes_on).count() as u32,
    }
}

/// A part of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Its beginning.
    Opening,
    /// What lies between.
    Middle,
    /// Its end, when little is left on the board.
    Endgame,
}

/// Where the outcomes of a game that is played come from.
pub trait Chance<G: Game> {
    /// Draws what the seat to move gets: the outcome as a record keeps it, and the moves it
    /// permits.
    fn draw(&mut self, game: &G, position: &G::Position) -> (u8, G::Moves);
}

/// A growable list, seen as a slice.
pub trait List<T>: Default + Clone + Debug + Send + Deref<Target = [T]> + DerefMut {
    /// Appends one item.
    fn push(&mut self, item: T);
    /// Removes all items.
    fn clear(&mut self);
    /// Removes all items but the first `length`.
    fn truncate(&mut self, length: usize);
}

impl<T: Clone + Debug + Send> List<T> for Vec<T> {
    fn push(&mut self, item: T) {
        Vec::push(self, item);
    }
    fn clear(&mut self) {
        Vec::clear(self);
    }
    fn truncate(&mut self, length: usize) {
        Vec::truncate(self, length);
    }
}

impl<A: Array + Send> List<A::Item> for SmallVec<A>
where
    A::Item: Clone + Debug + Send,
{
    #[inline]
    fn push(&mut self, item: A::Item) {
        SmallVec::push(self, item);
    }
    fn clear(&mut self) {
        SmallVec::clear(self);
    }
    fn truncate(&mut self, length: usize) {
        SmallVec::truncate(self, length);
    }
}

/// A list of at most `N` items that lives on the stack.
#[derive(Clone, Copy, Debug)]
pub struct FixedList<T, const N: usize> {
    items: [T; N],
    length: u16,
}

impl<T: Copy + Default + Debug + Send, const N: usize> FixedList<T, N> {
    /// Appends one item.
    ///
    /// # Panics
    /// If the list is full.
    #[inline]
    pub fn push(&mut self, item: T) {
        self.items[usize::from(self.length)] = item;
        self.length += 1;
    }

    /// Appends an item if it is kept. Whether it is decides nothing but the length.
    ///
    /// # Panics
    /// If the list is full, even if the item is not kept.
    #[inline]
    pub fn push_if(&mut self, item: T, kept: bool) {
        self.items[usize::from(self.length)] = item;
        self.length += u16::from(kept);
    }

    /// Appends the first `count` of a few items, which decides nothing but the length, so that a
    /// processor need not foresee it.
    ///
    /// # Panics
    /// If there is no room for all of the few.
    #[inline]
    pub fn push_first<const FEW: usize>(&mut self, items: [T; FEW], count: usize) {
        let room = self.items[usize::from(self.length)..].first_chunk_mut();
        *room.expect("the list has room for all of the few") = items;
        self.length += count.min(FEW) as u16;
    }

    /// Removes all items.
    #[inline]
    pub fn clear(&mut self) {
        self.length = 0;
    }
}

impl<T: Copy + Default, const N: usize> Default for FixedList<T, N> {
    fn default() -> Self {
        const { assert!(N <= u16::MAX as usize, "an index has 16 bits") };
        Self {
            items: [T::default(); N],
            length: 0,
        }
    }
}

impl<T, const N: usize> Deref for FixedList<T, N> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        &self.items[..usize::from(self.length)]
    }
}

impl<T, const N: usize> DerefMut for FixedList<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[..usize::from(self.length)]
    }
}

impl<T: Copy + Default + Debug + Send, const N: usize> List<T> for FixedList<T, N> {
    #[inline]
    fn push(&mut self, item: T) {
        FixedList::push(self, item);
    }
    #[inline]
    fn clear(&mut self) {
        FixedList::clear(self);
    }
    #[inline]
    fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length as u16);
    }
}

/// The outcome that 32 random bits select by weight.
///
/// # Panics
/// If there is no outcome.
#[must_use]
#[inline]
pub fn sample(outcomes: &[Outcome], bits: u32) -> &Outcome {
    let mut rest = bits as f32 / 4_294_967_296.0;
    // Weights are not negative, so once the rest is below 0 it stays there. Counting needs no
    // branch that depends on chance, which no processor foresees.
    let mut passed = 0;
    for outcome in outcomes {
        rest -= outcome.weight;
        passed += usize::from(rest >= 0.0);
    }
    &outcomes[passed.min(outcomes.len() - 1)]
}

/// One of `count` equally likely indices by 32 random bits; the bias is at most `count / 2^32`.
#[must_use]
#[inline]
pub fn one_of(count: usize, bits: u32) -> usize {
    ((count as u64 * u64::from(bits)) >> 32) as usize
}

/// Outcomes that are equally likely, as many as the list holds, each with a run as long as the
/// others' of so many moves.
#[must_use]
pub fn equal_runs<O: OutcomeList>(moves: usize) -> O {
    let mut outcomes = O::default();
    for outcome in 0..O::BOUND {
        let bound = |outcome| (moves * outcome / O::BOUND) as u16;
        outcomes.push(Outcome {
            weight: 1.0 / O::BOUND as f32,
            start: bound(outcome),
            end: bound(outcome + 1),
        });
    }
    outcomes
}

/// The payoffs of a two-seat game that the seat with more has won; as much each is a draw.
#[must_use]
#[inline]
pub fn more_wins<T: Ord>([first, second]: [T; 2]) -> Payoffs {
    match first.cmp(&second) {
        Ordering::Greater => won_by(0),
        Ordering::Equal => DRAW,
        Ordering::Less => won_by(1),
    }
}

/// The payoffs of a two-seat game that `winner` has won.
#[must_use]
pub fn won_by(winner: Seat) -> Payoffs {
    let mut payoffs = [0.0; MAX_SEATS];
    payoffs[winner] = 1.0;
    payoffs
}

/// What each other seat gets where nothing is known but that one gets `own`: with two seats the
/// rest, with more what ranks with equal steps between them leave, alike for all.
#[must_use]
#[inline]
pub fn left_for_each(own: f32, seats: usize) -> f32 {
    (0.5 * seats as f32 - own) / (seats as f32 - 1.0)
}

/// The payoffs of a two-seat game that nobody has won.
pub const DRAW: Payoffs = {
    let mut payoffs = [0.0; MAX_SEATS];
    (payoffs[0], payoffs[1]) = (0.5, 0.5);
    payoffs
};
