//! What a request may cost, and which players and evaluators it may name.
//!
//! What is not listed here is refused: other programs, files, models, tables, and options whose
//! cost nobody bounds. Invariant: a notation that comes back from [`Bounds::player`] and
//! [`Bounds::evaluator`] names nothing but what is listed, and every search in it has a limit.

use crate::api::Problem;
use engine::core::game::OutcomeList;
use engine::play::{
    notation::{Argument, Notation, parse_number},
    playable::Playable,
    registry::EvaluatorEntry,
};
use std::{ops::RangeInclusive, time::Duration};

/// What a request may cost.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Threads of one search.
    pub threads: u32,
    /// MiB of one search.
    pub memory: u32,
    /// Milliseconds of one search.
    pub milliseconds: f64,
    /// Plies of one search.
    pub depth: u32,
    /// Simulations of one search.
    pub simulations: u32,
    /// Roll-outs of a move.
    pub games: u32,
    /// Plies of a game that is judged.
    pub plies: usize,
    /// Evaluators of one request.
    pub evaluators: usize,
    /// The time of a whole request, but for the search that is under way when it ends.
    pub whole: Duration,
    /// Whether whoever asks runs this program himself: then any player may be named.
    pub trusts: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            threads: 2,
            memory: 64,
            milliseconds: 5000.0,
            depth: 12,
            simulations: 50_000,
            games: 1000,
            plies: 600,
            evaluators: 16,
            whole: Duration::from_secs(60),
            trusts: false,
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

/// What is wrong, and at which character.
type Refused = (usize, String);

/// What a value may be.
enum Kind {
    Number(RangeInclusive<f64>),
    /// A word that names no file: letters and `:`.
    Word,
    Evaluator,
    /// An evaluator, or random games.
    Leaf,
}

impl Bounds {
    /// A player that may be asked: its notation with what bounds it.
    ///
    /// # Errors
    /// If it, or anything in it, is not among what a request may name, or exceeds these bounds.
    pub fn player<G: Playable>(&self, text: &str) -> Result<String, Problem> {
        if self.trusts {
            return Ok(text.to_owned());
        }
        self.read_player::<G>(text)
            .map_err(|(character, problem)| refused("player", text, character, &problem))
    }

    fn read_player<G: Playable>(&self, text: &str) -> Result<String, Refused> {
        let mut notation =
            Notation::parse(text).map_err(|error| (error.character, error.problem))?;
        let name = notation.name.clone();
        let is_star = STARS.contains(&&*name);
        // Arguments without a key stand in this order.
        let places: &[&str] = match &*name {
            _ if is_star => &["depth", "eval"],
            "mcts" => &["sims"],
            "rollout" => &["eval"],
            _ => &[],
        };
        let has_chance = G::Outcomes::BOUND > 1;
        let plain = G::players()
            .iter()
            .filter(|entry| entry.parameters.is_empty())
            .map(|entry| entry.name);
        let plain: Vec<&str> = plain.collect();
        let takes: fn(&Self, &str) -> Option<Kind> = match &*name {
            _ if is_star => Self::of_star,
            "mcts" => Self::of_tree,
            "rollout" if has_chance => Self::of_rollout,
            "random" => |_, _| None,
            other if plain.contains(&other) => |_, _| None,
            _ => {
                let rollout = if has_chance { ", rollout" } else { "" };
                let plain: String = plain.iter().map(|name| format!(", {name}")).collect();
                return Err(notation.wrong(format!(
                    "there is no player '{name}' here; there are {}, mcts{rollout}, random{plain}",
                    STARS.join(", ")
                )));
            }
        };
        let mut places = places.iter();
        for argument in &mut notation.arguments {
            let wrong = |problem: String| (argument.character, problem);
            let key = match &argument.key {
                Some(key) => key.clone(),
                None => {
                    let place = places.next();
                    let place = place
                        .ok_or_else(|| wrong(format!("{name}: name the key of this value")))?;
                    (*place).to_owned()
                }
            };
            let kind = takes(self, &key)
                .ok_or_else(|| wrong(format!("{name} takes no '{key}' here (docs/api.md)")))?;
            check::<G>(&key, &argument.value, kind)?;
            argument.key = Some(key);
        }
        let says = |key: &str| {
            let mut arguments = notation.arguments.iter();
            arguments.any(|argument| argument.key.as_deref() == Some(key))
        };
        let number = |value: f64| Notation::new(value.to_string());
        let timed = says("ms") || says("cpu_ms");
        let (probcut, memory, games) = (says("probcut"), says("memory"), says("games"));
        let only_depth = says("depth") && !timed && !says("nodes");
        if is_star && !timed {
            notation = notation.with("ms", number(self.milliseconds));
        }
        // A depth alone means all of it.
        if name == "star2" && only_depth && !probcut {
            notation = notation.with("probcut", number(0.0));
        }
        if is_star && !says_depth_or_limit(&notation, timed) {
            notation = notation.with("depth", number(3.0));
        }
        if name == "mcts" && !memory {
            notation = notation.with("memory", number(self.memory.into()));
        }
        if name == "rollout" && !games {
            notation = notation.with("games", number(self.games.into()));
        }
        Ok(notation.to_string())
    }

