//! The rules of Havannah (Christian Freeling) on hexagons with sides of 3 to 10 cells.
//!
//! Each turn places one stone, White first. A *bridge* (chain with two corners), a *fork* (chain
//! with three sides, corners excluded) or a *ring* (loop around at least one cell, occupied or not)
//! wins; a full board without one is a draw. With `swap=on` the second player may take over the
//! first stone.

mod drawing;
mod evaluators;
mod inputs;
mod mates;
mod notation;
mod patterns;
mod playable;
mod players;
mod playout;
pub mod proof;
mod shape;
#[cfg(test)]
mod testing;
mod transcript_formats;

pub use shape::{BASES, MAX_CELLS};

use alea_core::{
    game::{DRAW, FixedList, Game, Payoffs, Seat, SingleOutcome, uniform_index, win_for},
    leaf::MoveKinds,
    random::GOLDEN,
    search_game::{OutOfTurn, Playouts, SearchHints},
};
use shape::{NUM_CELL_SLOTS, OFF_BOARD, SIDES_MASK, Shape};
use std::hash::{Hash, Hasher};

/// The rules on a board of one size.
#[derive(Clone, Copy, Debug)]
pub struct Havannah {
    shape: &'static Shape,
    swap: bool,
}

impl PartialEq for Havannah {
    fn eq(&self, other: &Self) -> bool {
        (self.base(), self.swap) == (other.base(), other.swap)
    }
}

/// A cell to fill, or [`Move::SWAP`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Move(u16);

impl Move {
    /// Takes over the opponent's first stone.
    pub const SWAP: Self = Self(OFF_BOARD as u16);

    /// Fills `cell`.
    #[inline]
    pub fn place(cell: usize) -> Self {
        debug_assert!(cell < MAX_CELLS);
        Self(cell as u16)
    }

    /// Filled cell; `None` for a swap.
    #[inline]
    pub fn cell(self) -> Option<usize> {
        (self != Self::SWAP).then_some(usize::from(self.0))
    }
}

/// A set of winning structures: ring, bridge, fork.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WinKinds(u8);

impl WinKinds {
    /// A loop around at least one cell.
    pub const RING: Self = Self(1);
    /// A chain with two corners.
    pub const BRIDGE: Self = Self(2);
    /// A chain with three sides.
    pub const FORK: Self = Self(4);
    /// Whether the set has any structure.
    #[inline]
    pub fn any(self) -> bool {
        self.0 != 0
    }

    /// Names of the structures, such as `ring`.
    pub fn names(self) -> Vec<&'static str> {
        let all = [
            (Self::RING, "ring"),
            (Self::BRIDGE, "bridge"),
            (Self::FORK, "fork"),
        ];
        let kinds = all.iter().filter(|(kind, _)| self.0 & kind.0 != 0);
        kinds.map(|(_, name)| *name).collect()
    }

    #[inline]
    fn from_rim(rim: u16) -> Self {
        let fork = (rim & SIDES_MASK).count_ones() >= 3;
        let bridge = (rim >> 6).count_ones() >= 2;
        Self(u8::from(bridge) << 1 | u8::from(fork) << 2)
    }
}

const EMPTY: u8 = 0;
const OFF_BOARD_COLOUR: u8 = 3;

/// Marks a chain's representative in `links`; the low bits are the chain's sides and corners.
const ROOT_FLAG: u16 = 1 << 15;

/// A position, with a union-find of chains that stores their sides and corners. Equality and hash
/// ignore the order of moves.
#[derive(Clone, Copy)]
pub struct Position {
    key: u64,
    colours: [u8; NUM_CELL_SLOTS],
    around: [[u8; NUM_CELL_SLOTS]; 2],
    /// Another stone of the chain by stone, or [`ROOT_FLAG`] with the chain's rim bits.
    links: [u16; NUM_CELL_SLOTS],
    stones: u16,
    chains: [u16; 2],
    last: [u16; 2],
    seat: u8,
    structures: WinKinds,
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        (self.key, self.seat, self.structures) == (other.key, other.seat, other.structures)
            && self.colours == other.colours
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let stones = |seat| (0..MAX_CELLS).filter(move |&cell| self.seat_at(cell) == Some(seat));
        let [white, black] = [0, 1].map(|seat| stones(seat).collect::<Vec<_>>());
        write!(f, "white {white:?} black {black:?} to move {}", self.seat)
    }
}

