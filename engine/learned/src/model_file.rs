//! Learned evaluators as safetensors (`docs/reference/formats.md`, section "Model files"); equal
//! models give equal bytes.

use super::{
    ModelError,
    game_parts::GameParts,
    inputs::{Learnable, schema_hash},
    named_set::NamedSet,
    network::{
        ACTIVATION_MAX, HIDDEN_SCALE, LOGIT_SCALE, Layer, MAX_HIDDEN, Network, NetworkWeights,
        OUTPUT_SCALE, ROW_SCALE, ResultPayoffs, input_schema,
    },
    safetensors_container::{Container, Tensor},
    tuples::{CUSTOM_NAME, MAX_FILE_BITS, TupleNetwork, TupleSet},
};
use alea_core::{
    files::{self, FileError, FileKind},
    probcut::ProbcutErrors,
    text::joined,
};
use alea_play::registry::AnyEvaluator;
use std::{collections::BTreeMap, path::Path, sync::Arc};

/// Format version of model files.
pub const FORMAT_VERSION: &str = "1";

/// A learned evaluator.
#[derive(Clone, Debug)]
pub enum Model<G: Learnable> {
    /// An n-tuple network.
    NTuple(TupleNetwork<G>),
    /// A neural network.
    Network(Network<G>),
}

/// A learned evaluator with its provenance.
#[derive(Clone, Debug)]
pub struct ModelFile<G: Learnable> {
    /// Training data, settings, seed and results, by convention JSON.
    pub provenance: String,
    /// The learned evaluator.
    pub model: Model<G>,
}

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
    /// Writes the model file atomically.
    pub fn save(&self, path: &Path) -> Result<(), ModelError> {
        let bytes = self.to_bytes();
        files::write_atomically(path, |file| file.write_all(&bytes)).map_err(from_file_error)
    }

    /// Loads and validates a file for `game`.
    pub fn load(game: &G, path: &Path) -> Result<Self, ModelError> {
        let bytes = files::read(path, FileKind::Data).map_err(from_file_error)?;
        Self::from_bytes(game, &bytes).map_err(|problem| prefix_path(path, problem))
    }

    /// Checksum in the metadata of the file: xxh3 of its tensors, 16 hexadecimal digits.
    pub fn checksum(&self) -> String {
        self.model.container().data_checksum()
    }

    /// Bytes of the model file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut container = self.model.container();
        let hash = container
            .metadata
            .get("features")
            .map_or(0, |features| schema_hash(features));
        for (key, value) in [
            ("schema", FORMAT_VERSION.to_owned()),
            ("game", self.model.game_name()),
            ("feature_hash", format!("{hash:016x}")),
            ("provenance", self.provenance.clone()),
        ] {
            container.metadata.insert(key.to_owned(), value);
        }
        if let Some(errors) = self.model.probcut_errors()
            && let Ok(text) = serde_json::to_string(errors)
        {
            container.metadata.insert(PROBCUT_KEY.to_owned(), text);
        }
        container.to_bytes()
    }

    /// Parses and validates a model file for `game`.
    pub fn from_bytes(game: &G, bytes: &[u8]) -> Result<Self, ModelError> {
        let container = Container::parse(bytes)?;
        let schema = container.metadata_value("schema")?;
        if schema != FORMAT_VERSION {
            return Err(ModelError(format!(
                "model schema '{schema}' is not supported; this build reads schema '{FORMAT_VERSION}'"
            )));
        }
        let requested_rules = game;
        let game = &game.training_rules();
        let found = container.metadata_value("game")?;
        if found != game.model_game_name() {
            let expected = requested_rules.notation();
            return Err(ModelError(format!(
                "a model of {found}; this is {expected}"
            )));
        }
        let mut model = match container.metadata_value("kind")? {
            "ntuple" => Model::NTuple(read_ntuple(game, container.clone())?),
            NETWORK_KIND => Model::Network(read_network(game, container.clone())?),
            "network" => {
                return Err(ModelError(
                    "a network in floating point, as versions before this one made them: train it \
                     again (alea train --family network)"
                        .to_owned(),
                ));
            }
            kind => {
                return Err(ModelError(format!(
                    "model kind '{kind}' is unknown; there are 'ntuple' and '{NETWORK_KIND}'"
                )));
            }
        };
        if let Ok(text) = container.metadata_value(PROBCUT_KEY) {
            let errors = serde_json::from_str(text).map_err(|_| {
                wrong_value(PROBCUT_KEY, text, "what alea calibrate --probcut writes")
            });
            model.set_probcut_errors(Some(errors?));
        }
        Ok(Self {
            provenance: container.metadata_value("provenance")?.to_owned(),
            model,
        })
    }
}

/// Errors of shallow searches, as JSON; absent if not measured.
const PROBCUT_KEY: &str = "probcut";

