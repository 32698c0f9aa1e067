//! What a player thinks of a position, also as what such values have been worth in whole games.

use super::{
    build::PlayerRecipe,
    playable::Playable,
    player::{Analysis, Player},
};
use crate::core::{chance::expectation, clock::Instant};
use crate::search::limits::Limits;

/// What a player thinks of a position that is not over; win probabilities are those of the seat to
/// move.
pub struct PositionAnalysis<M> {
    /// The best move; `None` before chance has spoken.
    pub best: Option<M>,
    /// The value of the best move, before chance has spoken the expectation over its outcomes;
    /// `None` from players that rate no moves.
    pub value: Option<f32>,
    /// What such a value has been worth in whole games, where that was fitted.
    pub calibrated: Option<f32>,
    /// More of each move, in the order of the analysis.
    pub moves: Vec<OfMove>,
    /// What the game counts and the exact score of each move, in the same order, for the side that
    /// makes it; `None` from players that do not know it.
    pub exact: Option<(&'static str, Vec<i32>)>,
    /// What the player said of the moves.
    pub analysis: Analysis<M>,
}

/// What is known of a move besides its value.
#[derive(Clone, Copy)]
pub struct OfMove {
    /// Whether its value is that of best play: nothing was taken on trust.
    pub is_proven: bool,
    /// What its value has been worth to who makes it in whole games, where that was fitted.
    pub calibrated: Option<f32>,
}

impl<M: Copy + PartialEq> PositionAnalysis<M> {
    /// What `player`, made by `recipe`, thinks of a position; `outcome` is what chance has said;
    /// `limits` end the search besides the player's own.
    ///
    /// # Errors
    /// In one line, if the player fails.
    pub fn of<G: Playable<Move = M>>(
        recipe: &PlayerRecipe<G>,
        player: &mut dyn Player<G>,
        game: &G,
        position: &G::Position,
        outcome: Option<u8>,
        limits: &Limits,
    ) -> Result<Self, String> {
        let legal = outcome.map(|_| game.legal(position, outcome));
        let began = Instant::now();
        let failed = |failure| format!("{}: {failure}", recipe.name());
        let analysis = player.analyse(position, legal.as_deref(), limits);
        let mut analysis = analysis.map_err(failed)?;
        analysis.stats.time = began.elapsed();
        // A player that values no moves still plays one.
        let best = match (legal, analysis.line.first()) {
            (Some(_), Some(&best)) => Some(best),
            (Some(legal), None) => {
                let decision = player.decide(position, &legal, limits);
                Some(decision.map_err(failed)?.best)
            }
            (None, _) => None,
        };
        let moves: Vec<M> = analysis.moves.iter().map(|&(mv, _)| mv).collect();
        let exact = player.exact_scores(position, &moves, limits);
        let tree = analysis.tree.as_ref();
        let of_move = |(index, &(mv, value)): (usize, &(M, Option<f32>))| {
            let in_tree = tree.and_then(|tree| tree.moves.get(index));
            // Nothing is trusted where no leaf was evaluated.
            let is_proven = analysis.stats.evaluations == 0
                || in_tree.is_some_and(|mv| mv.proven.lower == mv.proven.upper);
            let next = game.play(position, mv);
            // The fit is for the side to move.
            let turned = game.to_move(&next) != game.to_move(position);
            let own = |value: f32| if turned { 1.0 - value } else { value };
            let fitted = |value| {
                let fitted = recipe.in_whole_games(&next, own(value), limits);
                fitted.map(own)
            };
            let calibrated = value.and_then(fitted);
            OfMove {
                is_proven,
                calibrated: if is_proven {
                    calibrated.and(value)
                } else {
                    calibrated
                },
            }
        };
        let of_moves: Vec<OfMove> = analysis.moves.iter().enumerate().map(of_move).collect();
        let calibrated: Vec<_> = of_moves.iter().map(|of| of.calibrated).collect();
        let values: Vec<_> = analysis.moves.iter().map(|&(_, value)| value).collect();
        let whole = |values: &[Option<f32>]| match best {
            Some(best) => values[moves.iter().position(|&mv| mv == best)?],
            None => values.iter().any(Option::is_some).then(|| {
                // A move that a sampling player never tried is taken for worthless.
                let values: Vec<f32> = values.iter().map(|value| value.unwrap_or(0.0)).collect();
                expectation(&game.outcomes(position, &moves), &values)
            }),
        };
        Ok(Self {
            best,
            value: whole(&values),
            calibrated: whole(&calibrated),
            moves: of_moves,
            exact,
            analysis,
        })
    }
}
