//! `alea evaluate`: static evaluation of a position.

use crate::games::{self, with_game};
use crate::position_arguments::{self, PositionArguments, Question};
use anyhow::Result;
use engine::play::player_notation::trusted_text;
use engine::play::{build, own_scale::OwnScale, playable::Playable, points::ResultProbabilities};
use serde::Serialize;

/// Evaluate a position without search
///
/// The value is the win probability of the side to move before the roll; a die in the position is
/// ignored. Where the evaluator has a fit to game results, the text shows the fitted value, and
/// JSON has both. Values of evaluators that only order positions are named so.
#[derive(clap::Args)]
#[command(after_help = format!(
    "{}\n\nExample: alea evaluate \"215../64.../3...e/...fb/..acd b -\" --eval schwarz --raw",
    games::evaluators()
))]
pub(crate) struct Arguments {
    #[command(flatten)]
    position: PositionArguments,
    /// The evaluator, for example race, abt or model:models/network.safetensors [default: the first
    /// of the game, in EinStein schwarz]
    #[arg(long = "eval", value_name = "EVALUATOR")]
    evaluator: Option<String>,
    /// Also print the raw score, before its calibration to a win probability
    #[arg(long)]
    raw: bool,
}

#[derive(Default, Serialize)]
struct Answer {
    value: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    calibrated: Option<f32>,
    /// Expected points, in games whose results pay points.
    #[serde(skip_serializing_if = "Option::is_none")]
    equity: Option<f64>,
    /// Probability of each result by name, from evaluators that estimate them.
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<ResultProbabilities>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<Option<f32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<OwnScale>,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        with_game!(trusted_text(&self.position.game.notation()), game => self.run_for(&game))
    }

    fn run_for<G: Playable>(&self, game: &G) -> Result<()> {
        let default_evaluator = || {
            G::registry()
                .evaluators
                .first()
                .map_or("random", |entry| entry.name)
        };
        let evaluator = self.evaluator.as_deref().unwrap_or_else(default_evaluator);
        let evaluator = build::parse_evaluator(trusted_text(evaluator), game)?;
        let points = game.points();
        let equity = |value: f32| Some(points?.from_payoff(value.into()));
        let results = |position: &G::Position| {
            points?.name_results(evaluator.result_probabilities(game, position)?)
        };
        let answer = |question: &Question<G>| {
            if let Some(value) = question.final_value(game) {
                // With `--raw`, JSON always has the key `raw`, null for a finished game.
                return Ok(Answer {
                    value,
                    equity: equity(value),
                    raw: self.raw.then_some(None),
                    ..Answer::default()
                });
            }
            let position = &question.position;
            let value = evaluator.value_of(game, position);
            let calibrated = evaluator.observed_win_rate(value);
            Ok(Answer {
                value,
                calibrated,
                equity: equity(calibrated.unwrap_or(value)),
                results: results(position),
                scale: OwnScale::of(&*evaluator),
                raw: self.raw.then(|| evaluator.raw_score(game, position)),
            })
        };
        position_arguments::answer_all(&self.position, game, answer, |question, answer| {
            let mut text = question.text_diagram(game);
            if let Some((points, equity)) = points.zip(answer.equity) {
                let scale =
                    (answer.scale).map_or(String::new(), |scale| format!(" ({})", scale.title()));
                text += &format!(
                    "\n  expected {} of the side to move, before the roll: {equity:+.4}{scale}",
                    points.unit
                );
                for (name, probability) in answer.results.iter().flat_map(|results| &results.0) {
                    text += &format!("\n  {name}: {probability:.4}");
                }
                return text;
            }
            let own_scale = answer.scale.map(|scale| format!("{}, for", scale.title()));
            text += &format!(
                "\n  {} the side to move, before the roll: {:.4}",
                own_scale.as_deref().unwrap_or("win probability of"),
                answer.calibrated.unwrap_or(answer.value)
            );
            if answer.calibrated.is_some() {
                text += &format!("\n  on the evaluator's own scale: {:.4}", answer.value);
            }
            match answer.raw {
                Some(Some(raw)) => text += &format!("\n  raw score: {raw:.4}"),
                Some(None) => text += "\n  raw score: none; this evaluator's value is all there is",
                None => {}
            }
            text
        })
    }
}