/// Name of the game in a model file.
pub fn read_game_name(path: &Path) -> Result<String, ModelError> {
    let bytes = files::read(path, FileKind::Data).map_err(from_file_error)?;
    let container = Container::parse(&bytes);
    let name = container.and_then(|container| Ok(container.metadata_value("game")?.to_owned()));
    name.map_err(|problem| prefix_path(path, problem))
}

fn prefix_path(path: &Path, problem: ModelError) -> ModelError {
    ModelError(format!("{}: {problem}", path.display()))
}

fn from_file_error(error: FileError) -> ModelError {
    ModelError(error.to_string())
}

/// Constructs the evaluator from a model file's bytes.
pub fn evaluator_from_bytes<G: Learnable>(
    game: &G,
    content: &[u8],
) -> Result<Arc<dyn AnyEvaluator<G>>, String> {
    let file = ModelFile::from_bytes(game, content).map_err(|error| error.to_string())?;
    Ok(match file.model {
        Model::NTuple(model) => Arc::new(model),
        Model::Network(model) => Arc::new(model),
    })
}

/// Reads an n-tuple network from a model file's bytes.
pub fn tuple_network_from_bytes<G: Learnable>(
    game: &G,
    content: &[u8],
) -> Result<TupleNetwork<G>, ModelError> {
    match ModelFile::from_bytes(game, content)?.model {
        Model::NTuple(network) => Ok(network),
        Model::Network(_) => Err(ModelError("not an n-tuple network".to_owned())),
    }
}

impl<G: Learnable> Model<G> {
    fn container(&self) -> Container {
        match self {
            Self::NTuple(model) => ntuple_container(model),
            Self::Network(model) => network_container(model),
        }
    }

    /// Errors of shallow searches with the model; `None` if not measured.
    pub fn probcut_errors(&self) -> Option<&ProbcutErrors> {
        match self {
            Self::NTuple(model) => model.probcut_errors.as_ref(),
            Self::Network(model) => model.probcut_errors.as_ref(),
        }
    }

    /// Sets [`Self::probcut_errors`].
    pub fn set_probcut_errors(&mut self, errors: Option<ProbcutErrors>) {
        match self {
            Self::NTuple(model) => model.probcut_errors = errors,
            Self::Network(model) => model.probcut_errors = errors,
        }
    }

    /// `ntuple` or `network`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NTuple(_) => "ntuple",
            Self::Network(_) => "network",
        }
    }

    /// One line: name of the tuple set, or layers, inputs, buckets and results with outputs.
    pub fn summary(&self) -> String {
        match self {
            Self::NTuple(model) => format!("tuple set {}", model.tuple_set().name()),
            Self::Network(model) => {
                let labelled = |what: &str, list: String| match list.is_empty() {
                    true => list,
                    false => format!(", {what} {list}"),
                };
                let inputs = labelled("inputs", model.feature_groups().names());
                let buckets = labelled("buckets", model.buckets().to_string());
                let outputs = model.results().map(ResultPayoffs::name_list);
                let outputs = labelled("outputs", outputs.unwrap_or_default());
                format!(
                    "layers {:?}{inputs}{buckets}{outputs}",
                    model.weights().widths()
                )
            }
        }
    }

    /// Name of the game in model files.
    pub fn game_name(&self) -> String {
        match self {
            Self::NTuple(model) => model.tuple_set().game().model_game_name(),
            Self::Network(model) => model.game_name().to_owned(),
        }
    }

    /// Schema text of the model's inputs.
    pub fn feature_schema(&self) -> String {
        match self {
            Self::NTuple(model) => model.tuple_set().schema_text(),
            Self::Network(model) => model.input_schema().to_owned(),
        }
    }

    /// Number of weights, with biases.
    pub fn parameters(&self) -> usize {
        match self {
            Self::NTuple(model) => model.weights().len() + 1,
            Self::Network(model) => model.weights().parameters(),
        }
    }
}

/// Kind of a neural network in metadata; an older kind, `network`, was in floating point.
const NETWORK_KIND: &str = "integer_network";

/// Metadata from keys and values.
pub fn metadata<const N: usize>(pairs: [(&str, String); N]) -> BTreeMap<String, String> {
    pairs
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}

fn ntuple_container<G: Learnable>(model: &TupleNetwork<G>) -> Container {
    let set = model.tuple_set();
    let mut metadata = metadata([
        ("kind", "ntuple".to_owned()),
        ("features", set.schema_text()),
        ("shape", set.name().to_owned()),
        ("scales", ntuple_scales(model.file_bits())),
    ]);
    if !set.phases().is_whole_game() {
        metadata.insert("phases".to_owned(), set.phases().to_string());
    }
    Container {
        metadata,
        tensors: vec![
            Tensor::new("bias", vec![1], &[model.bias()]),
            match model.file_bits() {
                None => Tensor::new(WEIGHTS, vec![set.row_count()], model.weights()),
                Some(bits) => {
                    let scale = (1u32 << bits) as f32;
                    let weights = model.weights().iter().map(|weight| (weight * scale) as i16);
                    let weights: Vec<i16> = weights.collect();
                    Tensor::new(WEIGHTS, vec![set.row_count()], &weights)
                }
            },
        ],
    }
}

