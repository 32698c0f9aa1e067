//! Commands that ask about positions: one on the command line, or one a line on standard input.
//!
//! Where the position is `-` one JSON object is written for every line, in order; a bad line gets
//! an object that says what is wrong with it, the stream goes on, and the exit code is 1.

use crate::output;
use anyhow::{Context, Result, anyhow};
use engine::core::game::Seat;
use engine::games::einstein::dice::Die;
use engine::games::einstein::{Position, RED, Standard, Variant};
use engine::play::playable::Playable;
use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::io::BufRead;
use std::process::ExitCode;

/// How to read positions and write answers; shared by all commands that take positions.
#[derive(clap::Args)]
pub(crate) struct PositionArguments {
    /// Rows from the top, side to move, die or '-': "215../64.../3...e/...fb/..acd b 1"; or - to
    /// read one a line
    #[arg(value_name = "POSITION")]
    pub(crate) position: String,
    /// Write JSON (always so when positions come from standard input)
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) rules: RulesArguments,
}

/// Which rules are played.
#[derive(clap::Args)]
pub(crate) struct RulesArguments {
    /// With the rolled stone gone: 'classic' next higher or lower, 'nearest' the nearest number
    /// only
    #[arg(long, default_value = "classic", value_parser = ["classic", "nearest"])]
    pub(crate) variant: String,
}

impl RulesArguments {
    /// The rules, with a fair die.
    pub(crate) fn game(&self) -> Standard {
        let variant = if self.variant == "nearest" {
            Variant::NearestOnly
        } else {
            Variant::Classic
        };
        Standard::new(variant, Die::fair())
    }
}

/// Runs the jobs of an endgame table on all threads.
pub(crate) fn parallel(jobs: usize, job: &(dyn Fn(usize) + Sync)) {
    (0..jobs).into_par_iter().for_each(job);
}

/// A position that was asked about.
pub(crate) struct Question {
    pub(crate) text: String,
    pub(crate) position: Position,
    pub(crate) die: Option<u8>,
    pub(crate) winner: Option<Seat>,
}

impl Question {
    /// Win probability of the side to move of a position that is over.
    pub(crate) fn final_value(&self) -> Option<f32> {
        self.winner.map(|winner| {
            if winner == self.position.seat() {
                1.0
            } else {
                0.0
            }
        })
    }
}

/// Answers every position: `answer` gives the JSON fields that follow the position, `show` what a
/// person reads.
///
/// # Errors
/// If the only position is malformed, or an answer fails.
pub(crate) fn answer_all<A: Serialize>(
    arguments: &PositionArguments,
    game: &Standard,
    mut answer: impl FnMut(&Question) -> Result<A>,
    show: impl Fn(&Question, &A) -> String,
) -> Result<ExitCode> {
    if arguments.position != "-" {
        let text = &arguments.position;
        let question = read(text, game)
            .map_err(|problem| anyhow!("position '{}': {problem}", shortened(text)))?;
        let answer = answer(&question)?;
        if arguments.json {
            output::json(&object(&question.text, &answer)?)?
        } else {
            output::line(&show(&question, &answer))?
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut exit = ExitCode::SUCCESS;
    for line in std::io::stdin().lock().split(b'\n') {
        let line = line.context("cannot read standard input")?;
        let line = String::from_utf8_lossy(&line);
        let line = line.strip_suffix('\r').unwrap_or(&line);
        let answered =
            read(line, game).and_then(|question| object(&question.text, &answer(&question)?));
        let object = answered.unwrap_or_else(|error| {
            exit = ExitCode::FAILURE;
            json!({ "position": line, "error": error.to_string() })
        });
        output::json(&object)?;
    }
    Ok(exit)
}

/// Enough of a text to recognise it: whatever is much longer than a position is not repeated in an
/// error.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 80;
    if text.chars().count() <= LONGEST {
        text.to_owned()
    } else {
        text.chars().take(LONGEST).chain("…".chars()).collect()
    }
}

fn read(text: &str, game: &Standard) -> Result<Question> {
    let (position, die) = game.parse_position(text)?;
    Ok(Question {
        text: text.to_owned(),
        position,
        die,
        winner: game.winner(&position),
    })
}

/// `r` or `b`.
pub(crate) fn side(seat: Seat) -> &'static str {
    if seat == RED { "r" } else { "b" }
}

fn object(position: &str, answer: &impl Serialize) -> Result<Value> {
    let mut object = Map::from_iter([("position".to_owned(), json!(position))]);
    if let Value::Object(fields) = serde_json::to_value(answer)? {
        object.extend(fields);
    }
    Ok(Value::Object(object))
}

/// A position as a person sees it: rows, columns and whose turn it is.
pub(crate) fn board(game: &Standard, question: &Question) -> String {
    game.draw(&question.position, question.die)
}
