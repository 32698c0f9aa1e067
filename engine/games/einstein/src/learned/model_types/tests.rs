//! Round trips, every error, and randomly damaged model files.

use super::*;
use crate::{
    Standard,
    dice::RandomStream,
    learned::{
        Network,
        network::{features::FeatureGroups, tests::random_weights},
        ntuple::{NTuple, TupleSet},
    },
};
use alea_core::{evaluator::Evaluator, game::Game, search_game::Playouts, text::parse_json_rows};
use alea_learned::{
    ModelError,
    inputs::schema_hash,
    model_file::metadata,
    safetensors_container::{Container, Tensor},
};
use proptest::prelude::*;

fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut random = RandomStream::new(seed);
    (0..count)
        .map(|_| random.uniform_f64() as f32 - 0.5)
        .collect()
}

fn network(groups: FeatureGroups, widths: &[usize], bounds: &[u8]) -> ModelFile {
    let weights = random_weights(groups, widths, bounds.len() + 1, 11);
    ModelFile {
        provenance: "{\"note\": \"a \\\"quoted\\\" line\\n, ü\", \"tab\": \"\t\"}".into(),
        model: Model::Network(Network::new(&Standard::default(), groups, bounds, weights).unwrap()),
    }
}

fn network_file(groups: FeatureGroups, widths: &[usize]) -> ModelFile {
    network(groups, widths, &[])
}

fn ntuple(name: &str) -> ModelFile {
    of_tuples(TupleSet::from_name(&Standard::default(), name).unwrap())
}

fn of_tuples(set: TupleSet) -> ModelFile {
    let weights = numbers(set.row_count(), 7);
    ModelFile {
        provenance: String::new(),
        model: Model::NTuple(NTuple::new(set, weights, 0.5).unwrap()),
    }
}

fn model_with_phases(phases: &[u8]) -> ModelFile {
    let set = TupleSet::parse_custom(&Standard::default(), &["b0 b1 o24", "m3 s0", "a1 d7"])
        .unwrap()
        .with_phases(phases);
    of_tuples(set.unwrap())
}

fn small_files() -> [ModelFile; 2] {
    [
        network_file(FeatureGroups::NONE, &[16, 16]),
        ntuple("stones"),
    ]
}

fn all() -> Vec<ModelFile> {
    let (none, every) = (FeatureGroups::NONE, FeatureGroups::ALL);
    let mut models = small_files().to_vec();
    models.extend([
        network_file(every, &[64, 32]),
        network_file(none, &[32]),
        network(every, &[16, 32, 48], &[5, 8]),
        network(none, &[32], &[4]),
        network(none, &[64, 16], &[4, 6, 9]),
        ntuple("stone-pairs"),
        ntuple("race"),
        model_with_phases(&[]),
        model_with_phases(&[5, 8]),
    ]);
    models
}

fn read(bytes: &[u8]) -> Result<ModelFile, ModelError> {
    ModelFile::from_bytes(&Standard::default(), bytes)
}

fn container(file: &ModelFile) -> Container {
    Container::parse(&file.to_bytes()).unwrap()
}

fn values(file: &ModelFile) -> Vec<u32> {
    let game = Standard::default();
    let mut random = RandomStream::new(9);
    let mut position = game.random_start(&mut random, 0);
    let mut values = Vec::new();
    while game.winner(&position).is_none() {
        let value = match &file.model {
            Model::NTuple(model) => model.value_of(&game, &position),
            Model::Network(model) => model.value_of(&game, &position),
        };
        values.push(value.to_bits());
        position = game.play(&position, game.sample_move(&position, random.next_u64()));
    }
    values
}

