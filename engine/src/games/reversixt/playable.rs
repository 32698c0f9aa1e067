//! ReversiXT as a game to play and record.

use super::{
    Move, POINTS, Position, ReversiXt, drawing,
    evaluators::EVALUATORS,
    map::{LARGEST, MAX_STOCK, Map},
};
use crate::core::{
    files::{self, FileKind},
    game::{Game, MAX_SEATS, Seat},
    text::joined,
};
use crate::learned;
use crate::play::{
    notation::{Arguments, Notation, Problem},
    playable::{Playable, without_chance},
    registry::{AnyEvaluator, EvaluatorEntry, TranscriptForm},
    sgf,
};
use std::sync::Arc;

/// The map that is meant where none is named: Reversi's board, with Reversi's start.
const DEFAULT_MAP: &str = include_str!("plain8.map");

/// Maps that are meant by a name, without a file.
pub const MAPS: [(&str, &str); 2] = [
    ("three", include_str!("three.map")),
    ("four", include_str!("four.map")),
];

static FORMS: [TranscriptForm<ReversiXt>; 1] = [sgf::form()];

impl ReversiXt {
    /// The rules on a map that a parameter names.
    fn on(arguments: &mut Arguments<'_>, text: Option<&str>) -> Result<Self, Problem> {
        let name = arguments.take_named("map")?;
        let at = name.map_or(1, |name| name.character);
        let wrong = |problem: String| (at, problem);
        let called = name.map_or("the map", |name| &name.name);
        let known = MAPS.iter().find(|(known, _)| *known == called);
        let read = match (text.or(known.map(|(_, text)| *text)), name) {
            (Some(text), _) => text.to_owned(),
            (None, None) => DEFAULT_MAP.to_owned(),
            (None, Some(name)) => {
                files::read_text(name.granted(&name.name)?.as_ref(), FileKind::Text)
                    .map_err(|error| wrong(error.to_string()))?
            }
        };
        let map = Map::parse(&read).map_err(|error| wrong(format!("{called}: {error}")))?;
        let points = arguments.take_named("points")?;
        let game = Self {
            name: name.map(|name| name.to_string()),
            points: points.map_or(Ok(POINTS), read_points)?,
            ..Self::new(Arc::new(map))
        };
        if game.payoffs(&game.start()).is_some() {
            return Err(wrong(format!("{called}: nobody can ever move on it")));
        }
        Ok(game)
    }
}

/// Points of the ranks from the first, as `25-11-5`; those that are not named have none.
fn read_points(value: &Notation) -> Result<[u32; MAX_SEATS], Problem> {
    let mut points = [0; MAX_SEATS];
    let text = value.to_string();
    let numbers: Option<Vec<u32>> = text.split('-').map(|number| number.parse().ok()).collect();
    let falls = |numbers: &[u32]| numbers.is_sorted_by(|a, b| a >= b);
    match numbers {
        Some(numbers) if falls(&numbers) && numbers.len() <= MAX_SEATS && numbers[0] > 0 => {
            points[..numbers.len()].copy_from_slice(&numbers);
            Ok(points)
        }
        _ => {
            let problem = format!(
                "points are up to {MAX_SEATS} numbers that do not grow, from the first place, joined by -: 25-11-5, not '{text}'"
            );
            Err((value.character, problem))
        }
    }
}

impl Playable for ReversiXt {
    const NAME: &'static str = "reversixt";
    const PARAMETERS: &'static str = "map=FILE|three|four, points=25-11-5-2-1";
    const OPENING_PLIES: usize = 8;
    const REMAINING: &'static str = "empties";
    const WINNERS_ARE_LISTED: bool = true;
    const URGENCIES: &'static [(&'static str, u32)] =
        &[("override", 1), ("stone", 2), ("special", 4)];

    crate::instantiate_players!();
    without_chance!();

    fn best(&self) -> Option<&'static [u8]> {
        Some(include_bytes!("../../../../models/reversixt-2.safetensors"))
    }

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
        let map = self.name.as_ref().map(|name| format!("map={name}"));
        let points = (self.points != POINTS).then(|| {
            let paid = self.points.iter().take_while(|&&points| points > 0);
            format!("points={}", joined(paid, "-"))
        });
        joined(map.into_iter().chain(points), ", ")
    }

    fn transcripts() -> &'static [TranscriptForm<Self>] {
        &FORMS
    }

    fn evaluators() -> &'static [EvaluatorEntry<Self>] {
        &EVALUATORS
    }

    fn model(&self, content: &[u8]) -> Result<Arc<dyn AnyEvaluator<Self>>, String> {
        learned::model_file::evaluator(self, content)
    }

    /// Every ply fills an empty cell, uses up an override stone, of which there may come one more
    /// for each cell, or makes a hole.
    fn max_plies(&self) -> u16 {
        const { assert!(3 * LARGEST * LARGEST + MAX_SEATS * MAX_STOCK <= u16::MAX as usize) };
        let overrides = self.map.players() * usize::from(self.map.overrides);
        (3 * self.map.cells().len() + overrides) as u16
    }

    fn remaining(&self, position: &Position) -> usize {
        self.of(position).empties(position)
    }

    fn move_image(&self, mv: Move, symmetry: usize) -> Option<(u32, usize)> {
        Some((u32::from(mv.cell) | u32::from(mv.special) << 16, symmetry))
    }

    fn seat_name(&self, seat: Seat) -> &'static str {
        ["1", "2", "3", "4", "5", "6", "7", "8"][seat]
    }

    fn seat_title(&self, seat: Seat) -> &'static str {
        drawing::title(seat)
    }
}
