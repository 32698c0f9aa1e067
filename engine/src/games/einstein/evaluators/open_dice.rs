//! Evaluators of EinStein würfelt nicht for the game with the dice laid open.
//!
//! They do not look at the rolls to come: a position is worth what it is worth before an unknown
//! roll. Invariant: values and caches are those of the evaluator inside.

use crate::core::evaluator::Evaluator;
use crate::core::game::Payoffs;
use crate::games::einstein::open_dice::{OpenDice, OpenPosition};
use crate::games::einstein::{EinStein, Move};

/// Rates positions of [`OpenDice`] by an evaluator for the game with dice.
#[derive(Clone, Copy, Debug)]
pub struct OpenDiceEvaluator<E>(
    /// The evaluator that is asked.
    pub E,
);

impl<const COLUMNS: usize, const ROWS: usize, E: Evaluator<EinStein<COLUMNS, ROWS>>>
    Evaluator<OpenDice<COLUMNS, ROWS>> for OpenDiceEvaluator<E>
{
    type Cache = E::Cache;

    #[inline]
    fn refresh(
        &self,
        game: &OpenDice<COLUMNS, ROWS>,
        position: &OpenPosition,
        cache: &mut E::Cache,
    ) {
        self.0.refresh(game.game(), &position.position, cache);
    }

    #[inline]
    fn update(
        &self,
        game: &OpenDice<COLUMNS, ROWS>,
        parent: &E::Cache,
        before: &OpenPosition,
        mv: Move,
        after: &OpenPosition,
        child: &mut E::Cache,
    ) {
        self.0.update(
            game.game(),
            parent,
            &before.position,
            mv,
            &after.position,
            child,
        );
    }

    #[inline]
    fn value(
        &self,
        game: &OpenDice<COLUMNS, ROWS>,
        position: &OpenPosition,
        cache: &E::Cache,
    ) -> f32 {
        self.0.value(game.game(), &position.position, cache)
    }

    fn payoffs(
        &self,
        game: &OpenDice<COLUMNS, ROWS>,
        position: &OpenPosition,
        cache: &E::Cache,
    ) -> Payoffs {
        self.0.payoffs(game.game(), &position.position, cache)
    }
}