#[test]
fn saved_models_load() {
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
    let file = network(FeatureGroups::NONE, &[64, 32, 16], &[5, 8]);
    let bytes = file.to_bytes();
    let (header, metadata) = safetensors::SafeTensors::read_metadata(&bytes).unwrap();
    assert_eq!((header + 8) % 8, 0);
    let metadata = metadata.metadata().clone().unwrap();
    for (key, value) in [
        ("schema", "1"),
        ("kind", "integer_network"),
        ("game", "einstein-5x5"),
        ("inputs", ""),
        ("shape", "64,32,16"),
        ("buckets", "5,8"),
        (
            "scales",
            "{\"rows\":2032,\"hidden1.bias\":2032,\"hidden2.weight\":64,\"hidden2.bias\":8128,\
             \"hidden3.weight\":64,\"hidden3.bias\":8128,\"output.weight\":1024,\"output.bias\":8323072}",
        ),
    ] {
        assert_eq!(metadata[key], value);
    }
    assert_eq!(metadata["provenance"], file.provenance);
    let features = &metadata["features"];
    assert!(
        features.ends_with(", 25 gone; buckets by living stones up to 5 8"),
        "{features}"
    );
    assert_eq!(
        metadata["checksum"],
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&bytes[8 + header..]))
    );
    let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    for (name, shape) in [
        ("rows", &[312, 64][..]),
        ("hidden1.bias", &[64]),
        ("hidden2.weight", &[3, 64, 32]),
        ("hidden3.bias", &[3, 16]),
        ("output.weight", &[3, 16]),
        ("output.bias", &[3]),
    ] {
        assert_eq!(tensors.tensor(name).unwrap().shape(), shape, "{name}");
    }
}

fn load_error(file: &ModelFile, spoil: impl FnOnce(&mut Container)) -> String {
    let mut container = container(file);
    spoil(&mut container);
    read(&container.to_bytes()).unwrap_err().to_string()
}

fn matches_expected(message: &str, expected: &str) -> bool {
    match expected.strip_suffix('.') {
        Some(complete) => message == complete,
        None => message.starts_with(expected),
    }
}

#[test]
fn every_wrong_entry_of_the_metadata_is_named() {
    let [plain, stones] = small_files();
    let custom = model_with_phases(&[5, 8]);
    for [model, key, value, expected] in
        parse_json_rows::<[String; 4]>(include_str!("refused.jsonl"))
    {
        let file = match &model[..] {
            "plain" => &plain,
            "stones" => &stones,
            _ => &custom,
        };
        // In long texts ` -> ` separates a part and its replacement.
        let value = match value.split_once(" -> ") {
            Some((from, to)) => file.model.feature_schema().replacen(from, to, 1),
            None => value,
        };
        let message = load_error(file, |container| {
            drop(container.metadata.insert(key, value))
        });
        assert!(
            matches_expected(&message, &expected) && !message.contains('\n'),
            "{model}: {message}"
        );
    }
}

#[test]
fn every_wrong_part_is_named() {
    let [network, ntuple] = small_files();
    type Spoil = fn(&mut Container);
    let spoilt: [(Spoil, &str); 4] = [
        (
            |container| container.tensors.truncate(1),
            "tensor weights is missing",
        ),
        (
            |container| container.tensors.push(Tensor::new("more", vec![1], &[0.0])),
            "tensor more does not belong in this model",
        ),
        (
            |container| container.tensors[1] = Tensor::new("weights", vec![312], &[0i32; 312]),
            "tensor weights is I32[312], expected F32[312]",
        ),
        (
            |container| container.tensors[1] = Tensor::new("weights", vec![312], &[f32::NAN; 312]),
            "the weight of row 0 is NaN; weights must be finite",
        ),
    ];
    for (spoil, expected) in spoilt {
        assert_eq!(load_error(&ntuple, spoil), expected);
    }
    let replaced = |index: usize, tensor: Tensor| {
        load_error(&network, |container| container.tensors[index] = tensor)
    };
    assert_eq!(
        replaced(5, Tensor::new("hidden2.weight", vec![16, 16], &[0i16; 256])),
        "tensor hidden2.weight is I16[16, 16], expected I8[16, 16]"
    );
    let large = Tensor::new("output.bias", vec![1], &[i32::MIN]);
    assert!(replaced(1, large).starts_with("the logit may reach "));
}

