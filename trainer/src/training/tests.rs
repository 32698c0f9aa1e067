//! Training of both families, resuming, and errors.

use super::*;
use crate::config::{Schedule, UpdateRule, WeightType};
use crate::sample::tests::random_samples;
use engine::games::einstein::{
    Position, Standard,
    learned::{Network, ntuple::NTuple},
};
use indicatif::ProgressBar;
use std::fs;
use tempfile::TempDir;

const FAMILIES: [Family; 2] = [Family::NTuple, Family::Network];

fn samples() -> Samples<Standard> {
    let part = |games, seed| {
        let mut samples = random_samples(games, seed);
        samples
            .iter_mut()
            .for_each(|sample| sample.result = sample.value.round());
        samples
    };
    let training = vec![part(30, 1), part(10, 3), part(40, 4)];
    Samples::in_memory(&Standard::default(), training, part(20, 2)).unwrap()
}

fn config() -> TrainConfig {
    let mut config = TrainConfig::default();
    config.training.epochs = 5;
    config.target.lambda = 1.0;
    config.network.hidden = vec![16, 16];
    config.network.batch = 128;
    config.network.learning_rate = 0.02;
    config.network.inputs = Some(vec!["alive".to_owned()]);
    config.ntuple.set = "stones".to_owned();
    config
}

fn train_on<G: Learnable>(
    samples: &Samples<G>,
    directory: impl AsRef<Path>,
    config: &TrainConfig,
    family: Family,
) -> Result<TrainingReport, Error> {
    let progress = ProgressBar::hidden();
    train(&TrainingRun {
        config,
        family,
        samples,
        initial_model: None,
        provenance: r#"{"games": 80}"#,
        directory: directory.as_ref(),
        observer: (&progress).into(),
    })
}

fn train_in(
    directory: impl AsRef<Path>,
    config: &TrainConfig,
    family: Family,
) -> Result<TrainingReport, Error> {
    train_on(&samples(), directory, config, family)
}

fn refusal(directory: impl AsRef<Path>, config: &TrainConfig, family: Family) -> String {
    train_in(directory, config, family).unwrap_err().to_string()
}

fn assert_refused(
    directory: impl AsRef<Path>,
    config: &TrainConfig,
    family: Family,
    expected: &str,
) {
    let error = refusal(directory, config, family);
    assert!(error.contains(expected), "{error}: expected {expected}");
}

fn load_model_file(model: &Path) -> (Model<Standard>, serde_json::Value) {
    let file = ModelFile::load(&Standard::default(), model).unwrap();
    (file.model, serde_json::from_str(&file.provenance).unwrap())
}

fn network(report: &TrainingReport) -> Network {
    match load_model_file(&report.model).0 {
        Model::Network(network) => network,
        _ => panic!("a network was fitted"),
    }
}

fn ntuple(report: &TrainingReport) -> NTuple {
    match load_model_file(&report.model).0 {
        Model::NTuple(network) => network,
        _ => panic!("an n-tuple network was fitted"),
    }
}

struct CutOff<L>(L, usize);

impl<L: Learner<Standard>> Learner<Standard> for CutOff<L> {
    type Batch = L::Batch;
    fn batcher(&self, lambda: f32) -> BatchFunction<Position, L::Batch> {
        self.0.batcher(lambda)
    }
    fn step_settings(&self) -> StepSettings {
        self.0.step_settings()
    }
    fn train_step(&mut self, batch: L::Batch, learning_rate: f64) -> Result<f64, Error> {
        self.1 = self
            .1
            .checked_sub(1)
            .ok_or_else(|| Error::new("power cut"))?;
        self.0.train_step(batch, learning_rate)
    }
    fn predict_logits(&self, batch: L::Batch) -> Result<Vec<f32>, Error> {
        self.0.predict_logits(batch)
    }
    fn results(&self) -> Option<ResultPayoffs> {
        self.0.results()
    }
    fn state(&self) -> Result<[Vec<u8>; 2], Error> {
        self.0.state()
    }
    fn set_initial_weights(&mut self, model: &Model<Standard>) -> Result<(), Error> {
        self.0.set_initial_weights(model)
    }
    fn restore(&mut self, model: Vec<u8>, optimizer: Option<Vec<u8>>) -> Result<(), Error> {
        self.0.restore(model, optimizer)
    }
    fn export(&self) -> Result<Model<Standard>, Error> {
        self.0.export()
    }
}

