//! Endgames of Reversi solved exactly, in discs, with the empty squares given to the winner.
//!
//! Alpha-beta with null windows and a table of bounds. Moves that leave the other side few replies
//! come first ("fastest first"), and those into quarters with an odd number of empty squares, where
//! whoever begins also ends. Invariant: a score is exact; a table entry counts only for the very
//! position it was made for.

use super::bits::{COLUMNS, squares_of, turned};
use super::{Move, Position, Reversi};
use crate::core::game::{FixedList, Game};
use crate::core::oracle::Oracle;
use crate::play::player::{Analysis, Decision, Player};

/// Positions with so few empty squares are searched without table and without counting replies.
const FEW: u32 = 5;

/// More than any score.
const MOST: i32 = 65;

/// Entries of the table, a power of two.
const ENTRIES: usize = 1 << 18;

/// Bounds of one position.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    own: u64,
    enemy: u64,
    lower: i8,
    upper: i8,
    best: Move,
}

/// Solves endgames.
#[derive(Clone, Debug)]
pub struct Endgame {
    game: Reversi,
    quarters: [u64; 4],
    /// Empty, or [`ENTRIES`].
    table: Vec<Entry>,
    nodes: u64,
}

impl Endgame {
    /// A solver with an empty table.
    #[must_use]
    pub fn new(game: Reversi) -> Self {
        Self {
            table: vec![Entry::default(); ENTRIES],
            ..Self::without_table(game)
        }
    }

    /// A solver that costs nothing to make, for positions with few empty squares.
    fn without_table(game: Reversi) -> Self {
        let half = game.size() / 2;
        let of = |square: usize| square / COLUMNS / half * 2 + square % COLUMNS / half;
        let quarter = |from: usize| {
            let inside = squares_of(game.squares()).filter(|&square| of(square) == from);
            inside.fold(0, |set, square| set | 1 << square)
        };
        Self {
            game,
            quarters: [0, 1, 2, 3].map(quarter),
            table: Vec::new(),
            nodes: 0,
        }
    }

    /// Discs by which the side to move wins with best play on both sides; negative if it loses.
    #[must_use]
    pub fn score(&mut self, position: &Position) -> i32 {
        self.search(position, -MOST, MOST)
    }

    /// The score of each of some moves, for the side that makes it.
    #[must_use]
    pub fn scores(&mut self, position: &Position, moves: &[Move]) -> Vec<i32> {
        let after = |&mv| self.game.play(position, mv);
        let positions: Vec<Position> = moves.iter().map(after).collect();
        positions.iter().map(|after| -self.score(after)).collect()
    }

    /// What the side to move gets with best play on both sides: 1, ½ or 0. Faster than its score.
    #[must_use]
    pub fn result(&mut self, position: &Position) -> f32 {
        value(self.search(position, -1, 1))
    }

    /// The squares of quarters with an odd number of empty squares.
    fn odd_quarters(&self, empty: u64) -> u64 {
        let is_odd = |quarter: &&u64| (empty & **quarter).count_ones() % 2 == 1;
        let odd = self.quarters.iter().filter(is_odd);
        odd.fold(0, |odd, quarter| odd | quarter)
    }

    /// A score between `alpha` and `beta`, or else a bound: at most what is returned if that is not
    /// above `alpha`, at least if it is not below `beta`.
    fn search(&mut self, position: &Position, alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        if position.moves() == 0 {
            if self.game.is_over(position) {
                return self.game.final_discs(position);
            }
            let passed = self.game.play(position, Move::PASS);
            return -self.search(&passed, -beta, -alpha);
        }
        let (own, enemy) = (position.own(), position.enemy());
        let empty = self.game.squares() & !(own | enemy);
        if empty.count_ones() <= FEW {
            return self.search_few(own, enemy, empty, alpha, beta);
        }
        let slot = self.game.key(position) as usize & (ENTRIES - 1);
        let same = |entry: &Entry| (entry.own, entry.enemy) == (own, enemy);
        let known = self.table.get(slot).copied().filter(same);
        let (mut alpha, mut beta) = (alpha, beta);
        if let Some(entry) = known {
            let (lower, upper) = (i32::from(entry.lower), i32::from(entry.upper));
            if lower >= beta || lower == upper {
                return lower;
            }
            if upper <= alpha {
                return upper;
            }
            (alpha, beta) = (alpha.max(lower), beta.min(upper));
        }

        let odd = self.odd_quarters(empty);
        let first = known.map(|entry| entry.best);
        // How little is expected of a move, the move, and the position after it.
        let mut moves: FixedList<Option<(i32, Move, Position)>, 64> = FixedList::default();
        for square in squares_of(position.moves()) {
            let mv = Move::to(square);
            let after = self.game.play(position, mv);
            let replies =
                after.moves().count_ones() + (after.moves() & self.game.corners).count_ones();
            let mut order = 8 * replies as i32;
            order -= 4 * (odd >> square & 1) as i32;
            order -= 16 * (self.game.corners >> square & 1) as i32;
            order -= if first == Some(mv) { 10_000 } else { 0 };
            moves.push(Some((order, mv, after)));
        }
        moves.sort_unstable_by_key(|entry| entry.map(|(order, mv, _)| (order, mv.square())));

        let (mut best, mut best_move) = (-MOST, Move::PASS);
        for (_, mv, after) in moves.iter().flatten() {
            let from = alpha.max(best);
            // But for the first move only whether it is better, unless it is.
            let upper = if best == -MOST { beta } else { from + 1 };
            let mut value = -self.search(after, -upper, -from);
            if upper < beta && value > from && value < beta {
                value = -self.search(after, -beta, -value);
            }
            if value > best {
                (best, best_move) = (value, *mv);
            }
            if best >= beta {
                break;
            }
        }
        if let Some(entry) = self.table.get_mut(slot) {
            let bounds = known.map_or((-64, 64), |entry| (entry.lower, entry.upper));
            let (mut lower, mut upper) = bounds;
            if best > alpha {
                lower = lower.max(best as i8);
            }
            if best < beta {
                upper = upper.min(best as i8);
            }
            *entry = Entry {
                own,
                enemy,
                lower,
                upper,
                best: best_move,
            };
        }
        best
    }

