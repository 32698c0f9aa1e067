//! EinStein on the standard board as a game of players, game records and training.

use super::{
    Move, MoveList, Standard, Variant, codec,
    dice::{DiceStream, Die},
    dice_source::ReplayableDice,
    drawing,
    evaluators::EVALUATORS,
    players::PLAYERS,
    position::Position,
    random_endgames,
    setup::setup_index,
    symmetry::{
        SYMMETRIES, symmetry_after_move, transform_face, transform_move, transform_position,
    },
    tables::{
        MAX_TABLE_STONES, MIN_TABLE_STONES,
        shared_tables::{cached_stones, shared_tables},
    },
};
use alea_core::{game::Seat, random::RandomStream, text::TextError};
use alea_learned::model_file;
use alea_play::{
    playable::{ChanceSources, Codec, GameInfo, GameText, Playable, Registry, Rules},
    player_notation::{Arguments, Problem, parse_number},
    registry::{OptionalOracle, OracleEntry},
    sgf,
};
use std::ops::RangeInclusive;

/// Stones of the default endgame tables, which take a fraction of a second to build.
const DEFAULT_TABLE_STONES: usize = 4;

/// Maximum stones of default tables if time limits the search; larger ones exceed the memory. Other
/// limits use [`DEFAULT_TABLE_STONES`], so that moves do not depend on files.
const MAX_TIMED_TABLE_STONES: usize = 5;

/// Option `tablebase=N`: endgame tables of at most N stones, 0 for none.
static TABLEBASE: OracleEntry<Standard> = OracleEntry {
    key: "tablebase",
    read: |value, game| {
        if value.arguments.is_empty() && value.name == "0" {
            return Ok(None);
        }
        if game.die() != Die::fair() {
            return Err((value.character, "'tablebase' is for a fair die".to_owned()));
        }
        let stones = parse_number("tablebase", value, MIN_TABLE_STONES..=MAX_TABLE_STONES).map_err(
            |(character, _)| {
                let range = format!(
                    "a number of stones from {MIN_TABLE_STONES} to {MAX_TABLE_STONES}, or 0 for none"
                );
                (character, format!("'tablebase' is {range}, not '{value}'"))
            },
        )?;
        tablebase_oracle(stones, game).map_err(|problem| (value.character, problem))
    },
    default: |game, by_time| {
        if game.die() != Die::fair() {
            return Ok(None);
        }
        let stones = match by_time {
            true => {
                cached_stones(game.variant()).clamp(DEFAULT_TABLE_STONES, MAX_TIMED_TABLE_STONES)
            }
            false => DEFAULT_TABLE_STONES,
        };
        tablebase_oracle(stones, game)
    },
    instant: |game| {
        let cached = || cached_stones(game.variant()).max(DEFAULT_TABLE_STONES);
        (game.die() == Die::fair()).then(|| cached().to_string())
    },
    class: |_, position| {
        let [mover, other] = [position.mover(), position.other()].map(|side| side.num_stones());
        format!("{mover}v{other}")
    },
    win_probability: |_| None,
};

fn tablebase_oracle(stones: usize, game: &Standard) -> Result<OptionalOracle<Standard>, String> {
    let tables = shared_tables(stones, game.variant()).map_err(|error| error.to_string())?;
    Ok(Some(tables))
}

static REGISTRY: Registry<Standard> = Registry {
    evaluators: &EVALUATORS,
    players: &PLAYERS,
    oracle: Some(&TABLEBASE),
    transcripts: &[sgf::transcript_format()],
    best_model: |_| Some(alea_models::STRONG_1.content()),
    read_model: model_file::evaluator_from_bytes,
    ..Registry::DEFAULT
};

impl Playable for Standard {
    fn registry() -> &'static Registry<Self> {
        &REGISTRY
    }
}

