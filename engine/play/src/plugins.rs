//! Players that a program adds to the engine's, such as external processes.
//!
//! The program registers them under a name, before it parses notations. Names are unique, and the
//! engine's own take precedence.

use super::{
    notation::{Arguments, Notation, Problem},
    playable::Playable,
    registry::Maker,
};
use std::{
    any::Any,
    sync::{PoisonError, RwLock},
};

/// Reads the arguments of a notation and returns the constructor of its players. Unread arguments
/// are refused by the caller.
pub type Provider<G> = fn(&mut Arguments<'_>, &G) -> Result<Maker<G>, Problem>;

static PROVIDERS: RwLock<Vec<(String, Box<dyn Any + Send + Sync>)>> = RwLock::new(Vec::new());

/// Registers a kind of player for a game; the first provider of a name counts. Returns whether the
/// name was free.
pub fn provide<G: Playable>(name: &str, provider: Provider<G>) -> bool {
    let mut providers = PROVIDERS.write().unwrap_or_else(PoisonError::into_inner);
    let new = !of_game::<G>(&providers).any(|(other, _)| other == name);
    if new {
        providers.push((name.to_owned(), Box::new(provider)));
    }
    new
}

fn of_game<G: Playable>(
    providers: &[(String, Box<dyn Any + Send + Sync>)],
) -> impl Iterator<Item = (&str, &Provider<G>)> {
    providers
        .iter()
        .filter_map(|(name, provider)| Some((&**name, provider.downcast_ref()?)))
}

/// The constructor of a registered player; `None` if the name is unknown. Notations that are not
/// trusted are refused.
pub(super) fn make<G: Playable>(
    notation: &Notation,
    arguments: &mut Arguments<'_>,
    game: &G,
) -> Option<Result<Maker<G>, Problem>> {
    let providers = PROVIDERS.read().unwrap_or_else(PoisonError::into_inner);
    of_game::<G>(&providers)
        .find(|(other, _)| *other == notation.name)
        .map(|(_, provider)| match notation.untrusted_part() {
            Some(foreign) => Err(foreign
                .trusted_path(&foreign.name)
                .err()
                .unwrap_or_default()),
            None => provider(arguments, game),
        })
}

/// All names registered for a game, as an appendix to the engine's own in an error.
pub(super) fn names<G: Playable>() -> String {
    let providers = PROVIDERS.read().unwrap_or_else(PoisonError::into_inner);
    of_game::<G>(&providers)
        .map(|(name, _)| format!("; and {name}"))
        .collect()
}