/// Compiled-in backends that need no GPU.
const BACKENDS: &[&str] = if cfg!(feature = "flex") {
    &["cpu", "flex"]
} else {
    &["cpu"]
};

fn train_until(
    samples: &Samples<Standard>,
    directory: impl AsRef<Path>,
    config: &TrainConfig,
    family: Family,
    backend: &str,
    batches: usize,
) -> Result<TrainingReport, Error> {
    let config = &config.resolve(&Standard::default())?;
    let progress = &ProgressBar::hidden();
    let run = TrainingRun {
        config,
        family,
        samples,
        initial_model: None,
        provenance: r#"{"games": 80}"#,
        directory: directory.as_ref(),
        observer: progress.into(),
    };
    match (family, Backend::from_name(backend)?) {
        (Family::NTuple, _) => {
            let learner = NTupleLearner::new(samples.game(), &config.ntuple)?;
            run_epochs(&run, CutOff(learner, batches))
        }
        (Family::Network, Backend::Cpu) => {
            let learner = NetworkLearner::new(samples.game(), config, CpuNetwork::from_weights)?;
            run_epochs(&run, CutOff(learner, batches))
        }
        #[cfg(feature = "burn")]
        (Family::Network, Backend::Burn(device)) => {
            let learner = NetworkLearner::new(samples.game(), config, |shape, weights| {
                BurnNetwork::new(shape, &weights, config.network.gradient_norm, device)
            })?;
            run_epochs(&run, CutOff(learner, batches))
        }
    }
}

/// Interrupts a training twice; the result must equal an uninterrupted one to the last bit.
fn cut_off_and_resumed(
    samples: &Samples<Standard>,
    config: &TrainConfig,
    family: Family,
    backend: &str,
) -> (TrainingReport, TempDir) {
    let (unbroken, broken) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let until = |directory: &TempDir, batches| {
        train_until(samples, directory, config, family, backend, batches)
    };
    let expected = until(&unbroken, usize::MAX).unwrap();
    let size = match family {
        Family::Network => config.network.batch,
        Family::NTuple => 2048,
    };
    let batches = samples.num_training().div_ceil(size);
    for (cut, epochs) in [(2 * batches + batches / 2, 2), (batches + batches / 3, 3)] {
        let error = until(&broken, cut).unwrap_err();
        assert_eq!(error.to_string(), "power cut");
        assert_eq!(curve_of(&broken).len(), epochs);
    }
    let progress = Checkpoint::read(broken.path())
        .unwrap()
        .unwrap()
        .header
        .epoch_progress;
    assert_eq!(
        progress.is_some_and(|progress| progress.batches > 0),
        config.training.checkpoint_minutes == 1e-9 && batches > 2
    );
    let found = until(&broken, usize::MAX).unwrap();
    let what = format!("{family:?}, {backend}, {config:?}");
    assert_eq!(curve_of(&broken), curve_of(&unbroken), "{what}");
    assert_eq!(losses(&broken), losses(&unbroken), "{what}");
    assert_eq!(
        (found.epochs, found.best_epoch, found.validation_loss),
        (5, expected.best_epoch, expected.validation_loss)
    );
    let model = |report: &TrainingReport| fs::read(&report.model).unwrap();
    assert!(model(&found) == model(&expected), "{what}");
    fs::remove_file(&found.model).unwrap();
    assert_eq!(until(&broken, 0).unwrap(), found);
    assert!(model(&found) == model(&expected), "{what}");
    (found, broken)
}

fn curve_of(directory: impl AsRef<Path>) -> Vec<CurvePoint> {
    let curve = Checkpoint::read(directory.as_ref())
        .unwrap()
        .unwrap()
        .header
        .curve;
    curve
        .into_iter()
        .map(|point| CurvePoint {
            seconds: 0.0,
            samples_per_second: 0.0,
            ..point
        })
        .collect()
}

fn losses(directory: impl AsRef<Path>) -> Vec<String> {
    let table = fs::read_to_string(directory.as_ref().join("curve.csv")).unwrap();
    table
        .lines()
        .map(|line| line.split(',').take(4).collect::<Vec<_>>().join(","))
        .collect()
}

