//! Small games for tests of search, unlike EinStein in moves, chance and seats.

#![allow(dead_code, unreachable_pub)]

use engine::core::{
    evaluator::Evaluator,
    game::{
        FixedList, Game, List, MAX_SEATS, Outcome, Payoffs, Seat, SingleOutcome,
        moves_of_all_outcomes, payoffs_by_score, win_for,
    },
    search_game::{OutOfTurn, Playouts, SearchHints},
};

/// Nim: take any number from one pile; who takes the last stone wins.
#[derive(Clone, Debug)]
pub struct Nim;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piles {
    pub piles: [u8; 3],
    pub seat: Seat,
}

impl Game for Nim {
    type Position = Piles;
    type Move = (u8, u8);
    type Moves = Vec<(u8, u8)>;
    type Outcomes = SingleOutcome;

    fn to_move(&self, position: &Piles) -> Seat {
        position.seat
    }

    fn payoffs(&self, position: &Piles) -> Option<Payoffs> {
        (position.piles == [0; 3]).then(|| win_for(1 - position.seat))
    }

    fn moves(&self, position: &Piles, moves: &mut Vec<(u8, u8)>) {
        moves.clear();
        for (pile, &stones) in position.piles.iter().enumerate() {
            moves.extend((1..=stones).map(|occupied| (pile as u8, occupied)));
        }
    }

    fn play(&self, position: &Piles, (pile, occupied): (u8, u8)) -> Piles {
        let mut next = *position;
        next.piles[usize::from(pile)] -= occupied;
        next.seat = 1 - next.seat;
        next
    }

    fn key(&self, position: &Piles) -> u64 {
        let [one, two, three] = position.piles;
        mix(u32::from_le_bytes([one, two, three, position.seat as u8]).into())
    }
}

impl SearchHints for Nim {}

impl Playouts for Nim {}

impl OutOfTurn for Nim {}

/// A game with random seats to move, moves, outcomes and payoffs, from hashes.
#[derive(Clone, Debug)]
pub struct HashGame {
    pub seats: usize,
    pub seed: u64,
    pub length: u8,
    pub chance: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HashPosition {
    pub id: u64,
    pub ply: u8,
}

impl HashGame {
    pub fn start(&self) -> HashPosition {
        HashPosition {
            id: mix(self.seed),
            ply: 0,
        }
    }

    fn draw(&self, position: &HashPosition, purpose: u64) -> u64 {
        mix(position.id ^ mix(purpose ^ self.seed))
    }
}

impl Game for HashGame {
    type Position = HashPosition;
    type Move = u8;
    type Moves = Vec<u8>;
    type Outcomes = FixedList<Outcome, 5>;

    fn seats(&self) -> usize {
        self.seats
    }

    fn to_move(&self, position: &HashPosition) -> Seat {
        (self.draw(position, 1) % self.seats as u64) as Seat
    }

    fn payoffs(&self, position: &HashPosition) -> Option<Payoffs> {
        if position.ply < self.length
            && (position.ply == 0 || !self.draw(position, 2).is_multiple_of(8))
        {
            return None;
        }
        let score = |seat: Seat| (self.draw(position, 3 + seat as u64) % 1000) as f32 + 1.0;
        let mut payoffs = [0.0; MAX_SEATS];
        for (seat, payoff) in payoffs.iter_mut().enumerate().take(self.seats) {
            let sum = match self.seats {
                2 => score(0) + score(1),
                _ => 1001.0,
            };
            *payoff = score(seat) / sum;
        }
        Some(payoffs)
    }

    fn moves(&self, position: &HashPosition, moves: &mut Vec<u8>) {
        moves.clear();
        moves.extend(0..1 + (self.draw(position, 20) % 5) as u8);
    }

    fn outcomes(&self, position: &HashPosition, moves: &[u8]) -> Self::Outcomes {
        let mut outcomes = Self::Outcomes::default();
        let count = 1 + u64::from(self.chance) * (self.draw(position, 21) % 5);
        let weight = |outcome| (self.draw(position, 30 + outcome) % 100) as f32 + 1.0;
        let weights: Vec<f32> = (0..count).map(weight).collect();
        let sum: f32 = weights.iter().sum();
        for (outcome, weight) in weights.iter().enumerate() {
            let (mut start, mut end) = (0, moves.len() as u64);
            if self.chance {
                start = self.draw(position, 40 + outcome as u64) % moves.len() as u64;
                end = start
                    + 1
                    + self.draw(position, 50 + outcome as u64) % (moves.len() as u64 - start);
            }
            outcomes.push(Outcome {
                weight: weight / sum,
                start: start as u16,
                end: end as u16,
            });
        }
        outcomes
    }

