//! Players and evaluators that requests may name, and limits on their cost.
//!
//! Invariant: `RequestLimits::restrict` and `parse_evaluator` return only allowed players and
//! evaluators, and every search in them has a limit.

use crate::api_types::Problem;
use crate::position_values::has_chance;
use engine::core::{
    model_names::{self, OwnModel},
    text::{joined, shorten, suggestion},
};
use engine::play::{
    build::PlayerRecipe,
    playable::Playable,
    player_notation::{Argument, Notation, Problem as NotationProblem, parse_number},
    registry::EvaluatorEntry,
};
use std::time::Duration;

/// Maximum bytes of a request's body, except for uploaded game records.
pub(crate) const MAX_REQUEST: usize = 1 << 16;
pub(crate) const MAX_PLIES: usize = 600;
pub(crate) const MAX_EVALUATORS: usize = 16;
pub(crate) const MAX_DEPTH: u32 = 12;
const MAX_MEBIBYTES: f64 = 64.0;

/// Maximum cost of a request.
#[derive(Clone, Debug)]
pub struct RequestLimits {
    /// Maximum threads of a search.
    pub threads: u32,
    /// Maximum milliseconds of a search.
    pub milliseconds: f64,
    /// Maximum MCTS simulations of a search.
    pub simulations: u32,
    /// Maximum, and default, number of rollout games for each move.
    pub games: u32,
    /// Maximum time of a whole request; checked only between its searches.
    pub total: Duration,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self {
            threads: 2,
            milliseconds: 5000.0,
            simulations: 50_000,
            games: 1000,
            total: Duration::from_secs(60),
        }
    }
}

const STAR_SEARCHES: [&str; 8] = [
    "star0",
    "star0.5",
    "star1",
    "star2",
    "minimax",
    "alphabeta",
    "maxn",
    "bestreply",
];

/// Evaluators that requests may not use: they play games to the end.
const SLOW_EVALUATORS: [&str; 1] = ["mrmonte"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Star,
    Mcts,
    Rollout,
    Softmax,
    Plain,
}

impl RequestLimits {
    /// Parses and builds a player that obeys these limits.
    ///
    /// # Errors
    ///
    /// As for [`RequestLimits::parse_player`], or if the player cannot be built.
    pub fn build_player<G: Playable>(
        &self,
        game: &G,
        text: &str,
    ) -> Result<PlayerRecipe<G>, Problem> {
        let recipe = game.player_recipe(&self.parse_player::<G>(text)?);
        recipe.map_err(|problem| problem_in("player", text, problem))
    }

    /// Parses a player's notation and adds these limits to its options.
    ///
    /// # Errors
    ///
    /// If the notation is invalid, exceeds a limit, or names a player, evaluator or option that
    /// requests may not use.
    pub fn parse_player<G: Playable>(&self, text: &str) -> Result<Notation, Problem> {
        let notation = parse(text).and_then(|notation| self.restrict::<G>(notation));
        notation.map_err(|problem| problem_in("player", text, problem))
    }

    pub(crate) fn restrict<G: Playable>(
        &self,
        mut notation: Notation,
    ) -> Result<Notation, NotationProblem> {
        let name = notation.name.clone();
        let own = G::registry()
            .players
            .iter()
            .filter(|own| own.parameters.is_empty());
        let plain: Vec<&str> = own.map(|own| own.name).chain(["random"]).collect();
        let (family, positional): (_, &[&str]) = match &*name {
            star if STAR_SEARCHES.contains(&star) => (Family::Star, &["depth", "eval"]),
            "mcts" => (Family::Mcts, &["sims"]),
            "rollout" if has_chance::<G>() => (Family::Rollout, &["eval"]),
            "softmax" => (Family::Softmax, &["player", "temperature"]),
            other if plain.contains(&other) => (Family::Plain, &[]),
            _ => {
                let rollout = if has_chance::<G>() { ", rollout" } else { "" };
                let (stars, plain) = (STAR_SEARCHES.join(", "), plain.join(", "));
                let names = format!("{stars}, mcts{rollout}, softmax, {plain}");
                let nearest = suggestion(&name, &names);
                return Err(notation.problem_here(format!(
                    "there is no player '{name}' here{nearest}; there are {names}"
                )));
            }
        };
        let mut positional = positional.iter();
        for argument in &mut notation.arguments {
            let wrong = |problem: String| (argument.character, problem);
            let key = argument.key.clone();
            let key = key.or_else(|| positional.next().map(|&key| key.to_owned()));
            let key = key.ok_or_else(|| wrong(format!("{name}: name the key of this value")))?;
            if (family, &*key) == (Family::Softmax, "player") {
                argument.value = self.restrict::<G>(argument.value.clone())?;
            }
            self.check::<G>(family, &key, &argument.value)
                .ok_or_else(|| {
                    wrong(format!(
                        "{name} takes no '{key}' here (docs/reference/api.md)"
                    ))
                })??;
            argument.key = Some(key);
        }
        let has = |key: &str| notation.argument(key).is_some();
        let is_timed = has("ms") || has("cpu_ms");
        let is_limited = is_timed || has("nodes");
        // Given only a depth, `star2` searches as without the time limit: to that depth, without
        // ProbCut and without tables.
        let is_complete = name == "star2" && !is_limited && has("depth");
        let oracle = G::registry().oracle.map_or("", |entry| entry.key);
        let defaults = [
            (Family::Star, "ms", self.milliseconds, !is_timed),
            (Family::Star, "depth", 3.0, !is_limited && !has("depth")),
            (
                Family::Star,
                "probcut",
                0.0,
                is_complete && !has("probcut") && !G::SEPARATE_OUTCOMES,
            ),
            (Family::Star, oracle, 0.0, is_complete && !oracle.is_empty()),
            (Family::Mcts, "memory", MAX_MEBIBYTES, !has("memory")),
            (Family::Rollout, "games", self.games.into(), !has("games")),
        ];
        for (of, key, value, is_missing) in defaults {
            if of == family && is_missing {
                notation = notation.with_argument(key, Notation::new(value.to_string()));
            }
        }
        Ok(notation)
    }

