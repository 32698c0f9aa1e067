//! Round trips, every error, and files damaged at random.

use super::*;
use crate::core::{evaluator::Evaluator, files::FileError, game::Game};
use crate::games::einstein::{
    MoveList, Standard,
    dice::RandomStream,
    inputs::{FeatureGroup, FeatureGroups, SPARSE_ROWS},
    learned::{
        Network,
        integer_network::{IntegerNetwork, inputs::SideGroups, tests::random_weights},
        ntuple::{NTuple, TupleSet},
    },
};
use crate::learned::{
    container::{Container, Tensor},
    files::metadata,
    inputs::{hash, network_layout},
    integer::IntegerModel,
    network::{Head, HeadWeights, Heads, Layer, NetworkWeights},
};
use proptest::prelude::*;

fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut random = RandomStream::new(seed);
    (0..count).map(|_| random.unit() as f32 - 0.5).collect()
}

fn network(groups: FeatureGroups, widths: &[usize]) -> ModelFile {
    let first = widths[0];
    let weights = NetworkWeights {
        sparse: numbers(SPARSE_ROWS * first, 1),
        dense: numbers(groups.inputs() * first, 2),
        bias: numbers(first, 3),
        hidden: widths
            .windows(2)
            .map(|pair| Layer {
                weights: numbers(pair[0] * pair[1], 4),
                bias: numbers(pair[1], 5),
            })
            .collect(),
        output: numbers(widths[widths.len() - 1], 6),
        output_bias: -0.75,
        heads: HeadWeights::default(),
    };
    ModelFile {
        provenance: "{\"note\": \"a \\\"quoted\\\" line\\n, ü\", \"tab\": \"\t\"}".into(),
        model: Model::Network(Network::new(&Standard::default(), groups, weights).unwrap()),
    }
}

fn with_heads(file: ModelFile, heads: Heads) -> ModelFile {
    let Model::Network(network) = file.model else {
        panic!("only networks have heads")
    };
    let last = network.weights().output.len();
    let mut weights = network.weights().clone();
    for head in heads.iter() {
        let layer = Layer {
            weights: numbers(last * head.outputs(6), 8),
            bias: numbers(head.outputs(6), 9),
        };
        *weights.heads.layer_mut(head) = Some(layer);
    }
    ModelFile {
        model: Model::Network(
            Network::from_fixed_point(&Standard::default(), network.groups(), weights).unwrap(),
        ),
        ..file
    }
}

fn ntuple(name: &str) -> ModelFile {
    let set = TupleSet::named(&Standard::default(), name).unwrap();
    let weights = numbers(set.rows(), 7);
    ModelFile {
        provenance: String::new(),
        model: Model::NTuple(NTuple::new(set, weights, 0.5).unwrap()),
    }
}

fn integer(groups: SideGroups, shape: [usize; 2]) -> ModelFile {
    let weights = random_weights(groups, shape, 11);
    ModelFile {
        provenance: "{}".into(),
        model: Model::Integer(IntegerNetwork::new(weights).unwrap()),
    }
}

/// A network of tuples that no name stands for.
fn custom(phases: &[u8]) -> ModelFile {
    let set = TupleSet::custom(&Standard::default(), &["b0 b1 o24", "m3 s0", "a1 d7"])
        .unwrap()
        .with_phases(phases)
        .unwrap();
    let weights = numbers(set.rows(), 8);
    ModelFile {
        provenance: String::new(),
        model: Model::NTuple(NTuple::new(set, weights, 0.5).unwrap()),
    }
}

fn small() -> [ModelFile; 2] {
    [
        network(FeatureGroups::NONE.with(FeatureGroup::Material), &[16, 16]),
        ntuple("stones"),
    ]
}

