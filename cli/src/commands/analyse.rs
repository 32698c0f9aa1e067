//! `alea analyse`: win probability, value of every move and the best one, by any player.

use crate::positions::{self, PositionArguments, Question, side};
use anyhow::Result;
use engine::chance::expectation;
use engine::game::{Game, OutcomeList};
use engine::games::einstein::{Move, Position, Standard};
use engine::player::Player;
use engine::player::build::PlayerRecipe;
use engine::random::{SeedSpace, derive_seed};
use serde::Serialize;
use std::process::ExitCode;

/// Analyse a position: win probability, the value of every move, the best line
///
/// With a die the value is that of the best legal move, before the roll ('-') the expectation over the die.
#[derive(clap::Args)]
#[command(after_help = "Example: alea analyse \"215../64.../3...e/...fb/..acd b 1\" --player \"star1(depth=4, eval=schwarz)\"")]
pub(crate) struct Arguments {
    #[command(flatten)]
    position: PositionArguments,
    /// The player that analyses, for example "mcts(sims=20000)"
    #[arg(long, default_value = "star1(depth=4, eval=schwarz)", value_name = "PLAYER")]
    player: String,
    /// Seed of the player's random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Also measure the share of time spent evaluating leaves (slows the search a little)
    #[arg(long)]
    instrument: bool,
}

#[derive(Serialize)]
struct Answer {
    value: Option<f32>,
    best: Option<String>,
    moves: Vec<RatedMove>,
    line: Vec<String>,
    nodes: u64,
    evaluations: u64,
    milliseconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    evaluation_share: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    winner: Option<&'static str>,
}

#[derive(Serialize)]
struct RatedMove {
    #[serde(rename = "move")]
    mv: String,
    value: Option<f32>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let game = arguments.position.rules.game();
    let recipe = PlayerRecipe::parse(&arguments.player, &game)?;
    let mut player = if arguments.instrument { recipe.make_instrumented() } else { recipe.make() };
    let seed = derive_seed(arguments.seed, SeedSpace::Player, &[]);
    let answer = |question: &Question| {
        // Each position is analysed alone, whatever came before it in the stream.
        player.new_game(seed);
        Ok(answer(&game, question, &mut *player))
    };
    positions::answer_all(&arguments.position, &game, answer, |question, answer| show(&game, question, answer))
}

fn answer(game: &Standard, question: &Question, player: &mut dyn Player<Standard>) -> Answer {
    if question.winner.is_some() {
        return Answer {
            value: question.final_value(),
            best: None,
            moves: Vec::new(),
            line: Vec::new(),
            nodes: 0,
            evaluations: 0,
            milliseconds: 0.0,
            evaluation_share: None,
            winner: question.winner.map(side),
        };
    }
    let position = &question.position;
    let legal = question.die.map(|die| game.legal_moves(position, die));
    let analysis = player.analyse(position, legal.as_deref());
    // A player that rates no moves still plays one.
    let best = legal.map(|legal| analysis.line.first().copied().unwrap_or_else(|| player.decide(position, &legal).best));
    let value = match question.die {
        Some(_) => best.and_then(|best| analysis.moves.iter().find(|(mv, _)| *mv == best)).and_then(|(_, value)| *value),
        None => {
            let moves: Vec<_> = analysis.moves.iter().map(|(mv, _)| *mv).collect();
            // A move that a sampling player never tried is taken for worthless; a player that rates nothing has no value.
            let rated = analysis.moves.iter().any(|(_, value)| value.is_some());
            let values = rated.then(|| analysis.moves.iter().map(|(_, value)| value.unwrap_or(0.0)).collect::<Vec<f32>>());
            let mut outcomes = OutcomeList::default();
            game.outcomes(position, &moves, &mut outcomes);
            values.map(|values| expectation(&outcomes, &values))
        }
    };
    let name = |mv| game.format_move(position, mv);
    let stats = analysis.stats;
    Answer {
        value,
        best: best.map(name),
        moves: analysis.moves.iter().map(|&(mv, value)| RatedMove { mv: name(mv), value }).collect(),
        line: if question.die.is_some() { names_along(game, position, &analysis.line) } else { Vec::new() },
        nodes: stats.nodes,
        evaluations: stats.evaluations,
        milliseconds: stats.time.as_secs_f64() * 1000.0,
        evaluation_share: stats.evaluation_time.map(|time| time.as_secs_f64() / stats.time.as_secs_f64().max(1e-9)),
        winner: None,
    }
}

/// The names of moves that are made one after the other.
fn names_along(game: &Standard, position: &Position, line: &[Move]) -> Vec<String> {
    let mut position = *position;
    line.iter()
        .map(|&mv| {
            let name = game.format_move(&position, mv);
            position = game.play(&position, mv);
            name
        })
        .collect()
}

fn show(game: &Standard, question: &Question, answer: &Answer) -> String {
    let number = |value: Option<f32>| value.map_or("     -".to_owned(), |value| format!("{value:.4}"));
    let mut text = positions::board(game, question);
    if let Some(value) = answer.value {
        text += &format!("\n\n  win probability of the side to move: {value:.4}");
    }
    let mut moves: Vec<&RatedMove> = answer.moves.iter().collect();
    moves.sort_by(|one, other| other.value.unwrap_or(-1.0).total_cmp(&one.value.unwrap_or(-1.0)));
    text += "\n\n  move   value";
    for rated in moves {
        let best = if Some(&rated.mv) == answer.best.as_ref() { "  best" } else { "" };
        text += &format!("\n  {}  {}{best}", rated.mv, number(rated.value));
    }
    text += &format!("\n\n  {} nodes, {} evaluations, {:.2} ms", answer.nodes, answer.evaluations, answer.milliseconds);
    if let Some(share) = answer.evaluation_share {
        text += &format!(", {:.0} % of it evaluating", share * 100.0);
    }
    text
}
