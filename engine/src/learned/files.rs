//! Model files: weights of learned evaluators, with all that is needed to refuse them elsewhere.
//!
//! A model file is a safetensors file with string metadata; `docs/reference/formats.md`,
//! section "Model
//! files", is its specification. Invariant: what loads is, to the last bit, what was saved: the
//! data section and the metadata each carry a checksum, and the description of the features must be
//! the one this build computes. The same model gives the same bytes.

use super::{
    container::{Container, Tensor},
    inputs::{Learnable, hash},
    names::NameSet,
    network::{
        FULL, HIDDEN_SCALE, LOGIT_SCALE, Layer, MAX_HIDDEN, Network, NetworkWeights, OUTPUT_SCALE,
        ROW_SCALE, layout,
    },
    tuples::{CUSTOM, TupleNetwork, TupleSet},
};
use crate::core::{
    files::{self, FileError, FileKind},
    text::joined,
};
use crate::play::registry::AnyEvaluator;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Version of the format that this build writes and reads.
pub const SCHEMA: &str = "1";

/// A learned evaluator of any kind.
#[derive(Clone, Debug)]
pub enum Model<G: Learnable> {
    /// An n-tuple network.
    NTuple(TupleNetwork<G>),
    /// A network.
    Network(Network<G>),
}

/// A model with the story of its making.
#[derive(Clone, Debug)]
pub struct ModelFile<G: Learnable> {
    /// Free text, JSON by custom: data, settings, seed and result of the training.
    pub provenance: String,
    /// The weights.
    pub model: Model<G>,
}

/// A model file that could not be used, as one line that names the file.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// It could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Its content is not a model for this build.
    #[error("{}: {problem}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: ModelProblem,
    },
}

/// What is wrong with the content of a model file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelProblem {
    /// Not a safetensors file.
    #[error("not a model file: {0}")]
    Foreign(String),
    /// The header announces more data than there is.
    #[error("truncated or overlong: the header announces {announced} bytes, the file has {found}")]
    Length {
        /// What the header says the whole file has.
        announced: u64,
        /// What it has.
        found: u64,
    },
    /// Anything else: it is damaged, or no model of this game for this build.
    #[error("{0}")]
    Other(String),
}

impl ModelProblem {
    /// What another part of the program says of it.
    fn of(problem: impl ToString) -> Self {
        Self::Other(problem.to_string())
    }
}

// Derived, these would ask the rules to be comparable.
impl<G: Learnable> PartialEq for Model<G> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::NTuple(a), Self::NTuple(b)) => a == b,
            (Self::Network(a), Self::Network(b)) => a == b,
            _ => false,
        }
    }
}

impl<G: Learnable> PartialEq for ModelFile<G> {
    fn eq(&self, other: &Self) -> bool {
        (&self.provenance, &self.model) == (&other.provenance, &other.model)
    }
}

impl<G: Learnable> ModelFile<G> {
    /// Writes the model; the file appears complete or not at all.
    pub fn save(&self, path: &Path) -> Result<(), ModelError> {
        let bytes = self.to_bytes();
        Ok(files::write_atomically(path, |file| {
            file.write_all(&bytes)
        })?)
    }

    /// Reads a model of a game and checks everything about it.
    ///
    /// # Errors
    /// If the file cannot be read, or is no model for this build; see [`ModelProblem`].
    pub fn load(game: &G, path: &Path) -> Result<Self, ModelError> {
        let bytes = files::read(path, FileKind::Data)?;
        Self::from_bytes(game, &bytes).map_err(|problem| content_error(path, problem))
    }

    /// The content of the model's file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut container = match &self.model {
            Model::NTuple(model) => ntuple_container(model),
            Model::Network(model) => network_container(model),
        };
        let hash = container
            .metadata
            .get("features")
            .map_or(0, |features| hash(features));
        for (key, value) in [
            ("schema", SCHEMA.to_owned()),
            ("game", self.model.game()),
            ("feature_hash", format!("{hash:016x}")),
            ("provenance", self.provenance.clone()),
        ] {
            container.metadata.insert(key.to_owned(), value);
        }
        container.to_bytes()
    }

    /// The model of a game in the content of a file.
    ///
    /// # Errors
    /// The first problem found, in the order: format, schema, game, kind, features, checksums,
    /// tensors, weights.
    pub fn from_bytes(game: &G, bytes: &[u8]) -> Result<Self, ModelProblem> {
        let container = Container::parse(bytes)?;
        let schema = container.value("schema")?;
        if schema != SCHEMA {
            return Err(ModelProblem::Other(format!(
                "model schema '{schema}' is not supported; this build reads schema '{SCHEMA}'"
            )));
        }
        let played = game;
        let game = &game.as_learned();
        let found = container.value("game")?;
        if found != game.model_game() {
            let expected = played.notation();
            return Err(ModelProblem::Other(format!(
                "a model of {found}; this is {expected}"
            )));
        }
        let model = match container.value("kind")? {
            "ntuple" => Model::NTuple(read_ntuple(game, container.clone())?),
            NETWORK => Model::Network(read_network(game, container.clone())?),
            "network" => {
                return Err(ModelProblem::Other(
                    "a network in floating point, as versions before this one made them: train it \
                     again (alea train --family network)"
                        .to_owned(),
                ));
            }
            kind => {
                return Err(ModelProblem::Other(format!(
                    "model kind '{kind}' is unknown; there are 'ntuple' and '{NETWORK}'"
                )));
            }
        };
        Ok(Self {
            provenance: container.value("provenance")?.to_owned(),
            model,
        })
    }
}

