//! The rules of a game.
//!
//! A position is an afterstate: next, a chance outcome allows a range of its move list. Its value
//! is `Σ probability · max(values of the moves in the range)`.

use smallvec::{Array, SmallVec};
use std::{
    cmp::Ordering,
    fmt::Debug,
    hash::{Hash, Hasher},
    ops::{Deref, DerefMut, Range},
};
use xxhash_rust::xxh3::Xxh3;

/// Index of a player, from 0.
pub type Seat = usize;

/// Maximal number of seats.
pub const MAX_SEATS: usize = 8;

/// Payoffs by seat, in `[0, 1]`. With two seats they add up to 1: win 1, draw ½, loss 0, or scaled
/// points; with more seats they are points of the rank, divided by the maximal points.
pub type Payoffs = [f32; MAX_SEATS];

/// A chance outcome with the range of the move list that it allows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Probability of the outcome.
    pub weight: f32,
    /// Index of the first allowed move.
    pub start: u16,
    /// One past the index of the last allowed move.
    pub end: u16,
}

impl Outcome {
    /// The only outcome without chance, which allows all `moves` moves.
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

    /// Indices of the allowed moves.
    #[inline]
    pub fn move_range(&self) -> Range<usize> {
        usize::from(self.start)..usize::from(self.end)
    }

    /// Whether the move at `index` is allowed.
    #[inline]
    pub fn allows(&self, index: usize) -> bool {
        index.wrapping_sub(usize::from(self.start)) < usize::from(self.end - self.start)
    }
}

/// List of a position's outcomes.
pub trait OutcomeList: List<Outcome> {
    /// Maximal length, at most [`MAX_LISTED_OUTCOMES`].
    const CAPACITY: usize;
    /// A list of `T` with the same capacity.
    type ListOf<T: Copy + Default + Debug + Send>: List<T>;
}

impl<const N: usize> OutcomeList for FixedList<Outcome, N> {
    const CAPACITY: usize = N;
    type ListOf<T: Copy + Default + Debug + Send> = FixedList<T, N>;
}

/// Maximal [`OutcomeList::CAPACITY`]: 64 bits are a set of outcomes.
pub const MAX_LISTED_OUTCOMES: usize = 64;

/// Outcomes of games without chance.
pub type SingleOutcome = FixedList<Outcome, 1>;

/// The rules of a game.
pub trait Game: Clone + Debug + Send + Sync + 'static {
    /// An afterstate: a position before the next outcome of chance.
    type Position: Copy + Eq + Hash + Debug + Send + Sync + 'static;
    /// A move, valid only in its position.
    type Move: Copy + Eq + Debug + Default + Send + Sync + 'static;
    /// List of moves; a [`FixedList`] avoids allocation.
    type Moves: List<Self::Move>;
    /// List of outcomes: a [`FixedList`], without chance [`SingleOutcome`].
    type Outcomes: OutcomeList;

    /// Number of seats, 2 to [`MAX_SEATS`].
    #[inline]
    fn seats(&self) -> usize {
        2
    }

    /// The seat to move; seats need not alternate.
    fn to_move(&self, position: &Self::Position) -> Seat;

    /// Payoffs of a finished game; `None` before its end.
    fn payoffs(&self, position: &Self::Position) -> Option<Payoffs>;

    /// One seat's payoff in a finished game; `None` before its end.
    #[inline]
    fn payoff(&self, position: &Self::Position, seat: Seat) -> Option<f32> {
        self.payoffs(position).map(|payoffs| payoffs[seat])
    }

    /// Replaces `moves` by all moves that some outcome allows (at least one), ordered so that each
    /// outcome allows a range. `position` is not over.
    fn moves(&self, position: &Self::Position, moves: &mut Self::Moves);

    /// Whether each outcome has moves of its own, such as 21 rolls of two dice: searches then list
    /// moves by [`Game::moves_for`], and [`Game::moves`] is [`moves_of_all_outcomes`].
    const SEPARATE_OUTCOMES: bool = false;

    /// Replaces `moves` by those that the outcome at `index` of [`Game::outcomes`] allows, at least
    /// one.
    fn moves_for(&self, position: &Self::Position, index: usize, moves: &mut Self::Moves) {
        self.moves(position, moves);
        let range = self.outcomes(position, moves)[index].move_range();
        keep_range(moves, range);
    }

    /// Outcomes with their ranges of `moves`, the list of [`Game::moves`]; equal ranges are best
    /// merged. With [`Game::SEPARATE_OUTCOMES`] an empty list of moves gives empty ranges.
    #[inline]
    fn outcomes(&self, position: &Self::Position, moves: &[Self::Move]) -> Self::Outcomes {
        let _ = position;
        let mut outcomes = Self::Outcomes::default();
        outcomes.push(Outcome::certain(moves.len()));
        outcomes
    }

    /// The position after a move.
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// A well mixed hash, computed at every node of searches, the same on 32- and 64-bit little-endian
    /// processors.
    fn key(&self, position: &Self::Position) -> u64 {
        let mut hasher = PortableHasher(Xxh3::new());
        position.hash(&mut hasher);
        hasher.finish()
    }
}

