//! The games that can be played at the board: their types, names, players to meet, and how much
//! exact knowledge a request may use.
//!
//! Invariant: a request names a game of this list or one with other parameters that name no file.

use crate::api::Problem;
use crate::limits::problem_in;
use engine::games::{
    einstein::{Position, Standard, Variant, setup::setup_index, tables::cache::cached_stones},
    havannah::Havannah,
    reversi::Reversi,
    reversixt::{MAPS, ReversiXt},
};
use engine::play::{
    notation::{Argument, Notation},
    playable::Playable,
};

/// Puzzles of EinStein's classic rules.
const PUZZLES: &str = include_str!("../../data/puzzles/einstein.jsonl");

/// Pairs of EinStein's best set-ups, a line each.
const BEST_SETUPS: &str = include_str!("../../data/setups/best.txt");

/// A game at the board.
pub trait OnBoard: Playable {
    /// How it is offered: the usual rules first.
    const GAME_NOTATIONS: &'static [&'static str];

    /// Players to meet, the weakest first. `EVAL` is the game's best evaluator, `HAND` its usual
    /// one.
    const LEVELS: &'static [(&'static str, &'static str)] = &[
        ("beginner", "random"),
        ("easy", "star1(depth=1, eval=HAND)"),
        ("medium", "star2(depth=2, eval=HAND)"),
        ("hard", "star2(depth=3, eval=EVAL)"),
        ("strong", "star2(depth=5, probcut=0, eval=EVAL)"),
    ];

    /// One of the best set-ups against another, where a game has several.
    fn best_start(&self, _seed: u64) -> Option<Self::Position> {
        None
    }

    /// Positions with one best move, a line each ([`crate::puzzles`]).
    fn puzzles(&self) -> &'static str {
        ""
    }

    /// The value of the key of its oracle, for what is known exactly in no time.
    fn known(&self) -> Option<String> {
        None
    }
}

impl OnBoard for Standard {
    const GAME_NOTATIONS: &'static [&'static str] = &["einstein", "einstein(variant=nearest)"];

    fn best_start(&self, seed: u64) -> Option<Position> {
        let lines = BEST_SETUPS.lines().filter(|line| !line.starts_with('#'));
        let pairs: Vec<&str> = lines.collect();
        let (red, blue) = pairs[(seed % pairs.len() as u64) as usize].split_once(':')?;
        let number =
            |text: &str| setup_index(&text.bytes().map(|stone| stone - b'0').collect::<Vec<u8>>());
        Some(self.start([number(red)?, number(blue)?], 0))
    }

    fn puzzles(&self) -> &'static str {
        match self.variant() {
            Variant::Classic => PUZZLES,
            Variant::NearestOnly => "",
        }
    }

    /// Tables of 4 stones are made in memory in a fraction of a second; more are read.
    fn known(&self) -> Option<String> {
        Some(cached_stones(self.variant()).max(4).to_string())
    }
}

impl OnBoard for Reversi {
    const GAME_NOTATIONS: &'static [&'static str] =
        &["reversi", "reversi(size=6)", "reversi(size=4)"];

    /// So many empty squares are solved in milliseconds.
    fn known(&self) -> Option<String> {
        Some("8".to_owned())
    }
}

impl OnBoard for Havannah {
    const GAME_NOTATIONS: &'static [&'static str] =
        &["havannah(base=4)", "havannah(base=6)", "havannah(base=8)"];
    const LEVELS: &'static [(&'static str, &'static str)] = &[
        ("beginner", "random"),
        ("easy", "mcts(sims=50)"),
        ("medium", "mcts(sims=300)"),
        ("hard", "mcts(sims=2000)"),
        ("strong", "mcts(sims=30000)"),
    ];
}

impl OnBoard for ReversiXt {
    const GAME_NOTATIONS: &'static [&'static str] =
        &["reversixt", "reversixt(map=three)", "reversixt(map=four)"];
}

/// Parameters of games that a request may give; others name files, and so do maps but for
/// [`MAPS`].
const PARAMETERS: [&str; 5] = ["variant", "size", "base", "swap", "map"];

/// Calls a macro with the types of all games.
macro_rules! for_board_games {
    ($macro:ident $($arguments:tt)*) => {
        $crate::games::$macro!(
            [
                engine::games::einstein::Standard,
                engine::games::reversi::Reversi,
                engine::games::havannah::Havannah,
                engine::games::reversixt::ReversiXt
            ]
            $($arguments)*
        )
    };
}
pub(crate) use for_board_games;

/// Runs an expression with the game of a text, within a function that fails if there is none.
macro_rules! with_board_game {
    ([$($type:ty),*] $text:expr, $game:ident => $body:expr) => {
        match $crate::games::parse($text)?.name.as_str() {
            $(<$type as engine::play::playable::Playable>::NAME => {
                let $game = &$crate::games::read::<$type>($text)?;
                $body
            })*
            name => {
                let known = [$(<$type as engine::play::playable::Playable>::NAME),*].join(", ");
                let meant = engine::core::text::suggestion(name, &known);
                Err($crate::api::Problem::wrong(format!(
                    "there is no game '{name}'{meant}; there are {known}"
                )))
            }
        }
    };
}
pub(crate) use with_board_game;

/// The results of a function of every game, in order.
macro_rules! each_board_game {
    ([$($type:ty),*] $function:ident) => {
        [$($function::<$type>()),*].concat()
    };
}
pub(crate) use each_board_game;

/// The notation of a game that a request may name.
pub(crate) fn parse(text: &str) -> Result<Notation, Problem> {
    let notation = Notation::parse(text).map_err(Problem::wrong)?;
    let is_wrong = |argument: &&Argument| {
        let key = argument.key.as_deref().unwrap_or_default();
        let is_map = |(name, _): &(&str, &str)| *name == argument.value.name;
        !PARAMETERS.contains(&key)
            || !argument.value.arguments.is_empty()
            || key == "map" && !MAPS.iter().any(is_map)
    };
    if let Some(wrong) = notation.arguments.iter().find(is_wrong) {
        let (keys, maps) = (PARAMETERS.join(", "), MAPS.map(|(name, _)| name).join(", "));
        let problem = format!("here games take only {keys}; maps are {maps}");
        return Err(problem_in("game", text, (wrong.character, problem)));
    }
    Ok(notation)
}

/// A game of this type with the parameters of a notation.
pub(crate) fn read<G: Playable>(text: &str) -> Result<G, Problem> {
    let read = G::from_notation(text, None);
    read.map_err(|error| problem_in("game", text, (error.character, error.problem)))
}