#[test]
fn interrupted_trainings_resume_to_the_same_result() {
    let networks = BACKENDS
        .iter()
        .map(|backend| (Family::Network, UpdateRule::Sgd, *backend));
    let rules = [
        UpdateRule::Sgd,
        UpdateRule::Adagrad,
        UpdateRule::TemporalCoherence,
    ];
    let tuples = rules.map(|rule| (Family::NTuple, rule, "cpu"));
    for (family, rule, backend) in networks.chain(tuples) {
        for minutes in [0.0, 1e-9] {
            let mut config = config();
            config.training.window = 300;
            config.target.final_lambda = Some(0.4);
            config.training.checkpoint_minutes = minutes;
            config.ntuple.rule = rule;
            if rule == UpdateRule::Adagrad {
                config.ntuple.tuples = ["s0 s6", "m12 o13 o7", "d1 d7 a3"]
                    .map(str::to_owned)
                    .to_vec();
                config.ntuple.phases = vec![5, 8].into();
            }
            cut_off_and_resumed(&samples(), &config, family, backend);
        }
    }
}

#[test]
fn the_curve_is_never_behind_the_checkpoint() {
    let (unbroken, broken) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    train_in(&unbroken, &config(), Family::NTuple).unwrap();
    let in_the_way = broken.path().join("curve.csv");
    for _ in 0..=config().training.epochs {
        fs::create_dir(&in_the_way).unwrap();
        train_in(&broken, &config(), Family::NTuple).unwrap_err();
        fs::remove_dir(&in_the_way).unwrap();
    }
    train_in(&broken, &config(), Family::NTuple).unwrap();
    assert_eq!(losses(&broken), losses(&unbroken));
}

#[test]
fn a_phase_learns_from_its_own_positions_alone() {
    let directory = tempfile::tempdir().unwrap();
    let mut config = config();
    config.training.epochs = 1;
    config.ntuple.tuples = vec!["a0".to_owned()];
    config.ntuple.phases = vec![5, 8].into();
    let report = train_in(&directory, &config, Family::NTuple).unwrap();
    let network = ntuple(&report);
    assert_eq!(
        (
            network.tuple_set().name(),
            network.tuple_set().phases().limits(),
            network.weights().len()
        ),
        ("custom", &[5, 8][..], 6)
    );
    let samples = samples();
    let many = |samples: &[Sample<Position>]| -> Vec<Sample<Position>> {
        samples
            .iter()
            .filter(|sample| sample.position.num_stones() > 8)
            .copied()
            .collect()
    };
    let training = (0..samples.num_parts())
        .map(|part| many(&samples.read_part(part).unwrap()))
        .collect();
    let samples =
        Samples::in_memory(&Standard::default(), training, many(samples.validation())).unwrap();
    let other = directory.path().join("other");
    let alone = ntuple(&train_on(&samples, &other, &config, Family::NTuple).unwrap());
    assert!(
        network.weights()[..5].iter().all(|&weight| weight != 0.0),
        "{:?}",
        network.weights()
    );
    assert!(
        alone.weights()[..4].iter().all(|&weight| weight == 0.0) && alone.weights()[5] != 0.0,
        "{:?}",
        alone.weights()
    );
}

#[test]
fn images_of_tuples_share_a_table_and_weights_may_have_16_bits() {
    let directory = tempfile::tempdir().unwrap();
    let mut config = config();
    config.training.epochs = 1;
    config.ntuple.tuples = vec!["b0 b1".to_owned()];
    config.ntuple.symmetric = true;
    config.ntuple.weights = WeightType::I16;
    let report = train_in(&directory, &config, Family::NTuple).unwrap();
    let network = ntuple(&report);
    assert_eq!(network.tuple_set().tuple_texts(), ["b0 b1 = b0 b5"]);
    assert_eq!(network.weights().len(), 13 * 13);
    let scale = (1u32 << network.file_bits().unwrap()) as f32;
    assert!(
        network
            .weights()
            .iter()
            .all(|weight| (weight * scale).fract() == 0.0)
    );
    assert!(network.weights().iter().any(|weight| *weight != 0.0));

    config.ntuple.phases = vec![5, 8].into();
    let mut learner = NTupleLearner::new(&Standard::default(), &config.ntuple).unwrap();
    learner
        .set_initial_weights(&Model::NTuple(network.clone()))
        .unwrap();
    let Model::NTuple(with_phases) = learner.export().unwrap() else {
        panic!("n-tuples");
    };
    assert_eq!(with_phases.weights(), network.weights().repeat(3));
}

