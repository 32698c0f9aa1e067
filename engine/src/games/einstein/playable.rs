//! EinStein as a game to play, record and learn, on the standard board with a fair die.

use super::dice::{DiceStream, Die, DuplicateDice};
use super::position::Position;
use super::rolls::PairDice;
use super::symmetry::{SYMMETRIES, symmetric};
use super::{Move, MoveList, RED, Standard, Variant, drawing};
use crate::core::game::Seat;
use crate::core::random::RandomStream;
use crate::core::text::TextError;
use crate::play::notation::{Arguments, Problem};
use crate::play::playable::Playable;
use std::ops::RangeInclusive;

impl Playable for Standard {
    const NAME: &'static str = "einstein";
    const REMAINING: &'static str = "stones";
    type Luck = DiceStream;
    type PairedLuck = PairDice;

    fn from_arguments(arguments: &mut Arguments<'_>) -> Result<Self, Problem> {
        let variants = [
            ("classic", Variant::Classic),
            ("nearest", Variant::NearestOnly),
        ];
        Ok(Self::new(
            arguments.choice("variant", &variants)?,
            Die::fair(),
        ))
    }

    fn parameters(&self) -> String {
        match self.variant {
            Variant::Classic => String::new(),
            Variant::NearestOnly => "variant=nearest".to_owned(),
        }
    }

    fn luck(&self, seed: u64) -> DiceStream {
        DiceStream::new(seed, self.die)
    }

    fn paired_luck(&self, seed: u64) -> PairDice {
        PairDice::new(DuplicateDice::new(seed, self.die))
    }

    fn permitted(&self, position: &Position, outcome: u8, moves: &mut MoveList) {
        *moves = if (1..=self.die.faces()).contains(&outcome) {
            self.legal_moves(position, outcome)
        } else {
            MoveList::default()
        };
    }

    fn outcome_names(&self) -> RangeInclusive<u8> {
        1..=self.die.faces()
    }

    fn random_start(&self, random: &mut RandomStream, first: Seat) -> Position {
        Self::random_start(self, random, first)
    }

    fn remaining(&self, position: &Position) -> usize {
        (position.mover().count() + position.other().count()) as usize
    }

    fn parse_position(&self, text: &str) -> Result<(Position, Option<u8>), TextError> {
        Self::parse_position(self, text)
    }

    fn format_position(&self, position: &Position, outcome: Option<u8>) -> String {
        Self::format_position(self, position, outcome)
    }

    fn parse_move(&self, position: &Position, text: &str) -> Result<Move, TextError> {
        Self::parse_move(self, position, text)
    }

    fn format_move(&self, position: &Position, mv: Move) -> String {
        Self::format_move(self, position, mv)
    }

    fn seat_name(&self, seat: Seat) -> &'static str {
        if seat == RED { "r" } else { "b" }
    }

    fn seat_title(&self, seat: Seat) -> &'static str {
        if seat == RED { "Red" } else { "Blue" }
    }

    fn draw(&self, position: &Position, outcome: Option<u8>) -> String {
        drawing::text(self, position, outcome)
    }

    fn svg(&self, position: &Position, outcome: Option<u8>) -> String {
        drawing::svg(self, position, outcome)
    }

    fn encode(&self, position: &Position, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&position.bits().to_le_bytes());
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Position, String> {
        let (bits, rest) = bytes
            .split_first_chunk()
            .ok_or("a position has eight bytes")?;
        *bytes = rest;
        Position::from_bits(u64::from_le_bytes(*bits), Self::SQUARES)
            .ok_or_else(|| "two stones stand on one square".to_owned())
    }

    fn symmetries(&self) -> usize {
        SYMMETRIES
    }

    fn image(&self, position: &Position, symmetry: usize) -> Position {
        symmetric(position, symmetry)
    }
}
