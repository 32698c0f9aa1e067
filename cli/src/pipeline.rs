//! The complete pipeline: self-play → training → export → arena → report.
//!
//! Every stage stores its work in the directory and resumes from there. A directory belongs to one
//! configuration.

pub(crate) mod config;

use crate::commands::{
    arena::{match_options, short_checksum},
    train::{self, VALIDATION_FRACTION},
};
use crate::display_scale::DisplayScale;
use crate::gating::model_notation;
use crate::stage_times::Stages;
use crate::{output, settings};
use anyhow::Result;
use arena::matches::{Contestant, MatchResult, play_match};
use arena::pipeline_report::{PositionPicture, ReportData, ReportMatch, Stage, write_report};
use arena::plot::{CalibrationBin, Curve, LineChart};
use config::{ArenaRound, PipelineConfig};
use engine::core::{files, random::RandomStream};
use engine::learned::inputs::Learnable;
use engine::play::build;
use engine::play::player_notation::trusted_text;
use serde::Serialize;
use std::path::{Path, PathBuf};
use trainer::curve::CurvePoint;
use trainer::dataset::{SampleOptions, Samples};
use trainer::sample::Sample;
use trainer::selfplay::{Limits, SelfPlay, SelfPlaySummary};
use trainer::training::{Family, TrainingReport};

#[derive(Serialize)]
pub(crate) struct PipelineResult {
    pub(crate) self_play: SelfPlaySummary,
    pub(crate) models: Vec<TrainingReport>,
    pub(crate) matches: Vec<ReportMatch>,
    pub(crate) stages: Vec<Stage>,
    pub(crate) report: PathBuf,
}

pub(crate) fn run<G: Learnable>(
    game: &G,
    config: &PipelineConfig,
    command: &str,
    directory: &Path,
) -> Result<PipelineResult> {
    let _claim = files::claim_directory(directory)?;
    settings::store_or_check::<_, G>(config, directory, "pipeline.toml", &[])?;
    let mut stages = Stages::open(directory)?;
    let data = [directory.join("selfplay")];
    let scale = DisplayScale::of(game);

    let self_play = stages.run(
        "self-play",
        || {
            let run = SelfPlay::<G>::new(config.selfplay())?;
            Ok(output::with_progress("games", |progress| {
                run.run(&data[0], &Limits::default(), progress)
            })?
            .summary)
        },
        |summary| format!("{} games, {} positions", summary.games, summary.positions),
    )?;
    output::note(&crate::commands::selfplay::table(
        &self_play,
        stages.seconds("self-play"),
        scale,
    ));

    let train_config = config.train();
    let samples = train::open_samples::<G>(&data, &train_config)?;
    let mut models = Vec::new();
    for family in [Family::NTuple, Family::Network] {
        let name = format!("train {}", family.name());
        let model_directory = directory.join(family.name());
        let fitted = || {
            train::fit_family(
                &train_config,
                family,
                &samples,
                &data,
                None,
                &model_directory,
            )
        };
        let report = stages.run(&name, fitted, |report| {
            format!(
                "{:.0} samples/s, validation loss {:.5}",
                report.samples_per_second, report.validation_loss
            )
        })?;
        output::note(&train::summary(&report));
        models.push(report);
    }
    drop(samples);

    let matches = stages.run(
        "arena",
        || play_arena(game, config, &models, directory),
        |matches| format!("{} matches", matches.len()),
    )?;

    let report = directory.join("report.html");
    let calibration = calibration(game, config, &models, &data)?;
    let data = ReportData {
        title: format!("Alea pipeline, seed {}", config.seed),
        configuration: toml::to_string(config)?,
        commands: vec![command.to_owned()],
        stages: stages.all().to_vec(),
        self_play: self_play_rows(&self_play, stages.seconds("self-play"), scale),
        curves: vec![loss_chart(&models)],
        matches: matches.clone(),
        calibration,
        picture: Some(PositionPicture::of(
            game,
            &game.random_start(&mut RandomStream::new(config.seed), 0),
        )),
    };
    write_report(&report, &data, crate::PROGRAM)?;
    Ok(PipelineResult {
        self_play,
        models,
        matches,
        stages: stages.all().to_vec(),
        report,
    })
}

fn play_arena<G: Learnable>(
    game: &G,
    config: &PipelineConfig,
    models: &[TrainingReport],
    directory: &Path,
) -> Result<Vec<ReportMatch>> {
    let directory = directory.join("arena");
    files::prepare_directory(&directory)?;
    let mut matches = Vec::new();
    for &ArenaRound { depth, games } in &config.arena.rounds {
        for model in models {
            // Separates the results of different models.
            let checksum = short_checksum(&model.model)?;
            for opponent in &config.arena.opponents {
                let player = |name: &str, evaluator: &str| -> Result<Contestant<_>> {
                    let player = format!("star1(depth={depth}, eval={evaluator})");
                    Ok(Contestant {
                        name: name.to_owned(),
                        ..Contestant::of(trusted_text(&player), game)?
                    })
                };
                let state = format!(
                    "{}-{checksum}-{}-depth{depth}.jsonl",
                    model.family,
                    file_name(opponent)
                );
                let state = Some(directory.join(state));
                let options = match_options(game, games.div_ceil(2), config.seed, state);
                let a = player(&model.family, &model_notation(&model.model))?;
                let result = play_match(&a, &player(opponent, opponent)?, &options)?;
                let condition = format!("depth {depth}");
                output::note(&match_line(&condition, &result));
                matches.push(ReportMatch { condition, result });
            }
        }
    }
    Ok(matches)
}