    /// Checks a player's option; `None` if players of the family have no such option.
    fn check<G: Playable>(
        &self,
        family: Family,
        key: &str,
        value: &Notation,
    ) -> Option<Result<(), NotationProblem>> {
        use Family::{Mcts, Rollout, Softmax, Star};
        let (min, max) = match (family, key) {
            (Mcts, "leaf") if value.to_string() == "playout" => return Some(Ok(())),
            (Star | Rollout, "eval") | (Mcts, "prior" | "leaf") => {
                return Some(check_evaluator::<G>(value));
            }
            // The player itself checks these options; no value is expensive.
            (
                Star,
                "order" | "negascout" | "nodes" | "step" | "aspiration" | "probcut" | "width"
                | "form" | "filter" | "within" | "replies",
            )
            | (Mcts, "exploration" | "c" | "rave" | "expand")
            | (Mcts, "batch" | "solver" | "graph")
            | (Rollout, "error" | "plies")
            | (Softmax, "player" | "temperature") => return Some(Ok(())),
            (Star | Mcts, "ms" | "cpu_ms") => (0.01, self.milliseconds),
            (Star | Mcts, "threads") => (1.0, self.threads.into()),
            (Star, "depth") => (1.0, MAX_DEPTH.into()),
            (Star, "table") => (0.0, MAX_MEBIBYTES),
            (Mcts, "memory") => (1.0, MAX_MEBIBYTES),
            (Mcts, "sims") => (1.0, self.simulations.into()),
            (Rollout, "games") => (1.0, self.games.into()),
            _ => return None,
        };
        Some(parse_number(key, value, min..=max).map(drop))
    }
}

pub(crate) fn parse_evaluator<G: Playable>(text: &str) -> Result<Notation, Problem> {
    let notation = parse(text).and_then(|notation| {
        check_evaluator::<G>(&notation)?;
        Ok(notation)
    });
    notation.map_err(|problem| problem_in("evaluator", text, problem))
}

fn parse(text: &str) -> Result<Notation, NotationProblem> {
    Notation::parse(text).map_err(|error| (error.character, error.problem))
}

pub(crate) fn problem_in(what: &str, text: &str, (character, problem): NotationProblem) -> Problem {
    let text = shorten(text, 200);
    Problem::invalid_request(format!("{what} '{text}', character {character}: {problem}"))
}

pub(crate) fn evaluators<G: Playable>() -> impl Iterator<Item = &'static EvaluatorEntry<G>> {
    let entries = G::registry().evaluators.iter();
    entries.filter(|entry| !SLOW_EVALUATORS.contains(&entry.name))
}

fn own_models<G: Playable>() -> impl Iterator<Item = &'static OwnModel> {
    let is_of_game = |model: &&OwnModel| model.game == G::INFO.name;
    model_names::own_models().iter().filter(is_of_game)
}

/// Own models that fit the rules of `game`.
pub(crate) fn own_models_of<G: Playable>(
    game: &G,
) -> impl Iterator<Item = &'static OwnModel> + use<G> {
    let game = game.clone();
    own_models::<G>().filter(move |model| {
        let content = model_names::read_own(&model.name);
        content
            .is_some_and(|read| read.is_ok_and(|bytes| game.evaluator_from_model(&bytes).is_ok()))
    })
}

fn check_evaluator<G: Playable>(notation: &Notation) -> Result<(), NotationProblem> {
    const EVALUATOR_KEYS: [&str; 8] = [
        "slope", "offset", "scale", "factor", "block", "threat", "view", "seed",
    ];
    const GENERAL_EVALUATORS: [&str; 2] = ["best", "random"];
    let name = notation.name.as_str();
    if name == "shares" {
        let evaluators = notation
            .arguments
            .iter()
            .filter(|one| one.key.as_deref() != Some("slope"));
        return evaluators
            .map(|one| &one.value)
            .try_for_each(|inner| match inner.name.as_str() {
                "shares" => Err(inner.problem_here("shares are of an evaluator of one seat")),
                _ => check_evaluator::<G>(inner),
            });
    }
    let is_listed =
        evaluators::<G>().any(|entry| entry.name == name || entry.aliases.contains(&name));
    let own = || own_models::<G>().map(|model| format!("model:{}", model.name));
    let is_own = own().any(|own| own == name);
    if !is_listed && !is_own && !GENERAL_EVALUATORS.contains(&name) {
        let names = evaluators::<G>()
            .map(|entry| entry.name.to_owned())
            .chain(GENERAL_EVALUATORS.map(str::to_owned))
            .chain(own());
        let names = joined(names, ", ");
        let nearest = suggestion(name, &names);
        return Err(notation.problem_here(format!(
            "there is no evaluator '{name}' here{nearest}; there are {names}"
        )));
    }
    let is_wrong = |argument: &&Argument| {
        let key = argument.key.as_deref().unwrap_or_default();
        !EVALUATOR_KEYS.contains(&key) || !argument.value.arguments.is_empty()
    };
    match notation.arguments.iter().find(is_wrong) {
        None => Ok(()),
        Some(wrong) => {
            let problem = format!("here evaluators take only {}", EVALUATOR_KEYS.join(", "));
            Err((wrong.character, problem))
        }
    }
}