/// What a model file calls its game.
pub fn game_of(path: &Path) -> Result<String, ModelError> {
    let bytes = files::read(path, FileKind::Data)?;
    let container = Container::parse(&bytes);
    let name = container.and_then(|container| Ok(container.value("game")?.to_owned()));
    name.map_err(|problem| content_error(path, problem))
}

fn content_error(path: &Path, problem: ModelProblem) -> ModelError {
    let path = path.to_owned();
    ModelError::Content { path, problem }
}

/// A learned evaluator of a game from the content of a file.
pub fn evaluator<G: Learnable>(
    game: &G,
    content: &[u8],
) -> Result<Arc<dyn AnyEvaluator<G>>, String> {
    let file = ModelFile::from_bytes(game, content).map_err(|error| error.to_string())?;
    Ok(match file.model {
        Model::NTuple(model) => Arc::new(model),
        Model::Network(model) => Arc::new(model),
    })
}

impl<G: Learnable> Model<G> {
    /// `ntuple` or `network`, its family.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NTuple(_) => "ntuple",
            Self::Network(_) => "network",
        }
    }

    /// Layers and inputs, in a few words.
    pub fn summary(&self) -> String {
        match self {
            Self::NTuple(model) => format!("tuple set {}", model.set().name()),
            Self::Network(model) => {
                let listed = |what: &str, list: String| match list.is_empty() {
                    true => list,
                    false => format!(", {what} {list}"),
                };
                let inputs = listed("inputs", model.groups().names());
                let buckets = listed("buckets", joined(model.bounds(), ","));
                format!("layers {:?}{inputs}{buckets}", model.weights().widths())
            }
        }
    }

    /// What model files call its game.
    pub fn game(&self) -> String {
        match self {
            Self::NTuple(model) => model.set().game().model_game(),
            Self::Network(model) => model.game().to_owned(),
        }
    }

    /// The canonical description of what the model looks at.
    pub fn features(&self) -> String {
        match self {
            Self::NTuple(model) => model.set().description(),
            Self::Network(model) => model.layout().to_owned(),
        }
    }

    /// How many weights it has, biases included.
    pub fn parameters(&self) -> usize {
        match self {
            Self::NTuple(model) => model.weights().len() + 1,
            Self::Network(model) => model.weights().parameters(),
        }
    }
}

/// What files call networks: `network` were those in floating point.
const NETWORK: &str = "integer_network";

pub(crate) fn metadata<const N: usize>(pairs: [(&str, String); N]) -> BTreeMap<String, String> {
    pairs
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}

fn ntuple_container<G: Learnable>(model: &TupleNetwork<G>) -> Container {
    let set = model.set();
    let mut metadata = metadata([
        ("kind", "ntuple".to_owned()),
        ("features", set.description()),
        ("shape", set.name().to_owned()),
        ("scales", NO_SCALES.to_owned()),
    ]);
    if !set.phases().is_empty() {
        metadata.insert("phases".to_owned(), joined(set.phases(), ","));
    }
    Container {
        metadata,
        tensors: vec![
            Tensor::new("bias", vec![1], &[model.bias()]),
            Tensor::new("weights", vec![set.rows()], model.weights()),
        ],
    }
}

/// The scales of a file that holds no fixed-point tensor.
const NO_SCALES: &str = "{}";

fn network_scales(layers: usize) -> String {
    let further: String = (2..=layers)
        .map(|layer| {
            format!("\"hidden{layer}.weight\":{HIDDEN_SCALE},\"hidden{layer}.bias\":{FULL},")
        })
        .collect();
    format!(
        "{{\"rows\":{ROW_SCALE},\"hidden1.bias\":{ROW_SCALE},{further}\"output.weight\":{OUTPUT_SCALE},\
         \"output.bias\":{LOGIT_SCALE}}}"
    )
}

