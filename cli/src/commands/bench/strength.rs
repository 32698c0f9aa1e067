//! `alea bench strength`: strength against time a move, or any other number.

use crate::commands::arena::{MatchArguments, contestant};
use crate::games::with_game;
use crate::output;
use anyhow::{Result, bail};
use benches::studies::strength::{Setting, chart, sheet, strength};
use engine::play::playable::Playable;
use serde_json::json;
use std::path::PathBuf;

/// How strong a player is by a number in its notation, such as time a move: a match a number
/// against one opponent
///
/// With --state DIR an interrupted study goes on where it stopped.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea bench strength --against \"star1(depth=3)\" --numbers 1,2,5,10,20 --games 400 --svg strength.svg"
)]
pub(super) struct Arguments {
    /// The player, with the number's place marked as in the default
    #[arg(long, default_value = "star2(ms={n})", value_name = "PLAYER")]
    player: String,
    /// Its opponent, always the same
    #[arg(long, default_value = "star1(depth=3)", value_name = "PLAYER")]
    against: String,
    /// The numbers
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1.0, 2.0, 5.0, 10.0, 20.0])]
    numbers: Vec<f64>,
    #[command(flatten)]
    options: MatchArguments,
    /// What the number is called
    #[arg(long, default_value = "ms a move", value_name = "TEXT")]
    name: String,
    /// Write the table with all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the curve with intervals
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(super) fn run(&self) -> Result<()> {
        let game = &self.options.pairs.game;
        with_game!(&game.notation(), game => self.run_for(&game))
    }

    fn run_for<G: Playable>(&self, game: &G) -> Result<()> {
        if !self.player.contains("{n}") {
            bail!(
                "--player has no {{n}}, which is replaced by the numbers; for example star2(ms={{n}})"
            );
        }
        let mut numbers = self.numbers.iter();
        if let Some(number) = numbers.find(|number| !(number.is_finite() && **number > 0.0)) {
            bail!("--numbers are positive, not {number}");
        }
        output::check_places(&[&self.csv, &self.svg])?;
        let at = |&number: &f64| {
            Ok(Setting {
                number,
                contestant: contestant(&self.player.replace("{n}", &number.to_string()), game)?,
            })
        };
        let settings = self.numbers.iter().map(at).collect::<Result<Vec<_>>>()?;
        let against = contestant(&self.against, game)?;
        let options = self.options.options(game, false)?;
        let points = strength(&settings, &against, &options, |result| {
            output::note(&result.to_string());
        })?;
        let table = sheet(&self.name, &points);
        let (player, name, against) = (&self.player, &self.name, &against.name);
        let told =
            json!({ "player": player, "against": against, "number": name, "points": points });
        output::result(self.json, &told, || {
            format!("{player} against {against}\n\n{}", table.text().trim_end())
        })?;
        if let Some(path) = &self.csv {
            output::file(path, table.csv())?;
        }
        if let Some(path) = &self.svg {
            output::file(path, chart(name, player, against, &points)?)?;
        }
        Ok(())
    }
}
