//! `alea moves`: the legal moves of a position and what they lead to.

use crate::positions::{self, PositionArguments, Question, side};
use anyhow::Result;
use engine::core::game::Game;
use engine::games::einstein::Standard;
use serde::Serialize;
use std::process::ExitCode;

/// List the legal moves of a position and the positions they lead to
///
/// With a die the moves it permits are listed, before the roll ('-') every move that some face
/// permits.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea moves \"215../64.../3...e/...fb/..acd b 1\"\n         alea moves - --json < positions.txt"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    position: PositionArguments,
}

#[derive(Serialize)]
struct Answer {
    moves: Vec<Successor>,
    #[serde(skip_serializing_if = "Option::is_none")]
    winner: Option<&'static str>,
}

#[derive(Serialize)]
struct Successor {
    #[serde(rename = "move")]
    mv: String,
    position: String,
    winner: Option<&'static str>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let game = arguments.position.rules.game();
    positions::answer_all(
        &arguments.position,
        &game,
        |question| Ok(answer(&game, question)),
        |question, answer| show(&game, question, answer),
    )
}

fn answer(game: &Standard, question: &Question) -> Answer {
    if question.winner.is_some() {
        return Answer {
            moves: Vec::new(),
            winner: question.winner.map(side),
        };
    }
    let moves = match question.die {
        Some(die) => game.legal_moves(&question.position, die),
        None => {
            let mut moves = Default::default();
            game.moves(&question.position, &mut moves);
            moves
        }
    };
    let successor = |mv| {
        let next = game.play(&question.position, mv);
        Successor {
            mv: game.format_move(&question.position, mv),
            position: game.format_position(&next, None),
            winner: game.winner(&next).map(side),
        }
    };
    Answer {
        moves: moves.iter().copied().map(successor).collect(),
        winner: None,
    }
}

fn show(game: &Standard, question: &Question, answer: &Answer) -> String {
    let mut text = positions::board(game, question);
    for successor in &answer.moves {
        let won = if successor.winner.is_some() {
            "  wins"
        } else {
            ""
        };
        text += &format!("\n  {}  {}{won}", successor.mv, successor.position);
    }
    text
}
