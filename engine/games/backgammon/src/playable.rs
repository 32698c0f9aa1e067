//! Backgammon's names, texts, players and records.

use super::{
    Backgammon, MAX_PLAYS_OF_ROLL, Play, Position, UNNAMED_SEAT,
    bearoff::{BEAROFF, is_at_home},
    drawing,
    evaluators::EVALUATORS,
    mat::MAT,
    position_id::{men_from_bits, position_bits},
    rolls::{ROLL_NAMES, roll_named},
};
use alea_core::{game::Seat, random::RandomStream, text::TextError};
use alea_learned::model_file;
use alea_play::{
    chance_sources::OutcomeListSampler,
    playable::{ChanceSources, Codec, GameInfo, GameText, Playable, Registry, Rules},
    player_notation::{Arguments, Problem},
    points::Points,
};

static REGISTRY: Registry<Backgammon> = Registry {
    evaluators: &EVALUATORS,
    oracle: Some(&BEAROFF),
    transcripts: &[MAT],
    best_model: |_| Some(alea_models::BACKGAMMON_3.content()),
    read_model: model_file::evaluator_from_bytes,
    ..Registry::DEFAULT
};

impl Playable for Backgammon {
    fn registry() -> &'static Registry<Self> {
        &REGISTRY
    }
}

impl Rules for Backgammon {
    const INFO: &'static GameInfo = &GameInfo {
        name: "backgammon",
        seats: &[("w", "White"), ("b", "Black")],
        remaining_unit: "men",
        parts: &["contact", "race", "bearoff"],
        ubgi_positions: &["gnubgid", "xgid"],
        max_legal_moves: Some(MAX_PLAYS_OF_ROLL),
        self_play_players: &[("star1(depth=1, eval=positional)", 1.0)],
        solver_options: &[("bearoff", "6")],
        pipeline_presets: &[("quick", include_str!("quick.toml"))],
        improve_presets: &[
            ("quick", include_str!("generations.toml")),
            ("standard", include_str!("generations-standard.toml")),
        ],
        move_classes: &[("quiet", 1), ("hit", 4)],
        levels: &[
            ("beginner", "softmax(star1(1, EVAL), 0.36)"),
            ("easy", "softmax(star1(1, EVAL), 0.135)"),
            ("casual", "softmax(star1(1, EVAL), 0.077)"),
            ("medium", "softmax(star1(1, EVAL), 0.052)"),
            ("skilled", "softmax(star1(1, EVAL), 0.038)"),
            ("hard", "softmax(star1(1, EVAL), 0.029)"),
            ("strong", "softmax(star1(1, EVAL), 0.021)"),
            ("expert", "softmax(star1(1, EVAL), 0.0145)"),
            ("master", "softmax(star1(1, EVAL), 0.0085)"),
            ("strongest", "star2(2, EVAL)"),
        ],
        ..GameInfo::DEFAULT
    };

    fn from_arguments(_: &mut Arguments<'_>) -> Result<Self, Problem> {
        Ok(Self)
    }

    /// Far above real lengths, since the rules have no limit: the longest of 100,000 random games
    /// has 461 plies.
    fn max_plies(&self) -> u16 {
        2_000
    }

    fn points(&self) -> Option<Points> {
        const RESULTS: &[(&str, f64)] = &[
            ("win", 1.0),
            ("win_gammon", 2.0),
            ("win_backgammon", 3.0),
            ("loss", -1.0),
            ("lose_gammon", -2.0),
            ("lose_backgammon", -3.0),
        ];
        Some(Points {
            unit: "points",
            max: 3.0,
            default_win: 1.0,
            results: RESULTS,
        })
    }

    fn remaining_length(&self, position: &Position) -> usize {
        (position.mover.in_play() + position.other.in_play()) as usize
    }

    fn part(&self, position: &Position) -> usize {
        match position.has_contact() {
            true => 0,
            false => {
                let sides = [position.mover, position.other];
                1 + usize::from(sides.into_iter().all(is_at_home))
            }
        }
    }

    fn random_start(&self, _: &mut RandomStream, first: Seat) -> Position {
        self.start(first)
    }
}

