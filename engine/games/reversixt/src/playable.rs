//! ReversiXT's parameters, texts and players.

use super::{
    DEFAULT_POINTS, Move, Position, ReversiXt, drawing,
    evaluators::EVALUATORS,
    map::{MAX_SIDE, MAX_STOCK, Map},
};
use alea_core::{
    files::{self, FileKind},
    game::{Game, MAX_SEATS, Seat},
    random::RandomStream,
    text::{TextError, joined},
};
use alea_learned::model_file;
use alea_play::{
    chance_sources::NoChance,
    playable::{ChanceSources, Codec, GameInfo, GameText, Playable, Registry, Rules},
    player_notation::{Arguments, Notation, Problem},
    sgf,
};
use std::sync::Arc;

const DEFAULT_MAP: &str = include_str!("plain8.map");

/// Names and texts of the maps that need no file.
pub const NAMED_MAPS: [(&str, &str); 2] = [
    ("three", include_str!("three.map")),
    ("four", include_str!("four.map")),
];

static REGISTRY: Registry<ReversiXt> = Registry {
    evaluators: &EVALUATORS,
    transcripts: &[sgf::transcript_format()],
    best_model: |_| Some(alea_models::REVERSIXT_2.content()),
    // The model has learned from games of two (`models/reversixt-1.md`).
    strongest_evaluator: |game| if game.seats() == 2 { "best" } else { "lines" },
    read_model: model_file::evaluator_from_bytes,
    ..Registry::DEFAULT
};

impl ReversiXt {
    fn parse_rules(arguments: &mut Arguments<'_>, text: Option<&str>) -> Result<Self, Problem> {
        let name = arguments.take_named("map")?;
        let at = name.map_or(1, |name| name.character);
        let wrong = |problem: String| (at, problem);
        let called = name.map_or("the map", |name| &name.name);
        let known = NAMED_MAPS.iter().find(|(known, _)| *known == called);
        let read = match (text.or(known.map(|(_, text)| *text)), name) {
            (Some(text), _) => text.to_owned(),
            (None, None) => DEFAULT_MAP.to_owned(),
            (None, Some(name)) => {
                files::read_text(name.trusted_path(&name.name)?.as_ref(), FileKind::Text)
                    .map_err(|error| wrong(error.to_string()))?
            }
        };
        let map = Map::parse(&read).map_err(|error| wrong(format!("{called}: {error}")))?;
        let points = arguments.take_named("points")?;
        let game = Self {
            name: name.map(|name| name.to_string()),
            points: points.map_or(Ok(DEFAULT_POINTS), read_points)?,
            ..Self::new(Arc::new(map))
        };
        if game.payoffs(&game.start()).is_some() {
            return Err(wrong(format!("{called}: nobody can ever move on it")));
        }
        Ok(game)
    }
}

/// Parses points by rank, such as `25-11-5`; later ranks get none.
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
    fn registry() -> &'static Registry<Self> {
        &REGISTRY
    }
}

impl Rules for ReversiXt {
    const INFO: &'static GameInfo = &GameInfo {
        name: "reversixt",
        parameters: "map=FILE|three|four, points=25-11-5-2-1",
        seats: &[
            ("1", "Player 1"),
            ("2", "Player 2"),
            ("3", "Player 3"),
            ("4", "Player 4"),
            ("5", "Player 5"),
            ("6", "Player 6"),
            ("7", "Player 7"),
            ("8", "Player 8"),
        ],
        lists_winners: true,
        remaining_unit: "empties",
        opening_plies: 8,
        move_classes: &[("override", 1), ("stone", 2), ("special", 4)],
        levels: &[
            ("beginner", "softmax(star1(1, EVAL), 1)"),
            ("easy", "softmax(star1(1, EVAL), 0.15)"),
            ("casual", "softmax(star2(2, EVAL), 0.12)"),
            ("medium", "softmax(star2(2, EVAL), 0.056)"),
            ("skilled", "softmax(star2(3, EVAL), 0.051)"),
            ("hard", "softmax(star2(4, EVAL), 0.046)"),
            ("strong", "softmax(star2(5, EVAL), 0.045)"),
            ("strongest", "star2(5, EVAL)"),
        ],
        page_rules: &["reversixt", "reversixt(map=three)", "reversixt(map=four)"],
        page_parameters: &[("map", &[NAMED_MAPS[0].0, NAMED_MAPS[1].0])],
        rules_text: include_str!("rules.txt"),
        ..GameInfo::DEFAULT
    };

    fn from_arguments(arguments: &mut Arguments<'_>) -> Result<Self, Problem> {
        Self::parse_rules(arguments, None)
    }

    fn from_map(arguments: &mut Arguments<'_>, map: &str) -> Result<Self, Problem> {
        Self::parse_rules(arguments, Some(map))
    }

    fn map_text(&self) -> Option<String> {
        Some(self.map.to_string())
    }

    fn parameters(&self) -> String {
        let map = self.name.as_ref().map(|name| format!("map={name}"));
        let points = (self.points != DEFAULT_POINTS).then(|| {
            let paid = self.points.iter().take_while(|&&points| points > 0);
            format!("points={}", joined(paid, "-"))
        });
        joined(map.into_iter().chain(points), ", ")
    }

    /// A ply fills an empty cell, makes a hole, or uses an override stone; a bonus cell may add
    /// one.
    fn max_plies(&self) -> u16 {
        const { assert!(3 * MAX_SIDE * MAX_SIDE + MAX_SEATS * MAX_STOCK <= u16::MAX as usize) };
        let overrides = self.map.players() * usize::from(self.map.overrides);
        (3 * self.map.cells().len() + overrides) as u16
    }

    fn remaining_length(&self, position: &Position) -> usize {
        self.variant_rules(position).num_empties(position)
    }

    fn random_start(&self, _: &mut RandomStream, _: Seat) -> Position {
        self.start()
    }
}

impl ChanceSources for ReversiXt {
    type Chance = NoChance;
    type PairedChance = NoChance;
}

impl GameText for ReversiXt {
    fn parse_position(&self, text: &str) -> Result<(Position, Option<u8>), TextError> {
        Self::parse_position(self, text).map(|position| (position, None))
    }

    fn format_position(&self, position: &Position, _: Option<u8>) -> String {
        Self::format_position(self, position)
    }

    fn parse_move(
        &self,
        position: &Position,
        _: Option<u8>,
        text: &str,
    ) -> Result<Move, TextError> {
        Self::parse_move(self, position, text)
    }

    fn format_move(&self, _: &Position, mv: Move) -> String {
        Self::format_move(self, mv)
    }

    fn text_diagram(&self, position: &Position, _: Option<u8>) -> String {
        drawing::text(self, position)
    }

    fn svg(&self, position: &Position, _: Option<u8>) -> String {
        drawing::svg(self, position)
    }
}

impl Codec for ReversiXt {
    fn transform_move(&self, mv: Move, symmetry: usize) -> Option<(u32, usize)> {
        Some((u32::from(mv.cell) | u32::from(mv.special) << 16, symmetry))
    }
}
