//! Principal variation search far from the end (fail-soft); moves that leave few replies and do
//! well in shallow searches come first.
//!
//! Order, weights and transposition cut-offs follow R. Delorme's Edax.

use super::super::{Reversi, bits::run_ends};
use super::{
    Endgame, INFINITE_DISCS,
    last_squares::{Board, search_few_empties},
    line_flips::{flips, with_neighbours},
    static_eval::{expected_score, stable_discs},
    table::Entry,
};
use alea_core::{game::FixedList, simd::multiversion};

const MAX_EMPTIES_WITHOUT_TABLE: u32 = 6;

/// Minimal empty squares to probe all successors before the first is searched.
const MIN_EMPTIES_TO_PROBE_SUCCESSORS: u32 = 8;

/// Minimal empty squares to order moves by shallow searches, a ply deeper for every two more.
const MIN_EMPTIES_FOR_SHALLOW_SEARCH: u32 = 12;

const MIN_EMPTIES_FOR_PROBCUT: u32 = 11;

/// ProbCut margin in discs, about one standard deviation.
const PROBCUT_MARGIN: f32 = 9.0;

/// Value of a disc at the end of the game in shallow searches, above all estimates.
const FINAL_DISC_VALUE: f32 = 1000.0;

const INFINITE_SCORE: f32 = 1e6;

#[derive(Clone, Copy, Debug, Default)]
struct Successor {
    priority: i32,
    square: u8,
    own: u64,
    enemy: u64,
}

multiversion! {
    pub(super) fn search_with_table(
        solver: &mut Endgame, own: u64, enemy: u64, alpha: i32, beta: i32
    ) -> i32 {
        Avx2 => Endgame::search_with_table,
        Portable => Endgame::search_with_table,
    }
}

multiversion! {
    fn shallow_search(
        solver: &mut Endgame, own: u64, enemy: u64, depth: u32, alpha: f32, beta: f32
    ) -> f32 {
        Avx2 => Endgame::shallow_search,
        Portable => Endgame::shallow_search,
    }
}

#[inline(always)]
fn stable_edge_discs(game: &Reversi, own: u64) -> u32 {
    let sides = game.edge_columns() | game.edge_rows();
    (with_neighbours(own & game.corners) & own & sides).count_ones()
}

impl Endgame {
    #[inline(always)]
    fn odd_regions(&self, mut empty: u64) -> u64 {
        let mut odd = 0;
        while empty != 0 {
            odd ^= self.parity_regions[empty.trailing_zeros() as usize];
            empty &= empty - 1;
        }
        odd
    }

    #[inline(always)]
    fn search_with_table(&mut self, own: u64, enemy: u64, alpha: i32, beta: i32) -> i32 {
        let empty = self.game.squares() & !(own | enemy);
        let empties = empty.count_ones();
        if empties <= MAX_EMPTIES_WITHOUT_TABLE {
            let odd = self.odd_regions(empty);
            let board = Board {
                own,
                enemy,
                empty,
                odd,
            };
            return search_few_empties(self.instructions, self, board, alpha, beta);
        }
        self.nodes += 1;
        if self.is_over() {
            return alpha;
        }
        let moves = run_ends(own, enemy) & empty;
        if moves == 0 {
            if run_ends(enemy, own) & empty == 0 {
                return self.final_score(own, enemy);
            }
            return -search_with_table(self.instructions, self, enemy, own, -beta, -alpha);
        }
        let all = self.game.squares().count_ones() as i32;
        if alpha >= 2 * empties as i32 - 2 {
            let max_score = all - 2 * stable_discs(&self.game, enemy, own).count_ones() as i32;
            if max_score <= alpha {
                return max_score;
            }
        }
        let found = self.table.get(own, enemy);
        let (mut alpha, mut beta) = (alpha, beta);
        if let Some(found) = found {
            let (lower, upper) = (i32::from(found.lower), i32::from(found.upper));
            if lower >= beta || lower == upper {
                return lower;
            }
            if upper <= alpha {
                return upper;
            }
            (alpha, beta) = (alpha.max(lower), beta.min(upper));
        }
        if self.guesses
            && let Some(bound) = self.probcut_result(own, enemy, alpha, beta)
        {
            return bound;
        }

        let first = found.map_or(64, |found| found.best);
        let mut successors = FixedList::<Successor, 64>::default();
        let mut left = moves;
        while left != 0 {
            let square = left.trailing_zeros() as usize;
            left &= left - 1;
            let flips = flips(square, own, enemy);
            let successor = Successor {
                priority: 0,
                square: square as u8,
                own: enemy ^ flips,
                enemy: own | flips | 1 << square,
            };
            if successor.own == 0 {
                return all;
            }
            if empties >= MIN_EMPTIES_TO_PROBE_SUCCESSORS
                && let Some(found) = self.table.get(successor.own, successor.enemy)
                && -i32::from(found.upper) >= beta
            {
                return -i32::from(found.upper);
            }
            successors.push(successor);
        }
        if moves & (moves - 1) != 0 {
            let odd = self.odd_regions(empty);
            for successor in successors.iter_mut() {
                successor.priority = match successor.square == first {
                    true => i32::MAX,
                    false => self.move_priority(successor, empties, odd),
                };
            }
        }

        let (mut best, mut best_move) = (-INFINITE_DISCS, 64);
        for next in 0..successors.len() {
            let orders = (next..successors.len()).rev();
            let chosen = orders.max_by_key(|&index| successors[index].priority);
            successors.swap(next, chosen.unwrap_or(next));
            let Successor {
                square, own, enemy, ..
            } = successors[next];
            let from = alpha.max(best);
            let upper = if best == -INFINITE_DISCS {
                beta
            } else {
                from + 1
            };
            let mut value = -search_with_table(self.instructions, self, own, enemy, -upper, -from);
            if upper < beta && value > from && value < beta {
                value = -search_with_table(self.instructions, self, own, enemy, -beta, -value);
            }
            if self.is_stopped {
                return alpha;
            }
            if value > best {
                (best, best_move) = (value, square);
            }
            if best >= beta {
                break;
            }
        }
        let (mut lower, mut upper) = found.map_or((-64, 64), |found| (found.lower, found.upper));
        if best > alpha {
            lower = lower.max(best as i8);
        }
        if best < beta {
            upper = upper.min(best as i8);
        }
        let found = Entry {
            lower,
            upper,
            best: best_move,
            empties: empties as u8,
        };
        self.table.put(own, enemy, found);
        best
    }

