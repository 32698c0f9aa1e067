//! Analysis of a position by any player.

use super::{
    build::PlayerRecipe,
    playable::Playable,
    player::{AnalysisObserver, Player},
};
use alea_core::{
    chance_bounds::expectation,
    evaluator::payoffs_from_own,
    game::{Game, Payoffs},
    monotonic_clock::Instant,
};
use alea_search::{
    SearchStats,
    limits::Limits,
    mcts::{MoveStatistics, TreeReport},
};
use std::ops::Range;

/// Value of a move for the seat that makes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveValue<M> {
    /// The move.
    pub mv: M,
    /// Win probability of the seat that makes the move; `None` from players without values and for
    /// untried moves.
    pub value: Option<f32>,
    /// Standard error of `value` as the mean of independent games; `None` from searches.
    pub error: Option<f32>,
    /// Payoff of each seat; `None` if the search values one seat only.
    pub payoffs: Option<Payoffs>,
    /// The search's own value where `value` was fitted to complete games; `None` if there is no
    /// fit, so that `value` is the search's own.
    pub own_scale: Option<f32>,
    /// Whether `value` is exact: from the game's oracle, proven, or from a search that reached the
    /// end of every line.
    pub is_exact: bool,
    /// Exact final score for the seat that makes the move, in [`Analysis::unit`]; `None` if
    /// unknown.
    pub score: Option<i32>,
    /// Visits, prior and proven bounds of a tree search; `None` from other players.
    pub tree: Option<MoveStatistics<M>>,
}

impl<M> MoveValue<M> {
    /// A move of which only the win probability is known.
    pub fn new(mv: M, value: Option<f32>) -> Self {
        Self {
            mv,
            value,
            error: None,
            payoffs: None,
            own_scale: None,
            is_exact: false,
            score: None,
            tree: None,
        }
    }
}

/// Analysis of an unfinished position for the side to move. [`Player::analyse`] fills only `moves`
/// (on the search's own scale), `line`, `stats` and `tree`.
#[derive(Clone, Debug)]
pub struct Analysis<M> {
    /// Best move; `None` if analysed before chance.
    pub best: Option<M>,
    /// Win probability of the side to move, after `best` or, before chance, in expectation; `None`
    /// from players without values.
    pub value: Option<f32>,
    /// `value` on the search's own scale where it was fitted to complete games, else `None`.
    pub own_scale: Option<f32>,
    /// Unit of exact final scores, such as `discs`; `None` without scores.
    pub unit: Option<&'static str>,
    /// The requested moves (by default all), in list order.
    pub moves: Vec<MoveValue<M>>,
    /// Principal variation; begins with the best move if moves have values.
    pub line: Vec<M>,
    /// Cost of the search.
    pub stats: SearchStats,
    /// Summary of the search tree; `None` from other players.
    pub tree: Option<Box<TreeReport<M>>>,
}

impl<M> Default for Analysis<M> {
    fn default() -> Self {
        Self {
            best: None,
            value: None,
            own_scale: None,
            unit: None,
            moves: Vec::new(),
            line: Vec::new(),
            stats: SearchStats::default(),
            tree: None,
        }
    }
}

impl<M: Copy> Analysis<M> {
    /// Analysis without values of the moves `legal`, by default all.
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

    /// Index of the best move in a range of `moves` by value; of equal values by that on the
    /// search's own scale, then the first. `None` if no move has a value.
    pub fn best_by_value(&self, range: Range<usize>) -> Option<usize> {
        let rated = range.filter_map(|index| {
            let rated = &self.moves[index];
            Some((index, (rated.value?, rated.own_scale)))
        });
        let best = rated.reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map(|(index, _)| index)
    }

    /// Moves of [`Analysis::moves`], in order.
    pub fn analysed_moves(&self) -> Vec<M> {
        self.moves.iter().map(|rated| rated.mv).collect()
    }
}

impl<G: Playable> PlayerRecipe<G> {
    /// Analyses a position before (`None`) or after a chance outcome, within `limits` and the
    /// player's own. Values are exact where the rules or the game's instant oracle have them, else
    /// fitted to complete games where the evaluator has a fit. `observer` receives each finished
    /// depth but the last, without `best` and scores.
    ///
    /// # Errors
    /// The player's failure, or that of its tables, in one line.
    pub fn analyse(
        &self,
        player: &mut dyn Player<G>,
        game: &G,
        position: &G::Position,
        outcome: Option<u8>,
        limits: &Limits,
        observer: Option<&mut AnalysisObserver<'_, G::Move>>,
    ) -> Result<Analysis<G::Move>, String> {
        let oracle = self.instant_oracle()?.as_deref();
        let exact = |next: &G::Position| {
            let solved = || Some(payoffs_from_own(game, next, oracle?.value(game, next)?));
            game.payoffs(next).or_else(solved)
        };
        self.analyse_with(&exact, player, game, position, outcome, limits, observer)
    }

    /// [`PlayerRecipe::analyse`] by the player alone, without the game's oracle.
    ///
    /// # Errors
    /// The player's failure, in one line.
    pub fn analyse_unaided(
        &self,
        player: &mut dyn Player<G>,
        game: &G,
        position: &G::Position,
        outcome: Option<u8>,
        limits: &Limits,
    ) -> Result<Analysis<G::Move>, String> {
        self.analyse_with(&|_| None, player, game, position, outcome, limits, None)
    }

