//! The options of `alea selfplay` that make games more varied; all are off unless asked for.

use trainer::selfplay::{EndgameStarts, SelfPlayOptions, SuiteStarts};

/// Other starts, other exploration, and endgames played by tables.
#[derive(clap::Args)]
#[command(next_help_heading = "Variety (plies are counted from 0 at the start of a game)")]
pub(crate) struct VarietyArguments {
    /// From this ply on no move is random
    #[arg(long, value_name = "PLY")]
    exploration_until: Option<usize>,
    /// The share of random moves halves every so many plies
    #[arg(long, value_name = "PLIES", allow_negative_numbers = true)]
    exploration_half_life: Option<f64>,
    /// Draw moves with probabilities proportional to exp(value / T), the values being the win
    /// probabilities that the player gives them; players that rate no moves make their own. A move
    /// recorded as explored is not the one the player would have made
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    temperature: Option<f64>,
    /// From this ply on the players choose
    #[arg(long, value_name = "PLY", requires = "temperature")]
    temperature_until: Option<usize>,
    /// The temperature halves every so many plies
    #[arg(
        long,
        value_name = "PLIES",
        requires = "temperature",
        allow_negative_numbers = true
    )]
    temperature_half_life: Option<f64>,
    /// Start games from positions of this file, one a line with '-' for the die; '#' begins a
    /// comment. Each game draws one
    #[arg(long, value_name = "FILE")]
    starts: Option<String>,
    /// Share of the games that do
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 1.0,
        requires = "starts",
        allow_negative_numbers = true
    )]
    starts_fraction: f64,
    /// Start games from random positions of so many stones in all, 2 to 12, where the game knows
    /// how to draw them: every number equally likely, then every way to divide it between the
    /// sides, then every position that is not over
    #[arg(long, value_name = "N-M", value_parser = stones)]
    endgames: Option<[usize; 2]>,
    /// Share of the games that do
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 1.0,
        requires = "endgames",
        allow_negative_numbers = true
    )]
    endgames_fraction: f64,
    /// From the first position of at most N stones in all, 2 to 6, endgame tables make the moves of
    /// both sides, the best ones with their exact values; dice are rolled to the end as ever, for
    /// the winner follows from the moves
    #[arg(long, value_name = "N")]
    adjudicate: Option<usize>,
}

/// `N-M`, or `N` for a single number.
fn stones(text: &str) -> Result<[usize; 2], String> {
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
                share: self.starts_fraction,
            }),
            endgames: self.endgames.map(|stones| EndgameStarts {
                remaining: stones,
                share: self.endgames_fraction,
            }),
            adjudicate: self.adjudicate,
        }
    }
}
