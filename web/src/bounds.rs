//! What a request may cost, and which players and evaluators it may name.
//!
//! What is not listed here is refused: other programs, files, models, tables, and options whose
//! cost nobody bounds. Invariant: a notation that comes back from [`Bounds::player`] or `evaluator`
//! names nothing but what is listed, and every search in it has a limit.

use crate::api::Problem;
use crate::rating::has_chance;
use engine::core::text::{shortened, suggestion};
use engine::play::{
    notation::{Argument, Notation, Problem as Refused, parse_number},
    playable::Playable,
    registry::EvaluatorEntry,
};
use std::time::Duration;

/// Bytes of the longest request.
pub(crate) const MAX_REQUEST: usize = 1 << 16;
/// Plies of a game that is judged.
pub(crate) const MAX_PLIES: usize = 600;
/// Evaluators of one request.
pub(crate) const MAX_EVALUATORS: usize = 16;
/// Plies of one search.
const DEPTH: f64 = 12.0;
/// MiB of one search.
const MEMORY: f64 = 64.0;

/// What a request may cost.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Threads of one search.
    pub threads: u32,
    /// Milliseconds of one search.
    pub milliseconds: f64,
    /// Simulations of one search.
    pub simulations: u32,
    /// Roll-outs of a move.
    pub games: u32,
    /// The time of a whole request, but for the search that is under way when it ends.
    pub whole: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            threads: 2,
            milliseconds: 5000.0,
            simulations: 50_000,
            games: 1000,
            whole: Duration::from_secs(60),
        }
    }
}

/// Searches of the Star family, which a limit of time ends at any depth.
const STARS: [&str; 8] = [
    "star0",
    "star0.5",
    "star1",
    "star2",
    "minimax",
    "alphabeta",
    "maxn",
    "bestreply",
];

/// Evaluators that play whole games for each value.
const SLOW: [&str; 1] = ["mrmonte"];

/// Players that take the same keys.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Star,
    Tree,
    Rollout,
    /// None at all.
    Plain,
}

impl Bounds {
    /// A player that may be asked: its notation with what bounds it.
    ///
    /// # Errors
    /// If it, or anything in it, is not among what a request may name, or exceeds these bounds.
    pub fn player<G: Playable>(&self, text: &str) -> Result<String, Problem> {
        let player = read(text).and_then(|notation| self.bounded::<G>(notation));
        let player = player.map_err(|refused| of_text("player", text, refused))?;
        Ok(player.to_string())
    }

    fn bounded<G: Playable>(&self, mut notation: Notation) -> Result<Notation, Refused> {
        let name = notation.name.clone();
        let plain = G::players().iter().filter(|own| own.parameters.is_empty());
        let plain = plain.map(|own| own.name).chain(["random"]);
        let plain: Vec<&str> = plain.collect();
        // Arguments without a key stand in this order.
        let (family, places): (_, &[&str]) = match &*name {
            star if STARS.contains(&star) => (Family::Star, &["depth", "eval"]),
            "mcts" => (Family::Tree, &["sims"]),
            "rollout" if has_chance::<G>() => (Family::Rollout, &["eval"]),
            other if plain.contains(&other) => (Family::Plain, &[]),
            _ => {
                let rollout = if has_chance::<G>() { ", rollout" } else { "" };
                let (stars, plain) = (STARS.join(", "), plain.join(", "));
                let names = format!("{stars}, mcts{rollout}, {plain}");
                let meant = suggestion(&name, &names);
                return Err(notation.wrong(format!(
                    "there is no player '{name}' here{meant}; there are {names}"
                )));
            }
        };
        let mut places = places.iter();
        for argument in &mut notation.arguments {
            let wrong = |problem: String| (argument.character, problem);
            let key = argument.key.clone();
            let key = key.or_else(|| places.next().map(|&place| place.to_owned()));
            let key = key.ok_or_else(|| wrong(format!("{name}: name the key of this value")))?;
            let checked = self.check::<G>(family, &key, &argument.value);
            checked.ok_or_else(|| {
                wrong(format!(
                    "{name} takes no '{key}' here (docs/reference/api.md)"
                ))
            })??;
            argument.key = Some(key);
        }
        let says = |key: &str| notation.says(key).is_some();
        let timed = says("ms") || says("cpu_ms");
        let limited = timed || says("nodes");
        let whole_depth = name == "star2" && !limited && says("depth") && !says("probcut");
        // What is not said: for a Star search its time, and without any limit its depth; a depth
        // alone means all of it.
        let unsaid = [
            (Family::Star, "ms", self.milliseconds, !timed),
            (Family::Star, "depth", 3.0, !limited && !says("depth")),
            (Family::Star, "probcut", 0.0, whole_depth),
            (Family::Tree, "memory", MEMORY, !says("memory")),
            (Family::Rollout, "games", self.games.into(), !says("games")),
        ];
        for (of, key, value, is_unsaid) in unsaid {
            if of == family && is_unsaid {
                notation = notation.with(key, Notation::new(value.to_string()));
            }
        }
        Ok(notation)
    }

