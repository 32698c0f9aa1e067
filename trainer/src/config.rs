//! The configuration of a training: a TOML file whose every key has a documented default.
//!
//! Invariant: [`TrainConfig::default_toml`] lists every key with its default; unknown keys are errors that name the
//! valid ones, so that a misspelt setting never trains with the default in silence.

use engine::eval::features::{FeatureGroup, FeatureGroups};
use engine::eval::integer_network::SHAPES;
use engine::eval::integer_network::inputs::SideGroups;
use engine::eval::network::{Head, Heads, LANES, MAX_HIDDEN, MAX_WIDTH};
use engine::eval::ntuple::{TupleError, TupleSet};
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
    pub integer: IntegerConfig,
    /// The n-tuple network.
    pub ntuple: NTupleConfig,
    /// Its learning from its own games.
    pub online: OnlineConfig,
}

/// What the samples' targets are made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TargetConfig {
    /// Share of the search value in a target in the first epoch, the rest being the result of the game; in `[0, 1]`.
    pub search_share: f32,
    /// The share in the last epoch; the same unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_search_share: Option<f32>,
    /// Name of a label that takes the place of the search value where a position has one; none if empty.
    pub label: String,
    /// Whether labels from endgame tables are the whole target where there are any.
    pub exact: bool,
}

impl TargetConfig {
    /// Share of the search value in an epoch (from 1) of so many: on a straight line from the first to the last.
    #[must_use]
    pub fn search_share_of(&self, epoch: usize, epochs: usize) -> f32 {
        let last = self.last_search_share();
        // A single epoch is the last one, by which validation goes.
        let left = if epochs > 1 { epochs.saturating_sub(epoch) as f64 / (epochs - 1) as f64 } else { 0.0 };
        (f64::from(last) + (f64::from(self.search_share) - f64::from(last)) * left) as f32
    }

    /// Share of the search value in the last epoch, and in validation at any time.
    #[must_use]
    pub fn last_search_share(&self) -> f32 {
        self.final_search_share.unwrap_or(self.search_share)
    }
}

/// What both families share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainingConfig {
    /// The device: flex, wgpu or cuda.
    pub backend: String,
    /// Most passes over the samples.
    pub epochs: usize,
    /// Epochs without improvement of the validation loss after which training stops; 0: never.
    pub patience: usize,
    /// Whether each sample is seen in a random one of its eight symmetries each epoch.
    pub symmetries: bool,
    /// Training samples that are held in memory to be shuffled.
    pub window: usize,
    /// Minutes after which a checkpoint is written within an epoch; 0: only after each.
    pub checkpoint_minutes: f64,
    /// How the learning rate falls.
    pub schedule: Schedule,
    /// The learning rate at the end as a share of that at the start, in `(0, 1]`.
    pub final_rate: f64,
}

/// How the learning rate falls from its start to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// Along half a cosine.
    Cosine,
    /// In two equal ratios, after 60 % and 85 % of the steps.
    Step,
    /// Not at all.
    Constant,
}

impl Schedule {
    /// What the learning rate is multiplied by when `done`, in `[0, 1]`, of all steps are done.
    #[must_use]
    pub fn factor(self, done: f64, final_rate: f64) -> f64 {
        match self {
            Self::Cosine => final_rate + (1.0 - final_rate) * 0.5 * (1.0 + (std::f64::consts::PI * done).cos()),
            Self::Step if done < 0.6 => 1.0,
            Self::Step if done < 0.85 => final_rate.sqrt(),
            Self::Step => final_rate,
            Self::Constant => 1.0,
        }
    }
}

/// The small network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkConfig {
    /// Widths of the hidden layers, one to three.
    pub hidden: Vec<usize>,
    /// Groups of dense inputs.
    pub features: FeatureGroups,
    /// What it says beside the value; nothing unless told.
    #[serde(skip_serializing_if = "Heads::is_empty")]
    pub heads: Heads,
    /// What a nat of the loss of the head `rolls` counts; 0.5 unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rolls_weight: Option<f32>,
    /// What the squared error of plies / 16 of the head `moves_to_go` counts; 0.5 unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves_to_go_weight: Option<f32>,
    /// Samples a step.
    pub batch: usize,
    /// Adam's learning rate at the start.
    pub learning_rate: f64,
    /// The gradient of each tensor is shortened to this Euclidean norm.
    pub gradient_norm: f32,
}

