//! The evaluator `best`, read once for all players of a game: reading a model takes 12 to 30 ms, a
//! short search a tenth of that.

use crate::{playable::Playable, registry::AnyEvaluator};
use std::{
    any::{Any, TypeId},
    sync::{Arc, Mutex, PoisonError},
};

type Found<G> = Result<Arc<dyn AnyEvaluator<G>>, String>;

/// Type and rules of a game, and the address of its model.
#[derive(PartialEq, Eq)]
struct Key {
    game: TypeId,
    /// Notation, and the map if there is one.
    rules: (String, Option<String>),
    model: usize,
}

/// The last games that were asked about, the latest first.
static CACHE: Mutex<Vec<(Key, Box<dyn Any + Send>)>> = Mutex::new(Vec::new());

/// Evaluators have up to some megabytes, and requests may name games.
const MAX_CACHED: usize = 16;

/// The evaluator of the model that comes with the program; `None` without one, an error if it does
/// not fit the rules.
pub(super) fn best_evaluator<G: Playable>(game: &G) -> Option<Found<G>> {
    let model = game.best_model()?;
    let key = Key {
        game: TypeId::of::<G>(),
        rules: (game.notation(), game.map_text()),
        model: model.as_ptr().addr(),
    };
    let mut cached = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let index = cached.iter().position(|(other, _)| *other == key);
    let index = index.unwrap_or_else(|| {
        cached.push((key, Box::new(game.evaluator_from_model(model))));
        cached.len() - 1
    });
    cached[..=index].rotate_right(1);
    cached.truncate(MAX_CACHED);
    cached[0].1.downcast_ref::<Found<G>>().cloned()
}