/// Number of runs in a set of six neighbours in a circle, and the first member of each.
const NEIGHBOUR_RUNS: [(u8, [u8; 3]); 64] = {
    let mut runs = [(0, [0; 3]); 64];
    let mut set = 1;
    while set < 63 {
        let mut at = 0;
        while at < 6 {
            if set >> at & 1 == 1 && set >> ((at + 5) % 6) & 1 == 0 {
                runs[set].1[runs[set].0 as usize] = at as u8;
                runs[set].0 += 1;
            }
            at += 1;
        }
        set += 1;
    }
    runs[63] = (1, [0; 3]);
    runs
};

/// By set of the six neighbours in a circle: its members whose two neighbours on the circle are
/// members, too.
const MEMBERS_BETWEEN_TWO: [u8; 64] = {
    let mut between = [0; 64];
    let mut set = 0;
    while set < 64 {
        let (left, right) = (set << 1 | set >> 5, set >> 1 | set << 5);
        between[set] = (set & left & right & 63) as u8;
        set += 1;
    }
    between
};

#[inline]
const fn opposite(neighbour: usize) -> usize {
    (neighbour + 3) % 6
}

impl Position {
    fn empty() -> Self {
        let mut colours = [EMPTY; NUM_CELL_SLOTS];
        colours[OFF_BOARD] = OFF_BOARD_COLOUR;
        Self {
            key: 0,
            colours,
            around: [[0; NUM_CELL_SLOTS]; 2],
            links: [0; NUM_CELL_SLOTS],
            stones: 0,
            chains: [0; 2],
            last: [OFF_BOARD as u16; 2],
            seat: 0,
            structures: WinKinds::default(),
        }
    }

    /// Owner of the stone on `cell`; `None` if empty.
    #[inline]
    pub fn seat_at(&self, cell: usize) -> Option<Seat> {
        match self.colours[cell] {
            EMPTY | OFF_BOARD_COLOUR => None,
            colour => Some(usize::from(colour) - 1),
        }
    }

    /// Seat to move; in a won game the loser.
    #[inline]
    pub fn seat(&self) -> Seat {
        usize::from(self.seat)
    }

    /// Number of stones.
    #[inline]
    pub fn stones(&self) -> usize {
        usize::from(self.stones)
    }

    /// Structures that the last stone completed.
    #[inline]
    pub fn structures(&self) -> WinKinds {
        self.structures
    }

    /// Cell of the last stone; `None` on the empty board.
    pub fn last_cell(&self) -> Option<usize> {
        Some(usize::from(self.last[0])).filter(|&cell| cell != OFF_BOARD)
    }

    #[inline]
    fn own_neighbours(&self, cell: usize, seat: Seat) -> usize {
        usize::from(self.around[seat][cell])
    }

    #[inline]
    fn root(&self, mut cell: usize) -> usize {
        while self.links[cell] & ROOT_FLAG == 0 {
            cell = usize::from(self.links[cell]);
        }
        cell
    }

    #[inline]
    fn find_root(&mut self, mut cell: usize) -> usize {
        loop {
            let next = self.links[cell];
            if next & ROOT_FLAG != 0 {
                return cell;
            }
            let after = self.links[usize::from(next)];
            if after & ROOT_FLAG != 0 {
                return usize::from(next);
            }
            self.links[cell] = after;
            cell = usize::from(after);
        }
    }

    /// Whether a stone completes a ring of six, the only ring whose last stone may not link two
    /// runs of own neighbours.
    #[inline]
    fn encloses(&self, shape: &Shape, cell: usize, seat: Seat) -> bool {
        let mut between = MEMBERS_BETWEEN_TWO[self.own_neighbours(cell, seat)];
        while between != 0 {
            let middle = between.trailing_zeros() as usize;
            between &= between - 1;
            let others = self.own_neighbours(usize::from(shape.near[cell][middle]), seat);
            if others | 1 << opposite(middle) == 63 {
                return true;
            }
        }
        false
    }