impl NetworkConfig {
    /// What the loss of a head counts beside that of the value, which counts 1.
    #[must_use]
    pub fn head_weight(&self, head: Head) -> f32 {
        let told = match head {
            Head::Rolls => self.rolls_weight,
            Head::MovesToGo => self.moves_to_go_weight,
        };
        told.unwrap_or(0.5)
    }
}

/// The network in integers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct IntegerConfig {
    /// Widths of the two hidden layers.
    pub hidden: [usize; 2],
    /// Groups of inputs beside the squares of the stones.
    pub inputs: SideGroups,
    /// Samples a step.
    pub batch: usize,
    /// Adam's learning rate at the start.
    pub learning_rate: f64,
    /// The gradient of each tensor is shortened to this Euclidean norm.
    pub gradient_norm: f32,
}

/// The n-tuple network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NTupleConfig {
    /// Name of the set of tuples.
    pub set: String,
    /// The tuples themselves, the cells of each divided by blanks; unless empty they take the place of the named set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tuples: Vec<String>,
    /// Most living stones, of both sides together, of each phase but the last; every phase has tables of its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<u8>,
    /// How a weight follows its gradient.
    pub rule: Rule,
    /// The rule's learning rate at the start.
    pub learning_rate: f64,
}

impl NTupleConfig {
    /// The tuples, listed or named, in their phases.
    ///
    /// # Errors
    /// If there is no such set; the error names the key.
    pub fn tuple_set(&self) -> Result<TupleSet, ConfigError> {
        let (key, set) = if self.tuples.is_empty() {
            ("ntuple.set", TupleSet::named(&self.set))
        } else {
            ("ntuple.tuples", TupleSet::custom(&self.tuples))
        };
        let because = |key| move |cause| ConfigError::Tuples { key, cause };
        set.map_err(because(key))?.with_phases(&self.phases).map_err(because("ntuple.phases"))
    }
}

/// How the n-tuple network learns from games against itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OnlineConfig {
    /// Games that are played.
    pub games: u64,
    /// The rule's learning rate at the start, instead of that for samples of records.
    pub learning_rate: f64,
    /// λ of TD(λ): how far what is seen reaches back, in `[0, 1]`.
    pub trace: f64,
    /// Probability of a random move in the first game.
    pub exploration: f64,
    /// Probability of a random move in the last game; it changes in equal steps.
    pub final_exploration: f64,
    /// Games between two points of the curve, each with a checkpoint.
    pub report_every: u64,
}

/// How a weight of the n-tuple network follows its gradient, sample by sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// By the learning rate, divided by the number of tuples.
    Sgd,
    /// By the learning rate, divided by the number of tuples, over the root of the sum of the weight's squared
    /// gradients (Duchi et al. 2011).
    Adagrad,
    /// By the learning rate, divided by the number of tuples, times |Σ gradient| / Σ |gradient| of the weight: weights
    /// whose gradients agree keep learning (temporal coherence: Beal and Smith 1999; in 2048: Jaśkowski 2016).
    TemporalCoherence,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            seed: 1,
            target: TargetConfig::default(),
            training: TrainingConfig::default(),
            network: NetworkConfig::default(),
            integer: IntegerConfig::default(),
            ntuple: NTupleConfig::default(),
            online: OnlineConfig::default(),
        }
    }
}

impl Default for TargetConfig {
    fn default() -> Self {
        Self { search_share: 0.7, final_search_share: None, label: String::new(), exact: true }
    }
}

impl Default for TrainingConfig {
    fn default() -> Self {
        Self {
            backend: "flex".to_owned(),
            epochs: 20,
            patience: 5,
            symmetries: true,
            window: 1 << 24,
            checkpoint_minutes: 10.0,
            schedule: Schedule::Cosine,
            final_rate: 0.01,
        }
    }
}

