//! The sections of a training's configuration: their keys, what each means, and its default.
//!
//! Invariant: every section has a default, and refuses keys that it does not have. What ranges
//! values have to be in, [`super::TrainConfig::check`] says.

use crate::Error;
use engine::learned::{inputs::Learnable, name_set::NameSet, tuples::TupleSet};
use serde::{Deserialize, Serialize};

/// What the samples' targets are made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TargetConfig {
    /// Share of the search value in a target in the first epoch, the rest being the result of the
    /// game; in `[0, 1]`.
    pub search_share: f32,
    /// The share in the last epoch; the same unless told.
    pub final_search_share: Option<f32>,
    /// Name of a label that takes the place of the search value where a position has one; none if
    /// empty.
    pub label: String,
    /// Whether labels from endgame tables are the whole target where there are any.
    pub exact: bool,
    /// The standard error of a label with which a sample counts half, see [`crate::sample::weight`];
    /// 0: all count alike. 0.05 unless told.
    pub error_scale: Option<f32>,
}

impl Default for TargetConfig {
    fn default() -> Self {
        Self {
            search_share: 0.7,
            final_search_share: None,
            label: String::new(),
            exact: true,
            error_scale: None,
        }
    }
}

impl TargetConfig {
    /// Share of the search value in an epoch (from 1) of so many: on a straight line from the first
    /// to the last.
    pub fn search_share_of(&self, epoch: usize, epochs: usize) -> f32 {
        let last = self.last_search_share();
        // A single epoch is the last one, by which validation goes.
        let left = if epochs > 1 {
            epochs.saturating_sub(epoch) as f64 / (epochs - 1) as f64
        } else {
            0.0
        };
        (f64::from(last) + (f64::from(self.search_share) - f64::from(last)) * left) as f32
    }

    /// See [`Self::error_scale`].
    pub(crate) fn scale_of_errors(&self) -> f32 {
        self.error_scale.unwrap_or(0.05)
    }

    /// Whether no epoch looks at search values.
    #[must_use]
    pub fn is_results_alone(&self) -> bool {
        self.search_share == 0.0 && self.last_search_share() == 0.0
    }

    /// Share of the search value in the last epoch, and in validation at any time.
    pub(crate) fn last_search_share(&self) -> f32 {
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
    /// Whether each sample is seen in a random one of its symmetries each epoch.
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
            Self::Cosine => {
                final_rate + (1.0 - final_rate) * 0.5 * (1.0 + (std::f64::consts::PI * done).cos())
            }
            Self::Step if done < 0.6 => 1.0,
            Self::Step if done < 0.85 => final_rate.sqrt(),
            Self::Step => final_rate,
            Self::Constant => 1.0,
        }
    }
}

/// The network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkConfig {
    /// Widths of the hidden layers, one to three.
    pub hidden: Vec<usize>,
    /// Groups of inputs beside those that there always are; the game's usual ones unless told.
    pub inputs: Option<Vec<String>>,
    /// Most that remains in each bucket but the last, in whatever the game counts; every bucket has
    /// its own layers after the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub buckets: Vec<u8>,
    /// Samples a step.
    pub batch: usize,
    /// Adam's learning rate at the start.
    pub learning_rate: f64,
    /// The gradient of each tensor is shortened to this Euclidean norm.
    pub gradient_norm: f32,
}

impl Default for NetworkConfig {
    fn default() -> Self {
        Self {
            hidden: vec![64, 32],
            inputs: None,
            buckets: Vec::new(),
            batch: 4096,
            learning_rate: 4e-3,
            gradient_norm: 1.0,
        }
    }
}

impl NetworkConfig {
    /// The groups of inputs.
    ///
    /// # Errors
    /// If there is no such group; the error names the key.
    pub fn groups<G: Learnable>(&self) -> Result<NameSet<G::Group>, Error> {
        match &self.inputs {
            Some(names) => NameSet::from_list(names).map_err(Error::with_prefix("network.inputs")),
            None => Ok(G::DEFAULT_FEATURES.iter().copied().collect()),
        }
    }
}

/// The n-tuple network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NTupleConfig {
    /// Name of the set of tuples; the game's usual one if empty.
    pub set: String,
    /// The tuples themselves, the cells of each divided by blanks; unless empty they take the place
    /// of the named set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tuples: Vec<String>,
    /// Most that remains in each phase but the last, in whatever the game counts; every phase has
    /// tables of its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<u8>,
    /// How a weight follows its gradient.
    pub rule: Rule,
    /// The rule's learning rate at the start.
    pub learning_rate: f64,
}

impl Default for NTupleConfig {
    fn default() -> Self {
        Self {
            set: String::new(),
            tuples: Vec::new(),
            phases: Vec::new(),
            rule: Rule::Adagrad,
            learning_rate: 1.0,
        }
    }
}

impl NTupleConfig {
    /// The tuples, listed or named, in their phases.
    ///
    /// # Errors
    /// If there is no such set; the error names the key.
    pub fn tuple_set<G: Learnable>(&self, game: &G) -> Result<TupleSet<G>, Error> {
        let name = match self.set.as_str() {
            "" => game.tuple_sets()[0].name,
            name => name,
        };
        let (key, set) = if self.tuples.is_empty() {
            ("ntuple.set", TupleSet::from_name(game, name))
        } else {
            ("ntuple.tuples", TupleSet::custom(game, &self.tuples))
        };
        set.map_err(Error::with_prefix(key))?
            .with_phases(&self.phases)
            .map_err(Error::with_prefix("ntuple.phases"))
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

impl Default for OnlineConfig {
    fn default() -> Self {
        Self {
            games: 200_000,
            learning_rate: 3.0,
            trace: 0.5,
            exploration: 0.1,
            final_exploration: 0.0,
            report_every: 10_000,
        }
    }
}

/// How a weight of the n-tuple network follows its gradient, sample by sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// By the learning rate, divided by the number of tuples.
    Sgd,
    /// By the learning rate, divided by the number of tuples, over the root of the sum of the
    /// weight's squared gradients (Duchi et al. 2011).
    Adagrad,
    /// By the learning rate, divided by the number of tuples, times |Σ gradient| / Σ |gradient| of
    /// the weight: weights whose gradients agree keep learning (temporal coherence: Beal and Smith
    /// 1999; in 2048: Jaśkowski 2016).
    TemporalCoherence,
}
