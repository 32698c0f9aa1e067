//! Finds the type of a game by its name ([`engine::for_games!`]), for code that is generic over the
//! game ([`with_game!`]).

use anyhow::{Result, anyhow, bail};
use arena::matches::Starts;
use arena::setup_starts::Setups;
use engine::core::{
    files::{self, FileKind},
    text,
};
use engine::games::einstein::Standard;
use engine::play::{
    playable::{Playable, Rules, rules_from_notation},
    player_notation::{Notation, Problem, Text, trusted_text},
    registry::EvaluatorEntry,
};
use std::{
    any::Any,
    path::{Path, PathBuf},
    sync::Arc,
};
use trainer::data::{json_lines, shards_of};
use trainer::shard;

/// Evaluates `$body` with `$game` as the rules that `$text` names, such as
/// `einstein(variant=nearest)`. Text typed by the user is marked by [`trusted_text`].
macro_rules! with_game {
    ($text:expr, $game:ident => $body:expr) => {
        $crate::games::with_type!($text, OneGame => {
            let $game: OneGame = $crate::games::parse_game($text)?;
            $body
        })
    };
}
pub(crate) use with_game;

/// Evaluates `$body` with `$game` as the type of the game that `$text` names; ignores parameters.
macro_rules! with_type {
    ($text:expr, $game:ident => $body:expr) => {
        engine::for_games!($crate::games::match_game_type! $text, $game => $body)
    };
}
pub(crate) use with_type;

macro_rules! match_game_type {
    ([$($name:ident = $type:ty),* $(,)?] $text:expr, $game:ident => $body:expr) => {
        match $crate::games::parse($text)?.name.as_str() {
            $(name if name == <$type as engine::play::rules::Rules>::INFO.name => {
                type $game = $type;
                $body
            })*
            name => Err($crate::games::unknown_game(name)),
        }
    };
}
pub(crate) use match_game_type;

macro_rules! each_game {
    ([$($name:ident = $type:ty),* $(,)?] $game:ident => $body:expr) => {
        [$({ type $game = $type; $body }),*]
    };
}
pub(crate) use each_game;

pub(crate) const DEFAULT_GAME: &str = Standard::INFO.name;

/// Which game is played, and by which rules.
#[derive(clap::Args)]
pub struct GameArguments {
    /// The game, with parameters if need be: "einstein(variant=nearest)"
    #[arg(long, default_value = DEFAULT_GAME, value_name = "GAME")]
    game: String,
    /// Short for --game "einstein(variant=...)": with the rolled stone gone, 'classic' next higher
    /// or lower, 'nearest' the nearest number only
    #[arg(long, value_parser = ["classic", "nearest"], conflicts_with = "game")]
    variant: Option<String>,
}

/// Function that is generic over the game, for [`GameArguments::run`].
pub trait GameTask {
    /// Runs with the rules `game`.
    ///
    /// # Errors
    /// If the task fails.
    fn run<G: Playable>(&self, game: &G) -> Result<()>;
}

impl GameArguments {
    /// Runs `task` with the rules that the arguments name.
    ///
    /// # Errors
    /// If there is no such game, or the task fails.
    pub fn run(&self, task: &impl GameTask) -> Result<()> {
        with_game!(trusted_text(&self.notation()), game => task.run(&game))
    }

    /// Notation of the game and its parameters.
    #[must_use]
    pub fn notation(&self) -> String {
        match &self.variant {
            Some(variant) => format!("{}(variant={variant})", Standard::INFO.name),
            None => self.game.clone(),
        }
    }

    /// Rules of game `G`; if the arguments name another game, an error with the reason `what`.
    pub fn require<G: Playable>(&self, what: &str) -> Result<G> {
        let notation = self.notation();
        if parse(&notation)?.name != G::INFO.name {
            bail!(
                "--game {notation}: {what}, so there is only --game {}",
                G::INFO.name
            );
        }
        parse_game(trusted_text(&notation))
    }
}

pub(crate) fn parse<'t>(text: impl Into<Text<'t>>) -> Result<Notation> {
    let text = text.into();
    let read = Notation::parse(text);
    read.map_err(|error| problem(text.as_str(), (error.character, error.problem)))
}

