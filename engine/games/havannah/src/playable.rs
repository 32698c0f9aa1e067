//! Havannah's parameters, texts, players and symmetries.

use super::{
    BASES, Havannah, Move, Position, drawing, evaluators::EVALUATORS, mates::MATES_ORACLE,
    players::PLAYERS, playout::PLAYOUT_ENTRIES, shape::SYMMETRIES, transcript_formats::FORMS,
};
use alea_core::{
    game::{Game, Seat},
    random::RandomStream,
    text::{TextError, joined},
};
use alea_learned::model_file;
use alea_play::{
    chance_sources::NoChance,
    playable::{ChanceSources, Codec, GameInfo, GameText, Playable, Registry, Rules},
    player_notation::{Arguments, Problem},
};

const DEFAULT_BASE: usize = 8;

/// Smaller boards have `havannah-3` as `best`, and it as a part of each leaf of `mcts`: 67.3 %
/// against playouts alone on base 5 at equal time, while on base 8 that gain ends at some 14,000
/// simulations (`benches/results/other-games.md`).
const FIRST_LARGE_BASE: usize = 7;
const MCTS_ON_SMALL_BOARDS: &str = "leaf=mix(0.4, best), playout=havannah(mate=on), rave=3000, \
    exploration=0, fpu=1.1, expand=10, mates=on";
const MCTS_ON_LARGE_BOARDS: &str = "leaf=playout, playout=havannah(mate=on), rave=3000, exploration=0, fpu=1.1, expand=10, mates=on";

static REGISTRY: Registry<Havannah> = Registry {
    evaluators: &EVALUATORS,
    players: &PLAYERS,
    oracle: Some(&MATES_ORACLE),
    playouts: &PLAYOUT_ENTRIES,
    transcripts: &FORMS,
    best_model: |game| {
        Some(match game.base() {
            ..FIRST_LARGE_BASE => alea_models::HAVANNAH_3.content(),
            _ => alea_models::HAVANNAH_4.content(),
        })
    },
    read_model: model_file::evaluator_from_bytes,
    ..Registry::DEFAULT
};

impl Playable for Havannah {
    fn registry() -> &'static Registry<Self> {
        &REGISTRY
    }
}

impl Rules for Havannah {
    const INFO: &'static GameInfo = &GameInfo {
        name: "havannah",
        parameters: "base=8, swap=off|on",
        size_parameter: "base",
        seats: &[("1", "White"), ("2", "Black")],
        remaining_unit: "empties",
        opening_plies: 2,
        self_play_players: &[("mcts(sims=1000, leaf=playout)", 1.0)],
        pipeline_presets: &[("quick", include_str!("quick.toml"))],
        improve_presets: &[("quick", include_str!("generations.toml"))],
        move_classes: &[("quiet", 1), ("blocks", 100), ("wins", 10_000)],
        page_rules: &["havannah(base=4)", "havannah(base=6)", "havannah(base=8)"],
        page_parameters: &[("base", &[]), ("swap", &[])],
        levels: &[
            ("beginner", "softmax(star1(1, EVAL), 0.27)"),
            ("easy", "softmax(star1(1, EVAL), 0.14)"),
            ("casual", "softmax(star1(1, EVAL), 0.072)"),
            ("medium", "softmax(star1(1, EVAL), 0.011)"),
            ("skilled", "mcts(100)"),
            ("hard", "mcts(300)"),
            ("strong", "mcts(1000)"),
            ("expert", "mcts(5000)"),
            ("strongest", "mcts(30000, leaf=playout)"),
        ],
        rules_text: include_str!("rules.txt"),
        ..GameInfo::DEFAULT
    };

    fn from_arguments(arguments: &mut Arguments<'_>) -> Result<Self, Problem> {
        let base = arguments.number("base", BASES, DEFAULT_BASE)?;
        let swap = arguments.choice("swap", &[("off", false), ("on", true)])?;
        Ok(Self::new(base, swap))
    }

    fn parameters(&self) -> String {
        let base = (self.base() != DEFAULT_BASE).then(|| format!("base={}", self.base()));
        let swap = self.swap.then(|| "swap=on".to_owned());
        joined(base.into_iter().chain(swap), ", ")
    }

    fn mcts_defaults(&self) -> &'static str {
        if self.base() < FIRST_LARGE_BASE {
            MCTS_ON_SMALL_BOARDS
        } else {
            MCTS_ON_LARGE_BOARDS
        }
    }

    fn board_size(&self) -> Option<usize> {
        Some(self.base())
    }

    fn max_plies(&self) -> u16 {
        self.num_cells() as u16 + 1
    }

    fn remaining_length(&self, position: &Position) -> usize {
        self.num_cells() - position.stones()
    }

    fn random_start(&self, _: &mut RandomStream, _: Seat) -> Position {
        self.start()
    }
}

impl ChanceSources for Havannah {
    type Chance = NoChance;
    type PairedChance = NoChance;
}

impl GameText for Havannah {
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

    fn format_alternate_notation(&self, mv: &str) -> Option<String> {
        format_unless_swap(mv, || {
            Some(self.golem_name(self.parse_cell(mv, false).ok()?))
        })
    }

    fn parse_alternate_notation(&self, mv: &str) -> Option<String> {
        format_unless_swap(mv, || Some(self.cell_name(self.parse_cell(mv, true).ok()?)))
    }

    fn win_kinds(&self, position: &Position) -> Option<Vec<&'static str>> {
        self.payoffs(position)?;
        Some(position.structures().names())
    }
}

impl Codec for Havannah {
    fn symmetries(&self) -> usize {
        SYMMETRIES
    }

    fn transform_position(&self, position: &Position, symmetry: usize) -> Position {
        let images = &self.shape.images[symmetry];
        let image = |cell: u16| images[usize::from(cell)];
        let mut transformed = self.start();
        for cell in 0..self.num_cells() {
            if let Some(seat) = position.seat_at(cell) {
                let cell = usize::from(image(cell as u16));
                transformed.place_stone(self.shape, cell, seat);
                transformed.key ^= self.shape.words[cell][seat];
            }
        }
        Position {
            last: position.last.map(image),
            seat: position.seat,
            structures: position.structures,
            ..transformed
        }
    }

    fn transform_move(&self, mv: Move, symmetry: usize) -> Option<(u32, usize)> {
        let image = |cell: usize| self.shape.images[symmetry][cell];
        Some((
            mv.cell().map_or(u32::MAX, |cell| image(cell).into()),
            symmetry,
        ))
    }
}

fn format_unless_swap(mv: &str, cell: impl FnOnce() -> Option<String>) -> Option<String> {
    match mv.eq_ignore_ascii_case("swap") {
        true => Some(mv.to_owned()),
        false => cell(),
    }
}
