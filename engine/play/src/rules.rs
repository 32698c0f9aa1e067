//! Rules of a game beyond what search needs: parameters, starts, length.

use super::{
    game_info::GameInfo,
    player_notation::{Arguments, Notation, NotationError, Problem, Text},
    points::Points,
};
use alea_core::{game::Seat, random::RandomStream, search_game::SearchGame};

/// A game with parameters, start positions and a bounded length.
pub trait Rules: SearchGame {
    /// Names, units, presets and defaults.
    const INFO: &'static GameInfo;

    /// Reads rule parameters, such as those of `--game "reversi(size=6)"`.
    ///
    /// # Errors
    /// If a parameter has an invalid value. The caller refuses unread parameters.
    fn from_arguments(arguments: &mut Arguments<'_>) -> Result<Self, Problem>;

    /// [`Rules::from_arguments`] with a map given as text, from a record, instead of a file.
    ///
    /// # Errors
    /// As [`Rules::from_arguments`], or if the game has no maps or the text is not one.
    fn from_map(arguments: &mut Arguments<'_>, map: &str) -> Result<Self, Problem> {
        let _ = (arguments, map);
        Err((1, format!("{} has no maps", Self::INFO.name)))
    }

    /// Text of the map, for records; `None` in games without maps.
    fn map_text(&self) -> Option<String> {
        None
    }

    /// Parameters that differ from the defaults, such as `variant=nearest`.
    fn parameters(&self) -> String {
        String::new()
    }

    /// Name and parameters, such as `reversi` or `reversi(size=6)`.
    fn notation(&self) -> String {
        match self.parameters() {
            none if none.is_empty() => Self::INFO.name.to_owned(),
            parameters => format!("{}({parameters})", Self::INFO.name),
        }
    }

    /// Parses a [`Rules::notation`]; `map` is the text of the map, if any.
    ///
    /// # Errors
    /// If the game or a parameter is wrong, or a file is named without being
    /// [trusted](super::player_notation::trusted_text).
    fn from_notation<'t>(
        text: impl Into<Text<'t>>,
        map: Option<&str>,
    ) -> Result<Self, NotationError> {
        let text = text.into();
        let rules = rules_from_notation(&Notation::parse(text)?, map);
        rules.map_err(|problem| NotationError::from_problem(text, problem))
    }

    /// Points that results pay; `None` if a win is worth 1, a draw ½ and a loss 0.
    fn points(&self) -> Option<Points> {
        None
    }

    /// Default options of the player `mcts`, such as `leaf=playout, rave=1000`.
    fn mcts_defaults(&self) -> &'static str {
        ""
    }

    /// Board size; `None` in games with one size.
    fn board_size(&self) -> Option<usize> {
        None
    }

    /// Upper bound of the length of a game in plies.
    fn max_plies(&self) -> u16;

    /// Rest of the game in [`GameInfo::remaining_unit`], for phases and buckets of models.
    fn remaining_length(&self, position: &Self::Position) -> usize;

    /// Index of the position's part in [`GameInfo::parts`]; 0 if that is empty.
    fn part(&self, position: &Self::Position) -> usize {
        let _ = position;
        0
    }

    /// A random start with `first` to move, unless the rules fix the first seat.
    fn random_start(&self, random: &mut RandomStream, first: Seat) -> Self::Position;

    /// A strong start determined by `seed`; `None` in games without a choice of set-ups.
    fn strong_start(&self, seed: u64) -> Option<Self::Position> {
        let _ = seed;
        None
    }

    /// A random unfinished position with `first` to move and [`Rules::remaining_length`] uniform
    /// within `remaining`; `None` if the game has no generator.
    fn random_endgame(
        &self,
        remaining: [usize; 2],
        first: Seat,
        random: &mut RandomStream,
    ) -> Option<Self::Position> {
        let _ = (remaining, first, random);
        None
    }
}

/// Creates the rules of a parsed notation, as [`Rules::from_notation`] does.
///
/// # Errors
/// Those of [`Rules::from_notation`].
pub fn rules_from_notation<G: Rules>(notation: &Notation, map: Option<&str>) -> Result<G, Problem> {
    let mut arguments = Arguments::of(notation);
    let rules = if notation.name != G::INFO.name {
        let (found, name) = (&notation.name, G::INFO.name);
        Err(notation.problem_here(format!("the game is '{found}', not '{name}'")))
    } else if let Some(map) = map {
        G::from_map(&mut arguments, map)
    } else {
        G::from_arguments(&mut arguments)
    };
    rules.and_then(|rules| arguments.finish().map(|_| rules))
}
