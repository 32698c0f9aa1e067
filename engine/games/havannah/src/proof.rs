//! Prover of wins on boards of base 3 and 4: depth-first proof-number search (Nagai 2002; weak
//! sums: Ueda et al. 2008) over positions up to symmetry.
//!
//! Where the enemy would win by threats that allow one reply each, only cells of those threats and
//! counter-threats are tried. [`check_strategy`] verifies proofs independently.

mod check;

pub use check::{Strategy, check_strategy, position_number};

use super::{
    Havannah, MEMBERS_BETWEEN_TWO, Move, NEIGHBOUR_RUNS, Position, WinKinds, shape::SYMMETRIES,
};
use alea_core::{
    fallible_allocation::with_capacity,
    game::{Game, Seat},
    random::GOLDEN,
};
use check::has_position_numbers;
use std::collections::HashSet;

/// Maximal positions of a threat search, tuned on opening a1 of base 4.
const MAX_THREAT_NODES: u32 = 150;

const INFINITE_NUMBER: u32 = 1 << 30;

const NEIGHBOUR_SHIFTS: [i32; 6] = [8, 9, 1, -8, -9, -1];

/// Bit index of the first cell; its neighbours off the board need lower ones.
const FIRST_CELL_BIT: u32 = 9;

fn single_bits(mut set: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = lowest_bit(set);
        set ^= bit;
        (bit != 0).then_some(bit)
    })
}

fn lowest_bit(set: u64) -> u64 {
    set & set.wrapping_neg()
}

fn bit_index(bit: u64) -> usize {
    bit.trailing_zeros() as usize
}

/// Pairs of empty cells where two more stones win for the side with stones `own`: `wins` has
/// partners by bit index, `any` all cells of pairs.
#[derive(Clone)]
struct Pairs {
    own: u64,
    any: u64,
    wins: [u64; 64],
}

impl Pairs {
    fn none_for(own: u64) -> Self {
        let (any, wins) = (0, [0; 64]);
        Self { own, any, wins }
    }
}

#[derive(Clone, Copy, Default)]
struct Stones {
    on: [u64; 2],
    wins: [u64; 2],
    seat: Seat,
}

#[derive(Clone, Copy, Default)]
struct Node {
    stones: Stones,
    keys: [u64; SYMMETRIES],
}

impl Node {
    fn canonical_key(&self) -> (u64, usize) {
        let keys = self.keys.iter().copied().zip(0..);
        keys.min().unwrap_or_default()
    }
}

/// Numbers of a canonical image for its side to move, and moves to try: in a won position the
/// winning one.
#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    candidates: u64,
    proof: u32,
    disproof: u32,
    /// Positions visited below, and in the bits from [`WORK_BITS`] the prover's generation.
    work: u64,
}

const WORK_BITS: u32 = 48;

/// Prover that one side wins a position.
pub struct Prover {
    game: Havannah,
    winner: Seat,
    all: u64,
    rim: u64,
    rims: [u16; 64],
    near: [u64; 64],
    bits_of_cells: Vec<u64>,
    /// Image's bit index and both sides' hash words, by the cell's bit index and symmetry.
    images: Vec<[(u8, [u64; 2]); SYMMETRIES]>,
    pairs: Vec<Pairs>,
    table: Vec<[Entry; 2]>,
    /// Entries of others count as empty.
    generation: u64,
    nodes: u64,
}

impl Prover {
    /// Whether a prover can be made for `game`: base 3 or 4, no swap.
    pub fn supports(game: &Havannah) -> bool {
        has_position_numbers(game)
    }