    #[allow(clippy::too_many_arguments, reason = "what both forms are given")]
    fn analyse_with(
        &self,
        exact: &dyn Fn(&G::Position) -> Option<Payoffs>,
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
        let unvalued = Analysis::without_values(game, position, legal.as_deref());
        let moves = unvalued.moves.iter();
        let exact: Vec<_> = moves
            .map(|rated| exact(&game.play(position, rated.mv)))
            .collect();
        let analysis = match observer {
            _ if exact.iter().all(Option::is_some) => Ok(unvalued),
            None => player.analyse(position, legal.as_deref(), limits),
            Some(observer) => {
                let mut report = |mut analysis: Analysis<G::Move>| {
                    analysis.stats.time = began.elapsed();
                    self.complete(game, position, &exact, limits, &mut analysis);
                    let best = analysis.best_by_value(0..analysis.moves.len());
                    let best = best.map(|index| analysis.moves[index].mv);
                    analysis.best = best.filter(|_| legal.is_some());
                    total(game, position, &mut analysis);
                    analysis.best = None;
                    observer(analysis)
                };
                player.analyse_observed(position, legal.as_deref(), limits, &mut report)
            }
        };
        let mut analysis = analysis.map_err(failed)?;
        if !exact.iter().all(Option::is_some) {
            analysis.stats.time = began.elapsed();
        }
        if let Some((unit, scores)) =
            player.exact_scores(position, &analysis.analysed_moves(), limits)
        {
            analysis.unit = Some(unit);
            for (rated, score) in analysis.moves.iter_mut().zip(scores) {
                rated.score = Some(score);
            }
        }
        self.complete(game, position, &exact, limits, &mut analysis);
        if let Some(legal) = legal {
            let is_aided = exact.iter().any(Option::is_some)
                && analysis.moves.iter().all(|rated| rated.value.is_some());
            let valued = analysis.best_by_value(0..analysis.moves.len());
            let valued = valued
                .filter(|_| is_aided)
                .map(|index| analysis.moves[index].mv);
            analysis.best = match valued.or_else(|| analysis.line.first().copied()) {
                None => Some(
                    player
                        .decide(position, &legal, limits)
                        .map_err(failed)?
                        .best,
                ),
                best => best,
            };
            if analysis.line.first() != analysis.best.as_ref() {
                analysis.line = analysis
                    .best
                    .filter(|_| valued.is_some())
                    .into_iter()
                    .collect();
            }
        }
        total(game, position, &mut analysis);
        Ok(analysis)
    }

    fn complete(
        &self,
        game: &G,
        position: &G::Position,
        exact: &[Option<Payoffs>],
        limits: &Limits,
        analysis: &mut Analysis<G::Move>,
    ) {
        let is_exact = analysis.stats.evaluations == 0;
        let seat = game.to_move(position);
        let mut is_fitted = false;
        for (rated, exact) in analysis.moves.iter_mut().zip(exact) {
            if let Some(payoffs) = exact {
                (rated.payoffs, rated.value) = (Some(*payoffs), Some(payoffs[seat]));
            }
            let proven = rated.tree.map(|tree| tree.proven);
            let is_proven = proven.is_some_and(|proven| proven.lower == proven.upper);
            rated.is_exact = (exact.is_some() || is_exact || is_proven) && rated.value.is_some();
            rated.error = rated.error.filter(|_| !rated.is_exact);
            let next = game.play(position, rated.mv);
            let flips = game.to_move(&next) != seat;
            let own = |value: f32| if flips { 1.0 - value } else { value };
            let fitted = rated.value.filter(|_| exact.is_none() && game.seats() == 2);
            let fitted = fitted.and_then(|value| {
                let fitted = self.observed_win_rate(&next, own(value), limits)?;
                Some((own(fitted), value))
            });
            is_fitted |= fitted.is_some();
            if let Some((fitted, value)) = fitted {
                // It would be on the other scale.
                rated.error = None;
                rated.own_scale = Some(value);
                rated.value = Some(if rated.is_exact { value } else { fitted });
            }
        }
        // Exact values are the same on both scales.
        for rated in analysis.moves.iter_mut().filter(|_| is_fitted) {
            rated.own_scale = rated.own_scale.or(rated.value);
        }
    }
}

fn total<G: Game>(game: &G, position: &G::Position, analysis: &mut Analysis<G::Move>) {
    let outcomes = || game.outcomes(position, &analysis.analysed_moves());
    let total = |number: fn(&MoveValue<G::Move>) -> Option<f32>| {
        let mut moves = analysis.moves.iter();
        if let Some(best) = analysis.best {
            return number(moves.find(|rated| rated.mv == best)?);
        }
        // A move that a search never tried counts as a loss.
        let numbers: Vec<f32> = moves
            .clone()
            .map(|rated| number(rated).unwrap_or(0.0))
            .collect();
        moves
            .any(|rated| number(rated).is_some())
            .then(|| expectation(&outcomes(), &numbers))
    };
    let (value, own_scale) = (total(|rated| rated.value), total(|rated| rated.own_scale));
    (analysis.value, analysis.own_scale) = (value, own_scale);
}