    #[inline(always)]
    fn would_win(&self, shape: &Shape, cell: usize, seat: Seat) -> WinKinds {
        let set = self.own_neighbours(cell, seat);
        if NEIGHBOUR_RUNS[set].0 < 2 && shape.rim[cell] == 0 && MEMBERS_BETWEEN_TWO[set] == 0 {
            return WinKinds::default();
        }
        self.would_complete(shape, cell, seat)
    }

    #[inline]
    fn would_complete(&self, shape: &Shape, cell: usize, seat: Seat) -> WinKinds {
        let near = &shape.near[cell];
        let (count, starts) = NEIGHBOUR_RUNS[self.own_neighbours(cell, seat)];
        let (mut roots, mut rim, mut ring) = ([OFF_BOARD; 3], shape.rim[cell], false);
        for run in 0..usize::from(count) {
            let root = self.root(usize::from(near[usize::from(starts[run])]));
            ring |= roots[..run].contains(&root);
            rim |= self.links[root];
            roots[run] = root;
        }
        let kinds = WinKinds::from_rim(rim & !ROOT_FLAG);
        ring = ring || self.encloses(shape, cell, seat);
        WinKinds(kinds.0 | u8::from(ring))
    }

    /// Places a stone and returns the structures it completes, without change to turn, result and
    /// key.
    #[inline]
    fn place_stone(&mut self, shape: &Shape, cell: usize, seat: Seat) -> WinKinds {
        let near = &shape.near[cell];
        let set = self.own_neighbours(cell, seat);
        self.colours[cell] = seat as u8 + 1;
        for (bit, &beside) in near[..6].iter().enumerate() {
            self.around[seat][usize::from(beside)] |= 1 << opposite(bit);
        }
        self.last = [cell as u16, self.last[0]];
        self.stones += 1;
        let mut rim = shape.rim[cell];
        if set == 0 {
            self.links[cell] = ROOT_FLAG | rim;
            self.chains[seat] += 1;
            return WinKinds::default();
        }
        let (count, starts) = NEIGHBOUR_RUNS[set];
        let root = self.find_root(usize::from(near[usize::from(starts[0])]));
        rim |= self.links[root];
        let mut ring = false;
        for &start in &starts[1..usize::from(count)] {
            let other = self.find_root(usize::from(near[usize::from(start)]));
            if other == root {
                ring = true;
            } else {
                rim |= self.links[other];
                self.links[other] = root as u16;
                self.chains[seat] -= 1;
            }
        }
        self.links[root] = ROOT_FLAG | rim;
        self.links[cell] = root as u16;
        ring = ring || self.encloses(shape, cell, seat);
        WinKinds(WinKinds::from_rim(rim & !ROOT_FLAG).0 | u8::from(ring))
    }
}

impl Havannah {
    /// Rules with `base` cells per side; `swap`: the second player may take over the first stone.
    /// Panics if `base` is not in [`BASES`].
    pub fn new(base: usize, swap: bool) -> Self {
        assert!(BASES.contains(&base), "boards have {BASES:?} cells a side");
        Self {
            shape: Shape::for_base(base),
            swap,
        }
    }

    /// Number of cells per side of the board.
    pub fn base(&self) -> usize {
        self.shape.base
    }

    /// Number of cells of the board.
    #[inline]
    pub fn num_cells(&self) -> usize {
        self.shape.cells
    }

    /// Empty board.
    pub fn start(&self) -> Position {
        Position::empty()
    }