    /// Makes a prover of wins of `winner` with a table of `memory` bytes; `None` without that
    /// memory or for an unsupported game.
    pub fn new(game: Havannah, winner: Seat, memory: usize) -> Option<Self> {
        if !Self::supports(&game) {
            return None;
        }
        let shape = game.shape;
        let with_stone =
            |&[x, y]: &[u8; 2]| 1 << (8 * u32::from(x) + u32::from(y) + FIRST_CELL_BIT);
        let bits_of_cells: Vec<u64> = shape.names[..shape.cells].iter().map(with_stone).collect();
        let buckets = (memory / size_of::<[Entry; 2]>()).max(1);
        let (mut pairs, mut table) = (Vec::new(), with_capacity(buckets)?);
        table.resize_with(buckets, Default::default);
        let slots = (memory / 8 / size_of::<Pairs>()).clamp(1 << 8, 1 << 17);
        pairs.resize(slots.next_power_of_two(), Pairs::none_for(u64::MAX));
        let mut prover = Self {
            all: bits_of_cells.iter().sum(),
            rim: 0,
            rims: [0; 64],
            near: [0; 64],
            images: vec![[(0, [0; 2]); SYMMETRIES]; 64],
            pairs,
            table,
            generation: 0,
            nodes: 0,
            game,
            winner,
            bits_of_cells,
        };
        for (cell, &bit) in prover.bits_of_cells.iter().enumerate() {
            let near = shape.near[cell][..6].iter();
            let near = near.filter_map(|&near| prover.bits_of_cells.get(usize::from(near)));
            prover.near[bit_index(bit)] = near.sum();
            prover.rims[bit_index(bit)] = shape.rim[cell];
            prover.rim |= if shape.rim[cell] == 0 { 0 } else { bit };
        }
        for (cell, &bit) in prover.bits_of_cells.iter().enumerate() {
            for (symmetry, image) in prover.images[bit_index(bit)].iter_mut().enumerate() {
                let image_cell = usize::from(shape.images[symmetry][cell]);
                *image = (
                    bit_index(prover.bits_of_cells[image_cell]) as u8,
                    shape.words[image_cell],
                );
            }
        }
        Some(prover)
    }

    /// Forgets all positions, so that the next proof and its number of nodes are those of a new
    /// prover.
    pub fn clear(&mut self) {
        self.generation += 1;
        if self.generation >> (u64::BITS - WORK_BITS) != 0 {
            self.table.fill(Default::default());
            self.generation = 0;
        }
    }

    /// Number of positions visited.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether the prover's side wins `position`. `report_nodes` receives [`Prover::nodes`] every
    /// 65,536 nodes.
    pub fn prove_win(&mut self, position: &Position, report_nodes: &mut dyn FnMut(u64)) -> bool {
        if let Some(payoffs) = self.game.payoffs(position) {
            return payoffs[self.winner] == 1.0;
        }
        let node = self.node_of(position);
        let (proof, _) = match self.decided_value(&node.stones) {
            Some(value) => decided_numbers(value),
            None => self.search_proof(&node, INFINITE_NUMBER, INFINITE_NUMBER, report_nodes),
        };
        (proof == 0) == (position.seat() == self.winner)
    }

    /// The strategy that wins `position`, which [`Prover::prove_win`] must have proved.
    pub fn strategy(&mut self, position: &Position, report_nodes: &mut dyn FnMut(u64)) -> Strategy {
        let mut strategy = Strategy::new();
        let mut seen = HashSet::new();
        let mut left = vec![*position];
        while let Some(position) = left.pop() {
            let (node, wins) = (self.node_of(&position), position.seat() == self.winner);
            let open = self.decided_value(&node.stones).is_none()
                && seen.insert(position_number(&self.game, &position));
            if !open || wins && self.threat_win_zone(&node.stones).is_some() {
                continue;
            }
            if !wins {
                let moves = self.game.empties(&position).map(Move::place);
                left.extend(moves.map(|mv| self.game.play(&position, mv)));
                continue;
            }
            let mut best = self.proven_move(&node);
            while best.is_none() {
                self.search_proof(&node, INFINITE_NUMBER, INFINITE_NUMBER, report_nodes);
                best = self.proven_move(&node);
            }
            let with_stone = self
                .bits_of_cells
                .iter()
                .position(|&with_stone| Some(with_stone) == best);
            let mv = Move::place(with_stone.expect("a cell of the board"));
            strategy.insert(position_number(&self.game, &position), mv);
            left.push(self.game.play(&position, mv));
        }
        strategy
    }

    fn proven_move(&self, node: &Node) -> Option<u64> {
        let (key, symmetry) = node.canonical_key();
        let stored = self.entry(key).filter(|entry| entry.proof == 0)?;
        Some(self.preimage(symmetry, stored.candidates))
    }