/// The shape of a tensor that there is once for each bucket; one bucket alone is not told.
fn bucketed(buckets: usize, shape: &[usize]) -> Vec<usize> {
    let all = (buckets > 1).then_some(buckets).into_iter();
    all.chain(shape.iter().copied()).collect()
}

/// Wide numbers come first, so that each tensor begins at a multiple of its numbers' size.
fn network_container<G: Learnable>(model: &Network<G>) -> Container {
    let weights = model.weights();
    let (widths, buckets) = (weights.widths(), weights.buckets());
    let (first, last) = (widths[0], widths[widths.len() - 1]);
    let of_bucket = |shape: &[usize]| bucketed(buckets, shape);
    let further = || (2..).zip(&weights.hidden).zip(widths.windows(2));
    let mut tensors = Vec::new();
    for ((number, layer), pair) in further() {
        let name = format!("hidden{number}.bias");
        tensors.push(Tensor::new(&name, of_bucket(&pair[1..]), &layer.bias));
    }
    let bias = vec![buckets];
    tensors.push(Tensor::new("output.bias", bias, &weights.output_bias));
    let rows = vec![weights.rows.len() / first, first];
    tensors.extend([
        Tensor::new("rows", rows, &weights.rows),
        Tensor::new("hidden1.bias", vec![first], &weights.bias),
        Tensor::new("output.weight", of_bucket(&[last]), &weights.output),
    ]);
    for ((number, layer), pair) in further() {
        let name = format!("hidden{number}.weight");
        tensors.push(Tensor::new(&name, of_bucket(pair), &layer.weights));
    }
    let mut metadata = metadata([
        ("kind", NETWORK.to_owned()),
        ("features", model.layout().to_owned()),
        ("inputs", model.groups().names()),
        ("shape", joined(&widths, ",")),
        ("scales", network_scales(widths.len())),
    ]);
    if !model.bounds().is_empty() {
        metadata.insert(BUCKETS.to_owned(), joined(model.bounds(), ","));
    }
    Container { metadata, tensors }
}

const BUCKETS: &str = "buckets";

fn read_ntuple<G: Learnable>(
    game: &G,
    mut container: Container,
) -> Result<TupleNetwork<G>, ModelProblem> {
    let set = match container.value("shape")? {
        CUSTOM => {
            let features = container.value("features")?;
            let list = features.rsplit_once(": ").map_or("", |(_, list)| list);
            TupleSet::custom(game, &list.split(", ").collect::<Vec<_>>())
        }
        name => TupleSet::named(game, name),
    };
    let set = set.map_err(ModelProblem::of)?;
    let set = set.with_phases(&read_bounds(&container, "phases")?);
    let set = set.map_err(ModelProblem::of)?;
    check_features(&container, &set.description())?;
    check_scales(&container, NO_SCALES)?;
    container.check_checksums()?;
    let bias: Vec<f32> = container.take("bias", &[1])?;
    let weights = container.take("weights", &[set.rows()])?;
    container.finish()?;
    TupleNetwork::new(set, weights, bias[0]).map_err(ModelProblem::of)
}

/// Most that remains in each phase or bucket but the last.
fn read_bounds(container: &Container, key: &'static str) -> Result<Vec<u8>, ModelProblem> {
    let Ok(text) = container.value(key) else {
        return Ok(Vec::new());
    };
    let bounds: Option<Vec<u8>> = text.split(',').map(|left| left.parse().ok()).collect();
    bounds.ok_or_else(|| {
        let expected = "the most that remains in each but the last, for example 5,8";
        wrong_value(key, text, expected)
    })
}

fn wrong_value(key: &str, value: &str, expected: &str) -> ModelProblem {
    ModelProblem::Other(format!(
        "metadata '{key}' is '{value}'; expected {expected}"
    ))
}

fn read_network<G: Learnable>(
    game: &G,
    mut container: Container,
) -> Result<Network<G>, ModelProblem> {
    let groups = NameSet::from_names(container.value("inputs")?).map_err(ModelProblem::of)?;
    let bounds = read_bounds(&container, BUCKETS)?;
    check_features(&container, &layout(game, groups, &bounds))?;
    let widths = read_widths(container.value("shape")?)?;
    check_scales(&container, &network_scales(widths.len()))?;
    container.check_checksums()?;
    let (first, last, buckets) = (widths[0], widths[widths.len() - 1], bounds.len() + 1);
    let of_bucket = |shape: &[usize]| bucketed(buckets, shape);
    let runs = game.input_runs(groups);
    let rows = runs.iter().map(|run| run.end).max().unwrap_or(0);
    let mut weights = NetworkWeights {
        rows: container.take("rows", &[rows, first])?,
        bias: container.take("hidden1.bias", &[first])?,
        output: container.take("output.weight", &of_bucket(&[last]))?,
        output_bias: container.take("output.bias", &[buckets])?,
        ..NetworkWeights::default()
    };
    for (pair, number) in widths.windows(2).zip(2..) {
        weights.hidden.push(Layer {
            weights: container.take(&format!("hidden{number}.weight"), &of_bucket(pair))?,
            bias: container.take(&format!("hidden{number}.bias"), &of_bucket(&pair[1..]))?,
        });
    }
    container.finish()?;
    Network::new(game, groups, &bounds, weights).map_err(ModelProblem::of)
}

