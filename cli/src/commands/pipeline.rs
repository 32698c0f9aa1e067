//! `alea pipeline`: self-play, training, matches and a report in one run.

use crate::games::{self, with_type};
use crate::output;
use crate::pipeline::{self, PipelineResult, config::PipelineConfig};
use crate::settings::SettingsArguments;
use anyhow::Result;
use engine::core::random::RandomStream;
use engine::learned::inputs::Learnable;
use std::path::PathBuf;

/// Play, train, export and measure in one go, and write a report
///
/// Players of both engines play, an n-tuple network and a small network are fitted to those games,
/// and both play against the hand-made evaluators. An interrupted run resumes.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea pipeline --preset quick --seed 1\n         alea pipeline --print-config > my.toml   # then edit it, and: alea pipeline --config my.toml\n         alea pipeline --set train.training.epochs=4 --set selfplay.games=10000"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    settings: SettingsArguments,
    /// Directory of the run [default: runs/PRESET-SEED]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        with_type!(&self.settings.game::<PipelineConfig>()?, Game => self.run_game::<Game>())
    }

    fn run_game<G: Learnable>(&self) -> Result<()> {
        let SettingsArguments {
            preset,
            config,
            json,
            ..
        } = &self.settings;
        let Some((settings, game)) = self.settings.read::<PipelineConfig, G>()? else {
            return Ok(());
        };
        settings.check(&game)?;
        let seed = settings.seed;
        let file = config.as_ref().and_then(|path| path.file_stem());
        let name = file.map_or(preset.into(), |stem| stem.to_string_lossy());
        let directory = self.out.clone().unwrap_or_else(|| {
            let game = games::unless_default::<G>(|name| format!("{name}-"));
            PathBuf::from("runs").join(format!("{game}{name}-{seed}"))
        });
        let source = match config {
            Some(path) => format!("--config {}", path.display()),
            None => format!("{}--preset {preset}", game_option(&game)),
        };
        let command = format!("alea pipeline {source} --seed {seed}");
        let result = pipeline::run(&game, &settings, &command, &directory)?;
        output::print_result(*json, &result, || summary(&game, &result))
    }
}

/// `--game` for a printed command; empty for the default game.
fn game_option<G: Learnable>(game: &G) -> String {
    games::unless_default::<G>(|_| format!("--game \"{}\" ", game.notation()))
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
        text += &(pipeline::match_line(&found.condition, &found.result) + "\n");
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