    #[inline(always)]
    fn move_priority(&mut self, successor: &Successor, empties: u32, odd: u64) -> i32 {
        let &Successor {
            own, enemy, square, ..
        } = successor;
        let empty = self.game.squares() & !(own | enemy);
        let replies = run_ends(own, enemy) & empty;
        let replies = replies.count_ones() + (replies & self.game.corners).count_ones();
        let chances = (with_neighbours(enemy) & empty).count_ones();
        let mut priority = 64 * stable_edge_discs(&self.game, enemy) as i32;
        priority -= 1024 * replies as i32 + chances as i32;
        priority = 2 * priority + (odd >> square & 1) as i32;
        if empties >= MIN_EMPTIES_FOR_SHALLOW_SEARCH {
            let depth = (empties - MIN_EMPTIES_FOR_SHALLOW_SEARCH) / 2;
            let expected = shallow_search(
                self.instructions,
                self,
                own,
                enemy,
                depth,
                -INFINITE_SCORE,
                INFINITE_SCORE,
            );
            priority = priority.saturating_sub((1024.0 * expected) as i32);
        }
        priority
    }

    #[inline(always)]
    fn probcut_result(&mut self, own: u64, enemy: u64, alpha: i32, beta: i32) -> Option<i32> {
        let empties = (self.game.squares() & !(own | enemy)).count_ones();
        if beta - alpha != 1 || empties < MIN_EMPTIES_FOR_PROBCUT {
            return None;
        }
        let depth = (empties - MIN_EMPTIES_FOR_PROBCUT) / 2 + 2;
        let (low, high) = (alpha as f32 - PROBCUT_MARGIN, beta as f32 + PROBCUT_MARGIN);
        let expected = shallow_search(self.instructions, self, own, enemy, depth, low, high);
        if self.is_stopped {
            return Some(alpha);
        }
        if expected >= high {
            return Some(beta);
        }
        (expected <= low).then_some(alpha)
    }

    #[inline(always)]
    fn shallow_search(&mut self, own: u64, enemy: u64, depth: u32, alpha: f32, beta: f32) -> f32 {
        self.nodes += 1;
        if self.is_over() {
            return 0.0;
        }
        let empty = self.game.squares() & !(own | enemy);
        let moves = run_ends(own, enemy) & empty;
        if moves == 0 {
            if run_ends(enemy, own) & empty == 0 {
                return FINAL_DISC_VALUE * self.final_score(own, enemy) as f32;
            }
            return -shallow_search(self.instructions, self, enemy, own, depth, -beta, -alpha);
        }
        if depth == 0 {
            return expected_score(&self.game, own, enemy, moves);
        }
        let mut best = -INFINITE_SCORE;
        for mut squares in [moves & self.game.corners, moves & !self.game.corners] {
            while squares != 0 {
                let square = squares.trailing_zeros() as usize;
                squares &= squares - 1;
                let flips = flips(square, own, enemy);
                let (own, enemy) = (enemy ^ flips, own | flips | 1 << square);
                let from = alpha.max(best);
                let value =
                    shallow_search(self.instructions, self, own, enemy, depth - 1, -beta, -from);
                best = best.max(-value);
                if best >= beta {
                    return best;
                }
            }
        }
        best
    }
}