impl ChanceSources for Backgammon {
    type Chance = OutcomeListSampler;
    type PairedChance = OutcomeListSampler;

    fn outcome_name(&self, outcome: u8) -> String {
        ROLL_NAMES[usize::from(outcome)].to_owned()
    }

    fn parse_outcome(&self, text: &str) -> Result<u8, String> {
        let dice: String = text.split([' ', '-', ',']).collect();
        let roll = roll_named(&dice).map(|roll| roll as u8);
        roll.ok_or_else(|| format!("a roll is two dice, 11 to 66, not {text}"))
    }
}

impl GameText for Backgammon {
    fn parse_position(&self, text: &str) -> Result<(Position, Option<u8>), TextError> {
        Self::parse_position(self, text)
    }

    fn format_position(&self, position: &Position, outcome: Option<u8>) -> String {
        Self::format_position(self, position, outcome)
    }

    fn parse_move(
        &self,
        position: &Position,
        outcome: Option<u8>,
        text: &str,
    ) -> Result<Play, TextError> {
        self.parse_play(position, outcome.map(usize::from), text)
    }

    fn format_move(&self, position: &Position, play: Play) -> String {
        self.format_play(position, play)
    }

    fn text_diagram(&self, position: &Position, outcome: Option<u8>) -> String {
        drawing::text(self, position, outcome)
    }

    fn svg(&self, position: &Position, outcome: Option<u8>) -> String {
        drawing::svg(self, position, outcome)
    }

    fn win_kinds(&self, position: &Position) -> Option<Vec<&'static str>> {
        let points = self.points_won(position, position.seat())?;
        let kinds = ["single", "gammon", "backgammon"];
        Some(vec![kinds[points.unsigned_abs() as usize - 1]])
    }
}

/// Number of bytes of an encoded position: ten of its position ID, and the seat.
const CODE_LENGTH: usize = 11;

impl Codec for Backgammon {
    fn encode(&self, position: &Position, bytes: &mut Vec<u8>) {
        let bits = position_bits(position.mover, position.other);
        bytes.extend_from_slice(&bits.to_le_bytes()[..CODE_LENGTH - 1]);
        bytes.push(position.seat);
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Position, String> {
        let split = bytes.split_first_chunk::<CODE_LENGTH>();
        let (&[id @ .., seat], rest) = split.ok_or("a position is cut off")?;
        if seat > UNNAMED_SEAT + 1 {
            return Err(format!("{seat} is no seat"));
        }
        let mut bits = [0; 16];
        bits[..id.len()].copy_from_slice(&id);
        let (mover, other) = men_from_bits(u128::from_le_bytes(bits))?;
        *bytes = rest;
        Ok(Position { mover, other, seat })
    }

    fn transform_move(&self, play: Play, symmetry: usize) -> Option<(u32, usize)> {
        Some((play.0, symmetry))
    }

    fn swap_colours(&self, position: &Position) -> Position {
        Position {
            seat: position.seat ^ 1,
            ..*position
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{men::NUM_MEN, positions_of_random_games};
    use alea_core::game::Game;

    #[test]
    fn bytes_of_positions_read_back_and_others_are_refused() {
        let game = Backgammon;
        for position in positions_of_random_games(2, 11) {
            let mut bytes = Vec::new();
            game.encode(&position, &mut bytes);
            assert_eq!(bytes.len(), CODE_LENGTH);
            assert_eq!(game.decode(&mut &*bytes), Ok(position));
            assert!(game.decode(&mut &bytes[1..]).is_err());
            bytes[CODE_LENGTH - 1] = 4;
            assert!(game.decode(&mut &*bytes).is_err());
            let kinds = game.win_kinds(&position).is_some();
            assert_eq!(kinds, game.payoffs(&position).is_some());
            assert!((1..=2 * NUM_MEN as usize).contains(&game.remaining_length(&position)));
        }
        assert!(game.decode(&mut &[0; CODE_LENGTH][..]).is_err());
        assert!(game.decode(&mut &[255; CODE_LENGTH][..]).is_err());
    }
}
