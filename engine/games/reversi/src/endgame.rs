//! Exact endgame solver of Reversi. Scores are disc leads in which the winner gets the empty
//! squares.
//!
//! Far from the end a selective search estimates scores and fills the transposition table with best
//! moves; narrow windows around the estimates then give exact scores.

mod last_squares;
mod line_flips;
mod search;
mod static_eval;
mod table;

use super::{Move, Position, Reversi};
use alea_core::{
    chance_bounds::Bounds,
    game::Game,
    limits::Limits,
    monotonic_clock::Instant,
    oracle::{Oracle, RootRequest},
    simd::Instructions,
};
use alea_play::player::{Analysis, Decision, Failure, Player};
use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};
use table::Table;

pub(super) const SCORE_UNIT: &str = "discs";

const INFINITE_DISCS: i32 = 65;

const DEFAULT_TABLE_ENTRIES: usize = 1 << 20;

const MIN_EMPTIES_FOR_ASPIRATION: u32 = 16;

/// Half width of the first window, in discs; later ones reach `ASPIRATION_STEP` beyond the last
/// bound.
const ASPIRATION_HALF_WIDTH: i32 = 3;
const ASPIRATION_STEP: i32 = 9;

const NODES_BETWEEN_CHECKS: u64 = 1 << 12;

const fn parity_regions(size: usize) -> [u64; 64] {
    let mut parity_regions = [0; 64];
    let half = size / 2;
    let mut pair = 0;
    while pair < 64 * 64 {
        let (one, other) = (pair / 64, pair % 64);
        let same_rows = (one / 8 < half) == (other / 8 < half) && other / 8 < size;
        let same_columns = (one % 8 < half) == (other % 8 < half) && other % 8 < size;
        if same_rows && same_columns {
            parity_regions[one] |= 1 << other;
        }
        pair += 1;
    }
    parity_regions
}

static PARITY_REGIONS: [[u64; 64]; 3] = [parity_regions(4), parity_regions(6), parity_regions(8)];

/// Exact solver with a transposition table.
#[derive(Clone, Debug)]
pub struct Endgame {
    game: Reversi,
    parity_regions: &'static [u64; 64],
    instructions: Instructions,
    table: Table,
    entries: usize,
    guesses: bool,
    nodes: u64,
    limits: Limits,
    deadline: Option<Instant>,
    next_check: u64,
    is_stopped: bool,
}

impl Endgame {
    /// A solver with an empty table of 33.5 MB.
    pub fn new(game: Reversi) -> Self {
        Self::with_entries(game, DEFAULT_TABLE_ENTRIES)
    }

    /// A solver with an empty table of at least `entries` positions; 0 for no table.
    pub fn with_entries(game: Reversi, entries: usize) -> Self {
        Self {
            game,
            parity_regions: &PARITY_REGIONS[game.size() / 2 - 2],
            instructions: Instructions::detect(),
            table: Table::with_entries(entries),
            entries,
            guesses: false,
            nodes: 0,
            limits: Limits::NONE,
            deadline: None,
            next_check: u64::MAX,
            is_stopped: false,
        }
    }

    /// Final disc lead of the side to move under best play.
    #[must_use]
    pub fn score(&mut self, position: &Position) -> i32 {
        self.score_positions(std::slice::from_ref(position))[0].score
    }

    /// Final disc leads under best play after each of `moves`, for the side that makes the move.
    #[must_use]
    pub fn scores(&mut self, position: &Position, moves: &[Move]) -> Vec<i32> {
        let scores = self.move_estimates(position, moves).into_iter();
        scores.map(|estimate| estimate.score).collect()
    }

    /// Index of the first of the best `moves`, and its score for the side to move or, if `by_sign`,
    /// only the score's sign; `None` if limits end the search.
    fn best_move(
        &mut self,
        position: &Position,
        moves: &[Move],
        by_sign: bool,
    ) -> Option<(usize, i32)> {
        let is_complete = moves.len() == position.moves.count_ones().max(1) as usize;
        let mut best = match (is_complete, by_sign) {
            (false, _) => -INFINITE_DISCS,
            (true, false) => self.score_positions(std::slice::from_ref(position))[0].score,
            (true, true) => self.sign(position),
        };
        let mut best_index = None;
        if is_complete && by_sign && best < 0 {
            return (!self.is_stopped).then_some((0, -1));
        }
        for (index, &mv) in moves.iter().enumerate() {
            let after = self.game.play(position, mv);
            // Of all moves the first that is as good as the position; of some, each that is better.
            let (alpha, beta) = match (is_complete, by_sign) {
                (true, _) => (best - 1, best),
                (false, true) => (best.max(-1), 1),
                (false, false) => (best, INFINITE_DISCS),
            };
            let score = -self.search(&after, -beta, -alpha);
            if self.is_stopped {
                return None;
            }
            if score > alpha || best_index.is_none() && !is_complete {
                (best, best_index) = (if by_sign { score.signum() } else { score }, Some(index));
                if is_complete || by_sign && best > 0 {
                    break;
                }
            }
        }
        best_index
            .map(|index| (index, best))
            .filter(|_| !self.is_stopped)
    }