    fn preimage(&self, symmetry: usize, images: u64) -> u64 {
        let image = |&bit: &u64| images >> self.images[bit_index(bit)][symmetry].0 & 1 != 0;
        single_bits(self.all).filter(image).sum()
    }

    fn node_of(&mut self, position: &Position) -> Node {
        let mut node = Node::default();
        for cell in 0..self.bits_of_cells.len() {
            if let Some(seat) = position.seat_at(cell) {
                node.stones.seat = seat;
                node = self.play(&node, self.bits_of_cells[cell]);
            }
        }
        node.stones.seat = position.seat();
        node
    }

    fn empty_cells(&self, stones: &Stones) -> u64 {
        self.all & !(stones.on[0] | stones.on[1])
    }

    fn play(&mut self, node: &Node, bit: u64) -> Node {
        let (mut keys, seat) = (node.keys, node.stones.seat);
        for (key, (_, words)) in keys.iter_mut().zip(&self.images[bit_index(bit)]) {
            *key ^= words[seat];
        }
        let stones = self.with_stone(&node.stones, bit);
        Node { stones, keys }
    }

    fn with_stone(&mut self, stones: &Stones, bit: u64) -> Stones {
        let (mut next, seat) = (*stones, stones.seat);
        let wins = self.two_stone_wins(stones.on[seat]).wins[bit_index(bit)];
        next.on[seat] |= bit;
        let empty = self.empty_cells(&next);
        next.wins[seat] = (next.wins[seat] | wins) & empty;
        next.wins[1 - seat] &= empty;
        next.seat = 1 - seat;
        next
    }

    /// Whether the side to move wins, if known without search; a full board counts against
    /// `winner`.
    fn decided_value(&self, stones: &Stones) -> Option<bool> {
        if stones.wins[stones.seat] != 0 {
            Some(true)
        } else if stones.wins[1 - stones.seat].count_ones() >= 2 {
            Some(false)
        } else {
            (self.empty_cells(stones) == 0).then_some(stones.seat != self.winner)
        }
    }

    fn proof_numbers(&self, node: &Node) -> Option<(u32, u32)> {
        let stored =
            || Some(self.entry(node.canonical_key().0)?).map(|entry| (entry.proof, entry.disproof));
        self.decided_value(&node.stones)
            .map(decided_numbers)
            .or_else(stored)
    }

    fn bucket(&self, key: u64) -> usize {
        ((u128::from(key) * self.table.len() as u128) >> 64) as usize
    }

    fn entry(&self, key: u64) -> Option<&Entry> {
        let bucket = &self.table[self.bucket(key)];
        let is_current = |entry: &Entry| entry.work >> WORK_BITS == self.generation;
        bucket
            .iter()
            .find(|entry| entry.key == key && is_current(entry))
    }

    fn store(&mut self, mut entry: Entry) {
        let with_stone = self.bucket(entry.key);
        let current = self.generation << WORK_BITS;
        entry.work |= current;
        let bucket = &mut self.table[with_stone];
        for stored in bucket.iter_mut() {
            if stored.work >> WORK_BITS != self.generation {
                *stored = Entry {
                    work: current,
                    ..Entry::default()
                };
            }
        }
        let [one, other] = bucket;
        let first = one.key == entry.key || other.key != entry.key && one.work <= other.work;
        *(if first { one } else { other }) = entry;
    }

    fn two_stone_wins(&mut self, own: u64) -> &Pairs {
        let slot = (own.wrapping_mul(GOLDEN) >> 32) as usize & (self.pairs.len() - 1);
        if self.pairs[slot].own != own {
            self.pairs[slot] = self.find_two_stone_wins(own);
        }
        &self.pairs[slot]
    }

