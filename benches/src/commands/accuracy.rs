//! Command `accuracy`: values of players and evaluators against reference values.

use anyhow::Result;
use benches::accuracy::{measure, read_positions, text_table};
use cli::{GameTask, output};
use engine::play::playable::Playable;
use std::path::PathBuf;

/// Compare values of players and evaluators with reference values, such as exact scores of endgames
///
/// A line of the file is a position, a tab and its value for the side to move: expected points, or
/// the win probability in a game without points. 'error of fit' is the standard deviation from a
/// linear fit.
#[derive(clap::Args)]
#[command(
    after_help = "Example: benches accuracy data/suites/reversi-20.txt --game \"reversi(score=discs)\" --eval best --player \"star2(depth=4)\""
)]
pub(crate) struct Arguments {
    /// Positions and values
    #[arg(value_name = "FILE")]
    positions: PathBuf,
    /// A player that searches; may be given several times
    #[arg(long = "player", value_name = "PLAYER")]
    players: Vec<String>,
    /// An evaluator; may be given several times [default: best, unless there is a player]
    #[arg(long = "eval", value_name = "EVALUATOR")]
    evaluators: Vec<String>,
    /// Seed of the players
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    game: cli::GameArguments,
    /// Write the table with all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        self.game.run(self)
    }
}

impl GameTask for Arguments {
    fn run<G: Playable>(&self, game: &G) -> Result<()> {
        output::check_output_dirs(&[&self.csv])?;
        let mut evaluators = self.evaluators.clone();
        if evaluators.is_empty() && self.players.is_empty() {
            evaluators.push("best".to_owned());
        }
        let positions = read_positions(game, &self.positions)?;
        let found = measure(game, &positions, &self.players, &evaluators, self.seed)?;
        let table = text_table(&found);
        output::print_result(self.json, &found, || table.text().trim_end().to_owned())?;
        if let Some(path) = &self.csv {
            output::write_file(path, table.csv())?;
        }
        Ok(())
    }
}
