//! Values of all moves and rolls of a position: exact ones from the game's oracle (tablebase or
//! solver) where it has them, else a player's.
//!
//! Invariant: the value of a position before the roll is `Σ probability · best move` over its
//! rolls, in `f64`.

use crate::api::Problem;
use engine::core::{
    evaluator::symmetric_payoffs,
    game::{Game, MAX_SEATS, OutcomeList, Payoffs, Seat},
    random::{SeedSpace, derive_seed},
};
use engine::play::{
    analysis::{Analysis, MoveValue},
    build::PlayerRecipe,
    notation::Notation,
    playable::Playable,
    player::Player,
    registry::OptionalOracle,
};
use engine::search::limits::Limits;
use std::{array, ops::Range};

/// A value for every seat; 0 for seats that the game does not have.
pub type SeatValues = [f64; MAX_SEATS];

/// Values the moves of positions with a player and the game's oracle.
pub struct MoveValuer<'a, G: Playable> {
    game: &'a G,
    recipe: &'a PlayerRecipe<G>,
    oracle: OptionalOracle<G>,
    player: Box<dyn Player<G>>,
    pub(crate) limits: Limits,
}

/// A position with the values of its moves and rolls.
pub struct PositionValues<M> {
    /// The seat to move.
    pub seat: Seat,
    /// The payoffs if the game is over, in which case there are no moves.
    pub end: Option<Payoffs>,
    /// All moves in list order; a move that has a value also has the payoffs of all seats.
    pub analysis: Analysis<M>,
    /// All rolls; in games without chance a single one that allows every move.
    pub rolls: Vec<Roll>,
}

/// A roll with the moves that it allows.
pub struct Roll {
    /// The number on the die as in game records; `None` in games without chance.
    pub face: Option<u8>,
    /// The probability of this roll.
    pub probability: f64,
    /// The range of allowed moves, as indices of the list of moves.
    pub permitted: Range<usize>,
}

/// Receives the values after every search depth except the last; returns whether to continue.
pub type ValueObserver<'a, M> = dyn FnMut(&PositionValues<M>) -> bool + 'a;

/// Whether a game has chance.
#[must_use]
pub fn has_chance<G: Game>() -> bool {
    G::Outcomes::CAPACITY > 1
}

