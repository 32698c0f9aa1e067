//! ReversiXT as a game to play and record.

use super::evaluators::EVALUATORS;
use super::map::{LARGEST, MOST_STOCK, Map};
use super::{Move, Position, ReversiXt, drawing};
use crate::core::game::{MAX_SEATS, Seat};
use crate::core::random::RandomStream;
use crate::core::text::TextError;
use crate::play::notation::{Arguments, Problem};
use crate::play::playable::{NoChance, Playable};
use crate::play::registry::EvaluatorEntry;
use std::sync::Arc;

/// The map that is meant where none is named: Reversi's board, with Reversi's start.
const USUAL: &str = include_str!("plain8.map");

impl ReversiXt {
    /// The rules on a map that a parameter names.
    fn on(arguments: &mut Arguments<'_>, text: Option<&str>) -> Result<Self, Problem> {
        let name = arguments.take_named("map")?;
        let at = name.map_or(1, |name| name.character);
        let wrong = |problem: String| (at, problem);
        let read = match (text, name) {
            (Some(text), _) => text.to_owned(),
            (None, None) => USUAL.to_owned(),
            (None, Some(name)) => crate::core::files::read_text(name.name.as_ref())
                .map_err(|error| wrong(error.to_string()))?,
        };
        let map = Map::parse(&read).map_err(|error| {
            let name = name.map_or("the map", |name| &name.name);
            wrong(format!("{name}: {error}"))
        })?;
        Ok(Self {
            name: name.map(|name| name.to_string()),
            ..Self::new(Arc::new(map))
        })
    }
}

impl Playable for ReversiXt {
    const NAME: &'static str = "reversixt";
    const PARAMETERS: &'static str = "map=FILE";
    const OPENING_PLIES: usize = 8;
    const REMAINING: &'static str = "empties";
    type Luck = NoChance;
    type PairedLuck = NoChance;

    crate::players_made_here!();

    fn from_arguments(arguments: &mut Arguments<'_>) -> Result<Self, Problem> {
        Self::on(arguments, None)
    }

    fn from_map(arguments: &mut Arguments<'_>, map: &str) -> Result<Self, Problem> {
        Self::on(arguments, Some(map))
    }

    fn map(&self) -> Option<String> {
        Some(self.map.to_string())
    }

    fn parameters(&self) -> String {
        let name = self.name.as_ref();
        name.map_or(String::new(), |name| format!("map={name}"))
    }

    fn evaluators() -> &'static [EvaluatorEntry<Self>] {
        &EVALUATORS
    }

    /// Every ply fills an empty cell, uses up an override stone, of which there may come one more
    /// for each cell, or makes a hole.
    fn most_plies(&self) -> u16 {
        const { assert!(3 * LARGEST * LARGEST + MAX_SEATS * MOST_STOCK <= u16::MAX as usize) };
        let overrides = self.map.players() * usize::from(self.map.overrides);
        (3 * self.map.cells().len() + overrides) as u16
    }

    fn luck(&self, _seed: u64) -> NoChance {
        NoChance
    }

    fn paired_luck(&self, _seed: u64) -> NoChance {
        NoChance
    }

    fn random_start(&self, _random: &mut RandomStream, _first: Seat) -> Position {
        self.start()
    }

    fn remaining(&self, position: &Position) -> usize {
        let cells = 0..self.map.cells().len();
        cells.filter(|&at| position.cell(at).is_empty()).count()
    }

    fn parse_position(&self, text: &str) -> Result<(Position, Option<u8>), TextError> {
        Self::parse_position(self, text).map(|position| (position, None))
    }

    fn format_position(&self, position: &Position, _outcome: Option<u8>) -> String {
        Self::format_position(self, position)
    }

    fn parse_move(&self, position: &Position, text: &str) -> Result<Move, TextError> {
        Self::parse_move(self, position, text)
    }

    fn format_move(&self, _position: &Position, mv: Move) -> String {
        Self::format_move(self, mv)
    }

    fn seat_name(&self, seat: Seat) -> &'static str {
        ["1", "2", "3", "4", "5", "6", "7", "8"][seat]
    }

    fn seat_title(&self, seat: Seat) -> &'static str {
        drawing::title(seat)
    }

    fn draw(&self, position: &Position, _outcome: Option<u8>) -> String {
        drawing::text(self, position)
    }

    fn svg(&self, position: &Position, _outcome: Option<u8>) -> String {
        drawing::svg(self, position)
    }
}
