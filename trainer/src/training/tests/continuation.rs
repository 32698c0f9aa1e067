//! Trainings that start from a model, and that go on with more epochs.

use super::*;

fn constant_rate() -> TrainConfig {
    let mut config = config();
    config.training.schedule = Schedule::Constant;
    config.training.epochs = 3;
    config
}

#[test]
fn more_epochs_at_a_constant_rate_equal_a_training_of_all() {
    for family in FAMILIES {
        let (longer, all) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut config = constant_rate();
        train_in(&longer, &config, family).unwrap();
        let shorter = config.clone();
        config.training.epochs = 5;
        let report = train_in(&longer, &config, family).unwrap();
        let expected = train_in(&all, &config, family).unwrap();
        assert_eq!(report.epochs, 5);
        let read = |report: &TrainingReport| fs::read(&report.model).unwrap();
        assert!(read(&report) == read(&expected), "{family:?}");
        let settings =
            |directory: &TempDir| fs::read(directory.path().join("config.toml")).unwrap();
        assert_eq!(settings(&longer), settings(&all));
        assert_eq!(
            describe_longer_epochs(&shorter, &config, 3),
            "goes on after epoch 3, to 5 epochs instead of 3; the result is that of 5 epochs from the start"
        );
    }
}

#[test]
fn only_a_larger_number_of_epochs_is_allowed() {
    let directory = tempfile::tempdir().unwrap();
    let mut config = config();
    config.training.epochs = 2;
    config.target.final_lambda = Some(0.5);
    train_in(&directory, &config, Family::NTuple).unwrap();
    let shorter = config.clone();
    let refused = |epochs, rate: f64, expected: &str| {
        let mut config = config.clone();
        config.training.epochs = epochs;
        config.ntuple.learning_rate = rate;
        assert_refused(&directory, &config, Family::NTuple, expected);
    };
    refused(1, 1.0, "another configuration (epochs = 2, not epochs = 1)");
    refused(4, 2.0, "another configuration (epochs = 2, not epochs = 4)");
    config.training.epochs = 4;
    let report = train_in(&directory, &config, Family::NTuple).unwrap();
    assert_eq!(report.epochs, 4);
    assert_eq!(
        describe_longer_epochs(&shorter, &config, 2),
        "goes on after epoch 2, to 4 epochs instead of 2; the part before had the learning rates and search shares of the shorter training, so the result is not that of 4 epochs from the start"
    );
}

#[test]
fn a_training_starts_with_exactly_the_values_of_its_model() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let game = Standard::default();
    let mut config = config();
    config.network.buckets = vec![5, 8].into();
    for family in FAMILIES {
        let report = train_in(first.path().join(family.name()), &config, family).unwrap();
        let model = load_model_file(&report.model).0;
        let exported = match family {
            Family::NTuple => {
                let mut learner = NTupleLearner::new(&game, &config.ntuple).unwrap();
                learner.set_initial_weights(&model).unwrap();
                learner.export().unwrap()
            }
            Family::Network => {
                let learner = NetworkLearner::new(&game, &config, CpuNetwork::from_weights);
                let mut learner = learner.unwrap();
                learner.set_initial_weights(&model).unwrap();
                learner.export().unwrap()
            }
        };
        assert!(exported == model, "{family:?}");
        let mut further = config.clone();
        further.training.initial_model = report.model.display().to_string();
        further.training.epochs = 1;
        let directory = second.path().join(family.name());
        let tuned = train_in(&directory, &further, family).unwrap();
        assert!(tuned.training_loss < report.curve[0].training_loss);
        let checksum = &load_model_file(&tuned.model).1[INITIAL_WEIGHTS_KEY];
        let file = ModelFile::load(&game, &report.model).unwrap();
        assert_eq!(*checksum, file.checksum());
        // The checkpoint has the weights, so the model is not needed any more.
        fs::remove_file(&report.model).unwrap();
        assert_eq!(
            train_in(&directory, &further, family).unwrap().curve,
            tuned.curve
        );
    }
}

#[test]
fn a_named_model_of_another_shape_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut config = config();
    config.training.epochs = 1;
    let report = train_in(directory.path().join("first"), &config, Family::NTuple).unwrap();
    let second = directory.path().join("second");
    let model = report.model.display().to_string();
    for (name, expected) in [
        (
            &*model,
            &*format!("{model}: the initial weights are of another ntuple "),
        ),
        ("no-such-model", "no-such-model"),
    ] {
        config.training.initial_model = name.to_owned();
        assert_refused(&second, &config, Family::Network, expected);
    }
}