pub(crate) fn parse_game<'t, G: Playable>(text: impl Into<Text<'t>>) -> Result<G> {
    let text = text.into();
    let game = rules_from_notation(&parse(text)?, None);
    game.map_err(|found| problem(text.as_str(), found))
}

pub(crate) fn from_notation<G: Playable>(notation: &Notation) -> Result<G> {
    let game = rules_from_notation(notation, None);
    game.map_err(|found| problem(&notation.to_string(), found))
}

fn problem(text: &str, (character, problem): Problem) -> anyhow::Error {
    anyhow!("game '{text}', character {character}: {problem}")
}

/// `text(name of the game)`; empty for the default game.
pub(crate) fn unless_default<G: Playable>(text: impl FnOnce(&str) -> String) -> String {
    if G::INFO.name == Standard::INFO.name {
        String::new()
    } else {
        text(G::INFO.name)
    }
}

pub(crate) fn unknown_game(name: &str) -> anyhow::Error {
    let names_of_games = game_synopses().join(", ");
    let meant = text::suggestion(name, &names_of_games);
    anyhow!("there is no game '{name}'{meant}; there are {names_of_games}")
}

type ReadStarts<G> = fn(&str) -> Result<Arc<dyn Starts<G>>>;

/// Parses set-ups of EinStein, from the file named `text` if there is one.
pub fn parse_setups(text: &str) -> Result<Setups> {
    let list = Path::new(text);
    Ok(if list.is_file() {
        Setups::read_list(Some(list))?
    } else {
        text.parse()?
    })
}

/// Parses `--setups`; fails for games without set-ups.
pub(crate) fn parse_starts<G: Playable>(text: &str) -> Result<Arc<dyn Starts<G>>> {
    let read: ReadStarts<Standard> = |text| Ok(Arc::new(parse_setups(text)?));
    match (&read as &dyn Any).downcast_ref::<ReadStarts<G>>() {
        Some(read) => read(text),
        None => bail!(
            "--setups: {} has none; its games begin with --opening-plies",
            G::INFO.name
        ),
    }
}

/// Game of the first shard or text file that names one; else the default game, whose reader then
/// reports the error.
pub(crate) fn game_of_records(paths: &[PathBuf]) -> String {
    let shards = shards_of(paths).unwrap_or_default();
    let of_shard =
        |path: &PathBuf| shard::game_notation(path, &files::read(path, FileKind::Data).ok()?).ok();
    let of_text = || {
        paths
            .iter()
            .find_map(|path| json_lines::game_notation(path))
    };
    let mut shards = shards
        .iter()
        .filter(|path| !json_lines::is_json_lines(path));
    let game = shards.find_map(of_shard).or_else(of_text);
    game.unwrap_or_else(|| Standard::INFO.name.to_owned())
}

pub(crate) fn game_synopses() -> Vec<String> {
    Vec::from(engine::for_games!(crate::games::each_game! OneGame => OneGame::INFO.synopsis()))
}

pub(crate) fn evaluators() -> String {
    fn of_game<G: Playable>() -> String {
        let line = |entry: &EvaluatorEntry<G>| {
            let aliases = entry.aliases.iter().map(|name| format!(", {name}"));
            let aliases: String = aliases.collect();
            let parameters = match entry.parameters {
                "" => String::new(),
                parameters => format!("({parameters})"),
            };
            let name = format!("{}{aliases}{parameters}", entry.name);
            format!("\n  {name:<46} {}", entry.help)
        };
        let lines: String = G::registry().evaluators.iter().map(line).collect();
        format!("Evaluators of {}:{lines}\n\n", G::INFO.name)
    }
    let lists =
        engine::for_games!(crate::games::each_game! OneGame => of_game::<OneGame>()).concat();
    format!(
        "{lists}Evaluators of every game:\n  {:<46} a hash of the position\n  {:<46} a learned model\n  \
         {:<46} the learned model that comes with this program\n\n\
         Hand-made scores take slope and offset, or scale=raw and factor\n(docs/reference/players.md).",
        "random(seed)", "model:NAME or PATH", "best"
    )
}
