//! Options of `alea selfplay` for more varied games; by default all are off.

use trainer::selfplay::{EndgameStarts, SelfPlayOptions, SuiteStarts};

/// Options of starts, exploration and adjudicated endgames.
#[derive(clap::Args)]
#[command(next_help_heading = "Variety (plies are counted from 0 at the start of a game)")]
pub(crate) struct VarietyArguments {
    /// Ply from which no move is random
    #[arg(long, value_name = "PLY")]
    exploration_until: Option<usize>,
    /// Plies in which the fraction of random moves halves
    #[arg(long, value_name = "PLIES", allow_negative_numbers = true)]
    exploration_half_life: Option<f64>,
    /// Sample moves with probabilities proportional to exp(value / T), by the player's win
    /// probabilities; players without values choose as ever. A move recorded as explored differs
    /// from the player's choice
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    temperature: Option<f64>,
    /// Ply from which players choose their best moves
    #[arg(long, value_name = "PLY", requires = "temperature")]
    temperature_until: Option<usize>,
    /// Plies in which the temperature halves
    #[arg(
        long,
        value_name = "PLIES",
        requires = "temperature",
        allow_negative_numbers = true
    )]
    temperature_half_life: Option<f64>,
    /// Start games from random positions of this file, one a line with '-' for the die; '#' begins
    /// a comment
    #[arg(long, value_name = "FILE")]
    starts: Option<String>,
    /// Fraction of games that start from --starts
    #[arg(
        long = "starts-share",
        value_name = "SHARE",
        default_value_t = 1.0,
        requires = "starts",
        allow_negative_numbers = true
    )]
    starts_fraction: f64,
    /// Start games from random positions of N to M stones in all, 2 to 12, where the game can
    /// sample them: every number equally likely, then every division between the sides, then every
    /// position that is not over
    #[arg(long, value_name = "N-M", value_parser = parse_stone_range)]
    endgames: Option<[usize; 2]>,
    /// Fraction of games that start from --endgames
    #[arg(
        long = "endgames-share",
        value_name = "SHARE",
        default_value_t = 1.0,
        requires = "endgames",
        allow_negative_numbers = true
    )]
    endgames_fraction: f64,
    /// From the first position of at most N stones in all, 2 to 6, play the best moves of the
    /// endgame tables for both sides, with exact values; dice are rolled to the end
    #[arg(long, value_name = "N")]
    adjudicate: Option<usize>,
    /// Plies after which a game is a draw [default: the game's bound]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    max_plies: Option<u16>,
}

fn parse_stone_range(text: &str) -> Result<[usize; 2], String> {
    let (min, max) = text.split_once('-').unwrap_or((text, text));
    let both = min.parse().ok().zip(max.parse().ok());
    both.map(|(min, max)| [min, max])
        .ok_or_else(|| "numbers of stones are N-M, such as 2-5, or a single N".to_owned())
}

impl VarietyArguments {
    pub(crate) fn options(&self) -> SelfPlayOptions {
        SelfPlayOptions {
            exploration_until: self.exploration_until,
            exploration_half_life: self.exploration_half_life,
            temperature: self.temperature,
            temperature_until: self.temperature_until,
            temperature_half_life: self.temperature_half_life,
            starts: self.starts.clone().map(|file| SuiteStarts {
                file,
                fraction: self.starts_fraction,
            }),
            endgames: self.endgames.map(|stones| EndgameStarts {
                remaining: stones,
                fraction: self.endgames_fraction,
            }),
            adjudicate: self.adjudicate,
            max_plies: self.max_plies,
        }
    }
}
