//! Sections of the training configuration.

use crate::Error;
use alea_learned::{
    game_parts::GameParts, inputs::Learnable, named_set::NamedSet, network::ResultPayoffs,
    tuples::TupleSet,
};
use serde::{Deserialize, Serialize};

/// Settings of training targets, which mix search values and game results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TargetConfig {
    /// Weight of search values in the first epoch, in `[0, 1]`; game results get the rest.
    #[serde(rename = "search_share")]
    pub lambda: f32,
    /// Weight of search values in the last epoch, reached linearly; `None`: always `lambda`.
    #[serde(rename = "final_search_share")]
    pub final_lambda: Option<f32>,
    /// Name of the label whose values replace search values; empty: none.
    pub label: String,
    /// Whether exact (tablebase) labels replace both search value and game result.
    pub exact: bool,
    /// Standard error of a label's value that halves the sample's loss weight
    /// ([`crate::sample::loss_weight`]); 0: all weights are 1; `None`: 0.05.
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
    /// Weight of search values in epoch `epoch` (from 1) of `epochs`.
    pub fn lambda_in_epoch(&self, epoch: usize, epochs: usize) -> f32 {
        let last = self.last_lambda();
        // A single epoch uses the last weight, as validation does.
        let left = if epochs > 1 {
            epochs.saturating_sub(epoch) as f64 / (epochs - 1) as f64
        } else {
            0.0
        };
        (f64::from(last) + (f64::from(self.lambda) - f64::from(last)) * left) as f32
    }

    pub(crate) fn resolved_error_scale(&self) -> f32 {
        self.error_scale.unwrap_or(0.05)
    }

    /// Whether search values have weight 0 in all epochs.
    #[must_use]
    pub fn uses_results_only(&self) -> bool {
        self.lambda == 0.0 && self.last_lambda() == 0.0
    }

    pub(crate) fn last_lambda(&self) -> f32 {
        self.final_lambda.unwrap_or(self.lambda)
    }
}

/// Training settings that neural and n-tuple networks share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainingConfig {
    /// Backend of neural networks: `cpu` or, if compiled in, `flex`, `wgpu` or `cuda` of burn.
    pub backend: String,
    /// Path or name of a model whose weights are the initial ones; empty: new weights.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub initial_model: String,
    /// Maximum number of epochs.
    pub epochs: usize,
    /// Number of epochs without a lower validation loss after which training stops; 0: never.
    pub patience: usize,
    /// Whether each training position is transformed by a random symmetry of the board.
    pub symmetries: bool,
    /// Capacity of the shuffle buffer, in samples.
    pub window: usize,
    /// Minutes between checkpoints within an epoch; 0: none.
    pub checkpoint_minutes: f64,
    /// Shape of the learning rate's decrease.
    pub schedule: Schedule,
    /// Last learning rate as a fraction of the initial one, in `(0, 1]`; unused if constant.
    pub final_rate: f64,
}