fn read_widths(shape: &str) -> Result<Vec<usize>, ModelProblem> {
    let widths: Option<Vec<usize>> = shape
        .split(',')
        .map(|width| width.parse::<u16>().ok().map(usize::from))
        .collect();
    widths
        .filter(|widths| (1..=MAX_HIDDEN).contains(&widths.len()))
        .ok_or_else(|| {
            let expected = "the neurons of one to three hidden layers, for example 64,32";
            wrong_value("shape", shape, expected)
        })
}

/// Whether a file was trained on what this build computes.
fn check_features(container: &Container, built: &str) -> Result<(), ModelProblem> {
    let wanted = container.value("features")?;
    let (wanted_hash, built_hash) = (container.value("feature_hash")?, hash(built));
    if wanted == built && wanted_hash == format!("{built_hash:016x}") {
        return Ok(());
    }
    let same = wanted
        .chars()
        .zip(built.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let excerpt = |text: &str| text.chars().skip(same).take(60).collect::<String>();
    Err(ModelProblem::Other(format!(
        "trained on other features (hash {wanted_hash}) than this build computes (hash {built_hash:016x}); \
         from character {} on the file has '{}', this build '{}'",
        same + 1,
        excerpt(wanted),
        excerpt(built)
    )))
}

/// Whether a file is on the scales of this build.
fn check_scales(container: &Container, expected: &str) -> Result<(), ModelProblem> {
    let found = container.value("scales")?;
    if found == expected {
        Ok(())
    } else {
        Err(ModelProblem::Other(format!(
            "scales '{found}' are not supported; this build has '{expected}'"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{game::Game, random::RandomStream};
    use crate::games::{einstein::Standard, reversi::Reversi};
    use crate::learned::network::TrainedWeights;
    use crate::play::playable::Playable;

    fn numbers(count: usize) -> Vec<f32> {
        let mut random = RandomStream::new(count as u64);
        (0..count).map(|_| random.unit() as f32 - 0.5).collect()
    }

    #[test]
    fn models_are_read_back_and_those_of_other_games_refused() {
        let (game, directory) = (Reversi::FOUR, tempfile::tempdir().unwrap());
        let path = directory.path().join("model");
        let set = TupleSet::named(&game, "lines").unwrap();
        let tuples = numbers(set.rows());
        let tuples = TupleNetwork::new(set, tuples, 0.25).unwrap();
        let weights = TrainedWeights {
            rows: numbers(3 * 16 * 32),
            bias: numbers(32),
            hidden: vec![Layer {
                weights: numbers(2 * 32 * 16),
                bias: numbers(2 * 16),
            }],
            output: numbers(2 * 16),
            output_bias: numbers(2),
        };
        let network = weights
            .nearest()
            .and_then(|weights| Network::new(&game, NameSet::NONE, &[5], weights))
            .unwrap();
        for model in [Model::NTuple(tuples), Model::Network(network)] {
            let provenance = "{}".to_owned();
            let file = ModelFile { provenance, model };
            file.save(&path).unwrap();
            assert!(ModelFile::load(&game, &path).unwrap() == file);
            let name = game_of(&path).unwrap();
            assert_eq!(name, "reversi(size=4)");
            assert_eq!(Reversi::of_model(&name), Some(game));
            assert!(Standard::of_model(&name).is_none());
            let loaded = game.model(&file.to_bytes()).unwrap();
            let (mut random, mut position) = (RandomStream::new(3), game.start());
            while game.payoffs(&position).is_none() {
                let value = match &file.model {
                    Model::NTuple(model) => model.value_of(&game, &position),
                    Model::Network(model) => model.value_of(&game, &position),
                };
                assert_eq!(loaded.value_of(&game, &position), value);
                position = game.play(&position, game.random_move(&position, random.next_u64()));
            }
            let refused = [
                ModelFile::load(&Standard::default(), &path).unwrap_err(),
                ModelFile::load(&Reversi::SIX, &path).unwrap_err(),
            ];
            for (refused, other) in refused.iter().zip(["einstein", "reversi(size=6)"]) {
                let expected = "a model of reversi(size=4); this is";
                let expected = format!("{}: {expected} {other}", path.display());
                assert_eq!(refused.to_string(), expected);
            }
        }
    }
}
