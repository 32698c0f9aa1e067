//! `Rules`: parameters, starts and length of a game, beyond what search needs.

use super::{
    game_info::GameInfo,
    notation::{Arguments, Notation, PlayerError, Problem, Text},
};
use crate::core::{game::Seat, random::RandomStream, search_game::SearchGame};

/// A game with parameters, starts and a bounded length.
pub trait Rules: SearchGame {
    /// Constants of the game.
    const INFO: &'static GameInfo;

    /// The rules with the parameters of `--game "name(key=value)"`.
    ///
    /// # Errors
    /// If a parameter has no such value. Unread parameters are left to the caller.
    fn from_arguments(arguments: &mut Arguments<'_>) -> Result<Self, Problem>;

    /// As [`Rules::from_arguments`], on the map of a record instead of the file that a parameter
    /// names.
    ///
    /// # Errors
    /// As [`Rules::from_arguments`], or if the game has no maps or the text is none.
    fn from_map(arguments: &mut Arguments<'_>, map: &str) -> Result<Self, Problem> {
        let _ = (arguments, map);
        Err((1, format!("{} has no maps", Self::INFO.name)))
    }

    /// The text of the map, for games whose boards are read from files; records contain it.
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

    /// The rules of a [`Rules::notation`], with the text of the map if there is one.
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

    /// As [`Rules::from_notation`], of a parsed notation.
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

    /// The size of the board, if it has one.
    fn board_size(&self) -> Option<usize> {
        None
    }

    /// Upper bound of the plies of a game.
    fn max_plies(&self) -> u16;

    /// The rest of the game in [`GameInfo::remaining_unit`], for tables by phase.
    fn remaining(&self, position: &Self::Position) -> usize;

    /// The first position of a game in which `first` begins, unless the rules fix the first seat.
    fn random_start(&self, random: &mut RandomStream, first: Seat) -> Self::Position;

    /// A strong start of the seed, for games in which players choose their set-ups.
    fn strong_start(&self, seed: u64) -> Option<Self::Position> {
        let _ = seed;
        None
    }

    /// A random unfinished position with `first` to move and so much left, all numbers within the
    /// range (ends included) equally likely; `None` if the game has no such generator.
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
