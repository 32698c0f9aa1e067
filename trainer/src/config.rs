//! The configuration of a training: a TOML file whose every key has a documented default.
//!
//! Invariant: [`TrainConfig::default_toml`] lists every key with its default; unknown keys are
//! errors that name the valid ones, so that a misspelt setting never trains with the default in
//! silence.

mod sections;
#[cfg(test)]
mod tests;

use engine::learned::{
    inputs::{DenseGroupOf, Learnable},
    integer::SHAPES,
    names::{NameSet, Named, UnknownName},
    network::{Head, LANES, MAX_HIDDEN, MAX_WIDTH},
    tuples::TupleError,
};
pub use sections::{
    NTupleConfig, NetworkConfig, OnlineConfig, Rule, Schedule, TargetConfig, TrainingConfig,
};
use serde::{Deserialize, Serialize};

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
    /// The small network.
    pub network: NetworkConfig,
    /// The network in integers.
    pub integer: NetworkConfig,
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
            integer: NetworkConfig::default(),
            ntuple: NTupleConfig::default(),
            online: OnlineConfig::default(),
        }
    }
}

/// A configuration that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The text is no configuration.
    #[error("line {line}: {message}")]
    Parse {
        /// Where, from 1.
        line: usize,
        /// What is wrong, with the valid keys or values.
        message: String,
    },
    /// A value out of its range.
    #[error("{key} = {value}: it must be {range}")]
    Range {
        /// The key, with its section.
        key: &'static str,
        /// The value given.
        value: String,
        /// What would be right.
        range: &'static str,
    },
    /// A name that nothing has.
    #[error("{key}: {cause}")]
    Name {
        /// The key, with its section.
        key: &'static str,
        /// What there is.
        cause: UnknownName,
    },
    /// A head that the game has no use for.
    #[error("network.heads: {0} has no outcomes of chance that a head 'rolls' could tell apart")]
    NoOutcomes(&'static str),
    /// Tuples that make no set.
    #[error("{key}: {cause}")]
    Tuples {
        /// The key, with its section.
        key: &'static str,
        /// What is wrong with them.
        cause: TupleError,
    },
}

impl ConfigError {
    /// The names of a key are wrong.
    pub(crate) fn names(key: &'static str) -> impl FnOnce(UnknownName) -> Self {
        move |cause| Self::Name { key, cause }
    }
}

