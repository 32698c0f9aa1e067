//! Positions as arguments: one on the command line, or with `-` one per line of standard input.
//!
//! Each input line gets a line of JSON; a bad line gets an object with `error` (and the exit code
//! is 1). Blank lines are skipped, unless an empty line is a position of the game.

use crate::games::GameArguments;
use crate::output::{self, MAX_ERROR};
use anyhow::{Context, Result, anyhow};
use engine::core::{
    game::Seat,
    text::{self, LineRead, shorten},
};
use engine::play::playable::Playable;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::io::BufRead as _;
use web::position_values::has_chance;

const MAX_LINE: usize = 1 << 16;

const MAX_POSITION_TEXT: usize = 80;

/// Options of all commands that take positions.
#[derive(clap::Args)]
pub(crate) struct PositionArguments {
    /// In EinStein rows from the top, side to move, die or '-':
    /// "215../64.../3...e/...fb/..acd b 1"; in other games as
    /// docs/reference/formats.md says; or - to read
    /// one a line
    #[arg(value_name = "POSITION")]
    pub(crate) position: String,
    /// Write JSON (always so when positions come from standard input)
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) game: GameArguments,
}

pub(crate) struct Question<G: Playable> {
    pub(crate) position: G::Position,
    pub(crate) outcome: Option<u8>,
    pub(crate) end: Option<End>,
}

impl<G: Playable> Question<G> {
    fn read(game: &G, text: &str) -> Result<Self> {
        let (position, outcome) = game.parse_position(text)?;
        Ok(Self {
            position,
            outcome: outcome.or((!has_chance::<G>()).then_some(0)),
            end: End::of(game, &position),
        })
    }

    /// Payoff of the side to move; `None` if the game is not over.
    pub(crate) fn final_value(&self, game: &G) -> Option<f32> {
        game.payoff(&self.position, game.to_move(&self.position))
    }

    /// Moves that the outcome allows, or without one all; the game must not be over.
    pub(crate) fn moves(&self, game: &G) -> G::Moves {
        game.legal_moves(&self.position, self.outcome)
    }

    pub(crate) fn text_diagram(&self, game: &G) -> String {
        game.text_diagram(&self.position, self.outcome)
    }
}

#[derive(Default, Serialize)]
pub(crate) struct End {
    #[serde(skip)]
    pub(crate) best: Vec<Seat>,
    /// Name of a seat or `draw`; in games with several winners, their numbers from 1.
    winner: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<Vec<&'static str>>,
}

impl End {
    pub(crate) fn of<G: Playable>(game: &G, position: &G::Position) -> Option<Self> {
        let payoffs = game.payoffs(position)?;
        let payoffs = &payoffs[..game.seats()];
        let max_payoff = payoffs.iter().copied().fold(0.0, f32::max);
        let best = (0..payoffs.len()).filter(|&seat| payoffs[seat] == max_payoff);
        let best: Vec<Seat> = best.collect();
        let winner = match best[..] {
            _ if G::INFO.lists_winners => best.iter().map(|seat| seat + 1).collect(),
            [seat] => game.seat_name(seat).into(),
            _ => "draw".into(),
        };
        Some(Self {
            best,
            winner,
            kind: game.win_kinds(position),
        })
    }
}

/// Prints an answer for each position: as JSON the fields of `answer`, or `show` as text.
pub(crate) fn answer_all<G: Playable, A: Serialize>(
    arguments: &PositionArguments,
    game: &G,
    mut answer: impl FnMut(&Question<G>) -> Result<A>,
    show: impl Fn(&Question<G>, &A) -> String,
) -> Result<()> {
    if arguments.position != "-" {
        let text = &arguments.position;
        let question = Question::read(game, text).map_err(|problem| {
            anyhow!("position '{}': {problem}", shorten(text, MAX_POSITION_TEXT))
        })?;
        let answer = answer(&question)?;
        let object = answer_json(text, &answer, question.end.as_ref())?;
        return output::print_result(arguments.json, &object, || show(&question, &answer));
    }
    let mut all_good = true;
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    let skips_empty = game.parse_position("").is_err();
    loop {
        let read = text::read_line(&mut input, MAX_LINE, &mut line);
        let read = read.context("cannot read standard input")?;
        if read == LineRead::End {
            return if all_good {
                Ok(())
            } else {
                Err(output::already_reported())
            };
        }
        let line = String::from_utf8_lossy(&line);
        let content = text::strip_comment(&line);
        if content.is_empty() && (skips_empty || !line.trim().is_empty()) {
            continue;
        }
        let answered = if read == LineRead::Truncated {
            input
                .skip_until(b'\n')
                .context("cannot read standard input")?;
            Err(anyhow!("a line of more than {MAX_LINE} bytes"))
        } else {
            Question::read(game, content).and_then(|question| {
                answer_json(content, &answer(&question)?, question.end.as_ref())
            })
        };
        let object = answered.unwrap_or_else(|error| {
            all_good = false;
            let error = shorten(&error.to_string(), MAX_ERROR);
            json!({ "position": shorten(content, MAX_POSITION_TEXT), "error": error })
        });
        output::print_json(&object)?;
    }
}

fn answer_json(position: &str, answer: &impl Serialize, end: Option<&End>) -> Result<Value> {
    let mut object = Map::from_iter([("position".to_owned(), json!(position))]);
    for fields in [serde_json::to_value(answer)?, serde_json::to_value(end)?] {
        if let Value::Object(fields) = fields {
            object.extend(fields);
        }
    }
    Ok(Value::Object(object))
}
