//! `alea pipeline`: the main job, end to end.

use crate::games::{self, GameArguments, with_game};
use crate::output;
use crate::pipeline::{self, PipelineResult, config::PipelineConfig};
use anyhow::Result;
use engine::core::random::RandomStream;
use engine::learned::inputs::Learnable;
use std::{path::PathBuf, process::ExitCode};

/// Play, train, export and measure in one go, and write a report
///
/// Both engines play each other, an n-tuple network and a small network are fitted to those games,
/// and both meet the hand-made evaluators. Stop it anywhere and start it again: it goes on.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea pipeline --preset quick --seed 1\n         alea pipeline --print-config > my.toml   # then edit it, and: alea pipeline --config my.toml"
)]
pub(crate) struct Arguments {
    /// The game's settings for 'quick', minutes, or 'standard', about an hour on two cores
    #[arg(long, default_value = "quick", value_name = "PRESET")]
    preset: String,
    #[command(flatten)]
    game: GameArguments,
    /// Settings instead of a preset
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    config: Option<PathBuf>,
    /// Rules everything random; overrides the settings
    #[arg(long)]
    seed: Option<u64>,
    /// Device that trains: flex (the CPU), or wgpu or cuda if compiled in; overrides the settings
    #[arg(long)]
    backend: Option<String>,
    /// Directory of the run; by default runs/PRESET-SEED
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write the preset with its comments to standard output, and stop
    #[arg(long)]
    print_config: bool,
    /// Write the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    // Settings name their game.
    let game = match &arguments.config {
        Some(path) => PipelineConfig::read(path)?.game().to_owned(),
        None => arguments.game.notation(),
    };
    with_game!(&game, game => run_game(arguments, &game))
}

fn run_game<G: Learnable>(arguments: &Arguments, game: &G) -> Result<ExitCode> {
    let preset = PipelineConfig::preset::<G>(&arguments.preset);
    if arguments.print_config {
        output::line(preset?.trim_end())?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut config = match &arguments.config {
        Some(path) => PipelineConfig::read(path)?,
        None => PipelineConfig::from_toml(preset?)?,
    };
    config.set_game(game.notation());
    config.seed = arguments.seed.unwrap_or(config.seed);
    if let Some(backend) = &arguments.backend {
        config.set_backend(backend);
    }
    config.check(game)?;
    let name = arguments
        .config
        .as_ref()
        .and_then(|path| path.file_stem())
        .map_or(arguments.preset.clone().into(), ToOwned::to_owned);
    let directory = arguments.out.clone().unwrap_or_else(|| {
        let game = games::unless_usual::<G>(|name| format!("{name}-"));
        PathBuf::from("runs").join(format!("{game}{}-{}", name.to_string_lossy(), config.seed))
    });
    let source = arguments.config.as_ref().map_or_else(
        || {
            let game = games::unless_usual::<G>(|_| format!("--game \"{}\" ", game.notation()));
            format!("{game}--preset {}", arguments.preset)
        },
        |path| format!("--config {}", path.display()),
    );
    let result = pipeline::run(
        game,
        &config,
        &format!("alea pipeline {source} --seed {}", config.seed),
        &directory,
    )?;
    if arguments.json {
        output::json(&result)?
    } else {
        output::line(&summary(game, &result))?
    }
    Ok(ExitCode::SUCCESS)
}

fn summary<G: Learnable>(game: &G, result: &PipelineResult) -> String {
    let mut text = String::from("\nstage            seconds\n");
    for stage in &result.stages {
        text += &format!(
            "{:<15} {:>8.1}  {}\n",
            stage.name, stage.seconds, stage.outcome
        );
    }
    text += &format!(
        "{:<15} {:>8.1}\n\n",
        "in all",
        result.stages.iter().map(|stage| stage.seconds).sum::<f64>()
    );
    for found in &result.matches {
        text += &(pipeline::line(&found.condition, &found.result) + "\n");
    }
    text += &format!("\nreport: {}", result.report.display());
    if let Some(model) = result.models.last() {
        let start = game.random_start(&mut RandomStream::new(1), 0);
        text += &format!(
            "\nnext:   alea analyse {}\"{}\" --player 'star1(depth=3, eval=\"model:{}\")'",
            games::unless_usual::<G>(|_| format!("--game \"{}\" ", game.notation())),
            game.format_position(&start, None),
            model.model.display()
        );
    }
    text
}