    /// Empty cells, ascending.
    pub fn empties<'a>(&self, position: &'a Position) -> impl Iterator<Item = usize> + 'a {
        let cells = position.colours[..self.shape.cells].iter().enumerate();
        cells
            .filter(|&(_, &colour)| colour == EMPTY)
            .map(|(cell, _)| cell)
    }

    #[inline]
    fn may_swap(&self, position: &Position) -> bool {
        self.swap && position.stones == 1 && position.seat == 1
    }

    /// Structures that a stone of `seat` on the empty `cell` would complete.
    #[inline]
    pub fn would_win(&self, position: &Position, cell: usize, seat: Seat) -> WinKinds {
        position.would_win(self.shape, cell, seat)
    }

    #[inline]
    fn copy_empties(&self, position: &Position, cells: &mut [u16; NUM_CELL_SLOTS]) -> usize {
        let mut count = 0;
        for (cell, &colour) in position.colours[..self.shape.cells].iter().enumerate() {
            cells[count] = cell as u16;
            count += usize::from(colour == EMPTY);
        }
        count
    }

    /// Plays a random game; `record_move` receives each move's history index.
    #[inline]
    fn play_out(
        &self,
        position: &Position,
        mut random: impl FnMut() -> u64,
        mut record_move: impl FnMut(usize),
    ) -> Payoffs {
        if let Some(payoffs) = self.payoffs(position) {
            return payoffs;
        }
        let mut position = *position;
        if self.may_swap(&position) {
            let mv = self.sample_move(&position, random());
            record_move(self.history_index(&position, mv));
            position = self.play(&position, mv);
        }
        let (mut cells, mut seat) = ([0; NUM_CELL_SLOTS], position.seat());
        let mut left = self.copy_empties(&position, &mut cells);
        while left > 0 {
            let mut bits = random();
            for _ in 0..MOVES_PER_WORD.min(left as u32) {
                let index;
                (bits, index) = bits.carrying_mul(left as u64, 0);
                left -= 1;
                let cell = usize::from(cells[index as usize]);
                cells[index as usize] = cells[left];
                record_move(NUM_CELL_SLOTS * seat + cell);
                if position.place_stone(self.shape, cell, seat).any() {
                    return win_for(seat);
                }
                seat = 1 - seat;
            }
        }
        DRAW
    }
}

const MOVES_PER_WORD: u32 = 3;

impl Game for Havannah {
    type Position = Position;
    type Move = Move;
    type Moves = FixedList<Move, NUM_CELL_SLOTS>;
    type Outcomes = SingleOutcome;

    #[inline]
    fn to_move(&self, position: &Position) -> Seat {
        position.seat()
    }

    #[inline]
    fn payoffs(&self, position: &Position) -> Option<Payoffs> {
        if position.structures.any() {
            Some(win_for(1 - position.seat()))
        } else if position.stones() == self.shape.cells {
            Some(DRAW)
        } else {
            None
        }
    }

    fn moves(&self, position: &Position, moves: &mut Self::Moves) {
        moves.clear();
        let cells = position.colours[..self.shape.cells].iter();
        for (cell, &colour) in cells.enumerate() {
            moves.push_if(Move(cell as u16), colour == EMPTY);
        }
        if self.may_swap(position) {
            moves.push(Move::SWAP);
        }
    }

    #[inline]
    fn play(&self, position: &Position, mv: Move) -> Position {
        let mut next = *position;
        match mv.cell() {
            Some(cell) => {
                let seat = next.seat();
                next.structures = next.place_stone(self.shape, cell, seat);
                next.key ^= self.shape.words[cell][seat];
            }
            None => {
                let cell = usize::from(next.last[0]);
                next.colours[cell] = 2;
                next.around.swap(0, 1);
                next.chains = [0, 1];
                next.key = self.shape.words[cell][1];
            }
        }
        next.seat = 1 - next.seat;
        next
    }

    #[inline]
    fn key(&self, position: &Position) -> u64 {
        position.key ^ u64::from(position.seat).wrapping_mul(GOLDEN)
    }
}

impl SearchHints for Havannah {
    fn branching_hint(&self) -> usize {
        self.shape.cells
    }

    fn history_size(&self) -> usize {
        2 * NUM_CELL_SLOTS
    }