    /// Of a player that deepens by plies and time alone: its notation without depth, the depth
    /// before which it may tell what it has found, and the time for that, a third of its own.
    pub(crate) fn deepening(&self, player: &str) -> Option<(Notation, u32, Duration)> {
        let notation = Notation::parse(player).ok()?;
        let number = |wanted: &str| notation.says(wanted)?.name.parse::<f64>().ok();
        let is_plain = |argument: &Argument| {
            let key = argument.key.as_deref();
            matches!(key, Some("depth" | "ms" | "eval" | "threads" | "table"))
        };
        // What is beyond the bounds is refused at once.
        let time = number("ms");
        let depth = number("depth").or(time.map(|_| DEPTH));
        let depth = depth.filter(|&depth| depth <= DEPTH)?;
        let time = time.unwrap_or(self.milliseconds) / 3000.0;
        let time = Duration::try_from_secs_f64(time).ok()?;
        let is_star = STARS.contains(&notation.name.as_str());
        if !is_star || !notation.arguments.iter().all(is_plain) {
            return None;
        }
        Some((notation.without(&["depth"]), depth as u32, time))
    }

    /// Whether a kind of player may have such a value; `None` if it takes no such key.
    fn check<G: Playable>(
        &self,
        family: Family,
        key: &str,
        value: &Notation,
    ) -> Option<Result<(), Refused>> {
        use Family::{Rollout, Star, Tree};
        let (least, most) = match (family, key) {
            (Tree, "leaf") if value.to_string() == "playout" => return Some(Ok(())),
            (Star | Rollout, "eval") | (Tree, "prior" | "leaf") => {
                return Some(listed::<G>(value));
            }
            // Whoever reads the notation takes certain words and numbers for these, none that cost.
            (
                Star,
                "order" | "negascout" | "nodes" | "step" | "aspiration" | "probcut" | "width",
            )
            | (Tree, "exploration" | "c" | "rave" | "expand")
            | (Tree, "batch" | "solver" | "graph")
            | (Rollout, "error" | "plies") => return Some(Ok(())),
            (Star | Tree, "ms" | "cpu_ms") => (0.01, self.milliseconds),
            (Star | Tree, "threads") => (1.0, self.threads.into()),
            (Star, "depth") => (1.0, DEPTH),
            (Star, "table") => (0.0, MEMORY),
            (Tree, "memory") => (1.0, MEMORY),
            (Tree, "sims") => (1.0, self.simulations.into()),
            (Rollout, "games") => (1.0, self.games.into()),
            _ => return None,
        };
        Some(parse_number(key, value, least..=most).map(drop))
    }
}

/// An evaluator that may be asked.
///
/// # Errors
/// As [`Bounds::player`].
pub(crate) fn evaluator<G: Playable>(text: &str) -> Result<Notation, Problem> {
    let read = read(text).and_then(|notation| listed::<G>(&notation).map(|()| notation));
    read.map_err(|refused| of_text("evaluator", text, refused))
}

fn read(text: &str) -> Result<Notation, Refused> {
    Notation::parse(text).map_err(|error| (error.character, error.problem))
}

/// What is wrong at a character of a notation.
pub(crate) fn of_text(what: &str, text: &str, (character, problem): Refused) -> Problem {
    let text = shortened(text, 200);
    Problem::wrong(format!("{what} '{text}', character {character}: {problem}"))
}

/// The evaluators of a game that a request may name, but for `best` and `random`.
pub(crate) fn evaluators<G: Playable>() -> impl Iterator<Item = &'static EvaluatorEntry<G>> {
    let entries = G::evaluators().iter();
    entries.filter(|entry| !SLOW.contains(&entry.name))
}

/// Whether a request may name this evaluator: a listed one, whose arguments are numbers and words.
fn listed<G: Playable>(notation: &Notation) -> Result<(), Refused> {
    const KEYS: [&str; 8] = [
        "slope", "offset", "scale", "factor", "block", "threat", "view", "seed",
    ];
    let name = notation.name.as_str();
    let listed = evaluators::<G>().any(|entry| entry.name == name || entry.aliases.contains(&name));
    if !listed && !["best", "random"].contains(&name) {
        let names = evaluators::<G>().map(|entry| entry.name);
        let names = names.chain(["best", "random"]).collect::<Vec<_>>();
        let names = names.join(", ");
        let meant = suggestion(name, &names);
        return Err(notation.wrong(format!(
            "there is no evaluator '{name}' here{meant}; there are {names}"
        )));
    }
    let is_wrong = |argument: &&Argument| {
        let key = argument.key.as_deref().unwrap_or_default();
        !KEYS.contains(&key) || !argument.value.arguments.is_empty()
    };
    let wrong = notation.arguments.iter().find(is_wrong).map(|wrong| {
        let problem = format!("here evaluators take only {}", KEYS.join(", "));
        (wrong.character, problem)
    });
    wrong.map_or(Ok(()), Err)
}