    /// The depth before which a search may tell what it has found, and the time for that, a third of
    /// its own; depth 0 where a player does not deepen, or not by plies and time alone.
    pub(crate) fn deepening(&self, player: &str) -> (u32, Duration) {
        let Ok(notation) = Notation::parse(player) else {
            return (0, Duration::ZERO);
        };
        let number = |wanted: &str| {
            let mut arguments = notation.arguments.iter();
            let found = arguments.find(|argument| argument.key.as_deref() == Some(wanted))?;
            found.value.name.parse::<f64>().ok()
        };
        let is_plain = |argument: &Argument| {
            let key = argument.key.as_deref();
            matches!(key, Some("depth" | "ms" | "eval" | "threads" | "table"))
        };
        let is_plain = notation.arguments.iter().all(is_plain);
        let time = number("ms").filter(|time| (0.0..=self.milliseconds).contains(time));
        // What is beyond the bounds is refused at once.
        let most = f64::from(self.depth);
        let depth = number("depth").unwrap_or(if time.is_some() { most } else { 0.0 });
        let may = is_plain && depth <= most && STARS.contains(&notation.name.as_str());
        let time = time.unwrap_or(self.milliseconds) / 3000.0;
        (
            if may { depth as u32 } else { 0 },
            Duration::from_secs_f64(time),
        )
    }

    /// What `depth` and its neighbours may be.
    fn of_star(&self, key: &str) -> Option<Kind> {
        Some(match key {
            "depth" => Kind::Number(1.0..=f64::from(self.depth)),
            "eval" => Kind::Evaluator,
            "ms" | "cpu_ms" => Kind::Number(0.01..=self.milliseconds),
            "nodes" => Kind::Number(1.0..=1e9),
            "threads" => Kind::Number(1.0..=self.threads.into()),
            "table" => Kind::Number(0.0..=self.memory.into()),
            "step" => Kind::Number(1.0..=16.0),
            "aspiration" => Kind::Number(0.0..=1.0),
            "probcut" => Kind::Number(0.0..=100.0),
            "width" => Kind::Number(1.0..=65535.0),
            "order" | "negascout" => Kind::Word,
            _ => return None,
        })
    }

    fn of_tree(&self, key: &str) -> Option<Kind> {
        Some(match key {
            "sims" => Kind::Number(1.0..=self.simulations.into()),
            "ms" | "cpu_ms" => Kind::Number(0.01..=self.milliseconds),
            "leaf" => Kind::Leaf,
            "prior" => Kind::Evaluator,
            "threads" => Kind::Number(1.0..=self.threads.into()),
            "memory" => Kind::Number(1.0..=self.memory.into()),
            "exploration" | "c" => Kind::Number(0.0..=100.0),
            "temperature" => Kind::Number(0.001..=1000.0),
            "rave" => Kind::Number(0.0..=1e9),
            "expand" => Kind::Number(1.0..=1e6),
            "batch" => Kind::Number(1.0..=256.0),
            "select" | "solver" | "graph" => Kind::Word,
            _ => return None,
        })
    }

