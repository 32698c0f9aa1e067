//! `alea analyse`: win probability, value of every move and the best one, by any player.

use crate::positions::{self, PositionArguments, Question, side};
use anyhow::Result;
use engine::core::chance::expectation;
use engine::core::game::Game;
use engine::core::random::{SeedSpace, derive_seed};
use engine::games::einstein::{Move, Position, Standard};
use engine::play::build::PlayerRecipe;
use engine::play::player::Player;
use engine::search::mcts::TreeReport;
use serde::Serialize;
use std::process::ExitCode;

/// Analyse a position: win probability, the value of every move, the best line
///
/// With a die the value is that of the best legal move, before the roll ('-') the expectation over
/// the die.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea analyse \"215../64.../3...e/...fb/..acd b 1\" --player \"star1(depth=4, eval=schwarz)\""
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    position: PositionArguments,
    /// The player that analyses, for example "mcts(sims=20000)"
    #[arg(
        long,
        default_value = "star1(depth=4, eval=schwarz)",
        value_name = "PLAYER"
    )]
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
    tree: Option<Tree>,
    #[serde(skip_serializing_if = "Option::is_none")]
    winner: Option<&'static str>,
}

#[derive(Serialize)]
struct RatedMove {
    #[serde(rename = "move")]
    mv: String,
    value: Option<f32>,
    #[serde(flatten)]
    searched: Option<Searched>,
}

/// What a Monte-Carlo search knows of a move besides its value.
#[derive(Serialize)]
struct Searched {
    visits: u32,
    /// What is proven of the value.
    lower: f32,
    upper: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    prior: Option<f32>,
}

/// What a Monte-Carlo search built.
#[derive(Serialize)]
struct Tree {
    simulations: u64,
    positions: u32,
    depth: u32,
    bytes: usize,
    fill: f64,
    full: bool,
}

impl From<&TreeReport<Move>> for Tree {
    fn from(report: &TreeReport<Move>) -> Self {
        let &TreeReport {
            simulations,
            positions,
            depth,
            bytes,
            fill,
            full,
            ..
        } = report;
        Self {
            simulations,
            positions,
            depth,
            bytes,
            fill,
            full,
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let game = arguments.position.rules.game();
    let recipe = PlayerRecipe::parse(&arguments.player, &game)?;
    let mut player = if arguments.instrument {
        recipe.make_instrumented()
    } else {
        recipe.make()
    };
    let seed = derive_seed(arguments.seed, SeedSpace::Player, &[]);
    let answer = |question: &Question| {
        // Each position is analysed alone, whatever came before it in the stream.
        player.new_game(seed);
        Ok(answer(&game, question, &mut *player))
    };
    positions::answer_all(&arguments.position, &game, answer, |question, answer| {
        show(&game, question, answer)
    })
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
            tree: None,
            winner: question.winner.map(side),
        };
    }
    let position = &question.position;
    let legal = question.die.map(|die| game.legal_moves(position, die));
    let analysis = player.analyse(position, legal.as_deref());
    // A player that rates no moves still plays one.
    let best = legal.map(|legal| {
        analysis
            .line
            .first()
            .copied()
            .unwrap_or_else(|| player.decide(position, &legal).best)
    });
    let value = match question.die {
        Some(_) => best
            .and_then(|best| analysis.moves.iter().find(|(mv, _)| *mv == best))
            .and_then(|(_, value)| *value),
        None => {
            let moves: Vec<_> = analysis.moves.iter().map(|(mv, _)| *mv).collect();
            // A move that a sampling player never tried is taken for worthless; a player that rates
            // nothing has no value.
            let rated = analysis.moves.iter().any(|(_, value)| value.is_some());
            let values = rated.then(|| {
                analysis
                    .moves
                    .iter()
                    .map(|(_, value)| value.unwrap_or(0.0))
                    .collect::<Vec<f32>>()
            });
            let outcomes = game.outcomes(position, &moves);
            values.map(|values| expectation(&outcomes, &values))
        }
    };
    let name = |mv| game.format_move(position, mv);
    let stats = analysis.stats;
    let searched = |place: usize| {
        let found = analysis.tree.as_ref()?.moves.get(place)?;
        Some(Searched {
            visits: found.visits,
            lower: found.proven.lower,
            upper: found.proven.upper,
            prior: found.prior,
        })
    };
    Answer {
        value,
        best: best.map(name),
        moves: analysis
            .moves
            .iter()
            .enumerate()
            .map(|(place, &(mv, value))| RatedMove {
                mv: name(mv),
                value,
                searched: searched(place),
            })
            .collect(),
        line: if question.die.is_some() {
            names_along(game, position, &analysis.line)
        } else {
            Vec::new()
        },
        nodes: stats.nodes,
        evaluations: stats.evaluations,
        milliseconds: stats.time.as_secs_f64() * 1000.0,
        evaluation_share: stats
            .evaluation_time
            .map(|time| time.as_secs_f64() / stats.time.as_secs_f64().max(1e-9)),
        tree: analysis.tree.as_deref().map(Tree::from),
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
    let number =
        |value: Option<f32>| value.map_or("     -".to_owned(), |value| format!("{value:.4}"));
    let mut text = positions::board(game, question);
    if let Some(value) = answer.value {
        text += &format!("\n\n  win probability of the side to move: {value:.4}");
    }
    let mut moves: Vec<&RatedMove> = answer.moves.iter().collect();
    moves.sort_by(|one, other| {
        other
            .value
            .unwrap_or(-1.0)
            .total_cmp(&one.value.unwrap_or(-1.0))
    });
    text += "\n\n  move   value";
    let has_prior = moves.iter().any(|rated| {
        rated
            .searched
            .as_ref()
            .is_some_and(|searched| searched.prior.is_some())
    });
    if answer.tree.is_some() {
        text += &format!(
            "      visits{}  at least  at most",
            if has_prior { "   prior" } else { "" }
        );
    }
    for rated in moves {
        text += &format!("\n  {}  {}", rated.mv, number(rated.value));
        if let Some(searched) = &rated.searched {
            let prior = if has_prior {
                format!("  {}", number(searched.prior))
            } else {
                String::new()
            };
            text += &format!(
                "  {:>10}{prior}  {:>8.4}  {:>7.4}",
                searched.visits, searched.lower, searched.upper
            );
        }
        if Some(&rated.mv) == answer.best.as_ref() {
            text += "  best";
        }
    }
    if let Some(tree) = &answer.tree {
        if !answer.line.is_empty() {
            text += &format!("\n\n  line {}", answer.line.join(" "));
        }
        let full = if tree.full {
            "; memory was used up"
        } else {
            ""
        };
        let memory = tree.fill * tree.bytes as f64 / f64::from(1 << 20);
        text += &format!(
            "\n\n  {} simulations, {} positions, {} plies deep, {memory:.1} MiB{full}",
            tree.simulations, tree.positions, tree.depth
        );
    }
    text += &format!(
        "\n\n  {} nodes, {} evaluations, {:.2} ms",
        answer.nodes, answer.evaluations, answer.milliseconds
    );
    if let Some(share) = answer.evaluation_share {
        text += &format!(", {:.0} % of it evaluating", share * 100.0);
    }
    text
}
