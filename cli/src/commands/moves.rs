//! `alea moves`: legal moves of a position and their successors.

use crate::games::with_game;
use crate::position_arguments::{self, End, PositionArguments, Question};
use anyhow::Result;
use engine::play::playable::Playable;
use engine::play::player_notation::trusted_text;
use serde::Serialize;

/// List the legal moves of a position and the positions they lead to
///
/// With a die these are the moves it allows, before the roll ('-') all moves of any face.
/// Successors are positions before the next roll.
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
}

#[derive(Serialize)]
struct Successor {
    #[serde(rename = "move")]
    mv: String,
    position: String,
    #[serde(flatten)]
    end: End,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        with_game!(trusted_text(&self.position.game.notation()), game => position_arguments::answer_all(
            &self.position,
            &game,
            |question| Ok(answer(&game, question)),
            |question, answer| format_answer(&game, question, answer),
        ))
    }
}

fn answer<G: Playable>(game: &G, question: &Question<G>) -> Answer {
    let successor = |&mv| {
        let next = game.play(&question.position, mv);
        Successor {
            mv: game.format_move(&question.position, mv),
            position: game.format_position(&next, None),
            end: End::of(game, &next).unwrap_or_default(),
        }
    };
    let moves = match question.end {
        None => question.moves(game).iter().map(successor).collect(),
        Some(_) => Vec::new(),
    };
    Answer { moves }
}

fn format_answer<G: Playable>(game: &G, question: &Question<G>, answer: &Answer) -> String {
    let mover = game.to_move(&question.position);
    let mut text = question.text_diagram(game);
    for successor in &answer.moves {
        let over = match successor.end.best[..] {
            [] => "",
            [winner] if winner == mover => "  wins",
            ref best if best.contains(&mover) => "  draws",
            _ => "  loses",
        };
        text += &format!("\n  {:<4}  {}{over}", successor.mv, successor.position);
    }
    text
}
