//! The rules of ReversiXT: Reversi for two to eight players on a [`Map`], with override stones and
//! bombs.
//!
//! First players place stones on empty cells, or override stones on occupied ones, that capture
//! along a line; players without a move are skipped. Then players throw their bombs, each of which
//! turns the cells within its reach into holes. Most stones win.
//!
//! Source: the course at RWTH Aachen (Softwarepraktikum 2016). Like most programs: bombs reach
//! through cells that they destroy, a line that returns to its first cell captures nothing, stones
//! can be exchanged with disqualified players.

mod cell_sets;
mod drawing;
pub mod evaluators;
mod inputs;
pub mod map;
mod notation;
mod playable;
pub mod random_maps;
use alea_core::arrays::build_array;
pub use playable::NAMED_MAPS;

use alea_core::{
    game::{DRAW, Game, MAX_SEATS, Payoffs, Seat, SingleOutcome, win_for},
    random::{GOLDEN, mix64},
    search_game::{OutOfTurn, Playouts, SearchHints},
};
use cell_sets::{CellSet, Contents, MAX_WORDS, Steps};
use map::{Cell, DIRECTIONS, MAX_SIDE, Map, Side};
use smallvec::SmallVec;
use std::{
    hash::{Hash, Hasher},
    sync::Arc,
};

/// Cells of the largest map, rounded up to 64-bit words.
const MAX_CELLS: usize = (MAX_SIDE * MAX_SIDE).next_multiple_of(64);

/// List of legal moves, without allocation up to 256.
pub type MoveList = SmallVec<[Move; 256]>;

/// Default points of ranks, the best first.
pub const DEFAULT_POINTS: [u32; MAX_SEATS] = [25, 11, 5, 2, 1, 0, 0, 0];

/// Evaluates an expression with a constant `WORDS`, the size of the map's sets.
macro_rules! with_words {
    ($rules:expr, $words:ident => $body:expr) => {
        match $rules.map.cells().len() {
            ..=64 => with_words!(@ $words, 1, $body),
            65..=128 => with_words!(@ $words, 2, $body),
            129..=256 => with_words!(@ $words, 4, $body),
            _ => with_words!(@ $words, $crate::cell_sets::MAX_WORDS, $body),
        }
    };
    (@ $words:ident, $count:expr, $body:expr) => {{
        const $words: usize = $count;
        $body
    }};
}

use with_words;

/// The rules of ReversiXT on one map.
#[derive(Clone, Debug)]
pub struct ReversiXt {
    map: Arc<Map>,
    steps: Arc<Steps>,
    shape: Arc<inputs::Shape>,
    /// File or name of the map, as in the game's notation.
    name: Option<String>,
    points: [u32; MAX_SEATS],
    number: u16,
    /// Rules of all maps of a joint training, indexed by `number`; otherwise empty.
    variants: Arc<[Self]>,
}

/// Phase of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// Stones are placed.
    Stones,
    /// Bombs are thrown.
    Bombs,
    /// The game is over.
    Over,
}

/// A position: cells, stocks, phase and seat to move.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    cells: [Cell; MAX_CELLS],
    key: u64,
    stones: [u16; MAX_SEATS],
    overrides: [u16; MAX_SEATS],
    bombs: [u16; MAX_SEATS],
    cells_left: u16,
    seat: u8,
    phase: Phase,
    disqualified: u8,
    number: u16,
}

impl Position {
    /// Content of `cell`.
    #[inline]
    pub fn cell(&self, cell: usize) -> Cell {
        self.cells[cell]
    }

    /// Phase of the game.
    #[inline]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Seat to move; 0 once the game is over.
    #[inline]
    pub fn seat(&self) -> Seat {
        usize::from(self.seat)
    }

    /// Number of `seat`'s stones on the board.
    #[inline]
    pub fn num_stones(&self, seat: Seat) -> u16 {
        self.stones[seat]
    }

    /// Number of override stones in `seat`'s stock.
    #[inline]
    pub fn overrides(&self, seat: Seat) -> u16 {
        self.overrides[seat]
    }