impl Rules for Standard {
    const INFO: &'static GameInfo = &GameInfo {
        name: "einstein",
        parameters: "variant=classic|nearest",
        seats: &[("r", "Red"), ("b", "Blue")],
        remaining_unit: "stones",
        phase_unit: "living stones",
        // A face allows at most two stones, with three steps each.
        max_legal_moves: Some(6),
        self_play_players: &[
            ("star1(depth=3, eval=abt)", 0.97),
            ("mcts(sims=400, leaf=playout)", 0.03),
        ],
        pipeline_presets: &[
            ("quick", include_str!("presets/quick.toml")),
            ("standard", include_str!("presets/standard.toml")),
        ],
        improve_presets: &[
            ("quick", include_str!("presets/generations-quick.toml")),
            (
                "standard",
                include_str!("presets/generations-standard.toml"),
            ),
        ],
        move_classes: &[("quiet", 1), ("own", 1), ("capture", 4), ("win", 100)],
        solver_options: &[("tablebase", "4")],
        page_rules: &["einstein", "einstein(variant=nearest)"],
        page_parameters: &[("variant", &[])],
        levels: &[
            ("beginner", "softmax(star1(1, EVAL), 20)"),
            ("easy", "softmax(star1(1, EVAL), 0.49)"),
            ("casual", "softmax(star1(1, EVAL), 0.24)"),
            ("medium", "softmax(star1(1, EVAL), 0.143)"),
            ("skilled", "softmax(star1(1, EVAL), 0.09)"),
            ("hard", "softmax(star1(1, EVAL), 0.0535)"),
            ("strong", "softmax(star1(1, EVAL), 0.026)"),
            ("strongest", "star2(5, EVAL)"),
        ],
        puzzles: &[("einstein", alea_data::EINSTEIN_PUZZLES)],
        rules_text: include_str!("rules.txt"),
        ..GameInfo::DEFAULT
    };

    fn from_arguments(arguments: &mut Arguments<'_>) -> Result<Self, Problem> {
        let variant = arguments.choice("variant", &Variant::NAMED)?;
        Ok(Self::new(variant, Die::fair()))
    }

    fn parameters(&self) -> String {
        match self.variant {
            Variant::Classic => String::new(),
            other => format!("variant={}", other.name()),
        }
    }

    fn board_size(&self) -> Option<usize> {
        Some(5)
    }

    /// The true maximum is 96: each ply brings a stone nearer to its goal in rows or columns.
    fn max_plies(&self) -> u16 {
        200
    }

    fn remaining_length(&self, position: &Position) -> usize {
        position.num_stones() as usize
    }

    fn random_start(&self, random: &mut RandomStream, first: Seat) -> Position {
        Self::random_start(self, random, first)
    }

    fn strong_start(&self, seed: u64) -> Option<Position> {
        let lines = alea_data::BEST_SETUPS
            .lines()
            .filter(|line| !line.starts_with('#'));
        let pairs: Vec<&str> = lines.collect();
        let (red, blue) = pairs[(seed % pairs.len() as u64) as usize].split_once(':')?;
        let number =
            |text: &str| setup_index(&text.bytes().map(|stone| stone - b'0').collect::<Vec<u8>>());
        Some(self.start([number(red)?, number(blue)?], 0))
    }

    fn random_endgame(
        &self,
        stones: [usize; 2],
        first: Seat,
        random: &mut RandomStream,
    ) -> Option<Position> {
        random_endgames::random_endgame(stones, first, random)
    }
}

impl ChanceSources for Standard {
    type Chance = DiceStream;
    type PairedChance = ReplayableDice;

    #[inline]
    fn allowed_moves(&self, position: &Position, outcome: u8, moves: &mut MoveList) {
        moves.clear();
        if (1..=self.die.faces()).contains(&outcome) {
            self.push_legal_moves(position, outcome, moves);
        }
    }

    fn outcome_numbers(&self) -> RangeInclusive<u8> {
        1..=self.die.faces()
    }

    fn with_assumed_chance(&self, arguments: &mut Arguments<'_>) -> Result<Self, Problem> {
        let Some(value) = arguments.take_named("die")? else {
            return Ok(self.clone());
        };
        let weights: Option<Vec<f64>> = value
            .name
            .split(':')
            .map(|weight| weight.parse().ok())
            .collect();
        let weights = weights
            .filter(|weights| weights.len() == 6 && value.arguments.is_empty())
            .ok_or_else(|| {
                let wanted = "six weights joined by ':', for example 1:1:1:1:1:5";
                (value.character, format!("'die' is {wanted}, not '{value}'"))
            })?;
        let die =
            Die::with_weights(&weights).map_err(|error| (value.character, error.to_string()))?;
        Ok(Self::new(self.variant, die))
    }

    fn with_unmerged_outcomes(&self) -> Self {
        self.clone().with_unmerged_faces()
    }
}

impl GameText for Standard {
    fn parse_position(&self, text: &str) -> Result<(Position, Option<u8>), TextError> {
        Self::parse_position(self, text)
    }

    fn format_position(&self, position: &Position, outcome: Option<u8>) -> String {
        Self::format_position(self, position, outcome)
    }

    fn parse_move(
        &self,
        position: &Position,
        _: Option<u8>,
        text: &str,
    ) -> Result<Move, TextError> {
        Self::parse_move(self, position, text)
    }

    fn format_move(&self, position: &Position, mv: Move) -> String {
        Self::format_move(self, position, mv)
    }

    fn external_rules_name(&self) -> String {
        self.variant.name().to_owned()
    }

    fn text_diagram(&self, position: &Position, outcome: Option<u8>) -> String {
        drawing::text(self, position, outcome)
    }

    fn svg(&self, position: &Position, outcome: Option<u8>) -> String {
        drawing::svg(self, position, outcome)
    }
}

impl Codec for Standard {
    fn encode(&self, position: &Position, bytes: &mut Vec<u8>) {
        codec::encode(position, bytes);
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Position, String> {
        codec::decode(bytes).ok_or_else(|| "the bytes are no position".to_owned())
    }

    fn symmetries(&self) -> usize {
        SYMMETRIES
    }

    fn transform_position(&self, position: &Position, symmetry: usize) -> Position {
        transform_position(position, symmetry)
    }

    fn transform_outcome(&self, outcome: u8, symmetry: usize) -> u8 {
        transform_face(outcome, symmetry)
    }

    fn transform_move(&self, mv: Move, symmetry: usize) -> Option<(u32, usize)> {
        let image = transform_move(mv, symmetry).number();
        Some((image.into(), symmetry_after_move(symmetry)))
    }

    fn swap_colours(&self, position: &Position) -> Position {
        Position::new(position.mover(), position.other(), 1 - position.seat())
    }

    fn is_held_out(&self, position: &Position) -> bool {
        position.is_held_out()
    }
}