#[test]
fn an_epoch_trains_with_its_lambda_and_validates_with_the_last() {
    for family in FAMILIES {
        let curve = |lambda: f32, last: Option<f32>| {
            let directory = tempfile::tempdir().unwrap();
            let mut config = config();
            config.training.epochs = 3;
            (config.target.lambda, config.target.final_lambda) = (lambda, last);
            let report = train_in(&directory, &config, family).unwrap();
            report
                .curve
                .iter()
                .map(|point| (point.training_loss, point.validation_loss))
                .collect::<Vec<_>>()
        };
        let (values, results, falling) =
            (curve(1.0, None), curve(0.0, None), curve(1.0, Some(0.0)));
        assert_eq!(values, curve(1.0, Some(1.0)));
        assert_eq!(falling[0].0, values[0].0);
        assert_ne!(falling[0].0, results[0].0);
        assert_ne!(falling[0].1, values[0].1);
        assert!(falling[2].1 < falling[0].1, "{family:?} {falling:?}");
        assert!(
            (falling[2].0 - results[2].0).abs() < (values[2].0 - results[2].0).abs(),
            "{family:?}"
        );
    }
}

#[test]
#[cfg(feature = "flex")]
fn the_cpu_step_trains_as_burn_does() {
    let samples = samples();
    for (hidden, buckets) in [
        (&[16, 16][..], &[][..]),
        (&[16], &[6]),
        (&[32, 16, 16], &[]),
        (&[16, 16], &[5, 8]),
    ] {
        let mut config = config();
        config.training.epochs = 3;
        config.network.hidden = hidden.to_vec();
        config.network.buckets = buckets.to_vec().into();
        let [cpu, burn] = ["cpu", "flex"].map(|backend| {
            let directory = tempfile::tempdir().unwrap();
            let (family, batches) = (Family::Network, usize::MAX);
            let report = train_until(&samples, &directory, &config, family, backend, batches);
            let losses = |point: &CurvePoint| [point.training_loss, point.validation_loss];
            let curve = report.unwrap().curve;
            curve.iter().flat_map(losses).collect::<Vec<f64>>()
        });
        assert_eq!(cpu.len(), 3 * 2);
        for (cpu, burn) in cpu.iter().zip(&burn) {
            assert!((cpu - burn).abs() < 1e-4, "{hidden:?}: {cpu} {burn}");
        }
    }
}

#[test]
fn networks_of_one_and_three_layers_are_resumed_and_exported() {
    let shapes = [&[48][..], &[32, 16, 48]];
    for (hidden, backend) in shapes
        .into_iter()
        .flat_map(|hidden| BACKENDS.iter().map(move |backend| (hidden, *backend)))
    {
        let mut config = config();
        config.network.hidden = hidden.to_vec();
        config.network.buckets = vec![5, 8].into();
        let (found, _directory) =
            cut_off_and_resumed(&samples(), &config, Family::Network, backend);
        assert!(
            found.parity <= crate::export::PARITY_TOLERANCE
                && found.curve[4].training_loss < found.curve[0].training_loss
        );
        assert_eq!(network(&found).weights().widths(), hidden);
        assert_eq!(network(&found).buckets().limits(), [5, 8]);
    }
    let (mut config, directory) = (config(), tempfile::tempdir().unwrap());
    config.training.epochs = 1;
    train_in(&directory, &config, Family::Network).unwrap();
    config.network.hidden = vec![16];
    let expected = "another configuration (hidden = [16, 16], not hidden = [16])";
    assert_refused(&directory, &config, Family::Network, expected);
}

