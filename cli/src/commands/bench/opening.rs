//! `alea bench opening`: what it is worth to begin.

use crate::commands::MOST_GAMES;
use crate::games::GameArguments;
use crate::output;
use anyhow::Result;
use benches::sheet::{Cell, Sheet};
use benches::studies::opening::opening_value;
use clap::value_parser;
use engine::play::build::PlayerRecipe;
use trainer::progress::progress_bar;

/// How often who begins wins, by player: each plays itself from random set-ups
#[derive(clap::Args)]
#[command(
    after_help = "Example: alea bench opening --player \"star1(depth={depth})\" --max-depth 4 --games 20000"
)]
pub(super) struct Arguments {
    /// A player, with {depth} where its depth goes if it has one; may be given several times
    /// [default: random and star1(depth={depth})]
    #[arg(long = "player", value_name = "PLAYER")]
    players: Vec<String>,
    /// Largest depth
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = value_parser!(u32).range(1..=64), allow_negative_numbers = true)]
    max_depth: u32,
    /// Games of each player
    #[arg(long, default_value_t = 20_000, value_name = "N", value_parser = value_parser!(u64).range(1..=MOST_GAMES), allow_negative_numbers = true)]
    games: u64,
    /// Seed of set-ups, dice and players
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    game: GameArguments,
    /// Write a JSON object a player
    #[arg(long)]
    json: bool,
}

/// Who is measured unless told.
const PLAYERS: [&str; 2] = ["random", "star1(depth={depth})"];

impl Arguments {
    pub(super) fn run(&self) -> Result<()> {
        let game = self
            .game
            .only::<engine::games::einstein::Standard>("the opening is studied by its set-ups")?;
        let mut given: Vec<&str> = self.players.iter().map(String::as_str).collect();
        if given.is_empty() {
            given.extend(PLAYERS);
        }
        let mut recipes = Vec::new();
        for notation in given {
            let has_depth = notation.contains("{depth}");
            for depth in 1..=if has_depth { self.max_depth } else { 1 } {
                let notation = notation.replace("{depth}", &depth.to_string());
                recipes.push(PlayerRecipe::parse(&notation, &game)?);
            }
        }
        let mut sheet = Sheet::new(["player", "who begins wins %", "±", "plies a game", "games"]);
        let pairs = self.games.div_ceil(2);
        let progress = progress_bar("pairs");
        for recipe in &recipes {
            progress.set_length(pairs);
            progress.set_position(0);
            let found = opening_value(recipe, &game, pairs, self.seed, &progress);
            if self.json {
                output::json(&found)?;
            }
            sheet.push(vec![
                found.player.as_str().into(),
                Cell::Percent(found.score),
                Cell::Percent(found.interval.half_width()),
                Cell::Number(found.mean_plies, 2),
                found.games.into(),
            ]);
        }
        progress.finish_and_clear();
        if !self.json {
            output::line(sheet.text().trim_end())?;
        }
        Ok(())
    }
}
