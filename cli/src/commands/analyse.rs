//! `alea analyse`: win probability, value of every move and the best one, by any player.

use crate::games::{self, with_game};
use crate::positions::{self, PositionArguments, Question};
use anyhow::{Result, bail};
use engine::core::{
    chance::expectation,
    random::{SeedSpace, derive_seed},
};
use engine::play::{
    build::PlayerRecipe,
    playable::Playable,
    player::{Failure, Player},
};
use serde::Serialize;

/// Analyse a position: win probability, the value of every move, the best line
///
/// With a die the value is that of the best legal move, before the roll ('-') the expectation over
/// the die. Where a fit of the evaluator on whole games exists, people are shown the values that it
/// makes of those of the search, and JSON has both; what is proven, over or from tables is never
/// changed.
#[derive(clap::Args)]
#[command(after_help = format!(
    "{}\n\nExample: alea analyse \"215../64.../3...e/...fb/..acd b 1\" --player \"star1(depth=4, eval=schwarz)\"",
    games::evaluators()
))]
pub(crate) struct Arguments {
    #[command(flatten)]
    position: PositionArguments,
    /// The player that analyses, for example "mcts(sims=20000)"; an evaluator that is not named is
    /// the first of the game
    #[arg(long, default_value = "star1(depth=4)", value_name = "PLAYER")]
    player: String,
    /// Seed of the player's random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Also measure the share of time spent evaluating leaves (slows the search a little)
    #[arg(long)]
    instrument: bool,
}

#[derive(Default, Serialize)]
struct Answer {
    value: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calibrated: Option<f32>,
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
}

#[derive(Serialize)]
struct RatedMove {
    #[serde(rename = "move")]
    mv: String,
    value: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calibrated: Option<f32>,
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
    /// Plies to the end, if the move is proven to win or to lose.
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<u32>,
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

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        with_game!(&self.position.game.notation(), game => self.run_for(&game))
    }

    fn run_for<G: Playable>(&self, game: &G) -> Result<()> {
        let recipe = PlayerRecipe::parse(&self.player, game)?;
        let mut player = if self.instrument {
            recipe.make_instrumented()
        } else {
            recipe.make()
        };
        let seed = derive_seed(self.seed, SeedSpace::Player, &[]);
        let answer = |question: &Question<G>| {
            // Each position is analysed alone, whatever came before it in the stream.
            player.new_game(seed);
            answer(game, question, &recipe, &mut *player)
        };
        positions::answer_all(&self.position, game, answer, |question, answer| {
            show(question.board(game), answer)
        })
    }
}

fn answer<G: Playable>(
    game: &G,
    question: &Question<G>,
    recipe: &PlayerRecipe<G>,
    player: &mut dyn Player<G>,
) -> Result<Answer> {
    if question.end.is_some() {
        return Ok(Answer {
            value: question.final_value(game),
            ..Answer::default()
        });
    }
    let position = &question.position;
    let legal = question.outcome.map(|_| question.moves(game));
    let analysis = player.analyse(position, legal.as_deref());
    // A player that rates no moves still plays one.
    let mut failure = player.failure();
    let best = legal.filter(|_| failure.is_none()).map(|legal| {
        analysis
            .line
            .first()
            .copied()
            .unwrap_or_else(|| player.decide(position, &legal).best)
    });
    failure = failure.or_else(|| player.failure());
    if let Some(Failure::OfPlayer(reason) | Failure::OfSystem(reason)) = failure {
        bail!("{}: {reason}", recipe.name());
    }
    let values: Vec<_> = analysis.moves.iter().map(|(_, value)| *value).collect();
    let in_tree = |place: usize| analysis.tree.as_ref()?.moves.get(place);
    let calibrated = |place: usize, mv: G::Move, value: f32| {
        // Nothing was taken on trust where no leaf was evaluated.
        let is_proven = analysis.stats.evaluations == 0
            || in_tree(place).is_some_and(|mv| mv.proven.lower == mv.proven.upper);
        let next = game.play(position, mv);
        // The fit is for the side to move.
        let turned = game.to_move(&next) != game.to_move(position);
        let own = |value: f32| if turned { 1.0 - value } else { value };
        let fitted = own(recipe.in_whole_games(&next, own(value))?);
        Some(if is_proven { value } else { fitted })
    };
    let rated = analysis.moves.iter().enumerate();
    let calibrated: Vec<_> = rated
        .map(|(place, &(mv, value))| calibrated(place, mv, value?))
        .collect();
    // The value of the best move, or the expectation over the outcomes.
    let whole = |values: &[Option<f32>]| {
        if question.outcome.is_some() {
            let mut moves = analysis.moves.iter();
            return values[moves.position(|(mv, _)| Some(*mv) == best)?];
        }
        // A move that a sampling player never tried is taken for worthless; a player that rates
        // nothing has no value.
        values.iter().any(Option::is_some).then(|| {
            let values: Vec<f32> = values.iter().map(|value| value.unwrap_or(0.0)).collect();
            let moves: Vec<_> = analysis.moves.iter().map(|(mv, _)| *mv).collect();
            let outcomes = game.outcomes(position, &moves);
            expectation(&outcomes, &values)
        })
    };
    let name = |mv| game.format_move(position, mv);
    let stats = analysis.stats;
    let searched = |place: usize| {
        in_tree(place).map(|found| Searched {
            visits: found.visits,
            lower: found.proven.lower,
            upper: found.proven.upper,
            prior: found.prior,
            plies: found.plies,
        })
    };
    Ok(Answer {
        value: whole(&values),
        calibrated: whole(&calibrated),
        best: best.map(name),
        moves: analysis
            .moves
            .iter()
            .enumerate()
            .map(|(place, &(mv, value))| RatedMove {
                mv: name(mv),
                value,
                calibrated: calibrated[place],
                searched: searched(place),
            })
            .collect(),
        line: if question.outcome.is_some() {
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
        tree: analysis.tree.as_ref().map(|tree| Tree {
            simulations: tree.simulations,
            positions: tree.positions,
            depth: tree.depth,
            bytes: tree.bytes,
            fill: tree.fill,
            full: tree.full,
        }),
    })
}

/// The names of moves that are made one after the other.
fn names_along<G: Playable>(game: &G, position: &G::Position, line: &[G::Move]) -> Vec<String> {
    let mut position = *position;
    line.iter()
        .map(|&mv| {
            let name = game.format_move(&position, mv);
            position = game.play(&position, mv);
            name
        })
        .collect()
}

/// The answer under the board, which is the text so far.
fn show(mut text: String, answer: &Answer) -> String {
    let number =
        |value: Option<f32>| value.map_or("     -".to_owned(), |value| format!("{value:.4}"));
    if let Some(value) = answer.calibrated.or(answer.value) {
        text += &format!("\n\n  win probability of the side to move: {value:.4}");
    }
    let mut moves: Vec<&RatedMove> = answer.moves.iter().collect();
    let rank = |rated: &RatedMove| rated.value.unwrap_or(-1.0);
    moves.sort_by(|one, other| rank(other).total_cmp(&rank(one)));
    text += "\n\n  move   value";
    let mut searched = moves.iter().filter_map(|rated| rated.searched.as_ref());
    let has_prior = searched.any(|searched| searched.prior.is_some());
    if answer.tree.is_some() {
        text += &format!(
            "      visits{}  at least  at most",
            if has_prior { "   prior" } else { "" }
        );
    }
    for rated in moves {
        text += &format!(
            "\n  {:<4}  {}",
            rated.mv,
            number(rated.calibrated.or(rated.value))
        );
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