fn all() -> Vec<ModelFile> {
    let mut models = small().to_vec();
    models.extend([
        network(FeatureGroups::ALL, &[64, 32]),
        network(FeatureGroups::NONE, &[32]),
        network(FeatureGroups::ALL, &[16, 32, 48]),
    ]);
    models.push(with_heads(
        network(FeatureGroups::ALL, &[16, 32]),
        Heads::ALL,
    ));
    models.push(with_heads(
        network(FeatureGroups::NONE, &[32]),
        Heads::NONE.with(Head::MovesToGo),
    ));
    models.extend([
        ntuple("stone-pairs"),
        ntuple("race"),
        custom(&[]),
        custom(&[5, 8]),
    ]);
    models.extend([
        integer(SideGroups::ALL, [64, 32]),
        integer(SideGroups::NONE, [64, 16]),
    ]);
    models
}

/// The values of some positions, to the last bit.
fn values(file: &ModelFile) -> Vec<u32> {
    let game = Standard::default();
    let mut random = RandomStream::new(9);
    let mut position = game.random_start(&mut random, 0);
    let mut values = Vec::new();
    while game.winner(&position).is_none() {
        let mut value = [0.0];
        match &file.model {
            Model::NTuple(model) => model.values(&game, &[position], &mut value),
            Model::Network(model) => model.values(&game, &[position], &mut value),
            Model::Integer(model) => model.values(&game, &[position], &mut value),
        }
        values.push(value[0].to_bits());
        let mut moves = MoveList::default();
        game.moves(&position, &mut moves);
        position = game.play(&position, moves[random.below(moves.len())]);
    }
    values
}

#[test]
fn what_is_saved_is_loaded() {
    let directory = tempfile::tempdir().unwrap();
    for file in all() {
        let path = directory.path().join("model.safetensors");
        file.save(&path).unwrap();
        let loaded = ModelFile::load(&Standard::default(), &path).unwrap();
        assert_eq!(loaded, file);
        assert_eq!(values(&loaded), values(&file));
        assert_eq!(
            std::fs::read(&path).unwrap(),
            loaded.to_bytes(),
            "equal models are equal files"
        );
    }
}

#[test]
fn the_library_reads_what_is_written() {
    let file = network(FeatureGroups::ALL, &[64, 32]);
    let bytes = file.to_bytes();
    let (header, metadata) = safetensors::SafeTensors::read_metadata(&bytes).unwrap();
    assert_eq!((header + 8) % 8, 0);
    let metadata = metadata.metadata().clone().unwrap();
    for (key, value) in [
        ("schema", "1"),
        ("kind", "network"),
        ("game", "einstein-5x5"),
        ("shape", "64,32"),
        ("scales", "{\"sparse\":1048576}"),
    ] {
        assert_eq!(metadata[key], value);
    }
    assert_eq!(metadata["provenance"], file.provenance);
    assert_eq!(
        metadata["features"],
        network_layout(&Standard::default(), FeatureGroups::ALL)
    );
    assert_eq!(
        metadata["checksum"],
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&bytes[8 + header..]))
    );
    let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(tensors.tensor("sparse").unwrap().shape(), [312, 64]);
    assert_eq!(tensors.tensor("dense").unwrap().shape(), [86, 64]);
    assert_eq!(tensors.tensor("hidden2.weight").unwrap().shape(), [64, 32]);
    assert_eq!(
        tensors.tensor("output.bias").unwrap().data(),
        (-0.75f32).to_le_bytes()
    );
}

/// The error of a file whose parts were changed before its checksums were made.
fn refused(file: &ModelFile, spoil: impl FnOnce(&mut Container)) -> String {
    let mut container = Container::parse(&file.to_bytes()).unwrap();
    spoil(&mut container);
    ModelFile::from_bytes(&Standard::default(), &container.to_bytes())
        .unwrap_err()
        .to_string()
}

fn set(key: &'static str, value: &'static str) -> impl FnOnce(&mut Container) {
    move |container| {
        container.metadata.insert(key.to_owned(), value.to_owned());
    }
}