#[test]
fn other_features_are_refused_with_both_sides_named() {
    let [network, _] = small_files();
    let old = "sides v0: all inputs";
    let message = load_error(&network, |container| {
        container.metadata.insert("features".into(), old.into());
    });
    let built = network.model.feature_schema();
    assert!(
        message.contains(
            "from character 8 on the file has '0: all inputs', this build '1: all inputs"
        ),
        "{message}"
    );
    assert!(
        message.contains(&format!("{:016x}", schema_hash(&built))),
        "{message}"
    );
}

#[test]
fn foreign_files_are_refused() {
    let bytes = small_files()[1].to_bytes();
    let length = bytes.len();
    let mut damaged = bytes.clone();
    *damaged.last_mut().unwrap() ^= 1;
    let announced = |found| {
        format!("truncated or overlong: the header announces {length} bytes, the file has {found}")
    };
    let mut cases = vec![
        (bytes[..length - 1].to_vec(), announced(length - 1)),
        ([bytes.clone(), vec![0]].concat(), announced(length + 1)),
        (bytes[..40].to_vec(), "truncated or overlong: ".to_owned()),
        (damaged, "damaged: the weights have checksum ".to_owned()),
    ];
    for unrelated in [
        &b""[..],
        b"PK\x03\x04",
        b"%PDF-1.7 and so on and so forth",
        b"{\"a\": 1, \"b\": 2}",
    ] {
        cases.push((unrelated.to_vec(), "not a model file: ".to_owned()));
    }
    for (bytes, expected) in cases {
        let message = read(&bytes).unwrap_err().to_string();
        assert!(message.starts_with(&expected), "{message}");
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("none.safetensors");
    let load = || ModelFile::load(&Standard::default(), &path);
    let message = load().unwrap_err().to_string();
    assert!(message.ends_with("no such file or directory"), "{message}");
    std::fs::write(&path, b"hello").unwrap();
    let message = load().unwrap_err().to_string();
    assert!(
        message.starts_with(&format!("{}: not a model file: ", path.display()))
            && !message.contains('\n'),
        "{message}"
    );
}

#[test]
fn a_safetensors_file_of_another_program_is_refused() {
    let unrelated = Container {
        metadata: metadata([("format", "pt".into())]),
        tensors: vec![Tensor::new("x", vec![1], &[1.0])],
    };
    assert_eq!(
        read(&unrelated.to_bytes()).unwrap_err().to_string(),
        "not a model file of this program: its metadata has no 'schema'"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_truncated_file_is_never_a_model(kind in 0..2usize, fraction in 0.0..1.0f64) {
        let bytes = small_files()[kind].to_bytes();
        let length = (bytes.len() as f64 * fraction) as usize;
        prop_assert!(read(&bytes[..length]).is_err());
    }

    #[test]
    fn a_damaged_file_is_refused_or_the_same_model(kind in 0..2usize, in_header: bool, at in 0.0..1.0f64, value: u8, second in 0.0..1.0f64) {
        let file = &small_files()[kind];
        let mut bytes = file.to_bytes();
        let header = 8 + u64::from_le_bytes(*bytes.first_chunk::<8>().unwrap()) as usize;
        let range = if in_header { header } else { bytes.len() };
        for (fraction, value) in [(at, value), (second, value.rotate_left(3))] {
            bytes[(fraction * range as f64) as usize] = value;
        }
        if let Ok(loaded) = read(&bytes) {
            prop_assert_eq!(&loaded, file);
        }
    }

    #[test]
    fn noise_is_no_model(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(read(&bytes).is_err());
    }
}

#[test]
fn a_model_carries_its_tuples_and_its_phases() {
    let file = model_with_phases(&[5, 8]);
    let metadata = container(&file).metadata;
    assert_eq!(
        (&*metadata["shape"], &*metadata["phases"]),
        ("custom", "5,8")
    );
    let features = &metadata["features"];
    assert!(features.ends_with("; set custom: m3 s0, a1 d7, b0 b1 o24"));
    assert!(
        !container(&model_with_phases(&[]))
            .metadata
            .contains_key("phases")
    );
}

#[test]
fn shipped_models_round_trip() {
    for model in [&alea_models::QUICK_NTUPLE, &alea_models::INTEGER_1] {
        let bytes = model.content();
        assert_eq!(read(bytes).unwrap().to_bytes(), bytes);
    }
}
