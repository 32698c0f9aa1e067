//! `alea tournament`: round-robin matches.

use crate::commands::arena::{MatchArguments, contestant};
use crate::games::with_game;
use crate::output;
use anyhow::Result;
use arena::{matches::warning_of_repeats, tournament::play_tournament};
use engine::play::playable::Playable;
use engine::play::player_notation::trusted_text;

/// Let every player play every other one, and print the matrix
///
/// With --state DIR an interrupted tournament resumes.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea tournament --games 1000 --player greedy --player \"MrBlack(0)\" --player \"MrBlack(1)\" --player \"FarmerBoy(2)\""
)]
pub(crate) struct Arguments {
    /// A player; give at least two
    #[arg(long = "player", required = true, value_name = "PLAYER")]
    players: Vec<String>,
    #[command(flatten)]
    options: MatchArguments,
    /// Write the result as JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        let game = &self.options.pairs.game;
        with_game!(trusted_text(&game.notation()), game => self.run_for(&game))
    }

    fn run_for<G: Playable>(&self, game: &G) -> Result<()> {
        let contestants = self.players.iter();
        let contestants = contestants.map(|player| contestant(player, game));
        let contestants = contestants.collect::<Result<Vec<_>>>()?;
        let options = self.options.options(game, false)?;
        let result = play_tournament(&contestants, &options, |finished| {
            output::note(&finished.to_string());
        })?;
        if self.options.pairs.shard.report_task_end(self.json)? {
            return Ok(());
        }
        output::result(self.json, &result, || {
            let warning = warning_of_repeats(&result.matches);
            let warning = warning.map_or(String::new(), |warning| format!("\n\n{warning}"));
            result.table_text().trim_end().to_owned() + &warning
        })
    }
}