    fn of_rollout(&self, key: &str) -> Option<Kind> {
        Some(match key {
            "eval" => Kind::Evaluator,
            "games" => Kind::Number(1.0..=self.games.into()),
            "error" => Kind::Number(1e-5..=1.0),
            "plies" => Kind::Number(0.0..=10_000.0),
            _ => return None,
        })
    }

    /// An evaluator that may be asked.
    ///
    /// # Errors
    /// As [`Bounds::player`].
    pub fn evaluator<G: Playable>(&self, text: &str) -> Result<Notation, Problem> {
        let read = Notation::parse(text).map_err(|error| (error.character, error.problem));
        read.and_then(|notation| evaluator::<G>(&notation).map(|()| notation))
            .map_err(|(character, problem)| refused("evaluator", text, character, &problem))
    }
}

/// Whether something other than the usual limit of time ends a search, or its depth does.
fn says_depth_or_limit(notation: &Notation, timed: bool) -> bool {
    let mut arguments = notation.arguments.iter();
    timed || arguments.any(|argument| matches!(argument.key.as_deref(), Some("depth" | "nodes")))
}

fn refused(what: &str, text: &str, character: usize, problem: &str) -> Problem {
    let text = engine::core::text::shortened(text, 200);
    Problem::wrong(format!("{what} '{text}', character {character}: {problem}"))
}

fn check<G: Playable>(key: &str, value: &Notation, kind: Kind) -> Result<(), Refused> {
    match kind {
        Kind::Number(range) => parse_number(key, value, range).map(|_| ()),
        Kind::Word => word(key, value),
        Kind::Leaf if value.name == "playout" && value.arguments.is_empty() => Ok(()),
        Kind::Evaluator | Kind::Leaf => evaluator::<G>(value),
    }
}

fn word(key: &str, value: &Notation) -> Result<(), Refused> {
    let letters = |letter: char| letter.is_ascii_alphanumeric() || letter == ':';
    if value.arguments.is_empty() && value.name.chars().all(letters) {
        return Ok(());
    }
    Err(value.wrong(format!("'{key}' is one word, not '{value}'")))
}

/// The evaluators of a game that a request may name, but for `best` and `random`.
pub(crate) fn evaluators<G: Playable>() -> impl Iterator<Item = &'static EvaluatorEntry<G>> {
    let entries = G::evaluators().iter();
    entries.filter(|entry| !SLOW.contains(&entry.name))
}

/// Whether a request may name this evaluator: a listed one, whose arguments are numbers and words.
fn evaluator<G: Playable>(notation: &Notation) -> Result<(), Refused> {
    const KEYS: [&str; 8] = [
        "slope", "offset", "scale", "factor", "block", "threat", "view", "seed",
    ];
    let name = notation.name.as_str();
    let listed = evaluators::<G>().any(|entry| entry.name == name || entry.aliases.contains(&name));
    if !listed && !["best", "random"].contains(&name) {
        let names: Vec<&str> = evaluators::<G>().map(|entry| entry.name).collect();
        return Err(notation.wrong(format!(
            "there is no evaluator '{name}' here; there are {}, best, random",
            names.join(", ")
        )));
    }
    let is_wrong = |argument: &&Argument| {
        let key = argument.key.as_deref().unwrap_or_default();
        !KEYS.contains(&key) || !argument.value.arguments.is_empty()
    };
    match notation.arguments.iter().find(is_wrong) {
        Some(wrong) => Err((
            wrong.character,
            format!("here evaluators take only {}", KEYS.join(", ")),
        )),
        None => Ok(()),
    }
}
