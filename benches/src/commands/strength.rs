//! Command `strength`: scores of players against one opponent, by time or another number.

use super::OutputArguments;
use anyhow::{Result, bail};
use arena::matches::warning_of_repeats;
use benches::strength_curves::{Candidate, PLACEHOLDER, chart, measure_curves, text_table};
use cli::output;
use cli::{GameTask, MatchArguments, contestant};
use engine::play::playable::Playable;

/// Measure strength by cost: matches against one opponent, for each number that replaces {} in a
/// player's notation
///
/// With --luck scores are luck-adjusted, and need fewer games. With --state DIR an interrupted
/// study resumes, and players or games may be added.
#[derive(clap::Args)]
#[command(
    after_help = "Example: benches strength --player \"star2(cpu_ms={})\" --player \"mcts(cpu_ms={})\" --player \"star1(depth=1)\" --numbers 0.1,1,10 --against \"star2(cpu_ms=5)\" --games 400 --luck --svg strength.svg"
)]
pub(crate) struct Arguments {
    /// A player, with {} for the number, or without it the same for all numbers; may be given several
    /// times
    #[arg(long = "player", default_value = "star2(ms={})", value_name = "PLAYER")]
    players: Vec<String>,
    /// Opponent of every --player, the same for all numbers
    #[arg(long, default_value = "star1(depth=3)", value_name = "PLAYER")]
    against: String,
    /// The numbers
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1.0, 2.0, 5.0, 10.0, 20.0])]
    numbers: Vec<f64>,
    #[command(flatten)]
    options: MatchArguments,
    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        self.options.game().run(self)
    }
}

impl GameTask for Arguments {
    fn run<G: Playable>(&self, game: &G) -> Result<()> {
        let mut numbers = self.numbers.iter();
        if let Some(number) = numbers.find(|number| !(number.is_finite() && **number > 0.0)) {
            bail!("--numbers are positive, not {number}");
        }
        output::check_output_dirs(&[&self.output.csv, &self.output.svg])?;
        let candidate = |player: &String| {
            let with = |number: Option<f64>| {
                let number = number.map_or_else(String::new, |number| number.to_string());
                contestant(&player.replace(PLACEHOLDER, &number), game)
            };
            let numbers = match player.contains(PLACEHOLDER) {
                true => self.numbers.iter().copied().map(Some).collect(),
                false => vec![None],
            };
            let settings = numbers
                .into_iter()
                .map(|number| Ok((number, with(number)?)));
            Ok(Candidate {
                player: player.clone(),
                settings: settings.collect::<Result<_>>()?,
            })
        };
        let candidates: Vec<_> = self.players.iter().map(candidate).collect::<Result<_>>()?;
        let against = contestant(&self.against, game)?;
        let options = self.options.options(game, false)?;
        let found = measure_curves(&candidates, &against, &options, |result| {
            output::note(&result.to_string());
        })?;
        if self.options.shard().report_task_end(self.output.json)? {
            return Ok(());
        }
        let table = text_table(&found);
        output::print_result(self.output.json, &found, || {
            let points = found.curves.iter().flat_map(|curve| &curve.points);
            let warning = warning_of_repeats(points.map(|point| &point.result));
            let warning = warning.map_or(String::new(), |warning| format!("\n\n{warning}"));
            let table = table.text();
            format!("against {}\n\n{}{warning}", found.against, table.trim_end())
        })?;
        if let Some(path) = &self.output.csv {
            output::write_file(path, table.csv())?;
        }
        if let Some(path) = &self.output.svg {
            output::write_file(path, chart(&found)?)?;
        }
        Ok(())
    }
}
