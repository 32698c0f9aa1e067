//! Computes a position's cell index with a single data-dependent branch.

use super::super::label_patterns::{MAX_SIDE_STONES, NUM_PATTERNS, PATTERN_NUMBERS, reverse_mask};
use super::{Class, GOAL, Index, dispatch_class, num_other_tuples, tuple_number};
use crate::{Position, position::Side, symmetry::TRANSPOSED};
use alea_core::arrays::build_array;

#[derive(Clone, Copy)]
struct Labels {
    /// Living stones (from 0), ascending, then padding.
    stones: [u8; MAX_SIDE_STONES],
    count: u8,
    patterns: [u8; 2],
}

static LABELS_BY_SET: [Labels; 64] = {
    let mut all = [Labels {
        stones: [0; MAX_SIDE_STONES],
        count: 0,
        patterns: [0; 2],
    }; 64];
    let mut set = 0;
    while set < 64 {
        let labels = &mut all[set];
        let mut stone = 0;
        while stone < 6 {
            if set >> stone & 1 == 1 {
                if (labels.count as usize) < MAX_SIDE_STONES {
                    labels.stones[labels.count as usize] = stone;
                }
                labels.count += 1;
            }
            stone += 1;
        }
        labels.patterns = [
            PATTERN_NUMBERS[set],
            PATTERN_NUMBERS[reverse_mask(set as u8) as usize],
        ];
        set += 1;
    }
    all
};

static ORIENTED_SQUARES: [[u8; 32]; 2] = {
    let mut same = [0; 32];
    let mut square = 0;
    while square < 32 {
        same[square] = square as u8;
        square += 1;
    }
    [same, TRANSPOSED]
};

#[derive(Clone, Copy)]
struct SideStones {
    side: Side,
    labels: &'static Labels,
}

impl SideStones {
    #[inline(always)]
    fn new(side: Side) -> Self {
        Self {
            side,
            labels: &LABELS_BY_SET[usize::from(side.living_set() & 63)],
        }
    }

    #[inline(always)]
    fn squares<const COUNT: usize>(self) -> [u8; COUNT] {
        build_array(|index| self.side.square(usize::from(self.labels.stones[index])))
    }
}

impl Index {
    /// Class and cell of an unfinished position; `None` if it has too many stones.
    #[inline]
    pub(in super::super) fn find_cell(&self, position: &Position) -> Option<(Class, usize)> {
        let (own, enemy) = (
            SideStones::new(position.mover()),
            SideStones::new(position.other()),
        );
        let class = Class {
            mover: usize::from(own.labels.count),
            other: usize::from(enemy.labels.count),
        };
        if class.stones() > self.orbits.len() + 1 || class.mover == 0 || class.other == 0 {
            return None;
        }
        Some((class, self.cell_index(class, own, enemy)))
    }

    #[inline(never)]
    fn cell_index(&self, class: Class, own: SideStones, enemy: SideStones) -> usize {
        dispatch_class!(class, OWN, ENEMY => self.cell_index_of::<OWN, ENEMY>(own, enemy))
    }

    #[inline(always)]
    fn cell_index_of<const OWN: usize, const ENEMY: usize>(
        &self,
        own: SideStones,
        enemy: SideStones,
    ) -> usize {
        let (movers, others) = (
            own.squares::<OWN>(),
            enemy.squares::<ENEMY>().map(|square| GOAL - (square & 31)),
        );
        let orbits = &self.orbits[OWN - 1];
        let entry = orbits.entries[tuple_number(movers.into_iter())] as usize;
        let row = entry >> 2;
        let orientation = &ORIENTED_SQUARES[entry >> 1 & 1];
        let movers = movers.map(|square| orientation[usize::from(square & 31)]);
        // Square 0 is never free for the other side: a mover's stone there blocks no further
        // square.
        let on_zero = usize::from(row >= orbits.rows_without_zero);
        let ranks = others.map(|square| {
            let square = orientation[usize::from(square & 31)];
            let below: u8 = movers.iter().map(|&mover| u8::from(mover < square)).sum();
            usize::from(square) + on_zero - usize::from(below) - 1
        });
        let (rank, flipped) = rank_tuple(ranks, 24 - OWN + on_zero);
        let narrow = const { num_other_tuples(24 - OWN, ENEMY) };
        let wider = const { num_other_tuples(25 - OWN, ENEMY) - num_other_tuples(24 - OWN, ENEMY) };
        let block = row * narrow + row.saturating_sub(orbits.rows_without_zero) * wider + rank;
        let (outer, inner) = (
            enemy.labels.patterns[usize::from(flipped)],
            own.labels.patterns[entry & 1],
        );
        (block * NUM_PATTERNS[ENEMY] + usize::from(outer)) * NUM_PATTERNS[OWN] + usize::from(inner)
    }
}