#[test]
fn all_families_learn_and_the_engine_agrees() {
    let entropy = |p: f64| -(p * p.ln() + (1.0 - p) * (1.0 - p).ln());
    let samples = samples();
    let validation = samples.validation();
    let floor = validation
        .iter()
        .map(|sample| entropy(f64::from(sample.target(1.0))))
        .sum::<f64>()
        / validation.len() as f64;
    let constant = 2f64.ln();
    for family in FAMILIES {
        let directory = tempfile::tempdir().unwrap();
        let mut config = config();
        config.training.epochs = 16;
        let report = train_in(&directory, &config, family).unwrap();
        let (loss, reachable) = (report.validation_loss, constant - 0.5 * (constant - floor));
        assert!(
            loss > floor && loss < reachable,
            "{family:?}: {floor} < {loss} < {reachable}"
        );
        for point in &report.curve {
            let parts = &point.validation_by_phase;
            let samples: usize = parts.iter().map(|part| part.samples).sum();
            assert_eq!(samples, validation.len());
            let sum: f64 = parts
                .iter()
                .map(|part| part.loss * part.samples as f64)
                .sum();
            assert!((sum / samples as f64 - point.validation_loss).abs() < 1e-9);
            assert!(parts.iter().any(|part| part.remaining == 12));
        }
        assert!(report.parity <= crate::export::PARITY_TOLERANCE);
        assert_eq!(report.parity_positions, crate::export::PARITY_POSITIONS);
        let metadata = load_model_file(&report.model).1;
        assert_eq!(metadata["data"]["games"], 80);
        assert_eq!(metadata["validation_loss"].as_f64(), Some(loss));
        for name in ["config.toml", "curve.csv", "checkpoint.bin"] {
            assert!(directory.path().join(name).exists(), "{name}");
        }
        assert_eq!(
            TrainConfig::from_toml(
                &fs::read_to_string(directory.path().join("config.toml")).unwrap()
            )
            .unwrap(),
            config.resolve(&Standard::default()).unwrap()
        );
    }
}

#[test]
fn losses_are_a_function_of_the_seed() {
    for family in FAMILIES {
        let run = |seed| {
            let directory = tempfile::tempdir().unwrap();
            let mut config = TrainConfig { seed, ..config() };
            config.training.epochs = 2;
            train_in(&directory, &config, family).unwrap();
            losses(&directory)
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }
}

#[test]
fn another_training_is_not_overwritten() {
    let directory = tempfile::tempdir().unwrap();
    let mut config = config();
    config.training.epochs = 1;
    train_in(&directory, &config, Family::NTuple).unwrap();
    assert_refused(
        &directory,
        &config,
        Family::Network,
        "another family (ntuple)",
    );
    config.training.final_rate = 0.5;
    let expected = "final_rate = 0.01, not final_rate = 0.5";
    assert_refused(&directory, &config, Family::NTuple, expected);
    config.training.final_rate = 0.01;
    let other = Samples::in_memory(
        &Standard::default(),
        vec![random_samples(70, 1)],
        random_samples(20, 2),
    )
    .unwrap();
    let error = train_on(&other, &directory, &config, Family::NTuple)
        .unwrap_err()
        .to_string();
    assert!(error.contains("another set of samples"), "{error}");
}

#[test]
fn diverging_trainings_stop() {
    let mut fastest = config();
    fastest.network.learning_rate = 1e38;
    let directory = tempfile::tempdir().unwrap();
    let overflows = refusal(&directory, &fastest, Family::Network);
    let expected = "the engine refuses the network: ";
    assert!(overflows.starts_with(expected), "{overflows}");
    let mut config = config();
    config.training.schedule = Schedule::Constant;
    config.ntuple.rule = UpdateRule::Sgd;
    config.ntuple.learning_rate = 1e39;
    let directory = tempfile::tempdir().unwrap();
    assert_refused(
        &directory,
        &config,
        Family::NTuple,
        ": lower the learning rate",
    );
    assert!(!directory.path().join("ntuple.safetensors").exists());
}

#[test]
fn patience_stops_a_training_and_the_best_epoch_is_exported() {
    let directory = tempfile::tempdir().unwrap();
    let mut config = config();
    config.training.epochs = 40;
    config.training.patience = 2;
    config.training.schedule = Schedule::Constant;
    config.ntuple.learning_rate = 30.0;
    let report = train_in(&directory, &config, Family::NTuple).unwrap();
    assert_eq!(report.epochs, report.best_epoch + 2);
    assert!(report.epochs < 40);
    let found: Vec<f64> = losses(&directory)[1..]
        .iter()
        .map(|line| line.split(',').nth(2).unwrap().parse().unwrap())
        .collect();
    assert_eq!(
        found.iter().copied().fold(f64::INFINITY, f64::min),
        report.validation_loss
    );
}

mod backgammon;
mod continuation;
mod initial_weights;
mod reversi;
