//! Parser of game names in requests, which may set only
//! [`GameInfo::page_parameters`](engine::play::game_info::GameInfo::page_parameters), none of which
//! names a file.

use crate::api_types::Problem;
use crate::limits::problem_in;
use engine::core::text::joined;
use engine::play::{
    playable::{Playable, rules_from_notation},
    player_notation::{Argument, Notation},
};

/// Parses `$text` as a game's rules and evaluates `$body` with them as `$game`; returns the error
/// from the enclosing function.
macro_rules! with_game {
    ([$($name:ident = $type:ty),* $(,)?] $text:expr, $game:ident => $body:expr) => {{
        let names = [$(<$type as engine::play::rules::Rules>::INFO.name),*];
        match $crate::game_names::parse($text)? {
            $(notation if notation.name == <$type as engine::play::rules::Rules>::INFO.name => {
                let $game = &$crate::game_names::parse_page_game::<$type>($text, &notation)?;
                $body
            })*
            notation => Err($crate::game_names::unknown_game(&notation.name, &names.join(", "))),
        }
    }};
}
pub(crate) use with_game;

macro_rules! each_game {
    ([$($name:ident = $type:ty),* $(,)?] $function:ident) => {
        [$($function::<$type>()),*].concat()
    };
}
pub(crate) use each_game;

pub(crate) fn unknown_game(name: &str, names: &str) -> Problem {
    let nearest = engine::core::text::suggestion(name, names);
    Problem::invalid_request(format!(
        "there is no game '{name}'{nearest}; there are {names}"
    ))
}

pub(crate) fn parse(text: &str) -> Result<Notation, Problem> {
    Notation::parse(text).map_err(Problem::invalid_request)
}

pub(crate) fn parse_page_game<G: Playable>(text: &str, notation: &Notation) -> Result<G, Problem> {
    let is_allowed = |argument: &&Argument| {
        let key = argument.key.as_deref().unwrap_or_default();
        let (name, is_nested) = (&*argument.value.name, !argument.value.arguments.is_empty());
        let mut parameters = G::INFO.page_parameters.iter();
        parameters.any(|(parameter, values)| {
            *parameter == key && !is_nested && (values.is_empty() || values.contains(&name))
        })
    };
    if let Some(wrong) = notation
        .arguments
        .iter()
        .find(|argument| !is_allowed(argument))
    {
        let parameter = |(key, values): &(&str, &[&str])| match values {
            [] => (*key).to_owned(),
            values => format!("{key}={}", values.join("|")),
        };
        let allowed = joined(G::INFO.page_parameters.iter().map(parameter), ", ");
        let allowed = if allowed.is_empty() {
            "no parameters"
        } else {
            &allowed
        };
        let problem = format!("here {} takes only {allowed}", G::INFO.name);
        return Err(problem_in("game", text, (wrong.character, problem)));
    }
    let game = rules_from_notation::<G>(notation, None);
    game.map_err(|problem| problem_in("game", text, problem))
}
