//! `alea analyse`: win probability, move values and best move, by any player.

use crate::games::{self, with_game};
use crate::position_arguments::{self, PositionArguments, Question};
use anyhow::{Error, Result};
use engine::core::random::{SeedSpace, derive_seed};
use engine::play::player_notation::trusted_text;
use engine::play::{
    build::PlayerRecipe,
    own_scale::OwnScale,
    playable::Playable,
    player::{Analysis, MoveValue, Player},
    points::ResultProbabilities,
};
use engine::search::{
    limits::Limits,
    mcts::{MoveStatistics, TreeReport},
};
use serde::Serialize;
use std::collections::BTreeMap;

type ExactScores = BTreeMap<&'static str, i32>;

/// Search a position: the value of every move and the best line
///
/// With a die the value is that of the best legal move, before the roll ('-') the expectation over
/// the die. Where the evaluator has a fit to game results, the text shows fitted values and JSON
/// has both; proven, final and tablebase values are never changed. Averages of playouts and values
/// of evaluators that only order positions have no such fit and are named so.
#[derive(clap::Args)]
#[command(after_help = format!(
    "{}\n\nExample: alea analyse \"215../64.../3...e/...fb/..acd b 1\" --player \"star1(depth=4, eval=schwarz)\"",
    games::evaluators()
))]
pub(crate) struct Arguments {
    #[command(flatten)]
    position: PositionArguments,
    /// The player that analyses, for example "mcts(sims=20000)"; its default evaluator is the first
    /// of the game
    #[arg(long, default_value = "star1(depth=4)", value_name = "PLAYER")]
    player: String,
    /// Seed of the player's random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Also measure the fraction of time spent evaluating leaves (slows the search a little)
    #[arg(long)]
    instrument: bool,
}

#[derive(Serialize)]
#[serde(bound = "")]
struct Answer<M> {
    value: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calibrated: Option<f32>,
    /// Expected points, in games whose results pay points.
    #[serde(skip_serializing_if = "Option::is_none")]
    equity: Option<f64>,
    #[serde(skip)]
    unit: Option<&'static str>,
    /// Probability of each result, by the evaluator after the best moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<ResultProbabilities>,
    #[serde(flatten)]
    exact: ExactScores,
    best: Option<String>,
    moves: Vec<RatedMove<M>>,
    line: Vec<String>,
    nodes: u64,
    evaluations: u64,
    milliseconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<OwnScale>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evaluation_share: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<Box<TreeReport<M>>>,
}

#[derive(Serialize)]
#[serde(bound = "")]
struct RatedMove<M> {
    #[serde(rename = "move")]
    mv: String,
    value: Option<f32>,
    /// Standard error of `value` if that is a mean of rollouts.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calibrated: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    equity: Option<f64>,
    /// Standard error of `equity`.
    #[serde(skip_serializing_if = "Option::is_none")]
    equity_error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<ResultProbabilities>,
    #[serde(flatten)]
    exact: ExactScores,
    /// Visits and proven bounds, if the player is an MCTS.
    #[serde(flatten)]
    searched: Option<MoveStatistics<M>>,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        with_game!(trusted_text(&self.position.game.notation()), game => self.run_for(&game))
    }

    fn run_for<G: Playable>(&self, game: &G) -> Result<()> {
        let recipe = PlayerRecipe::parse(trusted_text(&self.player), game)?;
        let mut player = if self.instrument {
            recipe.make_timed()
        } else {
            recipe.make()
        };
        let seed = derive_seed(self.seed, SeedSpace::Player, &[]);
        let is_json = self.position.json || self.position.position == "-";
        let answer = |question: &Question<G>| {
            player.new_game(seed);
            answer(game, question, &recipe, &mut *player, is_json)
        };
        position_arguments::answer_all(&self.position, game, answer, |question, answer| {
            format_answer(question.text_diagram(game), game.seats(), answer)
        })
    }
}

