//! Reversi as a game to play, record and learn.

use super::notation::SIGNS;
use super::{Move, MoveList, Position, Reversi, bits, drawing};
use crate::core::game::{Game, Seat};
use crate::core::random::RandomStream;
use crate::core::text::TextError;
use crate::play::notation::{Arguments, Problem};
use crate::play::playable::{NoChance, Playable};

impl Playable for Reversi {
    const NAME: &'static str = "reversi";
    const OPENING_PLIES: usize = 8;
    const REMAINING: &'static str = "empties";
    type Luck = NoChance;
    type PairedLuck = NoChance;

    fn from_arguments(arguments: &mut Arguments<'_>) -> Result<Self, Problem> {
        let sizes = [("8", Self::EIGHT), ("6", Self::SIX), ("4", Self::FOUR)];
        arguments.choice("size", &sizes)
    }

    fn parameters(&self) -> String {
        if *self == Self::default() {
            String::new()
        } else {
            format!("size={}", self.size())
        }
    }

    fn luck(&self, _seed: u64) -> NoChance {
        NoChance
    }

    fn paired_luck(&self, _seed: u64) -> NoChance {
        NoChance
    }

    fn permitted(&self, position: &Position, outcome: u8, moves: &mut MoveList) {
        moves.clear();
        if outcome == 0 {
            self.moves(position, moves);
        }
    }

    fn random_start(&self, _random: &mut RandomStream, _first: Seat) -> Position {
        self.start()
    }

    fn remaining(&self, position: &Position) -> usize {
        self.empties(position) as usize
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
        ["X", "O"][seat]
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

    fn encode(&self, position: &Position, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&position.own().to_le_bytes());
        bytes.extend_from_slice(&position.enemy().to_le_bytes());
        bytes.push(position.seat() as u8);
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Position, String> {
        let (position, rest) = bytes
            .split_first_chunk::<17>()
            .ok_or("a position has seventeen bytes")?;
        let discs = |at: usize| {
            (at..at + 8)
                .rev()
                .fold(0, |discs, at| discs << 8 | u64::from(position[at]))
        };
        let (own, enemy, seat) = (discs(0), discs(8), usize::from(position[16]));
        if (own | enemy) & !self.squares() != 0 {
            return Err("a disc lies beside the board".to_owned());
        }
        if own & enemy != 0 {
            return Err("two discs lie on one square".to_owned());
        }
        if seat >= SIGNS.len() {
            return Err(format!("seat {seat} is none; there are two"));
        }
        *bytes = rest;
        Ok(self.position(own, enemy, seat))
    }

    fn symmetries(&self) -> usize {
        8
    }

    fn image(&self, position: &Position, symmetry: usize) -> Position {
        let image = |discs| bits::image(discs, symmetry, self.size());
        self.position(
            image(position.own()),
            image(position.enemy()),
            position.seat(),
        )
    }
}
