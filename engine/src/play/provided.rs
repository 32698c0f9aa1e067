//! Kinds of players that the engine does not have itself, because they need what it does not know,
//! such as processes.
//!
//! A program provides them under a name, once, before it reads notations. Invariant: a name is
//! never provided twice, and the engine's own names come first.

use super::notation::{Arguments, Problem};
use crate::games::einstein::Standard;
use crate::play::player::Player;
use std::sync::{Arc, PoisonError, RwLock};

/// Makes a player; called once a thread.
pub type Maker = Arc<dyn Fn() -> Box<dyn Player<Standard>> + Send + Sync>;

/// Reads the arguments of a notation and says how to make its players. The caller refuses arguments
/// that are left.
pub type Provider = dyn Fn(&mut Arguments<'_>, &Standard) -> Result<Maker, Problem> + Send + Sync;

static PROVIDERS: RwLock<Vec<(String, Box<Provider>)>> = RwLock::new(Vec::new());

/// Adds a kind of player; the first to provide a name counts. Returns whether that was this call.
pub fn provide(name: &str, provider: Box<Provider>) -> bool {
    let mut providers = PROVIDERS.write().unwrap_or_else(PoisonError::into_inner);
    let new = providers.iter().all(|(other, _)| other != name);
    if new {
        providers.push((name.to_owned(), provider));
    }
    new
}

/// What the provider of `name` makes of the arguments; `None` if nobody provides it.
pub(super) fn make(
    name: &str,
    arguments: &mut Arguments<'_>,
    game: &Standard,
) -> Option<Result<Maker, Problem>> {
    let providers = PROVIDERS.read().unwrap_or_else(PoisonError::into_inner);
    providers
        .iter()
        .find(|(other, _)| other == name)
        .map(|(_, provider)| provider(arguments, game))
}

/// All provided names, to follow the engine's own in an error.
pub(super) fn names() -> String {
    let providers = PROVIDERS.read().unwrap_or_else(PoisonError::into_inner);
    providers
        .iter()
        .map(|(name, _)| format!("; and {name}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::build::PlayerRecipe;
    use crate::play::simple::RandomPlayer;

    #[test]
    fn provided_players_are_read_and_errors_name_the_character() {
        let provider = |arguments: &mut Arguments<'_>, game: &Standard| -> Result<Maker, Problem> {
            arguments.number("size", 1..=9, 1)?;
            let game = game.clone();
            Ok(Arc::new(move || Box::new(RandomPlayer::new(game.clone()))))
        };
        assert!(provide("stranger", Box::new(provider)));
        assert!(!provide("stranger", Box::new(provider)), "the first counts");
        let game = Standard::default();
        let recipe = PlayerRecipe::parse("stranger(size=3)", &game).unwrap();
        assert_eq!(
            (recipe.name(), recipe.is_reproducible()),
            ("stranger(size=3)", false)
        );
        recipe.make().new_game(1);
        let problem = |text| PlayerRecipe::parse(text, &game).err().unwrap().to_string();
        assert!(
            problem("stranger(size=0)").contains("character 15: 'size' is a number from 1 to 9"),
            "{}",
            problem("stranger(size=0)")
        );
        assert!(
            problem("stranger(weight=1)")
                .contains("there is no 'weight' here; stranger takes size")
        );
        assert!(problem("nobody").contains("; and stranger"));
    }
}
