//! `alea calibrate`: fits the functions that turn raw scores into win probabilities, and measures
//! errors of shallow searches.

mod probcut;

use crate::commands::MAX_GAMES;
use crate::games::{GameArguments, with_game};
use crate::output;
use anyhow::{Error, Result, anyhow, bail};
use engine::core::random::{RandomStream, SeedSpace, derive_seed};
use engine::learned::network::ResultPayoffs;
use engine::play::player_notation::trusted_text;
use engine::play::{build, playable::Playable};
use serde_json::json;
use std::path::PathBuf;
use trainer::calibrate::{
    ResultFrequency, cross_entropy, fit_logistic, positions_with_results, result_frequencies,
};
use trainer::selfplay::{SelfPlay, SelfPlayConfig, WeightedPlayer};

const POSITIONS_PER_TASK: usize = 1024;

/// Fit the win probabilities of evaluators' raw scores
///
/// Plays games with many random moves and fits a logistic function to their results. The engine has
/// these constants beside each evaluator; this command reproduces them.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea calibrate --games 200000 --seed 1\n         alea calibrate --game \
                  reversi --probcut --eval model:runs/mine.safetensors --out mine.safetensors"
)]
pub(crate) struct Arguments {
    /// Games to play
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..=MAX_GAMES), allow_negative_numbers = true)]
    games: u64,
    /// The player of both sides [default: star1(depth=2) with the game's first evaluator]
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Evaluators with a raw score; may be given several times [default: all that the game has]
    #[arg(long = "eval", value_name = "EVALUATOR")]
    evaluators: Vec<String>,
    /// Seed of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Measure instead how far shallow searches by the evaluator are from deep ones, for ProbCut
    #[arg(long, requires = "evaluators")]
    probcut: bool,
    /// Positions to search for --probcut
    #[arg(long, default_value_t = 3000, requires = "probcut", value_parser = clap::value_parser!(u64).range(1..=1_000_000), allow_negative_numbers = true)]
    positions: u64,
    /// Greatest depth for --probcut
    #[arg(long, default_value_t = 8, requires = "probcut", value_parser = clap::value_parser!(u32).range(3..=24), allow_negative_numbers = true)]
    depth: u32,
    /// Write the evaluator's model, with what --probcut measured, to this new file
    #[arg(long, value_name = "FILE", requires = "probcut")]
    out: Option<PathBuf>,
    #[command(flatten)]
    game: GameArguments,
    /// Write one JSON object an evaluator
    #[arg(long)]
    json: bool,
}