const WEIGHTS: &str = "weights";

/// Scales of 16-bit weights with this binary logarithm, or of weights in floating point.
fn ntuple_scales(bits: Option<u32>) -> String {
    match bits {
        None => "{}".to_owned(),
        Some(bits) => format!("{{\"{WEIGHTS}\":{}}}", 1u32 << bits),
    }
}

fn network_scales(layers: usize) -> String {
    let later_layers: String = (2..=layers)
        .map(|layer| {
            format!(
                "\"hidden{layer}.weight\":{HIDDEN_SCALE},\"hidden{layer}.bias\":{ACTIVATION_MAX},"
            )
        })
        .collect();
    format!(
        "{{\"rows\":{ROW_SCALE},\"hidden1.bias\":{ROW_SCALE},{later_layers}\"output.weight\":{OUTPUT_SCALE},\
         \"output.bias\":{LOGIT_SCALE}}}"
    )
}

/// `shape`, after a dimension of `count` (buckets or outputs) if that is above 1.
fn with_dimension(count: usize, shape: &[usize]) -> Vec<usize> {
    let all = (count > 1).then_some(count).into_iter();
    all.chain(shape.iter().copied()).collect()
}

fn output_shapes(buckets: usize, outputs: usize, width: usize) -> [Vec<usize>; 2] {
    let bias = match outputs {
        1 => vec![buckets],
        _ => with_dimension(buckets, &[outputs]),
    };
    let weight = with_dimension(outputs, &[width]);
    [with_dimension(buckets, &weight), bias]
}

/// Wide numbers come first, for alignment.
fn network_container<G: Learnable>(model: &Network<G>) -> Container {
    let weights = model.weights();
    let (widths, buckets) = (weights.widths(), weights.buckets());
    let (first, last) = (widths[0], widths[widths.len() - 1]);
    let bucket_shape = |shape: &[usize]| with_dimension(buckets, shape);
    let later_layers = || (2..).zip(&weights.hidden).zip(widths.windows(2));
    let mut tensors = Vec::new();
    for ((index, layer), pair) in later_layers() {
        let name = format!("hidden{index}.bias");
        tensors.push(Tensor::new(&name, bucket_shape(&pair[1..]), &layer.bias));
    }
    let [output, bias] = output_shapes(buckets, weights.outputs, last);
    tensors.push(Tensor::new("output.bias", bias, &weights.output_bias));
    let rows = vec![weights.rows.len() / first, first];
    tensors.extend([
        Tensor::new("rows", rows, &weights.rows),
        Tensor::new("hidden1.bias", vec![first], &weights.bias),
        Tensor::new("output.weight", output, &weights.output),
    ]);
    for ((index, layer), pair) in later_layers() {
        let name = format!("hidden{index}.weight");
        tensors.push(Tensor::new(&name, bucket_shape(pair), &layer.weights));
    }
    let mut metadata = metadata([
        ("kind", NETWORK_KIND.to_owned()),
        ("features", model.input_schema().to_owned()),
        ("inputs", model.feature_groups().names()),
        ("shape", joined(&widths, ",")),
        ("scales", network_scales(widths.len())),
    ]);
    if !model.buckets().is_whole_game() {
        metadata.insert(BUCKETS_KEY.to_owned(), model.buckets().to_string());
    }
    if let Some(results) = model.results() {
        metadata.insert(OUTPUTS_KEY.to_owned(), results.name_list());
    }
    Container { metadata, tensors }
}

const BUCKETS_KEY: &str = "buckets";

/// Names of the results that have an output each; absent if the only output is a win's.
const OUTPUTS_KEY: &str = "outputs";