#[inline(always)]
fn rank_tuple<const COUNT: usize>(ranks: [usize; COUNT], free: usize) -> (usize, bool) {
    let (first, last) = (ranks[0], ranks[COUNT - 1]);
    if COUNT == 1 {
        return (first, false);
    }
    let flipped = first > last;
    let (low, high) = (first.min(last), first.max(last));
    let mut rank = high * (high - 1) / 2 + low;
    let in_order: [usize; COUNT] = build_array(|index| {
        if flipped {
            ranks[COUNT - 1 - index]
        } else {
            ranks[index]
        }
    });
    for index in 1..COUNT - 1 {
        let square_rank = in_order[index];
        let below = usize::from(low < square_rank) + usize::from(high < square_rank);
        let below: usize = below
            + in_order[1..index]
                .iter()
                .map(|&other| usize::from(other < square_rank))
                .sum::<usize>();
        rank = rank * (free - 1 - index) + square_rank - below;
    }
    (rank, flipped)
}

#[cfg(test)]
mod tests {
    use super::super::super::label_patterns::pattern_number;
    use super::*;
    use crate::{GONE, Standard};
    use alea_core::random::RandomStream;

    fn find_by_parts(index: &Index, position: &Position) -> (Class, usize) {
        let (mover, other) = (position.mover(), position.other());
        let squares = |side: Side| side.squares().into_iter().filter(|square| *square != GONE);
        let own: Vec<u8> = squares(mover).collect();
        let others: Vec<u8> = squares(other).map(|square| GOAL - square).collect();
        let class = Class {
            mover: own.len(),
            other: others.len(),
        };
        let mover_index = index.mover_index(&own);
        let (rank, flipped) = mover_index.rank(&others);
        let outer = pattern_number(other.living_set(), flipped);
        let inner = pattern_number(mover.living_set(), mover_index.reversed);
        let block = index.first_block(class, mover_index.row) + rank;
        (
            class,
            block * class.cells_per_block() + outer * NUM_PATTERNS[class.mover] + inner,
        )
    }

    #[test]
    fn every_class_is_found_by_its_parts() {
        let index = Index::new(6);
        let mut random = RandomStream::new(5);
        for class in Class::up_to(6) {
            for _ in 0..5_000 {
                let mut squares: Vec<u8> = (0..25).collect();
                random.shuffle(&mut squares);
                let mut side = |count: usize, goal: u8| {
                    let mut labels = [0, 1, 2, 3, 4, 5];
                    random.shuffle(&mut labels);
                    let mut side = [GONE; 6];
                    for &label in &labels[..count] {
                        let square_rank =
                            squares.iter().position(|&square| square != goal).unwrap();
                        side[label] = squares.remove(square_rank);
                    }
                    side
                };
                let own = Side::new(side(class.mover, Standard::GOAL));
                let flip = |square| if square == GONE { GONE } else { GOAL - square };
                let enemy = Side::new(side(class.other, 0).map(flip));
                let position = Position::new(own, enemy, 0);
                let found = index.find_cell(&position).unwrap();
                assert_eq!(found, find_by_parts(&index, &position), "{position:?}");
                assert!(
                    found.0 == class && found.1 < index.num_blocks(class) * class.cells_per_block()
                );
            }
        }
        let start = Standard::default().start([0, 0], 0);
        assert_eq!(index.find_cell(&start), None);
        assert_eq!(
            Index::new(2).find_cell(&Position::new(
                Side::EMPTY.with_stone_on(0, 3).with_stone_on(1, 4),
                Side::EMPTY.with_stone_on(0, 2),
                0
            )),
            None
        );
    }
}
