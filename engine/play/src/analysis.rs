//! Values of a position and of its moves, from searches to tables and JSON.

use super::{
    build::PlayerRecipe,
    playable::Playable,
    player::{AnalysisObserver, Player},
};
use alea_core::{
    chance::expectation,
    game::{Game, Payoffs},
    monotonic_clock::Instant,
};
use alea_search::{
    SearchStats,
    limits::Limits,
    mcts::{MoveStatistics, TreeReport},
};

/// The value of a move for the seat that makes it, before the next chance event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveValue<M> {
    /// The move.
    pub mv: M,
    /// Win probability; `None` from players without values, and for untried moves.
    pub value: Option<f32>,
    /// The payoffs of all seats, from searches that value each.
    pub payoffs: Option<Payoffs>,
    /// The win rate observed in complete games for this value; `None` if that was not fitted.
    pub calibrated: Option<f32>,
    /// Whether the value is game-theoretic: proven, or searched to the end of every line.
    pub is_exact: bool,
    /// The exact final score with best play, in [`Analysis::unit`]; `None` if unknown.
    pub score: Option<i32>,
    /// Visits, prior and proven bounds; `None` without a tree search.
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

/// The values of a position that is not over and of its moves, for the seat to move.
/// [`Player::analyse`] fills `moves`, `line`, `stats` and `tree`, and [`PlayerRecipe::analyse`] the
/// rest.
#[derive(Clone, Debug)]
pub struct Analysis<M> {
    /// The move to play; `None` if the position's chance event is still open.
    pub best: Option<M>,
    /// The value of the best move, or before the chance event the expectation; `None` from players
    /// without values.
    pub value: Option<f32>,
    /// The win rate observed in complete games for the value; `None` if that was not fitted.
    pub calibrated: Option<f32>,
    /// The unit of exact scores, such as `discs`; `None` without such scores.
    pub unit: Option<&'static str>,
    /// The requested moves, or all of the position, in list order.
    pub moves: Vec<MoveValue<M>>,
    /// The principal variation; where moves are valued, it has at least the best move.
    pub line: Vec<M>,
    /// The cost of the search.
    pub stats: SearchStats,
    /// Summary of the search tree; `None` without a tree search.
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
    /// The given moves, or (`None`) all of a position, without values.
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

    /// The analysed moves without their values.
    pub fn list(&self) -> Vec<M> {
        self.moves.iter().map(|rated| rated.mv).collect()
    }
}

impl<G: Playable> PlayerRecipe<G> {
    /// Analyses a position by a player of this recipe, before (`None`) or after an outcome of
    /// chance; `limits` end the search besides the player's own. An `observer` receives the depths
    /// before the last ([`Player::analyse_observed`]), without a best move and without scores.
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

    /// Marks exact values, calibrates the others, and values the position.
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
            // The calibration is for the side to move.
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
            // A move that a sampling player never tried counts as a loss.
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
