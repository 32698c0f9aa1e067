//! `alea improve`: learning in generations.

use crate::games::with_type;
use crate::improve::{self, ImproveResult, Part, config::ImproveConfig};
use crate::output;
use crate::settings::SettingsArguments;
use crate::sharding::ShardArguments;
use anyhow::{Result, bail};
use engine::core::job_array::TaskSlice;
use engine::learned::inputs::Learnable;
use std::path::PathBuf;

/// Learn in generations, each tested against the best one so far
///
/// Each generation plays games with the best evaluator, fits a model to the games of the last
/// generations, and plays it against the best; the first ones can learn by TD from games against
/// themselves instead (train.td_generations). A model becomes the best only if a sequential test
/// accepts it. The run ends after --generations, or after several without gain in a row, and
/// resumes after an interruption. The directory has the ledger (ledger.md, ledger.json), a page of
/// the history (history.html) and the best model (best.safetensors).
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea improve --out runs/generations --preset quick --generations 2\n         alea improve --print-config > my.toml   # then edit it, and: alea improve --config my.toml --out runs/mine\n         alea improve --game reversi --out runs/reversi --set train.training.epochs=20\n         alea improve --game backgammon --preset standard --out runs/backgammon   # TD learning, then labels by rollouts"
)]
pub(crate) struct Arguments {
    /// Directory of the run
    #[arg(long, value_name = "DIR", required_unless_present = "print_config")]
    out: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingsArguments,
    /// Last generation; overrides the settings and may be raised later
    #[arg(long, value_name = "N")]
    generations: Option<u64>,
    /// One stage of --generation only, after those before it; with --shard a slice of it
    #[arg(long, value_enum, requires = "generation")]
    stage: Option<Part>,
    /// The generation of --stage, from 1
    #[arg(long, value_name = "N", requires = "stage")]
    generation: Option<u64>,
    #[command(flatten)]
    shard: ShardArguments,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        with_type!(&self.settings.game::<ImproveConfig>()?, Game => self.run_game::<Game>())
    }

    fn run_game<G: Learnable>(&self) -> Result<()> {
        let Some((mut config, game)) = self.settings.read::<ImproveConfig, G>()? else {
            return Ok(());
        };
        let Some(directory) = &self.out else {
            unreachable!("clap requires it")
        };
        config.generations = self.generations.unwrap_or(config.generations);
        let slice = self.shard.slice();
        let part = self.stage.zip(self.generation);
        let last = match part {
            None | Some((Part::Finish, _)) if slice != TaskSlice::All => {
                bail!("--shard: needs --stage selfplay, relabel or gate, and --generation")
            }
            None => None,
            Some((Part::Finish, generation)) => Some(generation),
            Some(part) => {
                return output::print_line(&improve::run_stage(
                    &game, &config, directory, part, slice,
                )?);
            }
        };
        let result = improve::run(&game, &config, directory, last)?;
        output::print_result(self.settings.json, &result, || summary(&result))
    }
}

fn summary(result: &ImproveResult) -> String {
    let ledger = &result.ledger;
    let columns = [
        "generation",
        "accepted",
        "score at the gate, 95 %",
        "Elo",
        "LLR",
        "games",
        "validation loss",
        "model (xxh3)",
    ];
    let mut text = format!("\n{}", ledger.text_table(&columns).text());
    text += &format!(
        "\n{}\nbest:   {}",
        result.ended.describe(ledger),
        result.best
    );
    if !ledger.strength().is_empty() {
        text += &format!(", {}", improve::strength_line(ledger.strength()));
    }
    text += &format!(
        "\ntime:   {:.0} s in all",
        result.stages.iter().map(|stage| stage.seconds).sum::<f64>()
    );
    if let Some(model) = &result.model {
        text += &format!("\nmodel:  {}", model.display());
    }
    text + &format!("\npage:   {}", result.page.display())
}
