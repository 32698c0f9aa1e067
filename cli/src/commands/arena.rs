//! `alea arena`: a match between two players, with an honest interval.

use crate::commands::MOST_GAMES;
use crate::output;
use crate::positions::RulesArguments;
use anyhow::{Result, bail};
use benches::arena::{Contestant, MatchOptions, MatchResult, Setups, play_match};
use engine::files;
use engine::games::einstein::Standard;
use engine::player::build::PlayerRecipe;
use engine::player::notation::Notation;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Let two players play pairs of games with sides swapped, the same set-ups and the same dice
#[derive(clap::Args)]
#[command(after_help = "Example: alea arena --player \"star1(depth=3, eval=abt)\" --player \"star1(depth=3, eval=schwarz)\" --games 4000")]
pub(crate) struct Arguments {
    /// A player; give exactly two
    #[arg(long = "player", required = true, value_name = "PLAYER")]
    players: Vec<String>,
    #[command(flatten)]
    options: MatchArguments,
    /// Write the result as JSON
    #[arg(long)]
    json: bool,
}

/// How matches are played; shared by `arena` and `tournament`.
#[derive(clap::Args)]
pub(crate) struct MatchArguments {
    /// Games a match; an odd number is rounded up, because games come in pairs
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..=MOST_GAMES), allow_negative_numbers = true)]
    games: u64,
    /// Seed of set-ups, dice and players
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Set-ups: 'random', RED:BLUE (two indices 0-719 or two orders of 123456), or a file with one RED:BLUE a line
    #[arg(long, default_value = "random", value_name = "SETUPS")]
    setups: String,
    /// Where finished pairs are kept, so that an interrupted match can go on
    #[arg(long, value_name = "PATH")]
    state: Option<PathBuf>,
    #[command(flatten)]
    rules: RulesArguments,
}

impl MatchArguments {
    pub(crate) fn game(&self) -> Standard {
        self.rules.game()
    }

    pub(crate) fn options(&self) -> Result<MatchOptions> {
        let list = Path::new(&self.setups);
        let setups = if list.is_file() { Setups::read_list(list)? } else { self.setups.parse()? };
        Ok(MatchOptions {
            game: self.game(),
            pairs: self.games.div_ceil(2),
            seed: self.seed,
            setups,
            threads: rayon::current_num_threads(),
            state: self.state.clone(),
            progress: true,
        })
    }
}

/// A contestant from a player's notation.
///
/// Its name is its identity in state files, and another model may come to lie under the same path: the checksums of
/// the models follow the notation.
pub(crate) fn contestant(notation: &str, game: &Standard) -> Result<Contestant> {
    let recipe = PlayerRecipe::parse(notation, game)?;
    let mut checksums = Vec::new();
    model_checksums(&Notation::parse(notation)?, &mut checksums)?;
    let mut name = recipe.name().to_owned();
    if !checksums.is_empty() {
        name += &format!(" [{}]", checksums.join(" "));
    }
    Ok(Contestant { name, make: Arc::new(move || recipe.make()) })
}

/// Checksums of all model files that a notation names, in its order.
fn model_checksums(notation: &Notation, checksums: &mut Vec<String>) -> Result<()> {
    if let Some(path) = notation.name.strip_prefix("model:") {
        checksums.push(short_checksum(Path::new(path))?);
    }
    notation.arguments.iter().try_for_each(|argument| model_checksums(&argument.value, checksums))
}

/// Eight digits that tell contents of files apart.
pub(crate) fn short_checksum(path: &Path) -> Result<String> {
    Ok(format!("{:08x}", files::checksum(&files::read(path)?) as u32))
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let game = arguments.options.game();
    let [a, b] = arguments.players.as_slice() else {
        bail!("a match is between two players, not {}; for more there is: alea tournament", arguments.players.len());
    };
    let result = play_match(&contestant(a, &game)?, &contestant(b, &game)?, &arguments.options.options()?)?;
    if arguments.json {
        output::json(&result)?;
    } else {
        output::line(&table(&result))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A result as a person reads it.
pub(crate) fn table(result: &MatchResult) -> String {
    let [seconds_a, seconds_b] = result.seconds_per_move;
    format!(
        "A  {}\nB  {}\n\n\
         A scores        {:.2} %  [{:.2}, {:.2}] (95 %, from {} pairs)\n\
         Elo             {:+.1}  [{:+.1}, {:+.1}]\n\
         superiority     {:.2} %\n\
         time a move     A {:.1} µs, B {:.1} µs\n\
         games           {} ({:.0} a second), {:.1} plies each, first mover wins {:.1} %",
        result.a,
        result.b,
        100.0 * result.score,
        100.0 * result.interval.lower,
        100.0 * result.interval.upper,
        result.pairs,
        result.elo,
        result.elo_interval.lower,
        result.elo_interval.upper,
        100.0 * result.superiority,
        1e6 * seconds_a,
        1e6 * seconds_b,
        result.games,
        result.games_per_second,
        result.mean_plies,
        100.0 * result.first_mover_share,
    )
}
