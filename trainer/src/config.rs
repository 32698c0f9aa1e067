//! The training configuration, a TOML file. [`TrainConfig::default_toml`] documents all keys;
//! unknown ones are errors.

mod sections;
#[cfg(test)]
mod tests;

use crate::Error;
use alea_learned::{
    inputs::Learnable,
    named_set::Named,
    network::{LANES, MAX_HIDDEN, MAX_WIDTH},
};
pub use sections::{
    NTupleConfig, NetworkConfig, Outputs, Schedule, TargetConfig, TdConfig, TrainingConfig,
    UpdateRule, WeightType,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::fmt::Display;
use toml::{
    Spanned,
    de::{DeTable, DeValue, Deserializer},
};

/// Configuration of a training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainConfig {
    /// Seed of initial weights, sample order and random symmetries.
    pub seed: u64,
    /// Settings of training targets.
    pub target: TargetConfig,
    /// Training settings that both model families share.
    pub training: TrainingConfig,
    /// Settings of neural networks alone.
    pub network: NetworkConfig,
    /// Settings of n-tuple networks alone.
    pub ntuple: NTupleConfig,
    /// Settings of temporal-difference learning.
    pub online: TdConfig,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            seed: 1,
            target: TargetConfig::default(),
            training: TrainingConfig::default(),
            network: NetworkConfig::default(),
            ntuple: NTupleConfig::default(),
            online: TdConfig::default(),
        }
    }
}

impl TrainConfig {
    /// Copies the configuration with all settings checked and absent ones set to the defaults of
    /// `game`.
    pub fn resolve<G: Learnable>(&self, game: &G) -> Result<Self, Error> {
        self.check()?;
        let mut config = self.clone();
        if config.ntuple.set.is_empty() {
            config.ntuple.set = game.tuple_sets()[0].name.to_owned();
        }
        config.ntuple.tuple_set(game)?;
        let groups = config.network.input_groups::<G>()?.iter();
        let names = groups.map(|group| group.name().to_owned());
        config.network.inputs = Some(names.collect());
        config.online.learning_rate.get_or_insert(3.0);
        let buckets = &config.network.buckets;
        (buckets.check(game, "buckets")).map_err(Error::with_prefix("network.buckets"))?;
        config.network.results(game)?;
        Ok(config)
    }

    /// TOML text that documents every key with its default.
    #[must_use]
    pub fn default_toml() -> &'static str {
        include_str!("config/default.toml")
    }

    /// Parses and checks TOML; absent keys get their defaults.
    pub fn from_toml(text: &str) -> Result<Self, Error> {
        let config: Self = parse_toml(text)?;
        config.check()?;
        Ok(config)
    }

    /// Writes all keys as TOML.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(self)
            .unwrap_or_else(|error| format!("# cannot be written as TOML: {error}\n"))
    }

    /// Checks numbers whose range does not depend on the game.
    ///
    /// # Errors
    /// Names the first key out of range, and the range.
    pub fn check(&self) -> Result<(), Error> {
        let Self {
            target,
            training,
            network,
            ntuple,
            online,
            ..
        } = self;
        check_fraction("target.search_share", target.lambda)?;
        check_fraction("target.final_search_share", target.last_lambda())?;
        check_fraction("target.error_scale", target.resolved_error_scale())?;
        check_at_least_one("training.epochs", training.epochs)?;
        check_at_least_one("training.window", training.window)?;
        let minutes = training.checkpoint_minutes;
        let good_minutes = minutes.is_finite() && minutes >= 0.0;
        check_range(
            "training.checkpoint_minutes",
            minutes,
            good_minutes,
            "at least 0",
        )?;
        let rate = training.final_rate;
        let good_rate = rate > 0.0 && rate <= 1.0;
        check_range(
            "training.final_rate",
            rate,
            good_rate,
            "above 0 and at most 1",
        )?;
        let good_width =
            |width: &usize| (1..=MAX_WIDTH).contains(width) && width.is_multiple_of(LANES);
        check_range(
            "network.hidden",
            format!("{:?}", network.hidden),
            (1..=MAX_HIDDEN).contains(&network.hidden.len())
                && network.hidden.iter().all(good_width),
            "one to three multiples of 16 up to 1024",
        )?;
        check_size("network.batch", network.batch)?;
        check_positive("network.learning_rate", network.learning_rate)?;
        check_positive("network.gradient_norm", network.gradient_norm)?;
        check_positive("ntuple.learning_rate", ntuple.learning_rate)?;
        check_at_least_one("online.games", online.games)?;
        let games_per_update = online.games_per_update.unwrap_or(1);
        check_size("online.games_per_update", games_per_update)?;
        check_size("online.batch", online.batch.unwrap_or(1))?;
        check_positive("online.learning_rate", online.learning_rate.unwrap_or(1.0))?;
        check_fraction("online.trace", online.trace)?;
        check_fraction("online.exploration", online.exploration)?;
        check_fraction("online.final_exploration", online.final_exploration)?;
        check_at_least_one("online.report_every", online.report_every)
    }
}

/// Parses TOML; all numbers must be finite.
///
/// # Errors
/// Names the line and the problem.
pub fn parse_toml<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    let at = |start: usize, problem: String| {
        let line = 1 + text[..start.min(text.len())].matches('\n').count();
        Error::with_prefix(format!("line {line}"))(problem)
    };
    let wrong = |error: toml::de::Error| {
        let start = error.span().map_or(0, |span| span.start);
        at(start, error.message().replace('\n', " "))
    };
    let table = DeTable::parse(text).map_err(wrong)?;
    if let Some((key, start, number)) = find_non_finite(table.get_ref()) {
        let problem = format!("{key} = {number}: it must be a finite number");
        return Err(at(start, problem));
    }
    T::deserialize(Deserializer::from(table)).map_err(wrong)
}

fn find_non_finite<'a>(table: &'a DeTable<'_>) -> Option<(&'a str, usize, &'a str)> {
    fn find_in_value<'a>(
        key: &'a str,
        value: &'a Spanned<DeValue<'_>>,
    ) -> Option<(&'a str, usize, &'a str)> {
        match value.get_ref() {
            DeValue::Float(number) => {
                let is_finite = number.as_str().parse().is_ok_and(f64::is_finite);
                (!is_finite).then(|| (key, value.span().start, number.as_str()))
            }
            DeValue::Array(values) => values.iter().find_map(|value| find_in_value(key, value)),
            DeValue::Table(table) => find_non_finite(table),
            _ => None,
        }
    }
    let mut values = table.iter();
    values.find_map(|(key, value)| find_in_value(key.get_ref(), value))
}

pub(crate) fn check_range(
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

fn check_fraction(key: &str, value: impl Copy + Display + Into<f64>) -> Result<(), Error> {
    check_range(key, value, (0.0..=1.0).contains(&value.into()), "in 0 to 1")
}

fn check_positive(key: &str, value: impl Copy + Display + Into<f64>) -> Result<(), Error> {
    let number = value.into();
    check_range(key, value, number.is_finite() && number > 0.0, "above 0")
}

fn check_size(key: &str, size: usize) -> Result<(), Error> {
    let good = (1..=1 << 20).contains(&size);
    check_range(key, size, good, "in 1 to 1048576")
}

pub(crate) fn check_at_least_one(
    key: &str,
    count: impl Display + PartialOrd + From<u8>,
) -> Result<(), Error> {
    let good = count >= 1.into();
    check_range(key, count, good, "at least 1")
}
