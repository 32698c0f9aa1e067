//! `Rules`: parameters, starts and length of a game, beyond what search needs.

use super::{
    game_info::GameInfo,
    notation::{Arguments, Notation, PlayerError, Problem, Text},
};
use alea_core::{game::Seat, random::RandomStream, search_game::SearchGame};

/// A game with parameters, starts and a bounded length.
pub trait Rules: SearchGame {
    /// The game's constants.
    const INFO: &'static GameInfo;

    /// The rules with the parameters in `--game "name(key=value)"`.
    ///
    /// # Errors
    /// If a parameter has no such value. Unread parameters are left to the caller.
    fn from_arguments(arguments: &mut Arguments<'_>) -> Result<Self, Problem>;

    /// Like [`Rules::from_arguments`], but on the map of a record instead of a file's.
    ///
    /// # Errors
    /// As [`Rules::from_arguments`], or if the game has no maps or the text is no map.
    fn from_map(arguments: &mut Arguments<'_>, map: &str) -> Result<Self, Problem> {
        let _ = (arguments, map);
        Err((1, format!("{} has no maps", Self::INFO.name)))
    }

    /// The text of the map, which records contain; `None` if boards are not read from files.
    fn map(&self) -> Option<String> {
        None
    }

    /// The parameters that differ from the defaults: `variant=nearest`; empty for default rules.
    fn parameters(&self) -> String {
        String::new()
    }

    /// Name and parameters: `reversi`, `reversi(size=6)`.
    fn notation(&self) -> String {
        match self.parameters() {
            none if none.is_empty() => Self::INFO.name.to_owned(),
            parameters => format!("{}({parameters})", Self::INFO.name),
        }
    }

    /// The rules of a [`Rules::notation`], on a map if its text is given.
    ///
    /// # Errors
    /// If the notation is of another game, a parameter is wrong, or one names a file and the text
    /// is not [trusted](super::notation::trusted).
    fn from_notation<'t>(
        text: impl Into<Text<'t>>,
        map: Option<&str>,
    ) -> Result<Self, PlayerError> {
        let text = text.into();
        let rules = Self::of_notation(&Notation::parse(text)?, map);
        rules.map_err(|problem| PlayerError::of(text, problem))
    }

    /// Like [`Rules::from_notation`], from a parsed notation.
    ///
    /// # Errors
    /// As [`Rules::from_notation`].
    fn of_notation(notation: &Notation, map: Option<&str>) -> Result<Self, Problem> {
        let mut arguments = Arguments::of(notation);
        let rules = if notation.name != Self::INFO.name {
            let (found, name) = (&notation.name, Self::INFO.name);
            Err(notation.wrong(format!("the game is '{found}', not '{name}'")))
        } else if let Some(map) = map {
            Self::from_map(&mut arguments, map)
        } else {
            Self::from_arguments(&mut arguments)
        };
        rules.and_then(|rules| arguments.finish().map(|_| rules))
    }

    /// The size of the board; `None` without sizes.
    fn board_size(&self) -> Option<usize> {
        None
    }

    /// Upper bound of the number of plies of a game.
    fn max_plies(&self) -> u16;

    /// How much of the game remains, in [`GameInfo::remaining_unit`], for phases and buckets of
    /// models.
    fn remaining(&self, position: &Self::Position) -> usize;

    /// A random first position; `first` begins unless the rules fix the seat that does.
    fn random_start(&self, random: &mut RandomStream, first: Seat) -> Self::Position;

    /// A strong start, determined by the seed; `None` for games without a choice of set-ups.
    fn strong_start(&self, seed: u64) -> Option<Self::Position> {
        let _ = seed;
        None
    }

    /// A random unfinished position with `first` to move, whose [`Rules::remaining`] is uniform
    /// within the range (ends included); `None` if the game has no such generator.
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
