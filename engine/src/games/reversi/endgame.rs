//! Endgames of Reversi solved exactly, in discs, with the empty squares given to the winner.
//!
//! Far from the end the score is guessed first, by a search that leaves out what seems decided; it
//! leaves its best moves in the table. Then narrow windows, beginning with one around the guess,
//! find the exact score. Invariant: a score is exact, whatever the size of the table.

mod last;
mod lines;
mod outlook;
mod search;
mod table;

use super::{Move, Position, Reversi};
use crate::core::{game::Game, oracle::Oracle, simd::Instructions};
use crate::play::player::{Analysis, Decision, Player};
use table::Table;

/// What a score counts.
pub(super) const COUNTED: &str = "discs";

/// More than any score.
const MOST: i32 = 65;

/// Entries of the table unless it is told; lines of three, a power of two, make it 33.5 MB.
const ENTRIES: usize = 1 << 20;

/// From so many empty squares on a score is guessed before it is searched for.
const GUESSED: u32 = 16;

/// How far from the guess the first window ends, and how long the next ones are.
const NEAR: i32 = 3;
const FURTHER: i32 = 9;

/// For each square of a board the squares of its quarter.
const fn quarters(size: usize) -> [u64; 64] {
    let mut quarters = [0; 64];
    let half = size / 2;
    let mut pair = 0;
    while pair < 64 * 64 {
        let (one, other) = (pair / 64, pair % 64);
        let same_rows = (one / 8 < half) == (other / 8 < half) && other / 8 < size;
        let same_columns = (one % 8 < half) == (other % 8 < half) && other % 8 < size;
        if same_rows && same_columns {
            quarters[one] |= 1 << other;
        }
        pair += 1;
    }
    quarters
}

/// Of boards of 4, 6 and 8 columns.
static QUARTERS: [[u64; 64]; 3] = [quarters(4), quarters(6), quarters(8)];

/// Solves endgames.
#[derive(Clone)]
pub struct Endgame {
    game: Reversi,
    quarters: &'static [u64; 64],
    instructions: Instructions,
    table: Table,
    entries: usize,
    /// Whether to leave out what seems decided.
    guesses: bool,
    nodes: u64,
}

impl Endgame {
    /// A solver with an empty table.
    #[must_use]
    pub fn new(game: Reversi) -> Self {
        Self::with_entries(game, ENTRIES)
    }

    /// A solver with an empty table of so many entries; with none it costs nothing to make.
    #[must_use]
    pub fn with_entries(game: Reversi, entries: usize) -> Self {
        Self {
            game,
            quarters: &QUARTERS[game.size() / 2 - 2],
            instructions: Instructions::detect(),
            table: Table::with_entries(entries),
            entries,
            guesses: false,
            nodes: 0,
        }
    }

    /// Discs by which the side to move wins with best play on both sides; negative if it loses.
    #[must_use]
    pub fn score(&mut self, position: &Position) -> i32 {
        self.scores_of(std::slice::from_ref(position))[0]
    }

    /// The score of each of some moves, for the side that makes it.
    #[must_use]
    pub fn scores(&mut self, position: &Position, moves: &[Move]) -> Vec<i32> {
        let after = |&mv| self.game.play(position, mv);
        let positions: Vec<Position> = moves.iter().map(after).collect();
        let scores = self.scores_of(&positions);
        scores.into_iter().map(|score| -score).collect()
    }

    /// What the side to move gets with best play on both sides: 1, ½ or 0. Faster than its score.
    #[must_use]
    pub fn result(&mut self, position: &Position) -> f32 {
        value(self.search(position, -1, 1))
    }

    /// How many positions all searches have seen.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    fn search(&mut self, position: &Position, alpha: i32, beta: i32) -> i32 {
        search::deep(
            self.instructions,
            self,
            position.own,
            position.enemy,
            alpha,
            beta,
        )
    }

    /// The scores of positions. All are guessed before the first is searched for, as bounds from
    /// guesses must be forgotten, and with them those that are right.
    fn scores_of(&mut self, positions: &[Position]) -> Vec<i32> {
        let far = |position: &&Position| self.game.empties(position) >= GUESSED;
        let any_far = self.entries > 0 && positions.iter().any(|position| far(&position));
        let mut guesses = vec![None; positions.len()];
        if any_far {
            self.guesses = true;
            for (guess, position) in guesses.iter_mut().zip(positions) {
                *guess = Some(self.search(position, -MOST, MOST));
            }
            self.guesses = false;
            self.table.forget_bounds();
        }
        let scores = positions.iter().zip(guesses);
        let scores = scores.map(|(position, guess)| match guess {
            Some(guess) => self.near(position, guess),
            None => self.search(position, -MOST, MOST),
        });
        scores.collect()
    }

    /// The score of a position, looked for around a guess.
    fn near(&mut self, position: &Position, guess: i32) -> i32 {
        let (mut alpha, mut beta) = (guess - NEAR, guess + NEAR);
        loop {
            let score = self.search(position, alpha, beta);
            // The bound stays inside of the next window, which may find that it is the score.
            if score <= alpha {
                (alpha, beta) = (score - FURTHER, score + 1);
            } else if score >= beta {
                (alpha, beta) = (score - 1, score + FURTHER);
            } else {
                return score;
            }
        }
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
            .then(|| Endgame::with_entries(*game, 0).result(position))
    }
}