impl Default for NetworkConfig {
    fn default() -> Self {
        let features = [FeatureGroup::Mobility, FeatureGroup::RaceSummary, FeatureGroup::Attack, FeatureGroup::Material];
        Self {
            hidden: vec![64, 32],
            features: features.to_vec().into(),
            heads: Heads::NONE,
            rolls_weight: None,
            moves_to_go_weight: None,
            batch: 4096,
            learning_rate: 4e-3,
            gradient_norm: 1.0,
        }
    }
}

impl Default for IntegerConfig {
    fn default() -> Self {
        Self { hidden: [64, 32], inputs: SideGroups::ALL, batch: 4096, learning_rate: 4e-3, gradient_norm: 1.0 }
    }
}

impl Default for NTupleConfig {
    fn default() -> Self {
        Self { set: "race-and-pairs".to_owned(), tuples: Vec::new(), phases: Vec::new(), rule: Rule::Adagrad, learning_rate: 1.0 }
    }
}

impl Default for OnlineConfig {
    fn default() -> Self {
        Self { games: 200_000, learning_rate: 3.0, trace: 0.5, exploration: 0.1, final_exploration: 0.0, report_every: 10_000 }
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
    /// Tuples that make no set.
    #[error("{key}: {cause}")]
    Tuples {
        /// The key, with its section.
        key: &'static str,
        /// What is wrong with them.
        cause: TupleError,
    },
}

impl TrainConfig {
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
            let line = 1 + text.as_bytes()[..offset].iter().filter(|&&byte| byte == b'\n').count();
            ConfigError::Parse { line, message: error.message().replace('\n', " ") }
        })?;
        config.check()?;
        Ok(config)
    }

    /// The resolved configuration, to be kept beside what it made.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_else(|error| format!("# cannot be written as TOML: {error}\n"))
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
        let share = |share: f32| (0.0..=1.0).contains(&share);
        let (first_share, last_share) = (self.target.search_share, self.target.last_search_share());
        let [rolls, moves] = Head::ALL.map(|head| self.network.head_weight(head));
        let checks: [(&'static str, String, bool, &'static str); 23] = [
            ("target.search_share", first_share.to_string(), share(first_share), "in 0 to 1"),
            ("target.final_search_share", last_share.to_string(), share(last_share), "in 0 to 1"),
            ("training.epochs", self.training.epochs.to_string(), self.training.epochs >= 1, "at least 1"),
            ("training.window", self.training.window.to_string(), self.training.window >= 1, "at least 1"),
            (
                "training.checkpoint_minutes",
                self.training.checkpoint_minutes.to_string(),
                self.training.checkpoint_minutes.is_finite() && self.training.checkpoint_minutes >= 0.0,
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
                good_layers && hidden.iter().all(|width| (1..=MAX_WIDTH).contains(width) && width % LANES == 0),
                "one to three multiples of 16 up to 1024",
            ),
            ("network.rolls_weight", rolls.to_string(), positive(rolls.into()), "above 0"),
            ("network.moves_to_go_weight", moves.to_string(), positive(moves.into()), "above 0"),
            ("network.batch", self.network.batch.to_string(), (1..=1 << 20).contains(&self.network.batch), "in 1 to 1048576"),
            ("network.learning_rate", self.network.learning_rate.to_string(), positive(self.network.learning_rate), "above 0"),
            ("network.gradient_norm", self.network.gradient_norm.to_string(), positive(self.network.gradient_norm.into()), "above 0"),
            (
                "integer.hidden",
                format!("{:?}", integer.hidden),
                SHAPES.contains(&integer.hidden),
                "[64, 16], [64, 32], [128, 32] or [256, 32]",
            ),
            ("integer.batch", integer.batch.to_string(), (1..=1 << 20).contains(&integer.batch), "in 1 to 1048576"),
            ("integer.learning_rate", integer.learning_rate.to_string(), positive(integer.learning_rate), "above 0"),
            ("integer.gradient_norm", integer.gradient_norm.to_string(), positive(integer.gradient_norm.into()), "above 0"),
            ("ntuple.learning_rate", self.ntuple.learning_rate.to_string(), positive(self.ntuple.learning_rate), "above 0"),
            ("online.games", online.games.to_string(), online.games >= 1, "at least 1"),
            ("online.learning_rate", online.learning_rate.to_string(), positive(online.learning_rate), "above 0"),
            ("online.trace", online.trace.to_string(), (0.0..=1.0).contains(&online.trace), "in 0 to 1"),
            ("online.exploration", online.exploration.to_string(), (0.0..=1.0).contains(&online.exploration), "in 0 to 1"),
            (
                "online.final_exploration",
                online.final_exploration.to_string(),
                (0.0..=1.0).contains(&online.final_exploration),
                "in 0 to 1",
            ),
            ("online.report_every", online.report_every.to_string(), online.report_every >= 1, "at least 1"),
        ];
        match checks.into_iter().find(|(_, _, good, _)| !good) {
            Some((key, value, _, range)) => Err(ConfigError::Range { key, value, range }),
            None => self.ntuple.tuple_set().map(|_| ()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_defaults_are_the_defaults_and_complete() {
        let text = TrainConfig::default_toml();
        assert_eq!(TrainConfig::from_toml(text).unwrap(), TrainConfig::default());
        assert_eq!(TrainConfig::from_toml("").unwrap(), TrainConfig::default());
        // Every key of the resolved configuration stands in the documented text.
        let keys = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(|line| !line.starts_with('#'));
            lines.filter_map(|line| line.split_once(" = ").map(|(key, _)| key.to_owned())).collect()
        };
        let resolved = TrainConfig::default().to_toml();
        assert_eq!(keys(text), keys(&resolved));
        assert_eq!(TrainConfig::from_toml(&resolved).unwrap(), TrainConfig::default());
    }

    #[test]
    fn a_misspelt_key_is_named_with_its_line_and_the_valid_keys() {
        let error = TrainConfig::from_toml("seed = 3\n[training]\nepoch = 4\n").unwrap_err().to_string();
        assert!(error.starts_with("line 3: "), "{error}");
        for expected in ["`epoch`", "`epochs`", "`patience`"] {
            assert!(error.contains(expected), "{error}");
        }
        assert!(!error.contains('\n'));
        let error = TrainConfig::from_toml("[ntuple]\nrule = \"momentum\"\n").unwrap_err().to_string();
        assert!(error.contains("momentum") && error.contains("temporal_coherence"), "{error}");
    }

    #[test]
    fn values_out_of_range_are_named() {
        for (text, key) in [
            ("[target]\nsearch_share = 1.5", "target.search_share"),
            ("[target]\nfinal_search_share = -0.5", "target.final_search_share"),
            ("[network]\nhidden = [0, 32]", "network.hidden = [0, 32]: it must be one to three multiples of 16 up to 1024"),
            ("[network]\nhidden = []", "network.hidden = []: it must be one to three multiples of 16 up to 1024"),
            ("[network]\nhidden = [16, 16, 16, 16]", "network.hidden = [16, 16, 16, 16]: it must be one to three"),
            ("[network]\nhidden = [64, 32, 1040]", "network.hidden = [64, 32, 1040]: it must be"),
            ("[network]\nlearning_rate = nan", "network.learning_rate"),
            ("[integer]\nhidden = [32, 32]", "integer.hidden"),
            ("[training]\nepochs = 0", "training.epochs"),
            ("[online]\ntrace = 1.1", "online.trace"),
            ("[network]\nrolls_weight = 0.0", "network.rolls_weight"),
            ("[network]\nmoves_to_go_weight = -1.0", "network.moves_to_go_weight"),
            ("[online]\nreport_every = 0", "online.report_every"),
        ] {
            let error = TrainConfig::from_toml(text).unwrap_err().to_string();
            assert!(error.starts_with(key), "{error}");
        }
    }

    #[test]
    fn tuples_are_named_or_listed_and_their_phases_counted() {
        let config = TrainConfig::from_toml("[ntuple]\ntuples = [\"b0 b1 m24\", \"s0 s6\"]\nphases = [5, 8]").unwrap();
        let set = config.ntuple.tuple_set().unwrap();
        assert_eq!((set.tuples(), set.rows()), (2, 3 * (13 * 13 * 5 + 26 * 26)));
        assert_eq!(TrainConfig::from_toml(&config.to_toml()).unwrap(), config);
        // A named set is written as before there were others.
        assert!(!TrainConfig::default().to_toml().contains("tuples =") && !TrainConfig::default().to_toml().contains("phases"));
        for (text, expected) in [
            ("set = \"no such\"", "ntuple.set: 'no such' is no tuple set; there are stones, "),
            ("tuples = [\"b0 b25\"]", "ntuple.tuples: 'b25' is no cell; there are b0-24, "),
            ("tuples = [\"b0 b1\", \"b1 b0\"]", "ntuple.tuples: the tuple 'b1 b0' is there twice"),
            ("phases = [8, 5]", "ntuple.phases: phases [8, 5]: numbers of stones must ascend"),
        ] {
            let error = TrainConfig::from_toml(&format!("[ntuple]\n{text}")).unwrap_err().to_string();
            assert!(error.starts_with(expected) && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn a_network_has_one_to_three_hidden_layers() {
        for hidden in [&[1024][..], &[64, 32], &[64, 32, 16]] {
            let config = TrainConfig::from_toml(&format!("[network]\nhidden = {hidden:?}")).unwrap();
            assert_eq!(config.network.hidden, hidden);
            assert_eq!(TrainConfig::from_toml(&config.to_toml()).unwrap(), config);
        }
        let error = TrainConfig::from_toml("[network]\nhidden = 64").unwrap_err().to_string();
        assert!(error.starts_with("line 2: ") && !error.contains('\n'), "{error}");
    }

    #[test]
    fn heads_are_named_and_weighed_and_left_out_if_there_are_none() {
        let config = TrainConfig::from_toml("[network]\nheads = [\"moves_to_go\", \"rolls\"]\nrolls_weight = 0.25").unwrap();
        assert_eq!(config.network.heads, Heads::ALL);
        assert_eq!([Head::Rolls, Head::MovesToGo].map(|head| config.network.head_weight(head)), [0.25, 0.5]);
        assert_eq!(TrainConfig::from_toml(&config.to_toml()).unwrap(), config);
        assert!(config.to_toml().contains("heads = [\"rolls\", \"moves_to_go\"]"));
        // Trainings without heads go on with the settings that they were started with before there were any.
        assert!(!TrainConfig::default().to_toml().contains("heads"));
        let error = TrainConfig::from_toml("[network]\nheads = [\"moves\"]").unwrap_err().to_string();
        assert!(error.starts_with("line 2: ") && error.contains("`rolls`") && error.contains("`moves_to_go`"), "{error}");
    }

    #[test]
    fn the_search_share_goes_from_first_to_last_in_equal_steps() {
        let shares = |text: &str, epochs: usize| -> Vec<f32> {
            let target = TrainConfig::from_toml(text).unwrap().target;
            (1..=epochs).map(|epoch| target.search_share_of(epoch, epochs)).collect()
        };
        assert_eq!(shares("[target]\nsearch_share = 0.75\nfinal_search_share = 0.25", 5), [0.75, 0.625, 0.5, 0.375, 0.25]);
        assert_eq!(shares("[target]\nsearch_share = 0.75\nfinal_search_share = 0.25", 1), [0.25]);
        // The same in all epochs to the last bit, if it does not change.
        assert_eq!(shares("", 3), [0.7; 3]);
    }

    #[test]
    fn schedules_start_at_one_and_end_at_the_final_rate() {
        for schedule in [Schedule::Cosine, Schedule::Step] {
            assert_eq!(schedule.factor(0.0, 0.01), 1.0);
            assert!((schedule.factor(1.0, 0.01) - 0.01).abs() < 1e-12);
        }
        assert!((Schedule::Cosine.factor(0.5, 0.01) - 0.505).abs() < 1e-12);
        assert!((Schedule::Step.factor(0.7, 0.01) - 0.1).abs() < 1e-12);
        assert_eq!(Schedule::Constant.factor(1.0, 0.01), 1.0);
    }
}