    /// Number of bombs in `seat`'s stock.
    #[inline]
    pub fn bombs(&self, seat: Seat) -> u16 {
        self.bombs[seat]
    }

    /// Whether `seat` is disqualified.
    #[inline]
    pub fn is_disqualified(&self, seat: Seat) -> bool {
        self.disqualified >> seat & 1 == 1
    }

    #[inline]
    fn set_cell(&mut self, at: usize, cell: Cell) {
        let old = std::mem::replace(&mut self.cells[at], cell);
        self.key ^= cell_key(at, old) ^ cell_key(at, cell);
        if let Some(seat) = old.seat() {
            self.stones[seat] -= 1;
        }
        if let Some(seat) = cell.seat() {
            self.stones[seat] += 1;
        }
    }

    fn change_owners(&mut self, cells: usize, owner: impl Fn(Seat) -> Seat) {
        for at in 0..cells {
            if let Some(seat) = self.cells[at].seat() {
                self.set_cell(at, Cell::stone(owner(seat)));
            }
        }
    }

    fn non_board_state(&self) -> impl Eq + Hash {
        let rest = [self.seat, self.phase as u8, self.disqualified];
        (rest, self.overrides, self.bombs)
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
            && self.non_board_state() == other.non_board_state()
            && self.cells == other.cells
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.key, self.non_board_state()).hash(state);
    }
}

#[inline]
fn cell_key(at: usize, cell: Cell) -> u64 {
    mix64((at as u64 * 16 + u64::from(cell.content_code()) + 1).wrapping_mul(GOLDEN))
}

/// A cell to fill or bomb, with the player or bonus chosen where the cell requires it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Move {
    cell: u16,
    special: u8,
}

impl Move {
    /// Value of `special` that chooses a bomb as bonus.
    pub const BOMB_BONUS: u8 = 20;
    /// Value of `special` that chooses an override stone as bonus.
    pub const OVERRIDE_BONUS: u8 = 21;

    /// A move on `cell`. `special`: the player (from 1) to exchange stones with on a choice cell,
    /// the bonus on a bonus cell, else 0.
    #[inline]
    pub const fn new(cell: usize, special: u8) -> Self {
        Self {
            cell: cell as u16,
            special,
        }
    }

    /// Cell to fill or bomb.
    #[inline]
    pub fn cell(self) -> usize {
        usize::from(self.cell)
    }

    /// The `special` of [`Move::new`].
    #[inline]
    pub fn special_choice(self) -> u8 {
        self.special
    }
}

impl ReversiXt {
    /// Rules on `map` with [`DEFAULT_POINTS`].
    pub fn new(map: Arc<Map>) -> Self {
        Self {
            steps: Arc::new(Steps::from_map(&map)),
            shape: Arc::new(inputs::Shape::from_map(&map)),
            map,
            name: None,
            points: DEFAULT_POINTS,
            number: 0,
            variants: Arc::default(),
        }
    }

    #[cfg(test)]
    fn on_text(map: &str) -> Self {
        Self::new(Arc::new(Map::parse(map).unwrap()))
    }

    fn variant_rules(&self, position: &Position) -> &Self {
        let number = usize::from(position.number);
        self.variants.get(number).unwrap_or(self)
    }

    /// Map of these rules.
    pub fn map(&self) -> &Map {
        &self.map
    }

    fn cells_of(&self, position: &Position) -> impl Iterator<Item = Cell> {
        position.cells[..self.map.cells().len()].iter().copied()
    }

    fn num_empties(&self, position: &Position) -> usize {
        self.cells_of(position)
            .filter(|cell| cell.is_empty())
            .count()
    }

    fn empty_board(&self) -> Position {
        Position {
            cells: [Cell::HOLE; MAX_CELLS],
            key: 0,
            stones: [0; MAX_SEATS],
            overrides: [0; MAX_SEATS],
            bombs: [0; MAX_SEATS],
            cells_left: 0,
            seat: 0,
            phase: Phase::Stones,
            disqualified: 0,
            number: self.number,
        }
    }

