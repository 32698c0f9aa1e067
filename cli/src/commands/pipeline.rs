//! `alea pipeline`: the main job, end to end.

use crate::games::{self, GameArguments, with_type};
use crate::pipeline::{self, PipelineResult, config::PipelineConfig};
use crate::{output, settings};
use anyhow::Result;
use engine::core::random::RandomStream;
use engine::learned::inputs::Learnable;
use std::path::PathBuf;

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
    #[arg(long, value_name = "FILE", conflicts_with_all = ["preset", "game", "variant"])]
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

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        // Settings name their game.
        let game = match &self.config {
            Some(path) => settings::read::<PipelineConfig>(path)?.selfplay.game,
            None => self.game.notation(),
        };
        with_type!(&game, Game => self.run_game::<Game>())
    }

    fn run_game<G: Learnable>(&self) -> Result<()> {
        let preset = || settings::preset::<G>(&self.preset, G::PIPELINES, &self.game.notation());
        if self.print_config {
            return output::line(preset()?.trim_end());
        }
        let mut config: PipelineConfig = match &self.config {
            Some(path) => settings::read(path)?,
            None => settings::parse(&preset()?)?,
        };
        let game = &games::read::<G>(&config.selfplay.game)?;
        config.selfplay.game = game.notation();
        config.seed = self.seed.unwrap_or(config.seed);
        if let Some(backend) = &self.backend {
            config.train.training.backend.clone_from(backend);
        }
        config.check(game)?;
        let name = self
            .config
            .as_ref()
            .and_then(|path| path.file_stem())
            .map_or(self.preset.clone().into(), ToOwned::to_owned);
        let directory = self.out.clone().unwrap_or_else(|| {
            let game = games::unless_usual::<G>(|name| format!("{name}-"));
            PathBuf::from("runs").join(format!("{game}{}-{}", name.to_string_lossy(), config.seed))
        });
        let source = match &self.config {
            Some(path) => format!("--config {}", path.display()),
            None => format!("{}--preset {}", game_option(game), self.preset),
        };
        let command = format!("alea pipeline {source} --seed {}", config.seed);
        let result = pipeline::run(game, &config, &command, &directory)?;
        output::result(self.json, &result, || summary(game, &result))
    }
}

/// How a command names the game, if it has to.
fn game_option<G: Learnable>(game: &G) -> String {
    games::unless_usual::<G>(|_| format!("--game \"{}\" ", game.notation()))
}

fn summary<G: Learnable>(game: &G, result: &PipelineResult) -> String {
    let mut text = String::from("\nstage            seconds\n");
    let mut all = 0.0;
    for stage in &result.stages {
        all += stage.seconds;
        text += &format!(
            "{:<15} {:>8.1}  {}\n",
            stage.name, stage.seconds, stage.outcome
        );
    }
    text += &format!("{:<15} {all:>8.1}\n\n", "in all");
    for found in &result.matches {
        text += &(pipeline::line(&found.condition, &found.result) + "\n");
    }
    text += &format!("\nreport: {}", result.report.display());
    if let Some(model) = result.models.last() {
        let start = game.random_start(&mut RandomStream::new(1), 0);
        text += &format!(
            "\nnext:   alea analyse {}\"{}\" --player 'star1(depth=3, eval=\"model:{}\")'",
            game_option(game),
            game.format_position(&start, None),
            model.model.display()
        );
    }
    text
}