    /// Sign of the score.
    fn sign(&mut self, position: &Position) -> i32 {
        self.table.reset_estimated_bounds();
        if self.entries > 0 && self.game.empties(position) >= MIN_EMPTIES_FOR_ASPIRATION {
            self.guesses = true;
            self.table.has_estimates = true;
            self.search(position, -1, 1);
            self.guesses = false;
            self.table.reset_estimated_bounds();
        }
        self.search(position, -1, 1).signum()
    }

    fn move_estimates(&mut self, position: &Position, moves: &[Move]) -> Vec<Estimate> {
        let after = |&mv| self.game.play(position, mv);
        let positions: Vec<Position> = moves.iter().map(after).collect();
        let mut estimates = self.score_positions(&positions);
        for estimate in &mut estimates {
            estimate.score = -estimate.score;
        }
        estimates
    }

    /// Payoff of best play for the side to move. Unless payoffs are by discs, it is found faster
    /// than the score.
    #[must_use]
    pub fn value(&mut self, position: &Position) -> f32 {
        self.table.reset_estimated_bounds();
        let discs = match self.game.is_by_discs() {
            true => INFINITE_DISCS,
            false => 1,
        };
        let score = self.search(position, -discs, discs);
        self.game.payoff_of_discs(score)
    }

    /// Number of nodes searched so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    fn set_limits(&mut self, limits: &Limits) {
        self.deadline = None;
        self.limits.clone_from(limits);
        self.is_stopped = false;
        self.next_check = match limits.stop {
            Some(_) => self.nodes,
            None => u64::MAX,
        };
    }

    #[inline(always)]
    fn is_over(&mut self) -> bool {
        if self.nodes >= self.next_check {
            self.next_check = self.nodes + NODES_BETWEEN_CHECKS;
            self.is_stopped = self.limits.is_stopped()
                || self
                    .deadline
                    .is_some_and(|deadline| Instant::now() >= deadline);
        }
        self.is_stopped
    }

    fn solve_root(
        &mut self,
        position: &Position,
        moves: &[Move],
        request: RootRequest<'_>,
    ) -> Option<Vec<Bounds>> {
        self.set_limits(request.limits);
        self.deadline = request.budget.map(|budget| Instant::now() + budget);
        if self.deadline.is_some() {
            self.next_check = self.nodes;
        }
        let game = self.game;
        let payoff = |score| Bounds::exact(game.payoff_of_discs(score));
        if request.all {
            let estimates = self.move_estimates(position, moves).into_iter();
            let scores = estimates.map(|estimate| estimate.exact_score());
            return scores.map(|score| Some(payoff(score?))).collect();
        }
        let (best, score) = self.best_move(position, moves, !game.is_by_discs())?;
        let others = Bounds {
            lower: 0.0,
            upper: payoff(score).upper,
        };
        let mut bounds = vec![others; moves.len()];
        bounds[best] = payoff(score);
        Some(bounds)
    }

    fn search(&mut self, position: &Position, alpha: i32, beta: i32) -> i32 {
        search::search_with_table(
            self.instructions,
            self,
            position.own,
            position.enemy,
            alpha,
            beta,
        )
    }

    /// Scores positions as far as limits allow; solving one drops estimated bounds, so all are
    /// estimated first.
    fn score_positions(&mut self, positions: &[Position]) -> Vec<Estimate> {
        let far = |position: &Position| self.game.empties(position) >= MIN_EMPTIES_FOR_ASPIRATION;
        let mut estimates = vec![Estimate::default(); positions.len()];
        if self.limits.is_stopped() {
            return estimates;
        }
        self.table.reset_estimated_bounds();
        if self.entries > 0 && positions.iter().any(far) {
            self.guesses = true;
            self.table.has_estimates = true;
            for (estimate, position) in estimates.iter_mut().zip(positions) {
                let score = self.search(position, -INFINITE_DISCS, INFINITE_DISCS);
                estimate.set_unless_stopped(score, ScoreKind::Guess, self.is_stopped);
            }
            self.guesses = false;
            if self.is_stopped {
                return estimates;
            }
            self.table.reset_estimated_bounds();
        }
        for (estimate, position) in estimates.iter_mut().zip(positions) {
            let score = match estimate.certainty {
                ScoreKind::Guess => self.aspiration_search(position, estimate.score),
                _ => self.search(position, -INFINITE_DISCS, INFINITE_DISCS),
            };
            estimate.set_unless_stopped(score, ScoreKind::Exact, self.is_stopped);
        }
        estimates
    }

    fn aspiration_search(&mut self, position: &Position, guess: i32) -> i32 {
        let (mut alpha, mut beta) = (guess - ASPIRATION_HALF_WIDTH, guess + ASPIRATION_HALF_WIDTH);
        loop {
            let score = self.search(position, alpha, beta);
            if self.is_stopped {
                return guess;
            }
            if score <= alpha {
                (alpha, beta) = (score - ASPIRATION_STEP, score + 1);
            } else if score >= beta {
                (alpha, beta) = (score - 1, score + ASPIRATION_STEP);
            } else {
                return score;
            }
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum ScoreKind {
    #[default]
    Unknown,
    Guess,
    Exact,
}

#[derive(Clone, Copy, Debug, Default)]
struct Estimate {
    score: i32,
    certainty: ScoreKind,
}

impl Estimate {
    fn exact_score(&self) -> Option<i32> {
        (self.certainty == ScoreKind::Exact).then_some(self.score)
    }

    fn set_unless_stopped(&mut self, score: i32, certainty: ScoreKind, is_stopped: bool) {
        if !is_stopped {
            *self = Self { score, certainty };
        }
    }
}

/// Oracle that solves positions with few empty squares; searches ask it at their root.
#[derive(Debug)]
pub struct SolvedEndgames {
    empties: Option<u32>,
    /// Solvers that no thread uses.
    idle: Mutex<Vec<Endgame>>,
}

impl SolvedEndgames {
    /// Solves positions with at most `empties` empty squares.
    pub fn up_to(empties: u32) -> Self {
        Self {
            empties: Some(empties),
            idle: Mutex::default(),
        }
    }

    /// Solves positions at the root of searches if the search's time is enough.
    pub fn within_time() -> Self {
        Self {
            empties: None,
            idle: Mutex::default(),
        }
    }

    fn is_worth_trying(&self, game: &Reversi, empties: u32, budget: Option<Duration>) -> bool {
        let solved_in_a_millisecond = match game.is_by_discs() {
            true => 13,
            false => 16,
        };
        match (self.empties, budget) {
            (Some(most), _) => empties <= most,
            (None, None) => false,
            (None, Some(budget)) => {
                let more = empties as i32 - solved_in_a_millisecond;
                budget.as_secs_f64() >= 1e-3 * COST_OF_AN_EMPTY.powi(more)
            }
        }
    }
}

/// Factor by which the mean time grows with each empty square. Of 40 positions of games with 14, 16,
/// 18 and 20 each, scores took 1.9, 9.8, 44 and 206 ms and winners 0.8, 1.1, 6 and 25 ms.
const COST_OF_AN_EMPTY: f64 = 2.1;

/// Table entries of solvers at the root of searches: 8 MB.
const ROOT_TABLE_ENTRIES: usize = 1 << 18;

impl Oracle<Reversi> for SolvedEndgames {
    fn value(&self, game: &Reversi, position: &Position) -> Option<f32> {
        self.value_within(game, position, &Limits::NONE)
    }

    fn value_within(&self, game: &Reversi, position: &Position, limits: &Limits) -> Option<f32> {
        if game.empties(position) > self.empties.unwrap_or(0) {
            return None;
        }
        let mut solver = Endgame::with_entries(*game, 0);
        solver.set_limits(limits);
        let result = solver.value(position);
        (!solver.is_stopped).then_some(result)
    }

    fn root_values(
        &self,
        game: &Reversi,
        position: &Position,
        moves: &[Move],
        request: RootRequest<'_>,
    ) -> Option<Vec<Bounds>> {
        if !self.is_worth_trying(game, game.empties(position), request.budget) {
            return None;
        }
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let solver = idle().pop().filter(|solver| solver.game == *game);
        let mut solver = solver.unwrap_or_else(|| Endgame::with_entries(*game, ROOT_TABLE_ENTRIES));
        let found = solver.solve_root(position, moves, request);
        idle().push(solver);
        found
    }
}

/// A player that solves endgames, and before them leaves the enemy the fewest replies.
#[derive(Clone)]
pub struct EndgamePlayer {
    solver: Endgame,
    empties: u32,
    solved: Option<(Position, Vec<(Move, i32)>)>,
}

impl EndgamePlayer {
    /// A player that solves positions with at most `empties` empty squares.
    pub fn new(game: Reversi, empties: u32) -> Self {
        Self {
            solver: Endgame::new(game),
            empties,
            solved: None,
        }
    }

    /// Scores of moves; of unsolved ones minus the number of replies.
    fn rate_moves(
        &mut self,
        position: &Position,
        moves: &[Move],
        limits: &Limits,
    ) -> Vec<Estimate> {
        let solver = &mut self.solver;
        let mut estimates = vec![Estimate::default(); moves.len()];
        if solver.game.empties(position) <= self.empties {
            solver.set_limits(limits);
            estimates = solver.move_estimates(position, moves);
        }
        for (estimate, &mv) in estimates.iter_mut().zip(moves) {
            if estimate.certainty == ScoreKind::Unknown {
                let replies = solver.game.play(position, mv).moves.count_ones();
                estimate.score = -(replies as i32);
            }
        }
        estimates
    }
}

fn best_index(estimates: &[Estimate]) -> usize {
    let key = |index: usize| {
        let Estimate { score, certainty } = estimates[index];
        (certainty > ScoreKind::Unknown, score)
    };
    (0..estimates.len())
        .rev()
        .max_by_key(|&index| key(index))
        .unwrap_or(0)
}

impl Player<Reversi> for EndgamePlayer {
    fn new_game(&mut self, _seed: u64) {
        self.solver.table = Table::with_entries(self.solver.entries);
    }

    fn decide(
        &mut self,
        position: &Position,
        legal: &[Move],
        limits: &Limits,
    ) -> Result<Decision<Move>, Failure> {
        if self.solver.game.empties(position) <= self.empties {
            let before = self.solver.nodes;
            self.solver.set_limits(limits);
            if let Some((best, score)) = self.solver.best_move(position, legal, false) {
                let best = legal[best];
                self.solved = Some((*position, vec![(best, score)]));
                let mut decision = Decision::without_values(best);
                decision.value = Some(self.solver.game.payoff_of_discs(score));
                decision.stats.nodes = self.solver.nodes - before;
                return Ok(decision);
            }
        }
        let analysis = self.analyse(position, Some(legal), limits)?;
        let best = analysis.line[0];
        let rate_moves = analysis
            .moves
            .iter()
            .find(|rate_moves| rate_moves.mv == best);
        Ok(Decision {
            best,
            value: rate_moves.and_then(|rate_moves| rate_moves.value),
            stats: analysis.stats,
            cpu_time: None,
        })
    }

    fn analyse(
        &mut self,
        position: &Position,
        legal: Option<&[Move]>,
        limits: &Limits,
    ) -> Result<Analysis<Move>, Failure> {
        let before = self.solver.nodes;
        let mut analysis = Analysis::without_values(&self.solver.game, position, legal);
        let moves = analysis.analysed_moves();
        let estimates = self.rate_moves(position, &moves, limits);
        let score = |(&mv, estimate): (&Move, &Estimate)| Some((mv, estimate.exact_score()?));
        let scores: Option<_> = moves.iter().zip(&estimates).map(score).collect();
        self.solved = scores.map(|scores| (*position, scores));
        for (rate_moves, estimate) in analysis.moves.iter_mut().zip(&estimates) {
            let score = estimate.exact_score();
            rate_moves.value = score.map(|score| self.solver.game.payoff_of_discs(score));
        }
        analysis.line = vec![moves[best_index(&estimates)]];
        analysis.stats.nodes = self.solver.nodes - before;
        Ok(analysis)
    }

    fn exact_scores(
        &mut self,
        position: &Position,
        moves: &[Move],
        limits: &Limits,
    ) -> Option<(&'static str, Vec<i32>)> {
        let solved = self.solved.as_ref().filter(|solved| solved.0 == *position);
        let score = |mv: &Move| Some(solved?.1.iter().find(|one| one.0 == *mv)?.1);
        let scores: Option<Vec<i32>> = moves.iter().map(score).collect();
        let scores = scores.or_else(|| {
            let estimates = self.rate_moves(position, moves, limits);
            estimates.iter().map(Estimate::exact_score).collect()
        });
        Some((SCORE_UNIT, scores?))
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::squares_of;
    use super::*;
    use alea_core::{random::RandomStream, search_game::Playouts};

    #[test]
    fn all_instructions_search_the_same_positions() {
        let mut random = RandomStream::new(3);
        for game in [Reversi::EIGHT, Reversi::SIX] {
            for _ in 0..5 {
                let mut position = game.start();
                while game.empties(&position) > 14 && !game.is_over(&position) {
                    let mv = game.sample_move(&position, random.next_u64());
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
    fn parity_regions_are_disjoint() {
        for (parity_regions, game) in PARITY_REGIONS.iter().rev().zip(Reversi::ALL) {
            let of_corners = squares_of(game.corners).map(|square| parity_regions[square]);
            assert_eq!(
                of_corners.fold(0, |all, quarter| all ^ quarter),
                game.squares()
            );
            let mut sizes =
                squares_of(game.squares()).map(|square| parity_regions[square].count_ones());
            assert!(sizes.all(|size| size as usize == game.size().pow(2) / 4));
        }
    }
}