    /// Position at the start of the game.
    pub fn start(&self) -> Position {
        let players = self.map.players();
        let mut position = self.empty_board();
        position.overrides[..players].fill(self.map.overrides);
        position.bombs[..players].fill(self.map.bombs);
        for (at, &cell) in self.map.cells().iter().enumerate() {
            position.set_cell(at, cell);
            position.cells_left += u16::from(cell != Cell::HOLE);
        }
        self.pass_turn(&mut position, players - 1);
        position
    }

    /// The position after `seat` is disqualified; its stones stay.
    pub fn disqualify(&self, position: &Position, seat: Seat) -> Position {
        let mut position = *position;
        position.disqualified |= 1 << seat;
        if position.phase != Phase::Over && position.seat() == seat {
            self.pass_turn(&mut position, seat);
        }
        position
    }

    /// The rank of each seat by stones, from 0; ties share the better, disqualified seats are last.
    pub fn ranks(&self, position: &Position) -> [usize; MAX_SEATS] {
        let strength = |seat| (!position.is_disqualified(seat)).then(|| position.num_stones(seat));
        let players = self.map.players();
        build_array(|seat| {
            let better = |&other: &Seat| strength(other) > strength(seat);
            (0..players).filter(better).count()
        })
    }

    /// Points of each seat by rank, 0 if disqualified.
    pub fn points(&self, position: &Position) -> [u32; MAX_SEATS] {
        let ranks = self.ranks(position);
        build_array(|seat| {
            let plays = seat < self.map.players() && !position.is_disqualified(seat);
            if plays { self.points[ranks[seat]] } else { 0 }
        })
    }

    /// Gives the turn to the next seat that can place a stone, else to the next with a bomb, else
    /// ends the game.
    fn pass_turn(&self, position: &mut Position, last: Seat) {
        let players = self.map.players();
        let following = |can: &dyn Fn(Seat) -> bool| {
            let mut seats = (1..=players).map(|after| (last + after) % players);
            seats.find(|&seat| !position.is_disqualified(seat) && can(seat))
        };
        let laying = (position.phase == Phase::Stones)
            .then(|| following(&|seat| self.can_place_stone(position, seat)))
            .flatten();
        let throwing = || {
            let throwing = following(&|seat| position.bombs[seat] > 0);
            throwing.filter(|_| position.cells_left > 0)
        };
        let (phase, seat) = match laying {
            Some(seat) => (Phase::Stones, seat),
            None => match throwing() {
                Some(seat) => (Phase::Bombs, seat),
                None => (Phase::Over, 0),
            },
        };
        position.phase = phase;
        position.seat = seat as u8;
    }

    fn can_place_stone(&self, position: &Position, seat: Seat) -> bool {
        let overrides = position.overrides[seat] > 0;
        let cells = &position.cells[..self.map.cells().len()];
        overrides && cells.contains(&Cell::EXPANSION)
            || self.visit_capturing_cells(cells, seat, overrides, |_| true)
    }

    /// Calls `visit`, sometimes repeatedly, for empty (with `overrides` also occupied) cells where
    /// `seat` captures; returns true as soon as `visit` does.
    #[inline]
    fn visit_capturing_cells(
        &self,
        cells: &[Cell],
        seat: Seat,
        overrides: bool,
        mut visit: impl FnMut(usize) -> bool,
    ) -> bool {
        let own = Cell::stone(seat);
        for (at, _) in cells.iter().enumerate().filter(|&(_, &cell)| cell == own) {
            for direction in 0..DIRECTIONS {
                let mut side = self.map.step(Side::new(at, direction));
                let is_other = |side: Side| {
                    side != Side::NONE
                        && cells[side.cell()].is_occupied()
                        && cells[side.cell()] != own
                };
                if !is_other(side) {
                    continue;
                }
                let first = side.cell();
                loop {
                    side = self.map.step(side);
                    if side == Side::NONE {
                        break;
                    }
                    let cell = cells[side.cell()];
                    let is_target = cell.is_empty() || overrides && cell.is_occupied();
                    let returns = side.cell() == at || side.cell() == first;
                    if is_target && !returns && visit(side.cell()) {
                        return true;
                    }
                    if !is_other(side) {
                        break;
                    }
                }
            }
        }
        false
    }