#[test]
fn wrong_parts_of_integer_networks_are_named() {
    let file = integer(SideGroups::NONE, [64, 16]);
    assert!(
        refused(&file, set("inputs", "speed")).starts_with(
            "'speed' is no group of inputs of an integer network; there are mobility, "
        )
    );
    assert!(refused(&file, set("inputs", "alive")).starts_with("trained on other features "));
    assert!(
        refused(&file, set("scales", "{}"))
            .starts_with("scales '{}' are not supported; this build has '{\"rows\":2032,")
    );
    assert!(
        refused(&file, set("shape", "64"))
            .starts_with("metadata 'shape' is '64'; expected the neurons of two hidden layers")
    );
    assert_eq!(
        refused(&file, set("shape", "16,64")),
        "tensor rows is I16[312, 64], expected I16[312, 16]"
    );
    let wide = |container: &mut Container| {
        container.tensors[5] = Tensor::new("hidden2.weight", vec![64, 16], &[0i16; 1024])
    };
    assert_eq!(
        refused(&file, wide),
        "tensor hidden2.weight is I16[64, 16], expected I8[64, 16]"
    );
    let large = |container: &mut Container| {
        container.tensors[3] = Tensor::new("hidden1.bias", vec![64], &[i16::MIN; 64])
    };
    assert!(refused(&file, large).starts_with("the sum of neuron 0 of hidden layer 1 may reach "));
}

#[test]
fn every_wrong_part_is_named() {
    let [network, ntuple] = small();
    assert_eq!(
        refused(&ntuple, set("schema", "2")),
        "model schema '2' is not supported; this build reads schema '1'"
    );
    assert_eq!(
        refused(&ntuple, set("kind", "forest")),
        "model kind 'forest' is unknown; there are 'ntuple', 'network' and 'integer_network'"
    );
    assert_eq!(
        refused(&ntuple, set("game", "havannah")),
        "a model of havannah; this is einstein"
    );
    assert!(
        refused(&ntuple, set("shape", "pairs"))
            .starts_with("'pairs' is no tuple set; there are race-and-pairs, stones, ")
    );
    assert!(
        refused(&network, set("dense", "speed"))
            .starts_with("'speed' is no feature group; there are mobility, ")
    );
    assert_eq!(
        refused(&network, set("scales", "{\"sparse\":64}")),
        "scales '{\"sparse\":64}' are not supported; this build has '{\"sparse\":1048576}'"
    );
    assert!(
        refused(&network, set("shape", "16,x"))
            .starts_with("metadata 'shape' is '16,x'; expected the neurons")
    );
    assert_eq!(
        refused(&network, set("shape", "32,16")),
        "tensor sparse is I32[312, 16], expected I32[312, 32]"
    );
    assert_eq!(
        refused(&ntuple, |container| drop(
            container.metadata.remove("schema")
        )),
        "not a model file of this program: its metadata has no 'schema'"
    );
    assert_eq!(
        refused(&ntuple, |container| container.tensors.truncate(1)),
        "tensor weights is missing"
    );
    assert_eq!(
        refused(&ntuple, |container| container.tensors.push(Tensor::new(
            "more",
            vec![1],
            &[0.0]
        ))),
        "tensor more does not belong in this model"
    );
    assert_eq!(
        refused(&ntuple, |container| container.tensors[1] =
            Tensor::new("weights", vec![312], &[0i32; 312])),
        "tensor weights is I32[312], expected F32[312]"
    );
    assert_eq!(
        refused(&ntuple, |container| container.tensors[1] =
            Tensor::new("weights", vec![312], &[f32::NAN; 312])),
        "the weight of row 0 is NaN; weights must be finite"
    );
    assert_eq!(
        refused(&network, |container| {
            let bias = container
                .tensors
                .iter_mut()
                .find(|tensor| *tensor == &Tensor::new("output.bias", vec![1], &[-0.75]));
            *bias.unwrap() = Tensor::new("output.bias", vec![1], &[f32::INFINITY]);
        }),
        "tensor output.bias holds inf at 0; weights lie within ±1000000"
    );
}

