//! The values of a position and of its moves: one type from searches to tables and JSON.

use super::{
    build::PlayerRecipe,
    playable::Playable,
    player::{AnalysisObserver, Player},
};
use crate::core::{
    chance::expectation,
    clock::Instant,
    game::{Game, Payoffs},
};
use crate::search::{
    SearchStats,
    limits::Limits,
    mcts::{MoveStatistics, TreeReport},
};

/// The value of a move to the seat that makes it, after the move and before the next roll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveValue<M> {
    /// The move.
    pub mv: M,
    /// Win probability; `None` from players that value no moves, and of moves that were not tried.
    pub value: Option<f32>,
    /// The payoffs of all seats, from searches that value each.
    pub payoffs: Option<Payoffs>,
    /// The win rate of such values in complete games, if that is fitted.
    pub calibrated: Option<f32>,
    /// Whether the value is that of best play.
    pub is_exact: bool,
    /// The final score with best play, in [`Analysis::unit`].
    pub score: Option<i32>,
    /// Visits, prior and proven bounds in a tree search.
    pub tree: Option<MoveStatistics<M>>,
}

impl<M> MoveValue<M> {
    /// A move with its win probability alone.
    pub fn new(mv: M, value: Option<f32>) -> Self {
        Self {
            mv,
            value,
            payoffs: None,
            calibrated: None,
            is_exact: false,
            score: None,
            tree: None,
        }
    }
}

/// The values of a position that is not over, and of its moves; win probabilities are those of the
/// seat to move. [`Player::analyse`] fills `moves`, `line`, `stats` and `tree`, and
/// [`PlayerRecipe::analyse`] the rest.
#[derive(Clone, Debug)]
pub struct Analysis<M> {
    /// The move to play; `None` before the roll.
    pub best: Option<M>,
    /// The value of the best move, before the roll the expectation over its outcomes; `None` from
    /// players that value no moves.
    pub value: Option<f32>,
    /// The win rate of such values in complete games, if that is fitted.
    pub calibrated: Option<f32>,
    /// The unit of exact scores, such as `discs`.
    pub unit: Option<&'static str>,
    /// The given moves, or all of a position, in list order.
    pub moves: Vec<MoveValue<M>>,
    /// The principal variation; at least the best move where moves are valued.
    pub line: Vec<M>,
    /// The cost.
    pub stats: SearchStats,
    /// The tree of a Monte-Carlo search.
    pub tree: Option<Box<TreeReport<M>>>,
}

impl<M> Default for Analysis<M> {
    fn default() -> Self {
        Self {
            best: None,
            value: None,
            calibrated: None,
            unit: None,
            moves: Vec::new(),
            line: Vec::new(),
            stats: SearchStats::default(),
            tree: None,
        }
    }
}

impl<M: Copy> Analysis<M> {
    /// The moves of a position without values: the given ones, or (`None`) all.
    pub fn without_values<G: Game<Move = M>>(
        game: &G,
        position: &G::Position,
        legal: Option<&[M]>,
    ) -> Self {
        let mut all = G::Moves::default();
        let moves = legal.unwrap_or_else(|| {
            game.moves(position, &mut all);
            &all
        });
        let moves = moves.iter().map(|&mv| MoveValue::new(mv, None));
        Self {
            moves: moves.collect(),
            ..Self::default()
        }
    }

    /// The moves alone.
    pub fn list(&self) -> Vec<M> {
        self.moves.iter().map(|rated| rated.mv).collect()
    }
}

impl<G: Playable> PlayerRecipe<G> {
    /// The complete analysis of a position by a player of this recipe; `outcome` is the roll, and
    /// `limits` end the search besides the player's own. An `observer` receives the depths before the
    /// last ([`Player::analyse_observed`]), without a best move and without scores.
    ///
    /// # Errors
    /// In one line, if the player fails.
    pub fn analyse(
        &self,
        player: &mut dyn Player<G>,
        game: &G,
        position: &G::Position,
        outcome: Option<u8>,
        limits: &Limits,
        observer: Option<&mut AnalysisObserver<'_, G::Move>>,
    ) -> Result<Analysis<G::Move>, String> {
        let legal = outcome.map(|_| game.legal_moves(position, outcome));
        let began = Instant::now();
        let failed = |failure| format!("{}: {failure}", self.name());
        let analysis = match observer {
            None => player.analyse(position, legal.as_deref(), limits),
            Some(observer) => {
                let mut report = |mut analysis: Analysis<G::Move>| {
                    analysis.stats.time = began.elapsed();
                    self.complete(game, position, limits, &mut analysis);
                    observer(analysis)
                };
                player.analyse_observed(position, legal.as_deref(), limits, &mut report)
            }
        };
        let mut analysis = analysis.map_err(failed)?;
        analysis.stats.time = began.elapsed();
        // A player that values no moves still plays one.
        analysis.best = match (legal, analysis.line.first()) {
            (Some(_), Some(&best)) => Some(best),
            (Some(legal), None) => {
                let decision = player.decide(position, &legal, limits);
                Some(decision.map_err(failed)?.best)
            }
            (None, _) => None,
        };
        if let Some((unit, scores)) = player.exact_scores(position, &analysis.list(), limits) {
            analysis.unit = Some(unit);
            for (rated, score) in analysis.moves.iter_mut().zip(scores) {
                rated.score = Some(score);
            }
        }
        self.complete(game, position, limits, &mut analysis);
        Ok(analysis)
    }

    /// Marks exact values, calibrates the others where that is fitted, and values the position.
    fn complete(
        &self,
        game: &G,
        position: &G::Position,
        limits: &Limits,
        analysis: &mut Analysis<G::Move>,
    ) {
        // A search that evaluated no leaf saw the end of every line.
        let is_exact = analysis.stats.evaluations == 0;
        for rated in &mut analysis.moves {
            let proven = rated.tree.map(|tree| tree.proven);
            rated.is_exact = is_exact || proven.is_some_and(|proven| proven.lower == proven.upper);
            let next = game.play(position, rated.mv);
            // The fit is for the side to move.
            let flips = game.to_move(&next) != game.to_move(position);
            let own = |value: f32| if flips { 1.0 - value } else { value };
            let calibrated = rated.value.and_then(|value| {
                let calibrated = self.calibrate_to_results(&next, own(value), limits);
                calibrated.map(own)
            });
            rated.calibrated = match rated.is_exact {
                true => calibrated.and(rated.value),
                false => calibrated,
            };
        }
        let outcomes = || game.outcomes(position, &analysis.list());
        let total = |number: fn(&MoveValue<G::Move>) -> Option<f32>| {
            let mut moves = analysis.moves.iter();
            if let Some(best) = analysis.best {
                return number(moves.find(|rated| rated.mv == best)?);
            }
            // A move that a sampling player never tried counts as lost.
            let numbers: Vec<f32> = moves
                .clone()
                .map(|rated| number(rated).unwrap_or(0.0))
                .collect();
            moves
                .any(|rated| number(rated).is_some())
                .then(|| expectation(&outcomes(), &numbers))
        };
        let (value, calibrated) = (total(|rated| rated.value), total(|rated| rated.calibrated));
        (analysis.value, analysis.calibrated) = (value, calibrated);
    }
}