    /// Empty (with `overrides` also occupied) cells where `seat` captures.
    fn capturing_cells(
        &self,
        position: &Position,
        seat: Seat,
        overrides: bool,
    ) -> CellSet<MAX_WORDS> {
        if overrides && self.steps.has_transitions() {
            let mut found = CellSet::NONE;
            let cells = &position.cells[..self.map.cells().len()];
            self.visit_capturing_cells(cells, seat, true, |at| {
                found.insert(at);
                false
            });
            return found;
        }
        with_words!(self, WORDS => {
            let contents = Contents::<WORDS>::new(&position.cells);
            let (own, occupied) = (contents.cells_with(Cell::stone(seat)), contents.occupied());
            let empties = contents.empties();
            let targets = if overrides { empties | occupied } else { empties };
            self.steps.run_ends(own, occupied & !own, targets).resize()
        })
    }

    /// Number of stones that one of `seat` on `at` captures in a direction; 0 on a line that
    /// returns to `at`.
    #[inline]
    fn count_captured(&self, cells: &[Cell], at: usize, direction: usize, seat: Seat) -> usize {
        let own = Cell::stone(seat);
        let mut side = Side::new(at, direction);
        let mut steps = 0;
        loop {
            side = self.map.step(side);
            if side == Side::NONE || side.cell() == at {
                return 0;
            }
            let cell = cells[side.cell()];
            if cell == own {
                return steps;
            }
            if !cell.is_occupied() {
                return 0;
            }
            steps += 1;
        }
    }

    fn place_stone(&self, position: &mut Position, mv: Move) {
        let (seat, players) = (position.seat(), self.map.players());
        let count = self.map.cells().len();
        let filled = position.cells[mv.cell()];
        let cells = &position.cells[..count];
        let steps: [usize; DIRECTIONS] =
            build_array(|direction| self.count_captured(cells, mv.cell(), direction, seat));
        for (direction, steps) in steps.into_iter().enumerate() {
            let mut side = Side::new(mv.cell(), direction);
            for _ in 0..steps {
                side = self.map.step(side);
                position.set_cell(side.cell(), Cell::stone(seat));
            }
        }
        position.set_cell(mv.cell(), Cell::stone(seat));
        if filled.is_occupied() {
            position.overrides[seat] -= 1;
        }
        if filled == Cell::CHOICE {
            let other = usize::from(mv.special) - 1;
            position.change_owners(count, |owner| match owner {
                _ if owner == seat => other,
                _ if owner == other => seat,
                _ => owner,
            });
        } else if filled == Cell::INVERSION {
            position.change_owners(count, |owner| (owner + 1) % players);
        } else if filled == Cell::BONUS && mv.special == Move::BOMB_BONUS {
            position.bombs[seat] += 1;
        } else if filled == Cell::BONUS {
            position.overrides[seat] += 1;
        }
    }

    /// Turns the cells within reach of `target` into holes; no step leads through older holes.
    fn throw_bomb(&self, position: &mut Position, target: usize) {
        let mut run_ends: SmallVec<[u16; 256]> = SmallVec::new();
        let mut is_reached = CellSet::<MAX_WORDS>::NONE;
        let mut reach = |cell: usize, run_ends: &mut SmallVec<[u16; 256]>| {
            if !is_reached.contains(cell) {
                is_reached.insert(cell);
                run_ends.push(cell as u16);
            }
        };
        reach(target, &mut run_ends);
        let mut begin = 0;
        for _ in 0..self.map.strength {
            let end = run_ends.len();
            if begin == end {
                break;
            }
            for at in begin..end {
                for direction in 0..DIRECTIONS {
                    let side = self
                        .map
                        .step(Side::new(usize::from(run_ends[at]), direction));
                    if side != Side::NONE && position.cells[side.cell()] != Cell::HOLE {
                        reach(side.cell(), &mut run_ends);
                    }
                }
            }
            begin = end;
        }
        for &cell in &run_ends {
            position.set_cell(usize::from(cell), Cell::HOLE);
        }
        position.cells_left -= run_ends.len() as u16;
        position.bombs[position.seat()] -= 1;
    }
}