    fn find_two_stone_wins(&self, own: u64) -> Pairs {
        let (mut chains, mut count) = ([(0, 0); 64], 0);
        let (mut rims, mut joined) = (self.rims, [0; 64]);
        let mut left = own;
        while left != 0 {
            let mut chain = lowest_bit(left);
            let near = loop {
                let near = self.with_neighbours(chain);
                if near & own == chain {
                    break near;
                }
                chain = near & own;
            };
            left &= !chain;
            chains[count] = (chain, near);
            count += 1;
            let rim =
                single_bits(chain & self.rim).fold(0, |rim, bit| rim | self.rims[bit_index(bit)]);
            for bit in single_bits(near & !chain) {
                rims[bit_index(bit)] |= rim;
                joined[bit_index(bit)] |= chain;
            }
        }
        let mut pairs = Pairs::none_for(own);
        for bit in single_bits(self.all & !own) {
            if joined[bit_index(bit)] == 0 && bit & self.rim == 0 {
                continue;
            }
            let chain = joined[bit_index(bit)] | bit;
            let beside = chains[..count]
                .iter()
                .filter(|(chain, _)| chain & joined[bit_index(bit)] != 0);
            let near = beside.fold(self.near[bit_index(bit)], |near, (_, more)| near | more);
            for other in single_bits(near & self.all & !own & !(bit | (bit - 1))) {
                let rim = rims[bit_index(bit)] | rims[bit_index(other)];
                if WinKinds::from_rim(rim).any() || self.closes_ring(own | bit, chain, other) {
                    pairs.any |= bit | other;
                    pairs.wins[bit_index(bit)] |= other;
                    pairs.wins[bit_index(other)] |= bit;
                }
            }
        }
        pairs
    }

    fn with_neighbours(&self, set: u64) -> u64 {
        let line = set | set << 1 | set >> 1;
        (line | set << 8 | set >> 8 | set << 9 | set >> 9) & self.all
    }

    fn closes_ring(&self, own: u64, chain: u64, bit: u64) -> bool {
        if chain.count_ones() < 5 {
            return false;
        }
        let set = NEIGHBOUR_SHIFTS
            .iter()
            .enumerate()
            .fold(0, |set, (number, step)| {
                set | ((chain.rotate_right((bit_index(bit) as i32 + step) as u32) & 1) as usize)
                    << number
            });
        let encloses = |number: u64| {
            let near =
                self.near[(bit_index(bit) as i32 + NEIGHBOUR_SHIFTS[bit_index(number)]) as usize];
            near.count_ones() == 6 && near & !(own | bit) == 0
        };
        NEIGHBOUR_RUNS[set].0 >= 2 || single_bits(u64::from(MEMBERS_BETWEEN_TWO[set])).any(encloses)
    }

    /// Cells where `side` would win, or threaten to win next on a `free` cell.
    fn threat_cells(&mut self, stones: &Stones, side: Seat, free: u64) -> u64 {
        let empty = self.empty_cells(stones);
        let free = free & !stones.on[side];
        let pairs = self.two_stone_wins(stones.on[side]);
        let threats =
            single_bits(empty & pairs.any).filter(|&bit| pairs.wins[bit_index(bit)] & free != 0);
        threats.fold(stones.wins[side], |set, bit| set | bit)
    }

    /// Cells of a threat win of the side to move, outside of which no enemy stone stops it; `None`
    /// if none is found.
    fn threat_win_zone(&mut self, stones: &Stones) -> Option<u64> {
        self.search_threats(stones, &mut { MAX_THREAT_NODES }, self.empty_cells(stones))
    }

    fn search_threats(&mut self, stones: &Stones, budget: &mut u32, free: u64) -> Option<u64> {
        let (own, other) = (stones.wins[stones.seat], stones.wins[1 - stones.seat]);
        if own != 0 {
            return Some(lowest_bit(own) | self.threat_cells(stones, 1 - stones.seat, free));
        }
        if other.count_ones() >= 2 || *budget == 0 {
            return None;
        }
        *budget -= 1;
        let empty = self.empty_cells(stones);
        let tried = if other == 0 { empty } else { other };
        let pairs = self.two_stone_wins(stones.on[stones.seat]);
        let (mut single, mut count) = ([(0, 0); 64], 0);
        let mut double = None;
        for bit in single_bits(tried & pairs.any) {
            let wins = pairs.wins[bit_index(bit)] & empty;
            if wins.count_ones() >= 2 {
                let first = lowest_bit(wins);
                double = Some(bit | first | lowest_bit(wins ^ first));
                break;
            } else if wins != 0 {
                single[count] = (bit, wins);
                count += 1;
            }
        }
        if let Some(zone) = double {
            return Some(zone | self.threat_cells(stones, 1 - stones.seat, free));
        }
        single[..count].iter().find_map(|&(threat, answer)| {
            let threatened = self.with_stone(stones, threat);
            let answered = self.with_stone(&threatened, answer);
            let zone = self.search_threats(&answered, budget, free)?;
            Some(zone | threat | answer)
        })
    }

