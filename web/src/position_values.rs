//! Values of the moves and rolls of a position, of all or of one, as [`PlayerRecipe::analyse`] gives
//! them, for every seat.
//!
//! Invariant: the value before the roll is `Σ probability · value of the best move` over the rolls,
//! in `f64`.

use crate::api_types::Problem;
use engine::core::{
    evaluator::payoffs_from_own,
    game::{Game, MAX_SEATS, OutcomeList, Payoffs, Seat},
    random::{SeedSpace, derive_seed},
};
use engine::play::{
    analysis::{Analysis, MoveValue},
    build::PlayerRecipe,
    playable::Playable,
    player::Player,
};
use engine::search::limits::Limits;
use std::{array, ops::Range};

/// Value of a position for each seat, as win probability; 0 beyond the game's seats.
pub type SeatValues = [f64; MAX_SEATS];

/// Computes values of the moves of a position, by the game's oracle and a player.
pub struct MoveValuer<'a, G: Playable> {
    game: &'a G,
    pub(crate) recipe: &'a PlayerRecipe<G>,
    player: Box<dyn Player<G>>,
    only_outcome: Option<u8>,
    pub(crate) limits: Limits,
}

/// Values of the moves and rolls of a position.
pub struct PositionValues<M> {
    /// Seat to move.
    pub seat: Seat,
    /// Final payoffs if the game is over; then there are no moves and no rolls.
    pub end: Option<Payoffs>,
    /// Values of the moves, in the game's order; moves with a value also have payoffs of all seats.
    pub analysis: Analysis<M>,
    /// All rolls, or the only one that was valued; in games without dice, one that allows every move.
    pub rolls: Vec<Roll>,
    /// Whether no roll was left out.
    pub has_all_rolls: bool,
}

/// Roll, its probability, and the moves that it allows.
pub struct Roll {
    /// Number on the die; `None` in games without dice.
    pub face: Option<u8>,
    /// Probability of the roll.
    pub probability: f64,
    /// Moves that the roll allows, as indices into [`PositionValues::moves`].
    pub permitted: Range<usize>,
}

/// Callback for the values after every search depth but the last; false stops the search.
pub type ValueObserver<'a, M> = dyn FnMut(&PositionValues<M>) -> bool + 'a;

/// Whether the game has random outcomes, such as rolls of dice.
#[must_use]
pub fn has_chance<G: Game>() -> bool {
    G::Outcomes::CAPACITY > 1
}

fn rolls<G: Playable>(game: &G, position: &G::Position, moves: &[G::Move]) -> Vec<Roll> {
    let outcomes = game.with_unmerged_outcomes().outcomes(position, moves);
    // Probabilities are stored as `f32`, so that their sum is not exactly 1.
    let sum: f64 = outcomes.iter().map(|one| f64::from(one.weight)).sum();
    let faces = game.outcome_numbers().zip(outcomes.iter());
    faces
        .map(|(face, outcome)| Roll {
            face: has_chance::<G>().then_some(face),
            probability: f64::from(outcome.weight) / sum,
            permitted: outcome.move_range(),
        })
        .collect()
}

impl<M: Copy + PartialEq> PositionValues<M> {
    /// Values of the legal moves, in the game's order.
    #[must_use]
    pub fn moves(&self) -> &[MoveValue<M>] {
        &self.analysis.moves
    }

    /// Indices of the moves that roll `face` allows; `None` if there is no such roll.
    #[must_use]
    pub fn allowed_moves(&self, face: Option<u8>) -> Option<Range<usize>> {
        let roll = self.rolls.iter().find(|roll| roll.face == face)?;
        Some(roll.permitted.clone())
    }

    /// Index of the mover's best move in `permitted`; `None` if none has a value. In games without
    /// chance a tree search chooses by visits.
    #[must_use]
    pub fn best(&self, permitted: Range<usize>) -> Option<usize> {
        let chosen = self.analysis.line.first().filter(|_| {
            let is_aided = self.moves().iter().any(|rated| rated.is_exact);
            let has_chance = self.rolls.iter().any(|roll| roll.face.is_some());
            self.analysis.tree.is_some() && !is_aided && !has_chance
        });
        let chosen = chosen.and_then(|best| self.moves().iter().position(|one| one.mv == *best));
        chosen.or_else(|| self.analysis.best_by_value(permitted))
    }