fn read_ntuple<G: Learnable>(
    game: &G,
    mut container: Container,
) -> Result<TupleNetwork<G>, ModelError> {
    let set = match container.metadata_value("shape")? {
        CUSTOM_NAME => {
            let features = container.metadata_value("features")?;
            let list = features.rsplit_once(": ").map_or("", |(_, list)| list);
            TupleSet::parse_custom(game, &list.split(", ").collect::<Vec<_>>())
        }
        name => TupleSet::from_name(game, name),
    };
    let set = set?.with_phases(read_game_parts(&container, "phases")?)?;
    check_features(&container, &set.schema_text())?;
    let scales = container.metadata_value("scales")?;
    let bits = (0..=MAX_FILE_BITS).find(|&bits| ntuple_scales(Some(bits)) == scales);
    check_scales(&container, &ntuple_scales(bits))?;
    container.check_checksums()?;
    let bias: Vec<f32> = container.take_tensor("bias", &[1])?;
    let shape = [set.row_count()];
    match bits {
        None => {
            let weights = container.take_tensor(WEIGHTS, &shape)?;
            container.check_all_taken()?;
            TupleNetwork::new(set, weights, bias[0])
        }
        Some(bits) => {
            let weights: Vec<i16> = container.take_tensor(WEIGHTS, &shape)?;
            container.check_all_taken()?;
            TupleNetwork::from_i16(set, &weights, bias[0], bits)
        }
    }
}

fn read_game_parts(container: &Container, key: &'static str) -> Result<GameParts, ModelError> {
    let Ok(text) = container.metadata_value(key) else {
        return Ok(GameParts::WHOLE_GAME);
    };
    GameParts::parse(text).map_err(|_| {
        let expected = "the most that remains in each but the last, for example 5,8, or names";
        wrong_value(key, text, expected)
    })
}

fn wrong_value(key: &str, value: &str, expected: &str) -> ModelError {
    ModelError(format!(
        "metadata '{key}' is '{value}'; expected {expected}"
    ))
}

fn read_network<G: Learnable>(
    game: &G,
    mut container: Container,
) -> Result<Network<G>, ModelError> {
    let groups = NamedSet::from_names(container.metadata_value("inputs")?)
        .map_err(|error| ModelError(error.to_string()))?;
    let buckets = read_game_parts(&container, BUCKETS_KEY)?;
    check_features(&container, &input_schema(game, groups, &buckets))?;
    let widths = read_widths(container.metadata_value("shape")?)?;
    check_scales(&container, &network_scales(widths.len()))?;
    container.check_checksums()?;
    let (first, last) = (widths[0], widths[widths.len() - 1]);
    let bucket_shape = |shape: &[usize]| with_dimension(buckets.count(), shape);
    let slots = game.feature_slots(groups);
    let rows = slots.iter().map(|run| run.end).max().unwrap_or(0);
    let outputs = read_outputs(game, &container)?;
    let [output, output_bias] = output_shapes(buckets.count(), outputs, last);
    let mut weights = NetworkWeights {
        rows: container.take_tensor("rows", &[rows, first])?,
        bias: container.take_tensor("hidden1.bias", &[first])?,
        outputs,
        output: container.take_tensor("output.weight", &output)?,
        output_bias: container.take_tensor("output.bias", &output_bias)?,
        ..NetworkWeights::default()
    };
    for (pair, index) in widths.windows(2).zip(2..) {
        weights.hidden.push(Layer {
            weights: container
                .take_tensor(&format!("hidden{index}.weight"), &bucket_shape(pair))?,
            bias: container
                .take_tensor(&format!("hidden{index}.bias"), &bucket_shape(&pair[1..]))?,
        });
    }
    container.check_all_taken()?;
    Network::new(game, groups, buckets, weights)
}

fn read_outputs<G: Learnable>(game: &G, container: &Container) -> Result<usize, ModelError> {
    let Ok(found) = container.metadata_value(OUTPUTS_KEY) else {
        return Ok(1);
    };
    match ResultPayoffs::for_game(game) {
        Some(results) if results.name_list() == found => Ok(results.len()),
        Some(results) => Err(wrong_value(OUTPUTS_KEY, found, &results.name_list())),
        None => Err(ModelError(format!(
            "outputs for the results {found}; {} has no results with names",
            game.notation()
        ))),
    }
}

fn read_widths(shape: &str) -> Result<Vec<usize>, ModelError> {
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

fn check_features(container: &Container, built: &str) -> Result<(), ModelError> {
    let file_features = container.metadata_value("features")?;
    let (file_hash, built_hash) = (
        container.metadata_value("feature_hash")?,
        schema_hash(built),
    );
    if file_features == built && file_hash == format!("{built_hash:016x}") {
        return Ok(());
    }
    let common = file_features
        .chars()
        .zip(built.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let excerpt = |text: &str| text.chars().skip(common).take(60).collect::<String>();
    Err(ModelError(format!(
        "trained on other features (hash {file_hash}) than this build computes (hash {built_hash:016x}); \
         from character {} on the file has '{}', this build '{}'",
        common + 1,
        excerpt(file_features),
        excerpt(built)
    )))
}

fn check_scales(container: &Container, expected: &str) -> Result<(), ModelError> {
    let found = container.metadata_value("scales")?;
    if found == expected {
        Ok(())
    } else {
        Err(ModelError(format!(
            "scales '{found}' are not supported; this build has '{expected}'"
        )))
    }
}