    fn candidates(&mut self, stones: &Stones) -> u64 {
        let (empty, wins) = (self.empty_cells(stones), stones.wins[1 - stones.seat]);
        if wins != 0 {
            return wins;
        }
        let mut passed = *stones;
        passed.seat = 1 - stones.seat;
        let Some(zone) = self.threat_win_zone(&passed) else {
            return empty;
        };
        let mut candidates = zone & empty;
        let mut left = candidates;
        while left != 0 {
            let bit = lowest_bit(left);
            left ^= bit;
            let next = self.with_stone(stones, bit);
            if self.decided_value(&next) == Some(false) {
                return bit;
            }
            if let Some(zone) = self.threat_win_zone(&next) {
                candidates &= zone & !bit;
                left &= candidates;
            }
        }
        candidates
    }

    fn initial_proof_numbers(&mut self, stones: &Stones) -> (u32, u32) {
        let empty = self.empty_cells(stones);
        let turn = if stones.seat == self.winner {
            0.8
        } else {
            -0.8
        };
        let mut threat_cells =
            |side| f64::from(self.threat_cells(stones, side, empty).count_ones()) - 5.0;
        let odds = if stones.wins[1 - stones.seat] != 0 {
            0.5
        } else {
            0.25 * threat_cells(stones.seat) - 0.3 * threat_cells(1 - stones.seat) + turn
        };
        let chance = 1.0 / (1.0 + (-odds).exp());
        ((31.0 - 30.0 * chance) as u32, (1.0 + 30.0 * chance) as u32)
    }

    /// Searches until the proof or disproof number reaches its limit; returns both.
    fn search_proof(
        &mut self,
        node: &Node,
        max_proof: u32,
        max_disproof: u32,
        report_nodes: &mut dyn FnMut(u64),
    ) -> (u32, u32) {
        self.nodes += 1;
        if self.nodes & 0xffff == 0 {
            report_nodes(self.nodes);
        }
        let (began, (key, symmetry)) = (self.nodes, node.canonical_key());
        let stored = self.entry(key).copied().unwrap_or_default();
        let candidates = match stored.candidates {
            0 => self.candidates(&node.stones),
            candidates => self.preimage(symmetry, candidates),
        };
        let mut children = Vec::with_capacity(candidates.count_ones() as usize);
        for bit in single_bits(candidates) {
            let next = self.play(node, bit);
            let numbers = (self.proof_numbers(&next))
                .unwrap_or_else(|| self.initial_proof_numbers(&next.stones));
            children.push((bit, numbers));
            if numbers.1 == 0 {
                break;
            }
        }
        loop {
            let (mut proof, mut second, mut best) = (INFINITE_NUMBER, INFINITE_NUMBER, 0);
            let (mut largest, mut open) = (0, 0);
            for (number, &(_, (child_proof, child_disproof))) in children.iter().enumerate() {
                if child_disproof < proof {
                    (second, proof, best) = (proof, child_disproof, number);
                } else {
                    second = second.min(child_disproof);
                }
                open += u32::from(child_proof > 0);
                largest = largest.max(child_proof);
            }
            let disproof = match (proof, largest) {
                (0, _) => INFINITE_NUMBER,
                (_, 0) => 0,
                _ => (largest + open - 1).min(INFINITE_NUMBER),
            };
            if disproof == 0 {
                proof = INFINITE_NUMBER;
            }
            if proof >= max_proof || disproof >= max_disproof || proof == 0 || disproof == 0 {
                let image = |bit| 1 << self.images[bit_index(bit)][symmetry].0;
                let candidates = if proof == 0 {
                    children[best].0
                } else {
                    candidates
                };
                self.store(Entry {
                    key,
                    candidates: single_bits(candidates).map(image).sum(),
                    proof,
                    disproof,
                    work: (stored.work & ((1 << WORK_BITS) - 1)) + self.nodes - began + 1,
                });
                return (proof, disproof);
            }
            let (bit, (child_proof, _)) = children[best];
            let next = self.play(node, bit);
            let max_child_proof = (max_disproof - disproof + child_proof).min(INFINITE_NUMBER);
            let max_child_disproof = max_proof.min(second + 1);
            children[best].1 =
                self.search_proof(&next, max_child_proof, max_child_disproof, report_nodes);
        }
    }
}