/// All rolls of a position whose list of moves is `moves`.
fn rolls<G: Playable>(game: &G, position: &G::Position, moves: &[G::Move]) -> Vec<Roll> {
    let outcomes = game.outcome_by_outcome().outcomes(position, moves);
    // The probabilities are rounded to `f32`, so their sum is not exactly 1.
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

impl<M> PositionValues<M> {
    /// The moves.
    #[must_use]
    pub fn moves(&self) -> &[MoveValue<M>] {
        &self.analysis.moves
    }

    /// The moves that a roll allows; `None` if `face` is no roll of the position.
    #[must_use]
    pub fn allowed_moves(&self, face: Option<u8>) -> Option<Range<usize>> {
        let roll = self.rolls.iter().find(|roll| roll.face == face)?;
        Some(roll.permitted.clone())
    }

    /// The index of the best move in a range, the first of equal ones; `None` if none has a value.
    #[must_use]
    pub fn best(&self, permitted: Range<usize>) -> Option<usize> {
        let values = permitted.filter_map(|index| Some((index, self.moves()[index].value?)));
        let best = values.reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map(|(index, _)| index)
    }

    /// The value of the position for each seat, which requires values of all its moves.
    #[must_use]
    pub fn seat_values(&self) -> SeatValues {
        let expected = |seat| self.expected(|rated| Some(rated.payoffs?[seat]));
        let end = self.end.map(|end| end.map(f64::from));
        end.unwrap_or_else(|| array::from_fn(expected))
    }

    /// The expectation over the rolls of `number` for the best move of each roll; where that has
    /// none, 0 is counted.
    pub fn expected(&self, number: impl Fn(&MoveValue<M>) -> Option<f32>) -> f64 {
        let best = |roll: &Roll| number(&self.moves()[self.best(roll.permitted.clone())?]);
        let rolls = self.rolls.iter();
        let terms = rolls.map(|roll| roll.probability * f64::from(best(roll).unwrap_or(0.0)));
        terms.sum()
    }
}

impl<'a, G: Playable> MoveValuer<'a, G> {
    /// Builds the recipe's player, and takes the game's oracle if it answers without a long
    /// computation.
    ///
    /// # Errors
    ///
    /// In one line, if tables cannot be built or read.
    pub fn new(game: &'a G, recipe: &'a PlayerRecipe<G>) -> Result<Self, Problem> {
        let oracle = match G::registry()
            .oracle
            .map(|entry| (entry, (entry.instant)(game)))
        {
            Some((entry, Some(value))) => (entry.read)(&Notation::new(value), game),
            _ => Ok(None),
        };
        Ok(Self {
            game,
            recipe,
            oracle: oracle.map_err(|(_, problem)| Problem::wrong(problem))?,
            player: recipe.make(),
            limits: Limits::NONE,
        })
    }

    /// Adds limits that stop the searches.
    #[must_use]
    pub fn with_limits(self, limits: &Limits) -> Self {
        let limits = limits.clone();
        Self { limits, ..self }
    }

    /// The exact payoffs of a position, if the oracle knows them.
    fn exact_payoffs(&self, position: &G::Position) -> Option<Payoffs> {
        if let Some(payoffs) = self.game.payoffs(position) {
            return Some(payoffs);
        }
        let value = self.oracle.as_ref()?.value(self.game, position)?;
        Some(symmetric_payoffs(self.game, position, value))
    }

    /// The values of all moves of a position, independent of earlier calls.
    ///
    /// # Errors
    ///
    /// In one line, if the player fails.
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
        let without_values = match end {
            None => Analysis::without_values(game, position, None),
            Some(_) => Analysis::default(),
        };
        let moves = without_values.list();
        let exact = moves
            .iter()
            .map(|&mv| self.exact_payoffs(&game.play(position, mv)));
        let exact: Vec<Option<Payoffs>> = exact.collect();
        let complete = |mut analysis: Analysis<G::Move>| {
            let mut is_fitted = false;
            for (rated, exact) in analysis.moves.iter_mut().zip(&exact) {
                let payoffs = rated
                    .value
                    .map(|value| symmetric_payoffs(game, position, value));
                rated.payoffs = exact.or(rated.payoffs).or(payoffs);
                rated.value = rated.payoffs.map(|payoffs| payoffs[seat]);
                rated.is_exact = exact.is_some() || rated.is_exact && rated.value.is_some();
                if rated.is_exact || game.seats() > 2 {
                    rated.calibrated = None;
                }
                is_fitted |= rated.calibrated.is_some();
            }
            // If the player's values are calibrated, the oracle's exact ones are, too.
            for rated in analysis.moves.iter_mut().filter(|_| is_fitted) {
                let exact = rated.value.filter(|_| rated.is_exact);
                rated.calibrated = rated.calibrated.or(exact);
            }
            PositionValues {
                seat,
                end,
                rolls: match end {
                    None => rolls(game, position, &moves),
                    Some(_) => Vec::new(),
                },
                analysis,
            }
        };
        if exact.iter().all(Option::is_some) {
            return Ok(complete(without_values));
        }
        self.player.new_game(derive_seed(1, SeedSpace::Player, &[]));
        let (recipe, player, limits) = (self.recipe, &mut *self.player, &self.limits);
        let analysis = match observer {
            None => recipe.analyse(player, game, position, None, limits, None),
            Some(observer) => {
                let mut report = |analysis| observer(&complete(analysis));
                recipe.analyse(player, game, position, None, limits, Some(&mut report))
            }
        };
        Ok(complete(analysis.map_err(Problem::wrong)?))
    }

    /// As [`MoveValuer::analyse`], but moves that the player did not try are valued one by one.
    ///
    /// # Errors
    /// In one line, if the player fails, or values no moves.
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
                    Problem::wrong("this player rates no moves; name one that searches")
                })?;
                let payoffs = symmetric_payoffs(self.game, &next, value);
                (rated.value, rated.payoffs) = (Some(payoffs[values.seat]), Some(payoffs));
            }
        }
        Ok(values)
    }
}