#[test]
fn heads_are_tensors_of_their_own() {
    let [plain, _] = small();
    let file = with_heads(plain.clone(), Heads::ALL);
    let container = |file: &ModelFile| Container::parse(&file.to_bytes()).unwrap();
    // A model without heads says nothing of them.
    assert!(!container(&plain).metadata.contains_key("heads"));
    assert_eq!(container(&file).metadata["heads"], "rolls,moves_to_go");
    assert_eq!(
        container(&file).tensors.len(),
        container(&plain).tensors.len() + 4
    );
    assert_eq!(
        values(&file),
        values(&plain),
        "the value does not know of them"
    );
    let Model::Network(read) = ModelFile::from_bytes(&Standard::default(), &file.to_bytes())
        .unwrap()
        .model
    else {
        panic!("it is a network")
    };
    assert_eq!(read.heads(), Heads::ALL);
    assert_eq!(
        refused(&plain, set("heads", "rolls")),
        "tensor rolls.weight is missing"
    );
    assert_eq!(
        refused(&file, set("heads", "rolls")),
        "tensor moves_to_go.weight does not belong in this model"
    );
    assert_eq!(
        refused(&file, set("heads", "length")),
        "'length' is no head of a network; there are rolls, moves_to_go"
    );
    let last = |container: &mut Container| {
        container.tensors.pop();
        container
            .tensors
            .push(Tensor::new("moves_to_go.bias", vec![2], &[0.0; 2]));
    };
    assert_eq!(
        refused(&file, last),
        "tensor moves_to_go.bias is F32[2], expected F32[1]"
    );
}

#[test]
fn other_features_are_refused_with_both_sides_named() {
    let [network, _] = small();
    let old = "sparse v0: mover stones 1-6";
    let message = refused(&network, set("features", old));
    let built = network_layout(
        &Standard::default(),
        FeatureGroups::NONE.with(FeatureGroup::Material),
    );
    assert!(message.contains("from character 9 on the file has '0: mover stones 1-6', this build '1: mover stones 1-6"), "{message}");
    assert!(
        message.contains(&format!("{:016x}", hash(&built))),
        "{message}"
    );
    let message = refused(&network, set("feature_hash", "0123456789abcdef"));
    assert!(
        message.starts_with("trained on other features (hash 0123456789abcdef)"),
        "{message}"
    );
}

#[test]
fn files_that_are_none_are_refused() {
    let bytes = small()[1].to_bytes();
    let problem = |bytes: &[u8]| ModelFile::from_bytes(&Standard::default(), bytes).unwrap_err();
    let found = bytes.len() as u64 - 1;
    assert_eq!(
        problem(&bytes[..bytes.len() - 1]),
        ModelProblem::Length {
            announced: found + 1,
            found
        }
    );
    assert!(matches!(
        problem(&bytes[..40]),
        ModelProblem::Length { found: 40, .. }
    ));
    assert!(matches!(
        problem(&[bytes.clone(), vec![0]].concat()),
        ModelProblem::Length { .. }
    ));
    for foreign in [
        &b""[..],
        b"PK\x03\x04",
        b"%PDF-1.7 and so on and so forth",
        b"{\"a\": 1, \"b\": 2}",
    ] {
        assert!(
            matches!(problem(foreign), ModelProblem::Foreign(_)),
            "{foreign:?}"
        );
    }
    let mut damaged = bytes.clone();
    *damaged.last_mut().unwrap() ^= 1;
    let message = problem(&damaged).to_string();
    assert!(
        message.starts_with("damaged: the weights have checksum "),
        "{message}"
    );
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("none.safetensors");
    assert!(matches!(
        ModelFile::load(&Standard::default(), &path),
        Err(ModelError::File(FileError::NotFound { .. }))
    ));
    std::fs::write(&path, b"hello").unwrap();
    let message = ModelFile::load(&Standard::default(), &path)
        .unwrap_err()
        .to_string();
    assert!(
        message.starts_with(&format!("{}: not a model file: ", path.display()))
            && !message.contains('\n'),
        "{message}"
    );
}