impl Game for ReversiXt {
    type Position = Position;
    type Move = Move;
    type Moves = MoveList;
    type Outcomes = SingleOutcome;

    fn seats(&self) -> usize {
        self.map.players()
    }

    #[inline]
    fn to_move(&self, position: &Position) -> Seat {
        position.seat()
    }

    /// With two players win, draw or loss; with more, points divided by the first rank's.
    fn payoffs(&self, position: &Position) -> Option<Payoffs> {
        if position.phase != Phase::Over {
            return None;
        }
        let ranks = self.ranks(position);
        Some(if self.map.players() == 2 {
            match ranks {
                [0, 0, ..] => DRAW,
                [0, ..] => win_for(0),
                _ => win_for(1),
            }
        } else {
            let max_points = self.points[0].max(1) as f32;
            self.points(position)
                .map(|points| points as f32 / max_points)
        })
    }

    fn moves(&self, position: &Position, moves: &mut MoveList) {
        moves.clear();
        let cells = &position.cells[..self.map.cells().len()];
        let seat = position.seat();
        if position.phase == Phase::Bombs {
            let left = (0..cells.len()).filter(|&at| cells[at] != Cell::HOLE);
            moves.extend(left.map(|at| Move::new(at, 0)));
            return;
        }
        let overrides = position.overrides[seat] > 0;
        let mut permitted = self.capturing_cells(position, seat, overrides);
        if overrides {
            let expansions = cells.iter().enumerate();
            let expansions = expansions.filter(|&(_, &cell)| cell == Cell::EXPANSION);
            expansions.for_each(|(at, _)| permitted.insert(at));
        }
        for at in permitted.iter() {
            let cell = cells[at];
            match cell {
                Cell::CHOICE => {
                    let players = 1..=self.map.players() as u8;
                    moves.extend(players.map(|player| Move::new(at, player)));
                }
                Cell::BONUS => {
                    moves.extend(
                        [Move::BOMB_BONUS, Move::OVERRIDE_BONUS]
                            .map(|choice| Move::new(at, choice)),
                    );
                }
                _ => moves.push(Move::new(at, 0)),
            }
        }
    }

    fn play(&self, position: &Position, mv: Move) -> Position {
        let mut next = *position;
        if position.phase == Phase::Bombs {
            self.throw_bomb(&mut next, mv.cell());
        } else {
            self.place_stone(&mut next, mv);
        }
        self.pass_turn(&mut next, position.seat());
        next
    }
}

impl SearchHints for ReversiXt {
    fn history_size(&self) -> usize {
        self.map.cells().len()
    }

    fn history_index(&self, _position: &Position, mv: Move) -> usize {
        mv.cell()
    }

    /// 0 for override moves and bombs on empty cells, 2 for filling special cells, else 1.
    fn move_class(&self, position: &Position, mv: Move) -> u8 {
        let cell = position.cells[mv.cell()];
        if position.phase == Phase::Bombs {
            return u8::from(cell.is_occupied());
        }
        u8::from(!cell.is_occupied()) + u8::from(cell.is_empty() && cell != Cell::EMPTY)
    }
}

impl Playouts for ReversiXt {}

impl OutOfTurn for ReversiXt {
    const SUPPORTS_OUT_OF_TURN: bool = true;

    fn set_side_to_move(&self, position: &mut Position, seat: Seat) -> bool {
        let can = match position.phase {
            Phase::Over => false,
            _ if position.seat() == seat => true,
            _ if position.is_disqualified(seat) => false,
            Phase::Stones => self.can_place_stone(position, seat),
            Phase::Bombs => position.bombs[seat] > 0,
        };
        if can {
            position.seat = seat as u8;
        }
        can
    }
}
