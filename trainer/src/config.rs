//! The configuration of a training: a TOML file whose every key has a documented default.
//!
//! Invariant: [`TrainConfig::default_toml`] lists every key with its default; unknown keys are
//! errors that name the valid ones, so that a misspelt setting never trains with the default in
//! silence.

mod sections;
#[cfg(test)]
mod tests;

use crate::Error;
use engine::learned::{
    inputs::{Learnable, check_bucket_limits},
    name_set::Named,
    network::{LANES, MAX_HIDDEN, MAX_WIDTH},
};
pub use sections::{
    NTupleConfig, NetworkConfig, OnlineConfig, Rule, Schedule, TargetConfig, TrainingConfig,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::fmt::Display;
use toml::{
    Spanned,
    de::{DeTable, DeValue, Deserializer},
};

/// Everything that decides what a training does, beside the samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainConfig {
    /// Seed of initial weights, order of the samples, and symmetries.
    pub seed: u64,
    /// What the samples' targets are made of.
    pub target: TargetConfig,
    /// What both families share.
    pub training: TrainingConfig,
    /// The network.
    pub network: NetworkConfig,
    /// The n-tuple network.
    pub ntuple: NTupleConfig,
    /// Its learning from its own games.
    pub online: OnlineConfig,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            seed: 1,
            target: TargetConfig::default(),
            training: TrainingConfig::default(),
            network: NetworkConfig::default(),
            ntuple: NTupleConfig::default(),
            online: OnlineConfig::default(),
        }
    }
}

impl TrainConfig {
    /// The configuration as a game trains by it: what is left to the game is filled in, and all
    /// names are checked.
    ///
    /// # Errors
    /// If a value is out of its range, or the game has no such tuples or inputs.
    pub fn resolved<G: Learnable>(&self, game: &G) -> Result<Self, Error> {
        self.check()?;
        let mut config = self.clone();
        if config.ntuple.set.is_empty() {
            config.ntuple.set = game.tuple_sets()[0].name.to_owned();
        }
        config.ntuple.tuple_set(game)?;
        // In their order, whatever that in the file.
        let groups = config.network.groups::<G>()?.iter();
        let names = groups.map(|group| group.name().to_owned());
        config.network.inputs = Some(names.collect());
        check_bucket_limits(game, "buckets", &config.network.buckets)
            .map_err(Error::with_prefix("network.buckets"))?;
        Ok(config)
    }

    /// A configuration file with every key at its default, and what each means.
    #[must_use]
    pub fn default_toml() -> &'static str {
        include_str!("config/default.toml")
    }

    /// Reads a configuration; keys that are left out have their defaults.
    ///
    /// # Errors
    /// If the text is no TOML, has an unknown key, or a value is out of range.
    pub fn from_toml(text: &str) -> Result<Self, Error> {
        let config: Self = parse(text)?;
        config.check()?;
        Ok(config)
    }

    /// The resolved configuration, to be kept beside what it made.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(self)
            .unwrap_or_else(|error| format!("# cannot be written as TOML: {error}\n"))
    }

    /// Checks every value against its range.
    ///
    /// # Errors
    /// Names the first key whose value is out of range, and the range.
    pub fn check(&self) -> Result<(), Error> {
        let Self {
            target,
            training,
            network,
            ntuple,
            online,
            ..
        } = self;
        share("target.search_share", target.search_share)?;
        share("target.final_search_share", target.last_search_share())?;
        share("target.error_scale", target.scale_of_errors())?;
        some("training.epochs", training.epochs)?;
        some("training.window", training.window)?;
        let minutes = training.checkpoint_minutes;
        let good_minutes = minutes.is_finite() && minutes >= 0.0;
        require(
            "training.checkpoint_minutes",
            minutes,
            good_minutes,
            "at least 0",
        )?;
        let rate = training.final_rate;
        let good_rate = rate > 0.0 && rate <= 1.0;
        require(
            "training.final_rate",
            rate,
            good_rate,
            "above 0 and at most 1",
        )?;
        let good_width =
            |width: &usize| (1..=MAX_WIDTH).contains(width) && width.is_multiple_of(LANES);
        require(
            "network.hidden",
            format!("{:?}", network.hidden),
            (1..=MAX_HIDDEN).contains(&network.hidden.len())
                && network.hidden.iter().all(good_width),
            "one to three multiples of 16 up to 1024",
        )?;
        let good_batch = (1..=1 << 20).contains(&network.batch);
        require(
            "network.batch",
            network.batch,
            good_batch,
            "in 1 to 1048576",
        )?;
        positive("network.learning_rate", network.learning_rate)?;
        positive("network.gradient_norm", network.gradient_norm)?;
        positive("ntuple.learning_rate", ntuple.learning_rate)?;
        some("online.games", online.games)?;
        positive("online.learning_rate", online.learning_rate)?;
        share("online.trace", online.trace)?;
        share("online.exploration", online.exploration)?;
        share("online.final_exploration", online.final_exploration)?;
        some("online.report_every", online.report_every)
    }
}

/// Reads settings that are written as TOML, whose numbers are all finite.
///
/// # Errors
/// Names the line, and what is wrong there.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    let at = |start: usize, problem: String| {
        let line = 1 + text[..start.min(text.len())].matches('\n').count();
        Error::with_prefix(format!("line {line}"))(problem)
    };
    let wrong = |error: toml::de::Error| {
        let start = error.span().map_or(0, |span| span.start);
        at(start, error.message().replace('\n', " "))
    };
    let table = DeTable::parse(text).map_err(wrong)?;
    if let Some((key, start, number)) = not_finite(table.get_ref()) {
        let problem = format!("{key} = {number}: it must be a finite number");
        return Err(at(start, problem));
    }
    T::deserialize(Deserializer::from(table)).map_err(wrong)
}

/// The first number of a table that is not finite: its key, where it begins, and as it is written.
fn not_finite<'a>(table: &'a DeTable<'_>) -> Option<(&'a str, usize, &'a str)> {
    fn within<'a>(
        key: &'a str,
        value: &'a Spanned<DeValue<'_>>,
    ) -> Option<(&'a str, usize, &'a str)> {
        match value.get_ref() {
            DeValue::Float(number) => {
                let is_finite = number.as_str().parse().is_ok_and(f64::is_finite);
                (!is_finite).then(|| (key, value.span().start, number.as_str()))
            }
            DeValue::Array(values) => values.iter().find_map(|value| within(key, value)),
            DeValue::Table(table) => not_finite(table),
            _ => None,
        }
    }
    let mut values = table.iter();
    values.find_map(|(key, value)| within(key.get_ref(), value))
}

/// Refuses a value that is not good: it is out of its range.
pub(crate) fn require(
    key: &str,
    value: impl Display,
    good: bool,
    range: &str,
) -> Result<(), Error> {
    if good {
        return Ok(());
    }
    Err(Error::new(format!("{key} = {value}: it must be {range}")))
}

fn share(key: &str, value: impl Copy + Display + Into<f64>) -> Result<(), Error> {
    require(key, value, (0.0..=1.0).contains(&value.into()), "in 0 to 1")
}

fn positive(key: &str, value: impl Copy + Display + Into<f64>) -> Result<(), Error> {
    let number = value.into();
    require(key, value, number.is_finite() && number > 0.0, "above 0")
}

pub(crate) fn some(key: &str, count: impl Display + PartialOrd + From<u8>) -> Result<(), Error> {
    let good = count >= 1.into();
    require(key, count, good, "at least 1")
}