    #[inline]
    fn history_index(&self, position: &Position, mv: Move) -> usize {
        usize::from(mv.0) + NUM_CELL_SLOTS * position.seat()
    }

    /// 2 for a winning stone, 1 for a stone that stops an enemy win on its cell, else 0.
    fn move_class(&self, position: &Position, mv: Move) -> u8 {
        let wins = |seat| {
            mv.cell()
                .is_some_and(|cell| self.would_win(position, cell, seat).any())
        };
        match position.seat() {
            seat if wins(seat) => 2,
            seat if wins(1 - seat) => 1,
            _ => 0,
        }
    }

    /// Half the plies left until two thirds of the board are full; at least 8.
    fn expected_moves_left(&self, position: &Position) -> u32 {
        (self.shape.cells * 2 / 3)
            .saturating_sub(position.stones())
            .max(16) as u32
            / 2
    }
}

impl Playouts for Havannah {
    fn sample_move(&self, position: &Position, bits: u64) -> Move {
        let empty = self.shape.cells - position.stones();
        let index = uniform_index(empty + usize::from(self.may_swap(position)), bits as u32);
        self.empties(position)
            .nth(index)
            .map_or(Move::SWAP, Move::place)
    }

    fn playout(&self, position: &Position, random: impl FnMut() -> u64) -> Payoffs {
        self.play_out(position, random, |_| ())
    }

    fn playout_traced(
        &self,
        position: &Position,
        random: impl FnMut() -> u64,
        played: &mut MoveKinds,
    ) -> Payoffs {
        self.play_out(position, random, |kind| played.insert(kind))
    }
}

impl OutOfTurn for Havannah {
    const TWO_SEATS_ALTERNATE: bool = true;
}

#[cfg(test)]
mod tests {
    use super::*;
    use alea_core::random::RandomStream;

    fn count_chains(game: &Havannah, position: &Position, seat: Seat) -> usize {
        let own = |&cell: &usize| position.seat_at(cell) == Some(seat);
        let mut left: Vec<usize> = (0..game.shape.cells).filter(own).collect();
        let mut count = 0;
        while let Some(first) = left.pop() {
            let mut chain = vec![first];
            while let Some(cell) = chain.pop() {
                let near = &game.shape.near[cell][..6];
                let is_near = |other: &usize| near.iter().any(|&one| usize::from(one) == *other);
                let (found, rest) = left.iter().partition(|other| is_near(other));
                left = rest;
                chain.extend::<Vec<usize>>(found);
            }
            count += 1;
        }
        count
    }

    #[test]
    fn chains_are_counted_also_after_a_swap() {
        let game = Havannah::new(4, true);
        let mut random = RandomStream::new(3);
        for number in 0..200 {
            let mut position = game.start();
            while game.payoffs(&position).is_none() {
                let mv = match game.may_swap(&position) && number % 2 == 0 {
                    true => Move::SWAP,
                    false => game.sample_move(&position, random.next_u64()),
                };
                position = game.play(&position, mv);
                let chains = [0, 1].map(|seat| count_chains(&game, &position, seat));
                assert_eq!(position.chains.map(usize::from), chains);
            }
        }
    }

    #[test]
    fn random_moves_and_playouts_swap_as_often_as_they_fill_a_cell() {
        let game = Havannah::new(3, true);
        let first = game.play(&game.start(), Move::place(9));
        let swap = game.history_index(&first, Move::SWAP);
        let games = 18_000;
        let (mut random, mut swaps) = (RandomStream::new(5), [0; 2]);
        for _ in 0..games {
            let mv = game.sample_move(&first, random.next_u64());
            swaps[0] += u32::from(mv == Move::SWAP);
            let mut played = MoveKinds::default();
            game.playout_traced(&first, || random.next_u64(), &mut played);
            swaps[1] += u32::from(played.contains(swap));
        }
        // One of 18 empty cells or the swap, four standard deviations.
        let expected = f64::from(games) / 19.0;
        for count in swaps {
            assert!(
                (f64::from(count) - expected).abs() < 4.0 * expected.sqrt(),
                "{swaps:?}"
            );
        }
    }
}
