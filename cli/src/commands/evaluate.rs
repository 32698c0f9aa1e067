//! `alea evaluate`: what one evaluator says of a position, without search.

use crate::positions::{self, PositionArguments, Question, side};
use anyhow::Result;
use engine::play::build;
use serde::Serialize;
use std::process::ExitCode;

/// Say what one evaluator thinks of a position, without search
///
/// The value is the win probability of the side to move before the roll; a die in the position is
/// ignored. A network that was trained with the heads 'rolls' and 'moves_to_go' also says what each
/// roll would be worth and how long the game will last.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea evaluate \"215../64.../3...e/...fb/..acd b -\" --eval schwarz --raw"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    position: PositionArguments,
    /// The evaluator, for example schwarz, race, abt or model:models/network.safetensors
    #[arg(long = "eval", default_value = "schwarz", value_name = "EVALUATOR")]
    evaluator: String,
    /// Also give the raw score, before its calibration to a win probability
    #[arg(long)]
    raw: bool,
}

#[derive(Serialize)]
struct Answer {
    value: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<Option<f32>>,
    /// Win probability after each face, of evaluators that know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    rolls: Option<Vec<f32>>,
    /// Plies to the end, of evaluators that know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    moves_to_go: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    winner: Option<&'static str>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let game = arguments.position.rules.game();
    let evaluator = build::evaluator(&arguments.evaluator, &game)?;
    let answer = |question: &Question| {
        if let Some(value) = question.final_value() {
            // The key is there whenever it was asked for; nothing is left to score.
            let winner = question.winner.map(side);
            return Ok(Answer {
                value,
                raw: arguments.raw.then_some(None),
                rolls: None,
                moves_to_go: None,
                winner,
            });
        }
        let position = &question.position;
        Ok(Answer {
            value: evaluator.value_of(&game, position),
            raw: arguments.raw.then(|| evaluator.raw(&game, position)),
            rolls: evaluator.by_outcome(&game, position),
            moves_to_go: evaluator.plies_to_go(&game, position),
            winner: None,
        })
    };
    positions::answer_all(&arguments.position, &game, answer, |question, answer| {
        let mut text = positions::board(&game, question);
        text += &format!(
            "\n  win probability of the side to move, before the roll: {:.4}",
            answer.value
        );
        match answer.raw {
            Some(Some(raw)) => text += &format!("\n  raw score: {raw:.4}"),
            Some(None) => text += "\n  raw score: none; this evaluator's value is all there is",
            None => {}
        }
        if let Some(rolls) = &answer.rolls {
            let rolls: Vec<String> = rolls
                .iter()
                .zip(1..)
                .map(|(value, face)| format!("{face}: {value:.4}"))
                .collect();
            text += &format!("\n  after each roll: {}", rolls.join("  "));
        }
        if let Some(plies) = answer.moves_to_go {
            text += &format!("\n  plies to go: {plies:.1}");
        }
        text
    })
}
