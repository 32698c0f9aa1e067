//! Reversi's parameters, texts, players and symmetries.

use super::{
    Move, Position, Reversi, bits, drawing,
    endgame::{EndgamePlayer, SCORE_UNIT, SolvedEndgames},
    evaluators::EVALUATORS,
    transcript_formats::FORMS,
};
use alea_core::{game::Seat, random::RandomStream, text::TextError};
use alea_learned::model_file;
use alea_play::{
    chance_sources::NoChance,
    playable::{ChanceSources, Codec, GameInfo, GameText, Playable, Registry, Rules},
    player_notation::{Arguments, Problem, parse_number},
    points::Points,
    registry::{AnyEvaluator, Meaning, OracleEntry, PlayerEntry},
};
use std::sync::Arc;

/// Oracle of `endgame=N`, which solves positions with at most N empty squares; by default as many as
/// the time of a search allows.
static ENDGAME_ORACLE: OracleEntry<Reversi> = OracleEntry {
    key: "endgame",
    read: |value, _| {
        let empties = parse_number("endgame", value, 0..=20)?;
        Ok((empties > 0).then(|| Arc::new(SolvedEndgames::up_to(empties)) as _))
    },
    default: |_, by_time| Ok(by_time.then(|| Arc::new(SolvedEndgames::within_time()) as _)),
    instant: |_| Some("8".to_owned()),
    class: |game, position| game.empties(position).to_string(),
    win_probability: |_| None,
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

static REGISTRY: Registry<Reversi> = Registry {
    evaluators: &EVALUATORS,
    players: &PLAYERS,
    oracle: Some(&ENDGAME_ORACLE),
    transcripts: &FORMS,
    best_model: |_| Some(alea_models::REVERSI_2.content()),
    read_model,
    ..Registry::DEFAULT
};

/// Reads a model of these rules or, where wins count, one of disc leads: more discs are more wins.
fn read_model(game: &Reversi, content: &[u8]) -> Result<Arc<dyn AnyEvaluator<Reversi>>, String> {
    let problem = match model_file::evaluator_from_bytes(game, content) {
        Ok(evaluator) => return Ok(evaluator),
        Err(problem) => problem,
    };
    let by_discs = game.with_score_by_discs(true);
    match model_file::tuple_network_from_bytes(&by_discs, content) {
        Ok(network) if !game.is_by_discs() => {
            let network = network.with_scaled_log_odds(WIN_SLOPE);
            Ok(Arc::new(network.map_err(|error| error.to_string())?))
        }
        _ => Err(problem),
    }
}

/// Log odds of a win per log odds of the expected disc lead: fitted to 2,000 games of `reversi-2` at
/// depth 4 (`alea calibrate --game reversi --eval best`).
const WIN_SLOPE: f32 = 3.7;

impl Playable for Reversi {
    fn registry() -> &'static Registry<Self> {
        &REGISTRY
    }
}

impl Rules for Reversi {
    const INFO: &'static GameInfo = &GameInfo {
        name: "reversi",
        parameters: "size=8|6|4, score=wins|discs",
        size_parameter: "size",
        seats: &[("X", "Black"), ("O", "White")],
        remaining_unit: "empties",
        opening_plies: 8,
        pipeline_presets: &[("quick", include_str!("quick.toml"))],
        improve_presets: &[
            ("quick", include_str!("generations.toml")),
            ("standard", include_str!("generations-standard.toml")),
        ],
        move_classes: &[("quiet", 1), ("corner", 4)],
        solver_options: &[("endgame", "8")],
        levels: &[
            ("beginner", "softmax(star1(1, EVAL), 0.26)"),
            ("easy", "softmax(star1(1, EVAL), 0.13)"),
            ("casual", "softmax(star1(1, EVAL), 0.068)"),
            ("medium", "softmax(star1(1, EVAL), 0.028)"),
            ("skilled", "softmax(star2(3, EVAL), 0.056)"),
            ("hard", "softmax(star2(3, EVAL), 0.031)"),
            ("strong", "softmax(star2(3, EVAL), 0.002)"),
            ("expert", "star2(4, EVAL)"),
            ("master", "softmax(star2(6, EVAL), 0.012)"),
            ("strongest", "star2(8, EVAL)"),
        ],
        page_rules: &["reversi", "reversi(size=6)", "reversi(size=4)"],
        page_parameters: &[("size", &[]), ("score", &[])],
        rules_text: include_str!("rules.txt"),
        ..GameInfo::DEFAULT
    };

    fn from_arguments(arguments: &mut Arguments<'_>) -> Result<Self, Problem> {
        let sizes = [("8", Self::EIGHT), ("6", Self::SIX), ("4", Self::FOUR)];
        let game = arguments.choice("size", &sizes)?;
        let by_discs = arguments.choice("score", &[("wins", false), ("discs", true)])?;
        Ok(game.with_score_by_discs(by_discs))
    }

    fn parameters(&self) -> String {
        let size = (self.size() < 8).then(|| format!("size={}", self.size()));
        let score = self.is_by_discs().then(|| "score=discs".to_owned());
        size.into_iter().chain(score).collect::<Vec<_>>().join(", ")
    }

    fn points(&self) -> Option<Points> {
        let squares = self.squares().count_ones().into();
        self.is_by_discs().then_some(Points {
            unit: SCORE_UNIT,
            max: squares,
            default_win: squares,
            results: &[],
        })
    }

    fn board_size(&self) -> Option<usize> {
        Some(self.size())
    }

    /// Upper bound: no two passes are in a row.
    fn max_plies(&self) -> u16 {
        128
    }

    fn remaining_length(&self, position: &Position) -> usize {
        self.empties(position) as usize
    }

    fn random_start(&self, _: &mut RandomStream, _: Seat) -> Position {
        self.start()
    }
}

impl ChanceSources for Reversi {
    type Chance = NoChance;
    type PairedChance = NoChance;
}

impl GameText for Reversi {
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

    fn final_score(&self, position: &Position) -> Option<(&'static str, i32)> {
        let is_over = self.is_over(position);
        is_over.then(|| (SCORE_UNIT, self.final_discs(position)))
    }
}

impl Codec for Reversi {
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

    fn transform_position(&self, position: &Position, symmetry: usize) -> Position {
        let discs = [position.own, position.enemy];
        let [own, enemy] = discs.map(|discs| bits::transform_set(discs, symmetry, self.size()));
        self.position(own, enemy, position.seat())
    }

    fn transform_move(&self, mv: Move, symmetry: usize) -> Option<(u32, usize)> {
        let square = mv.square().map_or(0, |square| 1 << square);
        let transform_set = bits::transform_set(square, symmetry, self.size()).trailing_zeros();
        Some((transform_set, symmetry))
    }

    fn swap_colours(&self, position: &Position) -> Position {
        self.position(position.own, position.enemy, 1 - position.seat())
    }
}