pub(crate) fn file_name(notation: &str) -> String {
    notation.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_")
}

pub(crate) fn match_line(condition: &str, result: &MatchResult) -> String {
    let score = match result.mean_points() {
        None => format!(
            "{:>6.2} %  [{:.2}, {:.2}]",
            100.0 * result.score,
            100.0 * result.interval.lower,
            100.0 * result.interval.upper,
        ),
        Some(points) => format!("{points} {} a game", points.unit),
    };
    format!(
        "{condition:<8} {:<8} – {:<8} {score}  Elo {:+.1}  {}, {:.0}/s",
        result.a,
        result.b,
        result.elo,
        result.games_in_words(),
        result.games_per_second,
    )
}

const SAMPLES_PER_TASK: usize = 1024;

const NUM_BINS: usize = 20;

fn calibration<G: Learnable>(
    game: &G,
    config: &PipelineConfig,
    models: &[TrainingReport],
    data: &[PathBuf],
) -> Result<Vec<(String, Vec<CalibrationBin>)>> {
    let train = config.train();
    let options = SampleOptions {
        results_only: train.target.uses_results_only(),
        ..SampleOptions::without_labels(VALIDATION_FRACTION, train.seed)
    };
    let samples = Samples::<G>::open(data, &options)?;
    let mut plots = Vec::new();
    let models = models.iter();
    let models = models.map(|model| (&model.family, model_notation(&model.model)));
    let opponents = config.arena.opponents.iter();
    let opponents = opponents.map(|opponent| (opponent, opponent.clone()));
    for (name, notation) in models.chain(opponents) {
        let evaluator = build::parse_evaluator(trusted_text(&notation), game)?;
        let value = |sample: &Sample<_>| {
            let value = evaluator.value_of(game, &sample.position);
            evaluator.observed_win_rate(value).unwrap_or(value)
        };
        plots.push((name.clone(), calibration_bins(samples.validation(), value)));
    }
    Ok(plots)
}

fn calibration_bins<P: Sync>(
    samples: &[Sample<P>],
    value: impl Fn(&Sample<P>) -> f32 + Send + Sync,
) -> Vec<CalibrationBin> {
    let blocks: Vec<_> = samples.chunks(SAMPLES_PER_TASK).collect();
    let values = alea_parallel::map(blocks.len(), |index| {
        blocks[index].iter().map(&value).collect::<Vec<f32>>()
    });
    let values = values.concat();
    let mut sums = [(0.0, 0.0, 0u64); NUM_BINS];
    for (sample, value) in samples.iter().zip(values) {
        let bin = &mut sums[((value * NUM_BINS as f32) as usize).min(NUM_BINS - 1)];
        *bin = (
            bin.0 + f64::from(value),
            bin.1 + f64::from(sample.result),
            bin.2 + 1,
        );
    }
    let filled = sums.into_iter().filter(|(_, _, positions)| *positions > 0);
    filled
        .map(|(predicted, observed, positions)| CalibrationBin {
            predicted: predicted / positions as f64,
            observed: observed / positions as f64,
            positions,
        })
        .collect()
}

fn loss_chart(models: &[TrainingReport]) -> LineChart {
    let mut curves = Vec::new();
    for model in models {
        let curve = |name: &str, loss: fn(&CurvePoint) -> f64| {
            let points = model.curve.iter();
            let points = points.map(|point| (point.epoch as f64, loss(point)));
            Curve::new(format!("{} {name}", model.family), points)
        };
        curves.push(curve("training", |point| point.training_loss));
        curves.push(curve("validation", |point| point.validation_loss));
    }
    LineChart::new("Cross-entropy by epoch", ["epoch", "nats"], curves)
}

fn self_play_rows(
    summary: &SelfPlaySummary,
    seconds: f64,
    scale: DisplayScale,
) -> Vec<(String, String)> {
    let percent = |part: f64, total: u64| format!("{:.1} %", 100.0 * part / total.max(1) as f64);
    let (games, positions) = (summary.games, summary.positions);
    let repeats = match summary.repeated_games() {
        0 => String::new(),
        repeats => format!(", {repeats} of them repeats"),
    };
    let rows = [
        ("games", format!("{games}{repeats}")),
        ("positions", positions.to_string()),
        ("games a second", format!("{:.0}", games as f64 / seconds)),
        (
            "positions a second",
            format!("{:.0}", positions as f64 / seconds),
        ),
        (
            "plies a game",
            format!("{:.2}", positions as f64 / games.max(1) as f64),
        ),
        (
            "won by who began",
            scale.mean_text(summary.first_mover_points, summary.counted_games()),
        ),
        (
            "explored moves",
            percent(summary.explored as f64, positions),
        ),
    ];
    let players = summary.players.iter().map(|tally| {
        let won = scale.mean_text(tally.points, tally.sides);
        (&*tally.player, format!("{} sides, won {won}", tally.sides))
    });
    let rows = rows.into_iter().chain(players);
    rows.map(|(name, value)| (name.to_owned(), value)).collect()
}
