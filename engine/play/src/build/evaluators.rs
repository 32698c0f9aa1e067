//! Construction of evaluators from notation.

use super::best_evaluator::best_evaluator;
use crate::multi_seat_evaluator::shares;
use crate::{
    playable::Playable,
    player_notation::{Arguments, Notation, Problem},
    random_evaluator::Random,
    registry::{AnyEvaluator, EvaluatorEntry},
};
use alea_core::{
    model_names,
    text::{joined, suggestion},
};
use std::sync::Arc;

/// Default slope of `shares`: a least-squares fit of payoffs in self-play with `lines` on four
/// ReversiXT maps of three to six seats, of which each alone gives 0.8 to 1.4.
const SHARES_SLOPE: f32 = 1.1;

/// Names of a game's evaluators with their options, for help texts.
#[must_use]
pub fn evaluator_names<G: Playable>() -> String {
    let name = |entry: &EvaluatorEntry<G>| {
        let short = entry.aliases.iter().map(|alias| format!("short {alias}"));
        let parameters = Some(entry.parameters.to_owned()).filter(|text| !text.is_empty());
        let inside: Vec<String> = short.chain(parameters).collect();
        match inside.is_empty() {
            true => entry.name.to_owned(),
            false => format!("{}({})", entry.name, inside.join("; ")),
        }
    };
    let own = joined(G::registry().evaluators.iter().map(name), ", ");
    format!(
        "{own}, best, random(seed), model:NAME or PATH, with more than two seats shares(eval, slope); hand-made scores take slope, offset, or scale=raw, factor"
    )
}

pub(super) fn default_evaluator<G: Playable>(
    game: &G,
) -> Result<Arc<dyn AnyEvaluator<G>>, Problem> {
    evaluator_from(&Notation::new(G::default_evaluator_name()), game)
}

pub(super) fn or_default_evaluator<G: Playable>(
    notation: Option<&Notation>,
    game: &G,
) -> Result<Arc<dyn AnyEvaluator<G>>, Problem> {
    notation.map_or_else(
        || default_evaluator(game),
        |notation| evaluator_from(notation, game),
    )
}

/// Makes an evaluator and loads its model.
///
/// # Errors
/// If a name or argument is wrong, or a model cannot be read.
pub fn evaluator_from<G: Playable>(
    notation: &Notation,
    game: &G,
) -> Result<Arc<dyn AnyEvaluator<G>>, Problem> {
    game.evaluator(notation)
}

/// Implements [`Playable::strongest_evaluator_name`] unless the registry does.
pub fn strongest_evaluator_name<G: Playable>(game: &G) -> &'static str {
    match best_evaluator(game) {
        Some(Ok(_)) => "best",
        _ => G::default_evaluator_name(),
    }
}

/// Implements [`Playable::evaluator`], with searches compiled in the calling crate.
pub fn read_evaluator<G: Playable>(
    notation: &Notation,
    game: &G,
) -> Result<Arc<dyn AnyEvaluator<G>>, Problem> {
    let mut arguments = Arguments::of(notation);
    let name = notation.name.as_str();
    let wrong = |problem: String| notation.problem_here(problem);
    let evaluator: Arc<dyn AnyEvaluator<G>> = if let Some(path) = name.strip_prefix("model:") {
        let own = || model_names::read_own(path);
        let content = match notation.trusted_path(path) {
            Ok(path) => model_names::read(path).or_else(|problem| own().unwrap_or(Err(problem))),
            Err(problem) => own().ok_or(problem)?,
        };
        let content = content.map_err(wrong)?;
        let model = game.evaluator_from_model(&content);
        model.map_err(|problem| wrong(format!("{path}: {problem}")))?
    } else if name == "best" {
        let none = || {
            wrong(format!(
                "no model of {} comes with this program",
                G::INFO.name
            ))
        };
        best_evaluator(game).ok_or_else(none)?.map_err(wrong)?
    } else if name == "shares" && game.seats() > 2 {
        let evaluator = or_default_evaluator(arguments.take("eval")?, game)?;
        let slope = arguments.number("slope", 0.0..=10.0, SHARES_SLOPE)?;
        shares(evaluator, slope)
    } else if name == "random" {
        Arc::new(Random::new(arguments.number("seed", 0..=u64::MAX, 0)?))
    } else {
        let named =
            |entry: &&EvaluatorEntry<G>| entry.name == name || entry.aliases.contains(&name);
        let entry = G::registry().evaluators.iter().find(named);
        let entry = entry.ok_or_else(|| {
            let names = evaluator_names::<G>();
            let meant = suggestion(name, &names);
            wrong(format!(
                "there is no evaluator '{name}'{meant}; there are {names}"
            ))
        })?;
        (entry.make)(&mut arguments, game)?
    };
    arguments.finish()?;
    Ok(evaluator)
}
