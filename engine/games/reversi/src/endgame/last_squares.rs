//! Search of the last six empty squares, without table, with moves ordered by parity.
//!
//! Each number up to four has its own function, which tries squares instead of generating moves.

use super::super::bits::run_ends;
use super::{
    Endgame, INFINITE_DISCS,
    line_flips::{count_flipped, flips, with_neighbours},
};
use alea_core::{bits::nth_set_bit, simd::multiversion};

#[derive(Clone, Copy, Debug)]
pub(super) struct Board {
    pub(super) own: u64,
    pub(super) enemy: u64,
    pub(super) empty: u64,
    pub(super) odd: u64,
}

impl Board {
    fn pass(self) -> Self {
        Self {
            own: self.enemy,
            enemy: self.own,
            ..self
        }
    }
}

multiversion! {
    pub(super) fn search_few_empties(solver: &mut Endgame, board: Board, alpha: i32, beta: i32) -> i32 {
        Avx2 => Endgame::search_few_empties,
        Portable => Endgame::search_few_empties,
    }
}

multiversion! {
    fn search_four_empties(solver: &mut Endgame, board: Board, alpha: i32, beta: i32) -> i32 {
        Avx2 => Endgame::search_four_empties,
        Portable => Endgame::search_four_empties,
    }
}

impl Endgame {
    #[inline(always)]
    fn play_square(&self, board: Board, square: usize, flips: u64) -> Board {
        Board {
            own: board.enemy ^ flips,
            enemy: board.own | flips | 1 << square,
            empty: board.empty ^ 1 << square,
            odd: board.odd ^ self.parity_regions[square],
        }
    }

    #[inline(always)]
    pub(super) fn final_score(&self, own: u64, enemy: u64) -> i32 {
        let (own, enemy) = (own.count_ones() as i32, enemy.count_ones() as i32);
        let empties = self.game.squares().count_ones() as i32 - own - enemy;
        own - enemy + (own - enemy).signum() * empties
    }

    #[inline(always)]
    fn search_few_empties(&mut self, board: Board, alpha: i32, beta: i32) -> i32 {
        let Board {
            own,
            enemy,
            empty,
            odd,
        } = board;
        let squares = |before| nth_set_bit(empty, before);
        match empty.count_ones() {
            0 => return self.final_score(own, enemy),
            1 => return self.score_one_empty(own, squares(0)),
            2 => {
                return self.search_two_empties(
                    [own, enemy],
                    [squares(0), squares(1)],
                    alpha,
                    beta,
                );
            }
            3 => return self.search_three_empties(board, alpha, beta),
            4 => return search_four_empties(self.instructions, self, board, alpha, beta),
            _ => self.nodes += 1,
        }
        let moves = run_ends(own, enemy) & empty;
        if moves == 0 {
            if run_ends(enemy, own) & empty == 0 {
                return self.final_score(own, enemy);
            }
            return -search_few_empties(self.instructions, self, board.pass(), -beta, -alpha);
        }
        let mut best = -INFINITE_DISCS;
        for mut squares in [moves & odd, moves & !odd] {
            while squares != 0 {
                let square = squares.trailing_zeros() as usize;
                squares &= squares - 1;
                let after = self.play_square(board, square, flips(square, own, enemy));
                let value =
                    -search_few_empties(self.instructions, self, after, -beta, -alpha.max(best));
                best = best.max(value);
                if best >= beta {
                    return best;
                }
            }
        }
        best
    }

    #[inline(always)]
    fn search_four_empties(&mut self, board: Board, alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        let mut side = (board, alpha, beta);
        for sign in [1, -1] {
            let (board, alpha, beta) = side;
            let near = with_neighbours(board.enemy) & board.empty;
            let mut best = -INFINITE_DISCS;
            for mut squares in [near & board.odd, near & !board.odd] {
                while squares != 0 {
                    let square = squares.trailing_zeros() as usize;
                    squares &= squares - 1;
                    let flips = flips(square, board.own, board.enemy);
                    if flips == 0 {
                        continue;
                    }
                    let after = self.play_square(board, square, flips);
                    best = best.max(-self.search_three_empties(after, -beta, -alpha.max(best)));
                    if best >= beta {
                        return sign * best;
                    }
                }
            }
            if best != -INFINITE_DISCS {
                return sign * best;
            }
            side = (board.pass(), -beta, -alpha);
        }
        self.final_score(board.own, board.enemy)
    }

    #[inline(always)]
    fn search_three_empties(&mut self, board: Board, alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        // First the only empty square of its quadrant.
        let next = |left: u64| {
            let odd = left & board.odd;
            (if odd != 0 { odd } else { left }).trailing_zeros() as usize
        };
        let first = next(board.empty);
        let left = board.empty ^ 1 << first;
        let second = next(left);
        let third = (left ^ 1 << second).trailing_zeros() as usize;
        let mut side = (board.own, board.enemy, alpha, beta);
        for sign in [1, -1] {
            let (own, enemy, alpha, beta) = side;
            let near = with_neighbours(enemy);
            let mut best = -INFINITE_DISCS;
            for (square, rest) in [
                (first, [second, third]),
                (second, [first, third]),
                (third, [first, second]),
            ] {
                if near >> square & 1 == 0 {
                    continue;
                }
                let flips = flips(square, own, enemy);
                if flips == 0 {
                    continue;
                }
                let after = [enemy ^ flips, own | flips | 1 << square];
                best = best.max(-self.search_two_empties(after, rest, -beta, -alpha.max(best)));
                if best >= beta {
                    return sign * best;
                }
            }
            if best != -INFINITE_DISCS {
                return sign * best;
            }
            side = (enemy, own, -beta, -alpha);
        }
        self.final_score(board.own, board.enemy)
    }

    #[inline(always)]
    fn search_two_empties(
        &mut self,
        discs: [u64; 2],
        squares: [usize; 2],
        alpha: i32,
        beta: i32,
    ) -> i32 {
        self.nodes += 1;
        let mut side = (discs, alpha, beta);
        for sign in [1, -1] {
            let ([own, enemy], alpha, beta) = side;
            let near = with_neighbours(enemy);
            let mut best = -INFINITE_DISCS;
            for (square, last) in [(squares[0], squares[1]), (squares[1], squares[0])] {
                if near >> square & 1 == 0 {
                    continue;
                }
                let flips = flips(square, own, enemy);
                if flips == 0 {
                    continue;
                }
                best = best.max(-self.score_one_empty(enemy ^ flips, last));
                if best >= beta {
                    return sign * best;
                }
            }
            if best != -INFINITE_DISCS {
                return sign * best;
            }
            side = ([enemy, own], -beta, -alpha);
        }
        self.final_score(discs[0], discs[1])
    }

    /// Score for the owner of `own`, who is to move and has the last empty square.
    #[inline(always)]
    fn score_one_empty(&mut self, own: u64, square: usize) -> i32 {
        self.nodes += 1;
        let all = self.game.squares().count_ones() as i32;
        let discs = own.count_ones() as i32;
        let flips = count_flipped(square, own) as i32;
        if flips != 0 {
            return 2 * (discs + flips + 1) - all;
        }
        let enemy = self.game.squares() & !(own | 1 << square);
        let flips = count_flipped(square, enemy) as i32;
        if flips != 0 {
            return 2 * (discs - flips) - all;
        }
        2 * (discs + i32::from(2 * discs >= all)) - all
    }
}