impl Default for TrainingConfig {
    fn default() -> Self {
        Self {
            backend: "cpu".to_owned(),
            initial_model: String::new(),
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

/// Shape of the learning rate's decrease over a training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// Decrease along half a cosine wave.
    Cosine,
    /// Two drops by equal factors, after 60 % and 85 % of the steps.
    Step,
    /// No decrease.
    Constant,
}

impl Schedule {
    /// Learning rate, as a fraction of the initial one, after a fraction `done` of all steps.
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

/// Settings of neural networks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkConfig {
    /// Widths of one to three hidden layers.
    pub hidden: Vec<usize>,
    /// Names of optional input groups; `None`: the game's default.
    pub inputs: Option<Vec<String>>,
    /// Parts of the game that have layers of their own after the first, called buckets.
    #[serde(skip_serializing_if = "GameParts::is_whole_game")]
    pub buckets: GameParts,
    /// What the outputs are logits of.
    #[serde(skip_serializing_if = "Outputs::is_win")]
    pub outputs: Outputs,
    /// Samples per optimizer step.
    pub batch: usize,
    /// Initial learning rate of Adam.
    pub learning_rate: f64,
    /// Maximum Euclidean norm of each tensor's gradient; larger gradients are scaled down.
    pub gradient_norm: f32,
}

impl Default for NetworkConfig {
    fn default() -> Self {
        Self {
            hidden: vec![64, 32],
            inputs: None,
            buckets: GameParts::WHOLE_GAME,
            outputs: Outputs::Win,
            batch: 4096,
            learning_rate: 4e-3,
            gradient_norm: 1.0,
        }
    }
}

impl NetworkConfig {
    /// Parses the configured input groups, or returns the game's default.
    pub fn input_groups<G: Learnable>(&self) -> Result<NamedSet<G::Group>, Error> {
        match &self.inputs {
            Some(names) => NamedSet::from_list(names).map_err(Error::with_prefix("network.inputs")),
            None => Ok(G::DEFAULT_FEATURES.iter().copied().collect()),
        }
    }

    /// Results of the game that get an output each; `None` if there is only that of a win.
    pub fn results<G: Learnable>(&self, game: &G) -> Result<Option<ResultPayoffs>, Error> {
        if self.outputs == Outputs::Win {
            return Ok(None);
        }
        match ResultPayoffs::for_game(game) {
            None => Err(Error::new(format!(
                "network.outputs = \"results\": {} has no results with names; it must be \"win\"",
                game.notation()
            ))),
            results => Ok(results),
        }
    }
}

/// What the outputs of a network are logits of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outputs {
    /// One output: a win.
    #[default]
    Win,
    /// An output for each result that the game names.
    Results,
}

impl Outputs {
    fn is_win(&self) -> bool {
        *self == Self::Win
    }
}

/// Settings of n-tuple networks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NTupleConfig {
    /// Name of a predefined tuple set; empty: the game's default.
    pub set: String,
    /// Custom tuples that replace `set`, each a list of board cells separated by blanks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tuples: Vec<String>,
    /// Whether images of `tuples` under the game's symmetries are added, which share their tables.
    #[serde(skip_serializing_if = "is_false")]
    pub symmetric: bool,
    /// Parts of the game that have tables of their own, called phases.
    #[serde(skip_serializing_if = "GameParts::is_whole_game")]
    pub phases: GameParts,
    /// Rule by which samples update the weights.
    pub rule: UpdateRule,
    /// Initial learning rate; a weight's step uses it divided by the number of tuples.
    pub learning_rate: f64,
    /// Type of the weights in model files.
    #[serde(skip_serializing_if = "WeightType::is_f32")]
    pub weights: WeightType,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Type of weights in model files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WeightType {
    /// 32-bit floating point.
    #[default]
    F32,
    /// 16-bit integers, multiples of a power of two.
    I16,
}

impl WeightType {
    fn is_f32(&self) -> bool {
        *self == Self::F32
    }
}

impl Default for NTupleConfig {
    fn default() -> Self {
        Self {
            set: String::new(),
            tuples: Vec::new(),
            symmetric: false,
            phases: GameParts::WHOLE_GAME,
            rule: UpdateRule::Adagrad,
            learning_rate: 1.0,
            weights: WeightType::F32,
        }
    }
}

impl NTupleConfig {
    /// Builds the set of custom tuples or, if there are none, the set named `set`.
    pub fn tuple_set<G: Learnable>(&self, game: &G) -> Result<TupleSet<G>, Error> {
        let name = match self.set.as_str() {
            "" => game.tuple_sets()[0].name,
            name => name,
        };
        let (key, set) = if self.tuples.is_empty() {
            ("ntuple.set", TupleSet::from_name(game, name))
        } else {
            let set = TupleSet::parse_custom(game, &self.tuples);
            let set = match self.symmetric {
                true => set.and_then(TupleSet::with_images),
                false => set,
            };
            ("ntuple.tuples", set)
        };
        set.map_err(Error::with_prefix(key))?
            .with_phases(self.phases.clone())
            .map_err(Error::with_prefix("ntuple.phases"))
    }
}

/// Settings of TD(λ) learning from self-play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TdConfig {
    /// Number of self-play games.
    pub games: u64,
    /// Number of games between updates of a neural network; n-tuple networks are updated after each
    /// game. `None`: 512.
    pub games_per_update: Option<usize>,
    /// Samples per optimizer step of a neural network, used instead of [`NetworkConfig::batch`];
    /// `None`: 1,024.
    pub batch: Option<usize>,
    /// Initial learning rate; `None`: 3 for n-tuple networks, [`NetworkConfig::learning_rate`] for
    /// neural networks.
    pub learning_rate: Option<f64>,
    /// λ of TD(λ), in `[0, 1]`.
    pub trace: f64,
    /// Probability of a random move in the first game.
    pub exploration: f64,
    /// Probability of a random move in the last game, reached linearly.
    pub final_exploration: f64,
    /// Number of games between two points of the training curve, each written with a checkpoint.
    pub report_every: u64,
}

impl Default for TdConfig {
    fn default() -> Self {
        Self {
            games: 200_000,
            games_per_update: None,
            batch: None,
            learning_rate: None,
            trace: 0.5,
            exploration: 0.1,
            final_exploration: 0.0,
            report_every: 10_000,
        }
    }
}

impl TdConfig {
    /// Copies the settings with absent ones set to the defaults of a neural network.
    pub(crate) fn for_network(&self, network: &NetworkConfig) -> Self {
        Self {
            games_per_update: self.games_per_update.or(Some(512)),
            batch: self.batch.or(Some(1024)),
            learning_rate: self.learning_rate.or(Some(network.learning_rate)),
            ..self.clone()
        }
    }
}

/// Rule by which a sample updates a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpdateRule {
    /// Stochastic gradient descent.
    Sgd,
    /// AdaGrad: gradient steps divided by √(Σ gradient²) of the weight (Duchi et al. 2011).
    Adagrad,
    /// Temporal coherence: gradient steps times |Σ gradient| / Σ |gradient| of the weight (Beal and
    /// Smith 1999; Jaśkowski 2016).
    TemporalCoherence,
}
