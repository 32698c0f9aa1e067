//! Havannah as a game to play, record and learn.

use super::{
    BASES, Havannah, Move, Position, drawing, evaluators::EVALUATORS, mates::MATES,
    players::PLAYERS, playout::PLAYOUTS, shape::SYMMETRIES, transcript::FORMS,
};
use crate::core::{
    game::{Game, Seat},
    text::joined,
};
use crate::learned;
use crate::play::{
    notation::{Arguments, Problem},
    playable::{Playable, without_chance},
    registry::{
        AnyEvaluator, EvaluatorEntry, OracleEntry, PlayerEntry, PlayoutEntry, TranscriptForm,
    },
};
use std::sync::Arc;

/// Where nothing is said: the board of most tournaments.
const DEFAULT_BASE: usize = 8;

impl Playable for Havannah {
    const NAME: &'static str = "havannah";
    const PARAMETERS: &'static str = "base=8, swap=off|on";
    const OPENING_PLIES: usize = 2;
    const REMAINING: &'static str = "empties";
    const SEARCH: &'static str = "leaf=playout, playout=havannah(mate=on), rave=3000, exploration=0, fpu=1.1, \
        expand=10, mates=on";
    const PIPELINES: &'static [(&'static str, &'static str)] =
        &[("quick", include_str!("quick.toml"))];
    const GENERATIONS: &'static [(&'static str, &'static str)] =
        &[("quick", include_str!("generations.toml"))];
    const TEACHERS: &'static [(&'static str, f64)] = &[("mcts(sims=1000)", 1.0)];
    const URGENCIES: &'static [(&'static str, u32)] =
        &[("quiet", 1), ("blocks", 100), ("wins", 10_000)];

    crate::instantiate_players!();
    without_chance!();

    fn best(&self) -> Option<&'static [u8]> {
        // Each learned on boards of that size.
        Some(match self.base() {
            ..=6 => include_bytes!("../../../../models/havannah-3.safetensors"),
            _ => include_bytes!("../../../../models/havannah-4.safetensors"),
        })
    }

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

    fn evaluators() -> &'static [EvaluatorEntry<Self>] {
        &EVALUATORS
    }

    fn players() -> &'static [PlayerEntry<Self>] {
        &PLAYERS
    }

    fn oracle() -> Option<&'static OracleEntry<Self>> {
        Some(&MATES)
    }

    fn playouts() -> &'static [PlayoutEntry<Self>] {
        &PLAYOUTS
    }

    fn model(&self, content: &[u8]) -> Result<Arc<dyn AnyEvaluator<Self>>, String> {
        learned::model_file::evaluator(self, content)
    }

    fn transcripts() -> &'static [TranscriptForm<Self>] {
        &FORMS
    }

    fn max_plies(&self) -> u16 {
        // A swap places no stone.
        self.board_cells() as u16 + 1
    }

    fn remaining(&self, position: &Position) -> usize {
        self.board_cells() - position.stones()
    }

    fn ways_won(&self, position: &Position) -> Option<Vec<&'static str>> {
        self.payoffs(position)?;
        Some(position.won().names())
    }

    fn seat_name(&self, seat: Seat) -> &'static str {
        ["1", "2"][seat]
    }

    fn seat_title(&self, seat: Seat) -> &'static str {
        ["White", "Black"][seat]
    }

    fn symmetries(&self) -> usize {
        SYMMETRIES
    }

    fn image(&self, position: &Position, symmetry: usize) -> Position {
        let images = &self.shape.images[symmetry];
        let image = |cell: u16| images[usize::from(cell)];
        let mut turned = self.start();
        for cell in 0..self.board_cells() {
            if let Some(seat) = position.on(cell) {
                let cell = usize::from(image(cell as u16));
                turned.place(self.shape, cell, seat);
                turned.key ^= self.shape.words[cell][seat];
            }
        }
        Position {
            last: position.last.map(image),
            seat: position.seat,
            won: position.won,
            ..turned
        }
    }

    fn move_image(&self, mv: Move, symmetry: usize) -> Option<(u32, usize)> {
        let image = |cell: usize| self.shape.images[symmetry][cell];
        Some((
            mv.cell().map_or(u32::MAX, |cell| image(cell).into()),
            symmetry,
        ))
    }
}
