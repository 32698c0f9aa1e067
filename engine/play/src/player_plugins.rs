//! Players that a program registers, such as external processes, before notations are parsed. The
//! engine's own names take precedence.

use super::{
    playable::Playable,
    player_notation::{Arguments, Notation, Problem},
    registry::PlayerMaker,
};
use std::{
    any::Any,
    sync::{PoisonError, RwLock},
};

/// Reads the arguments of a plug-in player's notation; the caller refuses unread ones.
pub type Provider<G> = fn(&mut Arguments<'_>, &G) -> Result<PlayerMaker<G>, Problem>;

static PROVIDERS: RwLock<Vec<(String, Box<dyn Any + Send + Sync>)>> = RwLock::new(Vec::new());

/// Registers a player of game `G`; returns false, without effect, if the name is taken.
pub fn register<G: Playable>(name: &str, provider: Provider<G>) -> bool {
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

/// Reads the notation of a registered player; `None` for other names. Refuses untrusted text.
pub(super) fn player_maker<G: Playable>(
    notation: &Notation,
    arguments: &mut Arguments<'_>,
    game: &G,
) -> Option<Result<PlayerMaker<G>, Problem>> {
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

/// Names of registered players, as end of a list.
pub fn names<G: Playable>() -> String {
    let providers = PROVIDERS.read().unwrap_or_else(PoisonError::into_inner);
    of_game::<G>(&providers)
        .map(|(name, _)| format!("; and {name}"))
        .collect()
}
