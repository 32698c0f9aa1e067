//! Sections of the training configuration. Every key has a default; unknown keys are errors.

use crate::Error;
use alea_learned::{inputs::Learnable, named_set::NamedSet, tuples::TupleSet};
use serde::{Deserialize, Serialize};

/// How the target of a sample is computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TargetConfig {
    /// Weight of the search value against the game result in the first epoch, in `[0, 1]`.
    #[serde(rename = "search_share")]
    pub lambda: f32,
    /// Weight of the search value in the last epoch, with linear interpolation; `None`: constant
    /// `lambda`.
    #[serde(rename = "final_search_share")]
    pub final_lambda: Option<f32>,
    /// Name of the label that replaces the search value where a position has it; empty: no label.
    pub label: String,
    /// Whether exact labels (from tablebases) replace search value and result.
    pub exact: bool,
    /// Standard error of a label at which its sample has weight ½, see [`crate::sample::weight`];
    /// 0: all weights are 1. Default: 0.05.
    pub error_scale: Option<f32>,
}

impl Default for TargetConfig {
    fn default() -> Self {
        Self {
            lambda: 0.7,
            final_lambda: None,
            label: String::new(),
            exact: true,
            error_scale: None,
        }
    }
}

impl TargetConfig {
    /// Weight of the search value in epoch `epoch` (from 1) of `epochs`.
    pub fn lambda_in_epoch(&self, epoch: usize, epochs: usize) -> f32 {
        let last = self.last_lambda();
        // A single epoch uses the final weight, like validation.
        let left = if epochs > 1 {
            epochs.saturating_sub(epoch) as f64 / (epochs - 1) as f64
        } else {
            0.0
        };
        (f64::from(last) + (f64::from(self.lambda) - f64::from(last)) * left) as f32
    }

    /// `error_scale` or its default.
    pub(crate) fn resolved_error_scale(&self) -> f32 {
        self.error_scale.unwrap_or(0.05)
    }

    /// Whether all epochs ignore search values.
    #[must_use]
    pub fn uses_results_only(&self) -> bool {
        self.lambda == 0.0 && self.last_lambda() == 0.0
    }

    /// Weight of the search value in the last epoch and in validation.
    pub(crate) fn last_lambda(&self) -> f32 {
        self.final_lambda.unwrap_or(self.lambda)
    }
}

/// Settings that apply to neural and n-tuple networks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainingConfig {
    /// Name of burn's backend: flex, wgpu or cuda.
    pub backend: String,
    /// Maximum number of epochs.
    pub epochs: usize,
    /// Number of epochs without a lower validation loss after which training stops; 0: never.
    pub patience: usize,
    /// Whether a random symmetry of the board is applied to each training sample.
    pub symmetries: bool,
    /// Capacity of the shuffle buffer, in samples.
    pub window: usize,
    /// Minutes between checkpoints within an epoch; 0: only after each epoch.
    pub checkpoint_minutes: f64,
    /// Schedule of the learning rate.
    pub schedule: Schedule,
    /// Final learning rate as a fraction of the initial one, in `(0, 1]`.
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

/// How the learning rate decreases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// Half a cosine wave, from the initial to the final rate.
    Cosine,
    /// Two drops by equal ratios, after 60 % and 85 % of the steps.
    Step,
    /// Constant rate.
    Constant,
}

impl Schedule {
    /// Factor of the initial learning rate after the fraction `done` of all steps.
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

/// Settings of the neural network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkConfig {
    /// Widths of the hidden layers, one to three.
    pub hidden: Vec<usize>,
    /// Names of the optional input groups; `None`: the game's default groups.
    pub inputs: Option<Vec<String>>,
    /// Largest amount of the game remaining (in its own unit) for each output bucket but the last.
    /// Each bucket has its own layers after the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub buckets: Vec<u8>,
    /// Samples per optimizer step.
    pub batch: usize,
    /// Initial learning rate of Adam.
    pub learning_rate: f64,
    /// Maximum Euclidean norm of the gradient of each tensor.
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
    /// The optional input groups.
    pub fn groups<G: Learnable>(&self) -> Result<NamedSet<G::Group>, Error> {
        match &self.inputs {
            Some(names) => NamedSet::from_list(names).map_err(Error::with_prefix("network.inputs")),
            None => Ok(G::DEFAULT_FEATURES.iter().copied().collect()),
        }
    }
}

/// Settings of the n-tuple network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NTupleConfig {
    /// Name of a predefined tuple set; empty: the game's default.
    pub set: String,
    /// Custom tuples, each a list of cells separated by blanks; replaces the named set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tuples: Vec<String>,
    /// Largest amount of the game remaining (in its own unit) for each phase but the last. Each
    /// phase has its own tables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<u8>,
    /// Optimizer of the weights.
    pub rule: UpdateRule,
    /// Initial learning rate.
    pub learning_rate: f64,
}

impl Default for NTupleConfig {
    fn default() -> Self {
        Self {
            set: String::new(),
            tuples: Vec::new(),
            phases: Vec::new(),
            rule: UpdateRule::Adagrad,
            learning_rate: 1.0,
        }
    }
}

impl NTupleConfig {
    /// The custom tuples, or else the named set, with the configured phases.
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

/// Settings of temporal-difference learning of the n-tuple network from self-play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TdConfig {
    /// Number of self-play games.
    pub games: u64,
    /// Initial learning rate; replaces [`NTupleConfig::learning_rate`].
    pub learning_rate: f64,
    /// λ of TD(λ), in `[0, 1]`.
    pub trace: f64,
    /// Probability of a random move in the first game.
    pub exploration: f64,
    /// Probability of a random move in the last game, interpolated linearly from `exploration`.
    pub final_exploration: f64,
    /// Number of games between two points of the training curve, each with a checkpoint.
    pub report_every: u64,
}

impl Default for TdConfig {
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

/// How a weight is updated after each sample. All rules divide the learning rate by the number of
/// tuples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpdateRule {
    /// Stochastic gradient descent.
    Sgd,
    /// Gradient steps divided by the root of the weight's sum of squared gradients (Duchi et al.
    /// 2011).
    Adagrad,
    /// Temporal coherence: gradient steps times |Σ gradient| / Σ |gradient| of the weight (Beal and
    /// Smith 1999; in 2048: Jaśkowski 2016).
    TemporalCoherence,
}