fn answer<G: Playable>(
    game: &G,
    question: &Question<G>,
    recipe: &PlayerRecipe<G>,
    player: &mut dyn Player<G>,
    is_json: bool,
) -> Result<Answer<G::Move>> {
    let (position, outcome) = (&question.position, question.outcome);
    let analysis = match question.final_value(game) {
        // Text for people has exact values where these take no time; JSON those of the player alone.
        None if is_json => recipe
            .analyse_unaided(player, game, position, outcome, &Limits::NONE)
            .map_err(Error::msg)?,
        None => recipe
            .analyse(player, game, position, outcome, &Limits::NONE, None)
            .map_err(Error::msg)?,
        value => Analysis {
            value,
            ..Analysis::default()
        },
    };
    let (name, stats) = (|mv| game.format_move(position, mv), analysis.stats);
    let points = game.points();
    let equity = |value: Option<f32>| Some(points?.from_payoff(value?.into()));
    let points_of_difference = |payoff: f32| {
        let [zero, points] = [0.0, payoff].map(|payoff| Some(points?.from_payoff(payoff.into())));
        Some(points? - zero?)
    };
    let is_unproven = analysis.moves.iter().any(|rated| !rated.is_exact);
    let exact = |rated: &MoveValue<_>| ExactScores::from_iter(analysis.unit.zip(rated.score));
    let mut moves = analysis.moves.iter();
    let best = moves.find(|rated| Some(rated.mv) == analysis.best);
    let moves = analysis.moves.iter().map(|rated| RatedMove {
        results: recipe.result_probabilities(position, rated.mv),
        mv: name(rated.mv),
        value: rated.own_scale.or(rated.value),
        error: rated.error,
        calibrated: rated.own_scale.and(rated.value),
        equity: equity(rated.value),
        equity_error: rated.error.and_then(points_of_difference),
        exact: exact(rated),
        searched: rated.tree,
    });
    Ok(Answer {
        value: analysis.own_scale.or(analysis.value),
        calibrated: analysis.own_scale.and(analysis.value),
        equity: equity(analysis.value),
        unit: points.map(|points| points.unit),
        results: recipe.expected_results(position, &analysis),
        exact: match best {
            Some(best) => exact(best),
            None => ExactScores::from_iter(game.final_score(position)),
        },
        best: analysis.best.map(name),
        moves: moves.collect(),
        line: match outcome {
            Some(_) => format_line(game, position, &analysis.line),
            None => Vec::new(),
        },
        nodes: stats.nodes,
        evaluations: stats.evaluations,
        milliseconds: stats.time.as_secs_f64() * 1000.0,
        scale: recipe.scale().filter(|_| is_unproven),
        evaluation_share: stats
            .evaluation_time
            .map(|time| time.as_secs_f64() / stats.time.as_secs_f64().max(1e-9)),
        tree: analysis.tree,
    })
}

fn format_line<G: Playable>(game: &G, position: &G::Position, line: &[G::Move]) -> Vec<String> {
    let mut position = *position;
    line.iter()
        .map(|&mv| {
            let name = game.format_move(&position, mv);
            position = game.play(&position, mv);
            name
        })
        .collect()
}

fn format_answer<M>(mut text: String, seats: usize, answer: &Answer<M>) -> String {
    let number =
        |value: Option<f32>| value.map_or("     -".to_owned(), |value| format!("{value:.4}"));
    if let Some((equity, unit)) = answer.equity.zip(answer.unit) {
        let scale = (answer.scale).map_or(String::new(), |scale| format!(" ({})", scale.title()));
        text += &format!("\n\n  expected {unit} of the side to move: {equity:+.4}{scale}");
        if let Some(results) = &answer.results {
            let results = results.0.iter();
            let results: Vec<_> = results
                .map(|(name, probability)| format!("{name} {:.1} %", 100.0 * probability))
                .collect();
            text += &format!("\n  {}", results.join(", "));
        }
    } else if let Some(value) = answer.calibrated.or(answer.value) {
        let own_scale = answer.scale.map(|scale| format!("{}, for", scale.title()));
        let name = match &own_scale {
            None if seats > 2 => "expected payoff (1 for the first place, 0 for the last) of",
            None => "win probability of",
            Some(name) => name,
        };
        text += &format!("\n\n  {name} the side to move: {value:.4}");
    }
    for (unit, score) in &answer.exact {
        text += &format!("\n  {unit} of the side to move, with best play: {score:+}");
    }
    let mut moves: Vec<&RatedMove<M>> = answer.moves.iter().collect();
    let rank = |rated: &RatedMove<M>| {
        (
            rated.exact.values().copied().max(),
            rated.value.unwrap_or(-1.0),
        )
    };
    moves.sort_by(|one, other| {
        let (one, other) = (rank(one), rank(other));
        other.0.cmp(&one.0).then(other.1.total_cmp(&one.1))
    });
    let width = moves
        .iter()
        .map(|rated| rated.mv.len())
        .max()
        .unwrap_or(0)
        .max(4);
    let heading = answer.unit.unwrap_or("value");
    text += &format!("\n\n  {:<width$}  {heading:>6}", "move");
    for unit in moves.iter().take(1).flat_map(|rated| rated.exact.keys()) {
        text += &format!("  {unit:>5}");
    }
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
            "\n  {:<width$}  {}",
            rated.mv,
            match rated.equity {
                Some(equity) => format!("{equity:+.4}"),
                None => number(rated.calibrated.or(rated.value)),
            }
        );
        if let Some(error) = rated.equity_error.or(rated.error.map(f64::from)) {
            text += &format!(" ± {error:.4}");
        }
        for score in rated.exact.values() {
            text += &format!("  {score:>+5}");
        }
        if let Some(searched) = &rated.searched {
            let prior = if has_prior {
                format!("  {}", number(searched.prior))
            } else {
                String::new()
            };
            text += &format!(
                "  {:>10}{prior}  {:>8.4}  {:>7.4}",
                searched.visits, searched.proven.lower, searched.proven.upper
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