    fn play(&self, position: &HashPosition, mv: u8) -> HashPosition {
        HashPosition {
            id: self.draw(position, 60 + u64::from(mv)) % 64,
            ply: position.ply + 1,
        }
    }

    fn key(&self, position: &HashPosition) -> u64 {
        mix(position
            .id
            .wrapping_mul(251)
            .wrapping_add(u64::from(position.ply)))
    }
}

impl SearchHints for HashGame {}

impl Playouts for HashGame {}

impl OutOfTurn for HashGame {}

/// Two dice make 21 rolls. The mover adds to its total any number from the lower die to the sum of
/// both, modulo `modulus`; after `length` plies the larger total wins.
#[derive(Clone, Debug)]
pub struct Totals {
    pub modulus: u8,
    pub length: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TotalsPosition {
    pub totals: [u8; 2],
    pub ply: u8,
}

impl Totals {
    pub const START: TotalsPosition = TotalsPosition {
        totals: [0; 2],
        ply: 0,
    };

    /// Exact value for the side to move, computed roll by roll.
    pub fn value(&self, position: &TotalsPosition) -> f64 {
        let mover = usize::from(position.ply % 2);
        if position.ply == self.length {
            let [own, other] = [position.totals[mover], position.totals[1 - mover]];
            return f64::from(u8::from(own > other) + u8::from(own >= other)) / 2.0;
        }
        let after: Vec<f64> = (1..=12)
            .map(|number| 1.0 - self.value(&self.play(position, number)))
            .collect();
        let mut sum = 0.0;
        for red in 1..=6usize {
            for blue in 1..=6 {
                let numbers = red.min(blue)..=red + blue;
                sum += numbers.map(|number| after[number - 1]).fold(0.0, f64::max);
            }
        }
        sum / 36.0
    }
}

impl Game for Totals {
    type Position = TotalsPosition;
    type Move = u8;
    type Moves = FixedList<u8, 12>;
    type Outcomes = FixedList<Outcome, 21>;

    fn to_move(&self, position: &TotalsPosition) -> Seat {
        usize::from(position.ply % 2)
    }

    fn payoffs(&self, position: &TotalsPosition) -> Option<Payoffs> {
        (position.ply == self.length).then(|| payoffs_by_score(position.totals))
    }

    fn moves(&self, _: &TotalsPosition, moves: &mut Self::Moves) {
        moves.clear();
        (1..=12).for_each(|number| moves.push(number));
    }

    fn outcomes(&self, _: &TotalsPosition, _: &[u8]) -> Self::Outcomes {
        let mut outcomes = Self::Outcomes::default();
        for low in 1..=6u16 {
            for high in low..=6 {
                outcomes.push(Outcome {
                    weight: if low == high { 1.0 } else { 2.0 } / 36.0,
                    start: low - 1,
                    end: low + high,
                });
            }
        }
        outcomes
    }

    fn play(&self, position: &TotalsPosition, number: u8) -> TotalsPosition {
        let mut next = *position;
        let total = &mut next.totals[usize::from(position.ply % 2)];
        *total = (*total + number) % self.modulus;
        next.ply += 1;
        next
    }

    fn key(&self, position: &TotalsPosition) -> u64 {
        let [one, other] = position.totals;
        mix(u32::from_le_bytes([one, other, position.ply, 0]).into())
    }
}

impl SearchHints for Totals {}

impl Playouts for Totals {}

impl OutOfTurn for Totals {}

/// Seats take cells in turn; after `length` plies the larger sum of points wins. Without chance,
/// with many moves and positions of kilobytes.
#[derive(Clone, Debug)]
pub struct Field {
    pub points: Vec<u8>,
    pub length: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldPosition {
    occupied: [bool; Field::MAX_CELLS],
    totals: [u16; 2],
    ply: u16,
    key: u64,
}

impl Field {
    pub const MAX_CELLS: usize = 2500;

    pub const START: FieldPosition = FieldPosition {
        occupied: [false; Self::MAX_CELLS],
        totals: [0; 2],
        ply: 0,
        key: 0,
    };

    pub fn new(cells: usize, max_points: u8, length: u16, seed: u64) -> Self {
        let points =
            (0..cells as u64).map(|cell| mix(cell ^ mix(seed)) % (u64::from(max_points) + 1));
        Self {
            points: points.map(|points| points as u8).collect(),
            length,
        }
    }

    pub fn value(&self, position: &FieldPosition) -> f32 {
        let cells = self.points.iter().zip(&position.occupied);
        let free = cells
            .filter(|(_, occupied)| !**occupied)
            .map(|(&points, _)| points);
        let mut free: Vec<u8> = free.collect();
        free.sort_unstable_by(|one, other| other.cmp(one));
        let mover = self.to_move(position);
        let mut totals = position.totals;
        for (turn, points) in free
            .into_iter()
            .take(usize::from(self.length - position.ply))
            .enumerate()
        {
            totals[(mover + turn) % 2] += u16::from(points);
        }
        payoffs_by_score(totals)[mover]
    }
}

impl Game for Field {
    type Position = FieldPosition;
    type Move = u16;
    type Moves = Vec<u16>;
    type Outcomes = SingleOutcome;

