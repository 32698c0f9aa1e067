//! Reversi as a game to play, record and learn.

use super::{
    Move, Position, Reversi, bits, drawing,
    endgame::{EndgamePlayer, SCORE_UNIT, SolvedEndgames},
    evaluators::EVALUATORS,
    transcript::FORMS,
};
use crate::core::game::Seat;
use crate::learned;
use crate::play::{
    notation::{Arguments, Problem, parse_number},
    playable::{Playable, without_chance},
    registry::{AnyEvaluator, EvaluatorEntry, Meaning, OracleEntry, PlayerEntry, TranscriptForm},
};
use std::sync::Arc;

/// `endgame=N`: positions with at most N empty squares are solved.
static ENDGAME_ORACLE: OracleEntry<Reversi> = OracleEntry {
    key: "endgame",
    read: |value, _| {
        let empties = parse_number("endgame", value, 0..=20)?;
        Ok((empties > 0).then(|| Arc::new(SolvedEndgames { empties }) as _))
    },
    unasked: |_, _| Ok(None),
};

static PLAYERS: [PlayerEntry<Reversi>; 1] = [PlayerEntry {
    name: "endgame",
    parameters: "empties",
    help: "exact in discs with so many empty squares (20); before, fewest replies",
    meaning: Meaning::Own(|arguments, game| {
        let (game, empties) = (*game, arguments.number("empties", 0..=60, 20)?);
        Ok(Arc::new(move || {
            Box::new(EndgamePlayer::new(game, empties))
        }))
    }),
}];

impl Playable for Reversi {
    const NAME: &'static str = "reversi";
    const PARAMETERS: &'static str = "size=8|6|4";
    const OPENING_PLIES: usize = 8;
    const PIPELINES: &'static [(&'static str, &'static str)] =
        &[("quick", include_str!("quick.toml"))];
    const GENERATIONS: &'static [(&'static str, &'static str)] =
        &[("quick", include_str!("generations.toml"))];
    const REMAINING: &'static str = "empties";
    const URGENCIES: &'static [(&'static str, u32)] = &[("quiet", 1), ("corner", 4)];

    crate::instantiate_players!();
    without_chance!();

    fn best(&self) -> Option<&'static [u8]> {
        Some(include_bytes!("../../../../models/reversi-1.safetensors"))
    }

    fn from_arguments(arguments: &mut Arguments<'_>) -> Result<Self, Problem> {
        let sizes = [("8", Self::EIGHT), ("6", Self::SIX), ("4", Self::FOUR)];
        arguments.choice("size", &sizes)
    }

    fn parameters(&self) -> String {
        match self.size() {
            8 => String::new(),
            size => format!("size={size}"),
        }
    }

    fn evaluators() -> &'static [EvaluatorEntry<Self>] {
        &EVALUATORS
    }

    fn players() -> &'static [PlayerEntry<Self>] {
        &PLAYERS
    }

    fn final_score(&self, position: &Position) -> Option<(&'static str, i32)> {
        let is_over = self.is_over(position);
        is_over.then(|| (SCORE_UNIT, self.final_discs(position)))
    }

    fn oracle() -> Option<&'static OracleEntry<Self>> {
        Some(&ENDGAME_ORACLE)
    }

    fn model(&self, content: &[u8]) -> Result<Arc<dyn AnyEvaluator<Self>>, String> {
        learned::model_file::evaluator(self, content)
    }

    fn transcripts() -> &'static [TranscriptForm<Self>] {
        &FORMS
    }

    /// No two plies after each other are passes.
    fn max_plies(&self) -> u16 {
        128
    }

    fn remaining(&self, position: &Position) -> usize {
        self.empties(position) as usize
    }

    fn seat_name(&self, seat: Seat) -> &'static str {
        ["X", "O"][seat]
    }

    fn seat_title(&self, seat: Seat) -> &'static str {
        drawing::title(seat)
    }

    fn encode(&self, position: &Position, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&position.own.to_le_bytes());
        bytes.extend_from_slice(&position.enemy.to_le_bytes());
        bytes.push(position.seat() as u8);
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Position, String> {
        let read = |bytes: &[u8]| {
            let (own, rest) = bytes.split_first_chunk()?;
            let (enemy, rest) = rest.split_first_chunk()?;
            let (&seat, rest) = rest.split_first()?;
            let [own, enemy] = [own, enemy].map(|&discs| u64::from_le_bytes(discs));
            let wrong = own & enemy | (own | enemy) & !self.squares();
            let position = || self.position(own, enemy, usize::from(seat));
            (wrong == 0 && seat < 2).then(|| (position(), rest.len()))
        };
        let (position, rest) = read(bytes).ok_or("the bytes are no position")?;
        *bytes = &bytes[bytes.len() - rest..];
        Ok(position)
    }

    fn symmetries(&self) -> usize {
        8
    }

    fn image(&self, position: &Position, symmetry: usize) -> Position {
        let discs = [position.own, position.enemy];
        let [own, enemy] = discs.map(|discs| bits::image(discs, symmetry, self.size()));
        self.position(own, enemy, position.seat())
    }

    fn move_image(&self, mv: Move, symmetry: usize) -> Option<(u32, usize)> {
        // Without a square it is a pass, which is number 64.
        let square = mv.square().map_or(0, |square| 1 << square);
        let image = bits::image(square, symmetry, self.size()).trailing_zeros();
        Some((image, symmetry))
    }

    fn swap_colours(&self, position: &Position) -> Position {
        self.position(position.own, position.enemy, 1 - position.seat())
    }
}
