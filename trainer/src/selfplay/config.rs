//! The settings of self-play, and what of them is out of range.
//!
//! Invariant: an option that is off leaves no trace in a run's JSON, so that runs from before it
//! was there go on.

use crate::Error;
use crate::label::LabelConfig;
use engine::play::{game_loop::Fading, playable::Playable};
use serde::{Deserialize, Serialize};

/// Who plays, and how often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightedPlayer {
    /// Notation, for example `star1(depth=3, eval=abt)`.
    pub player: String,
    /// How likely the player is to be given a side, relative to the others.
    #[serde(default = "one")]
    pub weight: f64,
}

fn one() -> f64 {
    1.0
}

/// Settings of a run. Together with a game's index they determine the game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlayConfig {
    /// The players; each side of each game draws one by weight, so all meet each other and
    /// themselves.
    pub players: Vec<WeightedPlayer>,
    /// Number of games.
    pub games: u64,
    /// The seed of everything random.
    pub seed: u64,
    /// Plies at the start of each game that are random moves.
    pub opening_plies: usize,
    /// Share of later moves that are random.
    pub exploration: f64,
    /// The game with its parameters.
    pub game: String,
    /// What is off unless asked for.
    #[serde(default, skip_serializing_if = "SelfPlayOptions::are_off")]
    pub options: SelfPlayOptions,
    /// Values of the positions before each roll, besides those of the players; none by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<LabelConfig>,
}

impl SelfPlayConfig {
    /// What is played of a game where nothing is said.
    #[must_use]
    pub fn of<G: Playable>(game: &G) -> Self {
        let weighted = |&(player, weight): &(&str, f64)| WeightedPlayer {
            player: player.to_owned(),
            weight,
        };
        Self {
            players: G::TEACHERS.iter().map(weighted).collect(),
            games: 20_000,
            seed: 1,
            opening_plies: G::OPENING_PLIES.max(2),
            exploration: 0.08,
            game: game.notation(),
            options: SelfPlayOptions::default(),
            labels: Vec::new(),
        }
    }
}

/// Other starts, other exploration, and endgames played by tables. Plies are counted from 0 at the
/// start of the game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelfPlayOptions {
    /// From this ply on no move is random (those of `opening_plies` are).
    pub exploration_until: Option<usize>,
    /// Plies in which the share of random moves halves.
    pub exploration_half_life: Option<f64>,
    /// Moves that are not random are drawn with probabilities proportional to exp(value /
    /// temperature), values being the win probabilities that the player gives the permitted moves;
    /// players that rate no moves make their own.
    pub temperature: Option<f64>,
    /// From this ply on the players choose.
    pub temperature_until: Option<usize>,
    /// Plies in which the temperature halves.
    pub temperature_half_life: Option<f64>,
    /// Games that start from positions of a file.
    pub starts: Option<SuiteStarts>,
    /// Games that start from random endgames.
    pub endgames: Option<EndgameStarts>,
    /// From the first position on of which at most so much is left, counted as the game counts it,
    /// its tables make the moves of all seats.
    pub adjudicate: Option<usize>,
}

/// Games that start from positions of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteStarts {
    /// The file: a position before the roll a line; each game draws one, all equally likely.
    pub file: String,
    /// Share of the games.
    #[serde(default = "one")]
    pub share: f64,
}

/// Games that start from random endgames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndgameStarts {
    /// Least and most that is left of the game, as it counts that itself.
    #[serde(rename = "stones", alias = "remaining")]
    pub remaining: [usize; 2],
    /// Share of the games.
    #[serde(default = "one")]
    pub share: f64,
}

impl SelfPlayOptions {
    /// Whether none of them is asked for.
    #[must_use]
    pub fn are_off(&self) -> bool {
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
        let suite = self.starts.as_ref().map_or(0.0, |starts| starts.share);
        let endgames = self
            .endgames
            .as_ref()
            .map_or(0.0, |endgames| endgames.share);
        for (key, share) in [("starts", suite), ("endgames", endgames)] {
            if !(0.0..=1.0).contains(&share) {
                return Err(format!("the share of '{key}' is from 0 to 1, not {share}"));
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
    /// Whether all numbers are in range; players, game and files are looked at elsewhere.
    pub(super) fn check(&self) -> Result<(), Error> {
        let setting = |problem: String| Err(Error::of("self-play")(problem));
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

    pub(super) fn random_share(&self) -> Fading {
        Fading {
            start: self.exploration,
            until: self.options.exploration_until,
            half_life: self.options.exploration_half_life,
        }
    }
}