    /// Value of the position before the roll, for each seat; every move must have a value.
    #[must_use]
    pub fn seat_values(&self) -> SeatValues {
        let expected = |seat| self.expected_over_rolls(|rated| Some(rated.payoffs?[seat]));
        let end = self.end.map(|end| end.map(f64::from));
        end.unwrap_or_else(|| array::from_fn(expected))
    }

    /// Expected value over the rolls of `number(best move of the roll)`; `None` counts as 0.
    pub fn expected_over_rolls(&self, number: impl Fn(&MoveValue<M>) -> Option<f32>) -> f64 {
        let best = |roll: &Roll| number(&self.moves()[self.best(roll.permitted.clone())?]);
        let rolls = self.rolls.iter();
        let terms = rolls.map(|roll| roll.probability * f64::from(best(roll).unwrap_or(0.0)));
        terms.sum()
    }
}

impl<'a, G: Playable> MoveValuer<'a, G> {
    /// Builds the player of `recipe`.
    pub fn new(game: &'a G, recipe: &'a PlayerRecipe<G>) -> Self {
        Self {
            game,
            recipe,
            player: recipe.make(),
            only_outcome: None,
            limits: Limits::NONE,
        }
    }

    /// Values only the moves that `outcome` permits, unless it is `None`.
    #[must_use]
    pub fn with_only_outcome(self, outcome: Option<u8>) -> Self {
        Self {
            only_outcome: outcome,
            ..self
        }
    }

    /// Sets limits that end searches.
    #[must_use]
    pub fn with_limits(self, limits: &Limits) -> Self {
        let limits = limits.clone();
        Self { limits, ..self }
    }

    /// Values of the moves of `position`, independent of earlier calls. Moves that the player did
    /// not try may have none.
    ///
    /// # Errors
    ///
    /// If the player fails.
    pub fn analyse(
        &mut self,
        position: &G::Position,
        observer: Option<&mut ValueObserver<'_, G::Move>>,
    ) -> Result<PositionValues<G::Move>, Problem> {
        let (game, seat, end) = (
            self.game,
            self.game.to_move(position),
            self.game.payoffs(position),
        );
        let only_outcome = self.only_outcome;
        let complete = |mut analysis: Analysis<G::Move>| {
            for rated in &mut analysis.moves {
                let own = rated.value;
                let payoffs = || Some(payoffs_from_own(game, position, own?));
                rated.payoffs = rated.payoffs.or_else(payoffs);
                rated.value = rated.payoffs.map(|payoffs| payoffs[seat]);
            }
            let moves = analysis.analysed_moves();
            PositionValues {
                seat,
                end,
                rolls: match (end, only_outcome) {
                    (None, None) => rolls(game, position, &moves),
                    (None, Some(_)) => vec![Roll {
                        face: only_outcome,
                        probability: 1.0,
                        permitted: 0..moves.len(),
                    }],
                    (Some(_), _) => Vec::new(),
                },
                has_all_rolls: only_outcome.is_none(),
                analysis,
            }
        };
        if end.is_some() {
            return Ok(complete(Analysis::default()));
        }
        self.player.new_game(derive_seed(1, SeedSpace::Player, &[]));
        let (recipe, player, limits) = (self.recipe, &mut *self.player, &self.limits);
        let analysis = match observer {
            None => recipe.analyse(player, game, position, only_outcome, limits, None),
            Some(observer) => {
                let mut report = |analysis| observer(&complete(analysis));
                let observer = Some(&mut report as _);
                recipe.analyse(player, game, position, only_outcome, limits, observer)
            }
        };
        Ok(complete(analysis.map_err(Problem::invalid_request)?))
    }

    /// Like [`MoveValuer::analyse`], but moves that the player did not try get values, too.
    ///
    /// # Errors
    ///
    /// If the player fails or gives no values.
    pub fn analyse_all(
        &mut self,
        position: &G::Position,
    ) -> Result<PositionValues<G::Move>, Problem> {
        let mut values = self.analyse(position, None)?;
        for rated in &mut values.analysis.moves {
            if rated.value.is_none() {
                let next = self.game.play(position, rated.mv);
                let value = self.player.value(&next, &self.limits).value;
                let value = value.ok_or_else(|| {
                    Problem::invalid_request("this player rates no moves; name one that searches")
                })?;
                let fitted = self.recipe.observed_win_rate(&next, value, &self.limits);
                let value = fitted.filter(|_| self.game.seats() == 2).unwrap_or(value);
                let payoffs = payoffs_from_own(self.game, &next, value);
                (rated.value, rated.payoffs) = (Some(payoffs[values.seat]), Some(payoffs));
            }
        }
        Ok(values)
    }
}