/// Hashes lengths as 64 bits where `usize` has fewer.
struct PortableHasher(Xxh3);

impl Hasher for PortableHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn finish(&self) -> u64 {
        self.0.finish()
    }
}

/// Implements [`Game::moves`] by [`Game::moves_for`]: the moves of all outcomes, one after the other.
pub fn moves_of_all_outcomes<G: Game>(game: &G, position: &G::Position, moves: &mut G::Moves) {
    moves.clear();
    let mut allowed = G::Moves::default();
    for index in 0..game.outcomes(position, &[]).len() {
        game.moves_for(position, index, &mut allowed);
        allowed.iter().for_each(|&mv| moves.push(mv));
    }
}

/// Removes all items outside of `range`.
pub fn keep_range<T: Copy>(list: &mut impl List<T>, range: Range<usize>) {
    if range.len() < list.len() {
        list.copy_within(range.clone(), 0);
        list.truncate(range.len());
    }
}

/// Samples the chance outcomes of played games.
pub trait ChanceSource<G: Game> {
    /// Samples an outcome: its number in game records and the moves it allows.
    fn draw(&mut self, game: &G, position: &G::Position) -> (u8, G::Moves);
}

/// A growable list, readable as a slice.
pub trait List<T>: Default + Clone + Debug + Send + Deref<Target = [T]> + DerefMut {
    /// Appends one item.
    fn push(&mut self, item: T);
    /// Removes all items.
    fn clear(&mut self);
    /// Keeps only the first `length` items.
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

/// A list of at most `N` items, on the stack.
#[derive(Clone, Copy, Debug)]
pub struct FixedList<T, const N: usize> {
    items: [T; N],
    length: u16,
}

impl<T: Copy + Default + Debug + Send, const N: usize> FixedList<T, N> {
    /// Appends an item; panics if the list is full.
    #[inline]
    pub fn push(&mut self, item: T) {
        self.items[usize::from(self.length)] = item;
        self.length += 1;
    }

    /// Appends an item if `is_pushed`, without a branch; panics if the list is full, pushed or not.
    #[inline]
    pub fn push_if(&mut self, item: T, is_pushed: bool) {
        self.items[usize::from(self.length)] = item;
        self.length += u16::from(is_pushed);
    }

    /// Appends the first `count` of `items` without a branch; panics without room for all `items`.
    #[inline]
    pub fn push_prefix<const FEW: usize>(&mut self, items: [T; FEW], count: usize) {
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

/// Samples the index of an outcome from 32 random bits; panics without outcomes.
#[inline]
pub fn sample_outcome(outcomes: &[Outcome], bits: u32) -> usize {
    let mut remainder = bits as f32 / 4_294_967_296.0;
    let mut passed = 0;
    for outcome in outcomes {
        remainder -= outcome.weight;
        passed += usize::from(remainder >= 0.0);
    }
    passed.min(outcomes.len() - 1)
}

/// An index below `count` from 32 random bits, uniform up to a bias of `count / 2^32`.
#[inline]
pub fn uniform_index(count: usize, bits: u32) -> usize {
    ((count as u64 * u64::from(bits)) >> 32) as usize
}

/// `O::CAPACITY` equally likely outcomes, which divide `moves` moves about equally.
pub fn uniform_outcomes<O: OutcomeList>(moves: usize) -> O {
    let mut outcomes = O::default();
    for outcome in 0..O::CAPACITY {
        let bound = |outcome| (moves * outcome / O::CAPACITY) as u16;
        outcomes.push(Outcome {
            weight: 1.0 / O::CAPACITY as f32,
            start: bound(outcome),
            end: bound(outcome + 1),
        });
    }
    outcomes
}

/// Payoffs of two seats by final scores; the higher wins.
#[inline]
pub fn payoffs_by_score<T: Ord>([first, second]: [T; 2]) -> Payoffs {
    match first.cmp(&second) {
        Ordering::Greater => win_for(0),
        Ordering::Equal => DRAW,
        Ordering::Less => win_for(1),
    }
}

/// Payoffs of two seats if `winner` wins.
pub fn win_for(winner: Seat) -> Payoffs {
    let mut payoffs = [0.0; MAX_SEATS];
    payoffs[winner] = 1.0;
    payoffs
}

/// Mean payoff of the other seats if one gets `own`, assuming a total of `seats / 2`.
#[inline]
pub fn mean_other_payoff(own: f32, seats: usize) -> f32 {
    (0.5 * seats as f32 - own) / (seats as f32 - 1.0)
}

/// Payoffs of two seats in a draw.
pub const DRAW: Payoffs = {
    let mut payoffs = [0.0; MAX_SEATS];
    (payoffs[0], payoffs[1]) = (0.5, 0.5);
    payoffs
};
