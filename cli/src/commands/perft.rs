//! `alea perft`: counts lines of play, for comparing rules with other programs.

use crate::games::{GameArguments, with_game};
use crate::output;
use anyhow::{Result, anyhow, bail};
use engine::core::random::RandomStream;
use engine::play::player_notation::trusted_text;
use engine::play::{perft::perft, playable::Playable};
use serde_json::json;

/// Count the lines of play to a depth, to check the rules
///
/// A ply is an outcome of chance with a move that it allows, or a pass where the game has that as a
/// move. Counted are the lines exactly so many plies long, and those that ended earlier.
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea perft --depth 3 \"215../64.../3...e/...fb/..acd b -\"\n         alea perft --game reversi --depth 7"
)]
pub(crate) struct Arguments {
    /// Position to begin with [default: the start of the game; always the same one where games
    /// start in many ways]
    #[arg(value_name = "POSITION")]
    position: Option<String>,
    /// Plies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=64))]
    depth: u32,
    #[command(flatten)]
    game: GameArguments,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<()> {
        with_game!(trusted_text(&self.game.notation()), game => self.run_for(&game))
    }

    fn run_for<G: Playable>(&self, game: &G) -> Result<()> {
        let position = match &self.position {
            Some(text) => {
                let parsed = game.parse_position(text);
                let (position, outcome) =
                    parsed.map_err(|problem| anyhow!("position '{text}': {problem}"))?;
                if outcome.is_some() {
                    bail!("position '{text}': lines of play begin before the roll; write '-'");
                }
                position
            }
            None => game.random_start(&mut RandomStream::new(0), 0),
        };
        let count = perft(game, &position, self.depth);
        let object = json!({
            "position": game.format_position(&position, None),
            "leaves": count.leaves,
            "finished_before": count.finished_before,
        });
        output::print_result(self.json, &object, || {
            format!(
                "{}\n\n  {} lines of {} plies, {} over before",
                game.text_diagram(&position, None),
                count.leaves,
                self.depth,
                count.finished_before
            )
        })
    }
}