impl TrainConfig {
    /// The configuration as a game trains by it: what is left to the game is filled in, and all
    /// names are checked.
    ///
    /// # Errors
    /// If a value is out of its range, or the game has no such tuples or inputs.
    pub fn resolved<G: Learnable>(&self, game: &G) -> Result<Self, ConfigError> {
        self.check()?;
        let mut config = self.clone();
        if config.ntuple.set.is_empty() {
            config.ntuple.set = game.tuple_sets()[0].name.to_owned();
        }
        config.ntuple.tuple_set(game)?;
        let features = config
            .network
            .features
            .take()
            .unwrap_or_else(|| G::USUAL_DENSE.iter().map(ToString::to_string).collect());
        // In their order, whatever that in the file.
        let features: NameSet<DenseGroupOf<G>> =
            NameSet::from_list(features).map_err(ConfigError::names("network.features"))?;
        let names = features.iter().map(|group| group.name().to_owned());
        config.network.features = Some(names.collect());
        if config.network.heads.contains(Head::Rolls) && G::OUTCOMES == 0 {
            return Err(ConfigError::NoOutcomes(G::NAME));
        }
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
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        let config: Self = toml::from_str(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start).min(text.len());
            let line = 1 + text.as_bytes()[..offset]
                .iter()
                .filter(|&&byte| byte == b'\n')
                .count();
            ConfigError::Parse {
                line,
                message: error.message().replace('\n', " "),
            }
        })?;
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
    pub fn check(&self) -> Result<(), ConfigError> {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let hidden = &self.network.hidden;
        let good_layers = (1..=MAX_HIDDEN).contains(&hidden.len());
        let (integer, online) = (&self.integer, &self.online);
        const BATCH: &str = "in 1 to 1048576";
        let batch = |batch: usize| (1..=1 << 20).contains(&batch);
        let share = |share: f32| (0.0..=1.0).contains(&share);
        let (first_share, last_share) = (self.target.search_share, self.target.last_search_share());
        let [rolls, moves] =
            [Head::Rolls, Head::MovesToGo].map(|head| self.network.head_weight(head));
        let checks: [(&'static str, String, bool, &'static str); 24] = [
            (
                "target.search_share",
                first_share.to_string(),
                share(first_share),
                "in 0 to 1",
            ),
            (
                "target.final_search_share",
                last_share.to_string(),
                share(last_share),
                "in 0 to 1",
            ),
            (
                "training.epochs",
                self.training.epochs.to_string(),
                self.training.epochs >= 1,
                "at least 1",
            ),
            (
                "training.window",
                self.training.window.to_string(),
                self.training.window >= 1,
                "at least 1",
            ),
            (
                "training.checkpoint_minutes",
                self.training.checkpoint_minutes.to_string(),
                self.training.checkpoint_minutes.is_finite()
                    && self.training.checkpoint_minutes >= 0.0,
                "at least 0",
            ),
            (
                "training.final_rate",
                self.training.final_rate.to_string(),
                self.training.final_rate > 0.0 && self.training.final_rate <= 1.0,
                "above 0 and at most 1",
            ),
            (
                "network.hidden",
                format!("{hidden:?}"),
                good_layers
                    && hidden
                        .iter()
                        .all(|width| (1..=MAX_WIDTH).contains(width) && width % LANES == 0),
                "one to three multiples of 16 up to 1024",
            ),
            (
                "network.rolls_weight",
                rolls.to_string(),
                positive(rolls.into()),
                "above 0",
            ),
            (
                "network.moves_to_go_weight",
                moves.to_string(),
                positive(moves.into()),
                "above 0",
            ),
            (
                "network.batch",
                self.network.batch.to_string(),
                batch(self.network.batch),
                BATCH,
            ),
            (
                "network.learning_rate",
                self.network.learning_rate.to_string(),
                positive(self.network.learning_rate),
                "above 0",
            ),
            (
                "network.gradient_norm",
                self.network.gradient_norm.to_string(),
                positive(self.network.gradient_norm.into()),
                "above 0",
            ),
            (
                "integer.hidden",
                format!("{:?}", integer.hidden),
                SHAPES.iter().any(|shape| integer.hidden == shape),
                "[64, 16], [64, 32], [128, 32] or [256, 32]",
            ),
            (
                "integer.heads",
                integer.heads.names(),
                integer.heads.is_empty(),
                "left out: that family has none",
            ),
            (
                "integer.batch",
                integer.batch.to_string(),
                batch(integer.batch),
                BATCH,
            ),
            (
                "integer.learning_rate",
                integer.learning_rate.to_string(),
                positive(integer.learning_rate),
                "above 0",
            ),
            (
                "integer.gradient_norm",
                integer.gradient_norm.to_string(),
                positive(integer.gradient_norm.into()),
                "above 0",
            ),
            (
                "ntuple.learning_rate",
                self.ntuple.learning_rate.to_string(),
                positive(self.ntuple.learning_rate),
                "above 0",
            ),
            (
                "online.games",
                online.games.to_string(),
                online.games >= 1,
                "at least 1",
            ),
            (
                "online.learning_rate",
                online.learning_rate.to_string(),
                positive(online.learning_rate),
                "above 0",
            ),
            (
                "online.trace",
                online.trace.to_string(),
                (0.0..=1.0).contains(&online.trace),
                "in 0 to 1",
            ),
            (
                "online.exploration",
                online.exploration.to_string(),
                (0.0..=1.0).contains(&online.exploration),
                "in 0 to 1",
            ),
            (
                "online.final_exploration",
                online.final_exploration.to_string(),
                (0.0..=1.0).contains(&online.final_exploration),
                "in 0 to 1",
            ),
            (
                "online.report_every",
                online.report_every.to_string(),
                online.report_every >= 1,
                "at least 1",
            ),
        ];
        match checks.into_iter().find(|(_, _, good, _)| !good) {
            Some((key, value, _, range)) => Err(ConfigError::Range { key, value, range }),
            None => Ok(()),
        }
    }
}