    /// The same where little is left: whether a square is a move is seen by trying it.
    fn search_few(&mut self, own: u64, enemy: u64, empty: u64, alpha: i32, beta: i32) -> i32 {
        let mut best = -MOST;
        let odd = self.odd_quarters(empty);
        for square in squares_of(empty & odd).chain(squares_of(empty & !odd)) {
            let turned = turned(square, own, enemy);
            if turned == 0 {
                continue;
            }
            self.nodes += 1;
            let (own, enemy) = (enemy ^ turned, own | turned | 1 << square);
            let from = alpha.max(best);
            best = best.max(-self.search_few(own, enemy, empty & !(1 << square), -beta, -from));
            if best >= beta {
                return best;
            }
        }
        if best == -MOST {
            // No move: a pass, or the end.
            let passed = self.game.position(enemy, own, 0);
            return if passed.moves() == 0 {
                -self.game.final_discs(&passed)
            } else {
                -self.search_few(enemy, own, empty, -beta, -alpha)
            };
        }
        best
    }
}

/// What a score brings.
fn value(score: i32) -> f32 {
    (1 + score.signum()) as f32 / 2.0
}

/// Knows the result of every position with at most so many empty squares, by solving it.
#[derive(Clone, Copy, Debug)]
pub struct SolvedEndgames {
    /// Most empty squares.
    pub empties: u32,
}

impl Oracle<Reversi> for SolvedEndgames {
    fn value(&self, game: &Reversi, position: &Position) -> Option<f32> {
        (game.empties(position) <= self.empties)
            .then(|| Endgame::without_table(*game).result(position))
    }

    fn error(&self) -> f32 {
        0.0
    }
}

/// Plays endgames exactly, for discs; before them the move that leaves the fewest replies.
#[derive(Clone, Debug)]
pub struct EndgamePlayer {
    solver: Endgame,
    empties: u32,
}

impl EndgamePlayer {
    /// A player that solves positions with at most so many empty squares.
    #[must_use]
    pub fn new(game: Reversi, empties: u32) -> Self {
        Self {
            solver: Endgame::new(game),
            empties,
        }
    }

    /// What is thought of moves, larger is better, and whether that is exact.
    fn rated(&mut self, position: &Position, moves: &[Move]) -> (Vec<i32>, bool) {
        if self.solver.game.empties(position) <= self.empties {
            return (self.solver.scores(position, moves), true);
        }
        let after = |&mv| self.solver.game.play(position, mv).moves();
        let few = |mv| -(after(mv).count_ones() as i32);
        (moves.iter().map(few).collect(), false)
    }
}

/// The index of the largest; of equal ones the first.
fn largest(scores: &[i32]) -> usize {
    let indices = (0..scores.len()).rev();
    indices.max_by_key(|&index| scores[index]).unwrap_or(0)
}

impl Player<Reversi> for EndgamePlayer {
    crate::player_never!(Reversi: ponders, fails, values);

    fn new_game(&mut self, _seed: u64) {
        self.solver.table.fill(Entry::default());
    }

    fn decide(&mut self, position: &Position, legal: &[Move]) -> Decision<Move> {
        let analysis = self.analyse(position, Some(legal));
        let best = analysis.line[0];
        let value = analysis.moves.iter().find(|(mv, _)| *mv == best);
        Decision {
            best,
            value: value.and_then(|&(_, value)| value),
            stats: analysis.stats,
        }
    }

    fn analyse(&mut self, position: &Position, legal: Option<&[Move]>) -> Analysis<Move> {
        let before = self.solver.nodes;
        let mut analysis = Analysis::unrated(&self.solver.game, position, legal);
        let moves: Vec<Move> = analysis.moves.iter().map(|&(mv, _)| mv).collect();
        let (scores, exact) = self.rated(position, &moves);
        if exact {
            for ((_, known), &score) in analysis.moves.iter_mut().zip(&scores) {
                *known = Some(value(score));
            }
        }
        analysis.line = vec![moves[largest(&scores)]];
        analysis.stats.nodes = self.solver.nodes - before;
        analysis
    }

    fn exact_scores(
        &mut self,
        position: &Position,
        moves: &[Move],
    ) -> Option<(&'static str, Vec<i32>)> {
        let (scores, exact) = self.rated(position, moves);
        exact.then_some(("discs", scores))
    }
}