#[test]
fn a_safetensors_file_of_another_program_is_refused() {
    let foreign = Container {
        metadata: metadata([("format", "pt".into())]),
        tensors: vec![Tensor::new("x", vec![1], &[1.0])],
    };
    let message = ModelFile::from_bytes(&Standard::default(), &foreign.to_bytes())
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "not a model file of this program: its metadata has no 'schema'"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_truncated_file_is_never_a_model(kind in 0..2usize, share in 0.0..1.0f64) {
        let bytes = small()[kind].to_bytes();
        let length = (bytes.len() as f64 * share) as usize;
        prop_assert!(ModelFile::from_bytes(&Standard::default(), &bytes[..length]).is_err());
    }

    #[test]
    fn a_damaged_file_is_refused_or_the_same_model(kind in 0..2usize, in_header: bool, at in 0.0..1.0f64, value: u8, second in 0.0..1.0f64) {
        let file = &small()[kind];
        let mut bytes = file.to_bytes();
        // Half of the damage goes to the header, which is small beside the data.
        let header = 8 + u64::from_le_bytes(*bytes.first_chunk::<8>().unwrap()) as usize;
        let range = if in_header { header } else { bytes.len() };
        for (share, value) in [(at, value), (second, value.rotate_left(3))] {
            bytes[(share * range as f64) as usize] = value;
        }
        if let Ok(loaded) = ModelFile::from_bytes(&Standard::default(), &bytes) {
            prop_assert_eq!(&loaded, file);
        }
    }

    #[test]
    fn noise_is_no_model(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(ModelFile::from_bytes(&Standard::default(), &bytes).is_err());
    }
}

#[test]
fn a_model_carries_its_tuples_and_its_phases() {
    let file = custom(&[5, 8]);
    let container = Container::parse(&file.to_bytes()).unwrap();
    assert_eq!(
        (container.value("shape"), container.value("phases")),
        (Ok("custom"), Ok("5,8"))
    );
    assert!(
        container
            .value("features")
            .unwrap()
            .ends_with("; set custom: m3 s0, a1 d7, b0 b1 o24")
    );
    assert_eq!(
        Container::parse(&custom(&[]).to_bytes())
            .unwrap()
            .metadata
            .get("phases"),
        None
    );
    // Another list, other phases, or a name for a list.
    let features = container.value("features").unwrap().to_owned();
    let spoilt = |from: &str, to: &str| features.replacen(from, to, 1);
    let with = |text: String| {
        move |container: &mut Container| {
            drop(container.metadata.insert("features".to_owned(), text))
        }
    };
    let error = refused(&file, with(spoilt("o24", "o25")));
    assert!(
        !error.contains('\n') && error.starts_with("'o25' is no cell; there are"),
        "{error}"
    );
    assert!(
        refused(&file, with(spoilt("m3 s0", "s0 s0")))
            .starts_with("the tuple 's0 s0' has s0 twice")
    );
    assert!(
        refused(
            &file,
            with(spoilt("(0 empty, 1-6 mover", "(0 nothing, 1-6 mover"))
        )
        .starts_with("trained on other features")
    );
    assert!(refused(&file, with("anything".to_owned())).starts_with("tuple 1 has 0 cells"));
    assert!(refused(&file, set("phases", "5")).starts_with("trained on other features"));
    assert!(
        refused(&file, set("phases", "8,5"))
            .starts_with("phases [8, 5]: numbers of stones must ascend")
    );
    assert!(
        refused(&file, set("phases", "5;8"))
            .starts_with("metadata 'phases' is '5;8'; expected the most that remains")
    );
    assert!(refused(&file, set("shape", "stones")).starts_with("trained on other features"));
}

#[test]
fn the_shipped_model_is_what_it_was() {
    let bytes = include_bytes!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../models/quick-ntuple.safetensors"
    ));
    assert_eq!(
        ModelFile::from_bytes(&Standard::default(), bytes)
            .unwrap()
            .to_bytes(),
        bytes
    );
}
