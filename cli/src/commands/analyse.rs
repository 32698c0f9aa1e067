//! `alea analyse`: win probability, move values and best move, by any player.

use crate::games::{self, with_game};
use crate::positions::{self, PositionArguments, Question};
use anyhow::{Error, Result};
use engine::core::random::{SeedSpace, derive_seed};
use engine::play::player_notation::trusted_text;
use engine::play::{
    build::PlayerRecipe,
    playable::Playable,
    player::{Analysis, MoveValue, Player},
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
/// the die. Values are win probabilities in complete games, exact where endgame tables or a solver
/// have them at once; the search's own value, where it differs, is `own_scale` in JSON. Averages of
/// playouts have no such fit and are named so.
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
    /// Values of the player alone, without the game's endgame tables or solver
    #[arg(long)]
    unaided: bool,
}

#[derive(Serialize)]
#[serde(bound = "")]
struct Answer<M> {
    value: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    own_scale: Option<f32>,
    #[serde(flatten)]
    exact: ExactScores,
    best: Option<String>,
    moves: Vec<RatedMove<M>>,
    line: Vec<String>,
    nodes: u64,
    evaluations: u64,
    milliseconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<&'static str>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    own_scale: Option<f32>,
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
        let answer = |question: &Question<G>| {
            player.new_game(seed);
            self.answer(game, question, &recipe, &mut *player)
        };
        positions::answer_all(&self.position, game, answer, |question, answer| {
            format_answer(question.text_diagram(game), game.seats(), answer)
        })
    }

    fn answer<G: Playable>(
        &self,
        game: &G,
        question: &Question<G>,
        recipe: &PlayerRecipe<G>,
        player: &mut dyn Player<G>,
    ) -> Result<Answer<G::Move>> {
        let (position, outcome) = (&question.position, question.outcome);
        let analysis = match question.final_value(game) {
            None if self.unaided => {
                recipe.analyse_unaided(player, game, position, outcome, &Limits::NONE)
            }
            None => recipe.analyse(player, game, position, outcome, &Limits::NONE, None),
            value => Ok(Analysis {
                value,
                ..Analysis::default()
            }),
        };
        let analysis = analysis.map_err(Error::msg)?;
        let is_unproven = analysis.moves.iter().any(|rated| !rated.is_exact);
        let (name, stats) = (|mv| game.format_move(position, mv), analysis.stats);
        let exact = |rated: &MoveValue<_>| ExactScores::from_iter(analysis.unit.zip(rated.score));
        let mut moves = analysis.moves.iter();
        let best = moves.find(|rated| Some(rated.mv) == analysis.best);
        let moves = analysis.moves.iter().map(|rated| RatedMove {
            mv: name(rated.mv),
            value: rated.value,
            own_scale: rated.own_scale,
            exact: exact(rated),
            searched: rated.tree,
        });
        Ok(Answer {
            value: analysis.value,
            own_scale: analysis.own_scale,
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
            scale: (recipe.values_playouts() && is_unproven).then_some("playouts"),
            evaluation_share: stats
                .evaluation_time
                .map(|time| time.as_secs_f64() / stats.time.as_secs_f64().max(1e-9)),
            tree: analysis.tree,
        })
    }
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
    if let Some(value) = answer.value {
        let name = match answer.scale {
            None if seats > 2 => "expected payoff (1 for the first place, 0 for the last) of",
            None => "win probability of",
            Some(_) => "mean of the search's playouts, not fitted to games, for",
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
    text += "\n\n  move   value";
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
        text += &format!("\n  {:<4}  {}", rated.mv, number(rated.value));
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