    fn to_move(&self, position: &FieldPosition) -> Seat {
        usize::from(position.ply % 2)
    }

    fn payoffs(&self, position: &FieldPosition) -> Option<Payoffs> {
        (position.ply == self.length).then(|| payoffs_by_score(position.totals))
    }

    fn moves(&self, position: &FieldPosition, moves: &mut Vec<u16>) {
        moves.clear();
        moves.extend(
            (0..self.points.len() as u16).filter(|&cell| !position.occupied[usize::from(cell)]),
        );
    }

    fn play(&self, position: &FieldPosition, cell: u16) -> FieldPosition {
        let mut next = *position;
        let seat = self.to_move(position);
        next.occupied[usize::from(cell)] = true;
        next.totals[seat] += u16::from(self.points[usize::from(cell)]);
        next.key ^= mix(2 * u64::from(cell) + seat as u64);
        next.ply += 1;
        next
    }

    fn key(&self, position: &FieldPosition) -> u64 {
        mix(position.key ^ u64::from(position.ply))
    }
}

impl SearchHints for Field {
    fn branching_hint(&self) -> usize {
        self.points.len()
    }

    fn history_size(&self) -> usize {
        self.points.len()
    }

    fn history_index(&self, _: &FieldPosition, cell: u16) -> usize {
        usize::from(cell)
    }

    fn move_class(&self, _: &FieldPosition, cell: u16) -> u8 {
        self.points[usize::from(cell)]
    }
}

impl Playouts for Field {}

impl OutOfTurn for Field {}

/// The game `G` with [`Game::SEPARATE_OUTCOMES`]: each outcome has a move list of its own.
#[derive(Clone, Debug)]
pub struct Separate<G>(pub G);

impl<G: Game> Separate<G> {
    fn lists(&self, position: &G::Position) -> Vec<(f32, Vec<G::Move>)> {
        let mut moves = G::Moves::default();
        self.0.moves(position, &mut moves);
        let outcomes = self.0.outcomes(position, &moves);
        let list = |outcome: &Outcome| (outcome.weight, moves[outcome.move_range()].to_vec());
        outcomes.iter().map(list).collect()
    }
}

impl<G: Game> Game for Separate<G> {
    type Position = G::Position;
    type Move = G::Move;
    type Moves = Vec<G::Move>;
    type Outcomes = G::Outcomes;
    const SEPARATE_OUTCOMES: bool = true;

    fn seats(&self) -> usize {
        self.0.seats()
    }
    fn to_move(&self, position: &G::Position) -> Seat {
        self.0.to_move(position)
    }
    fn payoffs(&self, position: &G::Position) -> Option<Payoffs> {
        self.0.payoffs(position)
    }
    fn moves(&self, position: &G::Position, moves: &mut Vec<G::Move>) {
        moves_of_all_outcomes(self, position, moves);
    }
    fn moves_for(&self, position: &G::Position, index: usize, moves: &mut Vec<G::Move>) {
        *moves = self.lists(position).swap_remove(index).1;
    }
    fn outcomes(&self, position: &G::Position, moves: &[G::Move]) -> G::Outcomes {
        let (mut outcomes, mut start) = (G::Outcomes::default(), 0);
        for (weight, list) in self.lists(position) {
            let end = start
                + if moves.is_empty() {
                    0
                } else {
                    list.len() as u16
                };
            outcomes.push(Outcome { weight, start, end });
            start = end;
        }
        outcomes
    }
    fn play(&self, position: &G::Position, mv: G::Move) -> G::Position {
        self.0.play(position, mv)
    }
    fn key(&self, position: &G::Position) -> u64 {
        self.0.key(position)
    }
}

impl<G: Game> SearchHints for Separate<G> {}

impl<G: Game> Playouts for Separate<G> {}

impl<G: Game> OutOfTurn for Separate<G> {}

#[derive(Clone, Copy, Debug)]
pub struct HashEvaluator;

impl<G: Game> Evaluator<G> for HashEvaluator {
    type Cache = ();

    fn value(&self, game: &G, position: &G::Position, (): &()) -> f32 {
        (mix(game.key(position) ^ 0x5555) >> 40) as f32 / (1u64 << 24) as f32
    }
}

fn mix(mut value: u64) -> u64 {
    value = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    value = (value ^ value >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    value = (value ^ value >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ value >> 31
}