/// Plays endgames exactly, for discs; before them the move that leaves the fewest replies.
#[derive(Clone)]
pub struct EndgamePlayer {
    solver: Endgame,
    empties: u32,
    /// The position that was analysed last, if its scores are exact, with its moves and theirs.
    solved: Option<(Position, Vec<(Move, i32)>)>,
}

impl EndgamePlayer {
    /// A player that solves positions with at most so many empty squares.
    #[must_use]
    pub fn new(game: Reversi, empties: u32) -> Self {
        Self {
            solver: Endgame::new(game),
            empties,
            solved: None,
        }
    }

    /// What is thought of moves, larger is better, and whether that is exact.
    fn rated(&mut self, position: &Position, moves: &[Move]) -> (Vec<i32>, bool) {
        if self.solver.game.empties(position) <= self.empties {
            return (self.solver.scores(position, moves), true);
        }
        let after = |&mv| self.solver.game.play(position, mv).moves;
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
    crate::player_never!(Reversi: ponders, fails, hears, values);

    fn new_game(&mut self, _seed: u64) {
        self.solver.table = Table::with_entries(self.solver.entries);
    }

    fn decide(&mut self, position: &Position, legal: &[Move]) -> Decision<Move> {
        let analysis = self.analyse(position, Some(legal));
        let best = analysis.line[0];
        let rated = analysis.moves.iter().find(|rated| rated.0 == best);
        Decision {
            best,
            value: rated.and_then(|rated| rated.1),
            stats: analysis.stats,
        }
    }

    fn analyse(&mut self, position: &Position, legal: Option<&[Move]>) -> Analysis<Move> {
        let before = self.solver.nodes;
        let mut analysis = Analysis::unrated(&self.solver.game, position, legal);
        let moves: Vec<Move> = analysis.moves.iter().map(|&(mv, _)| mv).collect();
        let (scores, exact) = self.rated(position, &moves);
        let scored = || moves.iter().copied().zip(scores.iter().copied());
        self.solved = exact.then(|| (*position, scored().collect()));
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
        // What was just analysed is not solved again.
        let solved = self.solved.as_ref().filter(|solved| solved.0 == *position);
        let score = |mv: &Move| solved?.1.iter().find(|one| one.0 == *mv);
        let scores: Option<Vec<i32>> = moves.iter().map(|mv| Some(score(mv)?.1)).collect();
        let scores = scores.or_else(|| {
            let (scores, exact) = self.rated(position, moves);
            exact.then_some(scores)
        });
        Some((COUNTED, scores?))
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::squares_of;
    use super::*;
    use crate::core::random::RandomStream;

    #[test]
    fn all_instructions_search_the_same_positions() {
        let mut random = RandomStream::new(3);
        for game in [Reversi::EIGHT, Reversi::SIX] {
            for _ in 0..5 {
                let mut position = game.start();
                while game.empties(&position) > 14 && !game.is_over(&position) {
                    let mv = game.random_move(&position, random.next_u64());
                    position = game.play(&position, mv);
                }
                let solved = Instructions::available().map(|instructions| {
                    let mut solver = Endgame::with_entries(game, 1 << 12);
                    solver.instructions = instructions;
                    (solver.score(&position), solver.nodes)
                });
                let solved: Vec<(i32, u64)> = solved.collect();
                assert!(solved.iter().all(|one| *one == solved[0]), "{solved:?}");
            }
        }
    }

    #[test]
    fn quarters_share_no_square() {
        for (quarters, game) in QUARTERS.iter().rev().zip(Reversi::ALL) {
            let of_corners = squares_of(game.corners).map(|square| quarters[square]);
            assert_eq!(
                of_corners.fold(0, |all, quarter| all ^ quarter),
                game.squares()
            );
            let mut sizes = squares_of(game.squares()).map(|square| quarters[square].count_ones());
            assert!(sizes.all(|size| size as usize == game.size().pow(2) / 4));
        }
    }
}