fn decided_numbers(wins: bool) -> (u32, u32) {
    if wins {
        (0, INFINITE_NUMBER)
    } else {
        (INFINITE_NUMBER, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{minimax, random_position};
    use alea_core::random::RandomStream;
    use std::collections::HashMap;

    fn find_strategy(game: Havannah, position: &Position, winner: Seat) -> Option<Strategy> {
        let mut prover = Prover::new(game, winner, 1 << 20).unwrap();
        let wins = prover.prove_win(position, &mut |_| ());
        wins.then(|| prover.strategy(position, &mut |_| ()))
    }

    #[test]
    fn a_cleared_prover_proves_like_a_new_one() {
        let game = Havannah::new(3, false);
        let positions = ["a1", "b2", "c3 b2"].map(|moves| game.parse_position(moves).unwrap());
        let prove = |prover: &mut Prover, position: &Position| {
            let before = prover.nodes();
            let wins = prover.prove_win(position, &mut |_| ());
            let strategy = wins.then(|| prover.strategy(position, &mut |_| ()));
            (prover.nodes() - before, strategy)
        };
        // So small that entries are replaced.
        let new_prover = || Prover::new(game, 0, 1 << 14).unwrap();
        let mut used = new_prover();
        for position in positions.iter().chain(&positions) {
            used.clear();
            assert_eq!(
                prove(&mut used, position),
                prove(&mut new_prover(), position)
            );
        }
    }

    #[test]
    fn what_is_proven_is_the_value_of_minimax() {
        let game = Havannah::new(3, false);
        let (mut random, mut stored) = (RandomStream::new(24), HashMap::new());
        let mut found = [0; 3];
        for _ in 0..150 {
            let position = random_position(&game, 9, &mut random);
            let value = minimax(&game, &position, &mut stored);
            found[(value + 1) as usize] += 1;
            for winner in [0, 1] {
                let wins = value == if position.seat() == winner { 1 } else { -1 };
                let strategy = find_strategy(game, &position, winner);
                assert_eq!(strategy.is_some(), wins, "{position:?}");
                if let Some(strategy) = strategy {
                    assert!(check_strategy(&game, &position, winner, &strategy).is_ok());
                }
            }
        }
        assert!(found[0] > 20 && found[2] > 20, "{found:?}");
    }

    #[test]
    fn openings_of_base_3_are_won_by_corners_alone() {
        let game = Havannah::new(3, false);
        for (opening, winner) in [("a1", 0), ("a2", 1), ("b2", 1), ("c3", 1)] {
            let position = game.parse_position(opening).unwrap();
            let strategy = find_strategy(game, &position, winner).unwrap();
            let checked = check_strategy(&game, &position, winner, &strategy);
            assert!(checked.is_ok(), "{opening}: {checked:?}");
            assert!(find_strategy(game, &position, 1 - winner).is_none());
        }
    }

    #[test]
    fn a_proof_with_a_hole_fails_its_check() {
        let game = Havannah::new(4, false);
        let position = game.parse_position("d4 c3 e5 b2").unwrap();
        let strategy = find_strategy(game, &position, 0).unwrap();
        let holds = |winner, strategy: &Strategy| {
            check_strategy(&game, &position, winner, strategy).is_ok()
        };
        assert!(holds(0, &strategy) && !holds(1, &strategy));
        let first = position_number(&game, &position);
        let occupied = game.parse_move(&game.start(), "e5").unwrap();
        for wrong in [
            None,
            Some(occupied),
            Some(Move::place(40)),
            Some(Move::SWAP),
        ] {
            let mut broken = strategy.clone();
            broken.remove(&first);
            broken.extend(wrong.map(|mv| (first, mv)));
            assert!(!holds(0, &broken), "{wrong:?}");
        }
        let late = game.parse_position("a1 d1 a2 e2 a3 f3 a4").unwrap();
        let wins = [0, 1].map(|winner| find_strategy(game, &late, winner).is_some());
        assert_eq!(wins, [true, false]);
    }
}
