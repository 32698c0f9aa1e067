//! Settings of self-play. Options that are off are absent from JSON, so that older runs can be
//! resumed.

use crate::Error;
use crate::labeller::LabelConfig;
use alea_play::{game_loop::Fading, playable::Playable};
use serde::{Deserialize, Serialize};

/// Player and its frequency in self-play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightedPlayer {
    /// Notation, such as `star1(depth=3, eval=abt)`.
    pub player: String,
    /// Probability that a seat gets this player, relative to the sum of all weights.
    #[serde(default = "default_one")]
    pub weight: f64,
}

fn default_one() -> f64 {
    1.0
}

/// Settings of a self-play run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlayConfig {
    /// Players, drawn independently for each seat of each game.
    pub players: Vec<WeightedPlayer>,
    /// Number of games.
    pub games: u64,
    /// Seed of all random choices.
    pub seed: u64,
    /// Number of random moves that start each game.
    pub opening_plies: usize,
    /// Probability that a move after the opening is random; options can reduce it with the ply.
    pub exploration: f64,
    /// Notation of the rules, with parameters.
    pub game: String,
    /// Settings of starts, exploration and endgames, all off by default.
    #[serde(default, skip_serializing_if = "SelfPlayOptions::is_default")]
    pub options: SelfPlayOptions,
    /// Labels to compute for the positions before each ply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<LabelConfig>,
}

impl SelfPlayConfig {
    /// Default settings for `game`.
    #[must_use]
    pub fn for_game<G: Playable>(game: &G) -> Self {
        let weighted = |&(player, weight): &(&str, f64)| WeightedPlayer {
            player: player.to_owned(),
            weight,
        };
        Self {
            players: G::INFO.self_play_players.iter().map(weighted).collect(),
            games: 20_000,
            seed: 1,
            opening_plies: G::INFO.opening_plies.max(2),
            exploration: 0.08,
            game: game.notation(),
            options: SelfPlayOptions::default(),
            labels: Vec::new(),
        }
    }
}

/// Optional settings of starts, exploration and endgames, off if `None`. Plies count from 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelfPlayOptions {
    /// First ply without exploration; `SelfPlayConfig::opening_plies` stay random.
    pub exploration_until: Option<usize>,
    /// Half-life of the exploration probability, in plies.
    pub exploration_half_life: Option<f64>,
    /// Temperature of softmax sampling: a move's probability is proportional to exp(its win
    /// probability / temperature). Players without move values choose as usual.
    pub temperature: Option<f64>,
    /// First ply without softmax sampling.
    pub temperature_until: Option<usize>,
    /// Half-life of the temperature, in plies.
    pub temperature_half_life: Option<f64>,
    /// Starts from a file of positions.
    pub starts: Option<SuiteStarts>,
    /// Starts from random endgames.
    pub endgames: Option<EndgameStarts>,
    /// Largest `Rules::remaining_length` at which tablebases move instead of the players.
    pub adjudicate: Option<usize>,
    /// Plies after which a game is a draw; by default `Rules::max_plies`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_plies: Option<u16>,
}

/// Game starts drawn from a file of positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteStarts {
    /// File with one position before a chance event on each line.
    pub file: String,
    /// Fraction of games that start from the file.
    #[serde(rename = "share", default = "default_one")]
    pub fraction: f64,
}

/// Game starts at random endgame positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndgameStarts {
    /// Smallest and largest `Rules::remaining_length` of the start positions.
    #[serde(rename = "stones", alias = "remaining")]
    pub remaining: [usize; 2],
    /// Fraction of games that start in an endgame.
    #[serde(rename = "share", default = "default_one")]
    pub fraction: f64,
}

impl SelfPlayOptions {
    /// Whether all options are off.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn temperature(&self) -> Fading {
        Fading {
            start: self.temperature.unwrap_or(0.0),
            until: self.temperature_until,
            half_life: self.temperature_half_life,
        }
    }

    fn check(&self) -> Result<(), String> {
        let (exploration, temperature) = (self.exploration_half_life, self.temperature_half_life);
        for (key, what, number) in [
            ("exploration_half_life", "number of plies", exploration),
            ("temperature_half_life", "number of plies", temperature),
            ("temperature", "win probability", self.temperature),
        ] {
            if let Some(number) = number
                && !(number.is_finite() && number > 0.0)
            {
                return Err(format!("'{key}' is a {what} above 0, not {number}"));
            }
        }
        if self.temperature.is_none()
            && (self.temperature_until.is_some() || self.temperature_half_life.is_some())
        {
            return Err("'temperature_until' and 'temperature_half_life' are for a 'temperature', which is not given".to_owned());
        }
        let suite = self.starts.as_ref().map_or(0.0, |starts| starts.fraction);
        let endgames = self
            .endgames
            .as_ref()
            .map_or(0.0, |endgames| endgames.fraction);
        for (key, fraction) in [("starts", suite), ("endgames", endgames)] {
            if !(0.0..=1.0).contains(&fraction) {
                return Err(format!(
                    "the share of '{key}' is from 0 to 1, not {fraction}"
                ));
            }
        }
        if suite + endgames > 1.0 {
            return Err(format!(
                "the shares of 'starts' and 'endgames' are {suite} and {endgames}, together more than 1"
            ));
        }
        Ok(())
    }
}

impl SelfPlayConfig {
    pub(super) fn check(&self) -> Result<(), Error> {
        let setting = |problem: String| Err(Error::with_prefix("self-play")(problem));
        if self.players.is_empty() || self.players.len() > 255 {
            return setting("between 1 and 255 players can take part".to_owned());
        }
        let mut weights = self.players.iter().map(|weighted| weighted.weight);
        let sum: f64 = weights.clone().sum();
        if !weights.all(|weight| weight >= 0.0) || !sum.is_finite() || sum == 0.0 {
            return setting(
                "'weight' is a number of at least 0, and not 0 for all players".to_owned(),
            );
        }
        if !(0.0..=1.0).contains(&self.exploration) {
            return setting(format!(
                "'exploration' is a share from 0 to 1, not {}",
                self.exploration
            ));
        }
        self.options.check().or_else(setting)
    }

    pub(super) fn max_plies<G: Playable>(&self, game: &G) -> usize {
        let max_plies = self.options.max_plies;
        max_plies.unwrap_or_else(|| game.max_plies()).into()
    }

    pub(super) fn exploration_schedule(&self) -> Fading {
        Fading {
            start: self.exploration,
            until: self.options.exploration_until,
            half_life: self.options.exploration_half_life,
        }
    }
}