const DEFAULT_OPENING_PLIES: usize = 4;
const DEFAULT_EXPLORATION: f64 = 0.02;

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        with_game!(trusted_text(&self.game.notation()), game => match self.probcut {
            true => self.measure_probcut(&game),
            false => self.fit(&game),
        })
    }

    fn fit<G: Playable>(&self, game: &G) -> Result<()> {
        let start = game.random_start(&mut RandomStream::new(0), 0);
        let own: Vec<&str> = G::registry()
            .evaluators
            .iter()
            .map(|entry| entry.name)
            .collect();
        let player = match (&self.player, own.first()) {
            (Some(player), _) => player.clone(),
            (None, Some(first)) => format!("star1(depth=2, eval={first})"),
            (None, None) => bail!("{} has no evaluators of its own", G::INFO.name),
        };
        let asked: Vec<&str> = self.evaluators.iter().map(String::as_str).collect();
        let mut evaluators = Vec::new();
        for &text in if asked.is_empty() { &own } else { &asked } {
            let evaluator = build::parse_evaluator(trusted_text(text), game)?;
            if evaluator.raw_score(game, &start).is_some() {
                evaluators.push((text, evaluator));
            } else if !asked.is_empty() {
                return Err(no_raw_score_error(text));
            }
        }
        let samples = self.play(game, &player)?;
        if !self.json {
            let (positions, games) = (samples.len(), self.games);
            output::print_line(&format!(
                "{positions} positions of {games} games of {player}\n\n\
             evaluator               slope     ±        offset    ±        loss      as built in"
            ))?;
        }
        let blocks: Vec<_> = samples.chunks(POSITIONS_PER_TASK).collect();
        for (text, evaluator) in evaluators {
            let scores = alea_parallel::try_map(blocks.len(), |index| {
                let score = |(position, result): &(_, f32)| {
                    Some((evaluator.raw_score(game, position)?, *result))
                };
                let scored: Option<Vec<(f32, f32)>> = blocks[index].iter().map(score).collect();
                scored.ok_or_else(|| no_raw_score_error(text))
            })?;
            let scored = scores.concat();
            let fit = fit_logistic(&scored).ok_or_else(|| {
                anyhow!("evaluator '{text}': these games do not determine a logistic; play more")
            })?;
            let valued = alea_parallel::map(blocks.len(), |index| {
                let value = |(position, result): &(_, f32)| {
                    let value = evaluator.value_of(game, position);
                    let value = evaluator.observed_win_rate(value).unwrap_or(value);
                    (f64::from(value), *result)
                };
                blocks[index].iter().map(value).collect::<Vec<_>>()
            });
            let built_in = cross_entropy(valued.into_iter().flatten());
            let mut told = json!({ "evaluator": text, "fit": fit, "loss_as_built_in": built_in });
            let mut of_results = String::new();
            if let Some(results) = ResultPayoffs::for_game(game)
                && evaluator.result_probabilities(game, &start).is_some()
            {
                let predicted = alea_parallel::map(blocks.len(), |index| {
                    let predict = |(position, payoff): &(_, f32)| {
                        let probabilities = evaluator.result_probabilities(game, position);
                        Some((probabilities?, *payoff))
                    };
                    blocks[index].iter().filter_map(predict).collect::<Vec<_>>()
                });
                let (frequencies, loss) = result_frequencies(&results, &predicted.concat());
                for ResultFrequency {
                    name,
                    predicted,
                    observed,
                } in &frequencies
                {
                    of_results +=
                        &format!("\n  {name:<20} predicted {predicted:.5}  observed {observed:.5}");
                }
                of_results += &format!("\n  loss of the results  {loss:.6}");
                told["results"] = json!(frequencies);
                told["loss_of_results"] = json!(loss);
            }
            output::print_result(self.json, &told, || {
                let [slope_error, offset_error] = fit.standard_errors;
                format!(
                    "{text:<22} {:>8.5} {slope_error:>8.5}  {:>8.5} {offset_error:>8.5}  {:.6}  {built_in:.6}{of_results}",
                    fit.slope, fit.offset, fit.loss
                )
            })?;
        }
        Ok(())
    }
}

impl Arguments {
    /// Positions of games of a player against itself, with their results.
    fn play<G: Playable>(&self, game: &G, player: &str) -> Result<Vec<(G::Position, f32)>> {
        let run = SelfPlay::<G>::new(SelfPlayConfig {
            players: vec![WeightedPlayer {
                player: player.to_owned(),
                weight: 1.0,
            }],
            games: self.games,
            seed: derive_seed(self.seed, SeedSpace::Calibration, &[]),
            opening_plies: G::INFO.opening_plies.max(DEFAULT_OPENING_PLIES),
            exploration: DEFAULT_EXPLORATION,
            ..SelfPlayConfig::for_game(game)
        })?;
        output::with_progress("games", |progress| {
            progress.set_length(self.games);
            let mut samples = Vec::new();
            for shard in 0..run.num_shards() {
                samples.extend(positions_with_results(
                    game,
                    &run.play_shard(shard, progress)?,
                ));
            }
            Ok::<_, Error>(samples)
        })
    }
}

fn no_raw_score_error(evaluator: &str) -> Error {
    anyhow!("evaluator '{evaluator}' has no raw score; its value is all there is")
}
